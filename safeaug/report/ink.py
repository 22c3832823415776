"""Marks on a picture: outlines that show on any ground, tags that keep clear of each other, lines of text.

Colours follow Okabe and Ito's palette, which colour-blind readers can tell apart, darker where white text stands on
them. None speaks alone: a word, a mark or a dash says the same.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

Colour = tuple[int, int, int]
Rectangle = tuple[float, float, float, float]

PAPER: Colour = (255, 255, 255)
TEXT: Colour = (28, 30, 34)
FAINT: Colour = (96, 100, 108)
RULE: Colour = (222, 224, 228)
SHADOW: Colour = (20, 20, 20)
OBJECT: Colour = (255, 255, 255)
PLAIN: Colour = (240, 172, 0)
GUARDED: Colour = (86, 180, 233)
BAD: Colour = (184, 70, 0)
GOOD: Colour = (0, 112, 82)


TINY, AWAY = 20, 2
"""Longer side, in pixels, below which a rectangle is outlined from outside, and how far away the line then stands."""


NEAR = tuple(
    sorted(
        ((dx, dy) for dx in range(-240, 241, 6) for dy in range(-108, 109, 6)),
        key=lambda way: 3 * abs(way[0]) + abs(way[1]),
    )
)
"""Ways by which a tag may be moved, the nearest first. Up or down rather than sideways: so a tag stays at the upright
edge of what it names."""


class Line(NamedTuple):
    """How a rectangle is outlined: colour, width in pixels, and whether in dashes."""

    colour: Colour
    width: int = 2
    dashed: bool = False


OBJECT_LINE = Line(OBJECT, 2)
PLAIN_LINE = Line(PLAIN, 2, dashed=True)
GUARDED_LINE = Line(GUARDED, 2)


@cache
def font(size: float) -> ImageFont.FreeTypeFont:
    """Return Pillow's own font in a size in pixels."""
    face = ImageFont.load_default(size)
    assert isinstance(face, ImageFont.FreeTypeFont)  # given a size, Pillow returns no bitmap font
    return face


def blank(width: int, height: int) -> Image.Image:
    """Return an empty sheet of paper."""
    return Image.new("RGB", (width, height), PAPER)


def write(
    pen: ImageDraw.ImageDraw,
    at: tuple[float, float],
    text: str,
    size: float,
    colour: Colour = TEXT,
    anchor: str = "lm",
) -> None:
    """Write one line. The anchor, in Pillow's letters, says what lies at the point: by default its left middle."""
    pen.text(at, text, fill=colour, font=font(size), anchor=anchor)


def outline(pen: ImageDraw.ImageDraw, rectangle: Rectangle, line: Line) -> None:
    """Outline a rectangle on a dark rim, so that it shows on bright and on dark ground."""
    if tiny(rectangle):
        line, rectangle = line._replace(width=1), _wider(rectangle, AWAY)
    x0, y0, x1, y1 = (round(value) for value in rectangle)
    x1, y1 = max(x1 - 1, x0), max(y1 - 1, y0)  # half-open: the last pixel is inside
    pen.rectangle((x0 - 1, y0 - 1, x1 + 1, y1 + 1), outline=SHADOW, width=line.width + 2)
    if not line.dashed:
        pen.rectangle((x0, y0, x1, y1), outline=line.colour, width=line.width)
        return
    inset = line.width - 1
    for x in range(x0, x1, 14):
        for y in (y0, y1 - inset):
            pen.rectangle((x, y, min(x + 8, x1), y + inset), fill=line.colour)
    for y in range(y0, y1, 14):
        for x in (x0, x1 - inset):
            pen.rectangle((x, y, x + inset, min(y + 8, y1)), fill=line.colour)


def tiny(rectangle: Rectangle) -> bool:
    """Return whether an outline of the usual width would hide what it outlines: a thin one then stands around it."""
    x0, y0, x1, y1 = rectangle
    return max(x1 - x0, y1 - y0) < TINY


def _wider(rectangle: Rectangle, by: float) -> Rectangle:
    return rectangle[0] - by, rectangle[1] - by, rectangle[2] + by, rectangle[3] + by


def ring(pen: ImageDraw.ImageDraw, points: Sequence[tuple[float, float]], line: Line) -> None:
    """Outline what is no rectangle, on a dark rim as well; what lies outside of the picture is cut off."""
    pen.line(points, fill=SHADOW, width=line.width + 2, joint="curve")
    pen.line(points, fill=line.colour, width=line.width, joint="curve")


def tick(pen: ImageDraw.ImageDraw, at: tuple[float, float], colour: Colour) -> None:
    """Draw a tick whose middle is at a point."""
    x, y = at
    pen.line([(x - 5, y), (x - 1.5, y + 4), (x + 5, y - 4)], fill=colour, width=2, joint="curve")


def cross(pen: ImageDraw.ImageDraw, at: tuple[float, float], colour: Colour) -> None:
    """Draw a cross whose middle is at a point."""
    x, y = at
    pen.line([(x - 4, y - 4), (x + 4, y + 4)], fill=colour, width=2)
    pen.line([(x - 4, y + 4), (x + 4, y - 4)], fill=colour, width=2)


def sideways(text: str, width: int, height: int, ground: Colour, size: float) -> Image.Image:
    """Return a strip of paint with a text that reads from below upwards."""
    strip = Image.new("RGB", (height, width), ground)
    ImageDraw.Draw(strip).text((height / 2, width / 2), text, fill=SHADOW, font=font(size), anchor="mm")
    return strip.transpose(Image.Transpose.ROTATE_90)


def tag_width(text: str) -> float:
    """Return the width of a tag with a text."""
    return font(13).getlength(text) + 8


class Tags:
    """Small tags on one picture that keep clear of each other.

    Parameters
    ----------
    pen : ImageDraw
        Of the picture.
    size : (int, int)
        Height and width within which tags must stay.
    """

    def __init__(self, pen: ImageDraw.ImageDraw, size: tuple[int, int]) -> None:
        self._pen = pen
        self._height, self._width = size
        self._taken: list[Rectangle] = []

    def keep_clear(self, rectangle: Rectangle) -> None:
        """Put no tag over a rectangle from now on."""
        self._taken.append(rectangle)

    def put(self, at: tuple[float, float], text: str, ground: Colour, ink: Colour) -> None:
        """Put a tag as near as can be to where its left upper corner should be."""
        width, height = tag_width(text), 17.0
        x = min(max(at[0], 0), self._width - width)
        y = min(max(at[1], 0), self._height - height)
        for dx, dy in NEAR:
            rectangle = (x + dx, y + dy, x + dx + width, y + dy + height)
            if self._inside(rectangle) and not any(_touch(rectangle, other) for other in self._taken):
                break
        else:
            rectangle = (x, y, x + width, y + height)
        self._taken.append(rectangle)
        self._pen.rectangle(rectangle, fill=ground)
        write(self._pen, (rectangle[0] + 4, rectangle[1] + height / 2), text, 13, ink)

    def _inside(self, rectangle: Rectangle) -> bool:
        x0, y0, x1, y1 = rectangle
        return x0 >= 0 and y0 >= 0 and x1 <= self._width and y1 <= self._height


def _touch(one: Rectangle, other: Rectangle) -> bool:
    return one[0] < other[2] + 2 and other[0] < one[2] + 2 and one[1] < other[3] + 2 and other[1] < one[3] + 2
