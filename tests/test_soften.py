"""The same draw, weaker: on all targets, down to nothing, and never more than was drawn."""

import copy
import itertools
import math
from typing import Any

import albumentations as A
import cv2
import numpy as np
import pytest

import safeaug.albumentations as guarded
from safeaug.albumentations.changes import change_of, softened, softens
from safeaug.errors import PolicyError
from safeaug.ledger.changes import Mapped
from tests.changes_worlds import (
    ERASING,
    FORMS,
    HOLES,
    MIXING,
    PROJECTIVE,
    RIGID,
    SIZES,
    STILL,
    STRIPES,
    WARPING,
    WINDOWS,
    agree,
    built,
    drawn,
    ramps,
    sample_of,
    seen,
    told,
)

DRAWS = range(6)
STRENGTHS = [1.0, 0.9, 0.6, 0.3, 0.1, 0.01, 0.0]
MAPS = {name: transform for name, transform in PROJECTIVE.items() if not isinstance(transform, A.SafeRotate)}
SOFT = MAPS | HOLES | STRIPES


def draws(name: str):
    for size in SIZES:
        for seed in DRAWS:
            data = sample_of(size, seed)
            yield SOFT[name], data, drawn(SOFT[name], data, seed), size


def same(one: Any, other: Any) -> bool:
    """Whether two parameters are equal, bit for bit, and of one type."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    return type(one) is type(other) and one == other


def matrix_of(change: Any) -> np.ndarray:
    return np.eye(3) if change is None else np.array(change.matrix, dtype=np.float64)


def moved(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    x, y, depth = matrix @ np.column_stack([points, np.ones(len(points))]).T
    return np.stack([x / depth, y / depth], axis=1)


# What can be softened.


def test_which_forms_are_softened():
    assert {name for name, transform in FORMS.items() if softens(transform)} == set(SOFT)
    assert not softens(guarded.RandomCrop(8, 8))


@pytest.mark.parametrize("name", sorted((WINDOWS | RIGID | ERASING | WARPING | MIXING | STILL).keys()))
def test_the_rest_has_no_weaker_draw(name):
    params = drawn(FORMS[name], sample_of((37, 53)), 0)
    assert all(softened(FORMS[name], params, (37, 53), strength) is None for strength in (0, 0.5, 1))


@pytest.mark.parametrize("strength", [-0.1, 1.1, math.nan, math.inf])
def test_strengths_out_of_range_are_refused(strength):
    with pytest.raises(PolicyError, match="strength must be in"):
        softened(HOLES["Erasing"], {}, (4, 4), strength)


@pytest.mark.parametrize("name", sorted(SOFT))
def test_full_strength_is_the_draw_itself_and_nothing_is_changed_in_place(name):
    for transform, _, params, size in draws(name):
        before = copy.deepcopy(params)
        full = softened(transform, params, size, 1.0)
        assert full is not params
        assert same(full, before)
        for strength in STRENGTHS:
            softened(transform, params, size, strength)
        assert same(params, before)


@pytest.mark.parametrize("name", sorted(SOFT))
def test_parameters_are_of_the_hosts_types(name):
    for transform, _, params, size in draws(name):
        for strength in STRENGTHS:
            weaker = softened(transform, params, size, strength)
            assert weaker.keys() == params.keys()
            for key, value in params.items():
                assert type(weaker[key]) is type(value)
                assert getattr(weaker[key], "dtype", None) == getattr(value, "dtype", None)
                if isinstance(value, tuple):
                    assert [type(each) for each in weaker[key]] == [type(each) for each in value]


@pytest.mark.parametrize("name", sorted(SOFT))
def test_no_strength_changes_nothing(name):
    for transform, data, params, size in draws(name):
        after = transform.apply_with_params(softened(transform, params, size, 0.0), **data)
        for target in ("image", "mask"):
            assert (after[target] == data[target]).all()
        for target in ("bboxes", "keypoints"):
            if not (target == "keypoints" and len(after[target]) > len(data[target])):  # the host reflects these
                np.testing.assert_allclose(after[target], data[target], atol=1e-5)


# Maps: all targets.


@pytest.mark.parametrize("name", sorted(MAPS))
def test_images_and_masks_agree_on_a_weaker_map(name):
    for transform, _, params, size in draws(name):
        for strength in STRENGTHS:
            weaker = softened(transform, params, size, strength)
            change = change_of(transform, weaker, size)
            filled = transform.border_mode == cv2.BORDER_CONSTANT
            agree(change, seen(transform, weaker, size), size, filled=filled)
            mask = transform.apply_to_mask(ramps(size), **weaker)
            x, y = told(change, size)
            inside = (x > 0) & (x < size[1] - 1) & (y > 0) & (y < size[0] - 1)
            assert mask.shape[:2] == x.shape
            assert np.abs(mask[..., 0] - x)[inside].max(initial=0) <= 0.51
            assert np.abs(mask[..., 1] - y)[inside].max(initial=0) <= 0.51


@pytest.mark.parametrize("name", [name for name in sorted(MAPS) if MAPS[name].border_mode == cv2.BORDER_CONSTANT])
def test_keypoints_and_boxes_agree_on_a_weaker_map(name):
    for transform, data, params, size in draws(name):
        for strength in STRENGTHS:
            weaker = softened(transform, params, size, strength)
            change = change_of(transform, weaker, size)
            output = size if change is None else change.size
            matrix = matrix_of(change)
            points = transform.apply_to_keypoints(data["keypoints"].copy(), **weaker)
            expected = moved(matrix, data["keypoints"][:, :2] + 0.5) - 0.5  # keypoints stand at centres of pixels
            np.testing.assert_allclose(points[:, :2], expected, atol=0.01)
            corners = data["bboxes"][:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 2) * [size[1], size[0]]
            at = moved(boxed(transform, matrix), corners.astype(np.float64)).reshape(-1, 4, 2)
            bounds = np.concatenate([at.min(axis=1), at.max(axis=1)], axis=1)
            boxes = transform.apply_to_bboxes(data["bboxes"].copy(), **weaker)[:, :4] * np.tile(output[::-1], 2)
            # To make room the host rounds images and boxes to whole pixels apart from each other.
            off = 2.01 if isinstance(transform, A.Affine) and transform.fit_output else 0.01
            np.testing.assert_allclose(boxes, bounds, atol=off)


def boxed(transform: Any, matrix: np.ndarray) -> np.ndarray:
    """Return the map by which the host moves corners of boxes: a perspective moves them as if they were centres."""
    if not isinstance(transform, A.Perspective):
        return matrix
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    return np.linalg.inv(half) @ matrix @ half


# Maps: less and less.


@pytest.mark.parametrize("strength", STRENGTHS)
def test_a_weaker_turn_is_the_hosts_own_turn_by_less(strength):
    for size in SIZES:
        for crop_border, angle in itertools.product([False, True], [-170, -93, -45, -7, 0, 20, 60, 120]):
            rotate = built(A.Rotate, (angle, angle), crop_border=crop_border)
            less = built(A.Rotate, (angle * strength, angle * strength), crop_border=crop_border)
            close(softened(rotate, drawn(rotate, sample_of(size), 0), size, strength), drawn(less, sample_of(size), 0))


@pytest.mark.parametrize("strength", STRENGTHS[:-1])
@pytest.mark.parametrize("fit_output", [False, True])
def test_a_weaker_affine_map_is_the_hosts_own_of_smaller_numbers(strength, fit_output):
    for size in SIZES:
        for angle, scale, x, y in [(-170, 0.7, 0, 0), (40, 1.6, 10, -20), (5, 1.0, -10, 10), (-60, 1.2, 0, 30)]:
            full = affine(angle, scale, x, y, fit_output)
            expected = drawn(affine(angle * strength, scale**strength, 0, 0, fit_output), sample_of(size), 0)
            if not fit_output:  # which makes up for any shift; and the host knows no parts of a pixel
                linear = expected["matrix"][:2, :2]
                centre = np.array([size[1] - 1, size[0] - 1]) / 2
                expected["matrix"][:2, 2] = centre + np.array([x, y]) * strength - linear @ centre
                centre = np.array([size[1], size[0]]) / 2
                expected["bbox_matrix"][:2, 2] = centre + np.array([x, y]) * strength - linear @ centre
            close(softened(full, drawn(full, sample_of(size), 0), size, strength), expected)


def affine(angle: float, scale: float, x: int, y: int, fit_output: bool) -> Any:
    """Return a transform of one draw."""
    shift = {"x": (x, x), "y": (y, y)}
    return built(A.Affine, scale=(scale, scale), rotate=(angle, angle), translate_px=shift, fit_output=fit_output)


def close(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert given.keys() == expected.keys()
    for key, value in expected.items():
        if isinstance(value, dict):
            close(given[key], value)
        else:
            np.testing.assert_allclose(given[key], value, atol=1e-9)


@pytest.mark.parametrize("name", [name for name in sorted(MAPS) if isinstance(MAPS[name], A.Affine)])
def test_a_weaker_map_turns_and_stretches_less(name):
    for transform, _, params, size in draws(name):
        gone = []
        for strength in STRENGTHS:
            linear = matrix_of(change_of(transform, softened(transform, params, size, strength), size))[:2, :2]
            gone.append(np.linalg.norm(linear - np.eye(2)))
            assert np.linalg.det(linear) == pytest.approx(np.linalg.det(params["matrix"][:2, :2]) ** strength, rel=1e-4)
        assert (np.diff(gone) <= 1e-9).all()
        assert gone[-1] == 0


@pytest.mark.parametrize("name", [name for name in sorted(MAPS) if isinstance(MAPS[name], A.Perspective)])
def test_a_weaker_perspective_shows_all_that_the_stronger_one_shows(name):
    for transform, _, params, size in draws(name):
        y, x = np.indices((40, 40)) / 39
        points = np.stack([x.ravel() * size[1], y.ravel() * size[0]], axis=1)
        before = np.zeros(len(points), bool)
        for strength in STRENGTHS:
            change = change_of(transform, softened(transform, params, size, strength), size)
            at = moved(np.array(change.matrix), points)
            off = 1e-3 + (1.01 if transform.fit_output else 0)  # the host rounds the canvas, and there nothing is lost
            shown = ((at >= -off) & (at <= np.array(change.size[::-1]) + off)).all(axis=1)
            assert (shown >= before).all()
            before = shown
        assert before.all()


@pytest.mark.parametrize("name", [name for name in sorted(MAPS) if isinstance(MAPS[name], A.Perspective)])
def test_corners_of_a_weaker_perspective_go_part_of_their_way(name):
    for transform, _, params, size in draws(name):
        full = change_of(transform, params, size)
        image, shown = corners(size), moved(np.linalg.inv(full.matrix), corners(full.size))
        for strength in STRENGTHS:
            change = change_of(transform, softened(transform, params, size, strength), size)
            expected = image + (shown - image) * strength
            np.testing.assert_allclose(moved(np.linalg.inv(change.matrix), corners(change.size)), expected, atol=1e-3)


def corners(size: tuple[int, int]) -> np.ndarray:
    return np.array([[0, 0], [size[1], 0], [size[1], size[0]], [0, size[0]]], dtype=np.float64)


def test_maps_without_a_way_back_have_no_weaker_draw():
    transform = MAPS["Affine"]
    params = drawn(transform, sample_of((37, 53)), 0)
    for linear in ([[-1, 0], [0, 1]], [[1, 2], [2, 4]], [[0, 0], [0, 0]], [[math.nan, 0], [0, 1]]):
        matrix = np.eye(3)
        matrix[:2, :2] = linear
        assert softened(transform, {**params, "matrix": matrix}, (37, 53), 0.5) is None
        rotate = {**drawn(MAPS["Rotate constant"], sample_of((37, 53)), 0), "matrix": matrix}
        assert softened(MAPS["Rotate constant"], rotate, (37, 53), 0.5) is None


def test_perspectives_beyond_the_horizon_have_no_weaker_draw():
    transform = MAPS["Perspective new size"]
    params = drawn(transform, sample_of((37, 53)), 0)
    beyond = np.linalg.inv(np.array([[1, 0, 0], [0, 1, 0], [-0.05, 0, 1.0]]))
    for matrix in (beyond, np.zeros((3, 3))):
        drawn_so = {**params, "matrix": matrix, "max_width": 53, "max_height": 37}
        assert softened(transform, drawn_so, (37, 53), 0.5) is None


def test_scales_of_nothing_are_left_as_they_are():
    transform = MAPS["Affine"]
    params = drawn(transform, sample_of((37, 53)), 0)
    weaker = softened(transform, {**params, "scale": {"x": 0.25, "y": 0}, "rotate": 350}, (37, 53), 0.5)
    assert weaker["scale"] == {"x": 0.5, "y": 0}
    assert weaker["rotate"] == -5


# Holes.


@pytest.mark.parametrize("name", [*sorted(HOLES), *sorted(STRIPES)])
def test_weaker_holes_lie_inside_stronger_ones(name):
    for transform, _, params, size in draws(name):
        before = None
        for strength in STRENGTHS:
            hidden = painted(softened(transform, params, size, strength)["holes"], size)
            assert before is None or not (hidden & ~before).any()
            before = hidden
        assert not before.any()


def painted(holes: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    hidden = np.zeros(size, bool)
    for x0, y0, x1, y1 in holes.reshape(-1, 4):
        hidden[y0:y1, x0:x1] = True
    return hidden


def test_holes_shrink_in_area_about_their_centres():
    for hole in ([10, 20, 110, 70], [3, 5, 64, 90], [0, 0, 7, 4]):
        params = {"holes": np.array([hole]), "seed": 1}
        x0, y0, x1, y1 = hole
        for strength in STRENGTHS[:-2]:
            weaker = softened(HOLES["CoarseDropout"], params, (200, 200), strength)["holes"]
            ((a, b, c, d),) = weaker
            assert abs((c - a) - (x1 - x0) * math.sqrt(strength)) <= 1
            assert abs((d - b) - (y1 - y0) * math.sqrt(strength)) <= 1
            assert abs((a + c) - (x0 + x1)) <= 1
            assert abs((b + d) - (y0 + y1)) <= 1


def test_stripes_shrink_across():
    holes = np.array([[5, 0, 25, 40], [0, 10, 60, 18], [0, 0, 60, 40]])
    weaker = softened(STRIPES["XYMasking both"], {"holes": holes, "seed": 1}, (40, 60), 0.5)["holes"]
    assert weaker.tolist() == [[10, 0, 20, 40], [0, 12, 60, 16], [15, 0, 45, 40]]


def test_no_holes_are_no_holes():
    for holes in (np.array([]), np.empty((0, 4), np.int32)):
        for name in ("XYMasking", "Erasing"):
            weaker = softened(SOFT[name], {"holes": holes}, (40, 60), 0.5)["holes"]
            assert weaker.size == 0
            assert weaker.dtype == holes.dtype


@pytest.mark.parametrize("name", [*sorted(HOLES), *sorted(STRIPES)])
def test_the_host_takes_weaker_holes_on_every_target(name):
    for transform, data, params, size in draws(name):
        for strength in STRENGTHS:
            weaker = softened(transform, params, size, strength)
            after = transform.apply_with_params(weaker, **data)
            hidden = painted(weaker["holes"], size)
            assert (after["image"] == data["image"])[~hidden].all()
            if getattr(transform, "fill", None) == 0:
                assert (after["image"][hidden] == 0).all()
            if transform.fill_mask is None:
                assert (after["mask"] == data["mask"]).all()
            else:
                assert (after["mask"] == np.where(hidden, 0, data["mask"])).all()


def test_weaker_draws_of_real_pipelines_are_applied():
    for transform in (MAPS["Affine constant"], MAPS["Perspective far"], HOLES["CoarseDropout many"]):
        data = sample_of((37, 53))
        weaker = softened(transform, drawn(transform, data, 5), (37, 53), 0.4)
        change = change_of(transform, weaker, (37, 53))
        after = transform.apply_with_params(
            weaker, **data, masks=np.stack([data["mask"]] * 2), images=data["image"][None]
        )
        assert (after["images"][0] == after["image"]).all()
        assert all((mask == after["mask"]).all() for mask in after["masks"])
        assert not isinstance(change, Mapped) or after["image"].shape[:2] == change.size
