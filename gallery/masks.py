"""Instance masks: judged by their pixels, not by what bounds them."""

import albumentations as A
from story import Story, mirrored, part_of

import safeaug as sa
from safeaug.data import Sample
from safeaug.demo.audited import sample_of
from safeaug.demo.masked import coins, horse
from safeaug.demo.scenes import Scene
from safeaug.geometry import Window

PARTS: tuple[Window, ...] = (
    (0, 0, 182, 149),
    (182, 0, 384, 149),
    (0, 149, 182, 225),
    (182, 149, 384, 225),
    (0, 225, 210, 303),
    (210, 225, 384, 303),
)
"""Parts of the picture of the coins whose borders run between them."""


def pictures() -> list[Scene]:
    """Return coins, three or six in a picture, and the silhouette of a horse, twice."""
    all_coins, one_horse = coins(), horse()
    return [*(part_of(all_coins, part) for part in PARTS), one_horse, mirrored(one_horse)]


def samples() -> list[Sample]:
    """Return them with their masks."""
    return [sample_of(scene) for scene in pictures()]


def train() -> A.Compose:
    """Return the crop that everybody trains with."""
    return A.Compose([A.RandomResizedCrop((224, 224), scale=(0.3, 1.0)), A.HorizontalFlip()])


def guarded() -> A.Compose:
    """Return the same, guarded: of each mask half is kept, if need be by a window of another shape than its own."""
    return sa.guard(train(), min_retention=0.5, protect="masks", on_fail="enlarge")


STORY = Story(
    name="masks",
    title="Instance masks",
    text="What bounds a horse is mostly air, so half of its box may hold all of the horse or next to nothing: "
    "masks are counted in their pixels. And nothing drops the mask of a coin that is gone: it stays, empty, "
    "with its label.",
    samples=samples,
    pipelines={"plain": train, "guarded": guarded},
    policy=sa.Policy(min_retention=0.5),
    max_damaged=0.05,
    max_emptied=0.05,
    protect="masks",
    shown="horse",
)
