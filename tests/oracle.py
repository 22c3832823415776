"""The obvious loops: what every function of floors 1–3 is compared with.

Nothing here is taken from the package but the records that it speaks in. `ease` scales the tolerance: a count that
lies between the oracle at 1 - 1e-6 and at 1 + 1e-6 is exact but for ties that floating point cannot decide.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil, dist, floor, hypot, inf, log
from typing import NamedTuple

import numpy as np

from safeaug.policy import Policy

Box = tuple[float, float, float, float]
Window = tuple[int, int, int, int]


def shared(box: Box, window: Window) -> float:
    wide = min(window[2], box[2]) - max(window[0], box[0])
    high = min(window[3], box[3]) - max(window[1], box[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def clipped(box: Box, image_size: tuple[int, int]) -> Box | None:
    """The object inside the image, a point for a box without area, None for one outside."""
    height, width = image_size
    x0, y0, x1, y1 = box
    a, b, c, d = max(x0, 0.0), max(y0, 0.0), min(x1, width), min(y1, height)
    if a < c and b < d:
        return a, b, c, d
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    if (x0 == x1 or y0 == y1) and 0 <= x <= width and 0 <= y <= height:
        return x, y, x, y
    return None


def is_point(box: Box) -> bool:
    return box[0] == box[2] or box[1] == box[3]


def tolerance(box: Box, image_size: tuple[int, int]) -> float:
    return 1e-6 * area(box) + 2**-23 * max(image_size) * (box[2] - box[0] + box[3] - box[1])


def retention(box: Box, window: Window, image_size: tuple[int, int]) -> float:
    if is_point(box):
        slack = 2**-23 * max(image_size)
        inside = window[0] - slack <= box[0] <= window[2] + slack and window[1] - slack <= box[1] <= window[3] + slack
        return float(inside)
    return shared(box, window) / area(box)


def keeps(box: Box, window: Window, limit: float, policy: Policy, image_size, output, ease: float = 1.0) -> bool:
    if is_point(box):
        return limit <= 0 or retention(box, window, image_size) == 1.0
    share = shared(box, window)
    slack = ease * tolerance(box, image_size)
    pixels = share * output[0] * output[1] / area(window)
    pixel_slack = slack * output[0] * output[1] / area(window)
    enough = share >= limit * area(box) - slack
    if policy.min_fill is not None:
        enough = enough or share >= policy.min_fill * area(window) - slack
    if policy.min_visible_pixels is not None:
        enough = enough and pixels >= policy.min_visible_pixels - pixel_slack
    return enough


def is_gone(box: Box, window: Window, image_size, ease: float = 1.0) -> bool:
    if is_point(box):
        return retention(box, window, image_size) == 0.0
    return shared(box, window) < 0.05 * area(box) + ease * tolerance(box, image_size)


def stretch_of(window: Window, output) -> float:
    x_scale, y_scale = output[1] / (window[2] - window[0]), output[0] / (window[3] - window[1])
    return max(x_scale / y_scale, y_scale / x_scale)


def satisfies(boxes: list[Box], window: Window, limits: list[float], policy: Policy, image_size, output, ease=1.0):
    """Whether a window keeps the promise on objects that are already clipped."""
    if policy.max_stretch is not None and stretch_of(window, output) > policy.max_stretch + 1e-6 * ease:
        return False
    kept = [
        keeps(box, window, limit, policy, image_size, output, ease) for box, limit in zip(boxes, limits, strict=True)
    ]
    if policy.keep == "all":
        return all(kept)
    if policy.keep == "any":
        return any(kept)
    if policy.keep == "whole":
        gone = [is_gone(box, window, image_size, ease) for box in boxes]
        return any(kept) and all(k or g for k, g in zip(kept, gone, strict=True))
    return sum(kept) >= min(policy.keep, len(boxes))


def windows(frame: Window, size: tuple[int, int]) -> Iterator[Window]:
    """Every window of a size inside a frame."""
    for x in range(frame[0], frame[2] - size[1] + 1):
        for y in range(frame[1], frame[3] - size[0] + 1):
            yield x, y, x + size[1], y + size[0]


def most(boxes, limits, weights, frame, size, policy, image_size, output) -> float:
    """The largest weight of objects that one window of a size keeps."""
    best = -inf
    for window in windows(frame, size):
        kept = sum(
            weight
            for box, limit, weight in zip(boxes, limits, weights, strict=True)
            if keeps(box, window, limit, policy, image_size, output)
        )
        best = max(best, kept)
    return best


def least_lost(boxes, frame, size, image_size) -> list[Window]:
    """All windows of a size with the largest worst retention and, among those, the largest sum."""
    areas = [box for box in boxes if not is_point(box)]
    everything = list(windows(frame, size))
    if not areas:
        return everything
    shares = {window: [retention(box, window, image_size) for box in areas] for window in everything}
    worst = max(map(min, shares.values()))
    tied = [window for window in everything if min(shares[window]) >= worst - 1e-9]
    most = max(sum(shares[window]) for window in tied)
    return [window for window in tied if sum(shares[window]) >= most - 1e-9]


def nearest_first(size, sizes):
    return sorted(sorted(sizes), key=lambda other: hypot(log(other[0] / size[0]), log(other[1] / size[1])))


# Objects that are more than boxes


class Thing(NamedTuple):
    """An object of some kind: a box, the corners of a polygon, the rows of a mask, or keypoints (x, y[, visible])."""

    kind: str
    data: object


def is_solid(thing: Thing) -> bool:
    return thing.kind != "keypoints" and not (thing.kind == "box" and is_point(thing.data))


def share_of_pixel(value) -> float:
    """What a mask's pixel, of one channel or several, says of itself: a share, or that it belongs to the object."""
    channels = value if isinstance(value, list | tuple) else [value]
    shares = [each if isinstance(each, float) else float(each != 0) for each in channels]
    return max(shares)


def mask_in(mask, window) -> float:
    """The mass of a mask in a window, pixel by pixel, of those at the edges in proportion."""
    mass = 0.0
    for y, row in enumerate(mask):
        for x, value in enumerate(row):
            mass += share_of_pixel(value) * shared((x, y, x + 1, y + 1), window)
    return mass


def polygon_in(ring, window) -> Fraction:
    """The area of a simple polygon in a window, exactly: the integral over y of the length of its section.

    Between the heights at which a corner lies, or an edge meets a side of the window, each end of a section moves along
    one straight line, so the section in the middle times the height is the area.
    """
    corners = [(Fraction(x), Fraction(y)) for x, y in ring]
    left, top, right, bottom = map(Fraction, window)
    edges = [(p, q) for p, q in zip(corners, corners[1:] + corners[:1], strict=True) if p[1] != q[1]]
    edges = [(p, q) for p, q in edges if min(p[1], q[1]) < bottom and max(p[1], q[1]) > top]
    heights = {top, bottom}
    for (xa, ya), (xb, yb) in edges:
        heights |= {ya, yb}
        if xa != xb:
            heights |= {ya + (side - xa) * (yb - ya) / (xb - xa) for side in (left, right)}
    cuts = sorted(height for height in heights if top <= height <= bottom)
    mass = Fraction(0)
    for low, high in pairwise(cuts):
        middle = (low + high) / 2
        ends = sorted(
            xa + (middle - ya) * (xb - xa) / (yb - ya)
            for (xa, ya), (xb, yb) in edges
            if min(ya, yb) < middle < max(ya, yb)
        )
        inside = sum(max(min(b, right) - max(a, left), Fraction(0)) for a, b in zip(ends[::2], ends[1::2], strict=True))
        mass += inside * (high - low)
    return mass


def visible_points(rows, image_size):
    """The keypoints that are marked as seen, or not marked at all, and lie in the image."""
    height, width = image_size
    seen = [row for row in rows if len(row) == 2 or row[2] > 0]
    return [(row[0], row[1]) for row in seen if 0 <= row[0] < width and 0 <= row[1] < height]


def points_in(points, window) -> int:
    count = 0
    for x, y in points:
        if window[0] <= x < window[2] and window[1] <= y < window[3]:
            count += 1
    return count


class Known(NamedTuple):
    """A thing, clipped to its image, as the oracle judges it: on whole windows, pixel by pixel."""

    thing: Thing
    image_size: tuple[int, int]
    pixels: list[list[float]] | None
    whole: float
    rim: tuple[float, float]
    """Half the length of the outline: no more than the first, no less than the second may be told from rounding."""

    def inside(self, window) -> float:
        """Its mass in a window of whole pixels."""
        if self.thing.kind == "keypoints":
            return points_in(visible_points(self.thing.data, self.image_size), window)
        if self.thing.kind == "box":
            box = clipped(self.thing.data, self.image_size)
            return retention(box, window, self.image_size) if is_point(box) else shared(box, window)
        mass = 0.0
        for y in range(max(window[1], 0), min(window[3], self.image_size[0])):
            for x in range(max(window[0], 0), min(window[2], self.image_size[1])):
                mass += self.pixels[y][x]
        return mass

    def left(self, window) -> float:
        return self.inside(window) / self.whole

    def bounds(self) -> Window:
        """The smallest whole window that holds all of it; a point on whole pixels needs no width or height."""
        if self.thing.kind == "keypoints":
            seen = visible_points(self.thing.data, self.image_size)
            columns, rows = [floor(x) for x, _ in seen], [floor(y) for _, y in seen]
        elif self.thing.kind == "box":
            x0, y0, x1, y1 = clipped(self.thing.data, self.image_size)
            return floor(x0), floor(y0), ceil(x1), ceil(y1)
        else:
            columns = [x for row in self.pixels for x, share in enumerate(row) if share > 0]
            rows = [y for y, row in enumerate(self.pixels) if any(share > 0 for share in row)]
        return min(columns), min(rows), max(columns) + 1, max(rows) + 1


def around(windows_) -> Window:
    """The smallest window that holds some others."""
    x0, y0, x1, y1 = zip(*windows_, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def as_point(ring) -> Box:
    """The centre of the corners of a polygon without area, of which none counts twice in a row."""
    corners = [corner for before, corner in zip([ring[-1], *ring], ring, strict=False) if corner != before] or ring[:1]
    x, y = (sum(axis) / len(corners) for axis in zip(*corners, strict=True))
    return x, y, x, y


def known(thing: Thing, image_size) -> Known | None:
    """The thing as the oracle judges it; None where nothing of it is in the image."""
    height, width = image_size
    image = (0, 0, width, height)
    if thing.kind == "polygon":
        far = max(max(map(abs, corner)) for corner in thing.data) + 1
        if polygon_in(thing.data, (-far, -far, far, far)) == 0:
            thing = Thing("box", as_point(thing.data))
    pixels, rim = None, (0.0, 0.0)
    if thing.kind == "keypoints":
        whole = float(len(visible_points(thing.data, image_size)))
    elif thing.kind == "box":
        box = clipped(thing.data, image_size)
        if box is None:
            return None
        whole = 1.0 if is_point(box) else area(box)
        rim = (box[2] - box[0] + box[3] - box[1],) * 2
    elif thing.kind == "mask":
        pixels = [[share_of_pixel(value) for value in row] for row in thing.data]
        whole = sum(map(sum, pixels))
    else:
        exact = [[polygon_in(thing.data, (x, y, x + 1, y + 1)) for x in range(width)] for y in range(height)]
        pixels, whole = [[float(share) for share in row] for row in exact], float(polygon_in(thing.data, image))
        outline = sum(dist(p, q) for p, q in zip(thing.data, [*thing.data[1:], thing.data[0]], strict=True))
        rim = 0.0, outline + 2 * (height + width)
    return Known(thing, image_size, pixels, whole, rim) if whole > 0 else None


def slack_of(one: Known, ease: float) -> float:
    """The tolerance of its mass: its own rounding, and that of its outline's coordinates."""
    return ease * (1e-6 * one.whole + 2**-23 * max(one.image_size) * one.rim[ease >= 1])


def holds(one: Known, window: Window, limit: float, policy: Policy, output, ease: float = 1.0) -> bool:
    """Whether a window keeps one thing. Fill and the floor in pixels ask nothing of what has no area."""
    mass, slack = one.inside(window), slack_of(one, ease)
    need = limit * one.whole
    if one.thing.kind == "box" and not is_solid(one.thing) and ease < 1:
        return mass == 1 or limit <= 0  # a limit within the tolerance may ask for a point, or not
    if is_solid(one.thing):
        if policy.min_fill is not None:
            need = min(need, policy.min_fill * area(window))
        if policy.min_visible_pixels is not None:
            need = max(need, policy.min_visible_pixels * area(window) / (output[0] * output[1]))
    return mass >= need - slack


def does(
    things: list[Known], window: Window, limits: list[float], policy: Policy, output, ease: float = 1.0, priors=None
) -> bool:
    """Whether a window keeps the promise on things, each with its limit (scaled by what was visible before)."""
    priors = priors or [1.0] * len(things)
    if policy.max_stretch is not None and stretch_of(window, output) > policy.max_stretch * (1 + 1e-9):
        return False
    if callable(policy.keep):
        left = [one.left(window) * prior for one, prior in zip(things, priors, strict=True)]
        return bool(policy.keep(np.array(left)))
    kept = [holds(one, window, limit, policy, output, ease) for one, limit in zip(things, limits, strict=True)]
    if policy.keep == "all":
        return all(kept)
    if policy.keep == "any":
        return any(kept)
    if policy.keep == "whole":
        gone = [
            one.left(window) * prior < 0.05 + slack_of(one, ease) / one.whole * prior
            for one, prior in zip(things, priors, strict=True)
        ]
        return any(kept) and all(k or g for k, g in zip(kept, gone, strict=True))
    return sum(kept) >= min(policy.keep, len(kept))


def weight_kept(things, window, limits, weights, policy, output, ease: float = 1.0) -> float:
    return sum(
        weight
        for one, limit, weight in zip(things, limits, weights, strict=True)
        if holds(one, window, limit, policy, output, ease)
    )


def heaviest(things, windows_, limits, weights, policy, output) -> tuple[float, list[Window]]:
    """The largest weight of things that one of some windows keeps, and all windows that keep it."""
    kept = {window: weight_kept(things, window, limits, weights, policy, output) for window in windows_}
    best = max(kept.values())
    return best, [window for window, weight in kept.items() if weight >= best - 1e-9 * max(best, 1.0)]


def lost_least(things, windows_) -> list[Window]:
    """Of some windows those with the largest worst retention and, among those, the largest sum."""
    left = {window: [one.left(window) for one in things] for window in windows_}
    worst = max(map(min, left.values()))
    tied = [window for window in windows_ if min(left[window]) >= worst - 1e-9]
    total = max(sum(left[window]) for window in tied)
    return [window for window in tied if sum(left[window]) >= total - 1e-9]


def ties_are_clear(things, windows_) -> bool:
    """Whether, of some windows, the worst retentions and the sums are equal to the last bits or clearly not."""
    left = [[one.left(window) for one in things] for window in windows_]
    worst, total = [min(row) for row in left], [sum(row) for row in left]
    gaps = [max(values) - value for values in (worst, total) for value in values]
    gaps += [abs(one - other) for one, other in pairwise(sorted(total))]  # the best of those tied may be any of them
    return not any(1e-12 < gap < 1e-7 for gap in gaps)


def nearest(at: tuple[int, int], positions) -> tuple[int, int]:
    """The nearest of some positions; of equals the first by (dy, dx)."""
    x, y = at
    return min(positions, key=lambda each: ((each[0] - x) ** 2 + (each[1] - y) ** 2, each[1] - y, each[0] - x))


# Objects followed through steps: points of the source, pushed from frame to frame, and pixels, pulled back


def fine_points(thing: Thing, fine: int = 16) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points of an object on a grid of so many to a pixel's side, at least 160 to the object's, and their weights."""
    if thing.kind == "mask":
        rows = np.array([[share_of_pixel(value) for value in row] for row in thing.data])
        weights = np.repeat(np.repeat(rows, fine, axis=0), fine, axis=1)
        row, column = np.nonzero(weights)
        return (column + 0.5) / fine, (row + 0.5) / fine, weights[row, column]
    corners = np.array(thing.data).reshape(-1, 2)
    (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
    wide, high = (max(ceil((stop - start) * fine), 160) for start, stop in ((x0, x1), (y0, y1)))
    x, y = np.meshgrid(x0 + (np.arange(wide) + 0.5) * (x1 - x0) / wide, y0 + (np.arange(high) + 0.5) * (y1 - y0) / high)
    x, y = x.ravel(), y.ravel()
    inside = contains(thing, x, y)
    return x[inside], y[inside], np.ones(inside.sum())


def contains(thing: Thing, x, y) -> np.ndarray:
    """Which points lie in an object; of a mask, its share of the pixel in which each lies."""
    if thing.kind == "box":
        x0, y0, x1, y1 = thing.data
        return (x0 <= x) & (x < x1) & (y0 <= y) & (y < y1)
    if thing.kind == "mask":
        rows = np.array([[share_of_pixel(value) for value in row] for row in thing.data])
        column, row = np.floor(x).astype(int), np.floor(y).astype(int)
        inside = (column >= 0) & (row >= 0) & (column < rows.shape[1]) & (row < rows.shape[0])
        return np.where(inside, rows[np.where(inside, row, 0), np.where(inside, column, 0)], 0.0)
    crossings = np.zeros(np.shape(x), dtype=int)
    for (xa, ya), (xb, yb) in zip(thing.data, [*thing.data[1:], thing.data[0]], strict=True):
        if ya != yb:
            crossings += ((ya <= y) != (yb <= y)) & (x < xa + (y - ya) * (xb - xa) / (yb - ya))
    return crossings % 2 == 1


def moved_by(matrix, x, y) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where a matrix maps points, and their depth."""
    rows = [row[0] * x + row[1] * y + row[2] for row in np.asarray(matrix, dtype=float).tolist()]
    depth = np.where(rows[2] == 0, np.nan, rows[2])
    return rows[0] / depth, rows[1] / depth, rows[2]


def step_matrix(change, size) -> np.ndarray:
    """The matrix of a step that has one, with points before the horizon at a depth above 0."""
    if type(change).__name__ == "Windowed":
        (x0, y0, x1, y1), (height, width) = change
        return np.array([[width / (x1 - x0), 0, 0], [0, height / (y1 - y0), 0], [0, 0, 1]]) @ [
            [1, 0, -x0],
            [0, 1, -y0],
            [0, 0, 1],
        ]
    matrix = np.asarray(change.matrix, dtype=float)
    return matrix * np.sign(matrix[2] @ [size[1] / 2, size[0] / 2, 1])


def size_after(change, size) -> tuple[int, int]:
    return change.size if hasattr(change, "size") else size


def survives(change, size, x, y) -> np.ndarray:
    """Which points of the frame after a step that moves nothing, or before it, are not erased by it."""
    kept = np.ones(np.shape(x), dtype=bool)
    if type(change).__name__ == "Occluded":
        for x0, y0, x1, y1 in np.reshape(change.holes, (-1, 4)).tolist():
            kept &= ~((x0 <= x) & (x < x1) & (y0 <= y) & (y < y1))
    if type(change).__name__ == "Erased":
        column, row = np.clip(np.floor(x), 0, size[1] - 1), np.clip(np.floor(y), 0, size[0] - 1)
        kept &= ~change.mask[row.astype(int), column.astype(int)]
    return kept


def left_after(thing: Thing, image_size, changes) -> list[float]:
    """The share of an object that is visible after each step, by its points."""
    x, y, weights = fine_points(thing)
    total, size, left = weights.sum(), image_size, []
    for change in changes:
        if type(change).__name__ in {"Windowed", "Mapped"}:
            height, width = change.size
            x, y, depth = moved_by(step_matrix(change, size), x, y)
            kept = (depth > 0) & (x >= 0) & (x < width) & (y >= 0) & (y < height)
        else:
            kept = survives(change, size, x, y)
        x, y, weights, size = x[kept], y[kept], weights[kept], size_after(change, size)
        left.append(float(weights.sum() / total))
    return left


def pixels_after(thing: Thing, image_size, changes, fine: int = 6) -> float:
    """The area of an object in the last picture, by points of its pixels that are pulled back step by step."""
    sizes = [image_size]
    for change in changes:
        sizes.append(size_after(change, sizes[-1]))
    height, width = sizes[-1]
    x, y = np.meshgrid((np.arange(width * fine) + 0.5) / fine, (np.arange(height * fine) + 0.5) / fine)
    x, y = x.ravel(), y.ravel()
    for change, size in zip(changes[::-1], sizes[-2::-1], strict=True):
        if type(change).__name__ in {"Windowed", "Mapped"}:
            matrix = step_matrix(change, size)
            x, y, _ = moved_by(np.linalg.inv(matrix), x, y)
            kept = (x >= 0) & (x < size[1]) & (y >= 0) & (y < size[0])  # NaN is not
            x, y = x[kept], y[kept]
            kept = moved_by(matrix, x, y)[2] > 0
        else:
            kept = survives(change, size, x, y)
        x, y = x[kept], y[kept]
    return float(contains(thing, x, y).sum() / fine**2)


def seen_cells(map_x, map_y, size, cells: int = 2, fine: int = 12) -> np.ndarray:
    """Which cells of a picture, so many to a pixel's side, some pixel takes its colour from.

    Each pixel is looked at in so many points a side, between which the maps are interpolated: the points are then
    closer to each other than cells, unless neighbours are further apart than ``fine / cells`` pixels.
    """
    import cv2

    x, y = (
        cv2.resize(np.float32(each), None, fx=fine, fy=fine, interpolation=cv2.INTER_LINEAR) for each in (map_x, map_y)
    )
    column, row = (np.floor((each + 0.5) * cells).astype(int) for each in (x, y))
    inside = (column >= 0) & (row >= 0) & (column < size[1] * cells) & (row < size[0] * cells)
    seen = np.zeros((size[0] * cells, size[1] * cells), dtype=bool)
    seen[row[inside], column[inside]] = True
    return seen
