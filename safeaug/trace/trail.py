"""A sample's way through the steps of a pipeline, crumb by crumb."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Literal

import numpy as np

from safeaug.records import Finding
from safeaug.rules import Fact, Facts, ending_findings, facts_of, source_findings, step_findings
from safeaug.rules.facts import (
    as_numpy,
    bare_fact,
    marks_of,
    upright,
    with_guesses,
    with_probe,
    with_values,
    with_values_of,
)
from safeaug.rules.labels import labels_of, made_up
from safeaug.rules.parts import parts_of
from safeaug.rules.types import disordered
from safeaug.trace.glance import Glance, failed
from safeaug.trace.making import Crumb
from safeaug.trace.moving import Moving
from safeaug.trace.place import INPUT, Place, params_of
from safeaug.trace.watcher import Watcher

Call = Callable[..., Any]

WHOLE = ("SA2.", "SA3.nan", "SA3.inf", "SA3.hidden", "SA4.")
"""Codes of what a first look tells of all values. Ranges it takes from a few pixels, so that those are looked up."""


class Trail:
    """One sample's way through a watched pipeline.

    What a host's own steps hand on is kept, and looked at when the pipeline is through: behind every step lie pictures
    that have swept the processor's caches, so that each line of Python costs several times there what it does in one
    go. A step that is somebody's own, or works in place, is looked at where it stands, since later ones may change what
    it has made; so is whatever stands before it.

    All values are asked whether they are finite, and a few pixels for their range. Where these, or a mask that comes
    out, raise a suspicion, all values are looked at once more, before anything is said.

    Parameters
    ----------
    watcher : Watcher
        Of the pipeline.
    sample : Any
        What the pipeline is called with.
    first : bool or None
        Whether its host takes channels first; None where it takes either.
    """

    full: Literal[True] = True

    def __init__(self, watcher: Watcher, sample: Any, first: bool | None) -> None:
        self.watcher, self.number = watcher, watcher.seen
        self.foreign: set[str] = set()
        """Paths of what the pipeline does not know: of what it makes of them, enough was said."""
        self._found = False
        self.went: list[Any] = []
        """What was kept of the steps that were passed and not looked at yet: step, place, what came in and what out."""
        self._held: dict[str, Any] = {}
        facts = self.facts(sample, ())
        self.crumbs = [Crumb(INPUT, sample, facts)]
        self._marks = self._marked(facts) if watcher.closely() else {}
        if source_findings(facts, watcher.optional):
            self.told(source_findings(facts_of(sample), watcher.optional), INPUT)
        if first is not None:
            self.told([found for fact in facts for found in disordered(fact, first=first)], INPUT)

    def _marked(self, facts: Facts) -> dict[str, tuple[Any, bytes]]:
        """Return the arrays that a pipeline must not write into, each with marks by which it is told whether it did."""
        arrays = {
            fact.path: self._held[fact.path] for fact in facts if fact.role in PICTURES and fact.dtype is not None
        }
        return {path: (array, marks_of(array)) for path, array in arrays.items() if hasattr(array, "dtype")}

    def facts(self, sample: Any, before: Facts, place: Place | None = None) -> Facts:
        """Return the facts of a sample behind a step, or where it begins.

        Parameters
        ----------
        sample : Any
            On one side of a step.
        before : tuple of Fact
            Of it on the other. Of bytes behind bytes no rule asks anything.
        place : Place, optional
            Of the step. If it works in place, or nobody knows whether it does, an array that came may have changed.
        """
        had = {fact.path: fact for fact in before}
        found = []
        for path, name, part in parts_of(sample):
            if path in self.foreign:
                continue
            was = had.get(path)
            if was is not None and place is not None and not place.here and self._held.get(path, self) is part:
                found.append(was)  # a host's step has handed it on as it was
                continue
            fact = bare_fact(part, path, name)
            found.append(fact if fact.dtype is None else self._fact(fact, part, was, place))
        return tuple(with_guesses(found, handed=True))

    def _fact(self, fact: Fact, part: Any, was: Fact | None, place: Place | None) -> Fact:
        """Return the fact of a picture or an array, with as much of its values as rules may ask for."""
        self._held[fact.path] = part
        if fact.dtype == "uint8" and (was is None or was.dtype == "uint8"):
            if (was or fact).role == "image":
                return upright(fact, part) if was is None else fact
        elif was is not None and was.dtype == "uint8" and was.role == "image":
            return with_values(fact, part, "finite")
        elif was is not None and place is not None and was.dtype == fact.dtype and place.keeps:
            return with_values_of(fact, was)
        return with_values(fact, part, "probe")

    def refuse(self, findings: list[Finding]) -> None:
        """Tell of parts that the pipeline does not know, and look at them no more."""
        self.told(findings, INPUT)
        self.foreign |= {finding.path for finding in findings}

    def none(self, node: Any, place: Place, result: Any) -> None:
        """Tell of a step that returns None, or a picture that is None."""
        self.catch_up()

    def here(self, node: Any, place: Place, call: Call, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Let a sample go through a step, and look at once at what comes out."""
        self.catch_up()
        before = self._before(sample_of(args, named), self.crumbs[-1])
        look = place.moving.begin(before)
        result = call(*args, **named)
        crumb = Crumb(place.name, result, None, node, place, args or named)
        findings = self._look(crumb, before)
        if look is not None and not findings:
            self._tell(place.moving.end(look, before, crumb.facts or (), call, args, named, result), crumb)
        return result

    def catch_up(self) -> None:
        """Look at what was kept, in order."""
        went, self.went = self.went, []
        for node, place, given, thing in went:
            # What a host changes between its steps, boxes that it filters, is no matter of theirs.
            self._look(Crumb(place.name, thing, None, node, place, given), self.crumbs[-1].facts or ())

    def _before(self, given: Any, last: Crumb) -> Facts:
        """Return the facts of what a step was handed, which mostly is what the last one has handed on."""
        facts = last.facts or ()
        return facts if _is_handed(given, last.thing) else self.facts(given, facts, BETWEEN)

    def _look(self, crumb: Crumb, before: Facts) -> list[Finding]:
        """Look at what a step handed on, and return, having told it, what that broke."""
        place: Place = crumb.place
        self.crumbs.append(crumb)
        after = crumb.facts = self.facts(crumb.thing, before, place)
        if any(fact.probe for fact in after) and any(fact.floats and not fact.probe for fact in before):
            given = {path: part for path, _, part in parts_of(crumb.sample)}
            before = tuple(with_probe(fact, given[fact.path]) if fact.path in given else fact for fact in before)
        findings = broken(before, after, place)
        if findings:
            findings = self._sure(findings, crumb)
            self._tell(findings, crumb)
        return findings

    def _tell(self, findings: list[Finding], crumb: Crumb) -> None:
        if findings:
            self.told(findings, crumb.step, crumb.place.where, params_of(crumb.node))

    def _sure(self, findings: list[Finding], crumb: Crumb) -> list[Finding]:
        """Return those findings that hold by all values too."""
        if all(finding.code.startswith(WHOLE) for finding in findings):
            return findings
        closely = step_findings(
            self.closely(crumb.sample), self.closely(crumb.thing), crumb.place.fills, crumb.place.crop
        )
        keys = {(finding.code, finding.path) for finding in findings}
        whole = [finding for finding in findings if finding.code.startswith(WHOLE)]
        others = [finding for finding in closely if not finding.code.startswith(WHOLE)]
        return whole + [finding for finding in others if (finding.code, finding.path) in keys]

    def closely(self, sample: Any) -> Facts:
        """Return all facts of a sample, by all of its values."""
        return tuple(fact for fact in facts_of(sample, handed=True) if fact.path not in self.foreign)

    def end(self, result: Any, root: Place, form: str | None) -> None:
        """Look at what the pipeline hands on; where it is at fault, look back to where that began."""
        self.catch_up()
        watcher, last = self.watcher, self.crumbs[-1]
        facts = last.facts or ()
        if not _is_handed(result, last.thing):
            facts = self.facts(result, facts, root)
            self.told(step_findings(last.facts or (), facts), root.name)
        if not self._found and self._has_new_labels(result):
            self._look_back()
        if form is not None:
            facts = tuple(fact._replace(form=form) if fact.path == "bboxes" else fact for fact in facts)
        trail = [crumb.facts or () for crumb in self.crumbs] + [facts]
        for at, finding in ending_findings(trail):
            step = self.crumbs[at].step if at < len(self.crumbs) else root.name
            self.told([finding], step)
        if watcher.settings.expect:
            self.told(watcher.expected(self.closely(result)), root.name)
        self._look_for_changes()

    def _has_new_labels(self, result: Any) -> bool:
        """Return whether a mask comes out with labels between those that it had."""
        masks = [fact for fact in self.crumbs[0].facts or () if fact.role == "mask"]
        if not masks:
            return False
        came, gone = ({path: part for path, _, part in parts_of(each)} for each in (self.crumbs[0].thing, result))
        return any(
            bool(made_up(_labelled(mask, came[mask.path]), _labelled(mask, gone[mask.path])))
            for mask in masks
            if mask.path in came and mask.path in gone
        )

    def _look_back(self) -> None:
        """Look closely at the sample behind each step, and tell what each broke."""
        before = self.closely(self.crumbs[0].thing)
        for crumb in self.crumbs[1:]:
            after = self.closely(crumb.thing)
            self._tell(broken(before, after, crumb.place), crumb)
            before = after

    def fail(self, error: Exception, place: Place) -> None:
        """Say of an error which step it comes from, unless a fault in what that step was handed comes to light."""
        self.catch_up()
        failed(error, place, self.crumbs, self.number)

    def told(self, findings: list[Finding], step: str, where: str = "", params: dict[str, Any] | None = None) -> None:
        """Hand findings on."""
        if findings:
            self._found = True
            self.watcher.judge(findings, self.crumbs, step=step, where=where, params=params, sample=self.number)

    def _look_for_changes(self) -> None:
        """Tell of a pipeline that has written into what it was called with."""
        for path, (part, marks) in self._marks.items():
            if path not in self.foreign and marks_of(part) != marks:
                text = "that was handed in is changed where it lies: the next epoch begins with what this one has made"
                self.told([Finding("SA3.mutated", text, path)], INPUT)


BETWEEN = Place("", "", frozenset(), Moving((), True, ""), here=False, keeps=False)
"""Stands for what a host does between its steps."""

PICTURES = {"image", "mask"}
"""Roles of what a pipeline must not write into."""

TRAIL: ContextVar[Trail | Glance | None] = ContextVar("safeaug_trail", default=None)


def sample_of(args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return what a step or pipeline is called with as one sample."""
    if args:
        return args[0] if len(args) == 1 else args
    return named


def broken(before: Facts, after: Facts, place: Place) -> list[Finding]:
    """Return what a step broke."""
    return step_findings(before, after, place.fills, place.crop)


def _labelled(mask: Fact, part: Any) -> Fact:
    known = hasattr(part, "getbands") or hasattr(part, "dtype")
    return mask._replace(
        labels=labels_of(np.asarray(part) if hasattr(part, "getbands") else as_numpy(part)) if known else None
    )


def _is_handed(sample: Any, last: Any) -> bool:
    """Return whether a sample is what the last step handed on; hosts put its parts into a new mapping."""
    if type(sample) is not dict:
        return sample is last
    mappings = type(last) is dict and len(sample) == len(last)
    return mappings and all(value is last.get(key, sample) for key, value in sample.items())
