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
    key = {"cropping_bbox": case.boxes[0]} if transform.targets_as_params else {}
    for _ in range(number):
        yield run(image=image, bboxes=np.array(case.boxes, dtype=float), labels=list(range(len(case.boxes))), **key)


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


def pipeline(transform, seed=0, **more):
    return A.Compose([transform], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]), seed=seed, **more)


def blank(height, width):
    return np.zeros((height, width, 3), np.uint8)


def test_c6_no_instance_mask_becomes_all_zero():
    """mmdetection#7485: a crop leaves an instance with no pixel, and a loss turns NaN much later."""
    masks = np.zeros((2, 200, 200), np.uint8)
    masks[0, 20:50, 20:60], masks[1, 90:130, 100:120] = 1, 1
    lost = {}
    for name, crop in (("plain", A.RandomCrop(128, 128)), ("guarded", S.RandomCrop(128, 128, min_retention=0.3))):
        run = A.Compose([crop], seed=1)
        outs = [run(image=blank(200, 200), masks=masks)["masks"] for _ in range(300)]
        lost[name] = np.mean([min(mask.any() for mask in out) == 0 for out in outs])
        least = min(min(mask.sum() / whole.sum() for mask, whole in zip(out, masks, strict=True)) for out in outs)
    assert lost["plain"] > 0.05
    assert lost["guarded"] == 0
    assert least >= 0.3


def test_c12_a_patch_of_a_mostly_empty_mask_holds_a_share_of_it():
    """MONAI#586: a patch around a voxel of the foreground promises that voxel and no more."""
    mask = np.zeros((256, 256), np.uint8)
    mask[100:140, 60:100] = 1
    shares = {}
    for name, crop in (
        ("plain", A.CropNonEmptyMaskIfExists(64, 64)),
        ("guarded", S.CropNonEmptyMaskIfExists(64, 64, min_retention=0.75, report_key="safeaug")),
    ):
        run = A.Compose([crop], seed=1)
        outs = [run(image=blank(256, 256), mask=mask) for _ in range(300)]
        shares[name] = [out["mask"].sum() / mask.sum() for out in outs]
    assert min(shares["plain"]) < 0.2
    assert np.mean(np.array(shares["plain"]) < 0.75) > 0.3
    assert min(shares["guarded"]) >= 0.75
    assert {out["safeaug"]["status"] for out in outs} == {"FIRST", "MOVED"}


def test_c14_a_crop_larger_than_its_image_is_refused_or_padded_as_asked():
    """kornia#4414: a crop of 10 × 10 out of 6 × 8 is scaled up in silence. Here it is an error, or padding."""
    data = {"image": blank(6, 8), "bboxes": [[1, 1, 5, 5]], "labels": [0]}
    with pytest.raises(A.augmentations.crops.transforms.CropSizeError, match=r"\(10, 10\) vs \(6, 8\)"):
        pipeline(S.RandomCrop(10, 10))(**data)
    out = pipeline(S.RandomCrop(10, 10, pad_if_needed=True, min_retention=1.0, report_key="safeaug"))(**data)
    assert out["image"].shape == (10, 10, 3)
    assert out["safeaug"]["retention"] == [pytest.approx(1)]
    x0, y0, x1, y1 = out["bboxes"][0]
    assert (x1 - x0, y1 - y0) == pytest.approx((4, 4), abs=1e-5)


def test_a4_the_resized_crop_keeps_to_its_scale_and_ratio():
    """AlbumentationsX#322: hand-rolled retries and RandomSizedBBoxSafeCrop know neither; 60 % of the latter are odd."""
    case = next(case for case in CASES if case.name.startswith("A4"))
    for out in draws_of(case.guarded(), case):
        x0, y0, x1, y1 = out["safeaug"]["window"]
        assert 0.75 - 0.02 <= (x1 - x0) / (y1 - y0) <= 4 / 3 + 0.02
        assert 0.2 - 0.01 <= (x1 - x0) * (y1 - y0) / (600 * 800) <= 0.8 + 0.01


def test_a7_a_tile_already_truncated_its_objects():
    """albumentations#1767: of the left object half was cut by the tile before; half of that is a quarter."""
    boxes, fields = [[0, 100, 60, 180]], ["labels", "was_visible"]
    crop = S.RandomCrop(128, 128, min_retention=0.4, prior_visibility="was_visible", report_key="safeaug")
    run = A.Compose([crop], bbox_params=A.BboxParams("pascal_voc", label_fields=fields), seed=0)
    for _ in range(100):
        out = run(image=blank(256, 256), bboxes=boxes, labels=[0], was_visible=[0.5])
        share = oracle.retention((0.0, 100.0, 60.0, 180.0), tuple(out["safeaug"]["window"]), (256, 256))
        assert share >= 0.8 - 1e-5
        assert out["safeaug"]["retention"] == [pytest.approx(share / 2, abs=1e-5)]


def test_a9_a_box_that_is_scaled_down_is_whole_and_yet_too_small():
    """albumentations#1322: min_visibility sees nothing of it. Retention and visible pixels are two figures."""
    data = {"image": blank(800, 800), "bboxes": [[100, 100, 116, 116]], "labels": [0]}
    report = pipeline(S.Resize(200, 200, report_key="safeaug"))(**data)["safeaug"]
    assert (report["retention"], report["visible_pixels"]) == ([pytest.approx(1)], [pytest.approx(16, rel=1e-5)])
    report = pipeline(S.Resize(200, 200, min_visible_pixels=64, report_key="safeaug"))(**data)["safeaug"]
    assert report["status"] == "RESIZED"
    assert report["visible_pixels"][0] >= 64 - 1e-3


@pytest.mark.parametrize("keep", ["all", "any"])
def test_a12_masks_and_boxes_go_together(keep):
    """albumentations#836: boxes are filtered, masks are not. With all kept the counts agree; else the report says."""
    boxes = [[10, 10, 40, 40], [120, 130, 150, 170]]
    masks = np.zeros((2, 200, 200), np.uint8)
    masks[0, 10:40, 10:40], masks[1, 130:170, 120:150] = 1, 1
    data = {"image": blank(200, 200), "bboxes": boxes, "labels": [0, 1], "masks": masks}
    plain = pipeline(A.RandomCrop(100, 100))
    assert any(len(out["masks"]) != len(out["bboxes"]) for out in (plain(**data) for _ in range(50)))
    size = 165 if keep == "all" else 100
    run = pipeline(S.RandomCrop(size, size, keep=keep, protect="masks", report_key="safeaug"))
    for _ in range(50):
        out = run(**data)
        left = [mask.any() for mask in out["masks"]]
        assert [share > 0 for share in out["safeaug"]["retention"]] == left
        assert len(out["bboxes"]) == sum(left)
        assert all(left) or keep == "any"


def test_a14_no_part_of_an_object_changes_what_another_is_called():
    """albumentations#824 (C5): the helmet is cut off, and its wearer is labelled as if without. Whole or gone."""
    boxes = {"head": [100.0, 100, 140, 160], "helmet": [96.0, 84, 144, 112], "other": [20.0, 20, 60, 70]}
    data = {"image": blank(200, 200), "bboxes": list(boxes.values()), "labels": list(boxes)}

    def slivers(crop):
        run = pipeline(crop, save_applied_params=True)
        for _ in range(200):
            out = run(**data)
            window = out["applied_transforms"][0][1]["crop_coords"]
            yield sum(0.06 < oracle.retention(tuple(box), window, (200, 200)) < 0.89 for box in boxes.values())

    assert np.mean([count > 0 for count in slivers(A.RandomCrop(100, 100))]) > 0.4
    assert not any(slivers(S.RandomCrop(100, 100, keep="whole", min_retention=0.9)))


def test_a15_the_crop_around_a_mask_keeps_boxes():
    """albumentations#461: one had to draw the boxes into a mask, and was promised one pixel of one of them."""
    mask = np.zeros((200, 200), np.uint8)
    mask[30:60, 30:60] = 1
    run = pipeline(S.CropNonEmptyMaskIfExists(90, 90, min_retention=0.9, report_key="safeaug"))
    for _ in range(100):
        out = run(image=blank(200, 200), mask=mask, bboxes=[[70, 80, 100, 110]], labels=[0])
        assert out["mask"].any()
        assert out["safeaug"]["retention"][0] >= 0.9 - 1e-5


def test_a16_masks_that_are_looked_at_are_not_changed():
    """albumentations#760, #1058: the masks were merged into the first of them."""
    masks = [np.zeros((64, 64), np.uint8) for _ in range(3)]
    for i, mask in enumerate(masks):
        mask[20 * i : 20 * i + 10, 5:30] = 1
    before = [mask.copy() for mask in masks]
    crop = S.CropNonEmptyMaskIfExists(32, 32, keep="any", report_key="safeaug")
    crop.set_random_seed(0)
    for _ in range(20):
        out = crop(image=blank(64, 64), masks=masks)
        assert max(out["safeaug"]["retention"]) >= 0.5
    assert all((mask == old).all() for mask, old in zip(masks, before, strict=True))


def test_a17_a_crop_around_a_mask_stands_by_itself():
    """albumentations#2524: called without a Compose, with a mask of 0 and 255 of 1080 × 1920."""
    mask = np.zeros((1080, 1920), np.uint8)
    mask[400:640, 900:1300] = 255
    crop = S.CropNonEmptyMaskIfExists(512, 512, min_retention=0.9, report_key="safeaug")
    crop.set_random_seed(0)
    for _ in range(5):
        out = crop(image=blank(1080, 1920), mask=mask)
        assert out["mask"].sum() >= 0.9 * mask.sum()
        assert out["safeaug"]["status"] in {"FIRST", "MOVED"}


@pytest.mark.parametrize("erosion, boxes", [(0.0, [[5.2, 10, 5.8, 40]]), (1.0, [[2.0, 2, 30, 30], [30.0, 20, 50, 50]])])
def test_a18_no_crop_is_empty(erosion, boxes):
    """albumentations#742, #298: a thin box, or an erosion of 1, and a side of RandomSizedBBoxSafeCrop is 0."""
    data = {"image": blank(60, 60), "bboxes": boxes, "labels": list(range(len(boxes)))}
    policy = {"keep": "any", "min_retention": 0.9, "report_key": "safeaug"}
    plain = pipeline(A.RandomSizedBBoxSafeCrop(32, 32, erosion_rate=erosion))
    guarded = pipeline(S.RandomSizedBBoxSafeCrop(32, 32, erosion_rate=erosion, **policy))
    died = 0
    for _ in range(3000):
        try:
            plain(**data)
        except ValueError as error:
            died += "x_min < x_max" in str(error)
        report = guarded(**data)["safeaug"]
        assert report["status"] in {"FIRST", "MOVED", "RESIZED"}
        assert max(report["retention"]) >= 0.9 - 1e-5
    assert died > 0


def test_a19_a_replayed_window_is_judged_on_the_new_sample():
    """albumentations#1382: the window of one mask, replayed, holds nothing of another. The report says so."""
    first, second = np.zeros((2, 100, 100), np.uint8)
    first[5:25, 5:25], second[70:90, 70:90] = 1, 1
    run = A.ReplayCompose([S.CropNonEmptyMaskIfExists(40, 40, report_key="safeaug")])
    run.set_random_seed(0)
    out = run(image=blank(100, 100), mask=first)
    assert out["safeaug"]["retention"][0] >= 0.5
    again = A.ReplayCompose.replay(out["replay"], image=blank(100, 100), mask=second)
    assert not again["mask"].any()
    assert again["safeaug"]["status"] == "UNMET"
    assert again["safeaug"]["retention"] == [0.0]


def test_a20_a_replay_pads_and_converts_boxes_as_the_first_time():
    """albumentations#778, #583, #716: a replay forgot the format of the boxes, and where PadIfNeeded had put them."""
    steps = [
        S.PadIfNeeded(80, 90, position="random", report_key="padded"),
        S.RandomCrop(60, 60, min_retention=0.9, report_key="cropped"),
    ]
    run = A.ReplayCompose(steps, bbox_params=A.BboxParams("coco", label_fields=["labels"]))
    run.set_random_seed(3)
    data = {"image": np.random.default_rng(0).integers(0, 255, (50, 40, 3), dtype=np.uint8), "labels": [0]}
    for _ in range(20):
        out = run(**data, bboxes=[[5, 6, 20, 30]])
        again = A.ReplayCompose.replay(out["replay"], **data, bboxes=[[5, 6, 20, 30]])
        np.testing.assert_array_equal(out["image"], again["image"])
        np.testing.assert_array_equal(out["bboxes"], again["bboxes"])
        assert out["padded"]["window"] == again["padded"]["window"]
        assert out["cropped"]["retention"] == again["cropped"]["retention"]


def test_a24_boxes_without_width_are_points():
    """albumentations#739: a box of zero width on the border kills a worker. By itself a crop gets such boxes, too."""
    crop = S.RandomCrop(20, 20, min_retention=1.0, report_key="safeaug")
    crop.set_random_seed(0)
    for _ in range(20):
        report = crop(image=blank(64, 64), bboxes=np.array([[1.0, 0.5, 1.0, 0.6]]))["safeaug"]
        assert report["retention"] == [1.0]
        assert report["visible_pixels"] == [None]


def test_a26_that_no_object_is_left_is_said():
    """ultralytics#15394, #11803: a crop without boxes is skipped, or keeps the labels of before."""
    data = {"image": blank(200, 200), "labels": [0, 1]}
    run = pipeline(S.RandomCrop(20, 20, report_key="safeaug"))
    out = run(**data, bboxes=[[0, 0, 150, 150], [10, 10, 190, 190]])
    assert out["safeaug"]["status"] == "UNMET"
    assert max(out["safeaug"]["retention"]) < 0.05
    out = run(image=blank(200, 200), bboxes=[], labels=[])
    assert (out["safeaug"]["status"], len(out["bboxes"]), len(out["labels"])) == ("EMPTY", 0, 0)


def test_a31_five_hundred_boxes():
    """albumentations#1197: hundreds of boxes; all that can be kept are, and labels stay with them."""
    rng = np.random.default_rng(0)
    corner = rng.uniform(0, 480, (500, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(2, 30, (500, 2))], axis=1)
    run = pipeline(S.RandomCrop(400, 400, keep=250, report_key="safeaug"))
    for _ in range(5):
        out = run(image=blank(512, 512), bboxes=boxes, labels=list(range(500)))
        shares = np.array(out["safeaug"]["retention"])
        assert out["safeaug"]["status"] in {"FIRST", "MOVED"}
        assert (shares >= 0.5 - 1e-5).sum() >= 250
        assert set(out["labels"]) == set(np.flatnonzero(shares > 0))


def test_a35_a_resize_takes_the_part_of_every_target():
    """AlbumentationsX#95: a 2-D mask under a name of its own broke a resize. Here it is cut before, like all others."""
    resize = S.Resize(50, 50, min_visible_pixels=100, report_key="safeaug")
    run = pipeline(resize, additional_targets={"depth": "mask", "right": "image"})
    depth = np.random.default_rng(0).integers(0, 255, (200, 300), dtype=np.uint8)
    right = np.repeat(depth[..., None], 3, axis=2)
    out = run(image=right, right=right, depth=depth, bboxes=[[100, 100, 120, 120]], labels=[0])
    assert out["safeaug"]["status"] == "RESIZED"
    assert out["depth"].shape == (50, 50)
    np.testing.assert_array_equal(out["image"], out["right"])
    x0, y0, x1, y1 = out["bboxes"][0]
    assert (x1 - x0) * (y1 - y0) == pytest.approx(out["safeaug"]["visible_pixels"][0], rel=1e-4)
    assert out["safeaug"]["visible_pixels"][0] >= 100 - 1e-3
