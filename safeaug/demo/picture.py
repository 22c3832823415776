"""A whole picture on the contact sheet, with its objects and with the windows that were cut from it."""

from itertools import chain

from PIL import Image, ImageDraw

from safeaug.demo.cell import moved
from safeaug.demo.draw import Draw, Pair
from safeaug.demo.scenes import Scene
from safeaug.geometry import Box, Window
from safeaug.report import ink

INSET = 4
"""By how much guarded windows are drawn smaller: where both crops took one window, one shows inside the other."""

BESIDE, CLEAR = 40, 32
"""Width, in pixels, below which an object's name stands beside it; longer side below which no tag covers any of it."""


def picture(scene: Scene, pairs: list[Pair], width: int) -> Image.Image:
    """Return the picture in a width, with its objects and the windows of the pairs outlined and named.

    Of objects that share a label the first bears it.
    """
    scale = width / scene.size[1]
    height = round(scene.size[0] * scale)
    paper = Image.fromarray(scene.image).resize((width, height), Image.Resampling.LANCZOS)
    pen = ImageDraw.Draw(paper)
    plain = _numbered([pair.plain for pair in pairs], scale)
    guarded = _numbered([pair.guarded for pair in pairs], scale)
    for x0, y0, x1, y1 in plain:
        ink.outline(pen, (x0, y0, x1, y1), ink.PLAIN_LINE)
    for x0, y0, x1, y1 in guarded:
        ink.outline(pen, (x0 + INSET, y0 + INSET, x1 - INSET, y1 - INSET), ink.GUARDED_LINE)
    boxes = [_scaled(box, scale) for box in scene.boxes]
    if scene.masks is None:
        for box in boxes:
            ink.outline(pen, box, ink.OBJECT_LINE)
    else:
        for ring in chain.from_iterable(scene.masks.rings):
            ink.ring(pen, moved(ring, (0, 0, scene.size[1], scene.size[0]), (height, width)), ink.OBJECT_LINE)
    tags = ink.Tags(pen, (height, width))
    for x0, y0, x1, y1 in boxes:
        if max(x1 - x0, y1 - y0) < CLEAR:
            tags.keep_clear((x0, y0, x1, y1))
    firsts = {label: scene.labels.index(label) for label in scene.labels}
    for label, first in firsts.items():
        x0, y0, x1, _ = boxes[first]
        tags.put((x1 + 4 if x1 - x0 < BESIDE else x0 + 3, y0 + 3), label, ink.SHADOW, ink.PAPER)
    for (x0, y0, _, _), numbers in plain.items():
        tags.put((x0 + 3, y0 + 3), numbers, ink.PLAIN, ink.SHADOW)
    for (_, _, x1, y1), numbers in guarded.items():
        tags.put((x1 - ink.tag_width(numbers) - 6, y1 - 23), numbers, ink.GUARDED, ink.SHADOW)
    return paper


def _scaled(box: Box | Window, scale: float) -> Box:
    return box[0] * scale, box[1] * scale, box[2] * scale, box[3] * scale


def _numbered(draws: list[Draw], scale: float) -> dict[Box, str]:
    """Return each window once, with the numbers, from 1, of the draws that took it."""
    windows: dict[Box, list[str]] = {}
    for number, draw in enumerate(draws, start=1):
        windows.setdefault(_scaled(draw.window, scale), []).append(str(number))
    return {window: " ".join(numbers) for window, numbers in windows.items()}
