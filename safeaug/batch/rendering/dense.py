"""Rendering a batch at once, by matrices of weights: plain torch, which looks at no value."""

import torch
from torch import Tensor

from safeaug.batch.rendering.finish import Finish, colour_of, column, line_of
from safeaug.batch.rendering.style import STYLE, Style
from safeaug.geometry import Size

NUMBERS = 2**25
"""How many 32-bit numbers a chunk of pictures may take meanwhile: 128 MB."""


def densely(
    images: Tensor,
    source: Tensor,
    target: Tensor,
    flipped: Tensor,
    size: Size,
    finish: Finish,
    style: Style = STYLE,
) -> Tensor:
    """Return the source rectangle of each image as the target rectangle of its output.

    Each axis is resized by a matrix of weights. No shape and no branch depends on a value: nothing waits for the
    device, and `torch.compile` makes one graph for all windows. The batch is taken a few images at a time, so that
    memory stays bounded. Floating images may require gradients; then the output does.

    The weights are float32 (float64 for images of float64) under autocast, too. Where a caller allows TF32 for matrix
    products, they are rounded to its 11 bits.

    Parameters
    ----------
    images : Tensor of shape (B, C, H, W)
        uint8 or floating, of any strides; not changed. What is not finite outside a source does no harm.
    source, target : Tensor of shape (B, 4), int64
        As in `by_slices`: (x0, y0, x1, y1) in pixels of the image and of the output.
    flipped : Tensor of shape (B,), bool
        Whether each output is mirrored left to right.
    size : (int, int)
        Height and width of the output.
    finish : Finish
        How pixels are handed on. Bytes that become floating numbers are not rounded to grey levels in between.
    style : Style
        By which filter.

    Returns
    -------
    Tensor of shape (B, C, h, w), finish.dtype
        On the device of the images.

    Examples
    --------
    >>> image = torch.tensor([[[[0.0, 50.0, 100.0, 150.0]]]])
    >>> finish = Finish(torch.float32, mean=None, std=None, fill=(9.0,))
    >>> densely(
    ...     image, torch.tensor([[0, 0, 4, 1]]), torch.tensor([[0, 0, 2, 1]]), torch.tensor([True]), (1, 3), finish
    ... ).tolist()
    [[[[9.0, 114.28571319580078, 35.71428680419922]]]]
    """
    batch, channels, height, width = images.shape
    numbers = channels * (2 * height * width + height * size[1] + 4 * size[0] * size[1])
    numbers += 8 * (size[0] * height + size[1] * width)  # the weights and the whole numbers that they are made from
    step = max(1, NUMBERS // numbers)
    with torch.autocast(device_type=images.device.type, enabled=False):
        chunks = [
            _chunk(images[some], source[some], target[some], flipped[some], size, finish, style)
            for some in (slice(first, first + step) for first in range(0, max(batch, 1), step))
        ]
    return chunks[0] if len(chunks) == 1 else torch.cat(chunks)


def _chunk(
    images: Tensor, source: Tensor, target: Tensor, flipped: Tensor, size: Size, finish: Finish, style: Style
) -> Tensor:
    """Return `densely` of images that fit into memory together."""
    channels, height, width = images.shape[1:]
    work = images.dtype if images.dtype == torch.float64 else torch.float32
    columns = torch.arange(size[1], device=images.device).expand(len(images), -1)
    columns = torch.where(flipped[:, None], size[1] - 1 - columns, columns)
    rows = torch.arange(size[0], device=images.device).expand(len(images), -1)
    across, across_drawn = _shares(_weights(source[:, 0::2], target[:, 0::2], columns, width, style).to(work))
    down, down_drawn = _shares(_weights(source[:, 1::2], target[:, 1::2], rows, height, style).to(work))

    pixels = images.to(work)
    if images.dtype.is_floating_point:  # a weight of zero does not silence NaN
        inside = _within(source[:, 1::2], height)[:, None, :, None] & _within(source[:, 0::2], width)[:, None, None]
        pixels = torch.where(inside, pixels, 0.0)
    pixels = pixels @ across.transpose(1, 2)[:, None]
    bounded = style.interpolation == "bicubic" and not images.dtype.is_floating_point
    pixels = down[:, None] @ (pixels.clamp(0, 255) if bounded else pixels)
    if bounded:
        pixels = pixels.clamp(0, 255)

    line = line_of(finish, images.dtype, channels)
    if line is not None:
        pixels = pixels * column(line.slope, work, images.device) + column(line.offset, work, images.device)
    if not finish.dtype.is_floating_point:
        pixels = pixels.round().clamp(0, 255)
    drawn = down_drawn[:, None, :, None] & across_drawn[:, None, None]
    return torch.where(drawn, pixels, column(colour_of(finish, line, channels), work, images.device)).to(finish.dtype)


def _shares(weights: Tensor) -> tuple[Tensor, Tensor]:
    """Return weights of shape (B, L, length) whose rows sum to 1, and which rows have any: (B, L), bool."""
    total = weights.sum(2)
    drawn = total > 0
    return weights / torch.where(drawn, total, 1.0)[:, :, None], drawn


def _weights(source: Tensor, target: Tensor, positions: Tensor, length: int, style: Style) -> Tensor:
    """Return how much each source pixel counts in each output pixel, along one axis, before they are made to sum to 1.

    In units in which a source pixel is ``2 * drawn`` long and an output pixel ``2 * taken``, all centres are whole
    numbers, and so are the weights: exact, however large the image.

    Parameters
    ----------
    source, target : Tensor of shape (B, 2), int64
        Start and stop of both.
    positions : Tensor of shape (B, L), int64
        Pixels of the output.
    length : int
        Pixels of the image.
    style : Style
        By which filter.

    Returns
    -------
    Tensor of shape (B, L, length), int64; of the cubic filter [1]_, float64
        Zero outside of source and target; elsewhere a row has a sum above 0.

    References
    ----------
    .. [1] R. G. Keys, "Cubic convolution interpolation for digital image processing", IEEE Transactions on Acoustics,
       Speech, and Signal Processing, 1981; with a = -1/2.
    """
    taken, drawn = (source[:, 1] - source[:, 0])[:, None, None], (target[:, 1] - target[:, 0])[:, None, None]
    wanted = (positions - target[:, :1])[:, :, None]
    given = torch.arange(length, device=positions.device) - source[:, :1, None]
    distance = ((2 * given + 1) * drawn - (2 * wanted + 1) * taken).abs()
    unit = 2 * (torch.maximum(taken, drawn) if style.antialias else drawn)
    counts = (given >= 0) & (given < taken) & (wanted >= 0) & (wanted < drawn)
    if style.interpolation == "bilinear":
        return torch.where(counts, (unit - distance).clamp(min=0), 0)
    far = distance / unit.clamp(min=1).double()
    near = (1.5 * far - 2.5) * far * far + 1
    tail = ((2.5 - 0.5 * far) * far - 4) * far + 2
    return torch.where(counts & (far < 2), torch.where(far < 1, near, tail), 0.0)


def _within(ends: Tensor, length: int) -> Tensor:
    """Return which of the pixels along one axis lie between two ends: (B, length), bool."""
    pixels = torch.arange(length, device=ends.device)
    return (pixels >= ends[:, :1]) & (pixels < ends[:, 1:])
