"""An object with an area, followed exactly: what is visible of it, in the source frame."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from safeaug.geometry import Box, Ring
from safeaug.ledger.matrices import Matrix, determinant, is_affine, moved, moved_points, planes_of
from safeaug.ledger.rings import NEAR, Plane, bounds, box_of, cut, cutting, ring_of, signed_area
from safeaug.shapes import Region
from safeaug.shapes.polygon import coverage

NOTHING = 1e-12
"""Share of an object that is what rounding left of none."""


class Patch(NamedTuple):
    """An object with an area, and what is visible of it.

    A box that has only met upright windows is still a box, and costs a microsecond a step; whatever else became of it,
    or came as a polygon, is a list of rings.

    Parameters
    ----------
    left : float
        Share of its mass that is visible.
    whole : float
        Its mass as it came in: square pixels.
    box : (x0, y0, x1, y1)
        What bounds the visible part; without rings it is the visible part.
    rings : sequence of Ring or None
        The visible part: see `safeaug.ledger.rings`. Corners are relative to ``origin``, so that an object far off
        loses no digits.
    origin : (float, float)
        A whole pixel near the object.
    region : Region or None
        Of a mask: how its mass is spread over the visible part. None where it is spread evenly.
    """

    left: float
    whole: float
    box: Box
    rings: Sequence[Ring] | None = None
    origin: tuple[float, float] = (0.0, 0.0)
    region: Region | None = None


def patch_of_ring(ring: Ring, area: float, box: Box) -> Patch:
    """Return the patch of a polygon, whichever way round."""
    origin = _corner(box)
    near = _near(ring, origin)
    return Patch(1.0, area, box, (near if signed_area(near) > 0 else near[::-1],), origin)


def within(patch: Patch, rect: Box | None, planes: Sequence[Plane]) -> Patch:
    """Return what of a patch lies in a rectangle of some frame.

    Parameters
    ----------
    patch : Patch
        What is visible of the object.
    rect : (x0, y0, x1, y1) or None
        The rectangle in the source frame; None where it is none there.
    planes : sequence of Plane
        The rectangle as half-planes of the source frame.
    """
    left, whole, box, rings, origin, region = patch
    if rect is not None:
        x0, y0, x1, y1 = box
        a, b, c, d = rect
        if a <= x0 + NEAR and b <= y0 + NEAR and x1 - NEAR <= c and y1 - NEAR <= d:
            return patch
        if rings is None:
            x0, y0, x1, y1 = box = x0 if x0 > a else a, y0 if y0 > b else b, x1 if x1 < c else c, y1 if y1 < d else d
            if not (x0 < x1 and y0 < y1):
                return Patch(0.0, whole, box, (), origin, region)
            share = (x1 - x0) * (y1 - y0) / whole if region is None else region.inside(box) / whole
            return Patch(share if share < left else left, whole, box, None, origin, region)
    cuts = cutting(planes, box)
    if cuts is None:
        return Patch(0.0, whole, box, (), origin, region)
    if not cuts:
        return patch
    rings, origin = _rings(patch)
    for plane in _relative(cuts, origin):
        rings = [cut(ring, plane) for ring in rings]
    return _patch(patch, rings, origin)


def without(patch: Patch, matrix: Matrix, holes: Sequence[Box]) -> Patch:
    """Return what of a patch lies outside of holes.

    Parameters
    ----------
    patch : Patch
        What is visible of the object.
    matrix : Matrix
        To the frame of the holes.
    holes : sequence of (x0, y0, x1, y1)
        No two of them overlap.
    """
    x0, y0, x1, y1 = seen_box(patch, matrix)
    near = [hole for hole in holes if hole[0] < x1 and x0 < hole[2] and hole[1] < y1 and y0 < hole[3]]
    if not near:
        return patch
    rings, origin = _rings(patch)
    taken = []
    for hole in near:
        planes = _relative(planes_of(matrix, hole), origin)
        for ring in rings:
            for plane in planes:
                ring = cut(ring, plane)
            if ring and abs(signed_area(ring)) > NOTHING * patch.whole:
                taken.append(ring[::-1])
    return _patch(patch, [*rings, *taken], origin) if taken else patch


def seen_box(patch: Patch, matrix: Matrix) -> Box:
    """Return what bounds the visible part in another frame."""
    # Of a ring each corner is visible, but not each of what bounds it: those may lie behind the horizon.
    whole = patch.rings is None or is_affine(matrix)
    rings = [ring_of(patch.box)] if whole else rings_of(patch)
    return bounds(corner for ring in rings for corner in moved(matrix, ring))


def pixels(patch: Patch, matrix: Matrix) -> float:
    """Return the area of the visible part in another frame."""
    if not patch.left:
        return 0.0
    if is_affine(matrix):
        return patch.left * patch.whole * abs(determinant(matrix))
    if patch.region is None:
        return abs(sum(signed_area(moved(matrix, ring)) for ring in rings_of(patch)))
    return sum(_mass(patch.region, ring, matrix) for ring in rings_of(patch))


def rings_of(patch: Patch) -> list[Ring]:
    """Return the visible part as rings in the source frame."""
    rings, origin = _rings(patch)
    return [_back(ring, origin) for ring in rings]


def _rings(patch: Patch) -> tuple[Sequence[Ring], tuple[float, float]]:
    """Return the visible part as rings, and what they are relative to."""
    if patch.rings is not None:
        return patch.rings, patch.origin
    origin = _corner(patch.box)
    return (_near(ring_of(patch.box), origin),), origin


def _corner(box: Box) -> tuple[float, float]:
    return float(math.floor(box[0])), float(math.floor(box[1]))


def _near(ring: Ring, origin: tuple[float, float]) -> Ring:
    return [(x - origin[0], y - origin[1]) for x, y in ring]


def _back(ring: Ring, origin: tuple[float, float]) -> Ring:
    return [(x + origin[0], y + origin[1]) for x, y in ring]


def _relative(planes: Iterable[Plane], origin: tuple[float, float]) -> list[Plane]:
    x, y = origin
    return [(a, b, c + a * x + b * y) for a, b, c in planes]


def _patch(patch: Patch, rings: Iterable[Ring], origin: tuple[float, float]) -> Patch:
    """Return a patch of which these rings are left."""
    kept = [ring for ring in rings if ring]
    region = patch.region
    if region is None:
        share = sum(map(signed_area, kept)) / patch.whole
    else:
        share = sum(_mass(region, _back(ring, origin)) for ring in kept) / patch.whole
    if share <= NOTHING:
        return Patch(0.0, patch.whole, patch.box, (), origin, region)
    x0, y0, x1, y1 = bounds(corner for ring in kept for corner in ring)
    box = x0 + origin[0], y0 + origin[1], x1 + origin[0], y1 + origin[1]
    return Patch(min(share, patch.left), patch.whole, box, kept, origin, region)


def _mass(region: Region, ring: Ring, matrix: Matrix | None = None) -> float:
    """Return the mass of a region in a ring, as a matrix scales it; negative where the ring is turned around."""
    sign = math.copysign(1.0, signed_area(ring))
    box = box_of(ring)
    if box is not None and matrix is None:
        return sign * region.inside(box)
    height, width = region.cover.shape
    x0, y0, x1, y1 = bounds(ring)
    # The ring lies within the region, but rounding may put a corner a hair beside it.
    left, top = max(math.floor(x0) - region.left, 0), max(math.floor(y0) - region.top, 0)
    right, bottom = min(math.ceil(x1) - region.left, width), min(math.ceil(y1) - region.top, height)
    x, y = left + region.left, top + region.top
    cover = region.cover[top:bottom, left:right]
    mass = coverage(np.array(ring) - [x, y], cover.shape) * (cover if cover.dtype.kind == "f" else cover != 0)
    if matrix is not None:
        across, down = np.arange(cover.shape[1]) + (x + 0.5), np.arange(cover.shape[0]) + (y + 0.5)
        mass *= moved_points(matrix, across[None, :], down[:, None])[2]
    return sign * float(mass.sum())
