"""Keep the host's draw, else move it, else resize it, else say that the promise cannot be met.

The law. The host draws. If its window passes, it is kept untouched. If not, the drawn size is kept and the position is
drawn uniformly from all that pass. Where the host is uniform over its positions given the size, the result is exactly:
size by the host's law restricted to sizes that can succeed, position uniform on what is feasible. Where the drawn size
cannot succeed, the next one in a finite list of candidates that can is taken. UNMET means that none of them can.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from safeaug.content import Content, allows, content_of, demand_of, kept_weight, measure, passes, single
from safeaug.errors import ContentError, PolicyError, RetentionError
from safeaug.geometry import (
    BoxFormat,
    Domain,
    Size,
    View,
    Window,
    check_size,
    domain_of,
    size_of,
    to_xyxy,
    window_at,
)
from safeaug.placement import Feasible, feasible, least_lost, most_kept, rectangle
from safeaug.policy import Policy, Stage, Status
from safeaug.records import Demand, Found, Outcome

LADDER = 16
"""Steps beyond the host's range that ``on_fail="enlarge"`` tries."""

QUICK_TRIES = 4
"""Positions tried inside the bounding rectangle before the exact count. Either way the draw is uniform."""

PICK, CHOOSE, SETTLE = -1, -2, -3
"""Streams of their own: which object ``keep="one"`` means, which size ``joint`` takes, where an UNMET draw goes."""

Uniform = Callable[[], float]
"""Gives the next number of one stream, uniform in [0, 1)."""

Streams = Callable[[int], Uniform]
"""Gives the stream of a purpose: a candidate's number in the list, or one of PICK, CHOOSE, SETTLE."""


class Host(NamedTuple):
    """What the search needs to know of the transform that drew the window.

    Parameters
    ----------
    domain : callable of a size
        The positions that the host can draw for a window of this size.
    output : callable of a size
        The size at which such a window is rendered.
    redraw : callable of a number, or None
        A further complete draw of the host's sampler, asked for in the order 1, 2, ...; None where the host has one
        size only.
    lattice : callable
        The sizes inside the host's own scale and ratio that are tried when the draws are used up.
    whole : (int, int) or None
        The largest size that ``on_fail="enlarge"`` may reach; None where the host cuts a fixed size.
    """

    domain: Callable[[Size], Domain]
    output: Callable[[Size], Size]
    redraw: Callable[[int], Window] | None
    lattice: Callable[[], Iterable[Size]]
    whole: Size | None


class Candidate(NamedTuple):
    """One size of the finite list, with its place in it."""

    number: int
    stage: Stage
    size: Size


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
    task = _Task(first, size, host, content, policy, streams, demand)
    found = (_joint if policy.sampling == "joint" else _keep_scale)(task)
    return found or _unmet(task)


class _Task(NamedTuple):
    """The arguments of one search, which all its parts share."""

    first: Window
    size: Size
    host: Host
    content: Content
    policy: Policy
    streams: Streams
    drawn: Demand

    def demand(self, size: Size) -> Demand:
        if self.policy.min_fill is None and self.policy.min_visible_pixels is None:
            return self.drawn  # the same for windows of every size
        return demand_of(self.content, self.policy, size, self.host.output(size))

    def allowed(self, size: Size) -> bool:
        return allows(self.policy, size, self.host.output(size))

    def found(self, position: tuple[int, int], candidate: Candidate) -> Found:
        number, stage, size = candidate
        status = Status.MOVED if size == self.size else Status.RESIZED
        return Found(window_at(*position, size), status, stage, min(number, self.draws_at_most) + 1)

    @property
    def draws_at_most(self) -> int:
        return self.policy.tries if self.host.redraw else 0


def candidates(first: Window, host: Host, policy: Policy) -> Iterator[Candidate]:
    """Yield the finite list of sizes in the order in which they are tried.

    The drawn size; ``policy.tries`` further draws; the host's lattice, nearest to the drawn size first; and the ladder
    where the policy enlarges.
    """
    size = size_of(first)
    yield Candidate(0, Stage.DRAWN, size)
    number = 0
    if host.redraw is not None:
        for number in range(1, policy.tries + 1):
            yield Candidate(number, Stage.REDRAW, size_of(host.redraw(number)))
    for more, stage in ((host.lattice(), Stage.LATTICE), (ladder(size, host, policy), Stage.LADDER)):
        for other in sorted(more, key=lambda other: distance(size, other)):
            number += 1
            yield Candidate(number, stage, other)


def distance(size: Size, other: Size) -> float:
    """Return how far two sizes are apart: the distance of the logarithms of their sides."""
    return math.hypot(math.log(other[0] / size[0]), math.log(other[1] / size[1]))


def ladder(size: Size, host: Host, policy: Policy) -> list[Size]:
    """Return the sizes beyond the host's range: up to the whole image, and down where pixels must stay visible.

    Examples
    --------
    >>> host = Host(lambda s: Domain(0, 0, 0, 0), lambda s: s, None, list, (100, 200))
    >>> ladder((20, 40), host, Policy(on_fail="enlarge"))[0], ladder((20, 40), host, Policy(on_fail="enlarge"))[-1]
    ((25, 50), (100, 200))
    """
    if policy.on_fail != "enlarge" or host.whole is None:
        return []
    ends = [host.whole] if policy.min_visible_pixels is None else [host.whole, (1, 1)]
    return [
        (round(size[0] + (end[0] - size[0]) * step / LADDER), round(size[1] + (end[1] - size[1]) * step / LADDER))
        for end in ends
        for step in range(1, LADDER + 1)
    ]


def _keep_scale(task: _Task, skip: Stage | None = None) -> Found | None:
    """Take the first size of the list that can succeed, and a uniform position of it."""
    seen = set()
    for candidate in candidates(task.first, task.host, task.policy):
        if candidate.size in seen or (skip is not None and candidate.stage <= skip):
            continue
        seen.add(candidate.size)
        if task.allowed(candidate.size):
            position = _place(task, candidate)
            if position is not None:
                return task.found(position, candidate)
    return None


def _place(task: _Task, candidate: Candidate) -> tuple[int, int] | None:
    """Draw uniformly from the feasible positions of a size, or return None where there is none.

    A few uniform positions of the bounding rectangle first: one that passes is uniform on the feasible set. What they
    leave goes to the exact count.
    """
    size = candidate.size
    demand, domain = task.demand(size), task.host.domain(size)
    bounds = rectangle(demand, size, domain)
    if bounds is None:
        return None
    uniform = task.streams(candidate.number)
    for _ in range(QUICK_TRIES):
        x = bounds.x0 + int(uniform() * (bounds.x1 - bounds.x0 + 1))
        y = bounds.y0 + int(uniform() * (bounds.y1 - bounds.y0 + 1))
        if passes(demand, window_at(x, y, size)):
            return x, y
    positions = feasible(demand, size, domain)
    return positions.draw(uniform(), uniform()) if positions.size else None


def _joint(task: _Task) -> Found | None:
    """Redraw the host until it passes; then weigh the drawn sizes by the share of their positions that pass."""
    host, tries = task.host, task.draws_at_most
    drawn = [Candidate(0, Stage.DRAWN, task.size)]
    for number in range(1, tries + 1):
        window = host.redraw(number)  # type: ignore[misc]  # tries is 0 where there is no redraw
        candidate = Candidate(number, Stage.REDRAW, size_of(window))
        if task.allowed(candidate.size) and passes(task.demand(candidate.size), window):
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
    return _keep_scale(task, skip=Stage.REDRAW)


def _positions(task: _Task, size: Size) -> Feasible | None:
    if not task.allowed(size):
        return None
    demand, domain = task.demand(size), task.host.domain(size)
    return None if rectangle(demand, size, domain) is None else feasible(demand, size, domain)


def _share(positions: Feasible | None, domain: Domain) -> float:
    return 0.0 if positions is None else positions.size / domain.size


def _unmet(task: _Task) -> Found:
    """End a search that no candidate satisfies, as ``on_fail`` says."""
    draws = task.draws_at_most + 1
    if task.policy.on_fail == "skip":
        return Found(task.first, Status.SKIPPED, Stage.DRAWN, draws)
    found = Found(_settle(task), Status.UNMET, Stage.DRAWN, draws)
    if task.policy.on_fail == "raise":
        raise _retention_error(task, found)
    return found


def _settle(task: _Task) -> Window:
    """Return a window of the drawn size that keeps the most: the host's where it does, else a uniform one."""
    demand, domain = task.drawn, task.host.domain(task.size)
    weight, positions = most_kept(demand, task.size, domain)
    if weight <= 0:
        positions = least_lost(demand.boxes, task.size, domain)
        if positions.holds(*task.first[:2]):
            return task.first
    elif kept_weight(demand, task.first) >= weight * (1 - 1e-9):
        return task.first
    uniform = task.streams(SETTLE)
    return window_at(*positions.draw(uniform(), uniform()), task.size)


def _retention_error(task: _Task, found: Found) -> RetentionError:
    outcome = outcome_of(found, task.content, task.policy, task.host.output(task.size))
    worst = float(np.nanmin(outcome.retention[task.content.origin]))
    return RetentionError(
        f"the promise cannot be met: with keep={task.policy.keep!r} no window of the {task.draws_at_most + 1} drawn "
        f"sizes, nor of the lattice, keeps what min_retention={task.policy.min_retention} asks of "
        f"{len(task.content.boxes)} object(s); the best of size {task.size} is {found.window}, where the worst object "
        f'keeps {worst:.3f}. Lower the limit, keep fewer, or use on_fail="most"',
        outcome,
    )


def outcome_of(found: Found, content: Content, policy: Policy, output: Size) -> Outcome:
    """Return the full record of a draw: what `search` found, measured on all given objects."""
    retention, by_fill = measure(content, policy, found.window)
    view = View(np.array(found.window), np.array(output))
    return Outcome(view, retention, found.status, found.stage, by_fill, found.draws)


class Generator(Protocol):
    """Anything with ``random()`` in [0, 1): `numpy.random.Generator`, `random.Random`."""

    def random(self) -> float:
        """Return the next uniform number."""
        ...


def place(
    image_size: Size,
    boxes: object,
    window_size: Size,
    policy: Policy | None = None,
    rng: Generator | None = None,
    *,
    box_format: BoxFormat = "xyxy",
    output_size: Size | None = None,
    labels: Iterable[object] | None = None,
    weights: object = None,
    ignore: object = None,
) -> Outcome:
    """Return a random window of a given size that keeps its objects, for any framework.

    Parameters
    ----------
    image_size : (int, int)
        Height and width of the image.
    boxes : array_like of shape (N, 4)
        What must survive, in the image frame.
    window_size : (int, int)
        Height and width of the window; it must fit into the image.
    policy : Policy, optional
        What must be kept; ``Policy()`` by default. With ``on_fail="enlarge"`` the window may grow up to the image.
    rng : numpy.random.Generator or random.Random
        Where chance comes from. The result is a pure function of the arguments and of what it gives.
    box_format : {"xyxy", "xywh", "cxcywh", "xyxyn", "cxcywhn"}, default "xyxy"
        Format of the boxes.
    output_size : (int, int), optional
        Size to which the window will be resized, for rules in output pixels; by default it is not resized.
    labels, weights, ignore : sequence of length N, optional
        Per object: its label, for limits per label; what it counts for; whether it is left out.

    Returns
    -------
    Outcome
        ``outcome.view.window`` is where to cut, ``outcome.status`` how it went. Without chance of success the status
        is ``UNMET`` and the window keeps as many objects as can be kept; ``SKIPPED`` holds the whole image.

    Raises
    ------
    ContentError
        On boxes or sizes that cannot be judged.
    RetentionError
        Where ``policy.on_fail`` is "raise" and the promise cannot be met.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> outcome = place((480, 640), [[10, 20, 110, 220]], (256, 256), Policy(min_retention=0.9), rng)
    >>> outcome.status.name, bool(outcome.retention[0] >= 0.9)
    ('MOVED', True)
    """
    if rng is None:
        raise PolicyError("place needs rng, a numpy.random.Generator or random.Random; chance is an argument here")
    policy = policy or Policy()
    image_size, window_size = check_size("image_size", image_size), check_size("window_size", window_size)
    if window_size[0] > image_size[0] or window_size[1] > image_size[1]:
        raise ContentError(f"window_size {window_size} must fit into image_size {image_size}; pad the image first")
    output = check_size("output_size", output_size) if output_size is not None else None
    content = content_of(
        to_xyxy(boxes, box_format, image_size),  # type: ignore[arg-type]  # any array_like, checked there
        image_size,
        policy,
        labels=None if labels is None else list(labels),
        weights=weights,  # type: ignore[arg-type]  # as above
        ignore=ignore,  # type: ignore[arg-type]  # as above
    )
    frame = (0, 0, image_size[1], image_size[0])
    domain = domain_of(frame, window_size)
    x = domain.x0 + int(rng.random() * (domain.x1 - domain.x0 + 1))
    y = domain.y0 + int(rng.random() * (domain.y1 - domain.y0 + 1))
    host = Host(lambda size: domain_of(frame, size), lambda size: output or size, None, list, image_size)
    found = search(window_at(x, y, window_size), host, content, policy, lambda _: rng.random)
    if found.status is Status.SKIPPED:
        found = found._replace(window=frame)
    return outcome_of(found, content, policy, output or size_of(found.window))
