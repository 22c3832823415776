"""The exact count where objects are more than boxes: the masses of all windows of a size, position by position."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Domain, Size
from safeaug.placement.marked import Marked
from safeaug.records import Demand
from safeaug.shapes import Shape, boxed

CELLS = 1 << 20
"""Positions that are looked at together: their surfaces fit into a cache or nearly, and memory stays bounded."""

TIE = 1e-9
"""Shares and weights that differ by less are equal."""

Within = NDArray[np.bool_] | None
"""Of shape (X, Y): which positions of a domain a host allows; None for all."""


def feasible_on_surface(demand: Demand, size: Size, domain: Domain, within: Within = None) -> Marked:
    """Return every position at which a window of this size reaches the demand.

    Parameters
    ----------
    demand : Demand
        Of at least one object, of any kind.
    size : (int, int)
        Height and width of the window.
    domain : Domain
        Positions that the host can draw; at least one.
    within : ndarray of shape (X, Y), bool, optional
        Which of them the host allows.
    """
    together = 1 if demand.keep is None else len(demand.boxes)  # a callable sees all objects at once
    marks = np.concatenate([_good(demand, size, block) for block in _blocks(domain, together)])
    return Marked(domain, marks if within is None else marks & within)


def most_kept_on_surface(demand: Demand, size: Size, domain: Domain, within: Within = None) -> tuple[float, Marked]:
    """Return the largest weight of objects that one position can keep, and all positions that keep it."""
    cover = np.zeros(_shape_of(domain))
    for block, part in _parts(cover, domain):
        for shape, need, weight in zip(shapes_of(demand), demand.needs, demand.weights, strict=True):
            part += weight * (shape.surface(size, block) >= need)
    if within is not None:
        cover[~within] = -math.inf
    best = float(cover.max())
    return best, Marked(domain, cover >= best - TIE * max(best, 1.0))


def least_lost_on_surface(demand: Demand, size: Size, domain: Domain, within: Within = None) -> Marked:
    """Return the positions with the largest worst retention and, among those, the largest sum of retentions."""
    worst, total = np.full(_shape_of(domain), math.inf), np.zeros(_shape_of(domain))
    for (block, low), (_, total_of) in zip(_parts(worst, domain), _parts(total, domain), strict=True):
        for shape in shapes_of(demand):
            share = shape.surface(size, block) / shape.area
            np.minimum(low, share, out=low)
            total_of += share
    if within is not None:
        worst[~within] = -math.inf
    tied = worst >= worst.max() - TIE
    return Marked(domain, tied & (total >= total[tied].max() - TIE))


def shapes_of(demand: Demand) -> list[Shape]:
    """Return what each object covers, boxes as shapes too."""
    return demand.shapes if demand.shapes is not None else [boxed(box, demand.slack) for box in demand.boxes]


def _good(demand: Demand, size: Size, block: Domain) -> NDArray[np.bool_]:
    """Return at which positions of a block a window reaches the demand."""
    shapes = shapes_of(demand)
    if demand.keep is not None:
        shares = np.stack([shape.surface(size, block) / shape.area for shape in shapes], axis=-1)
        answer: NDArray[np.bool_] = demand.keep(shares)
        return answer
    kept = np.zeros(_shape_of(block), dtype=np.int64)
    good = np.ones(_shape_of(block), dtype=bool)
    for i, (shape, need) in enumerate(zip(shapes, demand.needs, strict=True)):
        area = shape.surface(size, block)
        enough = area >= need
        kept += enough
        if demand.all_of_them:
            good &= enough
            if not good.any():
                break
        elif demand.gone is not None:
            good &= enough | (area < demand.gone[i])
    return good & (kept >= demand.least)


def _shape_of(domain: Domain) -> tuple[int, int]:
    return domain.x1 - domain.x0 + 1, domain.y1 - domain.y0 + 1


def _blocks(domain: Domain, together: int = 1) -> Iterator[Domain]:
    """Yield the domain in blocks of whole columns, of which so many surfaces are held together."""
    columns = max(1, CELLS // ((domain.y1 - domain.y0 + 1) * together))
    for x in range(domain.x0, domain.x1 + 1, columns):
        yield domain._replace(x0=x, x1=min(x + columns - 1, domain.x1))


def _parts(surface: NDArray[np.float64], domain: Domain) -> Iterator[tuple[Domain, NDArray[np.float64]]]:
    """Yield each block and its part, a view, of a surface over the whole domain."""
    for block in _blocks(domain):
        yield block, surface[block.x0 - domain.x0 : block.x1 - domain.x0 + 1]
