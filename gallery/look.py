"""A picture as saliency sees it: the map of each method, how each agrees with boxes, and what windows hold of these."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple, get_args

import albumentations as A
import numpy as np
from numpy.typing import NDArray

import safeaug as sa
from safeaug.calibrating.agreement import auc
from safeaug.demo.draw import Draw
from safeaug.demo.hosts.albumentations import SETTINGS
from safeaug.demo.made import OUTPUT
from safeaug.demo.scenes import Scene
from safeaug.demo.trial import Trial, trial
from safeaug.saliency import Method, box_map, map_of

METHODS: tuple[Method, ...] = (*(name for name in get_args(Method) if name != "auto"), "auto")
"""All that there are; the one that guards comes last."""

MIN_RANK = 0.8
"""Of the windows of a size the fifth will do that holds most of the map."""

SETTING = SETTINGS["boxes"]._replace(
    plain=partial(A.RandomResizedCrop, OUTPUT),
    guarded=partial(sa.albumentations.RandomResizedCrop, OUTPUT, protect="saliency", min_rank=MIN_RANK),
)
"""The crop that everybody trains with, and the same guarded by the map: it never sees the boxes."""

SEED, PAIRS = 0, 6
"""Of both crops; and how many pairs of the same draw are shown."""


class Look(NamedTuple):
    """What saliency makes of a picture.

    Parameters
    ----------
    scene : Scene
        The picture, with its boxes where it has any.
    maps : mapping of str to ndarray of shape (48, 48), uint8
        The map of each method.
    trial : Trial
        Windows, plain and guarded by the last of them.
    """

    scene: Scene
    maps: Mapping[str, NDArray[np.uint8]]
    trial: Trial

    @property
    def agreements(self) -> dict[str, float]:
        """The AUC of each map against the boxes; of a picture without boxes none."""
        covered = box_map(self.scene.boxes, self.scene.size)
        found = {name: auc(cells, covered) for name, cells in self.maps.items()}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def held(self) -> tuple[float, float] | None:
        """The share of an object in a window, in the mean over all, plain and guarded; None without boxes."""
        return (_held(self.trial.plain), _held(self.trial.guarded)) if self.scene.boxes else None


def looked(scene: Scene, draws: int) -> Look:
    """Make the maps of a picture, and draw windows from it."""
    maps = {method: map_of(scene.image, method) for method in METHODS}
    return Look(scene, maps, trial(scene, SETTING, draws, SEED, shown=PAIRS))


def _held(draws: Sequence[Draw]) -> float:
    return float(np.mean([draw.retention for draw in draws]))
