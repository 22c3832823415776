"""The bounding rectangle of the feasible positions, in plain floats: cheap, and often all that is needed."""

from safeaug.geometry import Box, Domain, Size, starts
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
    if domain.x0 > domain.x1 or domain.y0 > domain.y1:
        return None
    if demand.all_of_them:
        common: Domain | None = domain
        for box, need in zip(demand.boxes, demand.needs, strict=True):
            if common is None:
                return None
            common = _within(box, need, demand.slack, size, common)
        return common
    needs = zip(demand.boxes, demand.needs, strict=True)
    ones = (_within(box, need, demand.slack, size, domain) for box, need in needs)
    reachable = [one for one in ones if one is not None]
    if len(reachable) < demand.least:
        return None
    x0, x1, y0, y1 = zip(*reachable, strict=True)
    return Domain(min(x0), max(x1), min(y0), max(y1))


def _within(box: Box, need: float, slack: float, size: Size, domain: Domain) -> Domain | None:
    """Return the part of a domain in which both axes alone allow what one object needs."""
    a, b, c, d = box
    height, width = size
    if need <= 0:
        return domain
    if a == c or b == d:  # a point: the window must hold it, edges included
        first_x, last_x = starts(0.0, a - slack, a + slack, width)
        first_y, last_y = starts(0.0, b - slack, b + slack, height)
    else:
        wide, high = min(width, c - a), min(height, d - b)
        if wide * high < need:
            return None
        first_x, last_x = starts(need / high, a, c, width)
        first_y, last_y = starts(need / wide, b, d, height)
    x0, x1, y0, y1 = domain
    if first_x > x0:
        x0 = first_x
    if last_x < x1:
        x1 = last_x
    if first_y > y0:
        y0 = first_y
    if last_y < y1:
        y1 = last_y
    return Domain(x0, x1, y0, y1) if x0 <= x1 and y0 <= y1 else None
