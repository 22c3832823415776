"""Maps of the plane: 3×3 matrices as nine plain numbers, row by row, in coordinates of pixel edges.

In plain numbers a matrix is multiplied in a microsecond, and a rectangle pulled back in another; arrays take ten.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from safeaug.geometry import Box, Ring, Size
from safeaug.ledger.rings import Plane

Matrix = tuple[float, float, float, float, float, float, float, float, float]

IDENTITY: Matrix = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)

ROUNDING = 1e-14
"""Share of its terms below which a determinant is what rounding left of 0."""

HORIZON = 1e-12
"""What stands for a depth of 0 or less; no visible point has one, but rounding might."""


def matrix_of(given: ArrayLike, size: Size) -> Matrix | None:
    """Return a matrix as plain numbers; None for one that leaves nothing to see: not finite, or singular.

    A matrix and its multiples are one map. Of a perspective map those points are before the camera that are on the same
    side as the middle of the picture, so it is scaled to a depth of 1 there.

    Parameters
    ----------
    given : array_like of shape (3, 3)
        The matrix.
    size : (int, int)
        Height and width of the picture that it moves.
    """
    numbers = np.asarray(given, dtype=np.float64).ravel().tolist()
    if not all(map(math.isfinite, numbers)):
        return None
    a, b, c, d, e, f, g, h, i = numbers
    depth = g * size[1] / 2 + h * size[0] / 2 + i or 1.0
    if depth != 1.0:
        a, b, c, d, e, f, g, h, i = (number / depth for number in numbers)
    matrix = a, b, c, d, e, f, g, h, i
    return matrix if determinant(matrix) else None


def window_matrix(window: Box, size: Size) -> Matrix | None:
    """Return the map that makes a window the whole picture; None of a window without area.

    Examples
    --------
    >>> window_matrix((10, 5, 30, 15), (20, 40)), window_matrix((10, 0, 10, 10), (20, 40))
    ((2.0, 0.0, -20.0, 0.0, 2.0, -10.0, 0.0, 0.0, 1.0), None)
    """
    x0, y0, x1, y1 = map(float, window)  # numpy's numbers are slow, and warn where they overflow
    if not (x0 < x1 and y0 < y1):
        return None
    across, down = size[1] / (x1 - x0), size[0] / (y1 - y0)
    return across, 0.0, -x0 * across, 0.0, down, -y0 * down, 0.0, 0.0, 1.0


def product(m: Matrix, n: Matrix) -> Matrix:
    """Return the matrix that first does ``n``, then ``m``."""
    a, b, c, d, e, f, g, h, i = m
    j, k, l, o, p, q, r, s, t = n  # noqa: E741
    if not (g or h or r or s) and i == t == 1.0:  # affine, as most are
        return a * j + b * o, a * k + b * p, a * l + b * q + c, d * j + e * o, d * k + e * p, d * l + e * q + f, g, h, i
    return (
        a * j + b * o + c * r, a * k + b * p + c * s, a * l + b * q + c * t,
        d * j + e * o + f * r, d * k + e * p + f * s, d * l + e * q + f * t,
        g * j + h * o + i * r, g * k + h * p + i * s, g * l + h * q + i * t,
    )  # fmt: skip


def determinant(m: Matrix) -> float:
    """Return the determinant; 0.0 where it is no more than its terms' rounding, NaN where they overflow."""
    a, b, c, d, e, f, g, h, i = m
    terms = a * e * i, b * f * g, c * d * h, -c * e * g, -b * d * i, -a * f * h
    total = sum(terms)
    return 0.0 if abs(total) <= ROUNDING * sum(map(abs, terms)) else total


def inverse(m: Matrix) -> Matrix:
    """Return the inverse of a matrix that is not singular."""
    a, b, c, d, e, f, g, h, i = m
    one = 1.0 / determinant(m)
    return (
        (e * i - f * h) * one, (c * h - b * i) * one, (b * f - c * e) * one,
        (f * g - d * i) * one, (a * i - c * g) * one, (c * d - a * f) * one,
        (d * h - e * g) * one, (b * g - a * h) * one, (a * e - b * d) * one,
    )  # fmt: skip


def is_affine(m: Matrix) -> bool:
    """Return whether a matrix keeps parallels, so that it scales all areas alike."""
    return m[6] == 0.0 and m[7] == 0.0


def pulled_back(m: Matrix, rect: Box) -> Box | None:
    """Return the rectangle that a matrix maps onto a rectangle; None where that is no upright rectangle."""
    a, b, c, d, e, f, g, h, i = m
    if g or h or i != 1.0:
        return None
    if b == 0.0 == d:
        x0, x1, y0, y1 = (rect[0] - c) / a, (rect[2] - c) / a, (rect[1] - f) / e, (rect[3] - f) / e
    elif a == 0.0 == e:
        x0, x1, y0, y1 = (rect[1] - f) / d, (rect[3] - f) / d, (rect[0] - c) / b, (rect[2] - c) / b
    else:
        return None
    if x0 > x1:
        x0, x1 = x1, x0
    if y0 > y1:
        y0, y1 = y1, y0
    return x0, y0, x1, y1


def planes_of(m: Matrix, rect: Box) -> tuple[Plane, Plane, Plane, Plane]:
    """Return the half-planes whose points a matrix maps into a rectangle.

    ``x0 <= X / w <= x1`` says ``X - x0 * w >= 0`` and ``x1 * w - X >= 0`` for points before the horizon. No fifth is
    needed to say that ``w`` is positive: the sum of these two says so.
    """
    a, b, c, d, e, f, g, h, i = m
    x0, y0, x1, y1 = rect
    return (
        (a - x0 * g, b - x0 * h, c - x0 * i),
        (x1 * g - a, x1 * h - b, x1 * i - c),
        (d - y0 * g, e - y0 * h, f - y0 * i),
        (y1 * g - d, y1 * h - e, y1 * i - f),
    )


def moved(m: Matrix, ring: Ring) -> Ring:
    """Return where a matrix maps corners that lie before the horizon."""
    a, b, c, d, e, f, g, h, i = m
    if g == 0.0 == h:  # depth 1 everywhere
        return [(a * x + b * y + c, d * x + e * y + f) for x, y in ring]
    out = []
    for x, y in ring:
        depth = max(g * x + h * y + i, HORIZON)
        out.append(((a * x + b * y + c) / depth, (d * x + e * y + f) / depth))
    return out


def moved_points(m: Matrix, x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return where a matrix maps points, and by how much it scales area there; 0 behind the horizon."""
    a, b, c, d, e, f, g, h, i = m
    depth = g * x + h * y + i
    before = depth > HORIZON
    depth = np.where(before, depth, 1.0)
    scale = np.where(before, abs(determinant(m)) / depth**3, 0.0)
    return (a * x + b * y + c) / depth, (d * x + e * y + f) / depth, scale
