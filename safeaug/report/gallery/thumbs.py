"""Small pictures of large ones, made from their pixels alone: nothing of a source file's tags comes with them."""

import io
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from safeaug.data.torch_boxes import is_a
from safeaug.geometry import Size
from safeaug.report.pixels import shown_of

SIDE, QUALITY = 160, 70
"""Longest side of a picture on a card, in pixels, and its quality as a JPEG."""

FRAME_SIDE, FRAME_QUALITY = 72, 60
"""The same of a frame of the film."""

ENOUGH = 4
"""Times its longest side that a picture of other values than bytes keeps before they are looked at."""


class Thumb(NamedTuple):
    """A small picture: the file, its height and width, and what was done to values that are no colours."""

    jpeg: bytes
    size: Size
    note: str


def thumb_of(image: Any, side: int = SIDE, quality: int = QUALITY) -> Thumb:
    r"""Return a small picture of an image of any type and range.

    Parameters
    ----------
    image : array_like of shape (H, W) or (H, W, C), or tensor of shape (C, H, W)
        Of a file, or what a pipeline handed on.
    side : int
        The longest side of the small picture. One that is smaller stays as it is.
    quality : int
        Of the JPEG.

    Raises
    ------
    DataError
        Where it is no picture.

    Examples
    --------
    >>> thumb = thumb_of(np.zeros((480, 640, 3), np.uint8))
    >>> thumb.size, thumb.jpeg[:3]
    ((120, 160), b'\xff\xd8\xff')
    """
    shown = shown_of(_thinned(image, ENOUGH * side))
    small = Image.fromarray(shown.pixels)
    small.thumbnail((side, side), Image.Resampling.BILINEAR, reducing_gap=2.0)
    file = io.BytesIO()
    small.save(file, "JPEG", quality=quality, optimize=True)
    return Thumb(file.getvalue(), (small.height, small.width), shown.note)


def frame_of(image: Any) -> bytes:
    """Return an image as a frame of a film: smaller still."""
    return thumb_of(image, FRAME_SIDE, FRAME_QUALITY).jpeg


def _thinned(image: Any, most: int) -> Any:
    """Return an image of other values than bytes with rows and columns passed over, so that these take less memory."""
    first = len(getattr(image, "shape", ())) == 3 and is_a(image, "Tensor", "torch")
    sides = getattr(image, "shape", ())[1:] if first else getattr(image, "shape", ())[:2]
    step = max(sides, default=0) // most
    if step < 2 or getattr(image, "dtype", None) == np.uint8:  # these are shrunk as they are
        return image
    return image[:, ::step, ::step] if first else image[::step, ::step]
