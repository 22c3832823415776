"""How the kernel is called: as it is, or as one operation of a compiled module."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import torch
from torch import Tensor

from safeaug.batch.rendering.finish import Finish, colour_of, line_of
from safeaug.batch.rendering.fused.table import table_of
from safeaug.batch.rendering.fused.tile import TILE, Tile
from safeaug.batch.rendering.style import STYLE, Style
from safeaug.geometry import Size

LANES = 4
"""Channels of one launch: what finishes each is an argument, so that no number has to be copied to the device."""

BLOCK = 1024
"""Pixels of maps that one program draws."""


def by_kernel(
    pictures: Tensor | Sequence[Tensor],
    source: Tensor,
    target: Tensor,
    flipped: Tensor,
    size: Size,
    finish: Finish,
    style: Style = STYLE,
    tile: Tile = TILE,
) -> Tensor:
    """Return the source rectangle of each picture as the target rectangle of its output.

    Parameters
    ----------
    pictures : Tensor of shape (B, C, H, W), or sequence of Tensor of shape (C, Hi, Wi)
        What `safeaug.batch.rendering.fused.unable` says nothing of. Of any strides; not changed. What is not finite
        outside a source does no harm; inside, it may reach as far as a tile's rows.
    source, target : Tensor of shape (B, 4), int64
        As in `by_slices`: (x0, y0, x1, y1) in pixels of the picture and of the output. On the pictures' device.
    flipped : Tensor of shape (B,), bool
        Whether each output is mirrored left to right.
    size : (int, int)
        Height and width of the output.
    finish : Finish
        How pixels are handed on. Bytes that become floating numbers are not rounded to grey levels in between.
    style : Style
        By which filter.
    tile : Tile
        How much one program draws.

    Returns
    -------
    Tensor of shape (B, C, h, w), finish.dtype
        On the device of the pictures.
    """
    first = pictures[0]
    channels = first.shape[-3]
    line = line_of(finish, first.dtype, channels)
    slope, offset = ((1.0,) * channels, (0.0,) * channels) if line is None else line
    output: Tensor = torch.ops.safeaug.crop(
        [pictures] if isinstance(pictures, Tensor) else list(pictures),
        source,
        target,
        flipped,
        list(size),
        finish.dtype,
        list(slope),
        list(offset),
        list(colour_of(finish, line, channels)),
        style.interpolation == "bicubic",
        style.antialias,
        list(tile),
    )
    return output


def nearest_by_kernel(
    maps: Tensor | Sequence[Tensor],
    source: Tensor,
    target: Tensor,
    flipped: Tensor,
    size: Size,
    fill: float = 0,
) -> Tensor:
    """Return the same of maps whose values are names: every output pixel takes the one that lies under its centre.

    Parameters
    ----------
    maps : Tensor of shape (B, N, H, W), or sequence of Tensor of shape (N, Hi, Wi)
        Of any dtype of up to 64 bits.
    source, target, flipped, size
        As in `by_kernel`.
    fill : number
        The value where there is no picture.

    Returns
    -------
    Tensor of shape (B, N, h, w), the dtype of the maps
    """
    given = [maps] if isinstance(maps, Tensor) else list(maps)
    output: Tensor = torch.ops.safeaug.nearest(given, source, target, flipped, list(size), float(fill))
    return output


def _crop(
    pictures: list[Tensor],
    source: Tensor,
    target: Tensor,
    flipped: Tensor,
    size: list[int],
    dtype: torch.dtype,
    slope: list[float],
    offset: list[float],
    colour: list[float],
    cubic: bool,
    antialias: bool,
    tile: list[int],
) -> Tensor:
    from safeaug.batch.rendering.fused import kernel  # needs Triton, which reads its settings as it is imported

    first, output = pictures[0], _output(pictures, size, dtype)
    rows, columns, depth, warps = tile
    tiles = -(-size[0] // rows) * -(-size[1] // columns)
    memory = _memory(pictures)
    rectangles = source.contiguous(), target.contiguous(), flipped.contiguous()
    with _on(first.device):
        for start in range(0, output.shape[1], LANES):
            lanes = range(start, min(start + LANES, output.shape[1]))
            numbers = [values[lane] for values in (slope, offset, colour) for lane in _four(lanes)]
            kernel.crop[(tiles * len(lanes) * len(output),)](
                first,
                memory.table,
                *rectangles,
                output,
                *memory.strides,
                *size,
                output.shape[1],
                start,
                len(lanes),
                *numbers,
                RAGGED=memory.ragged,
                CUBIC=cubic,
                ANTIALIAS=antialias,
                BYTES_IN=first.dtype is torch.uint8,
                BYTES_OUT=dtype is torch.uint8,
                ROWS=rows,
                COLUMNS=columns,
                DEPTH=depth,
                PRECISION=_precision(first.device),
                num_warps=warps,
            )
    return output


def _nearest(
    maps: list[Tensor], source: Tensor, target: Tensor, flipped: Tensor, size: list[int], fill: float
) -> Tensor:
    from safeaug.batch.rendering.fused import kernel

    first, output = maps[0], _output(maps, size, maps[0].dtype)
    memory, words = _memory(maps), _WORDS[first.element_size()]
    blocks = -(-size[0] * size[1] // BLOCK)
    bits = torch.full((1,), fill, dtype=first.dtype).view(words).item()  # names are copied, whatever they are
    with _on(first.device):
        kernel.nearest[(blocks * output.shape[1] * len(output),)](
            first.view(words),
            memory.table,
            source.contiguous(),
            target.contiguous(),
            flipped.contiguous(),
            output.view(words),
            *memory.strides,
            *size,
            output.shape[1],
            bits,
            RAGGED=memory.ragged,
            BLOCK=BLOCK,
        )
    return output


_WORDS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


class _Memory(NamedTuple):
    """Where pictures are: their table and whether it counts; else their strides of picture, channel, row and column."""

    table: Tensor
    ragged: bool
    strides: tuple[int, ...]


def _memory(pictures: list[Tensor]) -> _Memory:
    if pictures[0].ndim == 4:
        return _Memory(pictures[0], False, pictures[0].stride())
    return _Memory(table_of(pictures), True, (0, 0, 0, 0))


def _output(pictures: list[Tensor], size: list[int], dtype: torch.dtype) -> Tensor:
    """Return what is drawn on, without a number in it: contiguous, of shape (B, C, h, w)."""
    first = pictures[0]
    count = len(first) if first.ndim == 4 else len(pictures)
    return torch.empty((count, first.shape[-3], *size), dtype=dtype, device=first.device)


def _four(lanes: range) -> tuple[int, ...]:
    """Return four channels: those given, the last again for each that lacks.

    Examples
    --------
    >>> _four(range(4, 6))
    (4, 5, 5, 5)
    """
    return tuple(min(lanes.start + k, lanes.stop - 1) for k in range(LANES))


def _precision(device: torch.device) -> str:
    """Return how float32 is multiplied: by tensor cores, in three parts, as exactly; else one by one."""
    if device.type != "cuda" or torch.version.hip or torch.cuda.get_device_capability(device) < (8, 0):
        return "ieee"
    return "tf32x3"


def _on(device: torch.device) -> AbstractContextManager[Any]:
    """Launch where the pictures are, which need not be the current device."""
    return torch.cuda.device(device) if device.type == "cuda" else nullcontext()


def _fake_crop(pictures: list[Tensor], *rest: Any) -> Tensor:
    return _output(pictures, rest[3], rest[4])


def _fake_nearest(maps: list[Tensor], *rest: Any) -> Tensor:
    return _output(maps, rest[3], maps[0].dtype)


# Operations of torch: a compiler sees one node, of which it knows what comes out, and does not look into it.
torch.library.custom_op("safeaug::crop", _crop, mutates_args=()).register_fake(_fake_crop)
torch.library.custom_op("safeaug::nearest", _nearest, mutates_args=()).register_fake(_fake_nearest)
