"""Chance for the parts of a walk: the numbers of `pipeline.streams`, made for many draws at once."""

import random
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.albumentations.drawing.told import ElsewhereError
from safeaug.guarding.fork import state_of
from safeaug.splitmix import GAMMA, MASK, mixed

READY = 8
"""Numbers of each part that are made ready for a draw; what is needed beyond them is made one by one."""

BITS = 53
"""Of a number in [0, 1)."""


class Numbers(random.Random):
    """A `safeaug.guarding.fork.Fork` whose first numbers stand ready: the same, at the speed of a list.

    ``random`` is set for each draw.
    """

    def getrandbits(self, k: int) -> int:
        """Return a number of k random bits, the first of the next number."""
        if k > BITS:
            raise ElsewhereError
        return int(self.random() * (1 << k))


class Seat:
    """The chance of one part.

    Parameters
    ----------
    number : int
        Of the part, among those of its pipeline.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.numbers, self.generator = Numbers(), np.random.Generator(np.random.PCG64(0))
        self._rows: list[list[float]] = []
        self._keys: list[int] = []
        self._draw = self._seeded = -1

    def begin(self, keys: NDArray[np.uint64]) -> None:
        """Make ready the numbers of draws, each of which a key says."""
        own = mixed_many(keys + np.uint64(self.number * GAMMA & MASK))
        states = mixed_many(own ^ np.uint64(MASK))
        steps = np.arange(1, READY + 1, dtype=np.uint64) * np.uint64(GAMMA)
        self._rows = ((mixed_many(states[:, None] + steps) >> np.uint64(64 - BITS)) * 2.0**-BITS).tolist()
        self._keys = own.tolist()
        self._draw = self._seeded = -1

    def sit(self, draw: int) -> None:
        """Set the plain generator for a draw, once."""
        if self._draw != draw:
            self._draw = draw
            self.numbers.random = chain(self._rows[draw], self._further(draw)).__next__  # type: ignore[method-assign]

    def _further(self, draw: int) -> Iterator[float]:
        state = mixed(self._keys[draw] ^ MASK) + READY * GAMMA
        while True:
            state = (state + GAMMA) & MASK
            yield (mixed(state) >> (64 - BITS)) * 2.0**-BITS

    def seeded(self) -> np.random.Generator:
        """Return numpy's generator, set for this draw."""
        if self._seeded != self._draw:
            self._seeded = self._draw
            self.generator.bit_generator.state = state_of(self._keys[self._draw])
        return self.generator


class Lazy:
    """Stands for numpy's generator, which few draws ask for, and which is dear to set."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._seat.seeded(), name)


def mixed_many(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return what `safeaug.splitmix.mixed` returns of each number.

    Examples
    --------
    >>> mixed_many(np.array([1, 2], np.uint64)).tolist() == [mixed(1), mixed(2)]
    True
    """
    numbers = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ numbers >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return numbers ^ numbers >> np.uint64(31)
