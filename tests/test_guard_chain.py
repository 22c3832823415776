"""What a guarded pipeline asks of its steps together: the end, another draw, room for what follows, other processes."""

import io
import itertools
import json
import logging
import multiprocessing
import threading
from collections import Counter
from typing import Any

import albumentations as A
import cv2
import numpy as np
import pytest
from albumentations.augmentations.crops.transforms import CropSizeError

import safeaug as sa
from safeaug.albumentations.pipeline import leaf, root
from safeaug.albumentations.pipeline.leaf import Leaf
from safeaug.albumentations.pipeline.tree import Behind, look_behind
from safeaug.policy import Status
from tests.guard_worlds import (
    PIPELINES,
    RAMPS,
    SIDE,
    SINGLE,
    assert_same,
    compose,
    ended,
    full_sample,
    guard,
    left_in,
    sample,
    scene,
)
from tests.table import TheirStrip

OFF = 0.02


class Seen(A.ImageOnlyTransform):
    """Counts the pictures that it sees."""

    def __init__(self) -> None:
        super().__init__(p=1.0)
        self.pictures = 0

    def __deepcopy__(self, memo: Any) -> Any:
        return self  # the guarded copy's count is wanted

    def apply(self, img: np.ndarray, **params: Any) -> np.ndarray:
        self.pictures += 1
        return img


# Close-ups, visible pixels, stretch.


def test_a_close_up_passes_at_the_end_of_the_pipeline():
    """An object of four fifths of the picture: most crops are close-ups of it, and stay what they were."""
    object_ = np.zeros((200, 200), np.uint8)
    object_[10:190, 10:190] = 1
    crop = A.RandomResizedCrop((100, 100), scale=(0.08, 0.5), mask_interpolation=cv2.INTER_NEAREST)
    plain = compose([crop, A.HorizontalFlip(p=0.5), A.Normalize(p=1.0)])
    safe, strict = (guard(plain, policy=each, repair_randomness=False) for each in (
        sa.Policy.classification(), sa.Policy(min_retention=0.5)))  # fmt: skip
    firsts = Counter()
    for _ in range(60):
        data = {**sample([[10, 10, 190, 190]], np.zeros((200, 200, 3), np.uint8)), "mask": object_}
        expected = plain(**data)
        for name, pipeline in (("safe", safe), ("strict", strict)):
            found, status = ended(pipeline, **data)
            firsts[name] += status is Status.FIRST
            filled = expected["mask"].mean()
            if name == "safe" and abs(filled - 0.5) > 0.02:
                assert (status is Status.FIRST) == (filled > 0.5)
            assert name == "strict" or found["mask"].mean() >= 0.48
    assert firsts["safe"] > 45
    assert firsts["strict"] < 15


@pytest.mark.parametrize("chain", ["fixed resize", "drawn resize", "zoom out"])
def test_enough_pixels_are_visible_at_the_end(chain):
    """Each object of about 30 × 30 must show 49 pixels of the output, in which all is a quarter as long, or less."""
    steps = {
        "fixed resize": lambda: [A.RandomCrop(400, 400), A.Resize(100, 100)],
        "drawn resize": lambda: [A.RandomResizedCrop((100, 100), scale=(0.3, 1.0))],
        "zoom out": lambda: [A.RandomCrop(400, 400), A.Affine(scale=(0.15, 0.4), p=1.0)],
    }
    plain = compose(steps[chain]())
    safe = guard(plain, min_retention=0.3, min_visible_pixels=49, repair_randomness=False)
    rng, statuses, broken = np.random.default_rng(0), Counter(), 0

    def shown(image: np.ndarray, boxes: np.ndarray, scale: float) -> float:
        return float((left_in(image, boxes) * 30 * 30 * scale).min())

    for _ in range(60):
        corner = rng.uniform(60, 422, (2, 2))
        boxes = np.concatenate([corner, corner + 30], axis=1)
        expected, (found, status) = plain(**sample(boxes)), ended(safe, **sample(boxes))
        statuses[status] += 1
        areas = {
            each: abs(np.linalg.det(scale_of(image)))
            for each, image in (("plain", expected["image"]), ("safe", found["image"]))
        }
        broken += shown(expected["image"], boxes, areas["plain"]) < 47
        assert status is Status.UNMET or shown(found["image"], boxes, areas["safe"]) >= 47
    assert broken > 8
    assert statuses[Status.UNMET] <= 3
    assert statuses[Status.UNGUARDED] == 0


def scale_of(image: np.ndarray) -> np.ndarray:
    """Return by how much the source is scaled in an image that the image of coordinates became: a matrix."""
    rows, columns = np.nonzero(image[:, :, 2] > 0.9999)
    ones = np.ones(len(rows))
    source = np.stack([*(image[rows, columns, :2].T.astype(float) * SIDE), ones], axis=1)
    return np.linalg.lstsq(source, np.stack([columns, rows], axis=1), rcond=None)[0][:2]


def test_a_floor_that_cannot_be_reached_is_said_and_costs_no_pixels():
    """Draws are made anew without pixels; with them goes the first, and the one that stands."""
    seen = Seen()
    safe = guard(compose([A.RandomResizedCrop((32, 32), scale=(0.5, 1.0)), A.Perspective(p=1.0), seen]),
                 min_visible_pixels=64)  # fmt: skip
    for number in range(1, 11):
        assert ended(safe, **sample([[30, 30, 60, 60]]))[1] is Status.UNMET
        assert seen.pictures <= 2 * number


def test_fixed_windows_that_show_too_few_pixels_are_not_guarded():
    safe = guard(compose([A.Resize(64, 64), A.CenterCrop(56, 56)]), min_visible_pixels=64)
    assert ended(safe, **sample([[200, 200, 230, 230]]))[1] is Status.UNGUARDED
    assert ended(safe, **sample([[200, 200, 300, 300]]))[1] is Status.FIRST


def test_no_window_is_stretched_more_than_the_policy_says():
    crop = A.RandomResizedCrop((100, 100), scale=(0.2, 0.8), ratio=(0.3, 3.0))
    plain = compose([crop, A.HorizontalFlip(p=0.5)])
    safe = guard(plain, min_retention=0.1, keep="any", max_stretch=1.3, repair_randomness=False)
    rng, stretched = np.random.default_rng(0), 0
    for _ in range(60):
        boxes = scene(rng)
        expected, (found, status) = plain(**sample(boxes)), ended(safe, **sample(boxes))
        low, high = sorted(np.abs(np.diag(scale_of(expected["image"]))))
        stretched += high / low > 1.32
        low, high = sorted(np.abs(np.diag(scale_of(found["image"]))))
        assert high / low <= 1.32
        assert (status is Status.FIRST) <= (not np.array_equal(expected["image"], 0))
    assert stretched > 15


# Another draw of the whole.


def test_where_nothing_else_was_drawn_nothing_is_drawn_anew(monkeypatch):
    def never(*_: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(root.Root, "_repeated", never)
    safe = guard(compose([A.HorizontalFlip(p=0.5), A.RandomCrop(100, 100), A.ColorJitter(p=0.5)]), min_retention=0.9)
    for _ in range(10):
        assert ended(safe, **sample([[0, 0, 500, 500]]))[1] is Status.UNMET


def test_another_branch_is_taken_where_one_cannot_keep_its_objects():
    seen = Seen()
    branches = A.OneOf([A.RandomCrop(100, 100), A.RandomCrop(500, 500), A.Sequential([A.RandomCrop(90, 90)])], p=1.0)
    safe, statuses = guard(compose([branches, seen])), Counter()
    for _ in range(60):
        found, status = ended(safe, **sample([[20, 20, 490, 490]]))
        statuses[status] += 1
        assert found["image"].shape[0] == 500 or status is Status.UNMET
    assert statuses[Status.REDRAWN] > 20
    assert statuses[Status.UNMET] <= 6  # (2/3)^11 is 1 %
    assert seen.pictures <= 120


def test_a_draw_made_anew_is_the_same_with_pixels(monkeypatch):
    """What the passage without pixels says is left is left in the picture; else its status would not be true."""
    told, pass_ = [], root.Root._pass

    def noting(self: Any, *args: Any) -> Any:
        result, passage = pass_(self, *args)
        told.append((passage.mode.dry, passage.status, passage.ledger.shares[1:], passage.ledger.size))
        return result, passage

    monkeypatch.setattr(root.Root, "_pass", noting)
    tree = [A.OneOf([A.RandomCrop(300, 300), A.RandomCrop(420, 420)], p=1.0), A.SomeOf(
        [SINGLE["Perspective"](), A.GaussNoise(p=1.0), SINGLE["CoarseDropout"](), A.D4(p=1.0)], n=3),
        sa.albumentations.RandomCrop(250, 250, keep="any")]  # fmt: skip
    safe, rng, repeated = guard(compose(tree), min_retention=0.6), np.random.default_rng(2), 0
    for _ in range(60):
        told.clear()
        with np.errstate(invalid="ignore"):  # the host divides by the area of boxes of no whole pixel
            safe(**sample(scene(rng)))
        if len(told) > 1 and not told[-1][0]:
            repeated += 1
            assert any(each[0] and each[1:] == told[-1][1:] for each in told[:-1])
    assert repeated > 5


def test_generators_go_on_as_if_nothing_had_been_drawn_anew():
    """The plain pipeline's stream is untouched, so after a draw that was repeated both draw the same again."""
    plain = compose(PIPELINES["crop, pad, crop"]())
    safe, rng, repeated = guard(plain, repair_randomness=False), np.random.default_rng(0), 0
    for _ in range(40):
        boxes = scene(rng)
        expected, (found, status) = plain(**sample(boxes)), ended(safe, **sample(boxes))
        repeated += status in {Status.UNMET, Status.REDRAWN}
        if status is Status.FIRST:
            assert_same(found, expected)
    assert repeated > 3


# Room for what follows.


def test_a_crop_leaves_room_for_the_steps_behind_it():
    """Of an object at its limit nothing more can be taken: at most one draw in twenty comes to nothing."""
    safe, rng, statuses, nothing = (
        guard(compose(PIPELINES["crop, Perspective"]())),
        np.random.default_rng(5),
        Counter(),
        0,
    )
    for _ in range(150):
        boxes = scene(rng)
        found, status = ended(safe, **sample(boxes))
        statuses[status] += 1
        if status is Status.SOFTENED:
            # A crop alone maps the source by a diagonal matrix, a perspective does not.
            across, down = scale_of(found["image"])
            nothing += abs(across[1]) + abs(down[0]) < 1e-4 * (abs(across[0]) + abs(down[1]))
    assert nothing <= 0.05 * 150
    assert statuses[Status.SOFTENED] > 30
    assert statuses[Status.UNMET] <= 0.02 * 150


LAST = [
    ("the last", lambda c, p, f: A.Compose([c, f, p]), "p", "c"),
    ("alone", lambda c, p, f: A.Compose([f, c]), "c", ""),
    ("may be the last", lambda c, p, f: A.Compose([c, A.Sequential([p], p=0.5)]), "cp", "c"),
    ("one of two", lambda c, p, f: A.OneOf([c, p]), "cp", ""),
    ("some of both", lambda c, p, f: A.SomeOf([c, p, f], n=2), "cp", "cp"),
    ("any order, and then one", lambda c, p, f: A.Compose([A.RandomOrder([c, f], n=2), p]), "p", "c"),
    ("behind what colours", lambda c, p, f: A.Compose([p, c, A.Blur(), A.Normalize()]), "c", "p"),
    ("twice", lambda c, p, f: A.Compose([c, p, c]), "", "cp"),
    ("in a Sequential that is left out at times", lambda c, p, f: A.Compose([A.Sequential([c, p], p=0.5)]), "p", "c"),
]  # fmt: skip


@pytest.mark.parametrize("tree, last, followed", [each[1:] for each in LAST], ids=[each[0] for each in LAST])
def test_which_step_may_be_the_last_and_which_may_be_followed(tree, last, followed):
    """By hand; of one that stands twice, only what holds of both places counts as the last."""
    made = {"c": A.RandomCrop(8, 8), "p": A.Perspective(p=1.0), "f": A.HorizontalFlip(p=1.0)}
    leaves = {id(each): Leaf(each, (0,), False) for each in made.values()}
    root_ = tree(*made.values())
    look_behind(root_, leaves, Behind())
    inside = {name for name, each in made.items() if name != "f" and f"{type(each).__name__}" in repr(root_)}
    assert {name for name in inside if leaves[id(made[name])].last} == set(last)
    assert {name for name in inside if leaves[id(made[name])].followed} == set(followed)


# What is left out, and what is not a step.


def test_a_crop_that_cannot_keep_its_objects_is_left_out():
    safe = guard(compose([A.RandomCrop(100, 120), A.HorizontalFlip(p=1.0)]), min_retention=0.9, on_fail="skip")
    boxes = [[20.0, 20.0, 490.0, 490.0]]
    for _ in range(5):
        found, status = ended(safe, **sample(boxes))
        assert status is Status.SKIPPED
        assert found["image"].shape[:2] == (100, 120)
        assert left_in(found["image"], np.array(boxes))[0] >= 1 - OFF
        ((x0, y0, x1, y1),) = found["bboxes"]
        assert (x1 - x0, y1 - y0) == pytest.approx((470 * 100 / 512, 470 * 100 / 512), abs=1)
    assert safe.report()["0 RandomCrop"] == {"SKIPPED": 5}
    loose = guard(compose([A.RandomCropFromBorders()]), min_visible_pixels=SIDE**2 + 9, on_fail="skip")
    for _ in range(10):
        found, status = ended(loose, **sample(boxes))
        assert status is Status.UNMET  # as the picture ends with too few pixels all the same
        assert found["image"].shape == RAMPS.shape
    assert loose.report()["0 RandomCropFromBorders"] == {"SKIPPED": 10}


class Silent(A.DualTransform):
    """Somebody else's, called in a way of its own."""

    def __call__(self, *args: Any, force_apply: bool = False, **data: Any) -> Any:
        return {**data, "image": data["image"][::-1]}


MOVING = {
    "chosen channels that move": lambda: A.SelectiveChannelTransform([A.Affine(rotate=(9, 30), p=1.0)], (0, 2)),
    "a call of its own": lambda: Silent(),
}


@pytest.mark.parametrize("make", MOVING.values(), ids=MOVING)
def test_what_is_not_seen_is_not_guarded(make):
    plain = compose([A.RandomCrop(300, 300), make(), A.RandomCrop(200, 200)])
    safe = guard(plain, repair_randomness=False)
    for _ in range(10):
        data = sample([[200, 200, 300, 300]])
        (found, status), expected = ended(safe, **data), plain(**data)
        assert status is Status.UNGUARDED
        if safe.report()["0 RandomCrop"].keys() == {"FIRST"}:
            assert_same(found, expected)
    assert safe.report()["2 RandomCrop"] == {"UNGUARDED": 10}


def test_chosen_channels_that_change_their_colour_are_let_through():
    plain = compose([A.SelectiveChannelTransform([A.Blur(p=1.0)], (0,)), A.RandomCrop(500, 500)])
    safe = guard(plain, repair_randomness=False)
    for _ in range(5):
        data = sample([[200, 200, 300, 300]])
        (found, status), expected = ended(safe, **data), plain(**data)
        assert status is Status.FIRST
        assert_same(found, expected)
    assert list(safe.report()) == ["pipeline", "1 RandomCrop"]


def test_a_list_is_guarded_one_by_one():
    plain = [A.RandomCrop(300, 300), compose([A.Perspective(p=1.0)])]
    safe = sa.guard(plain, min_retention=0.9)
    assert isinstance(safe, list)
    assert [type(each).__name__ for each in safe] == ["RandomCrop", "Compose"]
    assert [list(each.report()) for each in safe] == [["pipeline", "0 RandomCrop"], ["pipeline", "0 Perspective"]]
    assert not hasattr(plain[0], "report")


# Said to the user.


def warnings_of(caplog: Any) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "safeaug"]


def test_a_promise_that_is_often_broken_is_told_once_and_of_the_whole(caplog):
    safe = guard(compose([A.RandomCrop(400, 400), A.RandomCrop(100, 100)]), min_retention=0.9)
    with caplog.at_level(logging.WARNING, "safeaug"):
        for _ in range(110):
            safe(**sample([[20, 20, 490, 490]], np.zeros((SIDE, SIDE, 1), np.uint8)))
    (told,) = warnings_of(caplog)
    assert told.startswith("Compose: the promise could not be met in")


def test_steps_of_somebody_elses_are_named_when_they_are_guarded(caplog):
    with caplog.at_level(logging.WARNING, "safeaug"):
        guard(compose([A.RandomCrop(64, 64), TheirStrip(60), A.Blur()]))
    (told,) = warnings_of(caplog)
    assert "1 TheirStrip" in told
    assert "UNGUARDED" in told


def test_a_redraw_that_is_dear_is_told_with_its_time(caplog, monkeypatch):
    clock = itertools.count(step=0.02)
    monkeypatch.setattr(leaf.time, "perf_counter", lambda: next(clock))
    safe, rng = guard(compose([SINGLE["Perspective"]()])), np.random.default_rng(0)
    with caplog.at_level(logging.WARNING, "safeaug"):
        for _ in range(20):
            safe(**sample(scene(rng)))
    (told,) = warnings_of(caplog)
    assert "step 0 Perspective: drawing anew takes 20.0 ms (mean of the first 10 times)" in told


def test_ordinary_redraws_are_not_called_dear(caplog, monkeypatch):
    clock = itertools.count(step=0.0004)
    monkeypatch.setattr(leaf.time, "perf_counter", lambda: next(clock))
    safe, rng = guard(compose([SINGLE["Perspective"]()])), np.random.default_rng(0)
    with caplog.at_level(logging.WARNING, "safeaug"):
        for _ in range(20):
            safe(**sample(scene(rng)))
    assert warnings_of(caplog) == []


def test_each_sample_can_say_how_it_ended():
    safe = guard(compose([A.RandomCrop(400, 400, p=0.7), Silent(p=0.0)], p=0.8), report_key="safeaug")
    seen = Counter()
    for _ in range(40):
        out, status = ended(safe, **sample([[0, 0, 40, 40]]))
        seen[status] += 1
        assert out["safeaug"]["status"] == status.name
        if status is not Status.NOT_APPLIED and status is not Status.UNGUARDED:
            (left,) = out["safeaug"]["retention"]
            assert left == pytest.approx(left_in(out["image"], np.array([[0, 0, 40, 40]]))[0], abs=OFF)
    assert len(seen) > 1
    with pytest.raises(sa.ContentError, match="'safeaug' of the sample must be free"):
        safe(**sample([[0, 0, 40, 40]]), safeaug=1)
    with pytest.raises(sa.PolicyError, match="report_key must be text, and not the name of a target, got 'image'"):
        guard(compose([A.NoOp()]), report_key="image")


# Errors say where.


class Raises(A.ImageOnlyTransform):
    """Somebody else's, which fails."""

    def apply(self, img: np.ndarray, **params: Any) -> np.ndarray:
        raise ValueError("no such colour")


def test_what_somebody_elses_code_raises_is_told_with_sample_and_step():
    safe = guard(compose([A.HorizontalFlip(), A.OneOf([Raises(p=1.0)], p=1.0)]))
    for number in (1, 2):
        with pytest.raises(
            sa.PipelineError, match=r"step 1\.0 Raises, in call \d of the pipeline.*no such colour"
        ) as told:
            safe(**sample([]))
        assert (told.value.sample, told.value.step) == (number, "1.0 Raises")
        assert isinstance(told.value.__cause__, ValueError)


def test_what_the_sample_lacks_is_told_with_the_step_that_needs_it():
    safe = guard(compose([A.Blur(), A.RandomCropNearBBox(0.1)]))
    with pytest.raises(sa.PipelineError, match=r"step 1 RandomCropNearBBox.* needs cropping_bbox.* has bboxes, image"):
        safe(**sample([]))


def test_errors_of_the_host_stay_what_they_are_and_say_the_step():
    plain = compose([A.HorizontalFlip(), A.RandomCrop(600, 600)])
    with pytest.raises(CropSizeError, match="Crop size"):
        plain(**sample([]))
    with pytest.raises(CropSizeError, match="Crop size") as told:
        guard(plain)(**sample([]))
    assert told.value.__notes__ == ["safeaug: raised by step 1 RandomCrop, in call 1 of the pipeline"]


# Saved and loaded.


def saved(pipeline: Any, form: str) -> Any:
    text = io.StringIO()
    A.save(pipeline, text, data_format=form)
    text.seek(0)
    return A.load(text, data_format=form)


@pytest.mark.parametrize("form", ["json", "yaml"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: compose(PIPELINES["crop, Perspective"]()),
        lambda: compose(PIPELINES["one of all"](), kind=A.ReplayCompose),
        lambda: A.SomeOf([A.RandomCrop(64, 64, p=1.0), A.HorizontalFlip(p=1.0)], n=1),
        lambda: A.Affine(rotate=(-45, 45), p=1.0),
    ],
    ids=["Compose", "ReplayCompose", "SomeOf", "Affine"],
)
def test_a_guarded_pipeline_is_saved_and_loaded_as_one(make, form):
    by_label = {"min_retention": {"cat": 0.7, "*": 0.4}, "labels": "labels"} if isinstance(make(), A.Compose) else {}
    safe = guard(make(), keep="whole", tries=4, **by_label)
    again = saved(safe, form)
    assert type(again).__mro__[-3:] == type(safe).__mro__[-3:]
    assert A.to_dict(again) == A.to_dict(safe)
    for each in (safe, again):
        each.set_random_seed(3)
    rng = np.random.default_rng(0)
    for _ in range(10):
        boxes = scene(rng)
        data = {"image": RAMPS, "bboxes": boxes / SIDE}
        if isinstance(safe, A.Compose):
            data = {**sample(boxes), "labels": ["cat" if i % 2 else "dog" for i in range(len(boxes))]}
        one, other = safe(**data), again(**data)
        np.testing.assert_array_equal(one["image"], other["image"])
    assert again.report() == safe.report()


def test_one_in_a_plain_pipeline_is_saved_with_it():
    plain = compose([guard(A.OneOf([A.RandomCrop(64, 64, p=1.0), A.NoOp(p=1.0)], p=1.0), min_retention=0.8), A.Blur()])
    again = saved(plain, "json")
    assert again.transforms[0].report() == {"pipeline": {}, "0 RandomCrop": {}, "1 NoOp": {}}
    assert A.to_dict(again) == A.to_dict(plain)


def test_a_callable_is_not_saved_in_silence():
    safe = guard(compose([A.RandomCrop(64, 64)]), keep=lambda left: left.max(-1) > 0.5)
    with pytest.raises(NotImplementedError, match="keep is a callable"):
        A.to_dict(safe)


def test_replays_of_a_guarded_leaf_are_the_plain_ones():
    plain = compose([guard(SINGLE["Affine"]()), A.RandomCrop(300, 300)], kind=A.ReplayCompose)
    found = plain(**sample([[200, 200, 300, 300]]))
    json.dumps([each["__class_fullname__"] for each in found["replay"]["transforms"]])
    again = A.ReplayCompose.replay(found["replay"], **sample([[200, 200, 300, 300]]))
    np.testing.assert_array_equal(again["image"], found["image"])


# Other processes.


def angle_of(image: np.ndarray) -> float:
    return float(image[10, 10, 0] - image[10, 9, 0])


class Turned:
    """A dataset of one picture, each time turned by another angle."""

    def __init__(self, pipeline: Any) -> None:
        self.pipeline = pipeline

    def __len__(self) -> int:
        return 12

    def __getitem__(self, number: int) -> float:
        found = self.pipeline(image=RAMPS[:64, :64], bboxes=np.array([[20, 20, 40, 40.0]]), labels=[0])
        return angle_of(found["image"])


def angles(pipeline: Any, epochs: int = 2, **loader: Any) -> list[float]:
    torch = pytest.importorskip("torch", reason="loaders are torch's")
    torch.manual_seed(5)
    made = torch.utils.data.DataLoader(Turned(pipeline), batch_size=2, num_workers=2, **loader)
    return [float(each) for _ in range(epochs) for batch in made for each in batch]


def turning() -> Any:
    return compose([A.Affine(rotate=(-40, 40), p=1.0)])


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_workers_and_epochs_differ_and_a_seed_says_all(context):
    epochs = 2 if context == "fork" else 1  # each of which imports all anew
    found = angles(guard(turning()), epochs, multiprocessing_context=context)
    assert len(set(found)) == 12 * epochs
    if context == "fork":
        assert angles(guard(turning()), multiprocessing_context=context) == found


def test_workers_that_live_on_go_on():
    found = angles(guard(turning()), multiprocessing_context="fork", persistent_workers=True)
    assert len(set(found)) == 24


def test_without_the_repair_they_repeat_as_the_hosts_do():
    kept = {"multiprocessing_context": "fork"}
    plain, safe = angles(turning(), **kept), angles(guard(turning(), repair_randomness=False), **kept)
    assert plain == safe
    assert len(set(plain)) == 6  # a half of an epoch


def _turned(pipeline: Any) -> list[float]:
    data = Turned(pipeline)
    return [data[number] for number in range(3)]


def test_other_children_than_loaders_workers_differ_too():
    safe, found = guard(turning()), []
    context = multiprocessing.get_context("fork")
    for _ in range(2):
        with context.Pool(1) as pool:
            found += pool.map(_turned, [safe])[0]
    assert len({*found, *_turned(safe)}) == 9


def test_a_seed_that_is_set_in_a_worker_is_kept():
    safe = guard(turning())
    safe.set_random_seed(7)
    expected = _turned(safe)
    safe.set_random_seed(8)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(_seeded, (safe,)) == expected


def _seeded(safe: Any) -> list[float]:
    safe.set_random_seed(7)
    return _turned(safe)


def test_full_samples_go_through_draws_made_anew():
    """With masks, keypoints and label fields: what stands is what a passage with pixels made."""
    params = {
        "bbox_params": A.BboxParams("albumentations", label_fields=["labels"]),
        "keypoint_params": A.KeypointParams("xy", label_fields=["person"]),
    }
    plain = compose([A.RandomCrop(36, 34), A.PadIfNeeded(40, 40), A.RandomCrop(30, 30)], **params)
    safe, statuses = guard(plain, min_retention=0.95), Counter()
    for seed in range(30):
        data = {k: v for k, v in full_sample((48, 44), seed).items() if k != "mosaic_metadata"}
        data["bboxes"] = np.array([[0.1, 0.1, 0.72, 0.7], [0.3, 0.4, 0.8, 0.9]])
        found, status = ended(safe, **data)
        statuses[status] += 1
        assert found["image"].shape[:2] == found["mask"].shape[:2] == found["masks"].shape[1:3] == (30, 30)
        assert isinstance(found["masks"], np.ndarray)
    assert statuses[Status.UNMET] + statuses[Status.REDRAWN] > 3


def test_threads_share_a_pipeline_and_the_promise():
    """Some draws are made anew meanwhile; afterwards the pipeline has its own generators again."""
    safe, lost = guard(compose(PIPELINES["crop, pad, crop"]())), []
    generators = safe.random_generator, safe.py_random

    def run(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(25):
            boxes = scene(rng)
            lost.append(left_in(safe(**sample(boxes))["image"], boxes).min() < 0.5 - OFF)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    report = safe.report()["pipeline"]
    assert sum(report.values()) == len(lost) == 75
    assert sum(lost) <= report.get("UNMET", 0) <= 0.35 * 75
    assert (safe.random_generator, safe.py_random) == generators


# What a fresh pair of eyes found.


def test_a_resize_is_never_moved():
    """It shows the whole picture; a part of it, cut before, would be another picture than the host's."""
    plain = compose([A.Resize(64, 64), A.LongestMaxSize(50)])
    safe = guard(plain, move_fixed=True, min_visible_pixels=100)
    data = sample([[70, 70, 90, 90]], np.zeros((160, 160, 3), np.uint8))
    found, status = ended(safe, **data)
    assert status is Status.UNGUARDED
    assert_same(found, plain(**data))


def test_a_draw_made_anew_that_fails_loses_nothing():
    """The host refuses crops larger than what a scale has left: as often as in the plain pipeline, not ten times so."""
    plain = compose([A.RandomScale((-0.5, 0.1), p=0.1), A.RandomCrop(300, 300)])
    safe, raised = guard(plain, min_retention=0.9, repair_randomness=False), Counter()
    for _ in range(120):
        for name, pipeline in (("plain", plain), ("safe", safe)):
            try:
                pipeline(**sample([[20, 20, 490, 490]]))
            except CropSizeError:
                raised[name] += 1
    assert raised["plain"] == raised["safe"] > 0
    assert sum(safe.report()["pipeline"].values()) == 120 - raised["safe"]
    assert safe.report()["pipeline"]["UNMET"] > 60


def test_draws_that_the_host_refuses_are_not_taken_for_better_ones():
    """Of a picture a pixel high, turned, no pixel is left by some redraws: the host raises on these."""
    for seed in range(150):
        plain = compose([A.Rotate((-89, 89), crop_border=True, p=1.0)], seed=seed)
        safe = guard(plain, min_retention=0.9, repair_randomness=False)
        data = sample([[0, 0, 4, 1], [20, 0, 30, 1]], np.zeros((1, 30, 3), np.uint8))
        try:
            plain(**data)
        except (ValueError, cv2.error):
            continue
        safe(**data)


@pytest.mark.parametrize("p", [0.5, 1.0])
def test_holes_behind_a_crop_leave_it_its_close_ups(p):
    crop, holes = (
        A.RandomResizedCrop((100, 100), scale=(0.08, 0.5)),
        A.CoarseDropout((1, 1), (0.05, 0.1), (0.05, 0.1), p=p),
    )
    safe, statuses = guard(compose([crop, holes]), policy=sa.Policy.classification()), Counter()
    for _ in range(60):
        statuses[ended(safe, **sample([[10, 10, 190, 190]], np.zeros((200, 200, 3), np.uint8)))[1]] += 1
    assert statuses[Status.FIRST] >= 57


def test_what_fills_the_picture_in_the_end_was_not_lost_on_the_way():
    """A fixed crop leaves a tenth of the object, which fills all of what is left."""
    safe = guard(compose([A.CenterCrop(60, 60), A.RandomCrop(50, 50), A.Resize(40, 40)]), min_fill=0.5)
    found, status = ended(safe, **sample([[0, 0, 200, 200]], np.zeros((200, 200, 3), np.uint8)))
    assert status is Status.FIRST
    assert found["image"].shape == (40, 40, 3)
    off = ended(safe, **sample([[0, 0, 80, 200]], np.zeros((200, 200, 3), np.uint8)))[1]
    assert off is Status.UNGUARDED


def test_drop_ins_inside_that_protect_masks_see_them_in_draws_made_anew(monkeypatch):
    mask = np.zeros((128, 128), np.uint8)
    mask[20:90, 20:90] = 1
    ours = sa.albumentations.Safe(A.RandomCropFromBorders(0.45, 0.45, 0.45, 0.45, p=1.0), min_retention=0.95)
    tree = [A.OneOf([A.RandomCrop(64, 64), A.RandomCrop(126, 126)], p=1.0), ours]
    safe = guard(A.Compose(tree, seed=1), min_retention=0.85)
    data = {"image": np.zeros((128, 128, 3), np.uint8), "masks": [mask]}
    for _ in range(40):
        found, status = ended(safe, **data)
        assert status in {Status.UNMET, Status.UNGUARDED} or found["masks"][0].sum() >= 0.85 * mask.sum()
    assert not safe.guard_dries(data)
    assert safe.guard_dries({**data, "bboxes": np.zeros((0, 4))})
