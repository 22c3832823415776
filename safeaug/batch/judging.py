"""What windows of a batch must hold, and what they hold: `safeaug.measures` on tensors."""

from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.batch.objects import Objects
from safeaug.batch.ops import TORCH
from safeaug.geometry import overlap
from safeaug.measures import POINT, RELATIVE, required
from safeaug.policy import GONE, Policy


class Needs(NamedTuple):
    """What windows of K sizes a sample must hold of each object.

    Parameters
    ----------
    need : Tensor of shape (B, K, N), float64
        Area of each object that must lie in the window, tolerance already taken off.
    gone : Tensor of shape (B, 1, N), float64, or None
        Under ``keep="whole"``: an object of which less than this lies in the window counts as gone.
    least : Tensor of shape (B, 1), int64
        How many objects must reach their need.
    """

    need: Tensor
    gone: Tensor | None
    least: Tensor


def needs_of(objects: Objects, policy: Policy, size: tuple[Tensor, Tensor], output: tuple[int, int]) -> Needs:
    """Return what windows of some sizes must hold.

    Parameters
    ----------
    objects : Objects
        Of B samples.
    policy : Policy
        What must be kept.
    size : (Tensor of shape (B, K), Tensor of shape (B, K)), int64
        Height and width of the windows.
    output : (int, int)
        Height and width to which they are resized.
    """
    area, rim, limits = objects.area[:, None], objects.rim[:, None], objects.limits[:, None]
    tolerance = RELATIVE * area + objects.slack[:, None, None] * rim
    window_area = (size[0] * size[1]).double()[..., None]
    pixels, pixel_area = policy.min_visible_pixels, None
    if pixels is not None:
        # By a tensor: on CUDA a quotient by a plain number is a product with its inverse, which rounds otherwise.
        pixel_area = pixels * window_area / torch.full_like(window_area, output[0] * output[1])
    need = required(area, limits, tolerance, window_area, policy.min_fill, pixel_area, TORCH)
    need = torch.where(objects.point[:, None], torch.where(limits > 0, POINT, -POINT), need)
    return Needs(need.expand(-1, size[0].shape[1], -1), _gone(objects, policy), _least(objects, policy))


def _gone(objects: Objects, policy: Policy) -> Tensor | None:
    if policy.keep != "whole":
        return None
    share = torch.full_like(objects.area, GONE)
    if objects.priors is not None:
        share = torch.where(objects.priors > 0, share / objects.priors, torch.inf)
    gone = (share + RELATIVE) * objects.area + objects.slack[:, None] * objects.rim
    return torch.where(objects.point, POINT, gone)[:, None]


def _least(objects: Objects, policy: Policy) -> Tensor:
    count = objects.counts.sum(-1, keepdim=True)
    if policy.keep == "all":
        return count
    return count.clamp(max=policy.keep if isinstance(policy.keep, int) else 1)


def held(objects: Objects, window: Tensor) -> Tensor:
    """Return the area of each object inside some windows; of a point, 1 inside (edges included) and 0 outside.

    Parameters
    ----------
    objects : Objects
        Of B samples.
    window : Tensor of shape (B, K, 4), int64
        Windows of each.

    Returns
    -------
    Tensor of shape (B, K, N), float64
        Areas in source pixels.
    """
    x0, y0, x1, y1 = window[..., None, :].double().unbind(-1)
    a, b, c, d = objects.boxes[:, None].unbind(-1)
    area = overlap(x0, x1, a, c, TORCH) * overlap(y0, y1, b, d, TORCH)
    slack = objects.slack[:, None, None]
    inside = (x0 - slack <= a) & (c <= x1 + slack) & (y0 - slack <= b) & (d <= y1 + slack)
    return torch.where(objects.point[:, None], inside.double(), area)


def passes(objects: Objects, needs: Needs, area: Tensor) -> Tensor:
    """Return whether windows hold what they must.

    Parameters
    ----------
    objects : Objects
        Of B samples.
    needs : Needs
        What windows of their sizes must hold.
    area : Tensor of shape (B, K, N), float64
        What they hold; see `held`.

    Returns
    -------
    Tensor of shape (B, K), bool
        True where they do.
    """
    counts = objects.counts[:, None]
    kept = area >= needs.need
    enough: Tensor = (kept & counts).sum(-1) >= needs.least
    if needs.gone is None:
        return enough
    return enough & (kept | (area < needs.gone) | ~counts).all(-1)


def allowed(policy: Policy, size: tuple[Tensor, Tensor], output: tuple[int, int]) -> Tensor | None:
    """Return where windows of some sizes are not stretched too much; None where any are allowed."""
    if policy.max_stretch is None:
        return None
    ratio = (output[1] * size[0]).double() / (size[1] * output[0]).double()
    return torch.maximum(ratio, 1 / ratio) <= policy.max_stretch * (1 + 1e-9)


class Measured(NamedTuple):
    """What the window of each sample holds of every object; NaN for one that is not in the image.

    Parameters
    ----------
    retention : Tensor of shape (B, N), float64
        Share of the object inside the window, times its prior visibility; of a point 1 or 0.
    by_fill : Tensor of shape (B, N), bool
        True where less than the limit is left and the object fills ``policy.min_fill`` of the window.
    area : Tensor of shape (B, N), float64
        Its area inside the window; NaN for a point.
    """

    retention: Tensor
    by_fill: Tensor
    area: Tensor


def measured(objects: Objects, policy: Policy, window: Tensor) -> Measured:
    """Return what the window of each sample, of shape (B, 4), holds of every object."""
    inside = held(objects, window[:, None])[:, 0]
    solid = objects.present & ~objects.point
    share = inside / torch.where(solid, objects.area, 1.0)
    retention = share if objects.priors is None else share * objects.priors
    by_fill = torch.zeros_like(solid)
    if policy.min_fill is not None:
        tolerance = RELATIVE * objects.area + objects.slack[:, None] * objects.rim
        enough = policy.min_fill * ((window[:, 2] - window[:, 0]) * (window[:, 3] - window[:, 1])).double()[:, None]
        short = inside < objects.limits * objects.area - tolerance
        by_fill = solid & objects.counts & short & (inside >= enough - tolerance)
    nan = torch.nan
    return Measured(torch.where(objects.present, retention, nan), by_fill, torch.where(solid, inside, nan))
