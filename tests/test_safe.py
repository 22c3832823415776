"""`Safe`: a guard around what is no drop-in, the host's or somebody else's."""

import copy

import albumentations as A
import cv2
import numpy as np
import pytest

import safeaug as sa
from safeaug.content import content_of
from safeaug.measures import demand_of, kept_weight
from tests import oracle
from tests.table import BOXES, DROP_INS, HEIGHT, LABELS, ROWS, WIDTH, TheirCrop, TheirStrip, TheirZoom, shifted_boxes

S = sa.albumentations
ASIDE = [[60.0, 45.0, 75.0, 63.0]]


def picture():
    return np.random.default_rng(0).integers(0, 255, (HEIGHT, WIDTH, 3), dtype=np.uint8)


def compose(transform, seed=3, **more):
    params = A.BboxParams("pascal_voc", label_fields=["labels"])
    return A.Compose([transform], bbox_params=params, seed=seed, **more)


def draws(transform, number=40, boxes=BOXES, **more):
    run = compose(transform, **more)
    labels = list(range(len(boxes)))
    return [run(image=picture(), bboxes=np.array(boxes), labels=labels) for _ in range(number)]


class Mirrored(TheirStrip):
    """A strip that is flipped: no window."""

    def apply(self, img, left, **params):
        return super().apply(img, left)[:, ::-1]

    def apply_to_bboxes(self, bboxes, left, shape, **params):
        moved = super().apply_to_bboxes(bboxes, left, shape)
        moved[:, [0, 2]] = 1 - moved[:, [2, 0]]
        return moved


class Bent(TheirZoom):
    """A zoom whose points do not go along straight lines."""

    def apply_to_keypoints(self, keypoints, corner, side, **params):
        moved = super().apply_to_keypoints(keypoints, corner, side)
        moved[:, 0] += 3 * np.sin(moved[:, 1])
        return moved


class Blind(A.DualTransform):
    """A crop that moves neither keypoints nor boxes."""

    def apply(self, img, **params):
        return img[1:-1, 1:-1]


class Weighed(TheirCrop):
    """A crop of which something else was derived, so that another window would not go with it."""

    def get_params_dependent_on_data(self, params, data):
        drawn = super().get_params_dependent_on_data(params, data)
        return {**drawn, "middle": drawn["crop_coords"][0] + self.width / 2}


class Between(A.DualTransform):
    """A crop between the pixels, resized: its window has fractions."""

    def __init__(self, size, p=1.0):
        super().__init__(p=p)
        self.size = size

    def get_params_dependent_on_data(self, params, data):
        height, width = params["shape"][:2]
        side = self.py_random.uniform(30, 70)
        return {"at": (self.py_random.uniform(0, width - side), self.py_random.uniform(0, height - side)), "side": side}

    def apply(self, img, at, side, **params):
        scale = self.size / side
        matrix = np.array([[scale, 0, -at[0] * scale], [0, scale, -at[1] * scale]])
        return cv2.warpAffine(img, matrix, (self.size, self.size))

    def apply_to_keypoints(self, keypoints, at, side, **params):
        moved = keypoints.copy()
        moved[:, :2] = (moved[:, :2] - at) * self.size / side
        return moved

    def apply_to_bboxes(self, bboxes, at, side, shape, **params):
        return shifted_boxes(bboxes, (*at, at[0] + side, at[1] + side), shape)


# What it takes


@pytest.mark.parametrize(
    "inner, message",
    [
        (lambda: A.HorizontalFlip(), "HorizontalFlip is none. Leave it unguarded"),
        (lambda: A.Affine(), "Affine is none"),
        (lambda: A.CoarseDropout(), "CoarseDropout is none"),
        (lambda: A.GaussianBlur(), "got GaussianBlur"),
        (lambda: A.Compose([A.RandomCrop(8, 8)]), "got Compose; guard the crops inside of it"),
        (lambda: A.OneOf([A.RandomCrop(8, 8)]), "got OneOf"),
        (lambda: A.RandomCrop, "guards one transform"),
        (lambda: None, "got NoneType"),
        (lambda: S.RandomCrop(8, 8), "RandomCrop is guarded already; give it the policy, without Safe"),
        (lambda: S.Safe(A.RandomCrop(8, 8)), "Safe is guarded already"),
    ],
)
def test_what_is_no_window_is_refused_at_once(inner, message):
    with pytest.raises(sa.PolicyError, match=message):
        S.Safe(inner())


@pytest.mark.parametrize("inner", [Mirrored(70), Bent(40, 60, 32)], ids=lambda inner: type(inner).__name__)
def test_somebody_elses_that_is_no_window_is_refused_at_the_first_draw(inner):
    with pytest.raises(sa.PolicyError, match=f"{type(inner).__name__} moves points otherwise"):
        draws(S.Safe(inner), 1)


def test_somebody_elses_without_points_is_refused_at_the_first_draw():
    with pytest.raises(sa.PolicyError, match="Blind moves neither keypoints nor boxes"):
        S.Safe(Blind(p=1.0))(image=picture(), keypoints=np.array([[1.0, 2, 0, 0, 0]]))


def test_a_wrapped_transform_may_come_as_plain_data():
    inner = A.RandomCrop(30, 40, pad_if_needed=True, p=0.7)
    safe = S.Safe(inner.to_dict_private(), keep="any")
    assert repr(safe) == repr(S.Safe(inner, keep="any"))
    state = safe.to_dict_private()
    assert state["inner"] == inner.to_dict_private()
    assert "transforms" not in state  # the host's replay would take what is under that key for steps of its own


# What it does: the host's transforms as their drop-ins


@pytest.mark.parametrize("row", [row for row in ROWS if row.name in DROP_INS], ids=lambda row: row.name)
def test_a_wrapped_transform_of_the_host_ends_as_its_drop_in(row):
    """In the same way on each draw, and in the same window where no further draw of the host was needed."""
    runs = [compose(row.guarded(**row.press, report_key="report")), compose(S.Safe(row.plain(), **row.press))]
    runs[1].transforms[0].report_key = "report"
    alike = 0
    for _ in range(60):
        data = {"image": picture(), "bboxes": np.array(BOXES), "labels": list(LABELS), **row.needs()}
        one, other = (run(**copy.deepcopy(data)) for run in runs)
        assert (one["report"]["status"] == "FIRST") == (other["report"]["status"] == "FIRST")
        if one["report"]["draws"] == other["report"]["draws"] == 1:
            alike += 1
            assert one["report"] == other["report"]
            np.testing.assert_array_equal(one["image"], other["image"])
    assert alike > 0
    assert set(runs[1].transforms[0].report()) <= row.ends


def test_its_p_is_the_inner_ones_unless_given():
    assert S.Safe(A.RandomCrop(8, 8, p=0.3)).p == 0.3
    assert S.Safe(A.RandomCrop(8, 8, p=0.3), p=0.9).p == 0.9
    outs = draws(S.Safe(A.RandomCrop(30, 30, p=0.0), p=1.0, keep="any"), 5)
    assert all(out["image"].shape == (30, 30, 3) for out in outs)
    outs = draws(S.Safe(A.RandomCrop(30, 30, p=0.5), keep="any"), 100)
    assert 25 < sum(out["image"].shape == (30, 30, 3) for out in outs) < 75


@pytest.mark.parametrize("strict", [True, False])
def test_what_a_compose_sets_on_its_leaves_reaches_the_inner_transform(strict):
    inner = A.RandomResizedCrop((32, 32))
    run = compose(
        S.Safe(inner),
        mask_interpolation=cv2.INTER_AREA,
        additional_targets={"depth": "mask"},
        strict=strict,
    )
    assert inner.mask_interpolation == cv2.INTER_AREA
    assert inner.py_random is run.transforms[0].py_random
    depth = np.full((HEIGHT, WIDTH), 7, np.float32)
    out = run(image=picture(), bboxes=np.array(BOXES), labels=list(LABELS), depth=depth)
    assert out["depth"].shape == (32, 32)
    untouched = S.Safe(A.RandomCrop(8, 8))
    A.Compose([untouched], mask_interpolation=cv2.INTER_AREA)
    assert not hasattr(untouched, "mask_interpolation")


def test_a_letterboxed_image_is_filled_and_resized_as_the_inner_transform_says():
    inner = A.RandomCrop(30, 60, fill=77, fill_mask=5)
    safe = S.Safe(inner, on_fail="skip", min_visible_pixels=1e6)
    out = compose(safe)(
        image=np.zeros((HEIGHT, WIDTH, 3), np.uint8),
        mask=np.ones((HEIGHT, WIDTH), np.uint8),
        bboxes=np.array(BOXES),
        labels=list(LABELS),
    )
    assert out["image"].shape == (30, 60, 3)
    assert set(np.unique(out["image"])) == {0, 77}
    assert set(np.unique(out["mask"])) == {1, 5}


# Somebody else's


def test_a_crop_that_draws_nothing_else_is_moved():
    outs = draws(S.Safe(TheirCrop(30, 40), min_retention=1.0, report_key="report"), 100, ASIDE)
    assert {out["report"]["status"] for out in outs} == {"FIRST", "MOVED"}
    for out in outs:
        x0, y0, x1, y1 = out["report"]["window"]
        np.testing.assert_array_equal(out["image"], picture()[y0:y1, x0:x1])
        assert out["report"]["retention"] == [pytest.approx(1)]
        assert out["bboxes"][0].tolist() == pytest.approx([60 - x0, 45 - y0, 75 - x0, 63 - y0], abs=1e-4)


@pytest.mark.parametrize("inner", [Weighed(30, 40), TheirZoom(30, 50, 32), TheirStrip(40), Between(32)], ids=repr)
def test_any_other_is_drawn_anew(inner):
    outs = draws(S.Safe(inner, min_retention=0.9, tries=100, report_key="report"), 60, ASIDE)
    assert {out["report"]["status"] for out in outs} == {"FIRST", "REDRAWN"}
    for out in outs:
        report, scale = out["report"], np.array(out["image"].shape[1::-1])
        x0, y0, x1, y1 = report["window"]
        kept = oracle.retention(tuple(ASIDE[0]), tuple(report["window"]), (HEIGHT, WIDTH))
        assert report["retention"] == [pytest.approx(kept, abs=1e-4)]
        assert kept >= 0.9 - 1e-4
        # Where the box went to says which window it was.
        scale = scale / [x1 - x0, y1 - y0]
        expected = np.clip(
            [60 - x0, 45 - y0, 75 - x0, 63 - y0] * np.tile(scale, 2), 0, np.tile(report["size"][::-1], 2)
        )
        assert out["bboxes"][0].tolist() == pytest.approx(expected.tolist(), abs=1e-2)


def test_draws_anew_are_bounded_and_the_best_of_them_is_kept():
    policy = sa.Policy(min_retention=1.0, tries=4)
    far = [[5.0, 5, 20, 20], [30.0, 30, 45, 45], [80.0, 50, 95, 65]]  # no window of 40 holds all
    outs = draws(S.Safe(TheirZoom(38, 40, 32), policy=policy, report_key="report"), 60, far)
    assert {out["report"]["status"] for out in outs} == {"UNMET"}
    assert {out["report"]["draws"] for out in outs} == {5}
    plain = draws(A.Compose([TheirZoom(38, 40, 32)]), 60, far, save_applied_params=True)
    content = content_of(far, (HEIGHT, WIDTH), policy)

    def kept(window):
        return kept_weight(demand_of(content, policy, (40, 40), (32, 32)), window)

    firsts = [
        (*params["corner"], params["corner"][0] + params["side"], params["corner"][1] + params["side"])
        for out in plain
        for _, params in out["applied_transforms"]
    ]
    guarded = [kept(out["report"]["window"]) for out in outs]
    assert all(one >= kept(first) for one, first in zip(guarded, firsts, strict=True))
    assert sum(guarded) > 1.5 * sum(map(kept, firsts))


@pytest.mark.parametrize("inner", [TheirCrop(30, 40), TheirZoom(30, 40, 32)], ids=repr)
def test_the_ends_of_a_search(inner):
    impossible = {"min_visible_pixels": 1e6, "report_key": "report"}
    (out,) = draws(S.Safe(inner, on_fail="skip", **impossible), 1)
    assert out["report"]["status"] == "SKIPPED"
    np.testing.assert_array_equal(out["image"], picture())
    with pytest.raises(sa.RetentionError, match="cannot be met") as caught:
        draws(S.Safe(inner, on_fail="raise", **impossible), 1)
    assert len(caught.value.outcome.retention) == 3
    assert {out["report"]["status"] for out in draws(S.Safe(inner, apply_rate=0.0, report_key="report"))} == {
        "UNGUARDED"
    }
    half = [out["report"]["status"] for out in draws(S.Safe(inner, apply_rate=0.5, report_key="report"), 200)]
    assert 60 < half.count("UNGUARDED") < 140


def test_a_crop_that_draws_an_empty_window_is_its_own_to_refuse():
    class Empty(TheirCrop):
        def get_params_dependent_on_data(self, params, data):
            return {"crop_coords": (5, 5, 5, 9)}

    safe = S.Safe(Empty(1, 1), report_key="report")
    out = safe(image=picture(), mask=picture()[..., 0])
    assert out["image"].shape == (4, 0, 3)
    assert out["report"] == {"status": "UNGUARDED"}
    assert safe.report() == {"UNGUARDED": 1}


class Trimmed(A.RandomCrop):
    """Derived from the host's crop, but what it hands on is the middle of the window."""

    def apply(self, img, **params):
        return super().apply(img, **params)[20:-20, 20:-20]

    def apply_to_mask(self, mask, **params):
        return super().apply_to_mask(mask, **params)[20:-20, 20:-20]

    def apply_to_bboxes(self, bboxes, **params):
        x0, y0, x1, y1 = params["crop_coords"]
        return shifted_boxes(bboxes, (x0 + 20, y0 + 20, x1 - 20, y1 - 20), params["shape"])

    def apply_to_keypoints(self, keypoints, **params):
        moved = super().apply_to_keypoints(keypoints, **params).copy()
        moved[:, :2] -= 20
        return moved


def test_a_class_derived_from_the_hosts_is_judged_by_what_it_renders():
    box = [24.0, 24.0, 34.0, 34.0]
    safe = S.Safe(Trimmed(70, 80), min_retention=0.9, report_key="report")
    seen = set()
    for out in draws(safe, 100, boxes=[box]):
        report = out["report"]
        seen.add(report["status"])
        assert tuple(report["size"]) == out["image"].shape[:2] == (30, 40)
        left = oracle.retention(tuple(box), tuple(report["window"]), (HEIGHT, WIDTH))
        assert report["retention"] == [pytest.approx(left, abs=1e-4)]
        assert left >= 0.9 - 1e-4 or report["status"] == "UNMET"
        assert bool(out["bboxes"].size) == (left > 0)
    assert {"FIRST", "REDRAWN"} <= seen


class Halved(TheirCrop):
    """A crop of one of several sizes, rendered at half of its size."""

    def get_params_dependent_on_data(self, params, data):
        self.height = self.width = self.py_random.choice([20, 40, 60])
        return super().get_params_dependent_on_data(params, data)

    def apply(self, img, crop_coords, **params):
        return super().apply(img, crop_coords)[::2, ::2]

    def apply_to_keypoints(self, keypoints, crop_coords, **params):
        moved = super().apply_to_keypoints(keypoints, crop_coords).copy()
        moved[:, :2] /= 2
        return moved


def test_the_output_of_another_window_is_what_is_made_of_it():
    """A box of 20 × 20 has 100 pixels in every window that holds it, however large: all of it is always asked for."""
    box = [30.0, 30.0, 50.0, 50.0]
    for floor, ends in ((99, {"FIRST", "MOVED"}), (101, {"UNMET"})):
        safe = S.Safe(Halved(20, 20), min_retention=0.9, min_visible_pixels=floor, report_key="report")
        outs = draws(safe, 60, boxes=[box])
        assert ends <= {out["report"]["status"] for out in outs} <= {*ends, "RESIZED"}
        for out in outs:
            (pixels,), report = out["report"]["visible_pixels"], out["report"]
            assert tuple(report["size"]) == out["image"].shape[:2]
            assert pixels == pytest.approx(400 * report["retention"][0] / 4, rel=1e-4)
            assert pixels >= floor - 1e-2 or report["status"] == "UNMET"
