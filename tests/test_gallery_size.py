"""The gallery that an audit makes by default: how large it is, of any pictures; and the benchmark of large ones."""

import importlib
import os
import sys
from pathlib import Path

import albumentations as A
import numpy as np
import pytest
from PIL import Image, ImageDraw

import safeaug
from safeaug.data import read_voc
from safeaug.report.gallery import writing
from tests.gallery_worlds import pipeline, sample, stub

FIELD = Path(os.environ.get("SAFEAUG_FIELD_DATA", ""))
absent = pytest.mark.skipif("SAFEAUG_FIELD_DATA" not in os.environ, reason="SAFEAUG_FIELD_DATA is not set")

LIMIT = 6_000_000
"""Bytes of a default gallery: the 200 worst draws and 100 at random."""


def busy(chance, size=(480, 640)):
    """Return a picture as rich in detail as a photograph of a full table, which compresses no better.

    As in photographs, every octave of its texture is as strong as the next, and light varies more than colour does; on
    it lie coloured things with sharp borders and with letters on them.
    """
    height, width = size
    texture = np.zeros((height, width, 3))
    for octave in range(1, 9):
        each = chance.normal(0, 12, (2**octave, 2**octave, 1)) + chance.normal(0, 4, (2**octave, 2**octave, 3))
        coarse = Image.fromarray(np.clip(127 + each, 0, 255).astype(np.uint8))
        texture += np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC), float) - 127
    picture = Image.fromarray(np.clip(127 + texture, 0, 255).astype(np.uint8))
    pen = ImageDraw.Draw(picture)
    for _ in range(60):
        (x, y), (a, b) = chance.uniform(0, (width, height)), chance.uniform(5, 80, 2)
        pen.rectangle((x, y, x + a, y + b), fill=tuple(chance.integers(0, 256, 3).tolist()), outline=(0, 0, 0), width=2)
        pen.text((x + 2, y + 2), "K 10 Q", fill=(255, 255, 255))
    return np.asarray(picture)


def size_of(train, data, path, **more):
    """Return how large the default gallery of an audit is, every card of which has its pictures."""
    record = safeaug.audit(train, data, draws=8, **more)
    assert (len(record.worst), len(record.random)) == (200, 100)
    told = writing.write_gallery(record, record.summary(), writing.Told(train, data), path)
    assert (told.missing, told.single) == (0, True)
    assert told.cards > 250
    return told.page.stat().st_size


def usual():
    """Return a pipeline of detection as people write it: five steps, each with its picture in the film."""
    return pipeline(
        A.RandomResizedCrop((224, 224)),
        A.HorizontalFlip(p=0.5),
        A.Affine(rotate=(-15, 15), p=0.5),
        A.ColorJitter(p=0.5),
        A.Normalize(),
    )


def test_the_default_gallery_of_busy_pictures_is_small(tmp_path):
    """Stored alike they are a quarter heavier than photographs of cards on a carpet, and hardly two cards share one."""
    chance = np.random.default_rng(0)
    corners = chance.uniform(0, (500, 360), (300, 2, 2))
    boxes = np.concatenate([corners, corners + chance.uniform(40, 140, (300, 2, 2))], axis=2).astype(int)
    some = [busy(chance) for _ in range(10)]
    pictures = [np.roll(some[i % 10], chance.integers(0, 480, 2), (0, 1)) for i in range(300)]
    data = [
        sample(str(i), (480, 640), rows.tolist(), image=picture)
        for i, (rows, picture) in enumerate(zip(boxes, pictures, strict=True))
    ]
    assert size_of(usual(), data, tmp_path / "a.html") < LIMIT


@pytest.mark.field
@absent
@pytest.mark.parametrize("name", ["playing_cards/train", "bccd"])
def test_the_default_gallery_of_real_pictures_is_small(tmp_path, name):
    data = read_voc(FIELD / name, one_based=False)
    assert size_of(usual(), data, tmp_path / "a.html") < LIMIT


def test_the_default_gallery_of_photographs_is_small(tmp_path, monkeypatch):
    skimage = pytest.importorskip("skimage.data")
    photos = [Image.fromarray(getattr(skimage, name)()) for name in ("astronaut", "chelsea", "coffee", "rocket")]
    pictures = [np.asarray(photo.convert("RGB").resize((640, 480))) for photo in photos]
    chance = np.random.default_rng(0)
    corners = chance.uniform(0, (500, 360), (100, 2, 2))
    boxes = np.concatenate([corners, corners + chance.uniform(40, 140, (100, 2, 2))], axis=2).astype(int)
    data = [sample(str(i), (480, 640), rows.tolist(), image=pictures[i % 4]) for i, rows in enumerate(boxes)]
    train = pipeline(A.RandomResizedCrop((224, 224)), A.HorizontalFlip(p=0.5), A.Normalize())
    record = safeaug.audit(train, data, draws=8)
    assert (len(record.worst), len(record.random)) == (200, 100)
    monkeypatch.setattr(writing, "page_with", stub)
    told = writing.write_gallery(record, record.summary(), writing.Told(train, data), tmp_path / "a.html")
    assert told.missing == 0
    assert told.page.stat().st_size < LIMIT


@pytest.fixture
def benchmark(monkeypatch):
    """The script, imported as Python does when it is run: its folder comes first on the path."""
    names = ("gallery", "common")
    before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "benchmarks"))
    yield importlib.import_module("gallery")
    for name in names:
        sys.modules.pop(name, None)
    sys.modules.update(before)


def test_the_benchmark_builds_a_gallery_of_as_many_cards_as_it_says(benchmark, tmp_path):
    row = benchmark.run_case(6, tmp_path, 0)
    assert row.case == {"samples": 6}
    assert (row.observed["files"], row.observed["shards"]) == (2, 0)
    assert (tmp_path / "6" / "index.html").read_text(encoding="utf-8").count('"key":') == 6
