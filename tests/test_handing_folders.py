"""ImageFolder and its like through guarded pipelines of torchvision: the transform sees a picture, the object stays."""

import functools
import pickle
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import ConcatDataset, DataLoader, Subset
from torchvision import transforms as v1
from torchvision import tv_tensors
from torchvision.datasets import FakeData, ImageFolder
from torchvision.transforms import v2

import safeaug as sa
from safeaug.errors import ContentError
from tests.handing_worlds import BOX, WIDE, Painted, folder_of, painted, share_of, window_shown


def modern() -> v2.Compose:
    return v2.Compose([v2.Resize(256), v2.RandomResizedCrop(224), v2.RandomHorizontalFlip(), v2.ToImage()])


def older() -> v1.Compose:
    return v1.Compose([v1.Resize(256), v1.RandomResizedCrop(224), v1.RandomHorizontalFlip(), v1.PILToTensor()])


def blurred() -> v2.Compose:
    """One with a step that moves nothing, now and then."""
    return v2.Compose([v2.RandomResizedCrop(224), v2.RandomApply([v2.GaussianBlur(3)]), v2.PILToTensor()])


PIPELINES = [modern, older, blurred]


@pytest.fixture(scope="module")
def panoramas(tmp_path_factory):
    return folder_of(tmp_path_factory.mktemp("panoramas"), [painted(*WIDE)] * 6)


@pytest.fixture(scope="module")
def sizes(tmp_path_factory):
    """Pictures of many sizes, each with an object of its own; in the order in which ImageFolder reads them."""
    order = [*range(0, 20, 2), *range(1, 20, 2)]
    root = folder_of(tmp_path_factory.mktemp("sizes"), [painted(*Painted.size(i)) for i in range(20)])
    return root, [Painted.size(i) for i in order], [Painted.boxes(i) for i in order]


def corner_kept(image: Any) -> float:
    return share_of(BOX, window_shown(image, WIDE))


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_the_origin_plain_and_guarded(pipeline, panoramas):
    """The object of a panorama stands near one end: plain it is lost in nearly all draws, guarded in none."""
    torch.manual_seed(0)
    plain = ImageFolder(panoramas, pipeline())
    lost = [corner_kept(image) < 0.4 for _ in range(5) for image, _ in plain]
    assert np.mean(lost) > 0.85
    guarded = sa.guard(pipeline(), min_retention=0.5)
    data = sa.with_content(ImageFolder(panoramas, guarded), boxes=lambda i: [BOX])
    assert data.classes == ["cat", "dog"]
    for _ in range(10):
        for image, label in data:
            assert image.shape == (3, 224, 224)
            assert corner_kept(image) > 0.47  # told from eight bits for two thousand columns
            assert label in {0, 1}
    report = guarded.report()["pipeline"]
    assert sum(report.values()) == 60
    assert set(report) <= {"FIRST", "MOVED", "RESIZED", "REDRAWN"}


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_each_picture_keeps_its_own_object(pipeline, sizes):
    root, shapes, boxes = sizes
    guarded = sa.guard(pipeline(), min_retention=0.8)
    data = sa.with_content(ImageFolder(root, guarded), boxes=boxes)
    torch.manual_seed(1)
    for _ in range(4):
        for i, (image, _) in enumerate(data):
            assert share_of(boxes[i][0], window_shown(image, shapes[i])) > 0.76, i
    assert guarded.report()["pipeline"].get("UNMET", 0) == 0


def boxes_of_sizes(boxes: list[Any], i: int) -> Any:
    return boxes[i]


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("pipeline", [modern, older])
def test_in_workers_in_any_order(pipeline, method, sizes):
    root, shapes, boxes = sizes
    guarded = sa.guard(pipeline(), min_retention=0.8)
    data = sa.with_content(ImageFolder(root, guarded), boxes=functools.partial(boxes_of_sizes, boxes))
    order = list(range(19, -1, -1))
    subset = Subset(ConcatDataset([data, data]), order)
    loader = DataLoader(subset, batch_size=4, num_workers=2, multiprocessing_context=method)
    images = torch.cat([images for images, _ in loader])
    for i, image in zip(order, images, strict=True):
        assert share_of(boxes[i][0], window_shown(image, shapes[i])) > 0.76, i
    assert sum(guarded.report()["pipeline"].values()) == 20  # those of the workers


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_limit_of_nothing_is_the_host_bit_for_bit(pipeline, sizes):
    root, _, boxes = sizes
    plain = ImageFolder(root, pipeline())
    data = sa.with_content(ImageFolder(root, sa.guard(pipeline(), min_retention=0)), boxes=boxes)
    for i in range(len(plain)):
        torch.manual_seed(i)
        expected = plain[i][0]
        torch.manual_seed(i)
        assert torch.equal(data[i][0], expected)


@pytest.mark.parametrize("pipeline", [modern, older])
def test_no_object_is_the_host_too(pipeline, sizes):
    root, *_ = sizes
    guarded = sa.guard(pipeline(), min_retention=0.9)
    plain, data = ImageFolder(root, pipeline()), sa.with_content(ImageFolder(root, guarded), boxes=lambda i: None)
    for i in range(6):
        torch.manual_seed(i)
        expected = plain[i][0]
        torch.manual_seed(i)
        assert torch.equal(data[i][0], expected)
    assert guarded.report()["pipeline"] == {"EMPTY": 6}


def test_as_with_boxes_in_the_sample():
    """To the bit: whether boxes come with the image or are handed over, the draw is one."""
    guarded = sa.guard(v2.Compose([v2.RandomResizedCrop(96), v2.RandomHorizontalFlip()]), min_retention=0.8)
    pictures = [
        tv_tensors.Image(torch.from_numpy(painted(*Painted.size(i))).permute(2, 0, 1).float()) for i in range(20)
    ]

    class Beside:
        def __len__(self) -> int:
            return len(pictures)

        def __getitem__(self, i: int) -> Any:
            return guarded(pictures[i])

    data = sa.with_content(Beside(), boxes=Painted.boxes)
    for i, picture in enumerate(pictures):
        boxes = tv_tensors.BoundingBoxes(Painted.boxes(i), format="XYXY", canvas_size=Painted.size(i))
        torch.manual_seed(i)
        expected, _ = guarded(picture, boxes)
        torch.manual_seed(i)
        assert torch.equal(data[i], expected)


def as_mask(dtype: Any) -> Any:
    mask = np.zeros(WIDE, dtype)
    mask[50:150, 20:120] = 1
    return mask


@pytest.mark.parametrize(
    "entries",
    [
        {"polygons": [[[20, 50], [120, 50], [120, 150], [20, 150]]]},
        {"masks": torch.from_numpy(as_mask(np.uint8))[None]},
        {"mask": as_mask(np.uint8)},
        {"maps": as_mask(np.float32)},
        {"keypoints": [[[21, 51, 2], [119, 51, 2], [119, 149, 1], [21, 149, 2], [1999, 1, 0]]]},
        {"boxes": [BOX, (1000, 0, 1100, 200)], "labels": ["cat", "sky"]},
    ],
    ids=lambda entries: ", ".join(entries),
)
def test_all_kinds_of_content(entries, panoramas):
    limits = {"cat": 0.8, "sky": 0.0} if "labels" in entries else 0.8
    guarded = sa.guard(modern(), min_retention=limits)
    data = sa.with_content(ImageFolder(panoramas, guarded), **{name: [value] * 6 for name, value in entries.items()})
    for _ in range(4):
        for image, _ in data:
            assert corner_kept(image) > 0.76
    assert set(guarded.report()["pipeline"]) <= {"FIRST", "MOVED", "RESIZED", "REDRAWN"}


def test_a_foreground_is_read_as_the_guard_says(panoramas):
    mask = as_mask(np.uint8)
    mask[:, 1500:] = 2
    guarded = sa.guard(modern(), min_retention=0.8, protect="mask", foreground=[1])
    data = sa.with_content(ImageFolder(panoramas, guarded), mask=lambda i: mask)
    assert min(corner_kept(image) for image, _ in data) > 0.76


def test_several_views_of_one_picture_share_its_content(panoramas):
    guarded = sa.guard(modern(), min_retention=0.5)
    asked = []
    data = sa.with_content(
        ImageFolder(panoramas, lambda image: (guarded(image), guarded(image))), boxes=lambda i: asked.append(i) or [BOX]
    )
    for view in data[4][0]:
        assert corner_kept(view) > 0.47
    assert asked == [4]


def test_boxes_of_another_picture_are_refused(panoramas):
    data = sa.with_content(ImageFolder(panoramas, sa.guard(modern())), boxes=lambda i: [(20, 300, 120, 400)])
    with pytest.raises(ContentError, match=r"sample 2 of ImageFolder: all 1 boxes .*\(200, 2000\).* was it resized"):
        data[2]


def test_made_up_data():
    guarded = sa.guard(v2.Compose([v2.RandomCrop(40), v2.PILToTensor()]), min_retention=0.9)
    data = sa.with_content(FakeData(10, (3, 64, 96), transform=guarded), boxes=lambda i: [[60, 30, 94, 62]])
    for image, _ in data:
        assert image.shape == (3, 40, 40)
    assert set(guarded.report()["pipeline"]) <= {"FIRST", "MOVED"}


def test_all_of_it_pickles(sizes):
    root, shapes, boxes = sizes
    data = sa.with_content(ImageFolder(root, sa.guard(modern(), min_retention=0.8)), boxes=boxes)
    again = pickle.loads(pickle.dumps(data))
    for i in range(5):
        assert share_of(boxes[i][0], window_shown(again[i][0], shapes[i])) > 0.76


def test_a_drop_in_alone_does_not_take_what_is_handed(panoramas):
    """It cannot know whether the picture is as it was loaded; in a guarded pipeline it is the pipeline that reads."""
    crop = sa.torchvision.RandomResizedCrop(224, min_retention=0.5)
    data = sa.with_content(
        ImageFolder(panoramas, v2.Compose([v2.Resize(256), crop, v2.ToImage()])), boxes=lambda i: [BOX]
    )
    with pytest.raises(
        ContentError, match=r"RandomResizedCrop finds no objects in sample 1 .*safeaug\.guard\(pipeline\)"
    ):
        data[1]
    guarded = sa.guard(v2.Compose([v2.Resize(256), crop, v2.ToImage()]), min_retention=0.5)
    data = sa.with_content(ImageFolder(panoramas, guarded), boxes=lambda i: [BOX])
    assert min(corner_kept(image) for image, _ in data) > 0.47
