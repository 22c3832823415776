"""Public bug reports N, V and D as tripwires tell them: which rule, at which step, and nothing else."""

import contextlib
from collections.abc import Callable
from typing import Any, NamedTuple

import albumentations as A
import cv2
import kornia.augmentation as K
import numpy as np
import pytest
import torch
from torch.utils.data import default_collate
from torchvision import tv_tensors
from torchvision.transforms import v2

import safeaug
from safeaug.errors import Fault

PICTURE = np.random.default_rng(3).integers(0, 256, (64, 80, 3), dtype=np.uint8)
UNIT = (PICTURE / 255).astype(np.float32)
TENSOR = tv_tensors.Image(torch.from_numpy(PICTURE).permute(2, 0, 1))
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
IDS = tv_tensors.Image((torch.arange(64 * 80).reshape(1, 64, 80) % 160 > 80).to(torch.uint8) * 10)
TYPED = tv_tensors.BoundingBoxes([[5, 5, 20, 20]], format="XYXY", canvas_size=(64, 80))


class Case(NamedTuple):
    """A report: what is watched, what it is called with, and what is found where; and the same, mended."""

    name: str
    pipeline: Callable[[], Any]
    given: Any
    found: list[tuple[str, str]]
    mended: tuple[Callable[[], Any], Any] | None = None


def speckled():
    image = torch.from_numpy(UNIT).permute(2, 0, 1).clone()
    image[0, 30, 30] = torch.nan
    return image


def floats(*steps):
    return v2.Compose(
        [v2.ToImage(), v2.ToDtype(torch.float32, **({"scale": True} if steps else {})), v2.Normalize(MEAN, DEVIATION)]
    )


CASES = [
    Case("N5 torchvision", lambda: v2.Compose([v2.RandomHorizontalFlip(1.0)]), (None,), [("SA2.none", "input")], (lambda: v2.Compose([v2.RandomHorizontalFlip(1.0)]), (TENSOR,))),
    Case("N5 torchvision, in a mapping", lambda: v2.Compose([v2.RandomHorizontalFlip(1.0)]), ({"image": None},), [("SA2.none", "input")]),
    Case("N5 albumentations", lambda: A.Compose([A.HorizontalFlip(p=0.0)]), {"image": None}, [("SA2.none", "input")], (lambda: A.Compose([A.HorizontalFlip(p=0.5)]), {"image": PICTURE})),
    Case("V1 kornia#2377", lambda: A.Compose([A.HorizontalFlip(p=1), A.RandomGamma(p=1)]), {"image": UNIT * 2 - 1}, [("SA3.nan", "1 RandomGamma")], (lambda: A.Compose([A.HorizontalFlip(p=1), A.RandomGamma(p=1)]), {"image": UNIT})),
    Case("V2 a NaN spreads", lambda: v2.Compose([v2.RandomHorizontalFlip(1.0), v2.GaussianBlur(9)]), (speckled(),), [("SA3.nan", "input")], (lambda: v2.Compose([v2.RandomHorizontalFlip(1.0), v2.GaussianBlur(9)]), (speckled().nan_to_num(),))),
    Case("V3 divided twice", lambda: A.Compose([A.HorizontalFlip(p=1), A.Normalize()]), {"image": UNIT}, [("SA3.scaled_twice", "1 Normalize")], (lambda: A.Compose([A.HorizontalFlip(p=1), A.Normalize(max_pixel_value=1.0)]), {"image": UNIT})),
    Case("V4 vision#8984", lambda: floats(), (PICTURE,), [("SA3.range", "2 Normalize")], (lambda: floats("scaled"), (PICTURE,))),
    Case("V5 floats in 0..255", lambda: A.Compose([A.RandomBrightnessContrast(p=1)]), {"image": PICTURE.astype(np.float32)}, [("SA3.clipped", "0 RandomBrightnessContrast"), ("SA1.flat", "0 RandomBrightnessContrast")], (lambda: A.Compose([A.RandomBrightnessContrast(p=1)]), {"image": UNIT})),
    Case("V6 vision#8782", lambda: v2.Compose([v2.ToPILImage()]), (torch.tensor([200.0, 255.0]).reshape(1, 1, 2),), [("SA3.wrapped", "0 ToPILImage")], (lambda: v2.Compose([v2.ToPILImage()]), (torch.tensor([200.0, 255.0]).reshape(1, 1, 2) / 255,))),
    Case("D1 vision#8720", lambda: v2.Compose([v2.RandomHorizontalFlip(1.0)]), (TENSOR, torch.tensor([[5.0, 5, 20, 20]])), [("SA5.unmoved", "0 RandomHorizontalFlip")], (lambda: v2.Compose([v2.RandomHorizontalFlip(1.0)]), (TENSOR, TYPED))),
    Case("D1 with a mask", lambda: v2.Compose([v2.RandomHorizontalFlip(1.0), v2.ColorJitter(0.5)]), ({"image": TENSOR, "mask": torch.zeros(64, 80, dtype=torch.int64)},), [("SA5.unmoved", "0 RandomHorizontalFlip")], (lambda: v2.Compose([v2.RandomHorizontalFlip(1.0), v2.ColorJitter(0.5)]), ({"image": TENSOR, "mask": tv_tensors.Mask(torch.zeros(64, 80, dtype=torch.int64))},))),
    Case("D3 bbox_params missing", lambda: A.Compose([A.HorizontalFlip(p=1)]), {"image": PICTURE[:10], "bboxes": np.array([[0, 0, 5, 5]])}, [("SA5.unknown", "input")], (lambda: A.Compose([A.HorizontalFlip(p=1)], bbox_params=A.BboxParams("pascal_voc")), {"image": PICTURE[:10], "bboxes": np.array([[0, 0, 5, 5]])})),
    Case("D4 misspelt key", lambda: A.Compose([A.HorizontalFlip(p=1)]), {"image": PICTURE, "msk": PICTURE[..., 0]}, [("SA5.unknown", "input")], (lambda: A.Compose([A.HorizontalFlip(p=1)]), {"image": PICTURE, "mask": PICTURE[..., 0]})),
    Case("D5 a mask of ids, resized as a picture", lambda: v2.Compose([v2.Resize((5, 5))]), ({"image": TENSOR, "mask": IDS},), [("SA3.labels", "0 Resize")], (lambda: v2.Compose([v2.Resize((5, 5))]), ({"image": TENSOR, "mask": tv_tensors.Mask(IDS)},))),
    Case("D8 y2 < y1", lambda: v2.Compose([v2.ColorJitter(0.5)]), (TENSOR, tv_tensors.BoundingBoxes([[5, 20, 20, 5]], format="XYXY", canvas_size=(64, 80))), [("SA4.degenerate", "input")], (lambda: v2.Compose([v2.ColorJitter(0.5)]), (TENSOR, TYPED))),
    Case("D9 albumentations#459", lambda: A.Compose([A.HorizontalFlip(p=1)], bbox_params=A.BboxParams("yolo")), {"image": PICTURE, "bboxes": [[0.95, 0.5, 0.1000001, 0.1]]}, []),
    Case("C7 boxes without area", lambda: v2.Compose([v2.CenterCrop(40)]), (TENSOR, tv_tensors.BoundingBoxes([[0, 0, 5, 5], [20, 12, 60, 52]], format="XYXY", canvas_size=(64, 80))), [("SA4.degenerate", "0 CenterCrop")], (lambda: v2.Compose([v2.CenterCrop(40), v2.SanitizeBoundingBoxes(labels_getter=None)]), (TENSOR, tv_tensors.BoundingBoxes([[0, 0, 5, 5], [20, 12, 60, 52]], format="XYXY", canvas_size=(64, 80))))),
]  # fmt: skip
# ruff: noqa: E501


def told(pipeline, given):
    watched = safeaug.watch(pipeline, on_fault="record")
    with contextlib.suppress(AttributeError, TypeError, ValueError):  # the host may fail over it, later
        watched(**given) if isinstance(given, dict) else watched(*given)
    return [(fault.rule, fault.step) for fault in watched.report()["faults"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.filterwarnings("ignore:invalid value encountered in power")
def test_it_is_found_at_its_step_and_nothing_else(case):
    assert told(case.pipeline(), case.given) == case.found


@pytest.mark.parametrize("case", [case for case in CASES if case.mended], ids=lambda case: case.name)
def test_nothing_is_found_once_it_is_mended(case):
    make, given = case.mended
    assert told(make(), given) == []


class Cropped:
    """D2, albumentations#397: picture and mask are cropped by two calls, or by one."""

    def __init__(self, together):
        self.transform, self.together = v2.RandomCrop(8), together

    def __len__(self):
        return 16

    def __getitem__(self, i):
        mask = tv_tensors.Mask(IDS)
        return self.transform(TENSOR, mask) if self.together else (self.transform(TENSOR), self.transform(mask))


@pytest.mark.parametrize("together", [False, True])
def test_d2_two_calls_are_two_draws(together):
    watched = safeaug.watch(Cropped(together), on_fault="record")
    list(watched)
    found = [fault.rule for fault in watched.report()["faults"]]
    assert set(found) == (set() if together else {"SA5.apart"})
    assert len(found) == 0 if together else len(found) >= 12


def test_n2_a_none_in_a_batch():
    with pytest.raises(Fault, match=r"SA2.none: \[1\] is None") as caught:
        safeaug.watch(default_collate)([(torch.ones(3), None), (torch.ones(3), None)])
    assert caught.value.sample == "sample 0 of the batch"


@pytest.mark.parametrize("there", [True, False])
def test_n4_a_picture_that_is_not_there(there, tmp_path):
    read, path = safeaug.watch(cv2.imread), str(tmp_path / "a.png")
    if there:
        cv2.imwrite(path, PICTURE)
        assert np.array_equal(read(path), PICTURE)
    else:
        with pytest.raises(Fault) as caught:
            read(path)
        assert (caught.value.rule, caught.value.step) == ("SA2.none", "imread")


def test_n6_a_map_that_returns_nothing():
    mapped = safeaug.watch(lambda batch: None)
    with pytest.raises(Fault, match=r"SA2.none"):
        mapped({"a": [1, 2]})


@pytest.mark.parametrize(
    ("make", "image", "found"),
    [
        (lambda: K.RandomCrop((10, 10)), torch.ones(1, 3, 6, 8), [("SA4.crop", "0 RandomCrop")]),
        (lambda: K.RandomCrop((10, 10)), torch.ones(1, 3, 12, 10), []),
        (lambda: K.RandomCrop((10, 10), pad_if_needed=True), torch.ones(1, 3, 6, 8), []),
        (lambda: v2.Compose([v2.RandomHorizontalFlip(), v2.CenterCrop(72)]), TENSOR, [("SA4.crop", "1 CenterCrop")]),
        (lambda: v2.RandomCrop(72, padding=4), TENSOR, []),
    ],
    ids=["kornia", "kornia, in a larger one", "kornia, padded", "torchvision", "torchvision, padded"],
)
def test_c14_a_crop_larger_than_its_picture(make, image, found):
    assert told(make(), (image,)) == found
