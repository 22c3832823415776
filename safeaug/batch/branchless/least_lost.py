"""What loses least where nothing can be kept: `safeaug.placement.most.least_lost` on tensors."""

from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.batch.branchless.columns import columns, intervals
from safeaug.batch.branchless.greatest_sum import greatest_sum
from safeaug.batch.branchless.positions import Positions, shared
from safeaug.batch.branchless.shares import Shares, climb, shares_of
from safeaug.batch.branchless.task import Task
from safeaug.placement.most import TIE


class LeastLost(NamedTuple):
    """The positions with the largest worst retention and, among those, the largest sum of retentions.

    Parameters
    ----------
    apart : Tensor of shape (B, 1), bool
        Where objects cannot all be in sight: there the worst retention is 0 everywhere, and only the sum decides.
    near, far : Positions
        Those where they can, and those where they cannot.
    """

    apart: Tensor
    near: Positions
    far: Positions

    def draw(self, u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Return the positions, x and y of shape (B, 1), that uniform numbers of shape (B, 1) pick."""
        (x, y), (far_x, far_y) = self.near.draw(u, v), self.far.draw(u, v)
        return torch.where(self.apart, far_x, x), torch.where(self.apart, far_y, y)

    def holds(self, x: Tensor, y: Tensor) -> Tensor:
        """Return whether positions, x and y of shape (B, 1), are among them."""
        return torch.where(self.apart, self.far.holds(x, y), self.near.holds(x, y))


def least_lost(task: Task) -> LeastLost:
    """Return the windows of the drawn size that lose least; all of them where no object that counts has an area.

    Points are passed over, since a position can always keep one.
    """
    size, domain = task.size, task.domain(task.size)
    objects = task.objects._replace(counts=task.objects.counts & ~task.objects.point)
    x, inside = columns(domain, task.extent)
    shares = shares_of(objects, size, x)
    first, last = shares.rows_in_sight(domain)
    last = torch.where(inside, last, first - 1)
    worst = shares.worst(climb(shares.worst, first, last, task.extent))
    some = objects.counts.any(-1, keepdim=True)
    best = torch.where(some, torch.where(first <= last, worst, 0.0).amax(-1), 0.0)
    need = (best * (1 - TIE))[..., None] * objects.area[:, None]
    tied = shared(intervals(objects, need, size, domain, x), x, inside)
    near = _greatest_sum_within(shares, tied, task.extent)
    return LeastLost(some & (best <= TIE), near, greatest_sum(objects, size, domain, x, inside))


def _greatest_sum_within(shares: Shares, tied: Positions, extent: int) -> Positions:
    """Return those positions of a set, one interval of rows in sight of all objects a column, with the greatest sum."""
    first, length = tied.start[..., 0], tied.length[..., 0]
    last = first + length - 1
    top = climb(shares.total, first, last, extent)
    total = shares.total(top)
    goal = torch.where(length > 0, total, -torch.inf).amax(-1, keepdim=True) - TIE
    good = (length > 0) & (total >= goal)
    # Both ends of what is as good as the top, in one climb: one from the first row on, one back from the last.
    onward = (torch.arange(2, device=first.device) == 0)[:, None, None, None]

    def enough(steps: Tensor) -> Tensor:
        return torch.minimum(shares.total(torch.where(onward, steps, last - steps)), goal)

    none = torch.zeros_like(last)
    low, back = climb(enough, torch.stack([first, none]), torch.stack([top, last - top]), extent).unbind(0)
    high = last - back
    return Positions(tied.x, low[..., None], torch.where(good, high - low + 1, 0)[..., None])
