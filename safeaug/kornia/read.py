"""The values of a call, read and checked once."""

from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor

from safeaug.batch.images import Images, images_of
from safeaug.errors import ContentError
from safeaug.kornia.boxes import Edges, edges_of
from safeaug.kornia.entries import BOXES, Entry, batched
from safeaug.kornia.masks import masks_of
from safeaug.kornia.points import Points, points_of


class Values(NamedTuple):
    """The values of a call, each under its place among the entries.

    Parameters
    ----------
    boxes : dict of int to Edges
        Boxes as edges.
    points : dict of int to Points
        Keypoints as points of the image frame.
    masks : dict of int to Tensor of shape (B, C, H, W), or list of Tensor of shape (1, C, H, W)
        Masks.
    images : dict of int to Images
        Images.
    """

    boxes: dict[int, Edges]
    points: dict[int, Points]
    masks: dict[int, Tensor | list[Tensor]]
    images: dict[int, Images]


def values_of(entries: Sequence[Entry], batch: Images) -> Values:
    """Return the values of a call on a batch of images of one size.

    Raises
    ------
    ContentError
        On what does not fit these images: it names the value.
    """
    found = Values({}, {}, {}, {})
    count, size = len(batch.sizes), (batch.pictures[0].shape[-2], batch.pictures[0].shape[-1])
    for place, entry in enumerate(entries):
        if entry.key in BOXES:
            found.boxes[place] = edges_of(entry, count, batch.device)
        elif entry.key == "keypoints":
            found.points[place] = points_of(entry, count, batch.device)
        elif entry.key == "mask":
            found.masks[place] = masks_of(entry, count, size, batch.device)
        elif entry.key == "image":
            found.images[place] = _alike(entry, batch)
    return found


def _alike(entry: Entry, batch: Images) -> Images:
    """Return images, which are of the same frames as the first of a call."""
    images = images_of(batched(entry.name, entry.value), None, validate=False)
    given, wanted = tuple(images.pictures[0].shape[-2:]), tuple(batch.pictures[0].shape[-2:])
    if len(images.sizes) != len(batch.sizes) or given != wanted or images.device != batch.device:
        raise ContentError(
            f"{entry.name} must be {len(batch.sizes)} images of {wanted} on {batch.device}, as the first image of the "
            f"call, got {len(images.sizes)} of {given} on {images.device}"
        )
    return images
