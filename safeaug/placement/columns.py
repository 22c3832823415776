"""The feasible rows of each object in every column of the domain, and the sweep over interval ends."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.arrays import NUMPY
from safeaug.geometry import Box, Domain, Size, overlap, reach

Ints = NDArray[np.int64]


class Intervals(NamedTuple):
    """Closed integer intervals of rows: ``first`` and ``last`` of shape (N, X); empty where last < first."""

    first: Ints
    last: Ints

    @property
    def any_row(self) -> NDArray[np.bool_]:
        """Where an object has a row in a column."""
        return self.first <= self.last

    def at(self, columns: Ints) -> "Intervals":
        """Return the intervals of some columns, given by their place."""
        return Intervals(self.first[:, columns], self.last[:, columns])


def intervals(boxes: Sequence[Box], needs: list[float], slack: float, size: Size, domain: Domain, x: Ints) -> Intervals:
    """Return, for each object and each column, the rows at which a window holds what the object needs.

    Parameters
    ----------
    boxes : list of (x0, y0, x1, y1)
        N objects; a point is a box without area.
    needs : list of float
        Area of each object that the window must hold.
    slack : float
        Tolerance of a point's coordinates, in pixels.
    size, domain
        Of the window: its size, and the positions that it may take.
    x : ndarray of shape (X,), int64
        The columns.

    Returns
    -------
    Intervals
        Of shape (N, X), clipped to the domain.
    """
    box = np.array(boxes, dtype=np.float64)[:, :, None]  # (N, 4, 1), against columns (X,)
    need = np.array(needs, dtype=np.float64)[:, None]
    a, b, c, d = box[:, 0], box[:, 1], box[:, 2], box[:, 3]
    height, width = size
    wide = overlap(x, x + width, a, c, NUMPY)
    depth = np.divide(need, wide, out=np.full(wide.shape, np.inf), where=wide > 0)  # rows that must be shared
    first, last = reach(depth, b, d, height)
    reached = depth <= np.minimum(height, d - b)
    point = (a == c) | (b == d)
    if point.any():
        inside = (x <= a + slack) & (a - slack <= x + width)
        point_first, point_last = reach(-slack, b, b, height)
        first, last = np.where(point, point_first, first), np.where(point, point_last, last)
        reached = np.where(point, inside, reached)
    first = np.minimum(np.maximum(np.ceil(first), domain.y0), domain.y1 + 1)
    last = np.where(reached, np.minimum(np.floor(last), domain.y1), domain.y0 - 1)
    if need.min() <= 0:  # an object that may be anywhere
        first, last = np.where(need <= 0, domain.y0, first), np.where(need <= 0, domain.y1, last)
    return Intervals(first.astype(np.int64), last.astype(np.int64))


class Sweep(NamedTuple):
    """The rows of each column cut at all interval ends.

    Parameters
    ----------
    start, length : ndarray of shape (X, S), int64
        Segments of rows; many are of length 0.
    covers : tuple of ndarray of shape (X, S), float64
        For each counter the sum of its weights over the intervals that hold the segment.
    """

    start: Ints
    length: Ints
    covers: tuple[NDArray[np.float64], ...]


def sweep(parts: list[tuple[Intervals, tuple[Any, ...]]], domain: Domain) -> Sweep:
    """Cut every column at the ends of its intervals and add up what covers each segment.

    Parameters
    ----------
    parts : list of (Intervals, weights)
        Each with one weight per counter: a number, or an array of shape (N,) for one per object.
    domain : Domain
        The positions; its rows bound the first and the last segment.

    Returns
    -------
    Sweep
        Segments and, for each counter, what covers them.
    """
    columns = parts[0][0].first.shape[1]
    ends = [np.full((1, columns), domain.y0, dtype=np.int64)]
    counters = len(parts[0][1])
    steps = [[np.zeros(1)] for _ in range(counters)]
    for interval, weights in parts:
        ends += [interval.first, np.maximum(interval.last + 1, interval.first)]  # an empty one opens where it closes
        for step, weight in zip(steps, weights, strict=True):
            rise = np.broadcast_to(np.asarray(weight, dtype=np.float64), len(interval.first))
            step += [rise, -rise]
    # One sort: each end carries its number in the low bits, and the number says what it adds or takes away.
    number = np.arange(sum(map(len, ends)))
    bits = len(number).bit_length()
    keys = np.sort((np.concatenate(ends) << bits | number[:, None]).T, axis=1)
    start, number = keys >> bits, keys & ((1 << bits) - 1)
    stop = np.concatenate([start[:, 1:], np.full((columns, 1), domain.y1 + 1, dtype=np.int64)], axis=1)
    return Sweep(start, stop - start, tuple(np.cumsum(np.concatenate(step)[number], axis=1) for step in steps))
