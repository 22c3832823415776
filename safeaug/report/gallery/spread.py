"""What is left of objects, and which step took it, as whole tables of counts: what charts are drawn from."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from safeaug.auditing import blame
from safeaug.auditing.assess import Assessment
from safeaug.auditing.bins import AREAS, ASPECTS, LIMITS, STEPS, Ints
from safeaug.auditing.cut import cut_of, of_any
from safeaug.auditing.fate_counts import LAYOUT, LOST, ORPHANED, SEEN
from safeaug.auditing.summary import Summary
from safeaug.auditing.table import digits_of
from safeaug.policy import Policy

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Of the objects, by what is left of them: those that a band is drawn between, and the middle."""


class Left(NamedTuple):
    """What is left of objects, one a judged draw.

    Parameters
    ----------
    kept, dropped : ndarray of shape (202,), int64
        Objects whose label is handed on, and whose is not: first those of which nothing is left, then by the greatest
        of the limits 0, 0.005, ..., 1 that what is left reaches.
    """

    kept: Ints
    dropped: Ints


class Band(NamedTuple):
    """Between which shares most objects of a stratum are left.

    Parameters
    ----------
    name : str
        The stratum.
    objects : int
        One a judged draw, of those whose label is handed on.
    shares : tuple of 5 floats
        What is left of the object that has 5 %, 25 %, 50 %, 75 % and 95 % of them below it or beside it.
    """

    name: str
    objects: int
    shares: tuple[float, ...]


def left_of(summary: Summary, assessment: Assessment) -> Left:
    """Return what is left of all objects that are asked for."""
    return _left(summary, assessment)[0]


def bands_of(summary: Summary, assessment: Assessment, by: Literal["aspect", "area"]) -> list[Band]:
    """Return between which shares objects are left, by shape of image or by size, those strata that have any."""
    names = {"aspect": ASPECTS, "area": AREAS}[by]
    found = _left(summary, assessment, by)
    return [
        Band(names[i - 1], int(left.kept.sum()), quantiles(left.kept))
        for i, left in found.items()
        if i and left.kept.any()
    ]


def _left(summary: Summary, assessment: Assessment, by: Literal["aspect", "area"] = "aspect") -> Mapping[int, Left]:
    """Return what is left of objects by stratum, of all of them under 0."""
    _, aspect, area, state, _, bins = digits_of(LAYOUT, summary.counts.objects.keys)
    which, names = {"aspect": (aspect, ASPECTS), "area": (area, AREAS)}[by]
    visible = (state == SEEN) | (state == ORPHANED)
    carried = (state <= LOST) | (assessment.labels == "image")
    sums = np.zeros((len(names) + 1, 2, STEPS + 2), np.int64)
    np.add.at(sums, (which, np.where(carried, 0, 1), np.where(visible, bins + 1, 0)), summary.counts.objects.counts)
    sums[0] = sums[1:].sum(axis=0)  # else it holds what the other margins tell
    return {i: Left(*each) for i, each in enumerate(sums)}


def quantiles(counts: Ints) -> tuple[float, ...]:
    """Return what is left of the objects at each of ``SHARES``.

    Parameters
    ----------
    counts : ndarray of shape (202,), int64
        As in `Left`, at least one object.

    Examples
    --------
    >>> counts = np.zeros(202, np.int64)
    >>> counts[[0, 101, 201]] = 10, 40, 50
    >>> quantiles(counts)
    (0.0, 0.5, 0.5, 1.0, 1.0)
    """
    below = np.cumsum(counts)
    at = np.searchsorted(below, [share * below[-1] for share in SHARES])
    return tuple(float(LIMITS[max(i - 1, 0)]) for i in at.tolist())


def class_steps(summary: Summary, assessment: Assessment) -> Ints:
    """Return how many damaged objects of each class are laid at the door of each step.

    Returns
    -------
    ndarray of shape (labels, steps + 1), int64
        In the order of the summary's; the first column is that of no step.
    """
    policy = Policy(min_retention=assessment.retention, ignore_smaller_than=summary.terms.smallest)
    cut = of_any(cut_of(policy, summary.terms, summary.labels), summary.terms)
    label, _, _, step, state, kept, bins = digits_of(blame.LAYOUT, summary.counts.blame.keys)
    damaged = ~cut.keeps(label, kept, bins)
    if assessment.labels == "object":
        damaged = np.where(state == blame.LABELLED, damaged, (state == blame.ORPHANED) | (state == blame.UNTOUCHED))
    ours = damaged & (label > 0)
    sums = np.zeros((len(summary.labels), len(summary.steps) + 1), np.int64)
    np.add.at(sums, (label[ours] - 1, step[ours]), summary.counts.blame.counts[ours])
    return sums


def most(totals: Sequence[int], number: int) -> list[int]:
    """Return the places of the greatest of some numbers, the greatest first, those that are not 0.

    Examples
    --------
    >>> most([3, 0, 7, 1], 2)
    [2, 0]
    """
    return sorted((i for i, total in enumerate(totals) if total), key=lambda i: (-totals[i], i))[:number]
