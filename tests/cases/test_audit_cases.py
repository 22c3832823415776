"""The cases once more, as an audit finds them in the plain pipeline: which fate, which rule, which step."""

from collections.abc import Callable
from typing import Any, NamedTuple

import albumentations as A
import numpy as np
import pytest

import safeaug
from safeaug.data import Sample


class Case(NamedTuple):
    """A report, and what an audit says of it.

    Parameters
    ----------
    name : str
        Of the report.
    pipeline : callable
        Makes the pipeline.
    size : (int, int)
        Height and width of the image.
    boxes : list
        Of its objects.
    fate : str
        What becomes of one of them in some draws.
    share : (float, float)
        Between which bounds the share of such draws lies.
    step : str
        Who did it.
    filters : dict
        Of the host's boxes.
    """

    name: str
    pipeline: Callable[[], list[Any]]
    size: tuple[int, int]
    boxes: list[list[float]]
    fate: str
    share: tuple[float, float]
    step: str
    filters: dict[str, Any] = {}  # noqa: RUF012  # of a NamedTuple it is a default, and nobody writes into it


CASES = [
    Case("C1 origin", lambda: [A.RandomResizedCrop((224, 224))], (200, 2000), [[20, 50, 120, 150]], "GONE", (0.95, 1), "0 RandomResizedCrop"),
    Case("C2 albumentations#383", lambda: [A.RandomCrop(64, 64)], (512, 512), [[0, 0, 40, 40]], "GONE", (0.97, 1), "0 RandomCrop"),
    Case("C3 albumentations#875", lambda: [A.CenterCrop(100, 100)], (150, 150), [[62, 62, 92, 92]], "ORPHAN", (1, 1), "0 CenterCrop", {"min_visibility": 1.0}),
    Case("C5 albumentations#824", lambda: [A.Crop(0, 30, 100, 100)], (100, 100), [[20, 10, 60, 35], [10, 10, 90, 90]], "ORPHAN", (1, 1), "0 Crop", {"min_visibility": 0.3}),
    Case("C7 yolov5#8673", lambda: [A.Crop(0, 0, 60, 60), A.Affine(rotate=(45, 45), p=1.0)], (100, 100), [[60, 20, 80, 40]], "GHOST", (1, 1), "0 Crop"),
    Case("C8 ultralytics#1960", lambda: [A.Crop(0, 0, 90, 90)], (100, 100), [[50, 10, 51, 60]], "ORPHAN", (1, 1), "0 Crop", {"min_width": 2}),
    Case("C9 unbiased-teacher#58", lambda: [A.HorizontalFlip(p=1.0), A.PixelDropout(1.0, p=1.0)], (100, 100), [[40, 40, 60, 60]], "GHOST", (1, 1), "1 PixelDropout"),
    Case("C11 torchvision affine", lambda: [A.Affine(translate_percent=(-1, 1), p=1.0)], (64, 64), [[0, 0, 64, 64]], "SLIVER", (0.5, 0.9), "0 Affine"),
]  # fmt: skip
# ruff: noqa: E501


def audited(case, draws):
    params = A.BboxParams("pascal_voc", label_fields=["labels"], **case.filters)
    boxes = np.array(case.boxes, dtype=float)
    sample = Sample("a", case.size, boxes=boxes, labels=("x",) * len(boxes))
    return safeaug.audit(A.Compose(case.pipeline(), bbox_params=params), [sample], draws=draws)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_fault_is_found_and_its_step_is_named(case):
    draws = 400
    record = audited(case, draws)
    found = record.summary()
    low, high = case.share
    assert low * draws <= found.fates.get(case.fate, 0) <= high * draws * len(case.boxes)
    row = next(row for row in record.worst if case.fate in row.fates)
    assert f"SA1.{case.fate.lower()}" in row.findings or case.fate == "GONE"
    place = row.blamed[row.fates.index(case.fate)]
    step = row.steps[place]
    assert f"{'.'.join(map(str, step.path))} {step.name}" == case.step
    if case.fate == "GONE":
        assert found.whole.emptied.count >= low * draws
        assert "SA1.emptied" in row.findings


def test_c3_the_whole_object_was_to_be_seen():
    row = audited(CASES[2], 1).worst[0]
    assert row.final == (1.0,)
    assert row.labelled == (False,)


def test_c6_a_mask_becomes_all_zero():
    mask = np.zeros((1, 100, 100), bool)
    mask[0, 70:90, 70:90] = True
    record = safeaug.audit(A.Compose([A.Crop(0, 0, 60, 60)]), [Sample("a", (100, 100), masks=mask)], draws=1)
    assert record.worst[0].fates == ("GHOST",)
    assert record.summary().whole.damaged.rate == 1


def test_c10_a_turn_that_leaves_nothing_or_black():
    """A narrow picture, turned and cut to what is inscribed: the host raises where nothing is left of it."""
    wide = Sample("a", (4, 400), boxes=np.array([[0.0, 0, 30, 4]]), labels=("x",))
    record = safeaug.audit(
        A.Compose(
            [A.Rotate((50, 50), crop_border=True, p=1.0)], bbox_params=A.BboxParams("pascal_voc", label_fields=["l"])
        ),
        [wide],
        draws=5,
        keep_going=True,
    )
    found = record.summary()
    assert found.counted.failed == 5 or found.whole.emptied.rate == 1


def test_c12_patches_of_a_mostly_empty_mask():
    mask = np.zeros((200, 200), np.uint8)
    mask[90:110, 90:110] = 1
    record = safeaug.audit(A.Compose([A.RandomCrop(64, 64)]), [Sample("a", (200, 200), mask=mask)], draws=400)
    found = record.summary(max_emptied=0.5)
    assert found.verdict == "fail"
    assert found.fates["GONE"] > 200


def test_c13_most_of_the_output_is_padding():
    sample = Sample("a", (100, 300), boxes=np.array([[10.0, 10, 90, 90]]), labels=("x",))
    record = safeaug.audit(A.Compose([A.CenterCrop(224, 224, pad_if_needed=True)]), [sample], draws=1)
    (row,) = record.worst
    assert row.padded == pytest.approx(1 - 100 / 224, abs=1e-3)
    assert "SA1.padded" in row.findings


def test_c14_a_crop_larger_than_the_image_is_refused():
    sample = Sample("a", (6, 8), boxes=np.array([[1.0, 1, 5, 5]]), labels=("x",))
    record = safeaug.audit(A.Compose([A.RandomCrop(10, 10)]), [sample], draws=3, keep_going=True)
    assert {failure.step for failure in record.failures} == {"0 RandomCrop"}
    assert record.failures[0].error.startswith("CropSizeError")


def test_healthy_draws_have_no_findings():
    """A false alarm is a fault: whole objects, labelled, in a picture of which most can be seen."""
    boxes = np.array([[30.0, 30, 60, 60], [50, 50, 70, 80]])
    sample = Sample("a", (100, 100), boxes=boxes, labels=("x", "y"))
    steps = [
        A.Crop(10, 10, 90, 90),
        A.HorizontalFlip(),
        A.Affine(rotate=(-5, 5), p=0.5),
        A.Resize(64, 64),
        A.Normalize(),
    ]
    record = safeaug.audit(
        A.Compose(steps, bbox_params=A.BboxParams("pascal_voc", label_fields=["l"])), [sample], draws=200
    )
    assert {row.findings for row in record.worst} == {()}
    assert record.summary(max_damaged=0.02, max_emptied=0.02).verdict == "pass"
