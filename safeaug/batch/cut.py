"""How a random crop draws: one size, at a uniform position in the image and its padding."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from safeaug.batch.ops import TORCH
from safeaug.candidates import Law
from safeaug.geometry import Size, Window, window_at


@dataclass(frozen=True)
class Cut:
    """The law of a random crop.

    Where the padded image is smaller than the window, the window stands around all of it, at a uniform position:
    nothing is scaled and nothing is cut off.

    Parameters
    ----------
    size : (int, int)
        Height and width of the window, which is the output.
    padding : (int, int, int, int)
        By how many pixels a window may reach over the image's left, upper, right and lower edge.
    """

    size: Size
    padding: tuple[int, int, int, int] = (0, 0, 0, 0)

    law = Law.UNIFORM
    redraws = False
    enlarges = False

    def table(self) -> list[int]:
        """Return nothing: a position is all that is drawn."""
        return []

    def output(self, size: Any) -> Any:
        """Return a window's own size: it is not resized."""
        return self.size

    def windows(self, words: Tensor, sizes: Tensor, table: Tensor) -> Tensor:
        """Return what the host draws, of shape (B, K, 4), from words of shape (B, K, W); see `Resized.windows`."""
        x0, x1, y0, y1 = self._domain(sizes[:, None, 0], sizes[:, None, 1], TORCH.minimum, TORCH.maximum)
        x, y = x0 + (words[..., 0] * (x1 - x0 + 1) >> 32), y0 + (words[..., 1] * (y1 - y0 + 1) >> 32)
        return torch.stack([x, y, x + self.size[1], y + self.size[0]], dim=-1)

    def window(self, words: Sequence[int], image_size: Size, table: Sequence[int]) -> Window:
        """Return what the host draws from the words of one draw; the same as `windows`, in plain numbers."""
        x0, x1, y0, y1 = self._domain(*image_size, min, max)
        x, y = x0 + (words[0] * (x1 - x0 + 1) >> 32), y0 + (words[1] * (y1 - y0 + 1) >> 32)
        return window_at(x, y, self.size)

    def domain(self, sizes: Any, size: Any) -> tuple[Any, Any, Any, Any]:
        """Return first and last x, first and last y of the positions for a window: numbers or tensors."""
        tensors = isinstance(sizes[0], Tensor)
        return self._domain(*sizes, *((TORCH.minimum, TORCH.maximum) if tensors else (min, max)))

    def _domain(self, height: Any, width: Any, least: Any, greatest: Any) -> tuple[Any, Any, Any, Any]:
        left, top, right, bottom = self.padding
        x0, x1 = -left, width + right - self.size[1]
        y0, y1 = -top, height + bottom - self.size[0]
        return least(x1, x0), greatest(x1, x0), least(y1, y0), greatest(y1, y0)

    def positions(self, extent: int) -> int:
        """Return how many positions along one axis a window can have at most, in images with no side above this."""
        left, top, right, bottom = self.padding
        return max(extent + max(left + right, top + bottom), *self.size)

    def lattice(self, image_size: Size) -> Iterable[Size]:
        """Return no further size."""
        return ()

    def shares_and_ratios(self) -> list[tuple[float, float]]:
        """Return no further size."""
        return []
