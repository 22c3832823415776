"""The finite list of sizes that a search tries, and what it needs to know of a host."""

import math
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Domain, Size, Window, size_of
from safeaug.placement import least_size
from safeaug.policy import Policy, Stage
from safeaug.records import Demand

LADDER = 16
"""Steps beyond the host's range that ``on_fail="enlarge"`` tries."""


class Law(Enum):
    """How a host comes to its windows, and so what a guarded draw that fails does instead."""

    UNIFORM = "uniform"
    """Positions are uniform given the size: another position, then another size."""
    NEAREST = "nearest"
    """There is one window: the nearest that will do; of a resize, the first of a list of parts that will."""
    OWN = "own"
    """The host keeps a promise of its own: draws of the host, then uniform within that promise."""
    CLAMPED = "clamped"
    """Each side is drawn by itself: draws of the host, then its sides moved out to the objects."""


class Host(Protocol):
    """The transform that drew the window, as a search sees it."""

    @property
    def law(self) -> Law:
        """How it comes to its windows."""
        ...

    @property
    def redraws(self) -> bool:
        """Whether another draw may give another size, or keep a promise of the host's own."""
        ...

    @property
    def whole(self) -> Size | None:
        """The largest size that ``on_fail="enlarge"`` may reach; None where the host cuts a fixed size."""
        ...

    def domain(self, size: Size) -> Domain:
        """Return the positions that the host can draw for a window of this size."""
        ...

    def within(self, size: Size) -> NDArray[np.bool_] | None:
        """Return which positions of the domain, of shape (X, Y), the host's own promise allows; None for all."""
        ...

    def output(self, size: Size) -> Size:
        """Return the size at which such a window is rendered."""
        ...

    def redraw(self, number: int) -> Window:
        """Return a further complete draw of the host's sampler; asked for in the order 1, 2, ..."""
        ...

    def lattice(self) -> Iterable[Size]:
        """Return the sizes inside the host's own scale and ratio that are tried when the draws are used up."""
        ...


class Candidate(NamedTuple):
    """One size of the list, with its place in it."""

    number: int
    stage: Stage
    size: Size


def candidates(first: Window, host: Host, policy: Policy) -> Iterator[Candidate]:
    """Yield the list in the order in which it is tried.

    The drawn size; ``policy.tries`` further draws; the host's lattice, nearest to the drawn size first; and the ladder
    where the policy enlarges. A draw is UNMET if and only if none of these sizes has a feasible position.
    """
    yield Candidate(0, Stage.DRAWN, size_of(first))
    for number in range(1, redraws(host, policy) + 1):
        yield Candidate(number, Stage.REDRAW, size_of(host.redraw(number)))
    yield from beyond(size_of(first), host, policy)


def redraws(host: Host, policy: Policy) -> int:
    """Return how many further draws of the host the list holds."""
    return policy.tries if host.redraws else 0


def beyond(size: Size, host: Host, policy: Policy, demand: Demand | None = None) -> Iterator[Candidate]:
    """Yield the part of the list that is not drawn.

    Parameters
    ----------
    size : (int, int)
        The drawn size.
    host, policy
        Give the sizes.
    demand : Demand, optional
        What windows of all sizes must reach, where that is the same for all: sizes that it rules out are left out.
    """
    number = redraws(host, policy)
    height, width = (0.0, 0.0) if demand is None else least_size(demand)
    for sizes, stage in ((host.lattice(), Stage.LATTICE), (ladder(size, host, policy), Stage.LADDER)):
        likely = [other for other in sizes if other[0] >= height and other[1] >= width]
        for other in sorted(likely, key=lambda other: distance(size, other)):
            number += 1
            yield Candidate(number, stage, other)


def distance(size: Size, other: Size) -> int:
    """Return how far two sizes are apart, in units of 2**-20: the distance of the logarithms of their sides.

    Sizes nearer to one another than a millionth are equally near, and keep their order. Else the order would hang on
    the last bit of a logarithm, in which libraries and devices differ.
    """
    return round(math.hypot(math.log(other[0] / size[0]), math.log(other[1] / size[1])) * 2**20)


def ladder(size: Size, host: Host, policy: Policy) -> list[Size]:
    """Return the sizes beyond the host's range: up to the whole image, and down where pixels must stay visible."""
    if policy.on_fail != "enlarge" or host.whole is None:
        return []
    ends = [host.whole] if policy.min_visible_pixels is None else [host.whole, (1, 1)]
    return [
        (round(size[0] + (end[0] - size[0]) * step / LADDER), round(size[1] + (end[1] - size[1]) * step / LADDER))
        for end in ends
        for step in range(1, LADDER + 1)
    ]
