"""The sheet: a title, what was done to the values, and the pictures, side by side."""

import math
from collections.abc import Sequence

from PIL import Image, ImageDraw

from safeaug.report import ink
from safeaug.showing.cell import View, cell
from safeaug.showing.text import folded, marked

MARGIN, GAP = 24, 16
"""Space around the sheet, and between pictures."""

TITLE, LINE = 34, 21
"""Height of the title, and of a line below it."""

WIDEST, NARROWEST = 1264, 520
"""Width within which pictures stand side by side, and the least that a title has, in pixels."""

SIDES = ((1, 512), (2, 400), (6, 360), (12, 272), (24, 216), (40, 184), (64, 144))
"""Longer side of a picture, by how many there are at most."""

COLUMNS = 1.4
"""How many times as many pictures stand side by side as one above the other."""


def side_for(count: int) -> int:
    """Return the longer side of each of so many pictures."""
    return next((side for most, side in SIDES if count <= most), SIDES[-1][1])


def columns_for(count: int, width: int) -> int:
    """Return how many of so many pictures of a width stand side by side.

    Examples
    --------
    >>> columns_for(1, 512), columns_for(8, 272), columns_for(64, 144)
    (1, 4, 8)
    """
    fit = (WIDEST + GAP) // (width + GAP)
    columns = min(math.ceil(math.sqrt(COLUMNS * count)), fit, count)
    return math.ceil(count / math.ceil(count / columns))  # as many rows, but the last as full as can be


def laid(title: str, lines: Sequence[str], faults: Sequence[str], views: Sequence[View]) -> Image.Image:
    """Return the sheet.

    Parameters
    ----------
    title : str
        What it shows.
    lines, faults : sequence of str
        Below it, in smaller letters: what was done to the values; what is wrong.
    views : sequence of View
        The pictures, at least one.
    """
    side = side_for(len(views))
    cells = [cell(view, side) for view in views]
    broad = max(each.width for each in cells)
    columns = columns_for(len(views), broad)
    rows = [cells[first : first + columns] for first in range(0, len(cells), columns)]
    width = max(columns * (broad + GAP) - GAP, NARROWEST)
    head = _head(title, lines, faults, width)
    heights = [max(each.height for each in row) for row in rows]
    paper = ink.blank(width + 2 * MARGIN, 2 * MARGIN + head.height + GAP // 2 + sum(heights) + GAP * (len(rows) - 1))
    paper.paste(head, (MARGIN, MARGIN))
    y = MARGIN + head.height + GAP // 2
    for row, height in zip(rows, heights, strict=True):
        for number, each in enumerate(row):
            paper.paste(each, (MARGIN + number * (broad + GAP), y))
        y += height + GAP
    return paper


def _head(title: str, lines: Sequence[str], faults: Sequence[str], width: int) -> Image.Image:
    titles = folded(title, 24, width)
    small = [piece for line in lines for piece in folded(line, 15, width)]
    wrong = marked(faults, 15, width - 20)
    paper = ink.blank(width, TITLE * len(titles) + LINE * (len(small) + len(wrong)))
    pen, y = ImageDraw.Draw(paper), TITLE // 2 - 3
    for line in titles:
        ink.write(pen, (0, y), line, 24)
        y += TITLE
    y += (LINE - TITLE) // 2 + 3
    for line in small:
        ink.write(pen, (0, y), line, 15, ink.FAINT)
        y += LINE
    for line, first in wrong:
        if first:
            ink.cross(pen, (6, y), ink.BAD)
        ink.write(pen, (20, y), line, 15, ink.BAD)
        y += LINE
    return paper
