"""How pixels are handed on: their dtype, their normalisation, and the colour where there is no picture."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor


class Finish(NamedTuple):
    """How pixels are handed on.

    Whole numbers that become floating ones are first divided by 255; floating ones are not scaled. Then the mean is
    subtracted and the standard deviation divides.

    Parameters
    ----------
    dtype : torch.dtype
        Of the output: a floating one, or uint8 for pictures of uint8.
    mean, std : tuple of float, or None
        Per channel, or one for all, in units of the scaled pixels: in [0, 1] for pictures of uint8. None is 0 and 1.
    fill : tuple of float
        Per channel, or one for all, in units of the pictures: the colour where there is no picture. It is finished like
        every pixel.
    """

    dtype: torch.dtype
    mean: tuple[float, ...] | None
    std: tuple[float, ...] | None
    fill: tuple[float, ...]


class Line(NamedTuple):
    """All that finishing does to a pixel: times slope, plus offset. Both per channel."""

    slope: tuple[float, ...]
    offset: tuple[float, ...]


def line_of(finish: Finish, dtype: torch.dtype, channels: int) -> Line | None:
    """Return the line that finishes pixels of a dtype, or None where they are handed on as they are.

    Raises
    ------
    ValueError
        Where pixels of this dtype cannot be finished so.

    Examples
    --------
    >>> line_of(Finish(torch.float32, mean=(0.5,), std=(0.5,), fill=(0.0,)), torch.float32, 3)
    Line(slope=(2.0, 2.0, 2.0), offset=(-1.0, -1.0, -1.0))
    >>> line_of(Finish(torch.uint8, mean=None, std=None, fill=(0.0,)), torch.uint8, 3)
    """
    if not finish.dtype.is_floating_point and (dtype != finish.dtype or finish.mean or finish.std):
        raise ValueError(f"{finish.dtype} is handed on from {finish.dtype} only, without mean and std; got {dtype}")
    unit = 255.0 if finish.dtype.is_floating_point and not dtype.is_floating_point else 1.0
    if unit == 1.0 and finish.mean is None and finish.std is None:
        return None
    mean, std = spread(finish.mean or (0.0,), channels), spread(finish.std or (1.0,), channels)
    return Line(tuple(1 / (unit * s) for s in std), tuple(-m / s for m, s in zip(mean, std, strict=True)))


def colour_of(finish: Finish, line: Line | None, channels: int) -> tuple[float, ...]:
    """Return the fill of each channel as it stands in the output."""
    fill = spread(finish.fill, channels)
    if not finish.dtype.is_floating_point:
        return tuple(float(min(max(round(value), 0), 255)) for value in fill)
    if line is None:
        return fill
    return tuple(value * slope + offset for value, slope, offset in zip(fill, *line, strict=True))


def spread(values: Sequence[float], channels: int) -> tuple[float, ...]:
    """Return one value a channel, from that or from one for all."""
    if len(values) not in (1, channels):
        raise ValueError(f"one value, or one for each of {channels} channels, got {len(values)}: {tuple(values)!r}")
    return tuple(values) if len(values) == channels else tuple(values) * channels


def column(values: Sequence[float], dtype: torch.dtype, device: torch.device) -> Tensor:
    """Return values per channel as a tensor of shape (C, 1, 1).

    Each is written by the device itself: a copy from the host would make the host wait for it.
    """
    return torch.stack([torch.full((1, 1), value, dtype=dtype, device=device) for value in values])
