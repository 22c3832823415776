"""Draws without pixels: told in numbers or by the host, they are the same draws, and leave the same of every object."""

import random

import albumentations as A
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import safeaug
from safeaug import DataError, PolicyError, Status
from safeaug.albumentations.drawing import Drawer
from safeaug.albumentations.drawing.feeding import feed_of, written
from safeaug.albumentations.drawing.maps import stretch_of, turned
from safeaug.albumentations.drawing.seats import READY, Seat
from safeaug.albumentations.drawing.told import ElsewhereError
from safeaug.auditing.objects import objects_of
from safeaug.data import Sample
from safeaug.dispatch import drawer
from safeaug.guarding.fork import Fork
from safeaug.splitmix import GAMMA, MASK, mixed
from tests.drawing_worlds import BY_THE_HOST, IN_NUMBERS, compose, crop, keys, samples

COUNT, DRAWS = 24, 4

pytestmark = [
    pytest.mark.filterwarnings("ignore:Got processor for bboxes, but no transform to process it"),
    pytest.mark.filterwarnings("ignore:invalid value encountered in divide:RuntimeWarning"),  # the host's holes
]


def drawn_by(pipeline, pool, numbers=True, draw_keys=None):
    made = drawer(pipeline, {})
    if not numbers:
        made._walk = None  # all by the host
    given = objects_of(pool, "boxes").given
    return made.draw(pool, given, keys(len(pool), DRAWS) if draw_keys is None else draw_keys)


def assert_same(one, other):
    for name in one._fields:
        a, b = getattr(one, name), getattr(other, name)
        if a.dtype.kind == "f":
            np.testing.assert_allclose(a, b, atol=2e-6, rtol=2e-6, err_msg=name)
        else:
            assert_array_equal(a, b, err_msg=name)


@pytest.mark.parametrize("name", [*IN_NUMBERS, *BY_THE_HOST])
def test_in_numbers_as_by_the_host(name):
    pipeline = {**IN_NUMBERS, **BY_THE_HOST}[name]()
    pool = samples(COUNT)
    quick, raised = drawn_by(pipeline, pool)
    host, raised_too = drawn_by(pipeline, pool, numbers=False)
    assert raised == raised_too
    assert_same(quick, host)


@pytest.mark.parametrize("name", [name for name in IN_NUMBERS if name not in {"no boxes", "yolo"}])
def test_in_numbers_nothing_goes_through_the_host(name, monkeypatch):
    """Else the test above would compare the host with itself."""
    monkeypatch.setattr(Drawer, "_followed", lambda *_: pytest.fail("the host was asked"))
    _, raised = drawn_by(IN_NUMBERS[name](), samples(COUNT))
    assert not raised


def test_these_pipelines_draw_something():
    """What is compared above is of all kinds: kept, cut, lost, with a label and without."""
    found, _ = drawn_by(IN_NUMBERS["visibility"](), samples(60))
    cut = (found.final > 0) & (found.final < 1)
    assert (cut & found.labelled).any()
    assert (cut & ~found.labelled).any()
    assert ((found.final == 1) & found.labelled).any()
    assert ((found.final == 0) & ~found.labelled).any()
    ghosts, _ = drawn_by(IN_NUMBERS["flush"](), samples(60))  # a box that ends where the crop begins, then turned
    assert ((ghosts.final == 0) & ghosts.labelled).any()


@pytest.mark.parametrize("name", ["usual", "visibility", "orders", "holes", "perspective", "mirrored borders"])
def test_with_pixels_the_same_draw(name):
    pipeline = {**IN_NUMBERS, **BY_THE_HOST}[name]()
    rng = np.random.default_rng(5)
    pool = [each._replace(image=rng.integers(0, 255, (*each.size, 3), np.uint8)) for each in samples(6)]
    found, _ = drawn_by(pipeline, pool)
    made, ends = drawer(pipeline, {}), np.cumsum([len(each.boxes) for each in pool])
    for i, each in enumerate(pool):
        rows = slice(ends[i] - len(each.boxes), ends[i])
        for j, key in enumerate(keys(len(pool), DRAWS)[i].tolist()):
            steps, labelled = made.trace(each, key, pixels=True)
            assert_array_equal(found.labelled[rows, j], labelled)
            if steps:
                assert steps[-1].sample["image"].shape[:2] == tuple(found.size[i, j])
                np.testing.assert_allclose(found.final[rows, j], steps[-1].left, atol=2e-6)


def test_the_labels_are_those_that_a_user_gets():
    """The pipeline itself, called as in training, on the numbers that a key says."""
    pipeline = IN_NUMBERS["visibility"]()
    pool = samples(10)
    found, _ = drawn_by(pipeline, pool)
    made, start = drawer(pipeline, {}), 0
    for i, each in enumerate(pool):
        for j, key in enumerate(keys(len(pool), DRAWS)[i].tolist()):
            with made._made.guard_streams.apart(key):
                plain = made._made(
                    image=np.zeros((*each.size, 3), np.uint8), bboxes=each.boxes, labels=range(99)[: len(each.boxes)]
                )
            there = np.isin(np.arange(len(each.boxes)), plain["labels"])
            assert_array_equal(found.labelled[start : start + len(each.boxes), j], there)
        start += len(each.boxes)


def test_a_key_says_all():
    """Whatever the order of samples, the others beside them, and how often it was asked."""
    pool, all_keys = samples(12), keys(12, DRAWS)
    pipeline = IN_NUMBERS["orders"]()
    whole, _ = drawn_by(pipeline, pool, draw_keys=all_keys)
    made = drawer(pipeline, {})
    for i in reversed(range(12)):
        one = [pool[i]]
        for _ in range(2):
            part, _ = made.draw(one, objects_of(one, "boxes").given, all_keys[i : i + 1])
            assert_array_equal(part.size[0], whole.size[i])
            assert_array_equal(part.area[0], whole.area[i])


def test_the_pipeline_is_left_as_it_is():
    pipeline = compose([crop(), A.HorizontalFlip()])
    pipeline.set_random_seed(3)
    before = [step.py_random.getstate() for step in pipeline.transforms]
    drawn_by(pipeline, samples(5))
    assert [step.py_random.getstate() for step in pipeline.transforms] == before
    assert type(pipeline) is A.Compose
    assert type(pipeline.transforms[0]) is A.RandomResizedCrop


def test_draws_follow_the_hosts_law():
    """The mean area of the crops is that of the plain pipeline, to four standard errors."""
    pool = [Sample("a", (300, 400))]
    found, _ = drawn_by(compose([crop(scale=(0.2, 0.9))]), pool, draw_keys=keys(1, 4000))
    plain = crop(scale=(0.2, 0.9))
    plain.set_random_seed(1)
    areas = []
    for _ in range(4000):
        x0, y0, x1, y1 = plain.get_params_dependent_on_data({"shape": (300, 400)}, {})["crop_coords"]
        areas.append((x1 - x0) * (y1 - y0) / 120000)
    error = np.hypot(found.area.std(), np.std(areas)) / np.sqrt(4000)
    assert abs(found.area.mean() - np.mean(areas)) < 4 * error
    assert error < 0.01  # so that a law off by 0.04 would be seen


# What raises, and what is guarded.


def test_what_raises_is_named():
    pool = [Sample("small", (100, 300)), Sample("large", (300, 300))]
    _, raised = drawn_by(BY_THE_HOST["too large"](), pool)
    assert [(fault.sample, fault.draw) for fault in raised] == [(0, j) for j in range(DRAWS)]
    assert {fault.step for fault in raised} == {"0 RandomCrop"}
    assert raised[0].error.startswith("CropSizeError: ")


def test_boxes_that_the_host_refuses_in_the_end():
    """Without a filter between, a box behind the crop's side is clipped to a line, for which the host raises."""
    pipeline = BY_THE_HOST["clipped to nothing"]()
    there = Sample("a", (200, 200), boxes=np.array([[0.0, 0, 9, 9]]), labels=("x",))
    _, raised = drawn_by(pipeline, [there], draw_keys=keys(1, 40))
    assert 0 < len(raised) < 40
    assert all(" is less than or equal to " in fault.error for fault in raised)
    pipeline.transforms[0].p = 1.0
    with pytest.raises(ValueError, match="is less than or equal to"):  # as a user meets it
        pipeline(image=np.zeros((200, 200, 3), np.uint8), bboxes=[[190, 190, 9, 9], [0, 0, 9, 9]], labels=[0, 1])


@pytest.mark.parametrize("last", [A.RandomCrop(5, 5), A.Perspective(p=1.0), A.BBoxSafeRandomCrop()])
def test_a_pipeline_that_asks_for_boxes_is_handed_none_where_there_are_none(last):
    pipeline = compose([last])
    sample = Sample("a", (20, 30), image=np.zeros((20, 30, 3), np.uint8))
    for each in (pipeline, safeaug.guard(pipeline)):
        made = drawer(each, {}, boxes=False)
        _, raised = made.draw([sample], objects_of([sample], "picture").given, keys(1, 2))
        assert not raised


def test_somebody_elses_step_that_raises():
    class Theirs(A.DualTransform):
        def get_params_dependent_on_data(self, params, data):
            raise ZeroDivisionError("of theirs")

    _, raised = drawn_by(
        compose([A.HorizontalFlip(), Theirs(p=1.0)]), [Sample("a", (9, 9), image=np.zeros((9, 9, 3), np.uint8))]
    )
    assert raised[0].step == "1 Theirs"
    assert "ZeroDivisionError: of theirs" in raised[0].error


def test_somebody_elses_compose_is_the_hosts_to_call():
    class Twice(A.Compose):
        def __call__(self, *args, **data):
            return super().__call__(**super().__call__(*args, **data))

    made = drawer(Twice([crop()]), {})
    assert made._walk is None


def test_pixels_that_are_needed_and_not_there():
    masked = compose([A.CropNonEmptyMaskIfExists(30, 30)])
    with pytest.raises(DataError):
        drawn_by(masked, [Sample("a", (90, 90), where="ann.json:3")])


def test_guarded_pipelines_say_how_draws_ended():
    pool = samples(COUNT)
    found, raised = drawn_by(safeaug.guard(IN_NUMBERS["usual"](), on_fail="raise"), pool)
    assert not raised
    ended = {Status(status) for status in found.status.ravel().tolist()}
    assert {Status.FIRST, Status.MOVED, Status.UNMET} <= ended | {Status.MOVED}
    counts = np.repeat([len(each.boxes) for each in pool], [len(each.boxes) for each in pool])
    kept = np.repeat(found.status, [len(each.boxes) for each in pool], axis=0) < Status.UNMET
    assert len(counts) == len(kept)
    assert (found.final[kept] >= 0.5 - 1e-4).all()


def test_a_guarded_pipeline_reads_the_labels_it_asks_for():
    """Limits are per label, so the guard must be told the labels, and not the objects' numbers."""
    pool = samples(COUNT, seed=2)
    guarded = safeaug.guard(compose([crop()]), min_retention={"class 0": 1.0, "*": 0.0})
    found, raised = drawn_by(guarded, pool)
    assert not raised
    labels = np.array([label for each in pool for label in each.labels])
    met = np.repeat(found.status, [len(each.boxes) for each in pool], axis=0) < Status.UNMET
    assert (found.final[labels == "class 0"][met[labels == "class 0"]] >= 1 - 1e-4).all()
    assert (found.final[labels != "class 0"] < 0.5).any()


def test_the_same_key_draws_a_guarded_pipeline_again():
    pool, one = samples(8), keys(8, DRAWS)
    guarded = safeaug.guard(IN_NUMBERS["usual"](), keep="one")
    first, _ = drawn_by(guarded, pool, draw_keys=one)
    made = drawer(guarded, {})
    given = objects_of(pool, "boxes").given
    made.draw(pool, given, keys(8, 2, seed=9))
    again, _ = made.draw(pool, given, one)
    assert_same(first, again)


def test_no_pipeline():
    with pytest.raises(PolicyError, match="got int"):
        drawer(3, {})


# Its parts.


def test_numbers_stand_ready_as_a_fork_makes_them():
    key = 0x0123456789ABCDEF
    for number in (0, 3):
        seat = Seat(number)
        seat.begin(np.array([key], np.uint64))
        seat.sit(0)
        fork = Fork(mixed(mixed((key + number * GAMMA) & MASK) ^ MASK))
        for _ in range(2 * READY):
            assert seat.numbers.random() == fork.random()
        seat.begin(np.array([key], np.uint64))
        seat.sit(0)
        fork = Fork(mixed(mixed((key + number * GAMMA) & MASK) ^ MASK))
        for _ in range(READY):
            assert seat.numbers.uniform(2, 5) == fork.uniform(2, 5)
            assert seat.numbers.randint(0, 1000) == fork.randint(0, 1000)
            assert seat.numbers.choice("abc") == fork.choice("abc")
        with pytest.raises(ElsewhereError):
            seat.numbers.getrandbits(64)


def test_affine_maps_are_the_hosts():
    transform = A.Affine(rotate=(-90, 90), scale=(0.3, 2), translate_px=(-50, 50), shear=(-20, 20), keep_ratio=False)
    transform.py_random = random.Random(1)
    for shape in ((100, 300), (301, 99)):
        for _ in range(50):
            state = transform.py_random.getstate()
            host = transform.get_params_dependent_on_data({"shape": shape}, {})
            transform.py_random.setstate(state)
            there, shear = transform._get_translate_params(shape), transform._get_shear_params()
            scale = transform._get_scale(transform.scale, False, False, transform.py_random)
            turn = transform.py_random.uniform(*transform.rotate)
            numbers = [[there["x"], there["y"], shear["x"], shear["y"], scale["x"], scale["y"], turn, 0, 0]]
            ours = turned(np.array(numbers), np.array([shape])).reshape(3, 3)
            np.testing.assert_allclose(ours, host["bbox_matrix"], atol=1e-9)


@pytest.mark.parametrize("angle", [0, 30, 90])
def test_stretch_is_that_of_the_axes(angle):
    turn = np.deg2rad(angle)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    matrix = np.eye(3)
    matrix[:2, :2] = rotation @ np.diag([3.0, 0.5]) @ rotation.T
    assert stretch_of(matrix.reshape(1, 9))[0] == pytest.approx(6)
    perspective = np.array([[1, 0, 0, 0, 1, 0, 0.001, 0, 1]], dtype=float)
    singular = np.array([[1, 0, 0, 0, 0, 0, 0, 0, 1]], dtype=float)
    assert np.isnan(stretch_of(np.concatenate([perspective, singular]))).all()


@pytest.mark.parametrize("kind", ["pascal_voc", "coco", "yolo", "albumentations"])
def test_the_host_takes_boxes_as_we_say(kind):
    """Bit for bit, those flush with the picture too, of which the host refuses what sticks out by a hair."""
    made = A.Compose([A.NoOp()], bbox_params=A.BboxParams(kind, label_fields=["labels"]))
    feed = feed_of(made, boxes=True)
    for each in samples(200, seed=4):
        sizes = np.array([each.size] * len(each.boxes)).reshape(-1, 2)
        sides, there, told = feed.sides(each.boxes, sizes)
        assert told.all()
        assert there.all()
        rows = written(each.boxes, sizes, kind)
        if len(rows):
            host = made.processors["bboxes"].check_and_convert(
                rows, {"height": each.size[0], "width": each.size[1]}, "to"
            )
            assert_array_equal(host[:, :4].astype(np.float64), sides)


def test_boxes_without_area_are_not_handed_over():
    one = Sample(
        "a",
        (50, 50),
        boxes=np.array([[5.0, 5, 5, 9], [5, 5, 20, 20], [60, 5, 70, 9]]),
        labels=("x",) * 3,
        ignore=np.zeros(3, bool),
    )
    found, raised = drawn_by(compose([A.NoOp(), A.HorizontalFlip(p=1.0)]), [one])
    assert not raised
    assert found.labelled[:, 0].tolist() == [False, True, False]
