"""A summary as JSON: whole numbers and text, exact in both directions, the same bytes for the same counts.

A table is written as ``[digit, ..., digit, counts]`` a row: all digits of its keys but the last, and the counts by the
last digit, from 0; ``-3`` stands for three counts of 0. The names of the digits stand beside.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from safeaug.auditing.bins import AREAS, ASPECTS, Ints
from safeaug.auditing.block import Failure
from safeaug.auditing.counts import LAYOUTS, Counts
from safeaug.auditing.failed import Failed
from safeaug.auditing.row import Row
from safeaug.auditing.ruled import UNRULED, Ruled
from safeaug.auditing.table import Layout, Table, digits_of, pack
from safeaug.auditing.terms import Terms
from safeaug.data.remarks import said, shown
from safeaug.draws import StepName
from safeaug.errors import DataError

if TYPE_CHECKING:
    from safeaug.auditing.summary import Summary

SCHEMA = "safeaug.summary/1"
"""Names the layout. The number grows when one who reads the old would misread the new."""

_Rows = list[list[int | list[int]]]
_MANY = 1 << 20


class _Stored(msgspec.Struct, frozen=True, omit_defaults=True):
    """A summary as it is written. Digits count labels, aspects, areas and steps from 1, in the order given here.

    Where no rules were asked for, nothing is written of any.
    """

    schema: str
    terms: Terms
    steps: tuple[StepName, ...]
    labels: tuple[str, ...]
    aspects: tuple[str, ...]
    areas: tuple[str, ...]
    digits: dict[str, tuple[str, ...]]
    tables: dict[str, _Rows]
    failed: dict[str, int]
    firsts: dict[str, Failure]
    failures: tuple[Failure, ...]
    worst: tuple[Row, ...]
    random: tuple[Row, ...]
    ruled: Ruled | None = None


class _Version(msgspec.Struct):
    schema: str


_Parts = tuple[Terms, tuple[StepName, ...], tuple[str, ...], Counts, Failed, tuple[Row, ...], tuple[Row, ...], Ruled]


def written(summary: "Summary") -> bytes:
    """Return a summary as JSON."""
    stored = _Stored(
        schema=SCHEMA,
        terms=summary.terms,
        steps=summary.steps,
        labels=summary.labels,
        aspects=ASPECTS,
        areas=AREAS,
        digits={name: layout.names for name, layout in LAYOUTS.items()},
        tables={name: _rows(LAYOUTS[name], table) for name, table in zip(Counts._fields, summary.counts, strict=True)},
        failed=summary.failed.counts,
        firsts=summary.failed.firsts,
        failures=summary.failed.failures,
        worst=summary.worst,
        random=summary.random,
        ruled=summary.ruled if summary.ruled.asked else None,
    )
    return msgspec.json.encode(stored, order="deterministic")


def read_summary(data: bytes, where: str = "") -> _Parts:
    """Return the parts of the summary that was written.

    Raises
    ------
    DataError
        Where it is none, or one of another version.
    """
    try:
        schema = msgspec.json.decode(data, type=_Version).schema
        if schema != SCHEMA:
            raise DataError(f"expected the schema {SCHEMA!r}, got {shown(schema)}; audit again", where)
        stored = msgspec.json.decode(data, type=_Stored)
    except msgspec.DecodeError as error:
        raise DataError(f"expected the summary of an audit, got: {said(error)}", where) from None
    if set(stored.tables) != set(LAYOUTS) or (stored.aspects, stored.areas) != (ASPECTS, AREAS):
        raise DataError("expected the tables, aspects and areas of a summary, got others; audit again", where)
    most = {"label": len(stored.labels), "step": len(stored.steps)}
    tables = [_table(LAYOUTS[name], stored.tables[name], most, f"{where}: table {name}") for name in Counts._fields]
    return (
        stored.terms,
        stored.steps,
        stored.labels,
        Counts(*tables),
        Failed(stored.failed, stored.firsts, stored.failures),
        stored.worst,
        stored.random,
        stored.ruled or UNRULED,
    )


def _rows(layout: Layout, table: Table) -> _Rows:
    """Return a table as rows of digits and counts.

    Examples
    --------
    >>> layout, table = Layout(("step", "bin"), (201,)), Table(np.array([203, 207]), np.array([5, 1]))
    >>> _rows(layout, table)
    [[1, [-2, 5, -3, 1]]]
    >>> _table(layout, [[1, [-2, 5, -3, 1]]], {}, "").keys.tolist()
    [203, 207]
    """
    if not len(table.keys):
        return []
    *upper, last = digits_of(layout, table.keys)
    row = table.keys // layout.sizes[-1] if layout.sizes else np.zeros_like(table.keys)
    begins = np.concatenate(([True], row[1:] != row[:-1]))
    gaps = np.where(begins, last, np.diff(last, prepend=0) - 1)
    at = np.arange(len(last)) + np.cumsum(gaps > 0)
    out = np.zeros(int(at[-1]) + 1, np.int64)
    out[at] = table.counts
    out[at[gaps > 0] - 1] = -gaps[gaps > 0]
    starts = (at - (gaps > 0))[begins].tolist()
    flat, ends = out.tolist(), [*starts[1:], len(out)]
    heads = zip(*(digit[begins].tolist() for digit in upper), strict=True) if upper else [()]
    return [[*head, flat[a:b]] for head, a, b in zip(heads, starts, ends, strict=True)]


def _table(layout: Layout, rows: _Rows, most: Mapping[str, int], where: str) -> Table:
    """Return the table that was written as rows."""
    width = len(layout.names)
    if not all(len(row) == width and [*map(type, row)] == [*[int] * (width - 1), list] for row in rows):
        raise DataError(f"expected rows of {width - 1} digits and a list of counts, got others; audit again", where)
    try:
        upper = np.array([row[:-1] for row in rows], np.int64).reshape(len(rows), width - 1)
        written_ = [np.array(row[-1], np.int64) for row in rows]
    except OverflowError:
        raise DataError("expected whole numbers of 64 bits, got greater ones; audit again", where) from None
    lengths = [len(each) for each in written_]
    flat = np.concatenate([*written_, np.zeros(0, np.int64)])
    heads = np.repeat(upper, lengths, axis=0)
    last = np.concatenate([*map(_places, written_), np.zeros(0, np.int64)])
    digits = [*heads.T, last]
    sizes = (most.get(layout.names[0], _MANY) + 1, *layout.sizes)
    ends = [min(size, most.get(name, size) + 1) for name, size in zip(layout.names, sizes, strict=True)]
    fine = all(((digit >= 0) & (digit < end)).all() for digit, end in zip(digits, ends, strict=True))
    some = flat > 0
    keys = pack(layout, *(digit[some] for digit in digits))
    if not fine or (flat == 0).any() or (np.diff(keys) <= 0).any():
        raise DataError("expected ascending digits within their bounds, got others; audit again", where)
    return Table(keys, flat[some])


def _places(counts: Ints) -> Ints:
    """Return the last digit of each count of a row; of a number of zeros, of the last of them."""
    return np.cumsum(np.where(counts < 0, -counts, 1)) - 1
