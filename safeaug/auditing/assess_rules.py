"""What rules beyond SA1 come to: which are broken, at which step, in how many of the samples that were looked at."""

import msgspec
import numpy as np

from safeaug.auditing.bounds import ALPHA, interval
from safeaug.auditing.ruled import LOADER, SOURCE, Ruled, broken_of
from safeaug.data.remarks import printable
from safeaug.rules.codes import what


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that is broken at one step.

    Parameters
    ----------
    code : str
        Rule and kind.
    step : str
        Index path and name of the step; ``"source"`` of what is at fault before the first, ``"loader"`` of the loader.
    suspect : bool
        Whether it is no more than a suspicion, which breaks no limit.
    samples : int
        In how many of those that were looked at.
    share, lower, upper : float
        That share of them, and between which exact bounds it lies for all samples.
    example, path, text : str
        The first such sample, of which part, and what is wrong with it. Somebody else's text.
    """

    code: str
    step: str
    suspect: bool
    samples: int
    share: float
    lower: float
    upper: float
    example: str
    path: str
    text: str


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What rules beyond SA1 come to.

    Parameters
    ----------
    asked : tuple of str
        The families that were asked for.
    looked : int
        Of how many samples one draw was made with pixels.
    samples : int
        How many samples there are.
    unseen : int
        Of how many of those that were picked there was no picture to be had.
    raised : dict of str to int
        In how many the pipeline raised, by step.
    broken : tuple of Rule
        Those that are proved first, then those that are suspected, each sort with the most frequent first.
    """

    asked: tuple[str, ...]
    looked: int
    samples: int
    unseen: int
    raised: dict[str, int]
    broken: tuple[Rule, ...]

    @property
    def proved(self) -> tuple[Rule, ...]:
        """The rules that are broken for certain."""
        return tuple(rule for rule in self.broken if not rule.suspect)


def rules_of(ruled: Ruled, samples: int, alpha: float = ALPHA) -> Rules | None:
    """Return what rules come to; None where none were asked for.

    Parameters
    ----------
    ruled : Ruled
        The samples that were looked at.
    samples : int
        How many were measured.
    alpha : float
        The chance of a pair of bounds to be wrong.
    """
    if not ruled.asked:
        return None
    seen = [each for each in ruled.samples if not each.unseen]
    raised: dict[str, int] = {}
    for each in seen:
        if each.failure is not None:
            raised[each.failure.step] = raised.get(each.failure.step, 0) + 1
    number, found = len(ruled.samples), broken_of(ruled)
    counts = np.array([min(each.samples, number) for each in found])
    lows, highs = interval(counts, np.full(len(found), number), alpha)
    broken = tuple(
        Rule(
            code=each.code,
            step=each.step,
            suspect=each.suspect,
            samples=each.samples,
            share=each.samples / number if number else 0.0,
            lower=float(low),
            upper=float(high),
            example=each.id,
            path=each.first.path,
            text=each.first.text,
        )
        for each, low, high in zip(found, lows, highs, strict=True)
    )
    return Rules(
        asked=ruled.asked,
        looked=len(seen),
        samples=samples + sum(each.unread for each in ruled.samples),
        unseen=number - len(seen),
        raised=dict(sorted(raised.items())),
        broken=broken,
    )


def why_broken(rules: Rules) -> str:
    """Return in one sentence which rule is broken; nothing in it acts, once it is made printable."""
    first, *others = rules.proved
    more = f"; {len(others)} more" if others else ""
    where = {SOURCE: "before the first step", LOADER: "by the loader"}.get(first.step, f"at step {first.step}")
    number = f"in {first.samples} of {rules.looked + rules.unseen} samples"
    return printable(f"Rule {first.code} ({what(first.code)}) is broken {where}, {number}{more}.")
