"""Elastic distortions: for each pixel, where its colour is taken from."""

from typing import Any

import numpy as np

from safeaug.geometry import Size
from safeaug.guarding.way import Params
from safeaug.ledger.changes import Change, Warped


def displaced(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``ElasticTransform``, whose displacements are in halves of the image's sides."""
    height, width = image_size
    way = params["displacement"].detach().cpu().numpy()[0]
    map_x = np.arange(width, dtype=np.float32) + way[..., 0] * (width / 2)
    map_y = np.arange(height, dtype=np.float32)[:, None] + way[..., 1] * (height / 2)
    return Warped(map_x, map_y)
