"""The exact set of feasible positions, and drawing from it uniformly."""

from typing import NamedTuple, Protocol

import numpy as np

from safeaug.geometry import Domain, Size
from safeaug.placement.blocks import ranked_positions
from safeaug.placement.columns import Intervals, Ints, intervals, sweep
from safeaug.placement.surface import feasible_on_surface
from safeaug.records import Demand


class Positions(Protocol):
    """A set of positions."""

    @property
    def size(self) -> int:
        """The number of positions."""
        ...

    def draw(self, u: float, v: float) -> tuple[int, int]:
        """Return the position that two uniform numbers in [0, 1) pick; uniform over the set, which is not empty."""
        ...

    def holds(self, x: int, y: int) -> bool:
        """Return whether a position belongs to the set."""
        ...

    def nearest(self, x: int, y: int) -> tuple[int, int]:
        """Return the position of the set, which is not empty, nearest to another; of equals the first by (dy, dx)."""
        ...


class Feasible(NamedTuple):
    """A set of positions, column by column.

    Parameters
    ----------
    x : ndarray of shape (X,), int64
        The columns, in order; those left out hold no position.
    start, length : ndarray of shape (X, S), int64
        Disjoint segments of rows of each column; those of length 0 are empty.
    """

    x: Ints
    start: Ints
    length: Ints

    @property
    def size(self) -> int:
        """The number of positions."""
        return int(self.length.sum())

    def draw(self, u: float, v: float) -> tuple[int, int]:
        """Return the position that two uniform numbers in [0, 1) pick; uniform over the set, which is not empty."""
        upto = np.cumsum(self.length)
        segment = int(np.searchsorted(upto, int(u * int(upto[-1])), side="right"))
        column, part = divmod(segment, self.length.shape[1])
        return int(self.x[column]), int(self.start[column, part]) + int(v * int(self.length[column, part]))

    def holds(self, x: int, y: int) -> bool:
        """Return whether a position belongs to the set."""
        rows = np.flatnonzero(self.x == x)
        start, length = self.start[rows], self.length[rows]
        return bool(((start <= y) & (y < start + length)).any())

    def nearest(self, x: int, y: int) -> tuple[int, int]:
        """Return the position of the set, which is not empty, nearest to another; of equals the first by (dy, dx)."""
        column, part = np.nonzero(self.length)
        start = self.start[column, part]
        dx = self.x[column] - x
        dy = np.clip(y, start, start + self.length[column, part] - 1) - y
        first = np.lexsort((dx, dy, dx * dx + dy * dy))[0]
        return x + int(dx[first]), y + int(dy[first])


def feasible(demand: Demand, size: Size, domain: Domain) -> Positions:
    """Return every position at which a window of this size reaches the demand.

    Parameters
    ----------
    demand : Demand
        Of at least one object.
    size : (int, int)
        Height and width of the window.
    domain : Domain
        Positions that the host can draw; at least one.

    Examples
    --------
    >>> one = Demand([(2.0, 2.0, 4.0, 4.0)], [3.9], None, 1, [1.0], 0.0)
    >>> feasible(one, (3, 3), Domain(0, 7, 0, 7)).size
    4
    """
    if demand.ranked is not None:
        return ranked_positions(demand.ranked, demand.needs[0], domain)
    if demand.shapes is not None:
        return feasible_on_surface(demand, size, domain)
    x = np.arange(domain.x0, domain.x1 + 1)
    kept = intervals(demand.boxes, demand.needs, demand.slack, size, domain, x)
    if demand.all_of_them:
        return common(kept, x)
    # Only a column in which enough objects can be kept, one by one, can keep enough at once.
    reach = np.flatnonzero(kept.any_row.sum(axis=0) >= demand.least)
    x, kept = x[reach], kept.at(reach)
    if demand.gone is None:
        cut = sweep([(kept, (1.0,))], domain)
        good = cut.covers[0] >= demand.least
    else:
        # Neither kept nor gone is a sliver: the rows of `present` less those of `both`.
        present = intervals(demand.boxes, demand.gone, demand.slack, size, domain, x)
        both = Intervals(np.maximum(kept.first, present.first), np.minimum(kept.last, present.last))
        cut = sweep([(kept, (1.0, 0.0)), (present, (0.0, 1.0)), (both, (0.0, -1.0))], domain)
        good = (cut.covers[0] >= demand.least) & (cut.covers[1] < 1)
    return Feasible(x, cut.start, np.where(good, cut.length, 0))


def common(kept: Intervals, x: Ints) -> Feasible:
    """Return the positions that lie in every object's interval."""
    first = kept.first.max(axis=0)
    return Feasible(x, first[:, None], np.maximum(kept.last.min(axis=0) - first + 1, 0)[:, None])
