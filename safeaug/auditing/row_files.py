"""Files of rows: JSON Lines, of which the first says what the audit was made of."""

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path

import msgspec

from safeaug.auditing.about import SCHEMA, About
from safeaug.auditing.row import Header, Row
from safeaug.data.remarks import place, said, shown
from safeaug.errors import DataError


def header_line(about: About) -> bytes:
    """Return the first line of a file of rows, its end included.

    Examples
    --------
    >>> header_line(About())[:28]
    b'{"schema":"safeaug.audit/1",'
    """
    return msgspec.json.encode(Header(SCHEMA, about)) + b"\n"


def row_line(row: Row) -> bytes:
    """Return a row as a line of JSON, its end included."""
    return msgspec.json.encode(row) + b"\n"


def write_rows(path: str | PathLike[str], about: About, rows: Iterable[Row]) -> int:
    """Write a file of rows, and return how many there were."""
    number = 0
    with Path(path).open("wb") as file:
        file.write(header_line(about))
        for row in rows:
            file.write(row_line(row))
            number += 1
    return number


def read_rows(path: str | PathLike[str]) -> tuple[About, Iterator[Row]]:
    """Return what a file of rows says that it is about, and its rows, read one by one.

    Raises
    ------
    DataError
        Where it is not such a file, or is of another version; and while rows are read, where a line is none.
    OSError
        Where it cannot be opened.
    """
    with Path(path).open("rb") as file:
        return _about(file.readline(), place(path, 1)), _rows(path)


def _about(line: bytes, where: str) -> About:
    """Return what a header says. Its version is looked at first, as another's fields may be other ones."""
    try:
        schema = msgspec.json.decode(line, type=_Version).schema
        if schema != SCHEMA:
            raise DataError(
                f"expected the schema {SCHEMA!r}, got {shown(schema)}; write it anew with safeaug audit", where
            )
        return msgspec.json.decode(line, type=Header).about
    except msgspec.DecodeError as error:
        raise DataError(f"expected the header of a file of audited draws, got: {said(error)}", where) from None


class _Version(msgspec.Struct):
    schema: str


def _rows(path: str | PathLike[str]) -> Iterator[Row]:
    decoder = msgspec.json.Decoder(Row)
    with Path(path).open("rb") as file:
        file.readline()
        for number, line in enumerate(file, 2):
            try:
                yield decoder.decode(line)
            except msgspec.DecodeError as error:
                raise DataError(f"expected a row of an audit, got: {said(error)}", place(path, number)) from None
