"""What stands below a crop: the object that is worst off, and what is left of it."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from safeaug.demo.column import SLACK, fewest
from safeaug.demo.draw import Draw
from safeaug.demo.scenes import Scene
from safeaug.policy import GONE


class Caption(NamedTuple):
    """Which object, and what is left of it."""

    label: str
    left: str


def least_left(scene: Scene, draw: Draw) -> Caption:
    """Return which object is left with the least, and how much in whole percents, rounded down."""
    worst = int(np.argmin(draw.retention))
    return Caption(scene.labels[worst], _kept(float(draw.retention[worst])))


def least_there(scene: Scene, draw: Draw) -> Caption:
    """Return the same among the objects that are there at all; where none is, the one of which most is left."""
    there = draw.retention > GONE
    worst = int(np.argmin(np.where(there, draw.retention, np.inf)) if there.any() else np.argmax(draw.retention))
    label, count = scene.labels[worst], len(scene.labels)
    return Caption(
        label if count == 1 else f"{np.count_nonzero(there)} of {count} {label}s", _kept(float(draw.retention[worst]))
    )


def worst_off(limit: float, floor: float) -> Callable[[Scene, Draw], Caption]:
    """Return what tells of the object that is farthest below, or least above, a share and a number of pixels."""

    def caption(scene: Scene, draw: Draw) -> Caption:
        shares, counts = draw.retention / limit, draw.pixels / floor
        worst = int(np.argmin(np.minimum(shares, counts)))
        scarcer = counts[worst] < shares[worst]
        left = _pixels(float(draw.pixels[worst])) if scarcer else _kept(float(draw.retention[worst]))
        return Caption(scene.labels[worst], left)

    return caption


def fewest_pixels(scene: Scene, draw: Draw) -> Caption:
    """Return which object covers the fewest pixels, and how many, rounded down."""
    return Caption(scene.labels[int(np.argmin(draw.pixels))], _pixels(fewest(draw)))


def _kept(share: float) -> str:
    # What the guard's tolerance lets pass as half must not read as 49 %.
    return "< 1 % kept" if 0 < share < 0.01 else f"{math.floor(100 * share + 1e-3)} % kept"


def _pixels(count: float) -> str:
    return "< 1 px" if 0 < count < 1 else f"{math.floor(count / (1 - SLACK))} px"
