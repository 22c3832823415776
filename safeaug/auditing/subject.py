"""What of a data set is audited: boxes, what they cover, masks, or whole pictures."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal, get_args

from safeaug.data import Data, Sample, readings
from safeaug.errors import DataError, PolicyError

Subject = Literal["boxes", "outlines", "masks", "mask", "picture"]
"""What is audited: boxes; what the objects of boxes cover; instance masks; each class of a semantic mask; or, of a data
set that says nothing of objects, the whole picture."""

WITH_BOXES: frozenset[Subject] = frozenset({"boxes", "outlines"})
"""Of these the objects have boxes, which a pipeline may be given."""

ENOUGH = 1000
"""Samples that are looked at for a first object."""


def subject_of(data: Sequence[Sample]) -> Subject:
    """Return what of a data set is audited where nobody says: the first kind of object that one of its samples has.

    Examples
    --------
    >>> import numpy as np
    >>> subject_of([Sample("a", (10, 10)), Sample("b", (10, 10), boxes=np.array([[0.0, 0, 5, 5]]))])
    'boxes'
    """
    return next(iter(_subjects_of(data)))


def _subjects_of(data: Sequence[Sample]) -> Iterator[Subject]:
    """Yield what can be audited, as it is met."""
    for sample in islice(readings(data), ENOUGH):
        if isinstance(sample, Sample):
            if len(sample.boxes):
                yield "boxes"
            if sample.masks is not None:
                yield "masks"
            if sample.mask is not None:
                yield "mask"
    yield "picture"


def checked_subject(subject: str) -> Subject:
    """Return what is audited, or raise `PolicyError`."""
    if subject not in get_args(Subject):
        raise PolicyError(f"protect must be one of {', '.join(get_args(Subject))}, got {subject!r}")
    found: Subject = subject  # type: ignore[assignment]  # it has just been looked at
    return found


def check_has(data: Sequence[Sample], subject: Subject) -> None:
    """Raise `DataError` where none of the first samples has what is to be audited, but something else."""
    wanted = "boxes" if subject == "outlines" else subject
    known = set()
    for each in _subjects_of(data):
        if each == wanted:
            return
        known.add(each)
    known.discard("picture")
    if known:
        raise DataError(
            f"protect={subject!r} needs samples that have it, and of the first {ENOUGH} none does; there are "
            f"{', '.join(sorted(known))}",
            getattr(data, "source", ""),
            "missing",
        )


def is_open(data: object) -> bool:
    """Return whether something is a data set whose samples are `Sample`."""
    if isinstance(data, Data):
        return True
    return isinstance(data, Sequence) and not isinstance(data, str) and all(isinstance(x, Sample) for x in data[:1])
