"""What a gallery of many draws takes: time and memory to build it, over three sizes, and what lies in its folder.

Run as ``python benchmarks/gallery.py [--quick] [--json FILE] [--keep DIR]``. Needs albumentations 2.0.8. Pictures are
noise that is made up on the spot, whenever one is asked for. How a run is made and how it is read stands in
``benchmarks/README.md``.
"""

import json as jsons
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import common
import numpy as np
import typer
from rich.progress import track

SAMPLES = (2_500, 5_000, 10_000)
"""Samples of each gallery, one draw of each: so many cards."""

BUILD = """
import json, os, resource, sys, time
import albumentations as A, numpy as np, safeaug
from safeaug.data import Data, Sample
from safeaug.report.page import to_html

count, seed, out = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]

def read(number):
    chance = np.random.default_rng([seed, number])
    height, width = chance.integers(48, 129, 2).tolist()
    corner = chance.uniform(0, 0.6, 2) * (width, height)
    side = chance.uniform(0.1, 0.4, 2) * (width, height)
    picture = chance.integers(0, 256, (height, width, 3), dtype=np.uint8)
    box = np.concatenate([corner, corner + side])[None]
    label = f"class {number % 20}"
    return Sample(f"{number:06d}", (height, width), boxes=box, labels=(label,), ignore=np.zeros(1, bool), image=picture)

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

crop = A.RandomResizedCrop((64, 64), scale=(0.1, 1.0))
params = A.BboxParams("pascal_voc", label_fields=["labels"])
train = A.Compose([crop, A.HorizontalFlip(p=0.5), A.RandomBrightnessContrast(p=0.5), A.Normalize()], bbox_params=params)
data = Data("noise", range(count), read)
begun = time.perf_counter()
record = safeaug.audit(train, data, draws=1, seed=seed, worst=count, random=0, pixels=False)
audited, before = time.perf_counter() - begun, peak()
begun = time.perf_counter()
page = to_html(record, out, record.summary(max_damaged=0.01), pipeline=train, data=data)
built = time.perf_counter() - begun
files = [os.path.join(folder, name) for folder, _, names in os.walk(out) for name in names]
print(json.dumps({
    "audit": audited,
    "build": built,
    "before": before,
    "peak": peak(),
    "files": len(files),
    "bytes": sum(map(os.path.getsize, files)),
    "page": os.path.getsize(page),
    "shards": sum(os.path.basename(name).startswith("data-") for name in files),
}))
"""
"""What is measured, in a process of its own, so that memory is the gallery's alone."""


def run_case(samples: int, folder: Path, seed: int) -> common.Row:
    """Measure how one gallery is built."""
    environment = {**os.environ, "NO_ALBUMENTATIONS_UPDATE": "1"}
    asked = [sys.executable, "-c", BUILD, str(samples), str(seed), str(folder / str(samples))]
    seen = jsons.loads(subprocess.run(asked, check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout)
    return common.row(
        common.Measured(1, {"gallery": np.array([1e6 * seen["build"]])}),
        [common.Claim("gallery", None, "time")],
        case={"samples": samples},
        observed={
            "seconds": round(seen["build"], 1),
            "ms a card": round(1000 * seen["build"] / samples, 1),
            "audit before, seconds": round(seen["audit"], 1),
            "peak MB": round(seen["peak"]),
            "MB more than the audit": round(seen["peak"] - seen["before"]),
            "page kB": round(seen["page"] / 1000),
            "shards": seen["shards"],
            "files": seen["files"],
            "folder MB": round(seen["bytes"] / 1e6),
        },
    )


def main(
    quick: Annotated[bool, typer.Option(help="A twenty-fifth of the samples: to see that all works.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the pictures and of the draws.")] = 0,
    json: Annotated[Path | None, typer.Option(help="File to write the run to.")] = None,
    keep: Annotated[Path | None, typer.Option(help="Folder in which the galleries are left, to be looked at.")] = None,
) -> None:
    """Build galleries of made-up pictures, and print what that takes."""
    sizes = [each // 25 for each in SAMPLES] if quick else list(SAMPLES)
    about = common.describe("gallery", seed=seed, arguments={})
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) if keep is None else keep
        rows = tuple(run_case(each, place, seed) for each in track(sizes, "galleries", transient=True))
    run = common.Run(metadata=about, rows=rows)
    common.show(run)
    if json is not None:
        common.write(json, run)


if __name__ == "__main__":
    typer.run(main)
