"""From what is known exactly to samples: pixels that are erased, warped, or taken by a step that nobody knows."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Box, Size
from safeaug.ledger.dots import Dots, carried, only
from safeaug.ledger.field import Field, Floats
from safeaug.ledger.matrices import Matrix, inverse, moved_points
from safeaug.ledger.patch import Patch, rings_of, seen_box
from safeaug.ledger.rings import winding
from safeaug.ledger.shown import Shown

FINE = 64
"""An object is sampled as if it were so many pixels wide and high, if it is less: its area is then right to 1 %."""

FINEST = 32
"""The most samples that a pixel is given along each side."""

FOLD = 1e-6
"""Where areas differ in sign by more than this share, the field folds; by less, it is rounding."""

Track = Patch | Dots


class Density(NamedTuple):
    """How an object is spread around some points of a frame.

    Parameters
    ----------
    mass : ndarray
        Its mass as it came in, for each pixel of the frame.
    cover : ndarray
        The share of the frame that it covers; of samples, that may be 1 on the mean only.
    """

    mass: Floats
    cover: Floats


def erased(track: Track, matrix: Matrix, mask: NDArray[np.bool_]) -> Track:
    """Return what is left of an object where pixels of another frame are erased.

    Parameters
    ----------
    track : Patch or Dots
        What is visible of it.
    matrix : Matrix
        To the frame of the pixels.
    mask : ndarray of shape (H, W), bool
        True where a pixel is erased.
    """
    if isinstance(track, Patch):
        x0, y0, x1, y1 = seen_box(track, matrix)
        if not mask[max(int(y0), 0) : math.ceil(y1), max(int(x0), 0) : math.ceil(x1)].any():
            return track
    size = mask.shape[0], mask.shape[1]
    dots = sampled(track, matrix, size)
    free = only(dots, ~mask.ravel()[_pixel(dots, size)])
    return track if free is dots else carried(free, inverse(matrix))


def rearranged(track: Track, matrix: Matrix, shown: Shown) -> Dots:
    """Return what is left of an object after a step of which no more is known than which pixels it shows.

    Parameters
    ----------
    track : Patch or Dots
        What is visible of it.
    matrix : Matrix
        To the frame before the step.
    shown : Shown
        What is known of the step.

    Returns
    -------
    Dots
        In the frame after the step: one for each of its pixels.
    """
    dots = sampled(track, matrix, shown.seen.shape)
    pixel, count = _pixel(dots, shown.seen.shape), shown.seen.size
    mass, area = np.bincount(pixel, dots.mass, count), np.bincount(pixel, dots.area, count)
    left = min(float(mass[shown.seen.ravel()].sum()) / dots.whole, dots.left)
    row, column = np.nonzero(shown.places >= 0)
    source = shown.places[row, column]
    held = mass[source] > 0
    if not held.any():
        return _nothing(track)
    row, column, source = row[held], column[held], source[held]
    # A pixel's mass is shared by all that show it; what lies between those that are shown goes to all alike.
    shares = mass[source] / shown.times[source]
    shares *= left * dots.whole / shares.sum()
    return Dots(left, dots.whole, column + 0.5, row + 0.5, shares, area[source])


def warped(track: Track, matrix: Matrix, field: Field, margin: float) -> Dots:
    """Return what is left of an object after a step that takes each pixel from a point of a field.

    The area of the quadrilateral from which a pixel, or a part of it, takes its colour, times what the object covers
    there, summed over all pixels. Where the field folds, it takes the same twice, which counts once.

    Parameters
    ----------
    track : Patch or Dots
        What is visible of it.
    matrix : Matrix
        To the frame before the step.
    field : Field
        The step.
    margin : float
        How far pixels next to each other are apart in the field, at most.

    Returns
    -------
    Dots
        In the frame after the step.
    """
    around = _around(track, matrix)
    x0, y0, x1, y1 = around
    hit = (field.x >= x0 - margin) & (field.x <= x1 + margin) & (field.y >= y0 - margin) & (field.y <= y1 + margin)
    rows, columns = np.flatnonzero(hit.any(axis=1)), np.flatnonzero(hit.any(axis=0))
    if not len(rows):
        return _nothing(track)
    parts = min(math.ceil(FINE / math.sqrt(np.count_nonzero(hit))), FINEST)
    down, across = (_ticks(int(at[0]), int(at[-1]) + 1, parts) for at in (rows, columns))
    corner_x, corner_y = _between(field.x, down, across), _between(field.y, down, across)
    x, y, area = _middle(corner_x), _middle(corner_y), _quadrilaterals(corner_x, corner_y)
    inside = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    x, y, area = x[inside], y[inside], area[inside]
    row, column = np.nonzero(inside)
    density = density_of(track, matrix, x, y)
    mass = density.mass * np.abs(area) / _times(x, y, area, around)
    held = mass > 0
    left = min(float(mass.sum()) / track.whole, track.left)
    at_x, at_y = _halfway(across)[column[held]], _halfway(down)[row[held]]
    return Dots(left, track.whole, at_x, at_y, mass[held], density.cover[held] / parts**2)


def sampled(track: Track, matrix: Matrix, size: Size) -> Dots:
    """Return samples of what is visible of an object in another frame, of this size."""
    if isinstance(track, Dots):
        return carried(track, matrix)
    x0, y0, x1, y1 = _around(track, matrix)
    # Whole pixels, in equal parts, so that each has as many samples as any other.
    left, top = (min(max(math.floor(low), 0), side - 1) for low, side in ((x0, size[1]), (y0, size[0])))
    right, bottom = max(min(math.ceil(x1), size[1]), left + 1), max(min(math.ceil(y1), size[0]), top + 1)
    parts = math.ceil(FINE / (right - left)), math.ceil(FINE / (bottom - top))
    across, down = _ticks(left, right, parts[0]), _ticks(top, bottom, parts[1])
    x, y = (each.ravel() for each in np.meshgrid(_halfway(across), _halfway(down)))
    density = density_of(track, matrix, x, y)
    held = density.mass > 0
    mass = density.mass[held]
    # How much there is in all is known exactly.
    mass *= track.left * track.whole / max(mass.sum(), np.finfo(float).tiny)
    return Dots(track.left, track.whole, x[held], y[held], mass, density.cover[held] / (parts[0] * parts[1]))


def density_of(track: Track, matrix: Matrix, x: Floats, y: Floats) -> Density:
    """Return how an object is spread around some points of another frame."""
    if isinstance(track, Dots):
        return _density_of_dots(carried(track, matrix), x, y)
    x, y, scale = moved_points(inverse(matrix), x, y)
    if track.rings is None:
        x0, y0, x1, y1 = track.box
        cover = ((x0 <= x) & (x < x1) & (y0 <= y) & (y < y1)).astype(np.float64)
    else:
        cover = winding(rings_of(track), x, y)
    if track.region is not None:
        region = track.region
        height, width = region.cover.shape
        row = np.clip(np.floor(y).astype(int) - region.top, 0, height - 1)
        column = np.clip(np.floor(x).astype(int) - region.left, 0, width - 1)
        held = region.cover[row, column]
        cover *= held if held.dtype.kind == "f" else held != 0
    return Density(cover * scale, cover)


def _density_of_dots(dots: Dots, x: Floats, y: Floats) -> Density:
    """Return the density of samples, counted in cells of a pixel, or more where the samples are further apart."""
    cell = max(1.0, 1.5 * math.sqrt(float(dots.area.max())))
    left, top = float(dots.x.min()), float(dots.y.min())
    wide, high = int((dots.x.max() - left) / cell) + 1, int((dots.y.max() - top) / cell) + 1

    def place(x: Floats, y: Floats) -> NDArray[np.intp]:
        column, row = np.floor((x - left) / cell).astype(int), np.floor((y - top) / cell).astype(int)
        place: NDArray[np.intp] = np.clip(row, 0, high - 1) * wide + np.clip(column, 0, wide - 1)
        return place

    own, asked = place(dots.x, dots.y), place(x, y)
    mass, cover = (np.bincount(own, each, wide * high) / cell**2 for each in (dots.mass, dots.area))
    return Density(mass[asked], cover[asked])


def _times(x: Floats, y: Floats, area: Floats, around: Box) -> Floats | float:
    """Return how often the neighbourhood of each point is taken: once, but where the field folds.

    Where it does, the areas taken from cells of some samples each are added up.
    """
    least, most = float(area.min(initial=0.0)), float(area.max(initial=0.0))
    if min(-least, most) <= FOLD * max(-least, most):
        return 1.0
    size = (around[2] - around[0]) * (around[3] - around[1])
    side = max(4 * math.sqrt(float(np.abs(area).mean())), math.sqrt(size / len(area)))
    wide, high = (max(int((around[axis + 2] - around[axis]) / side), 1) for axis in (0, 1))
    scale_x, scale_y = wide / (around[2] - around[0]), high / (around[3] - around[1])
    column = np.minimum(((x - around[0]) * scale_x).astype(int), wide - 1)
    row = np.minimum(((y - around[1]) * scale_y).astype(int), high - 1)
    place = row * wide + column
    taken = np.bincount(place, np.abs(area), wide * high) * (scale_x * scale_y)
    times: Floats = np.maximum(np.rint(taken[place]), 1.0)
    return times


def _around(track: Track, matrix: Matrix) -> Box:
    """Return what bounds an object in another frame; a point of nowhere for what is no more."""
    if isinstance(track, Patch):
        return seen_box(track, matrix)
    x, y, _ = moved_points(matrix, track.x, track.y)
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def _nothing(track: Track) -> Dots:
    none = np.empty(0)
    return Dots(0.0, track.whole, none, none, none, none)


def _pixel(dots: Dots, size: tuple[int, ...]) -> NDArray[np.intp]:
    """Return in which pixel, counted row by row, each sample is."""
    row, column = np.clip(dots.y.astype(int), 0, size[0] - 1), np.clip(dots.x.astype(int), 0, size[1] - 1)
    pixel: NDArray[np.intp] = row * size[1] + column
    return pixel


def _ticks(first: int, last: int, parts: int) -> Floats:
    """Return the borders of the parts of pixels, from that of one pixel to that of another."""
    return np.arange((last - first) * parts + 1) / parts + first


def _halfway(ticks: Floats) -> Floats:
    middle: Floats = (ticks[:-1] + ticks[1:]) / 2
    return middle


def _between(values: Floats, down: Floats, across: Floats) -> Floats:
    """Return the values of pixels at points between their middles; beyond the last middle they go on as before it."""
    for axis, at in ((0, down), (1, across)):
        if values.shape[axis] == 1:  # one pixel says nothing of its neighbours
            values = np.repeat(values, 2, axis=axis)
        low = np.clip(np.floor(at - 0.5).astype(int), 0, values.shape[axis] - 2)
        share = np.expand_dims(at - 0.5 - low, 1 - axis)
        values = np.take(values, low, axis=axis) * (1 - share) + np.take(values, low + 1, axis=axis) * share
    return values


def _middle(corners: Floats) -> Floats:
    middle: Floats = (corners[:-1, :-1] + corners[1:, :-1] + corners[:-1, 1:] + corners[1:, 1:]) / 4
    return middle


def _quadrilaterals(x: Floats, y: Floats) -> Floats:
    """Return the signed area of each cell of a lattice of corners: half of what its diagonals span."""
    one_x, one_y = x[1:, 1:] - x[:-1, :-1], y[1:, 1:] - y[:-1, :-1]
    other_x, other_y = x[1:, :-1] - x[:-1, 1:], y[1:, :-1] - y[:-1, 1:]
    area: Floats = (one_x * other_y - one_y * other_x) / 2
    return area
