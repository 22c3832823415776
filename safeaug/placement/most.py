"""What can be kept where not everything can: most objects, else the least loss."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from safeaug.arrays import NUMPY
from safeaug.geometry import Domain, Size, overlap
from safeaug.placement.columns import Ints, intervals, sweep
from safeaug.placement.feasible import Feasible, Positions, common
from safeaug.placement.surface import least_lost_on_surface, most_kept_on_surface
from safeaug.records import Demand

TIE = 1e-9
"""Shares and weights that differ by less are equal."""

Floats = NDArray[np.float64]


def most_kept(demand: Demand, size: Size, domain: Domain) -> tuple[float, Positions]:
    """Return the largest weight of objects that one position can keep, and all positions that keep it.

    Returns
    -------
    weight : float
        Sum of the weights of the kept objects, 0.0 where no object can be kept.
    positions : Feasible
        Never empty.
    """
    if demand.shapes is not None:
        return most_kept_on_surface(demand, size, domain)
    x = np.arange(domain.x0, domain.x1 + 1)
    kept = intervals(demand.boxes, demand.needs, demand.slack, size, domain, x)
    weights = np.array(demand.weights)
    bound = weights @ kept.any_row  # of each column, as if its intervals met
    goal = float(bound.max())
    if goal <= 0:  # the sweep would leave what rounding leaves of weights that come and go
        return 0.0, _everywhere(domain)
    while True:
        # A column can only reach a goal that its bound reaches. The first goal is the best bound; should nothing reach
        # it, what was found there is the second, which some column does reach.
        near = np.flatnonzero(bound >= goal - TIE * max(goal, 1.0))
        cut = sweep([(kept.at(near), (weights,))], domain)
        cover = np.where(cut.length > 0, cut.covers[0], -math.inf)
        best = max(float(cover.max()), 0.0)
        level = best - TIE * max(best, 1.0)
        if best >= goal - TIE * max(goal, 1.0):
            return best, Feasible(x[near], cut.start, np.where(cover >= level, cut.length, 0))
        goal = best


def least_lost(demand: Demand, size: Size, domain: Domain) -> Positions:
    """Return the positions with the largest worst retention and, among those, the largest sum of retentions.

    Parameters
    ----------
    demand : Demand
        Its objects; of boxes, points are passed over, since a position can always keep one.
    size, domain
        Of the window: its size, and the positions that it may take.

    Notes
    -----
    Along a column each retention is a trapezoid of the row. Where all objects are in sight the worst of them is
    concave, so bisection over integers finds its maximum. Where they cannot all be in sight the worst is 0; the sum,
    linear between the trapezoids' corners, has its maxima at them.
    """
    if demand.shapes is not None:
        return least_lost_on_surface(demand, size, domain)
    array = np.array([box for box in demand.boxes if box[0] < box[2] and box[1] < box[3]], dtype=np.float64)
    if not len(array):
        return _everywhere(domain)
    shares = _Shares(array, size, domain)
    first, last = shares.rows_in_sight()
    row = _climb(lambda y: shares.at(y).min(axis=0), first, last)
    worst = np.where(first <= last, shares.at(row).min(axis=0), 0.0)
    if worst.max() <= TIE:
        return _greatest_sum(array, size, domain)
    needs: list[float] = (worst.max() * (1 - TIE) * shares.area).tolist()
    tied = common(intervals(list(map(tuple, array.tolist())), needs, 0.0, size, domain, shares.x), shares.x)
    return _greatest_sum_within(shares, tied)


def _everywhere(domain: Domain) -> Feasible:
    columns = domain.x1 - domain.x0 + 1
    rows = domain.y1 - domain.y0 + 1
    x = np.arange(domain.x0, domain.x1 + 1)
    return Feasible(x, np.full((columns, 1), domain.y0), np.full((columns, 1), rows))


class _Shares:
    """Retention of each object for one row per column."""

    def __init__(self, boxes: Floats, size: Size, domain: Domain) -> None:
        self.b, self.d = boxes[:, 1, None], boxes[:, 3, None]
        self.area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        self.height = size[0]
        self.domain = domain
        self.x = np.arange(domain.x0, domain.x1 + 1)
        wide = overlap(self.x, self.x + size[1], boxes[:, 0, None], boxes[:, 2, None], NUMPY)
        self.wide = wide / self.area[:, None]

    def at(self, row: Ints) -> Floats:
        """Return the retention of shape (N, X) at one row per column."""
        shares: Floats = self.wide * overlap(row, row + self.height, self.b, self.d, NUMPY)
        return shares

    def rows_in_sight(self) -> tuple[Ints, Ints]:
        """Return, per column, the first and last row that touch all objects; last < first where there is none."""
        first = max(math.ceil(float((self.b - self.height).max())), self.domain.y0)
        last = min(math.floor(float(self.d.min())), self.domain.y1)
        seen = (self.wide > 0).all(axis=0)
        return np.full(seen.shape, first), np.where(seen, last, first - 1)


def _climb(value: Callable[[Ints], Floats], first: Ints, last: Ints) -> Ints:
    """Return, per column, the first row in [first, last] at which a concave function is greatest."""
    low, high = first.copy(), np.maximum(last, first)
    while (low < high).any():
        middle = (low + high) // 2
        rises = (value(middle + 1) > value(middle)) & (low < high)
        low, high = np.where(rises, middle + 1, low), np.where(rises, high, middle)
    return low


def _greatest_sum_within(shares: _Shares, tied: Feasible) -> Feasible:
    """Return those positions of a set, one interval of rows in sight of all objects a column, with the greatest sum."""

    def total(row: Ints) -> Floats:
        sums: Floats = shares.at(row).sum(axis=0)
        return sums

    first, length = tied.start[:, 0], tied.length[:, 0]
    last = first + length - 1
    top = _climb(total, first, last)
    goal = float(np.where(length > 0, total(top), -math.inf).max()) - TIE
    good = (length > 0) & (total(top) >= goal)
    low = _climb(lambda row: np.minimum(total(row), goal), first, top)
    high = last - (_climb(lambda back: np.minimum(total(last - back), goal), np.zeros_like(last), last - top))
    return Feasible(tied.x, low[:, None], np.where(good, high - low + 1, 0)[:, None])


def _greatest_sum(boxes: Floats, size: Size, domain: Domain) -> Feasible:
    """Return all positions with the greatest sum of retentions.

    Between neighbouring corners of the trapezoids the sum is linear in x and in y. So a cell of positions is greatest
    throughout where its corners are, and an edge where its ends are.
    """
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    xs = _corners(boxes[:, 0], boxes[:, 2], size[1], domain.x0, domain.x1)
    ys = _corners(boxes[:, 1], boxes[:, 3], size[0], domain.y0, domain.y1)
    wide = overlap(xs[:, None], xs[:, None] + size[1], boxes[:, 0], boxes[:, 2], NUMPY)
    high = overlap(ys[:, None], ys[:, None] + size[0], boxes[:, 1], boxes[:, 3], NUMPY)
    sums = (wide / area) @ high.T
    point = sums >= sums.max() - TIE
    good = np.zeros((2 * len(xs) - 1, 2 * len(ys) - 1), dtype=bool)  # corner, gap, corner, gap, ..., corner
    good[::2, ::2] = point
    good[1::2, ::2] = point[:-1] & point[1:]
    good[::2, 1::2] = point[:, :-1] & point[:, 1:]
    good[1::2, 1::2] = good[1::2, :-2:2] & good[1::2, 2::2]
    start, length = np.empty(good.shape[1], dtype=np.int64), np.ones(good.shape[1], dtype=np.int64)
    start[::2], start[1::2], length[1::2] = ys, ys[:-1] + 1, np.diff(ys) - 1
    columns = np.arange(domain.x0, domain.x1 + 1)
    after = np.searchsorted(xs, columns)  # the corner at or behind each column
    of_column = good[np.where(xs[after] == columns, 2 * after, 2 * after - 1)]
    return Feasible(columns, np.broadcast_to(start, of_column.shape), np.where(of_column, length, 0))


def _corners(lo: Floats, hi: Floats, length: int, first: int, last: int) -> Ints:
    """Return the integers around the corners of all trapezoids, and the ends of the range, sorted."""
    real = np.concatenate([lo - length, lo, hi - length, hi])
    whole = np.concatenate([np.floor(real), np.ceil(real), [first, last]]).astype(np.int64)
    return np.unique(np.clip(whole, first, last))
