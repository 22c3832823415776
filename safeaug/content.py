"""What must survive (Content), and how much of it a window holds.

Every rule is one inequality: the area ``I`` of an object in the window must reach ``tau``, which is
``max(min(t * |object|, fill * |window|), pixels * |window| / |output|)``. A tolerance is taken off tau,
``1e-6 * |object| + 2**-23 * max(W, H) * (p + q)`` for a ``p × q`` object: hosts hand over float32 boxes, and without
the second term a window flush with its object would fail at a limit of 1.
"""

import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from safeaug.arrays import FLOATS, NUMPY, Ops
from safeaug.errors import ContentError, PolicyError
from safeaug.geometry import Box, Size, Window, intersection, overlap, size_of, stretch
from safeaug.policy import GONE, Policy
from safeaug.records import Demand

RELATIVE = 1e-6
"""Share of an object's area that may be missing: rounding of coordinates and of shares."""

SINGLE = 2.0**-23
"""Spacing of float32 numbers just above 1: what a coordinate loses when a host keeps it in float32."""

POINT = 0.5
"""What the indicator of a point (1 inside, 0 outside) is compared with."""


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
    """

    boxes: list[Box]
    limits: list[float]
    weights: list[float]
    origin: Sequence[int]
    given: list[Box]
    slack: float


def content_of(
    boxes: ArrayLike,
    image_size: Size,
    policy: Policy,
    *,
    labels: Sequence[Hashable] | None = None,
    weights: ArrayLike | None = None,
    ignore: ArrayLike | None = None,
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

    Raises
    ------
    ContentError
        On NaN or infinite coordinates, swapped corners, lengths that differ, or labels that are missing.
    """
    rows = _rows(boxes)
    count = len(rows)
    passed_over = None if ignore is None else (_numbers("ignore", ignore, count) != 0).tolist()
    return content_of_rows(
        rows,
        image_size,
        _limits(policy, labels, count, passed_over),
        None if weights is None else checked_weights(_numbers("weights", weights, count)),
        passed_over,
    )


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


def plain_demand(
    rows: Sequence[Sequence[float]], image_size: Size, limit: float, unit: tuple[float, float] = (1, 1)
) -> Demand | None:
    """Return what every window must reach where the policy asks one share of each object and no more.

    Most draws of most users are of this kind, and most of them end with the host's own window. For them this is
    `content_of_rows` and `demand_of` in one loop; in the pipeline, where the picture has emptied the caches, it takes
    half of their time.

    Parameters
    ----------
    rows, image_size, unit
        As in `content_of_rows`.
    limit : float
        The share; see `Policy.plain_limit`.

    Returns
    -------
    Demand or None
        None where a row is not a box that lies inside the image; `content_of_rows` knows what it is.
    """
    height, width = image_size
    down, across = unit
    slack = SINGLE * (height if height > width else width)
    boxes: list[Box] = []
    needs = []
    for row in rows:
        x0, y0, x1, y1 = box = row[0] * across, row[1] * down, row[2] * across, row[3] * down
        if not (0.0 <= x0 < x1 <= width and 0.0 <= y0 < y1 <= height):
            return None
        wide, high = x1 - x0, y1 - y0
        area = wide * high
        boxes.append(box)
        needs.append(limit * area - (RELATIVE * area + slack * (wide + high)))
    count = len(boxes)
    return Demand(boxes, needs, None, count, [1.0] * count, slack)


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


def required(
    area: Any,
    limit: Any,
    tolerance: Any,
    window_area: Any,
    fill: float | None,
    pixel_area: float | None,
    ops: Ops = FLOATS,
) -> Any:
    """Return tau, tolerance already taken off: the area of an object that a window must hold.

    Parameters
    ----------
    area, limit, tolerance : float or array
        Of the object: its area, its least retention, and the tolerance of its area.
    window_area : float or array
        Area of the window in source pixels.
    fill : float or None
        Share of the window that also suffices.
    pixel_area : float or array, or None
        Source area of the pixels that must stay visible; None without such a floor.
    ops : Ops
        Built-ins or the array library's.
    """
    share = limit * area
    if fill is not None:
        share = ops.minimum(share, fill * window_area)
    if pixel_area is not None:
        share = ops.maximum(share, pixel_area)
    return share - tolerance


def demand_of(content: Content, policy: Policy, size: Size, output: Size) -> Demand:
    """Return what a window of this size, rendered at this output size, must reach."""
    fill, pixels, slack = policy.min_fill, policy.min_visible_pixels, content.slack
    window_area = size[0] * size[1]
    plain = fill is None and pixels is None  # then tau does not depend on the window
    pixel_area = None if pixels is None else pixels * window_area / (output[0] * output[1])
    needs = []
    for (a, b, c, d), limit in zip(content.boxes, content.limits, strict=True):
        wide, high = c - a, d - b
        area = wide * high
        if wide and high:
            tolerance = RELATIVE * area + slack * (wide + high)
            needs.append(
                limit * area - tolerance if plain else required(area, limit, tolerance, window_area, fill, pixel_area)
            )
        else:
            needs.append(POINT if limit > 0 else -POINT)
    gone = _gone(content) if policy.keep == "whole" else None
    least = len(needs) if policy.keep == "all" else least_of(policy, len(needs))
    return Demand(content.boxes, needs, gone, least, content.weights, slack)


def _gone(content: Content) -> list[float]:
    """Return, for each object, the area in a window below which it counts as gone."""
    sides = [(c - a, d - b) for a, b, c, d in content.boxes]
    return [
        (GONE + RELATIVE) * wide * high + content.slack * (wide + high) if wide and high else POINT
        for wide, high in sides
    ]


def least_of(policy: Policy, count: int) -> int:
    """Return how many of so many objects must reach their limit."""
    if policy.keep == "all":
        return count
    return min(policy.keep, count) if isinstance(policy.keep, int) else 1


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
    one = slice(chosen, chosen + 1)
    return Content(
        boxes=content.boxes[one],
        limits=content.limits[one],
        weights=content.weights[one],
        origin=content.origin[one],
        given=content.given,
        slack=content.slack,
    )


def visible(box: Box, window: Sequence[float], slack: float) -> float:
    """Return the area of a box inside a window; of a point, 1 inside (edges included) and 0 outside."""
    x0, y0, x1, y1 = box
    if x0 == x1 or y0 == y1:
        inside_x = window[0] - slack <= x0 and x1 <= window[2] + slack
        return float(inside_x and window[1] - slack <= y0 and y1 <= window[3] + slack)
    wide: float = overlap(window[0], window[2], x0, x1)
    return wide and wide * overlap(window[1], window[3], y0, y1)


def passes(demand: Demand, window: Sequence[float]) -> bool:
    """Return whether a window of the demand's size reaches it.

    This is the innermost loop of every guarded draw. So the areas of ordinary boxes are compared in place, without a
    call: what `overlap` does, written out.
    """
    x0, y0, x1, y1 = window
    boxes, needs, gone, least, _, slack = demand
    kept, may_fail = 0, len(boxes) - least
    for i, (a, b, c, d) in enumerate(boxes):
        if a < c and b < d:
            wide = (x1 if x1 < c else c) - (x0 if x0 > a else a)
            high = (y1 if y1 < d else d) - (y0 if y0 > b else b)
            area = wide * high if wide > 0 and high > 0 else 0.0
        else:
            area = visible((a, b, c, d), window, slack)
        if area >= needs[i]:
            kept += 1
        elif gone is None:
            if not may_fail:
                return False
            may_fail -= 1
        elif area >= gone[i]:
            return False
    return kept >= least


def meets(content: Content, policy: Policy, window: Window, output: Size) -> bool:
    """Return whether a window that becomes an output of this size keeps what the policy asks of the content."""
    size = size_of(window)
    return allows(policy, size, output) and passes(demand_of(content, policy, size, output), window)


def allows(policy: Policy, size: Size, output: Size) -> bool:
    """Return whether a window of this size is stretched no more than the policy allows."""
    return policy.max_stretch is None or stretch(size, output) <= policy.max_stretch * (1 + 1e-9)


def kept_weight(demand: Demand, window: Sequence[float]) -> float:
    """Return the weight of all objects that reach their need in a window."""
    return sum(
        weight
        for box, need, weight in zip(demand.boxes, demand.needs, demand.weights, strict=True)
        if visible(box, window, demand.slack) >= need
    )


def measure(content: Content, policy: Policy, window: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return what is left of every given object in a window, and which of them pass by fill.

    Returns
    -------
    retention : ndarray of shape (N,), float64
        Share of the object's area inside the window; NaN for an object outside the image; of a point 1 or 0.
    by_fill : ndarray of shape (N,), bool
        True where less than the limit is left and the object fills ``policy.min_fill`` of the window.
    """
    given = np.array(content.given, dtype=np.float64).reshape(-1, 4)
    wide, high = given[:, 2] - given[:, 0], given[:, 3] - given[:, 1]
    area = wide * high
    inside = intersection(given, np.asarray(window, dtype=np.float64), NUMPY)
    retention: NDArray[np.float64] = inside / np.where(area > 0, area, np.nan)
    for i in np.flatnonzero(area == 0).tolist():
        retention[i] = visible(content.given[i], window, content.slack)
    by_fill = np.zeros(len(given), dtype=bool)
    if policy.min_fill is not None and len(content.origin):
        tolerance = RELATIVE * area + content.slack * (wide + high)
        enough = policy.min_fill * (window[2] - window[0]) * (window[3] - window[1])
        limits = np.zeros(len(given))
        limits[list(content.origin)] = content.limits
        by_fill = (area > 0) & (inside < limits * area - tolerance) & (inside >= enough - tolerance)
    return retention, by_fill


def label_limits(policy: Policy, labels: Sequence[Hashable], ignore: Sequence[bool] | None = None) -> list[float]:
    """Return the limit of each label that counts, or raise `ContentError` where the policy names none."""
    try:
        return [0.0 if ignore is not None and ignore[i] else policy.limit_of(label) for i, label in enumerate(labels)]
    except PolicyError as error:
        raise ContentError(str(error)) from None
    except TypeError:
        raise ContentError(f"labels must be numbers or text, got {list(labels)}") from None


def checked_weights(weights: NDArray[np.float64]) -> list[float]:
    """Return the weights as plain numbers, or raise `ContentError` where they are none."""
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ContentError(f"weights must be finite and at least 0, got {weights.tolist()}")
    values: list[float] = weights.tolist()
    return values


def _limits(
    policy: Policy, labels: Sequence[Hashable] | None, count: int, ignore: Sequence[bool] | None
) -> list[float]:
    if not policy.per_label:
        return [policy.limit_of(None)] * count
    if labels is None:
        raise ContentError("min_retention is per label, but the boxes came without labels; name their label field")
    if len(labels) != count:
        raise ContentError(f"labels must be as many as boxes, got {len(labels)} labels and {count} boxes")
    return label_limits(policy, labels, ignore)


def _numbers(name: str, values: ArrayLike, count: int) -> NDArray[np.float64]:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ContentError(f"{name} must be numbers, got {values!r}") from None
    if array.shape != (count,):
        raise ContentError(f"{name} must be one number per box, of shape ({count},), got shape {array.shape}")
    return array
