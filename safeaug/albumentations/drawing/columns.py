"""Draws of many samples as columns: those told in numbers all at once, those that the host has made one by one."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.albumentations.drawing.followed import Followed
from safeaug.albumentations.drawing.labels import Ways, labelled
from safeaug.albumentations.drawing.maps import matrices_of, stretch_of
from safeaug.albumentations.drawing.moves import Boxes, Filter, Move
from safeaug.albumentations.drawing.walk import Walked
from safeaug.draws import Drawn, Given
from safeaug.ledger.many import Chains, follow_many
from safeaug.ledger.matrices import Matrix
from safeaug.policy import Status

Place = tuple[int, int]
"""Of a draw: which sample, which of its draws."""


class Begun(NamedTuple):
    """What the host has of O boxes before the first step, and what it asks of them.

    Parameters
    ----------
    boxes : Boxes
        As it keeps them.
    filter_ : Filter
        What it asks of a box to keep its label.
    """

    boxes: Boxes
    filter_: Filter


def empty(counts: NDArray[np.int64], shape: tuple[int, int], steps: int) -> Drawn:
    """Return columns of which nothing is known yet."""
    objects, (samples, draws) = int(counts.sum()), shape
    return Drawn(
        np.full((samples, draws, steps), -1, np.int16),
        np.full((objects, draws, steps), np.nan, np.float32),
        np.zeros((objects, draws), bool),
        np.full(shape, np.nan, np.float32),
        np.full(shape, np.nan, np.float32),
        np.full(shape, np.nan, np.float32),
        np.zeros((samples, draws, 2), np.int32),
        np.full(shape, Status.FIRST, np.int8),
    )


def columns_of(
    given: Given,
    begun: Begun | None,
    walks: Mapping[Place, Walked],
    others: Mapping[Place, Followed],
    shape: tuple[int, int],
) -> tuple[Drawn, list[Place]]:
    """Return what draws leave of the objects, and those told in numbers in which the host raises for a box.

    Parameters
    ----------
    given : Given
        The objects.
    begun : Begun or None
        Their boxes as the host keeps them before the first step, and what it asks of them; None where it has none.
    walks : mapping of (int, int) to Walked
        Draws that were told in numbers.
    others : mapping of (int, int) to Followed
        Draws that the host has made.
    shape : (S, n)
        How many pictures, and draws of each.
    """
    longest = max([1, *(len(each.steps) for each in walks.values()), *(len(each.steps) for each in others.values())])
    drawn = empty(given.counts, shape, longest)
    refused = _put_walks(drawn, given, begun, walks) if walks else []
    ends = np.cumsum(given.counts)
    for (i, j), other in others.items():
        _put_other(drawn, other, i, j, slice(ends[i] - given.counts[i], ends[i]))
    return drawn, refused


def _put_other(drawn: Drawn, other: Followed, i: int, j: int, rows: slice) -> None:
    many = len(other.steps)
    drawn.steps[i, j, :many] = other.steps
    if many:
        drawn.left[rows, j, :many] = other.left.T
        drawn.left[rows, j, many:] = other.left[-1][:, None]
    else:
        drawn.left[rows, j] = other.begun[:, None]
    drawn.labelled[rows, j] = other.labelled
    drawn.area[i, j], drawn.padded[i, j], drawn.stretch[i, j] = other.area, other.padded, other.stretch
    drawn.size[i, j], drawn.status[i, j] = other.size, other.status


class Spread(NamedTuple):
    """Draws spread over their objects: D draws, and M objects of them, one behind another.

    Parameters
    ----------
    sample, draw : ndarray of shape (D,)
        Of which picture each draw is, and which of its draws.
    of : ndarray of shape (M,)
        Of which draw each object is.
    object : ndarray of shape (M,)
        Which of all objects it is.
    """

    sample: NDArray[np.int64]
    draw: NDArray[np.int64]
    of: NDArray[np.int64]
    object: NDArray[np.int64]


def _spread(places: Sequence[Place], counts: NDArray[np.int64]) -> Spread:
    sample, draw = np.array(places, dtype=np.int64).reshape(-1, 2).T
    many = counts[sample]
    of = np.repeat(np.arange(len(places)), many)
    within = np.arange(len(of)) - np.repeat(np.cumsum(many) - many, many)
    return Spread(sample, draw, of, (np.cumsum(counts) - counts)[sample][of] + within)


def _put_walks(drawn: Drawn, given: Given, begun: Begun | None, walks: Mapping[Place, Walked]) -> list[Place]:
    """Write draws into columns, and return those in which the host raises for a box."""
    spread, all_walks = _spread(list(walks), given.counts), list(walks.values())
    first = given.sizes[spread.sample]
    steps, ways = _ways(all_walks, first, drawn.steps.shape[2])
    boxes = given.boxes[spread.object]
    frames = np.concatenate([np.zeros((len(first), 2)), first[:, ::-1]], axis=1)
    all_boxes, owners = np.concatenate([boxes, frames]), np.concatenate([spread.of, np.arange(len(first))])
    found = follow_many(all_boxes, owners, ways.chains)
    many, at = len(boxes), (spread.sample, spread.draw)
    rows = spread.object, spread.draw[spread.of]
    drawn.steps[at], drawn.size[at] = steps, ways.last
    drawn.left[rows] = found.left[:many]
    drawn.area[at] = found.left[many:, -1]
    drawn.padded[at] = 1 - np.minimum(found.pixels[many:] / ways.last.prod(axis=1), 1.0)
    drawn.stretch[at] = stretch_of(found.matrices)
    drawn.status[at] = np.where([walk.applied for walk in all_walks], Status.FIRST, Status.NOT_APPLIED)
    if begun is None:
        drawn.labelled[rows] = True
        return []
    all_sides = begun.boxes.of(spread.object)
    drawn.labelled[rows], refused = labelled(all_sides, spread.of, ways, begun.filter_)
    places = list(walks)
    return [places[each] for each in np.unique(spread.of[refused]).tolist()]


def _ways(walks: Sequence[Walked], first: NDArray[np.int64], longest: int) -> tuple[NDArray[np.int16], Ways]:
    """Return the numbers of the steps of draws, and what the steps do."""
    counts = np.array([len(walk.steps) for walk in walks])
    rows = [row for walk in walks for row in walk.steps]
    draw = np.repeat(np.arange(len(walks)), counts)
    at = draw, np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = len(walks), longest
    steps, sizes = np.full(shape, -1, np.int16), np.zeros((*shape, 2), np.int64)
    moves, matrices, numbers = np.zeros(shape, np.int8), np.zeros((*shape, 9)), np.zeros((*shape, 9))
    if rows:
        told = [each for _, each in rows]
        steps[at] = [number for number, _ in rows]
        sizes[at], moves[at] = [each.size for each in told], [each.move for each in told]
        numbers[at] = [each.numbers for each in told]
        before = np.concatenate([first[:, None], sizes[:, :-1]], axis=1)
        _put_matrices(matrices, moves, numbers, before, sizes, at, [each.matrix for each in told])
    filters = np.zeros((len(walks), longest + 1), np.int64)
    filters[np.arange(longest + 1) <= counts[:, None]] = [number for walk in walks for number in walk.filters]
    applied = np.array([walk.applied for walk in walks])
    last = np.where(counts[:, None] > 0, sizes[np.arange(len(walks)), np.maximum(counts, 1) - 1], first)
    return steps, Ways(Chains(counts, matrices, sizes, first), moves, numbers, filters, applied, last)


def _put_matrices(
    matrices: NDArray[Any],
    moves: NDArray[Any],
    numbers: NDArray[Any],
    before: NDArray[Any],
    after: NDArray[Any],
    at: tuple[NDArray[Any], NDArray[Any]],
    given: Sequence[Matrix | None],
) -> None:
    """Write the map of each step: what it says itself, or what its move says."""
    said = np.array([matrix is not None for matrix in given])
    there, others = (at[0][said], at[1][said]), (at[0][~said], at[1][~said])
    if said.any():
        matrices[there] = [matrix for matrix in given if matrix is not None]
    matrices[others] = matrices_of(moves[others], numbers[others], before[others], after[others])
    turns = moves == Move.TURN
    numbers[turns] = matrices[turns]  # edges are what the host moves boxes by
