"""Pipelines that protect masks, audited: they are handed the masks, and what is left is what the pixels show."""

import numpy as np
import pytest

pytest.importorskip("albumentations")

import albumentations as A

import safeaug
from safeaug.data import Sample
from safeaug.dispatch import drawer

BOXES = A.BboxParams("pascal_voc", label_fields=["labels"])


def sample(**more):
    masks = np.zeros((2, 60, 80), np.uint8)
    masks[0, 5:25, 8:20], masks[1, 30:50, 50:75] = 1, 1
    masks[1, 35:45, 55:65] = 0
    image = np.arange(60 * 80 * 3, dtype=np.uint8).reshape(60, 80, 3)
    classes = masks[0] * 3 + masks[1] * 4
    return Sample("a", (60, 80), masks=masks, mask=classes, labels=("cat", "dog"), image=image, **more)


def crops(**options):
    return A.Compose([A.RandomCrop(30, 40), A.HorizontalFlip()], **options)


PIPELINES = {
    "guarded by masks": ("masks", safeaug.guard(crops(), min_retention=0.6, keep="any", protect="masks")),
    "by default, as there are no boxes": ("masks", safeaug.guard(crops(), min_retention=0.6, keep="any")),
    "beside boxes": (
        "masks",
        safeaug.guard(crops(bbox_params=BOXES), min_retention=0.6, keep="any", protect="masks"),
    ),
    "a guarded step": (
        "masks",
        A.Compose([safeaug.albumentations.RandomCrop(30, 40, min_retention=0.6, keep="any", protect="masks")]),
    ),
    "guarded by classes": ("mask", safeaug.guard(crops(), min_retention=0.6, keep="any", protect="mask")),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_what_is_left_is_what_the_pixels_show(name):
    subject, pipeline = PIPELINES[name]
    record = safeaug.audit(pipeline, [sample()], draws=40, protect=subject, worst=40, random=0)
    assert not record.failures
    made = drawer(pipeline, {}, boxes=False)
    for row in record.worst:
        steps, _ = made.trace(sample(), int(row.key, 16), pixels=True)
        shown = steps[-1].sample
        masks = np.asarray(shown["masks"]) if subject == "masks" else np.stack([shown["mask"] == 3, shown["mask"] == 4])
        counts = (masks != 0).sum(axis=(1, 2))
        whole = (sample().masks != 0).sum(axis=(1, 2))
        assert row.final == pytest.approx((counts / whole).tolist(), abs=1e-6)
        kept = max(row.final) if subject == "masks" else counts.sum() / whole.sum()
        assert kept >= 0.6 - 1e-3


def test_a_sample_without_masks_says_so():
    _, pipeline = PIPELINES["guarded by masks"]
    bare = sample()._replace(masks=None, mask=None)
    with pytest.raises(safeaug.PipelineError, match="masks"):
        safeaug.audit(pipeline, [bare], draws=1, protect="picture", pixels=False)
