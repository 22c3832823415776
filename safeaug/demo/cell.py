"""A crop on the contact sheet: what would be trained on, and below it what is left of the objects."""

import math

import numpy as np
from PIL import Image, ImageDraw

from safeaug.demo import ink
from safeaug.demo.scenes import Scene
from safeaug.demo.trial import Draw
from safeaug.geometry import Box, Size, Window, size_of

SIDE, CAPTION, FRAME = 180, 46, 4
"""Side of a crop with its frame, height of the bar below it, and width of the frame, in pixels."""


def cell(number: int, scene: Scene, draw: Draw) -> Image.Image:
    """Return one crop with what is left of its objects outlined, framed in the colour of how it went.

    Parameters
    ----------
    number : int
        By which the picture beside it names the window.
    scene : Scene
        The picture that was cropped.
    draw : Draw
        The window, and its crop.
    """
    paper = Image.new("RGB", (SIDE, SIDE + CAPTION), ink.GOOD if draw.kept else ink.BAD)
    if draw.crop is not None:
        paper.paste(_crop(draw.crop, scene, draw), (FRAME, FRAME))
    pen = ImageDraw.Draw(paper)
    label, left = least_left(scene, draw)
    (ink.tick if draw.kept else ink.cross)(pen, (16, SIDE + 12), ink.PAPER)
    ink.write(pen, (30, SIDE + 12), f"{left} kept", 17, ink.PAPER)
    ink.write(pen, (30, SIDE + 32), label, 14, ink.PAPER)
    ink.write(pen, (SIDE - 10, SIDE + 12), str(number), 17, ink.PAPER, anchor="rm")
    return paper


def _crop(pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], scene: Scene, draw: Draw) -> Image.Image:
    side = SIDE - 2 * FRAME
    crop = Image.fromarray(pixels).resize((side, side), Image.Resampling.LANCZOS)
    pen = ImageDraw.Draw(crop)
    for box, left in zip(scene.boxes, draw.retention, strict=True):
        if left > 0:
            ink.outline(pen, seen(box, draw.window, (side, side)), ink.OBJECT_LINE)
    return crop


def seen(box: Box, window: Window, size: Size) -> Box:
    """Return the part of a box that a window shows, in the pixels of a rendering of that size.

    Examples
    --------
    >>> seen((0, 20, 30, 40), (10, 0, 110, 100), (50, 50))
    (0.0, 10.0, 10.0, 20.0)
    """
    height, width = size_of(window)
    x, y = size[1] / width, size[0] / height
    return (
        max(box[0] - window[0], 0) * x,
        max(box[1] - window[1], 0) * y,
        min(box[2] - window[0], width) * x,
        min(box[3] - window[1], height) * y,
    )


def least_left(scene: Scene, draw: Draw) -> tuple[str, str]:
    """Return which object is left with the least, and how much in whole percents, rounded down."""
    worst = int(np.argmin(draw.retention))
    share = float(draw.retention[worst])
    # What the guard's tolerance lets pass as half must not read as 49 %.
    left = "< 1 %" if 0 < share < 0.01 else f"{math.floor(100 * share + 1e-3)} %"
    return scene.labels[worst], left
