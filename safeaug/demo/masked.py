"""Pictures with instance masks: derived from the picture itself, so that nothing is downloaded and nothing made up."""

import numpy as np
from numpy.typing import NDArray
from skimage import data, filters, measure

from safeaug.demo.scenes import Masks, Ring, Scene, rgb
from safeaug.errors import ContentError

COINS = 24
"""How many coins lie in the picture of them."""

NEIGHBOURHOOD, ABOVE = 151, 10
"""A pixel of a coin is brighter, by so many grey levels, than the mean of a neighbourhood of this side."""

SPECK = 200
"""Pixels below which a bright patch is dust. The smallest coin has 1099, the greatest speck 18."""


def masked() -> list[Scene]:
    """Return the coins, and a silhouette that fills little more than a third of its box."""
    return [coins(), horse()]


def coins() -> Scene:
    """Return the coins from Pompeii, each with its mask.

    Notes
    -----
    The ground is lit unevenly, so a coin is what is brighter than the ground around it (`skimage.filters.
    threshold_local`). Such pixels are gathered into patches that hang together over their edges, specks are left out,
    and dark pixels inside of a patch, the relief of the coin, are filled. What is left is 24 patches, one a coin.

    Raises
    ------
    ContentError
        Where the patches are not as many as the coins, as in another picture under this name.
    """
    grey = np.asarray(data.coins())
    bright = grey > filters.threshold_local(grey, NEIGHBOURHOOD, offset=-ABOVE)
    patches = [patch for patch in measure.regionprops(measure.label(bright, connectivity=1)) if patch.area >= SPECK]
    if len(patches) != COINS:
        raise ContentError(f"the picture 'coins' must show {COINS} coins, got {len(patches)} bright patches")
    masks = np.zeros((COINS, *grey.shape), np.uint8)
    for mask, patch in zip(masks, patches, strict=True):
        mask[patch.slice] = patch.image_filled
    return scene_of("coins", grey, masks, "coin", "what is brighter than the ground")


def horse() -> Scene:
    """Return the silhouette of a horse, black on white: its mask is what is black."""
    white = np.asarray(data.horse())
    return scene_of(
        "horse", np.where(white, np.uint8(255), np.uint8(0)), np.uint8(1) - white[None], "horse", "what is black"
    )


def scene_of(name: str, image: NDArray[np.uint8], masks: NDArray[np.uint8], label: str, note: str) -> Scene:
    """Return a picture with the masks of objects that are all of one kind, and what bounds each."""
    rings = [_rings(mask) for mask in masks]
    return Scene(name, rgb(image), [_bounds(mask) for mask in masks], [label] * len(masks), Masks(masks, rings), note)


def _bounds(mask: NDArray[np.uint8]) -> tuple[float, float, float, float]:
    y, x = np.nonzero(mask)
    return float(x.min()), float(y.min()), float(x.max()) + 1, float(y.max()) + 1


def _rings(mask: NDArray[np.uint8]) -> list[Ring]:
    """Return the lines half way between the middles of pixels inside and outside; a margin closes those at an edge."""
    lines = measure.find_contours(np.pad(mask, 1).astype(float), 0.5)
    return [[(x - 0.5, y - 0.5) for y, x in line] for line in lines]
