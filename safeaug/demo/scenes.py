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


Ring = list[tuple[float, float]]
"""A closed line of points (x, y) in the image frame."""


class Masks(NamedTuple):
    """What each object of a picture covers, pixel by pixel.

    Parameters
    ----------
    pixels : ndarray of shape (N, H, W), uint8
        1 where the object is, and 0 elsewhere.
    rings : list of list of Ring
        The outlines of each object, one for each of its parts and holes.
    """

    pixels: NDArray[np.uint8]
    rings: list[list[Ring]]


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
    masks : Masks, optional
        What each of them covers, where it is by this that they are judged; ``boxes`` are then what bounds it.
    note : str, optional
        How they were found, where nobody drew them.
    """

    name: str
    image: NDArray[np.uint8]
    boxes: list[Box]
    labels: list[str]
    masks: Masks | None = None
    note: str = ""

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
    pictures = labelled("scenes.json")
    rocket = next(scene for scene in pictures if scene.name == "rocket")
    return [panorama(rocket), *pictures]


def labelled(name: str) -> list[Scene]:
    """Return the pictures whose boxes were drawn by hand and stand in a file beside this one."""
    text = resources.files(__package__).joinpath(name).read_bytes()
    return [_picture(entry) for entry in msgspec.json.decode(text, type=list[_Entry])]


def _picture(entry: _Entry) -> Scene:
    image = np.asarray(getattr(data, entry.picture)())
    if image.shape[:2] != (entry.height, entry.width):
        raise ContentError(
            f"the picture {entry.picture!r} must be {entry.height} × {entry.width}, as it was when its boxes were "
            f"drawn, got {image.shape[0]} × {image.shape[1]}; this scikit-image ships another one"
        )
    return Scene(
        entry.picture, rgb(image), [each.box for each in entry.objects], [each.label for each in entry.objects]
    )


def rgb(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a picture with three channels, of one that may be grey."""
    return np.repeat(image[:, :, None], 3, axis=2) if image.ndim == 2 else image


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
