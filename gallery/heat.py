"""The sheets of saliency: maps as heat over the picture in grey, and windows as they come, plain over guarded."""

from collections.abc import Sequence

import numpy as np
from look import PAIRS, Look
from numpy.typing import NDArray
from paper import GAP, LINE, below, beside, captioned, framed, written
from PIL import Image, ImageDraw

from safeaug.demo.cell import seen
from safeaug.demo.column import percent
from safeaug.demo.draw import Draw
from safeaug.demo.picture import picture
from safeaug.demo.scenes import Scene
from safeaug.demo.sheet import chosen
from safeaug.geometry import Size, Window
from safeaug.report import ink

HEAT = np.array([(24, 20, 60), (110, 30, 120), (205, 65, 85), (250, 165, 60), (255, 250, 190)], dtype=np.float64)
"""From nothing to all. Each is lighter than the one before, so who sees no colours still sees the order."""

OPAQUE = 0.7
"""Share of heat in what is shown; the rest is the picture."""

INNER = 1120
"""Width of a sheet within its margin, in pixels."""

ACROSS = 3
"""Maps in each of the two lines that stand beside a picture."""

CROP = 170
CHIP = INNER - PAIRS * (CROP + GAP)
"""Side of a crop, and width of the bar that names a line of them."""

OUTLINED = 3
"""Of how many pairs the windows are outlined on the picture: of more, one could follow none."""

TILE = 120
"""Width of a picture on the overview."""

ABOVE = (
    "AUC: how well a map agrees with the boxes. 0.5 says nothing of them, 1 finds them and nothing else.",
    "Held: the share of an object in windows of RandomResizedCrop, plain, and of the same sizes guarded by auto.",
)
"""What stands above the overview."""


def sheet(look: Look) -> Image.Image:
    """Return a picture with its windows, beside it the maps, and below it some of the crops."""
    scene, pairs = look.scene, chosen(look.trial.pairs, PAIRS)
    said = {name: f"{name}, AUC {value:.2f}" for name, value in look.agreements.items()}
    width = map_width(scene.size)
    maps = [captioned(overlay(scene, cells, width), said.get(name, name)) for name, cells in look.maps.items()]
    grid = below([beside(maps[:ACROSS]), beside(maps[ACROSS:])])
    whole = picture(scene, pairs[:OUTLINED], INNER - GAP - grid.width)
    plain = line("plain", ink.PLAIN, scene, [pair.plain for pair in pairs])
    guarded = line("guarded", ink.GUARDED, scene, [pair.guarded for pair in pairs])
    return framed(below([beside([whole, grid]), plain, guarded]))


def map_width(size: Size) -> int:
    """Return the width of a map, such that two lines of them are as high as the picture beside them."""
    ratio = size[1] / size[0]
    return round((INNER - ACROSS * GAP - (2 * LINE + GAP) * ratio) / (ACROSS + 2))


def overview(looks: Sequence[Look]) -> Image.Image:
    """Return a line for each picture: with its boxes, its maps, and what windows hold of it."""
    heads = beside([written([head], 13, TILE) for head in ("", *looks[0].maps, "held")])
    rows = [heads, *map(overview_line, looks)]
    return framed(below([written(ABOVE, 15, heads.width), *rows]))


def overview_line(look: Look) -> Image.Image:
    """Return a line of the overview."""
    scene, agreements = look.scene, look.agreements
    plain = Image.fromarray(scene.image).resize((TILE, _height(scene.size, TILE)), Image.Resampling.LANCZOS)
    tiles = [captioned(boxed(plain, scene, _whole(scene)), scene.name)]
    for name, cells in look.maps.items():
        said = f"AUC {agreements[name]:.2f}" if name in agreements else ""
        tiles.append(captioned(overlay(scene, cells, TILE), said))
    shares = [] if look.held is None else [percent(share, 0) for share in look.held]
    says = ["no boxes"] if look.held is None else [f"plain {shares[0]}", f"guarded {shares[1]}"]
    return beside([*tiles, written(says, 13, TILE)])


def overlay(scene: Scene, cells: NDArray[np.uint8], width: int) -> Image.Image:
    """Return a map as heat over the picture in grey, in a width, with the boxes outlined."""
    shown = width, _height(scene.size, width)
    grey = np.asarray(Image.fromarray(scene.image).convert("L").resize(shown, Image.Resampling.LANCZOS))
    level = np.asarray(Image.fromarray(cells).resize(shown, Image.Resampling.BILINEAR)) / 255
    steps = np.linspace(0, 1, len(HEAT))
    heat = np.stack([np.interp(level, steps, channel) for channel in HEAT.T], axis=2)
    mixed = OPAQUE * heat + (1 - OPAQUE) * grey[:, :, None]
    return boxed(Image.fromarray(mixed.round().astype(np.uint8)), scene, _whole(scene))


def boxed(image: Image.Image, scene: Scene, window: Window) -> Image.Image:
    """Outline on what a window shows, in any size, the objects that it shows."""
    pen = ImageDraw.Draw(image)
    for box in scene.boxes:
        x0, y0, x1, y1 = seen(box, window, (image.height, image.width))
        if x0 < x1 and y0 < y1:
            ink.outline(pen, (x0, y0, x1, y1), ink.Line(ink.OBJECT, 1))
    return image


def line(name: str, colour: ink.Colour, scene: Scene, draws: Sequence[Draw]) -> Image.Image:
    """Return crops side by side, each with its number and with how much of the objects it holds."""
    cells = []
    for number, draw in enumerate(draws, start=1):
        assert draw.crop is not None  # of those that are shown the trial holds it
        crop = Image.fromarray(draw.crop).resize((CROP, CROP), Image.Resampling.LANCZOS)
        said = f"{number}: {percent(float(draw.retention.mean()), 0)} held" if scene.boxes else str(number)
        cells.append(captioned(boxed(crop, scene, draw.window), said))
    return beside([ink.sideways(name, CHIP, CROP, colour, 16), *cells])


def _height(size: Size, width: int) -> int:
    return round(size[0] * width / size[1])


def _whole(scene: Scene) -> Window:
    return 0, 0, scene.size[1], scene.size[0]
