"""The audit: how often, where and why a pipeline damages its labels."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

import numpy as np

from safeaug.auditing.block import Failure
from safeaug.auditing.failed import Failed, all_failed
from safeaug.auditing.looking import looked_at
from safeaug.auditing.lots import Lot, least
from safeaug.auditing.measure import Drawer, drawer_of
from safeaug.auditing.record import About, Record
from safeaug.auditing.row import Row
from safeaug.auditing.ruled import LOADER, MOST, Ruled, Told, all_ruled, told_of
from safeaug.auditing.running import Part, Task, counted, looks_of, parts_of, raised
from safeaug.auditing.subject import WITH_BOXES, Subject, check_has, checked_subject, is_open, subject_of
from safeaug.auditing.terms import terms_of
from safeaug.data import Data, Remark, Sample, open_data, read_torch
from safeaug.data.frames import raised as raised_text
from safeaug.data.torch_boxes import is_a
from safeaug.errors import DataError, PolicyError
from safeaug.policy import Policy
from safeaug.rules.codes import families_of
from safeaug.version import __version__

MOST_REMARKS = 100
"""Remarks of the readers that are kept in full; all are counted."""

PER_OBJECT = {"boxes", "outlines", "masks", "mask"}
"""Subjects whose objects each have a label."""


def audit(
    pipeline: Any,
    data: Any,
    *,
    draws: int = 8,
    policy: Policy | None = None,
    labels: Literal["object", "image"] | None = None,
    protect: Subject | None = None,
    seed: int = 0,
    processes: int = 1,
    keep_going: bool = False,
    worst: int = 200,
    random: int = 100,
    pixels: bool = True,
    rules: str | Iterable[str] = (),
    rules_samples: int | None = MOST,
    lines: Callable[[bytes], None] | None = None,
    progress: Callable[[Part], None] | None = None,
    named: tuple[str, str] | None = None,
) -> Record:
    """Return how often, where and why a pipeline damages its labels.

    Parameters
    ----------
    pipeline : Compose, ... or one transform
        Of albumentations, guarded or not. It is left as it is, its generators too.
    data : str, Data, sequence of Sample, or data set of torch
        What it is for: see `safeaug.data.open_data` and `safeaug.data.read_torch`. No pixel is read, but where a step
        needs them, and of the worst draws.
    draws : int, default 8
        Calls of the pipeline for each sample.
    policy : Policy, optional
        Its ``min_retention`` is the limit below which an object is a sliver, 0.5 by default; smaller objects than its
        ``ignore_smaller_than`` are not counted. Other limits can be judged later without another audit.
    labels : {"object", "image"}, optional
        What a label stands for. Of an image, each object that falls below the limit is damage; of an object, each that
        does and keeps its label, or loses it while it can be seen. By default the image's where no objects are known,
        or the pipeline is not given their boxes.
    protect : {"boxes", "outlines", "masks", "mask", "picture"}, optional
        What is followed; by default the first of boxes, masks and a semantic mask that one of the first thousand
        samples has, else the whole picture.
    seed : int, default 0
        With the sample's id and the draw's number it says all that is drawn, whatever the order, or the processes.
    processes : int, default 1
        How many work on it. Where there is no fork, the pipeline and the data must allow pickling.
    keep_going : bool, default False
        Whether samples that cannot be read, and draws in which the pipeline raises, are counted and passed over.
    worst, random : int
        How many rows are kept of the worst draws, and of draws at random.
    pixels : bool, default True
        Whether the worst draws are made again with pixels, to see whether the output is blank or flat.
    rules : str or iterable of str, optional
        What is judged besides content, SA1: ``"all"``, or of ``"SA2"`` to ``"SA7"``. Types, values, boxes, targets and
        files of one draw of each of some samples, made with pixels; of a data set that is handed over as its
        ``DataLoader``, whether its workers and epochs draw anew, too. The record names the step that breaks a rule, and
        the verdict of its summary is *fail* where one is broken that is no mere suspicion. With SA7 a picture that
        cannot be read is a finding, and stops nothing.
    rules_samples : int or None, default 200
        How many samples, picked by a hash of their ids; None: all.
    lines : callable, optional
        Is handed all draws as lines of JSON, in order: see `safeaug.auditing.Row`.
    progress : callable, optional
        Is handed each `Part` that is done.
    named : (str, str), optional
        By which texts pipeline and data can be found again; they are written down.

    Returns
    -------
    Record

    Raises
    ------
    PolicyError
        Where an argument is none.
    DataError, ContentError
        Where a sample cannot be read.
    PipelineError
        Where the pipeline raises.

    Examples
    --------
    >>> import albumentations as A, numpy as np, safeaug
    >>> from safeaug.data import Sample
    >>> train = A.Compose(
    ...     [A.RandomResizedCrop((224, 224))], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"])
    ... )
    >>> box = np.array([[20.0, 50, 120, 150]])
    >>> panorama = Sample("panorama", (200, 2000), boxes=box, labels=("cat",), ignore=np.array([False]))
    >>> record = safeaug.audit(train, [panorama], draws=100)
    >>> record.summary(max_emptied=0.01).verdict
    'fail'
    >>> safeaug.audit(safeaug.guard(train), [panorama], draws=100).summary(max_emptied=0.05).verdict
    'pass'
    """
    asked = families_of(rules)
    for name, number in (("draws", draws), ("processes", processes), ("rules_samples", rules_samples or 1)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise PolicyError(f"{name} must be a whole number of at least 1, got {number!r}")
    begun, started = time.perf_counter(), datetime.now(UTC)
    opened = _opened(data, keep_going)
    subject = subject_of(opened) if protect is None else checked_subject(protect)
    if protect is not None:
        check_has(opened, subject)
    made = drawer_of(pipeline, subject)
    labels = labels or _labels_of(made, subject)
    text = _printed(pipeline)
    terms = terms_of(policy, labels=labels, seed=seed, pipeline=text, worst=worst, random=random)
    task = Task(pipeline, opened, subject, draws, terms, keep_going, lines is not None, asked, rules_samples)
    met = _Met(lines, progress, opened, rules_samples)
    summary = counted(parts_of(task, processes, made), terms, met.take)
    if pixels:
        rows, failures = _looked(summary.worst, met.places, task, made)
        more = [Failed({each.step: 1}, {each.step: each}, (each,)) for each in failures]
        summary = replace(summary, worst=rows, failed=all_failed([summary.failed, *more]))
    if asked:
        samples = tuple(looks_of(task, met.lots, processes, made))
        summary = replace(summary, ruled=all_ruled([Ruled(asked, rules_samples, samples, _of_loader(opened, asked))]))
    about = About(
        safeaug=__version__,
        host=_host(pipeline),
        numpy=np.__version__,
        pipeline=named[0] if named else text,
        data=named[1] if named else getattr(opened, "source", type(data).__name__),
        seed=seed,
        draws=draws,
        samples=met.samples,
        policy=terms.policy.to_dict(),
        labels=labels,
        seconds=round(time.perf_counter() - begun, 3),
        started=started.isoformat(timespec="seconds"),
    )
    return Record(about, summary, dict(met.counts), tuple(met.remarks))


def _labels_of(made: Drawer, subject: Subject) -> Literal["object", "image"]:
    """Return what a label stands for where nobody says."""
    if subject in WITH_BOXES and not made.takes_boxes:
        logging.getLogger("safeaug").warning(
            "the pipeline takes no boxes (it has no bbox_params), so it drops no label: each is taken for one of the "
            "whole image, and every object that falls below the limit for damage (labels='object' says otherwise)"
        )
        return "image"
    return "object" if subject in PER_OBJECT else "image"


class _Met:
    """What is met on the way."""

    def __init__(
        self,
        lines: Callable[[bytes], None] | None,
        progress: Callable[[Part], None] | None,
        data: Sequence[Sample],
        looks: int | None,
    ) -> None:
        self.lines, self.progress, self.looks = lines, progress, looks
        self.lots: list[Lot] = []
        self.samples, self.places = 0, dict[str, int]()
        self.counts: Counter[str] = Counter(getattr(data, "counts", {}))
        self.remarks: list[Remark] = list(getattr(data, "remarks", ()))[:MOST_REMARKS]

    def take(self, part: Part) -> None:
        self.samples += part.samples
        self.places.update(part.places)
        self.lots = least((*self.lots, *part.lots), self.looks) if part.lots else self.lots
        self.counts.update(remark.kind for remark in part.remarks)
        self.remarks += part.remarks[: MOST_REMARKS - len(self.remarks)]
        if self.lines is not None:
            self.lines(part.lines)
        if self.progress is not None:
            self.progress(part)


def _opened(data: Any, keep_going: bool) -> Sequence[Sample]:
    if isinstance(data, str):
        return open_data(data, keep_going=keep_going)
    if is_open(data):
        found: Data | Sequence[Sample] = data
        return found
    return read_torch(data, keep_going=keep_going)


def _looked(
    rows: Sequence[Row], places: dict[str, int], task: Task, made: Drawer
) -> tuple[tuple[Row, ...], list[Failure]]:
    """Return rows with what their pixels add, where there are any; and those in which the pipeline raised with them."""
    found: list[Row] = []
    failures: list[Failure] = []
    for row in rows:
        look = looked_at(row, task.data[places[row.id]], made)
        if isinstance(look, Failure):
            if not task.keep_going:
                raise raised(look)
            failures.append(look)
        found.append(look if isinstance(look, Row) else row)
    return tuple(found), failures


def _of_loader(data: Sequence[Sample], asked: tuple[str, ...]) -> tuple[Told, ...]:
    """Return what is wrong with the chance of the loader that the data were handed over with."""
    loader = getattr(data, "given", None)
    if "SA6" not in asked or not is_a(loader, "DataLoader", "torch"):
        return ()
    from safeaug.trace.chance import repeated_draws  # tripwires are needed by no other audit

    try:
        return tuple(told_of(repeated_draws(loader), LOADER))
    except Exception as error:  # it is somebody else's program, and may raise anything
        raise DataError(f"going through the loader raises {raised_text(error)}", getattr(data, "source", "")) from error


def _printed(pipeline: Any) -> str:
    """Return a pipeline as it prints; what cannot print, as one with a nameless ``Lambda``, by its name."""
    try:
        return repr(pipeline)
    except Exception as error:  # it is somebody else's program, and may raise anything
        return f"{type(pipeline).__name__}, which does not print: {raised_text(error)}"


def _host(pipeline: Any) -> str:
    """Return the name and version of the library that a pipeline is of."""
    for base in type(pipeline).__mro__:
        name = base.__module__.partition(".")[0]
        try:
            return f"{name} {version(name)}"
        except PackageNotFoundError:
            continue
    return ""
