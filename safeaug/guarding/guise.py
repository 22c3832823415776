"""Classes with something of ours before the host's: their instances are the host's, and say so wherever it matters."""

from functools import cache
from typing import Any


class Guise:
    """Base of what stands before a class of a host, so that ``super()`` is the host's.

    A guarded transform stays an instance of its class, with its attributes and under its name. What is added to an
    instance begins with ``guard_``.
    """

    guard_host: Any
    """The host's class."""

    guard_before: tuple[Any, ...]
    """What stands before it."""

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _revived, (self.guard_host, *self.guard_before), super().__reduce_ex__(2)[2]


def put_on(transform: Any, *before: Any) -> None:
    """Let something stand before the class of a transform, and before what stands there already."""
    host: Any = type(transform)
    if isinstance(transform, Guise):
        host, before = transform.guard_host, (*before, *transform.guard_before)
    transform.__class__ = _class_of(host, *before)


def dressed(thing: Any, *before: Any) -> Any:
    """Return a copy, one level deep, of something whose class cannot be changed, with something before its class."""
    host: Any = type(thing)
    made = object.__new__(_class_of(host, *before))
    vars(made).update(vars(thing))
    return made


def take_off(transform: Any) -> None:
    """Make a transform of the host's class again, if it is not, and forget what was added to it."""
    if isinstance(transform, Guise):
        transform.__class__ = transform.guard_host
        for name in [name for name in vars(transform) if name.startswith("guard_")]:
            delattr(transform, name)


@cache
def _class_of(host: Any, *before: Any) -> Any:
    # The host's name, which it prints and records.
    traits = {"__doc__": host.__doc__, "__module__": __name__, "guard_host": host, "guard_before": before}
    return type(host.__name__, (*before, host), traits)


def _revived(host: Any, *before: Any) -> Any:
    return object.__new__(_class_of(host, *before))
