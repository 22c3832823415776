"""What it costs to protect instance masks: the guarded crop against the host's own, in the host's own pipeline.

Run as ``python benchmarks/masks.py [--quick] [--json FILE]``. Needs albumentations 2.0.8. How a run is made and how it
is read stands in ``benchmarks/README.md``.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import albumentations
import common
import cv2
import numpy as np
import typer
from drop_in import IMAGES, POOL, SMALL, random_boxes, texture
from numpy.typing import NDArray
from rich.progress import track

from safeaug import albumentations as drop_ins

Crop = Literal["RandomResizedCrop", "RandomCrop"]

RESIZED, CUT = (224, 224), (256, 256)
"""Sizes of what the two crops hand on."""


class Case(NamedTuple):
    """One case: which crop, how many instance masks, and whether the sample has their boxes and labels as well."""

    crop: Crop
    masks: int
    boxes: bool
    limit: float | None = None


class Scene(NamedTuple):
    """What one call gets."""

    image: NDArray[np.uint8]
    masks: list[NDArray[np.uint8]]
    boxes: NDArray[np.float32]
    labels: list[int]


def cases() -> list[Case]:
    """Return all cases; the limit is the performance contract's for one instance mask on 512 × 512."""
    crops: tuple[Crop, ...] = "RandomResizedCrop", "RandomCrop"
    return [
        Case(crop, masks, boxes, 1.5 if crop == "RandomResizedCrop" and masks == 1 else None)
        for crop in crops
        for masks in (1, 3)
        for boxes in (False, True)
    ]


def scenes(count: int, seed: int) -> list[Scene]:
    """Return the pool of a case: textured images, and ellipses that fill boxes of log-uniform sides."""
    rng = np.random.default_rng(seed)
    images = [texture(SMALL, rng) for _ in range(IMAGES)]
    pool = []
    for i in range(POOL):
        boxes = random_boxes(SMALL, count, rng)
        pool.append(Scene(images[i % IMAGES], [ellipse(box) for box in boxes], boxes, list(range(count))))
    return pool


def ellipse(box: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return the mask, of the image's size, of the ellipse that fills a box."""
    mask = np.zeros(SMALL, np.uint8)
    centre, axes = (box[:2] + box[2:]) / 2, (box[2:] - box[:2]) / 2
    cv2.ellipse(mask, centre.astype(int).tolist(), axes.astype(int).tolist(), 0, 0, 360, 1, cv2.FILLED)
    return mask


def crops(case: Case) -> dict[str, Any]:
    """Return the contenders' transforms."""
    if case.crop == "RandomResizedCrop":
        return {
            "plain": albumentations.RandomResizedCrop(RESIZED),
            "guarded": drop_ins.RandomResizedCrop(RESIZED, protect="masks"),
        }
    return {
        "plain": albumentations.RandomCrop(*CUT),
        "guarded": drop_ins.RandomCrop(*CUT, protect="masks"),
        "non_empty": albumentations.CropNonEmptyMaskIfExists(*CUT),
        "guarded_non_empty": drop_ins.CropNonEmptyMaskIfExists(*CUT, protect="masks"),
    }


def caller(transform: Any, case: Case, pool: list[Scene], seed: int) -> Callable[[int], Any]:
    """Return the function that is timed: a pipeline of this transform on the scene of a call."""
    bbox_params = albumentations.BboxParams("pascal_voc", label_fields=["labels"]) if case.boxes else None
    pipeline = albumentations.Compose([transform], bbox_params=bbox_params, seed=seed)

    def call(index: int) -> Any:
        scene = pool[index % len(pool)]
        if case.boxes:
            return pipeline(image=scene.image, masks=scene.masks, bboxes=scene.boxes, labels=scene.labels)
        return pipeline(image=scene.image, masks=scene.masks)

    return call


def run_case(case: Case, *, rounds: int, calls: int, warmup: int, seed: int) -> common.Row:
    """Measure one case."""
    pool = scenes(case.masks, seed)
    transforms = crops(case)
    contenders = {name: caller(each, case, pool, seed) for name, each in transforms.items()}
    measured = common.measure(contenders, rounds=rounds, calls=calls, warmup=warmup)
    draws = (warmup + rounds) * calls
    width, height = SMALL[1], SMALL[0]
    return common.row(
        measured,
        claims(case),
        case={
            "crop": case.crop,
            "image": f"{width}x{height}",
            "masks": case.masks,
            "boxes": "too" if case.boxes else "none",
        },
        observed={name: round(count / draws, 3) for name, count in transforms["guarded"].report().items()},
    )


def claims(case: Case) -> list[common.Claim]:
    """Return what a case compares: with the plain crop, and with the host's own crop that looks at masks."""
    found = [common.Claim("guarded", "plain", limit=case.limit)]
    if case.crop == "RandomCrop":
        found += [
            common.Claim("guarded", "non_empty", limit=1.0 if case.masks == 1 else None),
            common.Claim("guarded_non_empty", "non_empty"),
        ]
    return found


def main(
    quick: Annotated[
        bool, typer.Option(help="A fourth of the rounds, of half the calls: to see that all works.")
    ] = False,
    rounds: Annotated[int, typer.Option(help="Timed rounds; a multiple of 4, so that all contenders rotate.")] = 60,
    calls: Annotated[int, typer.Option(help="Calls of each contender in a round.")] = 32,
    seed: Annotated[int, typer.Option(help="Seed of the scenes and of the pipelines.")] = 0,
    json: Annotated[Path | None, typer.Option(help="File to write the run to.")] = None,
) -> None:
    """Time crops that protect instance masks against the host's, and print the table."""
    if quick:
        rounds, calls = 16, 16
    cv2.setNumThreads(1)  # both sides on one core: what a loader worker has
    logging.getLogger("safeaug").setLevel(logging.ERROR)  # three masks cannot always be kept; the table says so
    warmup = 4
    about = common.describe(
        "masks", seed=seed, arguments={"rounds": rounds, "calls": calls, "warmup": warmup, "pool": POOL}
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
