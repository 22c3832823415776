"""A sample's way through the steps of a pipeline, crumb by crumb."""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from safeaug.errors import Fault
from safeaug.records import Finding
from safeaug.rules import Fact, Facts, ending_findings, source_findings, step_findings
from safeaug.rules.facts import fact_of, with_guesses
from safeaug.rules.parts import parts_of
from safeaug.rules.types import disordered
from safeaug.trace.making import MAKING, Crumb
from safeaug.trace.moving import Moving
from safeaug.trace.watcher import Watcher

Call = Callable[..., Any]
INPUT = "input"
"""Step of what a pipeline is called with."""


class Place(NamedTuple):
    """What is known of one step of a pipeline.

    Parameters
    ----------
    name : str
        Index path and class.
    where : str
        ``file:line`` of its class, where it is somebody's own.
    fills : frozenset of int
        With what it fills masks.
    moving : Moving
        Whether it may move a picture and leave a target, and how often that was looked at.
    """

    name: str
    where: str
    fills: frozenset[int]
    moving: Moving


class Trail:
    """One sample's way through a watched pipeline.

    Parameters
    ----------
    watcher : Watcher
        Of the pipeline.
    full : bool
        Whether values are looked at.
    sample : Any
        What the pipeline is called with.
    first : bool or None
        Whether its host takes channels first; None where it takes either.
    """

    def __init__(self, watcher: Watcher, full: bool, sample: Any, first: bool | None) -> None:
        self.watcher, self.full, self.number = watcher, full, watcher.seen
        self.crumbs = [Crumb(INPUT, sample)]
        self.foreign: set[str] = set()
        """Paths of what the pipeline does not know: of what it makes of them, enough was said."""
        self._known: dict[int, tuple[Any, int | None, Fact]] = {}
        """Facts by the ids of parts, which are held here so that no other part can have their ids; and versions."""
        if full:
            facts = self.crumbs[0].facts = self.facts(sample)
            self.told(source_findings(facts, watcher.optional), INPUT)
            if first is not None:
                self.told([found for fact in facts for found in disordered(fact, first=first)], INPUT)
        else:
            self.told(nones(sample, watcher.optional), INPUT)

    def facts(self, sample: Any, before: Mapping[int, Fact] | None = None) -> Facts:
        """Return the facts of a sample; of parts that have been looked at, those of then.

        Parameters
        ----------
        sample : Any
            On one side of a step.
        before : mapping, optional
            Behind a step: parts that came in, by id. The step may have changed them where they lie, so each is looked
            at again unless it says by itself that it is the same.
        """
        found = []
        for path, name, part in parts_of(sample):
            if path in self.foreign:
                continue
            known = self._known.get(id(part))
            if known is not None and known[2].path == path and (before is None or _is_same(part, *known[1:])):
                found.append(known[2])
                continue
            fact = fact_of(part, path, name)
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
        before = self.facts(given) if self.full else ()
        look = place.moving.begin(before) if self.full else None
        try:
            result = call(*args, **named)
        except Fault:
            raise
        except Exception as error:
            self.fail(error, place)
            raise
        crumb = Crumb(place.name, result)
        self.crumbs.append(crumb)
        if not self.full:
            if result is None:
                self.told([Finding("SA2.none", "is None")], place.name, place.where, _params_of(node))
            return result
        crumb.facts = self.facts(result, {})
        findings = step_findings(before, crumb.facts, place.fills)
        if look is not None and not findings:
            findings = place.moving.end(look, before, crumb.facts, call, args, named, result)
        self.told(findings, place.name, place.where, _params_of(node))
        return result

    def end(self, result: Any, root: Place, form: str | None) -> None:
        """Look at what the pipeline hands on."""
        watcher = self.watcher
        if not self.full:
            self._blame_none(nones(result, watcher.optional), result, root)
            return
        facts = self.facts(result, {})
        if form is not None:
            facts = tuple(fact._replace(form=form) if fact.path == "bboxes" else fact for fact in facts)
        last = self.crumbs[-1].facts or ()
        self.told(step_findings(last, facts), root.name)
        trail = [crumb.facts or () for crumb in self.crumbs] + [facts]
        for at, finding in ending_findings(trail):
            step = self.crumbs[at].step if at < len(self.crumbs) else root.name
            self.told([finding], step)
        self.told(watcher.expected(facts), root.name)
        self._look_for_changes()

    def fail(self, error: Exception, place: Place) -> None:
        """Say of an error which step it comes from."""
        making = MAKING.get()
        if making is not None and not making.failed:
            making.failed = place.name
            making.crumbs += self.crumbs
        number = self.number if making is None else making.index
        error.add_note(f"safeaug: raised by step {place.name}, of sample {number}")
        for crumb in self.crumbs:
            error.add_note(f"  {crumb}")

    def told(self, findings: list[Finding], step: str, where: str = "", params: dict[str, Any] | None = None) -> None:
        """Hand findings on."""
        if findings:
            self.watcher.judge(findings, self.crumbs, step=step, where=where, params=params, sample=self.number)

    def _blame_none(self, findings: list[Finding], result: Any, root: Place) -> None:
        """Tell of a None that comes out where it first came up."""
        if not findings:
            return
        paths = {each.path for each in findings}
        for crumb in self.crumbs:
            if any(path in paths and part is None for path, _, part in parts_of(crumb.thing)):
                if crumb.step != INPUT:  # of which it was told when it came in
                    self.told(findings, crumb.step)
                return
        self.told(findings, root.name)

    def _look_for_changes(self) -> None:
        """Tell of a pipeline that has written into what it was called with."""
        before = self.crumbs[0].facts or ()
        parts = {path: (name, part) for path, name, part in parts_of(self.crumbs[0].thing)}
        for fact in before:
            if fact.role not in {"image", "mask"} or fact.path not in parts or fact.type.startswith("Image("):
                continue
            name, part = parts[fact.path]
            now = fact_of(part, fact.path, name)
            if (now.low, now.high, now.nans, now.probe) != (fact.low, fact.high, fact.nans, fact.probe):
                text = "that was handed in is changed where it lies: the next epoch begins with what this one has made"
                self.told([Finding("SA3.mutated", text, fact.path)], INPUT)


TRAIL: ContextVar[Trail | None] = ContextVar("safeaug_trail", default=None)


def sample_of(args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return what a step or pipeline is called with as one sample."""
    if args:
        return args[0] if len(args) == 1 else args
    return named


def _is_same(part: Any, version: int | None, fact: Fact) -> bool:
    """Return whether a part that a step hands on as it came is what it was."""
    if version is not None:
        return bool(part._version == version)
    if isinstance(part, np.ndarray):
        return fact.role not in {"image", "mask", "other"} or fact_of(part, fact.path).probe == fact.probe
    return True


def nones(sample: Any, optional: frozenset[str]) -> list[Finding]:
    """Return a finding for each part that is None, at the price of a glance."""
    if type(sample) is dict and not any(type(value) in NESTED or value is None for value in sample.values()):
        return []
    if sample is not None and type(sample) not in NESTED and not hasattr(sample, "__dataclass_fields__"):
        return []
    paths = [path for path, _, part in parts_of(sample) if part is None and path not in optional]
    return [Finding("SA2.none", "is None", path) for path in paths]


NESTED = {dict, tuple, list}


def _params_of(node: Any) -> dict[str, Any]:
    """Return what a step has drawn last, where it keeps that."""
    for name in ("params", "_params"):
        params = getattr(node, name, None)
        if isinstance(params, dict):
            return {str(key): value for key, value in params.items() if key not in {"shape", "shapes"}}
    return {}
