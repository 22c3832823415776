"""What is protected, through the host's own pipelines: boxes, masks, keypoints, whatever a callable gives.

Each draw is judged pixel by pixel and point by point, on the window that the host applied.
"""

import json
import pickle
from collections import Counter

import albumentations as A
import numpy as np
import pytest

import safeaug as sa
from tests import oracle
from tests.oracle import Thing, known
from tests.statistics import assert_law
from tests.table import BOXES, HEIGHT, ROWS, WIDTH, window_of

S = sa.albumentations
SIZE = 40, 48
IMAGE = np.zeros((*SIZE, 3), np.uint8)
CLOSE = 1e-5


def masks_at(*corners, size=SIZE):
    """A mask for each box of whole pixels, with its lower right quarter cut out."""
    masks = np.zeros((len(corners), *size), np.uint8)
    for mask, (x0, y0, x1, y1) in zip(masks, corners, strict=True):
        mask[y0:y1, x0:x1] = 1
        mask[(y0 + y1) // 2 : y1, (x0 + x1) // 2 : x1] = 0
    return masks


NEAR, FAR = (4, 6, 16, 18), (34, 28, 46, 38)


def draws(transform, number=60, *, box_fields=(), point_fields=(), **data):
    """Outputs of a pipeline of one step, with the window that was applied as ``window``."""
    run = A.Compose(
        [transform],
        bbox_params=A.BboxParams("pascal_voc", label_fields=list(box_fields)) if "bboxes" in data else None,
        keypoint_params=A.KeypointParams("xy", label_fields=list(point_fields)) if "keypoints" in data else None,
        seed=5,
        save_applied_params=True,
    )
    for _ in range(number):
        out = run(image=IMAGE, **data)
        _, params = out["applied_transforms"][0]
        yield {**out, "window": window_of(params, SIZE)}


def left_of_mask(mask, window):
    x0, y0, x1, y1 = window
    share = mask.astype(float) if mask.dtype.kind == "f" else (mask != 0).astype(float)
    return share[max(y0, 0) : y1, max(x0, 0) : x1].sum() / share.sum()


def left_of_points(points, window):
    return oracle.points_in(points, window) / len(points)


def assert_kept(outs, left, limit, *, unmet=0.0):
    """Assert that each draw keeps its objects, or as many say UNMET as may, and that it reports what is left.

    ``left`` gives the retention of each object in a window.
    """
    statuses = Counter()
    for out in outs:
        report = out["report"]
        expected = left(out["window"])
        statuses[report["status"]] += 1
        assert report["window"] == list(out["window"])
        assert report["retention"] == pytest.approx(expected, abs=CLOSE)
        assert min(expected) >= limit - CLOSE or report["status"] == "UNMET"
    assert statuses["UNMET"] <= unmet * statuses.total()
    assert statuses["FIRST"] > 0
    assert statuses["MOVED"] > 0


# Instance masks


def as_bool(masks):
    return masks.astype(bool)


def as_ids(masks):
    return masks.astype(np.int32) * np.array([1, 70_000])[:, None, None]


def as_shares(masks):
    return (masks * np.array([0.25, 1.0])[:, None, None]).astype(np.float32)


@pytest.mark.parametrize("form", [np.asarray, as_bool, as_ids, as_shares])
@pytest.mark.parametrize("as_list", [True, False])
@pytest.mark.parametrize("protect", [None, "masks"])
def test_instance_masks(form, as_list, protect):
    masks = form(masks_at(NEAR, (18, 10, 30, 26)))
    given = list(masks) if as_list else masks
    crop = S.RandomCrop(24, 30, min_retention=0.7, protect=protect, report_key="report")
    outs = list(draws(crop, masks=given))
    assert_kept(outs, lambda window: [left_of_mask(mask, window) for mask in masks], 0.7)
    for out in outs:
        assert isinstance(out["masks"], list) == as_list
        x0, y0, x1, y1 = out["window"]
        np.testing.assert_array_equal(np.asarray(out["masks"]), masks[:, y0:y1, x0:x1])


def test_masks_of_more_channels_and_a_mask_alone():
    mask = np.zeros((*SIZE, 2), np.uint8)
    mask[5:15, 5:15, 0], mask[20:30, 10:20, 1] = 1, 1
    rows = mask.max(axis=2)
    crop = S.RandomCrop(28, 24, min_retention=0.9, report_key="report")
    assert_kept(draws(crop, masks=mask[None]), lambda window: [left_of_mask(rows, window)], 0.9)


def test_masks_of_additional_targets_are_objects_too():
    first, second = masks_at(NEAR), masks_at((18, 10, 30, 26))
    crop = S.RandomCrop(24, 30, min_retention=0.7, report_key="report")
    run = A.Compose([crop], additional_targets={"more": "masks"}, seed=1)
    for _ in range(40):
        report = run(image=IMAGE, masks=first, more=second)["report"]
        expected = [left_of_mask(mask, report["window"]) for mask in (first[0], second[0])]
        assert report["retention"] == pytest.approx(expected)
        assert min(expected) >= 0.7


def test_masks_that_hold_nothing_do_not_count():
    masks = masks_at(NEAR, (0, 0, 0, 0))
    crop = S.RandomCrop(20, 20, min_retention=1.0, report_key="report")
    for out in draws(crop, masks=masks):
        assert out["report"]["status"] in {"FIRST", "MOVED"}
        assert out["report"]["retention"] == [1.0, None]
        assert out["report"]["visible_pixels"] == [108.0, None]


@pytest.mark.parametrize("masks", [[], np.zeros((2, *SIZE), np.uint8)], ids=["none", "zero"])
def test_no_masks_are_nothing_to_protect(masks):
    plain = A.Compose([A.RandomCrop(20, 20)], seed=5, save_applied_params=True)
    for out in draws(S.RandomCrop(20, 20, report_key="report"), 5, masks=masks):
        assert out["report"]["status"] == "EMPTY"
        assert out["report"]["retention"] == [None] * len(masks)
        assert out["window"] == plain(image=IMAGE)["applied_transforms"][0][1]["crop_coords"]
    with pytest.raises(sa.ContentError, match="nothing to protect"):
        next(draws(S.RandomCrop(20, 20, on_empty="raise"), masks=masks))


# A semantic mask


def semantic():
    mask = np.zeros(SIZE, np.uint8)
    mask[4:16, 6:18], mask[14:30, 14:26], mask[0:40, 40:48] = 1, 2, 255
    return mask


@pytest.mark.parametrize(
    "reading, classes",
    [
        ({}, [1, 2]),
        ({"foreground": [2]}, [2]),
        ({"foreground": np.array([1, 2])}, [1, 2]),
        ({"foreground": (2, 255)}, [2]),
        ({"ignore_index": 1}, [2, 255]),
        ({"ignore_index": None, "foreground": [2, 255]}, [2, 255]),
    ],
    ids=str,
)
def test_the_foreground_of_a_semantic_mask(reading, classes):
    mask = semantic()
    chosen = np.isin(mask, classes)
    size = (24, 28) if classes == [2] else (30, 36)
    crop = S.RandomCrop(*size, min_retention=0.8, protect="mask", report_key="report", **reading)
    assert_kept(draws(crop, mask=mask), lambda window: [left_of_mask(chosen, window)], 0.8)


@pytest.mark.parametrize(
    "limits, classes",
    [({1: 0.9, 2: 0.3}, [1, 2]), ({2: 1.0}, [2]), ({2: 0.9, "*": 0.5}, [1, 2])],
    ids=str,
)
def test_limits_per_class_of_a_semantic_mask(limits, classes):
    mask = semantic()
    crop = S.RandomCrop(24, 26, min_retention=limits, protect="mask", report_key="report")
    seen = Counter()
    for out in draws(crop, 100, mask=mask):
        expected = [left_of_mask(mask == each, out["window"]) for each in classes]
        assert out["report"]["retention"] == pytest.approx(expected)
        seen[out["report"]["status"]] += 1
        for share, each in zip(expected, classes, strict=True):
            assert share >= limits.get(each, limits.get("*")) - CLOSE
    assert seen["UNMET"] == 0 < seen["MOVED"]


def test_a_soft_mask_is_one_object():
    mask = np.zeros(SIZE, np.float32)
    mask[10:20, 10:20], mask[20:30, 20:30] = 1.0, 0.125
    crop = S.RandomCrop(16, 16, min_retention=0.85, protect="mask", report_key="report")
    assert_kept(draws(crop, mask=mask), lambda window: [left_of_mask(mask, window)], 0.85)


def test_a_semantic_mask_is_protected_only_where_that_is_asked_for():
    assert {out["report"]["status"] for out in draws(S.RandomCrop(8, 8, report_key="report"), mask=semantic())} == {
        "EMPTY"
    }


# Keypoints


PEOPLE = [(10.0, 10.0), (12.0, 14.5), (20.0, 11.0), (22.0, 20.0), (24.0, 22.0)]


@pytest.mark.parametrize("names", [["a", "a", "a", "b", "b"], [7, 7, 7, 3, 3], [7.5, 7.5, 7.5, 3.0, 3.0]], ids=str)
def test_keypoints_by_instance(names):
    crop = S.RandomCrop(14, 14, min_retention=0.5, instances="person", report_key="report")
    outs = draws(crop, 100, point_fields=["person"], keypoints=PEOPLE, person=names)
    assert_kept(outs, lambda window: [left_of_points(each, window) for each in (PEOPLE[:3], PEOPLE[3:])], 0.5)


def test_instances_are_reported_in_the_order_in_which_they_appear():
    crop = S.RandomCrop(14, 14, keep="any", instances="person", report_key="report")
    its = [PEOPLE[0], PEOPLE[2]], [PEOPLE[1], *PEOPLE[3:]]
    for out in draws(crop, 40, point_fields=["person"], keypoints=PEOPLE, person=["b", "a", "b", "a", "a"]):
        assert out["report"]["retention"] == pytest.approx([left_of_points(each, out["window"]) for each in its])
        assert max(out["report"]["retention"]) >= 0.5


def test_all_keypoints_of_a_sample_are_one_instance_where_that_is_said():
    crop = S.RandomCrop(14, 17, min_retention=0.8, instances="*", report_key="report")
    outs = draws(crop, 100, keypoints=PEOPLE)
    assert_kept(outs, lambda window: [left_of_points(PEOPLE, window)], 0.8)


def test_unseen_keypoints_do_not_count():
    far = [*PEOPLE, (47.0, 39.0)]
    crop = S.RandomCrop(14, 17, min_retention=1.0, instances="*", visible="seen", report_key="report")
    seen = [PEOPLE[0], PEOPLE[1], PEOPLE[2], PEOPLE[4]]
    outs = draws(crop, 150, point_fields=["seen"], keypoints=far, seen=[2, 1, 1, 0, 2, 0])
    assert_kept(outs, lambda window: [left_of_points(seen, window)], 1.0)


def test_keypoints_on_the_right_or_lower_edge_are_outside_as_the_host_has_it():
    crop = S.RandomCrop(10, 10, min_retention=1.0, instances="*", report_key="report")
    for out in draws(crop, 60, keypoints=[(5.0, 5.0), (14.0, 14.0)]):
        assert len(out["keypoints"]) == 2
        assert out["window"] == (5, 5, 15, 15)


def test_an_instance_without_a_visible_keypoint_does_not_count():
    fields = {"person": ["a", "a", "b"], "seen": [1, 1, 0]}
    crop = S.RandomCrop(10, 10, min_retention=1.0, instances="person", visible="seen", report_key="report")
    for out in draws(crop, 20, point_fields=list(fields), keypoints=[(5, 5), (8, 8), (40, 30)], **fields):
        assert out["report"]["retention"] == [1.0, None]


# What label fields say, of boxes, masks and keypoints alike


CORNERS = [(2, 2, 10, 10), (36, 28, 46, 38)]
"""Two objects of which a small window holds one at the most."""


def both(target, **fields):
    """The two objects as a target, with label fields of one value each."""
    if target == "keypoints":
        rows = [[x, y] for x0, y0, x1, y1 in CORNERS for x, y in ((x0, y0), (x1, y1), (x0, y1))]
        spread = {key: [value for value in values for _ in range(3)] for key, values in fields.items()}
        return {"keypoints": rows, "person": [1, 1, 1, 2, 2, 2], "point_fields": ["person", *fields], **spread}
    data = {"bboxes": [list(map(float, each)) for each in CORNERS], "box_fields": ["kind", *fields], "kind": ["a", "b"]}
    if target == "masks":
        data["masks"] = masks_at(*CORNERS)
    return {**data, **fields}


def how(target):
    return {"protect": target, **({"instances": "person"} if target == "keypoints" else {}), "report_key": "report"}


TARGETS = ["boxes", "masks", "keypoints"]


@pytest.mark.parametrize("target", TARGETS)
def test_weights_say_what_an_unmet_draw_keeps(target):
    for heavy in (0, 1):
        weight = [1.0 + (heavy == 0), 1.0 + (heavy == 1)]
        crop = S.RandomCrop(16, 16, min_retention=0.9, weights="weight", **how(target))
        for out in draws(crop, 20, **both(target, weight=weight)):
            assert out["report"]["status"] == "UNMET"
            assert out["report"]["retention"][heavy] >= 0.9


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("yes", [True, 1, 0.5], ids=str)
def test_what_is_ignored_is_never_asked_for(target, yes):
    crop = S.RandomCrop(16, 16, min_retention=0.9, ignore="crowd", **how(target))
    for out in draws(crop, 20, **both(target, crowd=[yes, type(yes)(0)])):
        assert out["report"]["status"] in {"FIRST", "MOVED"}
        assert out["report"]["retention"][1] >= 0.9
        assert out["report"]["retention"][0] == 0


@pytest.mark.parametrize("target", TARGETS)
def test_prior_visibility_counts_from_the_whole_object(target):
    """An object of which 0.6 was left must keep 0.5 / 0.6 of that; one of which 0.3 was left is lost already."""
    crop = S.RandomCrop(16, 16, min_retention=0.5, prior_visibility="left", **how(target))
    seen = set()
    for out in draws(crop, 40, **both(target, left=[0.3, 0.6])):
        report = out["report"]
        assert report["status"] in {"FIRST", "MOVED"}
        assert report["retention"][1] >= 0.5 - 1e-5
        assert report["retention"][0] <= 0.3 + 1e-5
        if target == "boxes":
            share = oracle.retention(tuple(map(float, CORNERS[1])), out["window"], SIZE)
            assert report["retention"][1] == pytest.approx(0.6 * share, abs=1e-5)
        seen.add(round(report["retention"][1], 3))
    assert max(seen) <= 0.6 + 1e-3
    assert min(seen) < 0.6 - 1e-3 or target == "keypoints"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("names", [["cat", "dog"], [4, 9], [0.25, 0.75]], ids=str)
def test_limits_per_label(target, names):
    crop = S.RandomCrop(16, 16, min_retention={names[1]: 1.0, "*": 0}, labels="label", **how(target))
    for out in draws(crop, 20, **both(target, label=names)):
        assert out["report"]["status"] in {"FIRST", "MOVED"}
        assert out["report"]["retention"][1] >= 1 - 1e-5


def test_small_objects_are_ignored_by_their_area_in_source_pixels():
    """64 and 100 pixels as boxes, three quarters of that as masks; keypoints have no area."""
    for target, floor, counts in (
        ("boxes", 63, True),
        ("boxes", 65, False),
        ("masks", 48, True),
        ("masks", 49, False),
        ("keypoints", 1e6, True),
    ):
        crop = S.RandomCrop(16, 16, min_retention=0.9, ignore_smaller_than=floor, **how(target))
        statuses = {out["report"]["status"] for out in draws(crop, 20, **both(target))}
        assert statuses == {"UNMET"} if counts else statuses <= {"FIRST", "MOVED"}


# Which of them, where nothing is said


def test_the_first_of_boxes_masks_and_keypoints_that_a_sample_carries():
    carried = {
        "bboxes": [[1.0, 1, 9, 9]],
        "masks": masks_at(NEAR, FAR),
        "keypoints": [(5.0, 5.0), (6.0, 6.0), (7.0, 7.0)],
        "person": [1, 2, 3],
    }
    crop = S.RandomCrop(20, 20, instances="person", report_key="report")
    for left_out, count in ((), 1), (("bboxes",), 2), (("bboxes", "masks"), 3), (("bboxes", "masks", "keypoints"), 0):
        data = {key: value for key, value in carried.items() if key not in left_out}
        fields = {"point_fields": ["person"]} if "keypoints" in data else {}
        (out,) = draws(crop, 1, **fields, **data)
        assert len(out["report"]["retention"]) == count
        assert (out["report"]["status"] == "EMPTY") == (count == 0)


def test_a_sample_that_carries_no_boxes_in_its_list_has_nothing_to_protect():
    """What is carried decides, not what is in it: an image of the same data set may have none."""
    crop = S.RandomCrop(20, 20, report_key="report")
    run = A.Compose([crop], bbox_params=A.BboxParams("pascal_voc", label_fields=["kind"]), seed=1)
    assert run(image=IMAGE, bboxes=[], kind=[], masks=masks_at(NEAR))["report"]["status"] == "EMPTY"


@pytest.mark.parametrize("target", ["masks", "keypoints"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_transform_protects_masks_and_keypoints(row, target):
    """The objects of the contract as masks and as keypoints, in the same rows, with the same ends."""
    if target == "keypoints" and not row.keypoints:
        pytest.skip("this transform has no keypoints")
    corners = [tuple(map(round, box)) for box in BOXES]
    data = {
        "image": np.zeros((HEIGHT, WIDTH, 3), np.uint8),
        "bboxes": np.array(BOXES),
        "labels": [0, 1, 2],
        **row.needs(),
    }
    if target == "masks":
        masks = masks_at(*corners, size=(HEIGHT, WIDTH))
        things = [known(Thing("mask", mask.tolist()), (HEIGHT, WIDTH)) for mask in masks]
        data["masks"] = masks
    else:
        rows = [[(x, y) for x in (x0, (x0 + x1) // 2, x1 - 1) for y in (y0, y1 - 1)] for x0, y0, x1, y1 in corners]
        things = [known(Thing("keypoints", each), (HEIGHT, WIDTH)) for each in rows]
        data |= {
            "keypoints": [point for each in rows for point in each],
            "person": [i for i in range(3) for _ in range(6)],
        }
    share = {"min_retention": 0.5} if target == "keypoints" else {}  # three of the six of each
    policy = sa.Policy(**{**row.press, **share})
    guarded = row.guarded(policy=policy, protect=target, instances="person", report_key="report")
    run = A.Compose(
        [guarded],
        bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]),
        keypoint_params=A.KeypointParams("xy", label_fields=["person"]) if target == "keypoints" else None,
        seed=2,
        save_applied_params=True,
    )
    statuses = Counter()
    for _ in range(15):
        out = run(**data)
        _, params = out["applied_transforms"][0]
        window, report = window_of(params, (HEIGHT, WIDTH)), out["report"]
        statuses[report["status"]] += 1
        assert report["retention"] == pytest.approx([one.left(window) for one in things], abs=CLOSE)
        kept = oracle.does(things, window, [policy.limit_of(None)] * 3, policy, out["image"].shape[:2], ease=5)
        assert kept or report["status"] == "UNMET"
        if target == "keypoints":
            assert len(out["keypoints"]) == sum(one.inside(window) for one in things)
    if target == "keypoints" and not row.drawn_anew:
        assert statuses["UNMET"] == 0


# Callables


def test_polygons_by_a_callable():
    ring = [(5.0, 5.0), (25.0, 8.0), (12.0, 25.0)]
    crop = S.RandomCrop(
        20, 20, min_retention=0.6, protect=lambda data: {"polygons": data["polygons"]}, report_key="report"
    )
    whole = float(oracle.polygon_in(ring, (0, 0, SIZE[1], SIZE[0])))
    outs = draws(crop, polygons=[ring])
    assert_kept(outs, lambda window: [float(oracle.polygon_in(ring, window)) / whole], 0.6)


def test_a_callable_gives_objects_of_any_kind_in_pixels():
    def objects(data):
        return {
            "boxes": [[2, 2, 12, 12]],
            "masks": data["masks"][:1],
            "keypoints": [[(20, 20), (22, 24)]],
            "labels": ["box", "mask", "points"],
        }

    limits = {"box": 0.2, "mask": 0.9, "points": 0.5}
    crop = S.RandomCrop(22, 26, min_retention=limits, protect=objects, report_key="report")
    masks = masks_at((10, 10, 20, 20))
    for out in draws(crop, masks=masks):
        window = out["window"]
        expected = [
            oracle.retention((2.0, 2.0, 12.0, 12.0), window, SIZE),
            left_of_mask(masks[0], window),
            left_of_points([(20, 20), (22, 24)], window),
        ]
        assert out["report"]["retention"] == pytest.approx(expected)
        assert all(share >= limit - CLOSE for share, limit in zip(expected, limits.values(), strict=True))


def test_a_callable_may_give_nothing():
    for nothing in ({}, {"boxes": []}, {"masks": None}):
        (out,) = draws(S.RandomCrop(20, 20, protect=lambda _, each=nothing: each, report_key="report"), 1)
        assert out["report"]["status"] == "EMPTY"


def wholly_in_or_out(retention):
    return ((retention > 0.99) | (retention < 0.01)).all(-1) & (retention > 0.99).any(-1)


@pytest.mark.parametrize("target", ["boxes", "masks"])
def test_a_callable_keep_decides_alone(target):
    crop = S.RandomCrop(20, 24, keep=wholly_in_or_out, **how(target))
    corners = [(2, 2, 10, 10), (12, 4, 24, 14), (20, 20, 32, 34), (36, 28, 46, 38)]
    data = {"bboxes": [list(map(float, each)) for each in corners], "box_fields": ["kind"], "kind": list("abcd")}
    moved = 0
    for out in draws(crop, **data, masks=masks_at(*corners)):
        shares = np.array(out["report"]["retention"])
        assert ((shares > 0.99) | (shares < 0.01)).all()
        assert (shares > 0.99).any()
        moved += out["report"]["status"] == "MOVED"
    assert moved > 20


def first_box(data):
    return {"boxes": [[2, 2, 12, 12]]}


@pytest.mark.parametrize("role, value", [("protect", first_box), ("keep", wholly_in_or_out)])
def test_a_callable_is_pickled_but_not_written_down(role, value):
    run = A.Compose([S.RandomCrop(20, 20, **{role: value}, report_key="report")], seed=3)
    with pytest.raises(NotImplementedError, match=f"{role} is a callable, for which no text stands; pickle"):
        run.transforms[0].to_dict_private()
    other = pickle.loads(pickle.dumps(run))
    for _ in range(5):
        data = {"image": IMAGE, "masks": masks_at(NEAR, FAR)}
        assert run(**data)["report"] == other(**data)["report"]


# How often, and how it ends


def test_apply_rate_is_the_share_of_draws_that_are_guarded():
    crop = S.RandomCrop(14, 14, min_retention=1.0, apply_rate=0.7, report_key="report")
    plain = A.Compose([A.RandomCrop(14, 14)], seed=5, save_applied_params=True)
    statuses = Counter()
    for out in draws(crop, 6000, masks=masks_at(NEAR)):
        statuses[out["report"]["status"]] += 1
        alone = plain(image=IMAGE)["applied_transforms"][0][1]["crop_coords"]
        if out["report"]["status"] == "UNGUARDED":
            assert out["window"] == alone
        else:
            assert out["report"]["retention"] == [1.0]
    assert set(statuses) == {"FIRST", "MOVED", "UNGUARDED"}
    assert_law({"guarded": 6000 - statuses["UNGUARDED"], "not": statuses["UNGUARDED"]}, {"guarded": 0.7, "not": 0.3})


def test_a_report_is_plain_data():
    crop = S.RandomCrop(20, 20, instances="*", report_key="report")
    for data in (
        {"masks": masks_at(NEAR, (0, 0, 0, 0)).astype(np.float32)},
        {"keypoints": [(5.0, 5.0)]},
        {"bboxes": np.array([[1.0, 2, 3, 4]])},
    ):
        (out,) = draws(crop, 1, **data)
        assert json.loads(json.dumps(out["report"])) == out["report"]


# What cannot be judged


TWO = {"bboxes": [[1.0, 2, 9, 9], [11.0, 2, 19, 9]], "kind": ["a", "b"], "box_fields": ["kind"]}
BOW = [(5, 5), (20, 20), (20, 5), (5, 20)]


@pytest.mark.parametrize(
    "arguments, data, message",
    [
        ({}, {"masks": np.ones((2, 30, 48), np.uint8)}, r"mask 0 must be of the image's height and width \(40, 48\)"),
        ({"protect": "mask"}, {"mask": np.ones((40, 40), np.uint8)}, r"got shape \(40, 40\); resize the mask"),
        (
            {},
            {"masks": np.full((1, *SIZE), 255.0, np.float32)},
            r"mask 0 of floats must hold shares in \[0, 1\], got 255",
        ),
        ({"protect": "mask"}, {"mask": np.full(SIZE, -0.5, np.float32)}, "mask of floats must hold shares"),
        ({}, {"masks": np.full((1, *SIZE), np.nan, np.float32)}, "mask 0 of floats must hold shares"),
        (
            {"protect": "mask", "foreground": [1]},
            {"mask": np.ones(SIZE, np.float32)},
            "foreground and limits per label need a mask of whole numbers, got float32",
        ),
        ({}, {"keypoints": [(1.0, 2.0)]}, "keypoints are protected by instance: name the label field"),
        (
            {"instances": "person"},
            {"keypoints": [(1.0, 2.0)]},
            "instances='person' must name one of the label_fields of A.KeypointParams: there are none",
        ),
        (
            {"instances": "*", "visible": "seen"},
            {"keypoints": [(1.0, 2.0)], "seen": ["yes"], "point_fields": ["seen"]},
            "visible='seen' must be a field of numbers",
        ),
        (
            {"protect": "boxes"},
            {"masks": np.ones((1, *SIZE), np.uint8)},
            r"protect='boxes' needs 'bboxes' in the sample, which has \['applied",
        ),
        ({"protect": "masks"}, {"mask": np.ones(SIZE, np.uint8)}, "protect='masks' needs 'masks' in the sample"),
        ({"protect": "mask"}, {"masks": np.ones((1, *SIZE), np.uint8)}, "protect='mask' needs 'mask' in the sample"),
        ({"protect": "keypoints"}, TWO, "protect='keypoints' needs 'keypoints' in the sample"),
        (
            {"protect": "masks", "min_retention": {"a": 0.5, "b": 0.2}},
            {**TWO, "masks": np.ones((3, *SIZE), np.uint8)},
            "got 3 masks and 2 boxes; a step before may have dropped boxes",
        ),
        ({"protect": "masks", "weights": "kind"}, {"masks": np.ones((1, *SIZE), np.uint8)}, "got 1 masks and 0 boxes"),
        ({"weights": "kind"}, TWO, "weights='kind' must be a field of numbers"),
        (
            {"weights": "w"},
            {**TWO, "w": [-1.0, 1.0], "box_fields": ["kind", "w"]},
            "weights must be finite and at least 0",
        ),
        (
            {"prior_visibility": "w"},
            {**TWO, "w": [2.0, 1.0], "box_fields": ["kind", "w"]},
            r"prior_visibility must be in \[0, 1\]",
        ),
        ({"protect": lambda data: [1, 2]}, {}, "a callable protect must return a dict such as .* got list"),
        ({"protect": lambda data: None}, {}, "got NoneType"),
        ({"protect": lambda data: {"boxen": []}}, {}, r"must return keywords of safeaug.place, got \['boxen'\]"),
        ({"protect": lambda data: {"boxes": [[3, 3, 1, 1]]}}, {}, "box 0 must have x0 <= x1"),
        ({"protect": lambda data: {"boxes": ["a"]}}, {}, "boxes"),
        ({"protect": lambda data: {"masks": np.ones((1, 5, 5))}}, {}, "mask 0 must be of the image's height and width"),
        (
            {"protect": lambda data: {"boxes": [[1, 1, 2, 2]], "weights": [1, 2]}},
            {},
            "weights must be one number per object",
        ),
        ({"protect": lambda data: {"polygons": [BOW]}}, {}, "polygon 0"),
        ({"protect": lambda data: {"polygons": [[(1, 1), (np.nan, 2), (3, 3)]]}}, {}, "polygon 0"),
        ({"protect": lambda data: {"keypoints": [[(1, 2, 3, 4)]]}}, {}, r"keypoints of instance 0 must be of shape"),
        ({"min_retention": {"a": 0.5}}, {"masks": np.ones((1, *SIZE), np.uint8)}, "got 1 masks and 0 boxes"),
    ],
)
def test_what_cannot_be_judged_is_a_content_error(arguments, data, message):
    crop = S.RandomCrop(20, 20, **arguments)
    fields = {key: data[key] for key in ("box_fields", "point_fields") if key in data}
    run = A.Compose(
        [crop],
        bbox_params=A.BboxParams("pascal_voc", label_fields=fields.get("box_fields")) if "bboxes" in data else None,
        keypoint_params=A.KeypointParams("xy", label_fields=fields.get("point_fields"))
        if "keypoints" in data
        else None,
        is_check_shapes=False,
        save_applied_params=True,
    )
    with pytest.raises(sa.ContentError, match=message):
        run(image=IMAGE, **{key: value for key, value in data.items() if key not in fields})


@pytest.mark.parametrize("protect", ["faces", "bboxes", 5, ["boxes"], True])
def test_an_unknown_target_is_a_policy_error(protect):
    with pytest.raises(
        sa.PolicyError, match="protect must be one of 'boxes', 'masks', 'mask', 'keypoints', 'saliency', a callable"
    ):
        S.RandomCrop(20, 20, protect=protect)


@pytest.mark.parametrize("answer", [lambda r: r, lambda r: r > 0.5, lambda r: 1, lambda r: (r > 0.5).all()], ids="abcd")
def test_a_callable_keep_that_answers_otherwise_is_a_policy_error(answer):
    with pytest.raises(sa.PolicyError, match="a callable keep must return bool of shape"):
        list(draws(S.RandomCrop(8, 8, keep=answer), masks=masks_at(NEAR, FAR)))


@pytest.mark.parametrize("limit", [0.1, 0.7, 0.9])
def test_what_was_left_before_may_be_the_limit_itself(limit):
    """The host keeps label fields in float32, where 0.7 is a little less."""
    params = A.BboxParams("pascal_voc", label_fields=["left"])
    crop = S.RandomCrop(20, 20, min_retention=limit, prior_visibility="left", report_key="report")
    run = A.Compose([crop], bbox_params=params, seed=0)
    for _ in range(20):
        report = run(image=IMAGE, bboxes=[[4, 4, 12, 12]], left=[limit])["report"]
        assert report["status"] in {"FIRST", "MOVED"}
        assert report["retention"][0] == pytest.approx(limit, abs=1e-5)


def test_ids_that_float32_cannot_tell_apart_are_refused():
    two = {"keypoints": [(2, 2), (44, 36)], "who": [900100259690, 900100259691]}
    crop = S.RandomCrop(20, 20, instances="who", report_key="report")
    params = A.KeypointParams("xy", label_fields=["who"])
    with pytest.raises(sa.ContentError, match=r"instances='who' must name ids below 16777216.* give them as text"):
        A.Compose([crop], keypoint_params=params)(image=IMAGE, **two)
    out = A.Compose([crop], keypoint_params=params)(image=IMAGE, keypoints=two["keypoints"], who=["690", "691"])
    assert len(out["report"]["retention"]) == 2


@pytest.mark.parametrize("crowd", [None, np.nan])
def test_ignore_is_said_of_each_object(crowd):
    params = A.BboxParams("pascal_voc", label_fields=["crowd"])
    run = A.Compose([S.RandomCrop(20, 20, ignore="crowd")], bbox_params=params)
    with pytest.raises(sa.ContentError, match="ignore"):
        run(image=IMAGE, bboxes=[[4, 4, 12, 12], [20, 20, 30, 30]], crowd=[crowd, 0])
    with pytest.raises(sa.ContentError, match="ignore must be true or false of each object"):
        sa.place(SIZE, [[4, 4, 12, 12]], (20, 20), rng=np.random.default_rng(0), ignore=[np.nan])


def test_limits_by_name_need_classes_that_have_names():
    mask = masks_at(NEAR)[0]
    crop = S.CropNonEmptyMaskIfExists(20, 20, min_retention={"cat": 0.5})
    with pytest.raises(sa.ContentError, match='limits per label need classes: say protect="mask"'):
        A.Compose([crop])(image=IMAGE, mask=mask)
    named = S.RandomCrop(20, 20, protect="mask", min_retention={"road": 0.9})
    with pytest.raises(sa.ContentError, match="for its classes, whole numbers"):
        A.Compose([named])(image=IMAGE, mask=mask)
    for out in draws(S.CropNonEmptyMaskIfExists(20, 20, protect="mask", min_retention={1: 1.0}), 20, mask=mask):
        assert out["mask"].sum() == mask.sum()


def test_nothing_asked_of_keypoints_needs_no_instances():
    plain = A.Compose([A.RandomCrop(20, 20)], keypoint_params=A.KeypointParams("xy"), seed=1)
    guarded = A.Compose([S.RandomCrop(20, 20, min_retention=0)], keypoint_params=A.KeypointParams("xy"), seed=1)
    image = np.arange(40 * 48 * 3, dtype=np.uint8).reshape(40, 48, 3)
    for _ in range(10):
        one, other = (run(image=image, keypoints=[(2, 2), (30, 30)]) for run in (plain, guarded))
        np.testing.assert_array_equal(one["image"], other["image"])
