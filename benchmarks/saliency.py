"""What maps of saliency cost: of a batch by torch, and of one image by numpy, on one thread.

Run as ``python benchmarks/saliency.py [--quick] [--json FILE]``. Needs torch. Pictures are smoothed noise with a few
discs on it, made up on the spot. How a run is made and how it is read stands in ``benchmarks/README.md``.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args

import common
import numpy as np
import torch
import typer
from numpy.typing import NDArray

from safeaug.saliency import Method, map_of, maps_of

BATCH, SIDE = 64, 224

POOL = 4
"""Batches, or images, that the calls go through in turn."""

LIMIT, GOAL = 1200.0, 600.0
"""Microseconds an image in a batch, by ``auto``."""

SINGLE = 7000.0
"""Microseconds of one image, by ``auto``."""


class Case(NamedTuple):
    """One row: so many images at a time, of one size, as bytes or floats."""

    images: int
    size: tuple[int, int]
    dtype: str


CASES = (
    Case(BATCH, (SIDE, SIDE), "uint8"),
    Case(BATCH, (SIDE, SIDE), "float32"),
    Case(1, (SIDE, SIDE), "uint8"),
    Case(1, (768, 1024), "uint8"),
)


def picture(size: tuple[int, int], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return a picture (H, W, 3) of coarse noise, with a few discs of one colour."""
    height, width = size
    y, x = np.mgrid[:height, :width]
    noise = sum(rng.random((height // step + 1, width // step + 1, 3))[y // step, x // step] for step in (4, 16, 64))
    pixels = np.asarray(noise) / 3 * 255
    for _ in range(3):
        middle, radius = rng.random(2) * size, rng.uniform(0.03, 0.15) * min(size)
        pixels[(y - middle[0]) ** 2 + (x - middle[1]) ** 2 < radius**2] = rng.random(3) * 255
    return pixels.astype(np.uint8)


def pool(case: Case, seed: int) -> list[Any]:
    """Return what the calls are handed in turn."""
    rng = np.random.default_rng(seed)
    singles = [picture(case.size, rng) for _ in range(POOL)]
    if case.images == 1:
        return singles
    # Others of the same kind, without the time to make each: shifted in a circle.
    shifts = rng.integers(0, SIDE, (POOL, case.images, 2))
    batches = [[np.roll(singles[i], tuple(shift), (0, 1)) for shift in shifts[i]] for i in range(POOL)]
    made = [torch.from_numpy(np.stack(batch)).permute(0, 3, 1, 2).contiguous() for batch in batches]
    return made if case.dtype == "uint8" else [batch.float() / 255 for batch in made]


def run_case(case: Case, *, rounds: int, warmup: int, seed: int) -> common.Row:
    """Time every method on one case."""
    images = pool(case, seed)
    look: Callable[..., Any] = map_of if case.images == 1 else maps_of

    def call(method: str, number: int) -> Any:
        return look(images[number % POOL], method)

    methods = get_args(Method)
    measured = common.measure(
        {method: partial(call, method) for method in methods}, rounds=rounds, calls=1, warmup=warmup
    )
    bounds = (SINGLE, None) if case.images == 1 else (LIMIT * case.images, GOAL * case.images)
    promised = case.images > 1 or case.size == (SIDE, SIDE)
    claims = [
        common.Claim(method, None, "time", *(bounds if promised and method == "auto" else (None, None)))
        for method in methods
    ]
    each = {f"{method}, ms an image": _milliseconds(measured, method, case.images) for method in methods}
    shown: dict[str, common.Value] = {"images": case.images, "size": "x".join(map(str, case.size)), "dtype": case.dtype}
    return common.row(measured, claims, case=shown, observed=each)


def _milliseconds(measured: common.Measured, method: str, images: int) -> float:
    return round(float(np.median(measured.micros[method])) / 1000 / images, 3)


def main(
    rounds: Annotated[int, typer.Option(help="Timed rounds; a multiple of 6.")] = 60,
    seed: Annotated[int, typer.Option(help="Seed of the pictures.")] = 0,
    quick: Annotated[bool, typer.Option("--quick", help="Six rounds, to see that it works.")] = False,
    json: Annotated[Path | None, typer.Option(help="File to write the run to.")] = None,
) -> None:
    """Time the methods, and print the table."""
    torch.set_num_threads(1)
    rounds = 6 if quick else rounds
    about = common.describe("saliency", seed=seed, arguments={"rounds": rounds, "calls": 1, "warmup": 2})
    rows = tuple(run_case(case, rounds=rounds, warmup=2, seed=seed) for case in CASES)
    run = common.Run(metadata=about, rows=rows)
    common.show(run)
    if json is not None:
        common.write(json, run)


if __name__ == "__main__":
    typer.run(main)
