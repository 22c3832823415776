"""What one draw does to the picture, against the pixels that the host makes of it."""

from typing import Any

import albumentations as A
import cv2
import numpy as np
import pytest

import safeaug.albumentations as guarded
from safeaug.albumentations.changes import RefusedError, UntoldError, Way, change_of, needs_pixels, probed, way_of
from safeaug.albumentations.changes.known import KNOWN
from safeaug.ledger.changes import Erased, Mapped, Occluded, Unknown, Warped, Windowed
from tests.changes_worlds import (
    BORDERS,
    ERASING,
    FORMS,
    HOLES,
    MIXING,
    PROJECTIVE,
    RIGID,
    SEES_PIXELS,
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
HOST = [
    each
    for each in vars(A).values()
    if isinstance(each, type) and issubclass(each, (A.DualTransform, A.Transform3D)) and each.__module__ != __name__
]
BASES = {A.DualTransform, A.Transform3D}


def is_filled(transform: Any) -> bool:
    """Whether what lies outside the image has one colour, and not the image's own, repeated."""
    return getattr(transform, "border_mode", cv2.BORDER_CONSTANT) == cv2.BORDER_CONSTANT


def draws(forms: dict[str, Any], name: str):
    for size in SIZES:
        for seed in DRAWS:
            transform = forms[name]
            yield transform, drawn(transform, sample_of(size, seed), seed), size


# Classification.


def test_every_dual_transform_of_the_host_is_classified():
    assert len(HOST) >= 59
    assert not [each.__name__ for each in HOST if each not in KNOWN]


def test_every_way_is_one_of_the_table_and_has_a_form():
    formed = {type(transform) for transform in FORMS.values()}
    volumes = {each for each in HOST if issubclass(each, A.Transform3D)}
    assert {each for each in HOST if each not in formed} == volumes | BASES | {A.Lambda}


@pytest.mark.parametrize(
    "forms, way",
    [
        (WINDOWS, Way.WINDOW),
        (RIGID, Way.RIGID),
        (PROJECTIVE, Way.PROJECTIVE),
        (HOLES | STRIPES, Way.OCCLUDING),
        (WARPING, Way.WARPING),
        (MIXING, Way.MIXING),
        (STILL, Way.STILL),
    ],
)
def test_ways(forms, way):
    assert {way_of(transform) for transform in forms.values()} == {way}


def test_ways_of_the_rest():
    assert way_of(ERASING["MaskDropout"]) is way_of(ERASING["PixelDropout"]) is Way.ERASING
    assert way_of(built(A.OverlayElements)) is Way.MIXING
    assert way_of(built(A.Lambda)) is Way.UNKNOWN
    assert way_of(built(A.CubicSymmetry)) is way_of(built(A.CoarseDropout3D)) is Way.VOLUME
    assert way_of(guarded.RandomCrop(8, 8)) is way_of(guarded.Safe(A.Resize(8, 8))) is Way.WINDOW


def test_every_transform_of_images_alone_is_still():
    found = [each for each in vars(A).values() if isinstance(each, type) and issubclass(each, A.ImageOnlyTransform)]
    assert len(found) >= 60
    for each in found:
        transform = object.__new__(each)
        assert way_of(transform) is Way.STILL
        assert change_of(transform, {}, (4, 4)) is None


class Paints(A.Affine):
    """Somebody else's, which renders in its own way."""

    def apply_to_mask(self, mask: np.ndarray, **params: Any) -> np.ndarray:
        return mask


class Draws(A.Affine):
    """Somebody else's, which draws in its own way and is rendered by the host."""

    def get_params_dependent_on_data(self, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        return super().get_params_dependent_on_data(params, data)


class Own(A.DualTransform):
    """Somebody else's altogether."""


class Tint(A.ImageOnlyTransform):
    """Somebody else's colours."""

    def apply(self, img: np.ndarray, **params: Any) -> np.ndarray:
        return img // 2


class Deeper(Draws):
    """One step further from the host."""


def test_classes_of_others_are_what_the_host_makes_of_them():
    assert way_of(Paints()) is Way.UNKNOWN
    assert way_of(Draws()) is way_of(Deeper()) is Way.PROJECTIVE
    assert way_of(Own()) is Way.UNKNOWN
    assert way_of(Tint()) is Way.STILL
    assert way_of(object()) is Way.UNKNOWN


def test_making_a_tensor_moves_nothing():
    pytest.importorskip("torch", reason="the host makes tensors where torch is installed")
    from albumentations.pytorch import ToTensorV2

    assert way_of(ToTensorV2()) is Way.STILL


# Where pixels come from.


@pytest.mark.parametrize("name", [*WINDOWS, *RIGID, *PROJECTIVE])
def test_what_moves_as_a_whole_is_told_to_a_hundredth_of_a_pixel(name):
    for transform, params, size in draws(WINDOWS | RIGID | PROJECTIVE, name):
        change = change_of(transform, params, size)
        assert change is None or isinstance(change, Mapped | Windowed)
        agree(change, seen(transform, params, size), size, filled=is_filled(transform))


@pytest.mark.parametrize("name", [*WINDOWS, *RIGID, *PROJECTIVE])
def test_half_a_pixel_would_be_found(name):
    for transform, params, size in draws(WINDOWS | RIGID | PROJECTIVE, name):
        change = change_of(transform, params, size) or Mapped(np.eye(3), size)
        pixels = seen(transform, params, size)
        for dx, dy in [(0.5, 0), (-0.5, 0), (0, 0.5), (0, -0.5)]:
            with pytest.raises(AssertionError):
                agree(shifted(change, dx, dy), pixels, size, filled=False)


def shifted(change: Mapped | Windowed, dx: float, dy: float) -> Mapped | Windowed:
    if isinstance(change, Windowed):
        x0, y0, x1, y1 = change.window
        return Windowed((x0 + dx, y0 + dy, x1 + dx, y1 + dy), change.size)
    shift = np.array([[1, 0, dx], [0, 1, dy], [0, 0, 1]])
    return Mapped(shift @ np.array(change.matrix), change.size)


@pytest.mark.parametrize("name", [name for name in PROJECTIVE if "turn" in name or "far" in name or "any" in name])
def test_taking_a_matrix_of_centres_for_one_of_edges_would_be_found(name):
    to_centres = np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]])
    for transform, params, size in draws(PROJECTIVE, name):
        change = change_of(transform, params, size)
        naive = Mapped(to_centres @ np.array(change.matrix) @ np.linalg.inv(to_centres), change.size)
        with pytest.raises(AssertionError):
            agree(naive, seen(transform, params, size), size, filled=False)


@pytest.mark.parametrize("name", RIGID)
def test_what_is_rigid_is_told_in_whole_numbers(name):
    for transform, params, size in draws(RIGID, name):
        change = change_of(transform, params, size)
        if change is not None:
            assert np.asarray(change.matrix).dtype.kind == "i"
        agree(change, seen(transform, params, size), size, off=0.0)


def test_all_elements_of_the_square():
    for element in ("e", "r90", "r180", "r270", "v", "hvt", "h", "t"):
        params = {"group_element": np.str_(element)}
        agree(change_of(RIGID["D4"], params, (4, 6)), seen(RIGID["D4"], params, (4, 6)), (4, 6), off=0.0)


@pytest.fixture
def plain_opencv():
    """Have OpenCV run its portable code.

    The vectors of 5.1 paint whole stretches black where a map's horizon meets a pixel, even one beyond the image; with
    whole corners that happens. Which stretches depends on the processor, so no change could tell it.
    """
    cv2.setUseOptimized(False)
    yield
    cv2.setUseOptimized(True)


@pytest.mark.usefixtures("plain_opencv")
@pytest.mark.parametrize("name", WARPING)
def test_what_is_warped_is_told_by_its_maps(name):
    for transform, params, size in draws(WARPING, name):
        change = change_of(transform, params, size)
        assert isinstance(change, Warped)
        assert change.map_x.shape == change.map_y.shape == size
        agree(change, seen(transform, params, size), size, filled=False)


@pytest.mark.usefixtures("plain_opencv")
def test_meshes_with_corners_beyond_each_other_are_told_too():
    for grid, magnitude in [((2, 2), 9), ((5, 5), 3)]:
        transform = built(A.GridElasticDeform, grid, magnitude)
        for size in SIZES:
            for seed in range(20):
                params = drawn(transform, sample_of(size), seed)
                agree(change_of(transform, params, size), seen(transform, params, size), size, filled=False)


def test_a_piece_of_a_mesh_that_is_moved_out_of_the_image_is_not_seen():
    mesh = np.array([[0, 0, 6, 5, 90, 90, 96, 90, 96, 95, 90, 95]], np.float32)
    params = {"generated_mesh": mesh, "shape": (8, 9, 3)}
    change = change_of(WARPING["GridElasticDeform"], params, (8, 9))
    assert (change.map_x < -1).all()
    assert (WARPING["GridElasticDeform"].apply(np.ones((8, 9, 3), np.float32), **params) == 0).all()


@pytest.mark.parametrize("name", ["RandomGridShuffle", "RandomGridShuffle 2 x 4"])
def test_shuffled_tiles_are_told_exactly(name):
    for transform, params, size in draws(MIXING, name):
        agree(change_of(transform, params, size), seen(transform, params, size), size, off=0.0)


@pytest.mark.parametrize("name", ["Mosaic", "Mosaic contain"])
def test_the_cell_of_a_mosaic_is_told_to_half_a_pixel(name):
    transform = MIXING[name]
    for size in SIZES:
        for seed in DRAWS:
            other = {"image": np.zeros((20, 30, 3), np.float32)}
            data = {"image": ramps(size) + 9, "mosaic_metadata": [other] * 5}
            params = drawn(transform, data, seed)
            change = change_of(transform, params, size)
            x, y, weight = np.moveaxis(transform.apply(data["image"], **params) - 9, 2, 0)
            shown = change.shown >= 0
            assert isinstance(change, Unknown)
            assert shown.any()
            assert not (shown & (weight < 0)).any()
            assert not (~shown & (weight > 0.99)).any()
            whole = shown & (weight > 0.99)
            assert np.abs(x - told(change, size)[0])[whole].max() <= 0.51
            assert np.abs(y - told(change, size)[1])[whole].max() <= 0.51


@pytest.mark.parametrize("name", STILL)
def test_what_is_still_changes_nothing(name):
    assert all(change_of(transform, params, size) is None for transform, params, size in draws(STILL, name))


@pytest.mark.parametrize("name", sorted(FORMS))
def test_sizes_are_those_of_a_real_call(name):
    transform = FORMS[name]
    for size in SIZES:
        data = sample_of(size)
        drawn(transform, data, 3)  # which sets generators and processors
        transform.set_random_seed(3)
        if name == "OverlayElements":  # which has no such targets, and raises
            del data["bboxes"], data["keypoints"]
        image = transform(**data)["image"]
        change = change_of(transform, transform.params, size)
        expected = size if change is None or isinstance(change, Occluded | Erased) else told(change, size)[0].shape
        assert image.shape[:2] == expected


@pytest.mark.parametrize("border", BORDERS.values())
def test_a_resize_to_the_same_size_changes_nothing(border):
    assert change_of(built(A.Resize, 37, 53), {"shape": (37, 53, 3)}, (37, 53)) is None
    transform = built(A.Affine, border_mode=border, fit_output=True)
    assert change_of(transform, drawn(transform, sample_of((37, 53)), 0), (37, 53)) is None


def test_draws_that_the_host_refuses_are_refused():
    empty = {"crop_coords": (5, 5, 5, 9), "shape": (20, 20, 3)}
    with pytest.raises(ValueError, match="x_min < x_max"):
        WINDOWS["RandomCrop"].apply(np.zeros((20, 20, 3), np.uint8), **empty)
    with pytest.raises(RefusedError, match="RandomCrop will refuse"):
        change_of(WINDOWS["RandomCrop"], empty, (20, 20))
    rotate = built(A.Rotate, crop_border=True)
    turned = drawn(rotate, sample_of((20, 20)), 0)
    with pytest.raises(RefusedError, match="Rotate leaves no pixel"):
        change_of(rotate, {**turned, "x_min": 9, "x_max": 9}, (20, 20))
    shown = drawn(built(A.Perspective), sample_of((20, 20)), 0)
    with pytest.raises(RefusedError, match="Perspective leaves no pixel"):
        change_of(built(A.Perspective), {**shown, "max_width": 0}, (20, 20))
    # What its sampler left out does nothing.
    piecewise = {"map_x": None, "map_y": None, "shape": (20, 20, 3)}
    assert change_of(WARPING["PiecewiseAffine"], piecewise, (20, 20)) is None


# What is hidden.


@pytest.mark.parametrize("name", [*HOLES, *STRIPES])
def test_holes_are_exactly_the_pixels_that_change(name):
    hidden_somewhere = False
    for transform, params, size in draws(HOLES | STRIPES, name):
        change = change_of(transform, params, size)
        filled = np.zeros(size, bool)
        if change is not None:
            assert isinstance(change, Occluded)
            for x0, y0, x1, y1 in np.asarray(change.holes):
                filled[y0:y1, x0:x1] = True
        plain = built(A.CoarseDropout, fill=7)  # holes are applied by one piece of code; this form's fill can be told
        changed = (plain.apply(np.full((*size, 3), 200, np.uint8), **params) == 7).all(axis=2)
        if isinstance(transform.fill, int):
            assert (changed == (transform.apply(np.full((*size, 3), 200, np.uint8), **params) != 200).all(axis=2)).all()
        assert (changed == filled).all()
        hidden_somewhere |= filled.any()
    assert hidden_somewhere == (name != "XYMasking")  # whose defaults draw nothing


@pytest.mark.parametrize("name", ["MaskDropout", "MaskDropout of many", "PixelDropout", "PixelDropout per channel"])
def test_erased_pixels_are_exactly_those_that_change(name):
    for transform, params, size in draws(ERASING, name):
        change = change_of(transform, params, size)
        changed = (transform.apply(np.full((*size, 3), 200, np.uint8), **params) != 200).all(axis=2)
        assert (changed == (np.zeros(size, bool) if change is None else change.mask)).all()
        assert change is None or isinstance(change, Erased)


def test_masks_with_and_without_channels_erase_alike():
    mask = np.zeros((8, 9), bool)
    mask[2, 3] = mask[4, 4] = True
    for form, key in [("MaskDropout", "dropout_mask"), ("PixelDropout", "drop_mask")]:
        for given in (mask, mask[:, :, None]):
            assert (change_of(ERASING[form], {key: given}, (8, 9)).mask == mask).all()


def test_pixels_under_an_overlay_are_erased():
    for transform, params, size in draws(ERASING, "OverlayElements"):
        change = change_of(transform, params, size)
        changed = (transform.apply(np.full((*size, 3), 100, np.uint8), **params) != 100).all(axis=2)
        assert isinstance(change, Erased)
        assert (changed == change.mask).all()


def test_an_overlay_of_its_own_shape():
    mask = np.array([[1, 0], [0, 1]], np.uint8)
    laid = {"overlay_mask": mask, "offset": (3, 5), "overlay_image": np.zeros((2, 2, 3), np.uint8), "bbox": []}
    change = change_of(ERASING["OverlayElements"], {"overlay_data": [laid]}, (8, 9))
    assert np.argwhere(change.mask).tolist() == [[3, 5], [4, 6]]


def test_nothing_erased_is_nothing():
    assert change_of(ERASING["MaskDropout"], {"dropout_mask": None}, (8, 9)) is None
    assert change_of(ERASING["PixelDropout"], {"drop_mask": np.zeros((8, 9, 3), bool)}, (8, 9)) is None
    assert change_of(HOLES["CoarseDropout"], {"holes": np.empty((0, 4), int)}, (8, 9)) is None
    assert change_of(STRIPES["XYMasking"], {"holes": np.array([])}, (8, 9)) is None
    assert change_of(MIXING["Mosaic"], {"processed_cells": {}}, (8, 9)).shown.max() == -1


# Transforms of others.


class Slides(A.DualTransform):
    """Somebody else's: shifts by seven and three, mirrors, and fills."""

    def __init__(self, fill: float = 0, interpolation: int = cv2.INTER_NEAREST, step: float = 1.0):
        super().__init__(p=1.0)
        self.colour, self.how, self.step = fill, interpolation, step

    def apply_to_mask(self, mask: np.ndarray, **params: Any) -> np.ndarray:
        height, width = mask.shape
        matrix = np.array([[-self.step, 0, width - 8], [0, self.step, 3]])
        return cv2.warpAffine(mask, matrix, (width + 5, height), flags=self.how, borderValue=self.colour)


@pytest.mark.parametrize("fill", [0, 1, -1, 255, -100, 0.25, 5.0])
def test_an_unknown_transform_is_told_by_what_goes_through_it(fill):
    for size in SIZES:
        y, x = np.indices((size[0], size[1] + 5))
        x, y = size[1] - 8 - x, y - 3
        inside = (x >= 0) & (y >= 0)
        expected = np.where(inside, y * size[1] + x, -1)
        assert (change_of(Slides(fill), {}, size).shown == expected).all()


def test_images_too_large_for_float32_go_through_as_float64(monkeypatch):
    expected = change_of(Slides(255), {}, (37, 53)).shown
    monkeypatch.setattr(probed, "EXACT", 10)
    assert (change_of(Slides(255), {}, (37, 53)).shown == expected).all()
    assert np.float32(2**22 - 0.5) == 2**22 - 0.5


def test_an_unknown_transform_that_changes_nothing_is_nothing():
    assert change_of(built(A.Lambda), {}, (5, 4)) is None


class Makes(A.DualTransform):
    """Somebody else's: makes something of a mask."""

    def __init__(self, make: Any):
        super().__init__(p=1.0)
        self.make = make

    def apply_to_mask(self, mask: np.ndarray, **params: Any) -> np.ndarray:
        return self.make(mask)


def test_masks_with_a_channel_are_read():
    change = change_of(Makes(lambda mask: mask[::-1, :, None]), {}, (3, 2))
    assert change.shown.tolist() == [[4, 5], [2, 3], [0, 1]]


def test_random_labels_are_told_apart():
    def painted(mask: np.ndarray) -> np.ndarray:
        mask = mask.copy()
        mask[1] = [3, 4]
        return mask

    assert change_of(Makes(painted), {}, (3, 2)).shown.tolist() == [[0, 1], [-1, -1], [4, 5]]


@pytest.mark.parametrize(
    "make",
    [
        lambda mask: cv2.resize(mask, None, fx=1.0, fy=2.0, interpolation=cv2.INTER_LINEAR),
        lambda mask: cv2.resize(mask, None, fx=0.7, fy=1.0, interpolation=cv2.INTER_LINEAR),
        lambda mask: cv2.blur(mask, (1, 3)),
        lambda mask: mask * 2,
        lambda mask: mask.astype(np.uint8),
        lambda mask: mask * np.float32(np.nan),
        lambda mask: np.stack([mask, mask], axis=2),
        lambda mask: mask[: int(mask[1, 0])],
        lambda mask: 1 + [mask],
        lambda mask: mask.no_such_thing,
    ],
    ids=["rows", "columns", "blur", "double", "bytes", "nan", "channels", "sizes", "raises", "raises too"],
)
def test_what_cannot_be_told_is_said(make):
    with pytest.raises(UntoldError, match="Makes"):
        change_of(Makes(make), {}, (24, 30))


def test_interpolation_is_found_out():
    with pytest.raises(UntoldError, match="nearest"):
        change_of(Slides(interpolation=cv2.INTER_LINEAR, step=0.9), {}, (37, 53))


def test_volumes_are_not_followed():
    with pytest.raises(UntoldError, match="CubicSymmetry"):
        change_of(built(A.CubicSymmetry), {}, (4, 4))


# Guarded transforms.


@pytest.mark.parametrize(
    "transform",
    [
        guarded.RandomResizedCrop((24, 31), min_retention=0.9),
        guarded.CropAndPad(px=(-9, 4), min_retention=0.9),
        guarded.Safe(A.RandomCrop(20, 17), min_retention=0.7),
        guarded.Safe(A.RandomScale(0.4), min_visible_pixels=20),
        guarded.Safe(A.PadIfNeeded(50, 60)),
    ],
    ids=lambda transform: repr(transform)[:30],
)
def test_guarded_transforms_tell_their_window(transform):
    for size in SIZES:
        for seed in DRAWS:
            params = drawn(transform, sample_of(size, seed), seed)
            host = getattr(transform, "inner", transform)
            agree(change_of(transform, params, size), seen(host, params, size), size)


def test_a_guarded_resize_tells_what_it_cuts_before():
    transform = guarded.Resize(8, 8, min_visible_pixels=12)
    boxes = np.array([[0.4, 0.4, 0.5, 0.5]])
    params = drawn(transform, {"image": np.zeros((100, 100, 3), np.uint8), "bboxes": boxes}, 0)
    assert change_of(transform, params, (100, 100)) == Windowed(params["crop_coords"], (8, 8))


# Drawing without pixels.


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return np.array_equal(one, other)


def test_which_forms_need_pixels():
    assert {name for name, transform in FORMS.items() if needs_pixels(transform)} == SEES_PIXELS


@pytest.mark.parametrize("name", sorted(FORMS.keys() - SEES_PIXELS - STILL.keys()))
def test_what_needs_no_pixels_draws_the_same_without(name):
    for size in SIZES:
        for seed in range(3):
            data = sample_of(size, seed)
            none = {key: data[key] for key in ("bboxes", "keypoints", "cropping_bbox")}
            none["image"] = np.broadcast_to(np.uint8(0), data["image"].shape)
            assert same(drawn(FORMS[name], data, seed), drawn(FORMS[name], none, seed))


def test_what_needs_pixels_of_others_and_of_guarded_ones():
    class Plain(A.DualTransform):
        def get_params(self) -> dict[str, Any]:
            return {}

    class Asks(Plain):
        @property
        def targets_as_params(self) -> list[str]:
            return ["image"]

    assert needs_pixels(Draws())
    assert needs_pixels(Deeper())
    assert not needs_pixels(Plain())
    assert needs_pixels(Asks())
    assert not needs_pixels(Tint())
    assert not needs_pixels(built(A.Lambda))
    assert needs_pixels(built(A.CubicSymmetry))
    assert not needs_pixels(guarded.RandomCrop(8, 8))
    assert not needs_pixels(guarded.RandomCrop(8, 8, protect="boxes"))
    assert needs_pixels(guarded.RandomCrop(8, 8, protect="masks"))
    assert needs_pixels(guarded.RandomCrop(8, 8, protect=lambda sample: {}))
    assert needs_pixels(guarded.CropNonEmptyMaskIfExists(8, 8))
    assert needs_pixels(guarded.Safe(A.CropNonEmptyMaskIfExists(8, 8)))
    assert not needs_pixels(guarded.Safe(A.RandomCrop(8, 8)))
