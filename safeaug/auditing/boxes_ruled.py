"""SA4 of the boxes of one draw: they are judged as they are handed on, and blamed on the step where that began."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from safeaug.data import Sample
from safeaug.draws import clipped
from safeaug.geometry import Size
from safeaug.ledger import Mapped, Windowed
from safeaug.ledger.matrices import IDENTITY, Matrix, matrix_of, moved, product, window_matrix
from safeaug.ledger.rings import bounds, ring_of
from safeaug.records import Finding, Step
from safeaug.rules import Fact, Facts, ending_findings
from safeaug.rules.fact import Row
from safeaug.rules.geometry import inflated

BOXES = "boxes"
"""What they are called in findings."""

Floats = NDArray[np.float64]


def facts_of_boxes(sample: Sample) -> Facts:
    """Return the facts of a sample's boxes and labels, as they are annotated."""
    boxes = _fact([(x0, y0, x1, y1) for x0, y0, x1, y1 in sample.boxes.tolist()], sample.size)
    if not sample.labels:
        return (boxes,)
    return boxes, Fact("labels", "other", "tuple", (len(sample.labels),))


def _fact(rows: list[Row], size: Size) -> Fact:
    return Fact(BOXES, "boxes", "ndarray", (len(rows), 4), "float64", size, rows=tuple(rows), form="xyxy")


def box_breaks(
    sample: Sample, steps: Sequence[Step], boxes: Sequence[Floats], labelled: NDArray[np.bool_]
) -> list[tuple[int, Finding]]:
    """Return what is wrong with the boxes that a pipeline hands on, each with the place of the step that it came from.

    Parameters
    ----------
    sample : Sample
        Where they come from.
    steps : sequence of Step
        That were applied.
    boxes : sequence of ndarray of shape (N, 4)
        Behind each step, as shares of the sides of its picture; NaN of one that is not there.
    labelled : ndarray of shape (N,), bool
        Which are handed on.
    """
    if not steps:
        return []
    rows = [_rows(shares, step.size) for shares, step in zip(boxes, steps, strict=True)]
    rows[-1] = [_inside(row, steps[-1].size) if there else None for row, there in zip(rows[-1], labelled, strict=True)]
    trail: list[Facts] = [facts_of_boxes(sample)]
    trail += [
        (_fact([row for row in some if row is not None], step.size),) for some, step in zip(rows, steps, strict=True)
    ]
    return [*((at - 1, finding) for at, finding in ending_findings(trail)), *_grown(sample, steps, rows)]


def _grown(sample: Sample, steps: Sequence[Step], rows: Sequence[Sequence[Row | None]]) -> list[tuple[int, Finding]]:
    """Return a finding where boxes are handed on that are far too large, and the first step behind which they are."""
    needed = needed_behind(sample, steps)
    found = [inflated(BOXES, one, other) for one, other in zip(rows, needed, strict=True)]
    if not found[-1]:
        return []
    first = len(steps) - 1
    while first and found[first - 1]:
        first -= 1
    return [(first, found[-1][0])]


def needed_behind(sample: Sample, steps: Sequence[Step]) -> list[list[Row | None]]:
    """Return, behind each step, the upright box around all of each box as it came in, as far as the picture shows it.

    None from a step on that moves pixels one by one, and of what lies behind the horizon.
    """
    begun, size, matrix = clipped(sample.boxes, np.array([sample.size])), sample.size, IDENTITY
    known, out = True, list[list[Row | None]]()
    for step in steps:
        own = _matrix_of(step, size)
        known = known and own is not None
        matrix = matrix if own is None else product(own, matrix)
        size = step.size
        out.append([_needed(tuple(box), matrix, size) if known else None for box in begun.tolist()])
    return out


def _matrix_of(step: Step, size: Size) -> Matrix | None:
    """Return the map of a step; None where there is none, or nobody can tell."""
    if isinstance(step.change, Mapped):
        return matrix_of(step.change.matrix, size)
    if isinstance(step.change, Windowed):
        return window_matrix(step.change.window, step.change.size)
    return None if step.kind in {"warping", "mixing", "unknown", "volume"} else IDENTITY


def _needed(box: tuple[float, ...], matrix: Matrix, size: Size) -> Row | None:
    x0, y0, x1, y1 = box
    if not np.isfinite(box).all():
        return None
    ring = ring_of((x0, y0, x1, y1))
    if any(matrix[6] * x + matrix[7] * y + matrix[8] <= 0 for x, y in ring):
        return None
    return _inside(bounds(moved(matrix, ring)), size)


def _inside(row: Row | None, size: Size) -> Row | None:
    if row is None:
        return None
    (height, width), (x0, y0, x1, y1) = size, row
    return min(max(x0, 0), width), min(max(y0, 0), height), min(max(x1, 0), width), min(max(y1, 0), height)


def _rows(shares: Floats, size: Size) -> list[Row | None]:
    height, width = size
    return [
        (x0 * width, y0 * height, x1 * width, y1 * height) if np.isfinite((x0, y0, x1, y1)).all() else None
        for x0, y0, x1, y1 in shares.tolist()
    ]
