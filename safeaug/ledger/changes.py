"""What a step of a pipeline does to the picture, as the ledger follows it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from safeaug.geometry import Box, Size


class Windowed(NamedTuple):
    """A rectangle becomes the whole picture: crops, resizes, padding, letterboxes.

    Parameters
    ----------
    window : (x0, y0, x1, y1)
        In the frame before the step; it may reach beyond that, where the host pads.
    size : (int, int)
        Height and width of the picture after the step.
    """

    window: Box
    size: Size


class Mapped(NamedTuple):
    """All pixels move by one matrix: flips, quarter turns, affine and perspective steps.

    Parameters
    ----------
    matrix : array_like of shape (3, 3)
        From the frame before the step to that after it, in coordinates of pixel edges; see `at_edges`.
    size : (int, int)
        Height and width of the picture after the step; what falls outside of it, or behind the horizon, is lost.
    """

    matrix: ArrayLike
    size: Size


class Occluded(NamedTuple):
    """The pixels of some rectangles are erased, as by dropout of holes.

    Parameters
    ----------
    holes : array_like of shape (N, 4)
        Rectangles ``(x0, y0, x1, y1)``; they may overlap. Those without area, or of a number that is none, erase
        nothing.
    """

    holes: ArrayLike


class Erased(NamedTuple):
    """Pixels are erased one by one, as by dropout of pixels or of a mask.

    Parameters
    ----------
    mask : ndarray of shape (H, W), bool
        Of the size of the picture; true where a pixel is erased.
    """

    mask: NDArray[np.bool_]


class Warped(NamedTuple):
    """Pixels move one by one: elastic, grid and lens distortions.

    Parameters
    ----------
    map_x, map_y : ndarray of shape (H, W)
        For each pixel after the step, where its colour is taken from before it, as `cv2.remap` has it: coordinates of
        pixel centres, the first at 0.
    """

    map_x: NDArray[Any]
    map_y: NDArray[Any]


class Unknown(NamedTuple):
    """Whatever a step did that nobody knows, as an index image shows that went through it; see `index_of`.

    Parameters
    ----------
    shown : ndarray of shape (H, W) of whole numbers
        For each pixel after the step, which pixel before it is shown there, counted row by row; negative for none.
    """

    shown: NDArray[Any]


Change = Windowed | Mapped | Occluded | Erased | Warped | Unknown


def at_edges(matrix: ArrayLike) -> NDArray[np.float64]:
    """Return a map of pixel centres (the first at 0, as OpenCV has them) as one of pixel edges.

    Examples
    --------
    >>> at_edges([[-1, 0, 9], [0, 1, 0], [0, 0, 1]])[0].tolist()
    [-1.0, 0.0, 10.0]
    """
    ahead = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
    back = np.array([[1.0, 0.0, -0.5], [0.0, 1.0, -0.5], [0.0, 0.0, 1.0]])
    moved: NDArray[np.float64] = ahead @ np.asarray(matrix, dtype=np.float64) @ back
    return moved


def index_of(size: Size) -> NDArray[np.int32]:
    """Return an image in which each pixel says which one it is, to go through a step that nobody knows.

    It goes through as a mask does, without interpolation, filled with -1; what comes out is an `Unknown`. Where a host
    takes no whole numbers of this length, float32 holds those of 4096² pixels.

    Examples
    --------
    >>> index_of((2, 3)).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    return np.arange(size[0] * size[1], dtype=np.int32).reshape(size)
