"""Names on a picture: each beside what it names, and none over what is small."""

from collections.abc import Sequence
from typing import NamedTuple

from PIL import ImageDraw

from safeaug.geometry import Ring, Size
from safeaug.report import ink
from safeaug.showing.masked import Patch
from safeaug.showing.text import short

MOST = 0.3
"""Share of a picture that names may cover."""

LONGEST = 24
"""Characters of a name."""

BESIDE, CLEAR = 40, 32
"""Width, in pixels, of a box below which its name stands beside it; longer side below which no name covers it,
and a name is written but once."""


class _Tag(NamedTuple):
    """A name: of what, how large that is and whether it is small, and where and on what ground the name stands."""

    label: str
    area: float
    small: bool
    at: tuple[float, float]
    ground: ink.Colour


def named(
    pen: ImageDraw.ImageDraw, labels: Sequence[str], rings: Sequence[Ring], patches: Sequence[Patch], shown: Size
) -> None:
    """Name objects, the largest first, for as long as names do not cover too much of the picture.

    Parameters
    ----------
    pen : ImageDraw
        Of the picture.
    labels : sequence of str
        Of the rings.
    rings : sequence of Ring
        Boxes, in pixels as shown.
    patches : sequence of Patch
        What masks cover, each with its name.
    shown : (int, int)
        Height and width of the picture.
    """
    boxes = [_within(bounds_of(ring), shown) for ring in rings]
    named_boxes = zip(labels if rings else [], boxes, strict=True)
    all_tags = [*(_of_box(*each) for each in named_boxes), *map(_of_patch, patches)]
    tags, left = ink.Tags(pen, shown), MOST * shown[0] * shown[1]
    for x0, y0, x1, y1 in boxes:
        if max(x1 - x0, y1 - y0) < CLEAR:
            tags.keep_clear((x0, y0, x1, y1))
    written: set[str] = set()
    for tag in sorted(all_tags, key=lambda each: each.area, reverse=True):
        label = short(tag.label, LONGEST)
        width = ink.tag_width(label)
        known = tag.small and label in written  # a crowd of specks would drown in their names
        if not label or not tag.area or width > shown[1] or known:
            continue
        written.add(label)
        left -= 17 * width
        if left < 0:
            break
        tags.put(tag.at, label, tag.ground, ink.PAPER if tag.ground == ink.SHADOW else ink.SHADOW)


def bounds_of(ring: Ring) -> ink.Rectangle:
    """Return the upright rectangle around a ring.

    Examples
    --------
    >>> bounds_of([(3, 1), (2, 5)])
    (2, 1, 3, 5)
    """
    across, down = [x for x, _ in ring], [y for _, y in ring]
    return min(across), min(down), max(across), max(down)


def _within(box: ink.Rectangle, shown: Size) -> ink.Rectangle:
    """Return the part of a box that the picture shows; of one outside nothing."""
    (x0, x1), (y0, y1) = (
        (min(max(at, 0), most) for at in ends) for ends, most in ((box[::2], shown[1]), (box[1::2], shown[0]))
    )
    return x0, y0, x1, y1


def _of_box(label: str, box: ink.Rectangle) -> _Tag:
    x0, y0, x1, y1 = box
    across = x1 + 4 if x1 - x0 < BESIDE else x0 + 3
    return _Tag(label, (x1 - x0) * (y1 - y0), max(x1 - x0, y1 - y0) < CLEAR, (across, y0 + 3), ink.SHADOW)


def _of_patch(patch: Patch) -> _Tag:
    area = float(patch.mask.sum())
    return _Tag(patch.label, area, area < CLEAR * CLEAR, patch.at, patch.colour)
