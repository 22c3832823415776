"""Damaged inputs to each reader (`SAFEAUG_FUZZ=10000` for as many): only typed errors, and what is read holds."""

import os
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from safeaug.data import Rle, mask_of, open_data, picture_of, read_coco, read_mask, read_torch, read_voc, read_yolo
from safeaug.data.header import header_of
from safeaug.errors import DataError
from tests import data_worlds as worlds

EXAMPLES = int(os.environ.get("SAFEAUG_FUZZ", "300"))


def end_of(use, example) -> str:
    """Use an input; return whether it was refused with `DataError`, or read. No other error is caught."""
    said = None
    try:
        use(example)
    except DataError as error:
        said = str(error)
    assert said is None or (said.isprintable() and len(said) < 2000)
    return "read" if said is None else "refused"


def of_damaged(text: bytes, use) -> Counter:
    """Use a file that was damaged in many ways; return how often each end was met."""
    assert end_of(use, text) == "read"
    ends: Counter = Counter()
    for number in range(EXAMPLES):
        try:
            ends[end_of(use, worlds.mutated(text, number))] += 1
        except BaseException as error:
            error.add_note(f"of mutated(..., {number})")
            raise
    return ends


def of_generated(strategy, use) -> Counter:
    """Use what hypothesis makes; return how often each end was met."""
    ends: Counter = Counter()

    @settings(max_examples=EXAMPLES)
    @given(strategy)
    def run(example):
        ends[end_of(use, example)] += 1

    run()
    return ends


def assert_both(ends: Counter) -> None:
    """A fuzzer that only ever met one end would show nothing of the other."""
    assert ends["refused"] > EXAMPLES / 50, ends
    assert ends["read"] > EXAMPLES / 50, ends


RUNS = worlds.compressed([100, 200, 40, 260])

COCO = worlds.dumped(
    worlds.coco(
        images=[worlds.coco_image(), worlds.coco_image(id="b", width=30, height=20, file_name="b.png")],
        annotations=[
            worlds.coco_annotation(segmentation=[[10, 20, 40, 20, 40, 60.5]]),
            worlds.coco_annotation(segmentation={"counts": [500, 40, 60], "size": [20, 30]}, iscrowd=1, image_id="b"),
            worlds.coco_annotation(segmentation={"counts": RUNS, "size": [20, 30]}, image_id="b", bbox=[1, 2, 0, 0]),
        ],
    )
).encode()


@pytest.mark.parametrize("keep_going", [False, True])
def test_coco(tmp_path_factory, keep_going):
    path = tmp_path_factory.mktemp("coco") / "ann.json"

    def use(text):
        path.write_bytes(text)
        worlds.used(read_coco(path, keep_going=keep_going))

    assert_both(of_damaged(COCO, use))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def odd(record):
    """A record of which some values are anything at all."""
    return st.dictionaries(st.sampled_from([*record]), JSON | st.integers(-2, 8) | st.floats(), max_size=2).map(
        record.__or__
    )


def test_coco_of_the_right_form_and_any_values(tmp_path_factory):
    path = tmp_path_factory.mktemp("coco") / "ann.json"
    segmentation = JSON | st.lists(st.lists(st.floats(-9, 9), max_size=8), max_size=3)
    segmentation |= st.fixed_dictionaries({"counts": st.lists(st.integers(-1, 9)) | st.text(), "size": JSON})
    annotation = odd(worlds.coco_annotation(segmentation=[])) | segmentation.map(
        lambda value: worlds.coco_annotation(segmentation=value)
    )
    file = st.fixed_dictionaries(
        {
            "images": st.lists(st.just(worlds.coco_image()) | odd(worlds.coco_image()), max_size=2),
            "annotations": st.lists(annotation, max_size=3),
            "categories": st.just([{"id": 3, "name": "cat"}]) | JSON,
        }
    )

    def use(value):
        path.write_text(worlds.dumped(value))
        worlds.used(read_coco(path))

    assert_both(of_generated(file, use))


def test_runs_of_masks():
    size = st.tuples(st.integers(1, 9), st.integers(1, 9))
    masks = size.flatmap(lambda size: st.lists(st.booleans(), min_size=size[0] * size[1], max_size=size[0] * size[1])
                         .map(lambda pixels: worlds.compressed(worlds.runs_of(np.reshape(pixels, size)))))  # fmt: skip
    text = masks | st.text(max_size=9) | st.text([chr(48 + i) for i in range(64)], max_size=30)
    assert_both(of_generated(st.tuples(text, size), lambda rle: mask_of(Rle(*rle))))


VOC = worlds.voc(worlds.things(3, seed=0), head='<?xml version="1.0" encoding="utf-8"?>').encode()


@pytest.mark.parametrize("keep_going", [False, True])
def test_voc(tmp_path_factory, keep_going):
    root = tmp_path_factory.mktemp("voc")

    def use(text):
        (root / "a.xml").write_bytes(text)
        worlds.used(read_voc(root, keep_going=keep_going))

    assert_both(of_damaged(VOC, use))


ROWS = b"0 0.5 0.5 0.2 0.2\n1 0.1 0.1 0.3 0.1 0.3 0.4 0.1 0.4\r\n0 0.1 0.1 0.3 0.1 0.3 0.4 0.1 0.4 0.05 0.2\n\n"


@pytest.mark.parametrize("keep_going", [False, True])
def test_yolo_rows(tmp_path_factory, keep_going):
    root = tmp_path_factory.mktemp("yolo")
    config = worlds.yolo(root, ROWS)

    def use(text):
        (root / "labels" / "a.txt").write_bytes(text)
        worlds.used(read_yolo(config, keep_going=keep_going))

    assert_both(of_damaged(ROWS, use))


CONFIG = b"path: .\ntrain:\n  - images\n  - list.txt\nnames:\n  0: cat\n  1: dog\nnc: 2\nkpt_shape: [0, 3]\n"


def test_yolo_config(tmp_path_factory):
    root = tmp_path_factory.mktemp("yolo")
    config = worlds.yolo(root, ROWS)
    worlds.write(root / "list.txt", "./images/a.png\n")

    def use(text):
        config.write_bytes(text)
        worlds.used(read_yolo(config))

    assert_both(of_damaged(CONFIG, use))


def test_yolo_list(tmp_path_factory):
    root = tmp_path_factory.mktemp("yolo")
    config = worlds.yolo(root, ROWS, config="{train: list.txt, names: [cat, dog]}")
    (root / "list.txt").write_text("./images/a.png\nimages/a.png\n")

    def use(text):
        (root / "list.txt").write_bytes(text)
        worlds.used(read_yolo(config))

    assert_both(of_damaged(b"./images/a.png\nimages/a.png\n", use))


@pytest.mark.parametrize("ending, mode", [("jpg", "RGB"), ("png", "P"), ("tif", "I;16"), ("webp", "RGB"), ("gif", "P")])
def test_folders_of_pictures(tmp_path_factory, ending, mode):
    root = tmp_path_factory.mktemp("folder")
    path = worlds.save(root / "cat" / f"a.{ending}", (20, 30), mode, None if mode == "P" else 6)
    seed = path.read_bytes()

    def use(pixels):
        path.write_bytes(pixels)
        for sample in open_data(f"folder:{root}"):
            assert min(sample.size) >= 1
            assert picture_of(sample).shape[:2] == sample.size

    ends = of_damaged(seed, use)
    assert ends["refused"] > EXAMPLES / 50, ends


@pytest.mark.parametrize("ending, mode", [("png", "P"), ("png", "I;16"), ("bmp", "L"), ("tif", "L")])
def test_folders_of_masks(tmp_path_factory, ending, mode):
    root = tmp_path_factory.mktemp("masks")
    path = worlds.save(root / "masks" / f"a.{ending}", (20, 30), mode)
    seed = path.read_bytes()

    def use(pixels):
        path.write_bytes(pixels)
        for sample in open_data(f"masks:{root}"):
            ids = read_mask(sample.mask)
            assert ids.shape == sample.size
            assert ids.dtype.kind in "ui"

    ends = of_damaged(seed, use)
    assert ends["refused"] > EXAMPLES / 50, ends


def test_headers_of_anything(tmp_path_factory):
    path = tmp_path_factory.mktemp("header") / "a"
    starts = [
        b"",
        b"\xff\xd8\xff",
        b"\x89PNG\r\n\x1a\n",
        b"GIF89a",
        b"BM",
        b"II*\0",
        b"MM\0*",
        b"P6\n",
        b"RIFF....WEBP",
    ]

    def use(start_and_rest):
        path.write_bytes(b"".join(start_and_rest))
        assert min(header_of(path).size) >= 1

    ends = of_generated(st.tuples(st.sampled_from(starts), st.binary(max_size=60)), use)
    assert ends["refused"] > EXAMPLES / 2, ends


class Items(list):
    """A data set."""


VALUES = (
    JSON
    | st.sampled_from(
        [np.zeros((2, 2)), np.zeros((0, 4)), np.array(3), np.array(["a"]), np.zeros((1, 20, 30), np.uint8)]
    )
    | st.lists(st.lists(st.floats(width=16), min_size=4, max_size=4), max_size=3)
    | st.binary(max_size=3)
)


def test_torch(tmp_path_factory):
    import torch
    from torchvision import tv_tensors

    boxes = st.lists(st.lists(st.floats(-40, 40), min_size=4, max_size=4), max_size=3).map(
        lambda rows: tv_tensors.BoundingBoxes(torch.tensor(rows).reshape(-1, 4), format="XYWH", canvas_size=(20, 30))
    )
    images = [
        np.zeros((20, 30, 3), np.uint8), np.zeros((20, 30)), torch.zeros(3, 20, 30), Image.new("RGB", (30, 20)),
        torch.zeros(20, 30, 3), np.zeros(4), None, "a.jpg",
    ]  # fmt: skip
    keys = ["boxes", "labels", "masks", "mask", "iscrowd", "label", "extra"]
    target = boxes | VALUES | st.dictionaries(st.sampled_from(keys), VALUES | boxes, max_size=3)
    item = (
        st.tuples(st.sampled_from(images), target)
        | st.tuples(
            st.sampled_from(images[:4]), st.integers(0, 9)
        )  # a picture and its class, as most data sets have it
        | VALUES
        | st.fixed_dictionaries({"image": VALUES, "boxes": VALUES})
    )

    assert_both(of_generated(item, lambda item: worlds.used(read_torch(Items([item])))))


def test_names():
    specs = st.text(max_size=20) | st.builds(
        "{}:{}".format, st.sampled_from(["coco", "voc", "math", "a.py", ""]), st.text()
    )
    ends = of_generated(specs, open_data)
    assert ends["refused"] > EXAMPLES / 2, ends
