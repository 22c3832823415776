"""The feasible rows of each object in every column, and the sweep over them: `safeaug.placement.columns` on tensors."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.batch.branchless.rectangle import Rectangle
from safeaug.batch.objects import Objects
from safeaug.batch.ops import TORCH
from safeaug.geometry import overlap, reach


class Intervals(NamedTuple):
    """Closed intervals of rows: ``first`` and ``last`` of shape (B, K, N, X), int64; empty where last < first."""

    first: Tensor
    last: Tensor

    def of(self, counts: Tensor) -> "Intervals":
        """Return those of the objects that count, given by a bool of shape (B, N); the others are empty.

        Theirs end where the domain begins, so that a sweep is not cut anywhere on their account.
        """
        return Intervals(self.first, torch.where(counts[:, None, :, None], self.last, self.first - 1))

    def meet(self, other: "Intervals") -> "Intervals":
        """Return the rows that lie in both."""
        return Intervals(torch.maximum(self.first, other.first), torch.minimum(self.last, other.last))


def columns(bounds: Rectangle, extent: int) -> tuple[Tensor, Tensor]:
    """Return the columns of rectangles of shape (B, K), both of shape (B, K, X): where they are, and which are inside.

    Their number is the same for all rectangles, so it is `extent`, and most rectangles have less.
    """
    x = bounds.x0[..., None] + torch.arange(extent, device=bounds.x0.device)
    return x, (x <= bounds.x1[..., None]) & bounds.some[..., None]


def intervals(objects: Objects, need: Tensor, size: tuple[Tensor, Tensor], bounds: Rectangle, x: Tensor) -> Intervals:
    """Return, for each object and each column, the rows at which a window holds what the object needs.

    Parameters
    ----------
    objects : Objects
        Of B samples.
    need : Tensor of shape (B, K, N), float64
        Area of each object that windows of K sizes must hold.
    size : (Tensor of shape (B, K), Tensor of shape (B, K)), int64
        Height and width of the windows.
    bounds : Rectangle of shape (B, K)
        Positions that they may take.
    x : Tensor of shape (B, K, X), int64
        The columns.

    Returns
    -------
    Intervals
        All rows of the bounds for an object that does not count.
    """
    a, b, c, d = objects.boxes[:, None, :, :, None].unbind(-2)
    height, width = size[0].double()[..., None, None], size[1].double()[..., None, None]
    y0, y1 = bounds.y0.double()[..., None, None], bounds.y1.double()[..., None, None]
    column, need = x.double()[..., None, :], need[..., None]
    point, slack = objects.point[:, None, :, None], objects.slack[:, None, None, None]
    wide = overlap(column, column + width, a, c, TORCH)
    depth = torch.where(wide > 0, need / torch.where(wide > 0, wide, 1.0), torch.inf)  # rows that must be shared
    first, last = reach(torch.where(point, -slack, depth), b, d, height)  # of a point b is d
    inside = (column <= a + slack) & (a - slack <= column + width)
    reached = torch.where(point, inside, depth <= torch.minimum(height, d - b))
    first = torch.minimum(torch.maximum(first.ceil(), y0), y1 + 1)
    last = torch.where(reached, torch.minimum(last.floor(), y1), y0 - 1)
    free = (need <= 0) | ~objects.counts[:, None, :, None]
    return Intervals(torch.where(free, y0, first).long(), torch.where(free, y1, last).long())


class Sweep(NamedTuple):
    """The rows of each column cut at all interval ends.

    Parameters
    ----------
    start, length : Tensor of shape (B, K, X, S), int64
        Segments of rows; many are of length 0.
    covers : tuple of Tensor of shape (B, K, X, S)
        For each counter the sum of its weights over the intervals that hold the segment; of a segment of length 0 it
        says nothing.
    """

    start: Tensor
    length: Tensor
    covers: tuple[Tensor, ...]


def sweep(parts: Sequence[tuple[Intervals, tuple[Tensor, ...]]], bounds: Rectangle) -> Sweep:
    """Cut every column at the ends of its intervals and add up what covers each segment.

    Parameters
    ----------
    parts : sequence of (Intervals, weights)
        Each with one weight per object for every counter, of shape (B, N) or (1, N).
    bounds : Rectangle of shape (B, K)
        The positions; its rows bound the first and the last segment.

    Notes
    -----
    Ends in one row are sorted in any order. What is between them has no length.
    """
    shape = parts[0][0].first.shape
    ends = [bounds.y0[..., None, None].expand(*shape[:2], 1, shape[3])]
    steps: list[list[Tensor]] = [[torch.zeros_like(weight[:, :1])] for weight in parts[0][1]]
    for interval, weights in parts:
        ends += [interval.first, torch.maximum(interval.last + 1, interval.first)]  # an empty one opens where it closes
        for step, weight in zip(steps, weights, strict=True):
            step += [weight, -weight]
    start, number = torch.cat(ends, dim=-2).transpose(-1, -2).sort(dim=-1)
    end = (bounds.y1 + 1)[..., None, None].expand(*start.shape[:3], 1)
    length = torch.cat([start[..., 1:], end], dim=-1) - start
    covers = (torch.cat(step, dim=-1)[:, None, None].expand(shape[0], *start.shape[1:]) for step in steps)
    return Sweep(start, length, tuple(cover.gather(-1, number).cumsum(-1) for cover in covers))
