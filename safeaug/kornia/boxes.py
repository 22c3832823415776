"""Boxes as the host has them, and as edges in the image frame.

The host counts pixels: a box that covers pixels 2 to 5 is ``(2, 5)`` under "bbox" and "bbox_xyxy", and ``(2, width 4)``
under "bbox_xywh". Its edges are 2 and 6. A row that holds no box covers the pixel in the corner (0, 0): what the host
fills a shorter list up with, and what a box becomes that is gone. So it is a row of zeros, under "bbox_xywh" one of
``(0, 0, 1, 1)``, since the host takes no box without a width there; given, zeros will do as well.
"""

from typing import Any, NamedTuple

import torch
from kornia.geometry.boxes import Boxes
from torch import Tensor

from safeaug.batch.moved import NO_FLOAT64
from safeaug.batch.padded import joined
from safeaug.errors import ContentError
from safeaug.geometry import Size
from safeaug.kornia.entries import Entry, Key


class Edges(NamedTuple):
    """Boxes of one data key.

    Parameters
    ----------
    rows : Tensor of shape (B, N, 4), float64
        Corners in the image frame; float32 on devices that have no float64.
    there : Tensor of shape (B, N), bool
        Which rows hold a box.
    lengths : list of int, or None
        How many each image was given, where a list says so.
    """

    rows: Tensor
    there: Tensor
    lengths: list[int] | None


def edges_of(entry: Entry, count: int, device: torch.device) -> Edges:
    """Return the boxes of an entry, for so many images on a device.

    Raises
    ------
    ContentError
        On what are no boxes of these images.
    """
    parts = _parts(entry)
    if isinstance(parts, Tensor):
        rows = parts if parts.ndim == _dimensions(entry.key) + 1 else parts[None]
        lengths = None
        _check(entry.name, parts, rows, _dimensions(entry.key) + 1, count, device)
    else:
        for i, part in enumerate(parts):
            _check(f"{entry.name}[{i}]", part, part[None], _dimensions(entry.key) + 1, 1, device)
        if len(parts) != count:
            raise ContentError(f"{entry.name} must be one tensor, or a list of {count}, one an image, got {len(parts)}")
        lengths = [len(part) for part in parts]
        rows = joined(parts)
    edges = _read(rows.to(torch.float32 if device.type in NO_FLOAT64 else torch.float64), entry.key)
    filled = edges == edges.new_tensor([0, 0, 1, 1])
    there = ~filled.all(-1) & ~(rows == 0).flatten(2).all(-1)
    if lengths is not None:  # which say it better
        there = torch.arange(rows.shape[1], device=device) < torch.tensor(lengths, device=device)[:, None]
    return Edges(edges, there, lengths)


def boxes_like(entry: Entry, rows: Tensor, shows: Tensor, size: Size) -> Any:
    """Return boxes as those of an entry were given: their form, container and dtype.

    Parameters
    ----------
    entry : Entry
        What was given.
    rows : Tensor of shape (B, N, 4)
        Edges in the output. What is narrower than a pixel becomes one: the host counts no less.
    shows : Tensor of shape (B, N), bool
        Which rows still hold a box.
    size : (int, int)
        Height and width of the output.
    """
    given = _parts(entry)
    first = given if isinstance(given, Tensor) else given[0]
    low = torch.minimum(rows[..., :2], rows.new_tensor([size[1] - 1, size[0] - 1]))
    rows = torch.cat([low, torch.maximum(rows[..., 2:], low + 1)], dim=-1)
    rows = torch.where(shows[..., None], rows, rows.new_tensor([0, 0, 1, 1]))
    written = _written(rows, entry.key).to(first.device)
    if isinstance(given, Tensor):
        whole = written if given.ndim == written.ndim else written[0]
        whole = whole.to(_dtype(given))
        return Boxes(whole, mode=entry.value.mode) if isinstance(entry.value, Boxes) else whole
    listed = [row[: len(part)].to(_dtype(part)) for row, part in zip(written, given, strict=True)]
    return Boxes(listed, mode=entry.value.mode) if isinstance(entry.value, Boxes) else listed


def _parts(entry: Entry) -> Tensor | list[Tensor]:
    """Return boxes as a tensor or a list of tensors; the host's own as corners."""
    value = entry.value
    if isinstance(value, Boxes):
        corners = value.to_tensor("vertices_plus")
        return corners if isinstance(corners, Tensor) else [each.reshape(-1, 4, 2) for each in corners]
    if isinstance(value, list | tuple) and value and all(isinstance(each, Tensor) for each in value):
        return list(value)
    if not isinstance(value, Tensor):
        raise ContentError(
            f"{entry.name} must be a tensor, a list of tensors or kornia's Boxes, got {type(value).__name__}"
        )
    return value


def _dimensions(key: Key) -> int:
    """Return how many dimensions the boxes of one image have; under "bbox" each has four corners."""
    return 3 if key == "bbox" else 2


def _check(name: str, given: Tensor, rows: Tensor, dimensions: int, count: int, device: torch.device) -> None:
    end = (4, 2) if dimensions == 4 else (4,)
    if rows.ndim != dimensions or tuple(rows.shape[2:]) != end or rows.dtype is torch.bool or rows.is_complex():
        of = ", ".join(map(str, end))
        raise ContentError(
            f"{name} must be of numbers and of shape ({count}, N, {of}), or (N, {of}) for one image, got "
            f"{str(given.dtype).removeprefix('torch.')} of shape {tuple(given.shape)}"
        )
    if len(rows) != count:
        raise ContentError(f"{name} must be the boxes of {count} images, got those of {len(rows)}")
    if rows.device != device:
        raise ContentError(f"{name} must be on the images' device {device}, got {rows.device}; move it there")


def _read(rows: Tensor, key: Key) -> Tensor:
    """Return boxes of a form as edges; of four corners, the upright box around them."""
    if key == "bbox":
        rows = torch.cat([rows.amin(-2), rows.amax(-2)], dim=-1)
    x0, y0, x1, y1 = rows.unbind(-1)
    if key == "bbox_xywh":
        return torch.stack([x0, y0, x0 + x1, y0 + y1], dim=-1)
    return torch.stack([x0, y0, x1 + 1, y1 + 1], dim=-1)


def _written(edges: Tensor, key: Key) -> Tensor:
    """Return edges as boxes of a form."""
    x0, y0, x1, y1 = edges.unbind(-1)
    if key == "bbox_xywh":
        return torch.stack([x0, y0, x1 - x0, y1 - y0], dim=-1)
    x1, y1 = x1 - 1, y1 - 1
    if key == "bbox_xyxy":
        return torch.stack([x0, y0, x1, y1], dim=-1)
    return torch.stack([torch.stack(pair, -1) for pair in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))], dim=-2)


def _dtype(rows: Tensor) -> torch.dtype:
    return rows.dtype if rows.is_floating_point() else torch.get_default_dtype()
