"""SA3: labels of a mask that a step made up, as interpolation between ids does."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.records import Finding
from safeaug.rules.fact import Fact

SPAN = 1 << 16
"""Masks whose labels lie further apart are not looked at: they are no classes."""

FILLS = frozenset({0, 255, -1, -100, 1})
"""What steps fill holes and borders of a mask with, by custom; 1 where there is one class."""


def labels_of(array: NDArray[Any]) -> frozenset[int] | None:
    """Return all labels of a mask of whole numbers; None of any other.

    Examples
    --------
    >>> sorted(labels_of(np.array([[0, 10], [10, 255]], np.uint8)))
    [0, 10, 255]
    """
    if array.dtype.kind not in "iub" or not array.size:
        return None
    low, high = int(array.min()), int(array.max())
    if high - low >= SPAN:
        return None
    seen = np.zeros(high - low + 1, dtype=bool)
    seen[array.ravel().astype(np.intp) - low] = True
    return frozenset((np.flatnonzero(seen) + low).tolist())


def made_up(before: Fact, after: Fact, fills: frozenset[int] = frozenset()) -> list[Finding]:
    """Return a finding where labels lie between those that a mask had.

    A label outside the range that was there, or one that steps fill with, is no proof: borders have one of their own.

    Parameters
    ----------
    before, after : Fact
        Of one mask.
    fills : frozenset of int
        With what the step fills.
    """
    if after.role != "mask" or not before.labels or not after.labels:
        return []
    low, high = min(before.labels), max(before.labels)
    new = {label for label in after.labels - before.labels - FILLS - fills if low < label < high}
    if not new:
        return []
    shown = ", ".join(map(str, sorted(new)[:5])) + (", ..." if len(new) > 5 else "")
    had = ", ".join(map(str, sorted(before.labels)[:5])) + (", ..." if len(before.labels) > 5 else "")
    text = f"has {len(new)} new label(s): {shown}; it had {had}. A mask of ids must be resized by nearest neighbour"
    return [Finding("SA3.labels", text, after.path)]
