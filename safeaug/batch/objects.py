"""The boxes of a batch, clipped to their images, each with its limit: `safeaug.content` on tensors."""

from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.content import SINGLE
from safeaug.policy import Policy


class Traits(NamedTuple):
    """What is said of each object beside where it is.

    Parameters
    ----------
    valid : Tensor of shape (B, N), bool
        Whether there is an object at all, or a row that fills the batch up.
    limits : Tensor of shape (B, N), float64
        Least retention.
    weights : Tensor of shape (B, N), float64, or None
        What each counts for; 1 where None.
    ignore : Tensor of shape (B, N), bool, or None
        Whether it is never asked for.
    priors : Tensor of shape (B, N), float64, or None
        Prior visibility.
    """

    valid: Tensor
    limits: Tensor
    weights: Tensor | None = None
    ignore: Tensor | None = None
    priors: Tensor | None = None


class Objects(NamedTuple):
    """The objects of a batch of images.

    Parameters
    ----------
    boxes : Tensor of shape (B, N, 4), float64
        Clipped to the image; a point is a box without area; zeros where there is no object in the image.
    present : Tensor of shape (B, N), bool
        Whether there is an object in the image.
    counts : Tensor of shape (B, N), bool
        Whether it is asked for.
    point : Tensor of shape (B, N), bool
        Whether it has no area.
    area, rim : Tensor of shape (B, N), float64
        Area and half the perimeter.
    limits, weights : Tensor of shape (B, N), float64
        Least retention, prior visibility allowed for; what each counts for.
    priors : Tensor of shape (B, N), float64, or None
        Prior visibility.
    slack : Tensor of shape (B,), float64
        Tolerance of coordinates in pixels.
    """

    boxes: Tensor
    present: Tensor
    counts: Tensor
    point: Tensor
    area: Tensor
    rim: Tensor
    limits: Tensor
    weights: Tensor
    priors: Tensor | None
    slack: Tensor

    def of(self, rows: Tensor) -> "Objects":
        """Return the objects of some samples, given by their place in the batch."""
        return Objects(*(None if each is None else each[rows] for each in self))  # type: ignore[arg-type]


def objects_of(boxes: Tensor, sizes: Tensor, traits: Traits, policy: Policy) -> Objects:
    """Return the objects of a batch.

    Parameters
    ----------
    boxes : Tensor of shape (B, N, 4)
        Corners in the image frame. One without area is a point at its centre; one wholly outside the image, or that is
        no box at all (NaN, swapped corners), is not present: whoever wants to know of it checks before.
    sizes : Tensor of shape (B, 2), int64
        Height and width of each image.
    traits : Traits
        Of each object.
    policy : Policy
        What counts.
    """
    given = boxes.to(torch.float64)
    x0, y0, x1, y1 = given.unbind(-1)
    height, width = sizes[:, None, 0].double(), sizes[:, None, 1].double()
    a, b = x0.clamp(min=0.0), y0.clamp(min=0.0)
    c, d = torch.minimum(x1, width), torch.minimum(y1, height)
    solid = (a < c) & (b < d)
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    point = ~solid & (((x0 == x1) & (y0 <= y1)) | ((y0 == y1) & (x0 <= x1)))
    point = point & (x >= 0) & (x <= width) & (y >= 0) & (y <= height)
    present = traits.valid & (solid | point)
    corners = torch.where(solid[..., None], torch.stack([a, b, c, d], -1), torch.stack([x, y, x, y], -1))
    corners = torch.where(present[..., None], corners, 0.0)
    wide, high = corners[..., 2] - corners[..., 0], corners[..., 3] - corners[..., 1]
    area, rim, slack = wide * high, wide + high, SINGLE * sizes.amax(-1).double()
    limits, counts = traits.limits, present
    if traits.ignore is not None:
        counts = counts & ~traits.ignore
    if traits.priors is not None:  # see `safeaug.content.counting`
        counts = counts & (limits <= traits.priors + SINGLE)
        limits = (limits / traits.priors.clamp(min=SINGLE)).clamp(max=1.0)
    if policy.ignore_smaller_than is not None:
        counts = counts & (area + slack[:, None] * rim >= policy.ignore_smaller_than)
    weights = torch.ones_like(area) if traits.weights is None else traits.weights
    return Objects(corners, present, counts, point & present, area, rim, limits, weights, traits.priors, slack)


def single(objects: Objects, uniform: Tensor) -> Objects:
    """Return the objects of which one of each sample counts, picked in proportion to its weight.

    Parameters
    ----------
    objects : Objects
        Of B samples.
    uniform : Tensor of shape (B,), float64
        Picks, in [0, 1).
    """
    count = objects.counts.shape[-1]
    if not count:
        return objects
    weights = torch.where(objects.counts, objects.weights, 0.0)
    upto = weights.cumsum(-1)
    heavy = weights > 0
    number = torch.arange(count, device=weights.device)
    past = heavy & (upto > uniform[:, None] * upto[:, -1:])
    first = torch.where(past, number, count).amin(-1)
    last = torch.where(heavy, number, -1).amax(-1)  # where rounding leaves none past the mark
    lightest = torch.where(objects.counts, number, count).amin(-1)  # where nothing weighs anything
    chosen = torch.where(first < count, first, torch.where(last >= 0, last, lightest))
    return objects._replace(counts=objects.counts & (number == chosen[:, None]))
