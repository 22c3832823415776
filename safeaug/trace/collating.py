"""Watched collate functions."""

from collections.abc import Callable, Sequence
from typing import Any

from safeaug.data.frames import raised
from safeaug.errors import Fault, PipelineError
from safeaug.records import Finding
from safeaug.rules import facts_of
from safeaug.rules.types import differs
from safeaug.trace.glance import nones
from safeaug.trace.making import Crumb
from safeaug.trace.sets import DROPPED, is_dropped
from safeaug.trace.watcher import Watcher


class Collate:
    """A collate function that looks at its samples before, and at its batch after.

    Parameters
    ----------
    function : callable
        The collate function.
    watcher : Watcher
        Of it.
    """

    def __init__(self, function: Callable[[Any], Any], watcher: Watcher) -> None:
        self.function, self.watcher = function, watcher

    def __call__(self, samples: Any) -> Any:
        """Return the batch; `DROPPED` where all its samples were."""
        if is_dropped(samples):
            return DROPPED
        listed = isinstance(samples, list | tuple)
        if listed:
            samples = [each for each in samples if not is_dropped(each)]
            if not samples:
                return DROPPED
            self._look(samples)
        self.watcher.turn()
        try:
            batch = self.function(samples)
        except (Fault, PipelineError):
            raise
        except Exception as error:
            told = odd_one(samples) if listed else ""
            raise PipelineError(f"{self.watcher.name} raised {raised(error)}{told}", step=self.watcher.name) from error
        if batch is None and "" not in self.watcher.optional:
            self.watcher.judge([Finding("SA2.none", "is None")], [Crumb("samples", samples)], step=self.watcher.name)
        return batch

    def _look(self, samples: Sequence[Any]) -> None:
        for number, sample in enumerate(samples):
            findings = nones(sample, self.watcher.optional)
            if findings:
                crumbs = [Crumb("sample", sample)]
                where = f"sample {number} of the batch"
                self.watcher.judge(findings, crumbs, step=self.watcher.name, sample=where)

    def report(self) -> dict[str, Any]:
        """Return what was recorded: see `safeaug.watch`."""
        return self.watcher.report()


def odd_one(samples: Sequence[Any]) -> str:
    """Return which sample of a batch is not like the first, in words; empty where all are.

    Examples
    --------
    >>> import numpy as np
    >>> odd_one([np.zeros((9, 9, 3)), np.zeros((9, 9, 3)), np.zeros((9, 8, 3))])
    '; sample 2 of the batch is (9, 8, 3) where sample 0 is (9, 9, 3)'
    """
    usual = facts_of(samples[0], look="none")
    for number, sample in enumerate(samples[1:], start=1):
        facts = facts_of(sample, look="none")
        found = differs(usual, facts)
        if found:
            return f"; sample {number} of the batch: {found[0]}"
        by_path = {fact.path: fact for fact in usual}
        for fact in facts:
            was = by_path.get(fact.path)
            if was is None or was.shape != fact.shape or was.dtype != fact.dtype:
                one = None if was is None else was.shape if was.shape != fact.shape else was.dtype
                other = fact.dtype if was is not None and was.shape == fact.shape else fact.shape
                place = f" at {fact.path}" if fact.path else ""
                return f"; sample {number} of the batch is {other}{place} where sample 0 is {one}"
    return ""
