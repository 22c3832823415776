"""Pixels that are erased one by one."""

from functools import reduce
from typing import Any

import numpy as np

from safeaug.geometry import Size
from safeaug.guarding.way import Params
from safeaug.ledger.changes import Change, Erased


def masked(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``MaskDropout``: whole objects of the sample's mask."""
    mask = params["dropout_mask"]
    if mask is None:
        return None
    mask = np.asarray(mask, dtype=bool)
    return _erased(mask if mask.ndim == 2 else mask.any(axis=2))


def dropped(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``PixelDropout``. A pixel of which some channel is left is not erased."""
    mask = np.asarray(params["drop_mask"], dtype=bool)
    if mask.ndim == 3:  # channel by channel, which is ten times as quick as numpy's own way along so short an axis
        mask = reduce(np.logical_and, np.moveaxis(mask, 2, 0))
    return _erased(mask)


def overlaid(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``OverlayElements``: what is laid over the picture hides it."""
    hidden = np.zeros(image_size, dtype=bool)
    for laid in params["overlay_data"]:
        given, (top, left) = np.asarray(laid["overlay_mask"]), laid["offset"]
        mask = given > 0 if given.ndim == 2 else (given > 0).any(axis=2)
        hidden[top : top + mask.shape[0], left : left + mask.shape[1]] |= mask
    return _erased(hidden)


def _erased(mask: Any) -> Change | None:
    return Erased(mask) if mask.any() else None
