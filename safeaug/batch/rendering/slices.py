"""Rendering picture by picture: what lies in each window is resized, and nothing else is touched."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.batch.rendering import bytewise
from safeaug.batch.rendering.filtering import filtered
from safeaug.batch.rendering.finish import Finish, Line, colour_of, column, line_of
from safeaug.batch.rendering.sharing import share
from safeaug.batch.rendering.style import STYLE, Style
from safeaug.geometry import Size, Window


def by_slices(
    pictures: Sequence[Tensor] | Tensor,
    source: Sequence[Window],
    target: Sequence[Window],
    flipped: Sequence[bool],
    size: Size,
    finish: Finish,
    style: Style = STYLE,
) -> Tensor:
    """Return the source rectangle of each picture as the target rectangle of its output.

    Pictures of bytes on the CPU are resized in whole grey levels, as Pillow and torchvision do; nothing is cast but
    what lies in the windows, one picture at a time, into the one output. Pictures of floating numbers may require
    gradients; then the output does.

    Parameters
    ----------
    pictures : sequence of Tensor of shape (C, Hi, Wi), or Tensor of shape (B, C, H, W)
        uint8 or floating, all of one dtype, number of channels and device. Of any strides; not changed.
    source : sequence of (int, int, int, int)
        Which part of each picture is drawn: (x0, y0, x1, y1) in its pixels, inside it. Without area: none.
    target : sequence of (int, int, int, int)
        Where it goes: (x0, y0, x1, y1) in pixels of the output, inside it and before it is mirrored.
    flipped : sequence of bool
        Whether each output is mirrored left to right.
    size : (int, int)
        Height and width of the output.
    finish : Finish
        How pixels are handed on.
    style : Style
        By which filter, and among how many threads the batch is shared; the output is the same to the bit. They are
        made for the call. Floating pictures keep to the calling thread where torch has threads of its own, which their
        kernel uses.

    Returns
    -------
    Tensor of shape (B, C, h, w), finish.dtype
        On the device of the pictures.

    Examples
    --------
    >>> picture = torch.tensor([[[0, 50, 100, 150]]], dtype=torch.uint8)
    >>> finish = Finish(torch.uint8, mean=None, std=None, fill=(9,))
    >>> by_slices([picture], [(1, 0, 3, 1)], [(0, 0, 2, 1)], [True], (1, 3), finish).tolist()
    [[[[9, 100, 50]]]]
    """
    if not len(pictures):
        raise ValueError("a batch without pictures has no channels: give at least one")
    first, count = pictures[0], len(pictures)
    shape = (first.shape[0], *size)
    with torch.autocast(first.device.type, enabled=False):  # whose rules for mixed dtypes know no float16 on a CPU
        brush = _brush(finish, first, style)

        def draw(index: int, output: Tensor) -> None:
            _draw(pictures[index], source[index], target[index], flipped[index], output, brush)

        if first.dtype.is_floating_point and torch.is_grad_enabled() and any(one.requires_grad for one in pictures):
            # Apart, then stacked: a gradient through the slices of one tensor would copy all of it for each.
            outputs = [torch.empty(shape, dtype=finish.dtype, device=first.device) for _ in range(count)]
            for index, output in enumerate(outputs):
                draw(index, output)
            return torch.stack(outputs)
        batch = torch.empty((count, *shape), dtype=finish.dtype, device=first.device)
        alone = not brush.in_bytes and torch.get_num_threads() > 1
        threads = 1 if alone else style.threads or torch.get_num_threads()
        share(lambda index: draw(index, batch[index]), count, threads)
        return batch


class _Brush(NamedTuple):
    """What is the same for all pictures of a batch.

    Parameters
    ----------
    line : Line or None
        What finishing does to a pixel.
    steps : tuple of Tensor
        The same as tensors of shape (C, 1, 1): none, or slope and offset.
    colour : Tensor of shape (C, 1, 1)
        The fill, finished.
    style : Style
        By which filter.
    in_bytes : bool
        Whether pictures are bytes on the CPU, which have a way of their own.
    """

    line: Line | None
    steps: tuple[Tensor, ...]
    colour: Tensor
    style: Style
    in_bytes: bool


def _brush(finish: Finish, like: Tensor, style: Style) -> _Brush:
    """Return the brush for pictures like this one."""
    line = line_of(finish, like.dtype, like.shape[0])
    work = _work_of(like.dtype)
    steps = tuple(column(values, work, like.device) for values in line or ())
    colour = column(colour_of(finish, line, like.shape[0]), finish.dtype, like.device)
    return _Brush(line, steps, colour, style, like.dtype == torch.uint8 and like.device.type == "cpu")


def _work_of(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype == torch.float64 else torch.float32


def _draw(picture: Tensor, source: Window, target: Window, flipped: bool, output: Tensor, brush: _Brush) -> None:
    """Draw one picture into its output (C, h, w)."""
    (x0, y0, x1, y1), (left, top, right, bottom) = source, target
    crop = picture[:, y0:y1, x0:x1]
    if flipped:
        left, right = output.shape[2] - right, output.shape[2] - left
    place = output[:, top:bottom, left:right]
    if not crop.numel() or place.numel() < output.numel():
        for band in bytewise.bands(output):
            band.copy_(brush.colour)
    if not crop.numel() or not place.numel():
        return
    if brush.in_bytes:
        bytewise.draw(crop.numpy(), place, flipped, brush.line, brush.style)
        return
    pixels = _resized(crop, (bottom - top, right - left), brush.style)
    if brush.steps:
        pixels.mul_(brush.steps[0]).add_(brush.steps[1])  # in place: it is ours, and still in the cache
    place.copy_(pixels.flip(-1) if flipped else pixels)


def _resized(crop: Tensor, size: Size, style: Style) -> Tensor:
    """Return a crop (C, H, W) in another size, in floating numbers of its own; of bytes, in whole grey levels."""
    if crop.shape[1:] == size:
        return crop.to(_work_of(crop.dtype), copy=True)
    pixels = filtered(crop.to(_work_of(crop.dtype))[None], size, style.interpolation, style.antialias)[0]
    return pixels if crop.dtype.is_floating_point else pixels.round_().clamp_(0, 255)
