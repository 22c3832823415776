"""The sheet of a story: a few draws as a model would see them, plain beside guarded, by `safeaug.show`."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import albumentations as A
import numpy as np
from numpy.typing import NDArray
from paper import beside
from PIL import Image
from story import Story, as_given

import safeaug as sa
from safeaug.data import Sample
from safeaug.records import Step
from safeaug.report.words import percent
from safeaug.showing.overall import show
from safeaug.showing.written import encoded

ALONE, CHANGED, TRIED = 1, 3, 60
"""How many draws are shown that the guard left alone, and that it changed; and how many are looked at for these."""

SIDE = 200
"""Longer side of a picture on the sheet."""

COLOURS, LARGEST = (96, 64, 48, 32, 24, 16), 150_000
"""Of the file, as many as it has room for in so many bytes: sheets are kept with the source."""


def sheet(story: Story) -> Image.Image:
    """Return the same draws, plain on the left, and guarded as a whole on the right."""
    sample = next(sample for sample in story.samples() if sample.id == story.shown)
    names = list(story.pipelines)
    plain, guarded = (story.pipelines[name]() for name in (names[0], names[-1]))
    pairs = list(pairs_of(plain, guarded, sample))
    with TemporaryDirectory() as folder:
        halves = [
            show(
                [seen(pair[side], sample) for pair in pairs],
                names=list(sample.labels),
                box_format="xyxyn",
                title=f"{sample.id}, {name}",
                out=Path(folder) / "half.png",
            ).image
            for side, name in ((0, names[0]), (1, names[-1]))
        ]
    return beside(halves, 0)


def pairs_of(plain: A.Compose, guarded: A.Compose, sample: Sample) -> Iterator[tuple[Step, Step]]:
    """Yield the last steps of the first draws that the guard left alone, and of the first that it changed."""
    alone, changed = ALONE, CHANGED
    for number in range(TRIED):
        # The number says all that is drawn, so plain and guarded are the same draw but for the guard.
        one, other = (sa.steps(each, as_given(sample), np.random.default_rng(number))[-1] for each in (plain, guarded))
        same = np.array_equal(one.left, other.left)
        if (alone if same else changed) > 0:
            yield one, other
        alone, changed = alone - same, changed - (not same)
        if max(alone, changed) <= 0:
            return


def seen(step: Step, sample: Sample) -> dict[str, Any]:
    """Return what a model sees behind the last step, and what is left of the object that has lost most."""
    made, left = step.sample or {}, np.asarray(step.left)
    worst = int(np.argmin(left))
    image = Image.fromarray(made["image"])
    image.thumbnail((SIDE, SIDE))
    said: dict[str, Any] = {"image": image, "label": f"{percent(float(left[worst]))} of a {sample.labels[worst]}"}
    if "masks" in made:
        return {**said, "masks": made["masks"], "labels": range(len(sample.labels))}
    return {**said, "bboxes": handed_on(made["bboxes"])}


def handed_on(rows: Any) -> NDArray[np.float64]:
    """Return boxes as the pipeline hands them on behind its last step: clipped, and without those of no area."""
    boxes = np.array(rows, dtype=np.float64).reshape(len(rows), -1 if len(rows) else 5)
    boxes[:, :4] = boxes[:, :4].clip(0, 1)
    return boxes[(boxes[:, :2] < boxes[:, 2:4]).all(axis=1)]


def small(image: Image.Image) -> bytes:
    """Return a sheet as a small PNG."""
    file = b""
    for colours in COLOURS:
        file = encoded(image.quantize(colours, dither=Image.Dither.NONE), "PNG", optimize=True)
        if len(file) < LARGEST:
            break
    return file
