"""The most that can be kept where not everything can: `safeaug.placement.most.most_kept` on tensors."""

import torch
from torch import Tensor

from safeaug.batch.branchless.columns import columns, intervals, sweep
from safeaug.batch.branchless.positions import Positions
from safeaug.batch.branchless.task import Task
from safeaug.placement.most import TIE


def most_kept(task: Task) -> tuple[Tensor, Positions]:
    """Return where an object that weighs something can be kept, and all positions that keep the largest weight.

    Where the scalar search leaves out columns that cannot reach the best, all are swept here: what a column keeps is no
    more than its bound.

    Returns
    -------
    some : Tensor of shape (B, 1), bool
        Whether one can be kept in a window of the drawn size.
    positions : Positions
        Of such windows.
    """
    objects, domain = task.objects, task.domain(task.size)
    x, inside = columns(domain, task.extent)
    kept = intervals(objects, task.drawn.need, task.size, domain, x).of(objects.counts)
    heavy = (objects.weights > 0)[:, None, :, None] & (kept.first <= kept.last) & inside[..., None, :]
    cut = sweep([(kept, (objects.weights,))], domain)
    cover = torch.where(inside[..., None] & (cut.length > 0), cut.covers[0], -torch.inf)
    best = cover.amax((-1, -2), keepdim=True).clamp(min=0.0)
    # Sums of more than two weights may differ from the scalar ones in their last bits. The tie is wider than that.
    level = best - TIE * best.clamp(min=1.0)
    return heavy.any(-1).any(-1), Positions(x, cut.start, torch.where(cover >= level, cut.length, 0))
