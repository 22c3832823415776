"""Why a verdict is as it is: one sentence, in which nothing of somebody else's acts."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from safeaug.auditing.bounds import draws_needed
from safeaug.auditing.rates import Rate, Share, Verdict
from safeaug.auditing.totals import Counted
from safeaug.data.remarks import printable, shown
from safeaug.draws import UNTOLD, StepName

WORDS = ("damaged", "emptied")


class _Told(NamedTuple):
    """One rate of a stratum, and the limit that is set to it."""

    word: str
    rate: Rate
    share: Share
    limit: float


def why(
    verdict: Verdict,
    rates: Sequence[Rate],
    allowed: tuple[float | None, float | None],
    counted: Counted,
    alpha: float,
    steps: Sequence[StepName] = (),
) -> str:
    """Return in one sentence why the verdict is as it is. Of the steps those are named that nobody can follow."""
    if not counted.judged:
        return _nothing(counted, steps)
    if verdict == "no limit":
        return f"{_found(rates[0])}; no limit is set."
    told = [*_told(rates, allowed)]
    if verdict == "fail":
        return _fails(next(each for each in told if each.share.verdict == "fail"))
    whole = [each for each in told if each.rate.kind == "all" and each.share.verdict == verdict]
    return _too_few(whole[0], alpha) if verdict == "too few" else _holds(whole)


def _told(rates: Sequence[Rate], allowed: tuple[float | None, float | None]) -> Iterator[_Told]:
    """Yield the rates that a limit is set to: damaged before emptied, all draws first, then by kind."""
    for i, (word, limit) in enumerate(zip(WORDS, allowed, strict=True)):
        for rate in rates:
            share = (rate.damaged, rate.emptied)[i]
            if limit is not None and share is not None:
                yield _Told(word, rate, share, limit)


def _nothing(counted: Counted, steps: Sequence[StepName]) -> str:
    strange = [printable(str(step)) for step in steps if step.kind in UNTOLD] if counted.unknown else []
    behind = f" (behind {', '.join(strange)})" if strange else ""
    return (
        f"Nothing can be judged: of {counted.draws} draws {counted.failed} failed, of {counted.unknown} nobody can "
        f"tell what is left{behind}, and {counted.empty} are of samples without an object that counts."
    )


def _found(rate: Rate) -> str:
    empty = rate.emptied
    also = "" if empty is None else f", {empty.count} ({percent(empty.rate)}) emptied"
    return f"{rate.damaged.count} of {rate.draws} draws ({percent(rate.damaged.rate)}) are damaged{also}"


def _fails(told: _Told) -> str:
    rate, share = told.rate, told.share
    step = rate.step if told.word == "damaged" else rate.emptier
    blame = f"; the step to blame is {printable(step)}" if step else ""
    return (
        f"{_where(rate)}: {share.count} of {rate.draws} draws ({percent(share.rate)}) are {told.word}, at least "
        f"{percent(share.lower, -1)}, beyond the limit of {percent(told.limit)}{blame}."
    )


def _holds(whole: Sequence[_Told]) -> str:
    parts = [
        f"{each.share.count} of {each.rate.draws} draws are {each.word}, at most {percent(each.share.upper, 1)}, "
        f"within the limit of {percent(each.limit)}"
        if each.limit
        else f"none of {each.rate.draws} draws is {each.word}, and none may be"
        for each in whole
    ]
    return f"All draws: {'; '.join(parts)}; no stratum is beyond it."


def _too_few(told: _Told, alpha: float) -> str:
    share, limit = told.share, told.limit
    needed = draws_needed(limit, share.count, alpha)
    return (
        f"Too few draws to say: {share.count} of {told.rate.draws} are {told.word}, at most {percent(share.upper, 1)}, "
        f"against a limit of {percent(limit)}; {needed} draws would do, if no more of them are."
    )


def _where(rate: Rate) -> str:
    """Return which draws a rate is about."""
    if rate.kind == "all":
        return "All draws"
    parts = [
        "" if rate.label is None else f"class {shown(rate.label)}",
        "" if rate.area is None else f"objects of {rate.area} of the image",
        "" if rate.aspect is None else f"images {rate.aspect}",
    ]
    text = ", ".join(part for part in parts if part)
    return text[0].upper() + text[1:]


def percent(share: float | None, toward: int = 0) -> str:
    """Return a share in percent, three digits of it; rounded down (-1) or up (1) where it is a bound.

    Examples
    --------
    >>> percent(0.00994), percent(0.99969), percent(0.99969, -1), percent(0.0), percent(0.01)
    ('0.994 %', '100 %', '99.9 %', '0 %', '1 %')
    """
    if not share:
        return "0 %"
    scale = 10.0 ** (2 - math.floor(math.log10(100 * share)))
    digits = 100 * share * scale
    whole = round(digits) if not toward else math.floor(digits + 1e-6) if toward < 0 else math.ceil(digits - 1e-6)
    return f"{whole / scale:g} %"
