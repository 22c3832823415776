"""The laws of host crops and what the guard makes of them, from their definition: by listing sizes and positions."""

import itertools
import math
from collections import defaultdict

import numpy as np

import safeaug as sa
from tests import oracle

IMAGE = (9, 12)


def feasible(boxes, policy, size, output, image_size=IMAGE):
    frame = (0, 0, image_size[1], image_size[0])
    limits = [policy.limit_of(None)] * len(boxes)
    clipped = [oracle.clipped(box, image_size) for box in boxes]
    return [
        window
        for window in oracle.windows(frame, size)
        if oracle.satisfies(clipped, window, limits, policy, image_size, output(size))
    ]


def keep_scale_law(sizes, boxes, policy, output, lattice, fallback=None, allowed=lambda window: True):
    """Law of the window. `sizes` maps a size to its probability; `fallback` is a point mass (window, probability)."""
    good = {size: list(filter(allowed, feasible(boxes, policy, size, output))) for size in {*sizes, *lattice}}
    law = defaultdict(float)
    bad = sum(p for size, p in sizes.items() if not good[size])
    point, point_share = fallback or (None, 0.0)
    for size, p in sizes.items():
        if good[size]:
            # Drawn at once, or after k infeasible sizes.
            chance = p * sum(bad**k for k in range(policy.tries + 1))
            uniform = chance
            if point and oracle_size(point) == size and point in good[size]:
                # Of the first draw that is the fallback's point and passes, nothing moves.
                uniform -= point_share
                law[point] += point_share
            for window in good[size]:
                law[window] += uniform / len(good[size])
        else:
            nearest = next((other for other in oracle.nearest_first(size, lattice) if good[other]), None)
            assert nearest is not None, "a law for scenes that can be met"
            for window in good[nearest]:
                law[window] += p * bad**policy.tries / len(good[nearest])
    return law


def oracle_size(window):
    return window[3] - window[1], window[2] - window[0]


def joint_law(sizes, boxes, policy, output):
    """Host law conditioned on success within the redraws; else sizes by the share of positions that pass."""
    good = {size: feasible(boxes, policy, size, output) for size in sizes}
    positions = {size: (IMAGE[0] - size[0] + 1) * (IMAGE[1] - size[1] + 1) for size in sizes}
    share = {size: len(good[size]) / positions[size] for size in sizes}
    law = defaultdict(float)
    success = sum(p * share[size] for size, p in sizes.items())
    for size, p in sizes.items():
        for window in good[size]:
            law[window] += p / positions[size] * sum((1 - success) ** k for k in range(policy.tries + 1))
    for drawn in itertools.product(sizes, repeat=policy.tries + 1):
        chance = math.prod(sizes[size] * (1 - share[size]) for size in drawn)
        total = sum(share[size] for size in drawn)
        for size in drawn:
            for window in good[size]:
                law[window] += chance * share[size] / total / len(good[size])
    return law


SCENES = {
    "corner": ([(0, 0, 3, 3)], sa.Policy(min_retention=0.6)),
    "two": ([(1, 1, 4, 4), (6, 3, 9, 6)], sa.Policy(min_retention=0.4)),
    "fractional": ([(2.3, 1.7, 5.1, 6.2)], sa.Policy(min_retention=0.9)),
    "any": ([(0, 0, 3, 3), (9, 6, 12, 9)], sa.Policy(min_retention=0.9, keep="any")),
    "whole": ([(1, 1, 4, 4), (5, 2, 9, 6)], sa.Policy(min_retention=0.5, keep="whole")),
    "k": ([(1, 1, 4, 4), (5, 2, 9, 6), (0, 6, 3, 9)], sa.Policy(min_retention=0.5, keep=2)),
    "close-up": ([(0, 0, 11, 9)], sa.Policy(min_retention=0.9, min_fill=0.8)),
}


def resized_crop_sizes(image_size, scale, ratio, attempts=10, grid=3000):
    """Probability of each size of the host's RandomResizedCrop, and of its fallback, by midpoint integration."""
    height, width = image_size
    u = (np.arange(grid) + 0.5) / grid
    area = height * width * (scale[0] + (scale[1] - scale[0]) * u)[:, None]
    aspect = np.exp(math.log(ratio[0]) + (math.log(ratio[1]) - math.log(ratio[0])) * u)[None, :]
    w = np.round(np.sqrt(area * aspect)).astype(int).ravel()
    h = np.round(np.sqrt(area / aspect)).astype(int).ravel()
    fits = (w > 0) & (w <= width) & (h > 0) & (h <= height)
    sizes = {}
    codes, counts = np.unique(h[fits] * 100 + w[fits], return_counts=True)
    misses = 1 - fits.mean()
    for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
        sizes[divmod(code, 100)] = count / grid**2 * sum(misses**k for k in range(attempts))
    in_ratio = width / height
    if in_ratio < ratio[0]:
        size = round(width / ratio[0]), width
    elif in_ratio > ratio[1]:
        size = height, round(height * ratio[1])
    else:
        size = height, width
    x, y = (width - size[1]) // 2, (height - size[0]) // 2
    return sizes, ((x, y, x + size[1], y + size[0]), misses**attempts)
