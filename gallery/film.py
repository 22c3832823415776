"""The pictures of a sample behind each step: what went in, and what each step made of it."""

from typing import Any, NamedTuple

import numpy as np
from faults import DEVIATION, MEAN, Given, Planted, called
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from safeaug.report import ink

TILE = 176
"""Side of a picture, in pixels."""

NOTHING: ink.Colour = (230, 0, 126)
"""Of what is no number, and of labels that nobody gave: no photograph here has it."""

LABELS = {0: (40, 42, 48), 10: (86, 180, 233), 20: (240, 172, 0), 30: (0, 158, 115)}
"""Colours of the labels of masks."""


class Tile(NamedTuple):
    """A sample behind a step.

    Parameters
    ----------
    step : str
        Its name; ``"input"`` for what went in.
    image : Image or None
        What is seen of it; None where there is nothing to be seen.
    said : str
        What is to be said of its values.
    shows : str
        What the image is of.
    """

    step: str
    image: Image.Image | None
    said: str
    shows: str


def film(planted: Planted) -> list[Tile]:
    """Return what went into a pipeline, and the sample behind each of its steps: what the first so many make of it."""
    steps, given = planted.steps(), planted.given(0)
    went = [called(planted.make(steps[:number]), given) for number in range(len(steps) + 1)]
    names = ["input", *(f"{number} {type(step).__name__}" for number, step in enumerate(steps))]
    return [tile(name, made, planted.name == "normalize") for name, made in zip(names, went, strict=True)]


def tile(step: str, sample: Given, normalized: bool = False) -> Tile:
    """Return what is seen of a sample: its mask as labels if that is at fault, else its picture, with mask or box."""
    labels = next((array_of(sample[key]) for key in ("mask", "msk") if key in sample), None)
    if labels is not None and hasattr(sample["image"], "permute"):  # the mask is what torchvision spoils here
        strange = {*np.unique(labels).tolist()} - {*LABELS}
        said = f"labels {', '.join(map(str, LABELS))}" + (", and others" if strange else "")
        return Tile(step, sized(coloured(labels)), said, "the mask, in a colour for each label")
    pixels = array_of(sample["image"])
    shows = "the picture"
    image = painted(pixels, back=normalized and step.endswith("Normalize"))
    if labels is not None:
        outlined(image, labels > 0)
        shows = "the picture, and where the mask has coins"
    if "boxes" in sample:
        ink.outline(ImageDraw.Draw(image), sample["boxes"][0].tolist(), ink.Line(ink.PLAIN, 6))
        shows = "the picture, and the box"
    return Tile(step, sized(image), values_of(pixels), shows)


def values_of(pixels: NDArray[Any]) -> str:
    """Say of what kind values are, and between which they lie."""
    low, high = (f"{value:.3g}".replace("-", "−") for value in (np.nanmin(pixels), np.nanmax(pixels)))
    lost = np.isnan(pixels).mean() if pixels.dtype.kind == "f" else 0
    return f"{pixels.dtype}, {low} to {high}" + (f", {lost:.0%} NaN" if lost else "")


def array_of(part: Any) -> NDArray[Any]:
    """Return a picture or a mask as an array, channels last."""
    array = part.numpy() if hasattr(part, "numpy") else part
    return np.moveaxis(array, 0, -1).squeeze() if hasattr(part, "numpy") else array


def painted(pixels: NDArray[Any], *, back: bool) -> Image.Image:
    """Return values as they are seen by who takes them for what they should be; what is no number stands out.

    Floats are taken to lie between 0 and 1, or between -1 and 1 where some are below 0; with ``back`` for normalized.
    """
    if pixels.dtype == np.uint8:
        return Image.fromarray(pixels)
    lost = np.isnan(pixels).any(axis=2)
    centre = (pixels + 1) / 2 if np.nanmin(pixels) < 0 else pixels
    light = pixels * DEVIATION + MEAN if back else centre
    shown = (np.nan_to_num(light).clip(0, 1) * 255).astype(np.uint8)
    shown[lost] = NOTHING
    return Image.fromarray(shown)


def coloured(labels: NDArray[Any]) -> Image.Image:
    """Return a mask in the colours of its labels."""
    shown = np.full((*labels.shape, 3), NOTHING, np.uint8)
    for label, colour in LABELS.items():
        shown[labels == label] = colour
    return Image.fromarray(shown)


def outlined(image: Image.Image, mask: NDArray[np.bool_]) -> None:
    """Draw the rim of a mask on a picture."""
    padded = np.pad(mask, 2)
    inner = np.min([padded[2 + y : -2 + y or None, 2 + x : -2 + x or None] for y, x in ROUND], axis=0)
    rim = Image.fromarray(((mask & ~inner) * 255).astype(np.uint8))
    image.paste(Image.new("RGB", image.size, ink.PLAIN), mask=rim)


ROUND = ((-2, 0), (2, 0), (0, -2), (0, 2), (-1, -1), (1, 1), (1, -1), (-1, 1))
"""Places around a pixel: one that is the rim has one of them outside."""


def sized(image: Image.Image) -> Image.Image:
    """Return a picture as large as a tile: of a photograph smaller, of a mask pixel by pixel."""
    how = Image.Resampling.LANCZOS if min(image.size) > TILE else Image.Resampling.NEAREST
    return image.resize((TILE, TILE), how)


def absent() -> Image.Image:
    """Return what stands for nothing: a sheet that is crossed out."""
    image = ink.blank(TILE, TILE)
    pen = ImageDraw.Draw(image)
    for ends in ((0, 0, TILE - 1, TILE - 1), (0, TILE - 1, TILE - 1, 0)):
        pen.line(ends, fill=ink.RULE, width=3)
    ink.write(pen, (TILE / 2 - 24, TILE / 2), "None", 20)
    return image
