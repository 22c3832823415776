"""The retention of each object for one row per column, and the climb to where it is greatest."""

from collections.abc import Callable
from functools import reduce
from operator import add
from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.batch.branchless.rectangle import Rectangle
from safeaug.batch.objects import Objects
from safeaug.batch.ops import TORCH
from safeaug.geometry import overlap


class Shares(NamedTuple):
    """What windows of one size a sample hold of each object that counts and has an area.

    Parameters
    ----------
    counts : Tensor of shape (B, 1, N, 1), bool
        Which objects these are.
    wide : Tensor of shape (B, 1, N, X), float64
        Share of an object's area in one row of its, for a window at each column; 0 of other objects.
    b, d : Tensor of shape (B, 1, N, 1), float64
        Where the object begins and ends.
    height : Tensor of shape (B, 1, 1, 1), float64
        Of the window.
    """

    counts: Tensor
    wide: Tensor
    b: Tensor
    d: Tensor
    height: Tensor

    def at(self, row: Tensor) -> Tensor:
        """Return the retention of shape (..., B, 1, N, X) at one row per column, of shape (..., B, 1, X)."""
        start = row.double()[..., None, :]
        shares: Tensor = self.wide * overlap(start, start + self.height, self.b, self.d, TORCH)
        return shares

    def worst(self, row: Tensor) -> Tensor:
        """Return the least retention, of shape (..., B, 1, X); infinite where no object counts."""
        return torch.where(self.counts, self.at(row), torch.inf).amin(-2)

    def total(self, row: Tensor) -> Tensor:
        """Return the sum of the retentions, of shape (..., B, 1, X).

        Object by object, as numpy adds them up. Where one object leaves as another enters, the last bit decides which
        way `climb` turns, and a library's own sum may take any order.
        """
        return reduce(add, self.at(row).unbind(-2))

    def rows_in_sight(self, domain: Rectangle) -> tuple[Tensor, Tensor]:
        """Return, per column, the first and last row that touch all objects; last < first where there is none."""
        highest = torch.where(self.counts, self.b - self.height, -torch.inf).amax(-2)
        lowest = torch.where(self.counts, self.d, torch.inf).amin(-2)
        first = torch.maximum(highest.ceil(), domain.y0.double()[..., None]).long()
        last = torch.minimum(lowest.floor(), domain.y1.double()[..., None]).long()
        seen = ((self.wide > 0) | ~self.counts).all(-2)
        return first.expand_as(seen), torch.where(seen, last, first - 1)


def shares_of(objects: Objects, size: tuple[Tensor, Tensor], x: Tensor) -> Shares:
    """Return the shares of objects in windows of one size a sample, of shape (B, 1), at columns of shape (B, 1, X)."""
    a, b, c, d = objects.boxes[:, None, :, :, None].unbind(-2)
    counts, area = objects.counts[:, None, :, None], objects.area[:, None, :, None]
    column = x.double()[..., None, :]
    wide = overlap(column, column + size[1].double()[..., None, None], a, c, TORCH)
    wide = torch.where(counts, wide / torch.where(counts, area, 1.0), 0.0)
    return Shares(counts, wide, b, d, size[0].double()[..., None, None])


def climb(value: Callable[[Tensor], Tensor], first: Tensor, last: Tensor, extent: int) -> Tensor:
    """Return, per column, the first row in [first, last] at which a concave function is greatest.

    Bisection takes as many steps as the longest interval asks for; a column that has arrived stays where it is.

    Parameters
    ----------
    value : callable
        The function, of one row per column, with any further axes in front.
    first, last : Tensor of shape (..., B, 1, X), int64
        Where there is no row, the first one is returned.
    extent : int
        No interval has more rows.
    """
    low, high = first, torch.maximum(last, first)
    for _ in range((extent - 1).bit_length()):
        middle = low + high >> 1
        here, there = value(torch.stack([middle, middle + 1])).unbind(0)
        rises = (there > here) & (low < high)
        low, high = torch.where(rises, middle + 1, low), torch.where(rises, high, middle)
    return low
