"""One search of a batch: what it was asked, and what its parts share. `safeaug.task` on tensors."""

from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.batch.branchless.rectangle import Rectangle
from safeaug.batch.chance import HOST, WORDS, Chance, uniform
from safeaug.batch.first import Host
from safeaug.batch.judging import Needs, allowed, needs_of
from safeaug.batch.objects import Objects
from safeaug.policy import Policy

Sides = tuple[Tensor, Tensor]
"""Heights and widths of K windows a sample: two tensors of shape (B, K), int64."""


class Task(NamedTuple):
    """The arguments of the searches of a batch.

    Parameters
    ----------
    first : Tensor of shape (B, 1, 4), int64
        The host's draws, which do not do.
    objects : Objects
        What must survive.
    host : Host
        How windows are drawn.
    table : Tensor
        The host's, on the device.
    policy : Policy
        How much must survive.
    sizes : Tensor of shape (B, 2), int64
        Height and width of each image.
    chance : Chance
        Where numbers come from.
    extent : int
        No domain has more positions along either axis.
    size : (Tensor of shape (B, 1), Tensor of shape (B, 1)), int64
        The drawn height and width.
    drawn : Needs
        What windows of the drawn size must hold.
    """

    first: Tensor
    objects: Objects
    host: Host
    table: Tensor
    policy: Policy
    sizes: Tensor
    chance: Chance
    extent: int
    size: Sides
    drawn: Needs

    @property
    def redraws(self) -> int:
        """How many further draws of the host are looked at."""
        return self.policy.tries if self.host.redraws else 0

    @property
    def each_counts(self) -> bool:
        """Whether every object must reach its need in all samples, so that the rows of a column are one interval.

        Under ``keep="one"`` they do: one object of each sample is left.
        """
        return self.policy.keep in ("all", "one")

    def domain(self, size: Sides) -> Rectangle:
        """Return the positions that the host can draw for windows of some sizes."""
        height, width = self.sizes[:, None, 0], self.sizes[:, None, 1]
        none = torch.zeros_like(size[0])  # a host may give plain numbers, or one domain for all sizes
        return Rectangle(*(end + none for end in self.host.domain((height, width), size)))

    def needs(self, size: Sides) -> Needs:
        """Return what windows of some sizes must hold."""
        return needs_of(self.objects, self.policy, size, self.host.output(size))

    def allowed(self, size: Sides) -> Tensor:
        """Return which windows of some sizes are not stretched too much."""
        unstretched = allowed(self.policy, size, self.host.output(size))
        return torch.ones_like(size[0], dtype=torch.bool) if unstretched is None else unstretched

    def redrawn(self) -> Tensor:
        """Return the host's further draws, of shape (B, redraws, 4)."""
        numbers = torch.arange(1, self.redraws + 1, device=self.sizes.device)[None]
        return self.host.windows(self.chance.words(numbers, HOST, WORDS - HOST), self.sizes, self.table)

    def stream(self, number: int) -> Tensor:
        """Return the uniform numbers, of shape (B, 1, WORDS), of one stream."""
        return uniform(self.chance.words(torch.full((1, 1), number, device=self.sizes.device)))


def task_of(
    first: Tensor,
    objects: Objects,
    host: Host,
    table: Tensor,
    policy: Policy,
    sizes: Tensor,
    chance: Chance,
    extent: int,
) -> Task:
    """Return the searches that begin with the host's draws of shape (B, 4); parameters as of `Task`."""
    window = first[:, None]
    size = sides_of(window)
    drawn = needs_of(objects, policy, size, host.output(size))
    return Task(window, objects, host, table, policy, sizes, chance, extent, size, drawn)


def sides_of(window: Tensor) -> Sides:
    """Return heights and widths of windows of shape (B, K, 4)."""
    return window[..., 3] - window[..., 1], window[..., 2] - window[..., 0]


def window_at(x: Tensor, y: Tensor, size: Sides) -> Tensor:
    """Return the windows, of shape (B, K, 4), of some sizes whose top left corners are (x, y)."""
    return torch.stack([x, y, x + size[1], y + size[0]], dim=-1)


def one_of(windows: Tensor, place: Tensor) -> Tensor:
    """Return one window of each sample, of shape (B, 1, 4), of windows of shape (B, K, 4) by its place (B, 1)."""
    return windows.gather(1, place[..., None].expand(-1, -1, 4))
