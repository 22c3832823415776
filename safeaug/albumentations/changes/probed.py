"""What only an image that goes through a transform can tell."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Size
from safeaug.guarding.untold import UntoldError
from safeaug.guarding.way import Params
from safeaug.ledger.changes import Change, Unknown

EXACT = 2**22
"""Pixels up to which float32, which every operation of OpenCV takes, holds the number of a pixel and a half."""


def probed(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell what a transform does that nobody knows, from two masks that go through it.

    One of them counts the pixels row by row, the other column by column. Where both say the same pixel, it is shown.
    Where they are equal, what is there was not made from them: a fill. Anything else was made of several pixels, as by
    interpolation, and then nothing can be told. The numbers end on a half, as no fill does.

    What a transform hides in images but not in masks is not seen.

    Raises
    ------
    UntoldError
        Where the transform refuses such masks, interpolates them, or makes something else of them.
    """
    height, width = image_size
    pixels = np.arange(height * width)
    by_row = _through(transform, params, pixels.reshape(height, width))
    by_column = _through(transform, params, np.ascontiguousarray(pixels.reshape(width, height).T))
    if by_row.shape != by_column.shape:
        raise UntoldError(f"{_name(transform)} makes masks of two sizes of two of one size: it cannot be measured")
    row, column = _counted(by_row, pixels.size), _counted(by_column, pixels.size)
    shown = (row >= 0) & (column >= 0) & (row // width == column % height) & (row % width == column // height)
    if not (shown | (by_row == by_column)).all():
        raise UntoldError(
            f"{_name(transform)} makes other numbers of those in a mask, as by interpolation: it cannot be measured. "
            "Let it take the nearest pixel for masks"
        )
    index = np.where(shown, row, -1)
    if index.shape == image_size and (index.ravel() == pixels).all():
        return None
    return Unknown(index)


def _through(transform: Any, params: Params, counted: NDArray[np.int64]) -> NDArray[Any]:
    """Return a mask of numbers of pixels after the transform."""
    dtype = np.dtype(np.float32 if counted.size <= EXACT else np.float64)
    try:
        made = np.asarray(transform.apply_to_mask((counted + 0.5).astype(dtype), **params))
    except Exception as error:  # whatever somebody else's code raises
        raise UntoldError(f"{_name(transform)} fails on a mask of {dtype}: it cannot be measured ({error})") from error
    if made.ndim == 3 and made.shape[2] == 1:
        made = made[:, :, 0]
    if made.ndim != 2:
        raise UntoldError(f"{_name(transform)} makes {made.shape} of a mask (H, W): it cannot be measured")
    return made


def _counted(made: NDArray[Any], pixels: int) -> NDArray[np.int64]:
    """Return the numbers of pixels in a mask; -1 where there is none."""
    number = np.floor(made)
    whole = (made == number + 0.5) & (number >= 0) & (number < pixels)
    counted: NDArray[np.int64] = np.where(whole, number, -1).astype(np.int64)
    return counted


def _name(transform: Any) -> str:
    return type(transform).__name__
