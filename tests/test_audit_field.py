"""Audits of real boxes, against brute force; and the origin: a fault of a few odd images that no overall rate shows."""

import json
import math
import os
from pathlib import Path

import albumentations as A
import numpy as np
import pytest

import safeaug
from safeaug import Policy
from safeaug.auditing.bounds import missed
from safeaug.data import read_voc
from tests.brute_force import count

FIELD = Path(os.environ.get("SAFEAUG_FIELD_DATA", ""))
absent = pytest.mark.skipif("SAFEAUG_FIELD_DATA" not in os.environ, reason="SAFEAUG_FIELD_DATA is not set")

FOLDERS = {"playing_cards": ("playing_cards/train", 8, 363), "bccd": ("bccd", 4, 364)}
"""Where data lie, and how many draws of each image are made."""


def pipeline(*more, **given):
    """Return the stock crop for detection."""
    params = A.BboxParams("pascal_voc", label_fields=["labels"])
    return A.Compose([A.RandomResizedCrop((224, 224), **given), *more], bbox_params=params)


def assert_alike(one, other, what):
    """Assert that two counts of as many draws are of one rate: within five standard deviations of their difference."""
    (hits, draws), (others, total) = one, other
    rate = (hits + others) / (draws + total)
    error = math.sqrt(rate * (1 - rate) * (1 / draws + 1 / total))
    assert abs(hits / draws - others / total) <= 5 * error + 1e-12, (what, one, other)


@pytest.mark.field
@absent
@pytest.mark.parametrize("name", FOLDERS)
def test_rates_are_those_of_brute_force(name):
    folder, draws, _ = FOLDERS[name]
    total, classes, fates = count(FIELD / folder, draws, seed=11)
    record = safeaug.audit(pipeline(), read_voc(FIELD / folder, one_based=False), draws=draws, pixels=False)
    found = record.summary()
    assert found.whole.draws == total["draws"]
    for share, theirs in ((found.whole.damaged, "damaged"), (found.whole.emptied, "emptied")):
        assert_alike((share.count, found.whole.draws), (total[theirs], total["draws"]), theirs)
    rates = {rate.label: rate for rate in found.rates if rate.kind == "class"}
    assert rates.keys() == classes.keys()
    for label, theirs in classes.items():
        assert_alike((rates[label].damaged.count, rates[label].draws), (theirs["damaged"], theirs["draws"]), label)
    for fate in ("KEPT", "SLIVER", "GONE"):  # of objects: many of an image share one window, so the bound is a wide one
        ours, all_ours = found.fates[fate], sum(found.fates.values())
        assert abs(ours / all_ours - fates[fate] / sum(fates.values())) < 0.03
    assert found.blame[0].step.name == "RandomResizedCrop"
    assert found.whole.damaged.rate > 0.05


@pytest.mark.field
@absent
@pytest.mark.parametrize("name", FOLDERS)
def test_the_guarded_pipeline_audits_clean(name):
    folder, _, _ = FOLDERS[name]
    data = read_voc(FIELD / folder, one_based=False)[:80]
    guarded = safeaug.guard(pipeline(), keep="whole" if name == "bccd" else "all")
    record = safeaug.audit(guarded, data, draws=4, pixels=False)
    found = record.summary(max_emptied=0.01)
    unmet = found.statuses.get("UNMET", 0)
    assert found.whole.emptied.count <= unmet
    if name == "playing_cards":
        assert found.whole.damaged.count <= unmet
        assert unmet <= 0.02 * found.whole.draws
        assert found.verdict == "pass"


# The origin.


def scene(number, width, height, box):
    """Return an image of COCO, and its object."""
    x0, y0, x1, y1 = box
    image = {"id": number, "file_name": f"{number}.jpg", "width": width, "height": height}
    area = {"bbox": [x0, y0, x1 - x0, y1 - y0], "area": (x1 - x0) * (y1 - y0), "iscrowd": 0}
    return image, {"id": number, "image_id": number, "category_id": 1, **area}


@pytest.fixture(scope="module")
def annotations(tmp_path_factory):
    """Return two files of COCO: 20 000 ordinary images with an object in the middle; and with 10 panoramas beside."""
    rng = np.random.default_rng(0)
    ordinary = []
    for number in range(20_000):
        width, height = (int(side) for side in rng.integers(400, 641, 2))
        wide, high = rng.uniform(0.2, 0.35, 2) * (width, height)
        ordinary.append(
            scene(
                number,
                width,
                height,
                ((width - wide) / 2, (height - high) / 2, (width + wide) / 2, (height + high) / 2),
            )
        )
    panoramas = [scene(20_000 + i, 2000, 200, (20 + 10 * i, 60, 120 + 10 * i, 140)) for i in range(10)]
    files = []
    for name, scenes in (("ordinary", ordinary), ("all", ordinary + panoramas)):
        path = tmp_path_factory.mktemp("origin") / f"{name}.json"
        images, objects = zip(*scenes, strict=True)
        path.write_text(
            json.dumps({"categories": [{"id": 1, "name": "thing"}], "images": images, "annotations": objects})
        )
        files.append(f"coco:{path}")
    return files


def test_the_origin(annotations):
    """A rate of all draws far below the limit, and a stratum in which nearly every draw is damaged."""
    ordinary, everything = annotations
    crop = pipeline(A.HorizontalFlip(), scale=(0.5, 1.0))
    limits = {"max_damaged": 0.01, "max_emptied": 0.01}
    record = safeaug.audit(crop, everything, draws=2, labels="image")
    found = record.summary(**limits)
    assert found.whole.damaged.rate < 0.01
    assert found.whole.damaged.upper < 0.01
    assert found.verdict == "fail"
    failing = {(rate.kind, rate.name) for rate in found.failing}
    assert ("all", "all") not in failing
    (odd,) = [rate for rate in found.failing if rate.kind == "aspect"]
    assert odd.draws == 20
    assert odd.damaged.rate > 0.9
    assert odd.name in found.why
    assert "RandomResizedCrop" in found.why
    assert f"{odd.damaged.rate:.0%}"[:2] in found.why or str(odd.damaged.count) in found.why
    assert {row.size for row in record.worst[:10]} == {(200, 2000)}

    clean = safeaug.audit(crop, ordinary, draws=2, labels="image").summary(**limits)
    assert clean.verdict == "pass"
    guarded = safeaug.guard(crop, Policy(min_retention=0.5))
    panoramas = safeaug.audit(guarded, [each for each in record_samples(everything) if each.size[1] == 2000], draws=50)
    assert panoramas.summary(max_emptied=0.01, max_damaged=0.01).verdict == "pass"


def record_samples(spec):
    """Return the samples of a data set."""
    return safeaug.auditing.overall.open_data(spec)


def test_a_uniform_sample_misses_it():
    """Ten of 20 010 images: what a look at 200, or 2000, of them shows."""
    share = 10 / 20_010
    rng = np.random.default_rng(1)
    for images in (200, 2000):
        simulated = np.mean([not (rng.permutation(20_010)[:images] < 10).any() for _ in range(2000)])
        assert missed(share, images) == pytest.approx(simulated, abs=0.05)
    assert missed(share, 200) > 0.9
    assert 0.3 < missed(share, 2000) < 0.4
