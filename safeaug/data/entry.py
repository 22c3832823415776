"""An object as one line or one element of an annotation tells of it."""

from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from safeaug.data.boxes import usable
from safeaug.data.outline import Rings
from safeaug.data.remarks import Notes, place
from safeaug.geometry import Box, Size


class Entry(NamedTuple):
    """One object.

    Parameters
    ----------
    line : int
        Where it stands in its file.
    box : (x0, y0, x1, y1)
        In the image frame.
    label : str
        Its class.
    ignore : bool
        Whether it is never asked for.
    rings : Rings, optional
        What it covers, where that is more than its box.
    """

    line: int
    box: Box
    label: str
    ignore: bool = False
    rings: Rings | None = None


def objects_of(entries: list[Entry], size: Size, path: str | PathLike[str], notes: Notes) -> dict[str, Any]:
    """Return what a `Sample` says of its objects, of those entries of a file that can be used."""
    boxes = np.array([entry.box for entry in entries], dtype=np.float64).reshape(-1, 4)
    keep = usable(boxes, size, lambda i: place(path, entries[i].line), notes)
    used = [entries[i] for i in np.flatnonzero(keep).tolist()]
    rings = tuple(entry.rings for entry in used)
    return {
        "boxes": boxes[keep],
        "labels": tuple(entry.label for entry in used),
        "ignore": np.array([entry.ignore for entry in used], dtype=np.bool_),
        "outlines": rings if any(ring is not None for ring in rings) else None,
    }
