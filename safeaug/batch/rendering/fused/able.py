"""What the kernel can draw, and why not what it cannot."""

import os
from collections.abc import Sequence
from importlib.util import find_spec

import torch
from torch import Tensor

from safeaug.geometry import Size

LIMIT = 2**30
"""What a side of a picture times a side of the output stays under: distances are whole numbers of 32 bits."""

SPAN = 2**31
"""What a plane of a picture stays under, in pixels of its memory, for the same reason."""

_HERE = find_spec("triton") is not None
_DTYPES = {torch.uint8, torch.float16, torch.bfloat16, torch.float32}


def unable(pictures: Tensor | Sequence[Tensor], size: Size, dtype: torch.dtype) -> str | None:
    """Return why the kernel cannot draw pictures, or None where it can; no value is looked at.

    Parameters
    ----------
    pictures : Tensor of shape (B, C, H, W), or sequence of Tensor of shape (C, Hi, Wi)
        What is drawn.
    size : (int, int)
        Height and width of the outputs.
    dtype : torch.dtype
        Of the outputs.

    Examples
    --------
    >>> unable(torch.zeros(1, 3, 8, 8, dtype=torch.float64), (4, 4), torch.float32)
    'the kernel computes in float32, and images of torch.float64 become such of torch.float32'
    """
    first = pictures[0]
    if not {first.dtype, dtype} <= _DTYPES:
        return f"the kernel computes in float32, and images of {first.dtype} become such of {dtype}"
    if torch.is_grad_enabled() and any(picture.requires_grad for picture in _each(pictures)):
        return "the kernel has no gradients, and images require them"
    return unable_there(first.device) or _too_large(_each(pictures), size)


def unable_there(device: torch.device) -> str | None:
    """Return why the kernel cannot run on a device, or None where it can."""
    if not _HERE:
        return "the kernel needs Triton, which is not installed"
    if device.type != "cuda" and not (device.type == "cpu" and os.environ.get("TRITON_INTERPRET") == "1"):
        return f"the kernel runs on CUDA, and images are on {device.type}"
    return None


def _too_large(pictures: Sequence[Tensor], size: Size) -> str | None:
    for picture in pictures:
        (height, width), (row, column) = picture.shape[-2:], picture.stride()[-2:]
        if max(height, width) * max(size) >= LIMIT:
            return (
                f"the kernel counts distances in 32 bits: a side of an image times one of the output must be less than "
                f"{LIMIT}, got {max(height, width)} times {max(size)}"
            )
        if (height - 1) * row + (width - 1) * column >= SPAN:
            return f"the kernel counts pixels in 32 bits: an image may span {SPAN} numbers a channel, got more"
    return None


def _each(pictures: Tensor | Sequence[Tensor]) -> Sequence[Tensor]:
    """Return one tensor for each way in which pictures lie in memory."""
    return [pictures] if isinstance(pictures, Tensor) else pictures
