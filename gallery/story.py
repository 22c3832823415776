"""A story: pictures, a pipeline, and the same pipeline guarded."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import albumentations as A
import numpy as np

from safeaug import Policy
from safeaug.auditing.subject import Subject
from safeaug.data import Sample
from safeaug.demo.scenes import Masks, Scene
from safeaug.geometry import Window

BOXES = A.BboxParams("pascal_voc", label_fields=["labels"])


class Story(NamedTuple):
    """What one page is about.

    Parameters
    ----------
    name : str
        Of the script, its page and its sheet.
    title : str
        What happens, in a line.
    text : str
        Why, and what is to be seen.
    samples : callable
        Returns the pictures with their objects.
    pipelines : mapping of str to callable
        The pipeline, first as people write it, and then guarded; each by the name that its page has.
    policy : Policy
        By which draws are judged.
    max_damaged, max_emptied : float or None
        The share of draws that may be; None: any.
    protect : Subject
        What is followed.
    shown : str
        The picture of which draws stand on the sheet.
    """

    name: str
    title: str
    text: str
    samples: Callable[[], list[Sample]]
    pipelines: Mapping[str, Callable[[], A.Compose]]
    policy: Policy
    max_damaged: float | None
    max_emptied: float | None
    protect: Subject
    shown: str


def mirrored(scene: Scene) -> Scene:
    """Return a picture seen in a mirror."""
    width = scene.size[1]
    return scene._replace(
        name=f"{scene.name}, mirrored",
        image=np.ascontiguousarray(scene.image[:, ::-1]),
        boxes=[(width - x1, y0, width - x0, y1) for x0, y0, x1, y1 in scene.boxes],
        masks=None if scene.masks is None else Masks(np.ascontiguousarray(scene.masks.pixels[:, :, ::-1]), []),
    )


def part_of(scene: Scene, window: Window) -> Scene:
    """Return a part of a picture, with those of its objects that lie wholly in it."""
    x0, y0, x1, y1 = window
    inside = [i for i, box in enumerate(scene.boxes) if x0 <= box[0] and y0 <= box[1] and box[2] <= x1 and box[3] <= y1]
    masks = None if scene.masks is None else Masks(scene.masks.pixels[inside, y0:y1, x0:x1], [])
    return scene._replace(
        name=f"{scene.name} at {x0}, {y0}",
        image=np.ascontiguousarray(scene.image[y0:y1, x0:x1]),
        boxes=[(a - x0, b - y0, c - x0, d - y0) for a, b, c, d in map(scene.boxes.__getitem__, inside)],
        labels=[scene.labels[i] for i in inside],
        masks=masks,
    )


def as_given(sample: Sample) -> dict[str, object]:
    """Return a sample as a pipeline is called with it."""
    given = {"image": sample.image, "labels": list(sample.labels)}
    if sample.masks is not None:
        return {**given, "masks": list(sample.masks)}
    return {**given, "bboxes": sample.boxes.tolist()}
