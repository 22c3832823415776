"""The cases again, in the words of a user with a pipeline: ``train = safeaug.guard(train)``.

What the plain pipeline does is measured beside it, on the same objects: without the fault there would be nothing to
show. Of windows the share is told by their coordinates, of all else by the image of coordinates.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import albumentations as A
import numpy as np
import pytest

import safeaug as sa
from tests import oracle
from tests.cases.table import CASES
from tests.guard_worlds import RAMPS, compose, ended, guard, left_in, sample

DRAWS = 150
OFF = 0.02


def blank(height: int, width: int) -> np.ndarray:
    return np.zeros((height, width, 3), np.uint8)


def after(case: Any, out: dict[str, Any]) -> float:
    """The least share that the one crop of a pipeline leaves of an object."""
    window = out["applied_transforms"][0][1]["crop_coords"]
    return min(oracle.retention(tuple(box), window, case.image_size) for box in case.boxes)


WINDOWS = [case for case in CASES if case.name.split()[0] in {"C1", "C2", "C8", "C16", "C17", "C19", "A3", "A4"}]


@pytest.mark.parametrize("case", WINDOWS, ids=lambda case: case.name)
def test_a_crop_in_a_pipeline_keeps_what_the_report_lost(case):
    steps = [case.plain(), A.HorizontalFlip(p=0.5), A.ColorJitter(p=0.5), A.Normalize()]
    plain = compose(steps, seed=17, save_applied_params=True)
    safe = guard(plain, min_retention=case.limit)
    low, high = case.lost
    data = sample(case.boxes, blank(*case.image_size))
    lost = np.mean([after(case, plain(**data)) < case.limit - 1e-5 for _ in range(DRAWS)])
    assert low - 0.05 <= lost <= min(high + 0.05, 1)
    statuses = Counter()
    for _ in range(DRAWS):
        out, status = ended(safe, **data)
        statuses[status.name] += 1
        assert after(case, out) >= case.limit - 1e-5
        assert len(out["labels"]) == len(case.boxes)
    assert set(statuses) <= {"FIRST", "MOVED", "RESIZED", "REDRAWN"}


class Moved(NamedTuple):
    """A report of something else than a window."""

    name: str
    plain: Callable[[], list[Any]]
    boxes: list[list[float]]
    lost: tuple[float, float]
    """Between which shares of plain draws leave less than half of some object."""


MOVED = [
    Moved(
        "C9 unbiased-teacher#58: an erasure takes the object and leaves its box",
        lambda: [A.Erasing(scale=(0.8, 0.8), ratio=(0.9, 1.1), p=1.0)],
        [[200, 200, 312, 312]],
        (0.9, 1.0),
    ),
    Moved(
        "C10 Augmentor#31: turned by 50 degrees, the inscribed crop leaves what was in the middle",
        lambda: [A.Rotate((50, 50), crop_border=True, p=1.0)],
        [[20, 20, 120, 120]],
        (1.0, 1.0),
    ),
    Moved(
        "C11 shifts by up to the image's whole side",
        lambda: [A.Affine(translate_percent=(-1.0, 1.0), p=1.0)],
        [[0, 0, 512, 512]],
        (0.6, 0.95),
    ),
    Moved(
        "C5 a chain of crops of which each alone would do",
        lambda: [A.RandomCrop(420, 420), A.RandomCrop(340, 340), A.RandomCrop(280, 280)],
        [[60, 60, 200, 200]],
        (0.1, 0.9),
    ),
]


@pytest.mark.parametrize("case", MOVED, ids=lambda case: case.name.split(" ", 2)[0])
def test_what_is_no_crop_keeps_what_the_report_lost(case):
    plain = compose(case.plain(), seed=3)
    safe, boxes = guard(plain), np.array(case.boxes, dtype=float)
    low, high = case.lost
    lost = np.mean([left_in(plain(**sample(boxes))["image"], boxes).min() < 0.5 - OFF for _ in range(DRAWS)])
    assert low - 0.05 <= lost <= min(high + 0.05, 1)
    for _ in range(DRAWS):
        out, status = ended(safe, **sample(boxes))
        assert status not in {sa.Status.UNMET, sa.Status.UNGUARDED}
        assert left_in(out["image"], boxes).min() >= 0.5 - OFF
        assert len(out["labels"]) == len(boxes)


def test_c3_a_visible_box_is_whole_whatever_the_host_filters():
    """albumentations#875: ``min_visibility=1.0`` drops each box in 2.0.8. What is left is 1, and a half is refused."""
    params = A.BboxParams("pascal_voc", label_fields=["labels"], min_visibility=1.0)
    plain = compose([A.CenterCrop(100, 100)], bbox_params=params)
    data = sample([[62, 62, 92, 92]], blank(150, 150))
    assert plain(**data)["labels"] == []  # the fault, as it is today
    safe = guard(plain, min_retention=1.0)
    assert ended(safe, **data)[1] is sa.Status.FIRST
    (step,) = sa.steps(safe, data, np.random.default_rng(0))
    assert step.left.tolist() == [1.0]
    with pytest.raises(sa.PolicyError, match=r"min_visibility=1\.0"):
        guard(plain, min_retention=0.5)


@pytest.mark.parametrize("limit", [1.0, 0.5])
def test_c4_c5_whole_or_gone(limit):
    """albumentations#1788 and #824: no sliver, be it of a helmet, after two crops in a row."""
    boxes = np.array([[10, 10, 50, 60], [300, 200, 380, 320], [150, 400, 260, 500], [96, 84, 144, 112]], dtype=float)
    plain = compose([A.RandomCrop(360, 360), A.RandomCrop(256, 256)], seed=1)
    safe, slivers = guard(plain, keep="whole", min_retention=limit), 0
    for _ in range(DRAWS):
        left = left_in(plain(**sample(boxes))["image"], boxes)
        slivers += bool(((left > 0.05 + OFF) & (left < limit - OFF)).any())
        out, status = ended(safe, **sample(boxes))
        left = left_in(out["image"], boxes)
        assert status is not sa.Status.UNMET
        assert ((left <= 0.05 + OFF) | (left >= limit - OFF)).all()
        assert left.max() >= limit - OFF
    assert slivers > DRAWS / 10


@pytest.mark.parametrize("share", [0.3, 0.75])
def test_c6_c12_masks_keep_a_share_through_a_chain(share):
    """mmdetection#7485 and MONAI#586: a mask that becomes all zero, or of which one voxel is promised."""
    masks = np.zeros((2, 200, 200), np.uint8)
    masks[0, 20:50, 20:60], masks[1, 60:100, 70:90] = 1, 1
    plain = A.Compose([A.RandomCrop(160, 160), A.CoarseDropout((2, 4), (0.1, 0.2), (0.1, 0.2), fill_mask=0, p=1.0),
                       A.RandomCrop(128, 128)], seed=1)  # fmt: skip
    safe, whole, lost, unmet = guard(plain, min_retention=share), masks.sum(axis=(1, 2)), 0, 0
    for _ in range(DRAWS):
        data = {"image": blank(200, 200), "masks": masks}
        lost += (plain(**data)["masks"].sum(axis=(1, 2)) < share * whole).any()
        out, status = ended(safe, **data)
        unmet += status is sa.Status.UNMET
        assert status is sa.Status.UNMET or (out["masks"].sum(axis=(1, 2)) >= share * whole).all()
    assert lost > DRAWS / 10
    assert unmet <= 0.02 * DRAWS


def test_d7_where_a_step_is_not_applied_nothing_is_moved():
    """kornia#4473: with p < 1 and padding, rows that are not applied get shifted boxes."""
    steps = [A.PadIfNeeded(600, 600, p=0.5), A.RandomCrop(500, 500, p=0.5)]
    safe, seen = guard(compose(steps, seed=2), min_retention=0.9), Counter()
    boxes = np.array([[30.0, 40.0, 90.0, 110.0]])
    for _ in range(60):
        before = {name: Counter(counts) for name, counts in safe.report().items()}
        out, _ = ended(safe, **sample(boxes))
        ends = [next((Counter(safe.report()[name]) - before[name]).elements()) for name in list(before)[1:]]
        seen[tuple(end == "NOT_APPLIED" for end in ends)] += 1
        if set(ends) == {"NOT_APPLIED"}:
            np.testing.assert_array_equal(out["image"], RAMPS)
            np.testing.assert_allclose(out["bboxes"], boxes, atol=1e-4)
        x0, y0, x1, y1 = np.rint(out["bboxes"][0]).astype(int)
        inside = out["image"][y0:y1, x0:x1]  # of a crop of whole pixels and of padding: the object's own pixels
        assert inside[..., 2].min() == 1
        u, v = inside[0, 0, :2] * 512 - 0.5
        assert (u, v) == (pytest.approx(30, abs=0.01), pytest.approx(40, abs=0.01)) or min(x0, y0) == 0
    assert len(seen) == 4
