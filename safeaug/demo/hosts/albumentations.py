"""The demonstrations with transforms of albumentations."""

from collections.abc import Callable
from functools import partial
from time import perf_counter_ns
from typing import Any

import albumentations as A

from safeaug.albumentations import RandomResizedCrop, RandomScale
from safeaug.demo.made import FLOOR, LARGE, LIMIT, OUTPUT, SCALE, Made, Shot
from safeaug.demo.scenes import Scene
from safeaug.demo.settings import settings
from safeaug.geometry import Size, Window
from safeaug.policy import Policy

SHRINK = (-0.9, 0.0)
"""What is added to a scale of 1: pictures are made up to ten times smaller."""

TIMES = """µs a draw: median of the whole call. A plain draw that loses its objects is
quicker, as no box is left to hand back."""


def calling(transform: A.DualTransform, scene: Scene, seed: int) -> Callable[[], Shot]:
    """Return what calls a transform on a picture, in a pipeline of its own: see `safeaug.demo.made.Calling`."""
    boxes = A.BboxParams("pascal_voc", label_fields=["labels"]) if scene.masks is None else None
    pipeline = A.Compose([transform], bbox_params=boxes, seed=seed, save_applied_params=True)
    targets = _targets(scene)

    def shoot() -> Shot:
        start = perf_counter_ns()
        sample = pipeline(**targets)
        micros = (perf_counter_ns() - start) / 1000
        return Shot(sample["image"], _window(sample, scene.size), micros)

    return shoot


def _targets(scene: Scene) -> dict[str, Any]:
    """Return what the pipeline is called with: a picture with masks goes without its boxes."""
    if scene.masks is None:
        return {"image": scene.image, "bboxes": scene.boxes, "labels": scene.labels}
    return {"image": scene.image, "masks": scene.masks.pixels}


def _window(sample: dict[str, Any], image_size: Size) -> Window:
    """Return what was cut of the picture; where nothing was, all of it."""
    ((_, applied),) = sample["applied_transforms"]
    x0, y0, x1, y1 = map(int, applied.get("crop_coords", (0, 0, image_size[1], image_size[0])))
    return x0, y0, x1, y1


SETTINGS = settings(
    calling,
    boxes=Made(
        plain=partial(A.RandomResizedCrop, OUTPUT, scale=SCALE),
        guarded=partial(RandomResizedCrop, OUTPUT, scale=SCALE, min_retention=LIMIT),
        said=f"RandomResizedCrop({OUTPUT}, scale={SCALE}) of albumentations",
        hint=(
            "A.RandomResizedCrop((224, 224))",
            "safeaug.albumentations.RandomResizedCrop((224, 224), min_retention=0.5)",
        ),
        times=TIMES,
    ),
    masks=Made(
        plain=partial(A.RandomResizedCrop, OUTPUT, scale=SCALE),
        guarded=partial(RandomResizedCrop, OUTPUT, scale=SCALE, min_retention=LIMIT, keep="whole", protect="masks"),
        said=f"RandomResizedCrop({OUTPUT}, scale={SCALE}) of albumentations",
        hint=(
            "A.RandomResizedCrop((224, 224))",
            'safeaug.albumentations.RandomResizedCrop((224, 224), keep="whole", protect="masks")',
        ),
    ),
    small=Made(
        plain=partial(A.RandomResizedCrop, LARGE, scale=SCALE),
        guarded=partial(RandomResizedCrop, LARGE, scale=SCALE, policy=Policy.small_objects()),
        said=f"RandomResizedCrop({LARGE}, scale={SCALE}) of albumentations",
        hint=(
            "A.RandomResizedCrop((512, 512))",
            "safeaug.albumentations.RandomResizedCrop((512, 512), policy=safeaug.Policy.small_objects())",
        ),
        times=TIMES,
    ),
    resize=Made(
        plain=partial(A.RandomScale, SHRINK, p=1),
        guarded=partial(RandomScale, SHRINK, p=1, min_visible_pixels=FLOOR),
        said=f"RandomScale({SHRINK}, p=1) of albumentations",
        hint=(
            "A.RandomScale((-0.9, 0), p=1)",
            "safeaug.albumentations.RandomScale((-0.9, 0), p=1, min_visible_pixels=64)",
        ),
    ),
)
