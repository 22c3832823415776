"""Windows, flips and matrices as one kind of map, and how much these stretch."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.albumentations.drawing.moves import SYMMETRIES, Move
from safeaug.geometry import Size
from safeaug.ledger import Mapped, Windowed
from safeaug.ledger.matrices import Matrix, matrix_of, window_matrix

Floats = NDArray[np.float64]


def matrix_of_change(change: Windowed | Mapped, size: Size) -> Matrix | None:
    """Return the map of a window or a matrix, in coordinates of pixel edges; None where nothing is left to see."""
    if isinstance(change, Mapped):
        return matrix_of(change.matrix, size)
    return window_matrix(change.window, change.size)


def matrices_of(moves: NDArray[Any], numbers: Floats, before: NDArray[Any], after: NDArray[Any]) -> Floats:
    """Return the maps of moves, in coordinates of pixel edges.

    Parameters
    ----------
    moves : ndarray of shape (N,)
        Each a `Move`, other than `Move.MAP`.
    numbers : ndarray of shape (N, 9)
        With which numbers.
    before, after : ndarray of shape (N, 2)
        Height and width of the picture before and after.

    Returns
    -------
    ndarray of shape (N, 9)
        Row by row.
    """
    found = np.zeros((len(moves), 9))
    found[:, 8] = 1.0
    for move in np.unique(moves).tolist():
        rows = np.flatnonzero(moves == move)
        if move == Move.TURN:
            found[rows] = turned(numbers[rows], before[rows])
        elif move in (Move.CUT, Move.STAY):
            shape = before[rows][:, ::-1].astype(np.float64)
            start, size = (numbers[rows, :2], numbers[rows, 2:4]) if move == Move.CUT else (np.zeros_like(shape), shape)
            scale = after[rows][:, ::-1] / size
            found[rows[:, None], [0, 4]], found[rows[:, None], [2, 5]] = scale, -start * scale
        else:
            found[rows] = _symmetric(Move(move), after[rows])
    return found


def _symmetric(move: Move, after: NDArray[Any]) -> Floats:
    """Return the map of a flip or quarter turn: where its new sides come from says what its rows are."""
    places, taken_off = SYMMETRIES[move]
    found = np.zeros((len(after), 9))
    found[:, 8] = 1.0
    for axis in (0, 1):
        off = taken_off[axis]
        found[:, 3 * axis + places[axis] % 2] = -1.0 if off else 1.0
        found[:, 3 * axis + 2] = after[:, 1 - axis] if off else 0.0
    return found


def turned(numbers: Floats, size: NDArray[Any]) -> Floats:
    """Return affine maps, in coordinates of pixel edges, from what the host has drawn for them.

    Parameters
    ----------
    numbers : ndarray of shape (N, 9)
        Of each the way along x and y in pixels, two angles of shear in degrees, two scales, and an angle in degrees.
    size : ndarray of shape (N, 2)
        Height and width of the picture.

    Notes
    -----
    About the picture's centre: first scaled, then turned, then sheared, then shifted [1]_. What the host hands to
    OpenCV is the same map for the centres of pixels; near the identity it leaves the picture alone.

    References
    ----------
    .. [1] https://albumentations.ai/docs/api-reference/albumentations/augmentations/geometric/transforms/#Affine
    """
    along_x, along_y, shear_x, shear_y, scale_x, scale_y, angle = numbers[:, :7].T
    angle = np.deg2rad(angle % 360)
    shear = _squares(np.ones(len(numbers)), np.tan(np.deg2rad(shear_x)), np.tan(np.deg2rad(shear_y)), 1.0)
    turn = _squares(np.cos(angle), np.sin(angle), -np.sin(angle), np.cos(angle))
    linear = shear @ turn @ _squares(scale_x, 0.0, 0.0, scale_y)
    centre = size[:, ::-1] / 2
    offset = centre + np.stack([along_x, along_y], axis=1) - np.einsum("nij,nj->ni", linear, centre)
    found = np.zeros((len(numbers), 3, 3))
    found[:, :2, :2], found[:, :2, 2], found[:, 2, 2] = linear, offset, 1.0
    at_centres = offset + (linear.sum(axis=2) - 1) / 2
    alone = np.abs(at_centres).max(axis=1) <= OFF
    alone &= (np.abs(np.diagonal(linear, axis1=1, axis2=2) - 1) <= ON).all(axis=1)
    alone &= (np.abs(linear[:, [0, 1], [1, 0]]) <= OFF).all(axis=1)
    found[alone] = np.eye(3)
    return found.reshape(-1, 9)


OFF, ON = 1e-8, 1e-8 + 1e-5
"""By how much a matrix may be off the identity where that is 0, and where it is 1: the numbers of `numpy.allclose`."""


def _squares(a: Any, b: Any, c: Any, d: Any) -> Floats:
    """Return matrices of shape (N, 2, 2)."""
    rows = np.broadcast_arrays(a, b, c, d)
    return np.stack(rows, axis=-1).reshape(-1, 2, 2)


def stretch_of(matrices: Floats) -> Floats:
    """Return the scale along one axis over that along the other, at least 1, of affine maps; NaN of others.

    Parameters
    ----------
    matrices : ndarray of shape (D, 9)
        Row by row.

    Returns
    -------
    ndarray of shape (D,)

    Notes
    -----
    The axes are those along which a map stretches the most and the least: the ratio of its linear part's singular
    values, found from their squares, which are the roots of a quadratic equation.

    Examples
    --------
    >>> stretch_of(np.array([[2.0, 0, 5, 0, 1, 0, 0, 0, 1], [0.0, -3, 9, 3, 0, 0, 0, 0, 1]])).tolist()
    [2.0, 1.0]
    """
    a, b, d, e = (matrices[:, place] for place in (0, 1, 3, 4))
    half, area = (a * a + b * b + d * d + e * e) / 2, np.abs(a * e - b * d)
    with np.errstate(divide="ignore", invalid="ignore"):
        more = half + np.sqrt(np.maximum(half * half - area * area, 0.0))
        ratio: Floats = more / area
    affine = (matrices[:, 6] == 0) & (matrices[:, 7] == 0) & (area > 0)
    return np.where(affine, np.maximum(ratio, 1.0), np.nan)
