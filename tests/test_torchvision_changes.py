"""What one draw of each transform of torchvision does to the picture, against the pixels that the host makes of it."""

import inspect
import math
from typing import Any

import numpy as np
import pytest
import torch
from torchvision.transforms import autoaugment, v2
from torchvision.transforms import transforms as v1

from safeaug.content import content_of
from safeaug.guarding import RefusedError, UntoldError, Way
from safeaug.ledger import begin, follow
from safeaug.ledger.changes import Occluded, Windowed
from safeaug.policy import Policy
from safeaug.torchvision import Safe
from safeaug.torchvision.changes import change_of, way_of
from safeaug.torchvision.changes.known import KNOWN
from tests.torchvision_worlds import (
    AFFINE,
    ERASING,
    FORMS,
    MAPS,
    PERSPECTIVE,
    RIGID,
    ROTATIONS,
    WARPING,
    WINDOWS,
    boxes_of,
    drawn,
    draws,
    sources,
)

SEEDS = range(5)
CONTAINERS = {"Compose", "RandomApply", "RandomChoice", "RandomOrder", "RandomTransforms"}
NEAR = 0.002
"""Pixels by which single precision may miss."""


@pytest.fixture(autouse=True)
def _one_thread():
    """Let torch use one thread: on pictures as small as these, to share work out takes longer than to do it."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def classes(room: Any) -> list[type]:
    """Return the transforms that a module of the host shows."""
    found = {name: each for name, each in vars(room).items() if inspect.isclass(each) and not name.startswith("_")}
    called = [
        each for name, each in found.items() if name not in CONTAINERS and callable(getattr(each, "forward", None))
    ]
    plain = [found[name] for name in ("ToTensor", "PILToTensor", "ToPILImage", "Lambda") if name in found]
    return [each for each in {*called, *plain} if each.__module__.startswith("torchvision.")]


# Which class is of which way.


@pytest.mark.parametrize("room, at_least", [(v2, 50), (v1, 30), (autoaugment, 4)])
def test_every_class_of_the_host_is_placed(room, at_least):
    found = [each for each in classes(room) if each is not v2.Transform]
    assert len(found) >= at_least
    assert not [each.__name__ for each in found if each not in KNOWN]


@pytest.mark.parametrize(
    "forms, way",
    [
        (WINDOWS, Way.WINDOW),
        (RIGID, Way.RIGID),
        (MAPS, Way.PROJECTIVE),
        (ERASING, Way.OCCLUDING),
        (WARPING, Way.WARPING),
    ],
)
def test_ways(forms, way):
    assert {way_of(transform) for transform in forms.values()} == {way}


def test_every_class_that_moves_pixels_has_a_form():
    formed = {type(transform) for transform in FORMS.values()}
    dull = {Way.STILL, Way.UNKNOWN, Way.MIXING}
    assert {each for each, known in KNOWN.items() if known.way not in dull} == {*formed, Safe}


def test_what_nobody_can_tell():
    for each in (v2.AugMix(), v2.RandAugment(), v2.FiveCrop(8), v2.Lambda(torch.flip), v1.TenCrop(8), v2.MixUp()):
        assert way_of(each) in {Way.UNKNOWN, Way.MIXING}
        with pytest.raises(UntoldError, match=type(each).__name__):
            change_of(each, {"shape": (8, 8)}, (8, 8))


STAYS = [
    v2.ColorJitter(0.4, 0.4, 0.4, 0.1),
    v2.GaussianBlur(3),
    v2.GaussianNoise(),
    v2.Grayscale(3),
    v2.RandomGrayscale(1),
    v2.RandomPhotometricDistort(p=1),
    v2.RandomInvert(1),
    v2.RandomSolarize(0.5, 1),
    v2.RandomAutocontrast(1),
    v2.RandomAdjustSharpness(2, 1),
    v2.Normalize([0.5] * 3, [0.5] * 3),
    v2.ToDtype(torch.float64, scale=True),
    v2.Identity(),
    v1.ColorJitter(0.4),
    v1.Normalize([0.5] * 3, [0.5] * 3),
]


@pytest.mark.parametrize("transform", STAYS, ids=lambda each: type(each).__name__)
def test_what_is_still_leaves_a_bright_square_where_it_is(transform):
    picture = torch.full((3, 24, 32), 0.2)
    picture[:, 6:15, 9:21] = 0.9
    made = transform(picture)
    assert made.shape == picture.shape
    assert change_of(transform, {"shape": (24, 32)}, (24, 32)) is None
    edges = (made.diff(dim=2).abs().mean(dim=(0, 1)), made.diff(dim=1).abs().mean(dim=(0, 2)))
    assert sorted(edges[0].topk(2).indices.tolist()) in ([8, 20], [7, 20], [8, 19])  # a blur may take both sides alike
    assert edges[1].argmax().item() in {5, 14}


class Paints(v2.RandomAffine):
    """Somebody else's, which renders in its own way."""

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return inpt


class Draws(v2.RandomAffine):
    """Somebody else's, which draws in its own way and is rendered by the host."""

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        return super().make_params(flat_inputs)


class Own(v2.Transform):
    """Somebody else's altogether."""


class Deeper(Draws):
    """One step further from the host."""


class Older(v1.ToTensor):
    """Somebody else's, on top of v1."""

    def __call__(self, pic: Any) -> Any:
        return pic


def test_classes_of_others_are_what_the_host_makes_of_them():
    assert way_of(Paints(10)) is way_of(Own()) is way_of(Older()) is Way.UNKNOWN
    assert way_of(Draws(10)) is way_of(Deeper(10)) is Way.PROJECTIVE
    assert way_of(object()) is way_of(len) is Way.UNKNOWN
    assert way_of(torch.nn.Identity()) is Way.STILL


# What pixels show.


@pytest.mark.parametrize("name", sorted(FORMS))
def test_each_pixel_comes_from_where_the_change_says(name):
    looked_at = 0
    for transform, size, seed, pil in draws([name], SEEDS):
        if not fits(transform, size):
            continue
        draw = drawn(transform, size, seed, pil=pil)
        change = change_of(transform, draw.params, size)
        found, shown = sources(change, size), draw.shown
        assert found.shape[1:] == shown.shape[1:], (size, seed, pil, change)
        seen = shown[2] > 0.5
        # The middle of a pixel lies at most half a pixel from the middle of the one that is nearest.
        off = np.abs(found[:, seen] - (shown[:2, seen] + 0.5))
        assert np.nanmax(off, initial=0.0) <= 0.5 + NEAR, (size, seed, pil, change)
        assert not np.isnan(off).any(), (size, seed, pil, change)
        x, y = found
        inside = (x > NEAR) & (y > NEAR) & (x < size[1] - NEAR) & (y < size[0] - NEAR)
        assert seen[inside].all(), (size, seed, pil, change)
        looked_at += 1
    assert looked_at >= len(SEEDS)


def fits(transform: Any, size: tuple[int, int]) -> bool:
    """Whether the host takes a picture of a size, and does not raise."""
    if isinstance(transform, v2.ElasticTransform | v1.ElasticTransform):  # a blur must have room
        return min(size) > 4 * max(transform.sigma)
    if not isinstance(transform, v2.RandomCrop | v1.RandomCrop) or transform.pad_if_needed:
        return True
    return size[0] >= transform.size[0] and size[1] >= transform.size[1]


@pytest.mark.parametrize("name", ["v1 RandomErasing", "RandomErasing of all", "RandomAffine of nothing"])
def test_a_draw_of_nothing_is_told_as_none(name):
    transform = v1.RandomErasing(1, scale=(1.0, 1.0)) if name == "v1 RandomErasing" else FORMS[name]
    for seed in SEEDS:
        draw = drawn(transform, (37, 53), seed, pil=False)
        assert change_of(transform, draw.params, (37, 53)) is None
        assert (draw.shown[2] == 1).all()


def test_what_lies_beyond_the_horizon_of_a_perspective_counts_as_lost():
    size, crossed, transform = (37, 53), 0, FORMS["RandomPerspective far"]
    steps = (np.arange(60) + 0.5) / 60
    for seed in range(150):
        params = drawn(transform, size, seed, pil=False).params
        change, boxes = change_of(transform, params, size), boxes_of(size, seed).numpy()
        left = follow(begin(content_of(boxes, size, Policy()), size), change).left
        ahead = np.linalg.inv(np.array([*params["coefficients"], 1.0]).reshape(3, 3))
        middle = ahead[2] @ [size[1] / 2, size[0] / 2, 1]
        for (x0, y0, x1, y1), share in zip(boxes.tolist(), left, strict=True):
            x, y = (each.ravel() for each in np.meshgrid(x0 + steps * (x1 - x0), y0 + steps * (y1 - y0)))
            across, down, depth = ahead @ np.stack([x, y, np.ones(len(x))])
            u, v, before = across / depth, down / depth, depth * middle > 0
            painted = (u >= 0) & (u <= size[1]) & (v >= 0) & (v <= size[0])
            # Of 60 by 60 points in cells of their own, those whose cell a line crosses: 120 a line, of six lines.
            assert abs((painted & before).mean() - share) <= 6 * 120 / 3600
            assert share <= painted.mean() + 6 * 120 / 3600
        depths = ahead[2] @ [[0, 53, 53, 0], [0, 0, 37, 37], [1, 1, 1, 1]]
        crossed += not ((depths > 0).all() or (depths < 0).all())
    assert crossed >= 10


def test_room_for_a_turn_is_as_large_as_the_host_makes_it():
    rng, differ = np.random.default_rng(0), 0
    for _ in range(150):
        size = tuple(int(side) for side in rng.integers(5, 90, 2))
        center = None if rng.random() < 0.5 else rng.integers(0, 60, 2).tolist()
        angle = float(rng.choice([rng.uniform(-180, 180), rng.integers(-12, 12) * 15]))
        transform = v2.RandomRotation([angle, angle], expand=True, center=center)
        made = set()
        for pil in (False, True):
            draw = drawn(transform, size, 0, pil=pil)
            change = change_of(transform, draw.params, size)
            out = size if change is None else change.size
            assert out == draw.shown.shape[1:], (size, center, angle, pil)
            made.add(out)
        differ += len(made) > 1
    assert differ <= 15  # so that nobody builds on their being the same


def test_a_crop_that_the_host_refuses_is_refused():
    drawn_so = {"shape": (8, 8), "top": 0, "left": 0, "height": 20, "width": 20, "needs_crop": True, "needs_pad": False}
    with pytest.raises(RefusedError, match="RandomCrop"):
        change_of(v2.RandomCrop(20), drawn_so, (8, 8))


# What is left of objects.


@pytest.mark.parametrize("name", sorted(WINDOWS | RIGID | AFFINE | ROTATIONS | PERSPECTIVE | ERASING))
def test_what_is_left_is_what_pixels_show(name):
    for transform, size, seed, pil in draws([name], range(4)):
        if not fits(transform, size):
            continue
        draw = drawn(transform, size, seed, pil=pil)
        change = change_of(transform, draw.params, size)
        if change is None:
            continue
        boxes = boxes_of(size, seed + 100).numpy()
        left = follow(begin(content_of(boxes, size, Policy()), size), change).left
        for (x0, y0, x1, y1), share in zip(boxes.tolist(), left, strict=True):
            x, y, one = draw.shown
            counted = (one > 0.5) & (x0 <= x) & (x < x1) & (y0 <= y) & (y < y1)
            area, (weights, rim) = (x1 - x0) * (y1 - y0), weighed(change, size)
            bound = 0.0 if isinstance(change, Occluded) else rim * weights.max() / area
            assert abs(weights[counted].sum() / area - share) <= bound + 1e-6, (size, seed, pil, change)


def weighed(change: Any, size: tuple[int, int]) -> tuple[np.ndarray, float]:
    """Return how much of the source each pixel of the output stands for, and how many of these a count may be off.

    What is seen of a box is convex in the output. Of a convex region the number of whole points differs from its area
    by at most half its perimeter and 1, and one inside the output has at most that of the output. By a map whose scale
    changes from pixel to pixel, the whole of the perimeter is allowed for.
    """
    if isinstance(change, Occluded):
        return np.ones(size), 0.0
    height, width = change.size
    if isinstance(change, Windowed):
        x0, y0, x1, y1 = change.window
        return np.full(change.size, (x1 - x0) * (y1 - y0) / (height * width)), height + width + 1.0
    back = np.linalg.inv(np.array(change.matrix, dtype=np.float64))
    back /= math.copysign(abs(np.linalg.det(back)) ** (1 / 3), np.linalg.det(back))
    y, x = np.mgrid[:height, :width] + 0.5
    depth = back[2, 0] * x + back[2, 1] * y + back[2, 2]
    steady = not np.any(back[2, :2])
    return 1.0 / np.abs(depth) ** 3, (1 if steady else 2) * (height + width) + 1.0
