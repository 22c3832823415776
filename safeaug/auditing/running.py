"""An audit over local processes: each takes parts of the data, and what they count adds up in any order."""

import gc
import multiprocessing
import os
import pickle
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

from safeaug.auditing.block import Block, Failure
from safeaug.auditing.lots import Lot, least, lot_of
from safeaug.auditing.measure import Drawer, drawer_of, key_of, measured
from safeaug.auditing.picks import NONE, Picks, all_picks
from safeaug.auditing.row_files import row_line
from safeaug.auditing.rows import rows_of
from safeaug.auditing.ruled import Looked
from safeaug.auditing.ruling import Bench, looked_of
from safeaug.auditing.subject import Subject
from safeaug.auditing.summary import TOGETHER, Summary, merged, nothing, summary_of
from safeaug.auditing.terms import Terms
from safeaug.auditing.text import as_text
from safeaug.data import Remark, Sample
from safeaug.data.remarks import said
from safeaug.errors import ContentError, DataError, PipelineError, PolicyError

PART = 1024
"""Samples that are measured at once, at most."""

Job = TypeVar("Job")
Done = TypeVar("Done")

SHARES = 4
"""Parts that each process gets at least, so that all end at about the same time."""


@dataclass(frozen=True)
class Task:
    """What is audited, and how.

    Parameters
    ----------
    pipeline : Any
        The user's.
    data : sequence of Sample
        Read one by one.
    subject : Subject
        What of the samples is audited.
    draws : int
        Of each.
    terms : Terms
        On which is counted.
    keep_going : bool
        Whether samples that cannot be read are passed over, and draws that raise.
    lines : bool
        Whether each draw is wanted as a line of JSON.
    rules : tuple of str
        Families of rules beyond SA1.
    looks : int or None
        Of how many samples they are asked; None: of all.
    """

    pipeline: Any
    data: Sequence[Sample]
    subject: Subject
    draws: int
    terms: Terms
    keep_going: bool = False
    lines: bool = False
    rules: tuple[str, ...] = ()
    looks: int | None = None


class Part(NamedTuple):
    """What is known of a part of the data.

    Parameters
    ----------
    samples : int
        How many it holds.
    summary : Summary
        What was counted; it holds the worst draws, and some at random.
    places : dict of str to int
        Where in the data the samples of these stand.
    remarks : tuple of Remark
        What was met while its samples were read.
    passed_over : int
        Samples that could not be read.
    lines : bytes
        Each draw as a line of JSON, if these are wanted.
    """

    samples: int
    summary: Summary
    places: dict[str, int]
    remarks: tuple[Remark, ...]
    passed_over: int
    lines: bytes
    lots: tuple[Lot, ...] = ()


def parts_of(task: Task, processes: int, made: Drawer | None = None) -> Iterator[Part]:
    """Yield the parts of an audit, in the order of the data.

    Parameters
    ----------
    task : Task
        What is audited.
    processes : int
        How many work on it. One works in this process.
    made : Drawer, optional
        Of the task, where this process has one already.

    Raises
    ------
    PipelineError
        Where the pipeline raises, and the task does not keep going; or a process ends on its own.
    DataError, ContentError
        Where a sample cannot be read, likewise.
    """
    part = max(1, min(PART, -(-len(task.data) // (SHARES * processes))))
    ranges = [range(start, min(start + part, len(task.data))) for start in range(0, len(task.data), part)]
    yield from _shared(task, processes, made, Worker.part, ranges)


def looks_of(task: Task, lots: Sequence[Lot], processes: int, made: Drawer | None = None) -> list[Looked]:
    """Return what the rules of an audit say of some samples.

    Parameters
    ----------
    task, processes, made
        As in `parts_of`.
    lots : sequence of Lot
        Which samples.

    Raises
    ------
    PipelineError
        Where the pipeline raises, and the task does not keep going.
    """
    part = max(1, -(-len(lots) // (SHARES * processes)))
    some = [tuple(lots[start : start + part]) for start in range(0, len(lots), part)]
    return [each for looked in _shared(task, processes, made, Worker.looks, some) for each in looked]


def _shared(
    task: Task,
    processes: int,
    made: Drawer | None,
    do: "Callable[[Worker, Job], Done]",
    jobs: "Sequence[Job]",
) -> "Iterator[Done]":
    """Yield what processes make of jobs, in their order."""
    if processes == 1 or len(jobs) < 2:
        worker = Worker(task, made)
        yield from (do(worker, job) for job in jobs)
        return
    # A fork shares what was read already, and what cannot be pickled; elsewhere all is sent.
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    if method is None:
        _check_sent(task)
    with _frozen(), _pool(task, min(processes, len(jobs)), method) as pool:
        try:
            yield from pool.map(partial(_work, do), jobs)
        except BrokenProcessPool as error:
            raise PipelineError(
                "a process of the audit has ended on its own, as one does that is out of memory or meets a fault in "
                "compiled code; take fewer processes, or one, to see where"
            ) from error


class _Nowhere:
    """A file that keeps nothing."""

    def write(self, data: Any) -> None:
        pass


def _check_sent(task: Task) -> None:
    """Raise `PolicyError` where pipeline or data cannot be sent to another process; a pool says so less clearly."""
    for name, each in (("pipeline", task.pipeline), ("data", task.data)):
        try:
            pickle.Pickler(_Nowhere()).dump(each)
        except Exception as error:  # classes say in their own ways that they cannot be pickled
            raise PolicyError(
                f"processes must be 1 where the {name} cannot be pickled and the system does not fork: {said(error)}"
            ) from error


@contextmanager
def _pool(task: Task, processes: int, method: str | None) -> Iterator[ProcessPoolExecutor]:
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context(method), _begin, (task,))
    try:
        yield pool
    except BaseException:  # an interrupt, too: nobody waits for parts that nobody will see
        for process in list(pool._processes.values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _frozen() -> Iterator[None]:
    """Keep the collector of garbage from what is there already: a large data set is millions of objects.

    Going through them takes most of the time otherwise; and writes to each, so that forks no longer share them.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class Worker:
    """What works on one part after another. It knows the worst draws so far, so that no others are made rows of.

    Parameters
    ----------
    task : Task
        What is audited.
    made : Drawer, optional
        Puts samples through its pipeline; made here, where there is none.
    """

    def __init__(self, task: Task, made: Drawer | None = None) -> None:
        self.task, self.picks = task, NONE
        self.drawer: Drawer = made or drawer_of(task.pipeline, task.subject)

    def part(self, places: range) -> Part:
        """Return what is known of the samples at these places of the data."""
        task = self.task
        samples, remarks, known = [], [], {}
        passed_over, lots = 0, list[Lot]()
        for place in places:
            try:
                sample = task.data[place]
            except DataError as error:
                if not (task.keep_going or _is_found(error, task)):
                    raise
                remarks.append(Remark(error.kind, error.where, error.message))  # type: ignore[arg-type]  # a kind
                passed_over += 1
                if _is_found(error, task):
                    lots.append(lot_of(as_text(error.where), key_of(task.terms.seed, error.where, 0), place))
                continue
            samples.append(sample)
            known[as_text(sample.id)] = place
            remarks += sample.remarks
        block, unread = _measured(task, self.drawer, samples)
        if block.failures and not task.keep_going:
            raise raised(block.failures[0])
        summary = summary_of(block, task.terms, self.picks)
        self.picks = all_picks((self.picks, Picks(summary.worst, summary.random)), task.terms)
        rows = rows_of(block, task.terms.policy, labels=task.terms.labels) if task.lines else ()
        shown = {row.id: known[row.id] for row in (*summary.worst, *summary.random)}
        remarks += unread
        lines = b"".join(map(row_line, rows))
        if task.rules:
            ids = [as_text(sample.id) for sample in block.samples]
            lots += [lot_of(name, key, known[name]) for name, key in zip(ids, block.keys[:, 0].tolist(), strict=True)]
        some = tuple(least(lots, task.looks))
        return Part(len(block.samples), summary, shown, tuple(remarks), passed_over + len(unread), lines, some)

    def looks(self, lots: Sequence[Lot]) -> list[Looked]:
        """Return what the rules say of some samples."""
        task, found = self.task, []
        bench = Bench(task.pipeline, self.drawer, task.data, task.subject, task.rules)
        for lot in lots:
            looked = looked_of(bench, lot)
            if looked.failure is not None and not task.keep_going:
                raise raised(looked.failure)
            found.append(looked)
        return found


def _is_found(error: DataError, task: Task) -> bool:
    """Return whether an error is of a file that cannot be read, and these are what was asked for."""
    return error.kind == "unreadable" and "SA7" in task.rules


_WORKER: ContextVar[Worker] = ContextVar("safeaug_worker")
"""What a process of the pool works with: it is set once, when the process begins."""


def _begin(task: Task) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _WORKER.set(Worker(task))
    gc.freeze()


def _end_with_parent() -> None:
    """End when the process does that began this one: of one that is terminated nobody would take the parts."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(do: Callable[[Worker, Job], Done], job: Job) -> Done:
    return do(_WORKER.get(), job)


def _measured(task: Task, made: Drawer, samples: list[Sample]) -> tuple[Block, list[Remark]]:
    """Return a block of samples; without those whose objects cannot be read, if the task keeps going."""
    how: dict[str, Any] = {
        "subject": task.subject,
        "draws": task.draws,
        "seed": task.terms.seed,
        "smallest": task.terms.smallest,
    }
    try:
        return measured(made, samples, **how), []
    except (ContentError, DataError):
        if not task.keep_going:
            raise
    good, remarks = [], []
    for sample in samples:
        try:
            measured(made, [sample], **how)
        except (ContentError, DataError) as error:
            remarks.append(Remark("malformed", sample.where, str(error)))
        else:
            good.append(sample)
    return measured(made, good, **how), remarks


def raised(failure: Failure) -> PipelineError:
    """Return the error that tells of a draw in which the pipeline raised."""
    where = f"step {failure.step}, on " if failure.step else ""
    return PipelineError(
        f"the pipeline raised in {where}draw {failure.draw} of sample {failure.sample}: {failure.error}; to audit the "
        "rest, keep going (keep_going=True, --keep-going)",
        failure.sample,
        failure.step,
    )


def counted(parts: Iterator[Part], terms: Terms, take: Callable[[Part], None]) -> Summary:
    """Return what all parts count together.

    Parameters
    ----------
    parts : iterator of Part
        In the order of the data.
    terms : Terms
        On which was counted.
    take : callable
        Is handed each.
    """
    waiting = [nothing(terms)]
    for part in parts:
        take(part)
        waiting.append(part.summary)
        if len(waiting) > TOGETHER:
            waiting = [merged(waiting)]
    return merged(waiting)
