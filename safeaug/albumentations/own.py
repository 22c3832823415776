"""Crops that keep a promise of the host's own; the guard adds the policy's to it.

The host is drawn anew, up to ``tries`` times; then a window is drawn uniformly among those that keep both promises.
``sampling`` makes no difference here.
"""

from collections.abc import Sequence

import albumentations as A
import cv2

from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.reading import Protect
from safeaug.albumentations.windows import AroundBoxes, AroundMask, AroundOne, NearBox, ResizedBox
from safeaug.objects import Saliency
from safeaug.policy import Keep, Limits, OnEmpty, OnFail, Policy, Sampling


class BBoxSafeRandomCrop(Guarded, A.BBoxSafeRandomCrop):  # type: ignore[misc]  # the host ships no types
    """Random crop around the union of the boxes that keeps each of them; the labels pick the window.

    Parameters
    ----------
    erosion_rate, p
        As in ``albumentations.BBoxSafeRandomCrop``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.

    Notes
    -----
    The host erodes the union of all boxes, not each of them, and rounds its right and lower sides down: with an erosion
    rate of 0.2 a quarter of its draws leave less than half of some object. The policy is kept for each object, on the
    window in whole pixels.
    """

    kind = AroundBoxes()

    def __init__(
        self,
        erosion_rate: float = 0.0,
        p: float = 1.0,
        *,
        min_retention: Limits = 0.5,
        keep: Keep = "all",
        min_fill: float | None = None,
        min_visible_pixels: float | None = None,
        max_stretch: float | None = None,
        sampling: Sampling = "keep_scale",
        tries: int = 10,
        on_fail: OnFail = "most",
        on_empty: OnEmpty = "plain",
        apply_rate: float = 1.0,
        ignore_smaller_than: float | None = None,
        min_rank: float = 0.5,
        min_mass: float | None = None,
        policy: Policy | None = None,
        protect: Protect | None = None,
        labels: str | None = None,
        weights: str | None = None,
        ignore: str | None = None,
        prior_visibility: str | None = None,
        instances: str | None = None,
        visible: str | None = None,
        foreground: Sequence[int] | None = None,
        ignore_index: int | None = 255,
        saliency: Saliency = "auto",
        report_key: str | None = None,
    ) -> None:
        self._construct(locals())


class RandomSizedBBoxSafeCrop(Guarded, A.RandomSizedBBoxSafeCrop):  # type: ignore[misc]  # the host ships no types
    """Random crop around the union of the boxes, resized, that keeps each of them; the labels pick the window.

    Parameters
    ----------
    height, width, erosion_rate, interpolation, mask_interpolation, p
        As in ``albumentations.RandomSizedBBoxSafeCrop``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.

    Notes
    -----
    As `BBoxSafeRandomCrop`, and then resized; ``max_stretch`` bounds how much that squashes.
    """

    kind = ResizedBox()

    def __init__(
        self,
        height: int,
        width: int,
        erosion_rate: float = 0.0,
        interpolation: int = cv2.INTER_LINEAR,
        mask_interpolation: int = cv2.INTER_NEAREST,
        p: float = 1.0,
        *,
        min_retention: Limits = 0.5,
        keep: Keep = "all",
        min_fill: float | None = None,
        min_visible_pixels: float | None = None,
        max_stretch: float | None = None,
        sampling: Sampling = "keep_scale",
        tries: int = 10,
        on_fail: OnFail = "most",
        on_empty: OnEmpty = "plain",
        apply_rate: float = 1.0,
        ignore_smaller_than: float | None = None,
        min_rank: float = 0.5,
        min_mass: float | None = None,
        policy: Policy | None = None,
        protect: Protect | None = None,
        labels: str | None = None,
        weights: str | None = None,
        ignore: str | None = None,
        prior_visibility: str | None = None,
        instances: str | None = None,
        visible: str | None = None,
        foreground: Sequence[int] | None = None,
        ignore_index: int | None = 255,
        saliency: Saliency = "auto",
        report_key: str | None = None,
    ) -> None:
        self._construct(locals())


class AtLeastOneBBoxRandomCrop(Guarded, A.AtLeastOneBBoxRandomCrop):  # type: ignore[misc]  # the host ships no types
    """Random crop around one of the boxes that keeps the others too; the labels pick the window.

    Parameters
    ----------
    height, width, erosion_factor, p
        As in ``albumentations.AtLeastOneBBoxRandomCrop``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.

    Notes
    -----
    The host promises one box, shrunk by the erosion factor on each axis: at 0.5 a quarter of its area. With
    ``keep="any"`` the policy asks for one as well, but for a share of its area.
    """

    kind = AroundOne()

    def __init__(
        self,
        height: int,
        width: int,
        erosion_factor: float = 0.0,
        p: float = 1.0,
        *,
        min_retention: Limits = 0.5,
        keep: Keep = "all",
        min_fill: float | None = None,
        min_visible_pixels: float | None = None,
        max_stretch: float | None = None,
        sampling: Sampling = "keep_scale",
        tries: int = 10,
        on_fail: OnFail = "most",
        on_empty: OnEmpty = "plain",
        apply_rate: float = 1.0,
        ignore_smaller_than: float | None = None,
        min_rank: float = 0.5,
        min_mass: float | None = None,
        policy: Policy | None = None,
        protect: Protect | None = None,
        labels: str | None = None,
        weights: str | None = None,
        ignore: str | None = None,
        prior_visibility: str | None = None,
        instances: str | None = None,
        visible: str | None = None,
        foreground: Sequence[int] | None = None,
        ignore_index: int | None = 255,
        saliency: Saliency = "auto",
        report_key: str | None = None,
    ) -> None:
        self._construct(locals())


class CropNonEmptyMaskIfExists(Guarded, A.CropNonEmptyMaskIfExists):  # type: ignore[misc]  # the host ships no types
    """Random crop that holds a part of the mask, and as much of it as promised; the labels pick the window.

    Parameters
    ----------
    height, width, ignore_values, ignore_channels, p
        As in ``albumentations.CropNonEmptyMaskIfExists``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.

    Notes
    -----
    The host promises one pixel. Where the sample has neither boxes nor ``masks``, what must survive is the semantic
    ``mask``, as the host reads it: all but 0 and ``ignore_values``, as one object.
    """

    kind = AroundMask()

    def __init__(
        self,
        height: int,
        width: int,
        ignore_values: list[int] | None = None,
        ignore_channels: list[int] | None = None,
        p: float = 1.0,
        *,
        min_retention: Limits = 0.5,
        keep: Keep = "all",
        min_fill: float | None = None,
        min_visible_pixels: float | None = None,
        max_stretch: float | None = None,
        sampling: Sampling = "keep_scale",
        tries: int = 10,
        on_fail: OnFail = "most",
        on_empty: OnEmpty = "plain",
        apply_rate: float = 1.0,
        ignore_smaller_than: float | None = None,
        min_rank: float = 0.5,
        min_mass: float | None = None,
        policy: Policy | None = None,
        protect: Protect | None = None,
        labels: str | None = None,
        weights: str | None = None,
        ignore: str | None = None,
        prior_visibility: str | None = None,
        instances: str | None = None,
        visible: str | None = None,
        foreground: Sequence[int] | None = None,
        ignore_index: int | None = 255,
        saliency: Saliency = "auto",
        report_key: str | None = None,
    ) -> None:
        self._construct(locals())


class RandomCropNearBBox(Guarded, A.RandomCropNearBBox):  # type: ignore[misc]  # the host ships no types
    """Random crop of a given box, its sides shifted, that keeps the objects; the labels pick the window.

    Parameters
    ----------
    max_part_shift, cropping_bbox_key, p
        As in ``albumentations.RandomCropNearBBox``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.

    Notes
    -----
    The host shifts each side of the box inward or outward. The policy speaks of the sample's objects: where the given
    box is the only one, hand it over as a box too.
    """

    kind = NearBox()

    def __init__(
        self,
        max_part_shift: tuple[float, float] | float = (0, 0.3),
        cropping_bbox_key: str = "cropping_bbox",
        p: float = 1.0,
        *,
        min_retention: Limits = 0.5,
        keep: Keep = "all",
        min_fill: float | None = None,
        min_visible_pixels: float | None = None,
        max_stretch: float | None = None,
        sampling: Sampling = "keep_scale",
        tries: int = 10,
        on_fail: OnFail = "most",
        on_empty: OnEmpty = "plain",
        apply_rate: float = 1.0,
        ignore_smaller_than: float | None = None,
        min_rank: float = 0.5,
        min_mass: float | None = None,
        policy: Policy | None = None,
        protect: Protect | None = None,
        labels: str | None = None,
        weights: str | None = None,
        ignore: str | None = None,
        prior_visibility: str | None = None,
        instances: str | None = None,
        visible: str | None = None,
        foreground: Sequence[int] | None = None,
        ignore_index: int | None = 255,
        saliency: Saliency = "auto",
        report_key: str | None = None,
    ) -> None:
        self._construct(locals())
