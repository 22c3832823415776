"""The bins in which an audit counts: limits, shapes of images, sizes of objects, distortion; and sums that are exact.

Counts are whole numbers and so are sums, in millionths, so that parts may be added in any order with one result.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

STEPS = 200
"""In how many steps of 0.005 the limits go from 0 to 1."""

LIMITS: NDArray[np.float64] = np.arange(STEPS + 1) / STEPS
"""The limits at which counts are exact without being measured again."""
LIMITS.flags.writeable = False

UNKNOWN = STEPS + 1
"""The bin of what is not known."""

ONE = 1_000_000
"""What a sum counts for 1."""

_ASPECTS = tuple(map(Fraction, ("5/4", "2", "3", "4")))
ASPECTS = (
    "1:4 and taller",
    "1:4 to 1:3",
    "1:3 to 1:2",
    "1:2 to 4:5",
    "about square",
    "5:4 to 2:1",
    "2:1 to 3:1",
    "3:1 to 4:1",
    "4:1 and wider",
)
"""Bins of width over height, the tallest first. A limit belongs to the longer of the two shapes that it parts."""

_AREAS = np.array([0.001, 0.01, 0.05, 0.2, 0.5])
AREAS = ("under 0.1 %", "0.1 % to 1 %", "1 % to 5 %", "5 % to 20 %", "20 % to 50 %", "50 % and more")
"""Bins of an object's area over its image's, the least first. A limit belongs to the greater of its two bins."""

STRETCHES = (1.0, 1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0, 16.0)
"""Where the bins of the scale along one axis over that along the other begin."""


def bin_of(share: NDArray[np.float64]) -> Ints:
    """Return how many of the limits above 0 each share reaches: ``share >= j / 200`` is ``bin >= j``, exactly.

    Parameters
    ----------
    share : ndarray of float64
        Finite. What lies beyond [0, 1] counts as its nearer end.

    Examples
    --------
    >>> bin_of(np.array([0.0, 0.285, 0.5, 0.9999, 1.0])).tolist()
    [0, 57, 100, 199, 200]
    """
    near = np.rint(share * STEPS)
    bins = np.clip(near, 0, STEPS, out=near).astype(np.int64)
    bins -= share < LIMITS.take(bins)  # the nearest limit, or the one below; a product alone may be off by rounding
    return np.maximum(bins, 0, out=bins)


def limit_index(limit: float) -> int | None:
    """Return which of the limits a number is, None where it is none of them.

    Examples
    --------
    >>> limit_index(0.5), limit_index(1 / 3)
    (100, None)
    """
    index = round(limit * STEPS)
    return index if abs(index / STEPS - limit) < 1e-12 else None


def aspect_of(sizes: NDArray[np.int64]) -> Ints:
    """Return the bin of ``ASPECTS`` of each image.

    Parameters
    ----------
    sizes : ndarray of shape (S, 2), int64
        Height and width.

    Examples
    --------
    >>> [ASPECTS[i] for i in aspect_of(np.array([[480, 640], [200, 2000], [800, 400], [512, 512]]))]
    ['5:4 to 2:1', '4:1 and wider', '1:3 to 1:2', 'about square']
    """
    height, width = sizes[:, 0], sizes[:, 1]
    long, short = np.maximum(height, width), np.minimum(height, width)
    beyond = np.zeros(len(sizes), np.int64)
    for edge in _ASPECTS:  # in whole numbers, in which no image lies beside a limit by rounding
        beyond += long * edge.denominator >= short * edge.numerator
    return len(_ASPECTS) + np.where(width > height, beyond, -beyond)


def area_of(areas: NDArray[np.float64]) -> Ints:
    """Return the bin of ``AREAS`` of each object.

    Examples
    --------
    >>> [AREAS[i] for i in area_of(np.array([0.0, 0.01, 1.0]))]
    ['under 0.1 %', '1 % to 5 %', '50 % and more']
    """
    return np.searchsorted(_AREAS, areas, side="right").astype(np.int64)


def stretch_bin(stretch: NDArray[np.float64]) -> Ints:
    """Return the bin of each stretch, ``UNKNOWN`` of one that differs from place to place (NaN).

    Examples
    --------
    >>> stretch_bin(np.array([1.0, 1.04, 2.0, 99.0, np.nan])).tolist()
    [0, 0, 7, 13, 201]
    """
    bins = np.maximum(np.searchsorted(STRETCHES, stretch, side="right") - 1, 0)
    return np.where(np.isnan(stretch), UNKNOWN, bins).astype(np.int64)


def share_bin(share: NDArray[np.float64]) -> Ints:
    """Return the bin of each share, ``UNKNOWN`` of NaN."""
    unknown = np.isnan(share)
    return np.where(unknown, UNKNOWN, bin_of(np.where(unknown, 0.0, share)))


def millionths(share: NDArray[np.float64]) -> Ints:
    """Return shares as whole millionths, 0 for NaN.

    Examples
    --------
    >>> millionths(np.array([0.25, np.nan])).tolist()
    [250000, 0]
    """
    amounts = share * ONE
    np.rint(amounts, out=amounts)
    amounts[~np.isfinite(amounts)] = 0.0
    return amounts.astype(np.int64)
