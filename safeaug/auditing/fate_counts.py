"""How many objects had which fate, by class, by size and by shape of image, at every limit."""

from typing import Literal

import numpy as np

from safeaug.auditing.bins import AREAS, ASPECTS, STEPS, Ints
from safeaug.auditing.cut import Cut
from safeaug.auditing.fates import Fate
from safeaug.auditing.seen import Seen, chosen
from safeaug.auditing.strata import STRATA
from safeaug.auditing.table import Layout, Table, counted, digits_of, pack, tail, width
from safeaug.auditing.terms import Labels

SEEN, LOST, ORPHANED, DROPPED = range(4)
"""What an object shows at any limit: of those with their label, whether any is left; of those without, the same."""

LAYOUT = Layout((*STRATA.names, "state", "kept", "bin"), (*STRATA.sizes, 4, 2, STEPS + 1))
"""Keys of objects, one a draw. Of label, aspect and area one is told, the others are 0. Kept: as measured."""

By = Literal["class", "aspect", "area"]


def states_of(seen: Seen) -> Ints:
    """Return what each object shows in each draw, of shape (C, n)."""
    return np.where(seen.labelled, SEEN, ORPHANED) + np.where(seen.visible, 0, LOST - SEEN)


def margins_of(seen: Seen) -> tuple[Ints, ...]:
    """Return the strata of each object, of shape (C,): its class, the shape of its image, its size."""
    return pack(STRATA, seen.label, 0, 0), pack(STRATA, 0, seen.aspect, 0), pack(STRATA, 0, 0, seen.area)


def objects_of(seen: Seen) -> Table:
    """Return how many objects of each stratum show what."""
    rest = pack(tail(LAYOUT, 3), states_of(seen), seen.kept, seen.bins)
    flat, at = chosen(seen.judged[seen.owner])
    rest = rest.ravel()[flat]
    return counted(np.concatenate([stratum[at] * width(LAYOUT, 3) + rest for stratum in margins_of(seen)]))


def fates_by(
    table: Table, cut: Cut, labels: Labels, vocabulary: tuple[str, ...], by: By = "class"
) -> dict[str, dict[Fate, int]]:
    """Return how many objects of each class, size or shape of image had which fate.

    Parameters
    ----------
    table : Table
        As `objects_of` counts.
    cut : Cut
        The limits. By class they may differ from label to label.
    labels : {"object", "image"}
        What a label stands for.
    vocabulary : tuple of str
        The labels of the summary.
    by : {"class", "aspect", "area"}
        What to tell apart.
    """
    label, aspect, area, state, kept, bins = digits_of(LAYOUT, table.keys)
    which = {"class": label, "aspect": aspect, "area": area}[by]
    names = {"class": vocabulary, "aspect": ASPECTS, "area": AREAS}[by]
    fate = _fates(state, cut.keeps(label, kept, bins), labels)
    sums = np.zeros((len(names) + 1, len(Fate)), np.int64)
    np.add.at(sums, (which, fate), table.counts)
    rows = sums[1:].tolist()  # the first is of those that another margin tells
    return {name: dict(zip(Fate, row, strict=True)) for name, row in zip(names, rows, strict=True) if any(row)}


def _fates(state: Ints, kept: np.ndarray, labels: Labels) -> Ints:
    carried = (state <= LOST) | (labels == "image")
    visible = (state == SEEN) | (state == ORPHANED)
    held = np.where(kept, Fate.KEPT, np.where(visible, Fate.SLIVER, Fate.GHOST))
    return np.where(carried, held, np.where(visible, Fate.ORPHAN, Fate.GONE))
