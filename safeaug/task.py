"""One search: what it was asked, and what its parts share."""

from collections.abc import Callable
from typing import NamedTuple

from safeaug.candidates import Candidate, Host, redraws
from safeaug.content import Content
from safeaug.geometry import Size, Window, size_of
from safeaug.measures import allows, demand_of, ranked_demands, ranked_within, ranks
from safeaug.policy import Policy, Stage, Status
from safeaug.records import Demand, Found

PICK, CHOOSE, SETTLE, APPLY = -1, -2, -3, -4
"""Streams of their own: which object ``keep="one"`` means; which size ``joint`` takes; where an UNMET draw goes; and
whether ``apply_rate`` guards the draw."""

Uniform = Callable[[], float]
"""Gives the next number of one stream, uniform in [0, 1)."""

Streams = Callable[[int], Uniform]
"""Gives the stream of a purpose: a candidate's number in the list, or one of PICK, CHOOSE, SETTLE, APPLY."""


def ranked_demand(host: Host, content: Content, policy: Policy, size: Size) -> Demand:
    """Return what a window must hold of a saliency map, to rank as it must among all of its size in the domain."""
    (demand,) = ranked_demands([content], policy, [size], [host.domain(size)])
    within = host.within(size)
    return demand if within is None else ranked_within(demand, policy, within)


class Task(NamedTuple):
    """The arguments of one search.

    Parameters
    ----------
    first : (x0, y0, x1, y1)
        The host's draw, which does not do.
    size : (int, int)
        Its size.
    host : Host
        Where else it could have drawn.
    content : callable
        Gives what must survive.
    policy : Policy
        How much of it must.
    streams : callable
        Uniform numbers by purpose.
    drawn : Demand
        What windows of the drawn size must reach.
    """

    first: Window
    size: Size
    host: Host
    content: Callable[[], Content]
    policy: Policy
    streams: Streams
    drawn: Demand

    @property
    def of_all_sizes(self) -> Demand | None:
        """What windows must reach, where it is the same for all sizes."""
        differs = self.policy.min_fill is not None or self.policy.min_visible_pixels is not None
        return None if differs or self.drawn.ranked is not None else self.drawn

    def demand(self, size: Size) -> Demand:
        """Return what windows of a size must reach."""
        same = self.of_all_sizes
        if same is not None:
            return same
        content = self.content()
        if ranks(content, self.policy):
            return ranked_demand(self.host, content, self.policy, size)
        return demand_of(content, self.policy, size, self.host.output(size))

    def allowed(self, size: Size) -> bool:
        """Return whether windows of a size are not stretched too much."""
        return self.policy.max_stretch is None or allows(self.policy, size, self.host.output(size))

    def found(self, window: Window, number: int, stage: Stage) -> Found:
        """Return a window that does, from the candidate of this number in the list."""
        status = Status.MOVED if size_of(window) == self.size else Status.RESIZED
        return Found(window, status, stage, min(number, redraws(self.host, self.policy)) + 1)

    def drawn_candidate(self) -> Candidate:
        """Return the drawn size as the first of the list."""
        return Candidate(0, Stage.DRAWN, self.size)
