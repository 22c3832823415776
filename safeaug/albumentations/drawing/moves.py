"""What the host makes of boxes, for many draws at once: the same operations in the same order, to the same last bit."""

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EPSILON = 1e-7
"""By how much the host lets areas and sides fall short."""


class Move(IntEnum):
    """What a step does, to the picture and to boxes, which the host keeps as shares of the picture's sides."""

    STAY = 0
    """All is shown, of some size."""
    CUT = 1
    """A window: ``x0, y0, width, height``."""
    MAP = 2
    """A matrix, by which the host moves boxes."""
    TURN = 3
    """An affine map, as `maps.turned` has it."""
    MIRROR = 4
    TOPPLE = 5
    SWAP = 6
    LEFT = 7
    ROUND = 8
    RIGHT = 9
    ANTI = 10


SYMMETRIES: Mapping[Move, tuple[tuple[int, int, int, int], tuple[bool, bool, bool, bool]]] = MappingProxyType(
    {
        Move.MIRROR: ((2, 1, 0, 3), (True, False, True, False)),
        Move.TOPPLE: ((0, 3, 2, 1), (False, True, False, True)),
        Move.SWAP: ((1, 0, 3, 2), (False, False, False, False)),
        Move.LEFT: ((1, 2, 3, 0), (False, True, False, True)),
        Move.ROUND: ((2, 3, 0, 1), (True, True, True, True)),
        Move.RIGHT: ((3, 0, 1, 2), (True, False, True, False)),
        Move.ANTI: ((3, 2, 1, 0), (True, True, True, True)),
    }
)
"""Of each flip and quarter turn: from which side each side comes, and whether that is taken from 1."""


class Filter(NamedTuple):
    """What the host asks of a box to keep its label: the numbers of its ``BboxParams``."""

    min_area: float
    min_visibility: float
    min_width: float
    min_height: float


class Boxes(NamedTuple):
    """Boxes on their way, one row for each object of each draw.

    Parameters
    ----------
    sides : ndarray of shape (M, 4)
        (x0, y0, x1, y1) as shares of the picture's sides.
    there : ndarray of shape (M,), bool
        Whether the host still has it.
    single : ndarray of shape (M,), bool
        Whether the host still reckons in float32, as it does until a filter, a crop or a matrix has made numbers of
        its own.
    """

    sides: Floats
    there: NDArray[np.bool_]
    single: NDArray[np.bool_]

    def of(self, rows: NDArray[Any]) -> "Boxes":
        """Return some of them."""
        return Boxes(self.sides[rows], self.there[rows], self.single[rows])


def moved(boxes: Boxes, moves: NDArray[Any], numbers: Floats, before: NDArray[Any], after: NDArray[Any]) -> Boxes:
    """Return boxes after one more step.

    Parameters
    ----------
    boxes : Boxes
        Before it.
    moves : ndarray of shape (M,)
        What it does to each.
    numbers : ndarray of shape (M, 9)
        With which numbers: see `Move`. Of a turn those of its matrix.
    before, after : ndarray of shape (M, 2)
        Height and width of the picture before and after it.
    """
    sides, there, single = boxes.sides.copy(), boxes.there.copy(), boxes.single.copy()
    for move in np.unique(moves[there]).tolist():
        rows = np.flatnonzero((moves == move) & there)
        if move == Move.CUT:
            sides[rows], single[rows] = _cut(sides[rows], numbers[rows], before[rows]), False
        elif move in (Move.MAP, Move.TURN):
            sides[rows], there[rows], same = _mapped(sides[rows], numbers[rows], before[rows], after[rows])
            single[rows] &= same
        elif move != Move.STAY:
            sides[rows] = np.where(
                single[rows, None], _flipped(sides[rows].astype(np.float32), move), _flipped(sides[rows], move)
            )
    return Boxes(sides, there, single)


def filtered(boxes: Boxes, filter_: Filter, sizes: NDArray[Any]) -> Boxes:
    """Return boxes after the host has clipped them to the picture, and dropped those that are too small.

    Parameters
    ----------
    boxes : Boxes
        Before it.
    filter_ : Filter
        What is asked.
    sizes : ndarray of shape (M, 2)
        Height and width of the picture.
    """
    scale = _scale(sizes)
    area = _area(boxes.sides, sizes)
    more = area + EPSILON
    if boxes.single.any():
        in_single = _area(boxes.sides[boxes.single].astype(np.float32), sizes[boxes.single].astype(np.float32))
        area[boxes.single], more[boxes.single] = in_single, in_single + np.float32(EPSILON)
    clipped = np.clip(boxes.sides * scale, 0, scale) / scale
    clipped_area, within = _area(clipped, sizes), clipped * scale
    there = (
        boxes.there
        & (area >= EPSILON)
        & (clipped_area >= filter_.min_area - EPSILON)
        & (clipped_area / more >= filter_.min_visibility)
        & (within[:, 2] - within[:, 0] >= filter_.min_width - EPSILON)
        & (within[:, 3] - within[:, 1] >= filter_.min_height - EPSILON)
    )
    return Boxes(clipped, there, np.zeros_like(boxes.single))


def refused(boxes: Boxes) -> NDArray[np.bool_]:
    """Return which boxes the host raises for in the end: those that its last filter has clipped to nothing."""
    sides = boxes.sides
    return boxes.there & ((sides[:, 2] <= sides[:, 0]) | (sides[:, 3] <= sides[:, 1]))


def _flipped(sides: NDArray[Any], move: int) -> NDArray[Any]:
    places, turned = SYMMETRIES[Move(move)]
    found = sides[:, places]
    return np.where(turned, 1 - found, found)


def _cut(sides: Floats, numbers: Floats, before: NDArray[Any]) -> Floats:
    single = sides.astype(np.float32)  # the host does so before a crop, and nowhere else
    pixels = single * _scale(before) - numbers[:, [0, 1, 0, 1]]
    cut: Floats = pixels / numbers[:, [2, 3, 2, 3]]
    return cut


def _mapped(
    sides: Floats, matrices: Floats, before: NDArray[Any], after: NDArray[Any]
) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return what bounds the four corners, where the map has moved them; and which of that is in the picture.

    Return also which maps are so close to the identity that the host does nothing.
    """
    m = matrices.reshape(-1, 3, 3)
    pixels = sides * _scale(before)
    corners = np.ones((len(sides), 4, 3))
    corners[:, :, 0], corners[:, :, 1] = pixels[:, [0, 2, 2, 0]], pixels[:, [1, 1, 3, 3]]
    there = corners @ m.transpose(0, 2, 1)
    there = there[:, :, :2] / there[:, :, 2:]
    found = np.concatenate([there.min(axis=1), there.max(axis=1)], axis=1)
    size = _scale(after)
    kept = (found[:, 2] > 0) & (found[:, 3] > 0) & (found[:, 0] < size[:, 0]) & (found[:, 1] < size[:, 1])
    same = np.abs(m - np.eye(3)).max(axis=(1, 2), initial=0.0, where=~np.eye(3, dtype=bool)) <= 1e-8
    same &= (np.abs(np.diagonal(m, axis1=1, axis2=2) - 1) <= 1e-8 + 1e-5).all(axis=1)
    return np.where(same[:, None], sides, found / size), same | kept, same


def _area(sides: Floats, sizes: NDArray[Any]) -> Floats:
    area: Floats = ((sides[:, 2] - sides[:, 0]) * sizes[:, 1]) * ((sides[:, 3] - sides[:, 1]) * sizes[:, 0])
    return area


def _scale(sizes: NDArray[Any]) -> Floats:
    scale: Floats = sizes[:, [1, 0, 1, 0]].astype(np.float64)
    return scale
