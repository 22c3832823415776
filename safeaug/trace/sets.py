"""Watched data sets: map-style, and streams."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

from safeaug.data.frames import raised, their_frames
from safeaug.errors import Fault, PipelineError
from safeaug.records import Finding
from safeaug.rules import Facts, facts_of, source_findings
from safeaug.rules.types import differs
from safeaug.trace.glance import nones
from safeaug.trace.making import MAKING, Crumb, Making
from safeaug.trace.pipelines import host_of, watched_pipeline
from safeaug.trace.states import taken
from safeaug.trace.steps import WatchedRoot
from safeaug.trace.watcher import Watcher

_OWN = {"dataset", "_safeaug_watcher", "_safeaug_inner", "_safeaug_usual"}

DROPPED: Any = "a sample that safeaug.watch has dropped"
"""Stands for a sample that is left out, between a watched loader's data set and its collate function."""


def is_dropped(sample: Any) -> bool:
    """Return whether it stands for a sample, or a batch, that is left out; from another process it is but equal."""
    return isinstance(sample, str) and sample == DROPPED


class Watched:
    """What a watched data set is, map-style or not: whatever it does not have itself is the watched one's.

    Parameters
    ----------
    dataset : object
        The watched data set.
    watcher : Watcher
        Of it.
    """

    dataset: Any
    _safeaug_watcher: Watcher
    _safeaug_inner: Any
    """A copy of the data set whose pipelines are watched."""
    _safeaug_usual: Facts | None
    """The first sample's facts."""

    def __init__(self, dataset: Any, watcher: Watcher) -> None:
        self.dataset, self._safeaug_watcher, self._safeaug_usual = dataset, watcher, None
        self._safeaug_inner = with_watched_pipelines(dataset, watcher)

    def __getattr__(self, name: str) -> Any:
        # As with data sets that hand over content: no special method, and __getitems__ would hide which sample it is.
        if name in _OWN or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._safeaug_inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OWN:
            object.__setattr__(self, name, value)
        else:
            setattr(self._safeaug_inner, name, value)

    def __len__(self) -> int:
        return len(self._safeaug_inner)

    def __repr__(self) -> str:
        return f"<{type(self.dataset).__name__}, watched>"

    def report(self) -> dict[str, Any]:
        """Return what was recorded: see `safeaug.watch`."""
        return self._safeaug_watcher.report()

    def _safeaug_made(self, index: Any, make: Callable[[], Any], full: bool | None = None) -> Any:
        """Return a sample, looked at; `DROPPED` where it is at fault and to be left out."""
        watcher = self._safeaug_watcher
        again, full = bool(full), watcher.turn() if full is None else full
        states, close = (taken(), again or watcher.closely()) if full else (None, False)
        making = Making(index, (self, self.dataset, self._safeaug_inner), full, states, close)
        token = MAKING.set(making)
        try:
            sample = make()
            self._safeaug_look(sample, making)
        except Fault as fault:
            return self._safeaug_drop(fault)
        except (IndexError, StopIteration, PipelineError):  # how a sequence, or a stream, says that it ends
            raise
        except Exception as error:
            return self._safeaug_drop(self._safeaug_failed(error, making))
        finally:
            MAKING.reset(token)
        return sample

    def _safeaug_look(self, sample: Any, making: Making) -> None:
        watcher = self._safeaug_watcher
        if not making.full:
            findings, facts = nones(sample, watcher.optional), None
        else:
            facts = facts_of(sample, look="all" if watcher.settings.expect else "probe")
            self._safeaug_usual = self._safeaug_usual or facts
            findings = self._safeaug_found(facts)
            if findings:  # ranges may be those of a few pixels: what is said is said of all
                facts = facts_of(sample)
                findings = self._safeaug_found(facts)
        if findings:
            making.crumbs.append(Crumb(watcher.name, sample, facts))
            watcher.judge(findings, making.crumbs, step=watcher.name)

    def _safeaug_found(self, facts: Facts) -> list[Finding]:
        watcher = self._safeaug_watcher
        findings = source_findings(facts, watcher.optional) + watcher.expected(facts)
        return findings + differs(self._safeaug_usual or facts, facts)

    def _safeaug_failed(self, error: Exception, making: Making) -> PipelineError:
        frames = their_frames(error)
        step = f", step {making.failed}" if making.failed else ""
        told = PipelineError(
            f"sample {making.index!r} of {self._safeaug_watcher.name}{step}: raised {raised(error)}"
            + (f" (at {frames[-1]})" if frames else ""),
            making.index,
            making.failed or None,
        )
        told.__cause__ = error
        return told

    def _safeaug_drop(self, error: Fault | PipelineError) -> Any:
        watcher = self._safeaug_watcher
        if watcher.settings.on_fault != "drop":
            raise error
        fault = (
            error
            if isinstance(error, Fault)
            else Fault.told(
                str(error), {"rule": "raised", "text": str(error), "sample": error.sample, "step": error.step or ""}
            )
        )
        watcher.record(fault, "dropped")
        return DROPPED


class WatchedMap(Watched):
    """A watched data set with an index."""

    def __getitem__(self, index: Any) -> Any:
        return self._safeaug_made(index, lambda: self._safeaug_inner[index])

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))


class WatchedStream(Watched):
    """A watched stream of samples."""

    def __iter__(self) -> Iterator[Any]:
        stream, number = iter(self._safeaug_inner), 0
        while True:
            try:
                sample = self._safeaug_made(number, lambda: next(stream))
            except StopIteration:
                return
            number += 1
            if not is_dropped(sample):
                yield sample

    def __next__(self) -> Any:
        return self._safeaug_made(self._safeaug_watcher.seen, lambda: next(self._safeaug_inner))


def with_watched_pipelines(dataset: Any, watcher: Watcher) -> Any:
    """Return a data set whose pipelines are watched too: those among its attributes, and of the set that it is part of.

    It is copied one level deep, where it has any; what it holds is shared with the one that is given.
    """
    held = getattr(dataset, "__dict__", None)
    if not isinstance(held, dict):
        return dataset
    found = {}
    for name, value in held.items():
        if isinstance(value, Watched | WatchedRoot):
            continue
        if host_of(value):
            found[name] = watched_pipeline(value, Watcher(type(value).__name__, watcher.settings, watcher.book))
        elif name == "dataset" or (name == "transforms" and type(value).__name__ == "StandardTransform"):
            inner = with_watched_pipelines(value, watcher)
            if inner is not value:
                found[name] = inner
    if not found:
        return dataset
    made = copy.copy(dataset)
    made.__dict__.update(found)
    return made
