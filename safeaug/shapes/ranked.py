"""A map of what matters as windows of one size are ranked by it: by what each holds, in whole cells.

A window of ``h × w`` pixels is taken for one of ``round(h · gh / H) × round(w · gw / W)`` cells of a ``gh × gw`` map,
at least one; the positions inside the image are spread evenly over those inside the map. So the masses of all windows
of a size are a few hundred whole numbers, and equal ones are equal. Outside of the image the map goes on as its least
cell: where a host pads, a flat map prefers nothing still.

All is done for many images at once, since one by one the calls would cost more than what they do.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Box, Domain, Size
from safeaug.shapes.salience import Salience
from safeaug.shapes.shape import Floats, Ints

ROUNDING = 1e-9
"""Share of the positions by which floating point may miss a share."""


class Axis(NamedTuple):
    """How the windows of a domain lie on the cells along one axis.

    Parameters
    ----------
    side, length : int
        Of the image and of the window, in pixels.
    cells, span : int
        Of the map and of the window, in cells.
    first, last : int
        Pixels at which the first and the last window begin.
    """

    side: int
    length: int
    cells: int
    span: int
    first: int
    last: int

    def cell(self, start: int) -> int:
        """Return the cell at which a window begins that begins at a pixel; outside of the map, where it is padded."""
        room, steps = self.side - self.length, self.cells - self.span
        low, high = min(room, 0), max(room, 0)
        if start < low:
            return min(steps, 0) - _rounded((low - start) * self.cells, self.side)
        if start > high:
            return max(steps, 0) + _rounded((start - high) * self.cells, self.side)
        return min(steps, 0) + (_rounded((start - low) * abs(steps), abs(room)) if room else 0)

    @property
    def ends(self) -> tuple[int, int]:
        """The cells at which the first and the last window begin."""
        if not self.first and self.last == self.side - self.length:  # all over the image, as a rule
            return 0, self.cells - self.span
        return self.cell(self.first), self.cell(self.last)

    @property
    def pads(self) -> bool:
        """Whether some window reaches over the image."""
        return self.first < 0 or self.last > self.side - self.length


def _rounded(product: int, by: int) -> int:
    """Return a quotient of whole numbers as the nearest whole number, a half upward."""
    return (2 * product + by) // (2 * by)


class Ranked(NamedTuple):
    """What windows of one size hold of a map: a `Shape` for windows of that size alone.

    Parameters
    ----------
    salience : Salience
        The map.
    across, down : Axis
        How these windows lie on its cells.
    masses : ndarray of shape (columns, rows), int64
        What the window at each of the domain's cells holds.
    columns, rows : ndarray, int64
        How many positions lie at each of them, along either axis.
    """

    salience: Salience
    across: Axis
    down: Axis
    masses: Ints
    columns: Ints
    rows: Ints

    @property
    def rim(self) -> float:
        """Its cells are exact."""
        return 0.0

    @property
    def solid(self) -> bool:
        """It has no area of its own, to fill a window or to be seen."""
        return False

    @property
    def box(self) -> Box:
        """What bounds the cells that have any mass."""
        return self.salience.box

    @property
    def area(self) -> float:
        """The whole mass of the map."""
        return self.salience.area

    def inside(self, window: Sequence[float]) -> float:
        """Return the mass of a window of this size."""
        left, top = round(window[0]), round(window[1])
        x, y = self.across.cell(left) - self.across.ends[0], self.down.cell(top) - self.down.ends[0]
        if 0 <= x < len(self.columns) and 0 <= y < len(self.rows):
            return float(self.masses[x, y])
        return float(self.among(Domain(left, left, top, top)).masses[0, 0])

    def along(self, axis: int, start: Ints, length: int) -> Floats:
        """Return the most that a window of the domain holds which begins at some pixel of one axis."""
        low, high = int(start[0]), int(start[-1])
        x, y = (self.across.first, self.across.last), (self.down.first, self.down.last)
        ranked = self.among(Domain(low, high, *y) if axis == 0 else Domain(*x, low, high))
        most: Floats = ranked.masses.max(axis=1 - axis).astype(np.float64)
        return most.repeat((ranked.columns, ranked.rows)[axis])

    def surface(self, size: Size, domain: Domain) -> Any:
        """Return the masses of all windows, whole numbers."""
        ranked = self.among(domain)
        return ranked.masses.repeat(ranked.columns, axis=0).repeat(ranked.rows, axis=1)

    def among(self, domain: Domain) -> "Ranked":
        """Return the same among other positions."""
        x0, x1, y0, y1 = domain
        if (x0, x1, y0, y1) == (self.across.first, self.across.last, self.down.first, self.down.last):
            return self
        return ranked_of([self.salience], [(self.down.length, self.across.length)], [domain])[0]


def ranked_of(maps: Sequence[Salience], sizes: Sequence[Size], domains: Sequence[Domain]) -> list[Ranked]:
    """Return what windows hold of maps, of one size each.

    Parameters
    ----------
    maps : sequence of Salience
        One an image.
    sizes : sequence of (int, int)
        Height and width of the windows in each.
    domains : sequence of Domain
        Their positions; at least one in each.

    Examples
    --------
    >>> dot = Salience(np.array([[0, 0, 9, 0]], np.uint8), (8, 8))
    >>> (ranked,) = ranked_of([dot], [(8, 4)], [Domain(0, 4, 0, 0)])
    >>> ranked.masses.tolist(), ranked.columns.tolist()
    ([[0], [9], [9]], [1, 2, 2])
    """
    axes: list[Axis] = []
    for salience, size, (x0, x1, y0, y1) in zip(maps, sizes, domains, strict=True):
        (height, width), (down, across) = salience.image_size, salience.cells.shape
        axes.append(Axis(width, size[1], across, _rounded(size[1] * across, width) or 1, x0, x1))
        axes.append(Axis(height, size[0], down, _rounded(size[0] * down, height) or 1, y0, y1))
    ends = [axis.ends for axis in axes]
    pads = [axis.pads for axis in axes]
    counts = _counts(axes, ends, pads)
    grids = [
        _grown(salience.cells, (axes[2 * i], axes[2 * i + 1]), ends[2 * i], ends[2 * i + 1])
        if pads[2 * i] or pads[2 * i + 1]
        else (salience.cells, ends[2 * i], ends[2 * i + 1])
        for i, salience in enumerate(maps)
    ]
    masses = _masses(grids, [axis.span for axis in axes])
    return list(map(Ranked, maps, axes[::2], axes[1::2], masses, counts[::2], counts[1::2]))


def _counts(axes: Sequence[Axis], ends: Sequence[tuple[int, int]], pads: Sequence[bool]) -> list[Ints]:
    """Return how many of an axis's windows begin at each cell.

    Inside the image by the first start of each cell: the least whole number from which on `Axis.cell` rounds up to it.
    Of numbers of this size a quotient that is not whole keeps further from one than floating point rounds.
    """
    numbers = np.fromiter(chain.from_iterable(axes), np.int64, len(axes) * len(Axis._fields))
    side, length, cells, span, first, last = numbers.reshape(len(axes), -1).T
    low, high = np.fromiter(chain.from_iterable(ends), np.int64, 2 * len(ends)).reshape(-1, 2).T
    room, steps = side - length, np.maximum(cells - span, 1)
    upto = np.cumsum(high - low + 2)  # an edge before each cell, and one behind the last
    number = np.repeat(np.arange(len(axes)), high - low + 2)
    cell = np.arange(upto[-1]) - (upto - high - 2)[number]
    edges = np.ceil((2 * cell - 1) * room[number] / (2 * steps)[number]).astype(np.int64)
    edges[upto - (high - low + 2)], edges[upto - 1] = first, last + 1
    counts, stops = edges[1:] - edges[:-1], upto.tolist()
    begins = [0, *stops[:-1]]
    return [
        _counts_padded(axis) if padded else counts[begin : stop - 1]
        for axis, padded, begin, stop in zip(axes, pads, begins, stops, strict=True)
    ]


def _counts_padded(axis: Axis) -> Ints:
    cells = np.array([axis.cell(start) for start in range(axis.first, axis.last + 1)])
    return np.bincount(cells - cells[0])


_Grid = tuple[NDArray[np.uint8], tuple[int, int], tuple[int, int]]
"""A map, and the cells between which windows begin, across and down."""


def _grown(cells: NDArray[np.uint8], axes: tuple[Axis, Axis], x: tuple[int, int], y: tuple[int, int]) -> _Grid:
    """Return a map that goes on outside of the image as far as windows reach."""
    across, down = axes
    left, top = max(-x[0], 0), max(-y[0], 0)
    right, bottom = max(x[1] + across.span - across.cells, 0), max(y[1] + down.span - down.cells, 0)
    grown = np.pad(cells, ((top, bottom), (left, right)), constant_values=cells.min())
    return grown, (x[0] + left, x[1] + left), (y[0] + top, y[1] + top)


def _masses(grids: Sequence[_Grid], spans: Sequence[int]) -> list[Ints]:
    """Return the masses of the windows at all cells of some grids.

    One running sum over all rows of all maps: of it the mass of any part of a row is a difference. Another one over
    what the windows hold of each row, column behind column, and so of each window.
    """
    shapes = [(cells.shape[0], cells.shape[1] + 1, x[1] - x[0] + 1) for cells, x, _ in grids]
    flat, begin = np.zeros(sum([high * wide for high, wide, _ in shapes]), np.int64), 0
    sums = []
    for (high, wide, _), (cells, _, _) in zip(shapes, grids, strict=True):
        block = flat[begin : begin + high * wide].reshape(high, wide)
        block[:, 1:] = cells
        sums.append(block)
        begin += high * wide
    np.add.accumulate(flat, out=flat)
    flat, begin = np.zeros(sum([(high + 1) * count for high, _, count in shapes]), np.int64), 0
    strips = []
    for (high, _, count), block, (_, (first, last), _), span in zip(shapes, sums, grids, spans[::2], strict=True):
        strip = flat[begin : begin + count * (high + 1)].reshape(count, high + 1)
        np.subtract(block[:, first + span : last + span + 1], block[:, first : last + 1], out=strip[:, 1:].T)
        strips.append(strip)
        begin += count * (high + 1)
    np.add.accumulate(flat, out=flat)
    return [
        strip[:, first + span : last + span + 1] - strip[:, first : last + 1]
        for strip, span, (_, _, (first, last)) in zip(strips, spans[1::2], grids, strict=True)
    ]


def thresholds_of(ranked: Sequence[Ranked], min_rank: float) -> list[float]:
    """Return the least mass of a window of rank, of each of many maps.

    Parameters
    ----------
    ranked : sequence of Ranked
        What windows hold.
    min_rank : float
        Windows of rank are no more than ``1 - min_rank`` of all, as far as that parts no equals; where already those
        that hold the most are more, they are the windows of rank.

    Returns
    -------
    list of float
        Masses that some window has.
    """
    weights = [each.columns[:, None] * each.rows for each in ranked]
    return _thresholds([each.masses for each in ranked], weights, min_rank)


def threshold_within(ranked: Ranked, min_rank: float, within: NDArray[np.bool_]) -> float:
    """Return the least mass of a window of rank among some positions.

    Parameters
    ----------
    ranked : Ranked
        What windows hold.
    min_rank : float
        See `thresholds_of`.
    within : ndarray of shape (X, Y), bool
        Which positions of the domain.

    Returns
    -------
    float
        0 where there is no position.
    """
    if not within.any():
        return 0.0
    x, y = (np.repeat(np.arange(len(counts)), counts) for counts in (ranked.columns, ranked.rows))
    places = (x[:, None] * len(ranked.rows) + y)[within]
    weights = np.bincount(places, minlength=ranked.masses.size).reshape(ranked.masses.shape)
    return _thresholds([ranked.masses], [weights], min_rank)[0]


def _thresholds(masses: Sequence[Ints], weights: Sequence[Ints], min_rank: float) -> list[float]:
    """Return of each set the least mass that weighs at most ``1 - min_rank`` with all greater ones; else the greatest.

    All are sorted together: above each mass stands the number of its set, and in the low bits its weight.
    """
    mass = np.concatenate([each.reshape(-1) for each in masses])
    weight = np.concatenate([each.reshape(-1) for each in weights])
    number = np.repeat(np.arange(len(masses)), [each.size for each in masses])
    bits, room = int(weight.max()).bit_length(), int(mass.max() + 1).bit_length()
    keys = number << room
    keys |= mass
    keys <<= bits
    keys |= weight
    if not weight.all():  # cells at which no position lies
        keys = keys[weight > 0]
    keys.sort()
    upto = np.add.accumulate(keys & ((1 << bits) - 1))
    keys >>= bits  # sets and masses
    ends = keys.searchsorted(np.arange(1, len(masses) + 1) << room)
    begun = np.concatenate([[0], upto[ends - 1]])
    total = begun[1:] - begun[:-1]
    below = total * (min_rank - ROUNDING)
    # The first mass up to which so many are passed over: what is kept is greater, and not its equal.
    passed = keys[upto.searchsorted(begun[:-1] + below)]
    first = np.minimum(keys.searchsorted(passed, side="right"), ends - 1)
    if min_rank <= 0:
        first = np.concatenate([[0], ends[:-1]])
    found: list[float] = (keys[first] & ((1 << room) - 1)).astype(np.float64).tolist()
    return found
