"""Tables of counts by key: sparse, whole numbers, added in any order with one result."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]

_DENSE = 1 << 17
"""Keys below this are counted in an array of all of them, which is quicker than to sort them."""


class Layout(NamedTuple):
    """How the digits of a key make one number.

    Parameters
    ----------
    names : tuple of str
        Of the digits; the first may be any number.
    sizes : tuple of int
        Of all digits but the first, how many there are.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]


class Table(NamedTuple):
    """Counts, or sums, by key.

    Parameters
    ----------
    keys : ndarray of shape (K,), int64
        Ascending.
    counts : ndarray of shape (K,), int64
        None of them 0.
    """

    keys: Ints
    counts: Ints


EMPTY = Table(np.zeros(0, np.int64), np.zeros(0, np.int64))


def pack(layout: Layout, *digits: ArrayLike) -> Ints:
    """Return keys of digits, which are broadcast against each other.

    Examples
    --------
    >>> layout = Layout(("label", "bin"), (201,))
    >>> pack(layout, [0, 1], 5).tolist()
    [5, 206]
    >>> [digit.tolist() for digit in digits_of(layout, np.array([5, 206]))]
    [[0, 1], [5, 5]]
    """
    key = np.asarray(digits[0], np.int64)
    for size, digit in zip(layout.sizes, digits[1:], strict=True):
        key = key * size + np.asarray(digit, np.int64)
    return key


def digits_of(layout: Layout, keys: Ints) -> tuple[Ints, ...]:
    """Return the digits of keys."""
    digits = []
    for size in reversed(layout.sizes):
        keys, digit = np.divmod(keys, size)
        digits.append(digit)
    return (keys, *reversed(digits))


def tail(layout: Layout, start: int) -> Layout:
    """Return the layout of the digits from one on.

    Examples
    --------
    >>> tail(Layout(("label", "state", "bin"), (4, 201)), 1)
    Layout(names=('state', 'bin'), sizes=(201,))
    """
    return Layout(layout.names[start:], layout.sizes[start:])


def width(layout: Layout, start: int) -> int:
    """Return how many keys differ only in the digits from one on.

    Examples
    --------
    >>> width(Layout(("label", "state", "bin"), (4, 201)), 1)
    804
    """
    return math.prod(layout.sizes[start - 1 :])


def counted(keys: Ints) -> Table:
    """Return how often each key occurs.

    Examples
    --------
    >>> counted(np.array([3, 1, 3]))
    Table(keys=array([1, 3]), counts=array([1, 2]))
    """
    keys = keys.ravel()
    if not len(keys):
        return EMPTY
    if int(keys.max()) < max(_DENSE, 4 * len(keys)):
        counts = np.bincount(keys)
        return Table(at := np.flatnonzero(counts), counts[at])
    keys = np.sort(keys)
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return Table(keys[starts], np.diff(starts, append=len(keys)))


def summed(keys: Ints, amounts: Ints) -> Table:
    """Return the sum of the amounts of each key, those that are not 0.

    Examples
    --------
    >>> summed(np.array([3, 1, 3]), np.array([10, 0, 5]))
    Table(keys=array([3]), counts=array([15]))
    """
    if not len(keys):
        return EMPTY
    if int(keys.max()) < _DENSE:
        totals = np.zeros(int(keys.max()) + 1, np.int64)
        np.add.at(totals, keys, amounts)
        return Table(at := np.flatnonzero(totals), totals[at])
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    totals = np.add.reduceat(amounts[order], starts)
    some = totals != 0
    return Table(keys[starts][some], totals[some])


def total(tables: Sequence[Table]) -> Table:
    """Return the sum of tables.

    Examples
    --------
    >>> total([counted(np.array([1, 2])), counted(np.array([2]))])
    Table(keys=array([1, 2]), counts=array([1, 2]))
    """
    tables = [table for table in tables if len(table.keys)]
    if len(tables) < 2:
        return tables[0] if tables else EMPTY
    return summed(np.concatenate([table.keys for table in tables]), np.concatenate([table.counts for table in tables]))


def renumbered(layout: Layout, table: Table, numbers: Ints) -> Table:
    """Return a table in which the first digit i of each key has become ``numbers[i]``; these ascend."""
    base = width(layout, 1)
    first = table.keys // base
    return Table(table.keys + (numbers[first] - first) * base, table.counts)
