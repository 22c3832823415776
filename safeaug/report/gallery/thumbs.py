"""Small pictures of large ones, made from their pixels alone: nothing of a source file's tags comes with them."""

import io
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from safeaug.data.torch_boxes import is_a
from safeaug.geometry import Size
from safeaug.report.pixels import shown_of

FORMAT = "webp"
"""Of small pictures, and how their files end. As good a JPEG is half as large again."""

ENOUGH = 4
"""Times its longest side that a picture of other values than bytes keeps before they are looked at."""


class Kind(NamedTuple):
    """What small pictures are for.

    Parameters
    ----------
    side : int
        The longest side, in pixels. A picture that is smaller stays as it is.
    quality : int
        Of the file, from 0 to 100.
    heavy : float
        Bytes a pixel that a file may have at that quality.
    least : int
        The quality of one that would have more: what is so busy hides by its own texture what a lower one costs, and
        a page of such pictures stays small.
    """

    side: int
    quality: int
    heavy: float
    least: int


CARD = Kind(160, 60, 0.17, 30)
"""A picture on a card, about as good as a JPEG of quality 70."""

FRAME = Kind(72, 50, 0.22, 30)
"""A frame of the film, about as good as a JPEG of quality 60."""


class Thumb(NamedTuple):
    """A small picture: the file, its height and width, and what was done to values that are no colours."""

    file: bytes
    size: Size
    note: str


def thumb_of(image: Any, kind: Kind = CARD) -> Thumb:
    """Return a small picture of an image of any type and range.

    Parameters
    ----------
    image : array_like of shape (H, W) or (H, W, C), or tensor of shape (C, H, W)
        Of a file, or what a pipeline handed on.
    kind : Kind
        What it is for.

    Raises
    ------
    DataError
        Where it is no picture.

    Examples
    --------
    >>> thumb = thumb_of(np.zeros((480, 640, 3), np.uint8))
    >>> thumb.size, thumb.file[:4], thumb.file[8:12]
    ((120, 160), b'RIFF', b'WEBP')
    """
    shown = shown_of(_thinned(image, ENOUGH * kind.side))
    small = Image.fromarray(shown.pixels)
    small.thumbnail((kind.side, kind.side), Image.Resampling.BILINEAR, reducing_gap=2.0)
    file = _file(small, kind.quality)
    if len(file) > kind.heavy * small.width * small.height:
        file = _file(small, kind.least)
    return Thumb(file, (small.height, small.width), shown.note)


def _file(image: Image.Image, quality: int) -> bytes:
    file = io.BytesIO()
    image.save(file, FORMAT, quality=quality, method=2)  # a greater effort takes half as long again to save a twentieth
    return file.getvalue()


def frame_of(image: Any) -> bytes:
    """Return an image as a frame of a film: smaller still."""
    return thumb_of(image, FRAME).file


def _thinned(image: Any, most: int) -> Any:
    """Return an image of other values than bytes with rows and columns passed over, so that these take less memory."""
    first = len(getattr(image, "shape", ())) == 3 and is_a(image, "Tensor", "torch")
    sides = getattr(image, "shape", ())[1:] if first else getattr(image, "shape", ())[:2]
    step = max(sides, default=0) // most
    if step < 2 or getattr(image, "dtype", None) == np.uint8:  # these are shrunk as they are
        return image
    return image[:, ::step, ::step] if first else image[::step, ::step]
