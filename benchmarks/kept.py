"""What a guard does to a pipeline: what is kept, how draws end, and what becomes of the augmentation itself.

Run as ``python benchmarks/kept.py [--quick] [--json FILE]``. Needs albumentations 2.0.8. No time is measured. Exits
with status 1 where an object was lost and nobody said so, or where a draw is FIRST and not the host's own, or the other
way about. How the tables are read stands in ``benchmarks/README.md``.

How weak a softened draw is, is told by the plain draw of the same number. Where the whole pipeline was drawn anew
before, that is not the draw that was softened. If another branch of the pipeline was taken this shows, and the draw is
counted apart, as one of unknown strength. If the same branch was, it does not show, and the strength is a rough one;
but what has come to nothing has done so beside any draw.
"""

import copy
import logging
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import albumentations
import common
import cv2
import numpy as np
import typer
from coordinates import Floats, Seen, coordinates, displacement, left, see, turn_and_scale, visible
from drop_in import SMALL, random_boxes
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import safeaug
from safeaug import Status

LIMIT = 0.5
"""Share of each object that a guarded pipeline keeps."""

NEAR = 0.01
"""What is left is measured to about half of this: nearer to the limit, nobody can say on which side an object is."""

NOTHING, NOTHING_LIMIT = 0.05, 0.05
"""Strength below which a softened draw has come to nothing, and the share of all draws that may."""

WIDTH = 160
"""Characters that the tables need."""

MOST_BOXES = 8
"""A scene holds one box to as many."""

UNMET, FIRST, SOFTENED = (each.name for each in (Status.UNMET, Status.FIRST, Status.SOFTENED))

SPREADS = ("angle", "scale", "seen")
"""What a picture is described by: degrees, pixels out per pixel in, share of the picture that can be seen."""

PLAIN, GUARDED = "plain, passing", "guarded, but UNMET"
"""Whose pictures are described: those that keep their objects."""

WRONG = "guarded under half, unsaid, draws", "FIRST or not, wrongly, draws", "FIRST but another picture, draws"
"""What is counted and must never be."""

SINGLE: dict[str, Callable[[], Any]] = {
    "RandomResizedCrop": lambda: albumentations.RandomResizedCrop((224, 224), scale=(0.3, 1.0)),
    "RandomCrop": lambda: albumentations.RandomCrop(384, 384),
    "Affine": lambda: albumentations.Affine(rotate=(-45, 45), scale=(0.8, 1.6), translate_percent=(-0.2, 0.2), p=1.0),
    "Perspective": lambda: albumentations.Perspective((0.1, 0.2), p=1.0),
    "CoarseDropout": lambda: albumentations.CoarseDropout((8, 8), (0.2, 0.3), (0.2, 0.3), p=1.0),
    "Rotate, cropped": lambda: albumentations.Rotate((-45, 45), crop_border=True, p=1.0),
}

PIPELINES: dict[str, Callable[[], list[Any]]] = {
    **{name: lambda make=make: [make()] for name, make in SINGLE.items()},  # type: ignore[misc]  # bound early
    "two crops": lambda: [albumentations.RandomCrop(448, 448), albumentations.RandomCrop(384, 384)],
    "two resized crops": lambda: [
        albumentations.RandomResizedCrop((300, 300), scale=(0.5, 1.0)),
        albumentations.RandomResizedCrop((128, 128), scale=(0.3, 1.0)),
    ],
    "resized crop, Perspective": lambda: [SINGLE["RandomResizedCrop"](), SINGLE["Perspective"]()],
    "one of the first six": lambda: [albumentations.OneOf([make() for make in SINGLE.values()], p=1.0)],
}


class Look(NamedTuple):
    """What a picture is like that came out: the least that is left of any object, and `SPREADS`."""

    worst: float
    angle: float
    scale: float
    seen: float


class Draw(NamedTuple):
    """One scene through both pipelines.

    Parameters
    ----------
    plain, guarded : Look
        What came out of each.
    status : str
        How the guarded draw ended.
    same : bool
        Whether the pictures are equal, bit for bit.
    strength : float or None
        Of a softened draw: how far from nothing it is, relative to the plain one. None where that was another step.
    """

    plain: Look
    guarded: Look
    status: str
    same: bool
    strength: float | None


def scenes(count: int, seed: int) -> list[NDArray[np.float32]]:
    """Return the boxes of each scene: one to eight, of log-uniform sides, uniformly placed."""
    rng = np.random.default_rng(seed)
    return [random_boxes(SMALL, int(rng.integers(1, MOST_BOXES + 1)), rng) for _ in range(count)]


def pipeline(transforms: list[Any], seed: int) -> Any:
    """Return a pipeline that remembers its draws, so that its steps can be looked at one by one."""
    bbox_params = albumentations.BboxParams("pascal_voc", label_fields=["labels"])
    made = albumentations.ReplayCompose(transforms, bbox_params=bbox_params)
    made.set_random_seed(seed)
    return made


def draws(name: str, pool: list[NDArray[np.float32]], seed: int) -> list[Draw]:
    """Return what becomes of each scene in a pipeline, plain and guarded, of one seed."""
    plain = pipeline(PIPELINES[name](), seed)
    guarded = safeaug.guard(pipeline(PIPELINES[name](), seed), min_retention=LIMIT, repair_randomness=False)
    image = coordinates(SMALL)
    found, before = [], Counter[str]()
    for boxes in pool:
        sample = {"image": image, "bboxes": boxes, "labels": list(range(len(boxes)))}
        one, other = plain(**sample), guarded(**sample)
        after = Counter(guarded.report()["pipeline"])
        (status,) = (after - before).elements()
        before = after
        found.append(draw(one, other, boxes, status))
    return found


def draw(plain: dict[str, Any], guarded: dict[str, Any], boxes: NDArray[np.float32], status: str) -> Draw:
    """Return what one scene became, told by the pictures that came out."""
    one, other = see(plain["image"], SMALL), see(guarded["image"], SMALL)
    return Draw(
        look(one, boxes),
        look(other, boxes),
        status,
        np.array_equal(plain["image"], guarded["image"]),
        strength(plain, one, guarded, other) if status == SOFTENED and branch(plain) == branch(guarded) else None,
    )


def branch(result: dict[str, Any]) -> list[Any]:
    """Return which steps of a pipeline were applied."""

    def applied(step: dict[str, Any]) -> list[Any]:
        return [step["applied"], *map(applied, step.get("transforms", ()))]

    return applied({"applied": True, **result["replay"]})


def look(seen: Seen, boxes: NDArray[np.float32]) -> Look:
    """Return what a picture is like."""
    angle, scale = turn_and_scale(seen)
    return Look(float(left(seen, boxes).min()), abs(angle), scale, visible(seen))


def strength(plain: dict[str, Any], seen_plain: Seen, guarded: dict[str, Any], seen_guarded: Seen) -> float:
    """Return how much of the last step of a plain draw is left in the guarded one.

    Of a map that is how far it takes the corners of the picture, measured where it comes from; of holes their area.
    Nothing else is softened.
    """
    far = reach(plain, seen_plain)
    if far > 1.0:
        return reach(guarded, seen_guarded) / far
    assert seen_plain.holes is not None  # what neither moves nor hides anything need not be softened
    return 0.0 if seen_guarded.holes is None else float(seen_guarded.holes.sum() / seen_plain.holes.sum())


def reach(result: dict[str, Any], seen: Seen) -> float:
    """Return how far the last step of a draw takes the corners of the picture that it was given."""
    if len(result["replay"]["transforms"]) == 1:
        return displacement(seen.to_output, seen.source, seen.size)
    shortened = copy.deepcopy(result["replay"])
    shortened["transforms"][-1]["applied"] = False
    nothing = {"bboxes": np.empty((0, 4), np.float32), "labels": []}
    image = albumentations.ReplayCompose.replay(shortened, image=coordinates(SMALL), **nothing)["image"]
    before = see(image, SMALL)
    return displacement(seen.to_output @ np.linalg.inv(before.to_output), before.size, seen.size)


# Summing up.


def observed(found: list[Draw]) -> dict[str, common.Value]:
    """Return what the draws of a pipeline come to, as shares of all of them unless it says otherwise."""
    plain, guarded = np.array([(each.plain.worst, each.guarded.worst) for each in found]).T
    status = np.array([each.status for each in found])
    unmet, first = status == UNMET, status == FIRST
    near_plain = np.abs(plain - LIMIT) <= NEAR
    strengths = np.array([each.strength for each in found if each.strength is not None])
    return {
        "near, draws": int((near_plain | (np.abs(guarded - LIMIT) <= NEAR)).sum()),
        "plain under half": share(plain < LIMIT),
        "guarded under half, UNMET": share(unmet & (guarded < LIMIT)),
        WRONG[0]: int((~unmet & (guarded < LIMIT - NEAR)).sum()),
        "plain passes": share(plain >= LIMIT),
        WRONG[1]: int(((first != (plain >= LIMIT)) & ~near_plain).sum()),
        WRONG[2]: sum(each.status == FIRST and not each.same for each in found),
        **{each.name: share(status == each.name) for each in Status if (status == each.name).any()},
        **spread(PLAIN, [each.plain for each in found if each.plain.worst >= LIMIT]),
        **spread(GUARDED, [each.guarded for each in found if each.status != UNMET]),
        **(summary("strength", SOFTENED, strengths) if len(strengths) else {}),
        "come to nothing": round(float((strengths < NOTHING).sum()) / len(found), 4),
        "SOFTENED, strength unknown, draws": int((status == SOFTENED).sum()) - len(strengths),
    }


def share(which: NDArray[np.bool_]) -> float:
    """Return the share of draws, to four decimals."""
    return round(float(which.mean()), 4)


def spread(whose: str, looks: list[Look]) -> dict[str, common.Value]:
    """Return the quartiles of what pictures are like; nothing where there are none."""
    if not looks:
        return {}
    columns = {name: np.array([getattr(each, name) for each in looks]) for name in SPREADS}
    return {key: value for name, values in columns.items() for key, value in summary(name, whose, values).items()}


def summary(name: str, whose: str, values: Floats) -> dict[str, common.Value]:
    """Return the three quartiles of a number, under keys of their own."""
    return dict(zip(keys(name, whose), common.quartiles(values), strict=True))


def keys(name: str, whose: str) -> list[str]:
    """Return the keys under which quartiles stand."""
    return [f"{name}, {whose}: {each}" for each in ("q1", "median", "q3")]


def faults(row: common.Row) -> list[str]:
    """Return what a row shows that must never be."""
    return [f"{row.case['pipeline']}: {row.observed[key]} {key}" for key in WRONG if row.observed[key]]


# Showing.


def kept(run: common.Run) -> Table:
    """Return as a table what is kept, and how draws end."""
    seen = {name for row in run.rows for name in row.observed}
    ended = [each.name for each in Status if each.name in seen]
    about = run.metadata
    out = Table(
        title=f"kept, safeaug {about.environment.safeaug}, {about.arguments['scenes']} scenes, seed {about.seed}",
        caption="shares in %; unsaid, near and amiss: draws. FIRST and plain passes may differ by those near the limit",
    )
    out.add_column("pipeline", no_wrap=True)
    for heading in ("plain", "UNMET", "unsaid"):
        out.add_column(f"under half\n{heading}", justify="right", no_wrap=True)
    for heading in ("\nnear", "plain\npasses", *(f"\n{name}" for name in ended), "FIRST\namiss"):
        out.add_column(heading, justify="right", no_wrap=True)
    for row in run.rows:
        observed = row.observed
        out.add_row(
            str(row.case["pipeline"]),
            _percent(observed["plain under half"]),
            _percent(observed["guarded under half, UNMET"]),
            str(observed[WRONG[0]]),
            str(observed["near, draws"]),
            _percent(observed["plain passes"]),
            *(_percent(observed[name]) if name in observed else "" for name in ended),
            str(sum(int(observed[key]) for key in WRONG[1:])),
        )
    return out


def drawn(run: common.Run) -> Table:
    """Return as a table what pictures are like that keep their objects, and how weak the softened ones are."""
    out = Table(
        title="what is drawn, where objects are kept",
        caption="medians, and quartiles in brackets; - where it does not vary. To nothing: softened to a strength "
        f"below {NOTHING:g}, in % of all draws; at most {100 * NOTHING_LIMIT:g} may be",
        show_lines=True,
    )
    for heading in ("pipeline", ""):
        out.add_column(heading, no_wrap=True)
    for heading in ("angle", "px out / px in", "share seen", "strength, softened", "to nothing", "verdict"):
        out.add_column(heading, justify="right", no_wrap=True)
    for row in run.rows:
        out.add_row(
            str(row.case["pipeline"]),
            "plain\nguarded",
            *("\n".join(_quartiles(row.observed, name, whose) for whose in (PLAIN, GUARDED)) for name in SPREADS),
            *(_softened(row.observed) if SOFTENED in row.observed else ()),
        )
    return out


def _softened(observed: dict[str, common.Value]) -> tuple[str, str, str]:
    nothing = float(observed["come to nothing"])
    verdict = "within" if nothing <= NOTHING_LIMIT else "over"
    return _quartiles(observed, "strength", SOFTENED), _percent(nothing), verdict


def _percent(value: common.Value) -> str:
    return f"{100 * float(value):.1f}"


def _quartiles(observed: dict[str, common.Value], name: str, whose: str) -> str:
    low, middle, high = (float(observed.get(key, 0.0)) for key in keys(name, whose))
    digits = 1 if name == "angle" else 3
    return "-" if high - low < 1e-3 else f"{middle:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def main(
    quick: Annotated[bool, typer.Option(help="A tenth of the scenes: to see that all works.")] = False,
    scenes_: Annotated[int, typer.Option("--scenes", help="Scenes that go through each pipeline.")] = 2000,
    seed: Annotated[int, typer.Option(help="Seed of the scenes and of the pipelines.")] = 0,
    json: Annotated[Path | None, typer.Option(help="File to write the run to.")] = None,
) -> None:
    """Count what plain and guarded pipelines keep of objects, and print the table."""
    count = scenes_ // 10 if quick else scenes_
    cv2.setNumThreads(1)
    logging.getLogger("safeaug").setLevel(logging.ERROR)  # the table says how many draws are UNMET
    about = common.describe("kept", seed=seed, arguments={"scenes": count, "limit": LIMIT, "near": NEAR})
    pool = scenes(count, seed)
    rows = [
        common.Row(
            case={"pipeline": name}, observed=observed(draws(name, pool, seed)), rounds=count, calls=1, timings=(),
            comparisons=(),
        )
        for name in track(PIPELINES, description="pipelines", transient=True)
    ]  # fmt: skip
    run = common.Run(metadata=about, rows=tuple(rows))
    console = Console()
    console.width = max(console.width, WIDTH)
    console.print(kept(run), drawn(run))
    if json is not None:
        common.write(json, run)
    wrong = [fault for row in rows for fault in faults(row)]
    for fault in wrong:
        console.print(fault)
    if wrong:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
