"""The obvious loops: what every function of floors 1–3 is compared with.

Nothing here is taken from the package but the records that it speaks in. `ease` scales the tolerance: a count that
lies between the oracle at 1 - 1e-6 and at 1 + 1e-6 is exact but for ties that floating point cannot decide.
"""

from collections.abc import Iterator
from math import hypot, inf, log

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
