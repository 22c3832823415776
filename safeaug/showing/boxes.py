"""Boxes as they were handed over; the format that those of a batch are in: as told, or by a guess that is said."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.data.torch_boxes import boxes_of, is_a
from safeaug.errors import ContentError, DataError
from safeaug.geometry import BoxFormat, Ring, Size, corners_of, to_xyxy
from safeaug.showing.arrays import array_of, is_list
from safeaug.showing.labels import each_of
from safeaug.showing.paired import Says
from safeaug.showing.told import told

ROUNDED = 0.01
"""By how much a share may pass 0 and 1."""

LEAST = 2
"""Pixels of a side above which boxes that all lie between 0 and 1 are shares of it, and not boxes of one pixel."""


class Rows(NamedTuple):
    """Boxes as they were handed over.

    Parameters
    ----------
    numbers : ndarray of shape (N, 4) or (N, 5), float64
        Finite ones; of five numbers centre, size and angle.
    labels : list
        Of each its class; empty where none is said.
    told : BoxFormat or None
        The format that they say they are in.
    rings : list of Ring or None
        Where they say that they are turned.
    keep : ndarray of shape (M,), bool, or None
        Which of the rows that came these are; None where there were none.
    notes : list of str
        What is wrong with others.
    """

    numbers: NDArray[np.float64]
    labels: list[Any]
    told: BoxFormat | None
    rings: list[Ring] | None
    keep: NDArray[np.bool_] | None
    notes: list[str]


NO_ROWS = Rows(np.empty((0, 4)), [], None, None, None, [])


def rows_of(says: Says, size: Size, turned: bool = False) -> Rows:
    """Return the boxes of a picture as they were handed over, those left out that nobody could draw.

    Parameters
    ----------
    says : dict
        What is said of the picture.
    size : (int, int)
        Height and width of the picture.
    turned : bool, default False
        Whether the fifth number of a box is its angle; else it is its class.

    Examples
    --------
    >>> rows = rows_of({"boxes": [[1, 2, 3, 4], [0, 0, 0, 0], [1, 1, np.nan, 2]]}, (8, 8))
    >>> rows.numbers.tolist(), rows.notes
    ([[1.0, 2.0, 3.0, 4.0]], ['1 box not finite'])
    """
    value = says.get("boxes")
    if value is None:
        return NO_ROWS
    if is_a(value, "BoundingBoxes", "torchvision"):
        return _own_rows(value, says, size)
    numbers, labels = _numbers_and_labels(value, turned)
    if numbers is None:
        return NO_ROWS._replace(notes=[f"boxes are not shown: {told(value)}"])
    finite = np.isfinite(numbers).all(axis=1)
    there = valid_of(says, len(numbers)) & ~(numbers == 0).all(axis=1)  # rows of zeros fill a batch up
    notes = counted(int((there & ~finite).sum()), "box", "not finite")
    keep = there & finite
    labels = each_of(says.get("labels")) or labels
    if labels and len(labels) != len(numbers):
        notes.append(f"{len(labels)} labels for {len(numbers)} boxes")
        labels = []
    kept = [label for label, here in zip(labels, keep, strict=bool(labels)) if here]
    return Rows(numbers[keep], kept, says.get("format"), None, keep, notes)


def _own_rows(value: Any, says: Says, size: Size) -> Rows:
    """Return boxes that say what they are."""
    labels = each_of(says.get("labels"))
    try:
        boxes, rings = boxes_of(value, "xyxy", size, "")
    except DataError as error:
        return NO_ROWS._replace(notes=[error.message])
    turned = None if rings is None else [_ring(each[0]) for each in rings]
    keep = np.ones(len(boxes), np.bool_)
    return Rows(boxes, labels if len(labels) == len(boxes) else [], "xyxy", turned, keep, [])


def _numbers_and_labels(value: Any, turned: bool) -> tuple[NDArray[np.float64] | None, list[Any]]:
    """Return the numbers of boxes, and the class that each has behind these."""
    wide = 5 if turned else 4
    array = array_of(value)
    if (array is not None and array.size == 0) or (is_list(value) and not len(value)):
        return np.empty((0, wide)), []
    if array is None and is_list(value) and all(is_list(row) and len(row) > 4 for row in value):
        array, behind = array_of([list(row[:4]) for row in value]), [row[4] for row in value]
        return (None, []) if array is None else (array.astype(np.float64), behind)
    if array is None or array.ndim != 2 or array.shape[1] < wide:
        return None, []
    numbers = array.astype(np.float64)
    return numbers[:, :wide], numbers[:, wide].tolist() if array.shape[1] > wide else []


def valid_of(says: Says, count: int) -> NDArray[np.bool_]:
    """Return which rows hold an object."""
    array = array_of(says.get("valid"))
    if array is None or array.shape != (count,):
        return np.ones(count, np.bool_)
    return np.asarray(array != 0)


class Format(NamedTuple):
    """The format of boxes, and what is said of it."""

    name: BoxFormat
    said: str


def format_of(boxes: Sequence[NDArray[np.float64]], sizes: Sequence[Size]) -> Format:
    """Return the format in which boxes can be, where nobody told.

    Parameters
    ----------
    boxes : sequence of ndarray of shape (N, 4)
        Of each picture.
    sizes : sequence of (int, int)
        Height and width of each picture.

    Notes
    -----
    Corners in pixels, but where they cannot be: where all numbers lie between 0 and 1 they are shares of the sides, and
    where first corners lie behind second ones, and corner and size would lie inside, they are that. What is right in
    two formats is taken for corners.

    Examples
    --------
    >>> format_of([np.array([[30.0, 40, 20, 10]])], [(100, 100)]).name
    'xywh'
    >>> format_of([np.array([[0.5, 0.5, 0.2, 0.1]])], [(100, 100)]).name
    'cxcywhn'
    """
    pairs = [(box, size) for rows, size in zip(boxes, sizes, strict=True) for box in rows]
    if not pairs:
        return Format("xyxy", "")
    rows = np.array([box for box, _ in pairs])
    across = np.array([(size[1], size[0]) for _, size in pairs])
    ordered = bool((rows[:, :2] <= rows[:, 2:]).all())
    if rows.min() >= -ROUNDED and rows.max() <= 1 + ROUNDED and across.min() > LEAST:
        if ordered:
            return Format("xyxyn", "boxes taken for corners in shares of the sides, a guess")
        return Format("cxcywhn", "boxes taken for centre and size in shares of the sides, a guess")
    inside = bool((rows[:, :2] + rows[:, 2:] <= across + 1).all())
    if not ordered and inside:
        return Format("xywh", "boxes taken for corner and size, as they cannot be corners")
    return Format("xyxy", "")


class Outlined(NamedTuple):
    """Boxes as rings of corners, in pixels of their picture, and what is odd about them."""

    rings: list[Ring]
    notes: list[str]


def outlined(rows: Rows, box_format: BoxFormat, size: Size) -> Outlined:
    """Return boxes as they are drawn.

    Examples
    --------
    >>> outlined(rows_of({"boxes": [[9, 1, 12, 4]]}, (8, 8)), "xyxy", (8, 8))
    Outlined(rings=[[(9.0, 1.0), (12.0, 1.0), (12.0, 4.0), (9.0, 4.0)]], notes=['1 box outside'])
    """
    if rows.rings is not None:
        return Outlined(rows.rings, _outside(rows.rings, size))
    try:
        if box_format == "cxcywhr" and rows.told is None:
            rings = [_ring(ring) for ring in corners_of(rows.numbers)]
            return Outlined(rings, _outside(rings, size))
        boxes = to_xyxy(rows.numbers, rows.told or box_format, size)
    except ContentError as error:
        return Outlined([], [str(error)])
    rings = [[(x0, y0), (x1, y0), (x1, y1), (x0, y1)] for x0, y0, x1, y1 in boxes.tolist()]
    swapped = (boxes[:, :2] > boxes[:, 2:]).any(axis=1)
    flat = (boxes[:, :2] == boxes[:, 2:]).any(axis=1)
    notes = [
        *counted(int(swapped.sum()), "box", "with swapped corners"),
        *counted(int(flat.sum()), "box", "without area"),
    ]
    return Outlined(rings, [*notes, *_outside(rings, size)])


def _ring(corners: Any) -> Ring:
    return [(float(x), float(y)) for x, y in corners]


def _outside(rings: Sequence[Ring], size: Size) -> list[str]:
    count = 0
    for ring in rings:
        x, y = [corner[0] for corner in ring], [corner[1] for corner in ring]
        count += max(x) <= 0 or max(y) <= 0 or min(x) >= size[1] or min(y) >= size[0]
    return counted(count, "box", "outside")


def counted(count: int, what: str, how: str) -> list[str]:
    """Return how many of something are wrong, in words; nothing where none are.

    Examples
    --------
    >>> counted(2, "box", "outside"), counted(0, "mask", "empty")
    (['2 boxes outside'], [])
    """
    plural = {"box": "boxes", "mask": "masks"}
    return [f"{count} {what if count == 1 else plural[what]} {how}"] if count else []
