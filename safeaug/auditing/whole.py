"""How all draws fared at the measured limits: what a progress bar shows."""

from typing import NamedTuple

from safeaug.auditing.cut import Cut
from safeaug.auditing.rates import tried
from safeaug.auditing.table import Table
from safeaug.auditing.terms import Labels


class Whole(NamedTuple):
    """How all judged draws fared.

    Parameters
    ----------
    draws : int
        How many were judged.
    damaged, emptied : int
        In how many of them an object is damaged, and in how many none is kept.
    """

    draws: int
    damaged: int
    emptied: int


def whole_of(damage: Table, emptied: Table, labels: Labels) -> Whole:
    """Return how all draws fared at the measured limits."""
    measured = Cut(None)
    damaged, empty = tried(damage, measured, labels), tried(emptied, measured, labels)
    return Whole(int(damaged.draws[0]), int(damaged.struck[0]), int(empty.struck[0]))
