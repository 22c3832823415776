"""The bounding rectangle of the feasible positions: cheap, in plain floats for boxes, and often all that is needed."""

import math
from typing import cast

import numpy as np

from safeaug.geometry import Domain, Size
from safeaug.records import Demand


def rectangle(demand: Demand, size: Size, domain: Domain) -> Domain | None:
    """Return a rectangle that holds every feasible position, or None where there certainly is none.

    Parameters
    ----------
    demand : Demand
        What the window must reach.
    size : (int, int)
        Height and width of the window.
    domain : Domain
        Positions that the host can draw.

    Notes
    -----
    An object of ``p × q`` can share at most ``min(w, p) · min(h, q)`` with a window of ``w × h``. That this reaches the
    need is necessary, and with it each axis alone bounds the position. Whether the rectangle holds a feasible position
    only the exact count can say.
    """
    if not demand.all_of_them and demand.keep is None:
        return _hull(demand, size, domain)
    if demand.shapes is not None:
        return _around_shapes(demand, size, domain)
    # The bounds of `reach`, written out: most candidates of a search end in this loop. In real numbers, rounded inward
    # at the end.
    x0, x1, y0, y1 = cast("tuple[float, float, float, float]", domain)
    height, width = size
    for (a, b, c, d), need in zip(demand.boxes, demand.needs, strict=True):
        if need <= 0:
            continue
        wide, high = c - a, d - b
        if wide and high:
            wide, high = wide if wide < width else width, high if high < height else height
            if wide * high < need:
                return None
            across, down = need / high, need / wide
        else:  # a point: the window must hold it, edges included
            across = down = -demand.slack
        if a - width + across > x0:
            x0 = a - width + across
        if c - across < x1:
            x1 = c - across
        if b - height + down > y0:
            y0 = b - height + down
        if d - down < y1:
            y1 = d - down
        if x0 > x1 or y0 > y1:
            return None
    first_x, last_x, first_y, last_y = math.ceil(x0), math.floor(x1), math.ceil(y0), math.floor(y1)
    return Domain(first_x, last_x, first_y, last_y) if first_x <= last_x and first_y <= last_y else None


def _hull(demand: Demand, size: Size, domain: Domain) -> Domain | None:
    """Return the rectangle around those of all objects, where not all of them must be kept."""
    alone = (rectangle(demand.only(i), size, domain) for i in range(len(demand.boxes)))
    reachable = [one for one in alone if one is not None]
    if len(reachable) < demand.least:
        return None
    x0, x1, y0, y1 = zip(*reachable, strict=True)
    return Domain(min(x0), max(x1), min(y0), max(y1))


def _around_shapes(demand: Demand, size: Size, domain: Domain) -> Domain | None:
    """Return the rectangle outside of which one axis alone already holds too little of some shape."""
    if domain.x0 > domain.x1 or domain.y0 > domain.y1:
        return None
    if demand.keep is not None:  # who decides alone may accept any position
        return domain
    for shape, need in zip(demand.shapes or (), demand.needs, strict=True):
        if need <= 0:
            continue
        enough = need - ROUNDING * shape.area
        x = np.flatnonzero(shape.along(0, np.arange(domain.x0, domain.x1 + 1), size[1]) >= enough)
        y = np.flatnonzero(shape.along(1, np.arange(domain.y0, domain.y1 + 1), size[0]) >= enough)
        if not len(x) or not len(y):
            return None
        domain = Domain(*(domain.x0 + x[[0, -1]]).tolist(), *(domain.y0 + y[[0, -1]]).tolist())
    return domain


def least_size(demand: Demand) -> tuple[float, float]:
    """Return a height and a width below which no window reaches the demand, wherever it stands.

    Notes
    -----
    Of an object ``[a, c] × [b, d]`` a window holds at most ``d - b`` rows, so it must share ``s = need / (d - b)``
    columns with it: it begins at or before ``c - s`` and ends at or behind ``a + s``. Where all objects must be kept,
    it reaches from the least of the former to the greatest of the latter. Rows likewise.
    """
    if not demand.all_of_them or demand.shapes is not None:
        return 0.0, 0.0
    left = top = math.inf
    right = bottom = -math.inf
    for (a, b, c, d), need in zip(demand.boxes, demand.needs, strict=True):
        if need <= 0:
            continue
        across = need / (d - b) if b < d and a < c else -demand.slack
        down = need / (c - a) if b < d and a < c else -demand.slack
        left, right = min(left, c - across), max(right, a + across)
        top, bottom = min(top, d - down), max(bottom, b + down)
    return bottom - top - ROUNDING, right - left - ROUNDING


ROUNDING = 1e-9
"""Pixels, or the share of an area, by which a necessary bound stays on the safe side of floating point."""
