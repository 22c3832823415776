"""A set of positions, marked one by one in a rectangle: for what columns of intervals do not describe."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Domain


class Marked(NamedTuple):
    """A set of positions.

    Parameters
    ----------
    domain : Domain
        The rectangle.
    marks : ndarray of shape (X, Y), bool
        Which of its columns and rows belong to the set.
    """

    domain: Domain
    marks: NDArray[np.bool_]

    @property
    def size(self) -> int:
        """The number of positions."""
        return int(np.count_nonzero(self.marks))

    def draw(self, u: float, v: float) -> tuple[int, int]:
        """Return the position that two uniform numbers in [0, 1) pick; uniform over the set, which is not empty."""
        upto = np.cumsum(np.count_nonzero(self.marks, axis=1))
        column = int(np.searchsorted(upto, int(u * int(upto[-1])), side="right"))
        rows = np.flatnonzero(self.marks[column])
        return self.domain.x0 + column, self.domain.y0 + int(rows[int(v * len(rows))])

    def holds(self, x: int, y: int) -> bool:
        """Return whether a position belongs to the set."""
        column, row = x - self.domain.x0, y - self.domain.y0
        inside = 0 <= column < self.marks.shape[0] and 0 <= row < self.marks.shape[1]
        return bool(inside and self.marks[column, row])

    def nearest(self, x: int, y: int) -> tuple[int, int]:
        """Return the position of the set, which is not empty, nearest to another; of equals the first by (dy, dx)."""
        column, row = np.nonzero(self.marks)
        dx, dy = column + (self.domain.x0 - x), row + (self.domain.y0 - y)
        first = np.lexsort((dx, dy, dx * dx + dy * dy))[0]
        return x + int(dx[first]), y + int(dy[first])
