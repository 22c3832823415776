"""A host made of plain numbers: some sizes, each with its share, positions uniform. What laws are checked on."""

import random
from typing import NamedTuple

from safeaug.geometry import domain_of, window_at
from safeaug.search import Host


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

    def host(self, rng: random.Random) -> Host:
        return Host(
            domain=lambda size: domain_of(self.frame, size),
            output=lambda size: self.output or size,
            redraw=(lambda _: self.draw(rng)) if self.redraws else None,
            lattice=lambda: self.sizes,
            whole=self.image_size if self.enlarges else None,
        )
