"""A polygon, and a rotated box as one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from safeaug.errors import ContentError
from safeaug.geometry import Box, Domain, Size, clip_ring, ring_area
from safeaug.shapes.region import Region
from safeaug.shapes.shape import Floats, Ints

ROUNDING = 1e-14
"""Share of two products by which rounding may make their difference wrong."""


@dataclass(frozen=True, eq=False)
class Polygon:
    """A ring of corners, convex or not, clipped to the image.

    One window is judged by clipping the ring to it. All windows of a size are counted by the exact share of every pixel
    that the ring covers: windows stand on whole pixels, so the sum of these shares is the area.

    Parameters
    ----------
    ring : list of (x, y)
        At least three corners, of some area.
    """

    ring: list[tuple[float, float]]

    solid: ClassVar[bool] = True

    @cached_property
    def box(self) -> Box:
        """What bounds it."""
        x, y = zip(*self.ring, strict=True)
        return min(x), min(y), max(x), max(y)

    @cached_property
    def area(self) -> float:
        """Square pixels."""
        return ring_area(self.ring)

    @cached_property
    def rim(self) -> float:
        """Half the length of its outline."""
        return sum(map(math.dist, self.ring, self.ring[1:] + self.ring[:1])) / 2

    def inside(self, window: Sequence[float]) -> float:
        """Return its area in a window."""
        x0, y0, x1, y1 = self.box
        if window[0] <= x0 and window[1] <= y0 and x1 <= window[2] and y1 <= window[3]:
            return self.area
        if window[2] <= x0 or window[3] <= y0 or x1 <= window[0] or y1 <= window[1]:
            return 0.0
        return ring_area(clip_ring(self.ring, window))

    def along(self, axis: int, start: Ints, length: int) -> Floats:
        """Return its area between ``start`` and ``start + length`` on one axis."""
        return self.covered.along(axis, start, length)

    def surface(self, size: Size, domain: Domain) -> Floats:
        """Return its area in all windows of a size."""
        return self.covered.surface(size, domain)

    @cached_property
    def covered(self) -> Region:
        """The exact share of every pixel that it covers."""
        left, top = math.floor(self.box[0]), math.floor(self.box[1])
        size = math.ceil(self.box[3]) - top, math.ceil(self.box[2]) - left
        return Region(coverage(np.array(self.ring) - [left, top], size), left, top, self.rim)


def coverage(ring: NDArray[np.float64], size: Size) -> NDArray[np.float64]:
    """Return the exact share of each pixel that a ring covers, whichever way round it is.

    Parameters
    ----------
    ring : ndarray of shape (K, 2)
        Corners (x, y), inside the map.
    size : (int, int)
        Height and width of the map.

    Examples
    --------
    >>> coverage(np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]]), (2, 2)).tolist()
    [[1.0, 0.5], [0.5, 0.0]]
    """
    return np.clip(np.abs(winding_coverage([ring], size)), 0.0, 1.0)


def winding_coverage(rings: Sequence[NDArray[np.float64]], size: Size) -> NDArray[np.float64]:
    """Return the sum of what rings cover of each pixel: added where one turns from x to y, and taken off otherwise.

    Parameters
    ----------
    rings : sequence of ndarray of shape (K, 2)
        Corners (x, y), inside the map.
    size : (int, int)
        Height and width of the map.

    Notes
    -----
    A sum over the edges, each cut at the pixels' borders. A piece that rises by ``dy`` inside of a pixel, at the mean
    distance ``r`` from its right side, bounds an area of ``dy · r`` to its right in that pixel and of ``dy`` in every
    pixel behind it. So the pieces add up in the two pixels where that changes, and a sum along each row does the rest.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]])
    >>> winding_coverage([square, square[::-1] / 2], (1, 2)).tolist()
    [[0.5, 1.0]]
    """
    height, width = size
    start = np.concatenate(rings)
    stop = np.concatenate([np.roll(ring, -1, axis=0) for ring in rings])
    step = stop - start
    edges = np.arange(len(start))
    (across, at_x), (down, at_y) = _crossings(start[:, 0], stop[:, 0]), _crossings(start[:, 1], stop[:, 1])
    edge = np.concatenate([edges, edges, across, down])
    at = np.concatenate([np.zeros(len(edges)), np.ones(len(edges)), at_x, at_y])
    order = np.lexsort((at, edge))
    edge, at = edge[order], at[order]
    x, y = (start[edge] + at[:, None] * step[edge]).T
    pieces = edge[:-1] == edge[1:]
    rise = np.where(pieces, y[:-1] - y[1:], 0.0)
    middle_x, middle_y = (x[:-1] + x[1:]) / 2, (y[:-1] + y[1:]) / 2
    i = np.clip(np.floor(middle_x).astype(int), 0, width - 1)
    j = np.clip(np.floor(middle_y).astype(int), 0, height - 1)
    where = np.concatenate([j * (width + 1) + i, j * (width + 1) + i + 1])
    parts = np.concatenate([rise * (i + 1 - middle_x), rise * (middle_x - i)])
    summed = np.bincount(where, weights=parts, minlength=height * (width + 1)).reshape(height, width + 1)
    return np.cumsum(summed, axis=1, dtype=np.float64)[:, :-1]


def _crossings(start: NDArray[np.float64], stop: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return where, as shares of their ways, a coordinate of edges passes whole numbers: which edge, and where."""
    low = np.floor(np.minimum(start, stop)) + 1
    count = np.maximum(np.ceil(np.maximum(start, stop)) - low, 0).astype(int)
    edge = np.repeat(np.arange(len(start)), count)
    number = np.arange(len(edge)) - np.repeat(np.cumsum(count) - count, count)
    return edge, (low[edge] + number - start[edge]) / (stop - start)[edge]


def polygon_of(corners: ArrayLike, image_size: Size, name: str = "polygon") -> Polygon | Box | None:
    """Return a polygon clipped to the image; its centre as a box if it has no area; None where it lies outside.

    Parameters
    ----------
    corners : array_like of shape (K, 2)
        At least three corners (x, y) in order, either way round; the last may repeat the first.
    image_size : (int, int)
        Height and width of the image.
    name : str
        What an error calls it.

    Raises
    ------
    ContentError
        On coordinates that are not finite, fewer than three corners, or edges that cross each other.

    Examples
    --------
    >>> polygon_of([[-2, 2], [2, 2], [2, 6], [-2, 6]], (10, 10)).area
    8.0
    """
    try:
        array = np.asarray(corners, dtype=np.float64)
    except (TypeError, ValueError):
        raise ContentError(f"{name} must be numbers of shape (K, 2), got {corners!r}") from None
    if array.ndim != 2 or array.shape[1] != 2 or len(array) < 3:
        raise ContentError(f"{name} must be at least three corners of shape (K, 2), got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ContentError(f"{name} must be of finite numbers, got {array.tolist()}")
    # A corner that repeats the one before says nothing.
    ring = array[np.any(array != np.roll(array, 1, axis=0), axis=1)]
    ring = ring if len(ring) else array[:1]
    crossing = _first_crossing(ring)
    if crossing is not None:
        one, other = crossing
        raise ContentError(f"{name} must not cross itself, but its edges {one} and {other} do; order its corners")
    x, y = ring.mean(axis=0).tolist()
    height, width = image_size
    whole = list(map(tuple, ring.tolist()))
    if ring_area(whole) <= 0:
        return (x, y, x, y) if 0 <= x <= width and 0 <= y <= height else None
    clipped = clip_ring(whole, (0, 0, width, height))
    return Polygon(clipped) if ring_area(clipped) > 0 else None


def _first_crossing(ring: NDArray[np.float64]) -> tuple[int, int] | None:
    """Return two edges that cross properly: each has the ends of the other on both sides."""
    start, stop = ring, np.roll(ring, -1, axis=0)

    def side(of: NDArray[np.float64]) -> NDArray[np.float64]:
        """On which side of each edge (rows) a point lies (columns)."""
        along = (stop - start)[:, None]
        toward = of[None] - start[:, None]
        one, other = along[..., 0] * toward[..., 1], along[..., 1] * toward[..., 0]
        # What rounding alone can make of points on one line lies on neither side.
        return np.where(np.abs(one - other) <= ROUNDING * (np.abs(one) + np.abs(other)), 0.0, np.sign(one - other))

    apart = side(start) * side(stop) < 0
    crossing = np.argwhere(apart & apart.T)
    return (int(crossing[0][0]), int(crossing[0][1])) if len(crossing) else None
