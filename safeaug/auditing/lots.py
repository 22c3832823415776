"""Which samples rules are asked of: those that a hash of their ids picks, whatever the order of the data."""

from collections.abc import Iterable
from typing import NamedTuple

from safeaug.auditing.picks import scattered


class Lot(NamedTuple):
    """A sample that may be picked.

    Parameters
    ----------
    lot : int
        The least ones are.
    id : str
        The sample.
    key : int
        Of its first draw.
    place : int
        Where it stands in the data.
    """

    lot: int
    id: str
    key: int
    place: int


def lot_of(sample: str, key: int, place: int) -> Lot:
    """Return the lot of a sample, by the key of its first draw, which is a hash of the run's seed and its id."""
    return Lot(scattered(key), sample, key, place)


def least(lots: Iterable[Lot], most: int | None) -> list[Lot]:
    """Return those that are picked of some.

    Examples
    --------
    >>> [each.place for each in least([lot_of("a", 1, 0), lot_of("b", 2, 1), lot_of("c", 3, 2)], 2)]
    [2, 0]
    """
    return sorted(lots)[:most]
