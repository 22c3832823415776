"""One scene, many draws: the plain transform and the guarded one, draw by draw from the same seed."""

import math
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any, NamedTuple

import albumentations as A

from safeaug.content import Content
from safeaug.demo.draw import Draw, Pair
from safeaug.demo.scenes import Scene
from safeaug.demo.setting import Setting
from safeaug.geometry import Size, Window, size_of
from safeaug.measures import demand_of, measure, passes
from safeaug.objects import content_from
from safeaug.policy import Policy


class Trial(NamedTuple):
    """All draws on one scene.

    Parameters
    ----------
    scene : Scene
        The picture.
    pairs : list of Pair
        The draws, in order.
    statuses : dict of str to int
        How the guarded draws ended.
    """

    scene: Scene
    pairs: list[Pair]
    statuses: dict[str, int]

    @property
    def plain(self) -> list[Draw]:
        """Draws of the host's transform."""
        return [pair.plain for pair in self.pairs]

    @property
    def guarded(self) -> list[Draw]:
        """Draws of the guarded transform."""
        return [pair.guarded for pair in self.pairs]


def trial(
    scene: Scene,
    setting: Setting,
    windows: int,
    seed: int,
    shown: int = 0,
    advance: Callable[[], None] = lambda: None,
) -> Trial:
    """Draw from the plain and from the guarded transform, and measure what is left of the objects.

    Parameters
    ----------
    scene : Scene
        The picture to crop, or to scale.
    setting : Setting
        Gives the two transforms, and the policy by which both are judged.
    windows : int
        How many draws to make of each.
    seed : int
        Seed of both pipelines.
    shown : int, default 0
        Of how many draws that the guard left alone, and of how many that it changed, to hold the crops.
    advance : callable, optional
        Called after each pair of draws.

    Notes
    -----
    The two take turns in going first, so that neither always finds the picture in the processor's cache.
    """
    transform = setting.guarded()
    plain, guarded = _pipeline(setting.plain(), scene, seed), _pipeline(transform, scene, seed)
    targets, content = _targets(scene), _content(scene, setting.policy)
    pairs: list[Pair] = []
    held = {False: 0, True: 0}
    for number in range(windows):
        order = (plain, guarded) if number % 2 == 0 else (guarded, plain)
        draws = [_draw(pipeline, targets, content, setting.policy) for pipeline in order]
        pair = Pair(*draws) if number % 2 == 0 else Pair(*reversed(draws))
        held[pair.changed] += 1
        pairs.append(pair if held[pair.changed] <= shown else _bare(pair))
        advance()
    return Trial(scene, pairs, transform.report())


def _bare(pair: Pair) -> Pair:
    return Pair(*(draw._replace(crop=None) for draw in pair))


def _pipeline(transform: A.DualTransform, scene: Scene, seed: int) -> A.Compose:
    boxes = A.BboxParams("pascal_voc", label_fields=["labels"]) if scene.masks is None else None
    return A.Compose([transform], bbox_params=boxes, seed=seed, save_applied_params=True)


def _targets(scene: Scene) -> dict[str, Any]:
    """Return what the pipelines are called with: a picture with masks goes without its boxes."""
    if scene.masks is None:
        return {"image": scene.image, "bboxes": scene.boxes, "labels": scene.labels}
    return {"image": scene.image, "masks": scene.masks.pixels}


def _content(scene: Scene, policy: Policy) -> Content:
    if scene.masks is None:
        return content_from(scene.size, policy, boxes=scene.boxes)
    return content_from(scene.size, policy, masks=scene.masks.pixels)


def _draw(pipeline: A.Compose, targets: dict[str, Any], content: Content, policy: Policy) -> Draw:
    start = perf_counter_ns()
    sample = pipeline(**targets)
    micros = (perf_counter_ns() - start) / 1000
    image_size, output = targets["image"].shape[:2], sample["image"].shape[:2]
    window = _window(sample, image_size)
    size = size_of(window)
    measured = measure(content, policy, window)
    return Draw(
        window=window,
        size=output,
        area=math.prod(size) / math.prod(image_size),
        retention=measured.retention,
        pixels=measured.area * math.prod(output) / math.prod(size),
        kept=passes(demand_of(content, policy, size, output), window),
        micros=micros,
        crop=sample["image"],
    )


def _window(sample: dict[str, Any], image_size: Size) -> Window:
    """Return what was cut of the picture; where nothing was, all of it."""
    ((_, applied),) = sample["applied_transforms"]
    x0, y0, x1, y1 = map(int, applied.get("crop_coords", (0, 0, image_size[1], image_size[0])))
    return x0, y0, x1, y1
