"""The same draw of a transform of torchvision, weaker: on all targets, down to nothing, never more than was drawn."""

import copy
import itertools
from typing import Any

import numpy as np
import pytest
import torch
from torchvision import tv_tensors
from torchvision.transforms import transforms as v1
from torchvision.transforms import v2

import safeaug.torchvision as guarded
from safeaug.content import content_of
from safeaug.errors import PolicyError
from safeaug.ledger import begin, follow
from safeaug.policy import Policy
from safeaug.torchvision.changes import change_of, eases, softened, softens
from tests.torchvision_worlds import (
    AFFINE,
    ERASING,
    FORMS,
    MAPS,
    PERSPECTIVE,
    RIGID,
    SIZES,
    WARPING,
    WINDOWS,
    boxes_of,
    coordinates,
    drawn,
    draws,
    sources,
)

SEEDS = range(3)
STRENGTHS = [1.0, 0.9, 0.6, 0.3, 0.1, 0.01, 0.0]
SOFT = MAPS | ERASING
ASKED = {"shape", "pil"}


@pytest.fixture(autouse=True)
def _one_thread():
    """Let torch use one thread: on pictures as small as these, to share work out takes longer than to do it."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def by_host(params: dict[str, Any]) -> dict[str, Any]:
    """Return what of some parameters is the host's own."""
    return {name: value for name, value in params.items() if name not in ASKED}


def same(one: Any, other: Any) -> bool:
    """Whether two draws are equal, number for number, and of one type."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    return type(one) is type(other) and one == other


def of_v2(names: Any) -> list[str]:
    """Return the names of those forms that the host hands parameters."""
    return sorted(name for name in names if isinstance(FORMS[name], v2.Transform))


# What can be softened.


def test_which_forms_are_softened():
    assert {name for name, transform in FORMS.items() if softens(transform)} == set(SOFT)
    assert softens(guarded.RandomAffine(10))
    assert not softens(guarded.RandomCrop(8))
    assert {name for name in SOFT if eases(FORMS[name])} == set(ERASING)


@pytest.mark.parametrize("name", sorted(RIGID | WARPING | WINDOWS))
def test_the_rest_has_no_weaker_draw(name):
    assert all(softened(FORMS[name], {"shape": (37, 53)}, (37, 53), strength) is None for strength in (0, 0.5, 1))


@pytest.mark.parametrize("strength", [-0.1, 1.1, float("nan")])
def test_a_strength_out_of_range_is_refused(strength):
    with pytest.raises(PolicyError, match=r"strength must be in \[0, 1\]"):
        softened(v2.RandomAffine(10), {}, (8, 8), strength)


# The two ends.


@pytest.mark.parametrize("name", sorted(SOFT))
def test_at_1_the_draw_is_the_draw_and_nothing_is_changed_in_it(name):
    for transform, size, seed, pil in draws([name], SEEDS):
        params = drawn(transform, size, seed, pil=pil).params
        before = copy.deepcopy(params)
        for strength in STRENGTHS:
            weaker = softened(transform, params, size, strength)
            assert weaker is not params
            assert same(params, before)
            assert strength < 1 or same(weaker, params)


@pytest.mark.parametrize("name", of_v2(SOFT))
@pytest.mark.parametrize("interpolation", [v2.InterpolationMode.NEAREST, v2.InterpolationMode.BILINEAR])
@pytest.mark.filterwarnings("ignore:RandomErasing.. is currently passing through")
def test_at_0_nothing_is_changed_in_any_target(name, interpolation):
    transform = copy.deepcopy(FORMS[name])
    transform.interpolation = interpolation
    for size, seed in itertools.product(SIZES, SEEDS):
        picture = torch.randint(0, 256, (3, *size), dtype=torch.uint8, generator=torch.Generator().manual_seed(seed))
        params = drawn(FORMS[name], size, seed, pil=False).params
        weaker = by_host(softened(transform, params, size, 0.0))
        assert change_of(transform, {**weaker, "shape": size}, size) is None or name.endswith("a corner")
        masks, boxes = tv_tensors.Mask(picture % 3), boxes_of(size, seed)
        pil = v2.functional.to_pil_image(picture)
        assert torch.equal(transform.transform(tv_tensors.Image(picture), weaker), picture)
        assert np.array_equal(np.asarray(transform.transform(pil, weaker)), np.asarray(pil))
        assert torch.equal(transform.transform(masks, weaker), masks)
        assert torch.equal(transform.transform(boxes, weaker), boxes)


# In between.


@pytest.mark.parametrize("name", of_v2(MAPS))
def test_weaker_draws_move_pixels_as_they_are_told_to_and_masks_with_them(name):
    transform = FORMS[name]
    for size, seed, strength in itertools.product(SIZES, SEEDS, STRENGTHS):
        params = softened(transform, drawn(transform, size, seed, pil=False).params, size, strength)
        picture, change = coordinates(size), change_of(transform, params, size)
        x, y, one = transform.transform(tv_tensors.Image(picture), by_host(params)).numpy()
        found, seen = sources(change, size), one > 0.5
        assert found.shape[1:] == one.shape
        off = np.abs(found[:, seen] - np.stack([x, y])[:, seen] - 0.5)
        assert off.max(initial=0.0) <= 0.502, (size, seed, strength)
        (x0, y0, x1, y1), *_ = boxes_of(size, seed).tolist()
        mask = torch.zeros((1, *size))
        mask[:, y0:y1, x0:x1] = 1
        moved = transform.transform(tv_tensors.Mask(mask), by_host(params)).numpy()[0] > 0.5
        assert np.array_equal(moved, seen & (x0 <= x) & (x < x1) & (y0 <= y) & (y < y1)), (size, seed, strength)


@pytest.mark.parametrize("name", sorted(AFFINE))
def test_an_affine_draw_shrinks_in_the_hosts_own_numbers(name):
    transform = FORMS[name]
    for size, seed in itertools.product(SIZES, SEEDS):
        full = drawn(transform, size, seed, pil=False).params
        half = softened(transform, full, size, 0.5)
        assert half["angle"] == pytest.approx(((full["angle"] + 180) % 360 - 180) / 2)
        assert half["translate"] == pytest.approx([each / 2 for each in full["translate"]])
        assert half["scale"] ** 2 == pytest.approx(full["scale"])
        assert half["shear"] == pytest.approx([each / 2 for each in full["shear"]])


def test_a_turn_shrinks_the_short_way_round():
    assert softened(v2.RandomRotation(180), {"angle": 350.0}, (8, 8), 0.5)["angle"] == pytest.approx(-5.0)


@pytest.mark.parametrize("name", sorted(PERSPECTIVE))
def test_the_corners_of_a_perspective_go_part_of_their_way(name):
    transform = FORMS[name]
    for size, seed, strength in itertools.product(SIZES, SEEDS, STRENGTHS):
        params = drawn(transform, size, seed, pil=False).params
        torch.manual_seed(seed)
        if not isinstance(transform, v2.Transform):
            torch.rand(1)
        start, end = map(np.array, v1.RandomPerspective.get_params(size[1], size[0], transform.distortion_scale))
        weaker = softened(transform, params, size, strength)["coefficients"]
        x, y = (start + (end - start) * strength).T
        a, b, c, d, e, f, g, h = weaker
        back = np.stack([a * x + b * y + c, d * x + e * y + f]) / (g * x + h * y + 1)
        assert np.abs(back.T - start).max() < 0.05, (size, seed, strength)


@pytest.mark.parametrize("name", sorted(ERASING))
@pytest.mark.parametrize("value", [0, "random"])
def test_holes_shrink_about_their_centre_inside_the_greater_ones(name, value):
    transform = copy.deepcopy(FORMS[name])
    transform.value = None if value == "random" and isinstance(transform, v2.Transform) else [0.0]
    for size, seed in itertools.product(SIZES, SEEDS):
        full = drawn(transform, size, seed, pil=False).params
        outer, content = None, content_of(boxes_of(size, seed).numpy(), size, Policy())
        for strength in STRENGTHS:
            weaker = softened(transform, full, size, strength)
            change = change_of(transform, weaker, size)
            if change is None:
                assert strength < 1 or change_of(transform, full, size) is None
                outer = None if outer is None else (0, 0, 0, 0, outer[4])
                continue
            ((x0, y0, x1, y1),) = change.holes
            left = follow(begin(content, size), change).left
            if outer is not None:
                assert max(outer[0] - x0, outer[1] - y0, x1 - outer[2], y1 - outer[3]) <= 0
                assert (left >= outer[4] - 1e-9).all()
            outer = x0, y0, x1, y1, left
            # Each end is off by half a pixel at most, about the middle of the hole that was drawn.
            ends = np.array([x0, x1, y0, y1]) - np.repeat([full["j"], full["i"]], 2)
            for (low, high), side in zip(ends.reshape(2, 2), (full["w"], full["h"]), strict=True):
                assert abs((high - low) - side * np.sqrt(strength)) <= 1
                assert abs((high + low) - side) <= 1


@pytest.mark.filterwarnings("error")
def test_what_fills_a_smaller_hole_is_the_middle_of_what_filled_the_greater():
    transform, picture = v2.RandomErasing(1, value="random"), torch.full((3, 37, 53), 9.0)
    for seed in range(20):
        torch.manual_seed(seed)
        full = transform.make_params([picture])
        whole = transform.transform(picture, full)
        for strength in STRENGTHS[1:]:
            weaker = softened(transform, {**full, "shape": (37, 53)}, (37, 53), strength)
            made = transform.transform(picture, by_host(weaker))
            hole = made != picture
            assert torch.equal(made[hole], whole[hole])
            assert int(hole.sum()) == 3 * weaker["h"] * weaker["w"]
        assert torch.equal(picture, torch.full((3, 37, 53), 9.0))
