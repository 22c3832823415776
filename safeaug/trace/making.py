"""The sample that a watched data set is making, for whoever finds fault with a part of it."""

from contextvars import ContextVar
from typing import Any, NamedTuple

from safeaug.rules import Facts, facts_of
from safeaug.trace.states import States


class Crumb:
    """A sample behind one step.

    Parameters
    ----------
    step : str
        Index path and name of the step.
    thing : Any
        The sample, as the step handed it on; or what is left of it, a `Brief`.
    facts : tuple of Fact or None
        Its facts by a probe, if they were taken then. All are when somebody asks, which is seldom.
    node, place : Any
        The step itself, and its `Place`; None for what is no step.
    """

    __slots__ = ("facts", "node", "place", "step", "thing")

    def __init__(self, step: str, thing: Any, facts: Facts | None = None, node: Any = None, place: Any = None) -> None:
        self.step, self.facts, self.node, self.place = step, facts, node, place
        self.thing = dict(thing) if type(thing) is dict else thing  # hosts write into the mappings that they hand on

    def __str__(self) -> str:
        if isinstance(self.thing, Brief):
            return f"{self.step}: {self.thing}"
        return f"{self.step}: " + ("; ".join(map(str, facts_of(self.thing)[:MOST])) or "nothing")


MOST = 8
"""Parts of a sample that a crumb tells."""


class Brief(NamedTuple):
    """What is kept of a sample whose values are not looked at: holding its arrays would take fresh memory for the next.

    Parameters
    ----------
    kinds : tuple of (str, type, shape)
        Of each of its parts, one level deep.
    """

    kinds: tuple[tuple[str, type, Any], ...]

    def __str__(self) -> str:
        return "; ".join(f"{name}: {kind.__name__} {shape or ''}".rstrip() for name, kind, shape in self.kinds[:MOST])


def brief_of(sample: Any) -> Brief:
    """Return what is kept of a sample.

    Examples
    --------
    >>> import numpy as np
    >>> print(brief_of({"image": np.zeros((4, 6, 3)), "label": None}))
    image: ndarray (4, 6, 3); label: NoneType
    """
    if type(sample) is dict:
        parts: Any = sample.items()
    elif type(sample) is tuple:
        parts = [(f"[{i}]", part) for i, part in enumerate(sample)]
    else:
        parts = [("sample", sample)]
    return Brief(tuple([(name, type(part), getattr(part, "shape", None)) for name, part in parts]))


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
    """

    def __init__(self, index: Any, owners: tuple[Any, ...], full: bool, states: States | None = None) -> None:
        self.index, self.owners, self.full, self.states = index, owners, full, states
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
