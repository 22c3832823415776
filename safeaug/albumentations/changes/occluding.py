"""Holes: rectangles of whole pixels that are hidden, and smaller ones in their middle."""

from typing import Any

import numpy as np

from safeaug.geometry import Size
from safeaug.guarding.way import Params
from safeaug.ledger.changes import Change, Occluded


def holes(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of a dropout of holes. Whatever fills them, what they showed is gone."""
    found = np.asarray(params["holes"])
    return Occluded(found.reshape(-1, 4)) if found.size else None


def smaller(transform: Any, params: Params, image_size: Size, strength: float) -> Params | None:
    """Return the draw with holes of about ``strength`` times their area, about the same centres."""
    return _shrunk(params, np.sqrt(strength), np.sqrt(strength))


def narrower(transform: Any, params: Params, image_size: Size, strength: float) -> Params | None:
    """Return the draw with stripes of about ``strength`` times their width, about the same lines.

    A stripe over the whole height of the image becomes less wide, and any other less high.
    """
    found = np.asarray(params["holes"]).reshape(-1, 4)
    upright = found[:, 3] - found[:, 1] >= image_size[0]
    return _shrunk(params, np.where(upright, strength, 1.0), np.where(upright, 1.0, strength))


def _shrunk(params: Params, across: Any, down: Any) -> Params:
    """Return the draw with other sides of its holes.

    Each side moves inward by whole pixels, and never back as the share falls: weaker holes lie inside stronger ones.
    One without area is dropped, since the host cuts boxes to whole pixels as soon as there is any hole.
    """
    found = np.asarray(params["holes"]).reshape(-1, 4)
    x0, y0, x1, y1 = found.T
    dx, dy = (x1 - x0) * (1 - across) / 2, (y1 - y0) * (1 - down) / 2
    sides = np.stack([x0 + dx, y0 + dy, x1 - dx, y1 - dy], axis=1)
    shrunk = np.floor(sides + 0.5).astype(found.dtype)
    kept = (shrunk[:, 0] < shrunk[:, 2]) & (shrunk[:, 1] < shrunk[:, 3])
    return {**params, "holes": np.ascontiguousarray(shrunk[kept])}
