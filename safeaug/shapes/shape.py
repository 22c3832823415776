"""What the search asks of an object that is more than a box."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Box, Domain, Size

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Shape(Protocol):
    """A mass spread over the image."""

    @property
    def box(self) -> Box:
        """What bounds it, in the image frame, clipped to the image."""
        ...

    @property
    def area(self) -> float:
        """Its whole mass, above 0: square pixels, or the number of keypoints."""
        ...

    @property
    def rim(self) -> float:
        """Half the length of its outline: the area by which one pixel's shift can change what a window holds."""
        ...

    @property
    def solid(self) -> bool:
        """Whether it has an area, so that it can fill a window and be seen in pixels."""
        ...

    def inside(self, window: Sequence[float]) -> float:
        """Return its mass in a window."""
        ...

    def along(self, axis: int, start: Ints, length: int) -> Floats:
        """Return no less than its mass between ``start`` and ``start + length`` on one axis (0 is x).

        It bounds what a window there can hold, so it may be more than that, but not by much. The starts are whole
        numbers in a row.
        """
        ...

    def surface(self, size: Size, domain: Domain) -> Floats:
        """Return its mass in all windows of a size.

        Returns
        -------
        ndarray of shape (X, Y), float64 or a whole-number type
            For each column and row of the domain, in order.
        """
        ...


def columns(domain: Domain) -> Ints:
    """Return the columns of a domain."""
    return np.arange(domain.x0, domain.x1 + 1)


def rows(domain: Domain) -> Ints:
    """Return the rows of a domain."""
    return np.arange(domain.y0, domain.y1 + 1)
