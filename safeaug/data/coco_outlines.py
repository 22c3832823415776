"""What the objects of a COCO file cover, read when it is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from safeaug.data.coco_file import coco_part
from safeaug.data.outline import Outline, Rings, Rle
from safeaug.data.remarks import place, said, shown
from safeaug.errors import DataError

CORNERS = 3
"""The fewest that enclose an area."""


class _Runs(msgspec.Struct):
    counts: str | list[int]
    size: tuple[int, int]


class _Segmentation(msgspec.Struct):
    segmentation: msgspec.Raw = msgspec.Raw(b"null")


class _Segmentations(msgspec.Struct):
    annotations: list[_Segmentation]


@dataclass(frozen=True, eq=False)
class CocoTable:
    """The outlines of all annotations of a file, as they are written there.

    Most of such a file is outlines, and most audits are about boxes. So nothing of this is held or handed to another
    process but the path, until one is asked for; then the file is read again, once.

    Parameters
    ----------
    path : Path
        The COCO file.
    count : int
        How many annotations it had when it was opened.
    """

    path: Path
    count: int

    @cached_property
    def written(self) -> list[msgspec.Raw]:
        """Of each annotation its outline."""
        records = coco_part(self.path, _Segmentations).annotations
        if len(records) != self.count:
            raise DataError(
                f"the file had {self.count} annotations when it was opened, and has {len(records)} now; open it again",
                place(self.path),
            )
        return [record.segmentation for record in records]

    def outline(self, annotation: int) -> Outline | None:
        """Return what an annotation covers; None where it says nothing but its box."""
        where = f"{place(self.path)}: annotations[{annotation}].segmentation"
        try:
            value = msgspec.json.decode(self.written[annotation], type=_Runs | list[list[float]] | None)
        except (msgspec.DecodeError, RecursionError) as error:
            raise DataError(f"an outline must be rings of numbers, or runs of a mask; {said(error)}", where) from None
        if isinstance(value, _Runs):
            return Rle(value.counts if isinstance(value.counts, str) else tuple(value.counts), value.size)
        return _rings(value, where) if value else None

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path, "count": self.count}


@dataclass(frozen=True, eq=False)
class CocoOutlines(Sequence[Outline | None]):
    """The outlines of the objects of one image.

    Parameters
    ----------
    table : CocoTable
        Those of all images.
    annotations : sequence of int
        Which of them.
    """

    table: CocoTable
    annotations: Sequence[int]

    def __len__(self) -> int:
        return len(self.annotations)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return CocoOutlines(self.table, self.annotations[index])
        return self.table.outline(int(self.annotations[index]))


def _rings(rings: list[list[float]], where: str) -> Rings:
    for ring in rings:
        if len(ring) % 2 or len(ring) < 2 * CORNERS:
            raise DataError(
                f"a ring must be x, y, x, y, ... of at least {CORNERS} corners, got {len(ring)} numbers: {shown(ring)}",
                where,
            )
    return tuple(np.array(ring).reshape(-1, 2) for ring in rings)
