"""Pictures to look for saliency in: photographs that come with scikit-image, painted things, and noise."""

from functools import cache

import numpy as np
from skimage import data

PHOTOS = "astronaut", "chelsea", "coffee", "rocket", "camera", "coins", "hubble_deep_field", "page", "moon", "retina"
"""Photographs, some of them grey; those of scikit-image that it does not have to download."""

METHODS = "auto", "signature", "mbd", "gradient", "spectral_residual", "center"


@cache
def photo(name):
    """Return a photograph, whole."""
    pixels = np.ascontiguousarray(getattr(data, name)())
    pixels.flags.writeable = False
    return pixels


def part(name, height=150, width=210):
    """Return a part of a photograph, from its middle."""
    pixels = photo(name)
    top, left = (pixels.shape[0] - height) // 2, (pixels.shape[1] - width) // 2
    return pixels[top : top + height, left : left + width]


def noise(shape, seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


def blob(height=90, width=130, box=(70, 20, 100, 45), colours=((90, 100, 110), (210, 60, 40))):
    """Return a picture of one colour, with a box of another on it."""
    pixels = np.empty((height, width, 3), np.uint8)
    pixels[:] = colours[0]
    x0, y0, x1, y1 = box
    pixels[y0:y1, x0:x1] = colours[1]
    return pixels
