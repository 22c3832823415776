"""Resizes and a zoom: nothing is cut, but an object may become too small to be seen.

Only ``min_visible_pixels`` and ``max_stretch`` can ask anything of them.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torchvision.transforms import v2

from safeaug.objects import Saliency
from safeaug.policy import Keep, Limits, OnEmpty, OnFail, Policy, Sampling
from safeaug.torchvision.defaults import BILINEAR
from safeaug.torchvision.guarded import Guarded
from safeaug.torchvision.reading import Protect
from safeaug.torchvision.windows import Jittered, Shortest, ToAnySize, ZoomedOut


class ScaleJitter(Guarded, v2.ScaleJitter):  # type: ignore[misc]  # the host ships no types
    """Resize by a random scale that keeps its objects visible; the labels pick the scale.

    Parameters
    ----------
    target_size, scale_range, interpolation, antialias
        As in ``torchvision.transforms.v2.ScaleJitter``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    generator : torch.Generator, optional
        Of the CPU. The host's draw and the guard's come from it, and torch's global generator is left alone.

    Notes
    -----
    The host's scale is kept where it does; else another is drawn uniformly among those of its range that do. With
    ``on_fail="enlarge"`` the scale may then go beyond the range, up to the image's own resolution.
    """

    kind = Jittered()

    def __init__(
        self,
        target_size: tuple[int, int],
        scale_range: tuple[float, float] = (0.1, 2.0),
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


class RandomResize(Guarded, v2.RandomResize):  # type: ignore[misc]  # the host ships no types
    """Resize to a random shorter side that keeps its objects visible; the labels pick the size.

    Parameters
    ----------
    min_size, max_size, interpolation, antialias
        As in ``torchvision.transforms.v2.RandomResize``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    generator : torch.Generator, optional
        Of the CPU. The host's draw and the guard's come from it, and torch's global generator is left alone.

    Notes
    -----
    The host draws a whole number below ``max_size``. It is kept where it does; else another is drawn uniformly among
    those that do. With ``on_fail="enlarge"`` it may then go beyond the range, up to the image's own resolution.
    """

    kind = ToAnySize()

    def __init__(
        self,
        min_size: int,
        max_size: int,
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


class RandomShortestSize(Guarded, v2.RandomShortestSize):  # type: ignore[misc]  # the host ships no types
    """Resize to one of some shorter sides that keeps its objects visible; the labels pick the size.

    Parameters
    ----------
    min_size, max_size, interpolation, antialias
        As in ``torchvision.transforms.v2.RandomShortestSize``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    generator : torch.Generator, optional
        Of the CPU. The host's draw and the guard's come from it, and torch's global generator is left alone.

    Notes
    -----
    The host's choice is kept where it does; else another is drawn uniformly among those that do. With
    ``on_fail="enlarge"`` it may then go beyond them, up to the image's own resolution, and not over ``max_size``.
    """

    kind = Shortest()

    def __init__(
        self,
        min_size: list[int] | tuple[int, ...] | int,
        max_size: int | None = None,
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


class RandomZoomOut(Guarded, v2.RandomZoomOut):  # type: ignore[misc]  # the host ships no types
    """Border of a random width around the image, in which nothing is lost: a draw is judged, never changed.

    Parameters
    ----------
    fill, side_range, p
        As in ``torchvision.transforms.v2.RandomZoomOut``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    generator : torch.Generator, optional
        Of the CPU. The host's draw and the guard's come from it, and torch's global generator is left alone.

    Notes
    -----
    Nothing is cut and nothing becomes smaller: of an object that shows fewer pixels than ``min_visible_pixels`` the
    image itself has no more, and the draw is UNMET.
    """

    kind = ZoomedOut()

    def __init__(
        self,
        fill: Any = 0,
        side_range: Sequence[float] = (1.0, 4.0),
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
        foreground: Sequence[int] | None = None,
        ignore_index: int | None = 255,
        saliency: Saliency = "auto",
        generator: torch.Generator | None = None,
    ) -> None:
        self._construct(locals())
