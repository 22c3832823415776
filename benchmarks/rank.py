"""What it costs to rank windows by a saliency map: the rule itself, without the map and without a pixel.

Run as ``python benchmarks/rank.py [--quick] [--json FILE]``. Needs numpy only. How a run is made and how it is read
stands in ``benchmarks/README.md``.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import common
import numpy as np
import typer

from safeaug import Policy
from safeaug.content import Content, content_of_salience
from safeaug.geometry import Domain, Size, domain_of
from safeaug.measures import ranked_demands
from safeaug.shapes import salience_of

BATCH = 32
"""Images whose windows are ranked together."""

CELLS = 64
"""Cells a side of their maps."""

SIDE = 224
"""Pixels a side of the images."""

LIMIT = 1000.0
"""Microseconds for such a batch, one size each: the contract's."""

POOL = 8
"""Batches that calls take in turn."""


class Scene(NamedTuple):
    """What one call ranks: a map and a size an image."""

    contents: list[Content]
    sizes: list[Size]
    domains: list[Domain | None]


def scenes(cells: int, count: int, seed: int) -> list[Scene]:
    """Return the pool: maps of smooth noise, and sizes as RandomResizedCrop draws them."""
    rng, frame, pool = np.random.default_rng(seed), (0, 0, SIDE, SIDE), []
    for _ in range(POOL):
        sizes = [one_size(rng) for _ in range(count)]
        pool.append(Scene([one_map(cells, rng) for _ in sizes], sizes, [domain_of(frame, size) for size in sizes]))
    return pool


def one_map(cells: int, rng: np.random.Generator) -> Content:
    """Return a map as content: noise, smoothed by a running mean along either axis."""
    noise = rng.random((cells + 8, cells + 8)) ** 4
    smooth = np.sum([noise[i : i + cells, j : j + cells] for i in range(8) for j in range(8)], axis=0)
    return content_of_salience(salience_of(smooth, (SIDE, SIDE)), (SIDE, SIDE), Policy())


def one_size(rng: np.random.Generator) -> Size:
    """Return a size of the default scale and ratio."""
    while True:
        area, ratio = rng.uniform(0.08, 1.0) * SIDE**2, math.exp(rng.uniform(math.log(3 / 4), math.log(4 / 3)))
        height, width = round(math.sqrt(area / ratio)), round(math.sqrt(area * ratio))
        if 0 < height <= SIDE and 0 < width <= SIDE:
            return height, width


def together(pool: list[Scene]) -> Callable[[int], Any]:
    """Return what ranks a batch at once."""
    policy = Policy()
    return lambda index: ranked_demands(*_arguments(pool[index % len(pool)], policy))


def one_by_one(pool: list[Scene]) -> Callable[[int], Any]:
    """Return what ranks the images of a batch one after the other, as single images are."""
    policy = Policy()

    def call(index: int) -> Any:
        return [
            ranked_demands([content], policy, [size], [domain])
            for content, size, domain in zip(*pool[index % len(pool)], strict=True)
        ]

    return call


def _arguments(scene: Scene, policy: Policy) -> tuple[Any, ...]:
    return scene.contents, policy, scene.sizes, scene.domains


def run_case(cells: int, count: int, *, rounds: int, calls: int, warmup: int, seed: int) -> common.Row:
    """Measure one case."""
    pool = scenes(cells, count, seed)
    contenders = {"together": together(pool), "one_by_one": one_by_one(pool)}
    measured = common.measure(contenders, rounds=rounds, calls=calls, warmup=warmup)
    limit = LIMIT if (cells, count) == (CELLS, BATCH) else None
    claims = [common.Claim("together", None, "time", limit=limit), common.Claim("one_by_one", None, "time")]
    return common.row(measured, claims, case={"cells": cells, "images": count}, observed={})


def main(
    quick: Annotated[bool, typer.Option(help="A fourth of the rounds: to see that all works.")] = False,
    rounds: Annotated[int, typer.Option(help="Timed rounds; a multiple of 2.")] = 200,
    calls: Annotated[int, typer.Option(help="Calls of each contender in a round.")] = 8,
    seed: Annotated[int, typer.Option(help="Seed of maps and sizes.")] = 0,
    json: Annotated[Path | None, typer.Option(help="File to write the run to.")] = None,
) -> None:
    """Time the rank rule, and print the table."""
    rounds, warmup = rounds // 4 if quick else rounds, 8
    about = common.describe("rank", seed=seed, arguments={"rounds": rounds, "calls": calls, "warmup": warmup})
    rows = [
        run_case(cells, count, rounds=rounds, calls=calls, warmup=warmup, seed=seed)
        for cells, count in ((CELLS, BATCH), (48, BATCH), (CELLS, 1), (48, 1))
    ]
    run = common.Run(metadata=about, rows=tuple(rows))
    common.show(run)
    if json is not None:
        common.write(json, run)


if __name__ == "__main__":
    typer.run(main)
