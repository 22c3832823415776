"""Crops and pads of one window: the label moves it where it would lose the object, as little as possible.

A crop that is fixed for every image is what one evaluates with. Here the label picks the window: use these in training
only, or the score will count what the labels told.
"""

from collections.abc import Sequence
from typing import Literal

import albumentations as A
import cv2

from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.reading import Protect
from safeaug.albumentations.windows import FixedCut, Padded
from safeaug.objects import Saliency
from safeaug.policy import Keep, Limits, OnEmpty, OnFail, Policy, Sampling


class CenterCrop(Guarded, A.CenterCrop):  # type: ignore[misc]  # the host ships no types
    """Crop of the centre, moved as little as keeps its objects; the labels pick the window.

    Parameters
    ----------
    height, width, pad_if_needed, pad_position, border_mode, fill, fill_mask, p
        As in ``albumentations.CenterCrop``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.

    Notes
    -----
    The window whose corner moves the least (Euclidean; of equals the first by rows, then by columns). No chance is
    involved. The labels pick the window: on validation data that is a leak, so evaluate with the host's own
    ``CenterCrop``.

    Examples
    --------
    >>> import albumentations as A, numpy as np, safeaug
    >>> crop = safeaug.albumentations.CenterCrop(100, 100, min_retention=1.0, report_key="safeaug")
    >>> train = A.Compose([crop], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]))
    >>> out = train(image=np.zeros((200, 300, 3), np.uint8), bboxes=[[60, 80, 140, 120]], labels=["cat"])
    >>> out["safeaug"]["window"], out["safeaug"]["status"]
    ([60, 50, 160, 150], 'MOVED')
    """

    kind = FixedCut()

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


class Crop(Guarded, A.Crop):  # type: ignore[misc]  # the host ships no types
    """Crop of given coordinates, moved as little as keeps its objects; the labels pick the window.

    Parameters
    ----------
    x_min, y_min, x_max, y_max, pad_if_needed, pad_position, border_mode, fill, fill_mask, p
        As in ``albumentations.Crop``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.

    Notes
    -----
    As `CenterCrop`. Coordinates beyond the image are the host's to refuse, or to pad where ``pad_if_needed`` says so.
    """

    kind = FixedCut()

    def __init__(
        self,
        x_min: int = 0,
        y_min: int = 0,
        x_max: int = 1024,
        y_max: int = 1024,
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


class PadIfNeeded(Guarded, A.PadIfNeeded):  # type: ignore[misc]  # the host ships no types
    """Padding to a size. Nothing is cut; what it cannot keep (a pixel floor, a stretch) it says.

    Parameters
    ----------
    min_height, min_width, pad_height_divisor, pad_width_divisor, position, border_mode, fill, fill_mask, p
        As in ``albumentations.PadIfNeeded``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.
    """

    kind = Padded()

    def __init__(
        self,
        min_height: int | None = 1024,
        min_width: int | None = 1024,
        pad_height_divisor: int | None = None,
        pad_width_divisor: int | None = None,
        position: Literal["center", "top_left", "top_right", "bottom_left", "bottom_right", "random"] = "center",
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
