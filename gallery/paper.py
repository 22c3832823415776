"""Pictures and lines of text on one sheet of paper."""

from collections.abc import Sequence

from PIL import Image, ImageDraw

from safeaug.report import ink

MARGIN, GAP, LINE = 16, 12, 22
"""Around a sheet, and between pictures; and the height of a line, in pixels."""


def captioned(image: Image.Image, text: str) -> Image.Image:
    """Return a picture with a line below it."""
    paper = ink.blank(image.width, image.height + LINE)
    paper.paste(image, (0, 0))
    ink.write(ImageDraw.Draw(paper), (0, image.height + LINE / 2), text, 13)
    return paper


def written(lines: Sequence[str], size: float, width: int) -> Image.Image:
    """Return a few lines of text."""
    paper = ink.blank(width, LINE * len(lines))
    for number, text in enumerate(lines):
        ink.write(ImageDraw.Draw(paper), (0, LINE * (number + 0.5)), text, size)
    return paper


def beside(parts: Sequence[Image.Image], gap: int = GAP) -> Image.Image:
    """Return pictures side by side."""
    paper = ink.blank(sum(part.width + gap for part in parts) - gap, max(part.height for part in parts))
    x = 0
    for part in parts:
        paper.paste(part, (x, 0))
        x += part.width + gap
    return paper


def below(parts: Sequence[Image.Image]) -> Image.Image:
    """Return pictures one below the other."""
    paper = ink.blank(max(part.width for part in parts), sum(part.height + GAP for part in parts) - GAP)
    y = 0
    for part in parts:
        paper.paste(part, (0, y))
        y += part.height + GAP
    return paper


def framed(image: Image.Image) -> Image.Image:
    """Return a picture with a margin."""
    paper = ink.blank(image.width + 2 * MARGIN, image.height + 2 * MARGIN)
    paper.paste(image, (MARGIN, MARGIN))
    return paper
