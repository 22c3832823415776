"""Saliency maps of a batch: those that a caller hands over, or else made of its images, where these are."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from safeaug.batch.images import Images
from safeaug.batch.padded import check_device
from safeaug.errors import ContentError
from safeaug.objects import Saliency
from safeaug.saliency.batched import maps_of
from safeaug.shapes.salience import CELLS


def salient_of(images: Images, maps: Any, saliency: Saliency, validate: bool) -> tuple[Any, Any]:
    """Return maps in pixels, as they are carried along, and maps in cells, which are not: one of both is None.

    Parameters
    ----------
    images : Images
        The batch.
    maps : Tensor of shape (B, h, w), list of Tensor of shape (hi, wi), or None
        What was handed over: in the images' pixels; or in cells that divide each image into equal parts, at most 64 a
        side. None: they are made.
    saliency : str or callable
        How: see `safeaug.saliency.batched.maps_of`.
    validate : bool
        Whether to look at the images' values, which on a device waits for it.

    Raises
    ------
    ContentError
        On maps in cells that are none, or images of which none can be made.
    """
    if maps is not None:
        return (None, _checked(maps, images)) if _in_cells(maps, images) else (maps, None)
    pictures: Any = images.pictures
    if (isinstance(pictures, Tensor) and images.known is None) or _is_padded(images):
        sizes = images.known if images.known is not None else images.sizes.tolist()
        pictures = [picture[:, :height, :width] for picture, (height, width) in zip(pictures, sizes, strict=True)]
    return None, maps_of(pictures, saliency, validate=validate)


def _is_padded(images: Images) -> bool:
    if not isinstance(images.pictures, Tensor):
        return False
    height, width = images.pictures.shape[-2:]
    return any(size != (height, width) for size in images.known or ())


def _in_cells(maps: Any, images: Images) -> bool:
    """Return whether maps are of no more than 64 cells a side, and not in the pixels of their pictures."""
    if not isinstance(maps, Tensor | Sequence) or not all(isinstance(each, Tensor) for each in maps):
        return False
    pairs = list(zip(maps, images.pictures, strict=False))
    small = all(max(part.shape, default=0) <= CELLS for part, _ in pairs)
    return small and any(part.shape != picture.shape[-2:] for part, picture in pairs)


def _checked(maps: Any, images: Images) -> list[Tensor]:
    batch = len(images.sizes)
    if len(maps) != batch:
        raise ContentError(f"maps must be {batch}, one an image, got {len(maps)}")
    for i, part in enumerate(maps):
        check_device(f"maps[{i}]", part, images)
        if part.ndim != 2 or not part.numel() or part.dtype.is_complex:
            raise ContentError(
                f"maps[{i}] must be of numbers of shape (h, w), got {str(part.dtype).removeprefix('torch.')} of shape "
                f"{tuple(part.shape)}"
            )
    return list(torch.unbind(maps)) if isinstance(maps, Tensor) else list(maps)
