"""What is known of one step of a guarded pipeline, and its chance."""

import logging
import time
from collections.abc import Callable
from typing import Any

import albumentations as A
import numpy as np

from safeaug.albumentations.changes import Params, Way, change_of, eases, softened, softens, way_of
from safeaug.albumentations.changes.known import theirs
from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.reports import LeftOut
from safeaug.albumentations.windows import kind_of
from safeaug.counts import Counts
from safeaug.geometry import Size, Window, size_of
from safeaug.guarding import take_off
from safeaug.guarding.acting import can_act
from safeaug.guarding.draw import stand_in
from safeaug.guarding.fork import Fork, state_of
from safeaug.ledger.changes import Change
from safeaug.splitmix import keyed

FIXED = A.CenterCrop, A.Crop, A.Resize, A.LongestMaxSize, A.SmallestMaxSize, A.Pad
"""Windows that the host does not draw. They are measured: who moves them lets labels into what is evaluated."""

DEAR = 0.005
"""Seconds that drawing once more may take, as a mean, before the user is told. A draw takes 20 to 200 µs."""

ENOUGH = 10
"""Draws anew before that is judged."""


class Leaf:
    """What is known of a step, and its chance: a `safeaug.guarding.draw.Guard`.

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
        self.inner, self.path, self.called = inner, path, type(inner).__name__
        self.name = f"{'.'.join(map(str, path))} {self.called}"
        self.opaque = _is_opaque(inner)
        """Whether nobody sees its draws."""
        self.way = Way.UNKNOWN if self.opaque else _way_of(inner)
        keeps_its_own = isinstance(inner, Guarded)  # a promise of its own, which this one only measures
        self.kind = kind_of(inner) if self.way is Way.WINDOW and not keeps_its_own else None
        # A resize shows the whole picture: in a pipeline that is left to a crop.
        stays = isinstance(inner, FIXED) and not move_fixed
        self.fixed = self.kind is None or self.kind.cuts_first or stays
        self.guards = can_act(self.way, fixed=self.fixed, softens=softens(inner))
        """Whether its draws can be changed."""
        self.eases = eases(inner)
        """Whether a weaker draw never takes more from any object than a stronger one."""
        self.varies = self.way not in {Way.STILL, Way.RIGID} and not isinstance(inner, FIXED)
        """Whether another draw of it may take more or less from an object."""
        self.theirs = is_theirs(getattr(inner, "inner", inner))
        """Whether somebody else wrote it."""
        self.last, self.followed = True, False
        """Whether the picture may end as this step leaves it; whether another guarded step may come behind it."""
        self.chosen = False
        """Whether chance decides if this step, or one before it, is applied."""
        self.counts = Counts(self.called, quiet=True)
        self.base = self.calls = 0
        self._spare = np.random.Generator(np.random.PCG64(0))  # to make one takes ten times as long as to set it
        self._drawn, self._seconds, self._told = 0, 0.0, False

    @property
    def host(self) -> Any:
        """The transform that holds the host's arguments."""
        return self.inner

    def change(self, params: Params, image_size: Size) -> Change | None:
        """Return what a draw does to the picture."""
        return change_of(self.inner, params, image_size)

    def soften(self, params: Params, image_size: Size, strength: float) -> Params | None:
        """Return the same draw, weaker."""
        return softened(self.inner, params, image_size, strength)

    def promised(self, left_out: LeftOut) -> Size | None:
        """Return the size that a step owes even where it is left out."""
        height, width = left_out.report["size"]
        kind = self.inner.kind if self.kind is None else self.kind
        return (height, width) if kind.promises else None

    def left_out(self, params: Params, window: Window) -> LeftOut:
        """Return what leaves a draw out."""
        assert self.kind is not None
        size = self.kind.output(self.inner, size_of(window), params, params["shape"][:2])
        return LeftOut(params, {"size": size})

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
        generator = self._spare
        generator.bit_generator.state = state_of(fork.getrandbits(64))
        twin = stand_in(self.inner, py_random=fork, random_generator=generator)
        take_off(twin)

        def draw(params: Params, data: Params) -> Params:
            begun = time.perf_counter()
            drawn = twin.update_transform_params(twin.get_params(), data)
            drawn = {**drawn, **twin.get_params_dependent_on_data(drawn, data)}
            self._clock(time.perf_counter() - begun)
            return drawn

        return draw

    def _clock(self, seconds: float) -> None:
        """Say once where drawing anew is dear."""
        self._drawn, self._seconds = self._drawn + 1, self._seconds + seconds
        if self._drawn == ENOUGH and not self._told and self._seconds > ENOUGH * DEAR:
            self._told = True
            logging.getLogger("safeaug").warning(
                "step %s: drawing anew takes %.1f ms (mean of the first %d times). It is done up to `tries` times a "
                "sample, wherever the step's draw breaks the promise: lower tries, or ask for less",
                self.name,
                1000 * self._seconds / ENOUGH,
                ENOUGH,
            )


def is_theirs(transform: Any) -> bool:
    """Return whether somebody else wrote a transform."""
    return bool(theirs(type(transform).__mro__))


def _way_of(inner: Any) -> Way:
    # Chosen channels go through steps of their own, without the labels.
    return Way.STILL if isinstance(inner, A.SelectiveChannelTransform) else way_of(inner)


def _is_opaque(inner: Any) -> bool:
    """Return whether a step moves only some channels, or is called in a way of its own."""
    if isinstance(inner, A.SelectiveChannelTransform):
        return not all(_is_still(child) for child in inner.transforms)
    its_own = any("__call__" in vars(each) for each in theirs(type(inner).__mro__))
    return its_own and not isinstance(inner, A.ImageOnlyTransform)


def _is_still(node: Any) -> bool:
    if isinstance(node, A.BaseCompose):
        return all(_is_still(child) for child in node.transforms)
    return way_of(node) is Way.STILL
