"""What is kept of one watched thing, and what becomes of the findings about it."""

import logging
from collections.abc import Sequence
from typing import Any

from safeaug.errors import Fault
from safeaug.records import Finding
from safeaug.rules import Facts
from safeaug.trace.book import Book
from safeaug.trace.fault import fault_of
from safeaug.trace.making import MAKING, Crumb
from safeaug.trace.settings import Settings

SELDOM = 32
"""Behind the first samples, dear questions are asked with one in so many."""


class Watcher:
    """What is kept of one watched thing.

    Parameters
    ----------
    name : str
        What it is called.
    settings : Settings
        How it is watched.
    book : Book, optional
        Where faults are recorded: that of the whole, for a part of something watched.
    """

    def __init__(self, name: str, settings: Settings, book: Book | None = None) -> None:
        self.name, self.settings, self.book = name, settings, book or Book()
        self.seen = 0
        self.optional = settings.may_be_none
        self._told: set[tuple[str, str]] = set()

    def turn(self) -> bool:
        """Count one more sample, and return whether its values are looked at."""
        making = MAKING.get()
        number, self.seen = self.seen, self.seen + 1
        if making is not None:
            return making.full
        return number < self.settings.first or number % self.settings.every == 0

    def closely(self) -> bool:
        """Return whether this sample is one of those with which dear questions are asked."""
        making = MAKING.get()
        if making is not None:
            return making.close
        return self.seen <= self.settings.first or (self.seen - 1) % SELDOM == 0

    def expected(self, facts: Facts) -> list[Finding]:
        """Return what a sample breaks of what the user expects of it."""
        expect = self.settings.expect
        if not expect:
            return []
        by_path = {fact.path: fact for fact in facts}
        missing = [
            Finding("SA2.structure", f"is missing; there are {', '.join(by_path) or 'no parts'}", path)
            for path, each in expect.items()
            if path not in by_path and not each.optional
        ]
        there = [(each, by_path[path]) for path, each in expect.items() if path in by_path]
        return missing + [found for each, fact in there for found in each.broken_by(fact)]

    def judge(
        self,
        findings: Sequence[Finding],
        crumbs: Sequence[Crumb],
        *,
        step: str,
        where: str = "",
        params: dict[str, Any] | None = None,
        sample: Any = None,
    ) -> None:
        """Raise the first finding as a `Fault`, or record all; note once what is only suspect.

        Parameters
        ----------
        findings : sequence of Finding
            About one sample at one step.
        crumbs : sequence of Crumb
            Its way up to there.
        step, where : str
            Which step, and the line of its code.
        params : dict, optional
            Of its draw.
        sample : object, optional
            Its number, where no data set says its index.
        """
        making = MAKING.get()
        way = crumbs if making is None or making.crumbs is crumbs else [*making.crumbs, *crumbs]
        before = set() if making is None else set(making.told)
        for finding in findings:
            if finding.suspect:
                self._suspect(finding, step)
                continue
            if finding.code in before:
                continue
            if making is not None:
                making.told.add(finding.code)
            fault = fault_of(
                finding,
                sample=self.seen if making is None and sample is None else making.index if making else sample,
                step=step,
                where=where,
                crumbs=way,
                params=params or {},
                making=making if self._is_new(finding, step) else None,
                name=self.settings.name,
            )
            if self.settings.on_fault != "record":
                raise fault
            self.record(fault)

    def record(self, fault: Fault, kind: str = "fault") -> None:
        """Note a fault."""
        self.book.write({"kind": kind, "message": str(fault)})

    def _suspect(self, finding: Finding, step: str) -> None:
        if self._is_new(finding, step):
            self.book.write({"kind": "suspect", "step": step, "told": str(finding), "code": finding.code})
            logging.getLogger("safeaug").info("suspect, at step %s: %s", step, finding)

    def _is_new(self, finding: Finding, step: str) -> bool:
        """Return whether it is the first of its kind at a step, in this process."""
        new = (finding.code, step) not in self._told
        self._told.add((finding.code, step))
        return new

    def report(self) -> dict[str, Any]:
        """Return what was recorded, by all processes.

        Returns
        -------
        dict
            ``faults``: a list of `Fault`; ``dropped``: how many samples were left out for one; ``suspects``: what one
            sample cannot prove, as text.
        """
        entries = self.book.read()
        faults = [Fault(entry["message"]) for entry in entries if entry["kind"] in {"fault", "dropped"}]
        dropped = sum(entry["kind"] == "dropped" for entry in entries)
        suspects = [f"{entry['step']}: {entry['told']}" for entry in entries if entry["kind"] == "suspect"]
        return {"faults": faults, "dropped": dropped, "suspects": list(dict.fromkeys(suspects))}
