"""The crops of the host: how each draws, and where its windows stand in its parameters.

The host says a window by the centres of its corner pixels, counted from the corner of the padded image: a window
``(x0, y0, x1, y1)`` of the image frame is ``src`` from ``(x0 + left, y0 + top)`` to ``(x1 + left - 1, y1 + top - 1)``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import kornia.augmentation as K
import torch
from torch import Tensor

from safeaug.batch.checks import pair_of
from safeaug.batch.cut import Cut
from safeaug.batch.resized import RATIOS, Resized
from safeaug.candidates import Law
from safeaug.errors import ContentError, PolicyError
from safeaug.geometry import Size

Params = dict[str, Any]
"""What the host draws: tensors by their names."""

HALVES = torch.float16, torch.bfloat16


@dataclass(frozen=True)
class Centred(Cut):
    """The law of a central crop: one window, from which a guarded one is as near as can be."""

    law = Law.NEAREST


class Told(NamedTuple):
    """How a crop of the host draws, in images of one size.

    Parameters
    ----------
    law : Resized or Cut
        How windows are drawn.
    corner : (int, int)
        By how much the padded image reaches over the image, to the left and upwards.
    """

    law: Resized | Cut
    corner: tuple[int, int]


def told_by(aug: Any, image_size: Size) -> Told:
    """Return how a crop of the host draws.

    Parameters
    ----------
    aug : kornia.augmentation.RandomCrop, RandomResizedCrop or CenterCrop
        The crop.
    image_size : (int, int)
        Height and width of the images.

    Raises
    ------
    PolicyError
        On another transform, or one whose windows cannot be moved.
    ContentError
        Where images are smaller than the crop.
    """
    if isinstance(aug, K.RandomResizedCrop):
        return Told(_resized(aug), (0, 0))
    if isinstance(aug, K.CenterCrop):
        if aug.flags["cropping_mode"] != "resample":
            raise PolicyError(
                f'a CenterCrop must be of cropping_mode="resample", got {aug.flags["cropping_mode"]!r}: kornia then '
                "cuts out the middle, whatever its parameters say"
            )
        _check_fits(aug, image_size, image_size)
        return Told(Centred(_size(aug)), (0, 0))
    if isinstance(aug, K.RandomCrop):
        left, right, top, bottom = aug.compute_padding((1, 1, *image_size))
        _check_fits(aug, image_size, (image_size[0] + top + bottom, image_size[1] + left + right))
        return Told(Cut(_size(aug), (left, top, right, bottom)), (left, top))
    inside = ": hand over one of the crops that it holds" if isinstance(aug, K.AugmentationSequential) else ""
    raise PolicyError(
        "aug must be a RandomCrop, RandomResizedCrop or CenterCrop of kornia.augmentation, got "
        f"{type(aug).__name__}{inside}"
    )


def _size(aug: Any) -> Size:
    height, width = aug.flags["size"]
    return int(height), int(width)


def _resized(aug: Any) -> Resized:
    drawn = aug._param_generator  # of what it was made with, the host keeps scale and ratio nowhere else
    scale, ratio = ([float(each) for each in pair] for pair in (drawn.scale, drawn.ratio))
    return Resized(_size(aug), (scale[0], scale[1]), pair_of("ratio", ratio, *RATIOS))


def _check_fits(aug: Any, image_size: Size, padded: Size) -> None:
    """Raise `ContentError` where a window is larger than an image and its padding: the host would scale it up."""
    size = _size(aug)
    if padded[0] < size[0] or padded[1] < size[1]:
        advice = "resize before" if isinstance(aug, K.CenterCrop) else "use pad_if_needed=True, or resize before"
        with_padding = "" if padded == image_size else f", with padding {padded},"
        raise ContentError(
            f"images of {image_size}{with_padding} are smaller than the crop {size}, and are not scaled up in silence; "
            f"{advice}"
        )


def applied_in(params: Mapping[str, Any], aug: Any, count: int) -> Tensor:
    """Return to which of so many images the host applies its parameters, of shape (B,), bool."""
    if aug.p == 1 and aug.p_batch == 1:  # then it does not look
        return torch.ones(count, dtype=torch.bool)
    gate: Tensor = torch.atleast_1d(params["batch_prob"].detach().cpu() > 0.5).expand(count)
    return gate


def windows_in(params: Mapping[str, Any], told: Told, applied: Tensor) -> Tensor:
    """Return the windows that the host's parameters say, in the image frame: (B, 4), int64, on the CPU.

    Before 0.9 the host drew none for images to which it does not apply itself; those are zeros.
    """
    corners = params["src"].detach().cpu().double().round().long()
    shift = torch.tensor(told.corner)
    windows = torch.cat([corners[:, 0] - shift, corners[:, 2] + 1 - shift], dim=-1)
    if len(windows) == len(applied):
        return windows
    return windows.new_zeros((len(applied), 4)).index_copy(0, applied.nonzero()[:, 0], windows)


def with_windows(params: Params, windows: Tensor, rows: Tensor, told: Told, applied: Tensor) -> Params:
    """Return the host's parameters with other windows in some rows, given by a bool of shape (B,)."""
    src = params["src"]
    if len(src) != len(applied):
        windows, rows = windows[applied], rows[applied]
    x0, y0, x1, y1 = (windows + torch.tensor([*told.corner, *told.corner]) - torch.tensor([0, 0, 1, 1])).unbind(-1)
    corners = torch.stack([torch.stack(pair, -1) for pair in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))], dim=-2)
    if src.dtype in HALVES:  # which hold no whole numbers above 256, or 2048
        src = src.float()
    moved = torch.where(rows[:, None, None].to(src.device), corners.to(src.device, src.dtype), src)
    return {**params, "src": moved}
