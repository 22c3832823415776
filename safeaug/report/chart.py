"""What a chart is drawn from: places in pixels, worked out here so that a template only has to write them down."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from safeaug.auditing.assess import Assessment
from safeaug.auditing.curve import Point
from safeaug.auditing.rates import Rate
from safeaug.report.words import between, percent

LEFT, RIGHT, TOP, BOTTOM = 52.0, 12.0, 12.0, 40.0
"""Around the field of a curve, in pixels."""

WIDTH, HEIGHT = 640.0, 280.0
"""Of a curve."""

LEAST = 1e-6
"""The shortest axis."""

NAMES, FIGURES, BAR = 150.0, 60.0, 26.0
"""Of bars: room for names before them and for figures behind them, and the height of each."""


class Tick(NamedTuple):
    """A mark on an axis: where, and what it says."""

    at: float
    text: str


class Curve(NamedTuple):
    """Lines over a limit from 0 to 1.

    Parameters
    ----------
    damaged, emptied : str
        The lines, as SVG writes points.
    across, down : list of Tick
        Of the axes.
    limit : float or None
        Where the limit stands that was asked for.
    allowed : float or None
        Where the greatest share stands that is allowed; None where there is none, or it is beyond the field.
    """

    damaged: str
    emptied: str
    across: list[Tick]
    down: list[Tick]
    limit: float | None
    allowed: float | None


class Bar(NamedTuple):
    """A rate with its bounds."""

    name: str
    y: float
    width: float
    low: float
    high: float
    text: str
    fails: bool


class Bars(NamedTuple):
    """Rates one below another, along one axis."""

    bars: list[Bar]
    across: list[Tick]
    height: float


def curve_of(assessment: Assessment) -> Curve | None:
    """Return the lines of an assessment; None where nothing was judged."""
    draws = assessment.counted.judged
    points = assessment.curve
    if not draws or len(points) < 2:
        return None
    top = ceiling(max(max(point.damaged, point.emptied) for point in points) / draws)

    def line(counts: Sequence[tuple[float, int]]) -> str:
        return " ".join(f"{_x(limit):.1f},{_y(count / draws, top):.1f}" for limit, count in counts)

    retention, most = assessment.retention, assessment.limits.max_damaged
    return Curve(
        line([(point.limit, point.damaged) for point in points]),
        line([(point.limit, point.emptied) for point in points]),
        [Tick(_x(share), percent(share)) for share in (0, 0.25, 0.5, 0.75, 1)],
        [Tick(_y(share, top), percent(share)) for share in (0, top / 4, top / 2, top * 3 / 4, top)],
        _x(retention) if isinstance(retention, float) else None,
        _y(most, top) if most is not None and most <= top else None,
    )


def _x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(share: float, top: float) -> float:
    return TOP + (1 - share / top) * (HEIGHT - TOP - BOTTOM)


def bars_of(rates: Sequence[Rate]) -> Bars | None:
    """Return rates as bars, in the order given; None where there are none."""
    known = [rate for rate in rates if rate.damaged.rate is not None]
    if not known:
        return None
    top = ceiling(max(rate.damaged.rate or 0 for rate in known))
    field = WIDTH - NAMES - FIGURES

    def at(share: float) -> float:
        return NAMES + min(share / top, 1.0) * field

    bars = [
        Bar(
            rate.name,
            TOP + number * BAR,
            at(rate.damaged.rate or 0) - NAMES,
            at(rate.damaged.lower),
            at(rate.damaged.upper),
            percent(rate.damaged.rate),
            rate.damaged.verdict == "fail",
        )
        for number, rate in enumerate(known)
    ]
    ticks = [Tick(at(share), percent(share)) for share in (0, top / 2, top)]
    return Bars(bars, ticks, TOP + len(bars) * BAR + BOTTOM)


def said(rates: Sequence[Rate]) -> str:
    """Return what bars show, for those who do not see them."""
    return "; ".join(f"{rate.name}: {percent(rate.damaged.rate)}, {between(rate.damaged)}" for rate in rates)


def curve_said(points: Sequence[Point], draws: int) -> list[tuple[str, str, str, str]]:
    """Return every twentieth point of a curve in words: limit, damaged, emptied, picture area left."""
    return [
        (percent(point.limit), percent(point.damaged / draws), percent(point.emptied / draws), percent(point.area))
        for point in points[:: max(len(points) // 10, 1)]
    ]


def ceiling(share: float) -> float:
    """Return the end of an axis that shows a share: 1, 2 or 5 times a power of ten, and at most 1.

    Examples
    --------
    >>> ceiling(0.013), ceiling(0.21), ceiling(0.7), ceiling(0.0)
    (0.02, 0.5, 1.0, 0.01)
    """
    if share < LEAST:
        return LEAST if share else 0.01
    power = 10.0 ** math.floor(math.log10(share))
    return min(next(step * power for step in (1, 2, 5, 10) if share <= step * power * (1 + 1e-9)), 1.0)
