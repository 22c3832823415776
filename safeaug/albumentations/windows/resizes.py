"""Resizes of the host. Nothing is cut, but an object may become too small to be seen, or be stretched.

Where the output has a size of its own, a part of the image around the objects can stand in for the whole of it: it is
cut by the host's ``Crop`` before the host resizes. A random scale is drawn anew instead.
"""

from collections.abc import Sequence
from typing import Any

import albumentations as A

from safeaug.albumentations.windows.kind import Kind
from safeaug.candidates import Law
from safeaug.content import Content
from safeaug.geometry import Size, Window, size_of
from safeaug.guarding.draw import Draw
from safeaug.guarding.kind import Params
from safeaug.measures import meets
from safeaug.policy import Policy, Stage, Status
from safeaug.records import Found
from safeaug.scales import Scaling, search_scale
from safeaug.search import opening, search_opened
from safeaug.task import CHOOSE


class ToSize(Kind):
    """``Resize``."""

    law = Law.NEAREST
    redraws = False
    enlarges = True
    cuts_first = True

    def window(self, transform: Any, drawn: Params, image_size: Size) -> Window:
        """Return the part that is cut before, else the whole image."""
        window: Window = drawn.get("crop_coords") or (0, 0, image_size[1], image_size[0])
        return window

    def put(self, transform: Any, drawn: Params, window: Window, image_size: Size) -> None:
        """Write the part that is to be cut before."""
        drawn["crop_coords"] = window

    def output(self, transform: Any, size: Size, drawn: Params, image_size: Size) -> Size:
        """Return the size to which everything is resized."""
        return transform.height, transform.width


class MaxSize(ToSize):
    """``LongestMaxSize`` and ``SmallestMaxSize``: one scale for both axes, from the longest or the smallest side."""

    def put(self, transform: Any, drawn: Params, window: Window, image_size: Size) -> None:
        """Write the part that is to be cut before, and its scale."""
        drawn["scale"] = _scale(transform, size_of(window), _chosen(transform, drawn, image_size))
        drawn["crop_coords"] = window

    def output(self, transform: Any, size: Size, drawn: Params, image_size: Size) -> Size:
        """Return the size of a part, scaled as the host would scale it."""
        return _scaled(size, _scale(transform, size, _chosen(transform, drawn, image_size)))

    def find(self, draw: Draw, content: Content, policy: Policy) -> Found:
        """Where the host chooses among sizes, choose uniformly among those that do; else as a fixed resize."""
        opened = opening(draw.first, content, policy, draw.stream)
        if isinstance(opened, Found):
            return opened
        choices = draw.transform.max_size
        if isinstance(choices, Sequence) and not self._does(draw, opened, policy, draw.drawn["scale"]):
            scales = [_scale(draw.transform, draw.image_size, choice) for choice in choices]
            good = [scale for scale in scales if self._does(draw, opened, policy, scale)]
            if good:
                draw.drawn["scale"] = good[int(draw.stream(CHOOSE)() * len(good))]
                return Found(draw.first, Status.RESIZED, Stage.REDRAW, len(choices))
        return search_opened(draw.first, draw, opened, policy, draw.stream)

    def _does(self, draw: Draw, content: Content, policy: Policy, scale: float) -> bool:
        return meets(content, policy, draw.first, _scaled(draw.image_size, scale))


def _chosen(transform: Any, drawn: Params, image_size: Size) -> int | None:
    """Return which of several sizes a draw chose; None where there is no choice."""
    if not isinstance(transform.max_size, Sequence):
        return None
    cut = drawn.get("crop_coords")
    size = size_of(cut) if cut is not None else image_size
    choices: Sequence[int] = transform.max_size
    return min(choices, key=lambda choice: abs(_scale(transform, size, choice) - drawn["scale"]))


def _scale(transform: Any, size: Size, chosen: int | None) -> float:
    """Return the host's own scale for an image of this size."""
    twin = object.__new__(type(transform))
    twin.__dict__.update(transform.__dict__)
    if chosen is not None:
        twin.max_size = chosen
    host = A.LongestMaxSize if isinstance(transform, A.LongestMaxSize) else A.SmallestMaxSize
    scale: float = host.get_params_dependent_on_data(twin, {"shape": size}, {})["scale"]
    return scale


def _scaled(size: Size, scale: float) -> Size:
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


class Scale(Kind):
    """``RandomScale``."""

    law = Law.NEAREST
    redraws = False
    promises = False

    def output(self, transform: Any, size: Size, drawn: Params, image_size: Size) -> Size:
        """Return the image's size, scaled as the host rounds it."""
        return _floored(size, drawn["scale"])

    def find(self, draw: Draw, content: Content, policy: Policy) -> Found:
        """Draw another scale, uniformly among those that do."""
        low, high = (1.0 + limit for limit in draw.transform.scale_limit)
        scaling = Scaling(draw.image_size, low, high, lambda scale: _floored(draw.image_size, scale))
        draw.drawn["scale"], found = search_scale(draw.drawn["scale"], scaling, content, policy, draw.stream)
        return found


def _floored(size: Size, scale: float) -> Size:
    return max(1, int(size[0] * scale)), max(1, int(size[1] * scale))
