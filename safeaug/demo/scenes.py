"""The pictures of the demonstration, and where their objects are."""

from collections.abc import Sequence
from importlib import resources
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from skimage import data

from safeaug.errors import ContentError
from safeaug.geometry import Box, Size

PANORAMA: Size = (200, 2000)
"""Height and width of the panorama: an aspect ratio at which a random resized crop mostly falls back to the centre."""

LEFT_EDGE, BACKDROP = 70, slice(174, 254)
"""Columns of the rocket's picture, at the panorama's height: where the panorama begins, and which part, mirrored over
and over, goes on to the right. The backdrop holds a mast, lights and sky, and nothing that is labelled."""


class Scene(NamedTuple):
    """A picture with labelled objects.

    Parameters
    ----------
    name : str
        What the picture is called.
    image : ndarray of shape (H, W, 3), uint8
        The picture.
    boxes : list of (x0, y0, x1, y1)
        Its objects, in the image frame.
    labels : list of str
        What each of them is.
    """

    name: str
    image: NDArray[np.uint8]
    boxes: list[Box]
    labels: list[str]

    @property
    def size(self) -> Size:
        """Height and width of the picture."""
        return self.image.shape[0], self.image.shape[1]


class _Object(msgspec.Struct):
    label: str
    box: Box


class _Entry(msgspec.Struct):
    picture: str
    width: int
    height: int
    objects: list[_Object]


def scenes() -> list[Scene]:
    """Return the panorama, and behind it the pictures that scikit-image ships and ``scenes.json`` labels."""
    text = resources.files(__package__).joinpath("scenes.json").read_bytes()
    pictures = [_picture(entry) for entry in msgspec.json.decode(text, type=list[_Entry])]
    rocket = next(scene for scene in pictures if scene.name == "rocket")
    return [panorama(rocket), *pictures]


def _picture(entry: _Entry) -> Scene:
    image = np.asarray(getattr(data, entry.picture)())
    if image.shape[:2] != (entry.height, entry.width):
        raise ContentError(
            f"the picture {entry.picture!r} must be {entry.height} × {entry.width}, as it was when its boxes were "
            f"drawn, got {image.shape[0]} × {image.shape[1]}; this scikit-image ships another one"
        )
    if image.ndim == 2:
        image = np.repeat(image[:, :, None], 3, axis=2)
    return Scene(entry.picture, image, [each.box for each in entry.objects], [each.label for each in entry.objects])


def panorama(rocket: Scene) -> Scene:
    """Return a wide strip with the rocket near its left end and, to its right, nothing that is labelled.

    Parameters
    ----------
    rocket : Scene
        The rocket on its pad. Its sky, lights and a mast, mirrored over and over, make the rest of the strip.
    """
    height, width = PANORAMA
    high, wide = rocket.size
    columns = round(wide * height / high)
    pad = np.asarray(Image.fromarray(rocket.image).resize((columns, height), Image.Resampling.LANCZOS))
    missing = width - (BACKDROP.stop - LEFT_EDGE)
    backdrop = np.pad(pad[:, BACKDROP], ((0, 0), (0, missing), (0, 0)), mode="symmetric")
    image = np.concatenate([pad[:, LEFT_EDGE : BACKDROP.start], backdrop], axis=1)
    boxes = [_scaled(box, (columns / wide, height / high)) for box in rocket.boxes]
    return Scene("panorama", image, boxes, rocket.labels)


def _scaled(box: Sequence[float], scale: tuple[float, float]) -> Box:
    x0, y0, x1, y1 = box
    return x0 * scale[0] - LEFT_EDGE, y0 * scale[1], x1 * scale[0] - LEFT_EDGE, y1 * scale[1]
