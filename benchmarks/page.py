"""What a gallery of ten thousand draws takes in a browser: until it can be used, and to be sorted and filtered.

Run as ``python benchmarks/page.py [--page FILE] [--quick] [--json FILE]``. Needs albumentations 2.0.8, playwright and a
Chromium in the path. The cards are made up on the spot; ``--page`` measures another page, such as those that
``benchmarks/gallery.py --keep`` leaves. How a run is made and how it is read stands in ``benchmarks/README.md``.
"""

import io
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import albumentations as A
import common
import numpy as np
import typer
from PIL import Image
from rich.progress import track

import safeaug
from safeaug.auditing.bins import ASPECTS
from safeaug.data import Sample
from safeaug.report.gallery.book import CARDS, script_of
from safeaug.report.gallery.card import Card, Frame, Look, Shard
from safeaug.report.gallery.render import render

CASES = 10_000
"""Cards."""

PICTURES = 250
"""How many of them have pictures of their own; the others show these again."""

USABLE, ACT = 500e3, 20e3
"""Microseconds until the first cards are there, and that sorting or filtering may take until they are laid out."""

STEPS = ("0 RandomResizedCrop", "1 Affine")

SEEN = """
new MutationObserver((_, watch) => {
  if (!document.querySelector(".card")) return;
  window.usable = performance.now();
  watch.disconnect();
}).observe(document, { childList: true, subtree: true });
"""
"""Notes when the first cards are there."""

DONE = "#shown:not(:has-text('coming'))"
"""Is there when all cards are."""

CHOOSE = """
async ([name, value]) => {
  const control = document.getElementById("filters").elements[name];
  control.value = value;
  const begun = performance.now();
  control.dispatchEvent(new Event("input", { bubbles: true }));
  document.body.getBoundingClientRect();
  const taken = performance.now() - begun;
  await new Promise((done) => setTimeout(done, 300)); // until all is quiet again
  return taken;
}
"""
"""Chooses something, and says how many milliseconds that takes until the cards are laid out."""

SORTS = [("sort", name) for name in ("id", "aspect", "class", "step", "left")]
FILTERS = [
    ("class", "class 3"), ("class", ""), ("step", STEPS[1]), ("step", ""), ("q", "7"), ("q", ""),
    ("aspect", ASPECTS[8]), ("aspect", ""),
]  # fmt: skip


def jpeg(rng: np.random.Generator, height: int, width: int) -> Look:
    """Return a small picture of soft noise."""
    noise = Image.fromarray(rng.integers(0, 256, (6, 6, 3), np.uint8))
    file = io.BytesIO()
    noise.resize((width, height), Image.Resampling.BICUBIC).save(file, "JPEG", quality=70)
    return Look(src=file.getvalue(), size=(height, width))


def cards(count: int, seed: int, stage: Path) -> Iterator[Card]:
    """Yield cards, and write their pictures."""
    rng = np.random.default_rng(seed)
    (stage / "thumbs-000").mkdir()
    looks: list[tuple[Look, Look]] = []
    for i in range(min(count, PICTURES)):
        pair = jpeg(rng, 120, 160), jpeg(rng, 160, 160)
        for name, look in zip("ba", pair, strict=True):
            assert isinstance(look.src, bytes)
            (stage / f"thumbs-000/{i}{name}.jpg").write_bytes(look.src)
        looks.append(
            (Look(src=f"thumbs-000/{i}b.jpg", size=(120, 160)), Look(src=f"thumbs-000/{i}a.jpg", size=(160, 160)))
        )
    for n in range(count):
        x, y, w, h = rng.uniform(0, 0.5, 4).round(4).tolist()
        left = tuple(rng.uniform(0, 1, 1 + n % 3).round(4).tolist())
        boxes = tuple((0.2, round(0.1 * i, 1), 0.6, 0.9) for i in range(len(left)))
        height, width = rng.integers(100, 1000, 2).tolist()
        before, after = looks[n % len(looks)]
        film = tuple(Frame(step=step, params=(("scale", "(1, 1)"),), left=left, src=after.src) for step in STEPS)
        yield Card(
            n=n, id=f"photos/{rng.integers(1 << 40):012d}.jpg", draw=n % 8, key=f"{n:016x}", tabs=("worst", "findings"),
            status="FIRST", findings=("SA1.sliver",), damaged=True, least=min(left), size=(height, width),
            output=(224, 224), aspect=ASPECTS[n % 9],
            labels=tuple(f"class {(n * 7 + i) % 20}" for i in range(len(left))),
            counted=(True,) * len(left), fates=tuple("KEPT" if each >= 0.5 else "SLIVER" for each in left), left=left,
            step=STEPS[n % 2], area=0.3, padded=0.0, stretch=1.2, before=before, after=after,
            window=((x, y), (x + w, y), (x + w, y + h), (x, y + h)), boxes=boxes, boxes_after=boxes, film=film,
        )  # fmt: skip


def write(stage: Path, count: int, seed: int) -> Path:
    """Write a page with so many cards, and return where it lies."""
    shards: list[str] = []
    waiting: list[Card] = []
    for card in cards(count, seed, stage):
        waiting.append(card)
        if len(waiting) == CARDS or card.n == count - 1:
            shards.append(f"data-{len(shards):03d}.js")
            shard = Shard(run="bench", first=waiting[0].n, cards=tuple(waiting))
            (stage / shards[-1]).write_bytes(script_of(shard))
            waiting = []
    samples = [
        Sample(str(i), (480, 640), boxes=np.array([[50.0, 50.0, 250.0, 250.0]]), labels=(f"class {i % 20}",))
        for i in range(100)
    ]
    train = A.Compose(
        [A.RandomResizedCrop((224, 224))], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"])
    )
    record = safeaug.audit(train, samples, pixels=False)
    page = stage / "index.html"
    page.write_text(render(record, record.summary(max_damaged=0.01), shards=shards), encoding="utf-8")
    return page


def measured(page: Path, rounds: int) -> tuple[common.Measured, dict[str, Any]]:
    """Return what loading, sorting and filtering take, and what was seen."""
    from playwright.sync_api import sync_playwright

    loads, acts = np.zeros(rounds), {"sort": np.zeros(rounds), "filter": np.zeros(rounds)}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1400, "height": 900})
        tab.add_init_script(SEEN)
        for i in track(range(rounds), "loads", transient=True):
            tab.goto(page.resolve().as_uri())
            tab.wait_for_selector(DONE, timeout=120_000)
            loads[i] = tab.evaluate("usable")
        whole = float(tab.evaluate("performance.now()"))
        tab.click("#tabs a >> nth=-1")
        tab.wait_for_timeout(2000)
        for kind, choices in (("sort", SORTS), ("filter", FILTERS)):
            for i in track(range(rounds), kind, transient=True):
                acts[kind][i] = tab.evaluate(CHOOSE, list(choices[i % len(choices)]))
        seen = {"cards": tab.locator("#tabs a small").last.inner_text().strip(), "all there, ms": round(whole)}
        seen["browser"] = f"Chromium {browser.version.partition('.')[0]}"
        browser.close()
    return common.Measured(1, {"usable": 1000 * loads, **{kind: 1000 * each for kind, each in acts.items()}}), seen


def main(
    page: Annotated[Path | None, typer.Option(help="The index.html of a gallery, in place of one made here.")] = None,
    quick: Annotated[bool, typer.Option(help="A twenty-fifth of the cards: to see that all works.")] = False,
    rounds: Annotated[int, typer.Option(help="Loads, sorts and filters.")] = 24,
    seed: Annotated[int, typer.Option(help="Seed of the cards.")] = 0,
    json: Annotated[Path | None, typer.Option(help="File to write the run to.")] = None,
) -> None:
    """Open a gallery, sort it and filter it, and print what that takes. Exits with 1 where it takes too long."""
    about = common.describe("page", seed=seed, arguments={"rounds": rounds})
    count = CASES // 25 if quick else CASES
    with tempfile.TemporaryDirectory() as folder:
        times, seen = measured(page or write(Path(folder), count, seed), rounds)
    claims = [
        common.Claim("usable", None, "time", limit=USABLE),
        common.Claim("sort", None, "time", limit=ACT),
        common.Claim("filter", None, "time", limit=ACT),
    ]
    row = common.row(times, claims, case={"cards": count if page is None else str(page)}, observed=seen)
    run = common.Run(metadata=about, rows=(row,))
    common.show(run)
    if json is not None:
        common.write(json, run)
    raise typer.Exit(any(each.verdict == "over" for each in row.comparisons))


if __name__ == "__main__":
    typer.run(main)
