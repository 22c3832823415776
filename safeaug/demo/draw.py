"""One draw: the window, what it holds, what it became; and a pair of draws, without the guard and with it."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Size, Window, size_of


class Draw(NamedTuple):
    """One window and what it holds.

    Parameters
    ----------
    window : (x0, y0, x1, y1)
        What was taken of the picture, in the image frame; of a picture that is only scaled, all of it.
    size : (int, int)
        Height and width of what became of it.
    area : float
        Share of the picture that the window covers.
    retention : ndarray of shape (N,)
        Share of each object inside.
    pixels : ndarray of shape (N,)
        Pixels of the output that each object covers.
    kept : bool
        Whether the window keeps what the policy asks.
    micros : float
        What the whole call took, in microseconds.
    crop : ndarray of shape (H, W, 3), uint8, or None
        The output as it would be trained on; held for a few draws only.
    """

    window: Window
    size: Size
    area: float
    retention: NDArray[np.float64]
    pixels: NDArray[np.float64]
    kept: bool
    micros: float
    crop: NDArray[np.uint8] | None

    @property
    def scale(self) -> float:
        """Pixels of the output a pixel of the picture, on a side."""
        return math.sqrt(math.prod(self.size) / math.prod(size_of(self.window)))


class Pair(NamedTuple):
    """The same draw of the host, without the guard and with it."""

    plain: Draw
    guarded: Draw

    @property
    def changed(self) -> bool:
        """Whether the guard took another window than the host drew, or made another size of it."""
        return (self.plain.window, self.plain.size) != (self.guarded.window, self.guarded.size)
