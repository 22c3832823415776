"""One step of a guarded pipeline: a transform of the host, whose draws are looked at before they are applied."""

from collections.abc import Callable
from typing import Any

import albumentations as A
import numpy as np

from safeaug.albumentations.changes import Way, way_of
from safeaug.albumentations.draw import stand_in
from safeaug.albumentations.fork import Fork
from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.pipeline.guise import Guise, take_off
from safeaug.albumentations.pipeline.passage import CURRENT, Params
from safeaug.albumentations.reports import LeftOut
from safeaug.albumentations.windows import kind_of
from safeaug.counts import Counts
from safeaug.geometry import Window
from safeaug.policy import Status
from safeaug.splitmix import keyed

FIXED = A.CenterCrop, A.Crop, A.Resize, A.LongestMaxSize, A.SmallestMaxSize, A.Pad
"""Windows that the host does not draw. They are measured: who moves them lets labels into what is evaluated."""


class Leaf:
    """What is known of a step, and its chance: a `safeaug.albumentations.draw.Guard`.

    Parameters
    ----------
    inner : BasicTransform
        The transform, as the host made it.
    path : tuple of int
        Where it stands in the pipeline.
    move_fixed : bool
        Whether a window that the host does not draw is moved too.
    """

    def __init__(self, inner: Any, path: tuple[int, ...], move_fixed: bool) -> None:
        self.inner = inner
        self.name = f"{'.'.join(map(str, path))} {type(inner).__name__}"
        self.way = way_of(inner)
        keeps_its_own = isinstance(inner, Guarded)  # a promise of its own, which this one only measures
        self.kind = kind_of(inner) if self.way is Way.WINDOW and not keeps_its_own else None
        self.fixed = self.kind is None or (isinstance(inner, FIXED) and not move_fixed)
        self.counts = Counts(type(inner).__name__)
        self.base = self.calls = 0

    @property
    def host(self) -> Any:
        """The transform that holds the host's arguments."""
        return self.inner

    # Chance of its own, keyed by the host's generators, the step and the call.

    def rebase(self, base: int) -> None:
        """Set what the step's own draws derive from."""
        self.base, self.calls = base, 0

    def fork(self, first: Window) -> Fork:
        """Return a generator for this call."""
        x0, y0, x1, y1 = map(int, first)
        return Fork(keyed(self.base, self.calls, (x0, y0, x1, y1)))

    def again(self, fork: Fork) -> Callable[[Params, Params], Params]:
        """Return the transform's own sampler, drawing from a fork."""
        generator = np.random.Generator(np.random.PCG64(fork.getrandbits(64)))
        twin = stand_in(self.inner, py_random=fork, random_generator=generator)
        take_off(twin)

        def draw(params: Params, data: Params) -> Params:
            drawn = twin.update_transform_params(twin.get_params(), data)
            return {**drawn, **twin.get_params_dependent_on_data(drawn, data)}

        return draw


class Step(Guise):
    """What stands before the host's class in a step; outside of a passage it is the plain transform."""

    guard_leaf: Leaf

    def __call__(self, *args: Any, force_apply: bool = False, **data: Any) -> Any:
        """Transform as the host does."""
        calls, passage = self.guard_leaf.calls, CURRENT.get()
        result = super().__call__(*args, force_apply=force_apply, **data)  # type: ignore[misc]  # the host's
        if calls == self.guard_leaf.calls and passage is not None:
            passage.note(self.guard_leaf, Status.NOT_APPLIED)
        return result

    def get_params_dependent_on_data(self, params: Params, data: Params) -> Params:
        """Draw as the host does, and let the passage look at it."""
        self.guard_leaf.calls += 1
        passage = CURRENT.get()
        try:
            drawn: Params = super().get_params_dependent_on_data(params, data)  # type: ignore[misc]  # the host's
        except LeftOut as left_out:
            if passage is not None:
                promised = tuple(left_out.report["size"]) if self.kind.promises else None  # type: ignore[attr-defined]
                passage.left_out(self.guard_leaf, params["shape"][:2], promised)
            raise
        return drawn if passage is None else passage.step(self.guard_leaf, params, data, drawn)
