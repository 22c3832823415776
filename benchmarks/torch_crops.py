"""What a guarded transform of torchvision costs: drop-in crops against the host's own, and a guarded pipeline.

Run as ``python benchmarks/torch_crops.py [--quick] [--json FILE]``. Needs torchvision 0.21 or later. How a run is made
and how it is read stands in ``benchmarks/README.md``.
"""

import logging
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import common
import numpy as np
import torch
import typer
from batch import random_boxes, texture
from rich.progress import track
from torchvision import tv_tensors
from torchvision.transforms import v2

import safeaug
from safeaug import torchvision as drop_ins

POOL = 256
"""Scenes of a case: call number i gets scene i modulo this."""

IMAGES = 8
"""Images that the scenes of a case share."""

SIDE = 512
"""Side of the images, which hold bytes in three channels."""

Name = Literal["RandomResizedCrop", "RandomCrop", "detection"]

Input = Literal["tensor", "PIL"]


class Case(NamedTuple):
    """One case.

    Parameters
    ----------
    name : {"RandomResizedCrop", "RandomCrop", "detection"}
        A crop, or the pipeline of `detection`.
    side : int
        Of the output, in pixels.
    boxes : int
        Of a scene.
    image : {"tensor", "PIL"}
        What the image is.
    promised : bool
        Whether the performance contract names the case.
    """

    name: Name
    side: int
    boxes: int
    image: Input = "tensor"
    promised: bool = False

    @property
    def cuts(self) -> bool:
        """Whether it is one crop, whose windows another can be made to take."""
        return self.name != "detection"


class Recorded(NamedTuple):
    """What a guarded pass did: the window of each call, in order, and how many calls ended in which status."""

    windows: list[dict[str, Any]]
    statuses: dict[str, int]


def cases() -> list[Case]:
    """Return all cases."""
    return [
        Case("RandomResizedCrop", 224, 3, promised=True),
        Case("RandomResizedCrop", 224, 3, "PIL"),
        Case("RandomResizedCrop", 224, 1),
        Case("RandomResizedCrop", 224, 8),
        Case("RandomCrop", 256, 1),
        Case("RandomCrop", 256, 3),
        Case("RandomCrop", 256, 3, "PIL"),
        Case("detection", 300, 3),
    ]


def scenes(case: Case, seed: int) -> list[dict[str, Any]]:
    """Return the pool of a case: textured images, and boxes of log-uniform sides, uniformly placed."""
    rng, size = np.random.default_rng(seed), (SIDE, SIDE)
    textures = [texture(SIDE, rng) for _ in range(IMAGES)]
    images = [v2.functional.to_pil_image(each) if case.image == "PIL" else tv_tensors.Image(each) for each in textures]
    return [
        {
            "image": images[i % IMAGES],
            "boxes": tv_tensors.BoundingBoxes(random_boxes(size, case.boxes, rng), format="XYXY", canvas_size=size),
            "labels": torch.arange(case.boxes),
        }
        for i in range(POOL)
    ]


def detection(side: int) -> Any:
    """Return the geometric steps of the host's reference pipeline for detection, and a resize."""
    return v2.Compose(
        [v2.RandomZoomOut(fill=127), v2.RandomIoUCrop(), v2.RandomHorizontalFlip(), v2.Resize((side, side))]
    )


def plain(case: Case) -> Any:
    """Return the host's transform."""
    if case.name == "detection":
        return detection(case.side)
    return v2.RandomResizedCrop(case.side) if case.name == "RandomResizedCrop" else v2.RandomCrop(case.side)


def guarded(case: Case) -> Any:
    """Return safeaug's: half of every object."""
    if case.name == "detection":
        return safeaug.guard(detection(case.side), min_retention=0.5)
    host = drop_ins.RandomResizedCrop if case.name == "RandomResizedCrop" else drop_ins.RandomCrop
    return host(case.side, min_retention=0.5)


class _Replay(v2.Transform):  # type: ignore[misc]  # the host ships no types
    """Draws as the host does, which takes the host's time, and then uses the next of the windows it was given."""

    windows: Iterator[dict[str, Any]]

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        drawn: dict[str, Any] = super().make_params(flat_inputs)
        drawn.update(next(self.windows))
        return drawn


class _ReplayedRandomResizedCrop(_Replay, v2.RandomResizedCrop):  # type: ignore[misc]  # as above
    pass


class _ReplayedRandomCrop(_Replay, v2.RandomCrop):  # type: ignore[misc]  # as above
    pass


def replayed(case: Case, windows: list[dict[str, Any]]) -> Any:
    """Return the host's crop, made to take the given windows, one a call."""
    crop = (_ReplayedRandomResizedCrop if case.name == "RandomResizedCrop" else _ReplayedRandomCrop)(case.side)
    crop.windows = iter(windows)
    return crop


def caller(transform: Any, pool: list[dict[str, Any]], seed: int) -> Callable[[int], Any]:
    """Return the function that is timed: a transform on the scene of a call.

    The host draws from torch's global generator, which all contenders share. So each call begins with a seed of its own
    in it, which is part of the time of each.
    """
    seeds, generator = random.Random(seed), torch.default_generator

    def call(index: int) -> Any:
        generator.manual_seed(seeds.getrandbits(63))
        return transform(pool[index % len(pool)])

    return call


def record(case: Case, pool: list[dict[str, Any]], count: int, seed: int) -> Recorded:
    """Return what a guarded crop does in its first calls.

    A guarded draw depends on the state of torch's generator and on the scene. So a second crop, called with the same
    seeds and scenes, takes the same windows.
    """
    crop = guarded(case)
    sampler = crop.make_params
    windows: list[dict[str, Any]] = []

    def noted(flat_inputs: list[Any]) -> dict[str, Any]:
        windows.append(sampler(flat_inputs))
        return windows[-1]

    crop.make_params = noted
    call = caller(crop, pool, seed)
    for index in range(count):
        call(index)
    return Recorded([dict(each) for each in windows], crop.report())


def run_case(case: Case, *, rounds: int, calls: int, warmup: int, seed: int) -> common.Row:
    """Measure one case."""
    pool, draws = scenes(case, seed), (warmup + rounds) * calls
    safe = guarded(case)
    contenders = {"plain": caller(plain(case), pool, seed), "guarded": caller(safe, pool, seed)}
    recorded = record(case, pool, draws, seed) if case.cuts else None
    if recorded is not None:
        contenders["same_windows"] = caller(replayed(case, recorded.windows), pool, seed)
    measured = common.measure(contenders, rounds=rounds, calls=calls, warmup=warmup)
    statuses = safe.report() if case.cuts else safe.report()["pipeline"]
    if recorded is not None and statuses != recorded.statuses:
        raise RuntimeError(f"{case}: the measured draws ended in {statuses}, the recorded in {recorded.statuses}")
    return common.row(
        measured,
        claims(case),
        case={"transform": case.name, "side": case.side, "image": case.image, "boxes": case.boxes},
        observed={name: round(count / draws, 3) for name, count in statuses.items()},
    )


def claims(case: Case) -> list[common.Claim]:
    """Return what a case compares.

    Against the plain transform is what a user pays. Against the same windows is the guard's own work alone; what those
    windows themselves cost the host, which has more to resize, no guard could save.
    """
    if not case.cuts:
        return [common.Claim("guarded", "plain"), common.Claim("guarded", "plain", "difference")]
    return [
        common.Claim("guarded", "plain", limit=1.25 if case.promised else None),
        common.Claim(
            "guarded", "same_windows", limit=1.10 if case.promised else None, goal=1.05 if case.promised else None
        ),
        common.Claim("guarded", "same_windows", "difference"),
        common.Claim("same_windows", "plain"),
    ]


def main(
    quick: Annotated[
        bool, typer.Option(help="A fourth of the rounds, of half the calls: to see that all works.")
    ] = False,
    rounds: Annotated[int, typer.Option(help="Timed rounds; a multiple of 6, so that all contenders rotate.")] = 60,
    calls: Annotated[int, typer.Option(help="Calls of each contender in a round.")] = 32,
    seed: Annotated[int, typer.Option(help="Seed of the scenes and of the draws.")] = 0,
    json: Annotated[Path | None, typer.Option(help="File to write the run to.")] = None,
) -> None:
    """Time guarded transforms of torchvision against plain ones, and print the table."""
    if quick:
        rounds, calls = 12, 16
    torch.set_num_threads(1)  # all on one core: what a loader worker has
    logging.getLogger("safeaug").setLevel(logging.ERROR)  # some cases are UNMET on purpose; the table says so
    warmup = 2
    about = common.describe(
        "torch_crops", seed=seed, arguments={"rounds": rounds, "calls": calls, "warmup": warmup, "pool": POOL}
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
