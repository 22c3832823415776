"""The drop-ins: signatures, and for each the sizes that its host can draw.

Signatures are spelled out so that editors complete them. Each takes the host's own arguments, in the host's order and
with the host's defaults, and behind them, by name, the fields of a `Policy` or a policy itself.
"""

import math
from collections.abc import Iterable
from typing import Literal

import albumentations as A
import cv2

from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.targets import Fields
from safeaug.geometry import Size
from safeaug.policy import Keep, Limits, OnEmpty, OnFail, Policy, Sampling

LATTICE = 64
"""Sizes of the fixed lattice; for a scale and a ratio, 8 of each."""


class RandomResizedCrop(Guarded, A.RandomResizedCrop):  # type: ignore[misc]  # the host ships no types
    """Random crop of the host's scale and ratio, resized, that keeps its objects; the labels pick the window.

    Parameters
    ----------
    size, scale, ratio, interpolation, mask_interpolation, area_for_downscale, p
        As in ``albumentations.RandomResizedCrop``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    labels, weights, ignore : str, optional
        Names of label fields of ``A.BboxParams``: the label that limits per label go by (the first field by default);
        what each object counts for; which objects (crowds, difficult ones) are never asked for.
    report_key : str, optional
        Where the sample will say how the draw ended: ``status``, ``stage``, ``window`` and ``size`` in pixels, and of
        each object, in the order given, ``retention`` and ``by_fill``. Of several crops that name one key, the report
        with the greatest status stays.

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
        keep: Keep | int = "all",
        min_fill: float | None = None,
        min_visible_pixels: float | None = None,
        max_stretch: float | None = None,
        sampling: Sampling = "keep_scale",
        tries: int = 10,
        on_fail: OnFail = "most",
        on_empty: OnEmpty = "plain",
        policy: Policy | None = None,
        labels: str | None = None,
        weights: str | None = None,
        ignore: str | None = None,
        report_key: str | None = None,
    ) -> None:
        super().__init__(
            size=size,
            scale=scale,
            ratio=ratio,
            interpolation=interpolation,
            mask_interpolation=mask_interpolation,
            area_for_downscale=area_for_downscale,
            p=p,
        )
        self._promise(
            policy,
            {
                "min_retention": min_retention,
                "keep": keep,
                "min_fill": min_fill,
                "min_visible_pixels": min_visible_pixels,
                "max_stretch": max_stretch,
                "sampling": sampling,
                "tries": tries,
                "on_fail": on_fail,
                "on_empty": on_empty,
            },
            Fields(labels, weights, ignore),
            report_key,
        )

    def output(self, size: Size) -> Size:
        """Return the size to which every window is resized."""
        output: Size = self.size
        return output

    def lattice(self, image_size: Size) -> Iterable[Size]:
        """Return the sizes of 8 areas × 8 ratios, ends included, that fit the image."""
        steps = round(math.sqrt(LATTICE))
        height, width = image_size
        low, high = math.log(self.ratio[0]), math.log(self.ratio[1])
        sizes = set()
        for i in range(steps):
            area = height * width * (self.scale[0] + (self.scale[1] - self.scale[0]) * i / (steps - 1))
            for j in range(steps):
                ratio = math.exp(low + (high - low) * j / (steps - 1))
                size = round(math.sqrt(area / ratio)), round(math.sqrt(area * ratio))
                if 0 < size[0] <= height and 0 < size[1] <= width:
                    sizes.add(size)
        return sorted(sizes)


class RandomSizedCrop(Guarded, A.RandomSizedCrop):  # type: ignore[misc]  # the host ships no types
    """Random crop of a height within bounds, resized, that keeps its objects; the labels pick the window.

    Parameters
    ----------
    min_max_height, size, w2h_ratio, interpolation, mask_interpolation, area_for_downscale, p
        As in ``albumentations.RandomSizedCrop``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    labels, weights, ignore : str, optional
        Names of label fields of ``A.BboxParams``: the label that limits per label go by (the first field by default);
        what each object counts for; which objects (crowds, difficult ones) are never asked for.
    report_key : str, optional
        Where the sample will say how the draw ended: ``status``, ``stage``, ``window`` and ``size`` in pixels, and of
        each object, in the order given, ``retention`` and ``by_fill``. Of several crops that name one key, the report
        with the greatest status stays.

    Examples
    --------
    >>> import albumentations as A, numpy as np, safeaug
    >>> crop = safeaug.albumentations.RandomSizedCrop((64, 128), (32, 32), policy=safeaug.Policy(min_retention=0.9))
    >>> train = A.Compose([crop], bbox_params=A.BboxParams("coco", label_fields=["labels"]), seed=0)
    >>> out = train(image=np.zeros((256, 256, 3), np.uint8), bboxes=[[0, 0, 40, 40]], labels=[1])
    >>> len(out["bboxes"]), crop.report()
    (1, {'MOVED': 1})
    """

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
        keep: Keep | int = "all",
        min_fill: float | None = None,
        min_visible_pixels: float | None = None,
        max_stretch: float | None = None,
        sampling: Sampling = "keep_scale",
        tries: int = 10,
        on_fail: OnFail = "most",
        on_empty: OnEmpty = "plain",
        policy: Policy | None = None,
        labels: str | None = None,
        weights: str | None = None,
        ignore: str | None = None,
        report_key: str | None = None,
    ) -> None:
        super().__init__(
            min_max_height=min_max_height,
            size=size,
            w2h_ratio=w2h_ratio,
            interpolation=interpolation,
            mask_interpolation=mask_interpolation,
            area_for_downscale=area_for_downscale,
            p=p,
        )
        self._promise(
            policy,
            {
                "min_retention": min_retention,
                "keep": keep,
                "min_fill": min_fill,
                "min_visible_pixels": min_visible_pixels,
                "max_stretch": max_stretch,
                "sampling": sampling,
                "tries": tries,
                "on_fail": on_fail,
                "on_empty": on_empty,
            },
            Fields(labels, weights, ignore),
            report_key,
        )

    def output(self, size: Size) -> Size:
        """Return the size to which every window is resized."""
        output: Size = self.size
        return output

    def lattice(self, image_size: Size) -> Iterable[Size]:
        """Return the sizes of 64 heights, ends included, cut to the image as the host cuts them."""
        low, high = self.min_max_height
        heights = {low + round((high - low) * i / (LATTICE - 1)) for i in range(LATTICE)}
        sizes = {(min(height, image_size[0]), min(int(height * self.w2h_ratio), image_size[1])) for height in heights}
        return sorted(size for size in sizes if size[1] > 0)


class RandomCrop(Guarded, A.RandomCrop):  # type: ignore[misc]  # the host ships no types
    """Random crop of a fixed size that keeps its objects; the labels pick the window.

    Parameters
    ----------
    height, width, pad_if_needed, pad_position, border_mode, fill, fill_mask, p
        As in ``albumentations.RandomCrop``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    labels, weights, ignore : str, optional
        Names of label fields of ``A.BboxParams``: the label that limits per label go by (the first field by default);
        what each object counts for; which objects (crowds, difficult ones) are never asked for.
    report_key : str, optional
        Where the sample will say how the draw ended: ``status``, ``stage``, ``window`` and ``size`` in pixels, and of
        each object, in the order given, ``retention`` and ``by_fill``. Of several crops that name one key, the report
        with the greatest status stays.

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

    redraws = False

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
        keep: Keep | int = "all",
        min_fill: float | None = None,
        min_visible_pixels: float | None = None,
        max_stretch: float | None = None,
        sampling: Sampling = "keep_scale",
        tries: int = 10,
        on_fail: OnFail = "most",
        on_empty: OnEmpty = "plain",
        policy: Policy | None = None,
        labels: str | None = None,
        weights: str | None = None,
        ignore: str | None = None,
        report_key: str | None = None,
    ) -> None:
        super().__init__(
            height=height,
            width=width,
            pad_if_needed=pad_if_needed,
            pad_position=pad_position,
            border_mode=border_mode,
            fill=fill,
            fill_mask=fill_mask,
            p=p,
        )
        self._promise(
            policy,
            {
                "min_retention": min_retention,
                "keep": keep,
                "min_fill": min_fill,
                "min_visible_pixels": min_visible_pixels,
                "max_stretch": max_stretch,
                "sampling": sampling,
                "tries": tries,
                "on_fail": on_fail,
                "on_empty": on_empty,
            },
            Fields(labels, weights, ignore),
            report_key,
        )

    def output(self, size: Size) -> Size:
        """Return the window's own size: it is not resized."""
        return size

    def lattice(self, image_size: Size) -> Iterable[Size]:
        """Return no further size: the window is the output."""
        return ()
