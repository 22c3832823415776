"""Shares, verdicts, fates and strata in words, as every report says them."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from safeaug.auditing.assess import Assessment, Rule, Rules
from safeaug.auditing.blamed import NO_STEP
from safeaug.auditing.rates import Rate, Share, Verdict
from safeaug.auditing.record import Record
from safeaug.auditing.ruled import LOADER
from safeaug.draws import StepName
from safeaug.policy import OTHERS
from safeaug.rules.codes import what

VERDICTS: Mapping[Verdict, str] = MappingProxyType(
    {"pass": "PASS", "fail": "FAIL", "too few": "TOO FEW", "no limit": "NO LIMIT SET"}
)
"""The verdict, in the word that a report begins with."""

FATES: Mapping[str, str] = MappingProxyType(
    {
        "KEPT": "enough is left, and the label is kept",
        "SLIVER": "less than the limit is left, and the label is kept",
        "GHOST": "nothing is left, and the label is kept",
        "ORPHAN": "something is left, and the label is dropped",
        "GONE": "nothing is left, and the label is dropped",
    }
)
"""What became of an object."""

FINEST = 1e-5
"""The smallest share that is told as a number."""

NONE = "-"
"""What stands where there is no number."""


def percent(share: float | None) -> str:
    """Return a share in percent, in three digits; only none at all reads as 0, and only all of them as 100.

    Examples
    --------
    >>> percent(0.0), percent(0.00123), percent(0.0123), percent(0.98765), percent(1.0)
    ('0 %', '0.123 %', '1.23 %', '98.8 %', '100 %')
    >>> percent(1e-9), percent(0.99999), percent(None)
    ('< 0.001 %', '> 99.9 %', '-')
    """
    if share is None or math.isnan(share):
        return NONE
    if share in (0, 1):
        return f"{100 * share:.0f} %"
    if share < FINEST:
        return f"< {100 * FINEST:g} %"
    if share > 0.999:
        return "> 99.9 %"
    return f"{100 * share:.3g} %"


def between(share: Share) -> str:
    """Return the bounds of a rate in percent.

    Examples
    --------
    >>> between(Share(count=5, rate=0.05, lower=0.0199, upper=0.1025, verdict="no limit"))
    '1.99 to 10.2 %'
    """
    return between_both(share.lower, share.upper)


def between_both(low: float, high: float) -> str:
    """Return two bounds in percent."""
    return f"{percent(low).removesuffix(' %')} to {percent(high)}"


def number(count: int) -> str:
    """Return a count with its thousands apart.

    Examples
    --------
    >>> number(1234567)
    '1,234,567'
    """
    return f"{count:,}"


def limits(retention: float | Mapping[str, float]) -> str:
    """Return what must be left of an object.

    Examples
    --------
    >>> limits(0.5), limits({"*": 0.5, "face": 0.9})
    ('50 %', 'face 90 %, others 50 %')
    """
    if not isinstance(retention, Mapping):
        return percent(retention)
    others_last = sorted(retention.items(), key=lambda item: item[0] == OTHERS)
    return ", ".join(f"{'others' if label == OTHERS else label} {percent(share)}" for label, share in others_last)


# Of an assessment.


def damage(assessment: Assessment) -> str:
    """Return what counts as damage."""
    less = f"A draw is damaged where less than {limits(assessment.retention)} of an object is left"
    if assessment.labels == "image":
        return f"{less}: the image's label stands for it."
    return f"{less} while its label stays, or where its label goes while it can be seen."


def facts(record: Record, assessment: Assessment) -> list[tuple[str, str]]:
    """Return what was audited, and how: names and values."""
    about, counted, allowed = record.about, assessment.counted, assessment.limits
    return [
        ("samples", number(counted.samples)),
        ("objects asked for", number(counted.counted)),
        ("draws judged", f"{number(counted.judged)} of {number(counted.draws)}"),
        *((name, number(count)) for name, count in not_judged(assessment) if count),
        ("labels stand for", {"object": "objects", "image": "whole images"}[assessment.labels]),
        ("must be left", limits(assessment.retention)),
        ("damaged at most", percent(allowed.max_damaged) if allowed.max_damaged is not None else "no limit"),
        ("emptied at most", percent(allowed.max_emptied) if allowed.max_emptied is not None else "no limit"),
        ("draws of each", str(about.draws)),
        ("seed", str(about.seed)),
        *((("rules asked of", rules_said(assessment.rules)),) if assessment.rules is not None else ()),
    ]


def rules_said(rules: Rules) -> str:
    """Return which rules were asked, of how many samples."""
    unseen = f"; {number(rules.unseen)} more have no picture" if rules.unseen else ""
    raised = f"; {number(sum(rules.raised.values()))} raised" if rules.raised else ""
    return f"{', '.join(rules.asked)}: {number(rules.looked)} of {number(rules.samples)} samples{unseen}{raised}"


def rule_cells(rule: Rule) -> tuple[str, ...]:
    """Return what is told of a rule: code, what it says, step, samples, share, bounds, and the first of them."""
    known = rule.step != LOADER  # of a loader nothing is counted
    return (
        rule.code,
        f"suspect: {what(rule.code)}" if rule.suspect else what(rule.code),
        rule.step,
        number(rule.samples) if known else NONE,
        percent(rule.share) if known else NONE,
        between_both(rule.lower, rule.upper) if known else NONE,
        f"{rule.example}: {rule.path or 'the sample'} {rule.text}" if rule.example else rule.text,
    )


def not_judged(assessment: Assessment) -> list[tuple[str, int]]:
    """Return why draws were not judged, and how many."""
    counted = assessment.counted
    return [("raised", counted.failed), ("nobody can tell", counted.unknown), ("without objects", counted.empty)]


def breaks(rate: Rate) -> bool:
    """Return whether a rate breaks a limit."""
    return "fail" in rate.verdicts


def broken(rate: Rate) -> str:
    """Return the word for a rate that breaks a limit, and which, where it is not that of damaged draws; else nothing.

    Examples
    --------
    >>> many = Share(count=9, rate=1.0, lower=0.7, upper=1.0, verdict="fail")
    >>> broken(Rate(kind="all", name="all", draws=9, damaged=many))
    'FAIL'
    """
    if rate.damaged.verdict == "fail":
        return "FAIL"
    return "FAIL: emptied" if breaks(rate) else ""


def worst_first(rates: Sequence[Rate]) -> list[Rate]:
    """Return rates in order: those that break a limit, then those of which either is surely high."""
    return sorted(rates, key=lambda rate: (not breaks(rate), -sure(rate), -(rate.damaged.rate or 0), rate.name))


def sure(rate: Rate) -> float:
    """Return how high the rate of damaged draws, or that of emptied ones, is at the least."""
    return max(rate.damaged.lower, 0.0 if rate.emptied is None else rate.emptied.lower)


def named(rate: Rate) -> str:
    """Return the name of a stratum, with its kind.

    Examples
    --------
    >>> none = Share(count=0, rate=0.0, lower=0.0, upper=0.3, verdict="no limit")
    >>> named(Rate(kind="aspect", name="4:1 and wider", draws=8, damaged=none))
    'aspect 4:1 and wider'
    """
    return "all draws" if rate.kind == "all" else rate.name if rate.kind == "cell" else f"{rate.kind} {rate.name}"


def to_blame(rate: Rate) -> str:
    """Return the step to blame for the damage of a stratum; where none is damaged, for its emptied draws.

    Examples
    --------
    >>> none = Share(count=0, rate=0.0, lower=0.0, upper=0.3, verdict="no limit")
    >>> to_blame(Rate(kind="all", name="all", draws=8, damaged=none, emptier="0 RandomCrop"))
    '0 RandomCrop'
    """
    return rate.step or rate.emptier or ""


def step_named(step: StepName | None) -> str:
    """Return the name of the step that is to blame; of labels that are dropped behind all steps it is none."""
    return NO_STEP if step is None else str(step)


def first_of(record: Record, kind: str) -> str:
    """Return the first remark of a kind, with its place."""
    return next((f"{each.where}: {each.text}" for each in record.remarked if each.kind == kind), "")
