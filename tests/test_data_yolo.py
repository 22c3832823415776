"""YOLO: every kind of row, and every row that is none, by file and line."""

import sys
from pathlib import Path

import numpy as np
import pytest

from safeaug.data import read_yolo, readings
from safeaug.errors import DataError, MissingHostError
from tests import data_worlds as worlds

RING = "1 0.1 0.2 0.3 0.2 0.25 0.4"


def test_l2_rows_of_all_kinds_crlf_and_blank_lines(tmp_path):
    rows = f"0 0.5 0.5 0.25 0.5\r\n1 0.1 0.1 0.3 0.1 0.3 0.4 0.1 0.4\r\n\r\n{RING}\r\n   \r\n"
    (sample,) = read_yolo(worlds.yolo(tmp_path, rows))
    assert (sample.id, sample.size) == ("images/a.png", (480, 640))
    assert sample.labels == ("cat", "dog", "dog")
    np.testing.assert_allclose(sample.boxes, [[240, 120, 400, 360], [64, 48, 192, 192], [64, 96, 192, 192]])
    nothing, rotated, ring = sample.outlines
    assert nothing is None
    np.testing.assert_allclose(rotated[0], [[64, 48], [192, 48], [192, 192], [64, 192]])
    np.testing.assert_allclose(ring[0], [[64, 96], [192, 96], [160, 192]])
    assert not sample.ignore.any()


def test_rows_of_boxes_alone_have_no_outlines(tmp_path):
    assert read_yolo(worlds.yolo(tmp_path, "0 0.5 0.5 0.25 0.5"))[0].outlines is None


def test_keypoints_behind_a_box_are_passed_over(tmp_path):
    config = "{train: images, names: [cat, dog], kpt_shape: [2, 3]}"
    sample = read_yolo(worlds.yolo(tmp_path, "1 .5 .5 .25 .5 .4 .4 2 .6 .6 0", config))[0]
    assert sample.boxes.tolist() == [[240, 120, 400, 360]]
    with pytest.raises(DataError, match=r"a class and a box of 11 numbers, with keypoints, got 5"):
        read_yolo(worlds.yolo(tmp_path, "1 .5 .5 .25 .5", config))[0]


ROWS = [
    ("class out of range", "2 .5 .5 .1 .1", "one of the 2 that data.yaml names, counted from 0, got 2", "unlisted"),
    ("negative class", "-1 .5 .5 .1 .1", "one of the 2", "unlisted"),
    ("half a class", "0.5 .5 .5 .1 .1", "one of the 2", "unlisted"),
    ("four numbers", "0 .5 .5 .1", "a box of 5 numbers, or 7, 9, 11, ... of a ring, got 4", "malformed"),
    ("a confidence behind it", "0 .5 .5 .1 .1 .9", "got 6", "malformed"),
    ("an odd corner", "0 .1 .1 .2 .2 .3 .3 .4", "got 8", "malformed"),
    ("decimal comma", "0 0,5 .5 .1 .1", "with a decimal point, got '0,5'", "malformed"),
    ("not a number", "0 nan .5 .1 .1", "must be of numbers", "malformed"),
    ("without end", "0 inf .5 .1 .1", "must be of numbers", "malformed"),
    ("in pixels", "0 320 240 100 80", "are they in pixels?", "malformed"),
    ("negative", "0 .5 .5 -.1 .1", "must be in [0, 1]", "malformed"),
    ("a ring in pixels", "0 10 10 20 10 20 30", "are they in pixels?", "malformed"),
    ("words", "cat .5 .5 .1 .1", "must be of numbers, written with a decimal point, got 'cat'", "malformed"),
]


@pytest.mark.parametrize("row, message, kind", [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_row_that_is_none_stops_at_its_line_or_is_left_out(tmp_path, row, message, kind):
    config = worlds.yolo(tmp_path, f"\ufeff0 .5 .5 .25 .5\r\n\r\n{row}\r\n{RING}\r\n")
    data = read_yolo(config)
    with pytest.raises(DataError) as caught:
        data[0]
    assert caught.value.where == f"{tmp_path / 'labels' / 'a.txt'}:3"
    assert message in str(caught.value)
    assert caught.value.kind == kind
    sample = read_yolo(config, keep_going=True)[0]
    assert [remark.where for remark in sample.remarks] == [caught.value.where]
    assert sample.labels == ("cat", "dog")


@pytest.mark.parametrize(
    "row, box",
    [("0 .95 .5 .1000001 .1", [575.999968, 216, 640.000032, 264]), ("0 .5 .5 1.005 1", [-1.6, 0, 641.6, 480])],
)
def test_d9_what_reaches_a_little_beyond_the_picture_is_no_fault(tmp_path, row, box):
    sample = read_yolo(worlds.yolo(tmp_path, row))[0]
    np.testing.assert_allclose(sample.boxes, [box])
    assert sample.remarks == ()


def test_a_box_without_area_is_said_and_counts_as_a_point(tmp_path):
    sample = read_yolo(worlds.yolo(tmp_path, f"{RING}\n0 .5 .5 0 .1"))[0]
    assert sample.boxes[1].tolist() == [320, 216, 320, 264]
    assert [(remark.kind, remark.where) for remark in sample.remarks] == [
        ("no area", f"{tmp_path / 'labels' / 'a.txt'}:2")
    ]


def test_a_picture_without_labels_has_no_objects_but_not_all_may_lack_them(tmp_path):
    config = worlds.yolo(tmp_path, RING)
    worlds.save(tmp_path / "images" / "b.png")
    assert [len(sample.boxes) for sample in read_yolo(config)] == [1, 0]
    (tmp_path / "labels" / "a.txt").unlink()
    with pytest.raises(DataError, match=r"got none for 2 pictures; that of .*a\.png would be .*labels.a\.txt"):
        read_yolo(config)


def test_text_that_is_no_utf8_is_said(tmp_path):
    with pytest.raises(DataError, match="UTF-8") as caught:
        read_yolo(worlds.yolo(tmp_path, b"0 \xff"))[0]
    assert caught.value.where == str(tmp_path / "labels" / "a.txt")


def test_labels_that_cannot_be_opened_are_said(tmp_path, monkeypatch):
    data = read_yolo(worlds.yolo(tmp_path, RING))

    def refuse(path, **_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(DataError, match="Permission denied") as caught:
        data[0]
    assert (caught.value.kind, caught.value.where) == ("unreadable", str(tmp_path / "labels" / "a.txt"))


def test_the_picture_gives_the_size_after_exif(tmp_path):
    config = worlds.yolo(tmp_path, "0 .5 .5 .5 .5")
    (tmp_path / "images" / "a.png").unlink()
    worlds.save(tmp_path / "images" / "a.jpg", (20, 40), orientation=6)
    sample = read_yolo(config)[0]
    assert sample.size == (40, 20)
    assert sample.boxes.tolist() == [[5, 10, 15, 30]]
    assert [remark.kind for remark in sample.remarks] == ["turned"]


CLASSES = [
    ("a list", "names: [cat, dog]", ("cat", "dog")),
    ("a mapping", "names: {1: dog, 0: cat}", ("cat", "dog")),
    ("words that YAML takes for others", "names: [no, 1e3]", ("no", "1e3")),
    ("their number", "nc: 2", ("0", "1")),
    ("markup", "names: ['<script>', 'ä\\n']", ("<script>", "ä\\n")),
]


@pytest.mark.parametrize("text, classes", [row[1:] for row in CLASSES], ids=[row[0] for row in CLASSES])
def test_classes_are_what_data_yaml_says(tmp_path, text, classes):
    data = read_yolo(worlds.yolo(tmp_path, RING, f"train: images\n{text}"))
    assert data.classes == classes
    assert data[0].labels == (classes[1],)


NESTED = "a0: &a0 [ha]\n" + "".join(f"a{i + 1}: &a{i + 1} [{', '.join([f'*a{i}'] * 10)}]\n" for i in range(30))

CONFIGS = [
    ("nothing", "", "got None"),
    ("a list", "[1, 2]", "with path, train, val and names, got ['1', '2']"),
    ("no YAML", "train: images\nnames: [cat\n", "expected YAML"),
    ("no classes", "train: images", "nc must be a whole number"),
    ("classes without end", "{train: images, nc: 99999999999999999999}", "at most 1000000"),
    ("a gap", "{train: images, names: {0: cat, 2: dog}}", "from 0 on without a gap, got ['0', '2']"),
    ("no numbers", "{train: images, names: {a: cat}}", "the number of a class must be a whole number"),
    ("names of names", "{train: images, names: [[cat]]}", "names must be a list"),
    ("a name of itself", "{train: images, names: &a [*a]}", "recursive"),
    ("names without end", NESTED + "train: images\nnames: *a30", "names must be a list"),
    ("no split", "{val: images, names: [cat]}", "one of the splits val, got 'train'"),
    ("a split of nothing", "{train: [[images]], names: [cat]}", "train must be a path"),
    ("nowhere", "{train: pictures, names: [cat]}", "which is not there; paths are relative to"),
    ("no pictures", "{train: labels, names: [cat]}", "expected pictures in train"),
    ("odd keypoints", "{train: images, names: [cat], kpt_shape: 17}", "kpt_shape must be"),
    ("no text", b"train: \xff\xfe\x00", "expected YAML"),
    ("python", "{train: images, names: !!python/object/apply:os.getcwd []}", "names must be a list"),
]


@pytest.mark.parametrize("text, message", [row[1:] for row in CONFIGS], ids=[row[0] for row in CONFIGS])
def test_a_data_yaml_that_is_none_is_refused(tmp_path, text, message):
    config = worlds.yolo(tmp_path, RING, text)
    with pytest.raises(DataError) as caught:
        read_yolo(config)
    assert message in str(caught.value)
    assert caught.value.where.startswith(str(config))


def test_a_fault_of_yaml_names_its_line(tmp_path):
    with pytest.raises(DataError) as caught:
        read_yolo(worlds.yolo(tmp_path, RING, "train: images\nnames: [cat\nval: x: y"))
    assert caught.value.where == f"{tmp_path / 'data.yaml'}:3"


def test_a_missing_data_yaml_is_said(tmp_path):
    with pytest.raises(DataError, match="not there") as caught:
        read_yolo(tmp_path / "data.yaml")
    assert caught.value.kind == "missing"
    with pytest.raises(DataError, match="cannot be read"):
        read_yolo(tmp_path)


def test_pictures_are_found_in_folders_lists_and_beside_data_yaml(tmp_path):
    for name in ("set/images/train/a.png", "set/images/val/deep/b.png", "other/images/c.png"):
        worlds.save(tmp_path / name, (10, 20))
    for name in ("set/labels/train/a.txt", "set/labels/val/deep/b.txt", "other/labels/c.txt"):
        worlds.write(tmp_path / name, "0 .5 .5 .5 .5")
    worlds.write(tmp_path / "set" / "lists" / "one.txt", "./../images/train/a.png\r\n\nimages/val/deep/b.png\n")
    config = worlds.write(
        tmp_path / "set" / "data.yaml",
        "{train: [images/train, ../images/val], val: lists/one.txt, test: ../other/images, names: [cat]}",
    )

    def found(split):
        data = read_yolo(config, split=split)
        assert [sample.boxes.tolist() for sample in data] == [[[5, 2.5, 15, 7.5]]] * len(data)
        return [sample.id for sample in data]

    assert found("train") == ["images/train/a.png", "images/val/deep/b.png"]  # "../" as Roboflow writes it
    assert found("val") == ["images/train/a.png", "images/val/deep/b.png"]
    assert found("test") == [(tmp_path / "other" / "images" / "c.png").as_posix()]
    moved = worlds.write(tmp_path / "data.yaml", "{path: set, train: images/train, names: [cat]}")
    assert [sample.id for sample in read_yolo(moved)] == ["images/train/a.png"]


def test_a_data_set_in_the_folder_where_one_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    worlds.save(Path("a.png"), (10, 20))
    worlds.write(Path("a.txt"), "0 .5 .5 .5 .5")
    worlds.write(Path("list.txt"), "a.png\n./a.png\n")
    worlds.write(Path("data.yaml"), "{train: list.txt, names: [cat]}")
    assert [(sample.id, sample.boxes.tolist()) for sample in read_yolo("data.yaml")] == [
        ("a.png", [[5, 2.5, 15, 7.5]])
    ] * 2


def test_a_listed_picture_that_is_not_there_is_a_remark_when_one_goes_on(tmp_path):
    config = worlds.yolo(tmp_path, RING, "{train: list.txt, names: [cat, dog]}")
    worlds.write(tmp_path / "list.txt", "images/a.png\nimages/gone.png\n")
    first, second = readings(read_yolo(config))
    assert first.labels == ("dog",)
    assert (second.kind, second.where) == ("missing", str(tmp_path / "images" / "gone.png"))
    worlds.write(tmp_path / "list.txt", "images/a.png\n/\n")
    with pytest.raises(DataError, match="the path of a picture") as caught:
        read_yolo(config)
    assert caught.value.where == f"{tmp_path / 'list.txt'}:2"


def test_without_pyyaml_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingHostError, match=r'pip install "safeaug\[yolo\]"'):
        read_yolo(worlds.yolo(tmp_path, RING))
