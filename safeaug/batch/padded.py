"""Objects of a batch as they are handed over, a tensor or a list of tensors, checked and padded to one length."""

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import torch
from torch import Tensor

from safeaug.batch.images import Images
from safeaug.batch.moved import sent
from safeaug.errors import ContentError


class Rows(NamedTuple):
    """Rows of objects, as many a sample.

    Parameters
    ----------
    rows : Tensor, or list of Tensor
        Of each object its numbers or its mask.
    length : int
        How many rows a sample has.
    lengths : list of int, or None
        How many of them each sample was given; None where a tensor came whole, which does not say.
    """

    rows: Any
    length: int
    lengths: list[int] | None


def rows_of(name: str, rows: Any, images: Images) -> Rows | None:
    """Return boxes or keypoints as one tensor; a list of tensors of different lengths is padded."""
    if rows is None:
        return None
    batch, dimensions, ends = len(images.sizes), *((2, {4}) if name == "boxes" else (3, {2, 3}))
    if isinstance(rows, Tensor):
        check_device(name, rows, images)
        if rows.ndim != dimensions + 1 or len(rows) != batch or rows.shape[-1] not in ends:
            wanted = f"({batch}, N, 4)" if name == "boxes" else f"({batch}, N, K, 2) or ({batch}, N, K, 3)"
            raise ContentError(
                f"{name} must be of shape {wanted}, or a list of {batch} tensors, got {tuple(rows.shape)}"
            )
        return Rows(_real(name, rows), rows.shape[1], None)
    parts = _parts(name, rows, images)
    for i, part in enumerate(parts):
        if part.ndim != dimensions or part.shape[-1] not in ends:
            wanted = "(N, 4)" if name == "boxes" else "(N, K, 2) or (N, K, 3)"
            raise ContentError(f"{name}[{i}] must be of shape {wanted}, got {tuple(part.shape)}")
    try:
        padded = joined([_real(f"{name}[{i}]", part) for i, part in enumerate(parts)])
    except RuntimeError:
        raise ContentError(
            f"{name} of a batch must have as many numbers a row, got {[tuple(part.shape[1:]) for part in parts]}"
        ) from None
    return Rows(padded, padded.shape[1], [len(part) for part in parts])


def filled_of(lengths: list[int], count: int, device: torch.device) -> Tensor:
    """Return which of so many rows a sample has, of shape (B, length), bool."""
    return torch.arange(count, device=device) < sent(torch.tensor(lengths), device)[:, None]


def joined(parts: Sequence[Tensor]) -> Tensor:
    """Return tensors of different lengths as one, padded with zeros; its dtype holds the numbers of all of them."""
    dtypes = [part.dtype for part in parts if part.numel()]  # an empty one is as a rule of any dtype
    dtype = reduce(torch.promote_types, dtypes or [parts[0].dtype])
    return torch.nn.utils.rnn.pad_sequence([part.to(dtype) for part in parts], batch_first=True)


def _parts(name: str, rows: Any, images: Images) -> list[Tensor]:
    batch = len(images.sizes)
    if not isinstance(rows, Sequence) or len(rows) != batch or not all(isinstance(part, Tensor) for part in rows):
        got = f"{type(rows).__name__}" + (f" of {len(rows)}" if isinstance(rows, Sequence) else "")
        raise ContentError(f"{name} must be a tensor or a list of {batch} tensors, one an image, got {got}")
    for i, part in enumerate(rows):
        check_device(f"{name}[{i}]", part, images)
    return list(rows)


def _real(name: str, rows: Tensor) -> Tensor:
    form = getattr(getattr(rows, "format", None), "name", "XYXY")  # torchvision's boxes say how they are meant
    if form != "XYXY":
        raise ContentError(
            f"{name} must be corners (x0, y0, x1, y1), got torchvision's of format {form}; convert them, by "
            'torchvision.transforms.v2.ConvertBoundingBoxFormat("XYXY")'
        )
    if rows.dtype is torch.bool or rows.dtype.is_complex:
        raise ContentError(f"{name} must be of numbers, got {str(rows.dtype).removeprefix('torch.')}")
    return rows


def check_device(name: str, rows: Tensor, images: Images) -> None:
    """Raise `ContentError` where a tensor is on another device than the images."""
    if rows.device != images.device:
        raise ContentError(f"{name} must be on the images' device {images.device}, got {rows.device}; move them there")


def masks_of(masks: Any, images: Images) -> Rows | None:
    """Return instance masks, each of the size of its picture as it is stored."""
    if masks is None:
        return None
    batch = len(images.sizes)
    if isinstance(masks, Tensor):
        check_device("masks", masks, images)
        if masks.ndim != 4 or len(masks) != batch or isinstance(images.pictures, list):
            raise ContentError(
                f"masks must be of shape ({batch}, N, H, W), or a list of tensors of shape (N, H, W), one an image, "
                f"as the images are; got {tuple(masks.shape)}"
            )
        _check_frame("masks", masks, images.pictures[0])
        return Rows(masks, masks.shape[1], None)
    parts = _parts("masks", masks, images)
    for i, part in enumerate(parts):
        if part.ndim != 3:
            raise ContentError(f"masks[{i}] must be of shape (N, H, W), got {tuple(part.shape)}")
        _check_frame(f"masks[{i}]", part, images.pictures[i])
    lengths = [len(part) for part in parts]
    count, full = max(lengths), parts[lengths.index(max(lengths))]
    parts = [part if len(part) else part.to(full.dtype) for part in parts]
    _check_dtypes("masks", parts)
    parts = [
        torch.cat([part, part.new_zeros((count - len(part), *part.shape[1:]))]) if len(part) < count else part
        for part in parts
    ]
    return Rows(parts, count, lengths)


def _check_dtypes(name: str, parts: list[Tensor]) -> None:
    for i, part in enumerate(parts):
        if part.dtype != parts[0].dtype:
            raise ContentError(
                f"{name} of a batch must share one dtype, got {name}[0] of {parts[0].dtype} and {name}[{i}] of "
                f"{part.dtype}"
            )


def _check_frame(name: str, masks: Tensor, picture: Tensor) -> None:
    if masks.shape[-2:] != picture.shape[-2:]:
        raise ContentError(
            f"{name} must be of the image's height and width {tuple(picture.shape[-2:])}, got {tuple(masks.shape)}; "
            "resize or pad the masks with the image"
        )


def maps_of(maps: Any, images: Images) -> Any:
    """Return maps, each of the size of its picture as it is stored."""
    if maps is None:
        return None
    batch = len(images.sizes)
    parts = [maps] if isinstance(maps, Tensor) else _parts("maps", maps, images)
    if isinstance(maps, Tensor):
        check_device("maps", maps, images)
        if maps.ndim != 3 or len(maps) != batch or isinstance(images.pictures, list):
            raise ContentError(
                f"maps must be of shape ({batch}, H, W), or a list of tensors of shape (H, W), one an image, as the "
                f"images are; got {tuple(maps.shape)}"
            )
    for i, part in enumerate(parts):
        name = "maps" if isinstance(maps, Tensor) else f"maps[{i}]"
        if part.ndim != (3 if isinstance(maps, Tensor) else 2):
            raise ContentError(f"{name} must be of shape (H, W), got {tuple(part.shape)}")
        _check_frame(name, part, images.pictures[i])
    _check_dtypes("maps", parts)
    return maps if isinstance(maps, Tensor) else parts
