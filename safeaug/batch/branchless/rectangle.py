"""Rectangles of positions: of one object, of all, around those of some. `safeaug.placement.bounds` on tensors."""

from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.batch.judging import Needs
from safeaug.batch.objects import Objects


class Rectangle(NamedTuple):
    """Positions of windows: all whole numbers between these ends, which are included; none where ends have crossed.

    Parameters
    ----------
    x0, x1, y0, y1 : Tensor of one shape, int64
        First and last column, first and last row.
    """

    x0: Tensor
    x1: Tensor
    y0: Tensor
    y1: Tensor

    @property
    def some(self) -> Tensor:
        """Whether there is a position."""
        return (self.x0 <= self.x1) & (self.y0 <= self.y1)

    @property
    def columns(self) -> Tensor:
        """The number of columns."""
        return self.x1 - self.x0 + 1

    @property
    def rows(self) -> Tensor:
        """The number of rows."""
        return self.y1 - self.y0 + 1

    def meet(self, other: "Rectangle") -> "Rectangle":
        """Return the positions that lie in both."""
        return Rectangle(
            torch.maximum(self.x0, other.x0),
            torch.minimum(self.x1, other.x1),
            torch.maximum(self.y0, other.y0),
            torch.minimum(self.y1, other.y1),
        )

    def at(self, place: Tensor) -> "Rectangle":
        """Return some along the last axis, given by their places."""
        return Rectangle(*(end.gather(-1, place) for end in self))


def alone(objects: Objects, need: Tensor, size: tuple[Tensor, Tensor], domain: Rectangle) -> Rectangle:
    """Return for each object by itself a rectangle that holds every position at which a window reaches its need.

    Parameters
    ----------
    objects : Objects
        Of B samples.
    need : Tensor of shape (B, K, N), float64
        Of windows of K sizes.
    size : (Tensor of shape (B, K), Tensor of shape (B, K)), int64
        Height and width of the windows.
    domain : Rectangle of shape (B, K)
        Positions that the host can draw.

    Returns
    -------
    Rectangle of shape (B, K, N)
        The domain for an object that does not count.
    """
    a, b, c, d = objects.boxes[:, None].unbind(-1)
    height, width = size[0].double()[..., None], size[1].double()[..., None]
    x0, x1, y0, y1 = (end.double()[..., None] for end in domain)
    point, slack = objects.point[:, None], objects.slack[:, None, None]
    wide, high = torch.minimum(c - a, width), torch.minimum(d - b, height)
    across, down = torch.where(point, -slack, need / high), torch.where(point, -slack, need / wide)
    free = (need <= 0) | ~objects.counts[:, None]
    never = ~free & ~point & (wide * high < need)
    first_x = torch.where(free, x0, torch.maximum(x0, a - width + across)).ceil().long()
    last_x = torch.where(free, x1, torch.minimum(x1, c - across)).floor().long()
    first_y = torch.where(free, y0, torch.maximum(y0, b - height + down)).ceil().long()
    last_y = torch.where(free, y1, torch.minimum(y1, d - down)).floor().long()
    return Rectangle(first_x, torch.where(never, first_x - 1, last_x), first_y, last_y)


def common(each: Rectangle) -> Rectangle:
    """Return the positions, of shape (B, K), that lie in the rectangles of all objects."""
    return Rectangle(each.x0.amax(-1), each.x1.amin(-1), each.y0.amax(-1), each.y1.amin(-1))


def hull(each: Rectangle, objects: Objects, needs: Needs, domain: Rectangle) -> Rectangle:
    """Return the rectangles, of shape (B, K), around those of all objects; none where too few objects have one."""
    reachable = each.some & objects.counts[:, None]
    x0 = torch.where(reachable, each.x0, domain.x1[..., None]).amin(-1)
    x1 = torch.where(reachable, each.x1, domain.x0[..., None]).amax(-1)
    y0 = torch.where(reachable, each.y0, domain.y1[..., None]).amin(-1)
    y1 = torch.where(reachable, each.y1, domain.y0[..., None]).amax(-1)
    return Rectangle(x0, torch.where(reachable.sum(-1) < needs.least, x0 - 1, x1), y0, y1)


def around(
    objects: Objects, needs: Needs, size: tuple[Tensor, Tensor], domain: Rectangle, *, each_counts: bool
) -> Rectangle:
    """Return rectangles that hold every position at which windows reach what they need.

    Parameters
    ----------
    objects, size, domain
        As in `alone`.
    needs : Needs
        Of windows of these sizes.
    each_counts : bool
        Whether every object must reach its need in all samples.

    Returns
    -------
    Rectangle of shape (B, K)
        Without a position where there certainly is none.
    """
    each = alone(objects, needs.need, size, domain)
    if each_counts:
        return common(each)
    wide = hull(each, objects, needs, domain)
    if needs.gone is not None:
        return wide
    # Of few objects "any" and a number may mean all of them. The scalar search sees that sample by sample.
    of_all = all_of_them(objects, needs)
    return Rectangle(*(torch.where(of_all, a, b) for a, b in zip(common(each), wide, strict=True)))


def all_of_them(objects: Objects, needs: Needs) -> Tensor:
    """Return in which samples, of shape (B, 1), every object must reach its need, where none may be gone instead."""
    return needs.least == objects.counts.sum(-1, keepdim=True)
