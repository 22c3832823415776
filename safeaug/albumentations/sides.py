"""CropAndPad: each side of the image is cut or padded by itself."""

from collections.abc import Sequence

import albumentations as A
import cv2

from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.reading import Protect
from safeaug.albumentations.windows import Sides
from safeaug.objects import Saliency
from safeaug.policy import Keep, Limits, OnEmpty, OnFail, Policy, Sampling


class CropAndPad(Guarded, A.CropAndPad):  # type: ignore[misc]  # the host ships no types
    """Crop and pad of each side that keeps its objects; the labels pick the window.

    Parameters
    ----------
    px, percent, keep_size, sample_independently, interpolation, mask_interpolation, border_mode, fill, fill_mask, p
        As in ``albumentations.CropAndPad``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: see `Safe`.

    Notes
    -----
    The host is drawn anew, up to ``tries`` times. Then the sides of its first draw move outward until they hold all
    objects: less is cut, and what is padded stays.
    """

    kind = Sides()

    def __init__(
        self,
        px: int | list[int] | None = None,
        percent: float | list[float] | None = None,
        keep_size: bool = True,
        sample_independently: bool = True,
        interpolation: int = cv2.INTER_LINEAR,
        mask_interpolation: int = cv2.INTER_NEAREST,
        border_mode: int = cv2.BORDER_CONSTANT,
        fill: tuple[float, ...] | float = 0,
        fill_mask: tuple[float, ...] | float = 0,
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
