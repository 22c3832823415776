"""Pages for a real browser: cards of pictures that are drawn on the spot, a record of plain numbers."""

import base64
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from PIL import Image, ImageDraw

from safeaug.auditing.about import About
from safeaug.auditing.assess import Assessment, Limits, assess
from safeaug.auditing.bins import AREAS, ASPECTS, area_of, aspect_of
from safeaug.auditing.record import Record
from safeaug.auditing.summary import summary_of
from safeaug.auditing.terms import terms_of
from safeaug.data import Remark, Sample
from safeaug.report.gallery.render import render
from tests.audit_worlds import AFFINE, CROP, block_of

RUN = "5afe"
LABELS = ("cat", "dog", "lamp post", "Hund & Katze")
SIZES = ((480, 640), (640, 480), (200, 2000), (512, 512), (900, 300))
SIDE = 160
"""The longest side of a small picture."""

HOSTILE = (
    "</script><script>window.acted = 1</script>",
    '<img src=x onerror="window.acted = 1">\'"`${window.acted = 1}{{7*7}}<!--',
    "right\u202eto left \u05d0\u05d1\u05d2 \u2066isolated\u2069 line\nend \u2028 \x00\x1b[31m",
    "https://example.org/" + "long" * 2500,
)
"""Text that acts, somewhere; that turns the direction of what follows; ten thousand letters."""


def record(label: str = "cat", samples: int = 120, draws: int = 8) -> tuple[Record, Assessment]:
    """Return a record that was counted, of draws that nobody made, and its assessment."""
    rng = np.random.default_rng(0)
    labels = [LABELS[i % 4] if i % 4 else label for i in range(samples)]
    sizes = [SIZES[i % len(SIZES)] for i in range(samples)]
    crop = np.where(rng.random((samples, draws)) < 0.4, 1.0, rng.random((samples, draws)))
    crop[rng.random(crop.shape) < 0.08] = 0
    affine = crop * np.where(rng.random(crop.shape) < 0.8, 1.0, rng.random(crop.shape))
    block = block_of(
        np.stack([crop, affine], axis=2),
        labels=labels,
        labelled=rng.random(crop.shape) < 0.95,
        samples=[Sample(f"{label}/{i}.jpg", size) for i, size in enumerate(sizes)],
        areas=rng.random(samples) ** 3,
        steps=np.broadcast_to([0, 1], (samples, draws, 2)),
        names=(CROP, AFFINE),
        area=rng.random((samples, draws)),
    )
    counts = summary_of(block, terms_of(pipeline=f"Compose([\n  {label},\n])"))
    about = About(
        safeaug="0.1.0", host="albumentations 2.0.8", numpy="2.1", pipeline="train.py:aug", data=f"coco:{label}.json",
        draws=draws, samples=samples, started="2026-01-01T00:00:00+00:00",
    )  # fmt: skip
    remarks = (Remark("outside", f"{label}.json:3", f"the box {label} lies outside"),)
    told = Record(about, counts, {"outside": 1}, remarks)
    return told, assess(counts, limits=Limits(max_damaged=0.01))


def scene(height: int, width: int, seed: int) -> Image.Image:
    """Return a small picture in which one can tell where one is."""
    rng = np.random.default_rng(seed)
    small = Image.fromarray(rng.integers(40, 215, (4, 5, 3), np.uint8)).resize(
        (width, height), Image.Resampling.BICUBIC
    )
    draw = ImageDraw.Draw(small)
    for _ in range(6):
        x, y, r = rng.integers(0, width), rng.integers(0, height), rng.integers(3, max(4, min(height, width) // 4))
        draw.ellipse((x - r, y - r, x + r, y + r), fill=tuple(rng.integers(0, 255, 3).tolist()))
    return small


def jpeg(image: Image.Image) -> bytes:
    """Return a picture as a file."""
    file = io.BytesIO()
    image.save(file, "JPEG", quality=70)
    return file.getvalue()


def uri(data: bytes) -> str:
    """Return a picture as a page holds it in itself."""
    return f"data:image/jpeg;base64,{base64.b64encode(data).decode()}"


def card(n: int, keep: Any = None, **changes: Any) -> dict[str, Any]:
    """Return a card whose picture, window and numbers belong together.

    Parameters
    ----------
    n : int
        Its number, from which all is drawn.
    keep : callable, optional
        From a name and a file to how the page calls it.
    changes : dict
        What is to be otherwise.
    """
    keep = keep or (lambda name, data: uri(data))
    rng = np.random.default_rng(n)
    size = SIZES[n % len(SIZES)]
    share = SIDE / max(size)
    height, width = (max(1, round(side * share)) for side in size)
    image = scene(height, width, n)
    labels = [LABELS[int(i)] for i in rng.integers(0, len(LABELS), 1 + n % 3)]
    corners = rng.random((len(labels), 2)) * 0.6
    boxes = np.concatenate([corners, corners + 0.15 + 0.2 * rng.random((len(labels), 2))], axis=1)
    x, y, w, h = rng.random() * 0.5, rng.random() * 0.5, 0.3 + 0.2 * rng.random(), 0.3 + 0.2 * rng.random()
    inside = np.clip((boxes - [x, y, x, y]) / [w, h, w, h], 0, 1)
    area = (inside[:, 2] - inside[:, 0]) * w * (inside[:, 3] - inside[:, 1]) * h
    shares = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    left = (area / shares).round(4).tolist()
    fates = ["KEPT" if each >= 0.5 else "SLIVER" if each else "GONE" for each in left]
    damaged, emptied = "SLIVER" in fates, "KEPT" not in fates
    crop = image.crop((round(x * width), round(y * height), round((x + w) * width), round((y + h) * height)))
    crop, whole = crop.resize((SIDE, SIDE)), image.resize((SIDE, SIDE))
    step = "0 RandomResizedCrop" if n % 4 else "1 Affine"
    tabs = (
        ["worst"] * (n % 3 != 2)
        + ["random"] * (n % 5 == 0)
        + ["findings"] * damaged
        + ["guarded"] * (damaged or emptied)
    )
    guarded = {
        "status": "MOVED", "left": [1.0] * len(labels), "src": keep(f"{n}g", jpeg(whole)), "size": [SIDE, SIDE],
        "window": [[0, 0], [1, 0], [1, 1], [0, 1]],
    }  # fmt: skip
    made = {
        "n": n, "id": f"photos/{n:05d}.jpg", "draw": n % 8, "key": f"{n:016x}", "tabs": tabs, "status": "FIRST",
        "findings": ["SA1.sliver"] * damaged + ["SA1.emptied"] * emptied, "damaged": damaged, "emptied": emptied,
        "least": min([a for a, fate in zip(left, fates, strict=True) if fate == "SLIVER"] or left), "group": "",
        "size": list(size), "output": [224, 224], "aspect": ASPECTS[aspect_of(np.array([size]))[0]],
        "labels": labels, "areas": [AREAS[i] for i in area_of(shares)], "counted": [True] * len(labels),
        "fates": fates, "left": left,
        "step": step if damaged or emptied else "", "area": round(w * h, 4), "padded": 0.0,
        "stretch": round(1 + w / 3, 3),
        "before": {"src": keep(f"{n}b", jpeg(image)), "size": [height, width], "note": ""},
        "after": {"src": keep(f"{n}a", jpeg(crop)), "size": [SIDE, SIDE], "note": ""},
        "window": [[x, y], [x + w, y], [x + w, y + h], [x, y + h]],
        "boxes": boxes.round(4).tolist(),
        "boxes_after": [box if each else None for box, each in zip(inside.round(4).tolist(), left, strict=True)],
        "film": [
            {"step": "0 RandomResizedCrop", "params": [["crop_coords", f"({x:.2f}, {y:.2f})"], ["interpolation", "1"]],
             "left": left, "src": keep(f"{n}f0", jpeg(crop.resize((96, 96))))},
            {"step": "1 Affine", "params": [["scale", "(1.02, 1.02)"], ["matrix", "1.02 0 -3.1 " * 20]], "left": left,
             "src": keep(f"{n}f1", jpeg(crop.resize((96, 96))))},
        ],
        "guarded": guarded if damaged or emptied else None,
        "missing": "",
    }  # fmt: skip
    return {**made, **changes}


def without_pictures(n: int, why: str) -> dict[str, Any]:
    """Return the card of a draw whose picture cannot be had."""
    return card(n, before=None, after=None, guarded=None, film=None, window=None, missing=why)


def page(
    folder: Path, cards: Sequence[dict[str, Any]], *, label: str = "cat", title: str = "", notes: Sequence[str] = ()
) -> Path:
    """Write a page that holds its cards, and each of their pictures once, and return where it lies."""
    told, judged = record(label)
    pictures = list[str]()

    def placed(look: dict[str, Any]) -> dict[str, Any]:
        """Return something of which a picture is told by its place."""
        if look.get("src") is not None:
            if look["src"] not in pictures:
                pictures.append(look["src"])
            look["src"] = str(pictures.index(look["src"]))
        return look

    shard = {"run": RUN, "first": 0, "cards": json.loads(json.dumps(list(cards)), object_hook=placed)}
    index = folder / "index.html"
    html = render(told, judged, inline=[shard], pictures=pictures, title=title, notes=notes)
    index.write_text(html, encoding="utf-8", errors="backslashreplace")
    return index


def sharded(folder: Path, number: int, *, each: int = 200, pictures: int = 200) -> Path:
    """Write a page with so many cards in files beside it, and return where it lies.

    Pictures are drawn for the first of them, and used again for the others: a page is not told how many differ.
    """
    (folder / "thumbs-000").mkdir(parents=True)

    def keep(name: str, data: bytes) -> str:
        (folder / "thumbs-000" / f"{name}.jpg").write_bytes(data)
        return f"thumbs-000/{name}.jpg"

    drawn = [card(n, keep) for n in range(min(number, pictures))]
    rng = np.random.default_rng(0)
    names = []
    for first in range(0, number, each):
        cards = [
            {**drawn[n % len(drawn)], "n": n, "id": f"photos/{n:05d}.jpg", "least": round(float(rng.random()), 4)}
            for n in range(first, min(first + each, number))
        ]
        names.append(f"data-{len(names):03d}.js")
        shard = msgspec.json.encode({"run": RUN, "first": first, "cards": cards})
        (folder / names[-1]).write_bytes(b"(window.safeaug = window.safeaug || []).push(" + shard + b");\n")
    told, judged = record()
    index = folder / "index.html"
    index.write_text(render(told, judged, shards=names), encoding="utf-8")
    return index
