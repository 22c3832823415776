"""Maps of the plane, many at once: `matrices.py` on arrays.

D matrices are an array of shape (9, D): row by row, each in a column of its own, so that an entry of all of them is one
stretch of memory.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.ledger.field import Floats
from safeaug.ledger.matrices import IDENTITY, ROUNDING


def identities(count: int) -> Floats:
    """Return so many matrices that move nothing."""
    return np.repeat(np.array(IDENTITY)[:, None], count, axis=1)


def scaled(given: Floats, sizes: NDArray[Any]) -> Floats:
    """Return matrices scaled to a depth of 1 at the middle of the picture that each moves; see `matrix_of`.

    Parameters
    ----------
    given : ndarray of shape (9, D)
        The matrices. One that is not finite stays so.
    sizes : ndarray of shape (2, D)
        Height and width of the pictures that they move.
    """
    height, width = sizes
    depth = given[6] * width / 2 + given[7] * height / 2 + given[8]
    return given / np.where(depth == 0, 1.0, depth)


def products(m: Floats, n: Floats) -> Floats:
    """Return the matrices that first do ``n``, then ``m``.

    Examples
    --------
    >>> double, shift = np.diag([2.0, 2.0, 1.0]).reshape(9, 1), np.array([[1.0, 0, 5, 0, 1, 0, 0, 0, 1]]).T
    >>> products(double, shift)[:, 0].tolist()
    [2.0, 0.0, 10.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0]
    """
    sums: Floats = (m.reshape(3, 3, 1, -1) * n.reshape(1, 3, 3, -1)).sum(axis=1)
    return sums.reshape(9, -1)


def determinants(m: Floats) -> Floats:
    """Return the determinants, of shape (D,); 0.0 where one is no more than its terms' rounding."""
    a, b, c, d, e, f, g, h, i = m
    terms = np.array([a * e * i, b * f * g, c * d * h, -c * e * g, -b * d * i, -a * f * h])
    total: Floats = terms.sum(axis=0)
    return np.where(np.abs(total) <= ROUNDING * np.abs(terms).sum(axis=0), 0.0, total)


def pulled_back_each(m: Floats, sizes: NDArray[Any]) -> Floats:
    """Return the rectangles ``(x0, y0, x1, y1)`` that matrices map onto pictures, of shape (4, D).

    NaN where that is no upright rectangle: see `pulled_back`.
    """
    a, b, c, d, e, f, g, h, i = m
    height, width = sizes
    straight, turned = (b == 0) & (d == 0), (a == 0) & (e == 0)
    upright = (straight | turned) & (g == 0) & (h == 0) & (i == 1)
    # Each axis of the source is one of the picture's.
    x_scale, x_shift, x_far = np.where(straight, [a, c, width], [d, f, height])
    y_scale, y_shift, y_far = np.where(straight, [e, f, height], [b, c, width])
    scale = np.where(upright, [x_scale, y_scale], np.nan)
    ends = np.array([[-x_shift, -y_shift], [x_far - x_shift, y_far - y_shift]]) / scale
    return np.concatenate([ends.min(axis=0), ends.max(axis=0)])


def planes_of_each(m: Floats, sizes: NDArray[Any]) -> Floats:
    """Return the half-planes ``(a, b, c)`` whose points matrices map into pictures, of shape (4, 3, D).

    See `planes_of`.
    """
    across, down, depth = m.reshape(3, 3, -1)
    height, width = sizes
    return np.array([across, width * depth - across, down, height * depth - down])
