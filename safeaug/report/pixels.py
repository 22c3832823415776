"""What a pipeline hands on, as a picture that can be looked at."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.data.torch_boxes import array_of, is_a


class Shown(NamedTuple):
    """A picture to look at.

    Parameters
    ----------
    pixels : ndarray of shape (H, W, 3), uint8
        What is shown.
    note : str
        What had to be done to its values for that; empty where nothing had.
    """

    pixels: NDArray[np.uint8]
    note: str


def shown_of(image: Any) -> Shown:
    """Return an image as it can be shown, whatever its type and range.

    Parameters
    ----------
    image : array_like of shape (H, W) or (H, W, C), or tensor of shape (C, H, W)
        What a pipeline handed on. Of two channels, or of more than four, the first or the first three are shown.

    Raises
    ------
    DataError
        Where it is no picture.

    Examples
    --------
    >>> shown_of(np.array([[[-1.0], [1.0]]], np.float32))
    Shown(pixels=array([[[  0,   0,   0],
            [255, 255, 255]]], dtype=uint8), note='values -1 to 1, stretched')
    """
    pixels = array_of(image, "a picture", "")
    if is_a(image, "Tensor", "torch") and pixels.ndim == 3:
        pixels = np.moveaxis(pixels, 0, -1)
    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    pixels = np.repeat(pixels[:, :, :1], 3, axis=2) if pixels.shape[2] < 3 else pixels[:, :, :3]
    if pixels.dtype == np.uint8:
        return Shown(np.ascontiguousarray(pixels), "")
    return _stretched(pixels.astype(np.float64))


def _stretched(values: NDArray[np.float64]) -> Shown:
    finite = np.isfinite(values)
    if not finite.any():
        return Shown(np.zeros(values.shape, np.uint8), "no finite value")
    low, high = float(values[finite].min()), float(values[finite].max())
    odd = "" if finite.all() else ", some not finite"
    note = f"values {low:.3g} to {high:.3g}, stretched{odd}"
    if low >= 0 and high <= 1:
        low, high, note = 0.0, 1.0, odd.removeprefix(", ")
    shares = np.clip((np.where(finite, values, low) - low) / ((high - low) or 1.0), 0, 1)
    return Shown(np.rint(255 * shares).astype(np.uint8), note)
