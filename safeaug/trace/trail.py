"""A sample's way through the steps of a pipeline, crumb by crumb."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np

from safeaug.records import Finding
from safeaug.rules import Fact, Facts, ending_findings, facts_of, source_findings, step_findings
from safeaug.rules.facts import all_finite, as_numpy, fact_of, named_type, probe_part, with_guesses
from safeaug.rules.labels import labels_of, made_up
from safeaug.rules.parts import parts_of
from safeaug.rules.types import disordered
from safeaug.trace.glance import Glance, failed
from safeaug.trace.making import Crumb
from safeaug.trace.place import INPUT, Place, params_of
from safeaug.trace.watcher import Watcher

Call = Callable[..., Any]


class Trail:
    """One sample's way through a watched pipeline.

    Parameters
    ----------
    watcher : Watcher
        Of the pipeline.
    sample : Any
        What the pipeline is called with.
    first : bool or None
        Whether its host takes channels first; None where it takes either.
    """

    full = True

    def __init__(self, watcher: Watcher, sample: Any, first: bool | None) -> None:
        self.watcher, self.number = watcher, watcher.seen
        self.crumbs = [Crumb(INPUT, sample)]
        self.foreign: set[str] = set()
        """Paths of what the pipeline does not know: of what it makes of them, enough was said."""
        self._found = False
        self._known: dict[int, tuple[Any, int | None, Fact]] = {}
        """Facts by the ids of parts, which are held here so that no other part can have their ids; and versions."""
        facts = self.crumbs[0].facts = self.facts(sample)
        if source_findings(facts, watcher.optional):
            self.told(source_findings(facts_of(sample), watcher.optional), INPUT)
        if first is not None:
            self.told([found for fact in facts for found in disordered(fact, first=first)], INPUT)

    def facts(self, sample: Any, *, behind: bool = False) -> Facts:
        """Return the facts of a sample, by a probe; of parts that have been looked at, those of then.

        Parameters
        ----------
        sample : Any
            On one side of a step.
        behind : bool, default False
            Whether a step lies between: it may have changed parts where they lie, so each is looked at again unless it
            says by itself that it is the same. Of bytes behind bytes no rule asks anything.
        """
        last = self.crumbs[-1]
        if last.facts is not None and not behind and _is_handed(sample, last.thing):
            return last.facts
        was = {fact.path: fact for fact in last.facts or ()} if behind else {}
        found = []
        for path, name, part in parts_of(sample):
            if path in self.foreign:
                continue
            known = self._known.get(id(part))
            if known is not None and known[2].path == path and (not behind or _is_same(part, *known[1:])):
                found.append(known[2])
                continue
            before = was.get(path)
            if before is not None and _is_alike(part, before):
                found.append(before)
                continue
            fact = fact_of(part, path, name, look="probe")
            self._known[id(part)] = (part, getattr(part, "_version", None), fact)
            found.append(fact)
        return tuple(with_guesses(found))

    def refuse(self, findings: list[Finding]) -> None:
        """Tell of parts that the pipeline does not know, and look at them no more."""
        self.told(findings, INPUT)
        self.foreign |= {finding.path for finding in findings}

    def step(self, node: Any, place: Place, call: Call, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Let a sample go through a step, and look at what comes out."""
        given = sample_of(args, named)
        before = self.facts(given)
        look = place.moving.begin(before)
        result = call(*args, **named)
        after = self.facts(result, behind=True)
        self.crumbs.append(Crumb(place.name, result, after, node, place))
        findings: list[Finding] = []
        if step_findings(before, after, place.fills) or _hides(given, before, after):
            findings = step_findings(self.closely(given), self.closely(result), place.fills)
        if look is not None and not findings:
            findings = place.moving.end(look, before, after, call, args, named, result)
        self.told(findings, place.name, place.where, params_of(node))
        return result

    def closely(self, sample: Any) -> Facts:
        """Return all facts of a sample, by all of its values."""
        return tuple(fact for fact in facts_of(sample) if fact.path not in self.foreign)

    def end(self, result: Any, root: Place, form: str | None) -> None:
        """Look at what the pipeline hands on; where it is at fault, look back to where that began."""
        watcher = self.watcher
        facts = self.facts(result)
        if form is not None:
            facts = tuple(fact._replace(form=form) if fact.path == "bboxes" else fact for fact in facts)
        self.told(step_findings(self.crumbs[-1].facts or (), facts), root.name)
        if not self._found and self._is_spoilt(result):
            self._look_back()
        trail = [crumb.facts or () for crumb in self.crumbs] + [facts]
        for at, finding in ending_findings(trail):
            step = self.crumbs[at].step if at < len(self.crumbs) else root.name
            self.told([finding], step)
        if watcher.settings.expect:
            self.told(watcher.expected(self.closely(result)), root.name)
        self._look_for_changes()

    def _is_spoilt(self, result: Any) -> bool:
        """Return whether a value of the outcome is no number, or a mask has labels that it had not."""
        came: dict[str, Any] = {path: part for path, _, part in parts_of(self.crumbs[0].thing)}
        masks = [fact for fact in self.crumbs[0].facts or () if fact.role == "mask" and fact.path in came]
        for path, _, part in parts_of(result):
            if path in self.foreign:
                continue
            if not all_finite(part):
                return True
            for mask in masks:
                if mask.path == path and made_up(_labelled(mask, came[path]), _labelled(mask, part)):
                    return True
        return False

    def _look_back(self) -> None:
        """Look closely at the sample behind each step, and tell what each broke."""
        before = self.closely(self.crumbs[0].thing)
        self.told(source_findings(before, self.watcher.optional), INPUT)
        for crumb in self.crumbs[1:]:
            after = self.closely(crumb.thing)
            place: Place = crumb.place
            self.told(step_findings(before, after, place.fills), place.name, place.where, params_of(crumb.node))
            before = after

    def fail(self, error: Exception, place: Place) -> None:
        """Say of an error which step it comes from."""
        failed(error, place, self.crumbs, self.number)

    def told(self, findings: list[Finding], step: str, where: str = "", params: dict[str, Any] | None = None) -> None:
        """Hand findings on."""
        if findings:
            self._found = True
            self.watcher.judge(findings, self.crumbs, step=step, where=where, params=params, sample=self.number)

    def _look_for_changes(self) -> None:
        """Tell of a pipeline that has written into what it was called with."""
        before = self.crumbs[0].facts or ()
        parts = {path: part for path, _, part in parts_of(self.crumbs[0].thing)}
        for fact in before:
            if fact.role not in {"image", "mask"} or fact.path not in parts or fact.type.startswith("Image("):
                continue
            part = parts[fact.path]
            if probe_part(part) != fact.probe:
                text = "that was handed in is changed where it lies: the next epoch begins with what this one has made"
                self.told([Finding("SA3.mutated", text, fact.path)], INPUT)


TRAIL: ContextVar[Trail | Glance | None] = ContextVar("safeaug_trail", default=None)


def sample_of(args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return what a step or pipeline is called with as one sample."""
    if args:
        return args[0] if len(args) == 1 else args
    return named


def _hides(given: Any, before: Facts, after: Facts) -> bool:
    """Return whether a step makes whole numbers of what is none."""
    now = {fact.path: fact for fact in after}
    cast = {fact.path for fact in before if fact.floats and fact.path in now and not now[fact.path].floats}
    return bool(cast) and any(path in cast and not all_finite(part) for path, _, part in parts_of(given))


def _labelled(mask: Fact, part: Any) -> Fact:
    return mask._replace(labels=labels_of(np.asarray(part) if hasattr(part, "getbands") else as_numpy(part)))


def _is_alike(part: Any, fact: Fact) -> bool:
    """Return whether a part is a picture of bytes, as it was behind the step before: of that no rule asks more."""
    if fact.dtype != "uint8" or fact.role != "image" or fact.type.partition("(")[0] != type(part).__name__:
        return False
    if hasattr(part, "dtype"):
        return tuple(part.shape) == fact.shape and named_type(part.dtype)[0] == "uint8"
    return part.size[::-1] == fact.shape and f"Image({part.mode})" == fact.type


def _is_handed(sample: Any, last: Any) -> bool:
    """Return whether a sample is what the last step handed on; hosts put its parts into a new mapping."""
    if type(sample) is not dict:
        return sample is last
    mappings = type(last) is dict and len(sample) == len(last)
    return mappings and all(value is last.get(key, sample) for key, value in sample.items())


def _is_same(part: Any, version: int | None, fact: Fact) -> bool:
    """Return whether a part that a step hands on as it came is what it was."""
    if version is not None:
        return bool(part._version == version)
    if isinstance(part, np.ndarray):
        return not fact.probe or probe_part(part) == fact.probe
    return True
