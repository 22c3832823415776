"""The finite list of sizes that a search tries: `safeaug.candidates` on tensors."""

from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.batch.branchless.rectangle import all_of_them
from safeaug.batch.branchless.task import Sides, Task, sides_of
from safeaug.candidates import LADDER
from safeaug.placement.bounds import ROUNDING
from safeaug.policy import Stage

_SIDE_BITS = 19
"""Bits of a side in the key by which the lattice is sorted, of 500 000 pixels at most. A distance takes 25."""

_LAST = (1 << 63) - 1
"""The key of a size that is left out: behind all others."""


class Candidates(NamedTuple):
    """K sizes a sample, in the order in which they are tried.

    Parameters
    ----------
    height, width : Tensor of shape (B, K), int64
        Of the windows. A place of the list that is not taken holds the drawn size.
    listed : Tensor of shape (B, K), bool
        Whether the place is taken.
    number : Tensor of shape (B, K), int64
        Of the candidate's stream.
    stage : Tensor of shape (B, K), int64
        Where the size comes from.
    """

    height: Tensor
    width: Tensor
    listed: Tensor
    number: Tensor
    stage: Tensor

    @property
    def size(self) -> Sides:
        """Heights and widths."""
        return self.height, self.width

    def part(self, first: int, count: int) -> "Candidates":
        """Return so many candidates from the given one on."""
        return Candidates(*(each[:, first : first + count] for each in self))

    def at(self, place: Tensor) -> "Candidates":
        """Return one candidate of each sample, given by its place, of shape (B, 1)."""
        return Candidates(*(each.gather(-1, place) for each in self))


def candidates(task: Task, redrawn: Tensor) -> Candidates:
    """Return the whole list.

    Parameters
    ----------
    task : Task
        What was asked.
    redrawn : Tensor of shape (B, R, 4), int64
        The host's further draws.
    """
    height, width = (torch.cat(sides, dim=-1) for sides in zip(task.size, sides_of(redrawn), strict=True))
    number = torch.arange(height.shape[1], device=height.device).expand_as(height)
    stage = torch.where(number > 0, int(Stage.REDRAW), int(Stage.DRAWN))
    parts = [Candidates(height, width, torch.ones_like(height, dtype=torch.bool), number, stage)]
    least, used = least_size(task), torch.full_like(task.size[0], task.redraws)
    for listing in (_lattice, _ladder):
        found = listing(task, least)
        if found is not None:
            size, listed, which = found
            # Only those that are likely get a number, since the scalar search never hears of the others.
            parts.append(Candidates(*size, listed, used + listed.cumsum(-1), torch.full_like(size[0], int(which))))
            used = parts[-1].number[:, -1:]
    return Candidates(*(torch.cat(each, dim=-1) for each in zip(*parts, strict=True)))


def _lattice(task: Task, least: Sides | None) -> tuple[Sides, Tensor, Stage] | None:
    """Return the sizes inside the host's scale and ratio that fit the image, each once, nearest first."""
    pairs = task.host.shares_and_ratios()
    if not pairs:
        return None
    # It is a set, and every share stands beside every ratio; so of equal ones one will do.
    shares, ratios = (list(dict.fromkeys(values)) for values in zip(*pairs, strict=True))
    image = task.sizes.double()
    area = (task.sizes[:, 0] * task.sizes[:, 1]).double()
    target = torch.stack([area * share for share in shares], dim=-1)[..., None]
    # A quotient by a plain number would be a product with its inverse on CUDA.
    ratio = torch.cat([torch.full_like(area[:1], each) for each in ratios])
    height, width = (target / ratio).sqrt().round().flatten(1), (target * ratio).sqrt().round().flatten(1)
    fits = (height > 0) & (height <= image[:, :1]) & (width > 0) & (width <= image[:, 1:])
    size = _or_drawn(fits, (height.long(), width.long()), task)
    fits = fits & _likely(size, least)
    # Sorted by distance, then by height and width: the scalar list is sorted before its sort by distance, which is
    # stable.
    key = (distance(task.size, size) << _SIDE_BITS | size[0]) << _SIDE_BITS | size[1]
    key = torch.where(fits, key, _LAST).sort(dim=-1).values
    again = torch.cat([torch.zeros_like(fits[:, :1]), key[:, 1:] == key[:, :-1]], dim=-1)
    listed = (key != _LAST) & ~again
    sides = key >> _SIDE_BITS & ((1 << _SIDE_BITS) - 1), key & ((1 << _SIDE_BITS) - 1)
    return _or_drawn(listed, sides, task), listed, Stage.LATTICE


def _ladder(task: Task, least: Sides | None) -> tuple[Sides, Tensor, Stage] | None:
    """Return the sizes beyond the host's range, nearest first; None where the policy does not enlarge."""
    if task.policy.on_fail != "enlarge" or not task.host.enlarges:
        return None
    step = torch.arange(1, LADDER + 1, device=task.sizes.device)
    ends = [task.sizes] if task.policy.min_visible_pixels is None else [task.sizes, torch.ones_like(task.sizes)]
    height, width = (
        torch.cat([(side + (end[:, axis, None] - side) * step / LADDER).round().long() for end in ends], dim=-1)
        for axis, side in enumerate(side.double() for side in task.size)
    )
    listed = _likely((height, width), least)
    # Rungs may be of one size. All of them have a number, and equally near ones keep their order.
    bits = (height.shape[1] - 1).bit_length()
    key = distance(task.size, (height, width)) << bits | torch.arange(height.shape[1], device=height.device)
    key = torch.where(listed, key, key | 1 << 62).sort(dim=-1).values
    order = key & ((1 << bits) - 1)
    return (height.gather(-1, order), width.gather(-1, order)), listed.gather(-1, order), Stage.LADDER


def _or_drawn(listed: Tensor, size: Sides, task: Task) -> Sides:
    """Return sizes, and the drawn one where a place of the list is not taken."""
    return torch.where(listed, size[0], task.size[0]), torch.where(listed, size[1], task.size[1])


def _likely(size: Sides, least: Sides | None) -> Tensor:
    """Return which sizes are not ruled out by the least size."""
    if least is None:
        return torch.ones_like(size[0], dtype=torch.bool)
    return (size[0] >= least[0]) & (size[1] >= least[1])


def distance(size: Sides, other: Sides) -> Tensor:
    """Return how far sizes are from the drawn one, in units of 2**-20: see `safeaug.candidates.distance`."""
    down, across = (torch.log(b.double() / a.double()) for a, b in zip(size, other, strict=True))
    return (torch.hypot(down, across) * 2**20).round().long()


def least_size(task: Task) -> Sides | None:
    """Return heights and widths, of shape (B, 1), float64, below which no window does, wherever it stands.

    None where the need depends on the size of the window, or where not all objects must reach it.
    """
    if task.policy.keep == "whole" or task.policy.min_fill is not None or task.policy.min_visible_pixels is not None:
        return None
    objects, needs = task.objects, task.drawn
    a, b, c, d = objects.boxes.unbind(-1)
    need, slack = needs.need[:, 0], objects.slack[:, None]
    asked = objects.counts & (need > 0)
    across = torch.where(objects.point, -slack, need / (d - b))
    down = torch.where(objects.point, -slack, need / (c - a))
    left, top = (torch.where(asked, end, torch.inf).amin(-1) for end in (c - across, d - down))
    right, bottom = (torch.where(asked, end, -torch.inf).amax(-1) for end in (a + across, b + down))
    of_all = all_of_them(objects, needs)[:, 0]
    height, width = bottom - top - ROUNDING, right - left - ROUNDING
    return torch.where(of_all, height, 0.0)[:, None], torch.where(of_all, width, 0.0)[:, None]
