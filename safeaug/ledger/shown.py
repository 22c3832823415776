"""Which pixels a step shows that nobody knows."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.errors import ContentError
from safeaug.geometry import Size


class Shown(NamedTuple):
    """What is known of a step by an index image that went through it.

    Parameters
    ----------
    places : ndarray of shape (H, W)
        For each pixel after the step, which one before it is shown there; -1 for none.
    times : ndarray of shape (h * w,)
        How often each pixel before the step is shown.
    seen : ndarray of shape (h, w), bool
        Which of them are visible: those that are shown, and those that are only passed over, between them.
    """

    places: NDArray[Any]
    times: NDArray[Any]
    seen: NDArray[np.bool_]


def shown_by(index: NDArray[Any], size: Size) -> Shown:
    """Return what an index image says; see `index_of`.

    A step that makes the picture smaller shows every other pixel, one that turns it misses some: their neighbours'
    colours stand for them, and they are not lost. So where pixels are not just rearranged, one that lies between those
    that are shown counts as visible, up to as far as neighbours are apart.

    Parameters
    ----------
    index : ndarray of shape (H, W) of whole numbers
        Which pixel is shown; one that does not exist stands for none.
    size : (int, int)
        Height and width of the picture before the step.
    """
    if index.ndim != 2 or not index.size or index.dtype.kind not in "iu":
        raise ContentError(f"index must be whole numbers of shape (H, W), got {index.dtype} of shape {index.shape}")
    known = (index >= 0) & (index < size[0] * size[1])
    index = np.where(known, index, -1)
    times = np.bincount(index[known], minlength=size[0] * size[1])
    seen = (times > 0).reshape(size)
    step = _step(index, known, size[1])
    if step != 1 or times.max() > 1:
        seen = ~_grown(~_grown(seen, max(1, math.ceil(step / 2))), max(1, math.ceil(step / 2)))
    return Shown(index, times, seen)


def _step(index: NDArray[Any], known: NDArray[np.bool_], width: int) -> float:
    """Return how far apart what neighbours show is, as a rule; 1.0 where there are none."""
    row, column = np.divmod(index, width)
    away = np.maximum(np.abs(np.diff(row, axis=1)), np.abs(np.diff(column, axis=1)))
    away = away[known[:, :-1] & known[:, 1:]]
    return float(np.median(away)) if away.size else 1.0


def _grown(mask: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """Return a mask that has grown by so many pixels on all sides."""
    for axis in (0, 1):
        mask = np.moveaxis(mask, axis, 0)
        grown = mask.copy()
        for shift in range(1, min(reach, len(mask) - 1) + 1):
            grown[shift:] |= mask[:-shift]
            grown[:-shift] |= mask[shift:]
        mask = np.moveaxis(grown, 0, axis)
    return mask
