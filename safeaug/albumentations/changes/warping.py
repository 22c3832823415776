"""Distortions: for each pixel, where its colour is taken from."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Size
from safeaug.guarding.way import Params
from safeaug.ledger.changes import Change, Warped

OUTSIDE = -9.0
"""A coordinate at which nothing of the image is seen, nor blended in."""

FLAT = 1e-9
"""Determinant of a map onto a quadrilateral with three corners in line: what the host paints there is noise."""


def remapped(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of the distortions that make maps."""
    map_x, map_y = params["map_x"], params["map_y"]
    if map_x is None or map_y is None:  # PiecewiseAffine at a scale of 0, which the host fails to apply
        return None
    return Warped(map_x, map_y)


def meshed(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``GridElasticDeform``: each rectangle of a grid is mapped into a quadrilateral.

    The host paints them one over another, corners cut down to whole pixels and their rims included; what none covers
    stays black.
    """
    map_x, map_y = np.full(image_size, OUTSIDE, np.float32), np.full(image_size, OUTSIDE, np.float32)
    for mesh in np.asarray(params["generated_mesh"], dtype=np.float32):
        x0, y0, x1, y1 = mesh[:4]
        corners, quad = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], dtype=np.float32), mesh[4:].reshape(4, 2)
        rows, columns = _painted(quad.astype(np.int32), image_size)
        ahead = cv2.getPerspectiveTransform(corners, quad)
        if abs(np.linalg.det(ahead)) < FLAT:
            map_x[rows, columns] = map_y[rows, columns] = OUTSIDE
            continue
        x, y, depth = back = np.linalg.inv(ahead) @ np.stack([columns, rows, np.ones(len(rows))])
        back[:, depth == 0] = [[OUTSIDE], [OUTSIDE], [1.0]]  # on the horizon
        map_x[rows, columns], map_y[rows, columns] = x / depth, y / depth
    return Warped(map_x, map_y)


def _painted(quad: NDArray[np.int32], image_size: Size) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the rows and columns of the pixels that OpenCV paints of a quadrilateral."""
    start = np.maximum(quad.min(axis=0), 0)
    stop = np.maximum(np.minimum(quad.max(axis=0) + 1, image_size[::-1]), start)
    part = np.zeros((stop - start)[::-1], np.uint8)  # its surroundings alone, since a grid has many
    if not part.size:
        empty = np.empty(0, dtype=np.intp)
        return empty, empty
    rows, columns = np.nonzero(cv2.fillConvexPoly(part, quad - start, 1))
    return rows + start[1], columns + start[0]
