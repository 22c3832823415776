"""What a guarded pipeline costs: the same pipeline, guarded and not, on the same draws of the host.

Run as ``python benchmarks/pipelines.py [--quick] [--json FILE]``. Needs albumentations 2.0.8. How a run is made and how
it is read stands in ``benchmarks/README.md``.
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
from masks import ellipse
from rich.progress import track

import safeaug
from safeaug.geometry import Size

WIDE = (640, 640)
"""Size of a usual image of detection."""

BOXES, MASKS = 5, 3
"""Objects of a scene: with boxes, or with masks, of which more would take the host itself too long."""

Protect = Literal["boxes", "masks"]


class Case(NamedTuple):
    """One case.

    Parameters
    ----------
    name : str
        A key of `PIPELINES`.
    side : int
        Of the output, in pixels.
    image : (int, int)
        Size of the images.
    protect : {"boxes", "masks"}
        What the samples hold besides the image, and the guard keeps.
    limit, goal : float or None
        What is promised of the ratio.
    """

    name: str
    side: int
    image: Size
    protect: Protect = "boxes"
    limit: float | None = None
    goal: float | None = None


def resized(side: int) -> Any:
    """Return a crop of a third of the image or more, resized."""
    return albumentations.RandomResizedCrop((side, side), scale=(0.3, 1.0))


def cut(side: int) -> Any:
    """Return a crop that resizes nothing."""
    return albumentations.RandomCrop(side, side)


def colours() -> list[Any]:
    """Return the usual steps that change no geometry."""
    return [
        albumentations.HueSaturationValue(p=0.5),
        albumentations.RandomBrightnessContrast(p=0.5),
    ]


def affine() -> Any:
    """Return the usual small affine map."""
    return albumentations.Affine(rotate=(-10, 10), scale=(0.8, 1.2), translate_percent=(-0.1, 0.1), p=0.5)


def detection(crop: Any, *more: Any) -> list[Any]:
    """Return a usual pipeline of detection: a crop, a flip, colours, what else there is, and normalised floats."""
    return [crop, albumentations.HorizontalFlip(p=0.5), *colours(), *more, albumentations.Normalize()]


PIPELINES: dict[str, Callable[[int], list[Any]]] = {
    "RandomCrop, Affine": lambda side: detection(cut(side), affine()),
    "RandomResizedCrop, Affine": lambda side: detection(resized(side), affine()),
    "small crops, Affine": lambda side: detection(albumentations.RandomResizedCrop((side, side)), affine()),
    "RandomCrop alone": lambda side: [cut(side), albumentations.HorizontalFlip(p=0.5), albumentations.Normalize()],
    "RandomResizedCrop, CoarseDropout": lambda side: detection(
        resized(side), albumentations.CoarseDropout((1, 8), (0.1, 0.2), (0.1, 0.2), p=0.5)
    ),
    "RandomResizedCrop, Perspective": lambda side: detection(
        resized(side), albumentations.Perspective((0.05, 0.1), p=0.5)
    ),
    "nothing to guard": lambda side: [albumentations.HorizontalFlip(p=0.5), *colours(), albumentations.Normalize()],
}


def cases() -> list[Case]:
    """Return all cases, with the limits and goals of the performance contract where it names the case."""
    return [
        Case("RandomCrop, Affine", 512, WIDE, limit=1.15, goal=1.10),
        Case("RandomResizedCrop, Affine", 512, WIDE, limit=1.15, goal=1.10),
        Case("RandomResizedCrop, Affine", 224, WIDE, limit=1.35, goal=1.10),
        Case("RandomResizedCrop, Affine", 224, SMALL, limit=1.35, goal=1.10),
        Case("small crops, Affine", 224, WIDE),
        Case("RandomCrop alone", 256, SMALL),
        Case("RandomResizedCrop, CoarseDropout", 512, WIDE),
        Case("RandomResizedCrop, CoarseDropout", 224, WIDE),
        Case("RandomResizedCrop, Perspective", 512, WIDE),
        Case("RandomResizedCrop, Perspective", 224, WIDE),
        Case("nothing to guard", 640, WIDE),
        Case("RandomResizedCrop, Affine", 384, SMALL, "masks"),
        Case("RandomResizedCrop, Affine", 224, SMALL, "masks"),
    ]


def scenes(case: Case, seed: int) -> list[dict[str, Any]]:
    """Return the pool of a case: textured images, and boxes of log-uniform sides, or ellipses that fill such boxes."""
    rng = np.random.default_rng(seed)
    images = [texture(case.image, rng) for _ in range(IMAGES)]
    return [{"image": images[i % IMAGES], **objects(case, rng)} for i in range(POOL)]


def objects(case: Case, rng: np.random.Generator) -> dict[str, Any]:
    """Return the objects of a scene, as the host takes them."""
    if case.protect == "masks":
        return {"masks": [ellipse(box) for box in random_boxes(case.image, MASKS, rng)]}
    return {"bboxes": random_boxes(case.image, BOXES, rng), "labels": list(range(BOXES))}


def plain(case: Case, seed: int) -> Any:
    """Return the host's pipeline."""
    has_boxes = case.protect == "boxes"
    bbox_params = albumentations.BboxParams("pascal_voc", label_fields=["labels"]) if has_boxes else None
    return albumentations.Compose(PIPELINES[case.name](case.side), bbox_params=bbox_params, seed=seed)


def guarded(case: Case, seed: int) -> Any:
    """Return the pipeline that keeps half of every object, and otherwise makes the draws of the plain one."""
    return safeaug.guard(plain(case, seed), min_retention=0.5, protect=case.protect, repair_randomness=False)


def caller(pipeline: Any, pool: list[dict[str, Any]]) -> Callable[[int], Any]:
    """Return the function that is timed: a pipeline on the scene of a call."""

    def call(index: int) -> Any:
        return pipeline(**pool[index % len(pool)])

    return call


def run_case(case: Case, *, rounds: int, calls: int, warmup: int, seed: int) -> common.Row:
    """Measure one case."""
    pool, safe = scenes(case, seed), guarded(case, seed)
    contenders = {"plain": caller(plain(case, seed), pool), "guarded": caller(safe, pool)}
    measured = common.measure(contenders, rounds=rounds, calls=calls, warmup=warmup)
    draws = (warmup + rounds) * calls
    height, width = case.image
    return common.row(
        measured,
        claims(case),
        case={"pipeline": case.name, "side": case.side, "image": f"{width}x{height}", "keeps": case.protect},
        observed={name: round(count / draws, 3) for name, count in safe.report()["pipeline"].items()},
    )


def claims(case: Case) -> list[common.Claim]:
    """Return what a case compares: what a user pays, relative to the host's time, and in microseconds."""
    return [
        common.Claim("guarded", "plain", limit=case.limit, goal=case.goal),
        common.Claim("guarded", "plain", "difference"),
    ]


def main(
    quick: Annotated[
        bool, typer.Option(help="A fourth of the rounds, of half the calls: to see that all works.")
    ] = False,
    rounds: Annotated[int, typer.Option(help="Timed rounds; a multiple of 4, so that both contenders rotate.")] = 40,
    calls: Annotated[int, typer.Option(help="Calls of each contender in a round.")] = 32,
    seed: Annotated[int, typer.Option(help="Seed of the scenes and of the pipelines.")] = 0,
    json: Annotated[Path | None, typer.Option(help="File to write the run to.")] = None,
) -> None:
    """Time guarded pipelines against plain ones, and print the table."""
    if quick:
        rounds, calls = 12, 16
    cv2.setNumThreads(1)  # both sides on one core: what a loader worker has
    logging.getLogger("safeaug").setLevel(logging.ERROR)  # some cases are UNMET on purpose; the table says so
    warmup = 2
    about = common.describe(
        "pipelines", seed=seed, arguments={"rounds": rounds, "calls": calls, "warmup": warmup, "pool": POOL}
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
