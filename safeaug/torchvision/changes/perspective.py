"""Perspective maps, and weaker ones.

The host solves for the way back, from the output to the image, with corners that it names by their pixels; but applies
it to the middles of pixels, in coordinates of pixel edges. So what it solved for is a matrix at edges as it is.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Size
from safeaug.guarding.way import Params
from safeaug.ledger.changes import Change, Mapped

Matrix = NDArray[np.float64]

IDENTITY = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
"""Coefficients that change nothing."""

NOTHING = ((0.0, 0.0, 0.0),) * 3
"""A map that leaves nothing to see: of corners in line."""


def perspective(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``RandomPerspective``.

    Of corners that were drawn far in, three may come to lie beside the fourth, not around it: then the horizon runs
    through the image. What lies on its other side, seen from the middle, counts as lost, as in all perspectives, though
    the host paints it somewhere.
    """
    coefficients = [float(each) for each in params["coefficients"]]
    if coefficients == IDENTITY:
        return None
    ahead = _inverse(np.array([*coefficients, 1.0]).reshape(3, 3))
    if ahead is None:
        return Mapped(NOTHING, image_size)
    return Mapped(tuple(map(tuple, ahead.tolist())), image_size)


def weaker(transform: Any, params: Params, image_size: Size, strength: float) -> Params | None:
    """Return a draw of ``RandomPerspective`` whose corners lie nearer to those of the image."""
    height, width = image_size
    start = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], dtype=np.float64)
    if strength == 0 or min(image_size) < 2:
        return {**params, "coefficients": list(IDENTITY)}
    ahead = _inverse(np.array([*params["coefficients"], 1.0], dtype=np.float64).reshape(3, 3))
    if ahead is None:
        return None
    x, y, depth = ahead @ np.column_stack([start, np.ones(4)]).T
    if not (np.isfinite(depth).all() and depth.all()):
        return None
    end = np.stack([x / depth, y / depth], axis=1)
    coefficients = _solved(start + (end - start) * strength, start)
    return None if coefficients is None else {**params, "coefficients": coefficients}


def _inverse(matrix: Matrix) -> Matrix | None:
    """Return the inverse of a matrix; None where it has none."""
    try:
        inverse = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return None
    return np.asarray(inverse, dtype=np.float64) if np.isfinite(inverse).all() else None


def _solved(corners: Matrix, start: Matrix) -> list[float] | None:
    """Return the coefficients of the map from four corners back to those of the image; None where there is none."""
    rows = []
    for (x, y), (u, v) in zip(corners.tolist(), start.tolist(), strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    try:
        solved: list[float] = np.linalg.solve(np.array(rows), start.ravel()).tolist()
    except np.linalg.LinAlgError:
        return None
    return solved
