"""Sets of objects whose rectangles of positions meet: `safeaug.settle.meetings` on tensors."""

from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.batch.branchless.pick import first_true, stretch_of
from safeaug.batch.branchless.rectangle import Rectangle, alone
from safeaug.batch.branchless.task import Task, one_of, window_at
from safeaug.batch.judging import held
from safeaug.settle import MEETINGS, QUICK_TRIES, TIE


class Meetings(NamedTuple):
    """Sets of objects that one window may keep, for all the scalar search knows before it looks at columns.

    Parameters
    ----------
    some : Tensor of shape (B, M), bool
        Which places of the list are taken; in the order of the scalar list, if not without gaps.
    weight : Tensor of shape (B, M), float64
        Sum of the weights of a set.
    members : Tensor of shape (B, M, N), bool
        Which objects it is of.
    place : Rectangle of shape (B, M)
        Where their rectangles meet.
    """

    some: Tensor
    weight: Tensor
    members: Tensor
    place: Rectangle

    def and_with(self, i: int, weight: Tensor, one: Rectangle) -> "Meetings":
        """Return these sets, and behind them those in which the i-th object, of shape (B, 1) all, joins them."""
        place = self.place.meet(one)
        joined = self.some & place.some & (weight > 0)
        number = torch.arange(self.members.shape[-1], device=weight.device)
        return Meetings(
            torch.cat([self.some, joined], dim=-1),
            torch.cat([self.weight, self.weight + weight], dim=-1),
            torch.cat([self.members, self.members | (number == i)], dim=-2),
            Rectangle(*(torch.cat(ends, dim=-1) for ends in zip(self.place, place, strict=True))),
        )

    def first(self, count: int) -> "Meetings":
        """Return the first so many sets, without gaps."""
        upto = self.some.cumsum(-1)
        number = torch.arange(count, device=upto.device)
        source = (upto[:, None] <= number[:, None]).sum(-1).clamp(max=upto.shape[-1] - 1)  # of each place
        return Meetings(
            number < upto[:, -1:],
            self.weight.gather(-1, source),
            self.members.gather(-2, source[..., None].expand(-1, -1, self.members.shape[-1])),
            self.place.at(source),
        )


def meetings(task: Task) -> tuple[Meetings, Tensor]:
    """Return all sets of objects that count whose rectangles meet, in windows of the drawn size.

    Returns
    -------
    sets : Meetings
        The first of each sample is the set of no object.
    too_many : Tensor of shape (B, 1), bool
        Where there are more than the scalar search looks at; it then looks at none.
    """
    domain, objects = task.domain(task.size), task.objects
    each = alone(objects, task.drawn.need, task.size, domain)
    weights = torch.where(objects.counts & each.some[:, 0], objects.weights, 0.0)
    found = Meetings(
        torch.ones_like(domain.x0, dtype=torch.bool),
        torch.zeros_like(weights[:, :1]),
        torch.zeros_like(objects.counts[:, None]),
        domain,
    )
    too_many = torch.zeros_like(found.some)
    for i in range(weights.shape[1]):
        found = found.and_with(i, weights[:, i, None], Rectangle(*(end[..., i] for end in each)))
        if found.some.shape[1] > MEETINGS:
            too_many = too_many | (found.some.sum(-1, keepdim=True) > MEETINGS)
            found = found.first(MEETINGS)
    return found, too_many


class Heaviest(NamedTuple):
    """Windows that keep a heaviest set.

    Parameters
    ----------
    window : Tensor of shape (B, 1, 4), int64
        The host's own, where it keeps such a set.
    some : Tensor of shape (B, 1), bool
        Whether there is one.
    tried : Tensor of shape (B, 1), bool
        Whether others than the host's own were tried.
    """

    window: Tensor
    some: Tensor
    tried: Tensor


def heaviest(task: Task, uniform: Tensor) -> Heaviest:
    """Return windows that keep a heaviest set, where a few tries find one.

    No window keeps two of these sets, or their union would weigh more. So a set drawn in proportion to its rectangle,
    and a position uniform in it, is uniform on what it is accepted on: that all members are kept.

    Parameters
    ----------
    task : Task
        What was asked.
    uniform : Tensor of shape (B, 1, U), float64
        The numbers of the stream that settles; three for each try.
    """
    found, too_many = meetings(task)
    objects, need = task.objects, task.drawn.need
    top = torch.where(found.some, found.weight, 0.0).amax(-1, keepdim=True)
    keeps = (held(objects, task.first) >= need) & objects.counts[:, None]
    # The sum of more than two weights may differ from the scalar one in its last bit. The tie is wider than that.
    own = torch.where(keeps, objects.weights[:, None], 0.0).sum(-1) >= top * TIE
    best = found.some & (found.weight >= top * TIE)
    area = torch.where(best, found.place.rows * found.place.columns, 0)

    pick, across, down = uniform[:, 0, : 3 * QUICK_TRIES].reshape(-1, QUICK_TRIES, 3).unbind(-1)
    mark = (pick * area.sum(-1, keepdim=True)).long()
    group, _ = stretch_of(area[:, None].expand(-1, QUICK_TRIES, -1), mark)
    place = found.place.at(group)
    tried = window_at(place.x0 + (across * place.columns).long(), place.y0 + (down * place.rows).long(), task.size)
    members = found.members.gather(-2, group[..., None].expand(-1, -1, found.members.shape[-1]))
    good, some = first_true(((held(objects, tried) >= need) | ~members).all(-1))

    looked = (top > 0) & ~too_many
    window = torch.where((looked & own)[..., None], task.first, one_of(tried, good[:, None]))
    return Heaviest(window, looked & (own | some[:, None]), looked & ~own)
