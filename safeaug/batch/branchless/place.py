"""One candidate of each sample, placed: `safeaug.search._place` on tensors."""

from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.batch.branchless.pick import first_true
from safeaug.batch.branchless.positions import Positions, feasible
from safeaug.batch.branchless.rectangle import Rectangle, around
from safeaug.batch.branchless.task import Sides, Task, one_of, window_at
from safeaug.batch.judging import Needs, held, passes
from safeaug.search import QUICK_TRIES


class Room(NamedTuple):
    """Where windows of K sizes a sample may stand, as far as no column has been looked at.

    Parameters
    ----------
    size : (Tensor of shape (B, K), Tensor of shape (B, K)), int64
        Height and width of the windows.
    needs : Needs
        What they must hold.
    bounds : Rectangle of shape (B, K)
        Holds every position that will do.
    """

    size: Sides
    needs: Needs
    bounds: Rectangle

    def part(self, first: int, count: int) -> "Room":
        """Return the room of so many sizes from the given one on."""
        some = slice(first, first + count)
        return Room(
            (self.size[0][:, some], self.size[1][:, some]),
            self.needs._replace(need=self.needs.need[:, some]),
            Rectangle(*(end[:, some] for end in self.bounds)),
        )

    def at(self, place: Tensor) -> "Room":
        """Return the room of one size of each sample, given by its place, of shape (B, 1)."""
        need = self.needs.need
        return Room(
            (self.size[0].gather(-1, place), self.size[1].gather(-1, place)),
            self.needs._replace(need=need.gather(1, place[..., None].expand(-1, -1, need.shape[-1]))),
            self.bounds.at(place),
        )


def room_of(task: Task, size: Sides) -> Room:
    """Return where windows of some sizes, of shape (B, K), may stand."""
    needs = task.needs(size)
    return Room(size, needs, around(task.objects, needs, size, task.domain(size), each_counts=task.each_counts))


def positions_of(task: Task, room: Room) -> Positions:
    """Return all positions at which windows will do."""
    return feasible(task.objects, room.needs, room.size, room.bounds, task.extent, each_counts=task.each_counts)


def placed(task: Task, room: Room, positions: Positions, uniform: Tensor) -> Tensor:
    """Return uniform windows among those that do.

    A few uniform positions of the bounding rectangle first, as the scalar search saves itself the exact count.

    Parameters
    ----------
    task : Task
        What was asked.
    room : Room
        Where windows of one size a sample may stand.
    positions : Positions
        All that will do.
    uniform : Tensor of shape (B, 1, U), float64
        The numbers of the candidate's stream: one for each try, then two for the exact set.

    Returns
    -------
    Tensor of shape (B, 1, 4), int64
        Windows; where no position will do they mean nothing.
    """
    bounds, size = room.bounds, room.size
    rows = bounds.rows.clamp(min=1)
    mark = (uniform[..., :QUICK_TRIES] * (rows * bounds.columns)[..., None])[:, 0].long()
    x, y = bounds.x0 + mark // rows, bounds.y0 + mark % rows
    tried = window_at(x, y, size)
    good, some = first_true(passes(task.objects, room.needs, held(task.objects, tried)))
    exact = window_at(*positions.draw(uniform[..., QUICK_TRIES], uniform[..., QUICK_TRIES + 1]), size)
    return torch.where(some[:, None, None], one_of(tried, good[:, None]), exact)
