"""Objects of a few pixels: a crop cuts them, or shows them in too few pixels to be learned."""

import albumentations as A
from story import BOXES, Story, mirrored

import safeaug as sa
from safeaug.data import Sample
from safeaug.demo.audited import sample_of
from safeaug.demo.small import small


def samples() -> list[Sample]:
    """Return a part of the sky, the details of a portrait, and both once more in a mirror."""
    found = small()
    return [sample_of(scene) for scene in [*found, *map(mirrored, found)]]


def train() -> A.Compose:
    """Return a crop to a large output, as one uses it for small objects."""
    return A.Compose([A.RandomResizedCrop((512, 512)), A.HorizontalFlip()], bbox_params=BOXES)


def guarded() -> A.Compose:
    """Return the same, guarded as small objects need it: 0.7 of each, and 64 pixels of the output."""
    return sa.guard(train(), sa.Policy.small_objects())


STORY = Story(
    name="small_objects",
    title="Small objects",
    text="A crop of a tenth of the picture holds a few of eight small sources at best, and cuts another one in "
    "two. A crop of the whole shows each in so few pixels that nothing can be learned from it. The guard "
    "keeps 0.7 of each, in at least 64 pixels, and takes another size where it must.",
    samples=samples,
    pipelines={"plain": train, "guarded": guarded},
    policy=sa.Policy(min_retention=0.7),
    max_damaged=0.05,
    max_emptied=0.05,
    protect="boxes",
    shown="hubble",
)
