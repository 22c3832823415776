"""The images of a batch: one tensor, one padded tensor with sizes, or a list of tensors of different sizes."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from safeaug.batch.moved import sent
from safeaug.batch.ragged import Ragged
from safeaug.errors import ContentError
from safeaug.geometry import Size

DTYPES = torch.uint8, torch.float16, torch.bfloat16, torch.float32, torch.float64


class Images(NamedTuple):
    """The images of a batch.

    Parameters
    ----------
    pictures : Tensor of shape (B, C, H, W) or list of Tensor of shape (C, Hi, Wi)
        Their pixels; of a padded batch, those within each image's size count.
    sizes : Tensor of shape (B, 2), int64
        Height and width of each.
    known : list of (int, int), or None
        The same in plain numbers; None where they are on a device only.
    """

    pictures: Tensor | list[Tensor]
    sizes: Tensor
    known: list[Size] | None

    @property
    def device(self) -> torch.device:
        """Where the pixels are."""
        return self.sizes.device

    @property
    def dtype(self) -> torch.dtype:
        """What a pixel is."""
        return self.pictures[0].dtype

    @property
    def channels(self) -> int:
        """How many numbers a pixel has."""
        return self.pictures[0].shape[-3]

    @property
    def extent(self) -> int:
        """A side, in pixels, that no image passes."""
        sides = [side for picture in self.pictures[:1] for side in picture.shape[-2:]]
        if isinstance(self.pictures, list):
            sides = [side for picture in self.pictures for side in picture.shape[-2:]]
        return max(sides)


def images_of(images: Any, sizes: Any, *, validate: bool) -> Images:
    """Return what a caller hands over as images, checked.

    Parameters
    ----------
    images : Tensor of shape (B, C, H, W), sequence of Tensor of shape (C, Hi, Wi), or Ragged
        The images.
    sizes : Tensor of shape (B, 2) or sequence of (int, int), optional
        Height and width of each image in a padded batch.
    validate : bool
        Whether to look at the values of ``sizes`` too, which on a device waits for it.

    Raises
    ------
    ContentError
        On what is no batch of images.
    """
    if isinstance(images, Ragged):
        images = images.pictures()
    if isinstance(images, Tensor):
        _check_picture("images", images, 4, "(B, C, H, W)")
        if sizes is None:
            count, (height, width) = len(images), images.shape[-2:]
            known = [(height, width)] * count
            return Images(images, _alike(height, width, count, images.device), known)
        return _padded(images, sizes, validate)
    if not isinstance(images, Sequence):
        raise ContentError(
            f"images must be a tensor of shape (B, C, H, W), a list of tensors of shape (C, H, W) or what "
            f"safeaug.batch.collate returns, got {type(images).__name__}"
        )
    if sizes is not None:
        raise ContentError("sizes belong to a padded batch, got them beside a list of images; leave them out")
    return _listed(list(images))


def _alike(height: int, width: int, count: int, device: torch.device) -> Tensor:
    sides = [torch.full((count,), side, dtype=torch.int64, device=device) for side in (height, width)]
    return torch.stack(sides, dim=-1)


def _listed(pictures: list[Any]) -> Images:
    if not pictures:
        raise ContentError("images must hold at least one image, got an empty list; leave empty batches out")
    for i, picture in enumerate(pictures):
        if not isinstance(picture, Tensor):
            raise ContentError(f"images[{i}] must be a tensor of shape (C, H, W), got {type(picture).__name__}")
        _check_picture(f"images[{i}]", picture, 3, "(C, H, W)")
        first = pictures[0]
        for what in ("dtype", "device"):
            if getattr(picture, what) != getattr(first, what):
                raise ContentError(
                    f"images of a batch must share one {what}, got images[0] of {getattr(first, what)} and "
                    f"images[{i}] of {getattr(picture, what)}"
                )
        if len(picture) != len(first):
            raise ContentError(
                f"images of a batch must have as many channels, got images[0] with {len(first)} and images[{i}] with "
                f"{len(picture)}; convert grey images to RGB before"
            )
    known = [(picture.shape[1], picture.shape[2]) for picture in pictures]
    return Images(pictures, sent(torch.tensor(known), pictures[0].device), known)


def _check_picture(name: str, picture: Tensor, dimensions: int, shape: str) -> None:
    if picture.ndim != dimensions or 0 in picture.shape:
        raise ContentError(
            f"{name} must be of shape {shape} with at least one of each, got {tuple(picture.shape)}; channels come "
            "before height and width"
        )
    if picture.dtype not in DTYPES:
        names = ", ".join(str(each).removeprefix("torch.") for each in DTYPES)
        raise ContentError(f"{name} must be of {names}, got {str(picture.dtype).removeprefix('torch.')}; convert it")


def _padded(images: Tensor, sizes: Any, validate: bool) -> Images:
    count, _, height, width = images.shape
    allowed = f"whole numbers of shape ({count}, 2), the height and width of each image"
    try:
        given = sizes if isinstance(sizes, Tensor) else sent(torch.as_tensor(sizes), images.device)
    except (TypeError, ValueError, RuntimeError):
        raise ContentError(f"sizes must be {allowed}, got {sizes!r}") from None
    if given.shape != (count, 2) or given.is_floating_point() or given.is_complex() or given.dtype is torch.bool:
        raise ContentError(
            f"sizes must be {allowed}, got {str(given.dtype).removeprefix('torch.')} of shape {tuple(given.shape)}"
        )
    if given.device != images.device:
        raise ContentError(f"sizes must be on the images' device {images.device}, got {given.device}; move them there")
    given = given.long()
    if not validate:
        return Images(images, given, None)
    known: list[Size] = [(tall, wide) for tall, wide in given.tolist()]
    for i, (tall, wide) in enumerate(known):
        if not (1 <= tall <= height and 1 <= wide <= width):
            raise ContentError(
                f"sizes[{i}] must be at least (1, 1) and at most the padded {(height, width)}, got {(tall, wide)}; "
                "sizes are (height, width)"
            )
    return Images(images, given, known)
