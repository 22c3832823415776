"""What a drop-in crop costs: the guarded transform against the host's own, in the host's own pipeline.

Run as ``python benchmarks/drop_in.py [--quick] [--json FILE]``. Needs albumentations 2.0.8. How a run is made and how
it is read stands in ``benchmarks/README.md``.
"""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import albumentations
import common
import cv2
import numpy as np
import typer
from numpy.typing import NDArray
from rich.progress import track

from safeaug import albumentations as drop_ins
from safeaug.geometry import Size, Window

POOL = 256
"""Scenes of a case: call number i gets scene i modulo this."""

IMAGES = 8
"""Images that the scenes of a case share: one for each scene would not fit into memory at 1920 × 1080."""

SIDES = (24.0, 256.0)
"""Bounds of a box's sides in pixels; their logarithms are uniform."""

BOXES = (1, 3, 8, 100)
"""How many boxes a scene holds."""

SMALL, LARGE = (512, 512), (1080, 1920)
"""Sizes of the images, height first."""

Crop = Literal["RandomResizedCrop", "RandomCrop"]


class Case(NamedTuple):
    """One case: which crop, to which side, of which image, with how many boxes, and what is promised of the ratio."""

    crop: Crop
    side: int
    image: Size
    boxes: int
    limit: float | None = None
    goal: float | None = None


class Scene(NamedTuple):
    """What one call gets."""

    image: NDArray[np.uint8]
    boxes: NDArray[np.float32]
    labels: list[int]


class Recorded(NamedTuple):
    """What a guarded pass did: the window of each call, in order, and how many calls ended in which status."""

    windows: list[Window]
    statuses: dict[str, int]


def cases() -> list[Case]:
    """Return all cases, with the limits and goals of the performance contract where it names the case."""
    promised = {
        ("RandomResizedCrop", SMALL, 3): (1.10, 1.04),
        ("RandomCrop", SMALL, 3): (2.0, 1.4),
        ("RandomCrop", LARGE, 3): (3.0, 1.4),
    }
    sides: tuple[tuple[Crop, Size, int], ...] = (
        ("RandomResizedCrop", SMALL, 224),
        ("RandomResizedCrop", LARGE, 224),
        ("RandomCrop", SMALL, 256),
        ("RandomCrop", LARGE, 512),
    )
    return [
        Case(crop, side, image, boxes, *promised.get((crop, image, boxes), (None, None)))
        for crop, image, side in sides
        for boxes in BOXES
    ]


def scenes(image_size: Size, boxes: int, seed: int) -> list[Scene]:
    """Return the pool of a case: textured images, and boxes of log-uniform sides, uniformly placed."""
    rng = np.random.default_rng(seed)
    images = [texture(image_size, rng) for _ in range(IMAGES)]
    labels = list(range(boxes))
    return [Scene(images[i % IMAGES], random_boxes(image_size, boxes, rng), labels) for i in range(POOL)]


def texture(image_size: Size, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return an image of smoothed noise that uses the whole range."""
    noise = cv2.GaussianBlur(rng.standard_normal((*image_size, 3), dtype=np.float32), (0, 0), sigmaX=3)
    image: NDArray[np.uint8] = cv2.normalize(noise, None, 0, 255, cv2.NORM_MINMAX).astype(np.uint8)
    return image


def random_boxes(image_size: Size, count: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return boxes ``(x0, y0, x1, y1)`` that lie in the image."""
    shortest, longest = SIDES
    sides = shortest * (longest / shortest) ** rng.random((count, 2))
    corner = rng.random((count, 2)) * (np.array(image_size[::-1]) - sides)
    return np.concatenate([corner, corner + sides], axis=1).astype(np.float32)


class _Replay(albumentations.DualTransform):  # type: ignore[misc]  # the host ships no types
    """Draws as the host does, which takes the host's time, and then uses the next of the windows it was given."""

    windows: Iterator[Window]

    def get_params_dependent_on_data(self, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        drawn: dict[str, Any] = super().get_params_dependent_on_data(params, data)
        drawn["crop_coords"] = next(self.windows)
        return drawn


class _ReplayedRandomResizedCrop(_Replay, albumentations.RandomResizedCrop):  # type: ignore[misc]  # as above
    pass


class _ReplayedRandomCrop(_Replay, albumentations.RandomCrop):  # type: ignore[misc]  # as above
    pass


def plain(case: Case) -> Any:
    """Return the host's crop."""
    size = case.side, case.side
    return (
        albumentations.RandomResizedCrop(size) if case.crop == "RandomResizedCrop" else albumentations.RandomCrop(*size)
    )


def guarded(case: Case) -> Any:
    """Return safeaug's crop: half of every object."""
    size = case.side, case.side
    if case.crop == "RandomResizedCrop":
        return drop_ins.RandomResizedCrop(size, min_retention=0.5)
    return drop_ins.RandomCrop(*size, min_retention=0.5)


def replayed(case: Case, windows: list[Window]) -> Any:
    """Return the host's crop, made to take the given windows, one a call."""
    size = case.side, case.side
    crop = _ReplayedRandomResizedCrop(size) if case.crop == "RandomResizedCrop" else _ReplayedRandomCrop(*size)
    crop.windows = iter(windows)
    return crop


def rivals(case: Case) -> dict[str, list[Any]]:
    """Return the host's own ways to keep boxes while resizing; it has none for a crop of a fixed size."""
    if case.crop != "RandomResizedCrop":
        return {}
    return {
        "bbox_safe": [albumentations.BBoxSafeRandomCrop(), albumentations.Resize(case.side, case.side)],
        "bbox_safe_sized": [albumentations.RandomSizedBBoxSafeCrop(case.side, case.side)],
    }


def caller(transforms: list[Any], pool: list[Scene], seed: int) -> Callable[[int], Any]:
    """Return the function that is timed: a pipeline of these transforms on the scene of a call."""
    pipeline = albumentations.Compose(
        transforms, bbox_params=albumentations.BboxParams("pascal_voc", label_fields=["labels"]), seed=seed
    )

    def call(index: int) -> Any:
        scene = pool[index % len(pool)]
        return pipeline(image=scene.image, bboxes=scene.boxes, labels=scene.labels)

    return call


def record(case: Case, pool: list[Scene], count: int, seed: int) -> Recorded:
    """Return what a guarded crop does in its first calls.

    A guarded draw depends on the host's stream, the number of calls before it, and the scene. So a second crop of the
    same seed, called with the same numbers in the same order, takes the same windows.
    """
    crop = guarded(case)
    call = caller([crop], pool, seed)
    windows = []
    for index in range(count):
        call(index)
        windows.append(crop.get_applied_params()["crop_coords"])
    return Recorded(windows, crop.report())


def run_case(case: Case, *, rounds: int, calls: int, warmup: int, seed: int) -> common.Row:
    """Measure one case."""
    pool = scenes(case.image, case.boxes, seed)
    recorded = record(case, pool, (warmup + rounds) * calls, seed)
    crop = guarded(case)
    contenders = {
        "plain": caller([plain(case)], pool, seed),
        "guarded": caller([crop], pool, seed),
        "same_windows": caller([replayed(case, recorded.windows)], pool, seed),
        **{name: caller(transforms, pool, seed) for name, transforms in rivals(case).items()},
    }
    measured = common.measure(contenders, rounds=rounds, calls=calls, warmup=warmup)
    if crop.report() != recorded.statuses:
        raise RuntimeError(f"{case}: the measured draws ended in {crop.report()}, the recorded in {recorded.statuses}")
    height, width = case.image
    return common.row(
        measured,
        claims(case),
        case={"crop": case.crop, "side": case.side, "image": f"{width}x{height}", "boxes": case.boxes},
        observed={name: round(count / len(recorded.windows), 3) for name, count in recorded.statuses.items()},
    )


def claims(case: Case) -> list[common.Claim]:
    """Return what a case compares.

    Against the plain crop is what a user pays. Against the same windows is the guard's own work alone; what those
    windows themselves cost the host, which has more to resize and more boxes to convert, no guard could save.
    """
    return [
        common.Claim("guarded", "plain", limit=case.limit, goal=case.goal),
        common.Claim("guarded", "same_windows"),
        common.Claim("same_windows", "plain"),
        *(common.Claim("guarded", rival, limit=1.0 if case.limit else None) for rival in rivals(case)),
    ]


def main(
    quick: Annotated[
        bool, typer.Option(help="A fourth of the rounds, of half the calls: to see that all works.")
    ] = False,
    rounds: Annotated[int, typer.Option(help="Timed rounds; a multiple of 15, so that all contenders rotate.")] = 60,
    calls: Annotated[int, typer.Option(help="Calls of each contender in a round.")] = 32,
    seed: Annotated[int, typer.Option(help="Seed of the scenes and of the pipelines.")] = 0,
    json: Annotated[Path | None, typer.Option(help="File to write the run to.")] = None,
) -> None:
    """Time guarded crops against the host's, and print the table."""
    if quick:
        rounds, calls = 15, 16
    cv2.setNumThreads(1)  # both sides on one core: what a loader worker has
    # Half of these cases cannot keep what they ask for, on purpose; the warning that says so would be one per case.
    logging.getLogger("safeaug").setLevel(logging.ERROR)
    warmup = 2
    about = common.describe(
        "drop_in", seed=seed, arguments={"rounds": rounds, "calls": calls, "warmup": warmup, "pool": POOL}
    )
    rows = [
        run_case(case, rounds=rounds, calls=calls, warmup=warmup, seed=seed)
        for case in track(cases(), description="cases", transient=True)
    ]
    run = common.Run(metadata=about, rows=tuple(rows))
    common.show(run)
    if json is not None:
        common.write(json, run)


if __name__ == "__main__":
    typer.run(main)
