"""The positions with the greatest sum of retentions, where objects are too far apart for one window to see them all.

Between neighbouring corners of the trapezoids the sum is linear in x and in y. So a cell of positions is greatest
throughout where its corners are, and an edge where its ends are. The grid of corners, and gaps between them, is of one
size for all samples; corners that coincide leave gaps of no length, and hold a row once.
"""

import torch
from torch import Tensor

from safeaug.batch.branchless.positions import Positions
from safeaug.batch.branchless.rectangle import Rectangle
from safeaug.batch.objects import Objects
from safeaug.batch.ops import TORCH
from safeaug.geometry import overlap
from safeaug.placement.most import TIE


def greatest_sum(
    objects: Objects, size: tuple[Tensor, Tensor], domain: Rectangle, x: Tensor, inside: Tensor
) -> Positions:
    """Return all positions with the greatest sum of retentions of the objects that count.

    Parameters
    ----------
    objects : Objects
        Of B samples; those that count have an area.
    size : (Tensor of shape (B, 1), Tensor of shape (B, 1)), int64
        Height and width of the windows.
    domain : Rectangle of shape (B, 1)
        Positions that they may take.
    x, inside : Tensor of shape (B, 1, X), int64 and bool
        The columns, and which of them are in the domain.
    """
    boxes, counts = objects.boxes, objects.counts
    xs = _corners(boxes[..., 0], boxes[..., 2], counts, size[1], domain.x0, domain.x1)
    ys = _corners(boxes[..., 1], boxes[..., 3], counts, size[0], domain.y0, domain.y1)
    share = _in_sight(xs, size[1], boxes[..., 0], boxes[..., 2]) / torch.where(counts, objects.area, 1.0)[:, None]
    share = torch.where(counts[:, None], share, 0.0)
    # In whatever order it is added up: the tie is wider than what that changes.
    sums = share @ _in_sight(ys, size[0], boxes[..., 1], boxes[..., 3]).transpose(-1, -2)
    point = sums >= sums.amax((-1, -2), keepdim=True) - TIE
    good = _with_gaps(_with_gaps(point).transpose(-1, -2)).transpose(-1, -2)
    good = torch.cat([good, torch.zeros_like(good[:, :1])], dim=1)  # for the columns that are not in the domain
    start = _alternating(ys, ys[:, :-1] + 1)
    once = torch.cat([torch.ones_like(ys[:, :1]), (ys[:, 1:] > ys[:, :-1]).long()], dim=-1)
    length = _alternating(once, (ys[:, 1:] - ys[:, :-1] - 1).clamp(min=0))
    after = (xs[:, None] < x[:, 0, :, None]).sum(-1)  # the corner at or behind each column
    at_corner = xs.gather(-1, after.clamp(max=xs.shape[-1] - 1)) == x[:, 0]
    group = torch.where(inside[:, 0], torch.where(at_corner, 2 * after, 2 * after - 1), good.shape[1] - 1)
    return Positions(
        x,
        start[:, None].expand(-1, good.shape[1], -1)[:, None],
        torch.where(good, length[:, None], 0)[:, None],
        group[:, None],
    )


def _corners(lo: Tensor, hi: Tensor, counts: Tensor, length: Tensor, first: Tensor, last: Tensor) -> Tensor:
    """Return the whole numbers around the corners of all trapezoids, and the ends of the range, sorted.

    Of an object that does not count they are the beginning of the range, which is a corner anyway.
    """
    real = torch.stack([lo - length, lo, hi - length, hi], dim=-1)
    whole = torch.cat([real.floor(), real.ceil()], dim=-1).long()
    whole = torch.where(counts[..., None], whole, first[..., None]).flatten(1)
    ends = torch.cat([torch.minimum(torch.maximum(whole, first), last), first, last], dim=-1)
    return ends.sort(dim=-1).values


def _in_sight(start: Tensor, length: Tensor, lo: Tensor, hi: Tensor) -> Tensor:
    """Return how much of each object, of shape (B, S, N), lies in windows that begin at S corners."""
    begin = start.double()[..., None]
    seen: Tensor = overlap(begin, begin + length.double()[..., None], lo[:, None], hi[:, None], TORCH)
    return seen


def _with_gaps(good: Tensor) -> Tensor:
    """Return what holds of corners and, between two of them, of both: of shape (..., 2 S - 1)."""
    return _alternating(good, good[..., :-1] & good[..., 1:])


def _alternating(corners: Tensor, gaps: Tensor) -> Tensor:
    """Return S corners and S - 1 gaps by turns."""
    return torch.cat([torch.stack([corners[..., :-1], gaps], dim=-1).flatten(-2), corners[..., -1:]], dim=-1)
