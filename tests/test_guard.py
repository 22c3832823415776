"""Guarded pipelines: what is left at the end, seen in the pixels; and that else nothing differs from the host's."""

import copy
import pickle
import random
from collections import Counter
from typing import Any

import albumentations as A
import numpy as np
import pytest

import safeaug as sa
from safeaug.albumentations.changes import change_of
from safeaug.albumentations.pipeline import leaf
from safeaug.content import content_of
from safeaug.guarding import acting, passage
from safeaug.ledger import begin, follow
from safeaug.policy import Status
from tests.changes_worlds import FORMS, SIZES, WARPING
from tests.guard_worlds import (
    IDENTITY_KEEPS,
    PIPELINES,
    RAMPS,
    SIDE,
    SINGLE,
    assert_same,
    compose,
    ended,
    full_compose,
    full_sample,
    guard,
    left_in,
    sample,
    scene,
    states,
)
from tests.table import TheirStrip, TheirZoom

DRAWS = 100
OFF = 0.02
"""What is left is counted on 48² points: one row of them more or less."""

VOLUMES = {
    "RandomCrop3D": lambda: A.RandomCrop3D((4, 8, 8)),
    "CenterCrop3D": lambda: A.CenterCrop3D((4, 8, 8)),
    "Pad3D": lambda: A.Pad3D(2),
    "PadIfNeeded3D": lambda: A.PadIfNeeded3D((12, 20, 20)),
    "CoarseDropout3D": lambda: A.CoarseDropout3D(p=1.0),
    "CubicSymmetry": lambda: A.CubicSymmetry(p=1.0),
}


# The promise.


@pytest.mark.parametrize("name", PIPELINES)
def test_objects_are_kept_to_the_end_and_draws_that_keep_them_are_the_hosts(name):
    plain = compose(PIPELINES[name]())
    safe = guard(plain, repair_randomness=False)
    rng, statuses, passed, near, broken = np.random.default_rng(7), Counter(), 0, 0, 0
    for _ in range(DRAWS):
        boxes = scene(rng)
        expected, (found, status) = plain(**sample(boxes)), ended(safe, **sample(boxes))
        without, left = left_in(expected["image"], boxes).min(), left_in(found["image"], boxes).min()
        statuses[status] += 1
        passed += without >= 0.5
        near += abs(without - 0.5) <= OFF
        broken += without < 0.5 - OFF
        assert status is Status.UNMET or left >= 0.5 - OFF, (boxes, status, left)
        if abs(without - 0.5) > OFF:
            assert (status is Status.FIRST) == (without > 0.5), (boxes, status, without)
        if status is Status.FIRST:
            assert_same(found, expected)
        assert states(plain) == states(safe)
    assert broken > DRAWS / 4  # or the test could not have failed
    assert abs(statuses[Status.FIRST] - passed) <= near <= 0.1 * DRAWS
    assert statuses[Status.UNMET] <= (0.02 if name in IDENTITY_KEEPS else 0.25) * DRAWS, statuses
    assert not statuses[Status.UNGUARDED]
    assert safe.report()["pipeline"] == {status.name: statuses[status] for status in Status if statuses[status]}


@pytest.mark.parametrize("name", ["RandomCrop", "two crops"])
def test_crops_give_up_only_where_no_window_of_their_size_will_do(name):
    safe = guard(compose(PIPELINES[name]()))
    rng, unmet, corner = np.random.default_rng(8), 0, np.arange(SIDE - 384 + 1)
    for _ in range(DRAWS):
        boxes = scene(rng)
        if ended(safe, **sample(boxes))[1] is not Status.UNMET:
            continue
        unmet += 1
        x0, y0, x1, y1 = boxes.T[:, :, None]
        wide = np.clip(np.minimum(x1, corner + 384) - np.maximum(x0, corner), 0, None) / (x1 - x0)
        high = np.clip(np.minimum(y1, corner + 384) - np.maximum(y0, corner), 0, None) / (y1 - y0)
        assert (np.einsum("nx,ny->nxy", wide, high).min(axis=0) < 0.5 + 1e-3).all()
    assert unmet > 5


@pytest.mark.parametrize(
    "keep, done",
    [
        ("any", lambda left: left.max() >= 0.7 - OFF),
        ("one", lambda left: left.max() >= 0.7 - OFF),
        ("whole", lambda left: ((left >= 0.7 - OFF) | (left <= 0.05 + OFF)).all() and left.max() >= 0.7 - OFF),
        (2, lambda left: (left >= 0.7 - OFF).sum() >= min(2, len(left))),
        (lambda left: (left >= 0.7).mean(axis=-1) >= 0.5, lambda left: (left >= 0.7 - OFF).mean() >= 0.5),
    ],
    ids=["any", "one", "whole", "2", "callable"],
)
@pytest.mark.parametrize("name", ["RandomResizedCrop", "crop, Perspective"])
def test_other_promises(name, keep, done):
    pipeline = [A.RandomResizedCrop((96, 96), scale=(0.1, 0.5))]
    if name == "crop, Perspective":
        pipeline.append(SINGLE["Perspective"]())
    plain = compose(pipeline)
    safe = guard(plain, min_retention=0.7, keep=keep, repair_randomness=False)
    rng, statuses, broken = np.random.default_rng(9), Counter(), 0
    for _ in range(DRAWS):
        boxes = scene(rng)
        broken += not done(left_in(plain(**sample(boxes))["image"], boxes))
        found, status = ended(safe, **sample(boxes))
        statuses[status] += 1
        assert status is Status.UNMET or done(left_in(found["image"], boxes)), (boxes, status)
    assert broken > DRAWS / 5
    if name == "RandomResizedCrop" and keep in {"any", "one"}:
        assert not statuses[Status.REDRAWN]  # another window does, so the pipeline need not be drawn anew
    # A half of the image holds not all objects, but one of them, nearly always.
    assert statuses[Status.UNMET] <= {"any": 0.02, "one": 0.05}.get(keep, 0.5) * DRAWS, statuses


def test_limits_differ_by_label_and_what_is_ignored_may_go():
    fields = A.BboxParams("pascal_voc", label_fields=["labels", "crowd"])
    safe = guard(
        compose([SINGLE["RandomResizedCrop"](), SINGLE["Rotate"]()], bbox_params=fields),
        min_retention={"face": 0.9, "*": 0.3}, labels="labels", ignore="crowd",
    )  # fmt: skip
    rng, limits, low, ignored = np.random.default_rng(3), np.array([0.9, 0.3]), [], []
    for _ in range(DRAWS):
        boxes = np.concatenate([scene(rng), scene(rng)])[:3]
        labels, crowd = ["face", "hand", "face"][: len(boxes)], [0, 0, 1][: len(boxes)]
        found, status = ended(safe, image=RAMPS, bboxes=boxes, labels=labels, crowd=crowd)
        left = left_in(found["image"], boxes)
        if status is not Status.UNMET:
            assert (left[:2] >= limits[: len(left[:2])] - OFF).all()
        low.append(left[1])
        ignored += [*left[2:]]
    assert min(low) < 0.6
    assert min(ignored) < 0.1
    assert safe.report()["pipeline"].get("UNMET", 0) <= 0.05 * DRAWS


def test_masks_are_kept():
    """Objects that are painted, and counted by the pixels that come out: crops that resize nothing lose, or not."""
    plain = A.Compose([A.RandomCrop(60, 60), A.CoarseDropout((4, 4), (0.2, 0.3), (0.2, 0.3), fill_mask=0, p=1.0)])
    safe, rng, broken = guard(plain, repair_randomness=False), np.random.default_rng(0), 0
    for _ in range(DRAWS):
        masks = np.zeros((2, 96, 96), np.uint8)
        for mask in masks:
            x, y = rng.integers(0, 66, 2)
            mask[y : y + 30, x : x + 12] = mask[y : y + 12, x : x + 30] = 1
        data = {"image": np.zeros((96, 96, 3), np.uint8), "masks": [*masks]}
        found, status = ended(safe, **data)
        whole = masks.sum(axis=(1, 2))
        assert isinstance(found["masks"], list)
        assert status is Status.UNMET or (np.sum(found["masks"], axis=(1, 2)) >= 0.5 * whole).all()
        broken += (np.sum(plain(**data)["masks"], axis=(1, 2)) < 0.5 * whole).any()
    assert broken > DRAWS / 4
    assert safe.report()["pipeline"].get("UNMET", 0) <= 0.1 * DRAWS


def test_keypoints_are_kept():
    """The host counts them from the middles of pixels, and so finds one by up to half a pixel elsewhere."""
    params = A.KeypointParams("xy", label_fields=["person"], remove_invisible=False)
    plain = A.Compose([A.RandomCrop(60, 60), SINGLE["Affine"]()], keypoint_params=params)
    safe, rng, broken = guard(plain, min_retention=1.0, instances="person"), np.random.default_rng(0), 0
    for _ in range(DRAWS):
        points = rng.uniform(0, 25, (5, 2)) + rng.uniform(0, 70, 2)
        data = {"image": np.zeros((96, 96, 3), np.uint8), "keypoints": points, "person": [0] * 5}
        found, status = ended(safe, **data)
        assert status is Status.UNMET or ((found["keypoints"] > -1) & (found["keypoints"] < 61)).all()
        without = plain(**data)["keypoints"]
        broken += ((without < -1) | (without > 61)).any()
    assert broken > DRAWS / 4
    assert safe.report()["pipeline"].get("UNMET", 0) <= 0.02 * DRAWS


def test_labels_stay_with_their_boxes():
    """The middle of each box that comes out shows a point of the object whose label it has."""
    safe = guard(compose([SINGLE["RandomResizedCrop"](), A.HorizontalFlip(p=0.5), SINGLE["CoarseDropout"]()]))
    rng, seen = np.random.default_rng(0), 0
    for _ in range(DRAWS):
        boxes = scene(rng)
        found, status = ended(safe, **sample(boxes))
        assert status is Status.UNMET or len(found["labels"]) == len(boxes)
        for (x0, y0, x1, y1), label in zip(found["bboxes"], found["labels"], strict=True):
            u, v, there = found["image"][int((y0 + y1) / 2), int((x0 + x1) / 2)] * [SIDE, SIDE, 1]
            if there:
                seen += 1
                x0, y0, x1, y1 = boxes[int(label)]
                assert x0 - 3 <= u <= x1 + 3
                assert y0 - 3 <= v <= y1 + 3
    assert seen > DRAWS


@pytest.mark.parametrize("name", ["Affine", "Perspective", "CoarseDropout", "Rotate"])
def test_draws_are_softened_no_more_than_needed(name, monkeypatch):
    """Drawing anew comes first; of sixteen strengths the greatest that does is taken, seldom nothing of the draw."""
    tried, softened = [], leaf.softened

    def noting(transform, params, size, strength):
        tried.append((transform, params, size, strength))
        return softened(transform, params, size, strength)

    monkeypatch.setattr(leaf, "softened", noting)
    safe, rng, statuses, strengths = guard(compose([SINGLE[name]()])), np.random.default_rng(2), Counter(), []
    for _ in range(DRAWS):
        tried.clear()
        boxes = scene(rng)
        found, status = ended(safe, **sample(boxes))
        statuses[status] += 1
        assert bool(tried) == (status is Status.SOFTENED)
        if status is not Status.SOFTENED:
            continue
        assert len(tried) <= (16 if name in {"Affine", "Rotate"} else 5)
        transform, params, size, _ = tried[0]

        def left_at(number, by=(transform, params, size, boxes)):
            drawn = softened(*by[:3], number / acting.STRENGTHS)
            change = change_of(by[0], drawn, by[2])
            ledger = begin(content_of(by[3], by[2], sa.Policy()), by[2])
            return (ledger if change is None else follow(ledger, change)).left.min()

        keeps = [number for number in range(acting.STRENGTHS) if left_at(number) >= 0.5]
        strengths.append(max(keeps) / acting.STRENGTHS)
        assert left_in(found["image"], boxes).min() == pytest.approx(left_at(max(keeps)), abs=OFF)
    assert np.mean(np.array(strengths) < 0.05) * len(strengths) <= 0.05 * DRAWS
    assert statuses[Status.REDRAWN] > 5
    assert statuses[Status.SOFTENED] <= 0.5 * DRAWS


def test_a_draw_that_is_repeated_is_not_called_first():
    """Of a crop that no window keeps and one that keeps all, the host's own draw of the second alone is FIRST."""
    plain = compose([A.OneOf([A.RandomCrop(100, 100), A.RandomCrop(500, 500)], p=1.0)])
    safe, boxes, statuses = guard(plain, repair_randomness=False), [[20, 20, 490, 490]], Counter()
    for _ in range(60):
        (found, status), expected = ended(safe, **sample(boxes)), plain(**sample(boxes))
        small = expected["image"].shape[0] == 100
        statuses[status] += 1
        assert (status is Status.FIRST) == (not small)
        assert found["image"].shape[0] == 500
    assert statuses[Status.REDRAWN] > 15


def test_what_cannot_be_kept_is_said_or_raised():
    boxes = [[0, 0, 500, 500]]
    safe = guard(compose([A.RandomCrop(100, 100)]), min_retention=0.9)
    assert ended(safe, **sample(boxes))[1] is Status.UNMET
    strict = guard(compose([A.RandomCrop(100, 100)], p=0.5), min_retention=0.9, on_fail="raise")
    outcomes = Counter()
    for _ in range(20):
        try:
            assert strict(**sample(boxes))["image"] is RAMPS
            outcomes["not applied"] += 1
        except sa.RetentionError:
            outcomes["raised"] += 1
    assert min(outcomes.values()) > 2
    assert strict.report()["pipeline"] == {"NOT_APPLIED": outcomes["not applied"], "UNMET": outcomes["raised"]}
    assert ended(strict, **sample([[200, 200, 210, 210]]))[1] in {Status.FIRST, Status.MOVED, Status.NOT_APPLIED}


def test_a_share_of_the_draws_can_be_left_alone():
    plain = compose(PIPELINES["crop, Perspective"]())
    safe, rng, alone = guard(plain, apply_rate=0.5, repair_randomness=False), np.random.default_rng(0), 0
    for _ in range(DRAWS):
        boxes = scene(rng)
        expected, (found, status) = plain(**sample(boxes)), ended(safe, **sample(boxes))
        if status is Status.UNGUARDED:
            alone += 1
            assert_same(found, expected)
    assert 0.35 * DRAWS < alone < 0.65 * DRAWS


# What is measured only.


def test_windows_that_the_host_does_not_draw_are_left_where_they_are():
    steps = [A.Resize(256, 300), A.CenterCrop(224, 224), A.Normalize()]
    plain = compose(steps)
    safe = guard(plain, min_retention=1.0)
    rng, image, statuses = np.random.default_rng(0), np.zeros((SIDE, SIDE, 3), np.uint8), Counter()
    for _ in range(30):
        boxes = scene(rng)
        found, status = ended(safe, **sample(boxes, image))
        statuses[status] += 1
        assert_same(found, plain(**sample(boxes, image)))
    assert set(statuses) == {Status.FIRST, Status.UNGUARDED}
    assert set(safe.report()) == {"pipeline", "0 Resize", "1 CenterCrop"}


def test_they_are_moved_where_one_says_so():
    boxes = [[0, 0, 60, 60]]
    still, moved = (guard(compose([A.CenterCrop(384, 384)]), move_fixed=each) for each in (False, True))
    assert ended(still, **sample(boxes))[1] is Status.UNGUARDED
    found, status = ended(moved, **sample(boxes))
    assert status is Status.MOVED
    assert left_in(found["image"], np.array(boxes))[0] >= 0.5 - OFF


@pytest.mark.parametrize("name", WARPING)
def test_distortions_are_measured(name):
    transform = copy.deepcopy(FORMS[name])
    safe, image = guard(compose([transform, A.RandomCrop(28, 28)])), np.zeros((40, 40, 3), np.uint8)
    for _ in range(5):
        status = ended(safe, **sample([[4, 4, 20, 20], [25, 20, 39, 30]], image))[1]
        assert status in {Status.FIRST, Status.MOVED, Status.REDRAWN, Status.UNGUARDED, Status.UNMET}


@pytest.mark.parametrize("theirs", [lambda: TheirStrip(60), lambda: TheirZoom(30, 80, 32)], ids=["strip", "zoom"])
def test_transforms_of_others_are_drawn_as_ever(theirs):
    plain = compose([theirs(), A.HorizontalFlip(p=0.5)])
    safe, image = guard(plain, repair_randomness=False), np.zeros((80, 100, 3), np.uint8)
    for _ in range(20):
        assert_same(safe(**sample([[2, 2, 30, 30], [60, 50, 90, 70]], image)),
                    plain(**sample([[2, 2, 30, 30], [60, 50, 90, 70]], image)))  # fmt: skip
    assert set(safe.report()["pipeline"]) <= {"FIRST", "UNGUARDED"}


def test_a_guarded_crop_keeps_its_own_promise_and_no_more():
    plain = compose([sa.albumentations.RandomCrop(300, 300, min_retention=0.1)])
    safe, rng = guard(plain, repair_randomness=False), np.random.default_rng(0)
    for _ in range(40):
        boxes = scene(rng)
        expected, (found, status) = plain(**sample(boxes)), ended(safe, **sample(boxes))
        assert_same(found, expected)
        left = left_in(found["image"], boxes).min()
        assert abs(left - 0.5) <= OFF or status is (Status.FIRST if left > 0.5 else Status.UNGUARDED)
    assert min(safe.report()["pipeline"].values()) > 5


def test_a_guarded_crop_that_is_left_out_is_followed():
    """It shows the whole picture, in a letterbox; a crop that follows sees the object in its place."""
    crop = sa.albumentations.RandomCrop(100, 100, min_retention=1.0, on_fail="skip")
    safe, boxes = guard(compose([crop, A.RandomCrop(90, 90)])), np.array([[20.0, 20.0, 490.0, 490.0]])
    for _ in range(10):
        found, status = ended(safe, **sample(boxes))
        assert status is Status.SKIPPED
        assert left_in(found["image"], boxes)[0] >= 0.5 - OFF
    assert safe.report()["0 RandomCrop"] == {"SKIPPED": 10}


# Drop-in.


@pytest.mark.parametrize("name", sorted(FORMS))
def test_at_limit_zero_every_transform_is_the_hosts_bit_for_bit(name):
    for size in SIZES[:2]:
        transform = copy.deepcopy(FORMS[name])
        transform.p = 0.8
        data = full_sample(size, 0, transform)
        plain = full_compose([transform], data)
        safe = guard(plain, min_retention=0, repair_randomness=False)
        for seed in range(5):
            data = full_sample(size, seed, transform)
            assert_same(safe(**copy.deepcopy(data)), plain(**copy.deepcopy(data)))
            assert states(plain) == states(safe)


@pytest.mark.parametrize("name", VOLUMES)
def test_volumes_are_left_to_the_host(name):
    plain = A.Compose([VOLUMES[name]()], seed=3)
    safe = guard(plain, repair_randomness=False)
    for seed in range(4):
        volume = np.random.default_rng(seed).integers(0, 255, (8, 16, 16, 3), dtype=np.uint8)
        found, status = ended(safe, volume=volume, mask3d=volume[..., 0].copy())
        assert status is Status.UNGUARDED
        assert_same(found, plain(volume=volume, mask3d=volume[..., 0].copy()))


def tree(kind: Any = A.Compose) -> list[Any]:
    """Return a tree of many kinds. In a replay the host itself fails to go into chosen channels."""
    crops = [A.RandomCrop(30, 20, p=0.3), A.RandomResizedCrop((30, 20), p=0.9)]
    moves = [A.Affine(rotate=(-30, 30), p=0.5), A.HorizontalFlip(p=0.5), A.ElasticTransform(p=0.7)]
    some = A.SomeOf([A.Perspective(p=0.7), A.ColorJitter(), A.CoarseDropout(p=0.5), A.Sequential(moves, p=0.5)], n=2)
    colours = A.SelectiveChannelTransform([A.GaussianBlur(p=1.0)], channels=(0, 2), p=0.5)
    order = A.RandomOrder([A.RandomRotate90(p=0.5), A.PadIfNeeded(40, 40, p=0.5), A.GridDropout(p=0.5)], n=3, p=0.8)
    other = A.OneOrOther(A.Compose([A.Transpose(p=0.5), A.NoOp()], p=0.9), A.GridDistortion(p=0.5), p=0.5)
    first = A.OneOf([A.Sequential([some, *crops[:1]], p=1.0), crops[1]], p=0.9)
    return [first, *([] if kind is A.ReplayCompose else [colours]), order, other]


def run_of(kind: Any, seed: int) -> Any:
    keypoint_params = A.KeypointParams("xy", label_fields=["person"])
    bbox_params = A.BboxParams("albumentations", label_fields=["labels"], min_visibility=0.0)
    if issubclass(kind, A.Compose):
        made = kind(tree(kind), bbox_params=bbox_params, keypoint_params=keypoint_params, p=0.9)
    elif issubclass(kind, A.SomeOf):
        made = kind(tree(), n=3, p=0.9)
    else:
        made = kind(transforms=tree()[:2] if kind is A.OneOrOther else tree(), p=0.9)
    made.set_random_state(np.random.default_rng(seed), random.Random(seed))
    return made


def as_leaves_have_it(data: dict[str, Any]) -> dict[str, Any]:
    """Return a sample as it is outside of a Compose: rows of numbers, no label fields."""
    rows = {
        "bboxes": np.pad(data["bboxes"], [(0, 0), (0, 1)]),
        "keypoints": np.pad(data["keypoints"], [(0, 0), (0, 3)]),
    }
    return {**data, **rows}


KINDS = [A.Compose, A.ReplayCompose, A.OneOf, A.SomeOf, A.Sequential, A.RandomOrder, A.OneOrOther]


@pytest.mark.parametrize("kind", KINDS)
def test_at_limit_zero_trees_are_the_hosts_bit_for_bit(kind):
    plain = run_of(kind, 5)
    safe = guard(plain, min_retention=0, repair_randomness=False)
    assert isinstance(safe, kind)
    assert [type(each).__name__ for each in safe.transforms] == [type(each).__name__ for each in plain.transforms]
    for seed in range(40):
        data = full_sample((48, 44), seed)
        if not issubclass(kind, A.Compose):
            data = as_leaves_have_it(data)
        with np.errstate(invalid="ignore"):  # the host divides by the area of boxes of no whole pixel
            assert_same(safe(**copy.deepcopy(data)), plain(**copy.deepcopy(data)))
        assert states(plain) == states(safe)
    assert sum(safe.report()["pipeline"].values()) == 40


@pytest.mark.parametrize("kind", KINDS)
def test_trees_differ_only_where_the_guard_acts(kind):
    plain = run_of(kind, 6)
    safe, first, statuses = guard(plain, min_retention=0.8, repair_randomness=False), 0, Counter()
    for seed in range(40):
        data = full_sample((48, 44), seed)
        if not issubclass(kind, A.Compose):
            data = as_leaves_have_it(data)
        with np.errstate(invalid="ignore"):  # see above
            (one, status), other = ended(safe, **copy.deepcopy(data)), plain(**copy.deepcopy(data))
        statuses[status] += 1
        first += status is Status.FIRST
        if status in {Status.FIRST, Status.NOT_APPLIED}:
            assert_same(one, other)
        assert states(plain) == states(safe)
    assert 0 < first < 40
    assert len(statuses) > 2


@pytest.mark.parametrize("name", [*SINGLE, "HorizontalFlip", "GaussianBlur"])
def test_one_transform_alone(name):
    plain = SINGLE[name]() if name in SINGLE else getattr(A, name)(p=0.5)
    plain.set_random_seed(4)
    safe = guard(plain, repair_randomness=False)
    assert isinstance(safe, type(plain))
    rng = np.random.default_rng(0)
    for _ in range(25):
        boxes = scene(rng)
        data = {"image": RAMPS, "bboxes": boxes / SIDE}
        (found, status), expected = ended(safe, **data), plain(**data)
        if status is Status.FIRST:
            assert_same(found, expected)
        elif status is not Status.UNMET:
            assert left_in(found["image"], boxes).min() >= 0.5 - OFF
    assert pickle.loads(pickle.dumps(safe)).report() == {key: {} for key in safe.report()}
    assert sum(safe.report()[f"0 {name}"].values() if name != "GaussianBlur" else [25]) == 25


def test_the_original_is_left_as_it_is():
    plain, twin = run_of(A.Compose, 7), run_of(A.Compose, 7)
    before = repr(plain), states(plain), pickle.dumps([type(each) for each in plain.transforms])
    for repair in (False, True):
        safe = guard(plain, repair_randomness=repair)
        for seed in range(5):
            safe(**full_sample((48, 44), seed))
    assert (repr(plain), states(plain), pickle.dumps([type(each) for each in plain.transforms])) == before
    for seed in range(10):
        assert_same(plain(**full_sample((48, 44), seed)), twin(**full_sample((48, 44), seed)))


def test_what_is_seen_of_a_guarded_pipeline_is_the_hosts():
    plain = compose(tree(), save_applied_params=True)
    safe = guard(plain, min_retention=0, repair_randomness=False)
    assert repr(safe) == repr(plain)
    assert A.to_dict(safe)["transform"]["transforms"] == [A.to_dict(plain)["transform"]]
    assert safe.available_keys == plain.available_keys
    assert isinstance(safe.transforms[0].transforms[1], A.RandomResizedCrop)
    assert safe.transforms[0].transforms[1].size == (30, 20)
    boxes, image = [[4, 4, 20, 20]], np.zeros((48, 44, 3), np.uint8)
    for _ in range(10):
        one, other = safe(**sample(boxes, image)), plain(**sample(boxes, image))
        assert [name for name, _ in one["applied_transforms"]] == [name for name, _ in other["applied_transforms"]]
    safe.set_mask_interpolation(2)
    assert safe.transforms[0].transforms[1].mask_interpolation == 2


def test_replays_apply_what_was_recorded():
    safe = guard(compose(PIPELINES["Affine, crop"](), kind=A.ReplayCompose))
    rng, acted = np.random.default_rng(0), 0
    for _ in range(20):
        boxes = scene(rng)
        found, status = ended(safe, **sample(boxes))
        acted += status not in {Status.FIRST, Status.UNMET}
        again = A.ReplayCompose.replay(found["replay"], **sample(boxes))
        np.testing.assert_array_equal(again["image"], found["image"])
        np.testing.assert_array_equal(again["bboxes"], found["bboxes"])
    assert acted > 5


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_copies_go_on_as_the_original_does_and_count_for_themselves(copied):
    safe, rng = guard(compose(PIPELINES["two crops"]() + PIPELINES["Perspective"]())), np.random.default_rng(0)
    for _ in range(5):
        safe(**sample(scene(rng)))
    twin = copied(safe)
    assert twin.report()["pipeline"] == {}
    for _ in range(25):
        boxes = scene(rng)
        assert_same(safe(**sample(boxes)), twin(**sample(boxes)))
    assert sum(twin.report()["pipeline"].values()) == 25
    assert sum(safe.report()["pipeline"].values()) == 30


def test_draws_of_loader_workers_are_counted():
    torch = pytest.importorskip("torch", reason="loaders are torch's")
    safe = guard(compose(PIPELINES["crop, Perspective"]()))
    scenes = [scene(np.random.default_rng(seed)) for seed in range(24)]

    class Data(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return len(scenes)

        def __getitem__(self, number: int) -> float:
            found = safe(**sample(scenes[number]))
            return float(left_in(found["image"], scenes[number]).min())

    loader = torch.utils.data.DataLoader(Data(), batch_size=4, num_workers=2, multiprocessing_context="fork")
    left = torch.cat(list(loader))
    report = safe.report()
    assert sum(report["pipeline"].values()) == 24
    assert all(sum(report[step].values()) == 24 for step in ("0 RandomResizedCrop", "1 Perspective"))
    assert (left < 0.5 - OFF).sum() <= report["pipeline"].get("UNMET", 0)


# Randomness.


def seen_flips(pipeline: Any) -> set[tuple[bool, bool]]:
    data = [pipeline(**sample([[8, 8, 30, 30]], RAMPS[:64, :64]))["image"] for _ in range(40)]
    return {(bool(each[0, 0, 0] > each[0, -1, 0]), bool(each[0, 0, 1] > each[-1, 0, 1])) for each in data}


def test_steps_that_one_seed_gave_the_same_numbers_each_get_their_own():
    plain = compose([A.HorizontalFlip(p=0.5), A.VerticalFlip(p=0.5)])
    assert len(seen_flips(plain)) == 2
    assert len(seen_flips(guard(plain, repair_randomness=False))) == 2
    safe = guard(plain)
    assert len(seen_flips(safe)) == 4
    safe.set_random_seed(7)
    assert len(seen_flips(safe)) == 4


def test_one_seed_is_one_run_and_another_is_another():
    def run(seed: int, again: int | None = None) -> list[Any]:
        safe = guard(compose(PIPELINES["one of all"](), seed=None))
        safe.set_random_seed(seed)
        rng = np.random.default_rng(0)
        if again is not None:
            safe(**sample(scene(rng)))
            rng = np.random.default_rng(0)
            safe.set_random_seed(again)
        return [safe(**sample(scene(rng)))["image"] for _ in range(12)]

    one = run(1)
    assert_same(one, run(1))
    assert_same(one, run(5, again=1))
    assert any(each.shape != other.shape or (each != other).any() for each, other in zip(one, run(2), strict=True))


# Reports, and bad input.


def test_reports_tell_the_whole_and_each_step():
    safe = guard(
        compose([A.OneOf([A.Affine(p=1.0), A.HorizontalFlip(p=1.0)], p=0.5), A.Blur(), A.RandomCrop(9, 9)], p=0.7)
    )
    for _ in range(30):
        safe(**sample([[2, 2, 8, 8]], np.zeros((16, 16, 3), np.uint8)))
    report = safe.report()
    assert list(report) == ["pipeline", "0.0 Affine", "0.1 HorizontalFlip", "2 RandomCrop"]
    assert sum(report["pipeline"].values()) == 30
    applied = 30 - report["pipeline"]["NOT_APPLIED"]
    assert 0 < applied < 30
    assert sum(report["2 RandomCrop"].values()) == applied
    assert 0 < sum(report["0.0 Affine"].values()) + sum(report["0.1 HorizontalFlip"].values()) < applied
    assert not report["0.1 HorizontalFlip"].keys() - {"FIRST"}


def test_a_step_that_its_own_p_left_out_is_said():
    safe = guard(compose([A.HorizontalFlip(p=0.5), A.Perspective(p=0.0)]))
    for _ in range(20):
        safe(**sample([[2, 2, 8, 8]], np.zeros((16, 16, 3), np.uint8)))
    assert safe.report()["1 Perspective"] == {"NOT_APPLIED": 20}
    assert set(safe.report()["0 HorizontalFlip"]) == {"FIRST", "NOT_APPLIED"}


@pytest.mark.parametrize("data", [sample([]), {"image": RAMPS, "bboxes": [], "labels": []}])
def test_nothing_to_protect(data):
    plain = compose([A.NoOp(), *PIPELINES["crop, Perspective"]()])
    safe = guard(plain, repair_randomness=False)
    for _ in range(3):
        found, status = ended(safe, **copy.deepcopy(data))
        assert status is Status.EMPTY
        assert_same(found, plain(**copy.deepcopy(data)))
    assert all(set(counts) <= {"EMPTY", "NOT_APPLIED"} for counts in safe.report().values())
    with pytest.raises(sa.ContentError, match="nothing to protect"):
        guard(plain, on_empty="raise")(**copy.deepcopy(data))


def test_an_image_alone():
    plain = A.Compose(PIPELINES["crop, Perspective"](), seed=2)
    safe = guard(plain, repair_randomness=False)
    found, status = ended(safe, image=RAMPS)
    assert status is Status.EMPTY
    assert_same(found, plain(image=RAMPS))
    images = np.stack([RAMPS[:64, :64]] * 2)
    assert_same(safe(images=images), plain(images=images))
    assert_same(safe(images=[*images]), plain(images=[*images]))


def test_inputs_are_not_changed():
    safe, rng = guard(compose(tree()), min_retention=0.9), np.random.default_rng(0)
    for _ in range(10):
        image = rng.integers(0, 255, (48, 44, 3), dtype=np.uint8)
        data = {**sample([[4, 4, 20, 20], [20, 30, 40, 44]], image), "mask": image[:, :, 0].copy()}
        before = copy.deepcopy(data)
        safe(**data)
        assert_same(data, before)


def test_filters_that_contradict_the_policy_are_refused():
    params = A.BboxParams("pascal_voc", label_fields=["labels"], min_visibility=0.4)
    plain = compose(PIPELINES["RandomCrop"](), bbox_params=params)
    with pytest.raises(sa.PolicyError, match=r"min_visibility=0.4.*min_retention=0.3"):
        guard(plain, min_retention=0.3)
    with pytest.raises(sa.PolicyError, match=r"min_visibility"):
        guard(plain, min_retention={"face": 0.9, "*": 0.2}, labels="labels")
    guard(plain, min_retention=0.4)


@pytest.mark.parametrize("given", [print, None, 3, "Compose", [A.HorizontalFlip(), print]])
def test_what_is_no_pipeline_is_refused(given):
    with pytest.raises(sa.PolicyError, match="safeaug takes"):
        guard(given)


def test_children_that_are_no_transforms_are_refused():
    plain = compose([A.HorizontalFlip(), A.Sequential([A.Blur()])])
    plain.transforms[1].transforms = [A.Blur(), print]
    with pytest.raises(sa.PolicyError, match=r"step \(1, 1\).*builtin_function"):
        guard(plain)


class Fails(A.DualTransform):
    """Somebody else's, which fails on bright pictures."""

    def __init__(self) -> None:
        super().__init__(p=1.0)

    def get_params_dependent_on_data(self, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        if data["image"].max() > 9:
            raise KeyError("bright")
        return {}

    def apply(self, img: np.ndarray, **params: Any) -> np.ndarray:
        return img

    apply_to_mask = apply

    def apply_to_bboxes(self, bboxes: np.ndarray, **params: Any) -> np.ndarray:
        return bboxes


def test_a_transform_that_raises_leaves_nothing_behind():
    plain = compose([A.RandomCrop(20, 20), Fails()])
    safe, boxes = guard(plain, repair_randomness=False), [[2, 2, 12, 12]]
    dark, bright = (np.full((32, 32, 3), value, np.uint8) for value in (0, 255))
    for image in (dark, bright, dark, bright, dark):
        if image is bright:
            with pytest.raises(KeyError, match="bright"):
                plain(**sample(boxes, image))
            with pytest.raises(sa.PipelineError, match=r"step 1 Fails, in call . of the pipeline, raised KeyError"):
                safe(**sample(boxes, image))
        else:
            assert ended(safe, **sample(boxes, image))[1] in {Status.FIRST, Status.MOVED}
            plain(**sample(boxes, image))
        assert passage.CURRENT.get() is None
        assert states(plain) == states(safe)
    assert sum(safe.report()["pipeline"].values()) == 3


# Guards in guards, and steps that stand twice.


def test_a_transform_that_stands_twice_is_one_step():
    crop = A.RandomCrop(440, 440)
    branch = A.Sequential([crop, A.PadIfNeeded(480, 480)], p=1.0)
    safe, rng = guard(compose([branch, A.Normalize(p=0.0), branch])), np.random.default_rng(0)
    for _ in range(20):
        boxes = np.concatenate([scene(rng)[:2], [[30, 30, 200, 200]]])
        found, status = ended(safe, **sample(boxes))
        assert status is Status.UNMET or left_in(found["image"], boxes).min() >= 0.5 - OFF
    assert list(safe.report()) == ["pipeline", "0.0 RandomCrop", "0.1 PadIfNeeded"]
    assert sum(safe.report()["0.0 RandomCrop"].values()) == 40


def test_guarding_again_takes_the_place_of_the_guard():
    plain, rng = compose(PIPELINES["crop, Perspective"]()), np.random.default_rng(0)
    safe = guard(guard(plain, min_retention=0.9), min_retention=0.5, repair_randomness=False)
    other = guard(plain, min_retention=0.5, repair_randomness=False)
    safe.set_random_seed(3)
    other.set_random_seed(3)
    assert type(safe) is type(other)
    for _ in range(20):
        boxes = scene(rng)
        assert_same(safe(**sample(boxes)), other(**sample(boxes)))
    assert safe.report() == other.report()


def test_guarded_parts_of_a_pipeline():
    """In a plain pipeline they keep their own promise; in a guarded one the whole has the say."""
    part = guard(A.Sequential([SINGLE["Affine"](), A.RandomCrop(400, 400)], p=1.0))
    single = guard(SINGLE["Perspective"]())
    plain = compose([part, single], seed=3)
    whole, rng = guard(plain), np.random.default_rng(0)
    for _ in range(40):
        boxes = scene(rng)
        plain(**sample(boxes))
        found, status = ended(whole, **sample(boxes))
        assert status is Status.UNMET or left_in(found["image"], boxes).min() >= 0.5 - OFF
    assert sum(part.report()["pipeline"].values()) == sum(single.report()["pipeline"].values()) == 40
    assert list(whole.report()) == ["pipeline", "0.0 Affine", "0.1 RandomCrop", "1 Perspective"]


def test_a_guarded_part_that_is_added_later_follows_the_passage_of_the_whole():
    part = guard(A.Compose([SINGLE["Perspective"]()]))
    part.disable_check_args_private()  # as a Compose does that is built around it
    whole, rng, cut = guard(compose([SINGLE["RandomResizedCrop"]()], seed=3)), np.random.default_rng(0), 0
    whole.transforms.append(part)
    for _ in range(40):
        boxes = scene(rng)
        found, status = ended(whole, **sample(boxes))
        left = left_in(found["image"], boxes).min()
        assert status is Status.UNMET or left >= 0.5 - OFF
        cut += left < 0.6
    assert cut > 5
    assert part.report()["pipeline"] == {}
    assert sum(part.report()["0 Perspective"].values()) == 40
