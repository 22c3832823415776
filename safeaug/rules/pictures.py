"""Where height, width and channels of a picture are; a probe of its values."""

from functools import lru_cache
from typing import Any, Literal, NamedTuple

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
    """Return the values of pixels in a grid, row by row, all channels of each; of a batch, of its first picture.

    Examples
    --------
    >>> import numpy as np
    >>> probe_of(np.arange(64).reshape(8, 8), Laid((8, 8), 1, "HW"))
    (9, 11, 13, 15, 25, 27, 29, 31, 41, 43, 45, 47, 57, 59, 61, 63)
    """
    if 0 in array.shape:
        return ()
    flat = array[(0,) * (array.ndim - (2 if how.layout == "HW" else 3))]
    rows, columns = grid(how.size[0]), grid(how.size[1])
    found = flat[:, rows, columns].transpose(1, 2, 0) if how.layout == "CHW" else flat[rows, columns]
    return tuple(found.ravel().tolist())


@lru_cache(maxsize=1024)
def grid(side: int) -> slice:
    """Return where along a side a probe looks: in the middle of each quarter; of a short side, at each place.

    Examples
    --------
    >>> grid(224), grid(3)
    (slice(28, 197, 56), slice(0, 4, 1))
    """
    step = max(side // GRID, 1)
    return slice(step // 2, step // 2 + (GRID - 1) * step + 1, step)


def places(side: int) -> range:
    """Return the places of `grid` that there are."""
    return range(side)[grid(side)]
