"""Rules SA2 to SA7 as functions: facts against loops over pixels; each rule on what it must tell, and on its neighbours."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import albumentations as A
import kornia.augmentation as K
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from torchvision import transforms as v1
from torchvision import tv_tensors
from torchvision.transforms import v2

import safeaug
from safeaug.rules import Fact, ending_findings, facts_of, source_findings, step_findings
from safeaug.rules.agreement import mark_of, stayed, unknown, went
from safeaug.rules.chance import Drawn, repeated
from safeaug.rules.codes import WHAT, families_of
from safeaug.rules.crops import declared
from safeaug.rules.fills import fills_of
from safeaug.rules.geometry import by_quarter, inflated, misread
from safeaug.rules.sources import stored


def codes(before, after, **how):
    return [each.code for each in step_findings(facts_of(before), facts_of(after), **how)]


def noise(*shape, dtype=np.float32, high=1.0, seed=0):
    return (np.random.default_rng(seed).random(shape) * high).astype(dtype)


# Facts.


@dataclass
class Sample:
    image: Any
    extra: Any


SAMPLES = {
    "array alone": (np.zeros((9, 9, 3), np.uint8), [("", "image")]),
    "mapping": ({"image": np.zeros((9, 9, 3)), "id": 3}, [("image", "image"), ("id", "other")]),
    "pair": ((torch.zeros(3, 9, 9), 4), [("[0]", "image"), ("[1]", "other")]),
    "mask by its size": ((torch.zeros(3, 9, 9), torch.zeros(9, 9, dtype=torch.int64)), [("[0]", "image"), ("[1]", "mask")]),
    "map of floats": ((torch.zeros(3, 9, 9), torch.zeros(9, 9)), [("[0]", "image"), ("[1]", "other")]),
    "boxes by their rows": ((torch.zeros(3, 9, 9), torch.tensor([[1, 1, 5, 5]])), [("[0]", "image"), ("[1]", "boxes")]),
    "no boxes by their rows": ((torch.zeros(3, 9, 9), torch.tensor([[5, 5, 1, 1]])), [("[0]", "image"), ("[1]", "other")]),
    "dataclass": (Sample(Image.new("RGB", (9, 9)), None), [("image", "image"), ("extra", "none")]),
    "mask in a picture's type": ({"mask": tv_tensors.Image(torch.zeros(1, 9, 9))}, [("mask", "mask")]),
    "list of views": ([torch.zeros(3, 9, 9)] * 2, [("[0]", "image"), ("[1]", "other")]),
    "pairs with a hole": ([(1, None), (2, None)], [("[0][0]", "other"), ("[0][1]", "none"), ("[1][0]", "other"), ("[1][1]", "none")]),
}  # fmt: skip
# ruff: noqa: E501


@pytest.mark.parametrize("name", SAMPLES)
def test_parts_and_their_roles(name):
    sample, expected = SAMPLES[name]
    assert [(fact.path, fact.role) for fact in facts_of(sample)] == expected


@given(
    st.integers(1, 9), st.integers(1, 9), st.integers(1, 3), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.2, 1.0])
)
def test_range_and_share_are_those_of_a_loop(height, width, channels, seed, broken):
    rng = np.random.default_rng(seed)
    image = rng.normal(size=(height, width, channels)).astype(np.float32)
    image[rng.random(image.shape) < broken / 2] = np.nan
    image[rng.random(image.shape) < broken / 2] = np.inf
    for given_ in (image, torch.from_numpy(image.transpose(2, 0, 1).copy())):
        (fact,) = facts_of({"image": given_})
        values = [float(value) for value in image.ravel()]
        fine = [value for value in values if np.isfinite(value)]
        assert fact.low == (min(fine) if fine else None)
        assert fact.high == (max(fine) if fine else None)
        assert fact.finite == pytest.approx(len(fine) / len(values))
        assert fact.nans == sum(value != value for value in values)


@given(st.integers(8, 40), st.integers(8, 40), st.integers(0, 2**32 - 1))
def test_a_probe_is_the_same_in_every_carrier(height, width, seed):
    image = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    carriers = [image, torch.from_numpy(image).permute(2, 0, 1), Image.fromarray(image), image[None]]
    probes = {facts_of({"image": each})[0].probe for each in carriers}
    assert len(probes) == 1
    assert set(probes.pop()) <= set(map(float, image.ravel()))


@given(st.lists(st.integers(-3, 300), min_size=1, max_size=40))
def test_labels_are_all_that_occur(values):
    (fact,) = facts_of({"mask": np.array([values])})
    assert fact.labels == frozenset(values)


# What a step does to values.

BYTES = noise(16, 16, 3, high=255, dtype=np.uint8)
UNIT = (BYTES / 255).astype(np.float32)
FLOATS = BYTES.astype(np.float32)
MEAN, DEVIATION = np.array([0.485, 0.456, 0.406], np.float32), np.array([0.229, 0.224, 0.225], np.float32)


def spoilt(image):
    image = image.copy()
    image[3, 3] = np.nan
    return image


VALUES = {
    "a NaN appears": (UNIT, spoilt(UNIT), ["SA3.nan"]),
    "a NaN spreads": (spoilt(UNIT), np.full_like(UNIT, np.nan), []),
    "a cast hides it": (spoilt(UNIT), BYTES, ["SA3.hidden"]),
    "an infinity appears": (UNIT, UNIT / 0.0 if False else np.where(UNIT > 0.5, np.inf, UNIT), ["SA3.inf"]),
    "divided by 255": (BYTES, UNIT, []),
    "divided by 255 as floats": (FLOATS, UNIT, []),
    "divided twice": (UNIT, UNIT / 255, ["SA3.scaled_twice"]),
    "divided twice and normalised": (UNIT, (UNIT / 255 - MEAN) / DEVIATION, ["SA3.scaled_twice"]),
    "normalised": (UNIT, (UNIT - MEAN) / DEVIATION, []),
    "normalised from bytes": (BYTES, (UNIT - MEAN) / DEVIATION, []),
    "normalised unscaled": (FLOATS, (FLOATS - MEAN) / DEVIATION, ["SA3.range"]),
    "normalised by means of bytes": (FLOATS, (FLOATS - MEAN * 255) / (DEVIATION * 255), []),
    "only means are subtracted": (FLOATS, FLOATS - MEAN * 255, []),
    "stretched to 0..1": (FLOATS, FLOATS / FLOATS.max(), []),
    "standardised": (FLOATS, (FLOATS - FLOATS.mean()) / FLOATS.std(), []),
    "clipped to 1": (FLOATS + 2, np.clip(FLOATS + 2, 0, 1), ["SA3.clipped", "SA1.flat"]),
    "back to bytes": (UNIT, (UNIT * 255).round().astype(np.uint8), []),
    "cut to bytes": (FLOATS, FLOATS.astype(np.uint8), []),
    "cast without a factor": (UNIT, UNIT.astype(np.uint8), ["SA3.truncated"]),
    "a threshold": ((UNIT > 0.5).astype(np.float32), (UNIT > 0.5).astype(np.uint8), []),
    "wrapped by a cast": (FLOATS * 2, (FLOATS * 2).astype(np.int64).astype(np.uint8), ["SA3.wrapped"]),
    "wrapped by a factor": (FLOATS, (FLOATS * 255).astype(np.int64).astype(np.uint8), ["SA3.wrapped"]),
    "clipped into bytes": (FLOATS * 2, (FLOATS * 2).clip(0, 255).astype(np.uint8), []),
    "darkened": (UNIT, UNIT * 0.1, []),
    "blacked out": (UNIT, UNIT * 0, []),
    "blurred to nothing": (UNIT, np.full_like(UNIT, 0.5), []),
    "a crop of it": (UNIT, UNIT[:8, :8], []),
    "grey": (BYTES, BYTES[..., :1], []),
    "computed tomography": (noise(16, 16, high=4000) - 1000, (noise(16, 16, high=4000) - 1000) / 1000, []),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_what_a_step_did_to_values(name):
    before, after, expected = VALUES[name]
    assert codes({"image": before}, {"image": after}) == expected
    as_tensor = [torch.from_numpy(np.atleast_3d(each).transpose(2, 0, 1).copy()) for each in (before, after)]
    assert codes(*({"image": each} for each in as_tensor)) == expected


@given(st.integers(0, 2**32 - 1), st.floats(0.05, 20), st.floats(-3, 3), st.sampled_from([1.0, 255.0]))
def test_no_affine_map_of_a_picture_but_these_is_a_finding(seed, scale, shift, high):
    """Means and deviations of any reasonable size, of pictures that they are meant for."""
    before = noise(12, 12, 3, high=high, seed=seed)
    after = (before / high - shift) * scale
    assert codes({"image": before}, {"image": after.astype(np.float32)}) == []


# Masks, boxes, sources.

MASK = np.kron(np.array([[0, 10], [3, 255]]), np.ones((4, 4), int))


@pytest.mark.parametrize(
    "after, fills, expected",
    [
        (MASK[::-1], (), []),
        (MASK[:4], (), []),
        (np.pad(MASK, 1, constant_values=7), (), ["SA3.labels"]),
        (np.pad(MASK, 1, constant_values=7), (7,), []),
        (np.pad(MASK, 1, constant_values=-1), (), []),
        (np.pad(MASK, 1, constant_values=1000), (), []),
        (np.where(MASK == 10, 5, MASK), (), ["SA3.labels"]),
    ],
)
def test_labels_between_those_that_were_there_are_made_up(after, fills, expected):
    assert codes({"mask": MASK}, {"mask": after}, fills=frozenset(fills)) == expected


def test_a_map_of_floats_is_no_mask_of_ids():
    assert codes({"mask": UNIT[..., 0]}, {"mask": UNIT[..., 0] * 0.5}) == []


def boxes(rows, form="XYXY"):
    return tv_tensors.BoundingBoxes(rows, format=form, canvas_size=(100, 200))


@pytest.mark.parametrize(
    "value, expected",
    [
        (boxes([[0, 0, 10, 10]]), []),
        (boxes([[10, 10, 10, 20]]), ["SA4.degenerate"]),
        (boxes([[10, 20, 30, 10]]), ["SA4.degenerate"]),
        (boxes([[0, 0, 10, 0]], "XYWH"), ["SA4.degenerate"]),
        (boxes([[0, 0, 10, 10]], "XYWH"), []),
        (boxes([[-30, 0, 10, 10]]), ["SA4.outside"]),
        (boxes([[190, 90, 201, 100.5]]), []),
        (boxes([[190, 90, 240, 100]]), ["SA4.outside"]),
        (boxes(torch.zeros(0, 4)), []),
        ([[0.95, 0.5, 0.1000001, 0.1]], []),
        (boxes([[float("nan"), 0, 1, 1]]), ["SA3.nan", "SA4.degenerate"]),
    ],
)
def test_boxes_of_a_source(value, expected):
    found = source_findings(facts_of({"image": np.zeros((100, 200, 3), np.uint8), "boxes": value}))
    assert [each.code for each in found if not each.suspect] == expected


def test_labels_are_one_a_box():
    def found(labels):
        target = {"boxes": boxes([[0, 0, 10, 10], [5, 5, 20, 20]]), "labels": labels}
        return [each.code for each in source_findings(facts_of((np.zeros((100, 200, 3), np.uint8), target)))]

    assert found(torch.tensor([1, 2])) == []
    assert found([1, 2]) == []
    assert found(torch.tensor([1, 2, 3])) == ["SA4.labels"]
    assert found(torch.zeros(80)) == []  # scores of the whole picture


def test_boxes_are_judged_at_the_end_and_blamed_where_they_broke():
    trail = [facts_of(boxes([[0, 0, 10, 10], *rows])) for rows in ([[5, 5, 9, 9]], [[5, 5, 5, 9]], [[5, 5, 5, 9]])]
    assert [(place, each.code) for place, each in ending_findings(trail)] == [(1, "SA4.degenerate")]
    assert ending_findings([*trail, facts_of(boxes([[0, 0, 10, 10]]))]) == []
    assert ending_findings(trail[1:]) == []  # it came in so


def test_a_picture_on_its_side():
    upright, turned = Image.new("RGB", (40, 20)), Image.new("RGB", (40, 20))
    turned.getexif()[0x0112] = 6
    assert source_findings(facts_of(upright)) == []
    assert [each.code for each in source_findings(facts_of(turned))] == ["SA7.orientation"]


def test_ids_of_a_palette_and_sixteen_bits():
    palette = Image.new("P", (16, 16))
    assert codes({"mask": palette}, {"mask": palette.convert("RGB")}) == ["SA7.palette"]
    assert codes({"mask": palette}, {"mask": np.asarray(palette)}) == []
    assert codes({"image": palette}, {"image": palette.convert("RGB")}) == []
    deep = noise(16, 16, high=4000, dtype=np.uint16)
    assert codes({"image": deep}, {"image": deep.clip(0, 255).astype(np.uint8)}) == ["SA7.depth"]
    assert codes({"image": deep}, {"image": (deep // 16).astype(np.uint8)}) == []


@pytest.mark.parametrize(
    "before, after, expected",
    [
        ({"image": UNIT}, {"image": None}, ["SA2.none"]),
        ({"image": None}, {"image": None}, []),
        ({"image": UNIT, "id": 3}, {"image": UNIT, "id": None}, ["SA2.none"]),
        ({"image": UNIT}, {"image": "a.jpg"}, ["SA2.type"]),
        ({"image": UNIT}, {"image": torch.zeros(3, 16, 16)}, []),
        (UNIT, None, ["SA2.none"]),
    ],
)
def test_none_and_types(before, after, expected):
    assert codes(before, after) == expected


def test_what_is_suspect_is_no_finding():
    found = source_findings(facts_of({"image": UNIT / 255}))
    assert [(each.code, each.suspect) for each in found] == [("SA3.scaled_twice", True)]
    (found,) = source_findings(
        facts_of({"image": np.zeros((100, 200, 3), np.uint8), "boxes": boxes([[60, 10, 20, 30], [1, 2, 3, 4]])})
    )[1:]
    assert (found.code, found.suspect) == ("SA4.format", True) or found.code == "SA4.degenerate"


# Agreement and chance.


@given(st.integers(0, 2**32 - 1), st.sampled_from(["still", "flipped", "turned", "dimmed", "shifted"]))
def test_a_mark_shows_where_a_picture_went(seed, how):
    size, moves = (24, 32), how in {"flipped", "turned", "shifted"}
    stood = mark_of(size)
    plain = noise(*size, 3, high=100, seed=seed)
    marked = plain.copy()
    marked[stood.top : stood.bottom, stood.left : stood.right] += 100
    draw = {
        "still": lambda image: image,
        "dimmed": lambda image: image * 0.5 + 3,
        "flipped": lambda image: image[:, ::-1],
        "turned": lambda image: image[::-1, ::-1],
        "shifted": lambda image: np.roll(image, (6, 8), (0, 1)),
    }[how]
    found = stayed("boxes", "boxes", stood, went(draw(plain), draw(marked), "HWC"))
    assert [each.code for each in found] == (["SA5.unmoved"] if moves else [])


def test_a_mark_that_is_not_seen_proves_nothing():
    plain = np.zeros((8, 8))
    assert went(plain, plain, "HW") is None
    assert stayed("boxes", "boxes", mark_of((8, 8)), None) == []


KNOWN = frozenset({"image", "mask", "masks"})


@pytest.mark.parametrize(
    "extra, expected",
    [
        ({"mask": MASK}, []),
        ({"msk": MASK}, ["SA5.unknown"]),
        ({"depth": UNIT[:8, :8, 0] + 0.5}, ["SA5.unknown"]),
        ({"original": UNIT[:8, :8]}, []),
        ({"bboxes": [[0, 0, 5, 5]]}, ["SA5.unknown"]),
        ({"id": 3, "camera": np.eye(3), "name": "a.jpg", "scores": np.zeros(8)}, []),
    ],
)
def test_unknown_targets(extra, expected):
    facts = facts_of({"image": UNIT[:8, :8], **extra})
    assert [each.code for each in unknown(facts, KNOWN)] == expected


def drawn(states, epoch=0):
    return [Drawn(epoch, i % 2, i, state) for i, state in enumerate(states)]


@pytest.mark.parametrize(
    "draws, expected",
    [
        (drawn(range(16)), []),
        (drawn([None] * 16), []),
        (drawn([i // 2 for i in range(16)]), ["SA6.repeated"]),
        (drawn(range(16)) + drawn(range(16), 1), ["SA6.epochs"]),
        (drawn(range(16)) + drawn(range(16, 32), 1), []),
        (drawn(range(16)) + drawn([None] * 16, 1), ["SA6.cached"]),
    ],
)
def test_draws_over_workers_and_epochs(draws, expected):
    assert [each.code for each in repeated(draws)] == expected


# Crops larger than their picture, boxes that grow, files.


class Crop:
    """A crop as hosts have it: told by its name, read by its attributes."""

    def __init__(self, name, **said):
        self.__class__ = type(name, (Crop,), {})
        self.__dict__.update(said)


@pytest.mark.parametrize(
    "step, expected",
    [
        (lambda: K.RandomCrop((10, 10)), (10, 10)),
        (lambda: K.CenterCrop(10), (10, 10)),
        (lambda: K.RandomCrop((10, 10), pad_if_needed=True), None),
        (lambda: K.RandomResizedCrop((10, 10)), None),
        (lambda: v2.CenterCrop(24), (24, 24)),
        (lambda: v1.CenterCrop((24, 30)), (24, 30)),
        (lambda: v2.RandomCrop(10, padding=4), None),
        (lambda: v2.Resize(10), None),
        (lambda: A.CenterCrop(5, 6), (5, 6)),
        (lambda: A.CenterCrop(5, 6, pad_if_needed=True), None),
        (lambda: A.RandomCrop(5, 6), (5, 6)),
        (lambda: Crop("RandomCrop", size="large"), None),
        (lambda: print, None),
    ],
)
def test_what_a_crop_is_to_cut_out(step, expected):
    assert declared(step()) == expected


def cut(before, after, step):
    return [each.code for each in step_findings(facts_of(before), facts_of(after), crop=declared(step))]


def test_c14_a_crop_larger_than_its_picture():
    """kornia#4414 scales up, vision#3297 pads; either in silence. Where padding is asked for, it is healthy."""
    images, wide = torch.rand(2, 1, 6, 8), torch.rand(3, 100, 300)
    scaled, padded = K.RandomCrop((10, 10)), v2.CenterCrop(224)
    assert cut({"image": images}, {"image": scaled(images)}, scaled) == ["SA4.crop"]
    assert cut({"image": wide}, {"image": padded(wide)}, padded) == ["SA4.crop"]
    for step, image in (
        (K.RandomCrop((10, 10), pad_if_needed=True), images),
        (v2.CenterCrop(80), wide),
        (v2.CenterCrop((100, 300)), wide),
        (v2.RandomCrop(224, pad_if_needed=True), wide),
        (v2.RandomResizedCrop(224), wide),
        (K.RandomCrop((6, 8)), images),
    ):
        assert cut({"image": image}, {"image": step(image)}, step) == []


@given(st.floats(0, 360), st.floats(1, 60), st.floats(1, 60), st.floats(0, 90))
def test_one_turn_of_any_box_inflates_nothing_and_two_do_as_a_loop_says(angle, width, height, more):
    def around(corners):
        (x0, y0), (x1, y1) = corners.min(0), corners.max(0)
        return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])

    def turned(corners, by):
        cos, sin = np.cos(np.radians(by)), np.sin(np.radians(by))
        return corners @ np.array([[cos, -sin], [sin, cos]])

    def row(corners):
        return (*corners.min(0).tolist(), *corners.max(0).tolist())

    box = around(np.array([[0.0, 0], [width, height]]))
    once, twice = turned(box, angle), turned(around(turned(box, angle)), more)
    assert inflated("boxes", [row(once)], [row(once)]) == []
    (x0, y0, x1, y1), (a0, b0, a1, b1) = row(twice), row(turned(box, angle + more))
    grown = (x1 - x0) * (y1 - y0) > 2 * (a1 - a0 + 2) * (b1 - b0 + 2)
    found = inflated("boxes", [row(twice), None], [row(turned(box, angle + more)), None])
    assert [each.code for each in found] == ["SA4.inflated"] * grown


@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_boxes_that_lie_anywhere_are_not_misread(seed, count):
    """A corner and sides are found always; corners, where the middle of one lies right or below."""
    rng = np.random.default_rng(seed)
    corner = rng.uniform(0, 90, (count, 2))
    sides = rng.uniform(1, 100 - corner)
    real = [tuple(row) for row in np.concatenate([corner, corner + sides], axis=1).tolist()]
    as_sides = [tuple(row) for row in np.concatenate([corner, sides], axis=1).tolist()]
    told, fit = by_quarter(as_sides, (100, 100))
    assert fit == told <= count
    assert bool(misread(told, fit)) == (told >= 8)
    told, fit = by_quarter(real, (100, 100))
    middles = [((x0 + x1) / 2, (y0 + y1) / 2) for x0, y0, x1, y1 in real]
    assert fit == sum(x < 49.5 and y < 49.5 for x, y in middles)
    assert misread(told, fit) == [] or all(min(x, y) < 50.5 for x, y in middles)


def test_what_loaders_differ_in():
    def found(role, kind, **said):
        return [(each.code, each.suspect) for each in stored(Fact(role, role, f"Image({kind})", (9, 9), **said))]

    assert found("image", "RGB", dtype="uint8") == found("mask", "L", dtype="uint8") == []
    assert found("image", "P", dtype="uint8") == []  # its colours are what is meant
    assert found("image", "RGB", dtype="uint8", orientation=8) == [("SA7.orientation", False)]
    assert found("mask", "P", dtype="uint8") == [("SA7.palette", True)]
    assert found("image", "I;16", dtype="uint16") == [("SA7.depth", True)]
    assert found("mask", "I;16", dtype="uint16") == []


def test_with_what_a_step_fills_masks():
    assert fills_of(A.Affine(fill=0, fill_mask=7)) >= {7}
    assert fills_of(v2.Pad(1, fill={tv_tensors.Mask: 9, tv_tensors.Image: 0.5})) == {9}
    assert fills_of(print) == frozenset()


def test_every_code_is_explained():
    rooms = [Path(safeaug.__file__).parent / name for name in ("rules", "trace")]
    text = "\n".join(path.read_text(encoding="utf-8") for room in rooms for path in room.glob("*.py"))
    used = set(re.findall(r'Finding\(\s*"(SA\d\.\w+)"', text)) | {
        f"SA4.{kind}" for kind in re.findall(r'_told\("(\w+)"', text)
    }
    assert used >= {"SA3.nan", "SA4.outside", "SA6.repeated"}
    assert used <= set(WHAT)


@pytest.mark.parametrize("rules", ["SA9", "", ["SA3", 4], "all,nan"])
def test_what_is_no_family_of_rules_is_refused(rules):
    with pytest.raises(safeaug.PolicyError, match="rules must be all, or of SA2"):
        families_of(rules)
