"""Recorded faults, of all processes that watch: lines of JSON in one file, which the first of them begins."""

import json
import os
import tempfile
import uuid
import weakref
from pathlib import Path
from typing import Any


class Book:
    """What was recorded of one watched thing.

    Loader workers, forked or spawned, write into the same file. It lies in the folder for temporary files, begins with
    the first fault, and goes with the process that has made the book.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.gettempdir()) / f"safeaug-{uuid.uuid4().hex}.jsonl"
        self._maker = weakref.finalize(self, _removed, self.path, os.getpid())

    def write(self, entry: dict[str, Any]) -> None:
        """Add an entry. Lines of several processes do not mix: each is one write at the end of the file."""
        line = json.dumps(entry, default=str).encode() + b"\n"
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)

    def read(self) -> list[dict[str, Any]]:
        """Return all entries."""
        if not self.path.exists():
            return []
        return [json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines()]

    def __reduce__(self) -> tuple[Any, ...]:
        return _opened, (self.path,)

    def __deepcopy__(self, memo: Any) -> "Book":
        return self


def _opened(path: Path) -> Book:
    """Return the same book, in another process; it is not that one's to remove."""
    book = Book.__new__(Book)
    book.path = path
    return book


def _removed(path: Path, process: int) -> None:
    if os.getpid() == process:
        path.unlink(missing_ok=True)
