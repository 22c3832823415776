"""How a random resized crop draws: an area and a ratio within bounds, and a position.

Ten attempts, each an area and a ratio; the first that fits the image stands, at a uniform position. Where none fits,
the largest centred window of an allowed ratio does. That is torchvision's law.

Chance enters in whole numbers: 16 bits pick one of 65 536 areas, 16 the ratio, on a table that is even in its
logarithm. What remains are products, quotients and roots, which IEEE 754 rounds correctly everywhere. So a window is
the same to the bit in plain numbers and in tensors, compiled or not, on any device, which no exponential function would
promise.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from safeaug.candidates import Law
from safeaug.geometry import Size, Window, window_at

ATTEMPTS = 10

SIDE = 8
"""Areas, and ratios, of the fixed lattice."""

RATIOS = 2.0**-10, 2.0**10
"""Least and greatest ratio that fixed point holds to a millionth."""

_ONE = 1 << 32
"""1 in fixed point."""

_CELLS = 256
"""Cells of the table of ratios; inside of one the ratio is interpolated, and is off by less than a millionth."""


class _Reals(NamedTuple):
    """What turns whole numbers into sides, of plain numbers or of tensors."""

    real: Callable[[Any], Any]
    sqrt: Callable[[Any], Any]
    rounded: Callable[[Any], Any]


_PLAIN = _Reals(float, math.sqrt, round)
_TENSORS = _Reals(Tensor.double, torch.sqrt, torch.round)


@dataclass(frozen=True)
class Resized:
    """The law of a random resized crop.

    Parameters
    ----------
    size : (int, int)
        Height and width to which windows are resized.
    scale : (float, float)
        Least and greatest share of the image's area.
    ratio : (float, float)
        Least and greatest width over height.
    """

    size: Size
    scale: tuple[float, float]
    ratio: tuple[float, float]

    law = Law.UNIFORM
    redraws = True
    enlarges = True

    def table(self) -> list[int]:
        """Return ratios in fixed point, evenly in their logarithm, both ends included."""
        low, high = (math.log(end) for end in self.ratio)
        return [round(math.exp(low + (high - low) * i / _CELLS) * _ONE) for i in range(_CELLS + 1)]

    def output(self, size: Any) -> Any:
        """Return the size to which a window of any size is resized."""
        return self.size

    def windows(self, words: Tensor, sizes: Tensor, table: Tensor) -> Tensor:
        """Return what the host draws.

        Parameters
        ----------
        words : Tensor of shape (B, K, W), int64
            Random words of each draw, of which the first twelve are taken.
        sizes : Tensor of shape (B, 2), int64
            Height and width of each image.
        table : Tensor of shape (257,), int64
            See `table`.

        Returns
        -------
        Tensor of shape (B, K, 4), int64
            Windows, in the image frame.
        """
        height, width = sizes[:, None, 0], sizes[:, None, 1]
        tall, wide = self._attempted(words[..., :ATTEMPTS], (height * width)[..., None], table, _TENSORS)
        fits = (tall > 0) & (tall <= height[..., None]) & (wide > 0) & (wide <= width[..., None])
        number = torch.arange(ATTEMPTS, device=words.device)
        first = torch.where(fits, number, ATTEMPTS).amin(-1, keepdim=True)
        drawn = first[..., 0] < ATTEMPTS
        first = first.clamp(max=ATTEMPTS - 1)
        tall, wide = tall.gather(-1, first)[..., 0].long(), wide.gather(-1, first)[..., 0].long()
        centred_tall, centred_wide = self._centred(height, width)
        tall, wide = torch.where(drawn, tall, centred_tall), torch.where(drawn, wide, centred_wide)
        y = torch.where(drawn, words[..., ATTEMPTS] * (height - tall + 1) >> 32, (height - tall) // 2)
        x = torch.where(drawn, words[..., ATTEMPTS + 1] * (width - wide + 1) >> 32, (width - wide) // 2)
        return torch.stack([x, y, x + wide, y + tall], dim=-1)

    def window(self, words: Sequence[int], image_size: Size, table: Sequence[int]) -> Window:
        """Return what the host draws from the words of one draw; the same as `windows`, in plain numbers."""
        height, width = image_size
        for word in words[:ATTEMPTS]:
            size = self._attempted(word, height * width, table, _PLAIN)
            if 0 < size[0] <= height and 0 < size[1] <= width:
                y, x = words[ATTEMPTS] * (height - size[0] + 1) >> 32, words[ATTEMPTS + 1] * (width - size[1] + 1) >> 32
                return window_at(x, y, size)
        tall, wide = self._centred_one(image_size)
        return window_at((width - wide) // 2, (height - tall) // 2, (tall, wide))

    def _attempted(self, word: Any, area: Any, table: Any, reals: _Reals) -> tuple[Any, Any]:
        """Return height and width of an attempt: whole numbers, of tensors as float64."""
        low, high = (round(end * _ONE) for end in self.scale)
        share = reals.real(low + ((high - low) * (word >> 16) >> 16)) * 2.0**-32
        cell, part = word >> 8 & 0xFF, word & 0xFF
        ratio = reals.real(table[cell] + ((table[cell + 1] - table[cell]) * part >> 8)) * 2.0**-32
        target = reals.real(area) * share
        return reals.rounded(reals.sqrt(target / ratio)), reals.rounded(reals.sqrt(target * ratio))

    def _centred_one(self, image_size: Size) -> Size:
        height, width = image_size
        low, high = self.ratio
        if width < low * height:
            return min(max(round(width / low), 1), height), width
        if width > high * height:
            return height, min(max(round(height * high), 1), width)
        return image_size

    def _centred(self, height: Tensor, width: Tensor) -> tuple[Tensor, Tensor]:
        """Return the size of the largest window of an allowed ratio."""
        low, high = self.ratio
        tall = (width.double() / torch.full_like(width, low, dtype=torch.float64)).round().long().clamp(min=1)
        wide = (height.double() * high).round().long().clamp(min=1)
        narrow, flat = width < low * height.double(), width > high * height.double()
        return (
            torch.where(narrow, torch.minimum(tall, height), height),
            torch.where(flat & ~narrow, torch.minimum(wide, width), width),
        )

    def domain(self, sizes: Any, size: Any) -> tuple[Any, Any, Any, Any]:
        """Return first and last x, first and last y of the positions for a window: numbers or tensors.

        Parameters
        ----------
        sizes : (height, width)
            Of the image.
        size : (height, width)
            Of the window.
        """
        return 0, sizes[1] - size[1], 0, sizes[0] - size[0]

    def positions(self, extent: int) -> int:
        """Return how many positions along one axis a window can have at most, in images with no side above this."""
        return extent

    def lattice(self, image_size: Size) -> Iterable[Size]:
        """Return the sizes of 8 areas × 8 ratios, ends included, that fit the image, each once."""
        height, width = image_size
        sizes = set()
        for share, ratio in self.shares_and_ratios():
            area = height * width * share
            size = round(math.sqrt(area / ratio)), round(math.sqrt(area * ratio))
            if 0 < size[0] <= height and 0 < size[1] <= width:
                sizes.add(size)
        return sorted(sizes)

    def shares_and_ratios(self) -> list[tuple[float, float]]:
        """Return of each size of the lattice its share of the image's area, and its ratio."""
        (low, high), (narrow, flat) = self.scale, map(math.log, self.ratio)
        return [
            (low + (high - low) * i / (SIDE - 1), math.exp(narrow + (flat - narrow) * j / (SIDE - 1)))
            for i in range(SIDE)
            for j in range(SIDE)
        ]
