"""Which step is to blame for each damaged object: the one that alone took the most of it.

Where several took the same, it is the first of them. An object that was orphaned though nothing was taken of it is
laid at the door of the last step, which dropped its label; where no step changed the picture, at that of the pipeline
itself.
"""

from typing import NamedTuple

import numpy as np

from safeaug.auditing.bins import ASPECTS, STEPS, Ints, bin_of, millionths
from safeaug.auditing.fate_counts import margins_of
from safeaug.auditing.seen import Bools, Seen, chosen
from safeaug.auditing.strata import STRATA
from safeaug.auditing.table import Layout, Table, counted, pack, summed, tail, total, width

MANY = 1 << 15
"""More steps than a pipeline has."""

LABELLED, ORPHANED, DROPPED, UNTOUCHED = range(4)
"""An object with its label; without, and something is left of it, or nothing; an orphan of which nothing was taken."""

LAYOUT = Layout((*STRATA.names, "step", "state", "kept", "bin"), (*STRATA.sizes, MANY, 4, 2, STEPS + 1))
"""Keys of objects, one a draw, that some limit calls damaged. The step is counted from 1; 0 for none."""

CASES = Layout(("label", "aspect", "step", "labels"), (len(ASPECTS) + 1, MANY, 2))
"""Keys of objects that are damaged at the measured limits, for labels of objects (0) and of images (1)."""

TAKEN = Layout(("step", "bin"), (STEPS + 1,))
"""Keys of objects through which a step went, by the share of them that it took."""

STEP = Layout(("step",), ())
"""Keys of steps."""


class Blame(NamedTuple):
    """Who took what.

    Parameters
    ----------
    objects : Table
        Objects that some limit calls damaged, by `LAYOUT`.
    cases : Table
        Objects that are damaged at the measured limits, by `CASES`.
    taken : Table
        What steps took when they were drawn, by `TAKEN`.
    amounts : Table
        By step, the sum of that, in millionths of an object.
    applied : Table
        By step, the number of draws in which it changed the picture.
    """

    objects: Table
    cases: Table
    taken: Table
    amounts: Table
    applied: Table


def blame_of(seen: Seen) -> Blame:
    """Return who took what in a block."""
    steps = seen.steps[seen.owner]
    step, nothing = blamed_steps(seen.drops, steps)
    state = np.where(seen.labelled, LABELLED, np.where(seen.visible, np.where(nothing, UNTOUCHED, ORPHANED), DROPPED))
    judged = seen.judged[seen.owner]
    orphan = ~seen.labelled & seen.visible
    some = judged & (orphan | (seen.bins < STEPS))
    rest = pack(tail(LAYOUT, 4), state, seen.kept, seen.bins)
    flat, at = chosen(some)
    below = step.ravel()[flat] * width(LAYOUT, 4) + rest.ravel()[flat]
    return Blame(
        counted(np.concatenate([stratum[at] * width(LAYOUT, 3) + below for stratum in margins_of(seen)])),
        counted(np.concatenate([_cases(seen, step, judged & damaged, i) for i, damaged in enumerate(_damaged(seen))])),
        *_takings(seen, steps),
        _applied(seen),
    )


def blamed_steps(drops: np.ndarray, steps: Ints) -> tuple[Ints, Bools]:
    """Return the step that is to blame for each object, and whether it took nothing of it.

    Parameters
    ----------
    drops : ndarray of shape (..., L), float64 or int64
        What each step alone took.
    steps : ndarray of shape (..., L), int64
        Which step each was, from 1; 0 behind the last.

    Examples
    --------
    >>> steps, nothing = blamed_steps(np.array([[0.25, 0.5, 0.0], [0.0, 0.0, 0.0]]), np.array([[3, 1, 0], [3, 1, 0]]))
    >>> steps.tolist(), nothing.tolist()
    ([1, 1], [False, True])
    """
    most = np.zeros(drops.shape[:-1], drops.dtype)
    blamed = np.zeros(drops.shape[:-1], np.int64)
    last = np.zeros(drops.shape[:-1], np.int64)
    for k in range(drops.shape[-1]):  # few columns, many rows
        drop, step = drops[..., k], steps[..., k]
        more = drop > most
        most, blamed = np.where(more, drop, most), np.where(more, step, blamed)
        last = np.where(step > 0, step, last)
    nothing = most <= 0
    return np.where(nothing, last, blamed), nothing


def _damaged(seen: Seen) -> tuple[Bools, Bools]:
    """Return which objects are damaged at the measured limits, for labels of objects and of images."""
    return np.where(seen.labelled, ~seen.kept, seen.visible), ~seen.kept


def _cases(seen: Seen, step: Ints, damaged: Bools, labels: int) -> Ints:
    flat, at = chosen(damaged)
    return pack(CASES, seen.label[at], seen.aspect[at], step.ravel()[flat], labels)


def _takings(seen: Seen, steps: Ints) -> tuple[Table, Table]:
    """Return what steps took when they were drawn: how often which share, and the sum."""
    flat = np.flatnonzero(seen.drops)
    step, drop = steps.ravel()[flat], seen.drops.ravel()[flat]
    took = pack(TAKEN, step, bin_of(drop))
    # Mostly a step takes nothing of an object, which need not be looked at one by one.
    objects = np.where(seen.judged, np.bincount(seen.owner, minlength=len(seen.judged))[:, None], 0)
    went = summed(seen.steps.ravel(), np.repeat(objects, seen.steps.shape[2]))
    nothing = went.counts - np.bincount(step, minlength=int(went.keys.max(initial=0)) + 1)[went.keys]
    idle = summed(pack(TAKEN, went.keys, 0), nothing)
    some = idle.keys >= width(TAKEN, 1)  # a step, not what stands behind the last of a draw
    return total((counted(took), Table(idle.keys[some], idle.counts[some]))), summed(step, millionths(drop))


def _applied(seen: Seen) -> Table:
    """Return in how many judged draws each step changed the picture; a draw in which it did twice counts once."""
    steps = np.sort(seen.steps[seen.judged], axis=1)
    first = np.diff(steps, axis=1, prepend=0) > 0
    return counted(steps[first])
