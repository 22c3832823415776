"""The curve over limits: what each would call damage, and how much of the picture the other draws show."""

import msgspec
import numpy as np

from safeaug.auditing.bins import LIMITS, ONE, Ints, millionths
from safeaug.auditing.seen import Seen
from safeaug.auditing.strata import LAYOUT as DRAWS
from safeaug.auditing.strata import meant
from safeaug.auditing.table import Layout, Table, digits_of, pack, summed
from safeaug.auditing.terms import Labels
from safeaug.auditing.turns import SIZE, Turns

LAYOUT = Layout(("labels", "turn"), (SIZE,))
"""Keys of judged draws, for labels of objects (0) and of images (1), by the turn of their damage."""


class Point(msgspec.Struct, frozen=True):
    """What one limit makes of the draws.

    Parameters
    ----------
    limit : float
        Share of every object that must be left.
    damaged, emptied : int
        Draws that it damages, and empties.
    area : float or None
        The mean share of the picture that the undamaged draws show; None where there are none.
    """

    limit: float
    damaged: int
    emptied: int
    area: float | None


def areas_of(seen: Seen, turns: Turns, area: np.ndarray) -> Table:
    """Return the sum of the picture area left, in millionths, of the draws of each turn.

    Parameters
    ----------
    area : ndarray of shape (S, n)
        Share of each picture that is visible in the end.
    """
    judged = seen.judged[turns.owner]
    amounts = millionths(area.astype(np.float64))[turns.owner][judged]
    keys = [pack(LAYOUT, labels, turns.damage[:, labels][judged] % SIZE) for labels in (0, 1)]
    return summed(np.concatenate(keys), np.concatenate([amounts, amounts]))


def curve_of(damage: Table, emptied: Table, areas: Table, labels: Labels) -> tuple[Point, ...]:
    """Return what each of the two hundred and one limits makes of the draws."""
    draws, empty = _by_turn(damage, labels), _by_turn(emptied, labels)
    which, turn = digits_of(LAYOUT, areas.keys)
    ours = which == (labels == "image")
    shown = np.zeros(SIZE, np.int64)
    shown[turn[ours]] = areas.counts[ours]
    points = []
    for j, limit in enumerate(LIMITS.tolist()):
        others = int(draws[1 + j :].sum())
        area = float(shown[1 + j :].sum()) / others / ONE if others else None
        points.append(
            Point(limit=limit, damaged=int(draws[: 1 + j].sum()), emptied=int(empty[: 1 + j].sum()), area=area)
        )
    return tuple(points)


def _by_turn(table: Table, labels: Labels) -> Ints:
    """Return how many of all draws have which turn."""
    label, aspect, area, side, _, turn = digits_of(DRAWS, table.keys)
    ours = meant(side, labels) & (label == 0) & (aspect == 0) & (area == 0)
    sums = np.zeros(SIZE, np.int64)
    np.add.at(sums, turn[ours], table.counts[ours])
    return sums
