"""Which boxes of an annotation can be used: one rule for all formats."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.data.remarks import Notes


def usable(
    boxes: NDArray[np.float64], size: tuple[Any, Any], where: Callable[[int], str], notes: Notes
) -> NDArray[np.bool_]:
    """Return which boxes can be used, and write down what is wrong or odd about others.

    Parameters
    ----------
    boxes : ndarray of shape (N, 4)
        Corners in the image frame.
    size : (height, width)
        Of the image; or of each box's, as arrays of shape (N,).
    where : callable
        Says of a box's index where it stands.
    notes : Notes
        Takes faults (not finite, corners swapped) and remarks: an object outside the image cannot be used, one without
        area is a point.

    Examples
    --------
    >>> notes = Notes()
    >>> usable(np.array([[0.0, 0, 9, 9], [4, 4, 4, 4], [50, 0, 60, 9]]), (20, 20), "box {}".format, notes).tolist()
    [True, True, False]
    >>> [remark[:2] for remark in notes.remarks]
    [('no area', 'box 1'), ('outside', 'box 2')]
    """
    x0, y0, x1, y1 = boxes.T
    height, width = size
    keep: NDArray[np.bool_] = (x0 < x1) & (y0 < y1) & (x1 > 0) & (y1 > 0) & (x0 < width) & (y0 < height)
    keep &= np.isfinite(boxes).all(axis=1)
    if keep.all():
        return keep
    heights, widths = (np.broadcast_to(side, len(boxes)) for side in size)
    for i in np.flatnonzero(~keep).tolist():
        keep[i] = _usable(boxes[i].tolist(), (int(heights[i]), int(widths[i])), where(i), notes)
    return keep


def _usable(box: list[float], size: tuple[int, int], where: str, notes: Notes) -> bool:
    """Return whether a box that is not an ordinary one can be used."""
    x0, y0, x1, y1 = box
    height, width = size
    if not all(map(math.isfinite, box)):
        notes.fault("malformed", where, f"a box must be of finite numbers, got {box}; mend the annotation")
        return False
    if x0 > x1 or y0 > y1:
        notes.fault(
            "malformed", where, f"a box must have x0 <= x1 and y0 <= y1, got {box}; are its corners or sizes swapped?"
        )
        return False
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    if (x0 == x1 or y0 == y1) and 0 <= x <= width and 0 <= y <= height:
        notes.remark("no area", where, f"the box has no area: {box}; it counts as a point. Was it drawn by mistake?")
        return True
    notes.remark(
        "outside",
        where,
        f"the box {box} lies outside the image ({height} x {width}, height x width), and is left out; is it of another "
        "image, or of this one in another size?",
    )
    return False
