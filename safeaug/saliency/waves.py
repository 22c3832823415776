"""The matrices by which small maps are transformed and smoothed along an axis."""

import math
from typing import Any

from safeaug.saliency.library import Library


def cosines(size: int, library: Library) -> Any:
    """Return the orthonormal DCT-II as a matrix of shape (size, size), float32; its transpose is the inverse.

    Examples
    --------
    >>> from safeaug.saliency.library import NUMPY
    >>> matrix = cosines(4, NUMPY)
    >>> (matrix @ matrix.T).round(5).tolist() == [[float(i == j) for j in range(4)] for i in range(4)]
    True
    """
    xp = library.xp
    turns = library.count(size)[:, None] * (2 * library.count(size)[None] + 1) % (4 * size)
    waves = xp.cos(library.floats(turns) * (math.pi / (2 * size))) * math.sqrt(2 / size)
    waves[0] /= math.sqrt(2)
    return waves


def smoothing(size: int, sigma: float, library: Library, reach: int | None = None) -> Any:
    """Return a Gaussian of ``sigma`` cells as a matrix of shape (size, size), float32.

    At a border the map goes on as its mirror image, the outermost cells not twice. Each row adds up to one.

    Parameters
    ----------
    size : int
        Cells along the axis.
    sigma : float
        Standard deviation, in cells.
    library : Library
        Whose array it is.
    reach : int, optional
        Cells beyond which a weight is zero; by default none is.
    """
    xp, last = library.xp, size - 1
    place = library.count(size)
    both = place[:, None] + place
    apart = xp.stack([place[:, None] - place, both, both - 2 * last])
    weights = xp.exp(-0.5 * (library.floats(apart) / sigma) ** 2)
    if reach is not None:
        weights = weights * library.floats(xp.abs(apart) <= reach)
    matrix = weights[0] + weights[1] * library.floats(place > 0) + weights[2] * library.floats(place < last)
    return matrix / matrix.sum(-1)[:, None]


def smoothed(maps: Any, sigma: float, library: Library, reach: int | None = None) -> Any:
    """Return square maps of shape (..., size, size), smoothed: see `smoothing`."""
    matrix = smoothing(maps.shape[-1], sigma, library, reach)
    return matrix @ maps @ matrix.T
