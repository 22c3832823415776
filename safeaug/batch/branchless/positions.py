"""The exact set of feasible positions, counted and drawn from. `safeaug.placement.feasible` on tensors."""

from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.batch.branchless.columns import Intervals, columns, intervals, sweep
from safeaug.batch.branchless.pick import at, stretch_of
from safeaug.batch.branchless.rectangle import Rectangle
from safeaug.batch.judging import Needs
from safeaug.batch.objects import Objects


class Positions(NamedTuple):
    """Sets of positions, column by column.

    Parameters
    ----------
    x : Tensor of shape (B, K, X), int64
        The columns, one after the other.
    start, length : Tensor of shape (B, K, G, S), int64
        Disjoint segments of rows, of which those of length 0 are empty.
    group : Tensor of shape (B, K, X), int64, or None
        Which of the G lists of segments is a column's; None where each column has its own.
    """

    x: Tensor
    start: Tensor
    length: Tensor
    group: Tensor | None = None

    @property
    def counts(self) -> Tensor:
        """The number of positions in each column, of shape (B, K, X)."""
        counts = self.length.sum(-1)
        return counts if self.group is None else counts.gather(-1, self.group)

    @property
    def size(self) -> Tensor:
        """The number of positions, of shape (B, K)."""
        return self.counts.sum(-1)

    def draw(self, u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Return the positions, x and y of shape (B, K), that uniform numbers of shape (B, K) pick from each set.

        What is picked from a set without a position means nothing.
        """
        counts = self.counts
        column, rest = stretch_of(counts, (u * counts.sum(-1)).long())
        start, length = self._segments(column)
        part, _ = stretch_of(length, rest)
        return at(self.x, column), at(start, part) + (v * at(length, part)).long()

    def holds(self, x: Tensor, y: Tensor) -> Tensor:
        """Return whether positions of the domain, x and y of shape (B, K), belong to the sets."""
        start, length = self._segments((x - self.x[..., 0]).clamp(0, self.x.shape[-1] - 1))
        return ((start <= y[..., None]) & (y[..., None] < start + length)).any(-1)

    def _segments(self, column: Tensor) -> tuple[Tensor, Tensor]:
        """Return start and length, of shape (B, K, S), of the segments of one column, given by its place."""
        group = column if self.group is None else at(self.group, column)
        place = group[..., None, None].expand(*group.shape, 1, self.start.shape[-1])
        return self.start.gather(-2, place)[..., 0, :], self.length.gather(-2, place)[..., 0, :]


def feasible(
    objects: Objects, needs: Needs, size: tuple[Tensor, Tensor], bounds: Rectangle, extent: int, *, each_counts: bool
) -> Positions:
    """Return every position at which windows reach what they need.

    Parameters
    ----------
    objects : Objects
        Of B samples.
    needs : Needs
        Of windows of K sizes.
    size : (Tensor of shape (B, K), Tensor of shape (B, K)), int64
        Height and width of the windows.
    bounds : Rectangle of shape (B, K)
        Positions that they may take.
    extent : int
        No rectangle has more columns.
    each_counts : bool
        Whether every object must reach its need in all samples.
    """
    x, inside = columns(bounds, extent)
    kept = intervals(objects, needs.need, size, bounds, x)
    if each_counts:
        return shared(kept, x, inside)
    kept = kept.of(objects.counts)
    one = torch.ones_like(objects.counts[:1], dtype=torch.int64)
    if needs.gone is None:
        cut = sweep([(kept, (one,))], bounds)
        good = cut.covers[0] >= needs.least[..., None, None]
    else:
        # Neither kept nor gone is a sliver: the rows of `present` less those of `both`.
        present = intervals(objects, needs.gone, size, bounds, x).of(objects.counts)
        none = torch.zeros_like(one)
        cut = sweep([(kept, (one, none)), (present, (none, one)), (kept.meet(present), (none, -one))], bounds)
        good = (cut.covers[0] >= needs.least[..., None, None]) & (cut.covers[1] < 1)
    return Positions(x, cut.start, torch.where(good & inside[..., None], cut.length, 0))


def shared(kept: Intervals, x: Tensor, inside: Tensor) -> Positions:
    """Return the positions, in those columns that are inside, that lie in every object's interval."""
    first, last = kept.first.amax(-2), kept.last.amin(-2)
    length = torch.where(inside, (last - first + 1).clamp(min=0), 0)
    return Positions(x, first[..., None], length[..., None])
