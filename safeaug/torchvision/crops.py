"""Crops: the label picks the window where the host's own draw would lose it.

Signatures are spelled out so that editors complete them. Each takes the host's own arguments, in the host's order and
with the host's defaults, and behind them, by name, the fields of a `Policy` or a policy itself.
"""

from collections.abc import Sequence
from typing import Any, Literal

import torch
from torchvision.transforms import v2

from safeaug.guarding import Params
from safeaug.objects import Saliency
from safeaug.policy import Keep, Limits, OnEmpty, OnFail, Policy, Sampling
from safeaug.torchvision.defaults import BILINEAR
from safeaug.torchvision.guarded import Guarded
from safeaug.torchvision.reading import Protect
from safeaug.torchvision.windows import AroundBox, FixedCut, RandomCut, Resized


class RandomResizedCrop(Guarded, v2.RandomResizedCrop):  # type: ignore[misc]  # the host ships no types
    """Random crop of the host's scale and ratio, resized, that keeps its objects; the labels pick the window.

    Parameters
    ----------
    size, scale, ratio, interpolation, antialias
        As in ``torchvision.transforms.v2.RandomResizedCrop``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    generator : torch.Generator, optional
        Of the CPU. The host's draw and the guard's come from it, and torch's global generator is left alone.

    Notes
    -----
    The host draws first, and what passes is kept untouched. Its law is uniform over positions given the size, and so is
    the guard's over those that pass. Where the host gives up after ten sizes it takes one central window: that one is
    kept if it passes, and else moved uniformly. Of a batch there is one draw, as the host has it, and the objects of
    all its images are asked for.

    Examples
    --------
    >>> import torch, safeaug
    >>> from torchvision import tv_tensors
    >>> crop = safeaug.torchvision.RandomResizedCrop(224, min_retention=0.5)
    >>> image = tv_tensors.Image(torch.zeros(3, 200, 2000, dtype=torch.uint8))
    >>> boxes = tv_tensors.BoundingBoxes([[20, 50, 120, 150]], format="XYXY", canvas_size=(200, 2000))
    >>> sample = crop({"image": image, "boxes": boxes, "labels": ["cat"]})
    >>> tuple(sample["image"].shape), bool((sample["boxes"][0, 2:] > sample["boxes"][0, :2]).all())
    ((3, 224, 224), True)
    """

    kind = Resized()

    def __init__(
        self,
        size: int | Sequence[int],
        scale: tuple[float, float] = (0.08, 1.0),
        ratio: tuple[float, float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: str | int | v2.InterpolationMode = BILINEAR,
        antialias: bool | None = True,
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
        foreground: Sequence[int] | None = None,
        ignore_index: int | None = 255,
        saliency: Saliency = "auto",
        generator: torch.Generator | None = None,
    ) -> None:
        self._construct(locals())


class RandomCrop(Guarded, v2.RandomCrop):  # type: ignore[misc]  # the host ships no types
    """Random crop of a fixed size that keeps its objects; the labels pick the window.

    Parameters
    ----------
    size, padding, pad_if_needed, fill, padding_mode
        As in ``torchvision.transforms.v2.RandomCrop``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    generator : torch.Generator, optional
        Of the CPU. The host's draw and the guard's come from it, and torch's global generator is left alone.

    Notes
    -----
    The law is uniform over all positions in the padded image that keep the promise. What is padded shows no object,
    even where it mirrors one.
    """

    kind = RandomCut()

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill: Any = 0,
        padding_mode: Literal["constant", "edge", "reflect", "symmetric"] = "constant",
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
        foreground: Sequence[int] | None = None,
        ignore_index: int | None = 255,
        saliency: Saliency = "auto",
        generator: torch.Generator | None = None,
    ) -> None:
        self._construct(locals())


class CenterCrop(Guarded, v2.CenterCrop):  # type: ignore[misc]  # the host ships no types
    """Crop of the middle that keeps its objects, moved as little as need be; the labels pick the window.

    Parameters
    ----------
    size
        As in ``torchvision.transforms.v2.CenterCrop``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    generator : torch.Generator, optional
        Of the CPU. The host's draw and the guard's come from it, and torch's global generator is left alone.

    Notes
    -----
    Of several windows at the same distance, by the centres of whole pixels, the first by row and column is taken. Where
    the image is smaller than the window, the host pads it, and along that axis there is one position.

    In evaluation a label must not pick the window: this is for training.
    """

    kind = FixedCut()

    def __init__(
        self,
        size: int | Sequence[int],
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
        foreground: Sequence[int] | None = None,
        ignore_index: int | None = 255,
        saliency: Saliency = "auto",
        generator: torch.Generator | None = None,
    ) -> None:
        self._construct(locals())

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        """Cut as the host does; where the window was moved, there. The host's own knows the middle only."""
        return super().transform(inpt, params) if not params else FixedCut.cut(self, inpt, params)


class RandomIoUCrop(Guarded, v2.RandomIoUCrop):  # type: ignore[misc]  # the host ships no types
    """SSD's crop by overlap that keeps its objects, and that ends; the labels pick the window.

    Parameters
    ----------
    min_scale, max_scale, min_aspect_ratio, max_aspect_ratio, sampler_options, trials
        As in ``torchvision.transforms.v2.RandomIoUCrop``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    generator : torch.Generator, optional
        Of the CPU. The host's draw and the guard's come from it, and torch's global generator is left alone.

    Notes
    -----
    The host keeps a promise of its own: the window holds the centre of some box, and of one such box overlaps (as
    intersection over union) by an option that it draws. Where its draw breaks the policy's promise, it is drawn anew,
    up to ``tries`` times; then the window is uniform, of the sizes drawn, among those that keep both.

    The host's sampler runs until a window suits it, which may be never: without boxes, or with small boxes and options
    that all ask for much. Here it is stopped after 100 options. Up to there the draw is the host's own, to the bit.
    Where it was stopped, a window is drawn uniformly among those that keep both promises, of the first size inside the
    host's scale and ratio, from the whole picture down, that has one. Where none has, the picture is left as it is (as
    the host does for an option of 1 or more), and the draw is UNMET: nothing is lost, but no draw will ever crop such a
    picture. ``on_fail="skip"`` says SKIPPED of the same picture. One without boxes is left as it is, too, and EMPTY.

    The host marks boxes whose centre is outside as degenerate, for `SanitizeBoundingBoxes` to remove. A box of which
    the window holds as much as its limit asks keeps its place wherever its centre is; of a limit of 0 nothing is asked.
    """

    kind = AroundBox()

    def __init__(
        self,
        min_scale: float = 0.3,
        max_scale: float = 1.0,
        min_aspect_ratio: float = 0.5,
        max_aspect_ratio: float = 2.0,
        sampler_options: list[float] | None = None,
        trials: int = 40,
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
        foreground: Sequence[int] | None = None,
        ignore_index: int | None = 255,
        saliency: Saliency = "auto",
        generator: torch.Generator | None = None,
    ) -> None:
        self._construct(locals())

    def _draw(self, leaves: Sequence[Any], *, anew: bool = False) -> Params:
        return self.kind.sample(self, leaves, anew=anew)
