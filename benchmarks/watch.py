"""What watching costs: the same pipeline, watched and not, on the same draws; values looked at by default, and always.

Run as ``python benchmarks/watch.py [--quick] [--json FILE]``. Needs albumentations 2.0.8 and torchvision. How a run is
made and how it is read stands in ``benchmarks/README.md``.
"""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import albumentations
import common
import cv2
import numpy as np
import torch
import typer
from drop_in import IMAGES, random_boxes, texture
from PIL import Image
from rich.progress import track
from torchvision import tv_tensors
from torchvision.transforms import v2

import safeaug
from safeaug.geometry import Size

POOL = 64
"""Samples of a case: call number i gets sample i modulo this."""

MADE = 8
"""Of every contender so many are made, and take turns by the round: two equal pipelines differ by some hundredths."""

PHOTO, WIDE = (375, 500), (640, 640)
"""Sizes of usual images of classification and of detection."""

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
BOXES = 5


class Case(NamedTuple):
    """One case.

    Parameters
    ----------
    name : str
        A key of `PIPELINES`.
    image : (int, int)
        Size of the images.
    carrier : {"array", "pil", "tensor"}
        What the images are.
    boxes : bool
        Whether there are boxes beside them.
    decoded : bool
        Whether a data set is watched that decodes its images, as JPEG, and calls the pipeline; else the pipeline is.
    """

    name: str
    image: Size
    carrier: str
    boxes: bool = False
    decoded: bool = False


class Decoded:
    """A data set of JPEG files in memory: what a pipeline mostly stands in.

    Parameters
    ----------
    pool : list
        Samples, as the pipeline takes them.
    transform : callable
        The pipeline.
    """

    def __init__(self, pool: list[Any], transform: Any) -> None:
        self.rest = [{**sample, "image": None} if isinstance(sample, dict) else None for sample in pool]
        pictures = [sample["image"] if isinstance(sample, dict) else np.asarray(sample) for sample in pool]
        self.files = [cv2.imencode(".jpg", picture)[1] for picture in pictures]
        self.transform = transform

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> Any:
        rest = self.rest[index]
        if rest is None:
            return self.transform(Image.open(io.BytesIO(self.files[index].tobytes())).convert("RGB"))
        image = cv2.cvtColor(cv2.imdecode(self.files[index], cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
        return self.transform(**{**rest, "image": image})


def of_albumentations(steps: list[Any], boxes: bool) -> Any:
    """Return a pipeline of albumentations."""
    params = albumentations.BboxParams("pascal_voc", label_fields=["labels"]) if boxes else None
    return albumentations.Compose(steps, bbox_params=params, seed=0)


def normalised() -> list[Any]:
    """Return the last steps of a pipeline of torchvision."""
    return [v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, DEVIATION)]


PIPELINES: dict[str, Callable[[], Any]] = {
    "albumentations, classification": lambda: of_albumentations(
        [
            albumentations.RandomResizedCrop((224, 224)),
            albumentations.HorizontalFlip(),
            albumentations.ColorJitter(p=0.8),
            albumentations.Normalize(),
            albumentations.ToTensorV2(),
        ],
        boxes=False,
    ),
    "albumentations, detection": lambda: of_albumentations(
        [
            albumentations.RandomSizedBBoxSafeCrop(512, 512),
            albumentations.HorizontalFlip(),
            albumentations.HueSaturationValue(p=0.5),
            albumentations.RandomBrightnessContrast(p=0.5),
            albumentations.Normalize(),
        ],
        boxes=True,
    ),
    "torchvision, classification": lambda: v2.Compose(
        [v2.RandomResizedCrop(224), v2.RandomHorizontalFlip(), v2.TrivialAugmentWide(), v2.PILToTensor(), *normalised()]
    ),
    "torchvision, detection": lambda: v2.Compose(
        [v2.RandomPhotometricDistort(), v2.RandomHorizontalFlip(), v2.Resize((512, 512)), *normalised()]
    ),
}


def cases() -> list[Case]:
    """Return all cases: all are in the performance contract."""
    return [
        Case("albumentations, classification", PHOTO, "array"),
        Case("albumentations, detection", WIDE, "array", boxes=True),
        Case("torchvision, classification", PHOTO, "pil"),
        Case("torchvision, detection", WIDE, "tensor", boxes=True),
        Case("albumentations, classification", PHOTO, "array", decoded=True),
        Case("albumentations, detection", WIDE, "array", boxes=True, decoded=True),
        Case("torchvision, classification", PHOTO, "pil", decoded=True),
    ]


def samples(case: Case, seed: int) -> list[Any]:
    """Return the pool of a case, as its pipeline takes it."""
    rng = np.random.default_rng(seed)
    images = [texture(case.image, rng) for _ in range(IMAGES)]
    return [_sample(case, images[i % IMAGES], rng) for i in range(POOL)]


def _sample(case: Case, image: Any, rng: np.random.Generator) -> Any:
    boxes = random_boxes(case.image, BOXES, rng)
    if case.carrier == "array":
        return {"image": image, "bboxes": boxes, "labels": list(range(BOXES))} if case.boxes else {"image": image}
    if case.carrier == "pil":
        return Image.fromarray(image)
    typed = tv_tensors.BoundingBoxes(torch.from_numpy(boxes), format="XYXY", canvas_size=case.image)
    picture = tv_tensors.Image(torch.from_numpy(image).permute(2, 0, 1).contiguous())
    return picture, {"boxes": typed, "labels": torch.arange(BOXES)}


def caller(made: list[Any], pool: list[Any], calls: int) -> Callable[[int], Any]:
    """Return the function that is timed: a pipeline on the sample of a call, whose draw the number of the call says.

    Without a pool it is a data set, which has its own samples.
    """

    def call(index: int) -> Any:
        pipeline = made[index // calls % len(made)]
        torch.default_generator.manual_seed(index)
        if not pool:
            return pipeline[index % POOL]
        sample = pool[index % len(pool)]
        return pipeline(**sample) if isinstance(sample, dict) else pipeline(sample)

    return call


def run_case(case: Case, *, rounds: int, calls: int, warmup: int, seed: int) -> common.Row:
    """Measure one case."""
    pool = samples(case, seed)

    def make() -> Any:
        pipeline = PIPELINES[case.name]()
        return Decoded(pool, pipeline) if case.decoded else pipeline

    plain = [make() for _ in range(MADE)]
    watched = [safeaug.watch(make()) for _ in range(MADE)]
    always = [safeaug.watch(make(), every=1) for _ in range(MADE)]
    asked, made = [] if case.decoded else pool, {"plain": plain, "watched": watched, "always": always}
    contenders = {name: caller(each, asked, calls) for name, each in made.items()}
    measured = common.measure(contenders, rounds=rounds, calls=calls, warmup=warmup)
    height, width = case.image
    return common.row(
        measured,
        claims(),
        case={
            "pipeline": case.name,
            "image": f"{width}x{height}",
            "carrier": case.carrier,
            "watched": "data set" if case.decoded else "pipeline",
        },
        observed={"faults": sum(len(each.report()["faults"]) for each in watched + always)},
    )


def claims() -> list[common.Claim]:
    """Return what a case compares: what a user pays by default, and for looking at every value of every sample."""
    return [
        common.Claim("watched", "plain", limit=1.05),
        common.Claim("watched", "plain", "difference"),
        common.Claim("always", "plain", limit=1.10, goal=1.08),
        common.Claim("always", "plain", "difference"),
    ]


def main(
    quick: Annotated[bool, typer.Option(help="A fourth of the rounds: to see that all works.")] = False,
    rounds: Annotated[int, typer.Option(help="Timed rounds; a multiple of 6, so that the contenders rotate.")] = 48,
    calls: Annotated[int, typer.Option(help="Calls of each contender in a round; a multiple of 8.")] = 32,
    seed: Annotated[int, typer.Option(help="Seed of the samples.")] = 0,
    json: Annotated[Path | None, typer.Option(help="File to write the run to.")] = None,
) -> None:
    """Time watched pipelines against plain ones, and print the table."""
    if quick:
        rounds = 12
    cv2.setNumThreads(1)  # all sides on one core: what a loader worker has
    torch.set_num_threads(1)
    warmup = 2 * MADE  # the first 32 samples of each, of which all values are looked at, are among these
    arguments: dict[str, common.Value] = {"rounds": rounds, "calls": calls, "warmup": warmup, "pool": POOL}
    about = common.describe("watch", seed=seed, arguments=arguments)
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
