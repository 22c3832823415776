"""A draw of an audit, made again: the very picture, plain and guarded."""

import difflib
from collections.abc import Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.auditing.about import About
from safeaug.auditing.ids import full_names
from safeaug.auditing.measure import drawer_of, key_of, measured
from safeaug.auditing.row import Row
from safeaug.auditing.row_files import read_rows
from safeaug.auditing.rows import rows_of
from safeaug.auditing.subject import Subject, subject_of
from safeaug.data import Sample, picture_of, readings
from safeaug.data.frames import raised
from safeaug.data.remarks import place, shown
from safeaug.dispatch import guard
from safeaug.errors import DataError, PipelineError
from safeaug.policy import Policy
from safeaug.records import Step

CLOSE = 1e-6
"""By how much what is left of an object may differ: one processor rounds as another does not."""


class Again(NamedTuple):
    """What one pipeline makes of a sample.

    Parameters
    ----------
    row : Row
        The draw, measured again.
    steps : tuple of Step
        Those that were applied, with pixels.
    image : array_like
        What the pipeline handed on.
    """

    row: Row
    steps: tuple[Step, ...]
    image: Any


class Replay(NamedTuple):
    """A draw of an audit, made again.

    Parameters
    ----------
    about : About
        The audit.
    sample : Sample
        What was drawn from.
    picture : ndarray of shape (H, W, 3) or (H, W)
        Before the first step.
    plain, guarded : Again
        What the pipeline makes of it, without the guard and with it.
    compared : bool
        Whether the run told of this draw, so that it is known to be the same.
    """

    about: About
    sample: Sample
    picture: NDArray[Any]
    plain: Again
    guarded: Again
    compared: bool


class Told(NamedTuple):
    """What a run tells of a draw.

    Parameters
    ----------
    about : About
        What was audited.
    sample_id : str
        The sample.
    draw : int
        Which draw of it.
    row : Row or None
        What came of it; None where the run tells of none, as of draws that raised.
    where : str
        The file.
    """

    about: About
    sample_id: str
    draw: int
    row: Row | None
    where: str


def told_by(run: str | PathLike[str], sample_id: str, draw: int) -> Told:
    """Return what the lines of JSON that an audit wrote tell of a draw.

    Raises
    ------
    DataError
        Where it is no such file, or has no such draw.
    OSError
        Where it cannot be opened.
    """
    about, rows = read_rows(run)
    row = next((row for row in rows if row.id == sample_id and row.draw == draw), None)
    if row is None:  # the id may be one from which a page has taken the folder
        whole = full_names({row.id for row in read_rows(run)[1]}, {sample_id}, place(run))
        sample_id = whole.get(sample_id, sample_id)
        row = next((row for row in read_rows(run)[1] if row.id == sample_id and row.draw == draw), None)
    if not 0 <= draw < about.draws:
        raise DataError(f"draw must be one of the run's, from 0 to {about.draws - 1}, got {draw}", place(run))
    return Told(about, sample_id, draw, row, place(run))


def replay(told: Told, pipeline: Any, data: Sequence[Sample], subject: Subject | None = None) -> Replay:
    """Make a draw of an audit again, plain and guarded, with pixels.

    Parameters
    ----------
    told : Told
        Which draw, and what the run tells of it.
    pipeline : Any
        What was audited, as `safeaug.audit` takes it.
    data : sequence of Sample
        From which.
    subject : Subject, optional
        What of it was followed, if that was said.

    Raises
    ------
    DataError
        Where the data have no such sample, it cannot be read, or what comes of the draw differs from what the run
        tells: the data or the pipeline has been changed since.
    PipelineError
        Where the pipeline raises.
    """
    about, row = told.about, told.row
    sample = _sample_of(data, told.sample_id)
    subject = subject or subject_of(data)
    # Of a guarded pipeline the plain one is the same, guarded by a promise of nothing.
    guards = hasattr(pipeline, "guard_policy")
    without = guard(pipeline, Policy(min_retention=0.0)) if guards else pipeline
    within = pipeline if guards else guard(pipeline, Policy(**about.policy))
    plain, guarded = (_again(each, sample, told, subject) for each in (without, within))
    if row is not None:
        _compare(row, (guarded if guards else plain).row, told.where)
    return Replay(about, sample, picture_of(sample), plain, guarded, row is not None)


def _sample_of(data: Sequence[Sample], sample_id: str) -> Sample:
    known = []
    for reading in readings(data):
        if isinstance(reading, Sample):
            if reading.id == sample_id:
                return reading
            known.append(reading.id)
    near = difflib.get_close_matches(sample_id, known[:10_000], 3, 0.5) or known[:3]
    hint = f"; there are {', '.join(map(shown, near))}" if near else ""
    raise DataError(f"expected a sample {shown(sample_id)} in the data, which holds {len(known)} others{hint}")


def _again(pipeline: Any, sample: Sample, told: Told, subject: Subject) -> Again:
    about, draw = told.about, told.draw
    made = drawer_of(pipeline, subject)
    try:
        steps, _ = made.trace(sample, key_of(about.seed, sample.id, draw), pixels=True)
    except DataError:
        raise
    except Exception as error:  # it is the user's pipeline, which may raise anything
        known = isinstance(error, PipelineError)
        raise PipelineError(
            f"draw {draw} of sample {sample.id}: {error if known else f'the pipeline raised {raised(error)}'}",
            sample.id,
            getattr(error, "step", None),
        ) from (error.__cause__ if known else error)
    policy = Policy(**about.policy)
    block = measured(
        made,
        [sample],
        subject=subject,
        draws=1,
        seed=about.seed,
        smallest=policy.ignore_smaller_than,
        first=draw,
    )
    (row,) = rows_of(block, policy, labels=about.labels)
    shown_last = [step.sample["image"] for step in steps if step.sample is not None and "image" in step.sample]
    return Again(row, tuple(steps), shown_last[-1] if shown_last else picture_of(sample))


def _compare(before: Row, now: Row, where: str) -> None:
    """Raise `DataError` where a draw is not the one that a run tells of."""
    what = difference(before, now)
    if what:
        raise DataError(
            f"draw {before.draw} of sample {before.id} is not the one of the run: {what}. The data, the pipeline or a "
            "library has been changed since",
            where,
        )


def difference(before: Row, now: Row) -> str:
    """Return what is different between a draw and the same, made again; empty where nothing is."""
    if before.size != now.size:
        return f"its picture is {_across(now.size)}, in the run it was {_across(before.size)}"
    if len(before.labels) != len(now.labels):
        return f"its picture has {len(now.labels)} objects, in the run it had {len(before.labels)}"
    if before.steps != now.steps:
        return f"its steps are {_steps(now)}; in the run they were {_steps(before)}"
    for step, old, new in zip(now.steps, before.left, now.left, strict=True):
        for i, (one, other) in enumerate(zip(old, new, strict=True)):
            if not _alike(one, other):
                return f"behind step {step.name} {_share(other)} of object {i} is left, in the run {_share(one)}"
    if before.output != now.output:
        return f"its output is {_across(now.output)}, in the run it was {_across(before.output)}"
    if before.labelled != now.labelled:
        return "other labels are dropped than in the run"
    return ""


def _alike(one: float | None, other: float | None) -> bool:
    return one is other if one is None or other is None else bool(np.isclose(one, other, rtol=0, atol=CLOSE))


def _share(left: float | None) -> str:
    return "nobody knows how much" if left is None else f"{left:.6g}"


def _across(size: tuple[int, int]) -> str:
    return f"{size[0]} x {size[1]} (height x width)"


def _steps(row: Row) -> str:
    return ", ".join(step.name for step in row.steps) or "none"
