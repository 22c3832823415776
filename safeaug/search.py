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

from safeaug.content import Content, allows, content_of, demand_of, measure, passes, single
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
from safeaug.placement import Feasible, feasible, least_size, rectangle
from safeaug.policy import Policy, Stage, Status
from safeaug.records import Demand, Found, Outcome
from safeaug.settle import settle

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


class Host(Protocol):
    """What the search needs to know of the transform that drew the window."""

    @property
    def redraws(self) -> bool:
        """Whether the host draws sizes; False where it has one only."""
        ...

    @property
    def whole(self) -> Size | None:
        """The largest size that ``on_fail="enlarge"`` may reach; None where the host cuts a fixed size."""
        ...

    def domain(self, size: Size) -> Domain:
        """Return the positions that the host can draw for a window of this size."""
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
    found = _joint(task) if policy.sampling == "joint" else _first_that_succeeds(task, redraws(host, policy))
    return found or _first_that_succeeds(task, beyond(first, host, policy, task.ruled_out)) or _unmet(task)


class _Task(NamedTuple):
    """The arguments of one search, which all its parts share."""

    first: Window
    size: Size
    host: Host
    content: Callable[[], Content]
    policy: Policy
    streams: Streams
    drawn: Demand

    def demand(self, size: Size) -> Demand:
        if self.policy.min_fill is None and self.policy.min_visible_pixels is None:
            return self.drawn  # windows of every size must reach the same
        return demand_of(self.content(), self.policy, size, self.host.output(size))

    @property
    def ruled_out(self) -> Demand | None:
        """The demand of all sizes, where it is the same for all of them."""
        return self.drawn if self.policy.min_fill is None and self.policy.min_visible_pixels is None else None

    def found(self, position: tuple[int, int], candidate: Candidate) -> Found:
        number, stage, size = candidate
        status = Status.MOVED if size == self.size else Status.RESIZED
        return Found(window_at(*position, size), status, stage, min(number, self.draws_at_most) + 1)

    @property
    def draws_at_most(self) -> int:
        return self.policy.tries if self.host.redraws else 0


def candidates(first: Window, host: Host, policy: Policy) -> Iterator[Candidate]:
    """Yield the finite list of sizes in the order in which they are tried.

    The drawn size; ``policy.tries`` further draws; the host's lattice, nearest to the drawn size first; and the ladder
    where the policy enlarges.
    """
    yield Candidate(0, Stage.DRAWN, size_of(first))
    yield from redraws(host, policy)
    yield from beyond(first, host, policy)


def redraws(host: Host, policy: Policy) -> Iterator[Candidate]:
    """Yield the sizes of further draws of the host."""
    if host.redraws:
        for number in range(1, policy.tries + 1):
            yield Candidate(number, Stage.REDRAW, size_of(host.redraw(number)))


def beyond(first: Window, host: Host, policy: Policy, demand: Demand | None = None) -> Iterator[Candidate]:
    """Yield the sizes that are not drawn: the lattice and the ladder, but for those that a demand rules out."""
    size = size_of(first)
    number = policy.tries if host.redraws else 0
    least_height, least_width = (0.0, 0.0) if demand is None else least_size(demand)
    for more, stage in ((host.lattice(), Stage.LATTICE), (ladder(size, host, policy), Stage.LADDER)):
        likely = (other for other in more if other[0] >= least_height and other[1] >= least_width)
        for other in sorted(likely, key=lambda other: distance(size, other)):
            number += 1
            yield Candidate(number, stage, other)


def distance(size: Size, other: Size) -> float:
    """Return how far two sizes are apart: the distance of the logarithms of their sides."""
    return math.hypot(math.log(other[0] / size[0]), math.log(other[1] / size[1]))


def ladder(size: Size, host: Host, policy: Policy) -> list[Size]:
    """Return the sizes beyond the host's range: up to the whole image, and down where pixels must stay visible.

    Examples
    --------
    >>> host = Fixed((0, 0, 200, 100), None, (100, 200))
    >>> sizes = ladder((20, 40), host, Policy(on_fail="enlarge"))
    >>> sizes[0], sizes[-1]
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


def _first_that_succeeds(task: _Task, sizes: Iterator[Candidate]) -> Found | None:
    """Take the first candidate that has a feasible position, and a uniform one of them."""
    policy, host, drawn = task.policy, task.host, task.ruled_out
    least_height, least_width = (0.0, 0.0) if drawn is None else least_size(drawn)
    seen = {task.size}
    for candidate in sizes:
        _, _, size = candidate
        if size[0] < least_height or size[1] < least_width or size in seen:
            continue
        seen.add(size)
        if policy.max_stretch is None or allows(policy, size, host.output(size)):
            position = _place(drawn or task.demand(size), size, host.domain(size), task.streams(candidate.number))
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
    host, tries = task.host, task.draws_at_most
    drawn = [Candidate(0, Stage.DRAWN, task.size)]
    for number in range(1, tries + 1):
        window = host.redraw(number)
        candidate = Candidate(number, Stage.REDRAW, size_of(window))
        size = candidate.size
        if allows(task.policy, size, host.output(size)) and passes(task.demand(size), window):
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
    if not allows(task.policy, size, task.host.output(size)):
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
    window = settle(task.drawn, task.size, task.host.domain(task.size), task.first, lambda: task.streams(SETTLE))
    found = Found(window, Status.UNMET, Stage.DRAWN, draws)
    if task.policy.on_fail == "raise":
        raise _retention_error(task, found)
    return found


def _retention_error(task: _Task, found: Found) -> RetentionError:
    outcome = outcome_of(found, task.content(), task.policy, task.host.output(task.size))
    worst = float(np.nanmin(outcome.retention[list(task.content().origin)]))
    return RetentionError(
        f"the promise cannot be met: with keep={task.policy.keep!r} no window of the {task.draws_at_most + 1} drawn "
        f"sizes, nor of the lattice, keeps what min_retention={task.policy.min_retention} asks of "
        f"{len(task.drawn.boxes)} object(s); the best of size {task.size} is {found.window}, where the worst object "
        f'keeps {worst:.3f}. Lower the limit, keep fewer, or use on_fail="most"',
        outcome,
    )


def outcome_of(found: Found, content: Content, policy: Policy, output: Size) -> Outcome:
    """Return the full record of a draw: what `search` found, measured on all given objects."""
    retention, by_fill = measure(content, policy, found.window)
    view = View(np.array(found.window), np.array(output))
    return Outcome(view, retention, found.status, found.stage, by_fill, found.draws)


class Fixed(NamedTuple):
    """A host that cuts windows of one given size out of a frame."""

    frame: Window
    rendered: Size | None
    whole: Size | None
    redraws: bool = False

    def domain(self, size: Size) -> Domain:
        """Return all positions inside the frame."""
        return domain_of(self.frame, size)

    def output(self, size: Size) -> Size:
        """Return the size at which windows are rendered, by default their own."""
        return self.rendered or size

    def redraw(self, number: int) -> Window:
        """Never called: there is one size."""
        raise AssertionError(number)

    def lattice(self) -> Iterable[Size]:
        """Return no further size."""
        return ()


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
    host = Fixed(frame, output, image_size)
    found = search(window_at(x, y, window_size), host, content, policy, lambda _: rng.random)
    if found.status is Status.SKIPPED:
        found = found._replace(window=frame)
    return outcome_of(found, content, policy, output or size_of(found.window))
