"""Where a draw goes that cannot keep its promise: to a window of the drawn size that keeps the most."""

from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Domain, Size, Window, window_at
from safeaug.measures import held, kept_weight
from safeaug.placement import (
    Positions,
    least_lost,
    least_lost_on_surface,
    most_kept,
    most_kept_on_surface,
    rectangle,
)
from safeaug.records import Demand

QUICK_TRIES = 8
"""Positions tried inside rectangles before the exact count. Either way the draw is uniform."""

MEETINGS = 96
"""Sets of objects beyond which the exact count is the quicker way."""

TIE = 1 - 1e-9
"""Weights whose ratio is above this are equal."""


class Meeting(NamedTuple):
    """A set of objects whose rectangles of positions meet, so that one window may keep all of them.

    Parameters
    ----------
    weight : float
        Sum of their weights.
    members : tuple of int
        Which objects.
    place : Domain
        Where their rectangles meet.
    """

    weight: float
    members: tuple[int, ...]
    place: Domain


def settle(
    demand: Demand, size: Size, domain: Domain, first: Window, stream: Callable[[], Callable[[], float]]
) -> Window:
    """Return a window of a size that keeps the largest weight of objects that one window can keep.

    Parameters
    ----------
    demand : Demand
        What cannot be reached.
    size : (int, int)
        Height and width of the window.
    domain : Domain
        Positions that the host can draw.
    first : (x0, y0, x1, y1)
        The host's own draw, which is kept where it does as well as any.
    stream : callable
        Gives the stream of uniform numbers that picks one of the others.

    Returns
    -------
    (x0, y0, x1, y1)
        Uniform among the windows that keep the most. Where none keeps any object: with the largest worst retention
        and, among those, the largest sum.
    """
    groups = meetings(demand, size, domain)
    uniform = None
    if groups:
        top = max(group.weight for group in groups)
        if top > 0 and kept_weight(demand, first) >= top * TIE:
            return first
        if top > 0:
            uniform = stream()
            window = _within_rectangles(demand, size, [group for group in groups if group.weight >= top * TIE], uniform)
            if window is not None:
                return window
    positions = attainable(demand, size, domain)
    if positions.holds(*first[:2]):
        return first
    uniform = uniform or stream()
    return window_at(*positions.draw(uniform(), uniform()), size)


def attainable(demand: Demand, size: Size, domain: Domain, within: NDArray[np.bool_] | None = None) -> Positions:
    """Return all positions that keep the largest weight of objects; where none keeps any, those that lose least.

    Parameters
    ----------
    demand, size, domain
        As in `settle`.
    within : ndarray of shape (X, Y), bool, optional
        Which positions of the domain the host allows.
    """
    if within is None:
        weight, positions = most_kept(demand, size, domain)
        return positions if weight > 0 else least_lost(demand, size, domain)
    weight, positions = most_kept_on_surface(demand, size, domain, within)
    return positions if weight > 0 else least_lost_on_surface(demand, size, domain, within)


def meetings(demand: Demand, size: Size, domain: Domain) -> list[Meeting]:
    """Return all sets of objects whose rectangles meet; an empty list where there are too many sets.

    An object is kept only inside its rectangle. So the greatest weight among the sets bounds what a window can keep.
    """
    found = [Meeting(0.0, (), domain)]
    for i, weight in enumerate(demand.weights):
        if weight <= 0:
            continue
        one = rectangle(demand.only(i), size, domain)
        if one is None:
            continue
        for known in found[:]:
            x0, x1 = max(known.place.x0, one.x0), min(known.place.x1, one.x1)
            y0, y1 = max(known.place.y0, one.y0), min(known.place.y1, one.y1)
            if x0 <= x1 and y0 <= y1:
                found.append(Meeting(known.weight + weight, (*known.members, i), Domain(x0, x1, y0, y1)))
        if len(found) > MEETINGS:
            return []
    return found


def _within_rectangles(demand: Demand, size: Size, best: list[Meeting], uniform: Callable[[], float]) -> Window | None:
    """Return a uniform window among those that keep all members of one of the best sets; None where none was found.

    No window keeps two of these sets, or their union would weigh more. So a set drawn in proportion to its rectangle,
    and a position uniform in it, is uniform on what it is accepted on: that all members are kept.
    """
    upto = list(accumulate(group.place.size for group in best))
    for _ in range(QUICK_TRIES):
        mark = int(uniform() * upto[-1])
        group = next(group for group, end in zip(best, upto, strict=True) if mark < end)
        x0, x1, y0, y1 = group.place
        x, y = x0 + int(uniform() * (x1 - x0 + 1)), y0 + int(uniform() * (y1 - y0 + 1))
        window = window_at(x, y, size)
        if all(held(demand, i, window) >= demand.needs[i] for i in group.members):
            return window
    return None
