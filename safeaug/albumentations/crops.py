"""Random crops: the label picks the window where the host's own draw would lose it.

Signatures are spelled out so that editors complete them. Each takes the host's own arguments, in the host's order and
with the host's defaults, and behind them, by name, the fields of a `Policy` or a policy itself.
"""

from collections.abc import Sequence
from typing import Literal

import albumentations as A
import cv2

from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.reading import Protect
from safeaug.albumentations.windows import FromBorders, RandomCut, Resized, Sized
from safeaug.objects import Saliency
from safeaug.policy import Keep, Limits, OnEmpty, OnFail, Policy, Sampling


class RandomResizedCrop(Guarded, A.RandomResizedCrop):  # type: ignore[misc]  # the host ships no types
    """Random crop of the host's scale and ratio, resized, that keeps its objects; the labels pick the window.

    Parameters
    ----------
    size, scale, ratio, interpolation, mask_interpolation, area_for_downscale, p
        As in ``albumentations.RandomResizedCrop``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.

    Notes
    -----
    The host draws first, and what passes is kept untouched. Its law is uniform over positions given the size, and so is
    the guard's over those that pass. Where the host gives up after ten sizes it takes one central window: that one is
    kept if it passes, and else moved uniformly.

    Examples
    --------
    >>> import albumentations as A, numpy as np, safeaug
    >>> crop = safeaug.albumentations.RandomResizedCrop(size=(224, 224), min_retention=0.5, report_key="safeaug")
    >>> train = A.Compose([crop], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]), seed=0)
    >>> image = np.zeros((200, 2000, 3), np.uint8)
    >>> out = train(image=image, bboxes=[[20, 50, 120, 150]], labels=["cat"])
    >>> out["image"].shape, out["safeaug"]["retention"][0] >= 0.5, out["labels"]
    ((224, 224, 3), True, ['cat'])
    """

    kind = Resized()

    def __init__(
        self,
        size: tuple[int, int],
        scale: tuple[float, float] = (0.08, 1.0),
        ratio: tuple[float, float] = (0.75, 1.3333333333333333),
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


class RandomSizedCrop(Guarded, A.RandomSizedCrop):  # type: ignore[misc]  # the host ships no types
    """Random crop of a height within bounds, resized, that keeps its objects; the labels pick the window.

    Parameters
    ----------
    min_max_height, size, w2h_ratio, interpolation, mask_interpolation, area_for_downscale, p
        As in ``albumentations.RandomSizedCrop``.
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
    >>> crop = safeaug.albumentations.RandomSizedCrop((64, 128), (32, 32), policy=safeaug.Policy(min_retention=0.9))
    >>> train = A.Compose([crop], bbox_params=A.BboxParams("coco", label_fields=["labels"]), seed=0)
    >>> out = train(image=np.zeros((256, 256, 3), np.uint8), bboxes=[[0, 0, 40, 40]], labels=[1])
    >>> len(out["bboxes"]), crop.report()
    (1, {'MOVED': 1})
    """

    kind = Sized()

    def __init__(
        self,
        min_max_height: tuple[int, int],
        size: tuple[int, int],
        w2h_ratio: float = 1.0,
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


class RandomCrop(Guarded, A.RandomCrop):  # type: ignore[misc]  # the host ships no types
    """Random crop of a fixed size that keeps its objects; the labels pick the window.

    Parameters
    ----------
    height, width, pad_if_needed, pad_position, border_mode, fill, fill_mask, p
        As in ``albumentations.RandomCrop``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.

    Notes
    -----
    The window is the output, so there is one size, and no other to fall back to: ``on_fail="enlarge"`` has nothing to
    enlarge and keeps the most objects that one window can keep.

    Examples
    --------
    >>> import albumentations as A, numpy as np, safeaug
    >>> crop = safeaug.albumentations.RandomCrop(64, 64, keep="whole", report_key="safeaug")
    >>> train = A.Compose([crop], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]), seed=0)
    >>> boxes = [[0, 0, 40, 40], [400, 400, 440, 440]]
    >>> out = train(image=np.zeros((512, 512, 3), np.uint8), bboxes=boxes, labels=["cat", "dog"])
    >>> len(out["bboxes"])
    1
    """

    kind = RandomCut()

    def __init__(
        self,
        height: int,
        width: int,
        pad_if_needed: bool = False,
        pad_position: Literal["center", "top_left", "top_right", "bottom_left", "bottom_right", "random"] = "center",
        border_mode: int = cv2.BORDER_CONSTANT,
        fill: tuple[float, ...] | float = 0.0,
        fill_mask: tuple[float, ...] | float = 0.0,
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


class RandomCropFromBorders(Guarded, A.RandomCropFromBorders):  # type: ignore[misc]  # the host ships no types
    """Random crop of each border that keeps its objects; the labels pick the window.

    Parameters
    ----------
    crop_left, crop_right, crop_top, crop_bottom, p
        As in ``albumentations.RandomCropFromBorders``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.

    Notes
    -----
    A window of some size stands where no border loses more than its share; the host is uniform there, and so is the
    guard over what passes. Where the shares of opposite borders add up to 1 the host itself is not quite uniform.
    """

    kind = FromBorders()

    def __init__(
        self,
        crop_left: float = 0.1,
        crop_right: float = 0.1,
        crop_top: float = 0.1,
        crop_bottom: float = 0.1,
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
