"""Watched functions that go where the function itself would go: into another process, and into a fingerprint.

Hugging Face ``datasets`` sends the function of its ``map`` to processes by dill, and names its cache by the bytes that
dill makes of it. So nothing stands in these that differs from run to run, or that no process can send.
"""

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from types import FunctionType
from typing import Any

from safeaug.records import Finding
from safeaug.rules import Facts, facts_of, source_findings
from safeaug.rules.parts import MANY
from safeaug.trace.book import Book
from safeaug.trace.fault import site_of
from safeaug.trace.glance import nones
from safeaug.trace.making import Crumb
from safeaug.trace.settings import Settings
from safeaug.trace.watcher import Watcher

NEW = {"SA3.nan", "SA3.inf"}
"""What a function is not blamed for if it came in."""

LAZY = "keys_to_format"
"""Attribute of a mapping of ``datasets`` that says which of its columns it has not decoded yet."""


class Looking(Watcher):
    """What is kept of a watched function, whichever process calls it.

    Parameters
    ----------
    function : callable
        What is called.
    settings : Settings
        How it is watched.
    book : Book, optional
        Where faults are recorded: that of the whole, for a function of something watched.
    """

    def __init__(self, function: Callable[..., Any], settings: Settings, book: Book | None = None) -> None:
        super().__init__(getattr(function, "__name__", None) or type(function).__name__, settings, book)
        self.function = function

    def before(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return what it is called with, as it is now: many a function writes into the mapping that it hands back."""
        return tuple(arg.copy() if isinstance(arg, dict) or hasattr(arg, LAZY) else arg for arg in args)

    def look(self, value: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Look at what the function has returned, or yielded; raise or record what is wrong with it.

        Parameters
        ----------
        value : Any
            What it has returned.
        args, named
            What it was called with, as that was before.
        """
        shown = decoded(value)
        facts = facts_of(shown) if self.turn() else None
        findings = self._nones(shown, args, facts or ())
        if facts is not None:
            findings = self.expected(facts) + findings + self._numbers(facts, args, named)
        if findings:
            crumbs = [Crumb("arguments", (*args, *([named] if named else [])))] if args or named else []
            self.judge(findings, [*crumbs, Crumb(self.name, shown)], step=self.name)

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
        """Raise the first finding, or record all, with the line of the function, and the row where one is known."""
        where = where or site_of(self.function)
        for row, those in groupby(findings, lambda each: row_of(each.path) if sample is None else sample):
            super().judge(list(those), crumbs, step=step, where=where, params=params, sample=row)

    def _nones(self, value: Any, args: tuple[Any, ...], facts: Facts) -> list[Finding]:
        """Return a finding for each part that is None; none for what came so in a mapping, and was handed on in one."""
        paths = dict.fromkeys([*empty(value), *(fact.path for fact in facts if fact.role == "none")])
        found = [path for path in paths if not is_optional(path, self.optional)]
        if found and args and isinstance(value, Mapping) and isinstance(args[0], Mapping):
            came = set(empty(dict(args[0])))
            found = [path for path in found if path not in came]
        return [Finding("SA2.none", "is None", path) for path in found]

    def _numbers(self, facts: Facts, args: tuple[Any, ...], named: dict[str, Any]) -> list[Finding]:
        """Return what is no number, unless such were handed in."""
        found = [each for each in source_findings(facts, self.optional) if each.code in NEW and not each.suspect]
        return [] if found and any(fact.finite < 1 for fact in facts_of((*args, named))) else found

    def __reduce__(self) -> tuple[Any, ...]:
        # A path of this run would make every fingerprint a new one. Of a function nothing is only suspect, so what is
        # raised needs no book; what is recorded must not come from a cache, and there the path is welcome.
        book = self.book if self.settings.on_fault == "record" else None
        told = {**vars(self.settings), "optional": sorted(self.settings.optional)}
        return _looking, (self.function, told, book)


def _looking(function: Callable[..., Any], told: dict[str, Any], book: Book | None) -> Looking:
    return Looking(function, Settings(**{**told, "optional": frozenset(told["optional"])}), book)


def carried(looking: Looking) -> Callable[..., Any]:
    """Return a function that does what another does, and looks at what it returns, or yields."""
    function = looking.function
    made: Any
    if inspect.isgeneratorfunction(function):

        def made(*args: Any, **named: Any) -> Iterator[Any]:
            before = looking.before(args)
            for value in function(*args, **named):
                looking.look(value, before, named)
                yield value

    elif inspect.iscoroutinefunction(function):

        async def made(*args: Any, **named: Any) -> Any:
            before = looking.before(args)
            value = await function(*args, **named)
            looking.look(value, before, named)
            return value

    else:

        def made(*args: Any, **named: Any) -> Any:
            before = looking.before(args)
            value = function(*args, **named)
            looking.look(value, before, named)
            return value

    # It names nothing global. With this module's names dill would send all of them, and some cannot be sent.
    made = functools.wraps(function)(FunctionType(made.__code__, {}, made.__name__, None, made.__closure__))
    made.report = looking.report
    return made  # type: ignore[no-any-return]


def decoded(value: Any) -> Any:
    """Return a mapping of ``datasets`` without what nobody has asked it for: to look would be to decode, and change it.

    Anything else is returned as it is.
    """
    waiting = getattr(value, LAZY, None)
    return value if waiting is None else {key: part for key, part in value.data.items() if key not in waiting}


def empty(value: Any) -> list[str]:
    """Return the paths of parts that are None, of a batch's long columns also those far down."""
    found = [finding.path for finding in nones(value, frozenset())]
    for key, column in value.items() if isinstance(value, Mapping) else ():
        if type(column) is list and len(column) > MANY and any(each is None for each in column[MANY:]):
            found += [f"{key}[{i}]" for i, each in enumerate(column) if each is None and i >= MANY]
    return found


def is_optional(path: str, optional: frozenset[str]) -> bool:
    """Return whether a part may be None: by its path, or as a row of a column that may."""
    return path in optional or (path.partition("[")[0] in optional and path.partition("[")[0] != "")


HOST = "datasets.arrow_dataset"
"""The module that calls the function of a ``map``."""


def row_of(path: str) -> Any:
    """Return which rows a function of ``datasets`` is called with, or that which a path means; None if unknown.

    It hands no index to the function, unless asked for. So this reads it where the host keeps it, which is done once
    something is wrong; and where it is kept no more, the number of the call is told instead.
    """
    if HOST not in sys.modules:
        return None
    frame = sys._getframe()
    while frame is not None:
        indices = frame.f_locals.get("indices") if frame.f_globals.get("__name__") == HOST else None
        if isinstance(indices, int | list):
            return _row(indices, frame.f_locals, path)
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _row(indices: int | list[int], local: Mapping[str, Any], path: str) -> Any:
    offset = local.get("offset", 0)
    if isinstance(indices, int):
        return indices + offset
    if "num_examples" in local:  # a filter that asks of each row goes through a batch of them
        return indices[local["i"]]
    within = re.search(r"^[^.\[]*\[(\d+)\]", path)
    if within and int(within[1]) < len(indices):
        return indices[int(within[1])] + offset
    return f"rows {indices[0] + offset} to {indices[-1] + offset}" if len(indices) > 1 else indices[0] + offset
