"""Watched functions and generators."""

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from safeaug.records import Finding
from safeaug.rules import Facts, facts_of, source_findings
from safeaug.trace.fault import site_of
from safeaug.trace.making import MAKING, Crumb
from safeaug.trace.watcher import Watcher

NEW = {"SA3.nan", "SA3.inf"}
"""What a function is not blamed for if it came in."""


def watched_function(function: Callable[..., Any], watcher: Watcher) -> Callable[..., Any]:
    """Return a function that does what another does, and looks at what it returns, or yields."""
    site = site_of(function)
    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def generating(*args: Any, **named: Any) -> Iterator[Any]:
            for value in function(*args, **named):
                judged(value, args, named, watcher, site)
                yield value

        made: Any = generating
    else:

        @functools.wraps(function)
        def called(*args: Any, **named: Any) -> Any:
            value = function(*args, **named)
            judged(value, args, named, watcher, site)
            return value

        made = called
    made.report = watcher.report
    return made  # type: ignore[no-any-return]


def judged(value: Any, args: tuple[Any, ...], named: dict[str, Any], watcher: Watcher, site: str) -> None:
    """Look at what a function has returned; raise or record what is wrong with it."""
    if watcher.turn():
        facts = facts_of(value)
        findings = watcher.expected(facts) + _broken(facts, args, named, watcher)
    elif value is None and "" not in watcher.optional:
        facts, findings = facts_of(value), [Finding("SA2.none", "is None")]
    else:
        return
    if not findings:
        return
    crumbs = [Crumb("arguments", (*args, *([named] if named else [])))] if args or named else []
    making = MAKING.get()
    crumbs = [*(making.crumbs if making else []), *crumbs, Crumb(watcher.name, value, facts)]
    watcher.judge(findings, crumbs, step=watcher.name, where=site)


def _broken(facts: Facts, args: tuple[Any, ...], named: dict[str, Any], watcher: Watcher) -> list[Finding]:
    """Return what is wrong with a returned value: None, and values that are no numbers, unless such were handed in."""
    findings = [
        each
        for each in source_findings(facts, watcher.optional)
        if each.code in NEW | {"SA2.none"} and not each.suspect
    ]
    if any(each.code in NEW for each in findings):
        came = any(fact.finite < 1 for fact in facts_of((*args, named)))
        findings = [each for each in findings if not (came and each.code in NEW)]
    return findings
