"""Keypoints as the host has them, by the centres of pixels, and as points of the image frame."""

from typing import Any, NamedTuple

import torch
from kornia.geometry.keypoints import Keypoints
from torch import Tensor

from safeaug.batch.moved import NO_FLOAT64
from safeaug.errors import ContentError
from safeaug.kornia.entries import Entry

CENTRE = 0.5
"""Where the centre of the pixel in the corner (0, 0) lies in the image frame; the host calls it 0."""


class Points(NamedTuple):
    """Keypoints of one data key.

    Parameters
    ----------
    rows : Tensor of shape (B, N, 2), float64
        In the image frame; float32 on devices that have no float64.
    there : Tensor of shape (B, N), bool
        Which rows hold a keypoint: those that are not zeros.
    """

    rows: Tensor
    there: Tensor


def points_of(entry: Entry, count: int, device: torch.device) -> Points:
    """Return the keypoints of an entry, for so many images on a device.

    Raises
    ------
    ContentError
        On what are no keypoints of these images.
    """
    given = _given(entry)
    if not isinstance(given, Tensor):
        raise ContentError(f"{entry.name} must be a tensor or kornia's Keypoints, got {type(given).__name__}")
    rows = given if given.ndim == 3 else given[None]
    if rows.ndim != 3 or rows.shape[-1] != 2 or rows.dtype is torch.bool or rows.is_complex():
        raise ContentError(
            f"{entry.name} must be of numbers and of shape ({count}, N, 2), or (N, 2) for one image, got "
            f"{str(given.dtype).removeprefix('torch.')} of shape {tuple(given.shape)}"
        )
    if len(rows) != count:
        raise ContentError(f"{entry.name} must be the keypoints of {count} images, got those of {len(rows)}")
    if rows.device != device:
        raise ContentError(f"{entry.name} must be on the images' device {device}, got {rows.device}; move it there")
    points = rows.to(torch.float32 if device.type in NO_FLOAT64 else torch.float64)
    return Points(points + CENTRE, (rows != 0).any(-1))


def points_like(entry: Entry, points: Tensor) -> Any:
    """Return points of the output, of shape (B, N, 2), as those of an entry were given: form, container and dtype."""
    given = _given(entry)
    dtype = given.dtype if given.is_floating_point() else torch.float32
    rows = (points - CENTRE).to(given.device, dtype)
    rows = rows if given.ndim == 3 else rows[0]
    return Keypoints(rows) if isinstance(entry.value, Keypoints) else rows


def _given(entry: Entry) -> Any:
    """Return keypoints as they were given; the host's own as a tensor."""
    return entry.value.to_tensor() if isinstance(entry.value, Keypoints) else entry.value
