"""Where a draw goes that cannot keep its promise: `safeaug.settle` on tensors."""

import torch
from torch import Tensor

from safeaug.batch.branchless.least_lost import least_lost
from safeaug.batch.branchless.meetings import heaviest
from safeaug.batch.branchless.most import most_kept
from safeaug.batch.branchless.task import Task, window_at
from safeaug.settle import QUICK_TRIES
from safeaug.task import SETTLE


def settle(task: Task) -> Tensor:
    """Return windows, of shape (B, 1, 4), of the drawn size that keep the largest weight one window can keep.

    The host's own draw where it does as well as any; else uniform among those that do. Where none keeps an object: with
    the largest worst retention and, among those, the largest sum.
    """
    uniform = task.stream(SETTLE)
    quick = heaviest(task, uniform)
    # The scalar search reads its stream number by number: three for each try, if it tried.
    used = torch.where(quick.tried, 3 * QUICK_TRIES, 0)
    u, v = (uniform.gather(-1, (used + i)[..., None])[..., 0] for i in (0, 1))
    x, y = task.first[..., 0], task.first[..., 1]
    some, most = most_kept(task)
    least = least_lost(task)
    stays = torch.where(some, most.holds(x, y), least.holds(x, y))
    (most_x, most_y), (least_x, least_y) = most.draw(u, v), least.draw(u, v)
    exact = window_at(torch.where(some, most_x, least_x), torch.where(some, most_y, least_y), task.size)
    exact = torch.where(stays[..., None], task.first, exact)
    return torch.where(quick.some[..., None], quick.window, exact)
