"""From which limit on a draw is damaged, and emptied: its turns.

The damage is done at limit ``j / 200`` if ``turn < 1 + j``. The turn is 0 where an object is orphaned, which damages at
any limit; else 1 + the bin of the least that is left. In the same way an image is emptied at ``j / 200`` if
``turn < 1 + j``, where 1 + the bin of the most that is left is its turn. At the limits with which it was measured,
which may lie between those or differ by label, a draw is *struck* or it is not.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.auditing.bins import STEPS, Ints
from safeaug.auditing.seen import Seen, grouped

NEVER = STEPS + 2
"""The turn of a draw that no limit damages."""

SIZE = NEVER + 1
"""How many turns there are."""

Bytes = NDArray[np.uint8]


class Turns(NamedTuple):
    """Of the draws of samples with an object that counts, from which limit on they are struck.

    Turn and strike are one number, ``struck * SIZE + turn``; of each draw there are two, as labels stand for objects
    or for images.

    Parameters
    ----------
    owner : ndarray of shape (G,), int64
        The samples, ascending.
    damage, emptied : ndarray of shape (G, 2, n), int64
        The turns of each.
    """

    owner: Ints
    damage: Ints
    emptied: Ints


def turns_of(seen: Seen) -> Turns:
    """Return from which limit on each draw is struck."""
    owner, damage = grouped(seen.owner, hurt_by_object(seen), np.minimum)
    _, emptied = grouped(seen.owner, _held_by_object(seen), np.maximum)
    return Turns(owner, in_one(damage), in_one(emptied))


def hurt_by_object(seen: Seen) -> Bytes:
    """Return of each object its turn for both meanings of labels, and 0 where the measured limits damage it.

    Returns
    -------
    ndarray of shape (C, 4, n), uint8
        The least over the objects of a draw is the draw's.
    """
    image = 1 + seen.bins
    unlabelled = np.where(seen.visible, 0, NEVER)  # an orphan damages always, what is gone with its label never
    spared = np.where(seen.labelled, seen.kept, ~seen.visible)
    return _stacked(np.where(seen.labelled, image, unlabelled), image, spared, seen.kept)


def _held_by_object(seen: Seen) -> Bytes:
    """Return the same of emptying: the most over the objects of a draw is the draw's."""
    image = 1 + seen.bins
    return _stacked(np.where(seen.labelled, image, 0), image, seen.labelled & seen.kept, seen.kept)


def _stacked(*parts: np.ndarray) -> Bytes:
    out = np.empty((len(parts[0]), len(parts), parts[0].shape[1]), np.uint8)
    for i, part in enumerate(parts):
        out[:, i] = part
    return out


def in_one(reduced: Bytes) -> Ints:
    """Return turns and strikes as one number, of shape (G, 2, n)."""
    return (1 - reduced[:, 2:].astype(np.int64)) * SIZE + reduced[:, :2]
