"""The audit: what it says became of each object is what the host's own output shows; and how it runs."""

import json
import math
import threading

import albumentations as A
import numpy as np
import pytest

import safeaug
from safeaug import ContentError, DataError, PipelineError, Policy, PolicyError
from safeaug.auditing import running
from safeaug.auditing.measure import key_of
from safeaug.auditing.subject import subject_of
from safeaug.data import Data, Sample
from tests.drawing_worlds import affine, compose, crop, samples

# What became of an object.


def painted(size, boxes):
    """Return a picture in which each object has a colour of its own."""
    image = np.zeros((*size, 3), np.uint8)
    for number, (x0, y0, x1, y1) in enumerate(np.asarray(boxes, int)):
        image[y0:y1, x0:x1] = 50 * (number + 1)
    return image


FATES = {
    "kept": (lambda: compose([A.Crop(0, 0, 60, 60)]), [[10, 10, 30, 30]], ["KEPT"]),
    "sliver": (lambda: compose([A.Crop(0, 0, 60, 60)]), [[54, 10, 74, 30]], ["SLIVER"]),
    "ghost of erased pixels": (
        lambda: compose([A.PixelDropout(1.0, p=1.0)]),
        [[10, 10, 30, 30]],
        ["GHOST"],
    ),
    "ghost of a turn": (  # clipped to a line by the crop, which the host keeps, and then turns into a box
        lambda: compose([A.Crop(0, 0, 60, 60), A.Affine(rotate=(45, 45), p=1.0)]),
        [[60, 20, 80, 40]],
        ["GHOST"],
    ),
    "orphan": (lambda: compose([A.Crop(0, 0, 60, 60)], min_visibility=0.5), [[54, 10, 74, 30]], ["ORPHAN"]),
    "gone": (lambda: compose([A.Crop(0, 0, 60, 60)]), [[70, 10, 90, 30], [10, 10, 30, 30]], ["GONE", "KEPT"]),
    "emptied": (lambda: compose([A.Crop(0, 0, 60, 60)]), [[70, 10, 90, 30]], ["GONE"]),
}


def shown(image, number):
    """Return how many pixels show an object; of what is turned, those that are nearly of its colour."""
    return int((np.abs(image[..., 0].astype(int) - 50 * (number + 1)) <= 5).sum())


@pytest.mark.parametrize("name", FATES)
def test_fates_are_what_the_host_shows(name):
    make, boxes, expected = FATES[name]
    pipeline, image = make(), painted((100, 100), boxes)
    out = pipeline(image=image, bboxes=np.array(boxes, float), labels=list(range(len(boxes))))
    for number, fate in enumerate(expected):  # the fates are those that the host's own output shows
        left, labelled = shown(out["image"], number) / 400, number in out["labels"]
        by_sight = {
            (True, True): "KEPT" if left >= 0.5 else "SLIVER",
            (True, False): "ORPHAN",
            (False, True): "GHOST",
            (False, False): "GONE",
        }[left > 0, labelled]
        assert by_sight == fate
    sample = Sample("a", (100, 100), boxes=np.array(boxes, float), labels=("x",) * len(boxes), image=image)
    record = safeaug.audit(pipeline, [sample], draws=2)
    assert [list(row.fates) for row in record.worst] == [expected] * 2
    found = record.summary()
    emptied = "KEPT" not in expected
    assert found.whole.emptied.count == 2 * emptied
    assert found.whole.damaged.count == 2 * any(fate in {"SLIVER", "GHOST", "ORPHAN"} for fate in expected)
    if emptied:
        assert found.blame[0].step.name == type(pipeline.transforms[0]).__name__ or found.whole.damaged.count == 0


def test_limits_are_judged_without_another_audit():
    record = safeaug.audit(compose([crop(), affine(p=0.5)]), samples(40), draws=4, pixels=False)
    for limit in (0.0, 0.25, 0.5, 0.9, 1.0):
        again = safeaug.audit(
            compose([crop(), affine(p=0.5)]), samples(40), draws=4, policy=Policy(min_retention=limit), pixels=False
        )
        assert record.summary(Policy(min_retention=limit)).fates == again.summary().fates


# How it runs.


def test_however_it_is_shared_out_it_is_the_same(monkeypatch):
    pool, pipeline = samples(150), compose([crop(), A.HorizontalFlip(), affine(p=0.5)])
    whole = safeaug.audit(pipeline, pool, pixels=False)
    lines = []
    by_two = safeaug.audit(pipeline, pool, pixels=False, processes=2, lines=lines.append)
    monkeypatch.setattr(running, "PART", 7)
    in_parts = safeaug.audit(pipeline, list(reversed(pool)), pixels=False)
    assert whole.counts.to_json() == by_two.counts.to_json() == in_parts.counts.to_json()
    rows = [json.loads(line) for line in b"".join(lines).splitlines()]
    assert [(row["id"], row["draw"]) for row in rows] == [(each.id, j) for each in pool for j in range(8)]
    assert {row["key"] for row in rows} == {f"{key_of(0, each.id, j):016x}" for each in pool for j in range(8)}


def test_another_seed_is_another_audit():
    pool, pipeline = samples(20), compose([crop()])
    one, same, other = (safeaug.audit(pipeline, pool, seed=seed, pixels=False) for seed in (0, 0, 1))
    assert one.counts.to_json() == same.counts.to_json()
    assert one.summary().fates != other.summary().fates


def broken(key):
    """Read a sample, or fail."""
    if key == "bad":
        raise DataError("expected a number, got none", "ann.json:7", "malformed")
    return Sample(key, (300 if key == "large" else 100, 300), boxes=np.array([[5.0, 5, 50, 50]]), labels=("x",))


@pytest.mark.parametrize("processes", [1, 2])
def test_what_cannot_be_read_stops_it_or_is_counted(processes):
    data = Data("three", ("large", "bad", "x", "y", "z"), broken)
    with pytest.raises(DataError, match=r"ann.json:7: expected a number"):
        safeaug.audit(compose([crop()]), data, processes=processes)
    record = safeaug.audit(compose([crop()]), data, keep_going=True, processes=processes)
    assert record.about.samples == 4
    assert record.remarks == {"malformed": 1}
    assert record.remarked[0].where == "ann.json:7"


@pytest.mark.parametrize("processes", [1, 2])
def test_a_pipeline_that_raises_stops_it_or_is_counted(processes):
    data = Data("three", ("large", "small", "x", "y"), broken)
    pipeline = compose([A.HorizontalFlip(), A.RandomCrop(200, 200)])
    with pytest.raises(PipelineError, match=r"step 1 RandomCrop, on draw 0 of sample small: CropSizeError") as caught:
        safeaug.audit(pipeline, data, processes=processes)
    assert (caught.value.sample, caught.value.step) == ("small", "1 RandomCrop")
    record = safeaug.audit(pipeline, data, draws=3, keep_going=True, processes=processes)
    assert {failure.sample for failure in record.failures} == {"small", "x", "y"}
    assert record.counts.counted.failed == 9
    assert record.summary().whole.draws == 3


def test_a_step_that_moves_nothing_and_raises_is_met_with_pixels():
    class Theirs(A.ImageOnlyTransform):
        def apply(self, img, **_):
            raise ZeroDivisionError("of theirs")

    pipeline = compose([crop(), Theirs(p=1.0)])
    pool = [each._replace(image=np.zeros((*each.size, 3), np.uint8)) for each in samples(3)]
    with pytest.raises(PipelineError, match=r"step 1 Theirs, on draw \d of sample \d: .*ZeroDivisionError: of theirs"):
        safeaug.audit(pipeline, pool)
    record = safeaug.audit(pipeline, pool, worst=5, keep_going=True)
    assert record.summary().failed == {"1 Theirs": 5}
    assert safeaug.audit(pipeline, pool, pixels=False).summary().failed == {}


def test_a_process_that_ends_is_told():
    import os

    class Ends(A.DualTransform):
        def get_params_dependent_on_data(self, params, data):
            os._exit(1)

    pool = [each._replace(image=np.zeros((*each.size, 3), np.uint8)) for each in samples(4)]
    with pytest.raises(PipelineError, match="has ended on its own"):
        safeaug.audit(compose([Ends(p=1.0)]), pool, processes=2)


def test_nobody_waits_for_other_processes_where_one_raises():
    """The second would never end."""

    class Stuck(A.DualTransform):
        def get_params_dependent_on_data(self, params, data):
            if params["shape"][0] == 9:
                raise ZeroDivisionError
            threading.Event().wait()

    pool = [Sample(str(side), (side, 9), image=np.zeros((side, 9, 3), np.uint8)) for side in (9, 10, 10, 10)]
    with pytest.raises(PipelineError, match=r"sample 9: .*ZeroDivisionError"):
        safeaug.audit(A.Compose([Stuck(p=1.0)]), pool, processes=2)


def test_a_pipeline_that_does_not_print_is_audited():
    """As one with a Lambda without a name, of which the host raises when it is to be printed."""
    pipeline = compose([A.Crop(0, 0, 30, 30), A.Lambda(image=same_image)])
    with pytest.raises(ValueError, match="serializable"):
        repr(pipeline)
    one = Sample("a", (40, 40), image=np.zeros((40, 40, 3), np.uint8), boxes=np.array([[1.0, 1, 9, 9]]), labels=("x",))
    assert safeaug.audit(pipeline, [one]).about.pipeline.startswith("Compose, which does not print: ValueError: ")


def same_image(image, **_):
    return image


def test_what_cannot_be_sent_to_a_process_is_told_where_there_is_no_fork(monkeypatch):
    monkeypatch.setattr(running.multiprocessing, "get_all_start_methods", lambda: ["spawn"])

    class Here(A.HorizontalFlip):
        pass

    with pytest.raises(PolicyError, match="processes must be 1 where the pipeline cannot be pickled"):
        safeaug.audit(compose([Here()]), samples(8), processes=2)


def test_masks_with_labels_and_no_flags():
    mask = np.zeros((1, 40, 40), bool)
    mask[0, 5:20, 5:20] = True
    record = safeaug.audit(compose([A.Crop(0, 0, 30, 30)]), [Sample("a", (40, 40), masks=mask, labels=("x",))])
    assert [row.fates for row in record.worst] == [("KEPT",)] * 8


def test_no_samples():
    record = safeaug.audit(compose([crop()]), [])
    assert record.counts.counted.draws == 0
    assert record.summary(max_damaged=0.01).verdict == "too few"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"draws": 0}, "draws must be a whole number of at least 1, got 0"),
        ({"draws": 2.5}, "draws must be a whole number of at least 1, got 2.5"),
        ({"processes": True}, "processes must be a whole number"),
        ({"labels": "box"}, "labels must be"),
        ({"protect": "cats"}, "protect must be one of boxes, outlines"),
        ({"worst": -1}, "worst must be at least 0"),
    ],
)
def test_arguments_that_are_none(given, message):
    with pytest.raises(PolicyError, match=message):
        safeaug.audit(compose([crop()]), samples(2), **given)


def test_no_pipeline_and_no_data():
    with pytest.raises(PolicyError, match="got list"):
        safeaug.audit([crop()], samples(1))
    with pytest.raises(DataError, match="data must be one of coco:FILE"):
        safeaug.audit(compose([crop()]), "nothing.json")
    with pytest.raises(DataError):
        safeaug.audit(compose([crop()]), 3)


def test_boxes_that_are_none():
    bad = Sample("odd", (50, 50), boxes=np.array([[5.0, 5, math.nan, 9]]), labels=("x",), ignore=np.zeros(1, bool))
    with pytest.raises(ContentError, match="sample odd: box 0 must be of finite numbers"):
        safeaug.audit(compose([crop()]), [bad])
    record = safeaug.audit(compose([crop()]), [bad, *samples(3)], keep_going=True)
    assert record.remarks == {"malformed": 1}


# Pixels.


@pytest.mark.filterwarnings("ignore:Got processor for bboxes, but no transform to process it")
def test_blank_and_flat_outputs_are_seen():
    rng = np.random.default_rng(0)
    image = rng.integers(0, 255, (60, 60, 3), np.uint8)
    sample = Sample("a", (60, 60), boxes=np.array([[5.0, 5, 50, 50]]), labels=("x",), image=image)
    erased = compose([A.PixelDropout(1.0, p=1.0), A.Normalize()])
    grey = A.ColorJitter((1, 1), (0.005, 0.005), (1, 1), (0, 0), p=1.0)
    for pipeline, finding in (
        (erased, "SA1.blank"),
        (compose([grey]), "SA1.flat"),
        (compose([A.NoOp()]), None),
    ):
        (row, *_) = safeaug.audit(pipeline, [sample], draws=1).worst
        assert {each for each in row.findings if each in {"SA1.blank", "SA1.flat"}} == ({finding} if finding else set())
    assert "SA1.blank" not in safeaug.audit(erased, [sample], draws=1, pixels=False).worst[0].findings


def test_padding_and_stretch_are_seen_without_pixels():
    wide = Sample("a", (100, 400), boxes=np.array([[5.0, 5, 50, 50]]), labels=("x",))
    padded = compose([A.PadIfNeeded(400, 400)])
    assert safeaug.audit(padded, [wide], draws=1).worst[0].padded == pytest.approx(0.75)
    assert safeaug.audit(compose([A.Resize(100, 100)]), [wide], draws=1).worst[0].stretch == pytest.approx(4)


# What is audited.


def test_whole_pictures_where_nothing_is_known_of_objects():
    data = [Sample(str(i), (100, 100 + 300 * i), group="cats") for i in range(3)]
    record = safeaug.audit(A.Compose([A.CenterCrop(100, 100)]), data, draws=1)
    assert subject_of(data) == "picture"
    assert record.about.labels == "image"
    assert [row.area for row in sorted(record.worst, key=lambda row: row.id)] == pytest.approx([1, 1 / 4, 1 / 7])
    assert record.summary(Policy(min_retention=0.2)).whole.damaged.count == 1
    assert {row.labels for row in record.worst} == {("cats",)}


def test_masks_and_their_classes():
    ids = np.zeros((100, 100), np.uint8)
    ids[10:30, 10:30], ids[10:30, 80:100], ids[60:80, 0:100] = 1, 2, 255
    crop_left = A.Compose([A.Crop(0, 0, 60, 60)])
    record = safeaug.audit(crop_left, [Sample("a", (100, 100), mask=ids)], draws=1)
    (row,) = record.worst
    assert (row.labels, row.final, row.fates) == (("1", "2"), (1.0, 0.0), ("KEPT", "GONE"))
    masks = np.stack([ids == 1, ids == 2])
    record = safeaug.audit(crop_left, [Sample("a", (100, 100), masks=masks)], draws=1)
    assert record.worst[0].fates == ("KEPT", "GHOST")  # an empty mask stays in the list


def test_outlines_rather_than_boxes():
    """A triangle fills half of its box: the crop's half of the box holds three quarters of it."""
    triangle = (np.array([[0.0, 0.0], [80, 0], [0, 80]]),)
    sample = Sample("a", (100, 100), boxes=np.array([[0.0, 0, 80, 80]]), labels=("x",), outlines=[triangle])
    for protect, left in (("boxes", 0.5), ("outlines", 0.75)):
        (row,) = safeaug.audit(compose([A.Crop(0, 0, 40, 100)]), [sample], draws=1, protect=protect).worst
        assert row.final[0] == pytest.approx(left)
        assert row.labelled == (True,)


def test_objects_that_nobody_asks_for():
    boxes = np.array([[70.0, 10, 90, 30], [10, 10, 13, 13], [80, 80, 80, 90], [10, 10, 30, 30]])
    sample = Sample(
        "a",
        (100, 100),
        boxes=boxes,
        labels=("crowd", "small", "line", "x"),
        ignore=np.array([True, False, False, False]),
    )
    record = safeaug.audit(compose([A.Crop(0, 0, 60, 60)]), [sample], draws=1, policy=Policy(ignore_smaller_than=20))
    assert record.worst[0].counted == (False, False, False, True)
    assert record.summary().fates["KEPT"] == 1
