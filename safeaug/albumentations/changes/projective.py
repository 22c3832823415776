"""Affine and perspective maps.

The host draws matrices and hands them to OpenCV, which moves the centres of pixels by them, the first at 0. What it
does to edges follows from that; the matrices that the host keeps for boxes are not asked, since they do not always
agree with the pixels (`SafeRotate` and `Perspective` are half a pixel off).
"""

from typing import Any

import numpy as np

from safeaug.geometry import Size
from safeaug.guarding.untold import RefusedError
from safeaug.guarding.way import Params
from safeaug.ledger.changes import Change, Mapped

Rows = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]
"""A matrix in plain numbers: these are quicker than arrays of nine."""


def affine(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``Affine``, ``ShiftScaleRotate`` or ``SafeRotate``."""
    matrix = params["matrix"]
    if is_left_alone(matrix):  # at its own size too, whatever ``output_shape`` says
        return None
    height, width = params["output_shape"]
    return Mapped(at_edges(matrix), (round(height), round(width)))


def rotation(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``Rotate``, and of the crop that takes its corners away."""
    matrix = params["matrix"]
    alone = is_left_alone(matrix)
    if not transform.crop_border:
        return None if alone else Mapped(at_edges(matrix), image_size)
    left, right, top, bottom = (params[name] for name in ("x_min", "x_max", "y_min", "y_max"))
    size = bottom - top, right - left
    if min(size) < 1:
        raise RefusedError("of a picture as narrow as this, turned so far, Rotate leaves no pixel")
    if alone and size == image_size:
        return None
    (a, b, c), (d, e, f), last = at_edges(np.eye(3) if alone else matrix)
    return Mapped(((a, b, c - left), (d, e, f - top), last), size)


def perspective(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``Perspective``."""
    matrix, height, width = params["matrix"], params["max_height"], params["max_width"]
    if not (height and width):
        raise RefusedError("of a picture as small as this, Perspective leaves no pixel")
    if not transform.keep_size:
        return Mapped(at_edges(matrix), (height, width))
    (a, b, c), (d, e, f), last = np.asarray(matrix).tolist()
    x, y = image_size[1] / width, image_size[0] / height
    return Mapped(at_edges(((a * x, b * x, c * x), (d * y, e * y, f * y), last)), image_size)


def is_left_alone(matrix: Any) -> bool:
    """Return whether the host leaves an image alone, since the matrix is close to the identity.

    The numbers are those of ``numpy.allclose``, by which the host tells.
    """
    (a, b, c), (d, e, f), _ = np.asarray(matrix).tolist()
    off, on = 1e-8, 1e-8 + 1e-5
    return bool(abs(a - 1) <= on and abs(e - 1) <= on and max(abs(b), abs(c), abs(d), abs(f)) <= off)


def at_edges(matrix: Any) -> Rows:
    """Return a map of pixel centres as one of pixel edges: `safeaug.ledger.changes.at_edges`, in plain numbers."""
    (a, b, c), (d, e, f), (g, h, i) = matrix if isinstance(matrix, tuple) else np.asarray(matrix).tolist()
    if g == 0 and h == 0 and i == 1:
        return (a, b, c + (1 - a - b) / 2), (d, e, f + (1 - d - e) / 2), (0.0, 0.0, 1.0)
    # From the left, a half of the last row goes to the others; from the right, a half of two columns off the third.
    a, b, c, d, e, f = a + g / 2, b + h / 2, c + i / 2, d + g / 2, e + h / 2, f + i / 2
    return (a, b, c - (a + b) / 2), (d, e, f - (d + e) / 2), (g, h, i - (g + h) / 2)
