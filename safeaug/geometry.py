"""Boxes, windows and where a window may stand.

*Image frame*: source pixels, x to the right, y down, coordinates of pixel edges. Boxes and windows are half-open
``(x0, y0, x1, y1)``; sizes are ``(height, width)``. The formulas take their ``ops`` and run on floats and on arrays.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from safeaug.arrays import FLOATS, Ops
from safeaug.errors import ContentError

Size = tuple[int, int]
"""``(height, width)`` in pixels."""

Window = tuple[int, int, int, int]
"""``(x0, y0, x1, y1)``, half-open, in the image frame."""

Box = tuple[float, float, float, float]
"""``(x0, y0, x1, y1)``, half-open, in the image frame."""

Ring = list[tuple[float, float]]
"""Corners ``(x, y)`` of a polygon, in order."""

BoxFormat = Literal["xyxy", "xywh", "cxcywh", "xyxyn", "cxcywhn", "cxcywhr"]
"""Corners; corner and size; centre and size; a final ``n`` says divided by the image's width and height, a final ``r``
that the angle follows, in degrees, counterclockwise as one sees it."""


class View(NamedTuple):
    """Which source rectangle becomes an output of which size.

    Parameters
    ----------
    window : ndarray of shape (..., 4)
        Source rectangle in the image frame. It reaches beyond the image where the host pads.
    size : ndarray of shape (..., 2)
        Output size in pixels.
    """

    window: NDArray[Any]
    size: NDArray[Any]


class Domain(NamedTuple):
    """The positions that a host can draw for a window of one size: all integers of a rectangle, ends included."""

    x0: int
    x1: int
    y0: int
    y1: int

    @property
    def size(self) -> int:
        """The number of positions."""
        return (self.x1 - self.x0 + 1) * (self.y1 - self.y0 + 1)


def domain_of(frame: Window, size: Size) -> Domain:
    """Return the positions at which a window of this size lies inside a frame (the image, or the padded image).

    Examples
    --------
    >>> domain_of((0, 0, 640, 480), (100, 200))
    Domain(x0=0, x1=440, y0=0, y1=380)
    """
    return Domain(frame[0], frame[2] - size[1], frame[1], frame[3] - size[0])


def size_of(window: Window) -> Size:
    """Return the ``(height, width)`` of a window."""
    return window[3] - window[1], window[2] - window[0]


def window_at(x: int, y: int, size: Size) -> Window:
    """Return the window of this size whose top left corner is (x, y)."""
    return x, y, x + size[1], y + size[0]


def overlap(start: Any, stop: Any, lo: Any, hi: Any, ops: Ops = FLOATS) -> Any:
    """Return the length that ``[start, stop]`` and ``[lo, hi]`` share."""
    return ops.maximum(ops.minimum(stop, hi) - ops.maximum(start, lo), 0.0)


def reach(need: Any, lo: Any, hi: Any, length: Any) -> tuple[Any, Any]:
    """Return the least and greatest start at which an interval of this length shares ``need`` with ``[lo, hi]``.

    The overlap is a trapezoid of the start, with slopes of one: it reaches ``need`` from ``lo - length + need`` to
    ``hi - need``. Holds for ``need <= min(length, hi - lo)``; the caller sees to that, and rounds inward.
    """
    return lo - length + need, hi - need


def stretch(size: Size, output: Size) -> float:
    """Return by how much the x-scale and the y-scale from window to output differ, as a ratio of at least 1.

    Examples
    --------
    >>> stretch((100, 200), (50, 50))
    2.0
    """
    ratio = (output[1] * size[0]) / (size[1] * output[0])
    return max(ratio, 1 / ratio)


def intersection(boxes: NDArray[Any], window: ArrayLike, ops: Ops) -> Any:
    """Return the area that each box shares with a window.

    Parameters
    ----------
    boxes : array of shape (..., 4)
        Boxes in the image frame.
    window : array of shape (4,) or (..., 4)
        Window in the image frame.
    ops : Ops
        The operations of the array library.

    Returns
    -------
    array of shape (...)
        Areas in square pixels.
    """
    x0, y0, x1, y1 = np.moveaxis(np.asarray(window), -1, 0)
    wide = overlap(x0, x1, boxes[..., 0], boxes[..., 2], ops)
    high = overlap(y0, y1, boxes[..., 1], boxes[..., 3], ops)
    return wide * high


def ring_area(ring: Ring) -> float:
    """Return the area that a ring of corners encloses, whichever way round (the shoelace formula).

    Examples
    --------
    >>> ring_area([(0.0, 0.0), (4.0, 0.0), (0.0, 3.0)])
    6.0
    """
    if len(ring) < 3:
        return 0.0
    x, y = ring[0]  # from a corner of its own, so that a far-off ring loses no digits
    turns = ((ax - x) * (by - y) - (bx - x) * (ay - y) for (ax, ay), (bx, by) in pairwise(ring))
    return abs(sum(turns)) / 2


def clip_ring(ring: Ring, window: Sequence[float]) -> Ring:
    """Return the part of a ring inside a window, clipped by one half-plane after the other [1]_.

    Parts of a ring that is not convex stay joined by edges that run forth and back along the window's border; the area
    is right all the same.

    References
    ----------
    .. [1] I. E. Sutherland, G. W. Hodgman, "Reentrant polygon clipping", Communications of the ACM 17(1), 1974.

    Examples
    --------
    >>> clip_ring([(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)], (1, 0, 9, 9))
    [(1.0, 0.0), (4.0, 0.0), (4.0, 4.0), (1.0, 4.0)]
    """
    for axis, border, sign in ((0, window[0], 1), (0, window[2], -1), (1, window[1], 1), (1, window[3], -1)):
        kept: Ring = []
        if ring:
            before = ring[-1]
        for corner in ring:
            in_before, in_corner = sign * (before[axis] - border) >= 0, sign * (corner[axis] - border) >= 0
            if in_before != in_corner:
                share = (border - before[axis]) / (corner[axis] - before[axis])
                other = before[1 - axis] + share * (corner[1 - axis] - before[1 - axis])
                kept.append((float(border), other) if axis == 0 else (other, float(border)))
            if in_corner:
                kept.append(corner)
            before = corner
        ring = kept
    return ring


def letterbox(image_size: Size, output: Size) -> Box:
    """Return the window, around the whole image, of which a letterboxed output is the picture.

    The image is scaled by one factor so that it just fits the output, and centred; the window is the output's
    rectangle pulled back into the image frame.

    Examples
    --------
    >>> letterbox((100, 400), (200, 200))
    (0.0, -150.0, 400.0, 250.0)
    """
    scale = min(output[0] / image_size[0], output[1] / image_size[1])
    x, y = (image_size[1] - output[1] / scale) / 2, (image_size[0] - output[0] / scale) / 2
    return x, y, x + output[1] / scale, y + output[0] / scale


def to_xyxy(boxes: ArrayLike, box_format: BoxFormat, image_size: Size) -> NDArray[np.float64]:
    """Return boxes of any format as corners in the image frame.

    Parameters
    ----------
    boxes : array_like of shape (N, 4)
        Boxes. An empty sequence is no boxes.
    box_format : {"xyxy", "xywh", "cxcywh", "xyxyn", "cxcywhn"}
        Their format. Rotated boxes have no corners of this kind: see `corners_of`.
    image_size : (int, int)
        Height and width of the image.

    Returns
    -------
    ndarray of shape (N, 4), float64
        A new array; the argument is not changed.

    Raises
    ------
    ContentError
        Where the format is unknown or the shape is not (N, 4).

    Examples
    --------
    >>> to_xyxy([[0.5, 0.5, 0.5, 1.0]], "cxcywhn", (100, 200)).tolist()
    [[50.0, 0.0, 150.0, 100.0]]
    """
    if box_format not in get_args(BoxFormat) or box_format == "cxcywhr":
        raise ContentError(f"box_format must be one of {', '.join(get_args(BoxFormat))}, got {box_format!r}")
    try:
        out = np.array(boxes, dtype=np.float64)
    except (TypeError, ValueError):
        raise ContentError(f"boxes must be numbers of shape (N, 4), got {boxes!r}") from None
    if not out.size:
        return np.empty((0, 4))
    if not np.isfinite(out).all():
        raise ContentError(f"boxes must be of finite numbers, got {out.tolist()}; drop them or mend the annotation")
    if out.ndim != 2 or out.shape[1] != 4:
        raise ContentError(f"boxes must be of shape (N, 4), got {out.shape}; one box is [[x0, y0, x1, y1]]")
    if box_format.endswith("n"):
        out *= [image_size[1], image_size[0]] * 2
    if box_format.startswith("cxcywh"):
        out[:, :2] -= out[:, 2:] / 2
    if "wh" in box_format:
        out[:, 2:] += out[:, :2]
    return out


def corners_of(boxes: ArrayLike) -> NDArray[np.float64]:
    """Return the corners of rotated boxes.

    Parameters
    ----------
    boxes : array_like of shape (N, 5)
        Centre x and y, width, height, and the angle in degrees, counterclockwise as one sees it.

    Returns
    -------
    ndarray of shape (N, 4, 2), float64
        Corners (x, y) in order.

    Examples
    --------
    >>> corners_of([[4, 4, 4, 2, 90]]).round(6).tolist()
    [[[3.0, 6.0], [3.0, 2.0], [5.0, 2.0], [5.0, 6.0]]]
    """
    try:
        array = np.asarray(boxes, dtype=np.float64)
    except (TypeError, ValueError):
        raise ContentError(f"rotated boxes must be numbers of shape (N, 5), got {boxes!r}") from None
    if not array.size:
        return np.empty((0, 4, 2))
    if array.ndim != 2 or array.shape[1] != 5:
        raise ContentError(f"rotated boxes must be numbers of shape (N, 5), got shape {array.shape}")
    centre, half, turn = array[:, None, :2], array[:, None, 2:4] / 2, np.deg2rad(array[:, 4])
    if (half < 0).any():
        raise ContentError(f"rotated boxes must have sides of at least 0, got {array.tolist()}")
    offset = half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    cos, sin = np.cos(turn)[:, None], np.sin(turn)[:, None]  # y runs down: counterclockwise is (cos, sin; -sin, cos)
    turned = np.stack([cos * offset[..., 0] + sin * offset[..., 1], cos * offset[..., 1] - sin * offset[..., 0]], -1)
    corners: NDArray[np.float64] = centre + turned
    return corners


def check_size(name: str, size: Sequence[int]) -> Size:
    """Return a ``(height, width)`` of two whole numbers of at least 1, or raise `ContentError`."""
    try:
        height, width = (int(side) for side in size)
        whole = all(math.isfinite(side) and side == int(side) for side in size)
    except (TypeError, ValueError, OverflowError):
        raise ContentError(f"{name} must be (height, width), got {size!r}") from None
    if not whole or height < 1 or width < 1:
        raise ContentError(f"{name} must be (height, width) in whole pixels of at least 1, got {tuple(size)!r}")
    return height, width
