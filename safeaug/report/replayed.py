"""A draw made again, as a sheet: the picture as it came in with both windows, and what became of it."""

from collections.abc import Sequence

from PIL import Image

from safeaug.auditing.replaying import Again, Replay
from safeaug.auditing.row import Row
from safeaug.data import Sample
from safeaug.geometry import Ring, Size
from safeaug.ledger import Mapped, Windowed
from safeaug.ledger.matrices import (
    IDENTITY,
    Matrix,
    inverse,
    is_affine,
    matrix_of,
    moved,
    planes_of,
    product,
    window_matrix,
)
from safeaug.ledger.rings import cut, ring_of
from safeaug.records import Step
from safeaug.report.pair import Before, Panel, pair
from safeaug.report.pixels import Shown, shown_of
from safeaug.report.words import percent


def sheet_of(replay: Replay) -> Image.Image:
    """Return a sheet of a draw that was made again."""
    plain, about = replay.plain.row, replay.about
    title = f"{plain.id}, draw {plain.draw}"
    below = f"{about.pipeline} on {about.data}; seed {about.seed}, key {plain.key}"
    rings = [ring_of(tuple(box)) for box in replay.sample.boxes.tolist()]
    labels = replay.sample.labels or ("",) * len(rings)
    before = Before(shown_of(replay.picture).pixels, rings, labels)
    return pair(title, below, before, _panel("plain", replay, replay.plain), _panel("guarded", replay, replay.guarded))


def _panel(name: str, replay: Replay, again: Again) -> Panel:
    shown = shown_of(again.image)
    matrix = matrix_through(again.steps, replay.sample.size)
    size = shown.pixels.shape[0], shown.pixels.shape[1]
    window, objects = None, []
    if matrix is not None:
        window = window_of(matrix, size, replay.sample.size)
        objects = [ring for ring in (seen(ring, matrix, size) for ring in _rings(replay.sample)) if ring]
    return Panel(name, shown.pixels, window, objects, not again.row.damaged, _lines(again.row, shown))


def _rings(sample: Sample) -> list[Ring]:
    return [ring_of(tuple(box)) for box in sample.boxes.tolist()]


def _lines(row: Row, shown: Shown) -> list[str]:
    lines = [f"{row.status}; {percent(row.area)} of the picture shows"]
    lines += [
        f"{label or 'object'}: {percent(left)} left, {fate}"
        for label, left, fate in zip(row.labels, row.final, row.fates, strict=True)
        if fate is not None
    ]
    lines += [f"{each}" for each in row.findings]
    return [*lines, *([shown.note] if shown.note else [])]


def matrix_through(steps: Sequence[Step], size: Size) -> Matrix | None:
    """Return the one map that steps come to; None where a step moves pixels one by one, or leaves nothing to see.

    Parameters
    ----------
    steps : sequence of Step
        As they were applied.
    size : (int, int)
        Height and width of the picture before the first.
    """
    matrix: Matrix = IDENTITY
    for step in steps:
        if isinstance(step.change, Windowed | Mapped):
            found = _matrix_of(step.change, size)
            if found is None:
                return None
            matrix = product(found, matrix)
        elif step.kind in {"warping", "mixing", "unknown", "volume"}:
            return None
        size = step.size
    return matrix


def _matrix_of(change: Windowed | Mapped, size: Size) -> Matrix | None:
    return matrix_of(change.matrix, size) if isinstance(change, Mapped) else window_matrix(change.window, change.size)


def window_of(matrix: Matrix, output: Size, picture: Size) -> Ring | None:
    """Return what an output shows, in the frame of the picture; of a perspective only what lies in the picture.

    Examples
    --------
    >>> window_of((2.0, 0.0, -20.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0), (10, 10), (50, 50))
    [(10.0, 0.0), (15.0, 0.0), (15.0, 5.0), (10.0, 5.0)]
    """
    canvas = ring_of((0.0, 0.0, float(output[1]), float(output[0])))
    if is_affine(matrix):
        return moved(inverse(matrix), canvas)
    ring = ring_of((0.0, 0.0, float(picture[1]), float(picture[0])))
    for plane in planes_of(matrix, (0.0, 0.0, float(output[1]), float(output[0]))):
        ring = cut(ring, plane)
    return ring or None


def seen(ring: Ring, matrix: Matrix, output: Size) -> Ring:
    """Return the part of a ring that an output shows, in its pixels; empty where it shows nothing.

    Examples
    --------
    >>> seen([(0, 0), (20, 0), (20, 2), (0, 2)], (2.0, 0.0, -20.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0), (10, 10))
    [(0.0, 0.0), (10.0, 0.0), (10.0, 4.0), (0.0, 4.0)]
    """
    for plane in planes_of(matrix, (0.0, 0.0, float(output[1]), float(output[0]))):
        ring = cut(ring, plane)
    return moved(matrix, ring) if ring else []
