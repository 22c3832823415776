"""The recipes of safeaug/RECIPES.md: other people's pipelines, guarded; what they promise is told from pixels."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils.data import DataLoader
from torchvision import tv_tensors
from torchvision.datasets import ImageFolder
from torchvision.transforms import v2
from torchvision.transforms.functional import InterpolationMode

import safeaug as sa
from tests.handing_worlds import BOX, WIDE, bytes_of, folder_of, painted, share_of, window_shown

KEPT = 0.47
"""What half of the object is at least, told from eight bits for two thousand columns."""


def corner_kept(image: Any) -> float:
    return share_of(BOX, window_shown(image, WIDE))


@pytest.fixture(scope="module")
def panoramas(tmp_path_factory: Any) -> str:
    return folder_of(tmp_path_factory.mktemp("panoramas"), [painted(*WIDE)] * 6)


# timm.


def timm_transform(**given: Any) -> Any:
    data = pytest.importorskip("timm.data", reason="timm is not installed")
    return data.create_transform(input_size=224, is_training=True, **given)


@pytest.mark.parametrize("interpolation", ["random", "bicubic"])
def test_timm(panoramas: str, interpolation: str) -> None:
    colourless = {
        "color_jitter": None,
        "mean": (0.0,) * 3,
        "std": (1.0,) * 3,
    }  # for then pixels say where they are from
    plain = ImageFolder(panoramas, timm_transform(**colourless, interpolation=interpolation))
    assert np.mean([corner_kept(image * 255) < 0.4 for _ in range(5) for image, _ in plain]) > 0.85
    train = sa.guard(timm_transform(**colourless, interpolation=interpolation), min_retention=0.5)
    data = sa.with_content(ImageFolder(panoramas, train), boxes=lambda i: [BOX])
    for _ in range(10):
        for image, _ in data:
            assert image.shape == (3, 224, 224)
            assert corner_kept(image * 255) > KEPT
    assert set(train.report()["pipeline"]) <= {"FIRST", "MOVED", "RESIZED", "REDRAWN"}


def test_timm_as_it_comes(panoramas: str) -> None:
    train = sa.guard(timm_transform(), min_retention=0.5)
    data = sa.with_content(ImageFolder(panoramas, train), boxes=lambda i: [BOX])
    for images, labels in DataLoader(data, batch_size=2, num_workers=2, multiprocessing_context="fork"):
        assert images.shape == (2, 3, 224, 224)
        assert labels.shape == (2,)
    report = train.report()["pipeline"]
    assert sum(report.values()) == 6
    assert set(report) <= {"FIRST", "MOVED", "RESIZED", "REDRAWN"}


def test_timm_with_what_nobody_can_follow(panoramas: str) -> None:
    """Its RandAugment and erasing come after the crop, which keeps the object; of what they do nothing is promised."""
    train = sa.guard(timm_transform(auto_augment="rand-m9-mstd0.5-inc1", re_prob=0.5), min_retention=0.5)
    data = sa.with_content(ImageFolder(panoramas, train), boxes=lambda i: [BOX])
    for image, _ in data:
        assert image.shape == (3, 224, 224)
    report = train.report()
    assert sum(report["pipeline"].values()) == 6
    assert report["pipeline"].get("UNMET", 0) == 0
    assert set(report["0 RandomResizedCropAndInterpolation"]) <= {"FIRST", "MOVED", "RESIZED", "REDRAWN"}


# torchvision's reference scripts.


def classification(*further: Any) -> v2.Compose:
    """Return the steps of the classification reference's training preset, without its colours."""
    return v2.Compose(
        [
            v2.RandomResizedCrop(224, interpolation=InterpolationMode.BILINEAR, antialias=True),
            v2.RandomHorizontalFlip(0.5),
            *further,
            v2.PILToTensor(),
            v2.ToDtype(torch.float, scale=True),
            v2.Normalize(mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225)),
            v2.ToPureTensor(),
        ]
    )


def coloured(image: torch.Tensor) -> torch.Tensor:
    """Return a normalised image in colours from 0 to 255."""
    mean, std = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
    return (image * std[:, None, None] + mean[:, None, None]) * 255


def test_the_classification_reference(panoramas: str) -> None:
    torch.manual_seed(0)
    plain = ImageFolder(panoramas, classification())
    assert np.mean([corner_kept(coloured(image)) < 0.4 for _ in range(5) for image, _ in plain]) > 0.85
    train = sa.guard(classification(), min_retention=0.5)
    data = sa.with_content(ImageFolder(panoramas, train), boxes=lambda i: [BOX])
    for _ in range(10):
        for image, _ in data:
            assert image.dtype == torch.float32
            assert corner_kept(coloured(image)) > KEPT
    assert set(train.report()["pipeline"]) <= {"FIRST", "MOVED", "RESIZED", "REDRAWN"}


@pytest.mark.parametrize("policy", [v2.TrivialAugmentWide(), v2.RandAugment(), v2.AutoAugment()])
def test_the_classification_reference_with_its_policies(policy: Any, panoramas: str) -> None:
    """What they move is measured or UNGUARDED; the crop before them keeps the object."""
    train = sa.guard(classification(policy), min_retention=0.5)
    data = sa.with_content(ImageFolder(panoramas, train), boxes=lambda i: [BOX])
    torch.manual_seed(0)
    for _ in range(3):
        for image, _ in data:
            assert image.shape == (3, 224, 224)
    report = train.report()
    assert report["pipeline"].get("UNMET", 0) == 0
    assert set(report["0 RandomResizedCrop"]) <= {"FIRST", "MOVED", "RESIZED", "REDRAWN"}


SCENE = (300, 400)
SCENE_BOXES = [[10.0, 20, 70, 90], [300, 200, 390, 290], [150, 100, 200, 140]]


def detection(name: str) -> v2.Compose:
    """Return the steps of one of the detection reference's training presets, without its colours."""
    fill: Any = defaultdict(lambda: 0, {tv_tensors.Mask: 0})
    moving = {
        "hflip": [v2.RandomHorizontalFlip(0.5)],
        "lsj": [
            v2.ScaleJitter(target_size=(256, 256), antialias=True),
            v2.RandomCrop((256, 256), pad_if_needed=True, fill=fill),  # the script's FixedSizeCrop
            v2.RandomHorizontalFlip(0.5),
        ],
        "multiscale": [v2.RandomShortestSize((180, 220, 260), max_size=400), v2.RandomHorizontalFlip(0.5)],
        "ssd": [v2.RandomZoomOut(fill=fill), v2.RandomIoUCrop(), v2.RandomHorizontalFlip(0.5)],
        "ssdlite": [v2.RandomIoUCrop(), v2.RandomHorizontalFlip(0.5)],
    }[name]
    ends = [v2.PILToTensor(), v2.ToDtype(torch.float, scale=True), v2.ConvertBoundingBoxFormat("XYXY")]
    return v2.Compose([*moving, *ends, v2.SanitizeBoundingBoxes(), v2.ToPureTensor()])


@pytest.mark.parametrize("name", ["hflip", "lsj", "multiscale", "ssd", "ssdlite"])
def test_the_detection_reference(name: str) -> None:
    """An object is kept or gone with its label, and one at least is kept: what detection means."""
    train = sa.guard(detection(name), sa.Policy.detection())
    picture = Image.fromarray(bytes_of(painted(*SCENE)))
    torch.manual_seed(0)
    broken = 0
    for _ in range(80):
        target = {
            "boxes": tv_tensors.BoundingBoxes(SCENE_BOXES, format="XYXY", canvas_size=SCENE),
            "labels": torch.tensor([1, 2, 3]),
            "image_id": 7,
        }
        image, out = train(picture, target)
        window = window_shown(image * 255, SCENE)
        shares = [share_of(box, window) for box in SCENE_BOXES]
        kept, gone = [share > 0.47 for share in shares], [share < 0.08 for share in shares]
        broken += not (any(kept) and all(a or b for a, b in zip(kept, gone, strict=True)))
        assert out["image_id"] == 7
        assert len(out["boxes"]) == len(out["labels"])
        assert {label for label, is_kept in zip((1, 2, 3), kept, strict=True) if is_kept} <= set(out["labels"].tolist())
    report = train.report()["pipeline"]
    assert sum(report.values()) == 80
    assert broken <= report.get("UNMET", 0) <= 8
    assert report.get("UNGUARDED", 0) == 0


# Hugging Face.


def scenes() -> Any:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    pictures = [Image.fromarray(bytes_of(painted(*WIDE)))] * 6
    return datasets.Dataset.from_dict(
        {
            "image": pictures,
            "objects": [{"bbox": [[20.0, 50, 100, 100]], "category": [3]}] * 6,
            "label": list(range(6)),
        },
        features=datasets.Features(
            {
                "image": datasets.Image(),
                "objects": {
                    "bbox": datasets.List(datasets.List(datasets.Value("float32"))),
                    "category": datasets.List(datasets.Value("int64")),
                },
                "label": datasets.Value("int64"),
            }
        ),
    )


def cropped() -> v2.Compose:
    return v2.Compose([v2.RandomResizedCrop(224), v2.RandomHorizontalFlip(), v2.ToImage()])


def test_hugging_face_with_objects_in_the_rows() -> None:
    """The boxes stand in the rows, so the pipeline is simply called with them."""
    data, train = scenes(), sa.guard(cropped(), min_retention=0.5)

    def augment(rows: dict[str, list[Any]]) -> dict[str, list[Any]]:
        pixels, boxes = [], []
        for image, objects in zip(rows["image"], rows["objects"], strict=True):
            given = tv_tensors.BoundingBoxes(objects["bbox"], format="XYWH", canvas_size=(image.height, image.width))
            image, given = train(image, given)
            pixels.append(image)
            boxes.append(given)
        return {"pixels": pixels, "boxes": boxes, "label": rows["label"]}

    data.set_transform(augment)
    for _ in range(5):
        for row in data:
            assert corner_kept(row["pixels"]) > KEPT
            assert row["boxes"].shape == (1, 4)
    batch = data[:4]  # a whole batch goes through the function at once
    assert batch["label"] == [0, 1, 2, 3]
    assert min(map(corner_kept, batch["pixels"])) > KEPT


def test_hugging_face_with_objects_of_ones_own() -> None:
    """The rows have no boxes, and the transform sees the image alone: they are handed over by index."""
    train = sa.guard(cropped(), min_retention=0.5)

    def augment(rows: dict[str, list[Any]]) -> dict[str, list[Any]]:
        return {"pixels": [train(image) for image in rows["image"]], "label": rows["label"]}

    rows = scenes().remove_columns("objects").with_transform(augment)
    data = sa.with_content(rows, boxes=lambda i: [BOX])  # last: what select, shuffle, map return is without content
    assert data.column_names == ["image", "label"]
    labels = []
    for batch in DataLoader(data, batch_size=2, shuffle=True, num_workers=2, multiprocessing_context="fork"):
        assert min(map(corner_kept, batch["pixels"])) > KEPT
        labels += batch["label"].tolist()
    assert sorted(labels) == list(range(6))
    assert set(train.report()["pipeline"]) <= {"FIRST", "MOVED", "RESIZED", "REDRAWN"}


# Crops by hand, as in detectron2 and the like.


def crop(
    image: np.ndarray, instances: list[dict[str, Any]], size: tuple[int, int], policy: sa.Policy, rng: Any
) -> tuple[np.ndarray, list[dict[str, Any]]]:
    """Cut a window and what is annotated in it; an instance of which less than half is left goes with its label."""
    height, width = image.shape[:2]
    size = min(size[0], height), min(size[1], width)
    outcome = sa.place((height, width), [each["bbox"] for each in instances], size, policy, rng)
    x0, y0, x1, y1 = outcome.view.window
    kept = []
    for each, left in zip(instances, outcome.retention, strict=True):
        if left >= 0.5:
            corners = np.clip(np.subtract(each["bbox"], [x0, y0, x0, y0]), 0, [x1 - x0, y1 - y0] * 2)
            kept.append({**each, "bbox": corners.tolist()})
    return image[y0:y1, x0:x1], kept


def test_crops_by_hand() -> None:
    image, rng = painted(*SCENE), np.random.default_rng(0)
    instances = [{"bbox": box, "category_id": i} for i, box in enumerate(SCENE_BOXES)]
    unmet = lost = 0
    for _ in range(200):
        out, kept = crop(image, instances, (160, 160), sa.Policy.detection(), rng)
        assert out.shape == (160, 160, 3)
        window = window_shown(out, SCENE)
        assert window == pytest.approx(tuple(map(round, window)), abs=1e-3)
        shares = [share_of(box, window) for box in SCENE_BOXES]
        assert [each["category_id"] for each in kept] == [i for i, share in enumerate(shares) if share >= 0.5 - 1e-3]
        for each in kept:  # where its box says, there it is: told by the colours at its corners
            x, y = int(each["bbox"][0]), int(each["bbox"][1])
            left, top = SCENE_BOXES[each["category_id"]][:2]
            assert out[y, x, 0] / 255 * SCENE[1] - 0.5 == pytest.approx(max(left, window[0]), abs=1.01)
            assert out[y, x, 1] / 255 * SCENE[0] - 0.5 == pytest.approx(max(top, window[1]), abs=1.01)
        lost += not kept
        unmet += any(0.05 < share < 0.5 for share in shares)
    assert lost == 0
    assert unmet <= 10
    small, kept = crop(image, instances, (1000, 1000), sa.Policy.detection(), rng)
    assert small.shape == image.shape
    assert len(kept) == 3


def test_plain_crops_by_hand_lose_them() -> None:
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(200):
        y, x = rng.integers(0, SCENE[0] - 160 + 1), rng.integers(0, SCENE[1] - 160 + 1)
        shares.append([share_of(box, (x, y, x + 160, y + 160)) for box in SCENE_BOXES])
    assert np.mean([any(0.05 < share < 0.5 for share in each) or max(each) < 0.5 for each in shares]) > 0.3
