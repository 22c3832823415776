"""A host made of plain numbers: some sizes, each with its share, and positions. What laws are checked on."""

import random
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from safeaug.candidates import Law
from safeaug.geometry import domain_of, window_at


class ToyHost(NamedTuple):
    """Sizes drawn with given shares; the lattice is all of them. ``allowed`` gives a promise of its own by size."""

    image_size: tuple[int, int]
    sizes: tuple[tuple[int, int], ...]
    shares: tuple[float, ...]
    output: tuple[int, int] | None = None
    enlarges: bool = True
    redraws: bool = True
    law: Law = Law.UNIFORM
    allowed: Callable | None = None

    @property
    def frame(self):
        return 0, 0, self.image_size[1], self.image_size[0]

    def draw(self, rng: random.Random):
        size = rng.choices(self.sizes, self.shares)[0]
        domain = domain_of(self.frame, size)
        if self.allowed:
            column, row = rng.choice(np.argwhere(self.allowed(size)).tolist())
            return window_at(domain.x0 + column, domain.y0 + row, size)
        x = domain.x0 + int(rng.random() * (domain.x1 - domain.x0 + 1))
        y = domain.y0 + int(rng.random() * (domain.y1 - domain.y0 + 1))
        return window_at(x, y, size)

    def host(self, rng: random.Random) -> "Seeded":
        return Seeded(self, rng)


class Seeded(NamedTuple):
    """A toy host with a generator for its redraws: a `safeaug.search.Host`."""

    toy: ToyHost
    rng: random.Random

    @property
    def law(self):
        return self.toy.law

    @property
    def redraws(self):
        return self.toy.redraws

    @property
    def whole(self):
        return self.toy.image_size if self.toy.enlarges else None

    def domain(self, size):
        return domain_of(self.toy.frame, size)

    def within(self, size):
        return self.toy.allowed(size) if self.toy.allowed else None

    def output(self, size):
        return self.toy.output or size

    def redraw(self, _):
        return self.toy.draw(self.rng)

    def lattice(self):
        return self.toy.sizes
