"""What shows several pictures, or one in pieces."""

from typing import Any

import cv2
import numpy as np
from albumentations.augmentations.mixing.functional import get_cell_relative_position, process_cell_geometry

from safeaug.geometry import Size
from safeaug.guarding.way import Params
from safeaug.ledger.changes import Change, Unknown, index_of


def shuffled(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``RandomGridShuffle``: tiles are copied as they are, so an index goes through unharmed."""
    return Unknown(transform.apply_to_mask(index_of(image_size), **params))


def mosaic(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``Mosaic``: one cell shows a part of the picture, the others other pictures.

    The cell of the picture is the first of the parameters. Where the host lacks further pictures it repeats this one in
    other cells; these copies are not counted.
    """
    shown = np.full(transform.target_size, -1, np.int32)
    place = next(iter(params["processed_cells"]), None)
    if place is None:
        return Unknown(shown)
    left, top, right, bottom = place
    index = index_of(image_size).astype(np.float64)  # which every size of image fits
    cell = process_cell_geometry(
        cell_shape=transform.cell_shape,
        item={"image": np.zeros((*image_size, 1), np.uint8), "mask": index, "bboxes": None, "keypoints": None},
        target_shape=(bottom - top, right - left),
        fill=0,
        fill_mask=-1,
        fit_mode=transform.fit_mode,
        interpolation=cv2.INTER_NEAREST,
        mask_interpolation=cv2.INTER_NEAREST_EXACT,  # which, unlike the plain one, looks at the middle of a pixel
        cell_position=get_cell_relative_position(place, transform.target_size),
    )
    shown[top:bottom, left:right] = cell["mask"]
    return Unknown(shown)
