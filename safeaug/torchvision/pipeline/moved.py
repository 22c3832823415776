"""Whether a step that nobody knows has moved the picture."""

from typing import Any

import numpy as np
import PIL.Image
import torch
from numpy.typing import NDArray
from torch.utils._pytree import tree_leaves
from torchvision import tv_tensors

Grey = NDArray[np.float64]

NEAR = 1e-3
"""Of the range of a picture: what another type rounds off is less, and a shift by a pixel nearly always more."""

OF_ONE_BYTE = {"L", "RGB", "RGBA", "RGBX", "P", "PA", "LA", "CMYK", "YCbCr", "HSV", "LAB", "La", "RGBa"}
"""Modes of PIL that it converts to RGB without cutting off numbers."""


def greys(sample: Any) -> list[Grey | None]:
    """Return each picture of a sample in grey levels, from 0 for the darkest to 1 for the brightest.

    Parameters
    ----------
    sample : any pytree
        Its PIL images, tensors of at least three dimensions and arrays of numpy are looked at.

    Returns
    -------
    list of ndarray of shape (..., H, W), float64, or None
        Copies: a step may work in place. None for a picture of which nothing can be told, such as one of one colour.
    """
    return [_grey(leaf) for leaf in tree_leaves(sample) if _is_picture(leaf)]


def stays(before: list[Grey | None], after: list[Grey | None]) -> bool:
    """Return whether a step has certainly left every pixel in its place: conversions of type, mode and range do so.

    Parameters
    ----------
    before, after : list
        What `greys` said of the sample, before the step and after it.

    Returns
    -------
    bool
        Whether all pictures show the same grey levels at the same size. False where that is not certain, as after a
        change of colours.

    Examples
    --------
    >>> picture = PIL.Image.linear_gradient("L")
    >>> turned = picture.transpose(PIL.Image.Transpose.ROTATE_90)
    >>> stays(greys(picture), greys(picture.convert("RGB"))), stays(greys(picture), greys(turned))
    (True, False)
    """
    return bool(before) and len(before) == len(after) and all(map(_is_same, before, after))


def _is_same(one: Grey | None, other: Grey | None) -> bool:
    if one is None or other is None or one.shape != other.shape:
        return False
    return bool(np.abs(one - other).max() <= NEAR)


def _is_picture(leaf: Any) -> bool:
    if isinstance(leaf, tv_tensors.TVTensor):
        return isinstance(leaf, tv_tensors.Image | tv_tensors.Video)
    if isinstance(leaf, torch.Tensor):
        return leaf.ndim >= 3
    return isinstance(leaf, PIL.Image.Image) or (isinstance(leaf, np.ndarray) and leaf.ndim in {2, 3})


def _grey(picture: Any) -> Grey | None:
    if isinstance(picture, PIL.Image.Image):
        converts = picture.mode in OF_ONE_BYTE
        shown = np.asarray(picture.convert("RGB") if converts else picture, np.float64)
        shown = shown.mean(axis=2) if shown.ndim == 3 else shown
    elif isinstance(picture, np.ndarray):
        if picture.dtype.kind not in "biuf":
            return None
        shown = picture[..., :3].astype(np.float64).mean(axis=2) if picture.ndim == 3 else picture.astype(np.float64)
    else:
        if picture.is_complex() or picture.is_meta:
            return None
        plain = picture.as_subclass(torch.Tensor).detach().cpu()
        shown = plain[..., :3, :, :].to(torch.float64).mean(dim=-3).numpy()
    if not shown.size or not np.isfinite(shown).all():
        return None
    low, high = shown.min(), shown.max()
    spread: Grey = (shown - low) / (high - low) if high > low else shown
    return spread if high > low else None
