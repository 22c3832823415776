"""What a batch's crops refuse: each time the argument is named, the sample, what is allowed and what was given."""

import math

import pytest

torch = pytest.importorskip("torch")

import numpy as np  # noqa: E402

from safeaug import ContentError, Policy, PolicyError, Status  # noqa: E402
from safeaug.batch import Ragged, RandomCrop, RandomResizedCrop, collate  # noqa: E402
from tests.batch_scenes import blank  # noqa: E402

NAN, META = math.nan, torch.device("meta")

TWO = torch.zeros((2, 3, 20, 24), dtype=torch.uint8)
"""A batch of two images of 20 × 24."""

LISTED = [torch.zeros((3, 20, 24), dtype=torch.uint8), torch.zeros((3, 12, 10), dtype=torch.uint8)]

BOXES = torch.tensor([[[1.0, 1.0, 9.0, 9.0], [2.0, 3.0, 8.0, 12.0], [0.0, 0.0, 4.0, 4.0]]] * 2)
"""Three boxes of each image."""

THERE = torch.ones((2, 3), dtype=torch.bool)

ROWS = [torch.tensor([[1.0, 1.0, 9.0, 9.0]]), torch.tensor([[2.0, 3.0, 8.0, 9.0], [0.0, 0.0, 4.0, 4.0]])]
"""One box of the first image and two of the second, as a list."""


def changed(tensor, place, value):
    """The tensor with another value in one place."""
    other = tensor.clone()
    other[place] = value
    return other


def boxed(**more):
    """Arguments of a call that is right but for these."""
    return {"images": TWO, "boxes": BOXES, "valid": THERE, **more}


def listed(**more):
    return {"images": LISTED, "boxes": ROWS, **more}


SHAPES = {
    # images
    "images of one": (
        {"images": TWO[0]},
        r"images must be of shape \(B, C, H, W\).*, got \(3, 20, 24\).*channels come",
    ),
    "no image": ({"images": TWO[:0]}, r"images must be of shape .* at least one of each, got \(0, 3, 20, 24\)"),
    "no channel": ({"images": TWO[:, :0]}, r"images must be of shape .* got \(2, 0, 20, 24\)"),
    "no image in a list": ({"images": []}, r"images must hold at least one image, got an empty list"),
    "whole numbers": ({"images": TWO.long()}, r"images must be of uint8, float16, .*float64, got int64; convert"),
    "an array": ({"images": np.zeros((2, 3, 8, 8))}, r"images must be a tensor .*safeaug.batch.collate.*, got ndarray"),
    "nothing": ({"images": None}, r"images must be a tensor .*, got NoneType"),
    "text": ({"images": "ab"}, r"images\[0\] must be a tensor of shape \(C, H, W\), got str"),
    "no tensor": ({"images": [TWO[0], 3]}, r"images\[1\] must be a tensor of shape \(C, H, W\), got int"),
    "ranks": ({"images": [TWO[0], TWO]}, r"images\[1\] must be of shape \(C, H, W\) .*, got \(2, 3, 20, 24\)"),
    "empty": ({"images": [TWO[0], TWO[0, :, :0]]}, r"images\[1\] must be of shape .* got \(3, 0, 24\)"),
    "dtypes": (
        {"images": [TWO[0], TWO[0].float()]},
        r"share one dtype, got images\[0\] of torch.uint8 and images\[1\]",
    ),
    "channels": ({"images": [TWO[0], TWO[0, :1]]}, r"as many channels, got images\[0\] with 3 and images\[1\] with 1;"),
    "devices": (
        {"images": [TWO[0], TWO[0].to(META)]},
        r"share one device, got images\[0\] of cpu and images\[1\] of meta",
    ),
    # sizes
    "sizes of a list": ({"images": LISTED, "sizes": [(1, 1)] * 2}, r"sizes belong to a padded batch.*list of images"),
    "sizes of floats": (
        {"images": TWO, "sizes": torch.ones(2, 2)},
        r"sizes must be whole numbers of shape \(2, 2\).*float32",
    ),
    "sizes of truth": ({"images": TWO, "sizes": torch.ones(2, 2, dtype=torch.bool)}, r"sizes must be .*, got bool"),
    "complex": (
        {"images": TWO, "sizes": torch.ones(2, 2, dtype=torch.complex128)},
        r"sizes must be .*, got complex128",
    ),
    "too many sizes": (
        {"images": TWO, "sizes": [(9, 9)] * 3},
        r"sizes must be .* \(2, 2\), .* got int64 of shape \(3, 2\)",
    ),
    "uneven sizes": ({"images": TWO, "sizes": [(9, 9), (9,)]}, r"sizes must be .*, got \[\(9, 9\), \(9,\)\]"),
    "sizes of text": ({"images": TWO, "sizes": "large"}, r"sizes must be whole numbers .*, got 'large'"),
    # boxes
    "boxes without valid": (
        {"images": TWO, "boxes": BOXES},
        r"boxes of shape \(2, 3, \.\.\.\) need valid, a bool of shape \(2, 3\): .*torch\.ones.*list of tensors",
    ),
    "boxes of one image": (boxed(boxes=BOXES[0]), r"boxes must be of shape \(2, N, 4\), or a list of 2.*got \(3, 4\)"),
    "boxes of three": (boxed(boxes=BOXES[[0, 0, 1]]), r"boxes must be of shape \(2, N, 4\).*, got \(3, 3, 4\)"),
    "boxes of five numbers": (boxed(boxes=torch.ones(2, 3, 5)), r"boxes must be of shape .* got \(2, 3, 5\)"),
    "boxes of truth": (boxed(boxes=BOXES > 3), r"boxes must be of numbers, got bool"),
    "complex boxes": (listed(boxes=[ROWS[0], ROWS[1] * 1j]), r"boxes\[1\] must be of numbers, got complex64"),
    "a short list": (listed(boxes=ROWS[:1]), r"boxes must be a tensor or a list of 2 tensors, .*, got list of 1"),
    "a list of lists": (
        listed(boxes=[[[1, 2, 3, 4]]] * 2),
        r"boxes must be a tensor or a list of 2 tensors.*list of 2",
    ),
    "an array of boxes": (listed(boxes=np.ones((2, 1, 4))), r"boxes must be a tensor or a list .*, got ndarray"),
    "rows of a list": (listed(boxes=[ROWS[0], ROWS[1][0]]), r"boxes\[1\] must be of shape \(N, 4\), got \(4,\)"),
    "valid of a list": (listed(valid=THERE), r"valid must be bool of shape \(2, 2\), got torch.bool of shape \(2, 3\)"),
    "valid of numbers": (boxed(valid=THERE.long()), r"valid must be bool of shape \(2, 3\), got torch.int64 of shape"),
    "valid of lists": (boxed(valid=[[True] * 3] * 2), r"valid must be bool of shape \(2, 3\), got \[\[True"),
    "valid of nothing": ({"images": TWO, "valid": THERE}, r"valid must be bool of shape \(2, 0\), got .* \(2, 3\)"),
    # keypoints
    "keypoints of one each": (
        boxed(keypoints=torch.ones(2, 3, 2)),
        r"keypoints must be of shape \(2, N, K, 2\) or \(2, N, K, 3\), or a list of 2 tensors, got \(2, 3, 2\)",
    ),
    "keypoints of four numbers": (boxed(keypoints=torch.ones(2, 3, 5, 4)), r"keypoints must be .* got \(2, 3, 5, 4\)"),
    "keypoints of a list": (
        {"images": TWO, "keypoints": [torch.ones(1, 5, 3), torch.ones(1, 5)]},
        r"keypoints\[1\] must be of shape \(N, K, 2\) or \(N, K, 3\), got \(1, 5\)",
    ),
    "keypoints of several skeletons": (
        {"images": TWO, "keypoints": [torch.ones(1, 5, 3), torch.ones(1, 7, 3)]},
        r"keypoints of a batch must have as many numbers a row, got \[\(5, 3\), \(7, 3\)\]",
    ),
    "keypoints without valid": (
        {"images": TWO, "keypoints": torch.ones(2, 3, 5, 2)},
        r"keypoints of shape \(2, 3, \.\.\.\) need valid",
    ),
    # masks and maps
    "masks of one each": (
        boxed(masks=torch.ones(2, 20, 24)),
        r"masks must be of shape \(2, N, H, W\).*got \(2, 20, 24\)",
    ),
    "masks of another size": (
        boxed(masks=torch.ones(2, 3, 24, 20)),
        r"masks must be of the image's height and width \(20, 24\), got \(2, 3, 24, 20\); resize",
    ),
    "masks of three": (boxed(masks=torch.ones(3, 3, 20, 24)), r"masks must be of shape \(2, N, H, W\)"),
    "one tensor of masks": (
        listed(masks=torch.ones(2, 2, 20, 24)),
        r"masks must be .* list of tensors .* as the images are",
    ),
    "masks of a list": (
        {"images": LISTED, "masks": [torch.ones(1, 20, 24), torch.ones(12, 10)]},
        r"masks\[1\] must be of shape \(N, H, W\), got \(12, 10\)",
    ),
    "masks of another size in a list": (
        {"images": LISTED, "masks": [torch.ones(1, 20, 24), torch.ones(1, 20, 24)]},
        r"masks\[1\] must be of the image's height and width \(12, 10\), got \(1, 20, 24\)",
    ),
    "masks of several dtypes": (
        {"images": TWO, "masks": [torch.ones(1, 20, 24), torch.ones(1, 20, 24, dtype=torch.uint8)]},
        r"masks of a batch must share one dtype, got masks\[0\] of torch.float32 and masks\[1\] of torch.uint8",
    ),
    "maps with channels": (
        {"images": TWO, "maps": torch.ones(2, 1, 20, 24)},
        r"maps must be of shape \(2, H, W\).*got \(2, 1",
    ),
    "maps of another size": (
        {"images": TWO, "maps": torch.ones(2, 9, 9)},
        r"maps must be .* \(20, 24\), got \(2, 9, 9\)",
    ),
    "maps of a list": (
        {"images": LISTED, "maps": [torch.ones(20, 24), torch.ones(1, 12, 10)]},
        r"maps\[1\] must be of shape \(H, W\), got \(1, 12, 10\)",
    ),
    "maps of another size in a list": (
        {"images": LISTED, "maps": [torch.ones(20, 24), torch.ones(10, 12)]},
        r"maps\[1\] must be of the image's height and width \(12, 10\), got \(10, 12\)",
    ),
    "one tensor of maps": ({"images": LISTED, "maps": torch.ones(2, 20, 24)}, r"maps must be .* as the images are"),
    "maps of several dtypes": (
        {"images": TWO, "maps": [torch.ones(20, 24), torch.ones(20, 24, dtype=torch.uint8)]},
        r"maps of a batch must share one dtype, got maps\[0\] of torch.float32",
    ),
    # of the same objects
    "counts": (
        boxed(keypoints=torch.ones(2, 2, 5, 2)),
        r"boxes, masks and keypoints must be of the same objects, got \{'boxes': 3, 'keypoints': 2\} a sample",
    ),
    "lengths": (
        listed(keypoints=[torch.ones(2, 5, 2), torch.ones(1, 5, 2)]),
        r"must be of the same objects, got lists of \{'boxes': \[1, 2\], 'keypoints': \[2, 1\]\}",
    ),
    "protect": (
        {"images": TWO, "protect": "masks"},
        r'protect="masks" needs masks, which the batch lacks; pass masks=',
    ),
    # what is said of them
    "labels of one": (
        boxed(labels=torch.ones(2)),
        r"labels must be a tensor of shape \(2, 3\), or a list .*got shape \(2,\)",
    ),
    "labels of lists": (boxed(labels=[[1, 2, 3]] * 2), r"labels must be a tensor of shape \(2, 3\), .*, got list"),
    "labels of floats": (boxed(labels=torch.ones(2, 3)), r"labels must be whole numbers, got float32"),
    "labels of truth": (boxed(labels=THERE), r"labels must be whole numbers, got bool"),
    "labels of a list": (
        listed(labels=[torch.tensor([1]), torch.tensor([1])]),
        r"labels\[1\] must be one number an object, of shape \(2,\), got 1",
    ),
    "weights of a list": (
        listed(weights=[torch.tensor([1.0, 1.0]), torch.tensor([1.0, 2.0])]),
        r"weights\[0\] must be one number an object, of shape \(1,\), got 2",
    ),
    "a short list of labels": (
        listed(labels=[torch.tensor([1])]),
        r"labels must be a tensor of shape \(2, 2\), .*got list",
    ),
    "ignore of numbers": (boxed(ignore=THERE.long()), r"ignore must be of bool, got int64"),
    "ignore of another shape": (boxed(ignore=THERE[:, :2]), r"ignore must be .* \(2, 3\), .* got shape \(2, 2\)"),
    "weights of nothing": ({"images": TWO, "weights": torch.ones(2, 3)}, r"weights must be a tensor of shape \(2, 0\)"),
    "labels of maps": (
        {"images": TWO, "maps": torch.ones(2, 20, 24), "labels": torch.ones(2, 3).long()},
        r"labels must be a tensor of shape \(2, 1\), .* got shape \(2, 3\)",
    ),
    "labels of maps in a list": (
        {"images": TWO, "maps": torch.ones(2, 20, 24), "labels": [torch.tensor([1]), torch.tensor([1, 2])]},
        r"labels\[1\] must be one number an object, of shape \(1,\), got 2",
    ),
    "labels that are missing": (boxed(min_retention={1: 0.5}), r"min_retention is per label, so labels must be given"),
    "labels of text": (
        boxed(min_retention={"face": 0.5}, labels=torch.ones(2, 3).long()),
        r"""for whole numbers or "\*", got \['face'\]""",
    ),
    # ids
    "too few ids": (
        {"images": TWO, "sample_ids": [1]},
        r"sample_ids must be whole numbers of shape \(2,\).*int64 of shape \(1,\)",
    ),
    "ids of floats": ({"images": TWO, "sample_ids": [1.0, 2.0]}, r"sample_ids must be .*, got float32 of shape \(2,\)"),
    "ids of truth": ({"images": TWO, "sample_ids": torch.tensor([True, False])}, r"sample_ids must be .*, got bool"),
    "complex ids": ({"images": TWO, "sample_ids": torch.ones(2) * 1j}, r"sample_ids must be .*, got complex64"),
    "ids of text": (
        {"images": TWO, "sample_ids": ["a", "b"]},
        r"sample_ids must be whole numbers, .*, got \['a', 'b'\]",
    ),
    "ids in columns": (
        {"images": TWO, "sample_ids": torch.ones(2, 1).long()},
        r"sample_ids must be .* of shape \(2, 1\)",
    ),
    "huge ids": (
        {"images": TWO, "sample_ids": [1, 2**70]},
        r"sample_ids must be whole numbers, one an image, got \[1, ",
    ),
    # how pixels are handed on
    "mean": (
        {"images": TWO, "mean": (0.5, 0.5)},
        r"mean must be one number or one for each .* which are 3, got \(0.5, 0.5\)",
    ),
    "std": ({"images": TWO[:, :1], "std": (1, 1, 1)}, r"std must be one number .* which are 1, got"),
    "fill": ({"images": TWO, "fill": (1, 2, 3, 4)}, r"fill must be one number .* which are 3, got"),
    "bytes of floats": (
        {"images": TWO.half(), "dtype": torch.uint8},
        r"images must be of uint8 .*dtype=torch.uint8, got float16",
    ),
}
"""Faults of shape, dtype and device: found without a look at any value."""


def meta(name, rows):
    """A right call but for one argument that is on another device; whoever looked at its values would fail."""
    many = {
        "labels": torch.ones(2, 3).long(),
        "weights": torch.ones(2, 3),
        "ignore": THERE,
        "prior_visibility": torch.ones(2, 3),
    }
    right = boxed(keypoints=torch.ones(2, 3, 5, 2), masks=torch.ones(2, 3, 20, 24), maps=torch.ones(2, 20, 24), **many)
    right["sizes"] = torch.tensor([[20, 24], [20, 24]])
    return {**right, name: rows(right[name])}


DEVICES = [
    (name, lambda tensor: tensor.to(META), rf"^{name} must be on the images' device cpu, got meta; move")
    for name in meta("images", lambda tensor: tensor)
    if name != "images"
]
DEVICES += [
    (name, lambda tensor: [tensor[0], tensor[1].to(META)], rf"^{name}\[1\] must be on the images' device cpu, got meta")
    for name in ("boxes", "keypoints", "masks", "maps")
]
DEVICES += [
    (name, lambda tensor: [each.to(META) for each in tensor], rf"^{name} must be on the images' device cpu, got meta")
    for name in ("labels", "weights", "ignore", "prior_visibility")
]
DEVICES += [("images", lambda tensor: tensor.to(META), r"^sizes must be on the images' device meta, got cpu")]

OPTIONS = {"protect", "min_retention", "mean", "std", "fill", "dtype"}


def refused(crop, fault, match, **options):
    """Check that a call is refused, before anything is counted or drawn."""
    fault = dict(fault)
    options |= {name: fault.pop(name) for name in OPTIONS & set(fault)}
    crop = crop(8, seed=0, **options)
    counter = crop.counter.clone()
    with pytest.raises(ContentError, match=match):
        crop(**fault)
    assert crop.report() == {}
    assert torch.equal(crop.counter, counter)


@pytest.mark.parametrize("validate", [None, True, False])
@pytest.mark.parametrize("fault, match", SHAPES.values(), ids=SHAPES)
def test_what_does_not_fit_is_refused(fault, match, validate):
    for crop in (RandomCrop, RandomResizedCrop):
        refused(crop, fault, match, validate=validate)


@pytest.mark.parametrize("validate", [None, False])
@pytest.mark.parametrize("name, elsewhere, match", DEVICES)
def test_another_device_is_refused(name, elsewhere, match, validate):
    refused(RandomResizedCrop, meta(name, elsewhere), match, validate=validate)


def test_the_call_with_everything_is_right():
    """So that what `meta` changes is what is wrong with it."""
    crop = RandomResizedCrop(8, min_retention={1: 0.5})
    given = meta("images", lambda tensor: tensor)
    assert len(given) == 11
    output, _ = crop(**given)
    assert output.shape == (2, 3, 8, 8)


VALUES = {
    "NaN": (
        boxed(boxes=changed(BOXES, (1, 2, 0), NAN)),
        r"boxes\[1, 2\] must have finite numbers, got \[nan, 0.0, 4.0, 4.0\]",
    ),
    "infinite": (boxed(boxes=changed(BOXES, (0, 1, 3), math.inf)), r"boxes\[0, 1\] must have finite .* inf\]; drop it"),
    "swapped": (boxed(boxes=changed(BOXES, (1, 0, 2), 0.5)), r"boxes\[1, 0\] must have x0 <= x1 and y0 <= y1.*swapped"),
    "swapped rows": (
        boxed(boxes=changed(BOXES, (0, 0, 1), 99)),
        r"boxes\[0, 0\] must have x0 <= x1 .*\(x, y, w, h\)\?",
    ),
    "in a list": (listed(boxes=[ROWS[0], changed(ROWS[1], (1, 2), NAN)]), r"boxes\[1, 1\] must have finite"),
    "keypoints": (
        boxed(keypoints=changed(torch.ones(2, 3, 5, 3), (1, 1, 4, 1), NAN)),
        r"keypoints\[1, 1\] must be of finite numbers, got \[\[1.0.*nan.*; mark the unseen as invisible",
    ),
    "keypoints without marks": (
        boxed(keypoints=changed(torch.ones(2, 3, 5, 2), (0, 2, 0, 0), math.inf)),
        r"keypoints\[0, 2\]",
    ),
    "sizes too large": (
        {"images": TWO, "sizes": [(20, 24), (20, 25)]},
        r"sizes\[1\] must be at least \(1, 1\) and at most the padded \(20, 24\), got \(20, 25\); sizes are \(height",
    ),
    "sizes of nothing": ({"images": TWO, "sizes": [(0, 24), (20, 24)]}, r"sizes\[0\] must be at least \(1, 1\)"),
    "negative weights": (
        boxed(weights=changed(torch.ones(2, 3), (1, 0), -1)),
        r"weights\[1, 0\] must be at least 0 and finite, got -1",
    ),
    "infinite weights": (
        boxed(weights=changed(torch.ones(2, 3), (0, 2), math.inf)),
        r"weights\[0, 2\] must be .*, got inf",
    ),
    "NaN weights": (boxed(weights=changed(torch.ones(2, 3), (0, 2), NAN)), r"weights\[0, 2\] must be .*, got nan"),
    "prior visibility": (
        boxed(prior_visibility=changed(torch.ones(2, 3), (0, 1), 1.5)),
        r"prior_visibility\[0, 1\] must be in \[0, 1\], got 1.5",
    ),
    "negative visibility": (
        boxed(prior_visibility=changed(torch.ones(2, 3), (1, 1), -0.5)),
        r"prior_visibility\[1, 1\] .*got -0.5",
    ),
    "labels without a limit": (
        boxed(min_retention={1: 0.5, 4: 0.2}, labels=changed(torch.ones(2, 3).long(), (1, 2), 7)),
        r"""labels\[1, 2\] must be one that min_retention names a limit for, \[1, 4\], got 7; add it, or "\*" for""",
    ),
    "labels of some": (
        boxed(labels=[torch.tensor([1]), torch.tensor([1, 2, 3])], valid=changed(THERE, (0, 2), False)),
        r"labels\[0\] must be one number an object, of shape \(2,\), got 1",
    ),
}
"""Faults of value."""


@pytest.mark.parametrize("fault, match", VALUES.values(), ids=VALUES)
def test_what_cannot_be_judged_is_refused(fault, match):
    refused(RandomResizedCrop, fault, match)
    refused(RandomResizedCrop, fault, match, validate=True)


@pytest.mark.parametrize("name", [name for name in VALUES if "sizes" not in name])
def test_values_are_not_looked_at_where_nobody_asks(name):
    fault = dict(VALUES[name][0])
    options = {name: fault.pop(name) for name in OPTIONS & set(fault)}
    output, outcome = RandomResizedCrop(8, seed=0, validate=False, **options)(**fault)
    assert output.isfinite().all()
    assert outcome.view.window.shape == (2, 4)


def test_a_box_that_is_none_is_not_there_where_nobody_looks():
    boxes = changed(changed(BOXES, (0, 0), NAN), (1, 1, 2), 0.5)
    _, outcome = RandomCrop(20, validate=False, pad_if_needed=True)(TWO, boxes=boxes, valid=THERE)
    assert outcome.retention[0, 0].isnan()
    assert outcome.retention[1, 1].isnan()
    assert outcome.visible_pixels[0, 0].isnan()
    assert outcome.valid.tolist() == [[False, True, True], [True, False, True]]
    assert outcome.boxes.isfinite().all()
    assert outcome.boxes[0, 0].tolist() == outcome.boxes[1, 1].tolist() == [0] * 4
    others = outcome.retention[THERE & outcome.valid]
    assert (others >= 0.5).all()
    _, outcome = RandomCrop(8, validate=False)(TWO, boxes=changed(BOXES, ..., NAN), valid=THERE)
    assert outcome.status.tolist() == [Status.EMPTY] * 2


@pytest.mark.parametrize("kind", ["boxes", "keypoints", "masks"])
def test_rows_that_fill_up_may_hold_anything(kind):
    rows = {
        "boxes": BOXES,
        "keypoints": torch.tensor([[2.0, 3.0], [5.0, 6.0]]).expand(2, 3, 2, 2),
        "masks": torch.ones(2, 3, 20, 24),
    }[kind]
    there = changed(THERE, (0, slice(1, None)), False)
    about = {"weights": torch.ones(2, 3), "prior_visibility": torch.ones(2, 3), "labels": torch.ones(2, 3).long()}
    crop = RandomCrop(12, min_retention={1: 0.5}, seed=0)
    _, outcome = crop(TWO, **{kind: rows}, valid=there, **about, sample_ids=[0, 1])
    filler = {"weights": -1.0, "prior_visibility": NAN, "labels": 9}
    odd = {name: changed(each, (0, slice(1, None)), filler[name]) for name, each in about.items()}
    _, same = crop(TWO, **{kind: changed(rows, (0, slice(1, None)), NAN)}, valid=there, **odd, sample_ids=[0, 1])
    assert torch.equal(outcome.view.window, same.view.window)
    for one in (outcome, same):
        assert one.retention[~there].isnan().all()
        assert not one.valid[~there].any()
    assert torch.equal(outcome.retention[there], same.retention[there])


@pytest.mark.parametrize("crop", [RandomCrop(8), RandomResizedCrop(8)])
def test_a_batch_may_hold_no_objects(crop):
    none = {
        "boxes": torch.empty(2, 0, 4),
        "masks": torch.empty(2, 0, 20, 24, dtype=torch.uint8),
        "keypoints": torch.empty(2, 0, 5, 3),
    }
    for given in ({}, none, {"boxes": none["boxes"]}, {"masks": none["masks"]}, {"keypoints": none["keypoints"]}):
        for rows in (given, {name: list(each) for name, each in given.items()}):
            output, outcome = crop(TWO, **rows)
            assert output.shape == (2, 3, 8, 8)
            assert outcome.status.tolist() == [Status.EMPTY] * 2
            assert outcome.retention.shape == outcome.valid.shape == (2, 0)
            for name in given:
                assert getattr(outcome, name).shape[:2] == (2, 0)
    _, outcome = crop(TWO, boxes=none["boxes"], valid=THERE[:, :0], weights=torch.empty(2, 0), ignore=THERE[:, :0])
    assert outcome.status.tolist() == [Status.EMPTY] * 2


def test_an_empty_mask_protects_nothing():
    _, outcome = RandomCrop(8)(TWO, masks=torch.zeros(2, 1, 20, 24), valid=THERE[:, :1])
    assert outcome.status.tolist() == [Status.EMPTY] * 2
    assert outcome.retention.isnan().all()


@pytest.mark.parametrize(
    "given, match",
    [
        ({"masks": torch.full((2, 1, 20, 24), 2.0)}, r"masks\[0\]\[0\] of floats must hold shares in \[0, 1\], got 2"),
        (
            {"maps": changed(torch.ones(2, 20, 24), (1, 3, 3), -1)},
            r"maps\[1\] must be of finite numbers of at least 0, got -1",
        ),
        ({"maps": changed(torch.ones(2, 20, 24), (0, 3, 3), NAN)}, r"maps\[0\] must be of finite numbers"),
    ],
)
def test_pixels_of_a_shape_are_looked_at_where_they_are_protected(given, match):
    there = {"valid": THERE[:, :1]} if "masks" in given else {}
    for validate in (None, False):
        with pytest.raises(ContentError, match=match):
            RandomCrop(8, validate=validate)(TWO, **given, **there)


def test_a_search_without_branches_is_for_boxes():
    masks = {"masks": torch.ones(2, 3, 20, 24), "valid": THERE}
    with pytest.raises(ContentError, match=r"without branches.* protects boxes only.*got masks.*branchless=False"):
        RandomCrop(8, branchless=True)(TWO, **masks)
    for policy in ({"on_fail": "raise"}, {"on_empty": "raise"}, {"keep": lambda left: left.all(-1)}):
        with pytest.raises(
            ContentError, match=r"neither raises nor calls: got boxes, keep=.*, on_fail=.* and on_empty="
        ):
            RandomCrop(8, branchless=True, **policy)(**boxed())


@pytest.mark.parametrize(
    "images",
    [TWO.to(META), [TWO[0].to(META)] * 2, (TWO[0].to(META),) * 2, collate(list(TWO)).to(META)],
    ids=["tensor", "list", "tuple", "ragged"],
)
def test_values_on_a_device_are_not_looked_at(images):
    """On a device without values that would be an error of torch's own."""
    crop = RandomResizedCrop(8)
    seen = []
    crop._drawn = lambda batch, given, chance: seen.append((batch.device, given.boxes.device)) or 1 / 0
    with pytest.raises(ZeroDivisionError):
        crop(images, boxes=BOXES.to(META), valid=THERE.to(META), weights=torch.ones(2, 3, device=META))
    assert seen == [(META, META)]


# The constructor

FAULTS = {
    "size": [
        ({"size": size}, r"size must be a whole number of at least 1, or two: \(height, width\), got ")
        for size in (0, -3, 2.5, True, (1, 2, 3), (8,), "ab", None, (8, 0), (8, 2.0), {8, 9})
    ],
    "scale": [
        ({"scale": scale}, r"scale must be two numbers above 0 and at most 1, the lower first, got ")
        for scale in ((0, 1), (0.5, 0.2), (0.1, 1.1), 0.5, (0.1,), (0.1, 0.2, 0.3), None, (math.nan, 1), ("a", "b"))
    ],
    "ratio": [
        ({"ratio": ratio}, r"ratio must be two numbers from 0\.000976562 and at most 1024, the lower first, got ")
        for ratio in ((2, 1), (0, 1), (1, math.inf), 1.0, (1,), (-1, 1), (1, math.nan))
    ],
    "p": [({"p": p}, r"p must be in \[0, 1\], got ") for p in (-0.1, 1.1, 60, True, "1", None, math.nan)],
    "flip": [({"flip": flip}, r"flip must be in \[0, 1\], got ") for flip in (-0.1, 2, True, None)],
    "protect": [
        ({"protect": kind}, r"protect must be one of boxes, masks, keypoints, maps, saliency, got ")
        for kind in ("polygons", 3, ["boxes"])
    ],
    "mean": [
        ({"mean": mean}, rf"mean must be {what}")
        for mean, what in (
            ("abc", "a number, or one for each channel, got 'abc'"),
            ((0.5, None), "a number, or one for each channel, got"),
            ((), "of finite numbers"),
            ((0.5, math.nan), "of finite numbers"),
        )
    ],
    "std": [
        ({"std": (1.0, 0.0)}, r"std must be above 0, got \(1\.0, 0\.0\)"),
        ({"std": math.inf}, "std must be of finite numbers"),
        ({"std": object()}, "std must be a number"),
    ],
    "fill": [({"fill": "red"}, "fill must be a number, or one for each channel, got 'red'")],
    "dtype": [
        ({"dtype": dtype}, r"dtype must be a floating dtype of torch or torch.uint8, got ")
        for dtype in (torch.int32, torch.bool, torch.complex64, "float32", np.float32)
    ],
    "bytes": [
        ({"dtype": torch.uint8, **more}, "mean and std need a floating dtype, got dtype=torch.uint8")
        for more in ({"mean": 0.5}, {"std": 1.0})
    ],
    "seed": [({"seed": seed}, r"seed must be a whole number or None, got ") for seed in (1.5, "1", True)],
    "threads": [
        ({"threads": threads}, r"threads must be a whole number of at least 1, or None, got ")
        for threads in (0, -1, 1.5, True)
    ],
    "policy": [
        ({"policy": Policy(), "tries": 3}, "give either policy or its fields, got policy and tries"),
        ({"policy": {"tries": 3}}, "policy must be a safeaug.Policy, got"),
        ({"min_retention": 60}, r"min_retention must be in \[0, 1\], got 60 \(write 0.6, not 60\)"),
        ({"on_fail": "warn"}, "on_fail must be one of"),
    ],
}


@pytest.mark.parametrize("given, match", [fault for faults in FAULTS.values() for fault in faults])
def test_what_a_constructor_refuses(given, match):
    for crop in (RandomResizedCrop, RandomCrop):
        if crop is RandomCrop and {"scale", "ratio"} & set(given):
            continue
        with pytest.raises(PolicyError, match=match):
            crop(**{"size": 8, **given})


@pytest.mark.parametrize("padding", [-1, (1, 2, 3), (1, -2), 1.5, "ab", None, True, (), (1, 2, 3, 4, 5)])
def test_padding_that_a_constructor_refuses(padding):
    with pytest.raises(PolicyError, match=r"padding must be 1, 2 or 4 whole numbers of at least 0, got "):
        RandomCrop(8, padding)


@pytest.mark.parametrize(
    "padding, sides", [(3, (3, 3, 3, 3)), ((2, 1), (2, 1, 2, 1)), ([1, 2, 3, 4], (1, 2, 3, 4)), ((5,), (5,) * 4)]
)
def test_padding_is_left_top_right_bottom(padding, sides):
    """Seen from the windows that are drawn: as far as that they reach over the image, and no farther."""
    _, outcome = RandomCrop(4, padding, seed=0)([blank((6, 7))] * 2000)
    window = outcome.view.window
    left, top, right, bottom = sides
    assert [*window[:, :2].amin(0).tolist(), *window[:, 2:].amax(0).tolist()] == [-left, -top, 7 + right, 6 + bottom]


def test_numbers_of_every_kind_are_taken():
    crop = RandomResizedCrop(
        [np.int64(8), 9], scale=[0.5, 1], ratio=(1, 1), mean=np.float32(0.5), std=torch.ones(3), p=1
    )
    assert crop(TWO)[0].shape == (2, 3, 8, 9)
    assert "size=(8, 9), scale=(0.5, 1.0), ratio=(1.0, 1.0), min_retention=0.5, keep='all'" in repr(crop)


@pytest.mark.parametrize(
    "images, match",
    [
        ([], "images must hold at least one image, got none"),
        ([TWO[0], TWO[0].float()], r"images\[1\] must be .* dtype and channels of images\[0\], torch.uint8 and 3"),
        ([TWO[0], TWO[0, :1]], r"images\[1\] must be .* got torch.uint8 of shape \(1, 20, 24\)"),
        ([TWO[0], TWO[0, 0]], r"images\[1\] must be of shape \(C, H, W\)"),
        ([TWO[0, :, :0]], r"images\[0\] must be of shape"),
        ([torch.tensor(1)], r"images\[0\] must be of shape"),
    ],
)
def test_what_cannot_be_collated(images, match):
    with pytest.raises(ContentError, match=match):
        collate(images)


def test_a_block_that_is_no_batch_is_refused():
    with pytest.raises(ContentError, match=r"images must be of uint8, .* got int32|images\[0\] must be of uint8"):
        RandomCrop(8)(Ragged(torch.zeros(300, dtype=torch.int32), [(10, 10)], 3))


@pytest.mark.parametrize(
    "given, message",
    [
        ({"branchless": "yes"}, "branchless must be True or False or None, got 'yes'"),
        ({"validate": 1}, "validate must be True or False or None, got 1"),
        ({"std": -1.0}, r"std must be above 0, got -1\.0"),
        ({"ratio": (1, 1e12)}, "ratio must be two numbers"),
    ],
)
def test_what_else_a_constructor_refuses(given, message):
    with pytest.raises(PolicyError, match=message):
        RandomResizedCrop(8, **given)


def test_flags_and_epochs_are_checked():
    with pytest.raises(PolicyError, match="pad_if_needed must be True or False, got 'no'"):
        RandomCrop(8, pad_if_needed="no")
    with pytest.raises(PolicyError, match=r"epoch must be a whole number of at least 0, got 1\.5"):
        RandomCrop(8).set_epoch(1.5)


def test_boxes_of_torchvision_say_how_they_are_meant():
    tv_tensors = pytest.importorskip("torchvision.tv_tensors")
    given = [[2.0, 2.0, 6.0, 7.0]]
    for form in ("XYWH", "CXCYWH"):
        boxes = tv_tensors.BoundingBoxes(given, format=form, canvas_size=(8, 9))
        with pytest.raises(ContentError, match=rf"boxes\[0\] must be corners .* got torchvision's of format {form}"):
            RandomCrop(4)(TWO, boxes=[boxes, boxes])
    corners = tv_tensors.BoundingBoxes(given, format="XYXY", canvas_size=(8, 9))
    _, outcome = RandomCrop(4, seed=0)(TWO, boxes=[corners, corners])
    assert outcome.valid.all()


@pytest.mark.parametrize("chance, power", [(10, 2), (-0.1, 2), (0.5, 0)])
def test_confidence_is_of_a_chance(chance, power):
    _, outcome = RandomCrop(4, seed=0)(TWO)
    with pytest.raises(PolicyError, match=r"chance must be in \[0, 1\] and power above 0"):
        outcome.confidence(chance=chance, power=power)


def test_what_a_skipped_crop_shows_is_not_scaled_up():
    """An image of 6 x 8 in an output of 20 x 20, of which no window keeps 100 pixels."""
    crop = RandomCrop(20, pad_if_needed=True, min_visible_pixels=100, on_fail="skip", dtype=torch.uint8, seed=0)
    image = torch.arange(48, dtype=torch.uint8).reshape(1, 1, 6, 8)
    made, outcome = crop(image, boxes=[torch.tensor([[0.0, 0.0, 8.0, 6.0]])])
    assert outcome.status.tolist() == [Status.SKIPPED]
    x0, y0, x1, y1 = outcome.picture[0].tolist()
    assert (y1 - y0, x1 - x0) == (6, 8)
    assert torch.equal(made[:, :, y0:y1, x0:x1], image)
