"""How well a map ranks what is object above what is not."""

import numpy as np
from numpy.typing import NDArray

from safeaug.content import Content
from safeaug.geometry import Domain, Size
from safeaug.saliency import box_map
from safeaug.saliency.grid import area_matrix
from safeaug.saliency.library import NUMPY


def auc(cells: NDArray[np.uint8], covered: NDArray[np.floating]) -> float | None:
    """Return how likely a map is higher at a place of an object than at a place of none: the area under the ROC curve.

    Places are uniform over the picture, and equals count one half [1]_.

    Parameters
    ----------
    cells : ndarray of shape (h, w), uint8
        The map.
    covered : ndarray of shape (h, w)
        The share of each cell that objects cover.

    Returns
    -------
    float or None
        1 of a map that finds the objects and nothing else, 0.5 of one that says nothing. None where objects cover
        nothing, or all.

    References
    ----------
    .. [1] J. A. Hanley, B. J. McNeil, "The meaning and use of the area under a receiver operating characteristic (ROC)
       curve", Radiology 143, 1982.

    Examples
    --------
    >>> auc(np.array([[0, 9, 5, 9]], np.uint8), np.array([[0.0, 1, 0, 0.5]]))
    0.9
    """
    inside = np.bincount(cells.ravel(), covered.ravel(), 256)
    outside = np.bincount(cells.ravel(), 1.0 - covered.ravel(), 256)
    pairs = inside.sum() * outside.sum()
    if pairs <= 0:
        return None
    below = np.cumsum(outside) - outside / 2
    return float(inside @ below / pairs)


def covered_by(content: Content, image_size: Size, size: int) -> NDArray[np.floating]:
    """Return which share of each cell of a map the objects of a picture cover that count.

    Of two objects in one cell the greater share stands.

    Parameters
    ----------
    content : Content
        The objects.
    image_size : (int, int)
        Height and width of the picture.
    size : int
        Cells along each side of the map.
    """
    if content.shapes is None:
        return box_map(list(content.boxes), image_size, size=size)
    height, width = image_size
    every_pixel = Domain(0, width - 1, 0, height - 1)
    down, across = area_matrix(height, size, NUMPY), area_matrix(width, size, NUMPY)
    shares = [across @ shape.surface((1, 1), every_pixel) @ down.T for shape in content.shapes]
    greatest: NDArray[np.floating] = np.max(shares, axis=0).T
    return greatest.clip(0.0, 1.0)
