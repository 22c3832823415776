"""How often draws are damaged, and emptied: of all of them and of every stratum, with bounds, against limits."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from safeaug.auditing.bins import AREAS, ASPECTS, Ints
from safeaug.auditing.bounds import ALPHA, chance, holm, lower, upper
from safeaug.auditing.cut import Cut
from safeaug.auditing.seen import Bools, Floats
from safeaug.auditing.strata import LAYOUT, STRATA, meant
from safeaug.auditing.table import Table, digits_of
from safeaug.auditing.terms import Labels
from safeaug.data.remarks import shown

Verdict = Literal["pass", "fail", "too few", "no limit"]
"""Whether a limit holds. *Too few* draws say neither that it does nor that it does not."""

Kind = Literal["all", "aspect", "area", "class", "cell"]
KINDS: tuple[Kind, ...] = ("all", "aspect", "area", "class", "cell")
"""Strata: all draws; by shape of image; by size of object; by class; by all three."""


class Share(msgspec.Struct, frozen=True):
    """A share of the draws of a stratum.

    Parameters
    ----------
    count : int
        How many.
    rate : float or None
        Of the stratum's draws; None where there are none.
    lower, upper : float
        Exact one-sided bounds. The lower one of a stratum against a limit is corrected for there being many strata: it
        stands at the level at which Holm's procedure looks at it, so that it lies beyond the limit where that falls.
    verdict : {"pass", "fail", "too few", "no limit"}
        Of this stratum alone. All draws decide whether a limit holds, any stratum whether it fails.
    """

    count: int
    rate: float | None
    lower: float
    upper: float
    verdict: Verdict


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """How often the draws of a stratum are damaged, and emptied.

    Parameters
    ----------
    kind : {"all", "aspect", "area", "class", "cell"}
        In which way the stratum is formed.
    name : str
        For people: the class, the bin, or all three. It may hold somebody else's text, to be escaped where it is shown.
    draws : int
        Draws with a counted object of it.
    damaged : Share
        Those in which such an object is damaged.
    emptied : Share or None
        Those in which no object of the image is kept; told of all draws and of shapes of images only.
    aspect, area, label : str or None
        The bins and the class of which the stratum is; None for any.
    step : str or None
        The step to which most of its damage is laid.
    emptier : str or None
        The step to which most of its emptied draws are laid: each to the one that alone took the most of the image's
        objects together.
    """

    kind: Kind
    name: str
    draws: int
    damaged: Share
    emptied: Share | None = None
    aspect: str | None = None
    area: str | None = None
    label: str | None = None
    step: str | None = None
    emptier: str | None = None

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Of the one rate or of both."""
        return (self.damaged.verdict,) if self.emptied is None else (self.damaged.verdict, self.emptied.verdict)


class Tried(NamedTuple):
    """Draws by stratum.

    Parameters
    ----------
    stratum : ndarray of shape (M,), int64
        Keys by `STRATA`, ascending: the first is that of all draws.
    draws, struck : ndarray of shape (M,), int64
        How many draws, and how many of them a limit damages, or empties.
    """

    stratum: Ints
    draws: Ints
    struck: Ints


def tried(table: Table, cut: Cut, labels: Labels) -> Tried:
    """Return how many draws of each stratum a limit damages, or empties."""
    if not len(table.keys):
        return Tried(*(np.zeros(1, np.int64) for _ in range(3)))
    label, aspect, area, side, struck, turn = digits_of(LAYOUT, table.keys)
    counts = np.where(meant(side, labels), table.counts, 0)
    stratum = (label * STRATA.sizes[0] + aspect) * STRATA.sizes[1] + area
    starts = np.flatnonzero(np.diff(stratum, prepend=-1))
    hit = np.where(cut.strikes(label, struck, turn), counts, 0)
    return Tried(stratum[starts], np.add.reduceat(counts, starts), np.add.reduceat(hit, starts))


def shares_of(found: Tried, limit: float | None, alpha: float = ALPHA) -> list[Share]:
    """Return the share of each stratum that is struck, all draws first, and what that says about a limit."""
    at, fails = np.full(len(found.draws), alpha), np.zeros(len(found.draws), np.bool_)
    if limit is not None:
        p = chance(found.struck, found.draws, limit)
        fails[0] = p[0] <= alpha
        fails[1:], at[1:] = holm(p[1:], alpha)
    low, high = lower(found.struck, found.draws, at), upper(found.struck, found.draws, alpha)
    verdicts = _verdicts(found, limit, fails, high)
    columns = (found.struck.tolist(), found.draws.tolist(), low.tolist(), high.tolist(), verdicts)
    return [
        Share(count=count, rate=count / draws if draws else None, lower=down, upper=up, verdict=verdict)
        for count, draws, down, up, verdict in zip(*columns, strict=True)
    ]


def _verdicts(found: Tried, limit: float | None, fails: Bools, high: Floats) -> list[Verdict]:
    if limit is None:
        return ["no limit"] * len(fails)
    # That a rate is 0 no number of draws can show: a limit of 0 speaks of the draws that were made.
    holds = (found.draws > 0) & ((high <= limit) | ((limit == 0) & (found.struck == 0)))
    return ["fail" if fail else "pass" if hold else "too few" for fail, hold in zip(fails, holds, strict=True)]


def rates_of(
    damage: Tried,
    emptied: Tried,
    limits: tuple[float | None, float | None],
    vocabulary: Sequence[str],
    steps: Mapping[int, str],
    emptiers: Mapping[int, str],
    alpha: float = ALPHA,
) -> tuple[Rate, ...]:
    """Return the rates of all strata: all draws first, then by kind.

    Parameters
    ----------
    damage, emptied : Tried
        As `tried` returns.
    limits : (float or None, float or None)
        Of the share of draws that may be damaged, and emptied.
    vocabulary : sequence of str
        The labels of the summary.
    steps, emptiers : mapping of int to str
        Of the key of each stratum the step to blame for its damage, and for its emptied draws, where there is one.
    alpha : float
        In (0, 1).
    """
    empty = dict(zip(emptied.stratum.tolist(), shares_of(emptied, limits[1], alpha), strict=True))
    shares = shares_of(damage, limits[0], alpha)
    rates = [
        _rate(stratum, draws, share, empty.get(stratum), vocabulary, (steps.get(stratum), emptiers.get(stratum)))
        for stratum, draws, share in zip(damage.stratum.tolist(), damage.draws.tolist(), shares, strict=True)
    ]
    return tuple(sorted(rates, key=_order))


def _rate(
    stratum: int,
    draws: int,
    share: Share,
    emptied: Share | None,
    vocabulary: Sequence[str],
    blamed: tuple[str | None, str | None],
) -> Rate:
    label, aspect, area = (int(digit) for digit in digits_of(STRATA, np.array(stratum)))
    names = (vocabulary[label - 1] if label else None, _name(ASPECTS, aspect), _name(AREAS, area))
    told = [name for name in names if name is not None]
    kind: Kind = "cell" if len(told) == 3 else "class" if label else "aspect" if aspect else "area" if area else "all"
    name = told[0] if len(told) == 1 else ", ".join([shown(told[0]), *told[1:]]) if told else "all"
    return Rate(
        kind=kind, name=name, draws=draws, damaged=share, emptied=emptied,
        label=names[0], aspect=names[1], area=names[2],
        step=blamed[0], emptier=blamed[1],
    )  # fmt: skip


def _name(names: Sequence[str], digit: int) -> str | None:
    return names[digit - 1] if digit else None


def _order(rate: Rate) -> tuple[int, int, float, str]:
    """Return where a rate stands: bins in their order, classes and cells the surest damage first."""
    if rate.kind in {"aspect", "area"}:
        return KINDS.index(rate.kind), ASPECTS.index(rate.name) if rate.aspect else AREAS.index(rate.name), 0.0, ""
    return KINDS.index(rate.kind), 0, -rate.damaged.lower, rate.name
