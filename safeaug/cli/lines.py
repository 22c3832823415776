"""A file of rows that is written while an audit runs."""

from pathlib import Path
from types import TracebackType
from typing import Self

from safeaug.auditing.about import About
from safeaug.auditing.row_files import header_line

ROOM = 400
"""Bytes by which the first line may grow until the end, when all that it says is known."""


class Lines:
    """A file of rows: first a line that says what they are of, then one a draw.

    What the first line says is in part known only at the end, so it leaves room; what is interrupted can be read too.

    Parameters
    ----------
    path : Path or None
        Where it is written; None: nowhere.
    about : About
        What is known at the beginning.
    """

    def __init__(self, path: Path | None, about: About) -> None:
        self._file = None if path is None else path.open("wb")
        self._first = len(header_line(about)) + ROOM
        self.about(about)

    def take(self, lines: bytes) -> None:
        """Write lines of draws."""
        if self._file is not None:
            self._file.write(lines)
            self._file.flush()  # so that a run that is killed can be read, too

    def about(self, about: About) -> None:
        """Write the first line, in its place."""
        line = header_line(about).rstrip(b"\n")
        if self._file is not None and len(line) < self._first:
            self._file.seek(0)
            self._file.write(line.ljust(self._first - 1) + b"\n")
            self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
