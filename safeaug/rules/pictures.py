"""Where height, width and channels of a picture are; a probe of its values."""

from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

FEW = frozenset({1, 2, 3, 4})
"""How many numbers a pixel of an ordinary picture has."""

GRID = 4
"""Rows, and columns, of a probe."""


class Laid(NamedTuple):
    """How a picture lies in its array."""

    size: tuple[int, int]
    channels: int
    layout: Literal["HWC", "CHW", "HW"]


@lru_cache(maxsize=1024)
def laid(shape: tuple[int, ...], *, first: bool) -> Laid | None:
    """Return how a picture lies in an array; None where it is none.

    Parameters
    ----------
    shape : tuple of int
        Of the array; a batch of pictures has one side more, in front.
    first : bool
        Whether channels come first by custom, as in torch. Where only one reading is an ordinary picture, it is taken.

    Examples
    --------
    >>> laid((480, 640, 3), first=False).size, laid((480, 640, 3), first=True).layout, laid((7,), first=True)
    ((480, 640), 'HWC', None)
    """
    if len(shape) < 2 or len(shape) > 5:
        return None
    if len(shape) == 2:
        return Laid((shape[0], shape[1]), 1, "HW")
    last, front = shape[-1] in FEW, shape[-3] in FEW
    if last != front:
        first = front
    return Laid((shape[-2], shape[-1]), shape[-3], "CHW") if first else Laid((shape[-3], shape[-2]), shape[-1], "HWC")


def probe_of(array: NDArray[Any], how: Laid) -> tuple[float, ...]:
    """Return the values of pixels in a grid, row by row, all channels of each; of a batch, of its first picture."""
    if 0 in array.shape:
        return ()
    flat = array[(0,) * (array.ndim - (2 if how.layout == "HW" else 3))]
    rows, columns = _grid(how.size)
    found = flat[:, rows, columns].transpose(1, 2, 0) if how.layout == "CHW" else flat[rows, columns]
    return tuple(found.ravel().tolist())


@lru_cache(maxsize=256)
def places(side: int) -> tuple[int, ...]:
    """Return where along a side a probe looks: in the middle of each quarter."""
    return tuple((2 * i + 1) * side // (2 * GRID) for i in range(GRID))


@lru_cache(maxsize=256)
def _grid(size: tuple[int, int]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    rows, columns = (np.array(places(side), dtype=np.intp) for side in size)
    return rows[:, None], columns
