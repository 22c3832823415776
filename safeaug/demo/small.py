"""Pictures with objects of few pixels."""

import numpy as np
from skimage import data, filters, measure

from safeaug.demo.masked import coins
from safeaug.demo.scenes import Scene, labelled, rgb
from safeaug.errors import ContentError
from safeaug.geometry import Window

FIELD: Window = (370, 340, 600, 620)
"""The part of the deep field that is labelled: too many sources lie in the whole of it for any crop to keep them."""

BRIGHT, LEAST, SOURCES = 90, 90, 8
"""A source is brighter than this (of 255) over so many pixels; so many of them lie in the field."""


def small() -> list[Scene]:
    """Return a part of the sky, and the details of a portrait."""
    return [deep_field(), *labelled("details.json")]


def shrinking() -> list[Scene]:
    """Return pictures whose objects a smaller picture shows in too few pixels: those of `small`, and the coins."""
    return [*small(), coins()._replace(masks=None)]


def deep_field() -> Scene:
    """Return the Hubble deep field with the bright sources of a part of it.

    Notes
    -----
    Nobody labelled it. A source is a patch, in the picture's brightest channel smoothed by a Gaussian of one pixel,
    that is brighter than `BRIGHT` over at least `LEAST` pixels and lies wholly in `FIELD`; its box bounds the patch.
    Smoothing over up to two pixels finds the same eight.

    Raises
    ------
    ContentError
        Where they are not so many, as in another picture under this name.
    """
    image = np.asarray(data.hubble_deep_field())
    smooth = filters.gaussian(image.max(axis=2).astype(float), 1, preserve_range=True)
    x0, y0, x1, y1 = FIELD
    boxes = []
    for patch in measure.regionprops(measure.label(smooth > BRIGHT)):
        top, left, bottom, right = map(float, patch.bbox)
        if patch.area >= LEAST and x0 <= left and y0 <= top and right <= x1 and bottom <= y1:
            boxes.append((left, top, right, bottom))
    if len(boxes) != SOURCES:
        raise ContentError(f"the picture 'hubble_deep_field' must show {SOURCES} sources in {FIELD}, got {len(boxes)}")
    labels = ["source"] * len(boxes)
    return Scene("hubble", rgb(image), boxes, labels, note="bright patches, in a part of it only")
