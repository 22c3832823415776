"""Data sets of torch: what their items may be, and what is said of those that are not."""

import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils.data import Dataset, IterableDataset
from torchvision import tv_tensors
from torchvision.datasets import FakeData
from torchvision.transforms.v2 import functional as F

from safeaug.data import Sample, picture_of, read_torch, readings
from safeaug.errors import DataError
from safeaug.shapes import Polygon, polygon_of
from tests import data_worlds as worlds

SIZE = (20, 30)
BOXES = [[1.0, 2.0, 11.0, 12.0], [0.0, 0.0, 30.0, 20.0]]
PIXELS = np.zeros((*SIZE, 3), np.uint8)


class Items(Dataset):
    def __init__(self, *items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


def boxes(rows, form="XYXY", canvas=SIZE):
    return tv_tensors.BoundingBoxes(torch.tensor(rows), format=form, canvas_size=canvas)


def read(*item):
    return read_torch(Items(item if len(item) > 1 else item[0]))[0]


IMAGES = [
    Image.new("RGB", SIZE[::-1]),
    PIXELS,
    PIXELS[..., 0],
    torch.zeros(3, *SIZE),
    torch.zeros(*SIZE),
    tv_tensors.Image(torch.zeros(1, *SIZE)),
]


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: f"{type(image).__name__} {getattr(image, 'shape', '')}")
def test_images_of_any_kind_have_a_size_and_pixels(image):
    for sample in (read(image, 3), read({"image": image, "label": torch.tensor(3)})):
        assert (sample.id, sample.size, sample.group) == ("0", SIZE, "3")
        assert picture_of(sample).shape[:2] == SIZE


WRONG_IMAGES = [
    (torch.zeros(*SIZE, 3), "a tensor (C, H, W)"),
    (np.zeros((3, *SIZE)), "an array (H, W, C)"),
    (torch.zeros(2, 3, *SIZE), "2 or 3 dimensions"),
    (np.zeros(7), "2 or 3 dimensions"),
    (np.zeros((0, 5)), "whole numbers of at least 1"),
    (None, "got NoneType"),
    ("a.jpg", "got str"),
]


@pytest.mark.parametrize("image, message", WRONG_IMAGES, ids=[message for _, message in WRONG_IMAGES])
def test_what_is_no_image_is_said(image, message):
    with pytest.raises(DataError) as caught:
        read(image, 3)
    assert message in str(caught.value)
    assert caught.value.where == "tests.test_data_torch.Items[0]"


TARGETS = [
    ("plain", {"boxes": BOXES, "labels": ["cat", "dog"]}),
    ("tensors", {"boxes": torch.tensor(BOXES, requires_grad=True), "labels": torch.tensor([1, 2])}),
    ("tv_tensors", {"boxes": boxes(BOXES), "labels": [torch.tensor(1), 2], "image_id": 5, "area": torch.zeros(2)}),
    ("xywh", {"boxes": boxes([[1.0, 2, 10, 10], [0, 0, 30, 20]], "XYWH"), "labels": np.array([1, 2])}),
    ("cxcywh", {"bboxes": boxes([[6.0, 7, 10, 10], [15, 10, 30, 20]], "CXCYWH"), "class_labels": (1, 2)}),
]


@pytest.mark.parametrize("target", [row[1] for row in TARGETS], ids=[row[0] for row in TARGETS])
def test_targets_of_any_kind_have_boxes_and_labels(target):
    for sample in (read(PIXELS, target), read({"img": PIXELS, **target})):
        assert sample.boxes.tolist() == BOXES
        assert sample.labels in {("cat", "dog"), ("1", "2")}
        assert sample.ignore.tolist() == [False, False]
        assert worlds.used([sample]) == 1


def test_boxes_that_do_not_say_their_format_have_the_one_that_is_said():
    data = read_torch(Items((PIXELS, {"boxes": [[1, 2, 10, 10]]})), box_format="xywh")
    assert data[0].boxes.tolist() == [[1, 2, 11, 12]]
    assert read(PIXELS, boxes(BOXES)).boxes.tolist() == BOXES
    for none in ([], torch.zeros(0, 4), boxes(torch.zeros(0, 4).tolist()), boxes([], "CXCYWHR")):
        assert read(PIXELS, {"boxes": none, "labels": [], "masks": []}).boxes.shape == (0, 4)


@pytest.mark.parametrize("form", ["XYWHR", "CXCYWHR", "XYXYXYXY"])
@pytest.mark.parametrize("turn", [0.0, 30.0, -75.0, 180.0])
def test_rotated_boxes_are_the_rings_that_torchvision_makes_of_them(form, turn):
    rotated = boxes([[15.0, 10, 8, 4, turn]], "CXCYWHR")
    given = F.convert_bounding_box_format(rotated, new_format=form)
    expected = F.convert_bounding_box_format(rotated, new_format="XYXYXYXY").reshape(4, 2).numpy()
    sample = read(PIXELS, {"boxes": given, "labels": [1]})
    ((ring,),) = sample.outlines
    np.testing.assert_allclose(ring, expected, atol=1e-5)
    np.testing.assert_allclose(sample.boxes, [[*ring.min(axis=0), *ring.max(axis=0)]])
    polygon = polygon_of(ring, SIZE)
    assert isinstance(polygon, Polygon)
    assert polygon.area == pytest.approx(32, abs=1e-4)


def test_crowds_masks_and_a_semantic_mask():
    masks = torch.zeros(3, *SIZE, dtype=torch.bool)
    masks[0, 2:5, 3:9] = True
    masks[2] = True
    target = {"masks": tv_tensors.Mask(masks), "labels": [4, 5, 6], "iscrowd": torch.tensor([0, 0, 1])}
    sample = read(PIXELS, target)
    assert sample.boxes.tolist() == [[3, 2, 9, 5], [0, 0, 30, 20]]
    assert sample.labels == ("4", "6")
    assert sample.ignore.tolist() == [False, True]
    assert sample.masks.sum(axis=(1, 2)).tolist() == [18, 600]
    assert [(remark.kind, remark.where) for remark in sample.remarks] == [
        ("outside", "tests.test_data_torch.Items[0] object 1")
    ]
    mask = np.arange(600, dtype=np.int64).reshape(SIZE)
    palette = Image.new("P", SIZE[::-1], 7)
    for target in (mask, torch.tensor(mask), tv_tensors.Mask(torch.tensor(mask)[None]), {"mask": mask}):
        assert (read(PIXELS, target).mask == mask).all()
    assert (read(PIXELS, palette).mask == 7).all()


@pytest.mark.parametrize("target", [None, {}, torch.tensor([0.0, 1.0]), torch.tensor(0.5), np.float64(0.5)])
def test_a_target_without_a_place_is_no_object(target):
    sample = read(PIXELS, target)
    assert (len(sample.boxes), sample.labels, sample.group, sample.mask) == (0, (), "", None)


@pytest.mark.parametrize(
    "target, group", [(3, "3"), (np.int64(3), "3"), (True, "1"), ("cat", "cat"), (torch.tensor(3), "3")]
)
def test_a_class_is_the_group(target, group):
    assert read(PIXELS, target).group == group


WRONG_TARGETS = [
    (
        "another canvas",
        {"boxes": boxes(BOXES, canvas=(30, 20))},
        "canvas, 20 x 30 (height x width), got canvas_size=(30, 20)",
    ),
    ("labels of others", {"boxes": BOXES, "labels": [1]}, "for each of 2 objects, got [1]"),
    ("one-hot labels", {"boxes": BOXES, "labels": [[0, 1], [1, 0]]}, "for each of 2 objects"),
    ("labels of labels", {"boxes": BOXES, "labels": [torch.tensor([1, 2]), 1]}, "for each of 2 objects"),
    ("scalar labels", {"boxes": BOXES, "labels": torch.tensor(1)}, "for each of 2 objects, got 1"),
    ("three numbers", {"boxes": [[1, 2, 3]]}, "shape (N, 4)"),
    ("no numbers", {"boxes": "all"}, "boxes must be numbers"),
    ("not finite", {"boxes": [[0, 0, float("nan"), 1]]}, "finite"),
    ("swapped", {"boxes": [[9, 0, 1, 1]]}, "x0 <= x1 and y0 <= y1"),
    (
        "a rotated box of four",
        {"boxes": boxes([[1.0, 2, 3, 4]], "CXCYWHR")},
        "of shape (N, 5), got [[1.0, 2.0, 3.0, 4.0]]",
    ),
    ("a rotated box inside out", {"boxes": boxes([[5.0, 5, -3, 4, 0]], "CXCYWHR")}, "sides of at least 0"),
    ("crowds of others", {"boxes": BOXES, "iscrowd": [0]}, "for each of 2 objects, got [0]"),
    ("masks of others", {"boxes": BOXES, "masks": np.ones((1, *SIZE))}, "as many as boxes, got 1 masks and 2 boxes"),
    ("smaller masks", {"masks": np.ones((1, 2, 2))}, "shape (N, 20, 30)"),
    ("a smaller mask", np.ones((2, 2)), "shape (20, 30)"),
    ("boxes alone", np.array(BOXES), "are to be handed over in a mapping"),
    ("a class of classes", {"label": [1]}, "a number or a name, got [1]"),
    ("a class of two", {"label": torch.tensor([1, 2])}, "a number or a name"),
    ("CocoDetection", [{"bbox": [1, 2, 3, 4]}], "wrap_dataset_for_transforms_v2"),
    ("VOCDetection", {"annotation": {}}, "got keys ['annotation']"),
]


@pytest.mark.parametrize("target, message", [row[1:] for row in WRONG_TARGETS], ids=[row[0] for row in WRONG_TARGETS])
def test_what_is_no_target_is_said(target, message):
    with pytest.raises(DataError) as caught:
        read(PIXELS, target)
    assert message in str(caught.value)
    assert caught.value.where.startswith("tests.test_data_torch.Items[0]")


def test_going_on_leaves_out_a_box_that_is_malformed():
    target = {"boxes": [[9, 0, 1, 1], *BOXES], "labels": [1, 2, 3], "iscrowd": [0, 1, 0]}
    sample = read_torch(Items((PIXELS, target)), keep_going=True)[0]
    assert (sample.labels, sample.ignore.tolist()) == (("2", "3"), [True, False])
    assert [remark.where for remark in sample.remarks] == ["tests.test_data_torch.Items[0] object 0"]


ITEMS = [
    (None, "got NoneType"),
    ((PIXELS,), "got tuple of 1"),
    ((PIXELS, 1, 2), "got tuple of 3"),
    ({"x": 1}, "got keys ['x']"),
]


@pytest.mark.parametrize("item, message", ITEMS, ids=[message for _, message in ITEMS])
def test_what_is_no_item_is_said(item, message):
    with pytest.raises(DataError) as caught:
        read_torch(Items(item))[0]
    assert message in str(caught.value)


class Raising(Items):
    def __getitem__(self, index):
        if index == 1:
            raise IndexError("beyond\nthe end")
        return super().__getitem__(index)


def test_n3_what_a_data_set_raises_is_said_with_its_index():
    data = read_torch(Raising((PIXELS, 0), None, (PIXELS, 2)))
    with pytest.raises(DataError, match=r"Raising\[1\]: expected a sample, but reading it raises IndexError") as caught:
        list(data)  # an IndexError that passed for the end would be a data set cut short in silence
    assert isinstance(caught.value.__cause__, IndexError)
    assert [
        getattr(each, "kind", "sample") if not isinstance(each, Sample) else "sample" for each in readings(data)
    ] == [
        "sample",
        "unreadable",
        "sample",
    ]


class Endless(IterableDataset):
    def __iter__(self):
        yield PIXELS, 0


@pytest.mark.parametrize("dataset, message", [(Endless(), "len"), (7, "got int"), ({}, "got dict"), ("ab", "got str")])
def test_what_is_no_data_set_is_said(dataset, message):
    with pytest.raises(DataError) as caught:
        read_torch(dataset)
    assert message in str(caught.value)


def test_pictures_and_masks_that_end_too_early_are_said(tmp_path):
    path = tmp_path / "a.png"
    Image.fromarray(np.random.default_rng(0).integers(0, 256, SIZE, np.uint8)).save(path)
    path.write_bytes(path.read_bytes()[:300])
    with Image.open(path) as cut:
        with pytest.raises(DataError, match="a mask must be numbers, got PngImageFile"):
            read(PIXELS, cut)
        with pytest.raises(DataError, match="an image must be numbers, got PngImageFile"):
            picture_of(read(cut, 0))
    with pytest.raises(DataError, match="got one of"):
        picture_of(Sample("a", SIZE, image=object()))


def test_samples_are_taken_as_they_are():
    sample = Sample("own", SIZE)
    assert read_torch([sample])[0] is sample


def test_r5_an_image_that_was_not_turned_is_said(tmp_path):
    path = worlds.save(tmp_path / "a.jpg", (20, 40), orientation=6)
    with Image.open(path) as image:
        sample = read(image, 0)
        assert sample.size == (20, 40), "the frame is that of the image as it is handed over"
        assert [(remark.kind, remark.rule) for remark in sample.remarks] == [("turned", "SA7")]


def test_torchvisions_own_data_sets_are_read():
    data = read_torch(FakeData(3, (3, *SIZE), 10))
    assert [sample.size for sample in data] == [SIZE] * 3
    assert all(sample.group.isdigit() for sample in data)
