"""A sample's way through a pipeline when its values are not looked at: None and errors only, at hardly any cost.

Behind every step lie pictures that have swept the processor's caches, so each line of Python there costs several times
what it does in a loop of its own. What stands here is as little as names the step.
"""

from typing import Any, Literal

from safeaug.records import Finding
from safeaug.rules.parts import parts_of
from safeaug.trace.making import MAKING, Crumb
from safeaug.trace.place import INPUT, Place, params_of
from safeaug.trace.watcher import Watcher

NESTED = {dict, tuple, list}


class Glance:
    """One sample's way.

    Parameters
    ----------
    watcher : Watcher
        Of the pipeline.
    sample : Any
        What the pipeline is called with.
    """

    __slots__ = ("_found", "sample", "watcher", "went")

    full: Literal[False] = False

    def __init__(self, watcher: Watcher, sample: Any) -> None:
        self.watcher, self.sample, self._found = watcher, sample, False
        self.went: list[Any] = []
        """Places of the steps that were passed."""

    def crumbs(self) -> list[Crumb]:
        """Return the way so far: what came in, and which steps it passed."""
        return [Crumb(INPUT, self.sample), *(Crumb(place.name, PASSED) for place in self.went)]

    def none(self, node: Any, place: Place, result: Any) -> None:
        """Tell of a step that returns None, or a picture that is None; of what came in, if that was None already."""
        findings = nones(result, self.watcher.optional)
        if findings and not self._came_in():
            self._told(findings, place.name, place.where, params_of(node))

    def end(self, result: Any, root: Place) -> None:
        """Look at what the pipeline hands on."""
        findings = nones(result, self.watcher.optional)
        if findings and not self._came_in():
            self._told(findings, root.name, "", {})

    def fail(self, error: Exception, place: Place) -> None:
        """Say of an error which step it comes from, unless it comes of what the pipeline was called with."""
        self._came_in()
        failed(error, place, self.crumbs(), self.watcher.seen)

    def _came_in(self) -> bool:
        """Return whether None has been told of, having told it of what the pipeline was called with."""
        findings = [] if self._found else nones(self.sample, self.watcher.optional)
        if findings:
            self._told(findings, INPUT, "", {})
        return self._found

    def _told(self, findings: list[Finding], step: str, where: str, params: dict[str, Any]) -> None:
        self._found = True
        self.watcher.judge(findings, self.crumbs(), step=step, where=where, params=params, sample=self.watcher.seen)


PASSED = "not looked at"
"""What is kept of a sample behind a step: its arrays would be held, and the next would need fresh memory."""


def failed(error: Exception, place: Place, crumbs: list[Crumb], number: int) -> None:
    """Note with an error which step of a pipeline raised it, and the way up to there."""
    making = MAKING.get()
    if making is not None and not making.failed:
        making.failed = place.name
        making.crumbs += crumbs
    error.add_note(f"safeaug: raised by step {place.name}, of sample {number if making is None else making.index}")
    for crumb in crumbs:
        error.add_note(f"  {crumb}")


def nones(sample: Any, optional: frozenset[str]) -> list[Finding]:
    """Return a finding for each part that is None, at the price of a glance."""
    if type(sample) is dict:
        for value in sample.values():
            if value is None or type(value) in NESTED:
                break
        else:
            return []
    elif sample is not None and type(sample) not in NESTED and not hasattr(sample, "__dataclass_fields__"):
        return []
    paths = [path for path, _, part in parts_of(sample) if part is None and path not in optional]
    return [Finding("SA2.none", "is None", path) for path in paths]
