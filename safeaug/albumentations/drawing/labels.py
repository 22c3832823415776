"""Which objects still have a label behind a pipeline, for many draws at once."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.albumentations.drawing.moves import Boxes, Filter, filtered, moved, refused
from safeaug.ledger.many import Chains

TWICE = 2
"""A box that a filter has clipped to nothing falls at the next; a third changes no more."""


class Ways(NamedTuple):
    """What the steps of D draws do, of at most L steps each.

    Parameters
    ----------
    chains : Chains
        To the picture.
    moves : ndarray of shape (D, L)
        To the host's boxes: a `Move` each.
    numbers : ndarray of shape (D, L, 9)
        With which numbers.
    filters : ndarray of shape (D, L + 1)
        How often the host filters boxes before the first step, and after each.
    applied : ndarray of shape (D,), bool
        Whether the pipeline was applied at all.
    last : ndarray of shape (D, 2)
        Height and width of the output.
    """

    chains: Chains
    moves: NDArray[Any]
    numbers: NDArray[Any]
    filters: NDArray[Any]
    applied: NDArray[np.bool_]
    last: NDArray[Any]


def labelled(
    boxes: Boxes, draws: NDArray[np.int64], ways: Ways, filter_: Filter
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which boxes the host still has in the end, and for which it raises.

    Parameters
    ----------
    boxes : Boxes
        Of M objects of draws, as the host keeps them.
    draws : ndarray of shape (M,)
        Of which draw each is.
    ways : Ways
        What happens in each draw.
    filter_ : Filter
        What is asked of a box to keep its label.

    Returns
    -------
    labelled, refused : ndarrays of shape (M,), bool
    """
    begun, size = boxes.there, ways.chains.first[draws]
    for k in range(ways.moves.shape[1] + 1):
        boxes = _filtered(boxes, ways.filters[:, k][draws], size, filter_)
        if k < ways.moves.shape[1]:
            going = (ways.chains.counts > k)[draws]
            after = np.where(going[:, None], ways.chains.sizes[:, k][draws], size)
            step = moved(boxes, np.where(going, ways.moves[:, k][draws], 0), ways.numbers[:, k][draws], size, after)
            boxes, size = step, after
    boxes = filtered(boxes, filter_, size)
    applied = ways.applied[draws]
    return np.where(applied, boxes.there, begun), applied & refused(boxes)


def _filtered(boxes: Boxes, times: NDArray[Any], size: NDArray[Any], filter_: Filter) -> Boxes:
    for number in range(TWICE):
        rows = np.flatnonzero((times > number) & boxes.there)
        if len(rows):
            part = filtered(boxes.of(rows), filter_, size[rows])
            boxes.sides[rows], boxes.there[rows], boxes.single[rows] = part
    return boxes
