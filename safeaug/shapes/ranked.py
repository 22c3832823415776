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
    low, high : int
        Cells at which they do.
    """

    side: int
    length: int
    cells: int
    span: int
    first: int
    last: int
    low: int
    high: int

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
    def pads(self) -> bool:
        """Whether some window reaches over the image."""
        return self.first < 0 or self.last > self.side - self.length


def _axis(side: int, length: int, cells: int, first: int, last: int) -> Axis:
    span = _rounded(length * cells, side) or 1
    axis = Axis(side, length, cells, span, first, last, 0, cells - span)
    if first == 0 and last == side - length:  # all over the image, as a rule
        return axis
    return axis._replace(low=axis.cell(first), high=axis.cell(last))


def _rounded(product: int, by: int) -> int:
    """Return a quotient of whole numbers as the nearest whole number, a half upward."""
    return (2 * product + by) // (2 * by)


Whole = NDArray[np.int32 | np.int64]
"""Whole numbers, in the narrower type where that will do: it is sorted in half the time."""


def _kind(most: int) -> type[np.int32 | np.int64]:
    """Return the type of whole numbers up to some."""
    return np.int32 if most < 2**31 else np.int64


class Ranked(NamedTuple):
    """What windows of one size hold of a map: a `Shape` for windows of that size alone.

    Parameters
    ----------
    salience : Salience
        The map.
    across, down : Axis
        How these windows lie on its cells.
    masses : ndarray of shape (columns, rows), int32 or int64
        What the window at each of the domain's cells holds.
    columns, rows : ndarray, int64
        How many positions lie at each of them, along either axis.
    """

    salience: Salience
    across: Axis
    down: Axis
    masses: Whole
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
        x, y = self.across.cell(left) - self.across.low, self.down.cell(top) - self.down.low
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
    for salience, (high, wide), (x0, x1, y0, y1) in zip(maps, sizes, domains, strict=True):
        (height, width), (down, across) = salience.image_size, salience.cells.shape
        axes += _axis(width, wide, across, x0, x1), _axis(height, high, down, y0, y1)
    counts = _counts(axes)
    grids: list[_Grid] = list(zip([each.cells for each in maps], axes[::2], axes[1::2], strict=True))
    padded = [i for i, axis in enumerate(axes) if axis.pads]
    for i in padded:
        counts[i] = _counts_padded(axes[i])
    for i in {i // 2 for i in padded}:
        grids[i] = _grown(grids[i])
    return list(map(Ranked, maps, axes[::2], axes[1::2], _masses(grids), counts[::2], counts[1::2]))


def _counts(axes: Sequence[Axis]) -> list[Ints]:
    """Return how many of an axis's windows begin at each cell, where none reaches over the image.

    By the first start of each cell: the least whole number from which on `Axis.cell` rounds up to it.
    """
    numbers = np.fromiter(chain.from_iterable(axes), np.int64, len(axes) * len(Axis._fields))
    side, length, cells, span, first, last, low, high = numbers.reshape(len(axes), -1).T
    room, steps = side - length, np.maximum(cells - span, 1)
    size = high - low + 2  # an edge before each cell, and one behind the last
    upto = size.cumsum()
    cell = np.arange(upto[-1]) - (upto - high - 2).repeat(size)
    edges = -((1 - 2 * cell) * room.repeat(size) // (2 * steps).repeat(size))
    edges[upto - size], edges[upto - 1] = first, last + 1
    counts, stops = edges[1:] - edges[:-1], upto.tolist()
    return [counts[begin : stop - 1] for begin, stop in zip([0, *stops[:-1]], stops, strict=True)]


def _counts_padded(axis: Axis) -> Ints:
    cells = np.array([axis.cell(start) for start in range(axis.first, axis.last + 1)])
    return np.bincount(cells - cells[0])


_Grid = tuple[NDArray[np.uint8], Axis, Axis]
"""A map, and how windows lie on it that none reaches over, across and down."""


def _grown(grid: _Grid) -> _Grid:
    """Return a map that goes on outside of the image as far as windows reach."""
    cells, across, down = grid
    left, top = max(-across.low, 0), max(-down.low, 0)
    right, bottom = (max(axis.high + axis.span - axis.cells, 0) for axis in (across, down))
    return (
        np.pad(cells, ((top, bottom), (left, right)), constant_values=cells.min()),
        across._replace(low=across.low + left, high=across.high + left),
        down._replace(low=down.low + top, high=down.high + top),
    )


def _masses(grids: Sequence[_Grid]) -> list[Whole]:
    """Return the masses of the windows at all cells of some grids: of their parts in each row, and then of these."""
    cells, across, down = zip(*grids, strict=True)
    kind = _kind(255 * max([axis.span for axis in across]) * max([axis.span for axis in down]))
    return _held([strip.T for strip in _held(cells, across, kind)], down, kind)


def _held(arrays: Sequence[NDArray[Any]], axes: Sequence[Axis], kind: type[np.int32 | np.int64]) -> list[Whole]:
    """Return what windows hold of the rows of some arrays, along an axis each.

    One running sum goes over all rows of all arrays. Of it what lies between two cells of a row is a difference, which
    is exact if it fits in the type, even where the sum itself does not.
    """
    total = sum([array.size for array in arrays])
    upto = np.empty(1 + total + max([axis.span for axis in axes]), kind)
    upto[0], upto[total + 1 :] = 0, 0  # behind the end lie parts that reach over it, and are cut off
    np.concatenate(arrays, axis=None, out=upto[1 : total + 1])
    np.add.accumulate(upto, out=upto)
    held, begin = [], 0
    for array, axis in zip(arrays, axes, strict=True):
        stop = begin + array.size
        parts = upto[begin + axis.span : stop + axis.span] - upto[begin:stop]
        held.append(parts.reshape(array.shape)[:, axis.low : axis.high + 1])
        begin = stop
    return held


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


def _thresholds(masses: Sequence[Whole], weights: Sequence[Ints], min_rank: float) -> list[float]:
    """Return of each set the least mass that weighs at most ``1 - min_rank`` with all greater ones; else the greatest.

    All are sorted together: above each mass stands the number of its set, and in the low bits its weight.
    """
    mass, weight = np.concatenate(masses, axis=None), np.concatenate(weights, axis=None)
    bits, room = int(weight.max()).bit_length(), int(mass.max()).bit_length()
    sets: Whole = (np.arange(len(masses) + 1) << room).astype(_kind(len(masses) << (room + bits)))
    keys = sets[:-1].repeat([each.size for each in masses])
    keys |= mass
    keys <<= bits
    keys |= weight
    if not weight.all():  # cells at which no position lies
        keys = keys[weight > 0]
    keys.sort()
    upto = np.add.accumulate(keys & ((1 << bits) - 1), dtype=np.int64)
    keys >>= bits  # sets and masses
    ends = keys.searchsorted(sets[1:])
    begun = np.concatenate([[0], upto[ends - 1]])
    total = begun[1:] - begun[:-1]
    below = np.ceil(total * (min_rank - ROUNDING)).astype(np.int64)
    # The first mass up to which so many are passed over: what is kept is greater, and not its equal.
    passed = keys[upto.searchsorted(begun[:-1] + below)]
    first = np.minimum(keys.searchsorted(passed, side="right"), ends - 1)
    if min_rank <= 0:
        first = np.concatenate([[0], ends[:-1]])
    found: list[float] = (keys[first] & ((1 << room) - 1)).astype(np.float64).tolist()
    return found
