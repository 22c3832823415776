"""The audit by the obvious loops: over draws, and over the objects of each."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from safeaug import Status
from safeaug.auditing.block import Block

KEPT, SLIVER, GHOST, ORPHAN, GONE = "KEPT", "SLIVER", "GHOST", "ORPHAN", "GONE"
Limit = Callable[[str], float]


class Thing(NamedTuple):
    """An object of one draw."""

    label: str
    area: str
    counted: bool
    left: list[float]
    enough: float
    labelled: bool

    @property
    def final(self) -> float:
        return self.left[-1]

    def fate(self, limit: Limit, labels: str) -> str:
        carried = self.labelled or labels == "image"
        if carried:
            if self.enough >= limit(self.label):
                return KEPT
            return GHOST if self.final == 0 else SLIVER
        return GONE if self.final == 0 else ORPHAN


class Draw(NamedTuple):
    """One draw of one sample."""

    id: str
    number: int
    key: int
    aspect: str
    valid: bool
    things: list[Thing]
    steps: list[int]
    area: float
    padded: float
    stretch: float
    status: str

    @property
    def asked(self) -> list[Thing]:
        return [thing for thing in self.things if thing.counted]

    @property
    def unknown(self) -> bool:
        return self.valid and any(math.isnan(thing.final) for thing in self.asked)

    @property
    def judged(self) -> bool:
        return self.valid and bool(self.asked) and not self.unknown

    def damaged(self, limit: Limit, labels: str, among: Callable[[Thing], bool] = lambda thing: True) -> bool:
        return any(hurt(thing.fate(limit, labels)) for thing in self.asked if among(thing))

    def emptied(self, limit: Limit, labels: str) -> bool:
        return all(thing.fate(limit, labels) != KEPT for thing in self.asked)

    def blamed(self, thing: Thing) -> tuple[int | None, bool]:
        """Return the step to blame, and whether it took anything."""
        before, most, who = 1.0, 0.0, None
        for step, after in zip(self.steps, thing.left, strict=False):
            if before - after > most:
                most, who = before - after, step
            before = after
        if who is not None:
            return who, True
        return (self.steps[-1] if self.steps else None), False

    @property
    def emptier(self) -> int | None:
        """The step that alone took the most of all objects together; the last where none took anything."""
        together = [Fraction(0) for _ in self.steps]
        for thing in self.asked:
            before = 1.0
            for k, after in enumerate(thing.left[: len(self.steps)]):
                together[k] += Fraction(max(before - after, 0.0))
                before = after
        if any(together):
            return self.steps[together.index(max(together))]
        return self.steps[-1] if self.steps else None


def hurt(fate: str) -> bool:
    return fate in {SLIVER, GHOST, ORPHAN}


def text(label: str) -> str:
    return label.replace("\ud800", "\\ud800")


def draws_of(blocks: Iterable[Block]) -> Iterator[Draw]:
    for block in blocks:
        for i, sample in enumerate(block.samples):
            for j in range(block.valid.shape[1]):
                steps = [step for step in block.drawn.steps[i, j].tolist() if step >= 0]
                things = []
                for o in range(block.starts[i], block.starts[i + 1]):
                    left = [float(share) for share in block.drawn.left[o, j]]
                    things.append(
                        Thing(
                            text(block.labels[o]),
                            area_name(float(block.areas[o])),
                            bool(block.counted[o]),
                            left,
                            left[-1] + float(block.tolerance[o]),
                            bool(block.drawn.labelled[o, j]),
                        )
                    )
                yield Draw(
                    text(sample.id),
                    block.first + j,
                    int(block.keys[i, j]),
                    aspect_name(*sample.size),
                    bool(block.valid[i, j]),
                    things,
                    steps,
                    float(block.drawn.area[i, j]),
                    float(block.drawn.padded[i, j]),
                    float(block.drawn.stretch[i, j]),
                    Status(int(block.drawn.status[i, j])).name,
                )


def aspect_name(height: int, width: int) -> str:
    """Return the bin of a picture: how much longer its long side is, and which that is."""
    ratio = Fraction(max(height, width), min(height, width))
    for edge, tall, wide in (
        (4, "1:4 and taller", "4:1 and wider"),
        (3, "1:4 to 1:3", "3:1 to 4:1"),
        (2, "1:3 to 1:2", "2:1 to 3:1"),
        (Fraction(5, 4), "1:2 to 4:5", "5:4 to 2:1"),
    ):
        if ratio >= edge:
            return wide if width > height else tall
    return "about square"


def area_name(area: float) -> str:
    for edge, name in (
        (0.5, "50 % and more"),
        (0.2, "20 % to 50 %"),
        (0.05, "5 % to 20 %"),
        (0.01, "1 % to 5 %"),
        (0.001, "0.1 % to 1 %"),
    ):
        if area >= edge:
            return name
    return "under 0.1 %"


Stratum = tuple[str | None, str | None, str | None]
"""Aspect, area and label; None for any."""


def strata(draw: Draw) -> dict[Stratum, Callable[[Thing], bool]]:
    """Return the strata to which a draw belongs, and what of its objects belongs to each."""
    found: dict[Stratum, Callable[[Thing], bool]] = {}
    found[None, None, None] = lambda thing: True
    found[draw.aspect, None, None] = lambda thing: True
    for each in draw.asked:
        found[None, each.area, None] = lambda thing, own=each: thing.area == own.area
        found[None, None, each.label] = lambda thing, own=each: thing.label == own.label
        found[draw.aspect, each.area, each.label] = lambda thing, own=each: (thing.area, thing.label) == own[1::-1]
    return found


def rates(draws: Iterable[Draw], limit: Limit, labels: str) -> dict[Stratum, tuple[int, int, int]]:
    """Return of each stratum how many draws it has, how many are damaged, and how many are emptied."""
    sums: dict[Stratum, list[int]] = {}
    for draw in draws:
        if draw.judged:
            for stratum, among in strata(draw).items():
                row = sums.setdefault(stratum, [0, 0, 0])
                row[0] += 1
                row[1] += draw.damaged(limit, labels, among)
                row[2] += draw.emptied(limit, labels)
    return {stratum: (row[0], row[1], row[2]) for stratum, row in sums.items()}


def fates(
    draws: Iterable[Draw], limit: Limit, labels: str, of: Callable[[Draw, Thing], str]
) -> dict[str, Counter[str]]:
    """Return how many objects had which fate, by what `of` says of them."""
    sums: dict[str, Counter[str]] = {}
    for draw in draws:
        if draw.judged:
            for thing in draw.asked:
                sums.setdefault(of(draw, thing), Counter())[thing.fate(limit, labels)] += 1
    return sums


def blame(draws: Iterable[Draw], limit: Limit, labels: str) -> Counter[tuple[int | None, str, str, str, bool]]:
    """Return how many damaged objects are laid to which step, by label, aspect, area and whether it took anything."""
    sums: Counter[tuple[int | None, str, str, str, bool]] = Counter()
    for draw in draws:
        if draw.judged:
            for thing in draw.asked:
                if hurt(thing.fate(limit, labels)):
                    step, took = draw.blamed(thing)
                    sums[step, thing.label, draw.aspect, thing.area, took] += 1
    return sums


def emptiers(draws: Iterable[Draw], limit: Limit, labels: str) -> dict[str | None, Counter[int | None]]:
    """Return, of all draws (None) and by aspect, how many emptied ones are laid to which step."""
    sums: dict[str | None, Counter[int | None]] = {}
    for draw in draws:
        if draw.judged and draw.emptied(limit, labels):
            for aspect in (None, draw.aspect):
                sums.setdefault(aspect, Counter())[draw.emptier] += 1
    return sums


def first_of_most(counts: Counter[int | None]) -> int | None:
    """Return the step with the most, the first in the pipeline where several have it; the pipeline itself is first."""
    return min((step for step in counts if counts[step] == max(counts.values())), key=lambda i: -1 if i is None else i)


def takings(draws: Iterable[Draw]) -> dict[int, list[float]]:
    """Return what each step took of objects, each time that it was applied."""
    taken: dict[int, list[float]] = {}
    for draw in draws:
        if draw.judged:
            for thing in draw.asked:
                before = 1.0
                for step, after in zip(draw.steps, thing.left, strict=False):
                    taken.setdefault(step, []).append(max(before - after, 0.0))
                    before = after
    return taken


def worst(draws: Iterable[Draw], limit: Limit, labels: str, number: int) -> list[tuple[str, int]]:
    """Return the ids and numbers of the worst draws."""
    ranked = []
    for draw in draws:
        if draw.judged:
            damaged = [thing.enough for thing in draw.asked if hurt(thing.fate(limit, labels))]
            tier = 0 if damaged else 1 if draw.emptied(limit, labels) else 2
            ranked.append((tier, min(damaged or [thing.enough for thing in draw.asked]), draw.id, draw.number))
    return [(name, number_) for _, _, name, number_ in sorted(ranked)[:number]]


def lot(key: int) -> int:
    """Return a key scattered by the finalizer of splitmix64, as its author wrote it down."""
    word = 2**64
    key = ((key ^ (key >> 30)) * 0xBF58476D1CE4E5B9) % word
    key = ((key ^ (key >> 27)) * 0x94D049BB133111EB) % word
    return key ^ (key >> 31)


def picked(draws: Iterable[Draw], number: int) -> list[tuple[str, int]]:
    """Return the ids and numbers of the draws on which the lot falls."""
    ranked = sorted((lot(draw.key), draw.id, draw.number) for draw in draws if draw.valid)
    return [(name, number_) for _, name, number_ in ranked[:number]]
