"""A mask: an object, or the foreground, pixel by pixel."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from safeaug.arrays import NUMPY
from safeaug.errors import ContentError
from safeaug.geometry import Box, Domain, Size, overlap
from safeaug.shapes.shape import Floats, Ints, columns, rows

BLOCK = 8
"""Rows that are counted together for a bound."""


@dataclass(frozen=True, eq=False)
class Region:
    """What an object covers of each pixel of a rectangle, as a rule the whole image.

    Most draws end with the host's own window, and to judge it two counts suffice. So the rest is made when it is asked
    for: what bounds the object, the profiles that bound where a window may stand, the table of the exact count.

    Parameters
    ----------
    cover : ndarray of shape (h, w), bool, whole numbers or float64
        For each pixel of the rectangle: not 0 where it belongs to the object; of floats the share in [0, 1] that does.
    left, top : int
        Where the rectangle stands in the image.
    rim : float
        See `Shape`. A mask's is 0: its pixels are exact.
    """

    cover: NDArray[Any]
    left: int = 0
    top: int = 0
    rim: float = 0.0

    solid: ClassVar[bool] = True

    @cached_property
    def area(self) -> float:
        """Square pixels."""
        return _mass(self.cover)

    @cached_property
    def box(self) -> Box:
        """What bounds the pixels that it covers at all."""
        x, blocks = np.flatnonzero(self._profiles[0]), np.flatnonzero(self._profiles[1])
        first, last = int(blocks[0]) * BLOCK, int(blocks[-1]) * BLOCK
        y0 = first + int(np.flatnonzero(self.cover[first : first + BLOCK].any(axis=1))[0])
        y1 = last + int(np.flatnonzero(self.cover[last : last + BLOCK].any(axis=1))[-1]) + 1
        x0, x1 = int(x[0]), int(x[-1]) + 1
        return float(self.left + x0), float(self.top + y0), float(self.left + x1), float(self.top + y1)

    def inside(self, window: Sequence[float]) -> float:
        """Return its area in a window; of pixels that a fractional window cuts, in proportion."""
        height, width = self.cover.shape
        x0, y0 = max(window[0] - self.left, 0), max(window[1] - self.top, 0)
        x1, y1 = min(window[2] - self.left, width), min(window[3] - self.top, height)
        if x0 >= x1 or y0 >= y1:
            return 0.0
        left, top, right, bottom = int(x0), int(y0), int(x1), int(y1)
        if left == x0 and top == y0 and right == x1 and bottom == y1:
            return _mass(self.cover[top:bottom, left:right])
        x, y = np.arange(width), np.arange(height)
        wide, high = overlap(x, x + 1, x0, x1, NUMPY), overlap(y, y + 1, y0, y1, NUMPY)
        return float(high @ self._shares @ wide)

    def along(self, axis: int, start: Ints, length: int) -> Floats:
        """Return no less than its area between ``start`` and ``start + length`` on one axis.

        Columns are exact; rows are counted in blocks of `BLOCK`, all that are touched.
        """
        before, upto = self._upto[axis]
        first, last = int(start[0]) - (self.left, self.top)[axis], len(upto) - 1
        count = len(start)
        if first >= 0 and first + count - 1 + length <= last:  # as a rule: views, where indices would be gathered
            inside: Floats = upto[first + length : first + length + count] - before[first : first + count]
            return inside
        at = start - (self.left, self.top)[axis]
        area: Floats = upto[np.clip(at + length, 0, last)] - before[np.clip(at, 0, last)]
        return area

    def surface(self, size: Size, domain: Domain) -> Floats:
        """Return its area in all windows of a size, by a summed-area table."""
        left, top, *_ = map(int, self.box)
        table = self._table
        height, width = table.shape[0] - 1, table.shape[1] - 1
        x, y = columns(domain) - left, rows(domain) - top
        strips = table[:, np.clip(x + size[1], 0, width)] - table[:, np.clip(x, 0, width)]
        area: Floats = (strips[np.clip(y + size[0], 0, height)] - strips[np.clip(y, 0, height)]).T
        return area

    @property
    def _is_whole(self) -> bool:
        """Whether each pixel belongs to the object or not, and none by a share."""
        return self.cover.dtype.kind != "f"

    @cached_property
    def _shares(self) -> NDArray[Any]:
        """What the object covers of each pixel: bool, or float64. Counting alone does without, and without a copy."""
        return self.cover != 0 if self.cover.dtype.kind in "ui" else self.cover

    @cached_property
    def _profiles(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Its area in each column, and in each block of rows."""
        height, width = self.cover.shape
        whole = height - height % BLOCK
        # Counts of 8 pixels fit a byte, and bytes add up several times as quickly as anything longer.
        pixels, unit = (self._shares.view(np.uint8), np.uint8) if self._is_whole else (self._shares, np.float64)
        blocks = np.add.reduce(pixels[:whole].reshape(whole // BLOCK, BLOCK, width), axis=1, dtype=unit)
        if whole < height:
            blocks = np.concatenate([blocks, np.add.reduce(pixels[whole:], axis=0, dtype=unit)[None]])
        total = np.int32 if self._is_whole else np.float64
        return np.add.reduce(blocks, axis=0, dtype=total), np.add.reduce(blocks, axis=1, dtype=total)

    @cached_property
    def _upto(self) -> tuple[tuple[NDArray[Any], NDArray[Any]], ...]:
        """Of each axis, no more and no less than its area before each pixel's edge."""
        across, down = (np.concatenate([np.zeros(1, profile.dtype), np.cumsum(profile)]) for profile in self._profiles)
        height = self.cover.shape[0]
        before, upto = np.repeat(down, BLOCK)[:height], np.repeat(down[1:], BLOCK)[:height]
        return (across, across), (np.concatenate([before, down[-1:]]), np.concatenate([down[:1], upto]))

    @cached_property
    def _table(self) -> NDArray[Any]:
        """Within its box, its area above and to the left of every corner of a pixel; exact for whole pixels."""
        x0, y0, x1, y1 = map(int, self.box)
        cover = self._shares[y0 - self.top : y1 - self.top, x0 - self.left : x1 - self.left]
        whole = np.int32 if cover.size < 2**31 else np.int64
        dtype = whole if self._is_whole else np.float64
        table = np.zeros((cover.shape[0] + 1, cover.shape[1] + 1), dtype=dtype)
        np.cumsum(cover, axis=0, out=table[1:, 1:])
        np.cumsum(table[1:, 1:], axis=1, out=table[1:, 1:])
        return table


def region_of(mask: Any, image_size: Size, name: str = "mask") -> Region | None:
    """Return a mask as a region; None where it covers nothing.

    Parameters
    ----------
    mask : array_like of shape (H, W) or (H, W, C)
        Of whole numbers or bool: what is not 0 (in any channel) belongs to the object. Of floats: the share of each
        pixel (the greatest of its channels) that does, in [0, 1].
    image_size : (int, int)
        Height and width of the image.
    name : str
        What an error calls it.

    Raises
    ------
    ContentError
        Where the mask has another size than the image, or shares are outside of [0, 1].

    Examples
    --------
    >>> mask = np.zeros((8, 8), np.uint8)
    >>> mask[2:4, 2:7] = 255
    >>> region_of(mask, (8, 8)).box
    (2.0, 2.0, 7.0, 4.0)
    """
    array = map_of(mask, image_size, name)
    if array.dtype.kind == "f":
        soft = (array.max(axis=2) if array.ndim == 3 else array).astype(np.float64)
        if not (soft.min() >= 0 and soft.max() <= 1):
            raise ContentError(
                f"{name} of floats must hold shares in [0, 1], got {np.min(soft):g} to {np.max(soft):g}; divide by the "
                "greatest value, or give whole numbers, of which all but 0 belong to the object"
            )
        return _covering(soft)
    return _covering(np.asarray(np.any(array != 0, axis=2)) if array.ndim == 3 else array)


def map_of(mask: Any, image_size: Size, name: str = "mask") -> NDArray[Any]:
    """Return a mask as an array of numbers, or raise `ContentError` where it is none, or not of the image's size."""
    try:
        array = np.asarray(mask)
    except ValueError:
        raise ContentError(f"{name} must be of numbers, got rows of different lengths") from None
    if array.shape[:2] != image_size or array.ndim not in {2, 3} or not array.size:
        raise ContentError(
            f"{name} must be of the image's height and width {image_size}, got shape {array.shape}; resize the mask "
            "with the image, with nearest-neighbour interpolation"
        )
    if array.dtype.kind not in "buif":
        raise ContentError(f"{name} must be of numbers, got {array.dtype}")
    return array


def _covering(cover: NDArray[Any]) -> Region | None:
    region = Region(cover)
    return region if region.area else None


def _mass(cover: NDArray[Any]) -> float:
    return float(cover.sum() if cover.dtype.kind == "f" else np.count_nonzero(cover))
