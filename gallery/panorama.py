"""Ordinary pictures, and among them a panorama: of its draws nearly all lose the one thing that is in it."""

import albumentations as A
from story import BOXES, Story, mirrored

import safeaug as sa
from safeaug.data import Sample
from safeaug.demo.audited import sample_of
from safeaug.demo.scenes import scenes


def samples() -> list[Sample]:
    """Return the panorama and pictures of which a crop always holds something, and each once more in a mirror."""
    found = [scene for scene in scenes() if scene.name != "rocket"]
    return [sample_of(scene) for scene in [*found, *map(mirrored, found)]]


def train() -> A.Compose:
    """Return the crop that everybody trains with."""
    return A.Compose([A.RandomResizedCrop((224, 224), scale=(0.3, 1.0)), A.HorizontalFlip()], bbox_params=BOXES)


def guarded() -> A.Compose:
    """Return the same, guarded."""
    return sa.guard(train(), min_retention=0.5)


STORY = Story(
    name="panorama",
    title="A panorama among ordinary pictures",
    text="RandomResizedCrop draws the area and the shape of a crop, and falls back to the middle where these do "
    "not fit: on a strip of 2000 x 200 pixels they hardly ever do. The rocket stands at the end of the strip, "
    "so it is in no crop. No error tells of it; of the other pictures few draws are empty, and the mean over "
    "all hides the strip.",
    samples=samples,
    pipelines={"plain": train, "guarded": guarded},
    policy=sa.Policy(min_retention=0.5),
    max_damaged=None,
    max_emptied=0.05,
    protect="boxes",
    shown="panorama",
)
