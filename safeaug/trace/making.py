"""The sample that a watched data set is making, for whoever finds fault with a part of it."""

from contextvars import ContextVar
from typing import Any

from safeaug.rules import Facts, facts_of
from safeaug.trace.states import States


class Crumb:
    """A sample behind one step.

    Parameters
    ----------
    step : str
        Index path and name of the step.
    thing : Any
        The sample, as the step handed it on; or, as text, what is to be said of it.
    facts : tuple of Fact or None
        Its facts by a probe, if they were taken then. All are when somebody asks, which is seldom.
    node, place : Any
        The step itself, and its `Place`; None for what is no step.
    given : tuple or dict
        With what the step was called.
    """

    __slots__ = ("facts", "given", "node", "place", "step", "thing")

    def __init__(
        self,
        step: str,
        thing: Any,
        facts: Facts | None = None,
        node: Any = None,
        place: Any = None,
        given: Any = None,
    ) -> None:
        self.step, self.facts, self.node, self.place, self.given = step, facts, node, place, given
        self.thing = dict(thing) if type(thing) is dict else thing  # hosts write into the mappings that they hand on

    @property
    def sample(self) -> Any:
        """What the step was called with, as one sample."""
        return self.given[0] if isinstance(self.given, tuple) and len(self.given) == 1 else self.given

    def __str__(self) -> str:
        if isinstance(self.thing, str):
            return f"{self.step}: {self.thing}"
        return f"{self.step}: " + ("; ".join(map(str, facts_of(self.thing)[:MOST])) or "nothing")


MOST = 8
"""Parts of a sample that a crumb tells."""


class Making:
    """A sample that is being made.

    Parameters
    ----------
    index : Any
        Its index in the data set; of a stream its number, from 0.
    owners : tuple
        The watched data set and the one inside it, by which a fresh process may know it.
    full : bool
        Whether values are looked at.
    states : States or None
        In which the global generators were when it was begun, where they were looked at.
    close : bool
        Whether dear questions are asked of it: was a mask drawn apart from its picture, is what came in changed.
    """

    __slots__ = ("calls", "close", "crumbs", "failed", "full", "index", "own", "owners", "states", "told")

    def __init__(
        self, index: Any, owners: tuple[Any, ...], full: bool, states: States | None = None, close: bool = False
    ) -> None:
        self.index, self.owners, self.full, self.states, self.close = index, owners, full, states, close
        self.crumbs: list[Crumb] = []
        self.own: list[tuple[Any, ...]] = []
        """States of the own generators of pipelines, at each call of one."""
        self.calls: list[Any] = []
        """Calls of watched pipelines, by which two of them can be compared."""
        self.told: set[str] = set()
        """Codes of what was found in it: only where something starts is it told."""
        self.failed = ""
        """The step in which something was raised."""


MAKING: ContextVar[Making | None] = ContextVar("safeaug_making", default=None)

AGAIN: ContextVar[list[tuple[Any, ...]] | None] = ContextVar("safeaug_again", default=None)
"""States that the own generators of pipelines are put into, call by call, while a sample is made again."""
