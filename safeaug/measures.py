"""How much of the content a window holds, and how much it must hold.

Every rule is one inequality: the area ``I`` of an object in the window must reach ``tau``, which is
``max(min(t * |object|, fill * |window|), pixels * |window| / |output|)``. A tolerance is taken off tau,
``1e-6 * |object| + 2**-23 * max(W, H) * (p + q)`` for a ``p × q`` object: hosts hand over float32 boxes, and without
the second term a window flush with its object would fail at a limit of 1.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.arrays import FLOATS, NUMPY, Ops
from safeaug.content import SINGLE, Content
from safeaug.geometry import Box, Domain, Size, Window, intersection, overlap, size_of, stretch
from safeaug.policy import GONE, Policy, decided
from safeaug.records import Demand
from safeaug.shapes import Salience, Shape, boxed, ranked_of, threshold_within, thresholds_of

RELATIVE = 1e-6
"""Share of an object's area that may be missing: rounding of coordinates and of shares."""

Floats = NDArray[np.float64]

POINT = 0.5
"""What the indicator of a point (1 inside, 0 outside) is compared with."""


def required(
    area: Any,
    limit: Any,
    tolerance: Any,
    window_area: Any,
    fill: float | None,
    pixel_area: Any | None,
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


def plain_demand(
    rows: Sequence[Sequence[float]], image_size: Size, limit: float, unit: tuple[float, float] = (1, 1)
) -> Demand | None:
    """Return what every window must reach where the policy asks one share of each object and no more.

    It is `content_of_rows` and `demand_of` in one loop. `plain` goes its own way with such draws; where that ends
    without a window, the search goes on with this.

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


def demand_of(content: Content, policy: Policy, size: Size, output: Size) -> Demand:
    """Return what a window of this size, rendered at this output size, must reach.

    Of a saliency map that ranks windows: among all of this size inside the image. See `ranked_demands`.
    """
    if ranks(content, policy):
        return ranked_demands([content], policy, [size], [None])[0]
    fill, pixels, slack = policy.min_fill, policy.min_visible_pixels, content.slack
    window_area = size[0] * size[1]
    plain = fill is None and pixels is None  # then tau does not depend on the window
    pixel_area = None if pixels is None else pixels * window_area / (output[0] * output[1])
    if content.shapes is not None or callable(policy.keep):
        return _demand_of_shapes(content, policy, window_area, pixel_area)
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


def _demand_of_shapes(content: Content, policy: Policy, window_area: float, pixel_area: float | None) -> Demand:
    """Return what a window must reach where objects are more than boxes, or where a callable decides."""
    slack = content.slack
    shapes = content.shapes if content.shapes is not None else [boxed(box, slack) for box in content.boxes]
    needs = []
    for shape, limit in zip(shapes, content.limits, strict=True):
        tolerance = RELATIVE * shape.area + slack * shape.rim
        fill, floor = (policy.min_fill, pixel_area) if shape.solid else (None, None)
        needs.append(required(shape.area, limit, tolerance, window_area, fill, floor))
    gone = None
    if policy.keep == "whole":
        shares = [_gone_share(prior) for prior in _priors(content)]
        gone = [
            (share + RELATIVE) * shape.area + slack * shape.rim for share, shape in zip(shares, shapes, strict=True)
        ]
    least = least_of(policy, len(needs))
    return Demand(content.boxes, needs, gone, least, content.weights, slack, shapes, _decider(content, policy))


def ranks(content: Content, policy: Policy) -> bool:
    """Return whether windows are ranked by a saliency map, so that what is asked of one hangs on all others."""
    return policy.min_mass is None and salience_in(content) is not None


def salience_in(content: Content) -> Salience | None:
    """Return the saliency map that must survive; None where it is something else."""
    one = content.shapes[0] if content.shapes else None
    return one if isinstance(one, Salience) else None


def ranked_demands(
    contents: Sequence[Content], policy: Policy, sizes: Sequence[Size], domains: Sequence[Domain | None]
) -> list[Demand]:
    """Return what windows of one size in each of some images must hold of its saliency map, to rank as they must.

    Parameters
    ----------
    contents : sequence of Content
        A map each.
    policy : Policy
        Its ``min_rank`` counts.
    sizes : sequence of (int, int)
        Height and width of the windows in each.
    domains : sequence of Domain or None
        Among which positions they are ranked; None, or none at all: all inside the image.
    """
    maps = [salience for content in contents if (salience := salience_in(content)) is not None]
    whole = [(round(height) or 1, round(width) or 1) for height, width in sizes]
    among = [_places(each, size, domain) for each, size, domain in zip(maps, whole, domains, strict=True)]
    ranked = ranked_of(maps, whole, among)
    return [
        Demand(content.boxes, [need], None, 1, content.weights, content.slack, [each])
        for content, each, need in zip(contents, ranked, thresholds_of(ranked, policy.min_rank), strict=True)
    ]


def ranked_within(demand: Demand, policy: Policy, within: NDArray[np.bool_]) -> Demand:
    """Return the same demand where windows are ranked among some positions of the domain, of shape (X, Y), only."""
    assert demand.ranked is not None
    return demand._replace(needs=[threshold_within(demand.ranked, policy.min_rank, within)])


def _places(salience: Salience, size: Size, domain: Domain | None) -> Domain:
    if domain is not None and domain.x0 <= domain.x1 and domain.y0 <= domain.y1:
        return domain
    down, across = salience.image_size[0] - size[0], salience.image_size[1] - size[1]
    return Domain(min(across, 0), max(across, 0), min(down, 0), max(down, 0))


def _decider(content: Content, policy: Policy) -> Callable[[NDArray[np.float64]], Any] | None:
    """Return a callable ``keep`` as it is asked: of retention counted from the whole objects."""
    if not callable(policy.keep):
        return None
    keep, priors = policy.keep, np.array(_priors(content))
    return lambda retention: decided(keep, retention * priors)


def _priors(content: Content) -> list[float]:
    """Return the prior visibility of each object that counts."""
    return [1.0] * len(content.boxes) if content.priors is None else [content.priors[i] for i in content.origin]


def _gone(content: Content) -> list[float]:
    """Return, for each box, the area in a window below which it counts as gone."""
    sides = [(c - a, d - b) for a, b, c, d in content.boxes]
    return [
        (_gone_share(prior) + RELATIVE) * wide * high + content.slack * (wide + high) if wide and high else POINT
        for (wide, high), prior in zip(sides, _priors(content), strict=True)
    ]


def _gone_share(prior: float) -> float:
    """Return the share, of what was visible before, below which an object counts as gone; of nothing it always does."""
    return GONE / prior if prior > 0 else math.inf


def least_of(policy: Policy, count: int) -> int:
    """Return how many of so many objects must reach their limit."""
    if policy.keep == "all":
        return count
    return min(policy.keep, count) if isinstance(policy.keep, int) else 1


def held(demand: Demand, i: int, window: Sequence[float]) -> float:
    """Return the area of an object inside a window; of points, how many."""
    if demand.shapes is not None:
        return demand.shapes[i].inside(window)
    return visible(demand.boxes[i], window, demand.slack)


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
    boxes, needs, gone, least, _, slack, shapes, _ = demand
    if shapes is not None:
        return _passes_shapes(demand, shapes, window)
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


def _passes_shapes(demand: Demand, shapes: list[Shape], window: Sequence[float]) -> bool:
    if demand.keep is not None:
        return bool(demand.keep(np.array([shape.inside(window) / shape.area for shape in shapes])))
    kept, may_fail = 0, len(shapes) - demand.least
    for i, shape in enumerate(shapes):
        area = shape.inside(window)
        if area >= demand.needs[i]:
            kept += 1
        elif demand.gone is None:
            if not may_fail:
                return False
            may_fail -= 1
        elif area >= demand.gone[i]:
            return False
    return kept >= demand.least


def holds_all(shapes: Iterable[Shape | None], limit: float, window: Window) -> bool:
    """Return whether a window holds a share of each of some shapes, of which there is at least one.

    What `content_of_shapes`, `demand_of` and `passes` come to where nothing else is asked, without making the records:
    most draws of crops that protect masks end here.
    """
    some = False
    for shape in shapes:
        if shape is not None:
            some = True
            if shape.inside(window) < limit * shape.area - RELATIVE * shape.area:
                return False
    return some


def meets(content: Content, policy: Policy, window: Window, output: Size) -> bool:
    """Return whether a window that becomes an output of this size keeps what the policy asks of the content."""
    size = size_of(window)
    return allows(policy, size, output) and passes(demand_of(content, policy, size, output), window)


def allows(policy: Policy, size: Size, output: Size) -> bool:
    """Return whether a window of this size is stretched no more than the policy allows."""
    return policy.max_stretch is None or stretch(size, output) <= policy.max_stretch * (1 + 1e-9)


def kept_weight(demand: Demand, window: Sequence[float]) -> float:
    """Return the weight of all objects that reach their need in a window."""
    weights, needs = demand.weights, demand.needs
    return sum(weight for i, weight in enumerate(weights) if held(demand, i, window) >= needs[i])


class Measured(NamedTuple):
    """What a window holds of every given object.

    Parameters
    ----------
    retention : ndarray of shape (N,), float64
        Share of the object's area inside the window, times its prior visibility; NaN for an object outside the image;
        of a point 1 or 0; of keypoints the share of the visible ones.
    by_fill : ndarray of shape (N,), bool
        True where less than the limit is left and the object fills ``policy.min_fill`` of the window.
    area : ndarray of shape (N,), float64
        Its area inside the window; NaN for what has none.
    """

    retention: NDArray[np.float64]
    by_fill: NDArray[np.bool_]
    area: NDArray[np.float64]


def measure(content: Content, policy: Policy, window: Sequence[float]) -> Measured:
    """Return what is left of every given object in a window."""
    area, inside, rim = (_of_boxes if content.given_shapes is None else _of_shapes)(content, window)
    solid = area > 0  # NaN is not
    retention: NDArray[np.float64] = inside / np.where(solid, area, np.nan)
    for i in np.flatnonzero(~solid).tolist():
        retention[i] = _share_of_points(content, i, window)
    by_fill = np.zeros(len(area), dtype=bool)
    if policy.min_fill is not None and len(content.origin):
        tolerance = RELATIVE * area + content.slack * rim
        enough = policy.min_fill * (window[2] - window[0]) * (window[3] - window[1])
        limits = np.zeros(len(area))
        limits[list(content.origin)] = content.limits
        by_fill = solid & (inside < limits * area - tolerance) & (inside >= enough - tolerance)
    if content.priors is not None:
        retention = retention * content.priors
    return Measured(retention, by_fill, np.where(solid, inside, np.nan))


def _of_boxes(content: Content, window: Sequence[float]) -> tuple[Floats, Floats, Floats]:
    """Return area, area inside the window and rim of every given box."""
    given = np.array(content.given, dtype=np.float64).reshape(-1, 4)
    wide, high = given[:, 2] - given[:, 0], given[:, 3] - given[:, 1]
    return wide * high, intersection(given, np.asarray(window, dtype=np.float64), NUMPY), wide + high


def _of_shapes(content: Content, window: Sequence[float]) -> tuple[Floats, Floats, Floats]:
    """Return the same of every given shape; NaN for what has no area."""
    solid = [shape if shape is not None and shape.solid else None for shape in content.given_shapes or ()]
    rows = [(s.area, s.inside(window), s.rim) if s is not None else (np.nan,) * 3 for s in solid]
    area, inside, rim = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    return area, inside, rim


def _share_of_points(content: Content, i: int, window: Sequence[float]) -> float:
    """Return the retention of an object without area; NaN for one outside the image."""
    if content.given_shapes is None:
        box = content.given[i]
        return visible(box, window, content.slack) if box[0] == box[0] else np.nan
    shape = content.given_shapes[i]
    return np.nan if shape is None else shape.inside(window) / shape.area
