"""What became of an object: whether enough of it is left, and whether it still has its label."""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from safeaug.auditing.terms import Labels


class Fate(IntEnum):
    """What became of an object, in one word."""

    KEPT = 0
    """Its limit is left, and its label."""
    SLIVER = 1
    """Less is left, and its label: a picture of little stands for all of it."""
    GHOST = 2
    """Nothing is left but its label."""
    ORPHAN = 3
    """Something is left and can be seen, however much; its label is dropped."""
    GONE = 4
    """Nothing is left, nor its label: an ordinary crop."""


UNTOLD = -1
"""Stands for the fate of an object of which nobody can tell what is left."""

DAMAGE = (Fate.SLIVER, Fate.GHOST, Fate.ORPHAN)
"""The fates that damage a draw. Where a label stands for the whole image no object loses it: see `carries`."""


def carries(labelled: NDArray[np.bool_], labels: Labels) -> NDArray[np.bool_]:
    """Return which objects still carry a label: under ``labels="image"`` all, as the image's label stays."""
    return np.ones_like(labelled) if labels == "image" else labelled


def fates_of(
    left: NDArray[np.floating],
    tolerance: NDArray[np.float64],
    labelled: NDArray[np.bool_],
    limits: NDArray[np.float64],
    labels: Labels = "object",
) -> NDArray[np.int8]:
    """Return what became of each object in each draw.

    Parameters
    ----------
    left : ndarray of shape (O, n)
        Share of each object that is visible in the end; NaN where nobody can tell.
    tolerance : ndarray of shape (O,)
        Share of each that may be missing without anybody asking.
    labelled : ndarray of shape (O, n), bool
        Whether the pipeline hands on its label.
    limits : ndarray of shape (O,)
        Share of each that must be left. At a limit of 0 nothing is too little: what has its label is kept.
    labels : {"object", "image"}
        What a label stands for. Of an image's label nothing is dropped, so there an object is kept, a sliver, or a
        ghost.

    Returns
    -------
    ndarray of shape (O, n), int8
        A `Fate` each, `UNTOLD` where nobody can tell.

    Examples
    --------
    >>> left = np.array([[1.0, 0.2, 0.0, 0.8, 0.0]])
    >>> labelled = np.array([[True, True, True, False, False]])
    >>> [Fate(each).name for each in fates_of(left, np.zeros(1), labelled, np.array([0.5]))[0]]
    ['KEPT', 'SLIVER', 'GHOST', 'ORPHAN', 'GONE']
    >>> [Fate(each).name for each in fates_of(left, np.zeros(1), labelled, np.array([0.5]), "image")[0]]
    ['KEPT', 'SLIVER', 'GHOST', 'KEPT', 'GHOST']
    """
    carried = carries(labelled, labels)
    kept = left + tolerance[:, None] >= limits[:, None]
    seen = left > 0
    fates = np.where(carried, np.where(kept, Fate.KEPT, np.where(seen, Fate.SLIVER, Fate.GHOST)), Fate.GONE)
    fates[~carried & seen] = Fate.ORPHAN
    fates[np.isnan(left)] = UNTOLD
    return fates.astype(np.int8)
