"""Boxes of some area, many at once, followed exactly: `patch.py` on arrays."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.ledger.field import Floats
from safeaug.ledger.many_matrices import determinants
from safeaug.ledger.many_rings import (
    Corners,
    Rings,
    bounds_each,
    cut_some,
    moved_each,
    put,
    rings_of_boxes,
    signed_areas,
    widened,
)
from safeaug.ledger.patch import NOTHING
from safeaug.ledger.rings import NEAR

Rows = NDArray[np.intp]


class Patches(NamedTuple):
    """Objects that came in as boxes, and what is visible of each: P of them, in arrays that each step writes into.

    Parameters
    ----------
    left : ndarray of shape (P,)
        Share of its area that is visible.
    wholes : ndarray of shape (P,)
        Its area as it came in, in square pixels.
    boxes : ndarray of shape (4, P)
        What bounds the visible part; of an object that has no ring it is the visible part.
    corners : ndarray of shape (P, V), complex
        The visible part as a ring, relative to its origin; see `safeaug.ledger.many_rings`.
    counts : ndarray of shape (P,), int
        How many corners the ring has; 0 for an object that is a box still.
    origins : ndarray of shape (P,), complex
        A whole pixel near the object.
    """

    left: Floats
    wholes: Floats
    boxes: Floats
    corners: Corners
    counts: NDArray[np.int64]
    origins: Corners


def patches_of(boxes: Floats) -> Patches:
    """Return boxes, in columns, of which nothing is lost yet."""
    boxes = boxes.copy()
    count = boxes.shape[1]
    corners, origins = np.zeros((count, 4), dtype=np.complex128), np.zeros(count, dtype=np.complex128)
    wholes = (boxes[2] - boxes[0]) * (boxes[3] - boxes[1])
    return Patches(np.ones(count), wholes, boxes, corners, np.zeros(count, dtype=np.int64), origins)


def within_each(patches: Patches, draws: Rows, rects: Floats, planes: Floats) -> Patches:
    """Return what of each patch lies in the picture of its draw.

    Parameters
    ----------
    patches : Patches
        P of them; they are written into, and not to be used any more.
    draws : ndarray of shape (P,), int
        The draw that each belongs to.
    rects : ndarray of shape (4, D)
        The picture of each draw as a rectangle of the source; NaN where it is none there.
    planes : ndarray of shape (4, 3, D)
        The same as half-planes.
    """
    a, b, c, d = np.take(rects, draws, axis=1)
    x0, y0, x1, y1 = patches.boxes
    inside = (a <= x0 + NEAR) & (b <= y0 + NEAR) & (x1 - NEAR <= c) & (y1 - NEAR <= d)
    rows = np.flatnonzero(~inside & (patches.left > 0))
    upright = (patches.counts[rows] == 0) & ~np.isnan(a[rows])
    clip_boxes(patches, rows[upright], np.take(rects, draws[rows[upright]], axis=1))
    rows = rows[~upright]
    return _cut(patches, rows, np.take(planes, draws[rows], axis=2)) if rows.size else patches


def clip_boxes(patches: Patches, rows: Rows, rects: Floats) -> None:
    """Clip some patches, which are boxes, to rectangles, given in columns: of shape (4, R).

    What is no wider than rounding may make it is nothing, as it is where half-planes cut. Rectangles here are pulled
    back through matrices, so one that only touches a box may reach into it by the last digit.
    """
    before = patches.boxes[:, rows]
    after = np.concatenate([np.maximum(before[:2], rects[:2]), np.minimum(before[2:], rects[2:])])
    sides = after[2:] - after[:2]
    seen = (sides > NEAR * np.minimum(before[2:] - before[:2], 1.0)).all(axis=0)
    shares = sides[0] * sides[1] / patches.wholes[rows]
    patches.left[rows] = np.where(seen, np.minimum(shares, patches.left[rows]), 0.0)
    patches.boxes[:, rows] = after


def pixels_each(patches: Patches, draws: Rows, matrices: Floats) -> Floats:
    """Return the area of the visible part of each patch in the picture of its draw, to which matrices (9, D) lead."""
    pixels = patches.left * patches.wholes * np.abs(determinants(matrices))[draws]
    bent = (matrices[6] != 0) | (matrices[7] != 0)
    rows = np.flatnonzero(bent[draws] & (patches.left > 0))
    if rows.size:
        rings = _rings(patches, rows)
        rings = Rings(rings.corners + patches.origins[rows, None], rings.counts)
        pixels[rows] = np.abs(signed_areas(moved_each(rings, matrices[:, draws[rows]])))
    return pixels


def _cut(patches: Patches, rows: Rows, planes: Floats) -> Patches:
    """Return patches of which some are cut by half-planes of their own, of shape (4, 3, R)."""
    cuts, gone = _cutting(planes, patches.boxes[:, rows])
    patches.left[rows[gone]] = 0.0
    met = cuts.any(axis=0) & ~gone
    rows, planes, cuts = rows[met], planes[:, :, met], cuts[:, met]
    rings, origins = _rings(patches, rows), patches.origins[rows]
    planes[:, 2] += planes[:, 0] * origins.real + planes[:, 1] * origins.imag
    for plane, chosen in zip(planes, cuts, strict=True):
        rings = cut_some(rings, plane, chosen)
    return _kept(patches, rows, rings)


def _cutting(planes: Floats, boxes: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which half-planes cut each box, of shape (4, R), and of which boxes one of them leaves nothing, (R,).

    See `cutting`.
    """
    a, b, c = planes[:, 0], planes[:, 1], planes[:, 2]
    x0, y0, x1, y1 = boxes
    across, down = np.array([a * x0, a * x1]), np.array([b * y0, b * y1])
    low, high = across.min(axis=0) + down.min(axis=0) + c, across.max(axis=0) + down.max(axis=0) + c
    near = NEAR * (np.abs(a) + np.abs(b))
    cuts = low < -near
    return cuts, (cuts & (high <= near)).any(axis=0)


def _rings(patches: Patches, rows: Rows) -> Rings:
    """Return the visible parts of some patches as rings, relative to their origins; those that are boxes become so."""
    fresh = rows[patches.counts[rows] == 0]
    boxes = patches.boxes[:, fresh]
    origins = np.floor(boxes[0]) + 1j * np.floor(boxes[1])
    corners, counts = rings_of_boxes(boxes)
    patches.origins[fresh] = origins
    put(patches.corners, fresh, corners - origins[:, None])
    patches.counts[fresh] = counts
    width = patches.counts[rows].max(initial=1)
    return Rings(patches.corners[rows, :width], patches.counts[rows])


def _kept(patches: Patches, rows: Rows, rings: Rings) -> Patches:
    """Return patches of which these rings are left of some."""
    shares = signed_areas(rings) / patches.wholes[rows]
    patches.left[rows] = np.where(shares > NOTHING, np.minimum(shares, patches.left[rows]), 0.0)
    x, y = patches.origins[rows].real, patches.origins[rows].imag
    patches.boxes[:, rows] = bounds_each(rings) + np.array([x, y, x, y])
    patches.counts[rows] = rings.counts
    corners = widened(patches.corners, rings.corners.shape[1])
    put(corners, rows, rings.corners)
    return patches._replace(corners=corners)
