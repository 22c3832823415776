"""The ledger of many draws at once, for boxes that meet windows and matrices: `ledger.py` on arrays.

What is left is the same as there, to rounding. One step of all draws is done before the next, so arrays are long
however few objects a draw has, and only what a step cuts at a slant is cut corner by corner.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.content import SINGLE
from safeaug.ledger.field import Floats
from safeaug.ledger.many_matrices import (
    determinants,
    identities,
    planes_of_each,
    products,
    pulled_back_each,
    scaled,
)
from safeaug.ledger.many_patches import Rows, patches_of, pixels_each, within_each


class Chains(NamedTuple):
    """The steps of D draws, of at most L steps each, as what each does to the picture.

    Parameters
    ----------
    counts : ndarray of shape (D,), int
        How many steps each draw has; what stands behind the last of them in the other columns is passed over.
    matrices : ndarray of shape (D, L, 9), float64
        Of each step by itself, row by row: from the frame before it to that after it, in coordinates of pixel edges.
        Of a `Windowed` that is the scale and shift that make the window the whole picture. Of a matrix that is
        singular or not finite nothing is left; a window without area must come as such a one.
    sizes : ndarray of shape (D, L, 2), int
        Height and width of the picture after each step.
    first : ndarray of shape (D, 2), int
        Height and width of the image before the first.
    """

    counts: NDArray[Any]
    matrices: Floats
    sizes: NDArray[Any]
    first: NDArray[Any]


class Followed(NamedTuple):
    """What became of M objects, each in one of D draws of at most L steps.

    Parameters
    ----------
    left : ndarray of shape (M, L)
        Share of each object that is visible after each step; behind the last step it stays as it is. NaN for one
        outside the image.
    pixels : ndarray of shape (M,)
        Area that is visible in the end, in pixels of the last picture; NaN for what has no area.
    matrices : ndarray of shape (D, 9)
        Of each draw, from the image to the last picture. From a step that leaves nothing it begins anew.
    """

    left: Floats
    pixels: Floats
    matrices: Floats


class Frame(NamedTuple):
    """The pictures of D draws after one step, seen from the source.

    Parameters
    ----------
    rects : ndarray of shape (4, D)
        Each as a rectangle; NaN where it is none there. Of a draw that has no such step it is the whole plane, so that
        it takes nothing; where the step leaves nothing it is turned inside out.
    planes : ndarray of shape (4, 3, D)
        The same as half-planes.
    """

    rects: Floats
    planes: Floats


EVERYWHERE = (-math.inf, -math.inf, math.inf, math.inf), (0.0, 0.0, 0.0)
"""A rectangle, and a half-plane, that hold all points."""

NOWHERE = (math.inf, math.inf, -math.inf, -math.inf), (0.0, 0.0, -1.0)
"""Those that hold none."""


def follow_many(boxes: Floats, draws: NDArray[Any], chains: Chains) -> Followed:
    """Return what the steps of many draws leave of boxes.

    Parameters
    ----------
    boxes : ndarray of shape (M, 4), float64
        ``(x0, y0, x1, y1)`` of one object in one draw, in any order, clipped to the image; NaN for one outside of it.
        One without area is a point, at its centre. The image itself is one more box.
    draws : ndarray of shape (M,), int
        Which draw each belongs to.
    chains : Chains
        The draws.

    Returns
    -------
    Followed
        What is left of each box.

    Examples
    --------
    The window (10, 0, 100, 100) of an image becomes a picture of 180 by 200 pixels, which is flipped.

    >>> matrices = np.array([[[2, 0, -20, 0, 2, 0, 0, 0, 1], [-1, 0, 180, 0, 1, 0, 0, 0, 1]]], dtype=float)
    >>> sizes = np.array([[[200, 180], [200, 180]]])
    >>> chains = Chains(np.array([2]), matrices, sizes, np.array([[100, 100]]))
    >>> left, pixels, _ = follow_many(np.array([[0.0, 0, 40, 40], [0, 0, 100, 100]]), np.array([0, 0]), chains)
    >>> left.tolist(), pixels.tolist()
    ([[0.75, 0.75], [0.9, 0.9]], [4800.0, 36000.0])
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is found, and leaves nothing
        frames, matrices = _frames(chains)
        x0, y0, x1, y1 = columns = boxes.T
        areas = (x1 - x0) * (y1 - y0)
        left, pixels = np.full((len(frames), len(boxes)), np.nan), np.full(len(boxes), np.nan)
        solid, points = np.flatnonzero(areas > 0), np.flatnonzero(areas <= 0)  # NaN is neither
        left[:, solid], pixels[solid] = _follow_solids(columns[:, solid], draws[solid], frames, matrices)
        slack = SINGLE * chains.first.max(axis=1, initial=0)
        left[:, points] = _follow_points(columns[:, points], draws[points], slack, frames)
    return Followed(left.T, pixels, matrices.T)


def _frames(chains: Chains) -> tuple[list[Frame], Floats]:
    """Return the pictures after each step, and the matrices of shape (9, D) to the last of each draw."""
    matrices, sizes, frames = identities(len(chains.counts)), chains.first.T, []
    unmoved = matrices
    for k in range(chains.sizes.shape[1]):
        there = k < chains.counts
        steps = scaled(chains.matrices[:, k].T, sizes)
        ahead = products(steps, matrices)
        usable = np.isfinite(ahead.sum(axis=0)) & (determinants(steps) != 0) & (determinants(ahead) != 0)
        matrices = np.where(there, np.where(usable, ahead, unmoved), matrices)
        sizes = np.where(there, chains.sizes[:, k].T, sizes)
        rects, planes = pulled_back_each(matrices, sizes), planes_of_each(matrices, sizes)
        for those, (rect, plane) in ((~usable, NOWHERE), (~there, EVERYWHERE)):
            rects = np.where(those, np.array(rect)[:, None], rects)
            planes = np.where(those, np.array(plane)[:, None], planes)
        frames.append(Frame(rects, planes))
    return frames, matrices


def _follow_solids(boxes: Floats, draws: Rows, frames: list[Frame], matrices: Floats) -> tuple[Floats, Floats]:
    """Return what is left of boxes of some area after each step, of shape (L, P), and their pixels in the end."""
    patches, left = patches_of(boxes), np.empty((len(frames), len(draws)))
    for k, frame in enumerate(frames):
        patches = within_each(patches, draws, *frame)
        left[k] = patches.left
    return left, pixels_each(patches, draws, matrices)


def _follow_points(boxes: Floats, draws: Rows, slack: Floats, frames: list[Frame]) -> Floats:
    """Return which boxes without area are there after each step, of shape (L, P); edges are closed, with slack (D,)."""
    left, seen = np.empty((len(frames), len(draws))), np.ones(len(draws), dtype=np.bool_)
    x, y = (boxes[:2] + boxes[2:]) / 2
    for k, frame in enumerate(frames):
        a, b, c = np.moveaxis(frame.planes[:, :, draws], 1, 0)
        seen &= (a * x + b * y + c >= -slack[draws] * (np.abs(a) + np.abs(b))).all(axis=0)
        left[k] = seen
    return left
