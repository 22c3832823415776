"""SA5: targets that stay where they were while the picture moves; keys that a pipeline does not know.

Whether a picture has moved nobody can read from the picture. So a mark is put into it, the same draw is applied to the
picture with it and without, and what differs shows where the mark went: a proof for whatever stands where it stood.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.records import Finding
from safeaug.rules.fact import Fact, Facts


class Region(NamedTuple):
    """A rectangle of a picture: rows and columns, half-open."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def area(self) -> int:
        """In pixels."""
        return max(self.bottom - self.top, 0) * max(self.right - self.left, 0)


def unknown(facts: Facts, known: frozenset[str]) -> list[Finding]:
    """Return a finding for each target that a pipeline is called with and does not know: it would stay as it is.

    Only what must move with a picture is one: boxes, points, and arrays of its height and width.

    Parameters
    ----------
    facts : tuple of Fact
        Of what the pipeline is called with, a mapping.
    known : frozenset of str
        Names of its targets.
    """
    picture = next((fact for fact in facts if fact.role == "image" and fact.path in known), None)
    found = []
    for fact in facts:
        name = fact.path.partition(".")[0].partition("[")[0]
        beside = picture is not None and fact.size == picture.size and _differs(fact, picture)
        if name not in known and (fact.role in {"boxes", "points"} or (beside and fact.size is not None)):
            hint = {"boxes": "; bboxes need bbox_params", "points": "; keypoints need keypoint_params"}.get(
                fact.role, ""
            )
            text = f"is no target of the pipeline, which takes {', '.join(sorted(known))}{hint}"
            found.append(Finding("SA5.unknown", text, fact.path))
    return found


def _differs(fact: Fact, picture: Fact) -> bool:
    """Return whether it is something else than a copy of the picture, kept as it was on purpose."""
    return fact.role == "mask" or fact.probe != picture.probe


def mark_of(size: tuple[int, int]) -> Region:
    """Return where a mark is put if nothing says where: off the centre, so that flips and turns move it."""
    height, width = size
    return Region(height // 8, width // 8, max(3 * height // 8, 1), max(3 * width // 8, 1))


def went(plain: NDArray[Any], marked: NDArray[Any], layout: str) -> Region | None:
    """Return where a mark went, by what a draw made of a picture with it and without; None where it is not seen.

    Parameters
    ----------
    plain, marked : ndarray of one shape
        The two pictures.
    layout : {"HWC", "CHW", "HW"}
        How they lie.

    Examples
    --------
    >>> plain = np.zeros((6, 8, 3)); marked = plain.copy(); marked[1:3, 2:5] = 9
    >>> went(plain[:, ::-1], marked[:, ::-1], "HWC")
    Region(top=1, left=3, bottom=3, right=6)
    """
    apart = np.abs(plain.astype(np.float64) - marked.astype(np.float64))
    if layout != "HW":
        apart = apart.max(axis=0 if layout == "CHW" else 2)
    most = apart.max(initial=0.0)
    if not most > 0:
        return None
    rows, columns = np.nonzero(apart > most / 2)
    return Region(int(rows.min()), int(columns.min()), int(rows.max()) + 1, int(columns.max()) + 1)


def overlap(one: Region, other: Region) -> float:
    """Return intersection over union of two regions."""
    shared = Region(
        max(one.top, other.top), max(one.left, other.left), min(one.bottom, other.bottom), min(one.right, other.right)
    ).area
    whole = one.area + other.area - shared
    return shared / whole if whole else 1.0


ALIKE = 0.9
"""Share of pixels at which two draws of one map agree at least, if colours are drawn apart; of others half do."""

ELSEWHERE = 0.3
"""A mark that overlaps its old place by less has moved, whatever blur and rounding did."""


def stayed(path: str, role: str, stood: Region, now: Region | None) -> list[Finding]:
    """Return a finding where a target has not changed, and what stood at its place has moved.

    Parameters
    ----------
    path, role : str
        Of the target.
    stood : Region
        Where the mark was.
    now : Region or None
        Where it went. None proves nothing: it may have been hidden.
    """
    if now is None or overlap(stood, now) >= ELSEWHERE:
        return []
    text = (
        f"stays as it is while the picture moves: what was at rows {stood.top}-{stood.bottom}, columns "
        f"{stood.left}-{stood.right} is at rows {now.top}-{now.bottom}, columns {now.left}-{now.right}. {HINTS[role]}"
    )
    return [Finding("SA5.unmoved", text, path)]


HINTS = {
    "boxes": "Give it as tv_tensors.BoundingBoxes, or by the name that the pipeline knows boxes by",
    "points": "Give it as tv_tensors.KeyPoints, or by the name that the pipeline knows keypoints by",
    "mask": "Give it as tv_tensors.Mask, or by the name that the pipeline knows masks by",
}


def pattern_of(size: tuple[int, int]) -> NDArray[np.bool_]:
    """Return blocks that are light or dark without any order, which no map but the identity takes to themselves."""
    side = max(min(size) // 16, 1)
    blocks = np.random.default_rng(0).random((-(-size[0] // side), -(-size[1] // side))) < 0.5
    return np.kron(blocks, np.ones((side, side), dtype=bool))[: size[0], : size[1]]


def signs_of(light: NDArray[Any], dark: NDArray[Any], layout: str) -> NDArray[np.int8]:
    """Return where a pattern's light blocks went, 1, and its dark ones, -1; 0 where neither is seen.

    Parameters
    ----------
    light, dark : ndarray of one shape
        What a draw made of the pattern, and of its negative. Whatever it did to colours, it did to both.
    layout : {"HWC", "CHW", "HW"}
        How they lie.
    """
    apart = light.astype(np.float64) - dark.astype(np.float64)
    if layout != "HW":
        apart = apart.sum(axis=0 if layout == "CHW" else 2)
    return np.sign(apart).astype(np.int8)


def drawn_apart(path: str, first: NDArray[np.int8], second: NDArray[np.int8]) -> list[Finding]:
    """Return a finding where one sample's picture and mask went through two draws.

    Parameters
    ----------
    path : str
        Of the mask.
    first, second : ndarray
        Where a pattern goes by either draw: see `signs_of`.
    """
    if first.shape == second.shape and (first == second).mean() >= ALIKE:
        return []
    text = "is put through a draw of its own, after its picture: they do not fit. Give both to one call"
    return [Finding("SA5.apart", text, path)]
