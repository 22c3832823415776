"""`Safe`: a guard around any window transform, the host's or somebody else's."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import albumentations as A
import numpy as np

from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.parts import cut_first
from safeaug.albumentations.reading import Protect
from safeaug.albumentations.windows import Kind, kind_of
from safeaug.errors import PolicyError
from safeaug.geometry import Window
from safeaug.guarding.draw import stand_in
from safeaug.guarding.fork import Fork
from safeaug.objects import Saliency
from safeaug.policy import Keep, Limits, OnEmpty, OnFail, Policy, Sampling


class _Forwarding(A.DualTransform):  # type: ignore[misc]  # the host ships no types
    """Stands for the host's class behind `Safe`: what it would do, the inner transform does."""

    inner: Any

    def get_params_dependent_on_data(self, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        """Return all parameters of a draw of the inner transform."""
        return _draw_of(self.inner, data)

    def apply_with_params(self, params: dict[str, Any], *args: Any, **data: Any) -> dict[str, Any]:
        """Apply parameters as the inner transform does."""
        result: dict[str, Any] = self.inner.apply_with_params(params, **data)
        return result


class Safe(Guarded, _Forwarding):
    """A crop, resize or pad, of the host or of somebody else, that keeps its objects; the labels pick the window.

    Parameters
    ----------
    inner : DualTransform
        What is guarded. Its own ``p`` decides whether it is applied.
    p : float, optional
        Another ``p``.
    min_retention, keep, min_fill, min_visible_pixels, max_stretch, sampling, tries, on_fail, on_empty, apply_rate,
    ignore_smaller_than, min_rank, min_mass
        The promise: see `safeaug.Policy`, which can be given whole as ``policy`` instead.
    protect, labels, weights, ignore, prior_visibility, instances, visible, foreground, ignore_index, saliency
        What must survive, and which fields of the sample speak of it: see `Reading`.
    report_key : str, optional
        Where the sample will say how the draw ended: ``status``, ``stage``, ``window`` and ``size`` in pixels, and of
        each object, in the order given, ``retention``, ``by_fill`` and ``visible_pixels``. Of several transforms that
        name one key, the report with the greatest status stays.

    Raises
    ------
    PolicyError
        Where the transform is not a window: at once for one of the host's, at the first draw for somebody else's.

    Notes
    -----
    The host's transforms follow the law of their drop-ins. Somebody else's that draws ``crop_coords`` and nothing
    else is moved and resized like a random crop, with all positions inside the image as its domain. Any other is
    drawn anew, up to ``tries`` times (REDRAWN); its window is told by the points that go through it. A class derived
    from one of the host's that renders in its own way (any ``apply...``) is somebody else's. Its masks must be
    rendered to the size of its images. Of somebody else's no output size is known, so ``on_fail="skip"`` leaves the
    sample as it is.

    Examples
    --------
    >>> import albumentations as A, numpy as np, safeaug
    >>> crop = safeaug.albumentations.Safe(A.RandomCrop(64, 64), min_retention=0.9, report_key="safeaug")
    >>> train = A.Compose([crop], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]), seed=0)
    >>> out = train(image=np.zeros((512, 512, 3), np.uint8), bboxes=[[10, 10, 40, 40]], labels=["cat"])
    >>> out["safeaug"]["status"], out["safeaug"]["retention"]
    ('MOVED', [1.0])
    """

    kind: Kind  # type: ignore[misc]  # of this instance, not of the class

    def __init__(
        self,
        inner: A.DualTransform,
        p: float | None = None,
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
        given = locals()
        self.inner = A.from_dict({"transform": inner}) if isinstance(inner, dict) else inner
        if isinstance(self.inner, Guarded):
            raise PolicyError(f"{type(self.inner).__name__} is guarded already; give it the policy, without Safe")
        self.kind = kind_of(self.inner)
        A.DualTransform.__init__(self, p=self.inner.p if p is None else p)
        self._additional_targets = self.inner._additional_targets
        self._promise(given)

    @property
    def host(self) -> Any:
        """The transform that is guarded."""
        return self.inner

    # Drawing is the inner transform's.

    def again(self, fork: Fork) -> Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]:
        """Return the inner transform's own sampler, drawing from a fork."""
        generator = np.random.Generator(np.random.PCG64(fork.getrandbits(64)))
        twin = stand_in(self.inner, py_random=fork, random_generator=generator)
        return lambda params, data: _draw_of(twin, data)

    def fork(self, first: Window) -> Fork:
        """Return the guard's generator; a traced window need not lie on whole pixels."""
        x0, y0, x1, y1 = map(int, first)
        return super().fork((x0, y0, x1, y1))

    def apply_with_params(self, params: dict[str, Any], *args: Any, **data: Any) -> dict[str, Any]:
        """Apply parameters as the inner transform does; of a resize, first cut the part of the image that it takes."""
        if self.kind.cuts_first and "crop_coords" in params:
            params, data = cut_first(self, params, data)
        return super().apply_with_params(params, **data)

    # What a Compose sets on its leaves is set on the inner transform too.

    def _set_keys(self) -> None:
        self._key2func, self._available_keys = self.inner._key2func, self.inner._available_keys

    def set_random_seed(self, seed: int | None) -> None:
        """Set the generators, which both share."""
        super().set_random_seed(seed)
        self.inner.set_random_state(self.random_generator, self.py_random)

    def set_random_state(self, random_generator: np.random.Generator, py_random: random.Random) -> None:
        """Set the generators, which both share."""
        super().set_random_state(random_generator, py_random)
        self.inner.set_random_state(random_generator, py_random)

    @property
    def mask_interpolation(self) -> int:
        """The inner transform's, where it has one."""
        interpolation: int = self.inner.mask_interpolation
        return interpolation

    @mask_interpolation.setter
    def mask_interpolation(self, interpolation: int) -> None:
        self.inner.mask_interpolation = interpolation

    def set_processors(self, processors: dict[str, Any]) -> None:
        """Set the processors, which both share."""
        super().set_processors(processors)
        self.inner.set_processors(processors)

    def add_targets(self, additional_targets: dict[str, str]) -> None:
        """Add targets to the inner transform, whose books are this one's too."""
        self.inner.add_targets(additional_targets)
        self._look_again()

    @property
    def targets(self) -> dict[str, Callable[..., Any]]:
        """The inner transform's."""
        targets: dict[str, Callable[..., Any]] = self.inner.targets
        return targets

    @property
    def targets_as_params(self) -> list[str]:
        """The inner transform's."""
        names: list[str] = self.inner.targets_as_params
        return names

    def get_transform_init_args(self) -> dict[str, Any]:
        """Return the inner transform, the policy's fields and how objects are read."""
        args = super().get_transform_init_args()
        args.pop("p", None)
        return {"inner": self.inner, **args}

    def to_dict_private(self) -> dict[str, Any]:
        """Return the transform as plain data, the inner one under the key ``inner``."""
        return {**super().to_dict_private(), "inner": self.inner.to_dict_private()}


def _draw_of(transform: Any, data: dict[str, Any]) -> dict[str, Any]:
    """Return all parameters of one draw, as the host's own call collects them."""
    params: dict[str, Any] = transform.update_transform_params(transform.get_params(), data)
    return {**params, **transform.get_params_dependent_on_data(params, data)}
