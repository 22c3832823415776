"""SA4: boxes without area, outside their picture, or much too large; labels that are not one a box."""

from collections.abc import Callable, Sequence

from safeaug.records import Finding
from safeaug.rules.fact import Fact, Facts, Row

SLACK = 0.01
"""Share of a side by which a box may lie outside: annotations are rounded, and formats divide by sides and multiply."""

LABELS = frozenset({"labels", "class_labels", "category_ids", "classes", "gt_labels", "category_id"})
"""Names of what boxes have one of each of."""


def degenerate(fact: Fact) -> list[Finding]:
    """Return a finding where boxes are empty or turned inside out.

    Boxes whose type names no format are judged only as far as all formats agree: a row of NaN is none in any.

    Examples
    --------
    >>> flat = Fact("boxes", "boxes", "BoundingBoxes", (2, 4), rows=((0, 0, 0, 0), (0, 0, 9, 9)), form="xyxy")
    >>> [str(each) for each in degenerate(flat)]
    ['SA4.degenerate: boxes has 1 box(es) without area; the first is row 0, (0, 0, 0, 0)']
    """
    if fact.role != "boxes" or not fact.rows or fact.form not in SIDES:
        return []
    bad = [i for i, row in enumerate(fact.rows) if not all(side > 0 for side in SIDES[fact.form](row))]
    return [_told("degenerate", f"{len(bad)} box(es) without area", fact, bad[0])] if bad else []


SIDES: dict[str | None, Callable[[Row], tuple[float, ...]]] = {
    "xyxy": lambda row: (row[2] - row[0], row[3] - row[1]),
    "xywh": lambda row: (row[2], row[3]),
    "cxcywh": lambda row: (row[2], row[3]),
}
"""Width and height of a box, by its format."""


def outside(fact: Fact, picture: Fact | None) -> list[Finding]:
    """Return a finding where a box lies outside its picture, by more than rounding.

    Parameters
    ----------
    fact : Fact
        Of boxes.
    picture : Fact or None
        Of the picture; boxes that know their canvas need none.
    """
    size = fact.size or (picture.size if picture is not None else None)
    if fact.role != "boxes" or not fact.rows or size is None:
        return []
    height, width = size
    bad = [i for i, row in enumerate(fact.rows) if _beyond(row[0], width) or _beyond(row[1], height)]
    if fact.form == "xyxy":
        bad += [i for i, row in enumerate(fact.rows) if _beyond(row[2], width) or _beyond(row[3], height)]
    if not bad:
        return []
    return [_told("outside", f"{len(set(bad))} box(es) outside its picture of {height} x {width}", fact, min(bad))]


def _beyond(place: float, side: int) -> bool:
    slack = max(1.0, SLACK * side)
    return place < -slack or place > side + slack


def mismatched(facts: Facts) -> list[Finding]:
    """Return a finding where a mapping has another number of labels than of boxes.

    Examples
    --------
    >>> rows = ((0, 0, 1, 1), (1, 1, 2, 2))
    >>> boxes, labels = Fact("t.boxes", "boxes", "list", (2,), rows=rows), Fact("t.labels", "other", "list", (3,))
    >>> [str(each) for each in mismatched((boxes, labels))]
    ['SA4.labels: t.labels has 3 entries for 2 boxes']
    """
    found = []
    for boxes in facts:
        if boxes.role != "boxes" or boxes.rows is None:
            continue
        stem = boxes.path.rpartition(".")[0]
        for fact in facts:
            place, _, name = fact.path.rpartition(".")
            if place != stem or name not in LABELS or fact.floats or fact.shape is None or len(fact.shape) != 1:
                continue
            if fact.shape[0] != len(boxes.rows):
                text = f"has {fact.shape[0]} entries for {len(boxes.rows)} boxes"
                found.append(Finding("SA4.labels", text, fact.path))
    return found


def swapped(fact: Fact) -> list[Finding]:
    """Return a suspicion where boxes given as corners would also do as corner and sides, for all rows."""
    if fact.role != "boxes" or fact.form != "xyxy" or not fact.rows or fact.size is None:
        return []
    height, width = fact.size
    fits = all(row[0] + row[2] <= width and row[1] + row[3] <= height for row in fact.rows)
    corner = sum(row[0] > row[2] or row[1] > row[3] for row in fact.rows)
    if not fits or not corner:
        return []
    return [Finding("SA4.format", "are given as xyxy, and read as xywh they all lie inside", fact.path, suspect=True)]


INFLATED = 2.0
"""Areas of a box over what it needs from which on it is told. A turn by 45 degrees doubles the upright box of a square
that turns with it, which no host can help; beyond that, more than half of a box is known to be empty."""

ROOM = 1.0
"""Pixels by which what a box needs is widened on every side first: hosts round."""


def inflated(path: str, boxes: Sequence[Row | None], needed: Sequence[Row | None]) -> list[Finding]:
    """Return a finding where a box is more than twice as large as whatever is in it can need.

    An upright box around a turned one is larger than it. Where each of several steps puts one around the last, they
    grow, although the object does not.

    Parameters
    ----------
    path : str
        Of the boxes.
    boxes : sequence of (x0, y0, x1, y1) or None
        As they are handed on, in pixels; None of one that is not.
    needed : sequence of (x0, y0, x1, y1) or None
        The upright box around all of each as it came in, moved by all steps together: nothing that was in it can lie
        outside. None where nobody can tell.

    Examples
    --------
    >>> [str(each) for each in inflated("boxes", [(0, 0, 40, 40)], [(10, 10, 30, 30)])]  # doctest: +ELLIPSIS
    ['SA4.inflated: boxes has 1 box(es) far larger than their object; the first is row 0, (0, 0, 40, 40), 3.3 ...']
    """
    grown = {}
    for i, (box, need) in enumerate(zip(boxes, needed, strict=True)):
        if box is None or need is None:
            continue
        least = (need[2] - need[0] + 2 * ROOM) * (need[3] - need[1] + 2 * ROOM)
        times = (box[2] - box[0]) * (box[3] - box[1]) / least
        if times > INFLATED:
            grown[i] = times
    if not grown:
        return []
    first = min(grown)
    text = (
        f"has {len(grown)} box(es) far larger than their object; the first is row {first}, "
        f"{_shown(boxes[first] or ())}, {grown[first]:.1f} times what it needs. Turn once instead of several times"
    )
    return [Finding("SA4.inflated", text, path)]


QUARTER = 8
"""Boxes from which on it is told where the middle of each lies in the left upper quarter of its picture: if they are
corners and lie anywhere, one in 65536 lots of eight does."""


def by_quarter(rows: Sequence[Row], size: tuple[int, int]) -> tuple[int, int]:
    """Return how many boxes can tell corners from a corner and sides, and how many of these would do as the latter.

    What is given as ``(x0, y0, x1, y1)`` and is ``(x, y, width, height)`` lies inside when read so: the middle of what
    it is taken for lies left of the picture's, and above it. Of boxes around the middle, nothing is told.

    Examples
    --------
    >>> by_quarter([(10, 10, 60, 60), (50, 50, 90, 90), (0, 0, 100, 100)], (100, 100))
    (2, 1)
    """
    height, width = size
    beside = [(row[0] + row[2] - width, row[1] + row[3] - height) for row in rows]
    told = [pair for pair in beside if abs(pair[0]) > SLACK * width and abs(pair[1]) > SLACK * height]
    return len(told), sum(across < 0 and down < 0 for across, down in told)


def misread(told: int, fit: int) -> list[Finding]:
    """Return a suspicion where all boxes of many samples would do as a corner and sides: see `by_quarter`."""
    if told < QUARTER or fit < told:
        return []
    text = (
        f"are given as xyxy, and all {told} that can tell lie inside when they are read as xywh, too: which are they?"
    )
    return [Finding("SA4.format", text, "boxes", suspect=True)]


def _told(kind: str, what: str, fact: Fact, row: int) -> Finding:
    assert fact.rows is not None
    return Finding(f"SA4.{kind}", f"has {what}; the first is row {row}, {_shown(fact.rows[row])}", fact.path)


def _shown(row: Row) -> str:
    return "(" + ", ".join(f"{value:.6g}" for value in row) + ")"
