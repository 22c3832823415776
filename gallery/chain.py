"""A chain of crops: each step leaves half, and all of them together an eighth."""

import albumentations as A
from story import BOXES, Story, mirrored

import safeaug as sa
from safeaug.data import Sample
from safeaug.demo.audited import sample_of
from safeaug.demo.scenes import scenes


def samples() -> list[Sample]:
    """Return the pictures, without the panorama, and each once more in a mirror."""
    found = scenes()[1:]
    return [sample_of(scene) for scene in [*found, *map(mirrored, found)]]


def train() -> A.Compose:
    """Return a pipeline of several steps, none of which looks harmful."""
    return A.Compose(
        [
            A.RandomResizedCrop((320, 320), scale=(0.5, 1.0)),
            A.Affine(rotate=(-15, 15), translate_percent=(-0.1, 0.1)),
            A.RandomCrop(256, 256),
            A.HorizontalFlip(),
        ],
        bbox_params=BOXES,
    )


def step_by_step() -> A.Compose:
    """Return the same, with the two crops guarded one by one: each keeps half of what reaches it."""
    first, affine, second, flip = train().transforms
    guards = [sa.albumentations.Safe(crop, min_retention=0.5) for crop in (first, second)]
    return A.Compose([guards[0], affine, guards[1], flip], bbox_params=BOXES)


def guarded() -> A.Compose:
    """Return the same, guarded as a whole."""
    return sa.guard(train(), min_retention=0.5)


STORY = Story(
    name="chain",
    title="A chain of crops",
    text="Each step may leave half of an object, which sounds like enough; one after the other they leave an "
    "eighth. To guard the crops one by one hardly helps, as each looks at what has reached it. Guarded as a "
    "whole, a pipeline keeps half of the object as it came in.",
    samples=samples,
    pipelines={"plain": train, "step by step": step_by_step, "guarded": guarded},
    policy=sa.Policy(min_retention=0.5),
    max_damaged=0.05,
    max_emptied=0.05,
    protect="boxes",
    shown="camera",
)
