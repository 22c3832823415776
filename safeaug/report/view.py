"""What a page shows, as plain values: every text stands here, every number is written out."""

from collections.abc import Sequence
from typing import NamedTuple

from safeaug.auditing.assess import Assessment
from safeaug.auditing.record import Record
from safeaug.auditing.row import Row
from safeaug.report.again import repeat_of
from safeaug.report.chart import Bars, Curve, bars_of, curve_of, curve_said, said
from safeaug.report.words import (
    FATES,
    NONE,
    VERDICTS,
    between,
    breaks,
    broken,
    damage,
    facts,
    first_of,
    named,
    number,
    percent,
    rule_cells,
    step_named,
    to_blame,
    worst_first,
)

TONES = {"pass": "pass", "fail": "fail", "too few": "few", "no limit": ""}
"""By the verdict, the class of its box on the page."""

MOST_RATES, MOST_ROWS, MOST_FAILURES = 100, 200, 100
"""Lines of each table; what is left out is said, and stands in the record."""


class Line(NamedTuple):
    """A row of a table: its cells, and whether it is told in a tone of its own."""

    cells: Sequence[str]
    tone: str = ""


class Board(NamedTuple):
    """A table.

    Parameters
    ----------
    place : {"first", "middle", "last"}
        Where on the page it stands, before and behind the charts.
    id, title, caption : str
        What leads to it, and what it is.
    heads : sequence of str
        Its columns.
    numbers : sequence of int
        Which of them hold numbers.
    rows : list of Line
        What is in it.
    note : str
        What is left out of it.
    """

    place: str
    id: str
    title: str
    caption: str
    heads: Sequence[str]
    numbers: Sequence[int]
    rows: list[Line]
    note: str = ""


class Page(NamedTuple):
    """Everything that a page shows."""

    word: str
    tone: str
    why: str
    data: str
    damage: str
    facts: list[tuple[str, str]]
    tables: list[Board]
    bars: Bars | None
    bars_said: str
    curve: Curve | None
    curve_rows: list[tuple[str, str, str, str]]
    again: str
    commands: list[str]
    pipeline: list[str]
    made: str


def view_of(record: Record, assessment: Assessment) -> Page:
    """Return what the page of a record shows, judged as an assessment does."""
    about, counted, repeat = record.about, assessment.counted, repeat_of(record, assessment)
    aspects = [rate for rate in assessment.rates if rate.kind == "aspect"]
    boards = (
        _rates(assessment),
        _blame(assessment),
        _rules(assessment),
        _fates(assessment),
        _pictures(assessment),
        _worst(record.worst),
        _failures(record, counted.failed),
        _remarks(record),
    )
    return Page(
        word=VERDICTS[assessment.verdict],
        tone=TONES[assessment.verdict],
        why=assessment.why,
        data=about.data,
        damage=damage(assessment),
        facts=facts(record, assessment),
        tables=[board for board in boards if board.rows],
        bars=bars_of(aspects),
        bars_said=said(aspects),
        curve=curve_of(assessment),
        curve_rows=curve_said(assessment.curve, counted.judged) if counted.judged else [],
        again=repeat.sentence,
        commands=repeat.lines,
        pipeline=record.counts.terms.pipeline.splitlines(),
        made=f"Made by safeaug {about.safeaug} with {about.host}, numpy {about.numpy}; started {about.started}.",
    )


def _rates(assessment: Assessment) -> Board:
    whole, *strata = assessment.rates
    shown = worst_first(strata)[:MOST_RATES]
    rows = [
        Line(
            (
                named(rate),
                number(rate.draws),
                number(rate.damaged.count),
                percent(rate.damaged.rate),
                between(rate.damaged),
                NONE if rate.emptied is None else percent(rate.emptied.rate),
                broken(rate),
                to_blame(rate),
            ),
            " ".join(["fail"] * breaks(rate) + ["whole"] * (rate is whole)),
        )
        for rate in [whole, *shown]
    ]
    return Board(
        "first",
        "rates",
        "How often draws are damaged",
        "All draws, then each stratum, the worst first; exact bounds",
        ("where", "draws", "damaged", "rate", "between", "emptied", "limit", "step to blame"),
        (1, 2, 3, 4, 5),
        rows,
        _more(len(strata) - len(shown), "strata"),
    )


def _blame(assessment: Assessment) -> Board:
    rows = [
        Line(
            (
                step_named(blamed.step),
                number(blamed.damaged),
                percent(blamed.share),
                number(blamed.dropped),
                number(blamed.emptied),
                number(blamed.applied),
                percent(blamed.taken),
                _first(blamed.classes),
                _first(blamed.aspects),
            )
        )
        for blamed in assessment.blame
    ]
    return Board(
        "middle",
        "blame",
        "Which step is to blame",
        "By the step that took the most: of each damaged object, and of all objects of an emptied draw together",
        (
            "step",
            "damaged",
            "share",
            "label dropped",
            "draws emptied",
            "applied",
            "takes when applied",
            "most of class",
            "at shape",
        ),
        range(1, 7),
        rows,
    )


def _rules(assessment: Assessment) -> Board:
    rules = assessment.rules
    rows = [] if rules is None else [Line(rule_cells(rule), "" if rule.suspect else "fail") for rule in rules.broken]
    heads = "rule", "what", "step", "samples", "share", "between", "the first"
    caption = "Of samples of which one draw was made with pixels; what is suspect breaks no limit"
    return Board("middle", "rules", "Rules that are broken", caption, heads, (3, 4, 5), rows)


def _first(counts: Sequence[tuple[str, int]]) -> str:
    return f"{counts[0][0]} ({number(counts[0][1])})" if counts else ""


def _fates(assessment: Assessment) -> Board:
    total = sum(assessment.fates.values())
    rows = [
        Line((fate, number(count), percent(count / total if total else None), FATES.get(fate, "")))
        for fate, count in assessment.fates.items()
    ]
    heads = "object", "count", "share", "what that is"
    caption = "Every object that is asked for, in every draw that was judged"
    return Board("middle", "fates", "What became of the objects", caption, heads, (1, 2), rows)


def _pictures(assessment: Assessment) -> Board:
    rows = [
        Line(
            (
                picture.aspect or "all",
                number(picture.draws),
                percent(picture.area),
                percent(picture.median),
                percent(picture.low),
                percent(picture.padding),
                number(picture.padded),
                number(picture.blank),
                number(picture.stretched),
            ),
            "" if picture.aspect else "whole",
        )
        for picture in assessment.pictures
    ]
    return Board(
        "last",
        "pictures",
        "What draws show of the picture",
        "By width over height of the picture; draws without objects included",
        (
            "pictures",
            "draws",
            "show of it",
            "half show at least",
            "19 of 20 show at least",
            "padding",
            "half padded",
            "blank",
            "stretched",
        ),
        range(1, 9),
        rows,
    )


def _worst(worst: Sequence[Row]) -> Board:
    rows = [
        Line(
            (
                row.id,
                str(row.draw),
                f"{row.size[1]} x {row.size[0]}",
                percent(row.least),
                _objects(row),
                _steps(row),
                ", ".join(row.findings),
            )
        )
        for row in worst[:MOST_ROWS]
    ]
    return Board(
        "last",
        "worst",
        "The worst draws",
        "Of each the object that is left with the least; safeaug replay makes the very picture again",
        ("sample", "draw", "picture", "least left", "objects", "blame", "findings"),
        (1, 2, 3),
        rows,
        _more(len(worst) - len(rows), "of the worst draws"),
    )


def _objects(row: Row) -> str:
    """Return what became of the objects of a draw, of which class."""
    damaged = [
        f"{label or 'object'} {fate}"
        for label, fate in zip(row.labels, row.fates, strict=True)
        if fate is not None and fate != "KEPT"
    ]
    return ", ".join([*damaged[:4], *([f"{len(damaged) - 4} more"] if len(damaged) > 4 else [])])


def _steps(row: Row) -> str:
    blamed = dict.fromkeys(place for place in row.blamed if place is not None)
    return ", ".join(f"{'.'.join(map(str, row.steps[place].path))} {row.steps[place].name}" for place in blamed)


def _failures(record: Record, count: int) -> Board:
    shown = record.failures[:MOST_FAILURES]
    rows = [Line((each.sample, str(each.draw), each.step or NONE, each.error)) for each in shown]
    return Board(
        "last",
        "failures",
        "Where the pipeline raised",
        "The first draws in which a step raised; they are in no rate",
        ("sample", "draw", "step", "error"),
        (1,),
        rows,
        _more(count - len(shown), "draws"),
    )


def _remarks(record: Record) -> Board:
    rows = [
        Line((kind, number(count), first_of(record, kind)))
        for kind, count in sorted(record.remarks.items(), key=lambda item: (-item[1], item[0]))
    ]
    caption = "What is odd in the data, or could not be read"
    return Board("last", "remarks", "Met while reading", caption, ("what", "count", "the first"), (1,), rows)


def _more(count: int, what: str) -> str:
    return f"... and {number(count)} more {what}." if count > 0 else ""
