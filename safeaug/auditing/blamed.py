"""What is laid at the door of each step, at the limits that are asked for."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from safeaug.auditing import strata
from safeaug.auditing.bins import ASPECTS, ONE, Ints
from safeaug.auditing.blame import CASES, LABELLED, LAYOUT, MANY, ORPHANED, TAKEN, UNTOUCHED
from safeaug.auditing.counts import Counts
from safeaug.auditing.cut import Cut
from safeaug.auditing.emptiers import LAYOUT as EMPTIERS
from safeaug.auditing.strata import STRATA, meant
from safeaug.auditing.table import Layout, Table, digits_of, pack, summed
from safeaug.auditing.terms import Labels
from safeaug.draws import StepName

NO_STEP = "the pipeline itself"
"""What is to blame for orphans, and for an empty image, of a draw in which no step changed the picture."""

MOST = 5
"""How many classes and shapes are named with a step."""

_PAIR = Layout(("stratum", "step"), (MANY,))


class Blamed(msgspec.Struct, frozen=True, kw_only=True):
    """What is laid at the door of one step.

    Parameters
    ----------
    step : StepName or None
        The step; None for the pipeline itself.
    damaged : int
        Damaged objects, one a draw, of which it took the most.
    share : float
        Of all damaged objects.
    dropped : int
        Those of them of which nothing was taken, but their label was dropped.
    emptied : int
        Emptied draws in which it took the most of the image's objects together; or in which nothing was taken, and it
        was the last.
    applied : int
        Judged draws in which it changed the picture.
    taken : float or None
        The mean share of an object that it then took; None where it never was applied.
    classes, aspects : tuple of (str, int)
        Where most of its damage is: classes, somebody else's text, and shapes of images, with how many objects.
    """

    step: StepName | None
    damaged: int
    share: float
    dropped: int
    emptied: int
    applied: int
    taken: float | None
    classes: tuple[tuple[str, int], ...]
    aspects: tuple[tuple[str, int], ...]


class _Damage(NamedTuple):
    """Damaged objects by margin and step: digits of their keys, and how many."""

    label: Ints
    aspect: Ints
    area: Ints
    step: Ints
    state: Ints
    counts: Ints


class _Emptied(NamedTuple):
    """Emptied draws by step and shape of image: digits of their keys, and how many."""

    step: Ints
    aspect: Ints
    counts: Ints


def blame_list(
    counts: Counts, cut: Cut, labels: Labels, vocabulary: Sequence[str], steps: Sequence[StepName]
) -> tuple[Blamed, ...]:
    """Return what is laid at the door of each step that changed a picture or is to blame.

    The most damage comes first, then the most emptied draws.
    """
    found, empty = _damage(counts.blame, cut, labels), _emptied(counts.emptiers, cut, labels)
    damaged = _sums(found.step, np.where(found.label > 0, found.counts, 0), len(steps))
    dropped = _sums(found.step, np.where((found.label > 0) & (found.state == UNTOUCHED), found.counts, 0), len(steps))
    emptied = _sums(empty.step, empty.counts, len(steps))
    applied = _sums(counts.applied.keys, counts.applied.counts, len(steps))
    objects = _sums(digits_of(TAKEN, counts.taken.keys)[0], counts.taken.counts, len(steps))
    amounts = _sums(counts.amounts.keys, counts.amounts.counts, len(steps))
    whole = max(1, sum(damaged))
    out = [
        Blamed(
            step=steps[i - 1] if i else None,
            damaged=damaged[i],
            share=damaged[i] / whole,
            dropped=dropped[i],
            emptied=emptied[i],
            applied=applied[i],
            taken=amounts[i] / objects[i] / ONE if objects[i] else None,
            classes=_most(found.label, found, i, vocabulary),
            aspects=_most(found.aspect, found, i, ASPECTS),
        )
        for i in range(len(steps) + 1)
        if damaged[i] or emptied[i] or applied[i]
    ]
    return tuple(sorted(out, key=lambda each: (-each.damaged, -each.emptied)))


def blamed_by_stratum(counts: Counts, cut: Cut, labels: Labels, steps: Sequence[StepName]) -> dict[int, str]:
    """Return the step to which most of the damage of each stratum is laid, by the stratum's key.

    Of a cell it is that of its class and shape of image, at the measured limits.
    """
    found = _damage(counts.blame, cut, labels)
    margins = pack(STRATA, found.label, found.aspect, found.area)
    whole = found.label > 0
    label, aspect, step, which = digits_of(CASES, counts.cases.keys)
    ours = which == (labels == "image")
    everywhere = np.zeros(int(whole.sum()), np.int64)
    tops = _tops(
        np.concatenate([margins, everywhere]),
        np.concatenate([found.step, found.step[whole]]),
        np.concatenate([found.counts, found.counts[whole]]),
    )
    pairs = _tops(pack(STRATA, label, aspect, 0)[ours], step[ours], counts.cases.counts[ours])
    for stratum in np.unique(_cells(counts.damage)).tolist():
        pair = stratum - stratum % STRATA.sizes[1]
        if pair in pairs:
            tops[stratum] = pairs[pair]
    return _named(tops, steps)


def emptiers_by_stratum(counts: Counts, cut: Cut, labels: Labels, steps: Sequence[StepName]) -> dict[int, str]:
    """Return the step to which most emptied draws are laid, of all draws and of each shape, by the stratum's key."""
    found = _emptied(counts.emptiers, cut, labels)
    everywhere = np.zeros_like(found.aspect)
    tops = _tops(
        np.concatenate([everywhere, pack(STRATA, 0, found.aspect, 0)]), np.tile(found.step, 2), np.tile(found.counts, 2)
    )
    return _named(tops, steps)


def _named(tops: Mapping[int, int], steps: Sequence[StepName]) -> dict[int, str]:
    return {stratum: str(steps[top - 1]) if top else NO_STEP for stratum, top in tops.items()}


def _emptied(table: Table, cut: Cut, labels: Labels) -> _Emptied:
    """Return which draws are emptied at the limits."""
    step, aspect, side, struck, turn = digits_of(EMPTIERS, table.keys)
    hit = meant(side, labels) & cut.strikes(np.zeros_like(step), struck, turn)
    return _Emptied(step[hit], aspect[hit], table.counts[hit])


def _damage(table: Table, cut: Cut, labels: Labels) -> _Damage:
    """Return which objects are damaged at the limits."""
    label, aspect, area, step, state, kept, bins = digits_of(LAYOUT, table.keys)
    short = ~cut.keeps(label, kept, bins)
    if labels == "object":
        short = np.where(state == LABELLED, short, (state == ORPHANED) | (state == UNTOUCHED))
    return _Damage(*(each[short] for each in (label, aspect, area, step, state, table.counts)))


def _cells(damage: Table) -> Ints:
    """Return the keys of the cells in which there are draws."""
    label, aspect, area, *_ = digits_of(strata.LAYOUT, damage.keys)
    cell = (label > 0) & (aspect > 0)
    return pack(STRATA, label, aspect, area)[cell]


def _sums(keys: Ints, counts: Ints, most: int) -> list[int]:
    sums = np.zeros(most + 1, np.int64)
    np.add.at(sums, keys, counts)
    out: list[int] = sums.tolist()
    return out


def _most(digit: Ints, found: _Damage, step: int, names: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Return where most of a step's damage is, in order."""
    own = (found.step == step) & (digit > 0)
    sums = _sums(digit[own], found.counts[own], len(names))
    ranked = sorted((-count, i) for i, count in enumerate(sums) if count)
    return tuple((names[i - 1], -count) for count, i in ranked[:MOST])


def _tops(stratum: Ints, step: Ints, counts: Ints) -> dict[int, int]:
    """Return the step with the greatest count of each stratum, the first where several have it."""
    sums = summed(pack(_PAIR, stratum, step), counts)
    tops: dict[int, tuple[int, int]] = {}
    for where, at, count in zip(
        *(each.tolist() for each in digits_of(_PAIR, sums.keys)), sums.counts.tolist(), strict=True
    ):
        if where not in tops or count > tops[where][1]:
            tops[where] = at, count
    return {where: at for where, (at, _) in tops.items()}
