"""A box among other shapes, and a box without area."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from safeaug.arrays import NUMPY
from safeaug.geometry import Box, Domain, Size, overlap
from safeaug.shapes.shape import Floats, Ints, Shape, columns, rows


@dataclass(frozen=True)
class Boxed:
    """A box of some area, inside the image."""

    box: Box

    solid: ClassVar[bool] = True

    @property
    def area(self) -> float:
        """Square pixels."""
        x0, y0, x1, y1 = self.box
        return (x1 - x0) * (y1 - y0)

    @property
    def rim(self) -> float:
        """Width and height."""
        x0, y0, x1, y1 = self.box
        return x1 - x0 + y1 - y0

    def inside(self, window: Sequence[float]) -> float:
        """Return its area in a window."""
        x0, y0, x1, y1 = self.box
        area: float = overlap(window[0], window[2], x0, x1) * overlap(window[1], window[3], y0, y1)
        return area

    def along(self, axis: int, start: Ints, length: int) -> Floats:
        """Return its area between ``start`` and ``start + length`` on one axis."""
        across = self.area / (self.box[axis + 2] - self.box[axis])
        area: Floats = across * overlap(start, start + length, self.box[axis], self.box[axis + 2], NUMPY)
        return area

    def surface(self, size: Size, domain: Domain) -> Floats:
        """Return its area in all windows of a size."""
        x, y = columns(domain), rows(domain)
        wide = overlap(x, x + size[1], self.box[0], self.box[2], NUMPY)
        high = overlap(y, y + size[0], self.box[1], self.box[3], NUMPY)
        area: Floats = wide[:, None] * high
        return area


@dataclass(frozen=True)
class Spot:
    """A box without area: a point that counts as one, inside or not, edges included.

    Parameters
    ----------
    box : (x, y, x, y)
        Where it is.
    slack : float
        Tolerance of its coordinates, in pixels.
    """

    box: Box
    slack: float

    area: ClassVar[float] = 1.0
    rim: ClassVar[float] = 0.0
    solid: ClassVar[bool] = False

    def inside(self, window: Sequence[float]) -> float:
        """Return 1.0 inside the window, 0.0 outside."""
        x, y, *_ = self.box
        inside_x = window[0] - self.slack <= x <= window[2] + self.slack
        return float(inside_x and window[1] - self.slack <= y <= window[3] + self.slack)

    def along(self, axis: int, start: Ints, length: int) -> Floats:
        """Return where it is between ``start`` and ``start + length`` on one axis."""
        at = self.box[axis]
        return ((start - self.slack <= at) & (at <= start + length + self.slack)).astype(np.float64)

    def surface(self, size: Size, domain: Domain) -> Floats:
        """Return 1.0 for every window of a size that holds it."""
        return self.along(0, columns(domain), size[1])[:, None] * self.along(1, rows(domain), size[0])


def boxed(box: Box, slack: float) -> Shape:
    """Return a box as a shape; one without area is a point.

    Examples
    --------
    >>> boxed((2.0, 2.0, 6.0, 4.0), 0.0).inside((0, 0, 4, 4))
    4.0
    >>> boxed((2.0, 2.0, 2.0, 2.0), 0.0).inside((0, 0, 2, 2))
    1.0
    """
    return Boxed(box) if box[0] < box[2] and box[1] < box[3] else Spot(box, slack)
