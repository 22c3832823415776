"""COCO: every record is read as it stands, or said where it is wrong."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from safeaug import Policy
from safeaug.data import Rle, mask_of, read_coco, readings
from safeaug.errors import DataError
from safeaug.objects import content_from
from tests import data_worlds as worlds
from tests.data_worlds import coco, coco_annotation, coco_image

RUNS = [3, 5, 1000, 7, 479 * 640 - 1015]
TRIANGLE = [10.0, 20.0, 40.0, 20.0, 40.0, 60.0]


def file_of(tmp_path, value):
    return worlds.write(tmp_path / "ann.json", value if isinstance(value, str | bytes) else json.dumps(value))


def annotated(*changes):
    return coco(annotations=[coco_annotation(**each) for each in changes])


def test_l1_all_kinds_of_objects(tmp_path):
    text = worlds.compressed(RUNS)
    data = read_coco(
        file_of(
            tmp_path,
            annotated(
                {"segmentation": [TRIANGLE, [0, 0, 5, 0, 5, 5, 0, 5]]},
                {"segmentation": {"counts": RUNS, "size": [479, 640]}, "iscrowd": 1},
                {"segmentation": {"counts": text, "size": [479, 640]}, "iscrowd": True},
                {"bbox": [100, 200, 0, 0], "segmentation": []},
            ),
        )
    )
    (sample,) = data
    assert sample.size == (480, 640)
    assert sample.boxes.tolist() == [[10, 20, 40, 60]] * 3 + [[100, 200, 100, 200]]
    assert sample.labels == ("cat",) * 4
    assert sample.ignore.tolist() == [False, True, True, False]
    polygon, runs, packed, nothing = sample.outlines
    assert [ring.tolist() for ring in polygon] == [
        [[10, 20], [40, 20], [40, 60]],
        [[0, 0], [5, 0], [5, 5], [0, 5]],
    ]
    assert runs == Rle(tuple(RUNS), (479, 640))
    assert packed == Rle(text, (479, 640))
    assert (mask_of(runs) == mask_of(packed)).all()
    assert nothing is None
    assert data.counts == {"no area": 1}
    assert data.remarks[0].where.endswith("ann.json: annotations[3] (image 7)")
    content = content_from(sample.size, Policy(), boxes=sample.boxes, labels=sample.labels, ignore=sample.ignore)
    assert list(content.origin) == [0, 3], "a crowd must not be asked for"


WRONG = [
    (
        "unlisted category",
        annotated({"category_id": 9}),
        "annotations[0] (image 7)",
        "category_id must be one of the 1",
    ),
    ("unlisted image", annotated({"image_id": 9}), "annotations[0] (image 9)", "image_id must be one of the 1"),
    ("negative side", annotated({"bbox": [10, 20, -3, 4]}), "annotations[0] (image 7)", "x0 <= x1 and y0 <= y1"),
    ("no number at all", annotated({"bbox": [1e308, 0, 1e308, 5]}), "annotations[0] (image 7)", "finite numbers"),
    (
        "text for a number",
        annotated({"bbox": [10, "20", 30, 4]}),
        "annotations[0].bbox[1]",
        "expected `float`, got `str`",
    ),
    ("three numbers", annotated({"bbox": [10, 20, 30]}), "annotations[0].bbox", "expected `array` of length 4"),
    (
        "no box",
        coco(annotations=[{"image_id": 7, "category_id": 3}]),
        "annotations[0]",
        "missing required field `bbox`",
    ),
    (
        "fractional width",
        coco(images=[coco_image(width=640.5)], annotations=[]),
        "images[0].width",
        "expected `int`, got `float`",
    ),
    (
        "no height",
        coco(images=[coco_image(height=0)], annotations=[]),
        "images[0] (a.png)",
        "at least 1, got 0 and 640",
    ),
    ("too many pixels", coco(images=[coco_image(width=10**9)]), "images[0] (a.png)", "at most 178956970 pixels"),
    ("one id twice", coco(images=[coco_image()] * 2), "images[1] (a.png)", "an image's id must be its own, got 7"),
    ("one class twice", coco(categories=[{"id": 3, "name": "cat"}] * 2), "categories[1]", "must be its own, got 3"),
]


@pytest.mark.parametrize("value, record, message", [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_malformed_is_named_or_left_out(tmp_path, value, record, message):
    path = file_of(tmp_path, value)
    with pytest.raises(DataError) as caught:
        read_coco(path)
    assert caught.value.where == f"{path}: {record}"
    assert message in str(caught.value)
    data = read_coco(path, keep_going=True)
    assert sum(data.counts.values()) == 1
    assert data.remarks[0].where == f"{path}: {record}"
    assert message in data.remarks[0].text


def test_going_on_leaves_out_no_more_than_what_is_wrong(tmp_path):
    value = coco(
        images=[coco_image(), coco_image(id=8, width=0), coco_image(id=9, height="480"), coco_image(id=10)],
        annotations=[
            coco_annotation(bbox=[0, 0, 1, 1], segmentation=[TRIANGLE]),
            coco_annotation(bbox="wrong"),
            coco_annotation(image_id=8),
            coco_annotation(category_id=99),
            coco_annotation(image_id=10, bbox=[0, 0, 2, 2], segmentation=[TRIANGLE, TRIANGLE]),
            coco_annotation(bbox=[0, 0, 3, 3], segmentation=[TRIANGLE] * 3),
            coco_annotation(image_id=9),
        ],
    )
    data = read_coco(file_of(tmp_path, value), keep_going=True)
    assert [(sample.id, sample.boxes[:, 2].tolist()) for sample in data] == [("7", [1, 3]), ("10", [2])]
    assert [[len(rings) for rings in sample.outlines] for sample in data] == [[1, 3], [2]]
    assert data.counts == {"malformed": 3, "unlisted": 2}  # image 9 could not be read, so its object has none


MALFORMED = [
    ("nothing", "", None, "cannot be read"),
    ("no JSON", '{"images": [\n{"id": 7,\n oops', 3, "JSON is malformed"),
    ("cut off", '{"images": [\n{"id": 7,', 2, "truncated"),
    ("a list", "[1, 2]", ": the whole", "expected `object`, got `array`"),
    ("no annotations", '{"images": [], "categories": []}', ": the whole", "required field `annotations`"),
    ("without end", '{"info": ' + "[" * 100_000, None, "without end"),
    ("not a number", '{"images": [], "annotations": [NaN], "categories": []}', 1, "JSON is malformed"),
]


@pytest.mark.parametrize("text, line, message", [row[1:] for row in MALFORMED], ids=[row[0] for row in MALFORMED])
@pytest.mark.parametrize("keep_going", [False, True])
def test_what_is_no_coco_file_stops_at_its_line(tmp_path, text, line, message, keep_going):
    path = file_of(tmp_path, text)
    with pytest.raises(DataError) as caught:
        read_coco(path, keep_going=keep_going)
    assert caught.value.where == str(path) + ("" if line is None else line if isinstance(line, str) else f":{line}")
    assert message in str(caught.value)


def test_text_that_is_no_utf8_is_said_or_left_out(tmp_path):
    text = b'{"images": [], "annotations": [], "categories": [{"id": 1, "name": "\xff"}]}'
    with pytest.raises(DataError, match="UTF-8"):
        read_coco(file_of(tmp_path, text))
    assert read_coco(file_of(tmp_path, text), keep_going=True).counts == {"malformed": 1}


def test_a_missing_file_and_a_folder_are_said(tmp_path):
    with pytest.raises(DataError, match="not there") as caught:
        read_coco(tmp_path / "none.json")
    assert caught.value.kind == "missing"
    with pytest.raises(DataError, match="cannot be read"):
        read_coco(tmp_path)


def test_the_byte_order_mark_of_windows_is_read_over(tmp_path):
    assert len(read_coco(file_of(tmp_path, b"\xef\xbb\xbf" + json.dumps(coco()).encode()))) == 1


def test_ids_may_be_text_and_images_without_objects_are_samples(tmp_path):
    value = coco(
        images=[coco_image(id="x"), coco_image(id="y")],
        annotations=[coco_annotation(image_id="y", category_id="c")],
        categories=[{"id": "c", "name": "cat"}],
    )
    first, second = read_coco(file_of(tmp_path, value))
    assert (first.id, len(first.boxes), first.labels) == ("x", 0, ())
    assert (second.id, second.labels) == ("y", ("cat",))


def test_objects_follow_their_images_in_the_order_of_the_file(tmp_path):
    owners = [7, 8, 7, 9, 8, 7]
    value = coco(
        images=[coco_image(id=i) for i in (9, 7, 8)],
        annotations=[coco_annotation(image_id=owner, bbox=[i, 0, 1, 1]) for i, owner in enumerate(owners)],
    )
    data = read_coco(file_of(tmp_path, value))
    for sample in data:
        assert sample.boxes[:, 0].tolist() == [i for i, owner in enumerate(owners) if str(owner) == sample.id]
    assert [sample.id for sample in data[1:]] == ["7", "8"]


def test_an_object_outside_is_left_out_and_said(tmp_path):
    path = file_of(tmp_path, annotated({"bbox": [640, 10, 20, 20]}, {"bbox": [630, 10, 20, 20]}))
    data = read_coco(path)
    assert data[0].boxes.tolist() == [[630, 10, 650, 30]]
    assert data.counts == {"outside": 1}
    assert data.remarks[0].rule == "SA4"
    assert data.remarks[0].where == f"{path}: annotations[0] (image 7)"


def test_pictures_must_be_there_and_agree(tmp_path):
    images = [coco_image(id=i, file_name=name) for i, name in enumerate(["a.png", "val/b.png", "gone.png", "c.jpg"])]
    path = file_of(tmp_path, coco(images=images, annotations=[]))
    for name in ("a.png", "val/b.png"):
        worlds.save(tmp_path / "pictures" / name)
    worlds.save(tmp_path / "pictures" / "c.jpg", (240, 320))
    with pytest.raises(DataError, match="not there") as caught:
        read_coco(path, images=tmp_path / "pictures")
    assert (caught.value.kind, caught.value.where) == ("missing", f"{path}: images[2] (gone.png)")
    data = read_coco(path, images=tmp_path / "pictures", keep_going=True)
    assert data.counts == {"missing": 1}
    first, second, other = readings(data)
    assert str(second.path).endswith("b.png")
    assert first.remarks == ()
    assert (other.kind, other.where) == ("other size", f"{path}: images[3] (c.jpg)")
    assert "480 x 640" in other.text
    assert "240 x 320" in other.text
    with pytest.raises(DataError, match="expected a folder of pictures"):
        read_coco(path, images=tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["../a.png", "x/../../a.png", "", ".", "a\0.png", "ABSOLUTE"])
def test_names_must_stay_inside_the_folder_of_pictures(tmp_path, name):
    worlds.save(tmp_path / "a.png")
    (tmp_path / "pictures").mkdir()
    name = str(tmp_path / "a.png") if name == "ABSOLUTE" else name
    path = file_of(tmp_path, coco(images=[coco_image(file_name=name)], annotations=[]))
    with pytest.raises(DataError, match="must stay inside"):
        read_coco(path, images=tmp_path / "pictures")


def test_r5_the_annotation_must_be_of_the_upright_picture(tmp_path):
    worlds.save(tmp_path / "pictures" / "a.jpg", (20, 40), orientation=6)

    def read(height, width):
        value = coco(images=[coco_image(file_name="a.jpg", height=height, width=width)], annotations=[])
        return next(readings(read_coco(file_of(tmp_path, value), images=tmp_path / "pictures")))

    upright, stored = read(40, 20), read(20, 40)
    assert upright.size == (40, 20)
    assert [(remark.kind, remark.rule) for remark in upright.remarks] == [("turned", "SA7")]
    assert stored.kind == "other size"
    assert "EXIF orientation 6" in stored.text


def test_l6_names_and_labels_are_mere_text(tmp_path):
    label, name = "<script>alert('x')</script>\n\x1b[31m{0}%s", "ä \"quoted\" 'name'\u202e.png"
    worlds.save(tmp_path / "pictures" / name)
    value = coco(images=[coco_image(file_name=name)], categories=[{"id": 3, "name": label}])
    sample = read_coco(file_of(tmp_path, value), images=tmp_path / "pictures")[0]
    assert sample.labels == (label,)
    assert sample.path == str(tmp_path / "pictures" / name)
    assert sample.where.isprintable()
    assert "\\u202e" in sample.where


@pytest.mark.parametrize(
    "segmentation, message",
    [
        ([[1, 2, 3]], "at least 3 corners, got 3 numbers"),
        ([[1, 2, 3, 4]], "at least 3 corners, got 4 numbers"),
        ([["a"]], "rings of numbers, or runs"),
        ({"counts": [1]}, "missing required field `size`"),
        (7, "rings of numbers, or runs"),
    ],
)
def test_an_outline_that_is_none_is_said_when_it_is_asked_for(tmp_path, segmentation, message):
    path = file_of(tmp_path, annotated({}, {"segmentation": segmentation}))
    sample = read_coco(path)[0]
    assert sample.outlines[0] is None
    with pytest.raises(DataError) as caught:
        sample.outlines[1]
    assert caught.value.where == f"{path}: annotations[1].segmentation"
    assert message in str(caught.value)


def test_a_file_that_has_changed_is_not_taken_for_what_it_was(tmp_path):
    sample = read_coco(file_of(tmp_path, annotated({"segmentation": [TRIANGLE]})))[0]
    file_of(tmp_path, annotated({}, {}))
    with pytest.raises(DataError, match="had 1 annotations when it was opened, and has 2 now"):
        sample.outlines[0]


def test_data_and_samples_can_be_handed_to_another_process(tmp_path):
    data = read_coco(file_of(tmp_path, annotated({"segmentation": [TRIANGLE]})))
    assert data[0].outlines[0][0].shape == (3, 2)  # what has been read of the outlines is not handed on
    assert b"[[10" not in pickle.dumps(data) + pickle.dumps(data[0])
    for sample in (pickle.loads(pickle.dumps(data))[0], pickle.loads(pickle.dumps(data[0]))):
        assert sample.boxes.tolist() == data[0].boxes.tolist()
        assert sample.outlines[0][0].tolist() == [[10, 20], [40, 20], [40, 60]]
        assert len(sample.outlines[:1]) == 1


@st.composite
def masks(draw):
    height, width = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    pixels = draw(st.lists(st.booleans(), min_size=height * width, max_size=height * width))
    return np.reshape(pixels, (height, width))


@given(masks())
def test_runs_are_the_mask_that_they_were_made_of(mask):
    runs = worlds.runs_of(mask)
    assert (mask_of(Rle(tuple(runs), mask.shape)) == mask).all()
    assert (mask_of(Rle(worlds.compressed(runs), mask.shape)) == mask).all()


def test_compressed_runs_are_those_of_cocos_own_tools():
    tools = pytest.importorskip("pycocotools.mask")
    chance = np.random.default_rng(0)
    for share in (0.0, 0.01, 0.5, 1.0):
        for _ in range(50):
            mask = chance.random((chance.integers(1, 90), chance.integers(1, 90))) < share
            text = tools.encode(np.asfortranarray(mask.astype(np.uint8)))["counts"].decode()
            assert (mask_of(Rle(text, mask.shape)) == mask).all()
            assert worlds.compressed(worlds.runs_of(mask)) == text


@pytest.mark.parametrize(
    "rle, message",
    [
        (Rle((1, 2), (2, 2)), "fill 2 x 2 pixels, got 2 runs of 3"),
        (Rle((-1, 5), (2, 2)), "at least 0 pixels each"),
        (Rle((1, 2**70), (2, 2)), "got 2 runs"),
        (Rle((), (2, 2)), "got 0 runs"),
        (Rle((0,), (0, 2)), "at least 1, got 0 and 2"),
        (Rle((1,), (10**6, 10**6)), "at most 178956970 pixels"),
        (Rle("ä", (2, 2)), "as COCO's tools write it"),
        (Rle("P" * 50, (2, 2)), "as COCO's tools write it"),
        (Rle("1P", (2, 2)), "end with a whole number"),
    ],
)
def test_runs_that_are_none_are_refused(rle, message):
    with pytest.raises(DataError) as caught:
        mask_of(rle, "ann.json: annotations[0]")
    assert message in str(caught.value)
    assert caught.value.where == "ann.json: annotations[0]"
