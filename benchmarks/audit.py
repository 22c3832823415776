"""What an audit of a COCO-sized data set takes: time over three sizes, memory over three numbers of draws.

Run as ``python benchmarks/audit.py [--quick] [--json FILE] [--plot FILE]``. Needs albumentations 2.0.8, and half a
gigabyte on disk for annotations that are made up on the spot. How a run is made and how it is read stands in
``benchmarks/README.md``.
"""

import json as jsons
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated, NamedTuple

import common
import numpy as np
import typer
from rich.progress import track

IMAGES, OBJECTS = 118_287, 860_001
"""Of COCO's training set of 2017."""

CORNERS = 24
"""Of each object's outline: so the whole file is of COCO's size, over 400 MB."""

LIMIT, GOAL = 60e6, 25e6
"""Microseconds that the whole may take on two cores."""

MEMORY = 1500.0
"""Megabytes that the largest process may take."""

AUDIT = """
import json, resource, sys, time
import albumentations as A, safeaug

crop = A.RandomResizedCrop((224, 224), scale=(0.3, 1.0))
affine = A.Affine(rotate=(-10, 10), scale=(0.8, 1.2), translate_percent=(-0.1, 0.1), p=0.5)
params = A.BboxParams("pascal_voc", label_fields=["labels"])
train = A.Compose([crop, A.HorizontalFlip(p=0.5), affine, A.Normalize()], bbox_params=params)
path, draws, processes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
begun = time.perf_counter()
record = safeaug.audit(train, f"coco:{path}", draws=draws, processes=processes)
found = record.summary(max_damaged=0.01)
seconds = time.perf_counter() - begun
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(json.dumps({
    "seconds": seconds,
    "cpu seconds": sum(each.ru_utime + each.ru_stime for each in used),
    "MB": max(each.ru_maxrss for each in used) / 1024,
    "judged": found.whole.draws,
    "damaged": round(found.whole.damaged.rate, 4),
}))
"""
"""What is measured, in a process of its own, so that memory is the audit's alone."""


class Case(NamedTuple):
    """One audit: of how many images, with how many draws of each; and what is promised of its time."""

    images: int
    draws: int
    limit: float | None = None
    goal: float | None = None


CASES = (
    Case(IMAGES // 4, 8),
    Case(IMAGES // 2, 8),
    Case(IMAGES, 8, LIMIT, GOAL),
    Case(IMAGES // 4, 2),
    Case(IMAGES // 4, 32),
)


def write(path: Path, images: int, objects: int, seed: int) -> None:
    """Write annotations as COCO has them: boxes of log-uniform sides of 80 classes, each with an outline."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(300, 641, (images, 2))
    owners = np.sort(rng.integers(0, images, objects))
    sides = np.exp(rng.uniform(np.log(8), np.log(sizes[owners].min(axis=1))[:, None], (objects, 2)))
    corners = rng.uniform(0, sizes[owners][:, ::-1] - sides)
    angles = np.linspace(0, 2 * np.pi, CORNERS, endpoint=False)
    classes = [{"id": number, "name": f"class {number}"} for number in range(1, 81)]
    with path.open("w", encoding="utf-8") as file:
        pictures = [
            {"id": i, "file_name": f"{i:012d}.jpg", "height": height, "width": width}
            for i, (height, width) in enumerate(sizes.tolist())
        ]
        file.write(f'{{"categories": {jsons.dumps(classes)}, "images": {jsons.dumps(pictures)}, "annotations": [')
        for i in range(objects):
            (x, y), (width, height) = corners[i], sides[i]
            ring = np.stack([x + width * (1 + np.cos(angles)) / 2, y + height * (1 + np.sin(angles)) / 2], axis=1)
            about = {
                "id": i,
                "image_id": int(owners[i]),
                "category_id": int(rng.integers(1, 81)),
                "iscrowd": 0,
                "area": round(width * height, 2),
                "bbox": [round(each, 2) for each in (x, y, width, height)],
                "segmentation": [ring.ravel().round(2).tolist()],
            }
            file.write((", " if i else "") + jsons.dumps(about))
        file.write("]}")


def run_case(case: Case, folder: Path, processes: int, seed: int) -> common.Row:
    """Measure one audit."""
    path = folder / f"{case.images}.json"
    if not path.exists():
        write(path, case.images, round(case.images * OBJECTS / IMAGES), seed)
    environment = {**os.environ, "NO_ALBUMENTATIONS_UPDATE": "1"}
    asked = [sys.executable, "-c", AUDIT, str(path), str(case.draws), str(processes)]
    printed = subprocess.run(asked, check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout
    seen = jsons.loads(printed)
    micros = np.array([1e6 * seen["seconds"]])
    return common.row(
        common.Measured(1, {"audit": micros}),
        [common.Claim("audit", None, "time", case.limit, case.goal)],
        case={"images": case.images, "draws": case.draws, "file MB": round(path.stat().st_size / 1e6)},
        observed={
            "seconds": round(seen["seconds"], 2),
            "CPU seconds": round(seen["cpu seconds"], 2),
            "us a draw": round(1e6 * seen["seconds"] / (case.images * case.draws), 1),
            "largest process MB": round(seen["MB"]),
            "damaged": seen["damaged"],
        },
    )


def drawn(rows: tuple[common.Row, ...]) -> str:
    """Return a picture of time over size, as SVG: one point an audit of eight draws, and a line through zero."""
    points = [(float(row.case["images"]), float(row.observed["seconds"])) for row in rows if row.case["draws"] == 8]
    right, top = max(x for x, _ in points), max(y for _, y in points)
    slope = sum(x * y for x, y in points) / sum(x * x for x, _ in points)

    def at(x: float, y: float) -> tuple[float, float]:
        return 50 + 320 * x / right, 220 - 190 * y / (1.1 * top)

    marks = "".join('<circle cx="{:.1f}" cy="{:.1f}" r="4"/>'.format(*at(*point)) for point in points)
    notes = "".join(
        '<text x="{:.1f}" y="{:.1f}" text-anchor="end">{:,.0f}: {:.1f} s</text>'.format(*at(x, y), x, y).replace(
            "<text ", '<text dx="-8" dy="-4" '
        )
        for x, y in points
    )
    (x0, y0), (x1, y1) = at(0, 0), at(right, slope * right)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 260" font-family="sans-serif" font-size="11">'
        '<rect width="400" height="260" fill="white"/>'
        f'<path d="M50 20V220H380" fill="none" stroke="black"/><path d="M{x0} {y0}L{x1} {y1}" stroke="gray"/>'
        f'<g fill="#0a5">{marks}</g>{notes}<text x="215" y="245" text-anchor="middle">images, eight draws each</text>'
        '<text x="14" y="120" transform="rotate(-90 14 120)" text-anchor="middle">seconds</text></svg>\n'
    )


def main(
    quick: Annotated[bool, typer.Option(help="A fiftieth of the images: to see that all works.")] = False,
    processes: Annotated[int, typer.Option(help="Processes that share an audit.")] = 2,
    seed: Annotated[int, typer.Option(help="Seed of the annotations.")] = 0,
    json: Annotated[Path | None, typer.Option(help="File to write the run to.")] = None,
    plot: Annotated[Path | None, typer.Option(help="File to write a picture of time over size to, as SVG.")] = None,
) -> None:
    """Audit made-up annotations of COCO's size, and print the table."""
    cases = [Case(case.images // 50, case.draws) for case in CASES] if quick else list(CASES)
    about = common.describe("audit", seed=seed, arguments={"processes": processes})
    with tempfile.TemporaryDirectory() as folder:
        rows = tuple(run_case(case, Path(folder), processes, seed) for case in track(cases, "cases", transient=True))
    run = common.Run(metadata=about, rows=rows)
    common.show(run)
    if json is not None:
        common.write(json, run)
    if plot is not None:
        plot.write_text(drawn(rows), encoding="utf-8")
    over = [row for row in rows if float(row.observed["largest process MB"]) > MEMORY]
    if over:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
