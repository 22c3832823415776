"""Which draws of a record are shown, and under which tabs."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from safeaug.auditing.block import Failure
from safeaug.auditing.record import Record
from safeaug.auditing.row import Row
from safeaug.data.remarks import shown
from safeaug.errors import DataError

WORST, RANDOM, FINDINGS = "worst", "random", "findings"

RAISED = 100
"""How many draws in which the pipeline raised are shown at most; the first of every step is among them."""


class Pick(NamedTuple):
    """A draw that is shown.

    Parameters
    ----------
    id : str
        The sample.
    draw : int
        Which draw of it.
    key : int
        What makes it again.
    tabs : tuple of str
        Where it is found.
    row : Row or None
        What the record tells of it; None where the pipeline raised.
    failure : Failure or None
        How it raised.
    """

    id: str
    draw: int
    key: int
    tabs: tuple[str, ...]
    row: Row | None = None
    failure: Failure | None = None


def picks_of(record: Record, *, worst: int | None = None, random: int | None = None) -> list[Pick]:
    """Return the draws that are shown: the worst first, then those picked at random, then those that raised.

    Parameters
    ----------
    record : Record
        Of an audit.
    worst, random : int, optional
        At most so many; by default all that the record holds.

    Raises
    ------
    DataError
        Where a row has no key.
    """
    found: dict[tuple[str, int], Pick] = {}
    for tab, rows in ((WORST, record.worst[:worst]), (RANDOM, record.random[:random])):
        for row in rows:
            _put(found, Pick(row.id, row.draw, _key(row), tuple(_tabs(tab, row)), row))
    for failure in _first(record.failures):
        _put(found, Pick(failure.sample, failure.draw, failure.key, (FINDINGS,), None, failure))
    return list(found.values())


def _put(found: dict[tuple[str, int], Pick], pick: Pick) -> None:
    """Add a draw, or what else is known of one that is there already."""
    known = found.get((pick.id, pick.draw), pick)
    tabs = tuple(dict.fromkeys(known.tabs + pick.tabs))
    found[pick.id, pick.draw] = known._replace(tabs=tabs, failure=known.failure or pick.failure)


def _key(row: Row) -> int:
    try:
        return int(row.key, 16)
    except ValueError:
        raise DataError(f"expected a record whose rows have keys of 16 digits, got {shown(row.key)}") from None


def _tabs(tab: str, row: Row) -> Iterator[str]:
    yield tab
    if row.findings:
        yield FINDINGS


def _first(failures: Iterable[Failure]) -> list[Failure]:
    """Return the first failure of each step, and of all the first, in order."""
    failures = list(failures)
    firsts = {failure.step: failure for failure in reversed(failures)}.values()
    rest = [failure for failure in failures if failure not in firsts]
    return sorted([*firsts, *rest][:RAISED])
