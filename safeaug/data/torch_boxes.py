"""Boxes as torch data sets hand them over: plain, or tv_tensors, told by their names, as torch is not imported."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.data.outline import Rings
from safeaug.data.remarks import shown
from safeaug.errors import ContentError, DataError
from safeaug.geometry import BoxFormat, Size, corners_of, to_xyxy

PLAIN: dict[str, BoxFormat] = {"XYXY": "xyxy", "XYWH": "xywh", "CXCYWH": "cxcywh"}
"""Formats of tv_tensors that are boxes, as they are called here. The others are rotated: rings of four corners."""

SIDES = {"XYWHR": 5, "CXCYWHR": 5, "XYXYXYXY": 8}
"""How many numbers a rotated box has."""


def is_a(value: Any, name: str, package: str) -> bool:
    """Return whether a value is of a class, told by name, so that its package need not be imported to ask."""
    return any(base.__name__ == name and base.__module__.partition(".")[0] == package for base in type(value).__mro__)


def array_of(value: Any, name: str, where: str, dtype: Any = None) -> NDArray[Any]:
    """Return numbers of any kind as an array, or raise `DataError`."""
    try:
        return np.asarray(value.detach().cpu() if is_a(value, "Tensor", "torch") else value, dtype=dtype)
    except Exception as error:  # somebody else's objects, tensors on a device, pictures that end too early: anything
        raise DataError(f"{name} must be numbers, got {type(value).__name__}: {shown(str(error))}", where) from error


def boxes_of(
    value: Any, box_format: BoxFormat, size: Size, where: str
) -> tuple[NDArray[np.float64], tuple[Rings, ...] | None]:
    """Return boxes as corners in the image frame, and what they cover where they are rotated.

    Parameters
    ----------
    value : tv_tensors.BoundingBoxes, or array_like of shape (N, 4)
        What a data set hands over.
    box_format : str
        The format of plain ones.
    size : (int, int)
        Height and width of the image.
    where : str
        What an error says of where they were met.
    """
    rows = array_of(value, "boxes", where, np.float64)
    if not is_a(value, "BoundingBoxes", "torchvision"):
        return _corners(rows, box_format, size, where), None
    canvas = tuple(value.canvas_size)
    if canvas != size:
        raise DataError(
            f"boxes must be of their image's canvas, {size[0]} x {size[1]} (height x width), got canvas_size={canvas}",
            where,
            "other size",
        )
    name = value.format.name
    if name in PLAIN:
        return _corners(rows, PLAIN[name], size, where), None
    rings = _rings(rows, name, where)
    bounds = np.concatenate([rings.min(axis=1), rings.max(axis=1)], axis=1) if len(rings) else np.empty((0, 4))
    return bounds, tuple((ring,) for ring in rings)


def _corners(rows: NDArray[np.float64], box_format: BoxFormat, size: Size, where: str) -> NDArray[np.float64]:
    try:
        return to_xyxy(rows, box_format, size)
    except ContentError as error:
        raise DataError(str(error), where) from None


def _rings(rows: NDArray[np.float64], name: str, where: str) -> NDArray[np.float64]:
    """Return the corners of rotated boxes, of shape (N, 4, 2)."""
    if not rows.size:
        return np.empty((0, 4, 2))
    if rows.ndim != 2 or rows.shape[1] != SIDES.get(name) or not np.isfinite(rows).all():
        raise DataError(
            f"boxes of format {name} must be finite, of shape (N, {SIDES.get(name)}), got {shown(rows.tolist())}", where
        )
    if name == "XYXYXYXY":
        return rows.reshape(-1, 4, 2)
    if name == "XYWHR":  # the corner that is the upper left one before the box is turned, and about which it is
        across, down, turn = rows[:, 2] / 2, rows[:, 3] / 2, np.deg2rad(rows[:, 4])
        centre = across * np.cos(turn) + down * np.sin(turn), down * np.cos(turn) - across * np.sin(turn)
        rows = np.concatenate([rows[:, :2] + np.stack(centre, axis=1), rows[:, 2:]], axis=1)
    try:
        return corners_of(rows)
    except ContentError as error:
        raise DataError(str(error), where) from None
