"""A host made of plain numbers: some sizes, each with its share, positions uniform. What laws are checked on."""

import random
from typing import NamedTuple

from safeaug.geometry import domain_of, window_at


class ToyHost(NamedTuple):
    """Sizes drawn with given shares; the lattice is all of them."""

    image_size: tuple[int, int]
    sizes: tuple[tuple[int, int], ...]
    shares: tuple[float, ...]
    output: tuple[int, int] | None = None
    enlarges: bool = True
    redraws: bool = True

    @property
    def frame(self):
        return 0, 0, self.image_size[1], self.image_size[0]

    def draw(self, rng: random.Random):
        size = rng.choices(self.sizes, self.shares)[0]
        domain = domain_of(self.frame, size)
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
    def redraws(self):
        return self.toy.redraws

    @property
    def whole(self):
        return self.toy.image_size if self.toy.enlarges else None

    def domain(self, size):
        return domain_of(self.toy.frame, size)

    def output(self, size):
        return self.toy.output or size

    def redraw(self, _):
        return self.toy.draw(self.rng)

    def lattice(self):
        return self.toy.sizes
