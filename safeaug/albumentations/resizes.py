"""Resizes: nothing is cut, but objects may become too small to be seen (``min_visible_pixels``) or be stretched.

The output size is kept. Where a resize of the whole image breaks the promise and the policy has a pixel floor or says
``on_fail="enlarge"``, a part of the image is resized instead: the first that keeps it of 16, from the whole image
evenly down to the tightest window around the objects, which it does not cut where it need not. Where none of them
will do, retention and pixels are in conflict at this size: the draw is UNMET, and the report's ``visible_pixels`` say
by how much.
"""

from collections.abc import Sequence
from typing import Any, Literal

import albumentations as A
import cv2

from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.parts import cut_first
from safeaug.albumentations.reading import Protect
from safeaug.albumentations.windows import MaxSize, Scale, ToSize
from safeaug.objects import Saliency
from safeaug.policy import Keep, Limits, OnEmpty, OnFail, Policy, Sampling


class _CutsFirst(Guarded):
    """A guarded resize: it may take a part of the image, and cuts it before the host resizes."""

    def apply_with_params(self, params: dict[str, Any], *args: Any, **data: Any) -> dict[str, Any]:
        """Apply parameters as the host does, on the part of the image that they say."""
        if "crop_coords" in params:
            params, data = cut_first(self, params, data)
        result: dict[str, Any] = super().apply_with_params(params, **data)
        return result


class Resize(_CutsFirst, A.Resize):  # type: ignore[misc]  # the host ships no types
    """Resize to a size; a part of the image where objects would become too small. The labels pick the window.

    Parameters
    ----------
    height, width, interpolation, mask_interpolation, area_for_downscale, p
        As in ``albumentations.Resize``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.

    Examples
    --------
    >>> import albumentations as A, numpy as np, safeaug
    >>> resize = safeaug.albumentations.Resize(100, 100, min_visible_pixels=64, report_key="safeaug")
    >>> train = A.Compose([resize], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]))
    >>> out = train(image=np.zeros((1000, 1000, 3), np.uint8), bboxes=[[480, 480, 520, 520]], labels=["bolt"])
    >>> out["safeaug"]["status"], out["safeaug"]["window"], out["safeaug"]["visible_pixels"][0] >= 64
    ('RESIZED', [270, 270, 730, 730], True)
    """

    kind = ToSize()

    def __init__(
        self,
        height: int,
        width: int,
        interpolation: int = cv2.INTER_LINEAR,
        mask_interpolation: int = cv2.INTER_NEAREST,
        area_for_downscale: Literal["image", "image_mask"] | None = None,
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


class LongestMaxSize(_CutsFirst, A.LongestMaxSize):  # type: ignore[misc]  # the host ships no types
    """Scale to a longest side; a part of the image where objects would become too small. The labels pick it.

    Parameters
    ----------
    max_size, max_size_hw, interpolation, mask_interpolation, area_for_downscale, p
        As in ``albumentations.LongestMaxSize``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.

    Notes
    -----
    Of several sizes, one that keeps the promise is chosen uniformly, before a part of the image is taken.
    """

    kind = MaxSize()

    def __init__(
        self,
        max_size: int | Sequence[int] | None = None,
        max_size_hw: tuple[int | None, int | None] | None = None,
        interpolation: int = cv2.INTER_LINEAR,
        mask_interpolation: int = cv2.INTER_NEAREST,
        area_for_downscale: Literal["image", "image_mask"] | None = None,
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


class SmallestMaxSize(_CutsFirst, A.SmallestMaxSize):  # type: ignore[misc]  # the host ships no types
    """Scale to a shortest side; a part of the image where objects would become too small. The labels pick it.

    Parameters
    ----------
    max_size, max_size_hw, interpolation, mask_interpolation, area_for_downscale, p
        As in ``albumentations.SmallestMaxSize``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.

    Notes
    -----
    Of several sizes, one that keeps the promise is chosen uniformly, before a part of the image is taken.
    """

    kind = MaxSize()

    def __init__(
        self,
        max_size: int | Sequence[int] | None = None,
        max_size_hw: tuple[int | None, int | None] | None = None,
        interpolation: int = cv2.INTER_LINEAR,
        mask_interpolation: int = cv2.INTER_NEAREST,
        area_for_downscale: Literal["image", "image_mask"] | None = None,
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


class RandomScale(Guarded, A.RandomScale):  # type: ignore[misc]  # the host ships no types
    """Random scale that leaves no object too small to be seen; the labels bound the scale.

    Parameters
    ----------
    scale_limit, interpolation, mask_interpolation, area_for_downscale, p
        As in ``albumentations.RandomScale``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.

    Notes
    -----
    A scale that fails is drawn anew, uniformly from the part of the host's range that keeps the promise. With
    ``on_fail="enlarge"`` it may leave the range, at most up to the image's own resolution.
    """

    kind = Scale()

    def __init__(
        self,
        scale_limit: tuple[float, float] | float = (-0.1, 0.1),
        interpolation: int = cv2.INTER_LINEAR,
        mask_interpolation: int = cv2.INTER_NEAREST,
        area_for_downscale: Literal["image", "image_mask"] | None = None,
        p: float = 0.5,
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
