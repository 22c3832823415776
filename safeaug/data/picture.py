"""The pixels of a sample, where they are wanted after all."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import ImageOps

from safeaug.data.header import opened
from safeaug.data.remarks import place, said
from safeaug.data.sample import Sample
from safeaug.data.torch_boxes import array_of, is_a
from safeaug.errors import DataError


def picture_of(sample: Sample) -> NDArray[Any]:
    """Return the picture of a sample, upright.

    Parameters
    ----------
    sample : Sample
        With a path, or an image of Pillow's, a tensor of shape (C, H, W) or an array of shape (H, W, C) or (H, W).

    Returns
    -------
    ndarray of shape (H, W, 3), uint8; of more than 8 bits (H, W); of an image that a data set hands over, as it is

    Raises
    ------
    DataError
        Where there is none, it cannot be read, or it is not of the sample's size.

    Examples
    --------
    >>> picture_of(Sample("0", (2, 3), image=np.zeros((2, 3, 3), np.uint8))).shape
    (2, 3, 3)
    """
    if sample.image is None and sample.path is None:
        raise DataError("expected a sample with a picture; say in which folder pictures are", sample.where, "missing")
    pixels = _read(sample) if sample.image is None else _handed(sample)
    if pixels.shape[:2] != tuple(sample.size):
        raise DataError(
            f"expected a picture of {sample.size[0]} x {sample.size[1]} pixels (height x width), got one of "
            f"{' x '.join(map(str, pixels.shape[:2]))}; has it been changed since?",
            sample.where,
            "other size",
        )
    return pixels


def scaled_picture_of(sample: Sample) -> NDArray[Any]:
    """Return the picture of a sample as `safeaug.saliency` takes it: bytes; of more than 8 bits floats in [0, 1].

    Raises
    ------
    DataError
        See `picture_of`.

    Examples
    --------
    >>> scaled_picture_of(Sample("0", (1, 2), image=np.array([[0, 65535]], np.uint16))).tolist()
    [[0.0, 1.0]]
    """
    pixels = picture_of(sample)
    if pixels.dtype.kind in "iu" and pixels.dtype.itemsize > 1:
        return (pixels / max(65535, int(pixels.max()))).astype(np.float32)
    return pixels


def _read(sample: Sample) -> NDArray[Any]:
    assert sample.path is not None
    where = sample.where or place(sample.path)
    with opened(sample.path, where) as image:
        try:
            upright = ImageOps.exif_transpose(image)
            # RGB has 8 bits: Pillow would cut off what is more.
            return np.asarray(upright if upright.mode[0] in "IF" else upright.convert("RGB"))
        except Exception as error:  # Pillow makes no promise of what its decoders raise on damaged bytes
            raise DataError(
                f"expected a whole picture at {place(sample.path)}, got: {said(error)}", where, "unreadable"
            ) from error


def _handed(sample: Sample) -> NDArray[Any]:
    """Return an image that a data set handed over, channels last."""
    array = array_of(sample.image, "an image", sample.where)
    return np.moveaxis(array, 0, -1) if array.ndim == 3 and is_a(sample.image, "Tensor", "torch") else array
