"""`safeaug.show`: whatever a loader hands over, its pictures, objects and values are those that stand on the sheet."""

import subprocess
import sys
import types
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from safeaug.errors import DataError, OutputError, PolicyError
from safeaug.report import ink
from safeaug.showing.boxes import format_of, outlined, rows_of
from safeaug.showing.cell import LOUD, View, cell, found_in, shown_size
from safeaug.showing.labels import text_of
from safeaug.showing.laid import columns_for, side_for
from safeaug.showing.marks import marks_of
from safeaug.showing.masked import fitted, grown
from safeaug.showing.overall import show
from safeaug.showing.pixels import pixels_of
from safeaug.showing.scale import IMAGENET, levels_of, numbers_of, scale_of
from safeaug.showing.structure import parts_of
from safeaug.showing.text import folded
from safeaug.showing.told import told

RNG = np.random.default_rng(0)
COUNT, HEIGHT, WIDTH = 5, 24, 32
BYTES = RNG.integers(0, 256, (COUNT, HEIGHT, WIDTH, 3), dtype=np.uint8)
BYTES[:, 0, 0], BYTES[:, 0, 1] = 0, 255
BOXES = [np.array([[2.0, 3, 12, 13], [10, 4, 30, 20]])[: 1 + place % 2] for place in range(COUNT)]
LABELS = [[place, 7][: 1 + place % 2] for place in range(COUNT)]
MASKS = [np.zeros((len(boxes), HEIGHT, WIDTH), np.uint8) for boxes in BOXES]
for _masks, _boxes in zip(MASKS, BOXES, strict=True):
    for _mask, (_x0, _y0, _x1, _y1) in zip(_masks, _boxes.astype(int), strict=True):
        _mask[_y0:_y1, _x0:_x1] = 1
FIRST = np.ascontiguousarray(np.moveaxis(BYTES, -1, 1))
NORMAL = ((BYTES / 255 - IMAGENET[0]) / IMAGENET[1]).astype(np.float32)


def levels(picture, mean=None, std=None, layout=None):
    pixels = pixels_of(picture, layout, "")
    return levels_of(pixels, scale_of([pixels], numbers_of("mean", mean), numbers_of("std", std))).pixels


# Structures: the same pictures and objects, in whatever they come.


def dicts(**more):
    return [{"boxes": BOXES[i], "labels": LABELS[i], "masks": MASKS[i], **more} for i in range(COUNT)]


def padded():
    boxes, labels = np.zeros((COUNT, 2, 4)), np.zeros((COUNT, 2), int)
    masks, valid = np.zeros((COUNT, 2, HEIGHT, WIDTH), bool), np.zeros((COUNT, 2), bool)
    for i, each in enumerate(BOXES):
        boxes[i, : len(each)], labels[i, : len(each)] = each, LABELS[i]
        masks[i, : len(each)], valid[i, : len(each)] = MASKS[i], True
    return {"boxes": boxes, "labels": labels, "masks": masks, "valid": valid}


Outcome = namedtuple("Outcome", "boxes labels masks valid status")
PAIRS = list(zip(BYTES, dicts(), strict=True))
STRUCTURES = {
    "images and targets": (FIRST, dicts()),
    "channels last": [BYTES, dicts()],
    "lists": (list(FIRST), dicts()),
    "tuples, as detectors collate": (tuple(FIRST), tuple(dicts())),
    "of Pillow's": ([Image.fromarray(each) for each in BYTES], dicts()),
    "pairs": PAIRS,
    "mappings": [{"image": image, **target} for image, target in PAIRS],
    "albumentations' names": [
        {"image": image, "bboxes": each["boxes"], "class_labels": each["labels"], "masks": list(each["masks"])}
        for image, each in PAIRS
    ],
    "one mapping": {"images": FIRST, "boxes": BOXES, "labels": LABELS, "masks": MASKS},
    "transformers' names": {"pixel_values": FIRST, "labels": dicts()},
    "nested": {"image": BYTES, "targets": dicts()},
    "padded": {"img": FIRST, **padded()},
    "a tuple with names": (BYTES, Outcome(*padded().values(), status=np.zeros(COUNT))),
    "one by one": (BYTES, BOXES, LABELS, MASKS),
    "labels in the fifth place": (BYTES, [*map(np.column_stack, zip(BOXES, LABELS, strict=True))], MASKS),
    "annotations": (
        BYTES,
        [
            [
                {"bbox": [x0, y0, x1 - x0, y1 - y0], "category_id": label}
                for (x0, y0, x1, y1), label in zip(boxes.tolist(), labels, strict=True)
            ]
            for boxes, labels in zip(BOXES, LABELS, strict=True)
        ],
        MASKS,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STRUCTURES)
def test_structures_hold_the_same(name, tmp_path):
    batch = STRUCTURES[name]
    found = parts_of(batch, 64)
    assert found.total == len(found.parts) == COUNT
    for place, part in enumerate(found.parts):
        assert (levels(part.picture) == BYTES[place]).all()
        size = HEIGHT, WIDTH
        marks = marks_of(part.says, rows_of(part.says, size), "xyxy", size, None)
        assert [[*ring[0], *ring[2]] for ring in marks.rings] == BOXES[place].tolist()
        assert marks.labels == list(map(str, LABELS[place]))
        assert (np.array(marks.masks) == MASKS[place]).all()
        assert not marks.notes
    sheet = show(batch, out=tmp_path)
    assert [each.objects for each in sheet.pictures] == [len(boxes) for boxes in BOXES]
    assert not sheet.faults


def test_tensors_are_taken_as_they_come(tmp_path):
    torch = pytest.importorskip("torch")
    tensors = {
        "float32": torch.as_tensor(NORMAL).permute(0, 3, 1, 2).requires_grad_(),
        "float16": torch.as_tensor(NORMAL).permute(0, 3, 1, 2).half(),
        "bfloat16": torch.as_tensor(NORMAL).permute(0, 3, 1, 2).bfloat16(),
        "uint8": torch.as_tensor(FIRST),
    }
    targets = [
        {"boxes": torch.as_tensor(boxes), "labels": torch.as_tensor(labels)}
        for boxes, labels in zip(BOXES, LABELS, strict=True)
    ]
    for name, images in tensors.items():
        sheet = show((images, targets), out=tmp_path)
        assert {each.dtype for each in sheet.pictures} == {name}
        assert {each.size for each in sheet.pictures} == {(HEIGHT, WIDTH)}
        step = {"bfloat16": 3, "float16": 1}.get(name, 0.5)
        shown = levels(images[1], *IMAGENET) if name != "uint8" else levels(images[1])
        assert np.abs(shown.astype(int) - BYTES[1]).max() <= step
    assert tensors["float32"].requires_grad


def test_boxes_that_say_their_format_are_believed(tmp_path):
    tv_tensors = pytest.importorskip("torchvision.tv_tensors")
    boxes = tv_tensors.BoundingBoxes([[5, 6, 10, 8]], format="XYWH", canvas_size=(HEIGHT, WIDTH))
    rows = rows_of({"boxes": boxes}, (HEIGHT, WIDTH))
    assert outlined(rows, "xyxy", (HEIGHT, WIDTH)).rings == [[(5, 6), (15, 6), (15, 14), (5, 14)]]
    turned = tv_tensors.BoundingBoxes([[16.0, 12, 10, 4, 90]], format="CXCYWHR", canvas_size=(HEIGHT, WIDTH))
    (ring,) = outlined(rows_of({"boxes": turned}, (HEIGHT, WIDTH)), "xyxy", (HEIGHT, WIDTH)).rings
    assert sorted((round(x), round(y)) for x, y in ring) == [(14, 7), (14, 17), (18, 7), (18, 17)]
    other = tv_tensors.BoundingBoxes([[5, 6, 10, 8]], format="XYWH", canvas_size=(9, 9))
    (about,) = show((BYTES[0], {"boxes": other}), out=tmp_path).pictures
    assert "canvas" in about.faults[0]


def test_what_a_batch_module_returns_is_shown(tmp_path):
    torch = pytest.importorskip("torch")
    import safeaug.batch

    crop = safeaug.batch.RandomCrop(16, 16, min_retention=0.5)
    boxes = torch.tensor([[[2.0, 3, 12, 13]]] * COUNT)
    images, outcome = crop(torch.as_tensor(FIRST), boxes=boxes, valid=torch.ones(COUNT, 1, dtype=torch.bool))
    sheet = show((images, outcome), out=tmp_path)
    assert [each.objects for each in sheet.pictures] == outcome.valid.sum(1).tolist()
    assert not any("not shown" in line for line in sheet.said)


def test_views_of_one_picture_stand_side_by_side():
    small = FIRST[:, :, ::2, ::2]
    for batch in ([FIRST, small], [FIRST, small, np.arange(COUNT)], ([FIRST, small], np.arange(COUNT))):
        found = parts_of(batch, 64)
        assert found.total == 2 * COUNT
        for place in range(COUNT):
            for view, of in enumerate((FIRST, small)):
                part = found.parts[2 * place + view]
                assert (part.picture == of[place]).all()
                assert part.says["view"] == f"view {view} of {place}"
                assert part.says.get("label", place) == place


def test_masks_are_no_views():
    masks = np.zeros((COUNT, 1, HEIGHT, WIDTH), np.uint8)
    for batch in ((FIRST, masks), (list(FIRST), list(masks[:, 0])), (FIRST, masks[:, 0])):
        found = parts_of(batch, 64)
        assert found.total == COUNT
        assert all("mask" in part.says for part in found.parts)
    (part,) = parts_of((Image.fromarray(BYTES[0]), Image.fromarray(masks[0, 0])), 64).parts
    assert "mask" in part.says


@pytest.mark.parametrize(
    "batch, count",
    [
        (BYTES[0], 1),
        (FIRST[0], 1),
        (BYTES[0, :, :, 0], 1),
        (BYTES[..., 0], COUNT),
        (Image.fromarray(BYTES[0]), 1),
        ((BYTES[0], 3), 1),
        ({"image": BYTES[0], "label": "cat"}, 1),
        ([BYTES[0], FIRST[1]], 2),
    ],
)  # fmt: skip
def test_single_pictures_and_grey_ones(batch, count):
    assert parts_of(batch, 64).total == count


def test_only_so_many_are_shown_and_that_is_said(tmp_path):
    sheet = show(np.zeros((100, 8, 8), np.uint8), out=tmp_path)
    assert len(sheet.pictures) == 64
    assert "100 pictures" in sheet.title
    assert "the first 64" in sheet.title
    assert len(show(BYTES, most=2, out=tmp_path).pictures) == 2


def test_what_is_not_shown_is_said(tmp_path):
    sheet = show({"images": BYTES, "path": ["a"] * COUNT, "labels": [1, 2]}, out=tmp_path)
    assert "not shown: path" in sheet.said
    assert f"labels is not shown: list of 2: [int 1, int 2] is not one for each of {COUNT} pictures" in sheet.said
    (about,) = show((BYTES[0], object()), out=tmp_path).pictures
    assert about.faults == ("not shown: object",)


UNKNOWN = {
    "nothing": (None, "None"),
    "a number": (3, "int 3"),
    "a text": ("batch", "str"),
    "an empty list": ([], "an empty batch"),
    "an empty tensor": (np.zeros((0, 3, 4, 4)), "(0, 3, 4, 4)"),
    "names without pictures": ({"x": np.zeros(3), "y": [1]}, "dict {x: ndarray float64 (3,), y: list of 1: [int 1]}"),
    "videos": (np.zeros((2, 3, 4, 5, 6)), "flatten"),
    "numbers": ([1, 2], "[int 1, int 2]"),
    "nested": (([np.zeros(3)], [{"boxes": 1}]), "tuple of 2: (list of 1: [ndarray float64 (3,)], list of 1: [dict"),
    "a picture that is none": ({"image": None}, "dict {image: None}"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_structure_is_told(name, tmp_path):
    batch, says = UNKNOWN[name]
    with pytest.raises(DataError) as caught:
        show(batch, out=tmp_path)
    assert says in str(caught.value)
    assert "(B, C, H, W)" in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_what_holds_no_numbers_is_told(tmp_path):
    with pytest.raises(DataError, match=r"image 1: expected a picture of numbers, .* got ndarray object \(2, 2\)"):
        show([np.zeros((2, 2)), np.full((2, 2), None)], out=tmp_path)


def test_types_and_shapes_are_told_in_short():
    deep = [[[[[[1]]]]]]
    assert told(deep) == "list of 1: [list of 1: [list of 1: [list of 1: [list of 1]]]]"
    assert told({f"\x1b{i}": 0 for i in range(20)}).endswith("and 12 more}")
    assert told([np.zeros(i) for i in range(20)]) == "list of 20: [ndarray float64 (0,), ...]"


@pytest.mark.parametrize(
    "options",
    [
        {"most": 0},
        {"most": 65},
        {"most": True},
        {"std": 0},
        {"std": (1, 1, 0)},
        {"mean": "x"},
        {"mean": (1, float("nan"))},
        {"box_format": "yxyx"},
        {"layout": "CWH"},
    ],
)
def test_arguments_out_of_range(options, tmp_path):
    with pytest.raises(PolicyError):
        show(BYTES, out=tmp_path, **options)


def test_mean_of_other_channels(tmp_path):
    with pytest.raises(PolicyError, match="3 channels"):
        show(NORMAL, mean=(1, 2), out=tmp_path)


# Values.

BATCHES = hnp.arrays(np.uint8, st.tuples(st.integers(1, 5), st.integers(1, 5), st.just(3)))


@settings(max_examples=100)
@given(BATCHES, st.lists(st.floats(0, 1), min_size=3, max_size=3), st.floats(0.05, 1), st.booleans(), st.booleans())
def test_what_is_told_is_undone(picture, mean, std, first, whole):
    white = 255 if whole else 1
    values = (picture / 255 - mean) / std
    if first:
        values = np.moveaxis(values, -1, 0)
    mean, std = np.array(mean) * white, std * white
    if not whole or max(*mean, std) > 1:
        shown = levels(values, mean, std, "CHW" if first else "HWC")
        assert np.abs(shown.astype(int) - picture).max() <= 1


@pytest.mark.parametrize("name, mean, std", [("ImageNet", *IMAGENET), ("0.5", 0.5, 0.5)])
def test_a_guess_is_right_for_pictures_with_black_and_white(name, mean, std):
    values = ((BYTES / 255 - mean) / std).astype(np.float32)
    pixels = [pixels_of(each, None, "") for each in values]
    scale = scale_of(pixels, None, None)
    assert scale.guess
    assert name in scale.said
    for each, picture in zip(pixels, BYTES, strict=True):
        assert (levels_of(each, scale).pixels == picture).all()


@settings(max_examples=100)
@given(hnp.arrays(np.float64, (3, 3, 1), elements=st.floats(-1e6, 1e6)))
def test_anything_else_is_stretched_in_order(values):
    pixels = pixels_of(values, "HWC", "")
    shown = levels_of(pixels, scale_of([pixels], None, None)).pixels[:, :, 0].astype(int)
    order = np.argsort(values, axis=None)
    assert (np.diff(shown.ravel()[order]) >= 0).all()


KINDS = {
    "bytes": (BYTES, BYTES),
    "shares": (BYTES / 255, BYTES),
    "floats to 255": (BYTES.astype(np.float32), BYTES),
    "long integers": (BYTES.astype(np.int64), BYTES),
    "16 bits": (BYTES.astype(np.uint16) * 257, BYTES),
    "true or false": (BYTES > 127, np.where(BYTES > 127, 255, 0)),
    "swung over": (np.where(BYTES == 255, 1.08, BYTES / 255), BYTES),
    "four channels": (np.concatenate([BYTES, BYTES[..., :1]], axis=3), BYTES),
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_numbers(kind):
    values, expected = KINDS[kind]
    for picture, shown in zip(values, expected, strict=True):
        assert (levels(picture) == shown).all()


def test_a_few_that_stand_far_off_do_not_darken_the_rest():
    values = NORMAL * 40
    values[0, 0, 0, 0] = 1e9
    pixels = [pixels_of(each, None, "") for each in values]
    scale = scale_of(pixels, None, None)
    assert "far off" in scale.said
    assert levels_of(pixels[1], scale).pixels.std() > 50


def test_what_is_odd_about_values_is_said(tmp_path):
    twice = show(BYTES / 255 / 255, out=tmp_path)
    assert all("scaled twice" in each.faults[0] for each in twice.pictures)
    flat = show(np.full((3, 4, 4, 3), 0.5), out=tmp_path)
    assert flat.faults == ("3 of 3 are flat",)
    wrong = show(NORMAL * 3, mean=IMAGENET[0], std=IMAGENET[1], out=tmp_path)
    assert "another mean and std" in wrong.faults[0]
    assert not show(NORMAL, mean=IMAGENET[0], std=IMAGENET[1], out=tmp_path).faults
    bytes_told = show(BYTES, mean=0.5, std=0.5, out=tmp_path)
    assert any("not undone" in line for line in bytes_told.said)


def test_pixels_that_are_not_finite_are_counted_and_seen(tmp_path):
    images = NORMAL.copy()
    images[1, 3, 4, 0] = np.nan
    images[2, 5, 6] = np.inf
    images[2, 7, :3, 1] = -np.inf
    images[3] = np.nan
    sheet = show(images, out=tmp_path)
    for about, image in zip(sheet.pictures, images, strict=True):
        assert about.nan == np.isnan(image).any(axis=2).sum()
        assert about.infinite == np.isinf(image).any(axis=2).sum()
    assert "3 of 5 hold pixels that are not finite, in magenta" in sheet.faults
    assert "1 pixel NaN" in sheet.pictures[1].faults
    assert np.isnan(sheet.pictures[3].low)
    assert (np.asarray(sheet.image) == LOUD).all(axis=2).sum() > HEIGHT * WIDTH
    clean = show(NORMAL, out=tmp_path)
    assert not (np.asarray(clean.image) == LOUD).all(axis=2).any()
    assert clean.said == sheet.said  # what is not finite does not sway the guess


@settings(max_examples=100)
@given(hnp.arrays(np.bool_, st.tuples(st.integers(1, 40), st.integers(1, 40))), st.integers(1, 90))
def test_every_bad_pixel_is_seen_however_small(bad, side):
    shown = shown_size(bad.shape, side)
    found = found_in(bad, shown)
    assert found.shape == shown
    assert found.any() == bad.any()
    for row, column in np.argwhere(bad):
        y, x = (int((at + 0.5) * to / of) for at, to, of in zip((row, column), shown, bad.shape, strict=True))
        assert found[min(y, shown[0] - 1), min(x, shown[1] - 1)]


# Objects.


def box_in(formats, size):
    """Return one box in every format."""
    x0, y0, x1, y1 = 4.0, 8.0, 20.0, 16.0
    high, wide = size
    by_format = {
        "xyxy": [x0, y0, x1, y1],
        "xywh": [x0, y0, x1 - x0, y1 - y0],
        "cxcywh": [12.0, 12.0, 16.0, 8.0],
        "xyxyn": [x0 / wide, y0 / high, x1 / wide, y1 / high],
        "cxcywhn": [12 / wide, 12 / high, 16 / wide, 8 / high],
        "cxcywhr": [12.0, 12.0, 16.0, 8.0, 0.0],
    }
    return by_format[formats]


@pytest.mark.parametrize("name", ["xyxy", "xywh", "cxcywh", "xyxyn", "cxcywhn", "cxcywhr"])
def test_a_format_that_is_told(name):
    size = HEIGHT, WIDTH
    rows = rows_of({"boxes": [box_in(name, size)]}, size, turned=name == "cxcywhr")
    (ring,) = outlined(rows, name, size).rings
    assert np.allclose(sorted(ring), [(4, 8), (4, 16), (20, 8), (20, 16)])


@pytest.mark.parametrize("name, guess", [("xyxy", "xyxy"), ("xyxyn", "xyxyn")])
def test_a_format_that_is_guessed(name, guess):
    size = HEIGHT, WIDTH
    form = format_of([np.array([box_in(name, size)])], [size])
    assert form.name == guess
    assert bool(form.said) == (guess != "xyxy")


@settings(max_examples=100)
@given(
    st.lists(st.tuples(*[st.integers(0, 19)] * 2, *[st.integers(1, 20)] * 2), min_size=1, max_size=5),
    st.sampled_from(["xyxy", "xywh"]),
)
def test_no_guess_puts_boxes_outside_that_are_inside_as_corners(sides, name):
    """Whatever is taken for corner and size could not have been corners, and lies inside so."""
    rows = np.array([(x, y, x + wide, y + high) for x, y, wide, high in sides], float)
    if name == "xywh":
        rows[:, 2:] -= rows[:, :2]
    found = format_of([rows], [(40, 40)]).name
    ordered = (rows[:, :2] <= rows[:, 2:]).all()
    assert found == ("xyxyn" if rows.max() <= 1 else "xyxy" if ordered else "xywh")


def test_faults_of_boxes_are_counted(tmp_path):
    boxes = [[2, 2, 9, 9], [40, 40, 50, 50], [9, 9, 2, 2], [5, 5, 5, 9], [np.nan, 0, 1, 1], [0, 0, 0, 0]]
    (about,) = show((BYTES[0], {"boxes": boxes, "labels": list("abcdef")}), box_format="xyxy", out=tmp_path).pictures
    assert about.objects == 4
    assert set(about.faults) == {
        "1 box not finite", "1 box with swapped corners", "1 box without area", "1 box outside",
    }  # fmt: skip
    (about,) = show((BYTES[0], {"boxes": [[2, 2, 9, 9]], "labels": ["a", "b"]}), out=tmp_path).pictures
    assert about.faults == ("2 labels for 1 boxes",)
    (about,) = show((BYTES[0], {"masks": np.zeros((2, HEIGHT, WIDTH))}), out=tmp_path).pictures
    assert about.faults == ("2 masks empty",)


@settings(max_examples=100)
@given(st.integers(0, 40), st.integers(0, 20), st.integers(24, 60), st.integers(24, 40), st.integers(128, 300))
def test_an_outline_stands_where_its_box_is(x0, y0, wide, high, side):
    """On a black picture the white pixels are the box, in the scale of the sheet. (Tiny ones are outlined outside.)"""
    size = 64, 128
    box = x0, y0, x0 + wide, y0 + high
    marks = marks_of({"boxes": [box]}, rows_of({"boxes": [box]}, size), "xyxy", size, None)
    view = View(np.zeros((*size, 3), np.uint8), None, marks, [], [], [])
    paper = np.asarray(cell(view, side))
    shown = shown_size(size, side)
    rows, columns = np.nonzero((paper[: shown[0], : shown[1]] == ink.OBJECT).all(axis=2))
    found = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
    assert found == pytest.approx([at * shown[1] / size[1] for at in box], abs=1)


def test_classes_have_one_colour_in_all_pictures():
    first, second = np.zeros((2, 40, 40), int)
    first[5:15, 5:15], first[20:30, 20:30], second[20:30, 20:30] = 3, 9, 9
    colours = []
    for classes in (first, second):
        marks = marks_of({"mask": classes}, rows_of({}, (40, 40)), "xyxy", (40, 40), {3: "road", 9: "sky"})
        assert set(marks.class_names.values()) <= {"road", "sky", "0"}
        paper = np.asarray(cell(View(np.zeros((40, 40, 3), np.uint8), None, marks, [3, 9], [], []), 40))
        colours.append(tuple(paper[22, 22]))
    assert colours[0] == colours[1]
    assert colours[0] != tuple(paper[7, 7])


def test_keypoints_that_can_be_seen_are_drawn():
    points = np.array([[[10, 10, 2], [20, 12, 0], [np.nan, 1, 1]]])
    marks = marks_of({"keypoints": points}, rows_of({}, (40, 40)), "xyxy", (40, 40), None)
    assert marks.points.tolist() == [[10, 10]]
    paper = np.asarray(cell(View(np.zeros((40, 40, 3), np.uint8), None, marks, [], [], []), 40))
    assert tuple(paper[10, 10]) == ink.OBJECT
    assert not paper[12, 20].any()


@pytest.mark.parametrize(
    "label, text",
    [
        (2, "dog"),
        (np.int64(2), "dog"),
        (np.array(2.0), "dog"),
        (np.float32(0.25), "0.25"),
        (9, "9"),
        ("ant", "ant"),
        (np.array([0, 0, 1]), "dog"),
        (np.array([0, 0, 0]), "none of 3"),
        (np.array([0.25, 0, 0.75]), "dog: 0.75, ant: 0.25"),
        ([True, False, True], "ant, dog"),
        (np.arange(3, 20), "3, 4, 5, 6, and 13 more"),
        (None, ""),
    ],
)
def test_labels_as_text(label, text):
    assert text_of(label, ["ant", "cat", "dog"]) == text
    assert text_of(label, {0: "ant", 1: "cat", "2": "dog"}) == text


def test_text_that_would_act_is_inert(tmp_path):
    evil = "\x1b[31m</script>‮" + "x" * 10_000
    target = {"boxes": [[2, 2, 20, 20]], "labels": [evil]}
    sheet = show([(BYTES[0], {**target, "label": evil, evil: 3})] * 2, out=tmp_path, title=evil)
    assert "\x1b" not in str(sheet)
    assert "‮" not in str(sheet)
    assert sheet.image.width < 2000


# The sheet.


@settings(max_examples=100)
@given(hnp.arrays(np.bool_, st.tuples(st.integers(1, 9), st.integers(1, 9))), st.integers(1, 3))
def test_a_mask_grows_by_its_neighbours(mask, by):
    expected = np.zeros_like(mask)
    for row, column in np.argwhere(mask):
        expected[max(row - by, 0) : row + by + 1, max(column - by, 0) : column + by + 1] = True
    assert (grown(mask, by) == expected).all()


@settings(max_examples=100)
@given(hnp.arrays(np.int64, st.tuples(st.integers(1, 9), st.integers(1, 9))), st.integers(1, 20), st.integers(1, 20))
def test_a_mask_is_fitted_by_nearest_pixels(mask, high, wide):
    shown = fitted(mask, (high, wide))
    for row in range(high):
        for column in range(wide):
            y, x = int((row + 0.5) * mask.shape[0] / high), int((column + 0.5) * mask.shape[1] / wide)
            assert shown[row, column] == mask[min(y, mask.shape[0] - 1), min(x, mask.shape[1] - 1)]


@settings(max_examples=100)
@given(st.text(max_size=80), st.floats(20, 200))
def test_folded_text_fits_and_is_whole(text, width):
    lines = folded(text, 13, width)
    assert "".join(lines).replace(" ", "") == "".join("".join(text.split()).split())
    assert all(ink.font(13).getlength(line) <= width or len(line) == 1 for line in lines)


@settings(max_examples=100)
@given(st.integers(1, 64))
def test_the_sheet_is_no_wider_than_a_screen(count):
    side = side_for(count)
    columns = columns_for(count, side)
    assert 1 <= columns <= count
    assert columns * (side + 16) <= 1300


def pixels_in(path):
    with Image.open(path) as image:
        return np.asarray(image)


def test_without_a_notebook_a_file_is_written_and_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    first, second = show(BYTES), show(BYTES)
    assert (first.path, second.path) == (Path("safeaug_batch.png"), Path("safeaug_batch_2.png"))
    assert "shown in safeaug_batch.png" in capsys.readouterr().err
    assert (pixels_in(first.path) == np.asarray(first.image)).all()
    assert "safeaug_batch.png" in repr(first)
    show(BYTES[:1], out="safeaug_batch.png")
    assert pixels_in("safeaug_batch.png").shape != np.asarray(first.image).shape
    assert not capsys.readouterr().err


@pytest.fixture(params=["jupyter", "marimo"])
def notebook(request, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    if request.param == "jupyter":
        shell = types.SimpleNamespace(kernel=object())
        monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    else:
        monkeypatch.setitem(sys.modules, "marimo", types.SimpleNamespace(running_in_notebook=lambda: True))


@pytest.mark.usefixtures("notebook")
def test_a_notebook_shows_it_and_no_file_is_written(tmp_path):
    sheet = show(BYTES)
    assert sheet.path is None
    assert not list(tmp_path.iterdir())
    bundle = sheet._repr_mimebundle_()
    (tmp_path / "shown.png").write_bytes(bundle["image/png"])
    assert (pixels_in(tmp_path / "shown.png") == np.asarray(sheet.image)).all()
    assert bundle["text/plain"] == str(sheet)
    assert sheet.save(tmp_path / "again.png") == tmp_path / "again.png"
    assert show(BYTES, out="asked.png").path == Path("asked.png")


def test_a_terminal_of_ipython_is_no_notebook(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace()))
    assert show(BYTES).path is not None


@pytest.mark.parametrize("out", ["x.what", "x", "x.png/y.png"])
def test_where_it_cannot_be_written(out, tmp_path):
    (tmp_path / "x.png").write_bytes(b"")
    with pytest.raises(OutputError):
        show(BYTES, out=tmp_path / out)
    assert [path.name for path in tmp_path.iterdir()] == ["x.png"]


def test_a_full_disk_leaves_no_half_file(tmp_path, monkeypatch):
    def full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    show(BYTES, out=tmp_path / "x.png")
    before = (tmp_path / "x.png").read_bytes()
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OutputError, match="No space"):
        show(BYTES[:1], out=tmp_path / "x.png")
    assert [path.name for path in tmp_path.iterdir()] == ["x.png"]
    assert (tmp_path / "x.png").read_bytes() == before


def test_the_batch_is_left_as_it_is(tmp_path):
    images = NORMAL.copy()
    images[0, 0, 0] = np.nan
    before = images.copy()
    show((images, dicts()), out=tmp_path)
    assert np.array_equal(images, before, equal_nan=True)


def test_no_library_is_imported_for_it(tmp_path):
    code = (
        "import sys, numpy as np; from safeaug.showing.overall import show; "
        f"show((np.zeros((2, 3, 8, 8)), np.zeros((2, 1, 4))), out={str(tmp_path / 'x.png')!r}); "
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not set(done.stdout.split()) & {
        "torch",
        "matplotlib",
        "albumentations",
        "cv2",
        "skimage",
        "IPython",
        "scipy",
    }


SHAPES = st.sampled_from(
    [(), (1,), (4,), (2, 4), (8, 8), (3, 8, 8), (8, 8, 3), (2, 3, 8, 8), (2, 8, 8, 3), (0, 4), (2, 0)]
)
ARRAYS = st.builds(
    lambda shape, dtype, value: np.full(shape, value).astype(dtype),
    SHAPES,
    st.sampled_from(["u1", "i8", "f4", "?", "U1"]),
    st.integers(0, 9),
)
LEAVES = st.one_of(ARRAYS, st.none(), st.integers(-1, 9), st.text(max_size=2), st.just(float("nan")))
KEYS = st.sampled_from(["image", "images", "boxes", "labels", "masks", "mask", "keypoints", "label", "targets", "x"])
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.tuples(inner, inner), st.dictionaries(KEYS, inner, max_size=4)
    ),
    max_leaves=8,
)


@given(ANYTHING)
def test_of_anything_comes_a_sheet_or_one_error(tmp_path_factory, batch):
    try:
        sheet = show(batch, out=tmp_path_factory.getbasetemp() / "anything.png")
    except DataError:
        return
    assert 1 <= len(sheet.pictures) <= 64
    assert str(sheet).isprintable() or "\n" in str(sheet)
