"""Steps of a guarded pipeline that are transforms of v1, or timm's crop.

What they draw is not handed to `make_params`, as in v2, but comes as a tuple from ``get_params``. Both have the same
parameters under other names, so the kinds and changes of v2 tell them.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import torch
from torchvision.transforms import functional as host
from torchvision.transforms import transforms as v1
from torchvision.transforms.functional import _get_perspective_coeffs

from safeaug.geometry import Size
from safeaug.guarding import CURRENT, Guise, Params, Way
from safeaug.torchvision.leaf import Leaf
from safeaug.torchvision.pipeline.step import settled, stepped, still

LEAVES: ContextVar[list[Any]] = ContextVar("safeaug_older_leaves")
"""What the step was called with that is drawing now: ``get_params`` is not told."""


class Older(Guise):
    """What stands before the host's class in a step of v1 whose draws are looked at."""

    guard_leaf: Leaf

    def __call__(self, *inputs: Any) -> Any:
        """Transform as the host does, with the parameters that the guard has settled on."""
        call: Callable[..., Any] = super().__call__  # type: ignore[misc]  # the host's
        passage, leaf = CURRENT.get(), self.guard_leaf
        if passage is None:
            return call(*inputs)
        if leaf.way is Way.RIGID:
            return stepped(self, lambda *given: _flipped(self, call, given), inputs, passage)
        if not hasattr(self.guard_host, "get_params"):
            return stepped(self, lambda *given: _fixed(self, call, given), inputs, passage)
        leaves = LEAVES.set(list(inputs))
        try:
            return stepped(self, call, inputs, passage)
        finally:
            LEAVES.reset(leaves)

    def get_params(self, *args: Any, **named: Any) -> Any:
        """Draw as the host does, and let the guard look at it."""
        drawn = super().get_params(*args, **named)  # type: ignore[misc]  # the host's
        passage, leaf = CURRENT.get(), self.guard_leaf
        if passage is None:
            return drawn
        size = passage.ledger.size
        params = by_name(leaf.inner, drawn, args, size)
        taken = settled(passage, leaf, {"leaves": LEAVES.get(), "args": args, "named": named}, params)
        return drawn if taken is params else as_drawn(leaf.inner, taken, drawn, size)


class StillOlder(Guise):
    """What stands before the class of a step of v1 that moves nothing."""

    guard_leaf: Leaf

    def __call__(self, *inputs: Any) -> Any:
        """Transform as the host does; say where an error comes from."""
        call: Callable[..., Any] = super().__call__  # type: ignore[misc]  # the host's
        passage = CURRENT.get()
        return call(*inputs) if passage is None else still(self.guard_leaf, call, inputs, passage)


def _fixed(step: Any, call: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    """Let a sample go through a step that draws nothing."""
    passage = CURRENT.get()
    assert passage is not None
    settled(passage, step.guard_leaf, {"leaves": list(inputs)}, {})
    return call(*inputs)


def _flipped(step: Any, call: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    """Let a sample go through a flip, and find out by the number that it has drawn whether it was one."""
    passage, generator = CURRENT.get(), torch.default_generator
    assert passage is not None
    before = generator.get_state()
    result = call(*inputs)
    after = generator.get_state()
    generator.set_state(before)
    applied = bool(torch.rand(1) < step.p)
    generator.set_state(after)
    if applied:
        settled(passage, step.guard_leaf, {"leaves": list(inputs)}, {})
    return result


def sampled(twin: Any, params: Params, data: Params) -> Params:
    """Return a draw of a transform of v1: what its ``get_params`` draws, by the names of v2."""
    return by_name(twin, twin.get_params(*data["args"], **data["named"]), data["args"], params["shape"])


def by_name(transform: Any, drawn: Any, args: tuple[Any, ...], image_size: Size) -> Params:
    """Return what a transform of v1 has drawn, by the names that v2 has for it.

    Parameters
    ----------
    transform : object
        Of v1, or timm's crop.
    drawn : object
        What its ``get_params`` returned.
    args : tuple
        What that was called with.
    image_size : (int, int)
        Height and width of the picture before the step.
    """
    if isinstance(transform, v1.RandomCrop):
        top, left, height, width = drawn
        padded_width, padded_height = host.get_image_size(args[0])
        padding = _padding(transform, image_size, (padded_height, padded_width))
        needs_crop = (height, width) != (padded_height, padded_width)
        rectangle = {"top": top, "left": left, "height": height, "width": width}
        return {**rectangle, "needs_crop": needs_crop, "needs_pad": any(padding), "padding": padding}
    if isinstance(transform, v1.RandomRotation):
        return {"angle": drawn}
    if isinstance(transform, v1.RandomAffine):
        return dict(zip(("angle", "translate", "scale", "shear"), drawn, strict=True))
    if isinstance(transform, v1.RandomPerspective):
        return {"coefficients": _get_perspective_coeffs(*drawn)}
    if isinstance(transform, v1.RandomErasing):
        return dict(zip("ijhwv", drawn, strict=True))
    if isinstance(transform, v1.ElasticTransform):
        return {"displacement": drawn}
    return dict(zip(("top", "left", "height", "width"), drawn, strict=True))


def as_drawn(transform: Any, taken: Params, drawn: Any, image_size: Size) -> Any:
    """Return parameters as ``get_params`` of a transform of v1 returns them."""
    if isinstance(transform, v1.RandomRotation):
        return taken["angle"]
    if isinstance(transform, v1.RandomAffine):
        return taken["angle"], taken["translate"], taken["scale"], taken["shear"]
    if isinstance(transform, v1.RandomPerspective):
        start = drawn[0]
        return start, _ends(start, taken["coefficients"])
    if isinstance(transform, v1.RandomErasing):
        if taken["v"] is None:  # nothing is erased any more
            return 0, 0, 0, 0, drawn[4][..., :0, :0]
        return tuple(taken[name] for name in "ijhwv")
    return taken["top"], taken["left"], taken["height"], taken["width"]


def _ends(start: list[list[int]], coefficients: list[float]) -> list[list[float]]:
    """Return where the corners of the image go, by the coefficients of the way back."""
    back = torch.tensor([*coefficients, 1.0], dtype=torch.float64).reshape(3, 3)
    corners = torch.tensor([[x, y, 1.0] for x, y in start], dtype=torch.float64).T
    ends = torch.linalg.solve(back, corners)
    listed: list[list[float]] = (ends[:2] / ends[2]).T.tolist()
    return listed


def _padding(crop: v1.RandomCrop, image_size: Size, padded: Size) -> list[int]:
    """Return how much was padded on the left, above, on the right and below."""
    given = [crop.padding or 0] if crop.padding is None or isinstance(crop.padding, int) else list(crop.padding)
    left, top, right, bottom = given * (4 // len(given))  # one for all sides, or two for each axis, or four
    # What is missing still is padded on both sides alike.
    across = (padded[1] - image_size[1] - left - right) // 2
    down = (padded[0] - image_size[0] - top - bottom) // 2
    return [left + across, top + down, right + across, bottom + down]
