"""How many draws ended in which status, over all processes that draw."""

import logging
import multiprocessing
import threading
from multiprocessing.context import get_spawning_popen
from typing import Any

import numpy as np

from safeaug.policy import Status

ROWS = 64
"""Rows of the table: one for the process that made it and its forks, the others for those that it spawns."""

ENOUGH = 100
"""Draws before a share of UNMET says anything."""

TOO_MANY = 0.05
"""Share of UNMET draws beyond which the user is told."""

_WIDTH = len(Status) + 1  # the last cell tells whether the warning was given


class Counts:
    """A table of counts in shared memory.

    Forked processes (a loader's workers on Linux) share a row and its lock. A spawned process gets a row of its own
    when the table is sent to it. Copies and pickles made for any other reason begin at zero.

    Parameters
    ----------
    owner : str
        What the warning calls the transform that is counted.

    Examples
    --------
    >>> counts = Counts("RandomCrop")
    >>> counts.add(Status.FIRST)
    >>> counts.report()
    {'FIRST': 1}
    """

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._cells: Any = multiprocessing.RawArray("q", ROWS * _WIDTH)
        self._lock: Any = _lock()
        self._row = 0
        self._spawned = 0

    def add(self, status: Status) -> None:
        """Count a draw; warn once, by the logger ``safeaug``, when of 100 draws or more over 5 % are UNMET."""
        base = self._row * _WIDTH
        with self._lock:
            self._cells[base + status] += 1
        if status is Status.UNMET:
            self._warn()

    def report(self) -> dict[str, int]:
        """Return the number of draws by the name of their status, those that occurred only."""
        totals = np.frombuffer(self._cells, dtype=np.int64).reshape(ROWS, _WIDTH).sum(axis=0).tolist()
        return {status.name: totals[status] for status in Status if totals[status]}

    def _warn(self) -> None:
        if self._cells[_WIDTH - 1]:
            return
        report = self.report()
        draws = sum(report.values()) - report.get(Status.NOT_APPLIED.name, 0)
        unmet = report[Status.UNMET.name]
        if draws < ENOUGH or unmet <= TOO_MANY * draws:
            return
        with self._lock:
            told, self._cells[_WIDTH - 1] = self._cells[_WIDTH - 1], 1
        if not told:
            logging.getLogger("safeaug").warning(
                "%s: the promise could not be met in %d of the first %d draws. The window is too small for what it "
                'must keep: lower min_retention, ask for keep="whole" or "any", widen the scale, or use on_fail="enlarge"',
                self._owner,
                unmet,
                draws,
            )

    def __reduce__(self) -> tuple[Any, ...]:
        if get_spawning_popen() is None:
            return Counts, (self._owner,)
        self._spawned += 1
        return _join, (self._owner, self._cells, self._row + 1 + (self._spawned - 1) % (ROWS - 1 - self._row))


def _join(owner: str, cells: Any, row: int) -> Counts:
    """Return the table that was sent to a spawned process, with that process's row."""
    counts = Counts.__new__(Counts)
    counts._owner, counts._cells, counts._lock, counts._row, counts._spawned = owner, cells, _lock(), row, 0
    return counts


def _lock() -> Any:
    """Return a lock that forks share; where there is no fork, one for the threads of this process."""
    if "fork" in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("fork").Lock()
    return threading.Lock()
