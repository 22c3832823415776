"""Assess a summary: what became of the objects, whether limits hold, and in one sentence why not.

Judging never touches data: a summary is judged at the limits with which it was measured, whatever they are, and at any
one that is a multiple of 0.005.
"""

import msgspec

from safeaug.auditing.assess_rules import Rule, Rules, rules_of, why_broken
from safeaug.auditing.blamed import Blamed, blame_list, blamed_by_stratum, emptiers_by_stratum
from safeaug.auditing.bounds import ALPHA, checked_limit
from safeaug.auditing.curve import Point, curve_of
from safeaug.auditing.cut import cut_of, of_any
from safeaug.auditing.fate_counts import By, fates_by
from safeaug.auditing.fates import Fate
from safeaug.auditing.pictures import Picture, picture_list
from safeaug.auditing.rates import Kind, Rate, Share, Verdict, rates_of, tried
from safeaug.auditing.summary import Summary
from safeaug.auditing.terms import Labels, checked_labels, terms_of
from safeaug.auditing.totals import Counted, statuses_in
from safeaug.auditing.why import why
from safeaug.errors import PolicyError
from safeaug.policy import Policy

__all__ = [
    "Assessment",
    "Blamed",
    "Counted",
    "Kind",
    "Limits",
    "Picture",
    "Point",
    "Rate",
    "Rule",
    "Rules",
    "Share",
    "Verdict",
    "assess",
    "class_fates",
]


class Limits(msgspec.Struct, frozen=True):
    """What share of the draws may be damaged, and emptied.

    Parameters
    ----------
    max_damaged, max_emptied : float, optional
        In [0, 1]; None sets no limit. A limit of 0 speaks of the draws that were made: none may be.
    alpha : float
        In (0, 1): the chance of a bound to be wrong.
    """

    max_damaged: float | None = None
    max_emptied: float | None = None
    alpha: float = ALPHA


NO_LIMITS = Limits()


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """What a summary says under a policy and limits.

    Parameters
    ----------
    verdict : {"pass", "fail", "too few", "no limit"}
        Over all limits. One *fails* where the lower bound of all draws, or of a stratum (corrected for there being
        many), lies beyond it; it *passes* where the upper bound of all draws does not and no stratum fails; in between
        there are *too few* draws to say. It fails, too, where a further rule was asked for and is broken for certain.
    why : str
        That in one sentence. Text of somebody else's in it is quoted, and nothing in it acts.
    limits : Limits
        That were asked for.
    labels : {"object", "image"}
        What a label stands for.
    retention : float or dict of str to float
        The policy's ``min_retention``.
    counted : Counted
        How many samples, objects and draws there were.
    rates : tuple of Rate
        Of all draws, and of every stratum.
    fates : dict of str to int
        How many objects, one a judged draw, had which fate.
    blame : tuple of Blamed
        What is laid at the door of each step, the most damage first, then the most emptied draws.
    curve : tuple of Point
        What each of the limits 0, 0.005, ..., 1 would make of the draws.
    fates_by : dict of str to dict of str to dict of str to int
        Fates by ``"class"``, by ``"aspect"`` and by ``"area"``.
    pictures : tuple of Picture
        How much of the picture draws show, by shape.
    statuses : dict of str to int
        How draws ended.
    failed : dict of str to int
        Draws in which the pipeline raised, by step.
    rules : Rules or None
        What further rules come to, where any were asked for.
    """

    verdict: Verdict
    why: str
    limits: Limits
    labels: Labels
    retention: float | dict[str, float]
    counted: Counted
    rates: tuple[Rate, ...]
    fates: dict[str, int]
    blame: tuple[Blamed, ...]
    curve: tuple[Point, ...]
    fates_by: dict[str, dict[str, dict[str, int]]] = {}
    pictures: tuple[Picture, ...] = ()
    statuses: dict[str, int] = {}
    failed: dict[str, int] = {}
    rules: Rules | None = None

    @property
    def whole(self) -> Rate:
        """The rate of all draws."""
        return self.rates[0]

    @property
    def failing(self) -> tuple[Rate, ...]:
        """The rates that break a limit, all draws first, then by kind."""
        return tuple(rate for rate in self.rates if "fail" in rate.verdicts)


def assess(
    summary: Summary, policy: Policy | None = None, limits: Limits = NO_LIMITS, *, labels: Labels | None = None
) -> Assessment:
    """Judge a summary.

    Parameters
    ----------
    summary : Summary
        What was measured.
    policy : Policy, optional
        Whose ``min_retention`` is asked of every object; that of the measurement by default. What else it says is about
        guarding. A close-up that passes by ``min_fill`` there is judged by what is left of the object here.
    limits : Limits
        What share of the draws may be damaged, and emptied.
    labels : {"object", "image"}, optional
        What a label stands for; as in the measurement by default.

    Raises
    ------
    PolicyError
        Where a limit on a rate is no share; where `min_retention` is neither that of the measurement nor one multiple
        of 0.005 for all; where ``ignore_smaller_than`` is not that of the measurement.

    Examples
    --------
    >>> from safeaug.auditing.summary import nothing
    >>> from safeaug.auditing.terms import terms_of
    >>> judged = assess(nothing(terms_of()), limits=Limits(max_damaged=0.01))
    >>> judged.verdict, judged.why[:23]
    ('too few', 'Nothing can be judged: ')
    """
    allowed = (checked_limit("max_damaged", limits.max_damaged), checked_limit("max_emptied", limits.max_emptied))
    if not 0 < limits.alpha < 1:
        raise PolicyError(
            f"alpha must lie between 0 and 1, got {limits.alpha!r}; it is the chance of a bound to be wrong"
        )
    labels = summary.terms.labels if labels is None else checked_labels(labels)
    cut = of_any(cut_of(policy, summary.terms, summary.labels), summary.terms)
    counts, steps = summary.counts, summary.steps
    rates = rates_of(
        tried(counts.damage, cut, labels),
        tried(counts.emptied, cut, labels),
        allowed,
        summary.labels,
        blamed_by_stratum(counts, cut, labels, steps),
        emptiers_by_stratum(counts, cut, labels, steps),
        limits.alpha,
    )
    by: dict[str, dict[str, dict[str, int]]] = {
        each: _named(fates_by(counts.objects, cut, labels, summary.labels, each)) for each in _BY
    }
    verdict, rules = _verdict(rates), rules_of(summary.ruled, summary.counted.samples, limits.alpha)
    said = why(verdict, rates, allowed, summary.counted, limits.alpha, summary.steps)
    if rules is not None and rules.proved:
        verdict, said = "fail", f"{said} {why_broken(rules)}" if verdict == "fail" else why_broken(rules)
    return Assessment(
        verdict=verdict,
        why=said,
        limits=limits,
        labels=labels,
        retention=summary.terms.retention if policy is None else terms_of(policy).retention,
        counted=summary.counted,
        rates=rates,
        fates={fate.name: sum(row[fate.name] for row in by["class"].values()) for fate in Fate},
        fates_by=by,
        blame=blame_list(counts, cut, labels, summary.labels, steps),
        curve=curve_of(counts.damage, counts.emptied, counts.areas, labels),
        pictures=picture_list(counts.pictures, counts.shown),
        statuses=statuses_in(counts.statuses),
        failed=summary.failed.counts,
        rules=rules,
    )


_BY: tuple[By, ...] = ("class", "aspect", "area")


def class_fates(
    summary: Summary, policy: Policy | None = None, *, labels: Labels | None = None
) -> dict[str, dict[str, int]]:
    """Return how many objects of each class had which fate. Here limits may differ from label to label.

    Raises
    ------
    PolicyError
        As `assess`, but for limits by label that are multiples of 0.005.
    """
    cut = cut_of(policy, summary.terms, summary.labels)
    labels = summary.terms.labels if labels is None else checked_labels(labels)
    return _named(fates_by(summary.counts.objects, cut, labels, summary.labels))


def _named(rows: dict[str, dict[Fate, int]]) -> dict[str, dict[str, int]]:
    return {name: {fate.name: count for fate, count in row.items()} for name, row in rows.items()}


def _verdict(rates: tuple[Rate, ...]) -> Verdict:
    """Return what all limits come to."""
    whole, every = rates[0].verdicts, {verdict for rate in rates for verdict in rate.verdicts}
    order: tuple[Verdict, ...] = ("too few", "pass")
    return "fail" if "fail" in every else next((each for each in order if each in whole), "no limit")
