"""How many draws of each stratum are damaged, and emptied, at every limit.

A stratum is all draws, those of images of one shape, or those with an object of one size, of one class, or of one class
and size in images of one shape (a *cell*). The unit is the draw, since objects of one draw share its luck: a draw
belongs to a stratum if it has a counted object of it, and is damaged there if such an object is. Emptied is a whole
image, so that is told of all draws and of shapes only.
"""

import numpy as np

from safeaug.auditing.bins import AREAS, ASPECTS, Ints
from safeaug.auditing.seen import Bools, Seen, grouped
from safeaug.auditing.table import Layout, Table, counted, pack, width
from safeaug.auditing.terms import Labels
from safeaug.auditing.turns import SIZE, Turns, hurt_by_object, in_one

BOTH, OBJECT, IMAGE = 0, 1, 2
"""For which meaning of labels a turn is: mostly it is the same for both, and then it is counted once."""

LAYOUT = Layout(("label", "aspect", "area", "side", "struck", "turn"), (len(ASPECTS) + 1, len(AREAS) + 1, 3, 2, SIZE))
"""Keys of damaged and of emptied draws. Label, aspect and area are 0 for any; struck: at the measured limits."""

STRATA = Layout(LAYOUT.names[:3], LAYOUT.sizes[:2])


def damage_of(seen: Seen, turns: Turns) -> Table:
    """Return how many draws of each stratum have which turn."""
    keys, hurt = _by_sample(seen, turns.owner, turns.damage), hurt_by_object(seen)
    label, aspect, area = seen.label, seen.aspect, seen.area
    for stratum in (pack(STRATA, 0, 0, area), pack(STRATA, label, 0, 0), pack(STRATA, label, aspect, area)):
        most = int(stratum.max(initial=0)) + 1
        group, reduced = grouped(seen.owner * most + stratum, hurt, np.minimum)
        owner, own = np.divmod(group, most)
        keys += _keys(seen, owner, own, in_one(reduced))
    return counted(np.concatenate(keys))


def emptied_of(seen: Seen, turns: Turns) -> Table:
    """Return how many draws of all, and of each shape of image, have which turn."""
    return counted(np.concatenate(_by_sample(seen, turns.owner, turns.emptied)))


def _by_sample(seen: Seen, owner: Ints, turns: Ints) -> list[Ints]:
    """Return the keys of draws in the strata to which all objects of a sample belong."""
    aspect = pack(STRATA, 0, seen.aspects[owner], 0)
    return [*_keys(seen, owner, np.zeros_like(owner), turns), *_keys(seen, owner, aspect, turns)]


def _keys(seen: Seen, owner: Ints, stratum: Ints, turns: Ints) -> list[Ints]:
    """Return the keys of all draws that are judged, of groups of objects of these samples and strata."""
    return sided(stratum[:, None] * width(LAYOUT, 3), turns, seen.judged[owner])


def sided(above: Ints, turns: Ints, judged: Bools) -> list[Ints]:
    """Return the keys of draws that are judged, for both meanings of labels.

    Parameters
    ----------
    above : ndarray of shape (G, 1) or (G, n), int64
        What stands in a key above the meaning of labels.
    turns : ndarray of shape (G, 2, n), int64
        As in `Turns`.
    judged : ndarray of shape (G, n), bool
        Which draws.
    """
    of_object, of_image = turns[:, 0], turns[:, 1]
    same = of_object == of_image
    apart, side = judged & ~same, width(LAYOUT, 4)
    return [
        (above + (BOTH * side + of_object))[judged & same],
        (above + (OBJECT * side + of_object))[apart],
        (above + (IMAGE * side + of_image))[apart],
    ]


def meant(side: Ints, labels: Labels) -> Bools:
    """Return which keys are told where labels stand for objects, or for images."""
    out: Bools = (side == BOTH) | (side == (OBJECT if labels == "object" else IMAGE))
    return out
