"""The exact law of each guarded crop of torchvision, against enumeration; resizes against all that the host draws."""

import math
import random
from collections import Counter
from types import SimpleNamespace

import pytest
import torch
from torchvision import transforms as v1
from torchvision import tv_tensors
from torchvision.transforms import v2

import safeaug as sa
from safeaug.torchvision.windows import RandomCut, Resized
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
from tests.statistics import assert_law, draws_for

T = sa.torchvision


def leaves_of(boxes, image_size=IMAGE):
    canvas = tv_tensors.BoundingBoxes(
        torch.tensor(boxes, dtype=torch.float64).reshape(-1, 4), format="XYXY", canvas_size=image_size
    )
    return [tv_tensors.Image(torch.zeros(3, *image_size, dtype=torch.uint8)), canvas]


def drawn_windows(crop, boxes, draws, seed=1, pad=(0, 0), image_size=IMAGE):
    """Windows that a drop-in applies, as its parameters say them; ``pad`` is what the host adds at left and top."""
    torch.manual_seed(seed)
    leaves = leaves_of(boxes, image_size)
    counts = Counter()
    for _ in range(draws):
        drawn = crop.make_params(leaves)
        x, y = drawn["left"] - pad[0], drawn["top"] - pad[1]
        counts[x, y, x + drawn["width"], y + drawn["height"]] += 1
    return counts


def assert_drawn(crop, boxes, law, **more):
    """Assert that a drop-in's windows follow a law."""
    assert_law(drawn_windows(crop, boxes, draws_for(law), **more), law)


@pytest.mark.parametrize("scene, sampling", [*((scene, "keep_scale") for scene in SCENES), ("two", "joint")])
def test_random_crop(scene, sampling):
    """With one size the two laws are one."""
    boxes, policy = SCENES[scene]
    policy = sa.Policy(**{**policy.to_dict(), "sampling": sampling})
    good = feasible(boxes, policy, (6, 7), lambda size: size)
    crop = T.RandomCrop((6, 7), policy=policy)
    assert_drawn(crop, boxes, dict.fromkeys(good, 1 / len(good)))
    assert not {"UNMET", "EMPTY"} & crop.report().keys()


@pytest.mark.parametrize("padding, size", [((2, 1, 0, 3), (6, 7)), (1, (11, 7)), (None, (11, 7)), (None, (13, 16))])
def test_random_crop_of_a_padded_image(padding, size):
    """The window may reach into the padding; the law is uniform on the positions in the padded image that pass."""
    left, top, right, bottom = (0,) * 4 if padding is None else (padding,) * 4 if padding == 1 else padding
    more = max(size[0] - IMAGE[0] - top - bottom, 0), max(size[1] - IMAGE[1] - left - right, 0)
    left, top, right, bottom = left + more[1], top + more[0], right + more[1], bottom + more[0]
    boxes, policy = [(0, 5, 4, 9)], sa.Policy(min_retention=0.7)
    frame = (-left, -top, IMAGE[1] + right, IMAGE[0] + bottom)
    good = [w for w in oracle.windows(frame, size) if oracle.satisfies(boxes, w, [0.7], policy, IMAGE, size)]
    assert 1 < len(good) <= len(list(oracle.windows(frame, size)))
    crop = T.RandomCrop(size, padding, pad_if_needed=True, policy=policy)
    assert_drawn(crop, boxes, dict.fromkeys(good, 1 / len(good)), pad=(left, top))


@pytest.mark.parametrize("scene", [*SCENES, "fallback kept", "fallback moved"])
def test_random_resized_crop_keeps_the_scale(scene):
    boxes, policy = SCENES.get(scene, ([(4.0, 2.0, 8.0, 7.0)] if scene == "fallback kept" else [(0, 0, 3, 4)], None))
    policy = policy or sa.Policy()
    # For the fallback scenes a narrow scale and ratio, with which the host falls back in a fifth of its draws.
    scale, ratio = ((0.55, 1.0), (0.7, 0.78)) if scene.startswith("fallback") else ((0.08, 0.9), (0.75, 1.33))
    sizes, (point, point_share) = resized_crop_sizes(IMAGE, scale, ratio)
    crop = T.RandomResizedCrop(8, scale, ratio, policy=policy)
    lattice = list(crop.kind.lattice(SimpleNamespace(transform=crop, image_size=IMAGE)))
    assert 1 <= len(lattice) <= 64
    every = Counter(sizes)
    every[oracle_size(point)] += point_share
    law = keep_scale_law(every, boxes, policy, lambda size: (8, 8), lattice, (point, point_share))
    if scene.startswith("fallback"):
        assert point_share > 0.15
        passes = point in feasible(boxes, policy, oracle_size(point), lambda size: (8, 8))
        assert passes == (scene == "fallback kept")
    assert_drawn(crop, boxes, law, seed=4)


@pytest.mark.parametrize(
    "scale, ratio",
    [((0.08, 0.9), (0.75, 1.33)), ((0.55, 1.0), (0.7, 0.78)), ((2.0, 3.0), (0.5, 2.0)), ((2, 2), (3, 4))],
)
@pytest.mark.parametrize("make", [v2.RandomResizedCrop, v1.RandomResizedCrop, T.RandomResizedCrop])
def test_a_further_draw_of_plain_numbers_has_the_hosts_law(make, scale, ratio):
    sizes, (point, point_share) = resized_crop_sizes(IMAGE, scale, ratio)
    law = Counter({point: point_share})
    for (height, width), share in sizes.items():
        places = [(x, y) for x in range(IMAGE[1] - width + 1) for y in range(IMAGE[0] - height + 1)]
        law.update({(x, y, x + width, y + height): share / len(places) for x, y in places})
    crop, rng, counts = make(8, scale, ratio), random.Random(3), Counter()
    for _ in range(40_000):
        drawn = Resized().drawn_by(crop, IMAGE, rng.random)
        x, y = drawn["left"], drawn["top"]
        counts[x, y, x + drawn["width"], y + drawn["height"]] += 1
    assert_law(counts, law)


def test_a_sampler_of_somebody_elses_is_asked_itself():
    class Theirs(v2.RandomResizedCrop):
        def make_params(self, flat_inputs):
            return {**super().make_params(flat_inputs), "top": 0}

    class Ours(T.RandomResizedCrop):
        pass

    assert Resized().drawn_by(Theirs(8), IMAGE, random.random) is None
    assert Resized().drawn_by(Ours(8), IMAGE, random.random) is not None
    assert RandomCut().drawn_by(v2.RandomCrop(8), IMAGE, random.random) is None


def test_random_resized_crop_jointly():
    boxes, policy = [(1, 1, 5, 5), (6, 3, 9, 6)], sa.Policy(min_retention=0.4, sampling="joint", tries=1)
    scale, ratio = (0.45, 0.8), (0.9, 1.3)
    sizes, (_, point_share) = resized_crop_sizes(IMAGE, scale, ratio)
    assert point_share < 1e-6
    sizes = {size: p / sum(sizes.values()) for size, p in sizes.items()}
    crop = T.RandomResizedCrop(8, scale, ratio, policy=policy)
    assert_drawn(crop, boxes, joint_law(sizes, boxes, policy, lambda size: (8, 8)), seed=6)


def test_the_quick_way_and_the_long_way_are_one():
    """Boxes in XYXY go the quick way. With a weight that says nothing they go the long one, on the same numbers."""
    torch.manual_seed(0)
    for _ in range(300):
        size = tuple(torch.randint(5, 40, (2,)).tolist())
        corner = torch.rand(3, 2, dtype=torch.float64)
        rows = torch.cat([corner, corner + (1 - corner) * torch.rand(3, 2, dtype=torch.float64)], 1)
        leaves = leaves_of((rows * torch.tensor([size[1], size[0]] * 2)).tolist(), size)
        limit = float(torch.rand(()))
        seed = int(torch.randint(1 << 30, ()))
        drawn = []
        for more in ({}, {"protect": lambda found: {"boxes": found[1].numpy()}}):
            crop = T.RandomResizedCrop(16, min_retention=limit, **more)
            torch.manual_seed(seed)
            drawn.append((crop.make_params(leaves), crop.report()))
        assert drawn[0] == drawn[1]


@pytest.mark.parametrize("scene", ["corner", "two", "any", "close-up"])
@pytest.mark.parametrize("size", [(6, 7), (3, 4), (5, 14), (9, 12)])
def test_center_crop_goes_to_the_nearest(scene, size):
    """Exhaustively: of all positions that do, the one with the least distance; ties by row and column."""
    boxes, policy = SCENES[scene]
    wide, high = max(size[1], IMAGE[1]), max(size[0], IMAGE[0])
    plain = v2.CenterCrop(size)(torch.arange(1, 9 * 12 + 1).reshape(1, *IMAGE))
    top, left = divmod(int(plain[0][plain[0] > 0][0]) - 1, IMAGE[1])  # its first pixel that was in the image
    first_x = left if size[1] <= IMAGE[1] else -((size[1] - IMAGE[1]) // 2)
    first_y = top if size[0] <= IMAGE[0] else -((size[0] - IMAGE[0]) // 2)
    x0, y0 = min(0, first_x), min(0, first_y)
    frame = (x0, y0, x0 + wide, y0 + high)
    good = [
        window
        for window in oracle.windows(frame, size)
        if oracle.satisfies(boxes, window, [policy.limit_of(None)] * len(boxes), policy, IMAGE, size)
    ]
    crop = T.CenterCrop(size, policy=policy)
    drawn = crop.make_params(leaves_of(boxes))
    if not good:
        assert crop.report() == {"UNMET": 1}
        return
    x, y = oracle.nearest((first_x, first_y), [window[:2] for window in good])
    if (x, y) == (first_x, first_y):
        assert (drawn, crop.report()) == ({}, {"FIRST": 1})
    else:
        assert (drawn, crop.report()) == ({"left": x, "top": y, "height": size[0], "width": size[1]}, {"MOVED": 1})


def test_random_iou_crop_draws_within_its_own_promise():
    """Moved windows keep both promises, and reach whatever a redraw can reach."""
    box = (2.0, 2.0, 9.0, 8.0)
    crop = T.RandomIoUCrop(sampler_options=[0.3], min_retention=0.9)
    plain = v2.RandomIoUCrop(sampler_options=[0.3])
    torch.manual_seed(0)
    leaves, kept = leaves_of([box], (20, 24)), 0
    for seed in range(150):
        torch.manual_seed(seed)
        host = plain.make_params(leaves)
        torch.manual_seed(seed)
        drawn = crop.make_params(leaves)
        window = drawn["left"], drawn["top"], drawn["left"] + drawn["width"], drawn["top"] + drawn["height"]
        shared = oracle.shared(box, window)
        assert shared >= 0.9 * 42 - 1e-4
        assert shared / (42 + oracle.area(window) - shared) >= 0.3 - 1e-6
        assert window[0] < 5.5 < window[2]
        assert window[1] < 5.0 < window[3]
        assert drawn["is_within_crop_area"].tolist() == [True]
        same = all(host[name] == drawn[name] for name in ("top", "left", "height", "width"))
        kept += same
        ends = oracle.shared(
            box, (host["left"], host["top"], host["left"] + host["width"], host["top"] + host["height"])
        )
        assert same == (ends >= 0.9 * 42 - 1e-4)
    assert 0 < kept < 150
    assert not crop.report().get("UNMET")


# Resizes


def assert_uniform(counts, choices):
    assert_law(counts, {choice: 1 / len(choices) for choice in choices})


def sizes_drawn(transform, boxes, image_size, draws, seed=2):
    torch.manual_seed(seed)
    leaves = leaves_of(boxes, image_size)
    return Counter(tuple(transform.make_params(leaves)["size"]) for _ in range(draws))


def test_random_resize_is_uniform_among_what_shows_enough():
    """A 10 × 10 box of a 40 × 60 image shows (s/4)(s/4) pixels at a shorter side of s, but for rounding."""
    crop = T.RandomResize(10, 50, min_visible_pixels=64)
    enough = [s for s in range(10, 50) if 100 * s * int(s * 60 / 40) / (40 * 60) >= 64 - 0.01]
    counts = sizes_drawn(crop, [(5, 5, 15, 15)], (40, 60), 12_000)
    assert 5 < len(enough) < 35
    assert_uniform(counts, [(s,) for s in enough])


def test_random_shortest_size_is_uniform_among_what_shows_enough():
    crop = T.RandomShortestSize([10, 20, 30, 35, 40, 80], max_size=70, min_visible_pixels=60)
    made = {}
    for shortest in (10, 20, 30, 35, 40, 80):
        made[shortest] = tuple(v2.RandomShortestSize(shortest, 70).make_params(leaves_of([], (40, 60)))["size"])
    enough = [size for size in made.values() if 100 * size[0] * size[1] / 2400 >= 60 - 0.01]
    assert 2 < len(enough) < 6
    assert_uniform(sizes_drawn(crop, [(5, 5, 15, 15)], (40, 60), 6000), enough)


def test_scale_jitter_is_uniform_among_what_shows_enough():
    """Heights above the least are as frequent as the host draws them: the law of the scale is uniform, cut below."""
    crop = T.ScaleJitter((60, 40), (0.2, 1.5), min_visible_pixels=49)
    host = v2.ScaleJitter((60, 40), (0.2, 1.5))
    leaves = leaves_of([(5, 5, 15, 15)], (40, 60))
    torch.manual_seed(3)
    plain = Counter(tuple(host.make_params(leaves)["size"]) for _ in range(60_000))
    does = {size: count for size, count in plain.items() if 100 * size[0] * size[1] / 2400 >= 49 - 0.01}
    counts = sizes_drawn(crop, [(5, 5, 15, 15)], (40, 60), 12_000)
    assert min(does) == min(counts)
    coarse, law = Counter(), Counter()
    for size, count in counts.items():
        coarse[size[0] // 4] += count
    for size, count in does.items():
        law[size[0] // 4] += count / sum(does.values())
    assert_law(coarse, law)


@pytest.mark.parametrize(
    "make",
    [
        lambda **more: T.ScaleJitter((60, 40), (0.1, 0.3), **more),
        lambda **more: T.RandomResize(4, 12, **more),
        lambda **more: T.RandomShortestSize([4, 8, 11], **more),
    ],
)
def test_a_resize_that_shows_too_little_shows_the_most(make):
    """UNMET keeps what can be kept, and ``enlarge`` goes beyond the range up to the image's own resolution."""
    boxes, size = [(0, 0, 30, 30), (40, 20, 46, 26)], (40, 60)
    unmet, enlarged, skipped = (make(min_visible_pixels=30, on_fail=how) for how in ("most", "enlarge", "skip"))
    for drawn in sizes_drawn(unmet, boxes, size, 50):
        height, width = (drawn[0], int(drawn[0] * 1.5)) if len(drawn) == 1 else drawn
        assert 900 * height * width / 2400 >= 30 - 0.01  # the larger of the two is shown
    assert unmet.report() == {"UNMET": 50}
    for drawn in sizes_drawn(enlarged, boxes, size, 50):
        height, width = (drawn[0], int(drawn[0] * 1.5)) if len(drawn) == 1 else drawn
        assert 36 * height * width / 2400 >= 30 - 0.01
    assert enlarged.report() == {"RESIZED": 50}
    image, found = leaves_of(boxes, size)
    out, moved = skipped(image, found)
    assert tuple(out.shape[-2:]) == size
    assert math.isclose(float(moved.sum()), float(found.sum()))
    with pytest.raises(sa.RetentionError, match=r"no (size|scale)"):
        make(min_visible_pixels=30, on_fail="raise")(image, found)
