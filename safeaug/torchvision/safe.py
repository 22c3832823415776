"""`Safe`: a guard around any window transform, the host's or somebody else's."""

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_flatten
from torchvision.transforms import v2

from safeaug.errors import PolicyError
from safeaug.guarding import Params
from safeaug.objects import Saliency
from safeaug.policy import Keep, Limits, OnEmpty, OnFail, Policy, Sampling
from safeaug.torchvision.guarded import Guarded
from safeaug.torchvision.reading import Protect
from safeaug.torchvision.windows import Kind, kind_of


class _Forwarding(v2.Transform):  # type: ignore[misc]  # the host ships no types
    """Stands for the host's class behind `Safe`: what it would do, the inner transform does."""

    inner: Any
    kind: Kind

    def check_inputs(self, flat_inputs: list[Any]) -> None:
        """Check them as the inner transform does."""
        self.inner.check_inputs(flat_inputs)

    def forward(self, *inputs: Any) -> Any:
        """Apply the inner transform with its own probability, where it has one."""
        if hasattr(self.inner, "p"):
            given = inputs if len(inputs) > 1 else inputs[0]
            self.check_inputs(tree_flatten(given)[0])  # first, as the host has it
            if torch.rand(1) >= self.inner.p:
                return given
        return super().forward(*inputs)

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        """Apply parameters as the inner transform does; of a moved centre crop, cut where it was moved to."""
        return self.kind.apply(self.inner, inpt, params)


class Safe(Guarded, _Forwarding):
    """A crop, resize or pad, of the host or of somebody else, that keeps its objects; the labels pick the window.

    Parameters
    ----------
    inner : torchvision.transforms.v2.Transform
        What is guarded. Its own ``p`` decides whether it is applied.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    generator : torch.Generator, optional
        Of the CPU. The host's draw and the guard's come from it, and torch's global generator is left alone.

    Raises
    ------
    PolicyError
        Where the transform is not a window: at once for one of the host's, at the first draw for somebody else's.

    Notes
    -----
    The host's transforms follow the law of their drop-ins. Somebody else's is told by what its ``make_params`` draws:
    where that is ``top``, ``left``, ``height`` and ``width`` and nothing else, it is moved like a random crop, with all
    positions inside the image as its domain; where it is more, it is drawn anew, up to ``tries`` times (REDRAWN). A
    class derived from one of the host's that has a ``transform`` of its own is somebody else's. Of somebody else's no
    output size is known, so ``on_fail="skip"`` leaves the sample as it is.

    Examples
    --------
    >>> import torch, safeaug
    >>> from torchvision import tv_tensors
    >>> from torchvision.transforms import v2
    >>> crop = safeaug.torchvision.Safe(v2.RandomCrop(64), min_retention=0.9)
    >>> image = tv_tensors.Image(torch.zeros(3, 512, 512, dtype=torch.uint8))
    >>> boxes = tv_tensors.BoundingBoxes([[10, 10, 40, 40]], format="XYXY", canvas_size=(512, 512))
    >>> image, boxes = crop(image, boxes)
    >>> tuple(image.shape), float((boxes[0, 2:] - boxes[0, :2]).prod()) / 30**2 >= 0.9
    ((3, 64, 64), True)
    """

    kind: Kind  # type: ignore[misc]  # of this instance, not of the class

    def __init__(
        self,
        inner: v2.Transform,
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
        given = locals()
        if isinstance(inner, Guarded):
            raise PolicyError(f"{type(inner).__name__} is guarded already; give it the policy, without Safe")
        kind = kind_of(inner)
        v2.Transform.__init__(self)
        self.inner, self.kind = inner, kind
        self._transformed_types = inner._transformed_types
        self._promise(given)

    @property
    def host(self) -> Any:
        """The transform that is guarded."""
        return self.inner

    def _draw(self, leaves: Sequence[Any], *, anew: bool = False) -> Params:
        return self.kind.sample(self.inner, leaves, anew=anew)

    def _needs_transform_list(self, flat_inputs: list[Any]) -> list[bool]:
        needs: list[bool] = self.inner._needs_transform_list(flat_inputs)
        return needs
