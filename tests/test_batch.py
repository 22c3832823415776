"""Where a batch's windows go, and that every target says the same of it as the pixels of the output do."""

import math
import random

import pytest

torch = pytest.importorskip("torch")

import numpy as np  # noqa: E402

from safeaug import ContentError, Policy, PolicyError, RetentionError, Stage, Status  # noqa: E402
from safeaug.batch import BatchOutcome, RandomCrop, RandomResizedCrop  # noqa: E402
from safeaug.content import content_of  # noqa: E402
from safeaug.measures import measure  # noqa: E402
from tests import oracle, scenes  # noqa: E402
from tests.batch_scenes import (  # noqa: E402
    BRIGHT,
    FORMS,
    blank,
    bright_box,
    handed_over,
    inside,
    known_boxes,
    padded_rows,
    painted,
    scattered,
    sizes_of,
    whole_box,
)

BYTES = torch.uint8


def statuses(outcome):
    return [Status(number) for number in outcome.status.tolist()]


def windows(outcome):
    return [tuple(row) for row in outcome.view.window.tolist()]


# Boxes, keypoints, masks and maps against pixels

CROPS = {
    "resized": lambda: RandomResizedCrop((37, 50), min_retention=0.3, dtype=BYTES, seed=1),
    "resized, unguarded": lambda: RandomResizedCrop((37, 50), min_retention=0.0, dtype=BYTES, seed=1, flip=0.5),
    "cut": lambda: RandomCrop(20, min_retention=0.3, dtype=BYTES, seed=1),
    "cut with padding": lambda: RandomCrop((20, 24), (3, 9, 7, 5), min_retention=0.0, dtype=BYTES, seed=1),
    "flipped, with padding": lambda: RandomCrop(24, 11, min_retention=0.0, dtype=BYTES, seed=1, flip=0.5),
    "larger than the image": lambda: RandomCrop(64, pad_if_needed=True, dtype=BYTES, seed=1, flip=0.5),
    "letterboxed": lambda: RandomCrop(
        (22, 17), min_retention=1.0, min_visible_pixels=70, on_fail="skip", dtype=BYTES, seed=1, flip=0.5
    ),
    "letterboxed, resized": lambda: RandomResizedCrop(
        (50, 33), scale=(0.02, 0.05), min_retention=0.9, on_fail="skip", dtype=BYTES, seed=1, flip=0.5
    ),
    "not applied": lambda: RandomResizedCrop((37, 50), p=0.5, dtype=BYTES, seed=1, flip=0.5),
    "the middle": lambda: RandomCrop(23, 5, p=0.5, dtype=BYTES, seed=1, flip=0.5),
}
"""Every way in which a window becomes an output."""

UNSCALED = "cut", "cut with padding", "flipped, with padding", "larger than the image", "the middle"


def painted_batch(form, count=48, seed=3):
    rng = random.Random(seed)
    sizes = sizes_of(form, count, seed)
    boxes = [whole_box(rng, size) for size in sizes]
    return sizes, boxes, [painted(size, box) for size, box in zip(sizes, boxes, strict=True)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", CROPS)
def test_boxes_stand_where_the_pixels_do(kind, form):
    sizes, boxes, pictures = painted_batch(form)
    rows = torch.tensor(boxes, dtype=torch.float64)[:, None]
    output, outcome = CROPS[kind]()(
        **handed_over(form, pictures), boxes=rows, valid=torch.ones((len(sizes), 1), dtype=torch.bool)
    )
    looked_at = 0
    for picture, box, shows in zip(output[:, 0], outcome.boxes[:, 0].tolist(), outcome.valid[:, 0], strict=True):
        found = bright_box(picture)
        if not shows:
            assert box == [0.0] * 4
            assert found is None
        elif min(box[2] - box[0], box[3] - box[1]) >= 2:  # less of it may be too dim to be found
            assert found == pytest.approx(box, abs=1)
            looked_at += 1
    assert looked_at >= len(sizes) // 3
    if "letterboxed" in kind:
        assert Status.SKIPPED in statuses(outcome)
    if kind in {"not applied", "the middle"}:
        assert Status.NOT_APPLIED in statuses(outcome)


@pytest.mark.parametrize("kind", UNSCALED)
def test_a_cut_window_is_the_same_pixels(kind):
    """Where nothing is resized there is no tolerance: each pixel of the output is that of the image, or fill."""
    crop, sizes = CROPS[kind](), sizes_of("list", 24)
    rng = np.random.default_rng(0)
    pictures = [torch.from_numpy(rng.integers(1, 256, (2, *size), dtype=np.uint8)) for size in sizes]
    output, outcome = crop(pictures)
    for picture, drawn, window, flipped in zip(pictures, output, windows(outcome), outcome.flipped, strict=True):
        for y in range(drawn.shape[1]):
            for x in range(drawn.shape[2]):
                at = window[1] + y, window[0] + (drawn.shape[2] - 1 - x if flipped else x)
                there = 0 <= at[0] < picture.shape[1] and 0 <= at[1] < picture.shape[2]
                assert drawn[:, y, x].tolist() == (picture[:, at[0], at[1]].tolist() if there else [0, 0])


def mapped(matrix, x, y):
    rows = matrix.tolist()
    assert rows[2] == [0.0, 0.0, 1.0]
    return tuple(row[0] * x + row[1] * y + row[2] for row in rows[:2])


@pytest.mark.parametrize("kind", CROPS)
def test_the_matrix_takes_boxes_and_keypoints_where_they_are(kind):
    rng = random.Random(5)
    sizes = sizes_of("list", 40, 5)
    boxes = [scattered(rng, size, 4) for size in sizes]
    rows = [torch.tensor(each, dtype=torch.float64) for each in boxes]
    corners = [torch.stack([each[:, :2], each[:, 2:]], dim=1) for each in rows]
    _, outcome = CROPS[kind]()([blank(size) for size in sizes], boxes=rows, keypoints=corners)
    shown = 0
    for i, each in enumerate(boxes):
        picture = outcome.picture[i].tolist()
        for n, (x0, y0, x1, y1) in enumerate(each):
            points = [mapped(outcome.matrix[i], x, y) for x, y in ((x0, y0), (x1, y1))]
            for point, carried in zip(points, outcome.keypoints[i, n].tolist(), strict=True):
                assert carried == pytest.approx(point, abs=1e-9)
            xs, ys = zip(*points, strict=True)
            if outcome.valid[i, n]:
                expected = [
                    min(max(value, low), high)
                    for value, low, high in zip(
                        (min(xs), min(ys), max(xs), max(ys)), picture[:2] * 2, picture[2:] * 2, strict=True
                    )
                ]
                assert outcome.boxes[i, n].tolist() == pytest.approx(expected, abs=1e-9)
                shown += 1
    assert shown >= 40


@pytest.mark.parametrize("kind", CROPS)
def test_boxes_come_out_clamped_and_none_is_dropped(kind):
    rng = random.Random(7)
    sizes = sizes_of("list", 60, 7)
    boxes = [scattered(rng, size, rng.randint(0, 5)) for size in sizes]
    rows, valid = padded_rows(boxes)
    _, outcome = CROPS[kind]()([blank(size) for size in sizes], boxes=rows, valid=valid)
    assert outcome.boxes.shape == rows.shape
    assert outcome.valid.shape == outcome.retention.shape == valid.shape
    assert outcome.boxes.isfinite().all()
    assert not (outcome.valid & ~valid).any()
    seen = set()
    for i, (size, each) in enumerate(zip(sizes, boxes, strict=True)):
        image, window = (0, 0, size[1], size[0]), windows(outcome)[i]
        left, top, right, bottom = outcome.picture[i].tolist()
        for n, box in enumerate(each):
            x0, y0, x1, y1 = outcome.boxes[i, n].tolist()
            shows, flat = outcome.valid[i, n].item(), oracle.is_point(box)
            if not flat:
                assert shows == (inside(box, inside(image, window) or (0, 0, 0, 0)) is not None)
                assert not shows or (x0 < x1 and y0 < y1)
            if shows:
                assert left <= x0 <= x1 <= right
                assert top <= y0 <= y1 <= bottom
            else:
                assert (x0, y0, x1, y1) == (0, 0, 0, 0)
            seen.add((shows, flat))
    assert len(seen) >= 3


def test_a_flat_box_shows_where_its_edge_does():
    """One on the very border of the window too: hosts clip boxes to such."""
    crop = RandomCrop(10, min_retention=0.0, seed=0, p=0.0)  # the middle of 20 x 20: (5, 5, 15, 15)
    flat = [(6, 7, 6, 9), (5, 5, 5, 5), (15, 6, 15, 8), (4, 7, 12, 7), (4.5, 6, 4.5, 9), (2, 16, 12, 16)]
    rows = torch.tensor([flat])
    _, outcome = crop(blank((20, 20))[None], boxes=rows, valid=torch.ones((1, 6), dtype=torch.bool))
    assert outcome.valid.tolist() == [[True, True, True, True, False, False]]
    assert outcome.boxes[0, :4].tolist() == [[1, 2, 1, 4], [0, 0, 0, 0], [10, 1, 10, 3], [0, 2, 7, 2]]
    assert not outcome.boxes[0, 4:].any()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", CROPS)
def test_masks_and_maps_cover_the_pixels_that_the_image_shows(kind, form):
    _, _, pictures = painted_batch(form, count=24)
    given = handed_over(form, pictures)
    if "sizes" in given:
        masks, maps = given["images"] // BRIGHT, given["images"][:, 0]
    elif form == "dense":
        masks, maps = given["images"] // BRIGHT, given["images"][:, 0].clone()
    else:
        masks, maps = [picture // BRIGHT for picture in pictures], [picture[0] for picture in pictures]
    there = {} if isinstance(masks, list) else {"valid": torch.ones((len(pictures), 1), dtype=torch.bool)}
    output, outcome = CROPS[kind]()(**given, masks=masks, maps=maps, **there)
    assert torch.equal(outcome.maps, output[:, 0])
    assert outcome.masks.shape == (len(pictures), 1, *output.shape[2:])
    assert outcome.masks.dtype == BYTES
    bright, dark = output >= 250, output <= 5
    assert outcome.masks[bright].eq(1).all()
    if not kind.startswith("letterboxed"):
        assert outcome.masks[dark].eq(0).all()
    assert (bright | dark).double().mean() > 0.8
    assert torch.equal(outcome.valid, outcome.masks.flatten(2).any(-1))


@pytest.mark.parametrize("kind", [kind for kind in UNSCALED if kind != "larger than the image"])
def test_a_keypoint_stands_on_its_pixel(kind):
    rng = random.Random(11)
    sizes = sizes_of("list", 48, 11)
    spots = [[(rng.randrange(width), rng.randrange(height)) for _ in range(3)] for height, width in sizes]
    pictures = []
    for size, each in zip(sizes, spots, strict=True):
        picture = torch.zeros((3, *size), dtype=BYTES)
        for channel, (x, y) in enumerate(each):
            picture[channel, y, x] = BRIGHT
        pictures.append(picture)
    keypoints = torch.tensor(spots)[:, None] + 0.5
    output, outcome = CROPS[kind]()(pictures, keypoints=keypoints, valid=torch.ones((48, 1), dtype=torch.bool))
    assert outcome.keypoints_shown.shape == (48, 1, 3)
    for i, drawn in enumerate(output):
        for channel in range(3):
            shown = bool(outcome.keypoints_shown[i, 0, channel])
            assert shown == bool(drawn[channel].any())
            if shown:
                x, y = (math.floor(value) for value in outcome.keypoints[i, 0, channel].tolist())
                assert drawn[channel, y, x] == BRIGHT
    assert outcome.keypoints_shown.any()
    assert not outcome.keypoints_shown.all()
    assert torch.equal(outcome.valid, outcome.keypoints_shown.any(-1))


def test_a_keypoint_keeps_its_mark_while_it_shows():
    crop = RandomCrop(10, min_retention=0.0, p=0.0)  # the middle of 20 x 20
    points = [(5, 5, 2), (14.9, 14.9, 1), (15, 10, 2), (10, 15, 2), (4.9, 10, 2), (10, 10, 0), (math.nan, 0, 0)]
    _, outcome = crop(blank((20, 20))[None], keypoints=torch.tensor([[points]]), valid=torch.tensor([[True]]))
    assert outcome.keypoints_shown.tolist() == [[[True, True, False, False, False, False, False]]]
    assert outcome.keypoints[0, 0, :, 2].tolist() == [2, 1, 0, 0, 0, 0, 0]
    assert outcome.keypoints[0, 0, 4, :2].tolist() == pytest.approx([-0.1, 5.0], abs=1e-6)  # out of sight
    assert outcome.retention.tolist() == [[0.4]]  # two of the five that are visible


@pytest.mark.parametrize("kind", CROPS)
def test_padding_is_where_no_picture_is(kind):
    crop = CROPS[kind]()
    crop.finish = crop.finish._replace(fill=(77.0,))
    sizes = sizes_of("list", 40, 13)
    output, outcome = crop(
        [torch.full((1, *size), 200, dtype=BYTES) for size in sizes],
        boxes=[torch.tensor([[1.0, 1.0, 12.0, 9.0], [15.0, 15.0, 24.0, 24.0]])] * len(sizes),
    )
    padding = outcome.padding()
    assert padding.dtype is torch.bool
    assert torch.equal(padding[:, None], output == 77)
    assert torch.equal(~padding[:, None], output == 200)
    for row, (x0, y0, x1, y1) in zip(~padding, outcome.picture.tolist(), strict=True):
        assert bright_box(row.int(), 1) == ((x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None)
    assert bool(padding.any()) == (kind not in {"resized", "resized, unguarded", "cut", "not applied"})


def test_a_window_beside_the_image_is_all_padding():
    """More padding than image: the window may see nothing of it at all."""
    crop = RandomCrop(4, 9, min_retention=0.0, fill=50, dtype=BYTES, seed=0)
    rows = torch.tensor([[[0.0, 0.0, 6.0, 5.0]]]).expand(200, -1, -1)
    output, outcome = crop(
        torch.full((200, 1, 5, 6), 200, dtype=BYTES), boxes=rows, valid=torch.ones((200, 1), dtype=torch.bool)
    )
    nothing = (output == 50).flatten(1).all(1)
    assert 20 < nothing.sum() < 180
    assert torch.equal(nothing, outcome.padding().flatten(1).all(1))
    assert torch.equal(nothing, ~outcome.valid[:, 0])
    assert torch.equal(nothing, outcome.retention[:, 0] == 0)
    assert torch.equal(outcome.visible_pixels[:, 0], (output == 200).flatten(1).sum(1).double())


# What is measured

MEASURED = [
    Policy(min_retention=0.4),
    Policy(min_retention=0.8, min_fill=0.15, keep="any"),
    Policy(min_retention=0.5, min_visible_pixels=30, keep="whole"),
    Policy(min_retention=0.6, ignore_smaller_than=40, min_fill=0.3, on_fail="skip"),
]


@pytest.mark.parametrize("policy", MEASURED)
@pytest.mark.parametrize(
    "make",
    [
        lambda policy: RandomResizedCrop((30, 44), policy=policy, seed=2, flip=0.5, p=0.8),
        lambda policy: RandomCrop((18, 22), 4, policy=policy, seed=2, flip=0.5, p=0.8),
    ],
    ids=["resized", "cut"],
)
def test_what_is_left_is_what_the_single_image_measures_say(make, policy):
    rng = random.Random(17)
    sizes = sizes_of("list", 80, 17)
    boxes = [scattered(rng, size, rng.randint(0, 5)) for size in sizes]
    rows, valid = padded_rows(boxes)
    priors = torch.rand(valid.shape, generator=torch.Generator().manual_seed(0)) * 0.6 + 0.4
    ignore = torch.rand(valid.shape, generator=torch.Generator().manual_seed(1)) < 0.2
    _, outcome = make(policy)(
        [blank(size) for size in sizes], boxes=rows, valid=valid, prior_visibility=priors, ignore=ignore
    )
    by_fill = 0
    for i, (size, each) in enumerate(zip(sizes, boxes, strict=True)):
        count = len(each)
        content = content_of(
            np.array(each).reshape(-1, 4),
            size,
            policy,
            prior_visibility=priors[i, :count].numpy(),
            ignore=ignore[i, :count].numpy(),
        )
        expected = measure(content, policy, windows(outcome)[i])
        np.testing.assert_allclose(outcome.retention[i, :count], expected.retention, rtol=1e-12)
        np.testing.assert_array_equal(outcome.by_fill[i, :count], expected.by_fill)
        scale = abs(float(outcome.matrix[i, 0, 0] * outcome.matrix[i, 1, 1]))
        np.testing.assert_allclose(outcome.visible_pixels[i, :count], expected.area * scale, rtol=1e-9)
        by_fill += int(expected.by_fill.sum())
    assert outcome.retention[~valid].isnan().all()
    assert not outcome.by_fill[~valid].any()
    assert (by_fill > 0) == (policy.min_fill is not None)


def test_what_is_left_of_shapes_is_what_loops_over_pixels_say():
    rng, numbers = random.Random(19), np.random.default_rng(19)
    sizes = sizes_of("list", 20, 19, 10, 20)
    masks = [numbers.random((2, *size)) < 0.2 for size in sizes]
    shares = [numbers.random(size).astype(np.float32) for size in sizes]
    points = [
        [(rng.uniform(-2, size[1]), rng.uniform(0, size[0]), rng.randrange(3)) for _ in range(6)] for size in sizes
    ]
    given = {
        "masks": [torch.from_numpy(each) for each in masks],
        "keypoints": [torch.tensor([each], dtype=torch.float64) for each in points],
        "maps": [torch.from_numpy(each) for each in shares],
    }
    for kind, objects in given.items():
        _, outcome = RandomCrop(8, 2, min_retention=0.3, seed=3)([blank(size) for size in sizes], **{kind: objects})
        for i, (size, window) in enumerate(zip(sizes, windows(outcome), strict=True)):
            image = (0, 0, size[1], size[0])
            for n in range(outcome.retention.shape[1]):
                if kind == "keypoints":
                    seen = oracle.visible_points(points[i], size)
                    left, whole = oracle.points_in(seen, window), len(seen)
                else:
                    rows = (masks[i][n] if kind == "masks" else shares[i]).tolist()
                    left, whole = oracle.mask_in(rows, window), oracle.mask_in(rows, image)
                assert outcome.retention[i, n].item() == pytest.approx(left / whole, rel=1e-6)
                if kind == "masks":
                    assert outcome.visible_pixels[i, n].item() == outcome.masks[i, n].sum().item() == left
        assert Status.MOVED in statuses(outcome)


def test_confidence_is_the_published_formula():
    _, outcome = RandomCrop(20, min_retention=0.0, seed=0)(
        [blank((30, 30))] * 60, boxes=[torch.tensor([[2.0, 3.0, 20.0, 19.0], [40.0, 40.0, 50.0, 50.0]])] * 60
    )
    for chance, power in ((0.1, 2.0), (0.0, 1.0), (0.5, 3.0)):
        confidence = outcome.confidence(chance=chance, power=power)
        for left, trusted in zip(outcome.retention[:, 0].tolist(), confidence[:, 0].tolist(), strict=True):
            assert trusted == pytest.approx(1 - (1 - chance) * (1 - left) ** power, abs=1e-12)
        assert confidence[:, 1].isnan().all()  # outside the image
    assert len(outcome.retention[:, 0].unique()) > 20


# The rows that are left alone


def test_a_row_that_is_not_applied_is_touched_by_nothing():
    """Neither by the crop nor by its padding, which transforms of several stages forget."""
    count, generator = 64, torch.Generator().manual_seed(0)
    images = torch.randint(0, 256, (count, 3, 32, 32), dtype=BYTES, generator=generator)
    corner = torch.rand((count, 4, 2), generator=generator) * 20
    boxes = torch.cat([corner, corner + 2 + torch.rand((count, 4, 2), generator=generator) * 10], dim=-1)
    masks = torch.rand((count, 4, 32, 32), generator=generator) < 0.5
    keypoints = torch.rand((count, 4, 5, 2), generator=generator) * 32
    maps = torch.rand((count, 32, 32), generator=generator)
    output, outcome = RandomCrop(32, padding=4, p=0.5, dtype=BYTES, fill=255, seed=0)(
        images, boxes=boxes, masks=masks, keypoints=keypoints, maps=maps, valid=torch.ones((count, 4), dtype=torch.bool)
    )
    left_alone = outcome.status == Status.NOT_APPLIED
    assert 16 < left_alone.sum() < 48
    assert outcome.view.window[left_alone].eq(torch.tensor([0, 0, 32, 32])).all()
    assert torch.equal(
        outcome.matrix[left_alone], torch.eye(3, dtype=torch.float64).expand(int(left_alone.sum()), 3, 3)
    )
    pairs = [
        (output, images),
        (outcome.boxes, boxes),
        (outcome.masks, masks),
        (outcome.keypoints, keypoints),
        (outcome.maps, maps),
    ]
    for carried, given in pairs:
        assert carried.dtype == given.dtype
        assert torch.equal(carried[left_alone], given[left_alone])
        assert not torch.equal(carried[~left_alone], given[~left_alone])
    assert outcome.valid.all(-1)[left_alone].all()
    assert outcome.retention[left_alone].eq(1).all()
    assert not outcome.padding()[left_alone].any()


@pytest.mark.parametrize("p", [0.0, 0.25, 1.0])
def test_so_many_are_applied(p):
    _, outcome = RandomResizedCrop(8, p=p, seed=0)([blank((20, 20))] * 2000)
    left_alone = (outcome.status == Status.NOT_APPLIED).double().mean().item()
    assert abs(left_alone - (1 - p)) < 5 * math.sqrt(p * (1 - p) / 2000) + 1e-12
    assert outcome.view.window[outcome.status == Status.NOT_APPLIED].eq(torch.tensor([0, 0, 20, 20])).all()


@pytest.mark.parametrize("flip", [0.0, 0.25, 1.0])
def test_so_many_are_mirrored(flip):
    _, outcome = RandomResizedCrop(8, flip=flip, seed=0)([blank((20, 20))] * 2000)
    assert abs(outcome.flipped.double().mean().item() - flip) < 5 * math.sqrt(flip * (1 - flip) / 2000) + 1e-12


def test_a_row_that_is_not_applied_is_mirrored_as_others_are():
    _, outcome = RandomResizedCrop(8, p=0.5, flip=0.5, seed=0)([blank((20, 20))] * 2000)
    for rows in (outcome.status == Status.NOT_APPLIED, outcome.status != Status.NOT_APPLIED):
        assert abs(outcome.flipped[rows].double().mean().item() - 0.5) < 5 * math.sqrt(0.25 / rows.sum().item())


def test_a_detectors_boxes_come_out_ready():
    """Clamped to the output, marked where nothing of them shows, and with the share that is left of each."""
    images = torch.zeros((256, 3, 64, 64), dtype=BYTES)
    boxes = torch.tensor([[[-8.0, -8.0, 40.0, 30.0], [50.0, 50.0, 80.0, 90.0], [2.0, 40.0, 12.0, 50.0]]]).expand(
        256, -1, -1
    )
    _, outcome = RandomResizedCrop(32, scale=(0.2, 0.5), keep="any", seed=0)(
        images, boxes=boxes, valid=torch.ones((256, 3), dtype=torch.bool)
    )
    assert outcome.boxes.min() >= 0
    assert outcome.boxes.max() <= 32
    assert torch.equal(outcome.valid, outcome.retention > 0)
    assert outcome.valid.any(-1).all()
    assert not outcome.valid.all()
    assert (outcome.retention.amax(-1) >= 0.5 - 1e-6).all()


def test_a_crop_larger_than_its_image_is_an_error():
    crop = RandomCrop(10)
    with pytest.raises(
        ContentError, match=r"images\[1\] of \(6, 8\), .* smaller than the crop \(10, 10\).*pad_if_needed"
    ):
        crop([blank((10, 10)), blank((6, 8))])
    for image in (blank((9, 30)), blank((30, 9))):
        with pytest.raises(ContentError, match=r"images\[0\]"):
            crop(image[None])
    with pytest.raises(ContentError, match=r"images\[2\] of \(7, 10\)"):
        crop(blank((20, 20)).expand(3, 1, 20, 20), sizes=[(10, 10), (20, 20), (7, 10)])
    assert crop.report() == {}
    RandomCrop(10, (1, 2))([blank((6, 8))])  # the padding is large enough


def test_pad_if_needed_stands_the_whole_image_in_its_output():
    rng = np.random.default_rng(0)
    pictures = [torch.from_numpy(rng.integers(0, 255, (3, 6, 8), dtype=np.uint8)) for _ in range(60)]
    output, outcome = RandomCrop(10, pad_if_needed=True, dtype=BYTES, fill=255, seed=0)(pictures)
    for picture, drawn, row, padding in zip(pictures, output, outcome.picture.tolist(), outcome.padding(), strict=True):
        x0, y0, x1, y1 = row
        assert (x1 - x0, y1 - y0) == (8, 6)
        assert torch.equal(drawn[:, y0:y1, x0:x1], picture)
        assert torch.equal((drawn == 255).all(0), padding)
    assert len({tuple(row) for row in outcome.picture.tolist()}) == 3 * 5  # every place that there is
    one_way, outcome = RandomCrop(10, pad_if_needed=True, dtype=BYTES, seed=0)([blank((6, 30))] * 9)
    assert one_way.shape == (9, 1, 10, 10)
    assert outcome.padding().sum() == 9 * 4 * 10


# The policy


def unguarded(crop, *arguments, **given):
    """The windows that the crop draws where nothing guards them."""
    return windows(crop.eval()(*arguments, **given)[1])


@pytest.mark.parametrize(
    "make", [lambda **more: RandomResizedCrop(16, seed=4, **more), lambda **more: RandomCrop(16, 5, seed=4, **more)]
)
def test_a_limit_of_nothing_changes_no_draw(make):
    rng = random.Random(23)
    sizes = sizes_of("list", 100, 23)
    rows, valid = padded_rows([scattered(rng, size, 3) for size in sizes])
    given = {"boxes": rows, "valid": valid, "sample_ids": range(100)}
    pictures = [blank(size) for size in sizes]
    plain = unguarded(make(), pictures, **given)
    _, outcome = make(min_retention=0.0)(pictures, **given)
    assert set(statuses(outcome)) <= {Status.FIRST, Status.EMPTY}
    assert windows(outcome) == plain
    _, guarded = make(min_retention=0.9)(pictures, **given)
    assert windows(guarded) != plain
    for window, other, status in zip(windows(guarded), plain, statuses(guarded), strict=True):
        assert window == other or status in {Status.MOVED, Status.RESIZED, Status.UNMET}


def test_apply_rate_leaves_so_many_draws_alone():
    pictures, boxes = [blank((40, 40))] * 2000, [torch.tensor([[1.0, 1.0, 9.0, 9.0]])] * 2000
    given = {"boxes": boxes, "sample_ids": range(2000)}
    plain = unguarded(RandomCrop(16, seed=0), pictures, **given)
    _, outcome = RandomCrop(16, apply_rate=0.7, seed=0)(pictures, **given)
    alone = outcome.status == Status.UNGUARDED
    assert abs(alone.double().mean().item() - 0.3) < 5 * math.sqrt(0.3 * 0.7 / 2000)
    assert [window for window, left in zip(windows(outcome), alone, strict=True) if left] == [
        window for window, left in zip(plain, alone, strict=True) if left
    ]
    assert (outcome.retention[~alone] >= 0.5 - 1e-6).all()
    assert (outcome.retention[alone] < 0.5).any()


CROWDED = (0, 0, 9, 9), (30, 30, 38, 39), (0, 30, 6, 39), (2, 3, 8, 8)
"""Boxes of an image of 40 × 40 that no window of 16 × 16 holds together."""


def test_an_unmet_draw_keeps_the_most_objects():
    _, outcome = RandomCrop(16, min_retention=0.6, seed=0)([blank((40, 40))] * 50, boxes=[torch.tensor(CROWDED)] * 50)
    most = oracle.most(
        CROWDED, [0.6] * 4, [1.0] * 4, (0, 0, 40, 40), (16, 16), Policy(min_retention=0.6), (40, 40), (16, 16)
    )
    assert set(statuses(outcome)) == {Status.UNMET}
    for window in windows(outcome):
        assert sum(oracle.shared(box, window) >= 0.6 * oracle.area(box) - 1e-3 for box in CROWDED) == most == 2


def test_weights_say_which_objects_an_unmet_draw_keeps():
    weights = [torch.tensor([1.0, 5.0, 1.0, 1.0])] * 50
    _, outcome = RandomCrop(16, min_retention=0.6, seed=0)(
        [blank((40, 40))] * 50, boxes=[torch.tensor(CROWDED)] * 50, weights=weights
    )
    assert set(statuses(outcome)) == {Status.UNMET}
    assert (outcome.retention[:, 1] >= 0.6 - 1e-6).all()


def test_a_skipped_sample_is_the_whole_image_in_a_letterbox():
    _, outcome = RandomCrop(16, on_fail="skip", flip=0.5, seed=0)(
        [blank((40, 50)), blank((60, 30)), blank((16, 16))],
        boxes=[torch.tensor([[1, 1, 29, 39]])] * 2 + [torch.tensor([[1, 1, 9, 9]])],
    )
    assert statuses(outcome) == [Status.SKIPPED, Status.SKIPPED, Status.FIRST]
    assert windows(outcome) == [(0, 0, 50, 40), (0, 0, 30, 60), (0, 0, 16, 16)]
    assert outcome.retention.eq(1).all()
    # 40 x 50 to 13 x 16, 60 x 30 to 16 x 8
    assert outcome.picture.tolist() == [[0, 1, 16, 14], [4, 0, 12, 16], [0, 0, 16, 16]]
    assert outcome.visible_pixels[:, 0].tolist() == pytest.approx(
        [28 * 38 * (16 / 50) * (13 / 40), 28 * 38 * (8 / 30) * (16 / 60), 64.0]
    )


@pytest.mark.parametrize("kind", ["boxes", "masks"])
def test_raise_names_the_sample_and_says_what_is_left(kind):
    masks = torch.zeros((3, 1, 40, 40), dtype=BYTES)
    masks[:, :, :9, :9] = 1
    masks[2, :, 9:36] = 1
    boxes = torch.tensor([[[0, 0, 9, 9]], [[0, 0, 9, 9]], [[0, 0, 40, 36]]])
    crop = RandomCrop(16, on_fail="raise", seed=0)
    given = {"boxes": boxes} if kind == "boxes" else {"masks": masks}
    with pytest.raises(RetentionError, match=r"^sample 2 of the batch: ") as caught:
        crop(blank((40, 40)).expand(3, 1, 40, 40), **given, valid=torch.ones((3, 1), dtype=torch.bool))
    outcome = caught.value.outcome
    whole = 40 * 36 if kind == "boxes" else 27 * 40 + 81
    assert outcome.status is Status.UNMET
    assert 0 < outcome.retention[0] <= 256 / whole
    crop(blank((40, 40)).expand(2, 1, 40, 40), boxes=boxes[:2], valid=torch.ones((2, 1), dtype=torch.bool))
    _, left_alone = RandomCrop(16, on_fail="raise", p=0.0)(
        blank((40, 40)).expand(3, 1, 40, 40), **given, valid=torch.ones((3, 1), dtype=torch.bool)
    )
    assert set(statuses(left_alone)) == {Status.NOT_APPLIED}


def test_enlarge_goes_beyond_the_crops_own_range():
    given = {"boxes": [torch.tensor([[2.0, 2.0, 38.0, 38.0]])] * 20}
    pictures = [blank((40, 40))] * 20
    _, outcome = RandomResizedCrop(16, scale=(0.05, 0.1), on_fail="enlarge", seed=0)(pictures, **given)
    assert set(statuses(outcome)) == {Status.RESIZED}
    assert set(outcome.stage.tolist()) == {Stage.LADDER}
    assert (outcome.retention >= 0.5 - 1e-6).all()
    _, outcome = RandomResizedCrop(16, scale=(0.05, 0.1), seed=0)(pictures, **given)
    assert set(statuses(outcome)) == {Status.UNMET}
    enlarged, most = (
        RandomCrop(16, on_fail=on_fail, seed=0)(pictures, **given, sample_ids=range(20))[1]
        for on_fail in ("enlarge", "most")
    )
    assert windows(enlarged) == windows(most)
    assert statuses(enlarged) == statuses(most) == [Status.UNMET] * 20


@pytest.mark.parametrize("kind", ["boxes", "masks", "keypoints"])
def test_on_empty(kind):
    empty = {"boxes": torch.empty(0, 4), "masks": torch.empty(0, 20, 20), "keypoints": torch.empty(0, 1, 2)}[kind]
    one = {"boxes": torch.ones(1, 4), "masks": torch.ones(1, 20, 20), "keypoints": torch.ones(1, 1, 2)}[kind]
    pictures = [blank((20, 20))] * 3
    _, outcome = RandomCrop(8, seed=0)(pictures, **{kind: [one, empty, one]})
    assert statuses(outcome)[1] is Status.EMPTY
    assert Status.EMPTY not in statuses(outcome)[::2]
    with pytest.raises(ContentError, match=r"^sample 1 of the batch: there is nothing to protect.*on_empty"):
        RandomCrop(8, on_empty="raise")(pictures, **{kind: [one, empty, one]})
    RandomCrop(8, on_empty="raise")(pictures, **{kind: [one, one, one]})
    _, outcome = RandomCrop(8, on_empty="raise", p=0.0)(pictures, **{kind: [one, empty, one]})
    assert set(statuses(outcome)) == {Status.NOT_APPLIED}


def test_max_stretch_bounds_the_scales():
    sizes = sizes_of("list", 200, 29)
    boxes = [torch.tensor([[2.0, 2.0, 9.0, 9.0]])] * 200
    kept = {}
    for limit in (None, 1.1):
        _, outcome = RandomResizedCrop((20, 30), ratio=(0.4, 3.0), max_stretch=limit, seed=0)(
            [blank(size) for size in sizes], boxes=boxes
        )
        kept[limit] = [
            (status, oracle.stretch_of(window, (20, 30)))
            for window, status in zip(windows(outcome), statuses(outcome), strict=True)
        ]
    assert max(stretch for _, stretch in kept[None]) > 1.5
    assert max(stretch for status, stretch in kept[1.1] if status is not Status.UNMET) <= 1.1 + 1e-6
    assert sum(status is Status.UNMET for status, _ in kept[1.1]) < 40


def test_limits_per_label_hold_for_their_own():
    boxes = torch.tensor([[2.0, 2.0, 12.0, 12.0], [14.0, 3.0, 24.0, 13.0], [3.0, 15.0, 13.0, 25.0]])
    labels = torch.tensor([[7, 300, 5]]).expand(400, -1)
    crop = RandomCrop(18, min_retention={7: 0.9, 300: 0.2, "*": 0.05}, seed=0)
    _, outcome = crop([blank((30, 30))] * 400, boxes=[boxes] * 400, labels=labels)
    limits = torch.tensor([0.9, 0.2, 0.05], dtype=torch.float64)
    assert (outcome.retention >= limits - 1e-6).all()
    assert outcome.retention[:, 0].min() == pytest.approx(0.9)  # no more is asked than that
    assert outcome.retention[:, 1:].amax(-1).min() < 0.5  # one limit for all would have kept more
    assert Status.UNMET not in statuses(outcome)


def test_a_label_in_bytes_has_no_limit_of_another():
    """300 is 44 in a byte."""
    labels = torch.full((50, 1), 44, dtype=BYTES)
    crop = RandomCrop(8, min_retention={300: 1.0, "*": 0.0}, seed=0)
    _, outcome = crop([blank((30, 30))] * 50, boxes=[torch.tensor([[1.0, 1.0, 6.0, 6.0]])] * 50, labels=labels)
    assert set(statuses(outcome)) == {Status.FIRST}


def test_what_is_ignored_is_never_asked_for():
    boxes = [torch.tensor([[0.0, 0.0, 6.0, 6.0], [24.0, 24.0, 30.0, 30.0]])] * 200
    pictures = [blank((30, 30))] * 200
    ignore = torch.tensor([[False, True]]).expand(200, -1)
    _, outcome = RandomCrop(12, min_retention=0.9, seed=0)(pictures, boxes=boxes, ignore=ignore)
    assert set(statuses(outcome)) <= {Status.FIRST, Status.MOVED}
    assert (outcome.retention[:, 0] >= 0.9 - 1e-6).all()
    assert outcome.retention[:, 1].eq(0).all()
    _, outcome = RandomCrop(12, min_retention=0.9, seed=0)(pictures, boxes=boxes)
    assert set(statuses(outcome)) == {Status.UNMET}
    _, outcome = RandomCrop(12, seed=0)(pictures, boxes=boxes, ignore=torch.ones((200, 2), dtype=torch.bool))
    assert set(statuses(outcome)) == {Status.EMPTY}


def test_what_is_small_is_never_asked_for():
    boxes = [torch.tensor([[0.0, 0.0, 6.0, 6.0], [24.0, 24.0, 29.0, 30.0]])] * 200
    pictures = [blank((30, 30))] * 200
    for least, expected in ((31, {Status.FIRST, Status.MOVED}), (30, {Status.UNMET}), (37, {Status.EMPTY})):
        _, outcome = RandomCrop(12, ignore_smaller_than=least, seed=0)(pictures, boxes=boxes)
        assert set(statuses(outcome)) == expected


def test_an_ignored_object_needs_no_label_and_no_box():
    boxes = torch.tensor([[[1.0, 1.0, 5.0, 5.0], [math.nan, 0, 1, 1]]])
    _, outcome = RandomCrop(8, min_retention={1: 0.5})(
        blank((20, 20))[None],
        boxes=boxes,
        valid=torch.ones((1, 2), dtype=torch.bool),
        labels=torch.tensor([[1, 9]]),
        ignore=torch.tensor([[False, True]]),
    )
    assert outcome.retention[0, 0] >= 0.5
    assert outcome.valid.tolist() == [[True, False]]


def test_what_was_lost_before_counts():
    """Of an object of which 0.6 was visible, 0.5 of the whole is five sixths of what is there; of 0.3, nothing is."""
    boxes = [torch.tensor([[0.0, 0.0, 10.0, 10.0], [11.0, 11.0, 19.0, 13.0]])] * 300
    _, outcome = RandomCrop(20, seed=0)(
        [blank((30, 30))] * 300, boxes=boxes, prior_visibility=[torch.tensor([0.6, 0.3])] * 300
    )
    assert set(statuses(outcome)) <= {Status.FIRST, Status.MOVED}
    assert (outcome.retention[:, 0] >= 0.5 - 1e-6).all()
    assert outcome.retention[:, 0].max() == pytest.approx(0.6)
    assert outcome.retention[:, 1].max() == pytest.approx(0.3)


def test_one_object_is_picked_by_its_weight():
    boxes = [torch.tensor([[0.0, 0.0, 6.0, 6.0], [24.0, 24.0, 30.0, 30.0], [0.0, 24.0, 6.0, 30.0]])] * 600
    weights = [torch.tensor([3.0, 1.0, 0.0])] * 600
    _, outcome = RandomCrop(9, keep="one", min_retention=1.0, seed=0)(
        [blank((30, 30))] * 600, boxes=boxes, weights=weights
    )
    assert set(statuses(outcome)) <= {Status.FIRST, Status.MOVED}
    kept = (outcome.retention == 1).double().mean(0).tolist()
    assert kept[0] == pytest.approx(0.75, abs=5 * math.sqrt(0.75 * 0.25 / 600))
    assert kept[1] == pytest.approx(0.25, abs=5 * math.sqrt(0.75 * 0.25 / 600))
    assert kept[2] == 0


def test_whole_gives_no_label_to_what_is_gone():
    rng = random.Random(31)
    sizes = sizes_of("list", 300, 31)
    boxes = [[whole_box(rng, size) for _ in range(3)] for size in sizes]
    _, outcome = RandomResizedCrop(32, keep="whole", seed=0, flip=0.5)(
        [blank(size) for size in sizes], boxes=[torch.tensor(each) for each in boxes]
    )
    hidden = 0
    for i, each in enumerate(boxes):
        for n, box in enumerate(each):
            left = oracle.shared(box, windows(outcome)[i]) / oracle.area(box)
            assert outcome.valid[i, n].item() == (left > 0.05)
            hidden += 0 < left <= 0.05
            if statuses(outcome)[i] is not Status.UNMET:
                assert left >= 0.5 - 1e-5 or left <= 0.05 + 1e-5
    assert hidden >= 3
    assert statuses(outcome).count(Status.UNMET) < 15
    assert outcome.valid.any(-1)[outcome.status != Status.UNMET].all()


KINDS = "boxes", "masks", "keypoints", "maps"


def one_of_each(count):
    """Of an image of 30 × 30: a box, a mask, keypoints and a map, each in a corner of its own."""
    images = blank((30, 30)).expand(count, 1, 30, 30)
    masks, maps = torch.zeros((count, 1, 30, 30), dtype=BYTES), torch.zeros((count, 30, 30))
    masks[:, :, :7, 23:] = 1
    maps[:, 23:, 23:] = 2.5
    return {
        "images": images,
        "boxes": torch.tensor([[[0.0, 0.0, 7.0, 7.0]]]).expand(count, -1, -1),
        "masks": masks,
        "keypoints": torch.tensor([[[[2.0, 28.0], [4.0, 25.0]]]]).expand(count, -1, -1, -1),
        "maps": maps,
    }


@pytest.mark.parametrize("kind", KINDS)
def test_protect_says_what_must_survive(kind):
    given = one_of_each(120)
    places = {"boxes": (0, 0, 7, 7), "masks": (23, 0, 30, 7), "keypoints": (2, 25, 5, 29), "maps": (23, 23, 30, 30)}
    _, outcome = RandomCrop(12, min_retention=1.0, protect=kind, seed=0)(
        **given, valid=torch.ones((120, 1), dtype=torch.bool)
    )
    assert set(statuses(outcome)) <= {Status.FIRST, Status.MOVED}
    for window in windows(outcome):
        assert inside(places[kind], window) == places[kind]
    assert outcome.retention.tolist() == [[1.0]] * 120
    assert outcome.boxes is not None
    assert outcome.masks is not None
    assert outcome.keypoints is not None
    assert outcome.maps is not None


@pytest.mark.parametrize("first", range(4))
def test_left_out_the_first_kind_is_protected(first):
    given = one_of_each(40)
    handed = {name: rows for name, rows in given.items() if name == "images" or KINDS.index(name) >= first}
    there = torch.ones((40, 1 if first < 3 else 0), dtype=torch.bool)
    crops = [RandomCrop(12, min_retention=1.0, protect=kind, seed=0) for kind in (None, KINDS[first])]
    left_out, named = (windows(crop(**handed, valid=there, sample_ids=range(40))[1]) for crop in crops)
    assert left_out == named


def test_a_mask_or_a_map_may_hold_what_else_belongs_to_it():
    """Labels of a mask are no shares, the unit of a map is its own, and a bool is a mask."""
    given = one_of_each(40)
    there = {"valid": torch.ones((40, 1), dtype=torch.bool), "sample_ids": range(40)}
    crop = RandomCrop(12, min_retention=0.7, seed=0)
    plain = windows(crop(given["images"], masks=given["masks"], **there)[1])
    for masks in (given["masks"] * 200, given["masks"].long() * 1000, given["masks"].bool(), given["masks"].half()):
        assert windows(crop(given["images"], masks=masks, **there)[1]) == plain
    plain = windows(crop(given["images"], maps=given["maps"], sample_ids=range(40))[1])
    for maps in (given["maps"] * 100, given["maps"].to(torch.bfloat16), (given["maps"] * 2).to(BYTES)):
        assert windows(crop(given["images"], maps=maps, sample_ids=range(40))[1]) == plain


# Inputs and outputs


def bits(tensor):
    return tensor.contiguous().view(-1).view(torch.uint8).clone()


@pytest.mark.parametrize("form", FORMS)
def test_inputs_are_left_as_they_are(form):
    _, boxes, pictures = painted_batch(form, count=6)
    given = handed_over(form, pictures)
    frames = [torch.zeros((1, *picture.shape[1:]), dtype=BYTES) for picture in pictures]
    if form in {"dense", "padded"}:
        masks = torch.ones((6, 1, *given["images"].shape[2:]), dtype=BYTES)
        given |= {"masks": masks, "maps": masks[:, 0].float()}
    else:
        given |= {"masks": [each + 1 for each in frames], "maps": [each[0] + 1.0 for each in frames]}
    given |= {
        "boxes": torch.tensor([[box, box] for box in boxes], dtype=torch.float32)[:, :1],
        "keypoints": torch.tensor([[[box[:2], box[2:]]] for box in boxes], dtype=torch.float64),
        "valid": torch.ones((6, 1), dtype=torch.bool),
        "labels": torch.ones((6, 1), dtype=torch.int32),
        "weights": torch.ones((6, 1)),
        "ignore": torch.zeros((6, 1), dtype=torch.bool),
        "prior_visibility": torch.ones((6, 1)),
        "sample_ids": torch.arange(6),
    }
    given["boxes"][0] = math.nan
    given["valid"][0] = False

    def tensors():
        for value in given.values():
            value = value.data if form == "ragged" and hasattr(value, "data") and hasattr(value, "sizes") else value
            yield from value if isinstance(value, list) else [value]

    before = [bits(each) for each in tensors()]
    for kind in KINDS:
        for crop in (RandomResizedCrop(9, protect=kind, flip=1.0), RandomCrop(60, pad_if_needed=True, protect=kind)):
            output, outcome = crop(**given)
            output.zero_()
            for each in outcome:
                if isinstance(each, torch.Tensor):
                    each.zero_()
    assert len(before) >= 11
    assert all(torch.equal(one, bits(other)) for one, other in zip(before, tensors(), strict=True))


@pytest.mark.parametrize("dtype", [BYTES, torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("out", [torch.float32, torch.float16, torch.bfloat16, BYTES])
def test_outputs_have_the_dtype_that_was_asked_for(dtype, out):
    if out == BYTES and dtype != BYTES:
        with pytest.raises(ContentError, match=r"images must be of uint8 .* got"):
            RandomCrop(8, dtype=out)(torch.zeros((2, 3, 20, 20), dtype=dtype))
        return
    images = torch.full((2, 3, 20, 20), 51 if dtype == BYTES else 0.25, dtype=dtype)
    for crop in (RandomCrop(8, dtype=out), RandomResizedCrop(8, dtype=out)):
        output, outcome = crop(images, boxes=[torch.ones((1, 4), dtype=torch.float16)] * 2)
        assert output.dtype == out
        expected = 51 if out == BYTES else 0.2 if dtype == BYTES else 0.25
        assert output.double().sub(expected).abs().max() < 1e-3
        assert (outcome.status.dtype, outcome.stage.dtype) == (torch.int8, torch.int8)
        assert (outcome.view.window.dtype, outcome.draws.dtype, outcome.picture.dtype) == (torch.int64,) * 3
        assert (outcome.retention.dtype, outcome.visible_pixels.dtype, outcome.matrix.dtype) == (torch.float64,) * 3
        assert (outcome.by_fill.dtype, outcome.valid.dtype, outcome.flipped.dtype) == (torch.bool,) * 3
        assert outcome.boxes.dtype == torch.float16


def test_targets_keep_their_dtype():
    images = blank((20, 20))[None]
    there = torch.ones((1, 1), dtype=torch.bool)
    for given, carried in [
        (torch.int32, torch.float32),
        (torch.float16, torch.float16),
        (torch.float64, torch.float64),
    ]:
        rows = torch.tensor([[[2, 3, 9, 8]]]).to(given)
        points = torch.tensor([[[[2, 3]]]]).to(given)
        _, outcome = RandomCrop(12)(images, boxes=rows, keypoints=points, valid=there)
        assert outcome.boxes.dtype == outcome.keypoints.dtype == carried
    for dtype in (torch.bool, BYTES, torch.int64, torch.float32):
        _, outcome = RandomCrop(12)(images, masks=torch.ones((1, 1, 20, 20)).to(dtype), valid=there)
        assert outcome.masks.dtype == dtype


def test_pixels_are_normalised():
    images = torch.tensor([0, 51, 255], dtype=BYTES).reshape(1, 3, 1, 1).expand(1, 3, 20, 20)
    crop = RandomResizedCrop(8, mean=(0.5, 0.1, 0.0), std=(0.25, 0.5, 2.0))
    output, _ = crop(images)
    for channel, expected in enumerate(((0.0 - 0.5) / 0.25, (0.2 - 0.1) / 0.5, 1.0 / 2.0)):
        assert output[0, channel].flatten().tolist() == pytest.approx([expected] * 64, abs=1e-5)


def test_lists_may_be_of_several_dtypes():
    """What the first holds is not all that may be held: 1.5 is not 1."""
    boxes = [torch.tensor([[1, 1, 6, 6]]), torch.tensor([[1.5, 1.5, 6.5, 6.75]]), torch.empty((0, 4))]
    weights = [torch.tensor([1]), torch.tensor([0.5]), torch.tensor([])]
    _, outcome = RandomCrop(20)([blank((20, 20))] * 3, boxes=boxes, weights=weights)
    assert outcome.boxes[:, 0].tolist() == [[1, 1, 6, 6], [1.5, 1.5, 6.5, 6.75], [0, 0, 0, 0]]
    labels = [torch.tensor([]), torch.tensor([2]), torch.tensor([])]
    crop = RandomCrop(8, min_retention={2: 1.0})
    _, outcome = crop([blank((20, 20))] * 3, boxes=[boxes[2], boxes[1], boxes[2]], labels=labels)
    assert outcome.retention[1, 0] == 1


def test_masks_of_no_object_may_be_of_any_dtype():
    masks = [torch.empty((0, 20, 20)), torch.ones((2, 20, 20), dtype=BYTES)]
    _, outcome = RandomCrop(8)([blank((20, 20))] * 2, masks=masks)
    assert outcome.masks.dtype == BYTES
    assert outcome.masks.flatten(2).sum(-1).tolist() == [[0, 0], [64, 64]]
    assert outcome.valid.tolist() == [[False, False], [True, True]]


def test_a_list_may_be_told_which_of_its_rows_count():
    """What fills it up never does, whatever is said."""
    boxes = [torch.tensor([[1.0, 1.0, 5.0, 5.0]]), torch.tensor([[1.0, 1.0, 5.0, 5.0], [15.0, 15.0, 19.0, 19.0]])]
    there = torch.tensor([[True, True], [True, False]])
    _, outcome = RandomCrop(8, keep="all")([blank((20, 20))] * 2, boxes=boxes, valid=there)
    assert outcome.retention.isnan().tolist() == [[False, True], [False, True]]
    assert (outcome.retention[:, 0] >= 0.5).all()
    assert Status.UNMET not in statuses(outcome)


def test_the_outcome_is_a_record():
    _, outcome = RandomCrop(8)(blank((20, 20))[None])
    assert isinstance(outcome, BatchOutcome)
    assert outcome.view.size == (8, 8)
    assert outcome.valid.shape == outcome.retention.shape == (1, 0)
    assert (outcome.boxes, outcome.masks, outcome.keypoints, outcome.keypoints_shown, outcome.maps) == (None,) * 5
    assert statuses(outcome) == [Status.EMPTY]


# The promise

SPARED = {Status.UNMET, Status.UNGUARDED, Status.NOT_APPLIED, Status.SKIPPED, Status.EMPTY}

POLICIES = {
    "all": (0.30, {"min_retention": 0.5}),
    "all, strict": (0.40, {"min_retention": 1.0}),
    "any": (0.05, {"min_retention": 0.8, "keep": "any"}),
    "whole": (0.05, {"min_retention": 0.5, "keep": "whole"}),
    "two": (0.15, {"min_retention": 0.6, "keep": 2}),
    "fill": (0.30, {"min_retention": 0.7, "min_fill": 0.4}),
    "pixels": (0.30, {"min_retention": 0.5, "min_visible_pixels": 3, "keep": "any"}),
    "stretch": (0.12, {"min_retention": 0.5, "max_stretch": 1.5, "keep": "any"}),
    "joint": (0.30, {"min_retention": 0.5, "sampling": "joint"}),
    "enlarge": (0.00, {"min_retention": 0.9, "on_fail": "enlarge"}),  # the whole image holds all there is
    "skip": (0.33, {"min_retention": 0.9, "on_fail": "skip", "apply_rate": 0.9}),
}
"""Each with the share of draws that may be UNMET: boxes of all sizes, up to five in an image, often lie far apart."""


@pytest.mark.parametrize("ceiling, policy", POLICIES.values(), ids=POLICIES)
def test_no_draw_breaks_its_promise_in_silence(ceiling, policy):
    rng = random.Random(37)
    drawn = [scenes.scene(rng, most=5) for _ in range(600)]
    crop = RandomResizedCrop((12, 16), scale=(0.1, 1.0), ratio=(0.4, 2.5), seed=5, p=0.95, **policy)
    judge, unmet, asked = Policy(**policy), 0, 0
    for start in range(0, 600, 150):
        part = drawn[start : start + 150]
        rows, valid = padded_rows([boxes for _, boxes in part])
        _, outcome = crop([blank(size) for size, _ in part], boxes=rows, valid=valid)
        for (size, boxes), window, status in zip(part, windows(outcome), statuses(outcome), strict=True):
            unmet, asked = unmet + (status in {Status.UNMET, Status.SKIPPED}), asked + 1
            if status not in SPARED:
                assert 0 <= window[0] < window[2] <= size[1]
                assert 0 <= window[1] < window[3] <= size[0]
                known = known_boxes(boxes, size)
                limits = [judge.min_retention] * len(known)
                assert oracle.satisfies(known, window, limits, judge, size, (12, 16), 1 + 1e-6)
    assert asked == 600
    assert unmet <= ceiling * asked


@pytest.mark.parametrize("policy", ["all", "any", "whole", "two", "fill"])
def test_a_crop_of_one_size_is_unmet_just_where_no_position_will_do(policy):
    rng = random.Random(41)
    sizes = sizes_of("list", 200, 41, 12, 20)
    boxes = [scattered(rng, size, rng.randint(1, 3)) for size in sizes]
    rows, valid = padded_rows(boxes)
    judge = Policy(**POLICIES[policy][1])
    _, outcome = RandomCrop((9, 8), (2, 1, 0, 3), policy=judge, seed=6)(
        [blank(size) for size in sizes], boxes=rows, valid=valid
    )
    seen = set()
    for size, each, window, status in zip(sizes, boxes, windows(outcome), statuses(outcome), strict=True):
        known = known_boxes(each, size)
        limits = [judge.min_retention] * len(known)
        seen.add(status)
        if not known:
            assert status is Status.EMPTY
            continue
        places = list(oracle.windows((-2, -1, size[1], size[0] + 3), (9, 8)))
        assert window in places
        surely, perhaps = (
            [place for place in places if oracle.satisfies(known, place, limits, judge, size, (9, 8), ease)]
            for ease in (1 - 1e-6, 1 + 1e-6)
        )
        assert status is not Status.UNMET or not surely
        assert status is Status.UNMET or window in perhaps
    assert seen >= {Status.FIRST, Status.MOVED}


def things_of(kind, rng, size):
    """Objects of a kind in a small image, as the oracle takes them and as a batch does."""
    height, width = size
    if kind == "keypoints":
        rows = [
            [(rng.uniform(-2, width), rng.uniform(0, height), rng.randrange(3)) for _ in range(4)] for _ in range(2)
        ]
        return [oracle.Thing("keypoints", each) for each in rows], torch.tensor(rows, dtype=torch.float64)
    masks = []
    for _ in range(2 if kind == "masks" else 1):
        x0, y0, x1, y1 = whole_box(rng, size)
        masks.append(
            [[float(x0 <= x < x1 and y0 <= y < y1) * rng.random() for x in range(width)] for y in range(height)]
        )
    if kind == "maps":
        most = max(max(row) for row in masks[0])
        shares = [[value / most for value in row] for row in masks[0]]
        return [oracle.Thing("mask", shares)], torch.tensor(masks[0], dtype=torch.float64)
    return [oracle.Thing("mask", each) for each in masks], torch.tensor(masks, dtype=torch.float64)


KEEPS = {"all": "all", "any": "any", "whole": "whole", "one of two": 1, "callable": lambda left: (left >= 0.6).any(-1)}


@pytest.mark.parametrize("keep", KEEPS.values(), ids=KEEPS)
@pytest.mark.parametrize("kind", ["masks", "keypoints", "maps"])
def test_no_draw_breaks_its_promise_on_shapes_in_silence(kind, keep):
    rng = random.Random(43)
    sizes = sizes_of("list", 60, 43, 8, 14)
    things, rows = zip(*(things_of(kind, rng, size) for size in sizes), strict=True)
    policy = Policy(min_retention=0.7, keep=keep)
    unmet = 0
    for crop in (RandomCrop(7, 1, policy=policy, seed=7), RandomResizedCrop((9, 5), policy=policy, seed=7)):
        _, outcome = crop([blank(size) for size in sizes], **{kind: list(rows)})
        for size, each, window, status in zip(sizes, things, windows(outcome), statuses(outcome), strict=True):
            unmet += status is Status.UNMET
            known = [one for one in (oracle.known(thing, size) for thing in each) if one is not None]
            if status not in SPARED:
                assert oracle.does(known, window, [0.7] * len(known), policy, crop.rule.host.size, 1 + 1e-6)
            elif status is Status.UNMET and isinstance(crop, RandomCrop):
                for place in oracle.windows((-1, -1, size[1] + 1, size[0] + 1), (7, 7)):
                    assert not oracle.does(known, place, [0.7] * len(known), policy, (7, 7), 1 - 1e-6)
        assert {Status.FIRST, Status.MOVED} <= set(statuses(outcome))
    assert unmet <= 60


def test_a_callable_decides_over_boxes_too():
    boxes = [torch.tensor([[0.0, 0.0, 8.0, 8.0], [22.0, 22.0, 30.0, 30.0]])] * 100

    def either(left):
        return (left[..., 0] >= 0.9) != (left[..., 1] >= 0.9)

    _, outcome = RandomCrop(12, keep=either, seed=0)([blank((30, 30))] * 100, boxes=boxes)
    assert set(statuses(outcome)) <= {Status.FIRST, Status.MOVED}
    assert ((outcome.retention >= 0.9 - 1e-6).sum(-1) == 1).all()


def test_a_callables_fault_is_named():
    with pytest.raises(PolicyError, match=r"a callable keep must return bool of shape \(\).*, got <U3"):
        RandomCrop(8, keep=lambda left: "yes")([blank((20, 20))], boxes=[torch.ones((1, 4))])
