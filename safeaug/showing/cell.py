"""One picture of a batch as it stands on the sheet: its marks on it, and below it what its values are."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from safeaug.geometry import Ring, Size
from safeaug.report import ink
from safeaug.showing.marks import Marks
from safeaug.showing.masked import fitted, grown, patches_of, tinted
from safeaug.showing.tags import bounds_of, named
from safeaug.showing.text import folded, marked

LOUD: ink.Colour = (255, 0, 255)
"""The colour of pixels that are not finite, which no photo shows and no mark has."""

SMALL, AWAY = 24, 9
"""Longer side, in pixels as shown, of a patch of these around which a frame is drawn, as it might be missed; and how
far away the frame stands."""

SEEN = 3
"""Pixels on the sheet that one must take to be seen without being made larger."""

NARROWEST = 120
"""Width of the text below a picture that is narrower."""

LINE, PAD = 19, 5
"""Height of a line of text, and space around it."""

ROOMY = 200
"""Longer side, in pixels, of a picture on which lines are as wide as elsewhere; on smaller ones they are thin."""

DOT = 3
"""Radius of a keypoint."""


class View(NamedTuple):
    """What is shown of one picture.

    Parameters
    ----------
    pixels : ndarray of shape (H, W, 3), uint8
        In grey levels.
    bad : ndarray of shape (H, W), bool, or None
        Which pixels were not finite.
    marks : Marks
        What is drawn on it.
    order : sequence of int
        The classes of the semantic masks of all pictures.
    lines : sequence of str
        What stands below.
    faults : sequence of str
        What is wrong, which stands below that.
    """

    pixels: NDArray[np.uint8]
    bad: NDArray[np.bool_] | None
    marks: Marks
    order: Sequence[int]
    lines: Sequence[str]
    faults: Sequence[str]


def shown_size(size: Size, side: int) -> Size:
    """Return the size in which a picture is shown: whole in a square, never resampled upward but in whole steps.

    Examples
    --------
    >>> shown_size((32, 32), 200), shown_size((150, 180), 200), shown_size((200, 2000), 200)
    ((192, 192), (150, 180), (20, 200))
    """
    longest = max(size)
    if longest <= side:
        step = side // longest
        return size[0] * step, size[1] * step
    return max(round(size[0] * side / longest), 1), max(round(size[1] * side / longest), 1)


def cell(view: View, side: int) -> Image.Image:
    """Return a picture with its marks, no longer than a side, and with its lines of text below."""
    picture = _picture(view, side)
    width = max(picture.width, NARROWEST)
    faults = marked(view.faults, 13, width - 16)
    lines = [(piece, number) for number, line in enumerate(view.lines) for piece in folded(line, 13, width)]
    paper = ink.blank(width, picture.height + PAD + LINE * (len(lines) + len(faults)) + PAD)
    paper.paste(picture, (0, 0))
    pen, y = ImageDraw.Draw(paper), picture.height + PAD + LINE // 2
    for piece, number in lines:
        ink.write(pen, (0, y), piece, 13, ink.FAINT if number else ink.TEXT)
        y += LINE
    for piece, first in faults:
        if first:
            ink.cross(pen, (6, y), ink.BAD)
        ink.write(pen, (16, y), piece, 13, ink.BAD)
        y += LINE
    return paper


def _picture(view: View, side: int) -> Image.Image:
    size = view.pixels.shape[0], view.pixels.shape[1]
    shown = shown_size(size, side)
    across, down = shown[1] / size[1], shown[0] / size[0]
    way = Image.Resampling.LANCZOS if shown[0] < size[0] or shown[1] < size[1] else Image.Resampling.NEAREST
    image = Image.fromarray(view.pixels).resize((shown[1], shown[0]), way)
    patches = patches_of(view.marks, shown, view.order)
    if patches:
        image = tinted(image, patches)
    loud = None if view.bad is None else found_in(view.bad, shown)
    if loud is not None:
        image = painted(image, loud)
    pen = ImageDraw.Draw(image)
    rings = [[(x * across, y * down) for x, y in ring] for ring in view.marks.rings]
    line = ink.OBJECT_LINE if side >= ROOMY else ink.OBJECT_LINE._replace(width=1)
    for ring in rings:
        _outline(pen, ring, line)
    for x, y in view.marks.points.tolist():
        _dot(pen, (x * across, y * down))
    named(pen, view.marks.labels, rings, patches, shown)
    if loud is not None:
        _frame(pen, loud)
    return image


# What is not finite.


def found_in(bad: NDArray[np.bool_], shown: Size) -> NDArray[np.bool_]:
    """Return which pixels are painted where a picture is shown in a size: each that is bad is seen, however small.

    Examples
    --------
    >>> found_in(np.array([[True, False, False, False, False, False, False, False]]), (1, 4)).tolist()
    [[True, True, False, False]]
    """
    if min(shown[0] // bad.shape[0], shown[1] // bad.shape[1]) >= SEEN:
        return fitted(bad, shown)
    if shown[0] >= bad.shape[0] and shown[1] >= bad.shape[1]:
        return grown(fitted(bad, shown))
    rows, columns = np.nonzero(bad)
    found = np.zeros(shown, np.bool_)
    found[rows * shown[0] // bad.shape[0], columns * shown[1] // bad.shape[1]] = True
    return grown(found)


def painted(image: Image.Image, loud: NDArray[np.bool_]) -> Image.Image:
    """Return a picture with pixels painted in the loud colour."""
    pixels = np.array(image)
    pixels[loud] = LOUD
    return Image.fromarray(pixels)


def _frame(pen: ImageDraw.ImageDraw, loud: NDArray[np.bool_]) -> None:
    """Draw a frame around pixels that lie together in so small a patch that it might be missed."""
    rows, columns = np.nonzero(loud)
    x0, y0, x1, y1 = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
    if max(x1 - x0, y1 - y0) <= SMALL:
        frame = float(x0 - AWAY), float(y0 - AWAY), float(x1 + AWAY), float(y1 + AWAY)
        ink.outline(pen, frame, ink.Line(LOUD, 2))


# Objects.


def _outline(pen: ImageDraw.ImageDraw, ring: Ring, line: ink.Line) -> None:
    x0, y0, x1, y1 = bounds_of(ring)
    if set(ring) <= {(x, y) for x in (x0, x1) for y in (y0, y1)}:
        ink.outline(pen, (x0, y0, x1, y1), line)
    else:
        ink.ring(pen, [*ring, ring[0]], line)


def _dot(pen: ImageDraw.ImageDraw, at: tuple[float, float]) -> None:
    x, y = at
    pen.ellipse((x - DOT - 1, y - DOT - 1, x + DOT + 1, y + DOT + 1), fill=ink.SHADOW)
    pen.ellipse((x - DOT, y - DOT, x + DOT, y + DOT), fill=ink.OBJECT)
