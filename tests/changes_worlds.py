"""Transforms of the host in many forms, their draws, and what their pixels show: the oracle of the changes.

An image whose channels are the coordinates of its own pixels goes through a transform with linear interpolation, which
leaves linear images alone: each pixel of the output then says where in the input it was taken from, to a hundredth.
"""

import warnings
from typing import Any, NamedTuple

import albumentations as A
import cv2
import numpy as np

from safeaug.ledger.changes import Mapped, Unknown, Warped, Windowed

SIZES = [(37, 53), (40, 24), (31, 31)]

BORDERS = {
    "constant": cv2.BORDER_CONSTANT,
    "replicate": cv2.BORDER_REPLICATE,
    "reflect": cv2.BORDER_REFLECT,
    "wrap": cv2.BORDER_WRAP,
    "reflect_101": cv2.BORDER_REFLECT_101,
}


def built(transform: type, *args: Any, **kwargs: Any) -> Any:
    """Return a transform of the host, some of which warn that they are slow, or called otherwise nowadays."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return transform(*args, **kwargs, p=1.0)


WINDOWS = {
    "RandomCrop": built(A.RandomCrop, 20, 17),
    "RandomCrop padded": built(A.RandomCrop, 50, 60, pad_if_needed=True),
    "RandomCrop padded at random": built(A.RandomCrop, 50, 17, pad_if_needed=True, pad_position="random"),
    "CenterCrop": built(A.CenterCrop, 20, 17),
    "CenterCrop padded": built(A.CenterCrop, 41, 41, pad_if_needed=True),
    "Crop": built(A.Crop, 3, 4, 22, 29),
    "Crop padded": built(A.Crop, 3, 4, 60, 45, pad_if_needed=True),
    "RandomResizedCrop": built(A.RandomResizedCrop, (24, 31)),
    "RandomSizedCrop": built(A.RandomSizedCrop, (10, 24), (17, 43)),
    "RandomCropFromBorders": built(A.RandomCropFromBorders, 0.3, 0.3, 0.3, 0.3),
    "RandomCropNearBBox": built(A.RandomCropNearBBox, 0.3),
    "BBoxSafeRandomCrop": built(A.BBoxSafeRandomCrop),
    "BBoxSafeRandomCrop eroded": built(A.BBoxSafeRandomCrop, 0.4),
    "RandomSizedBBoxSafeCrop": built(A.RandomSizedBBoxSafeCrop, 24, 31),
    "AtLeastOneBBoxRandomCrop": built(A.AtLeastOneBBoxRandomCrop, 20, 17, 0.3),
    "CropNonEmptyMaskIfExists": built(A.CropNonEmptyMaskIfExists, 20, 17),
    "CropAndPad px": built(A.CropAndPad, px=(-5, 7)),
    "CropAndPad percent": built(A.CropAndPad, percent=(-0.2, 0.1), keep_size=False),
    "CropAndPad together": built(A.CropAndPad, px=(-5, 7), sample_independently=False),
    "CropAndPad sides": built(A.CropAndPad, px=((1, 3), (-4, -2), (0, 1), (2, 5)), keep_size=False),
    "Resize": built(A.Resize, 50, 31),
    "LongestMaxSize": built(A.LongestMaxSize, 64),
    "LongestMaxSize of several": built(A.LongestMaxSize, [20, 41, 64]),
    "LongestMaxSize hw": built(A.LongestMaxSize, max_size_hw=(64, 50)),
    "SmallestMaxSize": built(A.SmallestMaxSize, 19),
    "SmallestMaxSize hw": built(A.SmallestMaxSize, max_size_hw=(None, 50)),
    "RandomScale": built(A.RandomScale, 0.4),
    "Pad": built(A.Pad, 3),
    "Pad sides": built(A.Pad, (1, 2, 3, 4)),
    **{f"PadIfNeeded {position}": built(A.PadIfNeeded, 64, 50, position=position) for position in ("center", "random")},
    "PadIfNeeded divisor": built(
        A.PadIfNeeded, min_height=None, min_width=None, pad_height_divisor=16, pad_width_divisor=7, position="top_left"
    ),
    "PadIfNeeded reflect": built(A.PadIfNeeded, 64, 50, border_mode=cv2.BORDER_REFLECT_101),
}

RIGID = {
    kind.__name__: built(kind)
    for kind in (
        A.HorizontalFlip, A.VerticalFlip, A.Transpose, A.RandomRotate90, A.D4, A.SquareSymmetry, A.TimeReverse,
    )
}  # fmt: skip

ANY = {"rotate": (-180, 180), "scale": (0.6, 1.7), "shear": (-15, 15)}

PROJECTIVE = {
    "Affine": built(A.Affine),
    "Affine shift": built(A.Affine, translate_px=(-9, 9)),
    "Affine turn": built(A.Affine, rotate=(-45, 45)),
    **{
        f"Affine {name}": built(A.Affine, **ANY, translate_percent=(-0.2, 0.2), border_mode=border)
        for name, border in BORDERS.items()
    },
    "Affine keep_ratio": built(A.Affine, **ANY, keep_ratio=True),
    "Affine balanced": built(A.Affine, **ANY, balanced_scale=True),
    "Affine fit_output": built(A.Affine, **ANY, fit_output=True),
    "Affine fit_output, alone": built(A.Affine, fit_output=True),
    "Affine fit_output, shift": built(A.Affine, translate_px=(-9, 9), fit_output=True),
    "ShiftScaleRotate": built(A.ShiftScaleRotate),
    "ShiftScaleRotate far": built(A.ShiftScaleRotate, (-0.3, 0.3), (-0.5, 0.5), (-180, 180)),
    **{f"Rotate {name}": built(A.Rotate, border_mode=border) for name, border in BORDERS.items()},
    "Rotate any": built(A.Rotate, (-180, 180)),
    "Rotate crop_border": built(A.Rotate, (-180, 180), crop_border=True),
    "Rotate crop_border, alone": built(A.Rotate, (0, 0), crop_border=True),
    "SafeRotate": built(A.SafeRotate),
    "SafeRotate any": built(A.SafeRotate, (-180, 180), border_mode=cv2.BORDER_REFLECT_101),
    "SafeRotate by nothing": built(A.SafeRotate, (0, 0)),
    **{f"Perspective {name}": built(A.Perspective, border_mode=border) for name, border in BORDERS.items()},
    "Perspective far": built(A.Perspective, (0.1, 0.3)),
    "Perspective new size": built(A.Perspective, (0.05, 0.3), keep_size=False),
    "Perspective fit_output": built(A.Perspective, (0.05, 0.3), fit_output=True),
    "Perspective fit_output, new size": built(A.Perspective, (0.05, 0.3), fit_output=True, keep_size=False),
}

HOLES = {
    "CoarseDropout": built(A.CoarseDropout),
    "CoarseDropout many": built(A.CoarseDropout, (3, 9), (0.1, 0.4), (0.1, 0.6), fill_mask=0),
    "CoarseDropout in pixels": built(A.CoarseDropout, (1, 5), (1, 9), (3, 12), fill="random"),
    "Erasing": built(A.Erasing),
    "Erasing inpainted": built(A.Erasing, fill="inpaint_telea"),
    "GridDropout": built(A.GridDropout),
    "GridDropout shifted": built(A.GridDropout, 0.3, random_offset=False, unit_size_range=(4, 9), shift_xy=(3, 2)),
    "GridDropout counted": built(A.GridDropout, 0.7, holes_number_xy=(4, 6)),
    "ConstrainedCoarseDropout boxes": built(
        A.ConstrainedCoarseDropout, (1, 3), (0.2, 0.5), (0.3, 0.9), bbox_labels=[1.0]
    ),
    "ConstrainedCoarseDropout mask": built(
        A.ConstrainedCoarseDropout, (1, 3), (0.2, 0.5), (0.3, 0.9), mask_indices=[1]
    ),
}

STRIPES = {
    "XYMasking": built(A.XYMasking),
    "XYMasking both": built(A.XYMasking, (1, 3), (1, 3), (2, 9), (3, 7), fill_mask=0),
    "TimeMasking": built(A.TimeMasking, 20),
    "FrequencyMasking": built(A.FrequencyMasking, 17),
}

ERASING = {
    "MaskDropout": built(A.MaskDropout),
    "MaskDropout of many": built(A.MaskDropout, (1, 3)),
    "PixelDropout": built(A.PixelDropout),
    "PixelDropout per channel": built(A.PixelDropout, 0.6, per_channel=True),
    "OverlayElements": built(A.OverlayElements),
}

WARPING = {
    "ElasticTransform": built(A.ElasticTransform),
    "ElasticTransform strong": built(A.ElasticTransform, 150, 6),
    "ElasticTransform approximate": built(A.ElasticTransform, 90, 6, approximate=True, same_dxdy=True),
    "GridDistortion": built(A.GridDistortion),
    "GridDistortion far": built(A.GridDistortion, 4, (-0.6, 0.6), normalized=False),
    "OpticalDistortion": built(A.OpticalDistortion, (-0.5, 0.5)),
    "OpticalDistortion fisheye": built(A.OpticalDistortion, (-0.5, 0.5), mode="fisheye"),
    "PiecewiseAffine": built(A.PiecewiseAffine),
    "ThinPlateSpline": built(A.ThinPlateSpline),
    "GridElasticDeform": built(A.GridElasticDeform, (3, 4), 3),
}

MIXING = {
    "RandomGridShuffle": built(A.RandomGridShuffle),
    "RandomGridShuffle 2 x 4": built(A.RandomGridShuffle, (2, 4)),
    "Mosaic": built(A.Mosaic, (2, 2), (40, 48), (40, 40)),
    "Mosaic contain": built(A.Mosaic, (2, 3), (50, 48), (33, 41), (0.2, 0.8), "contain"),
}

STILL = {
    "NoOp": built(A.NoOp),
    "Morphological": built(A.Morphological),
    "GaussianBlur": built(A.GaussianBlur),
    "ColorJitter": built(A.ColorJitter),
}

FORMS = WINDOWS | RIGID | PROJECTIVE | HOLES | STRIPES | ERASING | WARPING | MIXING | STILL

SEES_PIXELS = {
    "CropNonEmptyMaskIfExists", "ConstrainedCoarseDropout mask", "MaskDropout", "MaskDropout of many",
    "OverlayElements", "Mosaic", "Mosaic contain",
}  # fmt: skip
"""Forms whose parameters depend on a mask, or on other pictures."""


def sample_of(size: tuple[int, int], seed: int = 0) -> dict[str, Any]:
    """Return what the host hands to a leaf: an image, boxes in shares of its sides, a mask, and what some ask for."""
    height, width = size
    rng = np.random.default_rng(seed)
    mask = np.zeros(size, np.uint8)
    mask[height // 3 : height // 2, width // 4 : width // 2] = 1
    mask[2:5, 3:6], mask[-6:-3, -9:-5] = 1, 2
    return {
        "image": rng.integers(0, 256, (height, width, 3), dtype=np.uint8),
        "mask": mask,
        "bboxes": np.array([[0.2, 0.3, 0.5, 0.7, 1.0], [0.4, 0.5, 0.8, 0.9, 1.0]], dtype=np.float32),
        "keypoints": np.array([[3, 4, 0, 0, 0], [20.5, 11.25, 0, 0, 0]], dtype=np.float32),
        "cropping_bbox": [width // 4, height // 4, width - 5, height - 6],
        "mosaic_metadata": [{"image": rng.integers(0, 256, (20, 30, 3), dtype=np.uint8)} for _ in range(2)],
        "overlay_metadata": [{"image": np.full((7, 9, 3), 200, np.uint8)}, {"image": np.zeros((5, 4, 3), np.uint8)}],
    }


def processors() -> dict[str, Any]:
    """Return what a Compose gives to its leaves for boxes and keypoints."""
    compose = A.Compose([A.NoOp()], bbox_params=A.BboxParams("albumentations"), keypoint_params=A.KeypointParams("xy"))
    return dict(compose.processors)


def drawn(transform: Any, data: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return all parameters of one draw, collected as the host's own call does."""
    transform.set_random_seed(seed)
    transform.set_processors(processors())
    params = transform.update_transform_params(transform.get_params(), data)
    return {**params, **transform.get_params_dependent_on_data(params, data)}


class Seen(NamedTuple):
    """Where each pixel of the output was taken from, in coordinates of pixel centres, and how much of it is image."""

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray


def ramps(size: tuple[int, int]) -> np.ndarray:
    """Return an image of the coordinates of its pixels, and ones."""
    y, x = np.indices(size, dtype=np.float32)
    return np.stack([x, y, np.ones(size, np.float32)], axis=2)


def seen(transform: Any, params: dict[str, Any], size: tuple[int, int]) -> Seen:
    """Return what the transform's image shows."""
    return Seen(*np.moveaxis(transform.apply(ramps(size), **params), 2, 0))


def told(change: Any, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return where each pixel of the output is taken from, as a change has it; all in float64, centres at 0."""
    if isinstance(change, Warped):
        return change.map_x.astype(np.float64), change.map_y.astype(np.float64)
    if isinstance(change, Unknown):
        y, x = np.divmod(change.shown, size[1])
        return np.where(change.shown < 0, -9.0, x), np.where(change.shown < 0, -9.0, y)
    y, x = np.indices((1, 1) if change is None else change.size, dtype=np.float64) + 0.5
    if change is None:
        y, x = np.indices(size, dtype=np.float64) + 0.5
    elif isinstance(change, Windowed):
        x0, y0, x1, y1 = change.window
        x, y = x0 + x / change.size[1] * (x1 - x0), y0 + y / change.size[0] * (y1 - y0)
    else:
        assert isinstance(change, Mapped)
        at = np.linalg.inv(np.array(change.matrix, dtype=np.float64)) @ np.stack(
            [x.ravel(), y.ravel(), np.ones(x.size)]
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            x, y = (each.reshape(x.shape) for each in np.where(at[2] > 0, at[:2] / at[2], -99.0))
    return x - 0.5, y - 0.5


def agree(change: Any, pixels: Seen, size: tuple[int, int], off: float = 0.02, *, filled: bool = True) -> None:
    """Assert that the pixels show what a change says: what is well inside the image, and, with a fill, what is not."""
    x, y = told(change, size)
    assert x.shape == pixels.x.shape
    height, width = size
    inside = (x >= 0) & (x <= width - 1) & (y >= 0) & (y <= height - 1)
    if isinstance(change, Windowed):  # a resize of a crop sees nothing beside it
        x0, y0, x1, y1 = change.window
        inside &= (x >= x0) & (x <= x1 - 1) & (y >= y0) & (y <= y1 - 1)
    if filled:
        rim = 1e-3
        deep = (x > rim) & (x < width - 1 - rim) & (y > rim) & (y < height - 1 - rim)
        assert (pixels.weight[deep] > 0.99).all()
        outside = (x < -1 - off) | (x > width + off) | (y < -1 - off) | (y > height + off)
        assert (pixels.weight[outside] == 0).all()
        inside &= pixels.weight > 0.999
    assert np.abs(pixels.x - x)[inside].max(initial=0.0) <= off
    assert np.abs(pixels.y - y)[inside].max(initial=0.0) <= off
