"""An object that is followed by samples, since pixels of it were moved or erased one by one."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Box
from safeaug.ledger.field import Floats
from safeaug.ledger.matrices import Matrix, moved_points
from safeaug.ledger.rings import Plane


class Dots(NamedTuple):
    """An object as samples of it that are visible.

    Parameters
    ----------
    left : float
        Share of its mass that is visible.
    whole : float
        Its mass as it came in.
    x, y : ndarray of shape (K,)
        Where the samples are, in the source frame, or in that after the last step that warped.
    mass : ndarray of shape (K,)
        Of each, its part of the object's mass as it came in.
    area : ndarray of shape (K,)
        Of each, the area that it stands for where it is.
    """

    left: float
    whole: float
    x: Floats
    y: Floats
    mass: Floats
    area: Floats


def only(dots: Dots, keep: NDArray[np.bool_]) -> Dots:
    """Return some of the samples."""
    if keep.all():
        return dots
    mass = dots.mass[keep]
    left = min(float(mass.sum()) / dots.whole, dots.left)
    return Dots(left, dots.whole, dots.x[keep], dots.y[keep], mass, dots.area[keep])


def carried(dots: Dots, matrix: Matrix) -> Dots:
    """Return the samples where a matrix maps them."""
    x, y, scale = moved_points(matrix, dots.x, dots.y)
    return dots._replace(x=x, y=y, area=dots.area * scale)


def dots_within(dots: Dots, planes: Sequence[Plane]) -> Dots:
    """Return which samples lie in a rectangle, given as half-planes."""
    keep = np.ones(len(dots.x), dtype=bool)
    for a, b, c in planes:
        keep &= a * dots.x + b * dots.y + c >= 0
    return only(dots, keep)


def dots_without(dots: Dots, matrix: Matrix, holes: Sequence[Box]) -> Dots:
    """Return which samples lie in no hole of another frame."""
    x, y, _ = moved_points(matrix, dots.x, dots.y)
    keep = np.ones(len(x), dtype=bool)
    for x0, y0, x1, y1 in holes:
        keep &= (x < x0) | (x >= x1) | (y < y0) | (y >= y1)
    return only(dots, keep)


def dots_pixels(dots: Dots, matrix: Matrix) -> float:
    """Return the area of the samples in another frame."""
    return float(carried(dots, matrix).area.sum())
