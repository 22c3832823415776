"""What the charts of the gallery are drawn from: places in pixels, and the figures that stand behind them."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from safeaug.auditing.assess import Assessment
from safeaug.auditing.bins import STEPS, Ints
from safeaug.auditing.blamed import NO_STEP
from safeaug.auditing.summary import Summary
from safeaug.report.chart import BAR, BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Tick, ceiling
from safeaug.report.gallery.spread import Band, class_steps, left_of, most
from safeaug.report.words import number, percent

COLUMN = 20
"""Columns of the histogram between nothing and all."""

NAMES = 150.0
"""Room for names beside bands, in pixels."""

END, SPACE = 28.0, 8.0
"""Width of the columns of nothing and of all, and how far these stand from the others."""

MOST_CLASSES, MOST_STEPS = 20, 12
"""Rows and columns of the heat table."""

SHADES = 8
"""Of the heat table, from 1 on; 0 is none."""


class Column(NamedTuple):
    """A column of a histogram.

    Parameters
    ----------
    x, width : float
        Where it stands.
    y, height : float
        Of its lower part: objects whose label is handed on.
    over, more : float
        The upper edge and the height of its upper part: objects whose label is dropped.
    text : str
        What stands above it.
    short : bool
        Whether it is of less than the limit.
    cut : bool
        Whether it is taller than the field.
    """

    x: float
    width: float
    y: float
    height: float
    over: float
    more: float
    text: str
    short: bool
    cut: bool


class Histogram(NamedTuple):
    """Objects by what is left of them.

    Parameters
    ----------
    columns : list of Column
        Nothing, twenty bins, all.
    across, down : list of Tick
        Of the axes.
    limit : float or None
        Where the limit stands; None where labels differ in theirs.
    rows : list of (str, str, str)
        What is left; how many objects are handed on with their label, and without.
    """

    columns: list[Column]
    across: list[Tick]
    down: list[Tick]
    limit: float | None
    rows: list[tuple[str, str, str]]


class Box(NamedTuple):
    """A band: from where to where nearly all, half, and the middle of the objects are."""

    name: str
    y: float
    low: float
    first: float
    middle: float
    third: float
    high: float


class Bands(NamedTuple):
    """Bands one below another, along one axis; ``rows`` says them in figures."""

    boxes: list[Box]
    across: list[Tick]
    height: float
    limit: float | None
    rows: list[tuple[str, ...]]


class Cell(NamedTuple):
    """A cell of a heat table: what it says, how dark it is, and which cards it is about."""

    text: str
    shade: int
    choice: Mapping[str, str]


class Heat(NamedTuple):
    """Classes by steps: which share of a class's objects each step damages."""

    steps: list[str]
    rows: list[tuple[str, str, list[Cell]]]
    note: str


def histogram_of(summary: Summary, assessment: Assessment) -> Histogram | None:
    """Return a histogram of what is left of all objects; None where there are none."""
    left = left_of(summary, assessment)
    kept, dropped = _columns(left.kept), _columns(left.dropped)
    whole = sum(kept) + sum(dropped)
    if not whole:
        return None
    shares = [(one + other) / whole for one, other in zip(kept, dropped, strict=True)]
    inner, ends = max(shares[1:-1]), max(shares[0], shares[-1])
    top = ceiling(inner if 0 < 3 * inner < ends else max(inner, ends))
    limit = assessment.retention if isinstance(assessment.retention, float | int) else None
    columns = [
        _column(i, one / whole, other / whole, top, limit)
        for i, (one, other) in enumerate(zip(kept, dropped, strict=True))
    ]
    names = ["nothing", *(f"{5 * i} to {5 * (i + 1)} %" for i in range(COLUMN)), "all"]
    across = [Tick(_edge(i), f"{5 * i} %") for i in range(0, COLUMN + 1, 5)]
    across[0], across[-1] = Tick(_edge(0), "0"), Tick(_edge(COLUMN) - 12, "100 %")
    return Histogram(
        columns,
        [Tick(columns[0].x + END / 2, "none"), *across[1:-1], Tick(columns[-1].x + END / 2, "all")],
        [Tick(_y(share, top), percent(share)) for share in (0, top / 2, top)],
        None if limit is None else _edge(limit * COLUMN),
        [(name, number(one), number(other)) for name, one, other in zip(names, kept, dropped, strict=True)],
    )


def _columns(counts: Ints) -> list[int]:
    """Return counts of nothing, of twenty equal bins, and of all."""
    wide = STEPS // COLUMN
    inner = counts[1 : 1 + STEPS].reshape(COLUMN, wide).sum(axis=1)
    out: list[int] = [int(counts[0]), *inner.tolist(), int(counts[1 + STEPS])]
    return out


def _edge(i: float) -> float:
    """Return where one of the twenty-one edges of inner columns stands."""
    first = LEFT + END + SPACE
    return first + i * (WIDTH - RIGHT - END - SPACE - first) / COLUMN


def _y(share: float, top: float) -> float:
    return TOP + 8 + (1 - min(share / top, 1.0)) * (HEIGHT - TOP - 8 - BOTTOM)


def _column(i: int, kept: float, dropped: float, top: float, limit: float | None) -> Column:
    inner = 0 < i <= COLUMN
    x = _edge(i - 1) + 1 if inner else LEFT if not i else _edge(COLUMN) + SPACE
    width = _edge(1) - _edge(0) - 2 if inner else END
    y, over = _y(kept, top), _y(kept + dropped, top)
    reach = 0.0 if not i else i / COLUMN if inner else 1.0
    return Column(
        x, width, y, _y(0, top) - y, over, y - over,
        "" if inner else percent(kept + dropped),
        limit is not None and i <= COLUMN and reach <= limit,
        kept + dropped > top * (1 + 1e-9),
    )  # fmt: skip


def boxes_of(bands: Sequence[Band], assessment: Assessment) -> Bands | None:
    """Return bands one below another, in the order given; None where there are none."""
    if not bands:
        return None

    def at(share: float) -> float:
        return NAMES + share * (WIDTH - NAMES - 2 * RIGHT)

    limit = assessment.retention
    return Bands(
        [_box(band, TOP + i * BAR, at) for i, band in enumerate(bands)],
        [Tick(at(share), percent(share)) for share in (0, 0.25, 0.5, 0.75, 1)],
        TOP + len(bands) * BAR + BOTTOM,
        at(limit) if isinstance(limit, float | int) else None,
        [(band.name, number(band.objects), *map(percent, band.shares)) for band in bands],
    )


def _box(band: Band, y: float, at: Callable[[float], float]) -> Box:
    low, first, middle, third, high = map(at, band.shares)
    return Box(band.name, y, low, first, middle, third, high)


def heat_of(summary: Summary, assessment: Assessment) -> Heat | None:
    """Return which share of the objects of each class each step damages; None where nothing is damaged.

    The classes of which most is damaged come first, as rows; the steps in the pipeline's order, as columns.
    """
    sums = class_steps(summary, assessment)
    of_class, of_step = sums.sum(axis=1).tolist(), sums.sum(axis=0).tolist()
    classes, steps = most(of_class, MOST_CLASSES), sorted(most(of_step, MOST_STEPS))
    if not classes:
        return None
    fates = assessment.fates_by.get("class", {})
    objects = {name: sum(counts.values()) for name, counts in fates.items()}
    names = [str(summary.steps[step - 1]) if step else NO_STEP for step in steps]
    table = sums.tolist()
    shares = {
        (row, step): table[row][step] / max(objects.get(summary.labels[row], 0), 1) for row in classes for step in steps
    }
    darkest = max(shares.values())

    def cell(row: int, step: int, name: str) -> Cell:
        share = shares[row, step]
        shade = min(1 + int(share / darkest * SHADES), SHADES) if share else 0
        return Cell(percent(share), shade, {"class": summary.labels[row], "step": name})

    rows = [
        (summary.labels[row], number(of_class[row]), [cell(row, *each) for each in zip(steps, names, strict=True)])
        for row in classes
    ]
    left = sum(map(bool, of_class)) - len(classes), sum(map(bool, of_step)) - len(steps)
    note = ", ".join(
        f"{number(count)} more {what}" for count, what in zip(left, ("classes", "steps"), strict=True) if count
    )
    return Heat(names, rows, f"... and {note}." if note else "")
