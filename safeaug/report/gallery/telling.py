"""A draw as a card tells of it: from its row, or from how the pipeline raised."""

from typing import Any

import numpy as np

from safeaug.auditing.bins import AREAS, ASPECTS, area_of, aspect_of
from safeaug.auditing.objects import objects_of
from safeaug.auditing.row import Row
from safeaug.auditing.subject import Subject
from safeaug.auditing.text import as_text
from safeaug.data import Sample
from safeaug.errors import SafeAugError
from safeaug.geometry import Size
from safeaug.report.gallery.card import Card, share, shares
from safeaug.report.gallery.names import Shortener
from safeaug.report.gallery.pairs import Pair
from safeaug.report.gallery.picks import Pick

GUARDED = "guarded"
"""The tab of draws whose guarded side is shown."""

RAISED = "RAISED"
"""Stands for the status of a draw in which the pipeline raised."""


def card_of(n: int, pick: Pick, sample: Sample | None, pair: Pair, subject: Subject, short: Shortener) -> Card:
    """Return the card of a draw.

    Parameters
    ----------
    n : int
        Its number.
    pick : Pick
        What the record tells of it.
    sample : Sample or None
        Its sample, where there is one.
    pair : Pair
        Its pictures.
    subject : Subject
        What of the data was followed.
    short : Shortener
        How names are shortened.
    """
    row = pick.row
    told = _of_failure(pick, sample, subject) if row is None else _of_row(row)
    if pick.told:
        told["findings"] = tuple(dict.fromkeys([*told.get("findings", ()), *(each.code for each in pick.told)]))
        told["told"] = tuple(
            (f"{each.code} at {each.step}", f"{each.path} {short.text(each.text)}") for each in pick.told
        )
        told["step"] = told["step"] or pick.told[0].step
    shown_too = pair._asdict()
    why = pair.missing or (pick.failure.error if pick.failure is not None and pair.after is None else "")
    shown_too["missing"] = short.text(as_text(why))
    tabs = (*pick.tabs, *([GUARDED] if pair.guarded is not None else []))
    return Card(
        n=n, id=short.id(pick.id), draw=pick.draw, key=f"{pick.key:016x}", tabs=tabs, areas=_areas(sample, subject),
        **told, **shown_too,
    )  # fmt: skip


def _of_row(row: Row) -> dict[str, Any]:
    """Return what a row says, as fields of a card."""
    return {
        "status": row.status,
        "findings": row.findings,
        "damaged": row.damaged,
        "emptied": row.emptied,
        "least": share(row.least),
        "group": row.group,
        "size": row.size,
        "output": row.output,
        "aspect": _aspect(row.size),
        "labels": row.labels,
        "counted": row.counted,
        "fates": row.fates,
        "left": shares(row.final),
        "step": _step(row),
        "area": share(row.area),
        "padded": share(row.padded),
        "stretch": share(row.stretch),
    }


def _of_failure(pick: Pick, sample: Sample | None, subject: Subject) -> dict[str, Any]:
    """Return what is known of a draw in which the pipeline raised."""
    step = "" if pick.failure is None else pick.failure.step
    status = "" if pick.failure is None and pick.told else RAISED
    known: dict[str, Any] = {"status": status, "step": as_text(step)}
    if sample is None:
        return known
    try:
        objects = objects_of([sample], subject)
    except SafeAugError:
        labels: tuple[str, ...] = ()
    else:
        labels = tuple(map(as_text, objects.labels))
    none: tuple[None, ...] = (None,) * len(labels)
    return {
        **known,
        "group": as_text(sample.group),
        "size": sample.size,
        "aspect": _aspect(sample.size),
        "labels": labels,
        "counted": (False,) * len(labels),
        "fates": none,
        "left": none,
    }


def _areas(sample: Sample | None, subject: Subject) -> tuple[str, ...]:
    """Return in which bin each object's share of the picture is; empty of one that nobody asks for."""
    if sample is None:
        return ()
    try:
        objects = objects_of([sample], subject)
    except SafeAugError:
        return ()
    bins = area_of(objects.areas / (sample.size[0] * sample.size[1])).tolist()
    return tuple("" if ignored else AREAS[at] for at, ignored in zip(bins, objects.ignored.tolist(), strict=True))


def _aspect(size: Size) -> str:
    return ASPECTS[int(aspect_of(np.array([size], np.int64))[0])]


def _step(row: Row) -> str:
    """Return the step to blame, of several objects that of which the least is left; empty where there is none."""
    blamed = [
        (left != row.least, number, at)
        for number, (left, at) in enumerate(zip(row.final, row.blamed, strict=True))
        if at is not None
    ]
    return as_text(str(row.steps[min(blamed)[2]])) if blamed else ""
