"""One scene, many windows: the plain crop and the guarded one, draw by draw from the same seed."""

from collections.abc import Callable
from time import perf_counter_ns
from typing import Any, NamedTuple

import albumentations as A
import numpy as np
from numpy.typing import NDArray

from safeaug.albumentations import RandomResizedCrop
from safeaug.content import Content, content_of
from safeaug.demo.scenes import Scene
from safeaug.geometry import Size, Window, size_of
from safeaug.measures import demand_of, measure, passes
from safeaug.policy import Policy

OUTPUT: Size = (224, 224)
"""Height and width of what the network would see."""

SCALE = (0.08, 1.0)
"""Share of the image that a window covers: what training on ImageNet uses, and the host's default."""

LIMIT = 0.5
"""Share of every object that the guarded crop promises."""


class Draw(NamedTuple):
    """One window and what it holds.

    Parameters
    ----------
    window : (x0, y0, x1, y1)
        Where the crop was cut, in the image frame.
    retention : ndarray of shape (N,)
        Share of each object inside.
    kept : bool
        Whether no object is left with less than the limit.
    micros : float
        What the whole call took, in microseconds.
    crop : ndarray of shape (224, 224, 3), uint8, or None
        The crop as it would be trained on; held for a few draws only.
    """

    window: Window
    retention: NDArray[np.float64]
    kept: bool
    micros: float
    crop: NDArray[np.uint8] | None


class Pair(NamedTuple):
    """The same draw of the host, without the guard and with it."""

    plain: Draw
    guarded: Draw

    @property
    def changed(self) -> bool:
        """Whether the guard took another window than the host drew."""
        return self.plain.window != self.guarded.window


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
        """Draws of the host's crop."""
        return [pair.plain for pair in self.pairs]

    @property
    def guarded(self) -> list[Draw]:
        """Draws of the guarded crop."""
        return [pair.guarded for pair in self.pairs]


def trial(scene: Scene, windows: int, seed: int, shown: int = 0, advance: Callable[[], None] = lambda: None) -> Trial:
    """Draw windows from the plain and from the guarded crop, and measure what they hold.

    Parameters
    ----------
    scene : Scene
        The picture to crop.
    windows : int
        How many windows to draw from each.
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
    crop = RandomResizedCrop(OUTPUT, scale=SCALE, min_retention=LIMIT)
    plain, guarded = _pipeline(A.RandomResizedCrop(OUTPUT, scale=SCALE), seed), _pipeline(crop, seed)
    policy = Policy(min_retention=LIMIT)
    content = content_of(scene.boxes, scene.size, policy)
    pairs: list[Pair] = []
    held = {False: 0, True: 0}
    for number in range(windows):
        order = (plain, guarded) if number % 2 == 0 else (guarded, plain)
        draws = [_draw(pipeline, scene, content, policy) for pipeline in order]
        pair = Pair(*draws) if number % 2 == 0 else Pair(*reversed(draws))
        held[pair.changed] += 1
        pairs.append(pair if held[pair.changed] <= shown else _bare(pair))
        advance()
    return Trial(scene, pairs, crop.report())


def _bare(pair: Pair) -> Pair:
    return Pair(*(draw._replace(crop=None) for draw in pair))


def _pipeline(crop: A.DualTransform, seed: int) -> A.Compose:
    boxes = A.BboxParams("pascal_voc", label_fields=["labels"])
    return A.Compose([crop], bbox_params=boxes, seed=seed, save_applied_params=True)


def _draw(pipeline: A.Compose, scene: Scene, content: Content, policy: Policy) -> Draw:
    start = perf_counter_ns()
    sample = pipeline(image=scene.image, bboxes=scene.boxes, labels=scene.labels)
    micros = (perf_counter_ns() - start) / 1000
    window = _window(sample)
    retention = measure(content, policy, window).retention
    kept = passes(demand_of(content, policy, size_of(window), OUTPUT), window)
    return Draw(window, retention, kept, micros, sample["image"])


def _window(sample: dict[str, Any]) -> Window:
    ((_, applied),) = sample["applied_transforms"]
    x0, y0, x1, y1 = map(int, applied["crop_coords"])
    return x0, y0, x1, y1
