"""One draw to look at: the picture as it came in, with both windows; what became of it, plain; and guarded."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from safeaug.data.remarks import printable
from safeaug.geometry import Ring
from safeaug.report import ink

MARGIN, GAP, HEAD, LINE, CHIP = 28, 20, 64, 22, 28
"""Space around and between the pictures, height of the head, of a line of text, and of the bar that names a picture."""

SIDE, WIDEST = 380, 1100
"""Longer side of an output as it is shown, and the greatest width of the picture as it came in."""

INSET = 4.0
"""By how much guarded windows are drawn smaller: where both draws took one window, one shows inside the other."""

LONGEST, LONGEST_LABEL, MOST_LINES = 300, 40, 12
"""Characters of a line and of a label, and lines of text below a picture."""


class Panel(NamedTuple):
    """What a pipeline made of the picture.

    Parameters
    ----------
    name : str
        "plain" or "guarded".
    pixels : ndarray of shape (H, W, 3), uint8
        What it handed on.
    window : Ring or None
        What the output shows of the picture, in the image frame; None where that is no polygon.
    objects : list of Ring
        What is left of the objects, in the output.
    fine : bool
        Whether nothing is damaged.
    lines : sequence of str
        What stands below.
    """

    name: str
    pixels: NDArray[np.uint8]
    window: Ring | None
    objects: list[Ring]
    fine: bool
    lines: Sequence[str]


class Before(NamedTuple):
    """The picture as it came in: its pixels, its objects' outlines in the image frame, and their labels."""

    pixels: NDArray[np.uint8]
    objects: list[Ring]
    labels: Sequence[str]


def pair(title: str, below: str, before: Before, plain: Panel, guarded: Panel) -> Image.Image:
    """Return a sheet with the picture and with what became of it.

    Parameters
    ----------
    title, below : str
        What it is, and in smaller letters how to come by it again. Somebody else's text may be in both.
    before : Before
        The picture as it came in.
    plain, guarded : Panel
        What the pipeline made of it, without the guard and with it.
    """
    first, others = _before(before, plain, guarded), [_after(plain), _after(guarded)]
    beside = not _is_strip(before.pixels)
    parts = [first, *others] if beside else others
    width = max(sum(part.width for part in parts) + GAP * (len(parts) - 1), 0 if beside else first.width, 640)
    top = MARGIN + HEAD + (0 if beside else first.height + GAP)
    paper = ink.blank(width + 2 * MARGIN, top + max(part.height for part in parts) + MARGIN)
    pen = ImageDraw.Draw(paper)
    ink.write(pen, (MARGIN, MARGIN + 12), _fitted(title, 24, width), 24)
    ink.write(pen, (MARGIN, MARGIN + 42), _fitted(below, 14, width), 14, ink.FAINT)
    if not beside:
        paper.paste(first, (MARGIN, MARGIN + HEAD))
    x = MARGIN
    for part in parts:
        paper.paste(part, (x, top))
        x += part.width + GAP
    return paper


def _before(before: Before, plain: Panel, guarded: Panel) -> Image.Image:
    height, width = before.pixels.shape[:2]
    scale = min(WIDEST / width, SIDE / height) if _is_strip(before.pixels) else SIDE / max(width, height)
    image = _scaled(before.pixels, scale)
    pen = ImageDraw.Draw(image)
    for ring in before.objects:
        _outline(pen, _times(ring, scale), ink.OBJECT_LINE)
    for panel, line, by in ((plain, ink.PLAIN_LINE, 0.0), (guarded, ink.GUARDED_LINE, INSET)):
        if panel.window is not None:
            _outline(pen, _inset(_within(_times(panel.window, scale), image), by), line)
    tags = ink.Tags(pen, (image.height, image.width))
    for ring, label in zip(before.objects, before.labels, strict=True):
        x, y = min(_times(ring, scale), key=lambda point: point[0] + point[1])
        if label:
            tags.put((x + 3, y + 3), _short(label), ink.SHADOW, ink.PAPER)
    lines = ["white: the labelled objects", "dashed: what the plain draw shows", "blue: what the guarded one shows"]
    return _captioned(image, "as it came in", ink.FAINT, lines)


def _is_strip(pixels: NDArray[np.uint8]) -> bool:
    """Return whether a picture is so wide that it stands above what became of it, and not beside."""
    height, width = pixels.shape[:2]
    return bool(width > 3 * height)


def _after(panel: Panel) -> Image.Image:
    height, width = panel.pixels.shape[:2]
    scale = SIDE / max(height, width)
    image = _scaled(panel.pixels, scale)
    pen = ImageDraw.Draw(image)
    for ring in panel.objects:
        _outline(pen, _times(ring, scale), ink.OBJECT_LINE)
    return _captioned(image, panel.name, ink.GOOD if panel.fine else ink.BAD, panel.lines, panel.fine)


def _captioned(
    image: Image.Image, name: str, ground: ink.Colour, lines: Sequence[str], fine: bool | None = None
) -> Image.Image:
    """Return a picture below a bar that names it, and above its lines of text."""
    shown = list(lines[:MOST_LINES])
    if len(lines) > MOST_LINES:
        shown[-1] = f"... and {len(lines) - MOST_LINES + 1} more"
    width = max(image.width, SIDE)
    paper = ink.blank(width, CHIP + image.height + 10 + LINE * len(shown))
    pen = ImageDraw.Draw(paper)
    pen.rectangle((0, 0, width, CHIP - 1), fill=ground)
    if fine is not None:
        (ink.tick if fine else ink.cross)(pen, (14, CHIP / 2), ink.PAPER)
    ink.write(pen, (10 if fine is None else 28, CHIP / 2), name, 16, ink.PAPER)
    paper.paste(image, (0, CHIP))
    for number, line in enumerate(shown):
        ink.write(pen, (0, CHIP + image.height + 10 + LINE * (number + 0.5)), _fitted(line, 14, width), 14)
    return paper


def _scaled(pixels: NDArray[np.uint8], scale: float) -> Image.Image:
    height, width = pixels.shape[:2]
    size = max(round(width * scale), 1), max(round(height * scale), 1)
    way = Image.Resampling.NEAREST if scale >= 2 else Image.Resampling.LANCZOS
    return Image.fromarray(pixels).resize(size, way)


def _times(ring: Ring, scale: float) -> Ring:
    return [(x * scale, y * scale) for x, y in ring]


def _within(ring: Ring, image: Image.Image) -> Ring:
    """Return an upright rectangle of which what lies outside of the picture runs along its edge, so that it is seen."""
    if not _is_upright(ring):
        return ring
    return [(min(max(x, 1.0), image.width - 1.0), min(max(y, 1.0), image.height - 1.0)) for x, y in ring]


def _inset(ring: Ring, by: float) -> Ring:
    """Return a ring with its corners nearer to its middle, by so many pixels along each axis."""
    x0, y0, x1, y1 = bounds_of(ring)
    across, down = (max(1 - 2 * by / side, 0.0) if side > 0 else 1.0 for side in (x1 - x0, y1 - y0))
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    return [(x + (a - x) * across, y + (b - y) * down) for a, b in ring]


def _outline(pen: ImageDraw.ImageDraw, ring: Ring, line: ink.Line) -> None:
    if _is_upright(ring):
        ink.outline(pen, bounds_of(ring), line)
    elif line.dashed:
        _dashes(pen, [*ring, ring[0]], line)
    else:
        ink.ring(pen, [*ring, ring[0]], line)


def _dashes(pen: ImageDraw.ImageDraw, points: Ring, line: ink.Line) -> None:
    pen.line(points, fill=ink.SHADOW, width=line.width + 2)
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        length = float(np.hypot(x1 - x0, y1 - y0))
        for start in np.arange(0, length, 14).tolist():
            ends = [
                (x0 + (x1 - x0) * at / length, y0 + (y1 - y0) * at / length) for at in (start, min(start + 8, length))
            ]
            pen.line(ends, fill=line.colour, width=line.width)


def _is_upright(ring: Ring) -> bool:
    box = bounds_of(ring)
    return set(ring) <= {(x, y) for x in box[::2] for y in box[1::2]}


def bounds_of(ring: Ring) -> tuple[float, float, float, float]:
    """Return the upright rectangle around a ring.

    Examples
    --------
    >>> bounds_of([(3, 1), (2, 5)])
    (2, 1, 3, 5)
    """
    across, down = [x for x, _ in ring], [y for _, y in ring]
    return min(across), min(down), max(across), max(down)


def _short(label: str) -> str:
    text = printable(label)
    return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 3]}..."


def _fitted(text: str, size: float, width: float) -> str:
    """Return as much of a text as fits into a width."""
    text, font = printable(text[:LONGEST]), ink.font(size)
    if font.getlength(text) <= width:
        return text
    low, high = 0, len(text)
    while low < high:  # the most characters that fit
        middle = (low + high + 1) // 2
        low, high = (middle, high) if font.getlength(f"{text[:middle]}...") <= width else (low, middle - 1)
    return f"{text[:low]}..."
