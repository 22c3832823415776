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
    cover : ndarray of shape (h, w), bool or float64
        True, or the share in [0, 1], for each pixel of the rectangle.
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
        if all(side == int(side) for side in (x0, y0, x1, y1)):
            return _mass(self.cover[int(y0) : int(y1), int(x0) : int(x1)])
        x, y = np.arange(width), np.arange(height)
        wide, high = overlap(x, x + 1, x0, x1, NUMPY), overlap(y, y + 1, y0, y1, NUMPY)
        return float(high @ self.cover.astype(np.float64) @ wide)

    def along(self, axis: int, start: Ints, length: int) -> Floats:
        """Return no less than its area between ``start`` and ``start + length`` on one axis.

        Columns are exact; rows are counted in blocks of `BLOCK`, all that are touched.
        """
        upto, first, step = (self._upto[0], self.left, 1) if axis == 0 else (self._upto[1], self.top, BLOCK)
        last = len(upto) - 1
        begin, end = (start - first) // step, -((first - start - length) // step)
        area: Floats = upto[np.clip(end, 0, last)] - upto[np.clip(begin, 0, last)]
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

    @cached_property
    def _profiles(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Its area in each column, and in each block of rows."""
        height, width = self.cover.shape
        whole = height - height % BLOCK
        # Counts of 8 pixels fit a byte, and bytes add up several times as quickly as anything longer.
        pixels, unit = (self.cover.view(np.uint8), np.uint8) if self.cover.dtype == bool else (self.cover, np.float64)
        blocks = pixels[:whole].reshape(whole // BLOCK, BLOCK, width).sum(axis=1, dtype=unit)
        if whole < height:
            blocks = np.concatenate([blocks, pixels[whole:].sum(axis=0, dtype=unit)[None]])
        total = np.int32 if self.cover.dtype == bool else np.float64
        return blocks.sum(axis=0, dtype=total), blocks.sum(axis=1, dtype=total)

    @cached_property
    def _upto(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Its area to the left of each column's edge, and above each block's."""
        across, down = (np.concatenate([np.zeros(1, profile.dtype), np.cumsum(profile)]) for profile in self._profiles)
        return across, down

    @cached_property
    def _table(self) -> NDArray[Any]:
        """Within its box, its area above and to the left of every corner of a pixel; exact for whole pixels."""
        x0, y0, x1, y1 = map(int, self.box)
        cover = self.cover[y0 - self.top : y1 - self.top, x0 - self.left : x1 - self.left]
        dtype = np.int64 if cover.dtype == bool else np.float64
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
    full: NDArray[Any] = array if array.dtype == bool else array != 0
    if full.ndim == 3:
        full = np.any(full, axis=2)
    return _covering(full)


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
    return float(np.count_nonzero(cover) if cover.dtype == bool else cover.sum())
