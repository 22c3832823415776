"""What guarding by saliency is worth where the truth is known: every method, on every set of pictures.

Run as ``python benchmarks/calibration.py [--field DIR] [--quick] [--json FILE]``. Needs scikit-image, whose photos lie
behind the digits. No time is measured. Photos of playing cards, of blood cells and two of segmented animals are looked
at where ``--field``, or SAFEAUG_FIELD_DATA, says in which folder they are; what is not there is named.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, get_args

import common
import numpy as np
import typer
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from rich.console import Console
from rich.progress import track
from rich.table import Table

from safeaug import Policy
from safeaug.calibrating import Calibration, calibrate
from safeaug.data import Sample, read_voc
from safeaug.saliency import Method

METHODS: tuple[Method, ...] = get_args(Method)

RANKS = (0.5, 0.8)
"""What the guard asks of windows."""

PHOTOS = ("astronaut", "chelsea", "coffee", "rocket")
"""Photos on whose parts digits are put: those that scikit-image ships, so that nothing is downloaded."""

FEWEST = 50
"""A set of fewer pictures is drawn from as much more often."""

SIDE, DIGIT, CLUTTER = 224, (32, 56), 12
"""Pixels of a picture with a digit; the least and the greatest height of that; strokes that are put beside it."""


def digits(count: int, seed: int) -> list[Sample]:
    """Return pictures with a digit somewhere on a part of a photo, among strokes of other colours."""
    rng = np.random.default_rng(seed)
    photos = _photos()
    return [_digit(str(number), photos[number % len(photos)], rng) for number in range(count)]


def _photos() -> list[NDArray[np.uint8]]:
    from skimage import data

    return [np.asarray(getattr(data, name)()) for name in PHOTOS]


def _digit(name: str, photo: NDArray[np.uint8], rng: np.random.Generator) -> Sample:
    side = min(*photo.shape[:2], int(rng.integers(SIDE, 2 * SIDE)))
    y, x = (int(rng.integers(0, length - side + 1)) for length in photo.shape[:2])
    picture = Image.fromarray(photo[y : y + side, x : x + side]).resize((SIDE, SIDE), Image.Resampling.BILINEAR)
    draw = ImageDraw.Draw(picture)
    for _ in range(CLUTTER):
        ends = rng.integers(0, SIDE, 2).repeat(2).reshape(2, 2).T + rng.integers(-24, 25, (2, 2))
        draw.line([tuple(end) for end in ends.tolist()], fill=_colour(rng), width=int(rng.integers(2, 6)))
    font = ImageFont.load_default(int(rng.integers(*DIGIT)))
    text, at = str(rng.integers(10)), rng.integers(4, SIDE - DIGIT[1] - 4, 2).tolist()
    draw.text(tuple(at), text, fill=_colour(rng), font=font)
    box = np.array([draw.textbbox(tuple(at), text, font=font)], np.float64)
    return Sample(name, (SIDE, SIDE), boxes=box, labels=(text,), ignore=np.zeros(1, bool), image=np.asarray(picture))


def _colour(rng: np.random.Generator) -> tuple[int, int, int]:
    red, green, blue = rng.integers(0, 256, 3).tolist()
    return red, green, blue


def animals(folder: Path) -> list[Sample]:
    """Return a bird and a dog with their masks."""
    named = {"bird_segmentation": ("bird", 3), "dog_segmentation_256": ("dog", 0)}
    samples = []
    for name, (label, value) in named.items():
        image = np.asarray(Image.open(folder / f"{name}.bmp"))
        ids = np.asarray(Image.open(folder / f"{name.replace('segmentation', 'segmentation_mask')}.bmp"))
        masks = (ids == value)[None].astype(np.uint8)
        samples.append(Sample(name, ids.shape, labels=(label,), masks=masks, image=image))
    return samples


def sets(field: Path | None, count: int, seed: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the sets of pictures by name, each as it is opened."""
    yield "digits on clutter", lambda: digits(count, seed)
    if field is not None:
        yield "playing cards", lambda: read_voc(field / "playing_cards/train", one_based=False)
        yield "blood cells", lambda: read_voc(field / "bccd", one_based=False, keep_going=True)
        yield "two masked animals", lambda: animals(field / "coral_test_data")


def rows(name: str, found: Calibration) -> Iterator[common.Row]:
    """Yield what a calibration found: a row for each way of drawing."""
    whole, *others = found.strata
    about = {"pictures": name, "asked": f"rank {found.min_rank:g}"}
    counts = {"images": found.pictures, "objects": whole.objects, "draws": found.draws}
    for way, damaged in (("nothing", whole.plain), ("true objects", whole.truth)):
        area = found.areas["plain" if way == "nothing" else "truth"]
        yield _row({**about, "guarded by": way}, {**counts, "damaged": damaged, "area": area})
    for maker, score in whole.scores.items():
        auc = found.auc[maker]
        seen: dict[str, common.Value] = {
            **counts,
            "damaged": score.damaged,
            "area": found.areas[maker],
            "area-matched": score.matched,
            "gain": score.gain.value,
            "gain, at least": score.gain.lower,
            "verdict": score.gain.verdict,
        }
        seen |= {} if auc is None else {"AUC": auc}
        seen |= {f"damaged, {part.kind} {part.name}": part.scores[maker].damaged for part in others}
        yield _row({**about, "guarded by": maker}, seen)


def _row(case: Mapping[str, common.Value], observed: Mapping[str, common.Value]) -> common.Row:
    shown = {key: round(value, 4) if isinstance(value, float) else value for key, value in observed.items()}
    return common.Row(case=dict(case), observed=shown, rounds=1, calls=1, timings=(), comparisons=())


def table(run: common.Run) -> Table:
    """Return a run as a table."""
    out = Table(title="What guarding by saliency is worth", caption="shares in %; the guard never saw the objects")
    for heading in ("pictures", "asked", "guarded by"):
        out.add_column(heading, no_wrap=True)
    for heading in ("AUC", "damaged", "area-matched", "gain", "at least", "area", "verdict"):
        out.add_column(heading, justify="right", no_wrap=True)
    before = ""
    for row in run.rows:
        seen, here = row.observed, f"{row.case['pictures']}, {row.case['asked']}"
        if before not in ("", here):
            out.add_section()
        before = here
        shares = ("damaged", "area-matched", "gain", "gain, at least", "area")
        cells = [f"{100 * float(seen[key]):.1f}" if key in seen else "" for key in shares]
        auc = f"{float(seen['AUC']):.3f}" if "AUC" in seen else ""
        out.add_row(*map(str, row.case.values()), auc, *cells, str(seen.get("verdict", "")))
    return out


def main(
    field: Annotated[
        Path | None, typer.Option(help="The folder of the photos.", envvar="SAFEAUG_FIELD_DATA", file_okay=False)
    ] = None,
    quick: Annotated[bool, typer.Option(help="Few pictures: to see that all works.")] = False,
    pictures: Annotated[int, typer.Option(min=1, help="Of each set, at most.")] = 400,
    draws: Annotated[int, typer.Option(min=1, help="Of each picture.")] = 8,
    seed: Annotated[int, typer.Option(help="From which pictures and draws are made.")] = 0,
    json: Annotated[Path | None, typer.Option(help="File to write the run to.")] = None,
) -> None:
    """Judge every method on every set of pictures, and print the table."""
    count = max(pictures // 20, 1) if quick else pictures
    about = common.describe("calibration", seed=seed, arguments={"pictures": count, "draws": draws})
    found: list[common.Row] = []
    for name, opened in track(list(sets(field, count, seed)), description="sets", transient=True):
        data = opened()
        times = draws * max(1, FEWEST // len(data))
        for rank in RANKS:
            judged = calibrate(
                data,
                {method: method for method in METHODS},
                pictures=count,
                draws=times,
                policy=Policy(min_rank=rank),
                seed=seed,
                keep_going=True,
            )
            found += rows(name, judged)
    run = common.Run(metadata=about, rows=tuple(found))
    console = Console()
    console.width = max(console.width, 140)
    console.print(table(run))
    if field is None:
        console.print("Left out: playing cards, blood cells, two masked animals; --field says where they are")
    if json is not None:
        common.write(json, run)


if __name__ == "__main__":
    typer.run(main)
