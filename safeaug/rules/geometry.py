"""SA4: boxes without area, boxes outside their picture, labels that are not one a box."""

from collections.abc import Callable

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


def _told(kind: str, what: str, fact: Fact, row: int) -> Finding:
    assert fact.rows is not None
    return Finding(f"SA4.{kind}", f"has {what}; the first is row {row}, {_shown(fact.rows[row])}", fact.path)


def _shown(row: Row) -> str:
    return "(" + ", ".join(f"{value:.6g}" for value in row) + ")"
