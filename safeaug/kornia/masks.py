"""Masks as the host takes them: one tensor, one mask for all images, or a list of one an image."""

from typing import Any

import torch
from torch import Tensor

from safeaug.batch.canvas import Canvas
from safeaug.batch.renderers import nearest
from safeaug.batch.rendering import Style
from safeaug.errors import ContentError
from safeaug.geometry import Size
from safeaug.kornia.entries import Entry


def masks_of(entry: Entry, count: int, size: Size, device: torch.device) -> Tensor | list[Tensor]:
    """Return the masks of an entry, for so many images of one size on a device.

    Parameters
    ----------
    entry : Entry
        A tensor of shape (B, C, H, W) or (B, H, W); one mask of shape (1, C, H, W), (C, H, W) or (H, W), which is that
        of every image; or a list of B masks of shape (1, C, H, W), (C, H, W) or (H, W).
    count, size, device
        Of the images.

    Returns
    -------
    Tensor of shape (B, C, H, W), or list of Tensor of shape (1, C, H, W)
        A list where a list was given.

    Raises
    ------
    ContentError
        On what are no masks of these images.
    """
    value = entry.value
    if isinstance(value, list | tuple):
        if len(value) != count:
            raise ContentError(f"{entry.name} must be one tensor, or a list of {count}, one an image, got {len(value)}")
        return [_stack(f"{entry.name}[{i}]", each, 1, size, device) for i, each in enumerate(value)]
    masks = _stack(entry.name, value, count, size, device)
    return masks if len(masks) == count else masks.expand(count, *masks.shape[1:])


def _stack(name: str, mask: Any, count: int, size: Size, device: torch.device) -> Tensor:
    """Return one tensor of masks with four dimensions."""
    if not isinstance(mask, Tensor) or mask.ndim not in {2, 3, 4}:
        got = tuple(mask.shape) if isinstance(mask, Tensor) else type(mask).__name__
        raise ContentError(f"{name} must be a tensor of shape (B, C, H, W), (B, H, W), (C, H, W) or (H, W), got {got}")
    if mask.ndim == 2:
        stack = mask[None, None]
    elif mask.ndim == 3:
        stack = mask[:, None] if len(mask) == count else mask[None]
    else:
        stack = mask
    if len(stack) not in {1, count} or tuple(stack.shape[2:]) != size:
        raise ContentError(
            f"{name} must be the masks of {count} images of {size}, or one mask of that size for all, got "
            f"{tuple(mask.shape)}"
        )
    if stack.device != device:
        raise ContentError(f"{name} must be on the images' device {device}, got {stack.device}; move it there")
    return stack


def masks_like(masks: Tensor | list[Tensor], canvas: Canvas, style: Style) -> Tensor | list[Tensor]:
    """Return masks where a canvas has them: the nearest pixels, in their own dtype."""
    if isinstance(masks, Tensor):
        return nearest(masks, canvas, style)
    rows = [
        canvas._replace(**{name: getattr(canvas, name)[i : i + 1] for name in ("source", "target", "flipped")})
        for i in range(len(masks))
    ]
    return [nearest(mask, row, style) for mask, row in zip(masks, rows, strict=True)]
