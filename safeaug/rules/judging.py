"""All rules about one step, and about samples that no step comes before."""

from safeaug.records import Finding
from safeaug.rules.crops import oversized
from safeaug.rules.fact import Facts
from safeaug.rules.geometry import degenerate, mismatched, outside, swapped
from safeaug.rules.labels import made_up
from safeaug.rules.sources import flattened, turned
from safeaug.rules.types import changed, is_none
from safeaug.rules.values import faint, not_finite, rescaled

PIXELS = {"image", "mask", "boxes", "points"}
"""Roles of which a NaN is no value: in other parts it may stand for what is unknown."""


def source_findings(facts: Facts, optional: frozenset[str] = frozenset()) -> list[Finding]:
    """Return what is wrong with a sample that comes from outside: a pipeline is called with it, a data set gives it.

    Parameters
    ----------
    facts : tuple of Fact
        Of the sample.
    optional : frozenset of str
        Paths of parts that may be None.
    """
    found: list[Finding] = []
    for fact in facts:
        found += is_none(fact, optional)
        if fact.role in PIXELS:
            found += not_finite(None, fact)
        found += [*turned(fact), *faint(fact), *swapped(fact)]
    return [*found, *box_findings(facts)]


def step_findings(
    before: Facts, after: Facts, fills: frozenset[int] = frozenset(), crop: tuple[int, int] | None = None
) -> list[Finding]:
    """Return what a step broke: what is wrong behind it, and was not before it.

    Parameters
    ----------
    before, after : tuple of Fact
        Of the sample, on both sides of the step.
    fills : frozenset of int
        With what the step fills masks.
    crop : (int, int), optional
        Height and width of the window that a crop is to cut out: see `safeaug.rules.crops.declared`.
    """
    if before == after:  # of which most parts are one and the same, which is quick to see
        return []
    had = {fact.path: fact for fact in before}
    found: list[Finding] = []
    for now in after:
        was = had.get(now.path)
        if was is now:
            continue
        if now.role == "none":
            found += [] if was is not None and was.role == "none" else is_none(now)
            continue
        if was is None:
            known = all(fact.finite == 1 for fact in before)
            found += not_finite(None, now) if known and now.role in PIXELS else []
            continue
        # What a part is, it was told to be before the step: ids do not become a picture by being resized.
        now = now if was.role in {"other", now.role} else now._replace(role=was.role)
        found += changed(was, now)
        found += not_finite(was, now)
        found += rescaled(was, now)
        found += made_up(was, now, fills)
        found += flattened(was, now)
        found += oversized(was, now, crop)
    return found


def box_findings(facts: Facts) -> list[Finding]:
    """Return what is wrong with boxes and their labels."""
    if not any(fact.role == "boxes" for fact in facts):
        return []
    picture = next((fact for fact in facts if fact.role == "image"), None)
    found = [*mismatched(facts)]
    for fact in facts:
        found += degenerate(fact) or outside(fact, picture)
    return found


def ending_findings(trail: list[Facts]) -> list[tuple[int, Finding]]:
    """Return what is wrong with the boxes that a pipeline hands on, each with the place of the step that it came from.

    In between, boxes may be anything: a crop leaves empty ones for a later step to take out.

    Parameters
    ----------
    trail : list of tuple of Fact
        Of the sample before the first step, and behind each.

    Returns
    -------
    list of (int, Finding)
        Place in the trail, from 1 for the first step.
    """
    handed_on = box_findings(trail[-1])
    if not handed_on:
        return []
    had = {(each.code, each.path) for each in box_findings(trail[0])}
    found = []
    for finding in handed_on:
        key = finding.code, finding.path
        if key in had:
            continue
        first = len(trail) - 1
        while first > 1 and any(key == (each.code, each.path) for each in box_findings(trail[first - 1])):
            first -= 1
        found.append((first, finding))
    return found
