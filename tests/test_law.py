"""The exact law of every guarded crop, against enumeration.

The law of a host crop is written down here from its definition: which sizes with which probability, positions uniform.
What the guard makes of it follows from the law of the design: `keep_scale_law` and `joint_law` compute it by listing
every size, every position and every sequence of redraws.
"""

import itertools
import math
import random
from collections import Counter, defaultdict

import albumentations as A
import numpy as np
import pytest

import safeaug as sa
from safeaug.content import content_of
from safeaug.search import search
from tests import oracle
from tests.hosts import ToyHost
from tests.statistics import assert_law

IMAGE = (9, 12)
DRAWS = 30_000


def feasible(boxes, policy, size, output, image_size=IMAGE):
    frame = (0, 0, image_size[1], image_size[0])
    limits = [policy.limit_of(None)] * len(boxes)
    clipped = [oracle.clipped(box, image_size) for box in boxes]
    return [
        window
        for window in oracle.windows(frame, size)
        if oracle.satisfies(clipped, window, limits, policy, image_size, output(size))
    ]


def keep_scale_law(sizes, boxes, policy, output, lattice, fallback=None):
    """Law of the window. `sizes` maps a size to its probability; `fallback` is a point mass (window, probability)."""
    good = {size: feasible(boxes, policy, size, output) for size in {*sizes, *lattice}}
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


def drawn_windows(crop, boxes, draws=DRAWS, image_size=IMAGE):
    """Windows that a drop-in applies, by the host's own key."""
    height, width = image_size
    crop.set_processors({"bboxes": A.core.bbox_utils.BboxProcessor(A.BboxParams("albumentations"))})  # as in a Compose
    data = {"bboxes": np.array(boxes, dtype=np.float64) / [width, height, width, height]}
    params = {"shape": (height, width, 3)}
    counts = Counter()
    for _ in range(draws):
        window = crop.get_params_dependent_on_data(params, data)["crop_coords"]
        counts[tuple(map(int, window))] += 1
    return counts


SCENES = {
    "corner": ([(0, 0, 3, 3)], sa.Policy(min_retention=0.6)),
    "two": ([(1, 1, 4, 4), (6, 3, 9, 6)], sa.Policy(min_retention=0.4)),
    "fractional": ([(2.3, 1.7, 5.1, 6.2)], sa.Policy(min_retention=0.9)),
    "any": ([(0, 0, 3, 3), (9, 6, 12, 9)], sa.Policy(min_retention=0.9, keep="any")),
    "whole": ([(1, 1, 4, 4), (5, 2, 9, 6)], sa.Policy(min_retention=0.5, keep="whole")),
    "k": ([(1, 1, 4, 4), (5, 2, 9, 6), (0, 6, 3, 9)], sa.Policy(min_retention=0.5, keep=2)),
    "close-up": ([(0, 0, 11, 9)], sa.Policy(min_retention=0.9, min_fill=0.8)),
}


@pytest.mark.parametrize("scene, sampling", [*((scene, "keep_scale") for scene in SCENES), ("two", "joint")])
def test_random_crop(scene, sampling):
    """With one size the two laws are one."""
    boxes, policy = SCENES[scene]
    policy = sa.Policy(**{**policy.to_dict(), "sampling": sampling})
    crop = sa.albumentations.RandomCrop(6, 7, policy=policy)
    crop.set_random_seed(1)
    good = feasible(boxes, policy, (6, 7), lambda size: size)
    assert_law(drawn_windows(crop, boxes), dict.fromkeys(good, 1 / len(good)))


@pytest.mark.parametrize("scene", SCENES)
def test_random_sized_crop_keeps_the_scale(scene):
    boxes, policy = SCENES[scene]
    crop = sa.albumentations.RandomSizedCrop((2, 9), (8, 8), w2h_ratio=1.3, policy=policy)
    crop.set_random_seed(2)
    sizes = Counter()
    for height in range(2, 10):
        sizes[(height, min(int(height * 1.3), IMAGE[1]))] += 1 / 8
    law = keep_scale_law(sizes, boxes, policy, lambda size: (8, 8), list(sizes))
    assert_law(drawn_windows(crop, boxes), law)


@pytest.mark.parametrize("scene", ["corner", "two", "any", "whole"])
def test_random_sized_crop_jointly(scene):
    boxes, policy = SCENES[scene]
    policy = sa.Policy(**{**policy.to_dict(), "sampling": "joint", "tries": 2})
    crop = sa.albumentations.RandomSizedCrop((6, 9), (8, 8), w2h_ratio=1.3, policy=policy)
    crop.set_random_seed(3)
    sizes = {(height, min(int(height * 1.3), IMAGE[1])): 1 / 4 for height in range(6, 10)}
    assert_law(drawn_windows(crop, boxes), joint_law(sizes, boxes, policy, lambda size: (8, 8)))


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


@pytest.mark.parametrize("scene", [*SCENES, "fallback kept", "fallback moved"])
def test_random_resized_crop_keeps_the_scale(scene):
    boxes, policy = SCENES.get(scene, ([(4.0, 2.0, 8.0, 7.0)] if scene == "fallback kept" else [(0, 0, 3, 4)], None))
    policy = policy or sa.Policy()
    # For the fallback scenes a narrow scale and ratio, with which the host falls back in a fifth of its draws.
    scale, ratio = ((0.55, 1.0), (0.7, 0.78)) if scene.startswith("fallback") else ((0.08, 0.9), (0.75, 1.33))
    sizes, (point, point_share) = resized_crop_sizes(IMAGE, scale, ratio)
    crop = sa.albumentations.RandomResizedCrop((8, 8), scale, ratio, policy=policy)
    crop.set_random_seed(4)
    lattice = list(crop.lattice(IMAGE))
    assert 1 <= len(lattice) <= 64
    every = Counter(sizes)
    every[oracle_size(point)] += point_share
    law = keep_scale_law(every, boxes, policy, lambda size: (8, 8), lattice, (point, point_share))
    if scene.startswith("fallback"):
        assert point_share > 0.15
        passes = point in feasible(boxes, policy, oracle_size(point), lambda size: (8, 8))
        assert passes == (scene == "fallback kept")
    assert_law(drawn_windows(crop, boxes), law)


def test_random_resized_crop_jointly():
    boxes, policy = [(1, 1, 5, 5), (6, 3, 9, 6)], sa.Policy(min_retention=0.4, sampling="joint", tries=1)
    scale, ratio = (0.45, 0.8), (0.9, 1.3)
    sizes, (_, point_share) = resized_crop_sizes(IMAGE, scale, ratio)
    assert point_share < 1e-6
    sizes = {size: p / sum(sizes.values()) for size, p in sizes.items()}
    crop = sa.albumentations.RandomResizedCrop((8, 8), scale, ratio, policy=policy)
    crop.set_random_seed(6)
    assert_law(drawn_windows(crop, boxes), joint_law(sizes, boxes, policy, lambda size: (8, 8)))


@pytest.mark.parametrize("position, top", [("center", 1), ("top_left", 0), ("bottom_right", 2)])
def test_random_crop_of_a_padded_image(position, top):
    """The window may reach into the padding; the law is uniform on the positions in the padded image that pass."""
    boxes, policy = [(0, 5, 4, 9)], sa.Policy(min_retention=0.7)
    crop = sa.albumentations.RandomCrop(11, 7, pad_if_needed=True, pad_position=position, policy=policy)
    crop.set_random_seed(7)
    frame = (0, -top, IMAGE[1], IMAGE[0] + 2 - top)
    good = [w for w in oracle.windows(frame, (11, 7)) if oracle.satisfies(boxes, w, [0.7], policy, IMAGE, (11, 7))]
    law = {(x0, y0 + top, x1, y1 + top): 1 / len(good) for x0, y0, x1, y1 in good}
    assert_law(drawn_windows(crop, boxes, 10_000), law)


@pytest.mark.parametrize("scene", SCENES)
def test_unguarded_shares(scene):
    """FIRST happens exactly as often as the host by itself passes: on the very draws on which it does."""
    boxes, policy = SCENES[scene]
    toy = ToyHost(IMAGE, ((6, 7), (4, 4), (9, 12)), (0.5, 0.3, 0.2))
    content = content_of(boxes, IMAGE, policy)
    for seed in range(2000):
        first = toy.draw(random.Random(seed))
        host = toy.host(random.Random(seed + 1))
        found = search(first, host, content, policy, lambda k, s=seed: random.Random(k + s).random)
        good = first in feasible(boxes, policy, oracle_size(first), lambda size: size) if seed < 300 else None
        if good is not None:
            assert (found.status is sa.Status.FIRST) == good
        assert (found.status is sa.Status.FIRST) == (found.window == first and found.status is not sa.Status.UNMET)


def test_the_lattice_holds_the_ends_of_the_hosts_range():
    resized = sa.albumentations.RandomResizedCrop((8, 8), scale=(0.25, 0.81), ratio=(0.5, 2.0))
    areas = {height * width / 1e4 for height, width in resized.lattice((100, 100))}
    squares = sa.albumentations.RandomResizedCrop((8, 8), scale=(0.25, 0.81), ratio=(1.0, 1.0))
    assert (min(areas), max(areas)) == pytest.approx((0.25, 0.81), abs=0.02)
    assert {(50, 50), (90, 90)} <= set(squares.lattice((100, 100)))
    sized = sorted(sa.albumentations.RandomSizedCrop((20, 90), (8, 8)).lattice((100, 100)))
    assert (sized[0], sized[-1]) == ((20, 20), (90, 90))


def test_both_ends_of_the_range_are_reached():
    crop = sa.albumentations.RandomCrop(6, 7, min_retention=0.0)
    crop.set_random_seed(0)
    plain = drawn_windows(crop, [(0, 0, 1, 1)], 3000)
    assert {x for x, *_ in plain} == set(range(6))
    assert {y for _, y, *_ in plain} == set(range(4))
    sized = sa.albumentations.RandomSizedCrop((2, 9), (8, 8))
    resized = sa.albumentations.RandomResizedCrop((8, 8), scale=(0.2, 0.9))
    for each, expected in ((sized, {2, 9}), (resized, {4, 9})):
        each.set_random_seed(0)
        heights = {y1 - y0 for _, y0, _, y1 in drawn_windows(each, [(4, 4, 6, 5)], 4000)}
        assert {min(heights), max(heights)} == expected
    # The object touches both ends of what is feasible: x from 0 to 3, y from 0 to 3, and each is drawn.
    moved = sa.albumentations.RandomCrop(6, 7, min_retention=1.0)
    moved.set_random_seed(0)
    counts = drawn_windows(moved, [(3, 3, 7, 6)], 3000)
    assert {x for x, *_ in counts} == {0, 1, 2, 3}
    assert {y for _, y, *_ in counts} == {0, 1, 2, 3}


def test_the_scale_is_kept_where_rejection_inflates_it():
    """A 1 % object in a corner, limit 0.5: mean crop area of plain, guarded, and of rejecting until it passes."""
    box = [(0, 0, 51.2, 51.2)]
    plain = sa.albumentations.RandomResizedCrop((224, 224), min_retention=0.0)
    guarded = sa.albumentations.RandomResizedCrop((224, 224))
    joint = sa.albumentations.RandomResizedCrop((224, 224), sampling="joint", tries=200)
    mean = {}
    for name, crop, draws in (("plain", plain, 20_000), ("guarded", guarded, 20_000), ("joint", joint, 2_000)):
        crop.set_random_seed(5)
        counts = drawn_windows(crop, box, draws, (512, 512))
        areas = sum((x1 - x0) * (y1 - y0) * count for (x0, y0, x1, y1), count in counts.items())
        mean[name] = areas / draws / 512**2
    assert abs(mean["guarded"] - mean["plain"]) < 0.02
    assert 0.46 < mean["plain"] < 0.50
    assert 0.77 < mean["joint"] < 0.81  # what rejection converges to
