"""The rows of the contract: each guarded transform, its plain host, and what the host asks of a sample.

A new host or crop is a row here, not a file. Where a check does not apply to a row, a trait of the row says why.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import albumentations as A
import numpy as np
from albumentations.core.type_definitions import ALL_TARGETS

import safeaug as sa

S = sa.albumentations

HEIGHT, WIDTH = 80, 100
BOXES = [[2.0, 3.0, 22.5, 28.25], [60.0, 50.0, 90.0, 75.0], [30.0, 30.0, 40.0, 36.0]]
LABELS = ["cat", "dog", "cat"]


class TheirCrop(A.DualTransform):
    """Somebody else's random crop. It draws ``crop_coords``, from numpy's generator, and nothing else."""

    _targets = ALL_TARGETS

    def __init__(self, height, width, p=1.0):
        super().__init__(p=p)
        self.height, self.width = height, width

    def get_params_dependent_on_data(self, params, data):
        height, width = params["shape"][:2]
        x = int(self.random_generator.integers(0, width - self.width + 1))
        y = int(self.random_generator.integers(0, height - self.height + 1))
        return {"crop_coords": (x, y, x + self.width, y + self.height)}

    def apply(self, img, crop_coords, **params):
        x0, y0, x1, y1 = crop_coords
        return img[y0:y1, x0:x1]

    def apply_to_bboxes(self, bboxes, crop_coords, shape, **params):
        return shifted_boxes(bboxes, crop_coords, shape)

    def apply_to_keypoints(self, keypoints, crop_coords, **params):
        moved = keypoints.copy()
        moved[:, :2] -= crop_coords[:2]
        return moved


class TheirZoom(A.DualTransform):
    """Somebody else's resized square, told in words of its own: only points that go through it tell its window."""

    _targets = ALL_TARGETS

    def __init__(self, least, most, size, p=1.0):
        super().__init__(p=p)
        self.least, self.most, self.size = least, most, size

    def get_params_dependent_on_data(self, params, data):
        height, width = params["shape"][:2]
        side = self.py_random.randint(self.least, self.most)
        corner = self.py_random.randint(0, width - side), self.py_random.randint(0, height - side)
        return {"corner": corner, "side": side}

    def _picked(self, start, side):
        return start + np.arange(self.size) * side // self.size

    def apply(self, img, corner, side, **params):
        return img[self._picked(corner[1], side)][:, self._picked(corner[0], side)]

    def apply_to_bboxes(self, bboxes, corner, side, shape, **params):
        return shifted_boxes(bboxes, (*corner, corner[0] + side, corner[1] + side), shape)

    def apply_to_keypoints(self, keypoints, corner, side, **params):
        moved = keypoints.copy()
        moved[:, :2] = (moved[:, :2] - corner) * self.size / side
        return moved


class TheirStrip(A.DualTransform):
    """Somebody else's strip of full height. It has no keypoints; boxes that go through it tell its window."""

    _targets = ALL_TARGETS

    def __init__(self, width, p=1.0):
        super().__init__(p=p)
        self.width = width

    def get_params_dependent_on_data(self, params, data):
        return {"left": self.py_random.randint(0, params["shape"][1] - self.width)}

    def apply(self, img, left, **params):
        return img[:, left : left + self.width]

    def apply_to_bboxes(self, bboxes, left, shape, **params):
        return shifted_boxes(bboxes, (left, 0, left + self.width, shape[0]), shape)


def shifted_boxes(bboxes, window, shape):
    """Normalised boxes of an image as normalised boxes of a window, not clipped."""
    if not len(bboxes):
        return bboxes
    x0, y0, x1, y1 = window
    moved = bboxes.astype(np.float64)
    moved[:, :4] *= [shape[1], shape[0]] * 2
    moved[:, :4] -= [x0, y0] * 2
    moved[:, :4] /= [x1 - x0, y1 - y0] * 2
    return moved


class Row(NamedTuple):
    """A guarded transform beside its host's."""

    name: str
    plain: Callable[..., Any]
    guarded: Callable[..., Any]
    press: dict[str, Any]
    """A promise that some draws of the host break."""
    ends: frozenset[str]
    """How the guarded draws under that promise end, no other way."""
    needs: Callable[[], dict[str, Any]]
    """What the host asks of a sample, beside image and boxes."""
    tiny: Callable[..., Any] | None
    """The same transform for an image of one pixel; None where the host itself has nothing to do or fails there."""
    chance: bool = True
    """False where every draw of the host is the same."""
    cuts: bool = True
    """False where nothing is ever cut: a resize, a pad. Then objects can only become too small."""
    promises: bool = True
    """False where the host promises no output size: there a draw that is left out leaves the image as it is."""
    keypoints: bool = True
    """False where the transform has none."""
    reads_boxes: bool = False
    """True where the host itself computes with the boxes, and so is first to meet those that it cannot read."""
    reads_mask: bool = False
    """True where the mask that the host asks for is protected where a sample has nothing else."""
    needs_key: bool = False
    """True where the host warns that it may be replayed wrongly: it asks for a key beside the image."""
    drawn_anew: bool = False
    """True where nothing is known but draws of the transform: the promise may fail although a window would keep it."""


def of(host, arguments, press, ends, *, needs=dict, tiny=None, name=None, **traits):
    """A row of a drop-in."""
    plain, guarded = getattr(A, host), getattr(S, host)

    def make(kind):
        return lambda **more: kind(**{**arguments, **more})

    small = None if tiny is None else lambda **more: guarded(**tiny, **more)
    return Row(name or host, make(plain), make(guarded), press, frozenset(ends.split()), needs, small, **traits)


def safe(name, inner, press, ends, *, tiny=None, **traits):
    """A row of `Safe`. The inner transform has no chance of its own whether to be applied; the outer has."""
    small = None if tiny is None else lambda **more: S.Safe(tiny(), **more)
    return Row(
        f"Safe {name}",
        lambda **more: inner(**more),
        lambda **more: S.Safe(inner(), **more),
        press,
        frozenset(ends.split()),
        dict,
        small,
        **traits,
    )


def with_mask():
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    mask[10:30, 5:25], mask[50:70, 60:95] = 1, 2
    return {"mask": mask}


def with_box():
    return {"cropping_bbox": [10, 12, 80, 70]}


MOST = {"min_retention": 0.75}
SIDES = {"min_retention": 0.95}
PIXELS = {"min_retention": 0.9, "min_visible_pixels": 30}

ROWS = [
    of("RandomCrop", {"height": 68, "width": 86}, MOST, "FIRST MOVED", tiny={"height": 1, "width": 1}),
    of(
        "RandomCrop",
        {"height": 110, "width": 88, "pad_if_needed": True, "pad_position": "random", "fill": 7},
        {"min_retention": 0.9},
        "FIRST MOVED",
        tiny={"height": 3, "width": 2, "pad_if_needed": True},
        name="RandomCrop padded",
    ),
    of(
        "RandomSizedCrop",
        {"min_max_height": (20, 90), "size": (32, 40), "w2h_ratio": 1.2},
        MOST,
        "FIRST MOVED RESIZED",
        tiny={"min_max_height": (1, 3), "size": (4, 4)},
    ),
    of(
        "RandomResizedCrop",
        {"size": (32, 40), "scale": (0.1, 0.9)},
        MOST,
        "FIRST MOVED RESIZED",
        tiny={"size": (4, 4)},
    ),
    of(
        "RandomCropFromBorders",
        {"crop_left": 0.3, "crop_right": 0.3, "crop_top": 0.3, "crop_bottom": 0.3},
        MOST,
        "FIRST MOVED RESIZED",
        tiny={},
        promises=False,
    ),
    of(
        "CenterCrop",
        {"height": 74, "width": 88},
        {"min_retention": 0.9},
        "MOVED",
        tiny={"height": 1, "width": 1},
        chance=False,
    ),
    of(
        "CenterCrop",
        {"height": 110, "width": 70, "pad_if_needed": True, "pad_position": "random", "fill": 7},
        {"min_retention": 0.9, "keep": 2},
        "MOVED",
        tiny={"height": 3, "width": 2, "pad_if_needed": True},
        name="CenterCrop padded",
    ),
    of(
        "Crop",
        {"x_min": 10, "y_min": 5, "x_max": 95, "y_max": 72},
        MOST,
        "MOVED",
        tiny={"x_max": 1, "y_max": 1},
        chance=False,
    ),
    of(
        "Crop",
        {"x_min": 30, "y_min": 20, "x_max": 120, "y_max": 95, "pad_if_needed": True, "pad_position": "top_left"},
        MOST,
        "MOVED",
        tiny={"x_max": 3, "y_max": 2, "pad_if_needed": True},
        name="Crop padded",
        chance=False,
    ),
    of(
        "PadIfNeeded",
        {"min_height": 110, "min_width": 90, "position": "random", "fill": 7},
        {"min_visible_pixels": 100},
        "UNMET",
        tiny={"min_height": 3, "min_width": 2},
        cuts=False,
        promises=False,
    ),
    of(
        "BBoxSafeRandomCrop",
        {"erosion_rate": 0.5},
        MOST,
        "FIRST MOVED RESIZED",
        tiny={},
        promises=False,
        reads_boxes=True,
    ),
    of(
        "RandomSizedBBoxSafeCrop",
        {"height": 32, "width": 40, "erosion_rate": 0.2},
        SIDES,
        "FIRST MOVED RESIZED",
        tiny={"height": 4, "width": 4},
        reads_boxes=True,
    ),
    of(
        "AtLeastOneBBoxRandomCrop",
        {"height": 68, "width": 86, "erosion_factor": 0.4},
        MOST,
        "FIRST MOVED",
        tiny={"height": 1, "width": 1},
        reads_boxes=True,
    ),
    of(
        "CropNonEmptyMaskIfExists",
        {"height": 68, "width": 86},
        MOST,
        "FIRST MOVED",
        needs=with_mask,
        reads_mask=True,
    ),
    of(
        "RandomCropNearBBox",
        {"max_part_shift": (0.2, 0.2)},
        {"min_retention": 0.9, "keep": 2},
        "FIRST MOVED RESIZED",
        needs=with_box,
        needs_key=True,
        promises=False,
    ),
    of("CropAndPad", {"px": (-20, 5)}, SIDES, "FIRST RESIZED", tiny={"px": (-1, 2)}, promises=False),
    of(
        "CropAndPad",
        {"percent": (-0.3, 0.1), "keep_size": False},
        SIDES,
        "FIRST RESIZED",
        tiny={"percent": 0.5, "keep_size": False},
        name="CropAndPad in shares",
        promises=False,
    ),
    of(
        "CropAndPad",
        {"px": (0, 20), "fill": (3, 9)},
        {"min_retention": 1.0, "min_visible_pixels": 40},
        "FIRST RESIZED",
        tiny={"px": 3},
        name="CropAndPad only pads",
        cuts=False,
        promises=False,
    ),
    of(
        "Resize",
        {"height": 32, "width": 40},
        {"min_retention": 0.9, "min_visible_pixels": 12},
        "RESIZED",
        tiny={"height": 4, "width": 5},
        chance=False,
        cuts=False,
    ),
    of(
        "LongestMaxSize",
        {"max_size": [40, 56, 72]},
        {"min_visible_pixels": 18},
        "FIRST RESIZED",
        tiny={"max_size": 4},
        cuts=False,
    ),
    of(
        "SmallestMaxSize",
        {"max_size": 32},
        {"min_retention": 0.9, "min_visible_pixels": 11.5},
        "RESIZED",
        tiny={"max_size": 4},
        chance=False,
        cuts=False,
    ),
    of(
        "RandomScale",
        {"scale_limit": (-0.7, 0.5), "p": 1.0},
        {"min_visible_pixels": 30},
        "FIRST RESIZED",
        tiny={"scale_limit": (0, 3), "p": 1.0},
        cuts=False,
        promises=False,
    ),
    safe(
        "RandomCrop",
        lambda **more: A.RandomCrop(68, 86, **more),
        MOST,
        "FIRST MOVED",
        tiny=lambda: A.RandomCrop(1, 1),
    ),
    safe(
        "RandomResizedCrop",
        lambda **more: A.RandomResizedCrop((32, 40), scale=(0.1, 0.9), **more),
        MOST,
        "FIRST MOVED RESIZED",
        tiny=lambda: A.RandomResizedCrop((4, 4)),
    ),
    safe("CenterCrop", lambda **more: A.CenterCrop(74, 88, **more), {"min_retention": 0.9}, "MOVED", chance=False),
    safe(
        "CropAndPad",
        lambda **more: A.CropAndPad(px=(-20, 5), **more),
        SIDES,
        "FIRST RESIZED",
        promises=False,
    ),
    safe(
        "Resize",
        lambda **more: A.Resize(32, 40, **more),
        {"min_retention": 0.9, "min_visible_pixels": 12},
        "RESIZED",
        chance=False,
        cuts=False,
    ),
    safe(
        "Pad",
        lambda **more: A.Pad((3, 4, 5, 6), **more),
        {"min_visible_pixels": 100},
        "UNMET",
        tiny=lambda: A.Pad(1),
        chance=False,
        cuts=False,
        promises=False,
    ),
    safe(
        "RandomScale",
        lambda p=1.0: A.RandomScale((-0.7, 0.5), p=p),
        {"min_visible_pixels": 30},
        "FIRST RESIZED",
        cuts=False,
        promises=False,
    ),
    safe(
        "their crop",
        lambda **more: TheirCrop(68, 86, **more),
        MOST,
        "FIRST MOVED",
        tiny=lambda: TheirCrop(1, 1),
        promises=False,
    ),
    safe(
        "their zoom",
        lambda **more: TheirZoom(40, 80, 32, **more),
        {"min_retention": 0.75, "keep": 2},
        "FIRST REDRAWN",
        tiny=lambda: TheirZoom(1, 1, 3),
        promises=False,
        drawn_anew=True,
    ),
    safe(
        "their strip",
        lambda **more: TheirStrip(70, **more),
        {"min_retention": 0.75, "keep": 2},
        "FIRST REDRAWN",
        tiny=lambda: TheirStrip(1),
        promises=False,
        keypoints=False,
        drawn_anew=True,
    ),
]

DROP_INS = [name for name in S.__all__ if name not in {"Reading", "Safe"}]


def window_of(params, image_size):
    """The window that parameters of a draw say, in the image frame, by what the host's own code does with them."""
    height, width = image_size
    if "crop_params" in params:
        x0, y0, x1, y1 = params["crop_params"] or (0, 0, width, height)
        top, bottom, left, right = params["pad_params"] or (0, 0, 0, 0)
        return x0 - left, y0 - top, x1 + right, y1 + bottom
    if "pad_top" in params:
        left, top = params["pad_left"], params["pad_top"]
        return -left, -top, width + params["pad_right"], height + params["pad_bottom"]
    if "corner" in params:
        (x, y), side = params["corner"], params["side"]
        return x, y, x + side, y + side
    if "left" in params:
        return params["left"], 0, params["left"] + 70, height
    if "crop_coords" in params:
        pad = params.get("pad_params") or {"pad_left": 0, "pad_top": 0}
        x0, y0, x1, y1 = map(int, params["crop_coords"])
        left, top = pad["pad_left"], pad["pad_top"]
        return x0 - left, y0 - top, x1 - left, y1 - top
    return 0, 0, width, height
