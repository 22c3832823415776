"""A step without pixels: boxes and keypoints go through it, images and masks are stood in for by their sizes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.albumentations.changes import Params
from safeaug.geometry import Size

MOVED = {"bboxes", "keypoints"}
"""Targets that later steps may look at."""

SEVERAL = {"images", "masks"}
"""Targets of several pictures; a Compose has stacked lists of them before the first step."""


def without_pixels(
    transform: Any, apply: Callable[..., Any], params: Params, data: dict[str, Any], size: Size
) -> dict[str, Any]:
    """Return what a step makes of a sample, with stand-ins of the right size for all that has pixels.

    Parameters
    ----------
    transform : BasicTransform
        The step.
    apply : callable
        Its host's ``apply_with_params``.
    params : dict
        All parameters of the draw.
    data : dict
        What was handed to the step.
    size : (int, int)
        Height and width of the picture after the step.
    """
    kinds = {key: transform._additional_targets.get(key, key) for key in data}
    moved = {key: value for key, value in data.items() if kinds[key] in MOVED}
    result: dict[str, Any] = apply(params, **moved)
    for key, value in data.items():
        if key not in moved:
            shown = key in transform._key2func and isinstance(value, np.ndarray)
            result[key] = blank(value, size, several=kinds[key] in SEVERAL) if shown else value
    return result


def blank(value: NDArray[Any], size: Size, *, several: bool) -> NDArray[Any]:
    """Return an array without memory of its own that has a picture's shape, but for another height and width.

    Parameters
    ----------
    value : ndarray of shape (H, W), (H, W, C), (N, H, W) or (N, H, W, C)
        One picture, or several, one after another.
    size : (int, int)
        Another height and width.
    several : bool
        Which of both.

    Examples
    --------
    >>> one, two = np.zeros((40, 60, 3)), np.zeros((2, 40, 60))
    >>> blank(one, (8, 9), several=False).shape, blank(two, (8, 9), several=True).shape
    ((8, 9, 3), (2, 8, 9))
    """
    at = 1 if several else 0
    shape = (*value.shape[:at], *size, *value.shape[at + 2 :])
    return np.broadcast_to(np.zeros((), value.dtype), shape)
