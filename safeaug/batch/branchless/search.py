"""Keep the size and move, else take the next that will do, else say that none does: `safeaug.search` on tensors."""

from itertools import accumulate

import torch
from torch import Tensor

from safeaug.batch.branchless.memory import candidates_at_once, samples_at_once
from safeaug.batch.branchless.pick import first_true
from safeaug.batch.branchless.place import Room, placed, positions_of, room_of
from safeaug.batch.branchless.settle import settle
from safeaug.batch.branchless.sizes import Candidates, candidates
from safeaug.batch.branchless.task import Task, one_of, sides_of, task_of, window_at
from safeaug.batch.chance import HOST, Chance, uniform
from safeaug.batch.first import Host, Opened
from safeaug.batch.found import Found
from safeaug.batch.judging import held, passes
from safeaug.batch.objects import Objects
from safeaug.policy import Policy, Stage, Status
from safeaug.task import CHOOSE


def elsewhere(
    opened: Opened, host: Host, table: Tensor, policy: Policy, sizes: Tensor, chance: Chance, extent: int
) -> Found:
    """Return the windows that guarded draws take where the host's own do not do.

    Parameters
    ----------
    opened : Opened
        The host's draws, judged.
    host : Host
        How they are drawn.
    table : Tensor
        The host's, on the device of all other tensors.
    policy : Policy
        What must be kept. Its ``keep`` is no callable and its ``on_fail`` is not "raise": neither can be had without
        reading values back.
    sizes : Tensor of shape (B, 2), int64
        Height and width of each image.
    chance : Chance
        Where numbers come from.
    extent : int
        No domain, of any size of window that the host draws, has more positions along either axis.

    Returns
    -------
    Found
        Of all samples. It holds for those of which ``opened.fails``.
    """
    count, objects = opened.objects.boxes.shape[:2]
    if not count or not objects:  # nothing fails
        return opened.found
    task = task_of(opened.found.window, opened.objects, host, table, policy, sizes, chance, extent)
    step = samples_at_once(task)
    if step >= count:
        return _found(task)
    parts = [_found(_samples(task, slice(start, start + step))) for start in range(0, count, step)]
    return Found(*(torch.cat(each) for each in zip(*parts, strict=True)))


def _samples(task: Task, rows: slice) -> Task:
    """Return the task of some samples."""
    objects = Objects(*(None if each is None else each[rows] for each in task.objects))  # type: ignore[arg-type]
    chance = task.chance._replace(ids=task.chance.ids[rows])
    first, sizes = task.first[rows, 0], task.sizes[rows]
    return task_of(first, objects, task.host, task.table, task.policy, sizes, chance, task.extent)


def _found(task: Task) -> Found:
    """Return how the searches of samples end that are few enough to be looked at at once."""
    redrawn = task.redrawn()
    listed = candidates(task, redrawn)
    room = room_of(task, listed.size)
    counts = torch.where(listed.listed & task.allowed(listed.size), _counts(task, room), 0)
    if task.policy.sampling == "keep_scale":
        found, some = _keep_scale(task, listed, room, counts)
    else:
        found, some = _joint(task, redrawn, listed, room, counts)
    return _unmet(task).where(some[:, 0], found)


def _counts(task: Task, room: Room) -> Tensor:
    """Return the number of feasible positions of each size, of shape (B, K)."""
    step = candidates_at_once(task)
    starts = range(0, room.size[0].shape[1], step)
    return torch.cat([positions_of(task, room.part(start, step)).size for start in starts], dim=-1)


def _keep_scale(task: Task, listed: Candidates, room: Room, counts: Tensor) -> tuple[Found, Tensor]:
    """Take the first candidate that has a feasible position. Return that, and whether there is one, of shape (B, 1)."""
    place, some = first_true(counts > 0)
    chosen, there = listed.at(place[:, None]), room.at(place[:, None])
    window = placed(task, there, positions_of(task, there), _numbers(task, chosen))
    return _success(task, window, chosen.number, chosen.stage), some[:, None]


def _joint(task: Task, redrawn: Tensor, listed: Candidates, room: Room, counts: Tensor) -> tuple[Found, Tensor]:
    """Take the first redraw that passes; else weigh the drawn sizes by the share of their positions that pass.

    Where none of them has any, the first candidate that has one is beyond them, and is placed as ever.
    """
    drawn = task.redraws + 1
    domain = task.domain(listed.part(0, drawn).size)
    shares = counts[:, :drawn].double() / (domain.rows * domain.columns).double()
    # One by one, as numpy adds them up; a library's own sum may take any order.
    upto = torch.stack(list(accumulate(shares.unbind(-1))), dim=-1)
    choose, weighs = task.stream(CHOOSE), upto[:, -1:] > 0
    heavy = (upto <= choose[..., 0] * upto[:, -1:]).sum(-1, keepdim=True).clamp(max=drawn - 1)
    first, some = first_true(counts > 0)
    place = torch.where(weighs, heavy, first[:, None])
    chosen, there = listed.at(place), room.at(place)
    positions = positions_of(task, there)
    weighed = window_at(*positions.draw(choose[..., 1], choose[..., 2]), there.size)
    window = torch.where(weighs[..., None], weighed, placed(task, there, positions, _numbers(task, chosen)))
    found = _success(task, window, chosen.number, chosen.stage)
    found = found._replace(draws=torch.where(weighs[:, 0], drawn, found.draws))
    if not task.redraws:
        return found, some[:, None]
    size = sides_of(redrawn)
    good = passes(task.objects, task.needs(size), held(task.objects, redrawn)) & task.allowed(size)
    number, does = first_true(good)
    again = _success(task, one_of(redrawn, number[:, None]), number[:, None] + 1, int(Stage.REDRAW))
    return found.where(does, again), (some | does)[:, None]


def _numbers(task: Task, chosen: Candidates) -> Tensor:
    """Return the uniform numbers, of shape (B, 1, HOST), that place a candidate."""
    return uniform(task.chance.words(chosen.number, 0, HOST))


def _success(task: Task, window: Tensor, number: Tensor, stage: Tensor | int) -> Found:
    """Return windows that do, of shape (B, 1, 4), from the candidates of these numbers, of shape (B, 1)."""
    size, drawn = sides_of(window), task.size
    moved = (size[0] == drawn[0]) & (size[1] == drawn[1])
    status = torch.where(moved, int(Status.MOVED), int(Status.RESIZED)).to(torch.int8)
    stages = torch.zeros_like(status) + stage
    draws = number.clamp(max=task.redraws) + 1
    return Found(window[:, 0], status[:, 0], stages.to(torch.int8)[:, 0], draws[:, 0])


def _unmet(task: Task) -> Found:
    """Return how searches end that no candidate satisfies, as ``on_fail`` says."""
    skips = task.policy.on_fail == "skip"
    window = (task.first if skips else settle(task))[:, 0]
    status = torch.full_like(window[:, 0], int(Status.SKIPPED if skips else Status.UNMET), dtype=torch.int8)
    draws = torch.full_like(window[:, 0], task.redraws + 1)
    return Found(window, status, torch.full_like(status, int(Stage.DRAWN)), draws)
