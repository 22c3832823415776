"""The demonstrations with transforms of torchvision, on tensors."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import perf_counter_ns
from typing import Any

import torch
from torchvision import tv_tensors
from torchvision.transforms import v2

from safeaug.demo.made import FLOOR, LARGE, LIMIT, OUTPUT, SCALE, Made, Shot
from safeaug.demo.scenes import Scene
from safeaug.demo.settings import settings
from safeaug.geometry import Size, Window, window_at
from safeaug.policy import Policy
from safeaug.torchvision import RandomResizedCrop, ScaleJitter

TIMES = "µs a draw: median of the whole call, on one thread."

LOST = f"{TIMES}\nA box that is lost comes back with its label, and without area."


def calling(transform: Any, scene: Scene, seed: int) -> Callable[[], Shot]:
    """Return what calls a transform on a picture: see `safeaug.demo.made.Calling`.

    The host draws from torch's global generator. Each draw gets a seed of its own there, and the generator is left as
    it was. What the host draws is noted on its way from its sampler, since the host tells nobody. A call has one
    thread, as in a loader's worker: torch's threads wait for each other, so where another process takes a core, times
    would be that process's.
    """
    seeds, sample = random.Random(seed), _sample(scene)
    sampler, drawn = transform.make_params, {}

    def noted(leaves: list[Any]) -> dict[str, Any]:
        drawn.update(sampler(leaves))
        return dict(drawn)

    transform.make_params = noted

    def shoot() -> Shot:
        drawn.clear()
        with torch.random.fork_rng(devices=[]), _one_thread():
            torch.default_generator.manual_seed(seeds.getrandbits(63))
            start = perf_counter_ns()
            out = transform(sample)
            micros = (perf_counter_ns() - start) / 1000
        return Shot(out["image"].permute(1, 2, 0).numpy(), _window(drawn, scene.size), micros)

    return shoot


@contextmanager
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _sample(scene: Scene) -> dict[str, Any]:
    """Return what a transform is called with: a picture with masks goes without its boxes."""
    image = tv_tensors.Image(torch.from_numpy(scene.image.copy()).permute(2, 0, 1).contiguous())
    if scene.masks is not None:
        return {"image": image, "masks": tv_tensors.Mask(torch.from_numpy(scene.masks.pixels))}
    boxes = tv_tensors.BoundingBoxes(torch.tensor(scene.boxes), format="XYXY", canvas_size=scene.size)
    return {"image": image, "boxes": boxes, "labels": scene.labels}


def _window(drawn: dict[str, Any], image_size: Size) -> Window:
    """Return what was cut of the picture; where nothing was, all of it."""
    if "top" not in drawn:
        return 0, 0, image_size[1], image_size[0]
    return window_at(int(drawn["left"]), int(drawn["top"]), (int(drawn["height"]), int(drawn["width"])))


SETTINGS = settings(
    calling,
    boxes=Made(
        plain=partial(v2.RandomResizedCrop, OUTPUT, scale=SCALE),
        guarded=partial(RandomResizedCrop, OUTPUT, scale=SCALE, min_retention=LIMIT),
        said=f"v2.RandomResizedCrop({OUTPUT}, scale={SCALE}) of torchvision",
        hint=("v2.RandomResizedCrop(224)", "safeaug.torchvision.RandomResizedCrop(224, min_retention=0.5)"),
        times=LOST,
    ),
    masks=Made(
        plain=partial(v2.RandomResizedCrop, OUTPUT, scale=SCALE),
        guarded=partial(RandomResizedCrop, OUTPUT, scale=SCALE, min_retention=LIMIT, keep="whole", protect="masks"),
        said=f"v2.RandomResizedCrop({OUTPUT}, scale={SCALE}) of torchvision",
        hint=(
            "v2.RandomResizedCrop(224)",
            'safeaug.torchvision.RandomResizedCrop(224, keep="whole", protect="masks")',
        ),
        times=TIMES,
    ),
    small=Made(
        plain=partial(v2.RandomResizedCrop, LARGE, scale=SCALE),
        guarded=partial(RandomResizedCrop, LARGE, scale=SCALE, policy=Policy.small_objects()),
        said=f"v2.RandomResizedCrop({LARGE}, scale={SCALE}) of torchvision",
        hint=(
            "v2.RandomResizedCrop(512)",
            "safeaug.torchvision.RandomResizedCrop(512, policy=safeaug.Policy.small_objects())",
        ),
        times=LOST,
    ),
    resize=Made(
        plain=partial(v2.ScaleJitter, LARGE),
        guarded=partial(ScaleJitter, LARGE, min_visible_pixels=FLOOR),
        said=f"v2.ScaleJitter({LARGE}) of torchvision",
        hint=("v2.ScaleJitter((512, 512))", "safeaug.torchvision.ScaleJitter((512, 512), min_visible_pixels=64)"),
        times=TIMES,
    ),
)
