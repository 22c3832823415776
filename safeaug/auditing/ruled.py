"""Samples that were judged by rules SA2 to SA7: kept one by one, so that parts add up to one pass."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from safeaug.auditing.block import Failure
from safeaug.errors import ContentError
from safeaug.records import Finding
from safeaug.rules.geometry import misread

SOURCE, LOADER = "source", "loader"
"""What stands for the step where a sample is at fault before the first, and where its loader is."""

MOST = 200
"""How many samples are looked at, where nobody says."""


class Told(msgspec.Struct, frozen=True, order=True):
    """A rule that a sample breaks.

    Parameters
    ----------
    code : str
        Which rule.
    step : str
        Index path and name of the step that breaks it; ``"source"`` of what is at fault before the first.
    path : str
        Of the part of the sample.
    text : str
        What is wrong. Somebody else's text may be in it.
    suspect : bool
        Whether one sample cannot prove it.
    """

    code: str
    step: str
    path: str
    text: str
    suspect: bool = False


class Looked(msgspec.Struct, frozen=True, omit_defaults=True):
    """A sample of which one draw was made with pixels.

    Parameters
    ----------
    lot : int
        By which it was picked: the key of its first draw, scattered.
    id : str
        The sample.
    key : str
        What makes the draw again: 16 hexadecimal digits.
    told : tuple of Told
        The rules that it breaks.
    boxes : (int, int)
        How many of its boxes can tell corners from a corner and sides, and how many would do as the latter.
    unseen : bool
        Whether there was no picture to be had, so that nothing but its annotation was judged.
    unread : bool
        Whether it could not even be opened: it is in no other count.
    failure : Failure or None
        How the pipeline raised.
    """

    lot: int
    id: str
    key: str
    told: tuple[Told, ...] = ()
    boxes: tuple[int, int] = (0, 0)
    unseen: bool = False
    unread: bool = False
    failure: Failure | None = None


class Ruled(msgspec.Struct, frozen=True):
    """The samples that were looked at.

    Parameters
    ----------
    asked : tuple of str
        The families of rules; none where none were asked for.
    most : int or None
        How many samples are looked at; None: all.
    samples : tuple of Looked
        Those with the least lots, in order.
    loader : tuple of Told
        What is wrong with the loader that gives the samples.
    """

    asked: tuple[str, ...] = ()
    most: int | None = MOST
    samples: tuple[Looked, ...] = ()
    loader: tuple[Told, ...] = ()


UNRULED = Ruled()
"""Where no rules were asked for."""


class Broken(NamedTuple):
    """A rule that is broken at one step.

    Parameters
    ----------
    code, step, suspect
        As in `Told`.
    samples : int
        In how many of those that were looked at.
    first : Told
        How the first of these breaks it; of the least lot, so it is the same whatever the order.
    id : str
        That sample; empty of a loader.
    """

    code: str
    step: str
    suspect: bool
    samples: int
    first: Told
    id: str


def told_of(findings: Iterable[Finding], step: str) -> list[Told]:
    """Return findings at a step."""
    return [Told(each.code, step, each.path, each.text, each.suspect) for each in findings]


def all_ruled(parts: Sequence[Ruled]) -> Ruled:
    """Return what parts come to together. Parts in which nothing was asked for are passed over.

    Raises
    ------
    ContentError
        Where they were not asked alike.

    Examples
    --------
    >>> one, other = (Ruled(("SA3",), 1, (Looked(lot, name, ""),)) for lot, name in ((7, "a"), (5, "b")))
    >>> [each.id for each in all_ruled([one, UNRULED, other]).samples]
    ['b']
    """
    asked = [part for part in parts if part.asked]
    if not asked:
        return UNRULED
    first = asked[0]
    for part in asked[1:]:
        if (part.asked, part.most) != (first.asked, first.most):
            raise ContentError(
                f"summaries add up where the same rules were asked for, got {_said(first)} and {_said(part)}; audit "
                "both parts with the same rules"
            )
    samples = sorted((each for part in asked for each in part.samples), key=_order)[: first.most]
    loader = sorted({each for part in asked for each in part.loader})
    return Ruled(first.asked, first.most, tuple(samples), tuple(loader))


def _order(looked: Looked) -> tuple[int, str, bytes]:
    """Return where a sample stands: by lot, then id; those that are alike in both, by all that is told of them."""
    return looked.lot, looked.id, msgspec.json.encode(looked)


def _said(ruled: Ruled) -> str:
    number = "all samples" if ruled.most is None else f"{ruled.most} samples"
    return f"{','.join(ruled.asked)} of {number}"


def broken_of(ruled: Ruled) -> list[Broken]:
    """Return the rules that are broken, each with its step: first those that are proved, the most frequent first."""
    found: dict[tuple[str, str, bool], list[tuple[Told, str]]] = {}
    for looked in ruled.samples:
        for told in {(each.code, each.step, each.suspect): each for each in reversed(looked.told)}.values():
            found.setdefault((told.code, told.step, told.suspect), []).append((told, looked.id))
    broken = [Broken(*key, len(some), *some[0]) for key, some in found.items()]
    broken += [Broken(each.code, each.step, each.suspect, len(ruled.samples), each, "") for each in ruled.loader]
    broken += _format(ruled)
    return sorted(broken, key=lambda each: (each.suspect, -each.samples, each.code, each.step))


def _format(ruled: Ruled) -> list[Broken]:
    """Return a suspicion about the format of all boxes, which one sample alone cannot raise."""
    some = [looked for looked in ruled.samples if looked.boxes[0]]
    findings = misread(sum(each.boxes[0] for each in some), sum(each.boxes[1] for each in some))
    if "SA4" not in ruled.asked or not findings:
        return []
    (told,) = told_of(findings, SOURCE)
    return [Broken(told.code, told.step, True, len(some), told, some[0].id)]


def breaks_of(ruled: Ruled, looked: Looked) -> tuple[Told, ...]:
    """Return the rules that one sample breaks, suspicions about all boxes included where it has some."""
    general = [each.first for each in _format(ruled)] if looked.boxes[0] else []
    return (*looked.told, *general)
