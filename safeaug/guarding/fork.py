"""Chance for the guard: a generator that is set anew, at next to no cost, for every draw."""

import random
from typing import Any

from safeaug.splitmix import GAMMA, MASK, mixed, uniform


class Stream:
    """SplitMix64: numbers that follow from one whole number, which is its state.

    Parameters
    ----------
    state : int
        Where the sequence begins.
    """

    def __init__(self, state: int = 0) -> None:
        self.state = state & MASK

    def random(self) -> float:
        """Return the next number of 53 bits in [0, 1)."""
        return uniform(self)

    def getrandbits(self, k: int) -> int:
        """Return a number of k random bits."""
        number = 0
        for _ in range(-(-k // 64)):
            self.state = self.state + GAMMA & MASK
            number = number << 64 | mixed(self.state)
        return number >> -k % 64


class Fork(Stream, random.Random):
    """A stream with the interface of `random.Random`, on which a host's samplers run as well.

    A `random.Random` takes 4 µs to seed, more than a guarded draw takes to judge its window. Here a seed is the state.

    Parameters
    ----------
    state : int
        Where the sequence begins.

    Examples
    --------
    >>> fork = Fork(0)
    >>> hex(fork.getrandbits(64)), hex(fork.getrandbits(64))
    ('0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4')
    """

    def seed(self, state: Any = 0, version: int = 2) -> None:
        """Begin anew at a state."""
        self.state = state & MASK

    def getstate(self) -> Any:
        """Return the state."""
        return self.state

    def setstate(self, state: Any) -> None:
        """Continue from a state."""
        self.state = state

    def __reduce__(self) -> tuple[Any, ...]:
        return Fork, (self.state,)


def state_of(key: int) -> Any:
    """Return the state of a ``numpy.random.PCG64`` that begins at a key: to set it takes a tenth of seeding."""
    state = {"state": mixed(key) << 64 | mixed(key ^ GAMMA), "inc": mixed(key + 1 & MASK) << 1 | 1}
    return {"bit_generator": "PCG64", "state": state, "has_uint32": 0, "uinteger": 0}
