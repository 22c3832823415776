"""The demonstration's pictures, audited: the plain crop, and the guarded one."""

from collections.abc import Iterator

import albumentations as A
import numpy as np

from safeaug.auditing.overall import audit
from safeaug.auditing.record import Record
from safeaug.data import Sample
from safeaug.demo.scenes import Scene
from safeaug.demo.setting import Setting
from safeaug.dispatch import guard

LIMIT = 0.01
"""The share of draws that may be damaged, and that may keep no object."""


def audits(setting: Setting, draws: int, seed: int) -> Iterator[tuple[str, Record]]:
    """Yield the audit of the plain crop, and of the guarded one, each with its name.

    Parameters
    ----------
    setting : Setting
        Gives the pictures, the crop, which is one of albumentations, and the policy.
    draws : int
        Of each picture.
    seed : int
        Of both audits.
    """
    boxes = A.BboxParams("pascal_voc", label_fields=["labels"])
    plain = A.Compose([setting.plain()], bbox_params=boxes)
    samples = [sample_of(scene) for scene in setting.scenes()]
    for name, pipeline in (("plain", plain), ("guarded", guard(plain, setting.policy))):
        named = f"{type(plain.transforms[0]).__name__}, {name}", f"the pictures of the demonstration, {name}"
        yield name, audit(pipeline, samples, draws=draws, policy=setting.policy, seed=seed, named=named)


def sample_of(scene: Scene) -> Sample:
    """Return a picture of the demonstration as the sample of a data set; its masks, where it has some."""
    return Sample(
        scene.name,
        scene.size,
        boxes=np.array(scene.boxes, dtype=np.float64),
        labels=tuple(scene.labels),
        ignore=np.zeros(len(scene.boxes), bool),
        masks=None if scene.masks is None else scene.masks.pixels,
        image=scene.image,
    )
