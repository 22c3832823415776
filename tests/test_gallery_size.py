"""The gallery that an audit makes by default, of photographs: how large it is; and the benchmark of large ones."""

import importlib
import sys
from pathlib import Path

import albumentations as A
import numpy as np
import pytest
from PIL import Image

import safeaug
from safeaug.report.gallery import writing
from tests.gallery_worlds import pipeline, sample, stub


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
    assert told.page.stat().st_size < 6_000_000


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
