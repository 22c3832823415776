"""What must survive: the objects of an image, clipped to it, each with its limit. Checked here, once."""

import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from safeaug.errors import ContentError
from safeaug.geometry import Box, Size
from safeaug.policy import Policy
from safeaug.shapes import Salience, Shape, Spot, boxed
from safeaug.traits import Traits, traits_of

SINGLE = 2.0**-23
"""Spacing of float32 numbers just above 1: what a coordinate loses when a host keeps it in float32."""


class Content(NamedTuple):
    """The objects of one image that a policy counts, and all objects for the report.

    Parameters
    ----------
    boxes : list of (x0, y0, x1, y1)
        Objects that count, clipped to the image. A point is a box without area.
    limits, weights : list of float
        Of each of them: least retention, and what it counts for.
    origin : sequence of int
        Which of the given objects each is.
    given : list of (x0, y0, x1, y1)
        All objects that were given, clipped to the image; NaN where one lies outside it.
    slack : float
        Tolerance of coordinates in pixels.
    shapes : list of Shape, optional
        What each object that counts covers; None where all are boxes. Their ``boxes`` are what bounds them.
    given_shapes : list of Shape or None, optional
        Those of all objects; None for one outside the image.
    priors : list of float, optional
        Of all objects: the share that was visible already before this image was made.
    blank : bool
        Whether there is nothing to go by: a saliency map that shows nothing.
    """

    boxes: Sequence[Box]
    limits: list[float]
    weights: list[float]
    origin: Sequence[int]
    given: Sequence[Box]
    slack: float
    shapes: list[Shape] | None = None
    given_shapes: list[Shape | None] | None = None
    priors: list[float] | None = None
    blank: bool = False

    def only(self, places: Sequence[int]) -> "Content":
        """Return the content of which only some of the objects that count still do, given by their place."""

        def of(values: Sequence[Any]) -> list[Any]:
            return [values[place] for place in places]

        return self._replace(
            boxes=of(self.boxes) if self.shapes is None else Bounds(of(self.shapes)),
            limits=of(self.limits),
            weights=of(self.weights),
            origin=of(self.origin),
            shapes=None if self.shapes is None else of(self.shapes),
        )


def content_of(
    boxes: ArrayLike,
    image_size: Size,
    policy: Policy,
    *,
    labels: Sequence[Hashable] | None = None,
    weights: ArrayLike | None = None,
    ignore: ArrayLike | None = None,
    prior_visibility: ArrayLike | None = None,
) -> Content:
    """Return the content of an image from its boxes.

    Parameters
    ----------
    boxes : array_like of shape (N, 4)
        Corners in the image frame. A box without area is a point at its centre; one wholly outside the image does
        not count.
    image_size : (int, int)
        Height and width of the image.
    policy : Policy
        Gives each object its limit.
    labels : sequence of length N, optional
        Needed where the policy's limits are per label.
    weights : array_like of shape (N,), optional
        What each object counts for, at least 0; 1 by default.
    ignore : array_like of shape (N,), optional
        True for an object (a crowd, a difficult one) that is never asked for, whatever its box or label.
    prior_visibility : array_like of shape (N,), optional
        In [0, 1]: the share of each object that was still visible before this image was made, as of a tile's
        truncated objects. Retention is counted from the whole object: see `counting`.

    Raises
    ------
    ContentError
        On NaN or infinite coordinates, swapped corners, lengths that differ, or labels that are missing.
    """
    rows = _rows(boxes)
    traits = traits_of(policy, len(rows), labels, weights, ignore, prior_visibility)
    content = content_of_rows(rows, image_size, traits.limits, traits.weights, traits.ignore)
    return counting(content, policy, traits.priors)


class Bounds(Sequence[Box]):
    """What bounds each of some shapes, found when it is asked for, as it seldom is; `OUTSIDE` for None."""

    def __init__(self, shapes: Sequence[Shape | None]) -> None:
        self._shapes = shapes

    def __len__(self) -> int:
        return len(self._shapes)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return Bounds(self._shapes[place])
        shape = self._shapes[place]
        return OUTSIDE if shape is None else shape.box


def content_of_shapes(
    objects: Sequence[Shape | Box | None], image_size: Size, policy: Policy, traits: Traits
) -> Content:
    """Return the content of an image from objects of any kind.

    Parameters
    ----------
    objects : sequence of Shape, (x0, y0, x1, y1) or None
        Each clipped to the image; None for one outside of it.
    image_size : (int, int)
        Height and width of the image.
    policy : Policy
        What counts.
    traits : Traits
        Of each object.
    """
    slack = SINGLE * max(image_size)
    shapes = [boxed(each, slack) if isinstance(each, tuple) else each for each in objects]
    counted = [
        (i, shape) for i, shape in enumerate(shapes) if shape is not None and not (traits.ignore and traits.ignore[i])
    ]
    origin, kept = [i for i, _ in counted], [shape for _, shape in counted]
    content = Content(
        boxes=Bounds(kept),
        limits=[traits.limits[i] for i in origin],
        weights=[1.0 if traits.weights is None else traits.weights[i] for i in origin],
        origin=origin,
        given=Bounds(shapes),
        slack=slack,
        shapes=kept,
        given_shapes=shapes,
    )
    return counting(content, policy, traits.priors)


def content_of_salience(salience: Salience | None, image_size: Size, policy: Policy) -> Content:
    """Return the content of an image from a map of what matters.

    Parameters
    ----------
    salience : Salience or None
        The map; None where it shows nothing.
    image_size : (int, int)
        Height and width of the image.
    policy : Policy
        Its ``min_rank`` or its ``min_mass`` is what is asked.

    Raises
    ------
    PolicyError
        Where a callable decides what is kept.
    """
    policy.check_salient()
    shapes: list[Shape] = [] if salience is None else [salience]
    count = len(shapes)
    return Content(
        boxes=Bounds(shapes),
        limits=[policy.min_mass or 0.0] * count,
        weights=[1.0] * count,
        origin=range(count),
        given=Bounds([salience]),
        slack=SINGLE * max(image_size),
        shapes=shapes,
        given_shapes=[salience],
        blank=salience is None,
    )


def counting(content: Content, policy: Policy, priors: list[float] | None = None) -> Content:
    """Return the content with only those objects counting that the policy can ask for.

    Parameters
    ----------
    content : Content
        All objects.
    policy : Policy
        Its ``ignore_smaller_than`` takes out objects of less area.
    priors : list of float, optional
        Prior visibility of each given object. One of which ``v`` is left must keep ``limit / v`` of that. One of which
        less than its limit is left was lost before: it leaves the quantifier, and is only measured.
    """
    if priors is not None:
        pairs = [(limit, priors[i]) for limit, i in zip(content.limits, content.origin, strict=True)]
        # Hosts hand over shares in float32: what was written as the limit itself must not fall below it.
        able = [place for place, (limit, prior) in enumerate(pairs) if limit <= prior + SINGLE]
        scaled = [min(limit / max(prior, SINGLE), 1.0) for limit, prior in pairs]
        content = content._replace(limits=scaled, priors=priors).only(able)
    if policy.ignore_smaller_than is not None:
        content = content.only([i for i in range(len(content.boxes)) if not _is_small(content, i, policy)])
    return content


def _is_small(content: Content, i: int, policy: Policy) -> bool:
    """Return whether an object is smaller than the policy asks for, by more than its coordinates may be off."""
    assert policy.ignore_smaller_than is not None
    if content.shapes is None:
        x0, y0, x1, y1 = content.boxes[i]
        return (x1 - x0) * (y1 - y0) + content.slack * (x1 - x0 + y1 - y0) < policy.ignore_smaller_than
    shape = content.shapes[i]
    if shape.solid:
        return shape.area + content.slack * shape.rim < policy.ignore_smaller_than
    return isinstance(shape, Spot) and policy.ignore_smaller_than > 0


def content_of_rows(
    rows: Sequence[Sequence[float]],
    image_size: Size,
    limits: Sequence[float],
    weights: Sequence[float] | None = None,
    ignore: Sequence[bool] | None = None,
    unit: tuple[float, float] = (1, 1),
) -> Content:
    """Return the content of an image from plain rows of numbers; what `content_of` comes down to.

    Every guarded draw begins here, so a box that lies inside the image, as most do, is taken without a call.

    Parameters
    ----------
    rows : sequence of (x0, y0, x1, y1, ...)
        Corners, in units of ``unit``; what stands behind them is passed over.
    image_size : (int, int)
        Height and width of the image.
    limits, weights, ignore : sequence of length N
        Of each object: least retention; what it counts for; whether it is never asked for.
    unit : (float, float), default (1, 1)
        Height and width of the unit in pixels: the image's, where corners are divided by its sides.
    """
    height, width = image_size
    slack = SINGLE * max(height, width)
    down, across = unit
    given: list[Box] = []
    ordinary = ignore is None
    for row in rows:
        x0, y0, x1, y1 = box = row[0] * across, row[1] * down, row[2] * across, row[3] * down
        if not (0.0 <= x0 < x1 <= width and 0.0 <= y0 < y1 <= height):
            i = len(given)
            box = OUTSIDE if ignore is not None and ignore[i] and not _is_box(box) else _clipped(i, box, image_size)
            ordinary = False
        given.append(box)
    shares = [1.0] * len(given) if weights is None else list(weights)
    if ordinary:
        return Content(given, list(limits), shares, range(len(given)), given, slack)
    origin = [i for i, box in enumerate(given) if box is not OUTSIDE and not (ignore is not None and ignore[i])]
    return Content(
        [given[i] for i in origin], [limits[i] for i in origin], [shares[i] for i in origin], origin, given, slack
    )


OUTSIDE: Box = (math.nan, math.nan, math.nan, math.nan)
"""What stands for an object outside the image."""


def _rows(boxes: ArrayLike) -> list[list[float]]:
    try:
        array = np.asarray(boxes, dtype=np.float64)
    except (TypeError, ValueError):
        raise ContentError(f"boxes must be numbers of shape (N, 4), got {boxes!r}") from None
    if array.size and (array.ndim != 2 or array.shape[1] != 4):
        raise ContentError(f"boxes must be of shape (N, 4), got {array.shape}; one box is [[x0, y0, x1, y1]]")
    rows: list[list[float]] = array.tolist()
    return rows


def _is_box(row: Box) -> bool:
    return 0.0 <= row[2] - row[0] < math.inf and 0.0 <= row[3] - row[1] < math.inf


def _clipped(i: int, row: Box, image_size: Size) -> Box:
    """Return a box clipped to the image, a point for one without area, `OUTSIDE` for one that is not in the image."""
    x0, y0, x1, y1 = row
    height, width = image_size
    if not _is_box(row):
        if not all(map(math.isfinite, row)):
            raise ContentError(f"box {i} must be of finite numbers, got {list(row)}; drop it or mend the annotation")
        raise ContentError(
            f"box {i} must have x0 <= x1 and y0 <= y1, got {list(row)}; are the corners swapped, or is it (x, y, w, h)?"
        )
    a, b, c, d = max(x0, 0.0), max(y0, 0.0), min(x1, float(width)), min(y1, float(height))
    if a < c and b < d:
        return a, b, c, d
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    point = (x0 == x1 or y0 == y1) and 0 <= x <= width and 0 <= y <= height
    return (x, y, x, y) if point else OUTSIDE


def single(content: Content, uniform: float) -> Content:
    """Return the content reduced to one object, picked in proportion to its weight by a uniform number in [0, 1)."""
    mark = uniform * sum(content.weights)
    chosen = 0
    for position, weight in enumerate(content.weights):
        if weight > 0:
            chosen = position
            mark -= weight
        if mark < 0:
            break
    return content.only([chosen])
