"""How many draws ended in which status, over all processes that draw."""

import logging
import multiprocessing
import threading
from multiprocessing import current_process
from multiprocessing.context import get_spawning_popen
from typing import Any

import numpy as np

from safeaug.policy import Status

ROWS = 64
"""Rows of the table. One is the maker's; beyond 63 others the rows are given out again, and add up what is in them."""

ENOUGH = 100
"""Draws before a share of UNMET says anything."""

TOO_MANY = 0.05
"""Share of UNMET draws beyond which the user is told."""

_WIDTH = len(Status)
_ROWS_TAKEN, _TOLD = ROWS * _WIDTH, ROWS * _WIDTH + 1  # two cells behind the table


class Counts:
    """A table of counts in shared memory, with a row for each process that draws.

    A process that multiprocessing forks from the one that made the table (a loader's workers on Linux) takes the next
    row at its first draw; one that is spawned gets its row when the table is sent to it. So no two processes write to
    one cell, and no draw waits for another process. Copies and pickles made for any other reason begin at zero.

    Parameters
    ----------
    owner : str
        What the warning calls the transform that is counted.
    quiet : bool, default False
        Whether nothing is said of draws that are UNMET: somebody else says it.

    Examples
    --------
    >>> counts = Counts("RandomCrop")
    >>> counts.add(Status.FIRST)
    >>> counts.report()
    {'FIRST': 1}
    """

    def __init__(self, owner: str, *, quiet: bool = False) -> None:
        self._owner, self._quiet = owner, quiet
        self._memory: Any = multiprocessing.RawArray("q", ROWS * _WIDTH + 2)
        self._lock: Any = _lock()
        self._cells: Any = memoryview(self._memory).cast("B").cast("q")
        self._row, self._process = 0, current_process()
        self._threads = threading.Lock()

    def add(self, status: Status, number: int = 1) -> None:
        """Count draws; warn once, by the logger ``safeaug``, when of 100 draws or more over 5 % are UNMET."""
        if self._process is not current_process():
            self._row, self._process = self._next_row(), current_process()
            self._threads = threading.Lock()  # the parent's may have been held by a thread that does not live here
        with self._threads:
            self._cells[self._row * _WIDTH + status] += number
        if status is Status.UNMET and not self._quiet:
            self._warn()

    def report(self) -> dict[str, int]:
        """Return the number of draws by the name of their status, those that occurred only."""
        table = np.frombuffer(self._cells, dtype=np.int64, count=ROWS * _WIDTH)
        totals = table.reshape(ROWS, _WIDTH).sum(axis=0).tolist()
        return {status.name: totals[status] for status in Status if totals[status]}

    def _next_row(self) -> int:
        with self._lock:
            self._cells[_ROWS_TAKEN] += 1
            return 1 + (int(self._cells[_ROWS_TAKEN]) - 1) % (ROWS - 1)

    def _warn(self) -> None:
        if self._cells[_TOLD]:
            return
        report = self.report()
        draws = sum(report.values()) - report.get(Status.NOT_APPLIED.name, 0)
        unmet = report[Status.UNMET.name]
        if draws < ENOUGH or unmet <= TOO_MANY * draws:
            return
        with self._lock:
            told, self._cells[_TOLD] = self._cells[_TOLD], 1
        if not told:
            logging.getLogger("safeaug").warning(
                "%s: the promise could not be met in %d of the first %d draws. No window that it can draw keeps what "
                'the policy asks: lower min_retention, use keep="whole" or "any", or draw larger windows',
                self._owner,
                unmet,
                draws,
            )

    def __reduce__(self) -> tuple[Any, ...]:
        if get_spawning_popen() is None:
            return _begun, (self._owner, self._quiet)
        return _join, (self._owner, self._quiet, self._memory, self._next_row())


def _begun(owner: str, quiet: bool) -> Counts:
    return Counts(owner, quiet=quiet)


def _join(owner: str, quiet: bool, memory: Any, row: int) -> Counts:
    """Return the table that was sent to a spawned process, with that process's row."""
    counts = Counts.__new__(Counts)
    counts._owner, counts._quiet = owner, quiet
    counts._memory, counts._lock = memory, _lock()
    counts._cells = memoryview(memory).cast("B").cast("q")
    counts._row, counts._process, counts._threads = row, current_process(), threading.Lock()
    return counts


def _lock() -> Any:
    """Return a lock that forks share; where there is no fork, one for the threads of this process."""
    if "fork" in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("fork").Lock()
    return threading.Lock()
