"""Rings of corners, cut by half-planes.

A ring stands for its winding number: 1 inside of one that turns from x to y, -1 inside of one that turns the other way.
Cutting by a half-plane keeps that, convex or not, so an object with holes is a list of rings whose sum is 1 where it is
visible: the hole's part of each ring, turned around, is added. All that follows is done to each ring alone.
"""

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Box, Ring

Plane = tuple[float, float, float]
"""``(a, b, c)``: the half-plane of points for which ``a * x + b * y + c >= 0``."""

NEAR = 1e-9
"""Pixels by which rounding may put a corner on the wrong side of a border."""


def signed_area(ring: Ring) -> float:
    """Return the area of a ring, negative where it turns from y to x.

    Examples
    --------
    >>> signed_area([(0.0, 0.0), (4.0, 0.0), (0.0, 3.0)])
    6.0
    """
    x, y = ring[0]
    return sum((ax - x) * (by - y) - (bx - x) * (ay - y) for (ax, ay), (bx, by) in pairwise(ring)) / 2


def ring_of(box: Box) -> Ring:
    """Return the corners of a box."""
    x0, y0, x1, y1 = box
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def bounds(corners: Iterable[tuple[float, float]]) -> Box:
    """Return what bounds some corners."""
    x, y = zip(*corners, strict=True)
    return min(x), min(y), max(x), max(y)


def box_of(ring: Ring) -> Box | None:
    """Return the box that a ring is; None for one that is none."""
    if len(ring) != 4:
        return None
    (xa, ya), (xb, yb), (xc, yc), (xd, yd) = ring
    if (ya == yb and xb == xc and yc == yd and xd == xa) or (xa == xb and yb == yc and xc == xd and yd == ya):
        return bounds(ring)
    return None


def cut(ring: Ring, plane: Plane) -> Ring:
    """Return the part of a ring in a half-plane; of nothing, nothing.

    Examples
    --------
    >>> cut([(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)], (1.0, 0.0, -3.0))
    [(3.0, 0.0), (4.0, 0.0), (4.0, 4.0), (3.0, 4.0)]
    """
    if not ring:
        return ring
    a, b, c = plane
    kept: Ring = []
    xb, yb = ring[-1]
    before = a * xb + b * yb + c
    for corner in ring:
        x, y = corner
        depth = a * x + b * y + c
        if (depth >= 0) != (before >= 0):
            share = before / (before - depth)
            kept.append((xb + share * (x - xb), yb + share * (y - yb)))
        if depth >= 0:
            kept.append(corner)
        xb, yb, before = x, y, depth
    return kept


def cutting(planes: Iterable[Plane], box: Box) -> list[Plane] | None:
    """Return those half-planes that cut a box; None where one of them leaves nothing of it."""
    x0, y0, x1, y1 = box
    cuts = []
    for plane in planes:
        a, b, c = plane
        if a > 0:
            low, high = a * x0, a * x1
        else:
            low, high = a * x1, a * x0
        if b > 0:
            low, high = low + b * y0 + c, high + b * y1 + c
        else:
            low, high = low + b * y1 + c, high + b * y0 + c
        if low < 0:
            near = NEAR * (abs(a) + abs(b))
            if low < -near:
                if high <= near:
                    return None
                cuts.append(plane)
    return cuts


def winding(rings: Iterable[Ring], x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    """Return the sum of the rings at each of some points."""
    total = np.zeros(x.shape)
    for ring in rings:
        for (xa, ya), (xb, yb) in pairwise([*ring, ring[0]]):
            if ya == yb:
                continue
            between = (min(ya, yb) <= y) & (y < max(ya, yb))
            at = xa + (y - ya) * ((xb - xa) / (yb - ya))
            total += math.copysign(1.0, yb - ya) * (between & (x < at))
    return total
