"""Which step emptied an image: the one that alone took the most of its objects together.

Where several took the same, it is the first of them. An image of which nothing was taken, and that is empty since its
objects lost their labels, is laid at the door of the last step; where no step changed the picture, at that of the
pipeline itself.
"""

import numpy as np

from safeaug.auditing import strata
from safeaug.auditing.bins import ASPECTS, STEPS, Ints
from safeaug.auditing.blame import blamed_steps
from safeaug.auditing.seen import Seen, grouped
from safeaug.auditing.table import Layout, Table, counted, width
from safeaug.auditing.turns import SIZE, Turns

LAYOUT = Layout(("step", "aspect", *strata.LAYOUT.names[3:]), (len(ASPECTS) + 1, *strata.LAYOUT.sizes[2:]))
"""Keys of draws that some limit empties. The step is counted from 1; 0 for none."""

WHOLE = 2.0**40
"""What a sum of what was taken counts for a whole object. Sums of whole numbers are the same in any order."""


def emptiers_of(seen: Seen, turns: Turns) -> Table:
    """Return how many draws of images of each shape are to be laid at which step, by the limits that empty them."""
    owner, step = emptying_steps(seen)
    above = step * width(LAYOUT, 1) + seen.aspects[owner, None] * width(LAYOUT, 2)
    keys = np.concatenate(strata.sided(above, turns.emptied, seen.judged[owner]))
    return counted(keys[keys % SIZE <= STEPS])  # the last digit is the turn


def emptying_steps(seen: Seen) -> tuple[Ints, Ints]:
    """Return the step that emptied each draw, if it is empty.

    Returns
    -------
    owner : ndarray of shape (G,), int64
        The samples with an object that counts, ascending.
    step : ndarray of shape (G, n), int64
        Of each draw the step, from 1; 0 for none.
    """
    owner, together = grouped(seen.owner, np.rint(seen.drops * WHOLE).astype(np.int64), np.add)
    return owner, blamed_steps(together, seen.steps[owner])[0]
