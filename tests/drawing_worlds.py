"""Samples without pictures, and pipelines of every kind, for draws that are made without pixels."""

import albumentations as A
import numpy as np

from safeaug.data import Sample


def sample(number, rng, most=8):
    """Return a picture of any shape with boxes of any size, half of them on whole pixels, some flush with its sides."""
    height, width = (int(side) for side in rng.integers(40, 700, 2))
    count = int(rng.integers(0, most + 1))
    corners = np.sort(rng.uniform(-0.1, 1.1, (count, 2, 2)), axis=1) * [width, height]
    if rng.random() < 0.5:
        corners = np.round(corners)
    boxes = np.clip(corners.reshape(count, 4), 0, [width, height, width, height])
    boxes = boxes[(boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])]
    labels = tuple(f"class {i % 3}" for i in range(len(boxes)))
    return Sample(str(number), (height, width), boxes=boxes, labels=labels, ignore=np.zeros(len(boxes), bool))


def samples(count, seed=0):
    """Return some of them."""
    rng = np.random.default_rng(seed)
    return [sample(number, rng) for number in range(count)]


def keys(count, draws, seed=0):
    """Return the keys of as many draws of each."""
    return np.random.default_rng(seed).integers(0, 2**64, (count, draws), dtype=np.uint64)


def compose(steps, **filters):
    """Return a pipeline of detection."""
    return A.Compose(steps, bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"], **filters))


def crop(**given):
    """Return the crop that everybody uses."""
    return A.RandomResizedCrop((224, 224), **given)


def affine(**given):
    """Return a strong affine map."""
    return A.Affine(rotate=(-40, 40), scale=(0.6, 1.4), translate_percent=(-0.3, 0.3), shear=(-10, 10), **given)


def boxes_as(kind, fields=("labels",), **filters):
    """Return how boxes are handed over in another format."""
    return A.BboxParams(kind, label_fields=list(fields), **filters)


IN_NUMBERS = {
    "crop": lambda: compose([crop()]),
    "usual": lambda: compose(
        [crop(scale=(0.05, 1)), A.HorizontalFlip(p=0.5), A.HueSaturationValue(p=0.5), affine(p=0.5), A.Normalize()]
    ),
    "visibility": lambda: compose([crop(), A.HorizontalFlip(), affine(p=0.7)], min_visibility=0.3),
    "areas": lambda: compose(
        [crop(), A.RandomRotate90(), A.D4(), A.Transpose(), A.SquareSymmetry()],
        min_area=300, min_width=5, min_height=9,
    ),
    "coco": lambda: A.Compose(
        [A.RandomSizedCrop((30, 40), (100, 120)), A.VerticalFlip()], bbox_params=boxes_as("coco", ("a", "b"))
    ),
    "yolo": lambda: A.Compose(
        [A.SmallestMaxSize(300), A.RandomCrop(200, 200), A.Affine(translate_px=(-40, 40), keep_ratio=True, p=1.0)],
        bbox_params=boxes_as("yolo", ()),
    ),
    "composes": lambda: A.Compose(
        [
            A.OneOf([crop(), A.CenterCrop(30, 30), A.Blur()], p=0.8),
            A.SomeOf([A.HorizontalFlip(), affine(p=1.0), A.Rotate(45, p=1.0)], n=2, p=0.9),
        ],
        p=0.8,
        bbox_params=boxes_as("albumentations", clip=True),
    ),
    "orders": lambda: compose(
        [
            A.RandomOrder([A.HorizontalFlip(), crop(p=1.0), affine(p=1.0)], n=2),
            A.OneOrOther(A.VerticalFlip(), A.RandomCrop(20, 20)),
            A.Compose([A.HorizontalFlip(), A.RandomScale(p=0.5)], p=0.5),
            A.Sequential([A.RandomCropFromBorders(p=0.5), A.LongestMaxSize(300)], p=0.5),
        ],
        min_visibility=0.1,
    ),
    "no filter between": lambda: compose([A.Crop(0, 0, 20, 20), affine(p=1.0)], check_each_transform=False),
    "keypoints alone between": lambda: A.Compose(
        [crop(scale=(0.05, 0.5), p=0.7), affine(p=1.0)],
        bbox_params=boxes_as("coco", check_each_transform=False, min_visibility=0.2),
        keypoint_params=A.KeypointParams("xy"),
    ),
    "all to be seen": lambda: A.Compose(
        [A.VerticalFlip(), A.RandomScale(p=0.5), A.Transpose(p=0.5)],
        bbox_params=boxes_as("yolo", min_visibility=1.0),
    ),
    "flush": lambda: compose([A.Crop(0, 0, 20, 20), affine(p=1.0)]),
    "next to nothing": lambda: compose([A.Affine(rotate=(-1e-9, 1e-9), p=1.0), crop(), A.Resize(50, 70)]),
    "room for all": lambda: compose([A.Affine(rotate=(-30, 30), fit_output=True, p=0.5), A.RandomCrop(30, 30)]),
    "no boxes": lambda: A.Compose([crop(), affine(p=0.5), A.Perspective(p=1.0)]),
    "one step": lambda: A.RandomCrop(20, 20),
    "one of": lambda: A.OneOf([crop(), A.HorizontalFlip()]),
    "nothing": lambda: compose([A.Blur(), A.Normalize()]),
    "no step": lambda: compose([]),
}  # fmt: skip
"""Pipelines whose draws are told in numbers."""

BY_THE_HOST = {
    "padded": lambda: compose([A.PadIfNeeded(400, 400), A.RandomCrop(256, 256, pad_if_needed=True)]),
    "holes": lambda: compose([crop(), A.CoarseDropout(p=0.5)]),
    "perspective": lambda: compose([A.Sequential([crop(p=0.5), A.Perspective((0.05, 0.2), p=0.7)], p=0.9)]),
    "mirrored borders": lambda: compose([A.Affine(scale=(0.4, 0.9), border_mode=2, p=1.0)]),
    "safe": lambda: compose([A.BBoxSafeRandomCrop(), A.HorizontalFlip()]),
    "long ones": lambda: compose([crop()], max_accept_ratio=3.0),
    "clipped to nothing": lambda: A.Compose(
        [A.RandomCrop(60, 60, p=0.5)], bbox_params=boxes_as("coco", check_each_transform=False)
    ),
    "too large": lambda: compose([A.RandomCrop(200, 200)]),
    "warped": lambda: compose([A.GridDistortion(p=1.0), A.RandomCrop(30, 30)]),
}
"""Pipelines of which some draws, or all, are the host's to tell."""
