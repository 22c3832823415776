"""A set of positions in blocks that stand or fall together: those at one cell of a map."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Domain
from safeaug.shapes import Ranked
from safeaug.shapes.shape import Ints


class Blocks(NamedTuple):
    """A set of positions.

    Parameters
    ----------
    x0, y0 : int
        The first position of the first block.
    columns, rows : ndarray of shape (X,) and (Y,), int64
        How many positions wide each block is, and how many high.
    marks : ndarray of shape (X, Y), bool
        Which blocks belong to the set.
    """

    x0: int
    y0: int
    columns: Ints
    rows: Ints
    marks: NDArray[np.bool_]

    @property
    def size(self) -> int:
        """The number of positions."""
        return int(self.columns @ (self.marks @ self.rows))

    def draw(self, u: float, v: float) -> tuple[int, int]:
        """Return the position that two uniform numbers in [0, 1) pick; uniform over the set, which is not empty."""
        high = self.marks @ self.rows  # positions in each column of a block
        upto = np.cumsum(self.columns * high)
        mark = int(u * int(upto[-1]))
        block = int(np.searchsorted(upto, mark, side="right"))
        column = (int(upto[block]) - 1 - mark) // int(high[block])  # from the block's last column back
        down = np.cumsum(self.marks[block] * self.rows)
        row = int(v * int(down[-1]))
        below = int(np.searchsorted(down, row, side="right"))
        x = self.x0 + int(self.columns[: block + 1].sum()) - 1 - column
        return x, self.y0 + int(self.rows[: below + 1].sum()) - int(down[below]) + row

    def holds(self, x: int, y: int) -> bool:
        """Return whether a position belongs to the set."""
        right, bottom = np.cumsum(self.columns), np.cumsum(self.rows)
        if not (0 <= x - self.x0 < right[-1] and 0 <= y - self.y0 < bottom[-1]):
            return False
        block = np.searchsorted(right, x - self.x0, side="right"), np.searchsorted(bottom, y - self.y0, side="right")
        return bool(self.marks[block])

    def nearest(self, x: int, y: int) -> tuple[int, int]:
        """Return the position of the set, which is not empty, nearest to another; of equals the first by (dy, dx)."""
        column, row = np.nonzero(self.marks & (self.columns[:, None] > 0) & (self.rows > 0))
        right, bottom = self.x0 + np.cumsum(self.columns), self.y0 + np.cumsum(self.rows)
        dx = np.clip(x, right[column] - self.columns[column], right[column] - 1) - x
        dy = np.clip(y, bottom[row] - self.rows[row], bottom[row] - 1) - y
        first = np.lexsort((dx, dy, dx * dx + dy * dy))[0]
        return x + int(dx[first]), y + int(dy[first])


def ranked_positions(ranked: Ranked, need: float, domain: Domain) -> Blocks:
    """Return the positions at which windows hold as much of a map as is needed.

    Parameters
    ----------
    ranked : Ranked
        What windows of their size hold.
    need : float
        How much they must.
    domain : Domain
        Positions that the host can draw; at least one.
    """
    ranked = ranked.among(domain)
    return Blocks(domain.x0, domain.y0, ranked.columns, ranked.rows, ranked.masses >= need)
