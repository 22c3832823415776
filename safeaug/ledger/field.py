"""Where each pixel after a step takes its colour from."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.errors import ContentError

Floats = NDArray[np.float64]

FAR = 1e9
"""Where a pixel that takes its colour from nowhere takes it from."""

TEAR = 16.0
"""Pixels next to each other that take their colours from further apart than this are at a tear."""


class Field(NamedTuple):
    """For each pixel after a step, a point of the frame before it, in coordinates of pixel edges; `FAR` for none."""

    x: Floats
    y: Floats


def field_of_maps(map_x: NDArray[Any], map_y: NDArray[Any]) -> Field:
    """Return the field of two maps of pixel centres, as `cv2.remap` takes them."""
    if map_x.shape != map_y.shape or map_x.ndim != 2 or not map_x.size:
        raise ContentError(f"map_x and map_y must be of one shape (H, W), got {map_x.shape} and {map_y.shape}")
    known = np.isfinite(map_x) & np.isfinite(map_y)
    x, y = (np.where(known, each, FAR) + 0.5 for each in (map_x.astype(np.float64), map_y.astype(np.float64)))
    return Field(np.clip(x, -FAR, FAR), np.clip(y, -FAR, FAR))


def field_of_index(index: NDArray[Any], width: int) -> Field:
    """Return the field of an image that says which pixel each shows, of a picture of this width; negative for none."""
    row, column = np.divmod(index, width)
    return Field(np.where(index >= 0, column + 0.5, FAR), np.where(index >= 0, row + 0.5, FAR))


def margin_of(field: Field) -> float:
    """Return how far pixels next to each other are apart, at most, but for those at a tear; at least 1."""
    steps = [np.abs(np.diff(each, axis=axis)) for each in field for axis in (0, 1)]
    return max([1.0, *(float(step[step < TEAR].max(initial=0.0)) for step in steps)])
