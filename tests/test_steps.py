"""Traced steps: what they say is what the pixels show; with pixels and without, they are the same draw."""

import copy
import random
from typing import Any

import albumentations as A
import numpy as np
import pytest

import safeaug as sa
from safeaug.albumentations.changes import needs_pixels, way_of
from safeaug.guarding.way import Way
from tests.changes_worlds import FORMS
from tests.guard_worlds import (
    PIPELINES,
    RAMPS,
    SIDE,
    SINGLE,
    assert_same,
    compose,
    full_compose,
    full_sample,
    guard,
    left_in,
    sample,
    scene,
    states,
)
from tests.table import TheirStrip

OFF = 0.03
"""What is left is counted on 48² points, of which a row and a part of another may be on the wrong side."""

BLANK = np.broadcast_to(np.uint8(0), (SIDE, SIDE, 3))


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("name", PIPELINES)
def test_what_is_left_is_what_the_pixels_show(name):
    """After every step: the image of coordinates says it."""
    plain, boxes = compose(PIPELINES[name]()), rng(3)
    seen = 0
    for seed in range(15):
        objects = scene(boxes)
        steps = sa.steps(plain, sample(objects), rng(seed))
        left = np.ones(len(objects))
        for step in steps:
            assert step.size == step.sample["image"].shape[:2]
            assert (step.left <= left + 1e-12).all()
            left = step.left
            seen += (left < 1).any()
            np.testing.assert_allclose(left_in(step.sample["image"], objects), left, atol=OFF)
        assert [step.path for step in steps] == sorted(step.path for step in steps)
        assert all(step.status is sa.Status.FIRST or "guarded" in name for step in steps)
    assert seen >= 10


@pytest.mark.parametrize("name", PIPELINES)
def test_without_pixels_it_is_the_same_draw(name):
    for pipeline in (compose(PIPELINES[name]()), guard(compose(PIPELINES[name]()))):
        boxes = rng(4)
        for seed in range(8):
            objects = scene(boxes)
            seen = sa.steps(pipeline, sample(objects), rng(seed))
            told = sa.steps(pipeline, sample(objects, BLANK), rng(seed), pixels=False)
            assert len(seen) == len(told) > 0
            for one, other in zip(seen, told, strict=True):
                assert one[:3] == other[:3]
                assert (one.size, one.status) == (other.size, other.status)
                np.testing.assert_array_equal(one.left, other.left)
                assert (other.sample is None) is True
                assert_same({**one.params, "shape": None}, {**other.params, "shape": None})


@pytest.mark.parametrize("name", sorted(FORMS))
def test_every_transform_can_be_traced(name):
    transform = copy.deepcopy(FORMS[name])
    transform.p = 1.0
    data = full_sample((40, 46), 0, transform)
    plain = full_compose([A.Blur(p=1.0), transform, A.GaussNoise(p=1.0)], data)
    blur, step, noise = sa.steps(plain, copy.deepcopy(data), rng(0), instances="*")
    assert (blur.kind, step.kind, noise.kind) == ("still", way_of(transform).name.lower(), "still")
    assert step.path == (1,)
    shown = step.sample["image"] if "image" in step.sample else step.sample["images"][0]
    assert step.size == shown.shape[:2]
    assert np.array_equal(noise.left, step.left)
    if needs_pixels(transform) or way_of(transform) is Way.UNKNOWN:
        with pytest.raises(sa.PolicyError, match=f"step 1 {type(transform).__name__}"):
            sa.steps(plain, copy.deepcopy(data), rng(0), pixels=False, instances="*")
        return
    told = sa.steps(plain, copy.deepcopy(data), rng(0), pixels=False, instances="*")
    if way_of(transform) is Way.STILL:  # which draws from pixels, or might
        assert told == []
        return
    (same,) = told
    np.testing.assert_array_equal(same.left, step.left)
    assert same.size == step.size


def test_only_what_was_applied_is_told_and_colour_needs_pixels():
    pipeline = compose(
        [A.HorizontalFlip(p=0.0), A.ColorJitter(p=1.0), A.OneOf([A.Transpose(p=1.0), A.Blur(p=1.0)], p=1.0)]
    )
    names = {tuple(step.name for step in sa.steps(pipeline, sample([[9, 9, 30, 30]]), rng(seed))) for seed in range(20)}
    assert names == {("ColorJitter", "Transpose"), ("ColorJitter", "Blur")}
    names = {tuple(step.name for step in sa.steps(pipeline, sample([]), rng(s), pixels=False)) for s in range(20)}
    assert names == {("Transpose",), ()}


def test_a_pipeline_that_was_not_applied_has_no_steps():
    pipeline = compose([A.HorizontalFlip(p=1.0)], p=0.5)
    assert {len(sa.steps(pipeline, sample([]), rng(seed))) for seed in range(20)} == {0, 1}


@pytest.mark.parametrize("guards", [False, True])
def test_the_pipeline_is_left_as_it_is_and_one_number_is_taken(guards):
    plain = compose([*PIPELINES["crop, Perspective"](), sa.albumentations.RandomCrop(64, 64)])
    pipeline = guard(plain) if guards else plain
    before, report = states(pipeline), pipeline.report() if guards else None
    one, other, third = random.Random(5), random.Random(5), rng(5)
    steps = sa.steps(pipeline, sample([[9, 9, 60, 60]]), one)
    other.getrandbits(64)
    assert one.getstate() == other.getstate()
    assert states(pipeline) == before
    assert not guards or pipeline.report() == report
    again = sa.steps(pipeline, sample([[9, 9, 60, 60]]), random.Random(5))
    assert_same([step.params for step in steps], [step.params for step in again])
    np.testing.assert_array_equal(steps[-1].sample["image"], again[-1].sample["image"])
    different = sa.steps(pipeline, sample([[9, 9, 60, 60]]), third)
    assert any(not np.array_equal(a.left, b.left) or repr(a.params) != repr(b.params)
               for a, b in zip(steps, different, strict=True))  # fmt: skip


def test_steps_of_a_guarded_pipeline_end_as_it_does():
    """The draw that stands is told, be it the first or another of the whole pipeline."""
    safe, boxes, worst = guard(compose(PIPELINES["crop, pad, crop"]())), rng(1), set()
    for seed in range(40):
        objects = scene(boxes)
        for pixels in (True, False):
            steps = sa.steps(safe, sample(objects, RAMPS if pixels else BLANK), rng(seed), pixels=pixels)
            assert [step.name for step in steps] == ["RandomCrop", "PadIfNeeded", "RandomCrop"]
            unmet = any(step.status is sa.Status.UNMET for step in steps)
            assert unmet or steps[-1].left.min() >= 0.5 - 1e-5
            if pixels:
                np.testing.assert_allclose(left_in(steps[-1].sample["image"], objects), steps[-1].left, atol=OFF)
        worst.add(max(step.status for step in steps))
    assert {sa.Status.FIRST, sa.Status.MOVED, sa.Status.UNMET} <= worst


def test_a_guarded_pipeline_that_draws_from_pixels_is_drawn_anew_with_them():
    """The steps that are told are those of the draw that stands."""
    mask = np.zeros((SIDE, SIDE), np.uint8)
    pipeline = compose([A.RandomCrop(400, 400), A.MaskDropout((1, 1), p=0.01), A.RandomCrop(300, 300)])
    safe, boxes = guard(pipeline), rng(1)
    for seed in range(30):
        objects = scene(boxes)
        steps = sa.steps(safe, {**sample(objects), "mask": mask}, rng(seed))
        np.testing.assert_allclose(left_in(steps[-1].sample["image"], objects), steps[-1].left, atol=OFF)


class Silent(A.DualTransform):
    """Somebody else's, called in a way of its own."""

    def __call__(self, *args: Any, force_apply: bool = False, **data: Any) -> Any:
        return {**data, "image": data["image"][::-1]}


@pytest.mark.parametrize("make", [
    lambda: Silent(), lambda: A.SelectiveChannelTransform([A.Affine(rotate=(20, 30), p=1.0)], channels=(0, 2)),
])  # fmt: skip
def test_from_a_step_on_that_nobody_can_follow_nothing_is_said(make):
    steps = sa.steps(
        compose([A.RandomCrop(300, 300), make(), A.CenterCrop(100, 100)]), sample([[9, 9, 60, 60]]), rng(0)
    )
    assert [step.kind for step in steps] == ["window", "unknown", "window"]
    assert not np.isnan(steps[0].left).any()
    assert np.isnan(steps[1].left).all()
    assert np.isnan(steps[2].left).all()


def test_chosen_channels_that_only_change_colour_take_nothing():
    pipeline = compose([A.SelectiveChannelTransform([A.Blur(p=1.0)], channels=(0, 2)), A.RandomCrop(300, 300)])
    steps = sa.steps(pipeline, sample([[9, 9, 60, 60]]), rng(0))
    assert [(step.name, step.kind) for step in steps] == [
        ("SelectiveChannelTransform", "still"),
        ("RandomCrop", "window"),
    ]
    assert steps[0].left.tolist() == [1.0]


def test_one_transform_and_somebody_elses():
    (step,) = sa.steps(SINGLE["Affine"](), {"image": RAMPS, "bboxes": np.array([[0.1, 0.1, 0.2, 0.2]])}, rng(0))
    assert (step.path, step.name) == ((0,), "Affine")
    (step,) = sa.steps(compose([TheirStrip(60)]), sample([[2, 2, 30, 30]], np.zeros((80, 100, 3), np.uint8)), rng(0))
    assert step.kind == "unknown"
    assert 0 <= step.left[0] <= 1


def test_a_volume_is_not_followed():
    volume = np.zeros((8, 16, 16, 3), np.uint8)
    (step,) = sa.steps(A.Compose([A.CenterCrop3D((4, 8, 8))]), {"volume": volume}, rng(0))
    assert (step.kind, step.left.tolist()) == ("volume", [])
    assert step.sample["volume"].shape == (4, 8, 8, 3)


def test_what_is_no_pipeline_is_refused():
    with pytest.raises(sa.PolicyError, match="safeaug takes a pipeline of albumentations or torchvision"):
        sa.steps(print, sample([]), rng(0))


def test_labels_that_the_pipeline_filters_do_not_matter():
    params = A.BboxParams("pascal_voc", label_fields=["labels"], min_visibility=0.6, min_area=50)
    (step,) = sa.steps(compose([A.RandomCrop(30, 30)], bbox_params=params), sample([[1, 1, 200, 200]]), rng(0))
    assert 0 <= step.left[0] < 0.6


def test_a_list_has_no_steps():
    with pytest.raises(sa.PolicyError, match="or one transform, got list"):
        sa.steps([A.RandomCrop(8, 8)], sample([]), rng(0))


def test_what_needs_pixels_is_named():
    """A transform that moves the sides of boxes, before one that looks at them; masks that a drop-in protects."""
    boxes = compose([A.Morphological((7, 9), p=1.0), A.BBoxSafeRandomCrop()])
    with pytest.raises(sa.PolicyError, match="step 0 Morphological"):
        sa.steps(boxes, sample([[90, 90, 130, 130]]), rng(0), pixels=False)
    masks = A.Compose([sa.albumentations.RandomCrop(64, 64)])
    data = {"image": np.zeros((128, 128, 3), np.uint8), "masks": np.ones((1, 128, 128), np.uint8)}
    with pytest.raises(sa.PolicyError, match="step 0 RandomCrop"):
        sa.steps(masks, data, rng(0), pixels=False)
    assert len(sa.steps(masks, data, rng(0))) == 1
