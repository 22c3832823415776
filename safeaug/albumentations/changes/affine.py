"""Weaker affine maps: a smaller turn, a scale nearer to 1, less shear, a shorter way of the centre."""

import math
from typing import Any

import numpy as np
from albumentations.augmentations.geometric import functional as host
from numpy.typing import NDArray

from safeaug.albumentations.changes.projective import at_edges
from safeaug.geometry import Size
from safeaug.guarding.way import Params

Matrix = NDArray[np.float64]


def weaker(transform: Any, params: Params, image_size: Size, strength: float) -> Params | None:
    """Return a weaker draw of ``Affine`` or ``ShiftScaleRotate``; None for one that mirrors or collapses."""
    way = 0.0 if transform.fit_output else strength  # room is made for wherever it goes
    edges = _nearer(params["matrix"], image_size, strength, way)
    if edges is None:
        return None
    centres, output_shape = at_centres(edges), image_size
    if transform.fit_output and strength > 0:  # at 0 the host leaves the image alone, at its own size
        centres, output_shape = host.compute_affine_warp_output_shape(centres, image_size)
        edges, _ = host.compute_affine_warp_output_shape(edges, image_size)
    return {
        **params,
        "matrix": centres,
        "bbox_matrix": edges,
        "output_shape": output_shape,
        "rotate": math.remainder(params["rotate"], 360.0) * strength,
        "scale": {axis: scale**strength if scale > 0 else scale for axis, scale in params["scale"].items()},
    }


def less_turned(transform: Any, params: Params, image_size: Size, strength: float) -> Params | None:
    """Return a draw of ``Rotate`` by a smaller angle, and with the crop that belongs to it."""
    edges = _nearer(params["matrix"], image_size, strength, strength)
    if edges is None:
        return None
    crop: dict[str, int] = {}
    if transform.crop_border:
        angle = math.degrees(math.atan2(edges[0, 1], edges[0, 0]))
        crop = transform._rotated_rect_with_max_area(*image_size, angle)
    return {**params, **crop, "matrix": at_centres(edges), "bbox_matrix": edges}


def at_centres(edges: Matrix) -> Matrix:
    """Return a map of pixel edges as one of pixel centres, the first at 0."""
    ahead = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
    back = np.array([[1.0, 0.0, -0.5], [0.0, 1.0, -0.5], [0.0, 0.0, 1.0]])
    centres: Matrix = back @ edges @ ahead
    return centres


def _nearer(matrix: Any, image_size: Size, strength: float, way: float) -> Matrix | None:
    """Return an affine map on its way to the identity, in coordinates of pixel edges; None where there is no way.

    Its linear part is a stretch along two axes at right angles, then a turn. The turn's angle shrinks, and the stretch
    is raised to the power of the strength: so no map on the way turns or stretches more than the one drawn. The image's
    centre goes a share of its way.
    """
    if strength == 0:
        return np.eye(3)
    edges = np.array(at_edges(matrix))
    linear, centre = edges[:2, :2], np.array([image_size[1] / 2, image_size[0] / 2])
    if not np.isfinite(edges).all() or np.linalg.det(linear) <= 0:
        return None
    moved = linear @ centre + edges[:2, 2] - centre
    left, stretch, right = np.linalg.svd(linear)
    turn = left @ right
    angle = math.atan2(turn[1, 0], turn[0, 0]) * strength
    cos, sin = math.cos(angle), math.sin(angle)
    nearer = np.eye(3)
    nearer[:2, :2] = np.array([[cos, -sin], [sin, cos]]) @ (right.T * stretch**strength) @ right
    nearer[:2, 2] = centre + moved * way - nearer[:2, :2] @ centre
    return nearer
