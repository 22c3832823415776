"""A map made of boxes, as of a detector's: for pictures whose objects nobody drew, but a model finds."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from safeaug.arrays import NUMPY
from safeaug.errors import ContentError
from safeaug.geometry import Size, overlap
from safeaug.saliency.methods import SIZE, checked_size


def box_map(boxes: ArrayLike, image: Size, *, scores: ArrayLike | None = None, size: int = SIZE) -> NDArray[np.float32]:
    """Return a map of boxes: of each cell the greatest share of it that a box covers, times that box's score.

    Parameters
    ----------
    boxes : array_like of shape (N, 4)
        Corners (x0, y0, x1, y1) in the image frame. What is outside the image does not count.
    image : (int, int)
        Height and width.
    scores : array_like of shape (N,), optional
        How sure the detector is: not negative; 1 by default.
    size : int, default 48
        Cells along each side.

    Returns
    -------
    ndarray of shape (size, size), float32
        All zeros, which is no evidence, where there is no box.

    Raises
    ------
    ContentError
        Where boxes or scores are none.

    Examples
    --------
    >>> box_map([[0, 0, 30, 40]], (80, 120), size=8).round(2)[:5, :3].tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    corners = np.asarray(boxes, np.float64).reshape(-1, 4) if np.size(boxes) == 0 else np.asarray(boxes, np.float64)
    if corners.ndim != 2 or corners.shape[1] != 4 or not np.isfinite(corners).all():
        raise ContentError(f"boxes must be finite numbers of shape (N, 4), got {boxes!r}")
    if (corners[:, 2:] < corners[:, :2]).any():
        raise ContentError(f"boxes must have x0 <= x1 and y0 <= y1, got {boxes!r}")
    weights = np.ones(len(corners)) if scores is None else np.asarray(scores, np.float64)
    if weights.shape != (len(corners),) or not (np.isfinite(weights) & (weights >= 0)).all():
        raise ContentError(f"scores must be {len(corners)} finite numbers of at least 0, got {scores!r}")
    across = _covered(corners[:, 0], corners[:, 2], image[1], checked_size(size))
    down = _covered(corners[:, 1], corners[:, 3], image[0], size)
    covered = weights[:, None, None] * down[:, :, None] * across[:, None, :]
    found: NDArray[np.float32] = covered.max(0, initial=0.0).astype(np.float32)
    return found


def _covered(starts: NDArray[Any], stops: NDArray[Any], length: int, cells: int) -> NDArray[np.float64]:
    """Return which share of each cell along an axis each interval covers: of shape (N, cells)."""
    ends = np.arange(cells + 1) * (length / cells)
    shared = overlap(ends[:-1], ends[1:], starts[:, None], stops[:, None], NUMPY)
    return np.asarray(shared / (length / cells))
