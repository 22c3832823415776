"""The objects of samples, in columns: where they are, of which class, and which of them count."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.auditing.covered import ASKS_NOTHING, Covered, covered_of
from safeaug.auditing.subject import Subject
from safeaug.content import SINGLE, content_of
from safeaug.data import Sample
from safeaug.draws import Given, clipped
from safeaug.errors import ContentError


class Objects(NamedTuple):
    """The objects of some samples, O in all.

    Parameters
    ----------
    given : Given
        Where they are.
    labels : tuple of O str
        The class of each; the sample's group where none is known.
    ignored : ndarray of shape (O,), bool
        Those that nobody asks for: crowds, difficult ones, those without area, and those outside of their picture.
    areas : ndarray of shape (O,)
        Of each its area in pixels; 0 of one outside.
    blur : ndarray of shape (O,)
        By how many square pixels that may be off, since hosts keep coordinates in float32.
    """

    given: Given
    labels: tuple[str, ...]
    ignored: NDArray[np.bool_]
    areas: NDArray[np.float64]
    blur: NDArray[np.float64]


def objects_of(samples: Sequence[Sample], subject: Subject) -> Objects:
    """Return the objects of samples.

    Raises
    ------
    ContentError, DataError
        Where those of a sample cannot be read; it says of which.

    Examples
    --------
    >>> sample = Sample("a", (10, 10), boxes=np.array([[2.0, 2, 6, 12]]), labels=("cat",), ignore=np.array([False]))
    >>> objects_of([sample], "boxes").areas.tolist(), objects_of([sample], "picture").areas.tolist()
    ([32.0], [100.0])
    """
    sizes = np.array([sample.size for sample in samples], dtype=np.int64).reshape(-1, 2)
    if subject in {"boxes", "picture"}:
        return _boxes(samples, sizes, whole=subject == "picture")
    return _shapes([covered_of(sample, subject) for sample in samples], samples, sizes)


def _boxes(samples: Sequence[Sample], sizes: NDArray[np.int64], *, whole: bool) -> Objects:
    if whole:
        boxes = np.concatenate([np.zeros((len(samples), 2)), sizes[:, ::-1]], axis=1)
        counts, ignored = np.ones(len(samples), np.int64), np.zeros(len(samples), bool)
        labels = [sample.group for sample in samples]
    else:
        boxes = np.concatenate([np.zeros((0, 4)), *(sample.boxes for sample in samples)])
        counts = np.array([len(sample.boxes) for sample in samples], dtype=np.int64)
        ignored = np.concatenate([np.zeros(0, bool), *(_flags(sample) for sample in samples)])
        labels = [label for sample in samples for label in _names(sample, len(sample.boxes))]
    size = np.repeat(sizes, counts, axis=0)
    _check(boxes, samples)
    inside = clipped(boxes, size)
    side = np.nan_to_num(inside[:, 2:] - inside[:, :2])
    areas = side.prod(axis=1)

    def content(place: int) -> Any:
        start = int(counts[:place].sum())
        rows = boxes[start : start + counts[place]]
        return content_of(rows, samples[place].size, ASKS_NOTHING, ignore=ignored[start : start + counts[place]])

    given = Given(sizes, counts, inside, True, content)
    blur = SINGLE * size.max(axis=1, initial=0) * side.sum(axis=1)
    return Objects(given, tuple(labels), ignored | (areas <= 0), areas, blur)


def _flags(sample: Sample) -> NDArray[np.bool_]:
    return sample.ignore if len(sample.ignore) else np.zeros(len(sample.boxes), bool)


def _names(sample: Sample, count: int) -> Sequence[str]:
    return sample.labels if len(sample.labels) == count else (sample.group,) * count


def _check(boxes: NDArray[np.float64], samples: Sequence[Sample]) -> None:
    """Raise `ContentError` of the first sample whose boxes are none."""
    with np.errstate(invalid="ignore"):
        if np.isfinite(boxes).all() and (boxes[:, :2] <= boxes[:, 2:]).all():
            return
    for sample in samples:
        try:
            content_of(sample.boxes, sample.size, ASKS_NOTHING)
        except ContentError as error:
            raise ContentError(f"sample {sample.id}: {error}") from None


def _shapes(each: Sequence[Covered], samples: Sequence[Sample], sizes: NDArray[np.int64]) -> Objects:
    counts = np.array([len(covered.areas) for covered in each], dtype=np.int64)
    bounds = [box for covered in each for box in covered.content.given]
    given = Given(
        sizes, counts, np.array(bounds, dtype=np.float64).reshape(-1, 4), False, lambda place: each[place].content
    )
    labels = [
        label
        for covered, sample in zip(each, samples, strict=True)
        for label in covered.labels or (sample.group,) * len(covered.areas)
    ]
    areas = np.concatenate([np.zeros(0), *(covered.areas for covered in each)])
    blur = np.concatenate([np.zeros(0), *(covered.rims * covered.content.slack for covered in each)])
    ignored = np.concatenate([np.zeros(0, bool), *(covered.ignored for covered in each)])
    return Objects(given, tuple(labels), ignored, areas, blur)
