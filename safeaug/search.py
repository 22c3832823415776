"""Keep the host's draw, else move it, else resize it, else say that the promise cannot be met.

The law of hosts that draw positions uniformly (`laws` has the others'). The host draws. If its window passes, it is
kept untouched. If not, the drawn size is kept and the position is drawn uniformly from all that pass. Where the drawn
size cannot succeed, the next one in a finite list of candidates that can is taken. So where the host is uniform over
its positions given the size, the result is: size by the host's law restricted to sizes that can succeed, position
uniform on what is feasible. That is exact but for the chance that all of the host's further draws fail, when the
nearest size of a lattice stands in. UNMET means that none of the list succeeds.
"""

from collections.abc import Callable

import numpy as np

from safeaug.candidates import Candidate, Host, Law, beyond, redraws
from safeaug.content import Content, single
from safeaug.errors import ContentError, RetentionError
from safeaug.geometry import Domain, Size, View, Window, size_of, window_at
from safeaug.laws import best_of, clamped, moved_out, nearest, own_positions
from safeaug.measures import allows, demand_of, measure, passes, ranks, salience_in
from safeaug.placement import Positions, feasible, least_size, rectangle
from safeaug.policy import Policy, Stage, Status
from safeaug.records import Demand, Found, Outcome
from safeaug.settle import attainable, settle
from safeaug.task import APPLY, CHOOSE, PICK, SETTLE, Streams, Task, Uniform, ranked_demand

QUICK_TRIES = 4
"""Positions tried inside the bounding rectangle before the exact count. Either way the draw is uniform."""

BLIND_TRIES = 8
"""Positions of shapes that are tried before anything bounds them."""


def search(
    first: Window, host: Host, content: Content, policy: Policy, streams: Streams, demand: Demand | None = None
) -> Found:
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
    demand : Demand, optional
        What windows of the drawn size must reach, where that is known.

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
    opened = opening(first, content, policy, streams)
    return opened if isinstance(opened, Found) else search_opened(first, host, opened, policy, streams, demand)


def search_opened(
    first: Window, host: Host, content: Content, policy: Policy, streams: Streams, demand: Demand | None = None
) -> Found:
    """Return what `search` does for a draw that `opening` leaves to be guarded."""
    size = size_of(first)
    output = host.output(size)
    if demand is None:
        ranked = ranks(content, policy)
        demand = ranked_demand(host, content, policy, size) if ranked else demand_of(content, policy, size, output)
    if passes(demand, first) and allows(policy, size, output):
        return Found(first, Status.FIRST, Stage.DRAWN, 1)
    return elsewhere(first, host, demand, lambda: content, policy, streams)


def opening(first: Window, content: Content, policy: Policy, streams: Streams) -> Content | Found:
    """Return what this draw must keep, or how it ends where it is not guarded."""
    if not content.boxes:
        if policy.on_empty == "raise":
            raise ContentError('there is nothing to protect, and on_empty is "raise"')
        return Found(first, Status.UNGUARDED if content.blank else Status.EMPTY, Stage.DRAWN, 1)
    if policy.apply_rate < 1 and streams(APPLY)() >= policy.apply_rate:
        return Found(first, Status.UNGUARDED, Stage.DRAWN, 1)
    return single(content, streams(PICK)()) if policy.keep == "one" else content


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
    size, uniform = size_of(first), host.law is Law.UNIFORM and policy.sampling == "keep_scale"
    if uniform and (policy.max_stretch is None or allows(policy, size, host.output(size))):
        domain, stream = host.domain(size), streams(0)
        # What bounds the positions of other shapes than boxes costs more than to try a few that nothing bounds.
        position = None if demand.shapes is None else _tried(demand, size, domain, stream, BLIND_TRIES)
        position = position or _place(demand, size, domain, stream)
        if position is not None:
            return Found(window_at(*position, size), Status.MOVED, Stage.DRAWN, 1)
    task = Task(first, size, host, content, policy, streams, demand)
    if host.law is Law.NEAREST:
        return nearest(task) or _unmet(task)
    if host.law is Law.CLAMPED:
        return clamped(task) or _unmet(task)
    found = _redrawn(task) if uniform else _joint(task)
    return found or _beyond(task) or _unmet(task)


def remainder(
    first: Window, host: Host, demand: Demand, content: Callable[[], Content], policy: Policy, streams: Streams
) -> Found:
    """Return what `elsewhere` does once neither the drawn size nor a redraw has a feasible position."""
    task = Task(first, size_of(first), host, content, policy, streams, demand)
    return _beyond(task) or _unmet(task)


def _redrawn(task: Task) -> Found | None:
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
            return task.found(window_at(*position, size), number, Stage.REDRAW)
    return None


def _beyond(task: Task) -> Found | None:
    """Take the first size of the lattice, then of the ladder, that has a feasible position."""
    for candidate in beyond(task.size, task.host, task.policy, task.of_all_sizes):
        size = candidate.size
        if task.allowed(size):
            position = _place_within(task, size, task.streams(candidate.number))
            if position is not None:
                return task.found(window_at(*position, size), candidate.number, candidate.stage)
    return None


def _place_within(task: Task, size: Size, uniform: Uniform) -> tuple[int, int] | None:
    """Draw uniformly from the feasible positions of a size that the host's own promise allows, where it has one."""
    if task.host.within(size) is None:
        return _place(task.demand(size), size, task.host.domain(size), uniform)
    positions = own_positions(task, size)
    return positions.draw(uniform(), uniform()) if positions is not None and positions.size else None


def _place(demand: Demand, size: Size, domain: Domain, uniform: Uniform) -> tuple[int, int] | None:
    """Draw uniformly from the feasible positions of a size; None where there is none.

    A few uniform positions of the bounding rectangle first: one that passes is uniform on the feasible set. What they
    leave goes to the exact count.
    """
    bounds = rectangle(demand, size, domain)
    if bounds is None:
        return None
    position = _tried(demand, size, bounds, uniform)
    if position is not None:
        return position
    positions = feasible(demand, size, bounds)
    return positions.draw(uniform(), uniform()) if positions.size else None


def _tried(
    demand: Demand, size: Size, bounds: Domain, uniform: Uniform, tries: int = QUICK_TRIES
) -> tuple[int, int] | None:
    """Return the first of a few uniform positions that reaches the demand; None where none does."""
    x0, x1, y0, y1 = bounds
    rows = y1 - y0 + 1
    count = rows * (x1 - x0 + 1)
    height, width = size
    for _ in range(tries):
        column, row = divmod(int(uniform() * count), rows)
        x, y = x0 + column, y0 + row
        if passes(demand, (x, y, x + width, y + height)):
            return x, y
    return None


def _joint(task: Task) -> Found | None:
    """Redraw the host until it passes; then weigh the drawn sizes by the share of their positions that pass.

    A host that keeps a promise of its own goes this way too, within that promise.
    """
    host, tries = task.host, redraws(task.host, task.policy)
    drawn = [task.drawn_candidate()]
    for number in range(1, tries + 1):
        window = host.redraw(number)
        candidate = Candidate(number, Stage.REDRAW, size_of(window))
        size = candidate.size
        if task.allowed(size) and passes(task.demand(size), window):
            return task.found(window, number, Stage.REDRAW)
        drawn.append(candidate)
    sets: dict[Size, Positions | None] = {}
    for candidate in drawn:
        if candidate.size not in sets:
            sets[candidate.size] = own_positions(task, candidate.size)
    shares = [_share(sets[each.size], host.domain(each.size)) for each in drawn]
    if any(shares):
        uniform = task.streams(CHOOSE)
        upto = np.cumsum(shares)
        chosen = drawn[int(np.searchsorted(upto, uniform() * upto[-1], side="right"))]
        positions = sets[chosen.size]
        assert positions is not None  # a share above 0 has positions
        window = window_at(*positions.draw(uniform(), uniform()), chosen.size)
        return task.found(window, chosen.number, chosen.stage)._replace(draws=tries + 1)
    return None


def _share(positions: Positions | None, domain: Domain) -> float:
    return 0.0 if positions is None else positions.size / domain.size


def _unmet(task: Task) -> Found:
    """End a search that no candidate satisfies, as ``on_fail`` says."""
    draws = redraws(task.host, task.policy) + 1
    if task.policy.on_fail == "skip":
        return Found(task.first, Status.SKIPPED, Stage.DRAWN, draws)
    found = Found(_most(task), Status.UNMET, Stage.DRAWN, draws)
    if task.policy.on_fail == "raise":
        raise _retention_error(task, found)
    return found


def _most(task: Task) -> Window:
    """Return a window that keeps as much as can be kept, as the host's law would have it."""
    host, size, first = task.host, task.size, task.first
    if host.law is Law.UNIFORM:
        return settle(task.drawn, size, host.domain(size), first, lambda: task.streams(SETTLE))
    if host.law is Law.CLAMPED:
        return best_of(task, [first, moved_out(task)])
    within = host.within(size)
    if within is not None and not within.any():
        return first  # its promise allows no position that it can draw: its own draw stands
    positions = attainable(task.drawn, size, host.domain(size), within)
    if positions.holds(*first[:2]):
        return first
    if host.law is Law.NEAREST:
        return window_at(*positions.nearest(*first[:2]), size)
    uniform = task.streams(SETTLE)
    return window_at(*positions.draw(uniform(), uniform()), size)


def _retention_error(task: Task, found: Found) -> RetentionError:
    content, policy = task.content(), task.policy
    outcome = outcome_of(found, content, policy, task.host.output(task.size))
    counted = list(content.origin)
    least = f"the worst object keeps {float(np.nanmin(outcome.retention[counted])):.3f}"
    asked = [f"keep={policy.keep!r}", f"min_retention={policy.min_retention}"]
    if salience_in(content) is not None:
        asked = [f"min_rank={policy.min_rank:g}" if policy.min_mass is None else f"min_mass={policy.min_mass:g}"]
    if policy.min_visible_pixels is not None:
        asked.append(f"min_visible_pixels={policy.min_visible_pixels:g}")
        pixels = outcome.visible_pixels[counted]
        if not np.isnan(pixels).all():
            least += f" and the smallest shows {float(np.nanmin(pixels)):.0f} pixels of the output"
    if policy.max_stretch is not None:
        asked.append(f"max_stretch={policy.max_stretch:g}")
    return RetentionError(
        f"the promise cannot be met: with {', '.join(asked)} no window that is tried keeps its {len(content.boxes)} "
        f"object(s). The best of size {task.size} is {found.window}, where {least}. Ask for less, keep fewer, or use "
        'on_fail="most"',
        outcome,
    )


def outcome_of(found: Found, content: Content, policy: Policy, output: Size) -> Outcome:
    """Return the full record of a draw: what `search` found, measured on all given objects."""
    measured, window = measure(content, policy, found.window), found.window
    view = View(np.array(window), np.array(output))
    scale = (output[0] * output[1]) / ((window[2] - window[0]) * (window[3] - window[1]))
    return Outcome(
        view, measured.retention, found.status, found.stage, measured.by_fill, found.draws, measured.area * scale
    )
