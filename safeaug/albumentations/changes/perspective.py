"""Weaker perspectives: the corners of what is shown move toward those of the image."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from safeaug.albumentations.changes.affine import at_centres
from safeaug.albumentations.changes.projective import perspective
from safeaug.geometry import Size
from safeaug.guarding.way import Params
from safeaug.ledger.changes import Mapped


def weaker(transform: Any, params: Params, image_size: Size, strength: float) -> Params | None:
    """Return a draw of ``Perspective`` that shows a quadrilateral nearer to the image; None where there is none.

    The quadrilateral is what fills the canvas, whatever the host drew it from: the host magnifies twice where it keeps
    the size, and where it does not it cuts away, on the right and below, what it has just magnified.
    """
    told = perspective(transform, params, image_size)
    assert isinstance(told, Mapped)
    shown = _shown(np.array(told.matrix, dtype=np.float64), told.size)
    if shown is None:
        return None
    height, width = params["max_height"], params["max_width"]
    if not transform.keep_size:
        height, width = (
            max(1, round(side + (drawn - side) * strength))
            for side, drawn in zip(image_size, (height, width), strict=True)
        )
    canvas = image_size if transform.keep_size else (height, width)
    image = _corners(image_size)
    edges = cv2.getPerspectiveTransform((image + (shown - image) * strength).astype(np.float32), _corners(canvas))
    matrix = at_centres(edges)
    if transform.keep_size:
        matrix = np.diag([width / image_size[1], height / image_size[0], 1.0]) @ matrix
    matrix /= matrix[2, 2]
    return {**params, "matrix": matrix, "matrix_bbox": matrix, "max_height": height, "max_width": width}


def _corners(size: Size) -> NDArray[np.float32]:
    height, width = size
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)


def _shown(edges: NDArray[np.float64], canvas: Size) -> NDArray[np.float64] | None:
    """Return the corners of what a map shows on a canvas; None where some of them lie beyond the horizon."""
    corners = np.column_stack([_corners(canvas), np.ones(4)])
    try:
        x, y, depth = np.linalg.inv(edges) @ corners.T
    except np.linalg.LinAlgError:
        return None
    if not (np.isfinite(depth).all() and ((depth > 0).all() or (depth < 0).all())):
        return None
    return np.stack([x / depth, y / depth], axis=1)
