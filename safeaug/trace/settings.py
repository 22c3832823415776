"""How something is watched."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from safeaug.errors import PolicyError
from safeaug.trace.expect import Expect

OnFault = Literal["raise", "record", "drop"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is done about faults, and how often values are looked at.

    Parameters
    ----------
    on_fault : {"raise", "record", "drop"}
        Raise it; note it and hand the sample on; leave the sample out, which loaders alone can do.
    first, every : int
        Values of the first samples are looked at, and of one in so many after them. None, types and errors are told of
        every sample.
    expect : mapping of str to Expect
        What parts must be, by their paths.
    optional : frozenset of str
        Paths of parts that may be None; ``""`` is the whole.
    name : str
        By which a fresh process finds the data set again: ``pkg.mod:attr`` or ``file.py:attr``.

    Raises
    ------
    PolicyError
        Where one of them is out of range, or they contradict each other.
    """

    on_fault: OnFault = "raise"
    first: int = 32
    every: int = 8
    expect: Mapping[str, Expect] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    name: str = ""

    def __post_init__(self) -> None:
        if self.on_fault not in get_args(OnFault):
            raise PolicyError(f"on_fault must be one of {', '.join(get_args(OnFault))}, got {self.on_fault!r}")
        if not isinstance(self.first, int) or self.first < 0:
            raise PolicyError(f"first must be a whole number from 0, got {self.first!r}")
        if not isinstance(self.every, int) or self.every < 1:
            raise PolicyError(f"every must be a whole number from 1 (every sample), got {self.every!r}")
        for path, expect in self.expect.items():
            if not isinstance(expect, Expect):
                raise PolicyError(f"expect must map paths to Expect, got {expect!r} for {path!r}")
            if path in self.optional and not expect.optional:
                raise PolicyError(f"{path!r} is optional, and Expect(optional=False) is asked of it: drop one of them")

    @property
    def may_be_none(self) -> frozenset[str]:
        """Paths of parts that may be None, by either way of saying so."""
        return self.optional | {path for path, expect in self.expect.items() if expect.optional}
