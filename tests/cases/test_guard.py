"""The guard on the cases: what people reported happens to the plain transform, and never to the guarded one."""

from collections import Counter

import albumentations as A
import numpy as np
import pytest

import safeaug as sa
from tests import oracle
from tests.cases.table import CASES

S = sa.albumentations
DRAWS = 400


def draws_of(transform, case, number=DRAWS):
    """Windows, reports and outputs of a one-step pipeline."""
    params = A.BboxParams("pascal_voc", label_fields=["labels"])
    run = A.Compose([transform], bbox_params=params, seed=17, save_applied_params=True)
    image = np.zeros((*case.image_size, 3), np.uint8)
    for _ in range(number):
        yield run(image=image, bboxes=np.array(case.boxes, dtype=float), labels=list(range(len(case.boxes))))


def worst(case, out):
    window = out["applied_transforms"][0][1]["crop_coords"]
    return min(oracle.retention(tuple(box), window, case.image_size) for box in case.boxes)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_report_is_true_of_the_plain_transform_and_not_of_the_guarded(case):
    low, high = case.lost
    lost = [worst(case, out) < case.limit - 1e-5 for out in draws_of(case.plain(), case)]
    assert low <= np.mean(lost) <= high
    statuses = Counter()
    for out in draws_of(case.guarded(), case):
        statuses[out["safeaug"]["status"]] += 1
        assert worst(case, out) >= case.limit - 1e-5
        assert len(out["labels"]) == len(case.boxes)
    assert set(statuses) <= case.statuses


def test_c3_a_visible_box_has_retention_exactly_one():
    """albumentations#875: min_visibility=1.0 drops every box in 2.0.8; the guard's figure does not depend on it."""
    params = A.BboxParams("pascal_voc", label_fields=["labels"], min_visibility=1.0)
    crop = S.RandomCrop(100, 100, min_retention=1.0, report_key="safeaug")
    run = A.Compose([crop], bbox_params=params, seed=0)
    for _ in range(50):
        out = run(image=np.zeros((150, 150, 3), np.uint8), bboxes=[[62, 62, 92, 92]], labels=["a"])
        assert out["safeaug"]["retention"] == [1.0]
        assert out["safeaug"]["status"] == "FIRST"


def test_c4_whole_or_gone():
    """albumentations#1788: every box wholly in or wholly out, else another draw."""
    boxes = [[10, 10, 50, 60], [300, 200, 380, 320], [150, 400, 260, 500]]
    crop = S.RandomCrop(256, 256, keep="whole", min_retention=1.0, report_key="safeaug")
    run = A.Compose([crop], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]), seed=0)
    for _ in range(300):
        report = run(image=np.zeros((512, 512, 3), np.uint8), bboxes=boxes, labels=[0, 1, 2])["safeaug"]
        assert report["status"] in {"FIRST", "MOVED"}
        assert all(share <= 0.05 + 1e-5 or share >= 1 - 1e-5 for share in report["retention"])
        assert max(report["retention"]) >= 1 - 1e-5


def test_c18_a_close_up_of_a_large_object_is_kept():
    """An object of 80 % of the image: a share rule calls two close-ups of five a loss, the preset none."""
    boxes = [[27, 27, 485, 485]]

    def first_share(**policy):
        crop = S.RandomResizedCrop((224, 224), report_key="safeaug", **policy)
        run = A.Compose([crop], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]), seed=3)
        image = np.zeros((512, 512, 3), np.uint8)
        reports = [run(image=image, bboxes=boxes, labels=[0])["safeaug"] for _ in range(500)]
        close_ups = [report for report in reports if report["by_fill"] == [True]]
        assert all(report["retention"][0] < 0.5 for report in close_ups)
        return sum(report["status"] == "FIRST" for report in reports) / 500, len(close_ups)

    share, close_ups = first_share(min_retention=0.5)
    assert share < 0.65
    assert close_ups == 0
    share, close_ups = first_share(policy=sa.Policy.classification())
    assert share > 0.98
    assert close_ups > 100
