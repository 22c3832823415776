"""Which draws are kept in full: the worst, and some at random; the same ones in whatever parts they were measured."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from safeaug.auditing.bins import Ints
from safeaug.auditing.block import Block
from safeaug.auditing.row import Row
from safeaug.auditing.rows import rows_of
from safeaug.auditing.seen import Floats, Seen, grouped
from safeaug.auditing.terms import Terms
from safeaug.auditing.text import as_text
from safeaug.auditing.turns import SIZE, Turns

DAMAGED, EMPTIED, SOUND = range(3)
"""The worst draws are damaged ones, then those in which no object is kept, then all others."""

_MORE = 1e9
"""More than is ever left of an object, tolerance put on."""

_FIRST, _SECOND, _WORD = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, (1 << 64) - 1
"""The finalizer of splitmix64."""

Rank = tuple[int, float, str, int]
Lot = tuple[int, str, int]


class Picks(NamedTuple):
    """Draws that are kept in full, each sort in its order.

    Parameters
    ----------
    worst : tuple of Row
        Damaged draws first, by the least that is left of a damaged object; then by id and draw.
    random : tuple of Row
        Those whose keys, scattered, are the least: a draw's key is a hash of seed, id and draw.
    """

    worst: tuple[Row, ...]
    random: tuple[Row, ...]


NONE = Picks((), ())


def picks_of(block: Block, seen: Seen, turns: Turns, terms: Terms, known: Picks = NONE) -> Picks:
    """Return the draws of a block that may be among the worst, or the lot may have fallen on.

    Parameters
    ----------
    known : Picks
        Draws picked before: none is made a row of that cannot stand before the last of them.
    """
    worst = _worst(block, seen, turns, terms, known.worst)
    random = _random(block, terms.random, known.random)
    rows = [*rows_of(block, terms.policy, labels=terms.labels, picks=[*worst, *random])]
    return Picks(tuple(rows[: len(worst)]), tuple(rows[len(worst) :]))


def all_picks(parts: Sequence[Picks], terms: Terms) -> Picks:
    """Return those of the picks of parts that are picked of all together."""
    worst, random = [part.worst for part in parts if part.worst], [part.random for part in parts if part.random]
    return Picks(_first(worst, rank_of, terms.worst), _first(random, lot_of, terms.random))


def _first(parts: Sequence[tuple[Row, ...]], key: Callable[[Row], Any], number: int) -> tuple[Row, ...]:
    """Return the first rows of parts, each of which is in order."""
    if len(parts) == 1:
        return parts[0][:number]
    return tuple(sorted((row for part in parts for row in part), key=key)[:number])


def rank_of(row: Row) -> Rank:
    """Return where a row stands among the worst."""
    tier = DAMAGED if row.damaged else EMPTIED if row.emptied else SOUND
    return tier, _MORE if row.least is None else row.least, row.id, row.draw


def lot_of(row: Row) -> Lot:
    """Return where a row stands among those picked at random."""
    return scattered(int(row.key, 16)), row.id, row.draw


def _worst(block: Block, seen: Seen, turns: Turns, terms: Terms, known: Sequence[Row]) -> list[tuple[int, int]]:
    """Return the worst judged draws of a block, if they are worse than the known ones."""
    tier, least = _badness(seen, turns, terms)
    near, ids = seen.judged[turns.owner], [as_text(block.samples[i].id) for i in turns.owner.tolist()]
    if len(known) >= terms.worst > 0:
        how, left, name, _ = rank_of(known[terms.worst - 1])
        early = np.array([own <= name for own in ids], np.bool_)[:, None]
        near = near & ((tier < how) | ((tier == how) & ((least < left) | ((least == left) & early))))
    group, draw = np.nonzero(near)
    places = _places(ids)[group]
    order = np.lexsort((draw, places, least[group, draw], tier[group, draw]))[: terms.worst]
    return list(zip(turns.owner[group[order]].tolist(), draw[order].tolist(), strict=True))


def _badness(seen: Seen, turns: Turns, terms: Terms) -> tuple[Ints, Floats]:
    """Return the tier of each draw, and the least that is left of a damaged object, or of any where none is.

    Both are of shape (G, n), of the samples that `Turns` names.
    """
    image = terms.labels == "image"
    hurt, empty = (each[:, int(image)] >= SIZE for each in (turns.damage, turns.emptied))
    damaged = ~seen.kept if image else np.where(seen.labelled, ~seen.kept, seen.visible)
    sides = np.stack([np.where(damaged, seen.left, _MORE), seen.left], axis=1)
    _, least = grouped(seen.owner, sides, np.minimum)
    return np.where(hurt, DAMAGED, np.where(empty, EMPTIED, SOUND)), np.where(hurt, least[:, 0], least[:, 1])


def _random(block: Block, number: int, known: Sequence[Row]) -> list[tuple[int, int]]:
    """Return the draws of a block on which the lot falls, if they come before the known ones."""
    lots, near = _scattered(block.keys), block.valid
    if len(known) >= number > 0:
        near = near & (lots <= np.uint64(lot_of(known[number - 1])[0]))
    sample, draw = np.nonzero(near)
    places = _places([as_text(each.id) for each in block.samples])[sample]
    order = np.lexsort((draw, places, lots[sample, draw]))[:number]
    return list(zip(sample[order].tolist(), draw[order].tolist(), strict=True))


def _places(ids: Sequence[str]) -> Ints:
    """Return where each id stands among all, in order; the same ids stand in one place."""
    place = {text: i for i, text in enumerate(sorted(set(ids)))}
    return np.array([place[text] for text in ids], np.int64)


def _scattered(keys: np.ndarray) -> np.ndarray:
    """Return 64-bit keys scattered one to one, so that what is picked does not depend on how generators use seeds."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(_FIRST)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(_SECOND)
    scattered: np.ndarray = keys ^ (keys >> np.uint64(31))
    return scattered


def scattered(key: int) -> int:
    """Return one key scattered, as a plain number."""
    key = ((key ^ (key >> 30)) * _FIRST) & _WORD
    key = ((key ^ (key >> 27)) * _SECOND) & _WORD
    return key ^ (key >> 31)
