"""The exact law of every guarded crop, against enumeration.

The law of a host crop is written down here from its definition: which sizes with which probability, positions uniform.
What the guard makes of it follows from the law of the design: `keep_scale_law` and `joint_law` compute it by listing
every size, every position and every sequence of redraws.
"""

import itertools
import math
import random
from collections import Counter, defaultdict
from types import SimpleNamespace

import albumentations as A
import numpy as np
import pytest

import safeaug as sa
from safeaug.content import content_of
from safeaug.search import search
from tests import oracle
from tests.crop_laws import (
    IMAGE,
    SCENES,
    feasible,
    joint_law,
    keep_scale_law,
    oracle_size,
    resized_crop_sizes,
)
from tests.hosts import ToyHost
from tests.oracle import Thing, known
from tests.statistics import assert_law, draws_for
from tests.table import TheirCrop, window_of


def lattice_of(crop, image_size=IMAGE):
    """The sizes that a guarded crop tries when the draws of the host are used up."""
    return list(crop.kind.lattice(SimpleNamespace(transform=crop, image_size=image_size)))


def drawn_windows(crop, boxes, draws, image_size=IMAGE, **more):
    """Windows that a drop-in applies, as its parameters say them."""
    height, width = image_size
    crop.set_processors({"bboxes": A.core.bbox_utils.BboxProcessor(A.BboxParams("albumentations"))})  # as in a Compose
    data = dict(more)
    if boxes is not None:
        data["bboxes"] = np.array(boxes, dtype=np.float64) / [width, height, width, height]
    params = {"shape": (height, width, 3)}
    counts = Counter()
    for _ in range(draws):
        counts[window_of(crop.get_params_dependent_on_data(params, data), image_size)] += 1
    return counts


def assert_drawn(crop, boxes, law, **more):
    """Assert that a drop-in's windows follow a law."""
    assert_law(drawn_windows(crop, boxes, draws_for(law), **more), law)


@pytest.mark.parametrize("scene, sampling", [*((scene, "keep_scale") for scene in SCENES), ("two", "joint")])
def test_random_crop(scene, sampling):
    """With one size the two laws are one."""
    boxes, policy = SCENES[scene]
    policy = sa.Policy(**{**policy.to_dict(), "sampling": sampling})
    crop = sa.albumentations.RandomCrop(6, 7, policy=policy)
    crop.set_random_seed(1)
    good = feasible(boxes, policy, (6, 7), lambda size: size)
    assert_drawn(crop, boxes, dict.fromkeys(good, 1 / len(good)))


@pytest.mark.parametrize("scene", SCENES)
def test_random_sized_crop_keeps_the_scale(scene):
    boxes, policy = SCENES[scene]
    crop = sa.albumentations.RandomSizedCrop((2, 9), (8, 8), w2h_ratio=1.3, policy=policy)
    crop.set_random_seed(2)
    sizes = Counter()
    for height in range(2, 10):
        sizes[(height, min(int(height * 1.3), IMAGE[1]))] += 1 / 8
    law = keep_scale_law(sizes, boxes, policy, lambda size: (8, 8), list(sizes))
    assert_drawn(crop, boxes, law)


@pytest.mark.parametrize("scene", ["corner", "two", "any", "whole"])
def test_random_sized_crop_jointly(scene):
    boxes, policy = SCENES[scene]
    policy = sa.Policy(**{**policy.to_dict(), "sampling": "joint", "tries": 2})
    crop = sa.albumentations.RandomSizedCrop((6, 9), (8, 8), w2h_ratio=1.3, policy=policy)
    crop.set_random_seed(3)
    sizes = {(height, min(int(height * 1.3), IMAGE[1])): 1 / 4 for height in range(6, 10)}
    assert_drawn(crop, boxes, joint_law(sizes, boxes, policy, lambda size: (8, 8)))


@pytest.mark.parametrize("scene", [*SCENES, "fallback kept", "fallback moved"])
def test_random_resized_crop_keeps_the_scale(scene):
    boxes, policy = SCENES.get(scene, ([(4.0, 2.0, 8.0, 7.0)] if scene == "fallback kept" else [(0, 0, 3, 4)], None))
    policy = policy or sa.Policy()
    # For the fallback scenes a narrow scale and ratio, with which the host falls back in a fifth of its draws.
    scale, ratio = ((0.55, 1.0), (0.7, 0.78)) if scene.startswith("fallback") else ((0.08, 0.9), (0.75, 1.33))
    sizes, (point, point_share) = resized_crop_sizes(IMAGE, scale, ratio)
    crop = sa.albumentations.RandomResizedCrop((8, 8), scale, ratio, policy=policy)
    crop.set_random_seed(4)
    lattice = lattice_of(crop)
    assert 1 <= len(lattice) <= 64
    every = Counter(sizes)
    every[oracle_size(point)] += point_share
    law = keep_scale_law(every, boxes, policy, lambda size: (8, 8), lattice, (point, point_share))
    if scene.startswith("fallback"):
        assert point_share > 0.15
        passes = point in feasible(boxes, policy, oracle_size(point), lambda size: (8, 8))
        assert passes == (scene == "fallback kept")
    assert_drawn(crop, boxes, law)


def test_random_resized_crop_jointly():
    boxes, policy = [(1, 1, 5, 5), (6, 3, 9, 6)], sa.Policy(min_retention=0.4, sampling="joint", tries=1)
    scale, ratio = (0.45, 0.8), (0.9, 1.3)
    sizes, (_, point_share) = resized_crop_sizes(IMAGE, scale, ratio)
    assert point_share < 1e-6
    sizes = {size: p / sum(sizes.values()) for size, p in sizes.items()}
    crop = sa.albumentations.RandomResizedCrop((8, 8), scale, ratio, policy=policy)
    crop.set_random_seed(6)
    assert_drawn(crop, boxes, joint_law(sizes, boxes, policy, lambda size: (8, 8)))


@pytest.mark.parametrize("position, top", [("center", 1), ("top_left", 0), ("bottom_right", 2)])
def test_random_crop_of_a_padded_image(position, top):
    """The window may reach into the padding; the law is uniform on the positions in the padded image that pass."""
    boxes, policy = [(0, 5, 4, 9)], sa.Policy(min_retention=0.7)
    crop = sa.albumentations.RandomCrop(11, 7, pad_if_needed=True, pad_position=position, policy=policy)
    crop.set_random_seed(7)
    frame = (0, -top, IMAGE[1], IMAGE[0] + 2 - top)
    good = [w for w in oracle.windows(frame, (11, 7)) if oracle.satisfies(boxes, w, [0.7], policy, IMAGE, (11, 7))]
    assert_drawn(crop, boxes, dict.fromkeys(good, 1 / len(good)))


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
    areas = {height * width / 1e4 for height, width in lattice_of(resized, (100, 100))}
    squares = sa.albumentations.RandomResizedCrop((8, 8), scale=(0.25, 0.81), ratio=(1.0, 1.0))
    assert (min(areas), max(areas)) == pytest.approx((0.25, 0.81), abs=0.02)
    assert {(50, 50), (90, 90)} <= set(lattice_of(squares, (100, 100)))
    sized = sorted(lattice_of(sa.albumentations.RandomSizedCrop((20, 90), (8, 8)), (100, 100)))
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


# Crops of each border


def evenly(low, high):
    """Eight whole numbers from low to high, as the lattice has them."""
    return [low + round((high - low) * i / 7) for i in range(8)]


@pytest.mark.parametrize("scene", ["corner", "two", "fractional", "any", "whole", "k"])
def test_random_crop_from_borders_keeps_the_scale(scene):
    """Each side begins and ends by itself; given the size the host is uniform, and so is the guard on what passes."""
    boxes, policy = SCENES[scene]
    starts, ends = {"x": range(4), "y": range(4)}, {"x": range(9, 13), "y": range(6, 10)}
    crop = sa.albumentations.RandomCropFromBorders(0.3, 0.25, 0.34, 0.3, policy=policy)
    crop.set_random_seed(8)
    sizes = Counter()
    for x0, x1, y0, y1 in itertools.product(starts["x"], ends["x"], starts["y"], ends["y"]):
        sizes[y1 - y0, x1 - x0] += 1 / 4**4
    lattice = sorted(set(itertools.product(evenly(3, 9), evenly(6, 12))))

    def allowed(window):
        x0, y0, x1, y1 = window
        return x0 in starts["x"] and y0 in starts["y"] and x1 in ends["x"] and y1 in ends["y"]

    law = keep_scale_law(sizes, boxes, policy, lambda size: size, lattice, allowed=allowed)
    assert_drawn(crop, boxes, law)


# One window: the smallest shift


@pytest.mark.parametrize("make", ["CenterCrop", "Crop"])
def test_a_fixed_window_moves_by_the_smallest_shift(make):
    """The nearest window that passes; of equals the first by (dy, dx). Boxes on whole pixels make ties frequent."""
    rng = random.Random(3)
    moved = tied = 0
    for _ in range(2000):
        image_size = rng.randint(4, 12), rng.randint(4, 12)
        size = rng.randint(1, image_size[0]), rng.randint(1, image_size[1])
        if make == "CenterCrop":
            x, y = (image_size[1] - size[1]) // 2, (image_size[0] - size[0]) // 2
            arguments = size
        else:
            x, y = rng.randint(0, image_size[1] - size[1]), rng.randint(0, image_size[0] - size[0])
            arguments = x, y, x + size[1], y + size[0]
        boxes = []
        for _ in range(rng.randint(1, 3)):
            (x0, x1), (y0, y1) = (sorted(rng.sample(range(side + 1), 2)) for side in image_size[::-1])
            boxes.append((x0, y0, x1, y1))
        policy = sa.Policy(min_retention=rng.choice([0.3, 0.5, 1.0]), keep=rng.choice(["all", "any", "whole", 2]))
        crop = getattr(sa.albumentations, make)(*arguments, policy=policy, report_key="report")
        (window,) = drawn_windows(crop, boxes, 1, image_size)
        good = feasible(boxes, policy, size, lambda each: each, image_size)
        if good:
            corners = [each[:2] for each in good]
            assert window[:2] == oracle.nearest((x, y), corners)
            assert oracle_size(window) == size
            moved += window[:2] != (x, y)
            far = [(a - x) ** 2 + (b - y) ** 2 for a, b in corners]
            tied += far.count(min(far)) > 1
    assert moved > 100
    assert tied > 20


# Hosts that keep a promise of their own


def own_law(host, good, tries, lattice=()):
    """Law of draws of the host, up to ``tries`` more, then uniform within both promises.

    ``host`` maps a window to its probability, ``good`` gives the windows of a size that keep both promises. Several
    sizes are followed through for no tries, or for so many that one of them passes.
    """
    sets = {size: good(size) for size in {oracle_size(window) for window in host} | set(lattice)}
    success = sum(p for window, p in host.items() if window in sets[oracle_size(window)])
    sizes = {oracle_size(window) for window in host}
    never = (1 - success) ** (tries + 1)
    assert len(sizes) == 1 or tries == 0 or never < 1e-9
    law = defaultdict(float)
    for window, p in host.items():
        size = oracle_size(window)
        if window in sets[size]:
            law[window] += p * sum((1 - success) ** k for k in range(tries + 1))
        elif never >= 1e-9:
            at = size if sets[size] else next(each for each in oracle.nearest_first(size, lattice) if sets[each])
            for other in sets[at]:
                law[other] += p * (1 - success) ** tries / len(sets[at])
    total = sum(law.values())
    return {window: p / total for window, p in law.items()}


def floors(low, high):
    """Probability of each whole number that a uniform number between two others is rounded down to."""
    if high == low:
        return {math.floor(low): 1.0}
    ends = range(math.floor(low), math.ceil(high))
    return {k: (min(k + 1, high) - max(k, low)) / (high - low) for k in ends}


def product_law(x0, x1, y0, y1):
    """Law of windows whose sides are drawn one by one."""
    law = defaultdict(float)
    for (a, p), (b, q), (c, r), (d, s) in itertools.product(x0.items(), y0.items(), x1.items(), y1.items()):
        law[a, b, c, d] += p * q * r * s
    return law


@pytest.mark.parametrize("tries", [0, 1, 60])
@pytest.mark.parametrize("erosion", [0.0, 0.5, 1.0])
def test_at_least_one_box(erosion, tries):
    boxes, size = [(0, 0, 5, 4), (5, 3, 10, 7)], (6, 8)
    policy = sa.Policy(min_retention=0.4, tries=tries)
    crop = sa.albumentations.AtLeastOneBBoxRandomCrop(*size, erosion_factor=erosion, policy=policy)
    crop.set_random_seed(9)
    host, height, width = defaultdict(float), *size
    for x0, y0, x1, y1 in boxes:
        wide, high = (x1 - x0) * (1 - erosion), (y1 - y0) * (1 - erosion)
        x = floors(*sorted(min(max(end, 0), IMAGE[1] - width) for end in (x0 + wide - width, x1 - wide)))
        y = floors(*sorted(min(max(end, 0), IMAGE[0] - height) for end in (y0 + high - height, y1 - high)))
        for (a, p), (b, q) in itertools.product(x.items(), y.items()):
            host[a, b, a + width, b + height] += p * q / len(boxes)
    # A bound on a whole number is a position too, though the host draws it with probability 0.
    reach = {
        (x, y)
        for x0, y0, x1, y1 in boxes
        for x in between(x0, x1, width, IMAGE[1], erosion)
        for y in between(y0, y1, height, IMAGE[0], erosion)
    }

    def good(each):
        return [window for window in feasible(boxes, policy, each, lambda size: size) if window[:2] in reach]

    assert good(size)
    assert_drawn(crop, boxes, own_law(host, good, tries))


def between(low, high, length, side, erosion):
    shrunk = (high - low) * (1 - erosion)
    ends = sorted(min(max(end, 0), side - length) for end in (low + shrunk - length, high - shrunk))
    return range(math.floor(ends[0]), math.floor(ends[1]) + 1)


@pytest.mark.parametrize("tries", [0, 200])
@pytest.mark.parametrize("resized", [True, False])
def test_around_the_union_of_the_boxes(resized, tries):
    """The host holds the union shrunk by half, and rounds its right and lower side down."""
    boxes, policy = [(1.5, 1.5, 4.5, 5.5), (6.5, 3.5, 10.5, 7.5)], sa.Policy(min_retention=0.6, tries=tries)
    kind = sa.albumentations.RandomSizedBBoxSafeCrop if resized else sa.albumentations.BBoxSafeRandomCrop
    crop = kind(*((8, 8) if resized else ()), erosion_rate=0.5, policy=policy)
    crop.set_random_seed(10)
    height, width = IMAGE
    x0, y0, x1, y1 = 3.75, 3.0, 8.25, 6.0
    host = product_law(floors(0, x0), floors(x1, width), floors(0, y0 - 1e-9), floors(y1, height))
    lattice = set(itertools.product(evenly(6 - 3, height), evenly(8 - 3, width)))

    def good(size):
        windows = feasible(boxes, policy, size, lambda each: (8, 8) if resized else each)
        return [each for each in windows if each[0] <= 3 and each[1] <= 3 and each[2] >= 8 and each[3] >= 6]

    assert_drawn(crop, boxes, own_law(host, good, tries, lattice))


class Always(random.Random):
    """A generator of one number; of whole numbers and choices the first."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def random(self):
        return self.number

    def choice(self, seq):
        return seq[0]


def extreme_windows(crop, image_size, rows):
    """The host's own draws where every uniform number is the least, and where it is the greatest."""
    host = getattr(A, type(crop).__name__).get_params_dependent_on_data
    for number in (0.0, 1 - 2.0**-53):
        crop.set_random_state(np.random.default_rng(0), Always(number))
        yield tuple(map(int, host(crop, {"shape": (*image_size, 3)}, {"bboxes": rows})["crop_coords"]))


def single_precision_scenes(count=400):
    """Boxes on whole pixels as a Compose hands them over: in float32, where 30 of 97 pixels are 29.9999998."""
    rng = random.Random(2)
    for _ in range(count):
        height, width = image_size = rng.randint(20, 120), rng.randint(20, 120)
        (x0, x1), (y0, y1) = (sorted(rng.sample(range(1, side), 2)) for side in (width, height))
        rows = np.array([[x0, y0, x1, y1]]) / [width, height, width, height]
        yield image_size, rows.astype(np.float32)


def test_around_boxes_the_domain_ends_where_the_hosts_draws_end():
    """The smallest window that the host can draw has one position, and a smaller one none: in its own precision."""
    crop = sa.albumentations.BBoxSafeRandomCrop()
    for image_size, rows in single_precision_scenes():
        least, greatest = extreme_windows(crop, image_size, rows)
        draw = SimpleNamespace(
            transform=crop, data={"bboxes": rows}, image_size=image_size, frame=(0, 0, *image_size[::-1])
        )
        x0, y0, x1, y1 = greatest[0], greatest[1], least[2], least[3]  # it begins last and ends first
        assert crop.kind.domain(draw, (y1 - y0, x1 - x0)) == (x0, x0, y0, y0)
        narrow, low = crop.kind.domain(draw, (y1 - y0, x1 - x0 - 1)), crop.kind.domain(draw, (y1 - y0 - 1, x1 - x0))
        assert narrow.x0 > narrow.x1
        assert low.y0 > low.y1


def test_around_one_box_the_domain_ends_where_the_hosts_draws_end():
    """One further where the bound is a whole number: there the shrunk box is still held, though no draw gets so far."""
    further = 0
    for image_size, rows in single_precision_scenes():
        size = image_size[0] * 2 // 3, image_size[1] * 2 // 3
        crop = sa.albumentations.AtLeastOneBBoxRandomCrop(*size, erosion_factor=0.25)
        least, greatest = extreme_windows(crop, image_size, rows)
        draw = SimpleNamespace(transform=crop, data={"bboxes": rows}, image_size=image_size)
        columns, lines = np.nonzero(crop.kind.within(draw, size))
        for reached, axis in ((columns, 0), (lines, 1)):
            assert reached.min() == least[axis]
            low, high = rows[0, axis] * image_size[1 - axis], rows[0, axis + 2] * image_size[1 - axis]
            held = reached.max() <= high - 0.75 * (high - low) + 1e-4
            assert reached.max() == greatest[axis] or (reached.max() == greatest[axis] + 1 and held)
            further += reached.max() > greatest[axis]
    assert 0 < further < 400


@pytest.mark.parametrize("tries", [0, 200])
def test_near_a_given_box(tries):
    boxes, policy = [(2, 1, 6, 5), (5, 4, 9, 8)], sa.Policy(min_retention=0.5, tries=tries)
    crop = sa.albumentations.RandomCropNearBBox((0.4, 0.3), policy=policy)
    crop.set_random_seed(11)
    near = (3, 2, 9, 7)
    across, down = round(6 * 0.3), round(5 * 0.4)
    sides = [
        {low + k: 1 / (2 * shift + 1) for k in range(-shift, shift + 1)}
        for low, shift in zip(near, (across, down, across, down), strict=True)
    ]
    host = product_law(sides[0], sides[2], sides[1], sides[3])
    lattice = set(itertools.product(evenly(5 - 2 * down, 5 + 2 * down), evenly(6 - 2 * across, 6 + 2 * across)))

    def good(size):
        windows = feasible(boxes, policy, size, lambda each: each)
        return [each for each in windows if all(side in may for side, may in zip(each, sides, strict=True))]

    assert_drawn(crop, boxes, own_law(host, good, tries, lattice), cropping_bbox=near)


MASK = np.zeros(IMAGE, np.uint8)
MASK[1:5, 2:4], MASK[3:5, 4:8], MASK[7, 11] = 1, 2, 1


@pytest.mark.parametrize("tries", [0, 2, 60])
@pytest.mark.parametrize("boxes", [None, [(0, 5, 5, 9)]], ids=["its mask", "boxes"])
def test_around_a_pixel_of_a_mask(boxes, tries):
    """The host picks a pixel of the mask and shifts the window about it. Without boxes its mask is what is kept."""
    size, policy = (5, 6), sa.Policy(min_retention=0.6, tries=tries)
    crop = sa.albumentations.CropNonEmptyMaskIfExists(*size, policy=policy)
    crop.set_random_seed(12)
    pixels = np.argwhere(MASK).tolist()
    host = defaultdict(float)
    for (row, column), dx, dy in itertools.product(pixels, range(size[1]), range(size[0])):
        x, y = min(max(column - dx, 0), IMAGE[1] - size[1]), min(max(row - dy, 0), IMAGE[0] - size[0])
        host[x, y, x + size[1], y + size[0]] += 1 / (len(pixels) * size[0] * size[1])

    def share(window):
        x0, y0, x1, y1 = window
        return (MASK[y0:y1, x0:x1] > 0).sum() / (MASK > 0).sum()

    def good(each):
        if boxes is None:
            return [window for window in oracle.windows((0, 0, IMAGE[1], IMAGE[0]), each) if share(window) >= 0.6]
        return [window for window in feasible(boxes, policy, each, lambda size: size) if share(window) > 0]

    assert_drawn(crop, boxes, own_law(host, good, tries), mask=MASK)


# Sides that are cut or padded one by one


@pytest.mark.parametrize("tries", [0, 2])
def test_crop_and_pad(tries):
    """The host anew, up to ``tries`` times; then the first draw with its sides moved out to the objects."""
    boxes, policy = [(1.5, 0.5, 4.0, 3.0), (8.0, 5.0, 11.0, 8.5)], sa.Policy(min_retention=0.8, tries=tries)
    crop = sa.albumentations.CropAndPad(px=(-3, 2), policy=policy)
    crop.set_random_seed(13)
    height, width = IMAGE
    side = dict.fromkeys(range(-3, 2), 1 / 5)
    starts = {-cut: p for cut, p in side.items()}
    host = product_law(
        starts, {width + cut: p for cut, p in side.items()}, starts, {height + cut: p for cut, p in side.items()}
    )
    passes = {window: oracle.satisfies(boxes, window, [0.8] * 2, policy, IMAGE, IMAGE) for window in host}
    fails = sum(p for window, p in host.items() if not passes[window])
    assert 0.3 < fails < 0.95
    law = defaultdict(float)
    for window, p in host.items():
        if passes[window]:
            law[window] += p * sum(fails**k for k in range(tries + 1))
        else:
            x0, y0, x1, y1 = window
            law[min(x0, 1), min(y0, 0), max(x1, 11), max(y1, 9)] += p * fails**tries
    assert_drawn(crop, boxes, law)


# Resizes


def test_random_scale_is_uniform_on_the_scales_that_pass():
    box, floor = (4.0, 6.0, 24.0, 21.0), 180.0
    crop = sa.albumentations.RandomScale((-0.7, 0.5), p=1, min_visible_pixels=floor)
    crop.set_random_seed(14)
    crop.set_processors({"bboxes": A.core.bbox_utils.BboxProcessor(A.BboxParams("albumentations"))})
    height, width = size = (70, 90)
    data = {"bboxes": np.array([box]) / [width, height, width, height]}

    def seen(scale):
        return oracle.area(box) * int(height * scale) * int(width * scale) / (height * width)

    grid = np.linspace(0.3, 1.5, 120_001)
    least = next(scale for scale in grid if seen(scale) >= floor)
    assert 0.6 < least < 1.0
    counts = Counter()
    for _ in range(10_000):
        params = {**crop.get_params(), "shape": (*size, 3)}
        scale = crop.get_params_dependent_on_data(params, data)["scale"]
        assert least - 1e-4 <= scale <= 1.5
        counts[min(int((scale - least) / (1.5 - least) * 20), 19) if scale > least else 0] += 1
    assert_law(counts, dict.fromkeys(range(20), 1 / 20))


@pytest.mark.parametrize("kind", ["LongestMaxSize", "SmallestMaxSize"])
def test_of_several_sizes_those_that_pass_are_equally_likely(kind):
    sizes, side = [30, 45, 60, 90], 90 if kind == "LongestMaxSize" else 70
    crop = getattr(sa.albumentations, kind)(sizes, min_visible_pixels=80)
    crop.set_random_seed(15)
    crop.set_processors({"bboxes": A.core.bbox_utils.BboxProcessor(A.BboxParams("albumentations"))})
    data = {"bboxes": np.array([[4.0, 6, 24, 16]]) / [90, 70, 90, 70]}
    good = [each for each in sizes if 200 * round(70 * each / side) * round(90 * each / side) / 6300 >= 80]
    assert 1 < len(good) < 4
    counts = Counter()
    for _ in range(6_000):
        drawn = crop.get_params_dependent_on_data({"shape": (70, 90, 3)}, data)
        assert "crop_coords" not in drawn
        counts[round(drawn["scale"] * side)] += 1
    assert_law(counts, dict.fromkeys(good, 1 / len(good)))


# Objects that are more than boxes


def soft():
    return np.round(np.random.default_rng(4).random(IMAGE) ** 4, 3)


THINGS = {
    "mask": [Thing("mask", (MASK > 0).tolist())],
    "soft mask": [Thing("mask", soft().tolist())],
    "two masks": [Thing("mask", (MASK == 1).tolist()), Thing("mask", (MASK == 2).tolist())],
    "keypoints": [Thing("keypoints", [(1.0, 1.0), (6.0, 2.0), (4.5, 6.5), (7.0, 7.0)])],
    "two instances": [Thing("keypoints", [(1.0, 1.0), (3.0, 2.0)]), Thing("keypoints", [(6.0, 5.0), (9.0, 6.0)])],
    "polygon": [Thing("polygon", [(1.5, 1.0), (8.0, 2.5), (4.0, 8.0)])],
}


@pytest.mark.parametrize("name", THINGS)
@pytest.mark.parametrize("make", ["RandomCrop", "somebody else's"])
def test_random_crop_is_uniform_on_what_keeps_masks_keypoints_and_polygons(name, make):
    things, size = THINGS[name], (6, 8) if name == "soft mask" else (5, 6)
    kind = "keypoints" if name in {"keypoints", "two instances"} else "polygons" if name == "polygon" else "masks"
    policy = sa.Policy(min_retention=0.5 if kind == "keypoints" or name == "soft mask" else 0.75)

    def protect(_):
        return {kind: [np.array(thing.data) for thing in things]}

    if make == "RandomCrop":
        crop = sa.albumentations.RandomCrop(*size, policy=policy, protect=protect)
    else:
        crop = sa.albumentations.Safe(TheirCrop(*size), policy=policy, protect=protect)
    crop.set_random_seed(16)
    judged = [known(thing, IMAGE) for thing in things]
    good = [
        window
        for window in oracle.windows((0, 0, IMAGE[1], IMAGE[0]), size)
        if oracle.does(judged, window, [policy.limit_of(None)] * len(judged), policy, size)
    ]
    positions = (IMAGE[0] - size[0] + 1) * (IMAGE[1] - size[1] + 1)
    assert 1 < len(good) < positions
    image = np.zeros((*IMAGE, 3), np.uint8)
    assert_drawn(crop, None, dict.fromkeys(good, 1 / len(good)), image=image)
