"""Twenty healthy pipelines, each in the form that its own documentation uses: nothing is found in any of them.

Every value of every sample is looked at, which is more than `watch` does by default. A false alarm is a fault.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import albumentations as A
import kornia.augmentation as K
import numpy as np
import pytest
import skimage.data
import torch
from albumentations.pytorch import ToTensorV2
from PIL import Image
from torchvision import transforms as v1
from torchvision import tv_tensors
from torchvision.transforms import v2

import safeaug

SAMPLES = 200
SIZE = (72, 96)
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
BOXES = ((4, 6, 40, 50), (30, 20, 90, 70), (60, 5, 95, 30))


@functools.cache
def pictures() -> list[Any]:
    """Crops of photographs, some of them with black and white corners."""
    rng, found = np.random.default_rng(11), []
    for name in ("astronaut", "coffee", "chelsea"):
        whole = Image.fromarray(getattr(skimage.data, name)()).resize((240, 180))
        for _ in range(4):
            x, y = int(rng.integers(0, 240 - SIZE[1])), int(rng.integers(0, 180 - SIZE[0]))
            found.append(np.array(whole.crop((x, y, x + SIZE[1], y + SIZE[0]))))
    found[3][:20, :20], found[7][-20:, -20:] = 0, 255
    return found


def picture(i: int) -> Any:
    return pictures()[i % len(pictures())].copy()


def pil(i: int) -> Image.Image:
    return Image.fromarray(picture(i))


def index_mask(i: int) -> Any:
    mask = np.zeros(SIZE, np.uint8)
    mask[10:50, 10:60], mask[30:70, 50:90], mask[:, :3] = 1 + i % 3, 7, 255
    return mask


def tensors(i: int) -> Any:
    return tv_tensors.Image(torch.from_numpy(picture(i)).permute(2, 0, 1))


def detection(i: int) -> tuple[Any, dict[str, Any]]:
    boxes = tv_tensors.BoundingBoxes(BOXES[: 1 + i % 3], format="XYXY", canvas_size=SIZE)
    count = len(boxes)
    target = {"boxes": boxes, "labels": torch.arange(count), "image_id": i, "area": torch.ones(count)}
    return tensors(i), {**target, "iscrowd": torch.zeros(count, dtype=torch.int64)}


def coco(i: int) -> dict[str, Any]:
    rows = [[x0, y0, x1 - x0, y1 - y0] for x0, y0, x1, y1 in BOXES[: 1 + i % 3]]
    return {"image": picture(i), "bboxes": rows, "labels": ["a", "b", "c"][: len(rows)], "ids": list(range(len(rows)))}


def yolo(i: int) -> dict[str, Any]:
    height, width = SIZE
    rows = [
        [(x0 + x1) / 2 / width, (y0 + y1) / 2 / height, (x1 - x0) / width, (y1 - y0) / height]
        for x0, y0, x1, y1 in BOXES
    ]
    return {"image": picture(i), "bboxes": np.array(rows), "labels": np.arange(3)}


def instances(i: int) -> dict[str, Any]:
    masks = []
    for x0, y0, x1, y1 in BOXES:
        mask = np.zeros(SIZE, np.uint8)
        mask[y0:y1, x0:x1] = 1
        masks.append(mask)
    return {"image": picture(i), "masks": masks, "bboxes": [list(box) for box in BOXES], "labels": [1, 2, 3]}


class Two:
    """Two views of one picture."""

    def __init__(self, transform: Any) -> None:
        self.transform = transform

    def __call__(self, image: Any) -> Any:
        return self.transform(image), self.transform(image)


class Folder(torch.utils.data.Dataset):
    """What everybody writes: pictures, a transform, labels."""

    def __init__(self, transform: Any = None, source: Callable[[int], Any] = pil) -> None:
        self.transform, self.source = transform, source

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, i: int) -> Any:
        image = self.source(i)
        return (self.transform(image) if self.transform else image), i % 10


class Plain(torch.utils.data.Dataset):
    """From Pillow to numpy to torch, by hand."""

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, i: int) -> Any:
        array = np.asarray(pil(i).convert("RGB").resize((64, 64)))
        return torch.from_numpy(array.copy()).permute(2, 0, 1).float() / 255, i % 10


class Healthy(NamedTuple):
    """A pipeline, and what it is called with: one thing, several, or names."""

    pipeline: Callable[[], Any]
    sample: Callable[[int], Any]
    spread: str = ""


def normalised():
    return [v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, DEVIATION)]


class RandomResizedCropAndInterpolation(v1.RandomResizedCrop):
    """As timm's: a crop of v1 that draws how it is interpolated, too."""

    def forward(self, img):
        self.interpolation = (v1.InterpolationMode.BILINEAR, v1.InterpolationMode.BICUBIC)[int(torch.randint(2, ()))]
        return super().forward(img)


def heat(i):
    target = np.zeros(SIZE, np.float32)
    target[20 + i % 9, 30] = 1
    return tensors(i), tv_tensors.Mask(torch.from_numpy(target)[None])


def batch(i, channels=3):
    return torch.stack([torch.from_numpy(picture(i + j)).permute(2, 0, 1).float() / 255 for j in range(2)])


def keyed(i):
    corners = [[[x0, y0], [x1, y0], [x1, y1], [x0, y1]] for x0, y0, x1, y1 in BOXES]
    boxes = torch.tensor([corners, corners], dtype=torch.float32)
    masks = torch.from_numpy(index_mask(i) == 7).float().expand(2, 1, *SIZE).clone()
    return batch(i), boxes, masks


TRIVIAL = [v2.RandomResizedCrop(64, antialias=True), v2.RandomHorizontalFlip(), v2.TrivialAugmentWide()]
SSL = [
    v2.RandomResizedCrop(48, antialias=True),
    v2.RandomApply([v2.ColorJitter(0.4, 0.4, 0.2, 0.1)], p=0.8),
    v2.RandomGrayscale(p=0.2),
    v2.GaussianBlur(9),
    v2.ToImage(),
    *normalised(),
]
BOXED = {"label_fields": ["labels"]}

HEALTHY: dict[str, Healthy] = {
    "01 classification, training": Healthy(lambda: v2.Compose([*TRIVIAL, v2.PILToTensor(), *normalised(), v2.RandomErasing(0.1)]), pil),
    "02 classification, evaluation": Healthy(lambda: v2.Compose([v2.Resize(64, antialias=True), v2.CenterCrop(56), v2.PILToTensor(), *normalised()]), pil),
    "03 detection": Healthy(lambda: v2.Compose([v2.RandomHorizontalFlip(), v2.ToDtype(torch.float, scale=True), v2.ToPureTensor()]), detection, "*"),
    "04 segmentation": Healthy(lambda: v2.Compose([v2.RandomResize(60, 120, antialias=True), v2.RandomHorizontalFlip(), v2.RandomCrop(56, pad_if_needed=True, fill={tv_tensors.Image: 0, tv_tensors.Mask: 255}), v2.ToDtype({tv_tensors.Image: torch.float32, tv_tensors.Mask: torch.int64, "others": None}, scale=True), v2.Normalize(MEAN, DEVIATION)]), lambda i: (tensors(i), tv_tensors.Mask(torch.from_numpy(index_mask(i)))), "*"),
    "05 CIFAR": Healthy(lambda: v1.Compose([v1.RandomCrop(32, padding=4), v1.RandomHorizontalFlip(), v1.ToTensor(), v1.Normalize(MEAN, DEVIATION)]), lambda i: pil(i).resize((32, 32))),
    "06 timm": Healthy(lambda: v1.Compose([RandomResizedCropAndInterpolation(64), v1.RandomHorizontalFlip(), v1.ToTensor(), v1.Normalize(MEAN, DEVIATION)]), pil),
    "07 two views": Healthy(lambda: Two(safeaug.watch(v2.Compose(SSL), every=1, on_fault="record")), pil),
    "08 albumentations, classification": Healthy(lambda: A.Compose([A.RandomResizedCrop((64, 64)), A.HorizontalFlip(), A.RandomBrightnessContrast(), A.Normalize(), ToTensorV2()]), lambda i: {"image": picture(i)}, "**"),
    "09 albumentations, detection": Healthy(lambda: A.Compose([A.RandomSizedBBoxSafeCrop(64, 64), A.HorizontalFlip(), A.HueSaturationValue(), A.Normalize()], bbox_params=A.BboxParams("coco", label_fields=["labels", "ids"])), coco, "**"),
    "10 albumentations, letterbox": Healthy(lambda: A.Compose([A.LongestMaxSize(80), A.PadIfNeeded(80, 80), A.Affine(scale=(0.8, 1.2), rotate=(-10, 10), p=0.7), A.Normalize()], bbox_params=A.BboxParams("yolo", **BOXED)), yolo, "**"),
    "11 albumentations, segmentation": Healthy(lambda: A.Compose([A.RandomCrop(56, 56), A.RandomRotate90(), A.GridDistortion(), A.Normalize()]), lambda i: {"image": picture(i), "mask": index_mask(i).astype(np.int64)}, "**"),
    "12 albumentations, instances": Healthy(lambda: A.Compose([A.RandomResizedCrop((64, 64))], bbox_params=A.BboxParams("pascal_voc", **BOXED)), instances, "**"),
    "13 albumentations, keypoints": Healthy(lambda: A.Compose([A.SafeRotate(), A.HorizontalFlip(), A.Normalize()], keypoint_params=A.KeypointParams("xy", remove_invisible=False)), lambda i: {"image": picture(i), "keypoints": [(10, 12), (50, 60), (90, 3)]}, "**"),
    "14 albumentations, floats": Healthy(lambda: A.Compose([A.RandomGamma(p=0.5), A.GaussNoise(p=0.5)]), lambda i: {"image": picture(i).astype(np.float32) / 255}, "**"),
    "15 albumentations, grey": Healthy(lambda: A.Compose([A.CLAHE(p=0.5), A.Affine(rotate=(-15, 15), p=0.5)]), lambda i: {"image": picture(i)[..., 1]}, "**"),
    "16 albumentations, depth": Healthy(lambda: A.Compose([A.RandomCrop(48, 48), A.HorizontalFlip(), A.Normalize()], additional_targets={"depth": "mask"}), lambda i: {"image": picture(i), "depth": picture(i)[..., 0].astype(np.uint16) * 40}, "**"),
    "17 kornia, targets": Healthy(lambda: K.AugmentationSequential(K.RandomResizedCrop((48, 48)), K.RandomHorizontalFlip(), K.ColorJiggle(0.2, 0.2, 0.2, 0.1), data_keys=["input", "bbox", "mask"]), keyed, "*"),
    "18 kornia, one draw": Healthy(lambda: K.AugmentationSequential(K.RandomAffine(15.0, same_on_batch=True), K.RandomHorizontalFlip(same_on_batch=True), K.RandomGaussianNoise(0.0, 0.05, same_on_batch=True), data_keys=["input"], same_on_batch=True), batch),
    "20 heat maps": Healthy(lambda: v2.Compose([v2.RandomHorizontalFlip(), v2.RandomVerticalFlip()]), heat, "*"),
}  # fmt: skip
# ruff: noqa: E501


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_found_in_a_healthy_pipeline(name):
    row = HEALTHY[name]
    torch.manual_seed(3)
    plain = row.pipeline()
    watched = plain if isinstance(plain, Two) else safeaug.watch(plain, every=1, on_fault="record")
    for i in range(SAMPLES):
        sample = row.sample(i)
        watched(**sample) if row.spread == "**" else watched(*sample) if row.spread == "*" else watched(sample)
    report = (watched.transform if isinstance(plain, Two) else watched).report()
    assert [str(fault) for fault in report["faults"]] == []
    assert report["suspects"] == []


@pytest.mark.parametrize(
    "make",
    [
        Plain,
        lambda: Folder(HEALTHY["01 classification, training"].pipeline()),
        lambda: Folder(Two(v2.Compose(SSL))),
        lambda: Folder(None),
    ],
    ids=["19 by hand", "01 of a folder", "07 of a folder", "pictures alone"],
)
def test_nothing_is_found_in_a_healthy_data_set(make):
    watched = safeaug.watch(make(), every=1, on_fault="record")
    for i in range(SAMPLES):
        watched[i]
    report = watched.report()
    assert [str(fault) for fault in report["faults"]] == []
    assert report["suspects"] == []
