"""Rendering maps of names: every output pixel takes the one source pixel that lies under its centre.

Output pixel i takes source pixel ``floor((i + 0.5) * taken / drawn)``, which is Pillow's nearest and torch's
``nearest-exact``, in whole numbers, so that no rounding decides.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from safeaug.geometry import Size, Window


def nearest_by_slices(
    maps: Sequence[Tensor] | Tensor,
    source: Sequence[Window],
    target: Sequence[Window],
    flipped: Sequence[bool],
    size: Size,
    fill: float = 0,
) -> Tensor:
    """Return the source rectangle of each picture's maps as the target rectangle of its output.

    Parameters
    ----------
    maps : sequence of Tensor of shape (N, Hi, Wi), or Tensor of shape (B, N, H, W)
        Of any dtype, all of one; not changed.
    source, target, flipped, size
        As in `by_slices`.
    fill : number
        The value where there is no picture.

    Returns
    -------
    Tensor of shape (B, N, h, w), the dtype of the maps

    Examples
    --------
    >>> names = torch.tensor([[[1, 2, 3]]])
    >>> nearest_by_slices([names], [(0, 0, 3, 1)], [(0, 0, 6, 1)], [False], (1, 7), fill=255).tolist()
    [[[[1, 1, 2, 2, 3, 3, 255]]]]
    """
    if not len(maps):
        raise ValueError("a batch without maps has no dtype: give at least one")
    first = maps[0]
    output = torch.empty((len(maps), first.shape[0], *size), dtype=first.dtype, device=first.device)
    for index, (x0, y0, x1, y1) in enumerate(source):
        left, top, right, bottom = target[index]
        empty = x0 >= x1 or y0 >= y1 or left >= right or top >= bottom
        if empty or (left, top, right, bottom) != (0, 0, size[1], size[0]):
            output[index] = fill
        if empty:
            continue
        columns = _under(torch.arange(right - left, device=first.device), x1 - x0, right - left)
        rows = _under(torch.arange(bottom - top, device=first.device), y1 - y0, bottom - top)
        if flipped[index]:
            columns, left, right = columns.flip(0), size[1] - right, size[1] - left
        crop = maps[index][:, y0:y1, x0:x1]
        output[index, :, top:bottom, left:right] = crop.index_select(1, rows).index_select(2, columns)
    return output


def nearest_densely(
    maps: Tensor, source: Tensor, target: Tensor, flipped: Tensor, size: Size, fill: float = 0
) -> Tensor:
    """Return the same for a batch at once, in plain torch that looks at no value.

    Parameters
    ----------
    maps : Tensor of shape (B, N, H, W)
        Of any dtype; not changed.
    source, target : Tensor of shape (B, 4), int64
        As in `densely`.
    flipped : Tensor of shape (B,), bool
        Whether each output is mirrored left to right.
    size : (int, int)
        Height and width of the output.
    fill : number
        The value where there is no picture.

    Returns
    -------
    Tensor of shape (B, N, h, w), the dtype of the maps

    Examples
    --------
    >>> names, whole = torch.tensor([[[[1, 2, 3]]]]), torch.tensor([[0, 0, 3, 1]])
    >>> nearest_densely(names, whole, torch.tensor([[0, 0, 6, 1]]), torch.tensor([False]), (1, 7), fill=255).tolist()
    [[[[1, 1, 2, 2, 3, 3, 255]]]]
    """
    batch, count, height, width = maps.shape
    columns = torch.arange(size[1], device=maps.device).expand(batch, -1)
    columns = torch.where(flipped[:, None], size[1] - 1 - columns, columns)
    rows = torch.arange(size[0], device=maps.device).expand(batch, -1)
    x, x_drawn = _pixels(source[:, 0::2], target[:, 0::2], columns, width)
    y, y_drawn = _pixels(source[:, 1::2], target[:, 1::2], rows, height)
    which, name = torch.arange(batch, device=maps.device), torch.arange(count, device=maps.device)
    taken = maps[which[:, None, None, None], name[:, None, None], y[:, None, :, None], x[:, None, None, :]]
    drawn = y_drawn[:, None, :, None] & x_drawn[:, None, None, :]
    return torch.where(drawn, taken, torch.full((), fill, dtype=maps.dtype, device=maps.device))


def _under(wanted: Tensor, taken: Tensor | int, drawn: Tensor | int) -> Tensor:
    """Return the source pixel under the centre of each output pixel, both counted from the start of their rectangle."""
    return (2 * wanted + 1) * taken // (2 * drawn)


def _pixels(source: Tensor, target: Tensor, positions: Tensor, length: int) -> tuple[Tensor, Tensor]:
    """Return the pixel of the map, along one axis, for each of the output's positions, and where it is drawn at all."""
    taken, drawn = source[:, 1:] - source[:, :1], target[:, 1:] - target[:, :1]
    wanted = positions - target[:, :1]
    pixels = source[:, :1] + _under(wanted, taken, drawn.clamp(min=1))
    return pixels.clamp(0, length - 1), (wanted >= 0) & (wanted < drawn) & (taken > 0)
