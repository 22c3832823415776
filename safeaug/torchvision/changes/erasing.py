"""Erased rectangles, and smaller ones in their middle."""

import math
from typing import Any

from safeaug.geometry import Size
from safeaug.guarding.way import Params
from safeaug.ledger.changes import Change, Occluded


def erased(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``RandomErasing``. Whatever fills the rectangle, what it showed is gone.

    Where the host has found no rectangle it says so by one of the whole image, which it never erases: v2 fills that
    with nothing, and v1 with the image itself.
    """
    top, left, height, width = (params[name] for name in "ijhw")
    if params["v"] is None or not (height and width) or (height, width) == image_size:
        return None
    return Occluded(((left, top, left + width, top + height),))


def smaller(transform: Any, params: Params, image_size: Size, strength: float) -> Params | None:
    """Return the draw with a rectangle of about ``strength`` times its area, about the same centre.

    Each side moves inward by whole pixels, and never back as the strength falls. What fills it is either one colour or
    a picture of its size, of which the middle is kept.
    """
    if erased(transform, params, image_size) is None:
        return dict(params)
    top, below = _nearer(params["h"], strength)
    left, right = _nearer(params["w"], strength)
    height, width, filled = below - top, right - left, params["v"]
    if not (height > 0 and width > 0):
        return {**params, "h": 0, "w": 0, "v": None}
    if tuple(filled.shape[-2:]) == (params["h"], params["w"]):
        filled = filled[..., top:below, left:right]
    return {**params, "i": params["i"] + top, "j": params["j"] + left, "h": height, "w": width, "v": filled}


def _nearer(side: int, strength: float) -> tuple[int, int]:
    """Return the ends of a shorter side inside one that begins at 0."""
    off = side * (1 - math.sqrt(strength)) / 2
    return math.floor(off + 0.5), math.floor(side - off + 0.5)
