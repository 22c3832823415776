"""A map of what matters, in cells over the whole image."""

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

CELLS = 64
"""Cells a side that a map has at most: a larger one is averaged down to that. More would say no more, and cost more."""


@dataclass(frozen=True, eq=False)
class Salience:
    """A map of what matters: its mass, spread evenly over each cell.

    Parameters
    ----------
    cells : ndarray of shape (h, w), uint8
        The mass of each cell; some of it above 0.
    image_size : (int, int)
        Height and width of the image that the cells divide into equal parts.
    """

    cells: NDArray[np.uint8]
    image_size: Size

    rim: ClassVar[float] = 0.0
    solid: ClassVar[bool] = False

    @cached_property
    def area(self) -> float:
        """Its whole mass."""
        return float(self.cells.sum(dtype=np.int64))

    @property
    def box(self) -> Box:
        """What bounds the cells that have any."""
        (y0, y1), (x0, x1) = (np.flatnonzero(self.cells.any(axis=axis))[[0, -1]].tolist() for axis in (1, 0))
        down, across = self.image_size[0] / self.cells.shape[0], self.image_size[1] / self.cells.shape[1]
        return x0 * across, y0 * down, (x1 + 1) * across, (y1 + 1) * down

    def inside(self, window: Sequence[float]) -> float:
        """Return its mass in a window; of cells that the window cuts, in proportion."""
        (height, width), (down, across) = self.image_size, self.cells.shape
        x0, y0, x1, y1 = window
        x0, y0, x1, y1 = x0 * across / width, y0 * down / height, x1 * across / width, y1 * down / height
        x, y = np.arange(across), np.arange(down)
        wide, high = overlap(x, x + 1, x0, x1, NUMPY), overlap(y, y + 1, y0, y1, NUMPY)
        return float(high @ self.cells @ wide)

    def along(self, axis: int, start: Ints, length: int) -> Floats:
        """Return its mass between ``start`` and ``start + length`` on one axis."""
        upto = self._table[-1] if axis == 0 else self._table[:, -1]
        mass: Floats = self._upto(upto, axis, start + length) - self._upto(upto, axis, start)
        return mass

    def surface(self, size: Size, domain: Domain) -> Floats:
        """Return its mass in all windows of a size, by a summed-area table."""
        x, y = columns(domain), rows(domain)
        strips = self._upto(self._table.T, 0, x + size[1]) - self._upto(self._table.T, 0, x)  # (X, h + 1)
        mass: Floats = (self._upto(strips.T, 1, y + size[0]) - self._upto(strips.T, 1, y)).T
        return mass

    def _upto(self, table: Floats, axis: int, at: Ints) -> Floats:
        """Return a running sum along the first axis of a table, between the edges of its cells, at some pixels."""
        edge = np.clip(at * (len(table) - 1) / self.image_size[1 - axis], 0, len(table) - 1)
        cell = np.minimum(edge.astype(np.int64), len(table) - 2)
        share = (edge - cell).reshape(-1, *[1] * (table.ndim - 1))
        mass: Floats = table[cell] * (1 - share) + table[cell + 1] * share
        return mass

    @cached_property
    def _table(self) -> Floats:
        """Its mass above and to the left of every corner of a cell: whole numbers."""
        table = np.zeros((self.cells.shape[0] + 1, self.cells.shape[1] + 1))
        table[1:, 1:] = self.cells
        summed: Floats = table.cumsum(axis=0).cumsum(axis=1)
        return summed


def salience_of(given: Any, image_size: Size, name: str = "saliency") -> Salience | None:
    """Return a map as a shape; None where it shows nothing: all of it is 0.

    Parameters
    ----------
    given : array_like of shape (h, w)
        How much each part of the image matters, at least 0: whole numbers, bool or floats, in any unit. Its rows and
        columns divide the image into equal parts; so it may be of the image's size, or of less.
    image_size : (int, int)
        Height and width of the image.
    name : str
        What an error calls it.

    Returns
    -------
    Salience or None
        Of at most 64 cells a side: a larger map is averaged down. Bytes are kept as they are; all else, and what was
        averaged, is scaled so that the greatest is 255, and rounded.

    Raises
    ------
    ContentError
        On what is no map: another shape, no numbers, numbers below 0 or that are not finite.

    Examples
    --------
    >>> salience_of([[0.0, 0.5], [1.0, 0.0]], (100, 100)).cells.tolist()
    [[0, 128], [255, 0]]
    >>> salience_of(np.zeros((48, 48)), (100, 100))
    """
    array = _checked(given, name)
    for axis in (0, 1):
        if array.shape[axis] > CELLS:
            array = _averaged(array, axis)
    most = array.max()
    if not most:
        return None
    if array.dtype != np.uint8:
        array = np.floor(array / most * 255 + 0.5).astype(np.uint8)
    return Salience(np.ascontiguousarray(array), image_size)


def _checked(given: Any, name: str) -> NDArray[Any]:
    try:
        array = np.asarray(given)
    except ValueError:
        raise ContentError(f"{name} must be of numbers, got rows of different lengths") from None
    if array.dtype.kind not in "buif":
        raise ContentError(f"{name} must be a map of numbers, got {type(given).__name__} of {array.dtype}")
    if array.ndim != 2 or not array.size:
        raise ContentError(
            f"{name} must be a map of shape (h, w), one number for each part of the image, got shape {array.shape}"
        )
    if array.dtype.kind in "if" and not (array.min() >= 0 and array.max() < np.inf):
        raise ContentError(
            f"{name} must be of finite numbers of at least 0, got {array.min():g} to {array.max():g}; where nothing is "
            "known, write 0"
        )
    return array if array.dtype.kind in "ui" else array.astype(np.float64)


def _averaged(array: NDArray[Any], axis: int) -> Floats:
    """Return the means of `CELLS` parts along an axis; of pixels that a part cuts, in proportion."""
    edges = np.linspace(0, array.shape[axis], CELLS + 1)
    pixels = np.arange(array.shape[axis])
    shares = overlap(edges[:-1, None], edges[1:, None], pixels, pixels + 1, NUMPY)  # (CELLS, side)
    rows_first = np.moveaxis(array, axis, 0).astype(np.float64)
    means: Floats = np.moveaxis(shares @ rows_first, 0, axis) * (CELLS / array.shape[axis])
    return means
