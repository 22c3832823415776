"""Keep the host's draw, else move it, else resize it, else say that the promise cannot be met.

The law. The host draws. If its window passes, it is kept untouched. If not, the drawn size is kept and the position is
drawn uniformly from all that pass. Where the drawn size cannot succeed, the next one in a finite list of candidates
that can is taken. So where the host is uniform over its positions given the size, the result is: size by the host's law
restricted to sizes that can succeed, position uniform on what is feasible. That is exact but for the chance that all of
the host's further draws fail, when the nearest size of a lattice stands in. UNMET means that none of the list succeeds.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from safeaug.candidates import Candidate, Host, beyond, redraws
from safeaug.content import Content, single
from safeaug.errors import ContentError, RetentionError
from safeaug.geometry import Domain, Size, View, Window, size_of, window_at
from safeaug.measures import allows, demand_of, measure, passes
from safeaug.placement import Feasible, feasible, least_size, rectangle
from safeaug.policy import Policy, Stage, Status
from safeaug.records import Demand, Found, Outcome
from safeaug.settle import settle

QUICK_TRIES = 4
"""Positions tried inside the bounding rectangle before the exact count. Either way the draw is uniform."""

PICK, CHOOSE, SETTLE = -1, -2, -3
"""Streams of their own: which object ``keep="one"`` means, which size ``joint`` takes, where an UNMET draw goes."""

Uniform = Callable[[], float]
"""Gives the next number of one stream, uniform in [0, 1)."""

Streams = Callable[[int], Uniform]
"""Gives the stream of a purpose: a candidate's number in the list, or one of PICK, CHOOSE, SETTLE."""


def search(first: Window, host: Host, content: Content, policy: Policy, streams: Streams) -> Found:
    """Return the window that a guarded draw takes, given the one that the host drew.

    Parameters
    ----------
    first : (x0, y0, x1, y1)
        The host's draw, as it would be applied.
    host : Host
        Where else it could have drawn.
    content : Content
        What must survive.
    policy : Policy
        How much of it must.
    streams : callable
        Uniform numbers by purpose. Only a draw that fails asks for any, except under ``keep="one"``.

    Returns
    -------
    Found
        ``SKIPPED`` holds the host's window; what leaving out means is the caller's to say.

    Raises
    ------
    RetentionError
        Where the promise cannot be met and ``policy.on_fail`` is "raise"; it carries the outcome.
    ContentError
        Where nothing is to be protected and ``policy.on_empty`` is "raise".
    """
    if not content.boxes:
        if policy.on_empty == "raise":
            raise ContentError('there is nothing to protect, and on_empty is "raise"')
        return Found(first, Status.EMPTY, Stage.DRAWN, 1)
    if policy.keep == "one":
        content = single(content, streams(PICK)())
    size = size_of(first)
    output = host.output(size)
    demand = demand_of(content, policy, size, output)
    if passes(demand, first) and allows(policy, size, output):
        return Found(first, Status.FIRST, Stage.DRAWN, 1)
    return elsewhere(first, host, demand, lambda: content, policy, streams)


def elsewhere(
    first: Window, host: Host, demand: Demand, content: Callable[[], Content], policy: Policy, streams: Streams
) -> Found:
    """Return the window that a guarded draw takes where the host's own does not do.

    Parameters
    ----------
    first, host, policy, streams
        As in `search`.
    demand : Demand
        What windows of the drawn size must reach.
    content : callable
        Gives what must survive; asked for only where demands differ by size, or where an error must tell of it.
    """
    size = size_of(first)
    if policy.sampling == "keep_scale" and (policy.max_stretch is None or allows(policy, size, host.output(size))):
        position = _place(demand, size, host.domain(size), streams(0))
        if position is not None:
            return Found(window_at(*position, size), Status.MOVED, Stage.DRAWN, 1)
    task = _Task(first, size, host, content, policy, streams, demand)
    found = _joint(task) if policy.sampling == "joint" else _redrawn(task)
    return found or _beyond(task) or _unmet(task)


class _Task(NamedTuple):
    """The arguments of one search, which all its parts share."""

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
        return self.drawn if self.policy.min_fill is None and self.policy.min_visible_pixels is None else None

    def demand(self, size: Size) -> Demand:
        return self.of_all_sizes or demand_of(self.content(), self.policy, size, self.host.output(size))

    def allowed(self, size: Size) -> bool:
        return self.policy.max_stretch is None or allows(self.policy, size, self.host.output(size))

    def found(self, position: tuple[int, int], candidate: Candidate) -> Found:
        number, stage, size = candidate
        status = Status.MOVED if size == self.size else Status.RESIZED
        return Found(window_at(*position, size), status, stage, min(number, redraws(self.host, self.policy)) + 1)


def _redrawn(task: _Task) -> Found | None:
    """Draw further sizes as the host does, until one has a feasible position."""
    host, demand = task.host, task.of_all_sizes
    least_height, least_width = (0.0, 0.0) if demand is None else least_size(demand)
    for number in range(1, redraws(host, task.policy) + 1):
        x0, y0, x1, y1 = host.redraw(number)
        size = y1 - y0, x1 - x0
        if size[0] < least_height or size[1] < least_width or size == task.size or not task.allowed(size):
            continue
        position = _place(demand or task.demand(size), size, host.domain(size), task.streams(number))
        if position is not None:
            return task.found(position, Candidate(number, Stage.REDRAW, size))
    return None


def _beyond(task: _Task) -> Found | None:
    """Take the first size of the lattice, then of the ladder, that has a feasible position."""
    for candidate in beyond(task.size, task.host, task.policy, task.of_all_sizes):
        size = candidate.size
        if task.allowed(size):
            position = _place(task.demand(size), size, task.host.domain(size), task.streams(candidate.number))
            if position is not None:
                return task.found(position, candidate)
    return None


def _place(demand: Demand, size: Size, domain: Domain, uniform: Uniform) -> tuple[int, int] | None:
    """Draw uniformly from the feasible positions of a size; None where there is none.

    A few uniform positions of the bounding rectangle first: one that passes is uniform on the feasible set. What they
    leave goes to the exact count.
    """
    bounds = rectangle(demand, size, domain)
    if bounds is None:
        return None
    x0, x1, y0, y1 = bounds
    rows = y1 - y0 + 1
    count = rows * (x1 - x0 + 1)
    height, width = size
    for _ in range(QUICK_TRIES):
        column, row = divmod(int(uniform() * count), rows)
        x, y = x0 + column, y0 + row
        if passes(demand, (x, y, x + width, y + height)):
            return x, y
    positions = feasible(demand, size, domain)
    return positions.draw(uniform(), uniform()) if positions.size else None


def _joint(task: _Task) -> Found | None:
    """Redraw the host until it passes; then weigh the drawn sizes by the share of their positions that pass."""
    host, tries = task.host, redraws(task.host, task.policy)
    drawn = [Candidate(0, Stage.DRAWN, task.size)]
    for number in range(1, tries + 1):
        window = host.redraw(number)
        candidate = Candidate(number, Stage.REDRAW, size_of(window))
        size = candidate.size
        if task.allowed(size) and passes(task.demand(size), window):
            return task.found(window[:2], candidate)
        drawn.append(candidate)
    sets: dict[Size, Feasible | None] = {}
    for candidate in drawn:
        if candidate.size not in sets:
            sets[candidate.size] = _positions(task, candidate.size)
    shares = [_share(sets[each.size], host.domain(each.size)) for each in drawn]
    if any(shares):
        uniform = task.streams(CHOOSE)
        upto = np.cumsum(shares)
        chosen = drawn[int(np.searchsorted(upto, uniform() * upto[-1], side="right"))]
        positions = sets[chosen.size]
        assert positions is not None  # a share above 0 has positions
        return task.found(positions.draw(uniform(), uniform()), chosen)._replace(draws=tries + 1)
    return None


def _positions(task: _Task, size: Size) -> Feasible | None:
    if not task.allowed(size):
        return None
    demand, domain = task.demand(size), task.host.domain(size)
    return None if rectangle(demand, size, domain) is None else feasible(demand, size, domain)


def _share(positions: Feasible | None, domain: Domain) -> float:
    return 0.0 if positions is None else positions.size / domain.size


def _unmet(task: _Task) -> Found:
    """End a search that no candidate satisfies, as ``on_fail`` says."""
    draws = redraws(task.host, task.policy) + 1
    if task.policy.on_fail == "skip":
        return Found(task.first, Status.SKIPPED, Stage.DRAWN, draws)
    window = settle(task.drawn, task.size, task.host.domain(task.size), task.first, lambda: task.streams(SETTLE))
    found = Found(window, Status.UNMET, Stage.DRAWN, draws)
    if task.policy.on_fail == "raise":
        raise _retention_error(task, found)
    return found


def _retention_error(task: _Task, found: Found) -> RetentionError:
    outcome = outcome_of(found, task.content(), task.policy, task.host.output(task.size))
    worst = float(np.nanmin(outcome.retention[list(task.content().origin)]))
    policy, tried = task.policy, redraws(task.host, task.policy) + 1
    return RetentionError(
        f"the promise cannot be met: with keep={policy.keep!r} and min_retention={policy.min_retention} no window of "
        f"the {tried} drawn sizes, nor of the lattice, keeps its {len(task.drawn.boxes)} object(s). The best of size "
        f"{task.size} is {found.window}, where the worst object keeps {worst:.3f}. Lower the limit, keep fewer, or use "
        'on_fail="most"',
        outcome,
    )


def outcome_of(found: Found, content: Content, policy: Policy, output: Size) -> Outcome:
    """Return the full record of a draw: what `search` found, measured on all given objects."""
    retention, by_fill = measure(content, policy, found.window)
    view = View(np.array(found.window), np.array(output))
    return Outcome(view, retention, found.status, found.stage, by_fill, found.draws)
