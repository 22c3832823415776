"""What a guarded draw does instead of its host's, where the host does not draw positions uniformly.

Each function takes the task of a draw that does not do, and returns a window that does; None where there is none.
"""

import math
from collections.abc import Sequence

from safeaug.candidates import LADDER, redraws
from safeaug.content import Content
from safeaug.geometry import Box, Size, Window, size_of, window_at
from safeaug.measures import kept_weight, passes
from safeaug.placement import Positions, feasible, feasible_on_surface, rectangle
from safeaug.policy import Stage
from safeaug.records import Demand, Found
from safeaug.shapes import Points
from safeaug.task import Task

ROUNDING = 1e-9
"""Pixels by which floating point may miss a whole one."""

ALONE = 8
"""Objects, the largest first, of which a resize tries to show one alone where not all must be kept."""


def nearest(task: Task) -> Found | None:
    """Move one fixed window by the least distance, of equals the first by (dy, dx); of a resize, take a part."""
    if task.allowed(task.size):
        window = _nearest_of_size(task, task.drawn, task.size)
        if window is not None:
            return task.found(window, 0, Stage.DRAWN)
    policy = task.policy
    if task.host.whole is None or (policy.on_fail != "enlarge" and policy.min_visible_pixels is None):
        return None
    for number, size in enumerate(_parts(task), start=1):
        if task.allowed(size):
            demand = task.demand(size)
            window = _around_all(task, demand, size) or _nearest_of_size(task, demand, size)
            if window is not None:
                return task.found(window, number, Stage.LADDER)
    return None


def _nearest_of_size(task: Task, demand: Demand, size: Size) -> Window | None:
    """Return the window of a size that does and whose centre is nearest to the host's."""
    domain = task.host.domain(size)
    bounds = rectangle(demand, size, domain)
    if bounds is None:
        return None
    x0, y0, x1, y1 = task.first
    x, y = x0 + (x1 - x0 - size[1]) // 2, y0 + (y1 - y0 - size[0]) // 2
    # Nothing that does is nearer than the rectangle's own nearest position, which most often does.
    at = min(max(x, bounds.x0), bounds.x1), min(max(y, bounds.y0), bounds.y1)
    if passes(demand, window_at(*at, size)):
        return window_at(*at, size)
    positions = feasible(demand, size, bounds)
    return window_at(*positions.nearest(x, y), size) if positions.size else None


def _around_all(task: Task, demand: Demand, size: Size) -> Window | None:
    """Return the window of a size nearest to the host's centre that cuts no object; None where none does."""
    x0, y0, x1, y1 = _hull(_boxes(task.content()), task.drawn.slack)
    domain, (height, width) = task.host.domain(size), size
    low_x, high_x = max(domain.x0, x1 - width), min(domain.x1, x0)
    low_y, high_y = max(domain.y0, y1 - height), min(domain.y1, y0)
    if low_x > high_x or low_y > high_y:
        return None
    left, top = (task.first[0] + task.first[2] - width) // 2, (task.first[1] + task.first[3] - height) // 2
    window = window_at(min(max(left, low_x), high_x), min(max(top, low_y), high_y), size)
    return window if passes(demand, window) else None


def _parts(task: Task) -> list[Size]:
    """Return sizes from the whole image down to the tightest around the objects, evenly in steps."""
    boxes = _boxes(task.content())
    slack = task.drawn.slack
    ends = [_hull(boxes, slack)]
    if not task.drawn.all_of_them:
        largest_first = sorted(boxes, key=lambda box: (box[0] - box[2]) * (box[3] - box[1]))
        ends += [_hull([box], slack) for box in largest_first[:ALONE]]
    sizes = []
    for end in ends:
        height, width = (max(side, 1) for side in size_of(end))
        for step in range(1, LADDER + 1):
            share = step / LADDER
            tall = round(task.size[0] + (height - task.size[0]) * share)
            wide = round(task.size[1] + (width - task.size[1]) * share)
            sizes.append(_legal(task, (tall, wide)))
    return list(dict.fromkeys(sizes))


def _legal(task: Task, size: Size) -> Size:
    """Return a size that is stretched no more than the policy allows: enlarged, and where the image ends, made less."""
    most, (height, width) = task.policy.max_stretch, size
    if most is None:
        return size
    out_height, out_width = task.host.output(size)
    ratio = (out_width * height) / (width * out_height)
    if ratio > most:
        width = min(math.ceil(width * ratio / most - ROUNDING), task.size[1])
        height = min(height, math.floor(most * width * out_height / out_width + ROUNDING))
    elif ratio < 1 / most:
        height = min(math.ceil(height / (ratio * most) - ROUNDING), task.size[0])
        width = min(width, math.floor(most * height * out_width / out_height + ROUNDING))
    return max(height, 1), max(width, 1)


def _boxes(content: Content) -> Sequence[Box]:
    """Return what a window must reach around to hold each object: keypoints on its right or lower edge are outside."""
    boxes = []
    for box, shape in zip(content.boxes, content.shapes or content.boxes, strict=True):
        x0, y0, x1, y1 = box
        whole = math.floor(x0), math.floor(y0), math.floor(x1) + 1, math.floor(y1) + 1
        boxes.append(whole if isinstance(shape, Points) else box)
    return boxes


def _hull(boxes: Sequence[Box], slack: float) -> Window:
    """Return the smallest window of whole pixels around boxes; around a point it may lack width or height.

    A side that lies off a whole pixel by no more than the slack of its coordinates lies on it.
    """
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    low = math.floor(min(x0) + slack), math.floor(min(y0) + slack)
    return *low, math.ceil(max(x1) - slack), math.ceil(max(y1) - slack)


def own_positions(task: Task, size: Size) -> Positions | None:
    """Return the positions of a size that do and that the host's own promise allows; None where there is none."""
    if not task.allowed(size):
        return None
    demand, domain = task.demand(size), task.host.domain(size)
    bounds = rectangle(demand, size, domain)
    if bounds is None:
        return None
    within = task.host.within(size)
    return feasible(demand, size, bounds) if within is None else feasible_on_surface(demand, size, domain, within)


def clamped(task: Task) -> Found | None:
    """Draw the host anew, then move the sides of its first window out to the objects."""
    tries = redraws(task.host, task.policy)
    for number in range(1, tries + 1):
        window = task.host.redraw(number)
        if _does(task, window):
            return task.found(window, number, Stage.REDRAW)
    window = moved_out(task)
    return task.found(window, tries + 1, Stage.LADDER) if _does(task, window) else None


def moved_out(task: Task) -> Window:
    """Return the host's window with its sides moved out so far that it holds all objects."""
    x0, y0, x1, y1 = _hull(_boxes(task.content()), task.drawn.slack)
    first = task.first
    return min(first[0], x0), min(first[1], y0), max(first[2], x1), max(first[3], y1)


def best_of(task: Task, windows: list[Window]) -> Window:
    """Return the window that keeps the largest weight of objects, of equals the first."""
    return max(windows, key=lambda window: kept_weight(task.demand(size_of(window)), window))


def _does(task: Task, window: Window) -> bool:
    size = size_of(window)
    return task.allowed(size) and passes(task.demand(size), window)
