"""Maps that can be compared and stored: from nothing to all, or no evidence."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from safeaug.saliency.library import NUMPY, Library

FLAT = 1e-5
"""The range of a map, in shares of its greatest value, that says nothing: rounding may have made it."""


def normal(maps: Any, library: Library) -> Any:
    """Return maps scaled to [0, 1]; all zeros where they are flat, or hold what is not finite.

    Parameters
    ----------
    maps : array of shape (..., h, w), float32
        Raw maps.
    library : Library
        Whose arrays they are.
    """
    xp = library.xp
    lowest, highest = (each(maps, (-2, -1))[..., None, None] for each in (xp.amin, xp.amax))
    span = highest - lowest
    # What is NaN or infinite makes span so, and passes neither comparison.
    says = (span > FLAT * xp.abs(highest)) & (span < float("inf"))
    scaled = (maps - lowest) / xp.where(says, span, 1.0)
    return xp.where(says, scaled, 0.0)


def as_bytes(values: ArrayLike) -> NDArray[np.uint8]:
    """Return maps as bytes: the least of each is 0, its greatest 255.

    Parameters
    ----------
    values : array_like of shape (..., h, w)
        Masses in any unit.

    Returns
    -------
    ndarray of shape (..., h, w), uint8
        All zero, which is *no evidence*, where a map is flat, or holds NaN or an infinite value.

    Examples
    --------
    >>> as_bytes([[1.0, 2.0], [2.5, 3.0]]).tolist(), as_bytes([[7.0, 7.0]]).tolist()
    ([[0, 128], [191, 255]], [[0, 0]])
    """
    with np.errstate(invalid="ignore", over="ignore"):
        found: NDArray[np.uint8] = bytes_of(NUMPY.floats(values), NUMPY)
    return found


def bytes_of(maps: Any, library: Library) -> Any:
    """Return maps of float32 as bytes: see `as_bytes`."""
    xp = library.xp
    return library.cast(xp.round(normal(maps, library) * 255), xp.uint8)
