"""A random scale of the whole image: nothing is cut, but objects may become too small to be seen.

A larger scale shows every object in more pixels. So the scales that keep the promise are one interval, from a least
scale upward, and a draw that fails is drawn anew inside of it. (But for ``max_stretch`` on images of a few pixels,
where rounding to whole pixels stretches: of these scales the interval may miss some.)
"""

from collections.abc import Callable
from typing import NamedTuple

from safeaug.candidates import LADDER
from safeaug.content import Content
from safeaug.errors import RetentionError
from safeaug.geometry import Size, Window
from safeaug.measures import allows, demand_of, kept_weight, passes
from safeaug.policy import Policy, Stage, Status
from safeaug.records import Demand, Found
from safeaug.search import opening, outcome_of
from safeaug.task import SETTLE, Streams

HALVINGS = 60
"""Steps in which an interval shrinks below the spacing of its floats."""

TIE = 1 - 1e-9
"""Weights whose ratio is above this are equal."""


class Scaled(NamedTuple):
    """How a search for a scale ended: the scale, and the whole image as the window."""

    scale: float
    found: Found


class Scaling(NamedTuple):
    """A host that scales the whole image.

    Parameters
    ----------
    image_size : (int, int)
        Height and width of the image.
    least, most : float
        Ends of the host's range.
    output : callable
        Gives the output size of a scale.
    """

    image_size: Size
    least: float
    most: float
    output: Callable[[float], Size]

    @property
    def window(self) -> Window:
        """The whole image."""
        return 0, 0, self.image_size[1], self.image_size[0]


def search_scale(drawn: float, host: Scaling, content: Content, policy: Policy, streams: Streams) -> Scaled:
    """Return the scale that a guarded draw takes, given the one that the host drew.

    Parameters
    ----------
    drawn : float
        The host's draw.
    host : Scaling
        What else it could have drawn, uniformly.
    content, policy, streams
        As in `safeaug.search.search`.

    Returns
    -------
    Scaled
        FIRST: the host's draw. RESIZED: uniform in the part of the host's range that keeps the promise; with
        ``on_fail="enlarge"`` beyond the range, at most up to the image's own resolution. UNMET: uniform among the
        scales that keep as many objects as the largest does, the host's own if it is one of them.

    Raises
    ------
    RetentionError, ContentError
        As `safeaug.search.search` does.
    """
    opened = opening(host.window, content, policy, streams)
    if isinstance(opened, Found):
        return Scaled(drawn, opened)
    content = opened

    def demand(scale: float) -> Demand:
        return demand_of(content, policy, host.image_size, host.output(scale))

    def does(scale: float) -> bool:
        return allows(policy, host.image_size, host.output(scale)) and passes(demand(scale), host.window)

    def kept(scale: float) -> float:
        return kept_weight(demand(scale), host.window)

    def found(scale: float, status: Status, stage: Stage = Stage.DRAWN) -> Scaled:
        return Scaled(scale, Found(host.window, status, stage, 1))

    if does(drawn):
        return found(drawn, Status.FIRST)
    if does(host.most):
        scale = _uniform_above(does, drawn, host, streams)
        return found(scale, Status.RESIZED, Stage.REDRAW)
    top = max(host.most, 1.0)
    for step in range(1, LADDER + 1) if policy.on_fail == "enlarge" and top > host.most else ():
        scale = host.most + (top - host.most) * step / LADDER
        if does(scale):
            return found(scale, Status.RESIZED, Stage.LADDER)
    if policy.on_fail == "skip":
        return found(drawn, Status.SKIPPED)
    best = kept(host.most)
    if kept(drawn) < best * TIE:
        drawn = _uniform_above(lambda scale: kept(scale) >= best * TIE, drawn, host, streams)
    unmet = found(drawn, Status.UNMET)
    if policy.on_fail == "raise":
        outcome = outcome_of(unmet.found, content, policy, host.output(drawn))
        raise RetentionError(
            f"the promise cannot be met: with min_visible_pixels={policy.min_visible_pixels} and "
            f"max_stretch={policy.max_stretch} no scale in [{host.least:g}, {host.most:g}] shows the "
            f"{len(content.boxes)} object(s) of this {host.image_size} image. Lower the floor, ignore small objects "
            '(ignore_smaller_than), widen the range, or use on_fail="most"',
            outcome,
        )
    return unmet


def _uniform_above(does: Callable[[float], bool], fails: float, host: Scaling, streams: Streams) -> float:
    """Return a uniform scale among those of the host's range that do: above one that fails, up to the greatest."""
    low, high = max(fails, host.least), host.most
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if does(middle) else (middle, high)
    scale = high + (host.most - high) * streams(SETTLE)()
    return scale if does(scale) else high
