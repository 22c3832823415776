"""What a block shows of the objects that count, in the bins in which they are counted."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.auditing.bins import Ints, area_of, aspect_of, bin_of
from safeaug.auditing.block import Block
from safeaug.auditing.terms import Terms
from safeaug.auditing.text import as_text
from safeaug.policy import Policy

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


class Seen(NamedTuple):
    """The C objects of a block that count, in n draws of each of its S samples.

    Labels, aspects and areas are numbered from 1, since 0 stands for any of them in the strata.

    Parameters
    ----------
    vocabulary : tuple of str
        The labels of these objects, ascending.
    label, aspect, area : ndarray of shape (C,), int64
        Of each object its class, the shape of its image, its share of the image.
    owner : ndarray of shape (C,), int64
        Its sample, ascending.
    left : ndarray of shape (C, n), float64
        What is left of it in the end, tolerance put on. Where the draw is not judged, anything finite.
    bins : ndarray of shape (C, n), int64
        The bin of that.
    kept, visible, labelled : ndarray of shape (C, n), bool
        Whether what is left reaches the limit with which it was measured, whether any of it can be seen, and whether
        it has its label.
    drops : ndarray of shape (C, n, L), float64
        What each step alone took of it; nothing where the draw is not judged.
    aspects : ndarray of shape (S,), int64
        The shape of each image.
    steps : ndarray of shape (S, n, L), int64
        Which step each was, from 1; 0 behind the last.
    judged, unknown, empty : ndarray of shape (S, n), bool
        Of the draws that were measured: those that are judged, those of which nobody can tell what is left, those
        without an object that counts.
    """

    vocabulary: tuple[str, ...]
    label: Ints
    aspect: Ints
    area: Ints
    owner: Ints
    left: Floats
    bins: Ints
    kept: Bools
    visible: Bools
    labelled: Bools
    drops: Floats
    aspects: Ints
    steps: Ints
    judged: Bools
    unknown: Bools
    empty: Bools


def seen_of(block: Block, terms: Terms) -> Seen:
    """Return what a block shows of the objects that count.

    Raises
    ------
    PolicyError
        Where limits are by label, and an object's is not named.
    """
    at = np.flatnonzero(block.counted)
    owner = block.owner[at]
    vocabulary, label = _numbered([block.labels[i] for i in at.tolist()])
    aspects = 1 + aspect_of(np.array([sample.size for sample in block.samples], np.int64).reshape(-1, 2))
    columns, steps = columns_of(block)
    left = columns[at].astype(np.float64)
    untold = np.isnan(left[:, :, -1])
    unknown = block.valid & any_of(untold, owner, len(block.samples))
    some = np.bincount(owner, minlength=len(block.samples)) > 0
    share = np.clip(np.where(untold, 0.0, left[:, :, -1]), 0.0, 1.0)
    enough = share + block.tolerance[at, None]
    limits = limits_of(terms.policy, vocabulary)[label - 1] if len(at) else np.zeros(0)
    judged = block.valid & ~unknown & some[:, None]
    drops = drops_of(left)
    drops[~judged[owner]] = 0.0
    return Seen(
        vocabulary=vocabulary,
        label=label,
        aspect=aspects[owner],
        area=1 + area_of(block.areas[at]),
        owner=owner,
        left=enough,
        bins=bin_of(enough),
        kept=enough >= limits[:, None],
        visible=share > 0,
        labelled=block.drawn.labelled[at],
        drops=drops,
        aspects=aspects,
        steps=steps,
        judged=judged,
        unknown=unknown,
        empty=block.valid & ~some[:, None],
    )


def columns_of(block: Block) -> tuple[NDArray[np.float32], Ints]:
    """Return what is left of every object after each step, and the steps, from 1; at least one column of each."""
    left, steps = block.drawn.left, block.drawn.steps.astype(np.int64) + 1
    if not left.shape[2]:  # a pipeline without steps takes nothing
        left = np.ones((*left.shape[:2], 1), np.float32)
    missing = left.shape[2] - steps.shape[2]
    return left, np.pad(steps, ((0, 0), (0, 0), (0, missing)))


def drops_of(left: Floats) -> Floats:
    """Return what each step alone took of objects, of shape (..., L); never less than 0.

    Examples
    --------
    >>> drops_of(np.array([0.75, 0.75, 0.25])).tolist()
    [0.25, 0.0, 0.5]
    """
    drops = np.empty_like(left)
    np.subtract(1.0, left[..., 0], out=drops[..., 0])
    np.subtract(left[..., :-1], left[..., 1:], out=drops[..., 1:])
    return np.maximum(drops, 0.0, out=drops)


def any_of(flags: Bools, owner: Ints, samples: int) -> Bools:
    """Return, for each draw of each sample, whether a flag of any of its objects is up."""
    out = np.zeros((samples, flags.shape[1]), np.bool_)
    raised, draw = np.nonzero(flags)
    out[owner[raised], draw] = True
    return out


def limits_of(policy: Policy, labels: tuple[str, ...]) -> Floats:
    """Return what must be left of objects of each label."""
    return np.array([policy.limit_of(label) for label in labels], np.float64)


def _numbered(labels: list[str]) -> tuple[tuple[str, ...], Ints]:
    """Return the labels that occur, ascending, and of each object the number of its label, from 1."""
    texts = {label: as_text(label) for label in set(labels)}
    vocabulary = tuple(sorted(set(texts.values())))
    number = {text: i for i, text in enumerate(vocabulary, 1)}
    numbers = {label: number[text] for label, text in texts.items()}
    return vocabulary, np.array([numbers[label] for label in labels], np.int64)


def chosen(which: Bools) -> tuple[Ints, Ints]:
    """Return the places of what is chosen, of shape (C, n), in the flat array, and the objects that these are of.

    Examples
    --------
    >>> [each.tolist() for each in chosen(np.array([[False, True], [True, True]]))]
    [[1, 2, 3], [0, 1, 1]]
    """
    flat = np.flatnonzero(which)
    return flat, flat // max(1, which.shape[1])


def grouped(group: Ints, values: np.ndarray, least: np.ufunc) -> tuple[Ints, np.ndarray]:
    """Return the groups of objects, ascending, and the values of each reduced over its objects.

    Examples
    --------
    >>> groups, least = grouped(np.array([4, 1, 4]), np.array([[3, 0], [5, 5], [2, 9]]), np.minimum)
    >>> groups.tolist(), least.tolist()
    ([1, 4], [[5, 5], [2, 0]])
    """
    if not len(group):
        return group, values
    order = np.argsort(group, kind="stable")
    group = group[order]
    starts = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
    return group[starts], least.reduceat(values[order], starts, axis=0)
