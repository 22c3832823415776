"""Which renderer draws a batch: the quickest that its device has, unless the caller says."""

from typing import Any

import torch
from torch import Tensor

from safeaug.batch.canvas import Canvas
from safeaug.batch.moved import moved
from safeaug.batch.rendering import Finish, Renderer, Style, by_slices, densely, nearest_by_slices, nearest_densely
from safeaug.batch.rendering.fused import by_kernel, nearest_by_kernel, unable, unable_there
from safeaug.errors import ContentError
from safeaug.geometry import Size, Window


def smooth(pictures: Any, canvas: Canvas, finish: Finish, style: Style) -> Tensor:
    """Return pictures, filtered, where a canvas has them.

    Parameters
    ----------
    pictures : Tensor of shape (B, C, H, W), or list of Tensor of shape (C, Hi, Wi)
        Images, or maps of one channel.
    canvas : Canvas
        Where they stand in their outputs; on their device or on the CPU.
    finish : Finish
        How pixels are handed on.
    style : Style
        How they are drawn.

    Raises
    ------
    ContentError
        Where the caller's renderer cannot draw them.
    """
    match renderer_of(pictures, canvas.size, finish.dtype, style):
        case "slices":
            return by_slices(pictures, *_listed(canvas), canvas.size, finish, style)
        case "dense":
            return densely(pictures, *moved(canvas, pictures.device), finish, style)
        case "kernel":
            return by_kernel(pictures, *moved(canvas, pictures[0].device), finish, style)


def nearest(maps: Any, canvas: Canvas, style: Style) -> Tensor:
    """Return maps whose values are names, (B, N, H, W) or a list of (N, Hi, Wi), where a canvas has them."""
    device = maps[0].device
    if style.renderer == "kernel" or (style.renderer is None and device.type == "cuda" and not unable_there(device)):
        return nearest_by_kernel(maps, *moved(canvas, device))
    if renderer_of(maps, canvas.size, maps[0].dtype, style) == "slices":
        return nearest_by_slices(maps, *_listed(canvas), canvas.size)
    return nearest_densely(maps, *moved(canvas, device))


def renderer_of(pictures: Any, size: Size, dtype: torch.dtype, style: Style) -> Renderer:
    """Return what draws pictures into outputs of a size and a dtype; no value is looked at.

    Raises
    ------
    ContentError
        Where the caller's renderer cannot draw them.
    """
    listed, device = not isinstance(pictures, Tensor), pictures[0].device
    if style.renderer == "kernel":
        reason = unable(pictures, size, dtype)
        if reason:
            raise ContentError(f'renderer="kernel" cannot draw these images: {reason}; leave renderer= out')
    if style.renderer == "dense" and listed:
        raise ContentError(
            'renderer="dense" takes images as one tensor, got a list of them; pad them, and pass their sizes='
        )
    if style.renderer is not None:
        return style.renderer
    if device.type == "cuda" and unable(pictures, size, dtype) is None:
        return "kernel"
    return "slices" if listed or (device.type == "cpu" and not torch.compiler.is_compiling()) else "dense"


def _listed(canvas: Canvas) -> tuple[list[Window], list[Window], list[bool]]:
    """Return the rectangles of a canvas in plain numbers, for which a device is waited for."""
    source, target, flipped = (each.tolist() for each in canvas[:3])
    return [tuple(row) for row in source], [tuple(row) for row in target], flipped
