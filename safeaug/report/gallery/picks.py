"""Which draws of a record are shown, and under which tabs."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from safeaug.auditing.block import Failure
from safeaug.auditing.record import Record
from safeaug.auditing.row import Row
from safeaug.auditing.ruled import Looked, Ruled, Told, breaks_of
from safeaug.data.remarks import shown
from safeaug.errors import DataError

WORST, RANDOM, FINDINGS = "worst", "random", "findings"

RAISED = 100
"""How many draws in which the pipeline raised are shown at most; the first of every step is among them."""


RULED = 200
"""How many draws that break rules are shown at most; the first of every rule and step is among them."""


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
    told : tuple of Told
        The rules beyond content that it breaks.
    """

    id: str
    draw: int
    key: int
    tabs: tuple[str, ...]
    row: Row | None = None
    failure: Failure | None = None
    told: tuple[Told, ...] = ()


def picks_of(record: Record, *, worst: int | None = None, random: int | None = None) -> list[Pick]:
    """Return the draws that are shown: the worst first, then those picked at random, that raised, and that break rules.

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
    for looked, told in _broken(record.counts.ruled):
        _put(found, Pick(looked.id, 0, int(looked.key, 16), (FINDINGS,), None, looked.failure, told))
    return list(found.values())


def _put(found: dict[tuple[str, int], Pick], pick: Pick) -> None:
    """Add a draw, or what else is known of one that is there already."""
    known = found.get((pick.id, pick.draw), pick)
    tabs = tuple(dict.fromkeys(known.tabs + pick.tabs))
    told = known.told or pick.told
    found[pick.id, pick.draw] = known._replace(tabs=tabs, failure=known.failure or pick.failure, told=told)


def _key(row: Row) -> int:
    try:
        return int(row.key, 16)
    except ValueError:
        raise DataError(f"expected a record whose rows have keys of 16 digits, got {shown(row.key)}") from None


def _tabs(tab: str, row: Row) -> Iterator[str]:
    yield tab
    if row.findings:
        yield FINDINGS


def _broken(ruled: Ruled) -> list[tuple[Looked, tuple[Told, ...]]]:
    """Return samples that break rules: of each rule and step the first, and of all the first, in order."""
    some = [(looked, breaks_of(ruled, looked)) for looked in ruled.samples]
    some = [(looked, told) for looked, told in some if told or looked.failure is not None]
    firsts = {(each.code, each.step): at for at, (_, told) in reversed([*enumerate(some)]) for each in told}
    order = dict.fromkeys([*sorted(firsts.values()), *range(len(some))])
    return [some[at] for at in sorted([*order][:RULED])]


def _first(failures: Iterable[Failure]) -> list[Failure]:
    """Return the first failure of each step, and of all the first, in order."""
    failures = list(failures)
    firsts = {failure.step: failure for failure in reversed(failures)}.values()
    rest = [failure for failure in failures if failure not in firsts]
    return sorted([*firsts, *rest][:RAISED])
