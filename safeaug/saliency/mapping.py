"""The map of one image, by numpy."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.errors import ContentError
from safeaug.saliency.grid import area_matrix, rows_on_grid
from safeaug.saliency.library import NUMPY
from safeaug.saliency.methods import SIZE, Method, checked_method, checked_size, maps_on
from safeaug.saliency.normal import bytes_of
from safeaug.saliency.provided import provided

Map = NDArray[np.float32]
"""A map in [0, 1], of shape (size, size); all zeros where there is no evidence."""

MARGIN = 1e-3
"""By how much the mean of a cell may leave [0, 1] before the picture is refused: filters overshoot."""


def saliency_map(
    image: NDArray[Any], method: Method | Callable[..., Any] = "auto", *, size: int = SIZE, key: Any = None
) -> Map:
    """Return where in an image something is that stands out.

    The map has ``size`` x ``size`` cells whatever the shape of the image: of a panorama a cell is as wide and flat as
    the panorama, of an image with fewer pixels a pixel has several cells. So maps of different images are alike in
    size, and a cell is found from a pixel by a scale along each axis.

    Parameters
    ----------
    image : ndarray of shape (H, W) or (H, W, C)
        uint8, or floats in [0, 1]. Three channels are sRGB; any others are each taken for a grey image.
    method : Method or callable, default "auto"
        A name, or what is handed the image and returns a map: see `safeaug.saliency.provided`.
    size : int, default 48
        Cells along each side.
    key : object, optional
        What names the image, for providers that look maps up: see `ByKey`. It stands in errors.

    Returns
    -------
    ndarray of shape (size, size), float32
        The least value is 0 and the greatest 1. All are 0 where there is *no evidence*: the image is constant, or holds
        what is not finite.

    Raises
    ------
    ContentError
        Where the image or a provider's map is none.
    PolicyError
        Where method or size is none.

    Examples
    --------
    >>> image = np.full((120, 240, 3), 90, np.uint8)
    >>> image[30:60, 120:180] = 200, 40, 40
    >>> (saliency_map(image, size=8)[2] > 0.5).astype(int).tolist()
    [0, 0, 0, 0, 1, 1, 0, 0]
    >>> saliency_map(image[60:]).any()
    np.False_
    """
    size = checked_size(size)
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is no evidence, and no warning
        if callable(method):
            return provided(method, image, size, key)
        method = checked_method(method)
        found: Map = maps_on(_grid_of(image, size), method, NUMPY)
        return found


def map_of(
    image: NDArray[Any], method: str | Callable[..., Any] = "auto", size: int = SIZE, *, key: Any = None
) -> NDArray[np.uint8]:
    """Return the map of an image as bytes, as the rank of windows is found from it: see `saliency_map`.

    Returns
    -------
    ndarray of shape (size, size), uint8
        The least value is 0 and the greatest 255; all zero where there is no evidence.
    """
    with np.errstate(invalid="ignore"):
        found: NDArray[np.uint8] = bytes_of(saliency_map(image, method, size=size, key=key), NUMPY)  # type: ignore[arg-type]
    return found


def _grid_of(image: NDArray[Any], size: int) -> NDArray[np.float32]:
    """Return an image on a grid, of shape (C, size, size), in [0, 1]; all zero where it holds what is not finite."""
    pixels = np.asarray(image)
    if pixels.ndim not in (2, 3) or 0 in pixels.shape:
        raise ContentError(f"image must have shape (H, W) or (H, W, C), no side 0, got {pixels.shape}")
    if pixels.dtype != np.uint8 and not np.issubdtype(pixels.dtype, np.floating):
        raise ContentError(f"image must be of uint8, or of floats in [0, 1], got {pixels.dtype}; convert it before")
    height, width = pixels.shape[:2]
    # Channels stay last until the picture is small: that is how its memory lies.
    down, across = area_matrix(height, size, NUMPY), area_matrix(width, size, NUMPY)
    rows = rows_on_grid(pixels.reshape(height, -1), down, NUMPY).reshape(size, width, -1)
    grid = np.moveaxis(rows, 2, 0) @ across.T
    if pixels.dtype == np.uint8:
        grid /= np.float32(255)
    if not np.isfinite(grid).all():
        return np.zeros_like(grid)
    if grid.min() < -MARGIN or grid.max() > 1 + MARGIN:
        raise ContentError(
            f"an image of floats must be in [0, 1], got means of {size} x {size} parts from {grid.min():.3g} to "
            f"{grid.max():.3g}; divide by 255, or look at it before it is normalised"
        )
    return np.asarray(np.clip(grid, 0, 1))
