"""An object without area, followed exactly: the keypoints of an instance, or a box that is a point."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Box, Size
from safeaug.ledger.field import FAR, Field
from safeaug.ledger.matrices import Matrix, moved, planes_of
from safeaug.ledger.rings import Plane
from safeaug.shapes import Points

Corner = tuple[float, float]


class Pins(NamedTuple):
    """Points, and which of them are visible.

    Parameters
    ----------
    left : float
        Share of them that is visible.
    whole : int
        How many came in.
    points : list of (float, float)
        Those that are visible, in the source frame.
    slack : float
        Source pixels by which one may lie outside and is visible all the same: edges are closed for boxes without area,
        not for keypoints.
    """

    left: float
    whole: int
    points: list[Corner]
    slack: float


def pin_of(box: Box, slack: float) -> Pins:
    """Return a box without area as a point."""
    x0, y0, x1, y1 = box
    return Pins(1.0, 1, [((x0 + x1) / 2, (y0 + y1) / 2)], slack)


def pins_of(points: Points, image_size: Size, slack: float) -> Pins:
    """Return the keypoints of an instance.

    A keypoint belongs to the pixels to its right and below, as hosts have it. So each is moved there by as little as a
    coordinate may be off: then it lies on no border that it only touches, and a flip, which makes right left, neither
    loses nor gains one.
    """
    height, width = image_size
    moved = [(min(x + slack, width - slack), min(y + slack, height - slack)) for x, y in points.xy.tolist()]
    return Pins(1.0, len(moved), moved, 0.0)


def pins_within(pins: Pins, planes: Sequence[Plane]) -> Pins:
    """Return which of some points lie in a rectangle, given as half-planes."""
    return _only(pins, [point for point in pins.points if _inside(point, planes, pins.slack)])


def pins_without(pins: Pins, matrix: Matrix, holes: Sequence[Box]) -> Pins:
    """Return which of some points lie in no hole of another frame."""
    pulled = [planes_of(matrix, hole) for hole in holes]
    free = [point for point in pins.points if not any(_inside(point, planes, -pins.slack) for planes in pulled)]
    return _only(pins, free)


def pins_erased(pins: Pins, matrix: Matrix, mask: NDArray[np.bool_]) -> Pins:
    """Return which of some points lie in a pixel of another frame that is not erased."""
    last_y, last_x = mask.shape[0] - 1, mask.shape[1] - 1
    free = []
    for point in pins.points:
        ((x, y),) = moved(matrix, [point])
        if not mask[min(max(int(y), 0), last_y), min(max(int(x), 0), last_x)]:
            free.append(point)
    return _only(pins, free)


def pins_warped(pins: Pins, matrix: Matrix, field: Field) -> Pins:
    """Return where a field of pixels shows some points: at the middle of the pixel that comes nearest to each.

    A point is shown if it lies in the cell that this pixel stands for: no further away than half of the steps to the
    next pixels.
    """
    shown = []
    for x, y in moved(matrix, pins.points):
        away = (field.x - x) ** 2 + (field.y - y) ** 2
        row, column = divmod(int(away.argmin()), away.shape[1])
        reach = (_step(field, row, column, 0, 1) + _step(field, row, column, 1, 0)) / 2
        if away[row, column] <= reach**2:
            shown.append((column + 0.5, row + 0.5))
    return _only(pins, shown)


def _step(field: Field, row: int, column: int, down: int, across: int) -> float:
    """Return how far apart a pixel and the nearer of its two neighbours of one direction are in the field."""
    height, width = field.x.shape
    steps = []
    for sign in (-1, 1):
        i, j = row + sign * down, column + sign * across
        if 0 <= i < height and 0 <= j < width:
            steps.append(math.hypot(field.x[i, j] - field.x[row, column], field.y[i, j] - field.y[row, column]))
    return min((step for step in steps if step < FAR / 2), default=1.0)


def _inside(point: Corner, planes: Sequence[Plane], slack: float) -> bool:
    x, y = point
    return all(a * x + b * y + c >= -slack * (abs(a) + abs(b)) for a, b, c in planes)


def _only(pins: Pins, points: list[Corner]) -> Pins:
    return Pins(len(points) / pins.whole, pins.whole, points, pins.slack)
