"""Public bug reports as an audit tells them by rules SA2 to SA7: which rule, at which step; and healthy pipelines, silent."""

import albumentations as A
import numpy as np
import pytest
from PIL import Image

import safeaug
from safeaug.data import Sample
from tests.cases.test_healthy import BOXES, HEALTHY, SIZE, index_mask

PICTURE = np.random.default_rng(3).integers(0, 256, (64, 80, 3), dtype=np.uint8)
UNIT = (PICTURE / 255).astype(np.float32)

CASES = {
    "V1 kornia#2377": ([A.HorizontalFlip(p=1), A.RandomGamma(p=1)], UNIT * 2 - 1, [("SA3.nan", "1 RandomGamma")]),
    "V3 divided twice": ([A.HorizontalFlip(p=1), A.Normalize()], UNIT, [("SA3.scaled_twice", "1 Normalize")]),
    "V5 floats in 0..255": ([A.RandomBrightnessContrast(p=1)], PICTURE.astype(np.float32), [("SA1.flat", "0 RandomBrightnessContrast"), ("SA3.clipped", "0 RandomBrightnessContrast")]),
    "V1 mended": ([A.HorizontalFlip(p=1), A.RandomGamma(p=1)], UNIT, []),
    "V3 mended": ([A.HorizontalFlip(p=1), A.Normalize(max_pixel_value=1.0)], UNIT, []),
    "V5 mended": ([A.RandomBrightnessContrast(p=1)], UNIT, []),
}  # fmt: skip
# ruff: noqa: E501


def found(record):
    return [(each.code, each.step) for each in record.summary().rules.broken]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:invalid value encountered in power")
def test_values_are_judged_at_their_step_and_nothing_else(name):
    steps, image, expected = CASES[name]
    record = safeaug.audit(A.Compose(steps), [Sample("a", image.shape[:2], image=image)], draws=1, rules="all")
    assert found(record) == expected


def test_d5_a_mask_of_ids_that_is_resized_as_a_picture():
    mask = (PICTURE[..., 0] > 128).astype(np.uint8) * 10
    sample = Sample("a", (64, 80), image=PICTURE, mask=mask)
    for interpolation, expected in ((1, [("SA3.labels", "0 Resize")]), (0, [])):
        pipeline = A.Compose([A.Resize(23, 23, mask_interpolation=interpolation)])
        assert found(safeaug.audit(pipeline, [sample], draws=1, rules="all")) == expected


def test_d9_a_yolo_box_by_rounding_outside():
    box = np.array([[0.9 * 80, 0.45 * 64, 80 + 4e-6, 0.55 * 64]])
    sample = Sample("a", (64, 80), image=PICTURE, boxes=box, labels=("x",))
    pipeline = A.Compose([A.HorizontalFlip(p=1)], bbox_params=A.BboxParams("yolo", label_fields=["labels"]))
    assert found(safeaug.audit(pipeline, [sample], draws=1, rules="all")) == []


@pytest.mark.parametrize("orientation", [1, 6])
def test_r5_a_picture_on_its_side_is_audited_upright_and_told(orientation, tmp_path):
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.new("RGB", (40, 20)).save(tmp_path / "a.jpg", exif=exif)
    record = safeaug.audit(A.Compose([A.HorizontalFlip()]), f"folder:{tmp_path}", draws=1, rules="SA7")
    assert found(record) == ([] if orientation == 1 else [("SA7.orientation", "source")])
    assert record.random[0].size == ((20, 40) if orientation == 1 else (40, 20))


def test_r6_ids_of_a_palette_are_read_as_ids_and_the_palette_is_suspect(tmp_path):
    (tmp_path / "masks").mkdir()
    (tmp_path / "images").mkdir()
    Image.fromarray(PICTURE).save(tmp_path / "images" / "a.png")
    mask = Image.new("P", (80, 64), 3)
    mask.putpalette([0, 0, 0] * 256)
    mask.save(tmp_path / "masks" / "a.png")
    record = safeaug.audit(A.Compose([A.HorizontalFlip()]), f"masks:{tmp_path}", draws=1, rules="all")
    assert found(record) == [("SA7.palette", "source")]
    assert record.summary().rules.proved == ()


ALBUMENTATIONS = [name for name in HEALTHY if "albumentations" in name]


@pytest.mark.parametrize("name", ALBUMENTATIONS)
def test_nothing_is_found_in_a_healthy_pipeline(name):
    """Those of `test_healthy` of the host that audits take, on their own pictures, with boxes and masks."""
    row, boxes = HEALTHY[name], np.array(BOXES, np.float64)
    samples = []
    for i in range(40):
        image = row.sample(i)["image"]
        samples.append(Sample(str(i), SIZE, image=image, boxes=boxes, labels=("a", "b", "c"), mask=index_mask(i)))
    record = safeaug.audit(row.pipeline(), samples, draws=1, rules="all")
    rules = record.summary().rules
    assert rules.looked == 40
    assert [str(each) for each in rules.broken] == []
