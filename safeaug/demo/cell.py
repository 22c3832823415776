"""A crop on the contact sheet: what would be trained on, and below it what is left of the objects."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from safeaug.demo.draw import Draw
from safeaug.demo.scenes import Ring, Scene
from safeaug.demo.setting import Setting
from safeaug.geometry import Box, Size, Window
from safeaug.report import ink

SIDE, CAPTION, FRAME = 180, 46, 4
"""Side of a crop with its frame, height of the bar below it, and width of the frame, in pixels."""

AROUND = 3
"""How many times as wide as its object a close-up is."""


def cell(number: int, scene: Scene, draw: Draw, setting: Setting) -> Image.Image:
    """Return one crop with what is left of its objects outlined, framed in the colour of how it went.

    Parameters
    ----------
    number : int
        By which the picture beside it names the window, where there are windows.
    scene : Scene
        The picture that was cropped.
    draw : Draw
        The window, and its crop.
    setting : Setting
        What is shown of it, and said.
    """
    paper = Image.new("RGB", (SIDE, SIDE + CAPTION), ink.GOOD if draw.kept else ink.BAD)
    if draw.crop is not None:
        rectangle = (0, 0, draw.size[1], draw.size[0]) if setting.cuts else close_up(scene, draw)
        paper.paste(_crop(draw.crop, rectangle, scene, draw), (FRAME, FRAME))
    pen = ImageDraw.Draw(paper)
    caption = setting.caption(scene, draw)
    (ink.tick if draw.kept else ink.cross)(pen, (16, SIDE + 12), ink.PAPER)
    ink.write(pen, (30, SIDE + 12), caption.left, 17, ink.PAPER)
    ink.write(pen, (30, SIDE + 32), caption.label, 14, ink.PAPER)
    mark = str(number) if setting.cuts else f"at {draw.scale:.2f}"
    ink.write(pen, (SIDE - 10, SIDE + 12), mark, 17, ink.PAPER, anchor="rm")
    return paper


def close_up(scene: Scene, draw: Draw) -> Window:
    """Return a square of an output, in its whole pixels, around the object that covers the fewest of them."""
    x0, y0, x1, y1 = _onto(scene.boxes[int(draw.pixels.argmin())], draw.window, draw.size)
    height, width = draw.size
    side = min(max(round(AROUND * max(x1 - x0, y1 - y0)), 1), height, width)
    left = min(max(round((x0 + x1 - side) / 2), 0), width - side)
    top = min(max(round((y0 + y1 - side) / 2), 0), height - side)
    return left, top, left + side, top + side


def _crop(pixels: NDArray[np.uint8], rectangle: Window, scene: Scene, draw: Draw) -> Image.Image:
    """Return a rectangle of an output as a square, every pixel to be seen where there are few, with its objects."""
    side = SIDE - 2 * FRAME
    x0, y0, x1, y1 = rectangle
    enlarged = max(x1 - x0, y1 - y0) < side
    part = Image.fromarray(pixels[y0:y1, x0:x1])
    crop = part.resize((side, side), Image.Resampling.NEAREST if enlarged else Image.Resampling.LANCZOS)
    pen = ImageDraw.Draw(crop)
    window = _back(rectangle, draw)
    for i, box in enumerate(scene.boxes):
        left, top, right, bottom = seen(box, window, (side, side))
        if left >= right or top >= bottom:
            continue
        if scene.masks is None:
            ink.outline(pen, (left, top, right, bottom), ink.OBJECT_LINE)
        else:
            for ring in scene.masks.rings[i]:
                ink.ring(pen, moved(ring, window, (side, side)), ink.OBJECT_LINE)
    return crop


def seen(box: Box, window: Box, size: Size) -> Box:
    """Return the part of a box that a window shows, in the pixels of a rendering of that size.

    Where it shows nothing, the corners are swapped.

    Examples
    --------
    >>> seen((0, 20, 30, 40), (10, 0, 110, 100), (50, 50))
    (0.0, 10.0, 10.0, 20.0)
    """
    x0, y0, x1, y1 = _onto(box, window, size)
    return max(x0, 0.0), max(y0, 0.0), min(x1, float(size[1])), min(y1, float(size[0]))


def moved(ring: Ring, window: Box, size: Size) -> Ring:
    """Return a ring in the pixels of a rendering of a window; its points may lie outside.

    Examples
    --------
    >>> moved([(0, 20), (30, 40)], (10, 0, 110, 100), (50, 50))
    [(-5.0, 10.0), (10.0, 20.0)]
    """
    x, y = size[1] / (window[2] - window[0]), size[0] / (window[3] - window[1])
    return [((a - window[0]) * x, (b - window[1]) * y) for a, b in ring]


def _onto(box: Box, window: Box, size: Size) -> Box:
    (x0, y0), (x1, y1) = moved([(box[0], box[1]), (box[2], box[3])], window, size)
    return x0, y0, x1, y1


def _back(rectangle: Window, draw: Draw) -> Box:
    """Return, in the image frame, what a rectangle of the output shows."""
    x0, y0, x1, y1 = draw.window
    x, y = (x1 - x0) / draw.size[1], (y1 - y0) / draw.size[0]
    return x0 + rectangle[0] * x, y0 + rectangle[1] * y, x0 + rectangle[2] * x, y0 + rectangle[3] * y
