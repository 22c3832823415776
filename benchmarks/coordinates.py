"""What a pipeline made of a picture, told by nothing but the pixels that came out.

The picture that goes in holds, in its channels, the coordinates of its own pixels, and ones. What comes out says of
each pixel where it was taken from. For crops, resizes, affine maps and perspectives that is one projective map, which
is fitted to the pixels. Neither parameters nor anything of safeaug is asked.
"""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Size = tuple[int, int]

POINTS = 128
"""Points along each side of an object that are followed: what is left of it is then known to about 0.005."""

FITTED = 32
"""Pixels along each side of a picture that its map is fitted to."""

OFF = 0.15
"""Pixels by which a map may miss one of them: the host interpolates between 32 positions in a pixel."""

PAINTED, RIM = 0.2, 0.1
"""What a pixel that is painted over shows of the ones; pixels of the rim within which a picture can be painted on.

A pixel whose middle lies in the picture, if only just, is mixed with what lies outside, but to a quarter at least, in a
corner, shows the picture.
"""

_GRID = ((np.arange(POINTS) + 0.5) / POINTS).astype(np.float32)


class Seen(NamedTuple):
    """A picture that came out.

    Parameters
    ----------
    to_output : array of shape (3, 3)
        Where a point of the picture that went in is shown: homogeneous, pixel edges counted from 0.
    size : (int, int)
        Height and width of what came out.
    source : (int, int)
        Height and width of what went in.
    holes : array of bool of shape size, or None
        Pixels that were painted over.
    """

    to_output: Floats
    size: Size
    source: Size
    holes: NDArray[np.bool_] | None


def coordinates(size: Size) -> NDArray[np.float32]:
    """Return the picture of its own coordinates: x and y of pixel centres, as shares of the sides; and ones."""
    height, width = size
    y, x = np.meshgrid((np.arange(height) + 0.5) / height, (np.arange(width) + 0.5) / width, indexing="ij")
    return np.stack([x, y, np.ones(size)], axis=2).astype(np.float32)


def see(image: NDArray[np.float32], source: Size) -> Seen:
    """Return what became of the picture of coordinates of size ``source``.

    Raises
    ------
    ValueError
        Where no projective map explains it.
    """
    size = image.shape[0], image.shape[1]
    to_output = _fitted(image, source)
    return Seen(to_output, size, source, _holes(image, to_output, source))


def _fitted(image: NDArray[np.float32], source: Size) -> Floats:
    """Return the projective map that explains the pixels, by direct linear transformation."""
    height, width = image.shape[:2]
    rows, columns = (np.linspace(0, side - 1, FITTED).astype(int) for side in (height, width))
    row, column = (each.ravel() for each in np.meshgrid(rows, columns, indexing="ij"))
    u, v, shown = image[row, column].astype(np.float64).T
    whole = shown > 0.9999  # others are mixed with what lies outside, or painted
    u, v = u[whole], v[whole]
    x, y = (column[whole] + 0.5) / width, (row[whole] + 0.5) / height
    one, none = np.ones_like(u), np.zeros_like(u)
    equations = np.concatenate(
        [
            np.stack([u, v, one, none, none, none, -x * u, -x * v, -x], axis=1),
            np.stack([none, none, none, u, v, one, -y * u, -y * v, -y], axis=1),
        ]
    )
    # The least eigenvector of the normal equations, which is quicker than to decompose the equations themselves.
    shares = np.linalg.eigh(equations.T @ equations)[1][:, 0].reshape(3, 3)
    shares /= shares[2] @ [u.mean(), v.mean(), 1.0]  # ahead is positive
    to_output: Floats = np.diag([width, height, 1.0]) @ shares @ np.diag([1 / source[1], 1 / source[0], 1.0])
    found = through(to_output, np.stack([u * source[1], v * source[0]], axis=1))
    off = np.abs(found - np.stack([x * width, y * height], axis=1)).max(initial=0.0)
    if len(u) < 16 or off > OFF:
        raise ValueError(f"no projective map explains the picture: {len(u)} pixels, {off:.3f} pixels off")
    return to_output


def _holes(image: NDArray[np.float32], to_output: Floats, source: Size) -> NDArray[np.bool_] | None:
    """Return which pixels show no source though the map says that they lie in it; None where there are none."""
    painted = image[:, :, 2] < PAINTED
    if not painted.any():
        return None
    height, width = painted.shape
    x, y = (np.arange(side, dtype=np.float32) + 0.5 for side in (width, height))
    holes: NDArray[np.bool_] = painted & _inside(np.linalg.inv(to_output), x[None], y[None], source, rim=RIM)[0]
    return holes if holes.any() else None


def left(seen: Seen, boxes: NDArray[np.floating]) -> Floats:
    """Return the share of each box ``(x0, y0, x1, y1)`` that can be seen: of points spread evenly over it."""
    corner, sides = boxes[:, :2].astype(np.float32), (boxes[:, 2:] - boxes[:, :2]).astype(np.float32)
    x, y = (corner[:, i, None] + sides[:, i, None] * _GRID for i in (0, 1))
    there = _inside(seen.to_output, x, y, seen.size)
    if seen.holes is not None:
        box, row, column = np.nonzero(there)
        points = through(seen.to_output, np.stack([x[box, column], y[box, row]], axis=1)).astype(int)
        height, width = seen.size
        points = points.clip(0, [width - 1, height - 1])
        there[box, row, column] = ~seen.holes[points[:, 1], points[:, 0]]
    shares: Floats = there.mean(axis=(1, 2))
    return shares


def _inside(
    matrix: NDArray[np.floating], x: NDArray[np.float32], y: NDArray[np.float32], size: Size, rim: float = 0.0
) -> NDArray[np.bool_]:
    """Return which points of grids, of x (..., n) and y (..., m), come to lie within a size: of shape (..., m, n).

    Each edge is a half-plane of homogeneous points, so nothing is divided.
    """
    height, width = size
    across, down, ahead = matrix.astype(np.float32)
    edges = (
        ahead, across - rim * ahead, (width - rim) * ahead - across, down - rim * ahead, (height - rim) * ahead - down
    )  # fmt: skip
    there = np.ones((*x.shape[:-1], y.shape[-1], x.shape[-1]), dtype=bool)
    for a, b, c in edges:
        there &= (a * x)[..., None, :] >= (-b * y - c)[..., :, None]
    return there


def through(matrix: NDArray[np.floating], points: NDArray[np.floating]) -> Floats:
    """Return where points (N, 2) go."""
    moved: Floats = cv2.perspectiveTransform(points.reshape(-1, 1, 2), matrix).reshape(-1, 2)
    return moved


def visible(seen: Seen) -> float:
    """Return the share of the picture that went in which can be seen."""
    height, width = seen.source
    return float(left(seen, np.array([[0, 0, width, height]], dtype=np.float64))[0])


def turn_and_scale(seen: Seen) -> tuple[float, float]:
    """Return the angle in degrees and the scale, in pixels out per pixel in, in the middle of what came out."""
    height, width = seen.size
    (middle,) = through(np.linalg.inv(seen.to_output), np.array([[width / 2, height / 2]]))
    across, down, ahead = seen.to_output
    depth = ahead[:2] @ middle + ahead[2]
    (a, b), (c, d) = ((row[:2] - at * ahead[:2]) / depth for row, at in ((across, width / 2), (down, height / 2)))
    return float(np.degrees(np.arctan2(c - b, a + d))), float(np.sqrt(abs(a * d - b * c)))


def displacement(to_output: Floats, source: Size, size: Size) -> float:
    """Return how far the corners of what came out have come, in pixels of what went in, the farthest.

    Both pictures are laid upon each other by their centres: a cut around the centre moves nothing.
    """
    width, height = float(size[1]), float(size[0])
    corners = np.array([[0, 0], [width, 0], [0, height], [width, height]])
    middles = np.array([source[1], source[0]]) / 2 - np.array([width, height]) / 2
    moved = through(np.linalg.inv(to_output), corners) - corners - middles
    return float(np.hypot(*moved.T).max())
