"""Affine and perspective maps, and erased rectangles: the label has a say where the host's draw would lose it.

Signatures are spelled out so that editors complete them. Each takes the host's own arguments, in the host's order and
with the host's defaults, and behind them, by name, the fields of a `Policy` or a policy itself.
"""

from collections.abc import Sequence
from typing import Any

import PIL.Image
import torch
from torchvision.transforms import v2

from safeaug.errors import ContentError, PolicyError, RetentionError
from safeaug.geometry import Size
from safeaug.guarding import Asks, Params, Passage, acted, asks_of
from safeaug.handing import refuse_unguarded
from safeaug.objects import Saliency
from safeaug.policy import Keep, Limits, OnEmpty, OnFail, Policy, Sampling, Status
from safeaug.torchvision.chance import fork_of
from safeaug.torchvision.defaults import BILINEAR, NEAREST
from safeaug.torchvision.guarded import Guarded
from safeaug.torchvision.leaf import Leaf, plain_of
from safeaug.torchvision.leaving import LeftOut
from safeaug.torchvision.reading import Protect
from safeaug.torchvision.targets import carries, content_of, image_size_of
from safeaug.torchvision.windows import Kind

OF_THE_WHOLE = -1
"""Stands for no place in a pipeline: numbers that are drawn before the guard's own draws begin."""


class Acted(Guarded):
    """Base of guarded transforms whose draws are no windows: they are drawn anew, or softened."""

    kind = Kind()  # the whole picture: no window is moved

    _asks: Asks
    _leaf: Leaf

    def _promise(self, given: dict[str, Any]) -> None:
        super()._promise(given)
        if self._reading.protect == "saliency" and self._policy.min_mass is None:
            raise PolicyError(
                f'protect="saliency" ranks windows, and {type(self).__name__} has none to rank; give it min_mass, the '
                "share of the map that must be left"
            )
        self._asks = asks_of(self._policy)
        self._leaf = Leaf(plain_of(self), (), move_fixed=False)
        self._leaf.inner, self._leaf.counts = self, self._counts  # its arguments may be changed later

    def _guarded(self, drawn: Params, leaves: list[Any], call: Any) -> Params:
        """Return the host's draw, another, or the same one, weaker."""
        size, named = image_size_of(leaves), None if call is None else call.named
        passage = self._begun(leaves, named, size)
        params = {"shape": size, "pil": any(isinstance(leaf, PIL.Image.Image) for leaf in leaves)}
        taken = acted(passage, self._leaf, params, {"leaves": leaves}, drawn)
        if passage.status is Status.UNMET and self._policy.on_fail == "skip":
            self._counts.add(Status.SKIPPED)
            raise LeftOut(size, None)
        if passage.status is Status.UNMET and self._policy.on_fail == "raise":
            left = ", ".join(f"{share:.3f}" for share in passage.ledger.shares[-1])
            raise RetentionError(
                f"the promise cannot be met: of the objects {left} is left by a draw of {type(self).__name__}, and "
                f"neither one of {self._policy.tries} further draws nor a weaker one keeps it. Ask for less, or use "
                'on_fail="most"'
            )
        self._counts.add(passage.status)
        return taken

    def _begun(self, leaves: list[Any], named: Any, size: Size) -> Passage:
        """Return the passage of a sample, at its beginning."""
        policy = self._policy
        content = content_of(leaves, named, policy, self._reading)
        if not (content.boxes or carries(leaves, self._reading)):
            refuse_unguarded(type(self).__name__)
        if not content.boxes and policy.on_empty == "raise":
            raise ContentError('there is nothing to protect, and on_empty is "raise"')
        # Only what these two ask for needs a number, which takes longer than all else here.
        fork = None
        if policy.keep == "one" or policy.apply_rate < 1:
            fork = fork_of((0, 0, size[1], size[0]), OF_THE_WHOLE)
        passage = Passage(content, size, policy, self._asks, 0.0 if fork is None else fork.random(), 0)
        if fork is not None and policy.apply_rate < 1 and content.boxes and fork.random() >= policy.apply_rate:
            passage.let_go()
        return passage


class RandomAffine(Acted, v2.RandomAffine):  # type: ignore[misc]  # the host ships no types
    """Random affine map that keeps its objects: where it would lose one it is drawn anew, or weaker.

    Parameters
    ----------
    degrees, translate, scale, shear, interpolation, fill, center
        As in ``torchvision.transforms.v2.RandomAffine``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead. Here ``max_stretch`` and
        ``sampling`` mean nothing, and ``on_fail="enlarge"`` is ``"most"``.
    protect, labels, weights, ignore, prior_visibility, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    generator : torch.Generator, optional
        Of the CPU. The host's draw and the guard's come from it, and torch's global generator is left alone.

    Notes
    -----
    What is left of an object is told exactly, of what the host does to the pixels of the image. A draw that leaves too
    little is drawn anew, up to ``tries`` times (REDRAWN); then the first one is scaled toward the map that changes
    nothing, to the strongest of 16 strengths that keeps the promise (SOFTENED). So a draw is UNMET only where the whole
    picture, as it came in, breaks the promise.

    Examples
    --------
    >>> import torch, safeaug
    >>> from torchvision import tv_tensors
    >>> move = safeaug.torchvision.RandomAffine(90, translate=(0.5, 0.5), min_retention=0.8)
    >>> image = tv_tensors.Image(torch.zeros(3, 100, 100, dtype=torch.uint8))
    >>> boxes = tv_tensors.BoundingBoxes([[0, 0, 20, 20]], format="XYXY", canvas_size=(100, 100))
    >>> for _ in range(20):
    ...     _ = move(image, boxes)
    >>> sum(move.report().values()), move.report().get("UNMET", 0)
    (20, 0)
    """

    def __init__(
        self,
        degrees: float | Sequence[float],
        translate: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        shear: float | Sequence[float] | None = None,
        interpolation: str | int | v2.InterpolationMode = NEAREST,
        fill: Any = 0,
        center: list[float] | None = None,
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


class RandomRotation(Acted, v2.RandomRotation):  # type: ignore[misc]  # the host ships no types
    """Random rotation that keeps its objects: where it would lose one it is drawn anew, or by a smaller angle.

    Parameters
    ----------
    degrees, interpolation, expand, center, fill
        As in ``torchvision.transforms.v2.RandomRotation``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead. Here ``max_stretch`` and
        ``sampling`` mean nothing, and ``on_fail="enlarge"`` is ``"most"``.
    protect, labels, weights, ignore, prior_visibility, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    generator : torch.Generator, optional
        Of the CPU. The host's draw and the guard's come from it, and torch's global generator is left alone.

    Notes
    -----
    As of `RandomAffine`.
    """

    def __init__(
        self,
        degrees: float | Sequence[float],
        interpolation: str | int | v2.InterpolationMode = NEAREST,
        expand: bool = False,
        center: list[float] | None = None,
        fill: Any = 0,
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


class RandomPerspective(Acted, v2.RandomPerspective):  # type: ignore[misc]  # the host ships no types
    """Random perspective map that keeps its objects: where it would lose one it is drawn anew, or weaker.

    Parameters
    ----------
    distortion_scale, p, interpolation, fill
        As in ``torchvision.transforms.v2.RandomPerspective``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead. Here ``max_stretch`` and
        ``sampling`` mean nothing, and ``on_fail="enlarge"`` is ``"most"``.
    protect, labels, weights, ignore, prior_visibility, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    generator : torch.Generator, optional
        Of the CPU. The host's draw and the guard's come from it, and torch's global generator is left alone.

    Notes
    -----
    As of `RandomAffine`. The host draws the corners of the image inside the picture, so it takes next to nothing from
    any object, as long as ``distortion_scale`` is below two thirds; but it makes all of them smaller, which
    ``min_visible_pixels`` asks of. From two thirds on three corners may come to lie beside the fourth, and parts of the
    image are lost.
    """

    def __init__(
        self,
        distortion_scale: float = 0.5,
        p: float = 0.5,
        interpolation: str | int | v2.InterpolationMode = BILINEAR,
        fill: Any = 0,
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


class RandomErasing(Acted, v2.RandomErasing):  # type: ignore[misc]  # the host ships no types
    """Random erasing that leaves enough of its objects: else another rectangle is erased, or a smaller one.

    Parameters
    ----------
    p, scale, ratio, value, inplace
        As in ``torchvision.transforms.v2.RandomErasing``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead. Here ``max_stretch`` and
        ``sampling`` mean nothing, and ``on_fail="enlarge"`` is ``"most"``.
    protect, labels, weights, ignore, prior_visibility, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    generator : torch.Generator, optional
        Of the CPU. The host's draw and the guard's come from it, and torch's global generator is left alone.

    Notes
    -----
    As of `RandomAffine`. The host erases pixels of the image alone, and warns of that: boxes, masks and keypoints go
    through as they are.
    """

    def __init__(
        self,
        p: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: float | str | Sequence[float] = 0.0,
        inplace: bool = False,
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
