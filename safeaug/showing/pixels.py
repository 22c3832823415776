"""Pixels of one picture, channels last, and what their values are."""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.errors import DataError
from safeaug.showing.arrays import array_of, is_tensor
from safeaug.showing.told import told

Layout = Literal["CHW", "HWC"]
"""Where the channels are: before the rows, or behind the columns."""

CHANNELS = frozenset({1, 3, 4})
"""How many numbers a pixel has, as a rule."""

MOST_CHANNELS = 16
"""How many a pixel has at most, where they are many: satellites see in a dozen colours."""


class Pixels(NamedTuple):
    """A picture's numbers, and what is odd about them.

    Parameters
    ----------
    values : ndarray of shape (H, W, C)
        Of any kind of numbers; those of Pillow's and whole ones as they came, others of at least 32 bits.
    low, high : float
        The least and the greatest finite value; NaN where none is finite.
    bad : ndarray of shape (H, W), bool, or None
        Which pixels hold what is not finite; None where all are finite.
    nan, infinite : int
        How many pixels hold a NaN, and how many an infinity.
    dtype : str
        What the numbers were when they came.
    """

    values: NDArray[Any]
    low: float
    high: float
    bad: NDArray[np.bool_] | None
    nan: int
    infinite: int
    dtype: str

    @property
    def size(self) -> tuple[int, int]:
        """Height and width."""
        return self.values.shape[0], self.values.shape[1]

    @property
    def flat(self) -> bool:
        """Whether all values are the same."""
        return self.low == self.high


def pixels_of(picture: Any, layout: Layout | None, where: str) -> Pixels:
    """Return a picture's numbers.

    Parameters
    ----------
    picture : array_like
        Of two or three dimensions, or one of Pillow's.
    layout : {"CHW", "HWC"} or None
        Where the channels of an array of three dimensions are; None: where there are 1, 3 or 4; where that holds of
        both, of tensors before the rows, of other arrays behind the columns.
    where : str
        Which picture an error speaks of.

    Raises
    ------
    DataError
        Where it holds no numbers, or none at all.

    Examples
    --------
    >>> pixels = pixels_of(np.array([[[0.5, np.nan]], [[0.0, 1.0]], [[0.0, np.inf]]]), None, "image 0")
    >>> pixels.size, pixels.low, pixels.high, pixels.nan, pixels.infinite
    ((1, 2), 0.0, 1.0, 1, 1)
    """
    array = array_of(picture)
    if array is None or not array.size:
        raise DataError(f"expected a picture of numbers, at least one pixel, got {told(picture)}", where)
    if array.ndim == 2:
        array = array[:, :, None]
    elif (layout or _layout_of(array.shape, is_tensor(picture))) == "CHW":
        array = np.moveaxis(array, 0, -1)
    dtype = str(getattr(picture, "dtype", array.dtype)).removeprefix("torch.")
    return _measured(array, dtype)


def _layout_of(shape: tuple[int, ...], tensor: bool) -> Layout:
    first, last = shape[0] in CHANNELS, shape[-1] in CHANNELS
    if first == last:
        first, last = shape[0] <= MOST_CHANNELS < shape[-1], shape[-1] <= MOST_CHANNELS < shape[0]
    if first == last:
        first = tensor
    return "CHW" if first else "HWC"


def _measured(array: NDArray[Any], dtype: str) -> Pixels:
    if array.dtype.kind != "f":
        return Pixels(array, float(array.min()), float(array.max()), None, 0, 0, dtype)
    values = array.astype(np.float32) if array.dtype.itemsize < 4 else array
    finite = np.isfinite(values)
    if finite.all():
        return Pixels(values, float(values.min()), float(values.max()), None, 0, 0, dtype)
    there = values[finite]
    low, high = (float(there.min()), float(there.max())) if there.size else (np.nan, np.nan)
    nan, infinite = (int(odd.any(axis=2).sum()) for odd in (np.isnan(values), np.isinf(values)))
    return Pixels(values, low, high, ~finite.all(axis=2), nan, infinite, dtype)
