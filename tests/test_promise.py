"""The promise, time and again: no object below its limit unless the draw says UNMET, and UNMET is not said lightly.

``SAFEAUG_WINDOWS=1000000 python -m pytest tests/test_promise.py`` looks at a million windows, and ten thousand draws of
each drop-in; by default it is a tenth of that.
"""

import math
import os
import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import albumentations as A
import numpy as np
import pytest
from albumentations.core.bbox_utils import union_of_bboxes

import safeaug as sa
from safeaug.candidates import Law
from safeaug.content import content_of
from safeaug.geometry import domain_of, size_of, window_at
from safeaug.measures import demand_of
from safeaug.placement import feasible
from safeaug.search import search
from tests import oracle
from tests.oracle import Thing
from tests.scenes import box, scene
from tests.table import window_of

POLICIES = [
    sa.Policy(),
    sa.Policy(min_retention=1.0),
    sa.Policy(min_retention=0.9, keep="any"),
    sa.Policy(keep="whole"),
    sa.Policy(keep=2, sampling="joint", tries=3),
    sa.Policy.classification(),
    sa.Policy(min_retention=0.3, min_visible_pixels=4, on_fail="enlarge"),
    sa.Policy(min_retention=0.5, max_stretch=1.6),
]
DRAWS_PER_SCENE = 5
TIGHT, LOOSE = 1 - 1e-6, 1 + 1e-6
WINDOWS = int(os.environ.get("SAFEAUG_WINDOWS", "100000"))
"""Windows of the search that are looked at."""

SCENES = WINDOWS // 500
"""Scenes in which each drop-in draws."""

UNMET_CEILING = 0.35
"""A guard that always said UNMET would keep its promise too. These scenes, far harder than people's, allow a third."""


class AnySize(NamedTuple):
    """A host whose sides are 0.2 to 0.8 of the image's, in any proportion, rendered at 224 × 224."""

    image_size: tuple[int, int]
    rng: random.Random
    redraws: bool = True
    law: Law = Law.UNIFORM

    def within(self, _):
        return None

    @property
    def whole(self):
        return self.image_size

    def domain(self, size):
        return domain_of((0, 0, self.image_size[1], self.image_size[0]), size)

    def output(self, _):
        return 224, 224

    def redraw(self, _=0):
        size = tuple(max(1, round(side * self.rng.uniform(0.2, 0.8))) for side in self.image_size)
        domain = self.domain(size)
        return window_at(self.rng.randint(domain.x0, domain.x1), self.rng.randint(domain.y0, domain.y1), size)

    def lattice(self):
        height, width = self.image_size
        return [(max(1, round(height * i / 8)), max(1, round(width * j / 8))) for i in (2, 4, 7) for j in (2, 4, 7)]


def run_scenes(seed, draws):
    rng = random.Random(seed)
    statuses, broken = Counter(), []
    for number in range(draws // DRAWS_PER_SCENE):
        image_size, boxes = scene(rng)
        policy = POLICIES[number % len(POLICIES)]
        content = content_of(boxes, image_size, policy)
        host = AnySize(image_size, rng)
        asked = [policy.limit_of(None)] * len(content.boxes)
        for _ in range(DRAWS_PER_SCENE):
            first = host.redraw()
            found = search(first, host, content, policy, lambda _: rng.random)
            statuses[found.status] += 1
            x0, y0, x1, y1 = found.window
            inside = 0 <= x0 < x1 <= image_size[1] and 0 <= y0 < y1 <= image_size[0]
            kept = oracle.satisfies(content.boxes, found.window, asked, policy, image_size, (224, 224), 1 + 1e-6)
            if not inside or not (kept or found.status is sa.Status.UNMET):
                broken.append((image_size, boxes, policy, first, found))
            if found.status is sa.Status.FIRST and found.window != first:
                broken.append((image_size, boxes, policy, first, found))
    return statuses, broken


@pytest.mark.parametrize("part", range(4))
def test_windows_of_the_search(part):
    statuses, broken = run_scenes(part, WINDOWS // 4)
    assert statuses.total() == WINDOWS // 4
    assert not broken, broken[:3]
    assert statuses[sa.Status.UNMET] < UNMET_CEILING * statuses.total(), statuses
    assert min(statuses[status] for status in (sa.Status.FIRST, sa.Status.MOVED, sa.Status.RESIZED)) > WINDOWS // 1000


@pytest.mark.parametrize("part", range(len(POLICIES)))
def test_windows_of_batches(part):
    """Images of all sizes in one batch; whether promises are kept is looked at in plain numbers."""
    pytest.importorskip("torch")
    from safeaug.batch.cut import Cut
    from safeaug.batch.resized import Resized
    from tests.batch_one import drawn

    rng, policy, draws = random.Random(part), POLICIES[part], WINDOWS // 10 // len(POLICIES) // 125 * 125
    hosts = Resized((224, 224), (0.08, 1.0), (3 / 4, 4 / 3)), Cut((96, 96), (4, 4, 4, 4))
    statuses, broken = Counter(), []
    for first in range(0, draws, 125):
        host = hosts[first // 125 % 5 == 0]
        samples = [(*scene(rng, most=2), {}) for _ in range(125)]
        batch = drawn(host, policy, samples, range(first, first + 125))
        for (image_size, boxes, _), window, status in zip(
            samples, batch.found.window.tolist(), batch.found.status.tolist(), strict=True
        ):
            statuses[sa.Status(status)] += 1
            content = content_of(boxes, image_size, policy)
            asked = [policy.limit_of(None)] * len(content.boxes)
            if status != sa.Status.UNMET and not oracle.satisfies(
                content.boxes, tuple(window), asked, policy, image_size, host.output(size_of(tuple(window))), 1 + 1e-6
            ):
                broken.append((image_size, boxes, host, window, status))
    assert statuses.total() == draws
    assert not broken, broken[:3]
    assert statuses[sa.Status.UNMET] < UNMET_CEILING * draws, statuses


def test_unmet_exactly_where_the_list_says():
    """On large images, where enumeration is out of reach: every candidate of an UNMET draw is counted; none passes."""
    rng = random.Random(11)
    policies = [sa.Policy(min_retention=0.9), sa.Policy(keep="whole", min_retention=0.8), sa.Policy(keep=3)]
    unmet = 0
    for number in range(2000):
        image_size, boxes = scene(rng)
        policy = policies[number % 3]
        content = content_of(boxes, image_size, policy)
        seed = rng.randrange(2**30)
        host = AnySize(image_size, random.Random(seed))
        first = host.redraw()
        found = search(first, host, content, policy, lambda _: rng.random)
        if found.status is not sa.Status.UNMET:
            continue
        unmet += 1
        again = AnySize(image_size, random.Random(seed))
        sizes = [size_of(again.redraw()) for _ in range(policy.tries + 1)] + again.lattice()
        for size in set(sizes):
            demand = demand_of(content, policy, size, (224, 224))
            assert not feasible(demand, size, host.domain(size)).size
    assert unmet > 50


OF_RESIZES = (
    sa.Policy(min_visible_pixels=30),
    sa.Policy(min_retention=0.9, min_visible_pixels=100, keep="any"),
    sa.Policy(max_stretch=1.3, on_fail="enlarge"),
    sa.Policy(min_visible_pixels=10, on_fail="enlarge", keep=2),
    sa.Policy(min_retention=0.7, min_visible_pixels=400, keep="whole"),
)
"""Where nothing is cut, only a floor in pixels or a bound of the stretch leaves the guard something to do."""


class DropIn(NamedTuple):
    """How a drop-in and its host are made for a scene, and how often its promise is beyond it in these scenes."""

    name: str
    arguments: Callable[[tuple[int, int], random.Random], dict[str, Any]]
    unmet: float
    """Share of draws that may be UNMET: policies that ask for pixels or forbid a stretch are beyond many hosts."""
    largest: int = 5000
    """Side of the largest image: a host that looks at every pixel takes long over more."""
    policies: tuple[sa.Policy, ...] = tuple(POLICIES)


def part_of(image_size, share=2 / 3):
    return {"height": max(1, int(image_size[0] * share)), "width": max(1, int(image_size[1] * share))}


def corners_of(image_size):
    height, width = image_size
    x0, y0 = width // 5, height // 7
    return {"x_min": x0, "y_min": y0, "x_max": max(x0 + 1, width * 4 // 5), "y_max": max(y0 + 1, height * 5 // 6)}


DROP_INS = [
    DropIn("RandomCrop", lambda size, _: part_of(size), 0.45),
    DropIn(
        "RandomSizedCrop",
        lambda size, _: {
            "min_max_height": (max(1, size[0] // 3), size[0]),
            "size": (64, 64),
            "w2h_ratio": max(1.0, size[1] / size[0]),
        },
        0.3,
    ),
    DropIn("RandomResizedCrop", lambda size, _: {"size": (64, 64)}, 0.42),
    DropIn(
        "RandomCropFromBorders",
        lambda size, rng: {f"crop_{side}": rng.uniform(0, 0.5) for side in ("left", "right", "top", "bottom")},
        0.2,
    ),
    DropIn("CenterCrop", lambda size, rng: {**part_of(size, rng.uniform(0.5, 1.2)), "pad_if_needed": True}, 0.45),
    DropIn("Crop", lambda size, _: corners_of(size), 0.45),
    DropIn(
        "PadIfNeeded",
        lambda size, rng: {"min_height": size[0] + rng.randint(0, 9), "min_width": 5, "position": "random"},
        0.15,
    ),
    DropIn("BBoxSafeRandomCrop", lambda size, rng: {"erosion_rate": rng.choice([0.0, 0.2, 0.7])}, 0.15, 300),
    DropIn(
        "RandomSizedBBoxSafeCrop",
        lambda size, rng: {"height": 64, "width": 64, "erosion_rate": rng.choice([0.0, 0.2, 1.0])},
        0.3,
        300,
    ),
    DropIn(
        "AtLeastOneBBoxRandomCrop",
        lambda size, rng: {**part_of(size), "erosion_factor": rng.choice([0.0, 0.4, 1.0])},
        0.5,
        300,
    ),
    DropIn("CropNonEmptyMaskIfExists", lambda size, _: part_of(size), 0.5, 90),
    DropIn(
        "RandomCropNearBBox", lambda size, rng: {"max_part_shift": (rng.uniform(0, 1), rng.uniform(0, 1))}, 0.7, 300
    ),
    DropIn(
        "CropAndPad",
        lambda size, rng: {"percent": (-0.4, 0.2), "keep_size": rng.random() < 0.5},
        0.15,
    ),
    DropIn("Resize", lambda size, _: {"height": 64, "width": 64}, 0.6, policies=OF_RESIZES),
    DropIn("LongestMaxSize", lambda size, _: {"max_size": [32, 64, 200]}, 0.5, policies=OF_RESIZES),
    DropIn(
        "SmallestMaxSize",
        lambda size, rng: {"max_size_hw": rng.choice([(50, 50), (None, 40), (40, None)])},
        0.5,
        policies=OF_RESIZES,
    ),
    DropIn("RandomScale", lambda size, _: {"scale_limit": (-0.6, 0.5), "p": 1.0}, 0.5, policies=OF_RESIZES),
]


def needed(name, image_size, boxes):
    """What a host asks for beside boxes: a mask, of which the last box may be all; a box in whole pixels."""
    whole = [[math.floor(box[0]), math.floor(box[1]), math.ceil(box[2]), math.ceil(box[3])] for box in boxes]
    if name == "CropNonEmptyMaskIfExists":
        mask = np.zeros(image_size, np.uint8)
        for x0, y0, x1, y1 in whole[-2:]:
            mask[y0:y1, x0:x1] = 1
        return {"mask": mask}
    return {"cropping_bbox": whole[0]} if name == "RandomCropNearBBox" else {}


def output_of(crop, params, window, image_size):
    """The size that the host's own code gives what it makes of a window."""
    height, width = window[3] - window[1], window[2] - window[0]
    if hasattr(crop, "size"):
        return tuple(crop.size)
    if isinstance(crop, A.RandomSizedBBoxSafeCrop | A.Resize):
        return crop.height, crop.width
    if isinstance(crop, A.LongestMaxSize | A.SmallestMaxSize):
        return max(1, round(height * params["scale"])), max(1, round(width * params["scale"]))
    if isinstance(crop, A.RandomScale):
        return max(1, int(height * params["scale"])), max(1, int(width * params["scale"]))
    return image_size if getattr(crop, "keep_size", False) else (height, width)


def hosts_own_promise(crop, params, window, image_size, rows, data):
    """Whether a window keeps what the host itself promises, give or take the rounding of single precision."""
    height, width = image_size
    x0, y0, x1, y1 = window
    sides = np.array([width, height, width, height])
    near = 1e-3
    if isinstance(crop, A.BBoxSafeRandomCrop):
        union = union_of_bboxes(rows, crop.erosion_rate)
        if union is None:
            return True
        a, b, c, d = (np.array(union, dtype=np.float64) * sides).tolist()
        starts = x0 <= math.floor(a + near) and y0 <= math.floor(b + near)
        return starts and x1 >= math.floor(c - near) and y1 >= math.floor(d - near)
    if isinstance(crop, A.AtLeastOneBBoxRandomCrop):
        erosion = crop.erosion_factor
        return any(
            reaches(x0, a, c, x1 - x0, width, erosion, near) and reaches(y0, b, d, y1 - y0, height, erosion, near)
            for a, b, c, d in (rows.astype(np.float64) * sides).tolist()
        )
    if isinstance(crop, A.CropNonEmptyMaskIfExists):
        return bool(data["mask"][y0:y1, x0:x1].any())
    if isinstance(crop, A.RandomCropNearBBox):
        a, b, c, d = data["cropping_bbox"]
        down, across = round((d - b) * crop.max_part_shift[0]), round((c - a) * crop.max_part_shift[1])
        off = abs(x0 - a), abs(x1 - c), abs(y0 - b), abs(y1 - d)
        shifted = all(each <= most for each, most in zip(off, (across, across, down, down), strict=True))
        return shifted or size_of(window) == (d - b, c - a)  # where the sides would cross: the box's size, centred
    return True


def reaches(start, low, high, length, side, erosion, near):
    """Whether the host can start a window of this length there for a box, along one axis."""
    shrunk = (high - low) * (1 - erosion)
    ends = sorted(min(max(end, 0), side - length) for end in (low + shrunk - length, high - shrunk))
    return math.floor(ends[0] - near) <= start <= math.floor(ends[1] + near)


def drawn_by(transform, image_size, data):
    """Parameters of one draw, as the host's own call collects them."""
    params = transform.update_transform_params(
        transform.get_params(), {"images": [np.empty((*image_size, 3), np.uint8)]}
    )
    return {**params, **transform.get_params_dependent_on_data(params, data)}


def inside(box, image_size):
    return box and all(
        0 <= side <= most for side, most in zip(box, (*image_size[::-1], *image_size[::-1]), strict=True)
    )


@pytest.mark.parametrize("drop_in", DROP_INS, ids=lambda drop_in: drop_in.name)
def test_draws_of_each_drop_in(drop_in):
    """Judged on the window that the host will apply, in the boxes' own float32."""
    rng = random.Random(drop_in.name)
    statuses, broken = Counter(), []
    for number in range(SCENES):
        image_size, boxes = scene(rng, largest=drop_in.largest)
        height, width = image_size
        policy = drop_in.policies[number % len(drop_in.policies)]
        arguments = drop_in.arguments(image_size, rng)
        crop = getattr(sa.albumentations, drop_in.name)(**arguments, policy=policy, report_key="safeaug")
        plain = getattr(A, drop_in.name)(**arguments)
        crop.set_random_seed(number)
        plain.set_random_seed(number)
        crop.set_processors({"bboxes": A.core.bbox_utils.BboxProcessor(A.BboxParams("albumentations"))})
        rows = (np.array(boxes) / [width, height, width, height]).astype(np.float32)
        handed = [tuple(row) for row in (rows.astype(np.float64) * [width, height, width, height]).tolist()]
        clipped = [box for box in (oracle.clipped(box, image_size) for box in handed) if box]
        asked = [policy.limit_of(None)] * len(clipped)
        data = {"bboxes": rows, **needed(drop_in.name, image_size, boxes)}
        for _ in range(DRAWS_PER_SCENE):
            alone = drawn_by(plain, image_size, dict(data))
            drawn = drawn_by(crop, image_size, dict(data))
            first, window = window_of(alone, image_size), window_of(drawn, image_size)
            report = drawn["safeaug"]
            statuses[report["status"]] += 1
            wrong = partial(broken.append, (drop_in.name, image_size, boxes, policy, alone, drawn))
            output = output_of(crop, drawn, window, image_size)
            if (tuple(report["window"]), tuple(report["size"])) != (window, output):
                wrong()
            judge = partial(oracle.satisfies, clipped, limits=asked, policy=policy, image_size=image_size)
            if not (judge(window=window, output=output, ease=LOOSE) or report["status"] in {"UNMET", "EMPTY"}):
                wrong()
            if not hosts_own_promise(crop, drawn, window, image_size, rows, data):
                wrong()
            if oracle.area(first) <= 0:  # the host would raise an error
                continue
            at = output_of(plain, alone, first, image_size)
            passes = {judge(window=first, output=at, ease=ease) for ease in (TIGHT, LOOSE)}
            if len(passes) == 1 and (report["status"] == "FIRST") != passes.pop():
                wrong()
            if report["status"] == "FIRST" and (window, output) != (first, at):
                wrong()
    assert statuses.total() == SCENES * DRAWS_PER_SCENE
    assert not broken, broken[:3]
    assert statuses["UNMET"] < drop_in.unmet * statuses.total(), statuses
    assert statuses["FIRST"] > 0.05 * statuses.total()
    assert statuses["MOVED"] + statuses["RESIZED"] > 0.03 * statuses.total() or drop_in.name == "PadIfNeeded", statuses


# UNMET, where every window of a host can be looked at


def sides_between(low, high):
    return {low + round((high - low) * i / 7) for i in range(8)}


def windows_of(name, crop, drawn, image_size, rows, data):
    """Windows that the host can draw: all of the drawn size, and of the lattice where it draws others."""
    height, width = image_size
    frame = 0, 0, width, height
    window = window_of(drawn, image_size)
    sizes = {size_of(window)}
    pad = drawn.get("pad_params")
    if pad:
        frame = -pad["pad_left"], -pad["pad_top"], width + pad["pad_right"], height + pad["pad_bottom"]
    if name == "RandomCropFromBorders":
        least = int((1 - crop.crop_bottom) * height) - int(crop.crop_top * height)
        narrow = int((1 - crop.crop_right) * width) - int(crop.crop_left * width)
        sizes |= {(h, w) for h in sides_between(max(1, least), height) for w in sides_between(max(1, narrow), width)}
    if "BBoxSafe" in name:
        union = union_of_bboxes(rows, crop.erosion_rate)
        if union is not None:
            a, b, c, d = np.clip(union, 0, 1)
            least = max(int(d * height), 1) - int(b * height), max(int(c * width), 1) - int(a * width)
            tall, wide = (sides_between(max(1, low), side) for low, side in zip(least, image_size, strict=True))
            sizes |= {(h, w) for h in tall for w in wide}
    if name == "RandomCropNearBBox":
        ranges = []
        a, b, c, d = data["cropping_bbox"]
        for low, high, part, side in zip((b, a), (d, c), crop.max_part_shift, image_size, strict=True):
            shift = round((high - low) * part)
            inner, outer = min(low + shift, side - 1), max(high - shift, 1)
            ranges.append(sides_between(max(1, outer - inner), min(high + shift, side) - max(low - shift, 0)))
        sizes |= {(h, w) for h in ranges[0] for w in ranges[1]}
    for size in sizes:
        for each in oracle.windows(frame, size):
            if name == "RandomCropFromBorders":
                allowed = (
                    each[0] <= int(crop.crop_left * width)
                    and each[1] <= int(crop.crop_top * height)
                    and each[2] >= int((1 - crop.crop_right) * width)
                    and each[3] >= int((1 - crop.crop_bottom) * height)
                )
            else:
                allowed = hosts_own_promise(crop, drawn, each, image_size, rows, data)
            if allowed:
                yield each


OF_MANY_SIZES = {"RandomCropFromBorders", "BBoxSafeRandomCrop", "RandomSizedBBoxSafeCrop", "RandomCropNearBBox"}
ENUMERATED = ["RandomCrop", "RandomCropFromBorders", "CenterCrop", "Crop", "BBoxSafeRandomCrop"]
ENUMERATED += ["RandomSizedBBoxSafeCrop", "AtLeastOneBBoxRandomCrop", "CropNonEmptyMaskIfExists", "RandomCropNearBBox"]
ASKING = [*POLICIES, sa.Policy(min_retention=0.9), sa.Policy(keep=3, min_visible_pixels=9), sa.Policy(max_stretch=1.1)]


@pytest.mark.parametrize("name", ENUMERATED)
def test_unmet_only_where_no_window_of_the_host_would_do(name):
    """On small images: no window that the host can draw keeps the promise of a draw that says UNMET."""
    rng = random.Random(name)
    drop_in = next(each for each in DROP_INS if each.name == name)
    looked_at, wrong = 0, []
    for number in range(4000):
        image_size, boxes = scene(rng, most=4, largest=11 if name in OF_MANY_SIZES else 24)
        policy = ASKING[number % len(ASKING)]
        arguments = drop_in.arguments(image_size, rng)
        if name == "RandomSizedBBoxSafeCrop":
            arguments |= {"height": 8, "width": 8}
        crop = getattr(sa.albumentations, name)(**arguments, policy=policy, report_key="safeaug")
        crop.set_random_seed(number)
        height, width = image_size
        rows = (np.array(boxes) / [width, height, width, height]).astype(np.float32)
        data = {"bboxes": rows, **needed(name, image_size, boxes)}
        drawn = drawn_by(crop, image_size, dict(data))
        if drawn["safeaug"]["status"] != "UNMET":
            continue
        handed = [tuple(row) for row in (rows.astype(np.float64) * [width, height, width, height]).tolist()]
        clipped = [box for box in (oracle.clipped(box, image_size) for box in handed) if box]
        judge = partial(oracle.satisfies, clipped, limits=[policy.limit_of(None)] * len(clipped), policy=policy)
        for window in windows_of(name, crop, drawn, image_size, rows, data):
            output = output_of(crop, drawn, window, image_size)
            if judge(window=window, image_size=image_size, output=output, ease=TIGHT):
                wrong.append((image_size, boxes, policy, drawn, window))
                break
        looked_at += 1
        if looked_at == 150:
            break
    assert not wrong, wrong[:2]
    assert looked_at >= 60


# Masks and keypoints


class Covering(NamedTuple):
    """A mask or keypoints, judged as `oracle.Known` is, but by slices: there are ten thousand draws."""

    thing: Thing
    image_size: tuple[int, int]
    whole: float
    rim: tuple[float, float] = (0.0, 0.0)

    def inside(self, window):
        if self.thing.kind == "keypoints":
            return float(oracle.points_in(self.thing.data, window))
        x0, y0, x1, y1 = window
        return float(self.thing.data[y0:y1, x0:x1].sum())

    def left(self, window):
        return self.inside(window) / self.whole


def covering(rng, image_size, kind):
    """1–3 objects: rectangles with noise in them, whole or soft, or sets of up to seven points."""
    height, width = image_size
    generator = np.random.default_rng(rng.randrange(2**32))
    found = []
    for x0, y0, x1, y1 in (box(rng, image_size) for _ in range(rng.randint(1, 3))):
        if kind == "keypoints":
            count = rng.randint(1, 7)
            points = [(rng.uniform(x0, x1), rng.uniform(y0, y1)) for _ in range(count)]
            points = [(min(x, width - 1e-3), min(y, height - 1e-3)) for x, y in points]
            found.append(Covering(Thing("keypoints", points), image_size, float(count)))
            continue
        mask = np.zeros(image_size)
        part = mask[math.floor(y0) : math.ceil(y1), math.floor(x0) : math.ceil(x1)]
        part[:] = generator.random(part.shape) if rng.random() < 0.3 else generator.random(part.shape) < 0.7
        part[0, 0] = 1
        found.append(Covering(Thing("mask", mask), image_size, float(mask.sum())))
    return found


def as_given(things):
    """The objects as a callable ``protect`` gives them."""
    kind = "masks" if things[0].thing.kind == "mask" else "keypoints"
    return lambda _: {kind: [each.thing.data for each in things]}


@pytest.mark.parametrize("kind", ["mask", "keypoints"])
@pytest.mark.parametrize("name", ["RandomCrop", "RandomResizedCrop"])
def test_draws_with_masks_and_keypoints(name, kind):
    rng = random.Random(name + kind)
    statuses, broken, looked_at = Counter(), [], 0
    for number in range(SCENES):
        image_size = rng.randint(1, 64), rng.randint(1, 64)
        things = covering(rng, image_size, kind)
        policy = POLICIES[number % len(POLICIES)]
        arguments = part_of(image_size) if name == "RandomCrop" else {"size": (64, 64)}
        protect = as_given(things)
        crop = getattr(sa.albumentations, name)(**arguments, policy=policy, protect=protect, report_key="safeaug")
        plain = getattr(A, name)(**arguments)
        crop.set_random_seed(number)
        plain.set_random_seed(number)
        judge = partial(oracle.does, things, limits=[policy.limit_of(None)] * len(things), policy=policy)
        for _ in range(DRAWS_PER_SCENE):
            alone, drawn = drawn_by(plain, image_size, {}), drawn_by(crop, image_size, {})
            first, window, report = alone["crop_coords"], drawn["crop_coords"], drawn["safeaug"]
            statuses[report["status"]] += 1
            output = output_of(crop, drawn, window, image_size)
            good = judge(window=window, output=output, ease=LOOSE) or report["status"] == "UNMET"
            passes = {
                judge(window=first, output=output_of(plain, alone, first, image_size), ease=e) for e in (TIGHT, LOOSE)
            }
            first_is = len(passes) == 2 or (report["status"] == "FIRST") == passes.pop()
            told = report["retention"] == pytest.approx([each.left(window) for each in things], abs=1e-9)
            if not (good and first_is and told):
                broken.append((name, image_size, things, policy, alone, drawn))
        if report["status"] == "UNMET" and name == "RandomCrop" and max(image_size) <= 24:
            looked_at += 1
            frame = (0, 0, image_size[1], image_size[0])
            if any(judge(window=each, output=output, ease=TIGHT) for each in oracle.windows(frame, size_of(window))):
                broken.append((name, image_size, things, policy, drawn, "another window would do"))
    assert statuses.total() == SCENES * DRAWS_PER_SCENE
    assert not broken, broken[:2]
    assert statuses["UNMET"] < 0.45 * statuses.total(), statuses
    assert min(statuses["FIRST"], statuses["MOVED"]) > 0.1 * statuses.total(), statuses
    assert looked_at > SCENES // 100 or name != "RandomCrop"
