"""Rings of corners, many at once, cut by half-planes: `rings.py` on arrays.

A corner is a complex number, x + iy, so that both coordinates move together.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.ledger.field import Floats
from safeaug.ledger.matrices import HORIZON

Corners = NDArray[np.complex128]


class Rings(NamedTuple):
    """Rings of up to V corners.

    Parameters
    ----------
    corners : ndarray of shape (R, V), complex
        Behind its last corner a ring repeats that: edges without length, which enclose nothing and are cut nowhere.
    counts : ndarray of shape (R,), int
        How many corners each has; 0 for one of which nothing is left.
    """

    corners: Corners
    counts: NDArray[np.int64]


def rings_of_boxes(boxes: Floats) -> Rings:
    """Return the rings of boxes ``(x0, y0, x1, y1)``, given in columns: of shape (4, R)."""
    x0, y0, x1, y1 = boxes
    corners = np.array([x0 + 1j * y0, x1 + 1j * y0, x1 + 1j * y1, x0 + 1j * y1]).T
    return Rings(corners, np.full(len(corners), 4))


def widened(corners: Corners, width: int) -> Corners:
    """Return corners with room for at least so many; the very same where there is."""
    missing = width - corners.shape[1]
    return corners if missing <= 0 else np.concatenate([corners, np.repeat(corners[:, -1:], missing, axis=1)], axis=1)


def put(corners: Corners, rows: NDArray[np.intp], others: Corners) -> None:
    """Write the corners of rings, in room that is at least as wide, to some rows of it."""
    width = others.shape[1]
    corners[rows, :width], corners[rows, width:] = others, others[:, -1:]


def cut_each(rings: Rings, planes: Floats) -> Rings:
    """Return the part of each ring in a half-plane of its own.

    Parameters
    ----------
    rings : Rings
        R of them.
    planes : ndarray of shape (3, R)
        ``(a, b, c)``: the points for which ``a * x + b * y + c >= 0``.

    Examples
    --------
    >>> square = rings_of_boxes(np.array([[0.0], [0.0], [4.0], [4.0]]))
    >>> cut_each(square, np.array([[1.0], [1.0], [-7.0]]))
    Rings(corners=array([[4.+3.j, 4.+4.j, 3.+4.j]]), counts=array([3]))
    """
    corners, counts = rings
    a, b, c = planes[:, :, None]
    depths = a * corners.real + b * corners.imag + c
    inside = depths >= 0
    before, befores = np.roll(corners, 1, axis=1), np.roll(depths, 1, axis=1)
    crosses = inside != np.roll(inside, 1, axis=1)
    # Of each edge there is the crossing, if any, and then the corner that it ends in, if that is inside. Read row by
    # row, what there is stands in the order of the new ring.
    there = np.stack([crosses, inside & (np.arange(corners.shape[1]) < counts[:, None])], axis=-1)
    found = np.stack([corners, corners], axis=-1)
    from_depth, from_corner = befores[crosses], before[crosses]
    shares = from_depth / (from_depth - depths[crosses])
    found[crosses, 0] = from_corner + shares * (corners[crosses] - from_corner)
    counts = np.count_nonzero(there, axis=(1, 2))
    places = np.arange(counts.max(initial=1))
    cut = np.zeros((len(counts), len(places)), dtype=np.complex128)
    cut[places < counts[:, None]] = found[there]
    last = np.maximum(counts - 1, 0)[:, None]
    return Rings(np.take_along_axis(cut, np.minimum(places, last), axis=1), counts)


def cut_some(rings: Rings, planes: Floats, chosen: NDArray[np.bool_]) -> Rings:
    """Return rings of which some are cut, each by a half-plane of its own; see `cut_each`."""
    rows = np.flatnonzero(chosen)
    if not rows.size:
        return rings
    cut = cut_each(Rings(rings.corners[rows], rings.counts[rows]), planes[:, rows])
    corners, counts = widened(rings.corners, cut.corners.shape[1]).copy(), rings.counts.copy()
    put(corners, rows, cut.corners)
    counts[rows] = cut.counts
    return Rings(corners, counts)


def signed_areas(rings: Rings) -> Floats:
    """Return the area of each ring, negative where it turns from y to x.

    Examples
    --------
    >>> signed_areas(Rings(np.array([[0, 4, 3j, 3j]]), np.array([3]))).tolist()
    [6.0]
    """
    arms = rings.corners[:, 1:] - rings.corners[:, :1]
    areas: Floats = (arms[:, :-1].conj() * arms[:, 1:]).imag.sum(axis=1) / 2
    return areas


def bounds_each(rings: Rings) -> Floats:
    """Return what bounds the corners of each ring, in columns: of shape (4, R)."""
    x, y = rings.corners.real, rings.corners.imag
    return np.array([x.min(axis=1), y.min(axis=1), x.max(axis=1), y.max(axis=1)])


def moved_each(rings: Rings, m: Floats) -> Rings:
    """Return where matrices, of shape (9, R), map the corners of each ring, which lie before the horizon."""
    a, b, c, d, e, f, g, h, i = m[:, :, None]
    x, y = rings.corners.real, rings.corners.imag
    depth = np.maximum(g * x + h * y + i, HORIZON)
    return Rings((a * x + b * y + c + 1j * (d * x + e * y + f)) / depth, rings.counts)
