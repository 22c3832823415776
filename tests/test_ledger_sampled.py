"""What is left where pixels are erased, warped or taken by a step that nobody knows; hosts' own warps among them."""

import albumentations as A
import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safeaug import ContentError
from safeaug.ledger import Erased, Mapped, Occluded, Unknown, Warped, Windowed, follow, index_of
from safeaug.ledger.field import field_of_maps, margin_of
from safeaug.ledger.shown import shown_by
from tests import oracle
from tests.oracle import Thing
from tests.test_ledger import SIZES, begun, chains, perspective, solids_in, through, turned

HEIGHT, WIDTH = 240, 320

WARPS = {
    "elastic": A.ElasticTransform(p=1),
    "elastic, strong": A.ElasticTransform(alpha=300, sigma=10, p=1),
    "elastic, fine": A.ElasticTransform(alpha=120, sigma=6, p=1),
    "grid": A.GridDistortion(p=1),
    "grid, beyond": A.GridDistortion(distort_limit=0.6, normalized=False, p=1),
    "optical": A.OpticalDistortion(p=1),
    "optical, folded": A.OpticalDistortion(distort_limit=(-0.9, -0.9), p=1),
    "fisheye": A.OpticalDistortion(distort_limit=(0.9, 0.9), mode="fisheye", p=1),
    "spline": A.ThinPlateSpline(p=1),
    "spline, folded": A.ThinPlateSpline(scale_range=(0.5, 0.6), p=1),
}


def maps_of(warp, seed):
    warp.set_random_seed(seed)
    params = warp.get_params() | {"shape": (HEIGHT, WIDTH, 3)}
    params |= warp.get_params_dependent_on_data(params, {"image": np.zeros((HEIGHT, WIDTH, 3), np.uint8)})
    return params["map_x"], params["map_y"]


def boxes_on(rng, count, least=16, most=160):
    """Boxes of half pixels, their sides log-uniform."""
    sides = np.exp(rng.uniform(np.log(least), np.log(most), (count, 2)))
    corners = rng.uniform(0, 1, (count, 2)) * ([WIDTH, HEIGHT] - sides)
    return (np.round(2 * np.concatenate([corners, corners + sides], axis=1)) / 2).tolist()


def wave(size, by=3.0):
    y, x = np.mgrid[: size[0], : size[1]].astype(float)
    return Warped(x + by * np.sin(y / 9 + 1), y + by * np.sin(x / 11))


def errors_of(warp, rng, draws=4, count=25):
    """Of many boxes the difference to what some pixel of the warped picture shows of each."""
    errors = []
    for seed in range(draws):
        map_x, map_y = maps_of(warp, seed)
        seen = oracle.seen_cells(map_x, map_y, (HEIGHT, WIDTH))
        boxes = boxes_on(rng, count)
        ledger = follow(begun([Thing("box", box) for box in boxes], (HEIGHT, WIDTH)), Warped(map_x, map_y))
        assert ledger.size == (HEIGHT, WIDTH)
        for left, box in zip(ledger.left.tolist(), boxes, strict=True):
            x0, y0, x1, y1 = (round(2 * each) for each in box)
            errors.append(abs(left - seen[y0:y1, x0:x1].mean()))
    return np.array(errors)


@pytest.mark.parametrize("name", WARPS)
def test_hosts_warps(name):
    errors = errors_of(WARPS[name], np.random.default_rng(7))
    assert np.percentile(errors, 95) < 0.03
    assert np.median(errors) < 0.01
    assert errors.max() < 0.1


def test_a_fold_counts_once():
    """The left half of the picture is shown twice, the second time mirrored; the right half not at all."""
    x = np.concatenate([np.arange(50), np.arange(50)[::-1]]).astype(np.float32)
    map_x, map_y = np.meshgrid(x, np.arange(80, dtype=np.float32))
    boxes = [(10.0, 10.0, 40.0, 40.0), (30.0, 10.0, 70.0, 60.0), (55.0, 0.0, 90.0, 80.0)]
    ledger = follow(begun([Thing("box", box) for box in boxes], (80, 100)), Warped(map_x, map_y))
    assert ledger.left == pytest.approx([1, 0.5, 0], abs=0.02)
    assert ledger.pixels == pytest.approx([1800, 2000, 0], rel=0.03)  # all that is seen, mirrored or not


@settings(max_examples=40, deadline=None)
@given(SIZES, st.data())
def test_a_warp_that_moves_nothing_takes_nothing(image_size, data):
    """So what comes before it and behind it is what it would be without: within a percent or two, by samples."""
    thing = data.draw(solids_in(image_size))
    before = data.draw(chains(image_size, most=2))
    plain = through(begun([thing], image_size), *before)
    y, x = np.mgrid[: plain.size[0], : plain.size[1]].astype(np.float32)
    warped = follow(plain, Warped(x, y))
    # A part that is left in a corner of the picture may be as small as a pixel.
    assert warped.left[0] == pytest.approx(plain.left[0], abs=0.02)
    assert warped.left[0] <= plain.left[0]
    assert warped.pixels[0] == pytest.approx(plain.pixels[0], rel=0.03, abs=6)
    behind = data.draw(chains(plain.size, most=2))
    plain, warped = through(plain, *behind), through(warped, *behind)
    assert warped.left[0] == pytest.approx(plain.left[0], abs=0.03)


def rendered(mask, change, size):
    """A picture of an object after a step, finely sampled: eight by eight parts to a pixel."""
    fine = 8
    height, width = oracle.size_after(change, size) if not isinstance(change, Warped) else change.map_x.shape
    if isinstance(change, Warped):
        x, y = (cv2.resize(np.float32(m), None, fx=fine, fy=fine, interpolation=cv2.INTER_LINEAR) + 0.5 for m in change)
    else:
        x, y = np.meshgrid((np.arange(width * fine) + 0.5) / fine, (np.arange(height * fine) + 0.5) / fine)
        x, y, _ = oracle.moved_by(np.linalg.inv(oracle.step_matrix(change, size)), x, y)
    scale = mask.shape[0] // size[0]
    return cv2.remap(mask, np.float32(x * scale - 0.5), np.float32(y * scale - 0.5), cv2.INTER_NEAREST)


@pytest.mark.parametrize("kind", ["box", "polygon", "mask"])
def test_chains_of_warps_and_matrices_show_the_pixels_that_they_should(kind):
    size = (120, 160)
    chain = [turned(25, size, scale=1.2), wave(size), turned(-10, size, shift=(20, -8)), wave(size, 2.0)]
    chain.append(perspective([(4, -9), (150, 6), (171, 118), (-20, 110)], size, size))
    ring = [(40.0, 30.0), (110.0, 22.0), (90.0, 60.0), (120.0, 90.0), (60.0, 100.0)]
    thing = Thing("box", (40.0, 30.0, 110.0, 90.0)) if kind == "box" else Thing("polygon", ring)
    fine = 8
    x, y = np.meshgrid((np.arange(160 * fine) + 0.5) / fine, (np.arange(120 * fine) + 0.5) / fine)
    mask = oracle.contains(thing, x, y).astype(np.uint8)
    if kind == "mask":
        coarse = mask[fine // 2 :: fine, fine // 2 :: fine]
        thing, mask = Thing("mask", coarse.tolist()), np.repeat(np.repeat(coarse, fine, axis=0), fine, axis=1)
    ledger = begun([thing], size)
    for change in chain:
        ledger, mask = follow(ledger, change), rendered(mask, change, size)
        assert ledger.pixels[0] == pytest.approx(mask.sum() / fine**2, rel=0.015)
    assert (np.diff(ledger.after[:, 0]) <= 0).all()


def test_steps_behind_a_warp():
    size = (100, 100)
    ledger = follow(begun([Thing("box", (20.0, 20.0, 80.0, 80.0))], size), wave(size, 0.0))
    assert ledger.left == pytest.approx([1])
    halved = follow(ledger, Windowed((50, 0, 100, 100), (200, 100)))
    assert halved.left == pytest.approx([0.5], abs=0.01)
    assert halved.pixels == pytest.approx([4 * 1800], rel=0.02)
    assert follow(ledger, Occluded([(0, 0, 50, 50), (40, 40, 50, 60)])).left == pytest.approx([2600 / 3600], abs=0.01)
    mask = np.zeros(size, bool)
    mask[:, 70:] = True
    assert follow(ledger, Erased(mask)).left == pytest.approx([5 / 6], abs=0.01)
    assert follow(ledger, Erased(~mask)).left == pytest.approx([1 / 6], abs=0.01)
    assert follow(ledger, Mapped(np.zeros((3, 3)), size)).left.tolist() == [0]
    gone = follow(ledger, Windowed((0, 0, 10, 10), (50, 50)))
    assert through(gone, wave((50, 50)), Unknown(index_of((50, 50)))).left.tolist() == [0]


# Pixels that are erased


@settings(max_examples=60, deadline=None)
@given(SIZES, st.data())
def test_erased_pixels_are_what_points_say(image_size, data):
    thing, before = data.draw(solids_in(image_size)), data.draw(chains(image_size, most=2))
    ledger = through(begun([thing], image_size), *before)
    noise = np.random.default_rng(data.draw(st.integers(0, 99)))
    mask = noise.random(ledger.size) < data.draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    mask[: data.draw(st.integers(0, 30))] = True
    chain = [*before, Erased(mask)]
    behind = data.draw(chains(ledger.size, most=2))
    ledger = through(ledger, *chain[len(before) :], *behind)
    assert ledger.after[:, 0] == pytest.approx(oracle.left_after(thing, image_size, [*chain, *behind]), abs=0.02)


def test_an_object_that_no_erased_pixel_touches_is_followed_exactly():
    size = (60, 60)
    ledger = begun([Thing("box", (10.0, 10.0, 30.0, 30.0)), Thing("box", (0.0, 40.0, 60.0, 60.0))], size)
    mask = np.zeros(size, bool)
    mask[45:50] = True
    ledger = follow(ledger, Erased(mask))
    assert ledger.left == pytest.approx([1, 0.75], abs=1e-9)
    assert ledger.pixels == pytest.approx([400, 900])
    assert ledger.tracks[0] == begun([Thing("box", (10.0, 10.0, 30.0, 30.0))], size).tracks[0]
    corner = np.zeros(size, bool)
    corner[10, 10] = True
    # In what bounds the object, but not on it.
    triangle = begun([Thing("polygon", [(10.0, 50.0), (50.0, 10.0), (50.0, 50.0)])], size)
    assert follow(triangle, Erased(corner)).left.tolist() == [1]


def test_erased_points():
    size = (20, 20)
    spots = [Thing("box", (5.0, 5.0, 5.0, 5.0)), Thing("box", (20.0, 20.0, 20.0, 20.0))]
    mask = np.zeros(size, bool)
    mask[5, 5] = mask[19, 19] = True
    ledger = follow(begun([*spots, Thing("keypoints", [(5, 5), (3, 9)])], size), Erased(mask))
    np.testing.assert_array_equal(ledger.left, [0, 0, 0.5])


# Steps that nobody knows


def resampled(change, size):
    """An index image through a step, by the nearest pixel."""
    height, width = change.size
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    x, y, _ = oracle.moved_by(np.linalg.inv(oracle.step_matrix(change, size)), x, y)
    index = cv2.remap(
        np.float32(index_of(size)), np.float32(x - 0.5), np.float32(y - 0.5), cv2.INTER_NEAREST, borderValue=-1
    )
    return Unknown(index.astype(int))


STEPS = {
    "nothing": Windowed((0, 0, 160, 120), (120, 160)),
    "crop": Windowed((30, 20, 130, 110), (90, 100)),
    "smaller": Windowed((0, 10, 160, 120), (60, 70)),
    "much smaller": Windowed((0, 0, 160, 120), (40, 50)),
    "larger": Windowed((10, 30, 120, 90), (130, 230)),
    "turned": turned(33, (120, 160)),
    "turned and larger": turned(-70, (120, 160), scale=1.7),
    "perspective": perspective([(-20, -9), (150, 6), (181, 128), (10, 110)], (120, 160), (100, 180)),
}


@pytest.mark.parametrize("name", STEPS)
def test_what_an_index_image_says_is_what_the_step_is_known_to_do(name):
    size = (120, 160)
    things = [
        Thing("box", (5.0, 5.0, 45.0, 65.0)),
        Thing("box", (70.0, 60.0, 130.0, 115.0)),
        Thing("polygon", [(40.0, 30.0), (110.0, 22.0), (90.0, 60.0), (120.0, 90.0), (60.0, 100.0)]),
        Thing("mask", (np.hypot(*(np.mgrid[:120, :160] - [[[50]], [[100]]])) < 30).tolist()),
    ]
    ledger = begun(things, size)
    known, unknown = follow(ledger, STEPS[name]), follow(ledger, resampled(STEPS[name], size))
    assert unknown.size == known.size
    assert unknown.left == pytest.approx(known.left, abs=0.02)
    assert unknown.pixels == pytest.approx(known.pixels, rel=0.05, abs=10)
    after = Windowed((0, 0, 30, 30), (30, 30))
    assert follow(unknown, after).left == pytest.approx(follow(known, after).left, abs=0.03)


def test_pixels_that_are_only_rearranged_are_counted_one_by_one():
    size = (40, 40)
    index = index_of(size)
    tiles = [index[y : y + 20, x : x + 20] for y in (0, 20) for x in (0, 20)]
    ledger = begun([Thing("box", (10.0, 10.0, 30.0, 30.0))], size)
    shuffled = np.block([[tiles[3], tiles[1]], [tiles[0], tiles[2]]])
    assert follow(ledger, Unknown(shuffled)).left.tolist() == [1]
    assert follow(ledger, Unknown(shuffled)).pixels == pytest.approx([400])
    # A tile is replaced by that of another picture; then pixels one by one.
    shuffled = np.block([[tiles[3], tiles[1]], [tiles[0], np.full((20, 20), -1)]])
    assert follow(ledger, Unknown(shuffled)).left == pytest.approx([0.75])
    every = np.where(np.indices(size).sum(axis=0) % 2, index, -1)
    assert follow(ledger, Unknown(every)).left == pytest.approx([0.5])
    assert follow(ledger, Unknown(np.full(size, 1600))).left.tolist() == [0]
    assert follow(ledger, Unknown(np.full((5, 1), 820))).size == (5, 1)


def test_an_object_that_no_pixel_shows_is_gone():
    ledger = begun([Thing("box", (4.0, 4.0, 5.0, 5.0)), Thing("box", (3.0, 3.0, 5.0, 5.0))], (12, 12))
    after = follow(ledger, Unknown(index_of((12, 12))[::3, ::3]))
    assert after.left.tolist() == [0, 1]
    assert follow(ledger, Warped(*np.float32(np.meshgrid(range(20, 30), range(20, 30))))).left.tolist() == [0, 0]


def test_what_lies_between_pixels_that_are_shown_is_seen():
    index = index_of((9, 9))[::3, ::3]
    seen = shown_by(index, (9, 9)).seen
    assert seen[:7, :7].all()
    assert shown_by(index_of((9, 9))[:4], (9, 9)).seen.sum() == 36
    assert shown_by(np.array([[4]]), (3, 3)).seen.sum() == 1


# Points


def test_points_through_warps_and_unknown_steps():
    size = (60, 80)
    points = [(10, 10), (40, 30), (79, 59)]
    things = [Thing("box", (40.0, 30.0, 40.0, 30.0)), Thing("keypoints", points)]
    ledger = begun(things, size)
    for change in (wave(size, 0.0), Unknown(index_of(size))):
        after = follow(ledger, change)
        assert after.left.tolist() == [1, 1]
        assert follow(after, Windowed((30, 20, 50, 40), (20, 20))).left == pytest.approx([1, 1 / 3])
    y, x = np.mgrid[:60, :80].astype(np.float32)
    moved = follow(ledger, Warped(x / 2 + 19.75, y / 2 + 14.75))  # twice as large, around the middle
    assert moved.left == pytest.approx([1, 1 / 3])
    assert follow(moved, Windowed((39, 29, 42, 32), (3, 3))).left == pytest.approx([1, 1 / 3])
    small = follow(ledger, Warped(3 * x - 80, 3 * y - 60))
    assert small.left.tolist() == [1, 1]
    assert follow(ledger, resampled(Windowed((20, 20, 80, 60), (20, 30)), size)).left == pytest.approx([1, 2 / 3])
    none = np.full(size, np.nan, np.float32)
    assert follow(ledger, Warped(none, none)).left.tolist() == [0, 0]


# Bad input


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_pixels_that_take_their_colour_from_nowhere(bad):
    y, x = np.mgrid[:60, :60].astype(np.float32)
    x[:, 30:] = bad
    boxes = [(10.0, 10.0, 20.0, 50.0), (20.0, 20.0, 40.0, 40.0), (40.0, 0.0, 60.0, 60.0)]
    ledger = follow(begun([Thing("box", box) for box in boxes], (60, 60)), Warped(x, y))
    assert ledger.left == pytest.approx([1, 0.5, 0], abs=0.04)  # no pixel knows its last half
    assert ledger.left[2] == 0


def test_maps_of_one_pixel():
    ledger = begun([Thing("box", (0.0, 0.0, 10.0, 10.0))], (10, 10))
    for shape in ((1, 1), (1, 10), (10, 1)):
        y, x = np.mgrid[: shape[0], : shape[1]].astype(float)
        after = follow(ledger, Warped(x, y))
        assert after.size == shape
        assert 0 <= after.left[0] <= 0.11
    assert margin_of(field_of_maps(np.zeros((1, 1)), np.zeros((1, 1)))) == 1


@pytest.mark.parametrize(
    "change, message",
    [
        (
            Erased(np.zeros((4, 5), bool)),
            r"mask must be of the picture's height and width \(5, 5\), got shape \(4, 5\)",
        ),
        (Warped(np.zeros((4, 5)), np.zeros((5, 4))), r"of one shape \(H, W\), got \(4, 5\) and \(5, 4\)"),
        (Warped(np.zeros(4), np.zeros(4)), r"of one shape \(H, W\)"),
        (Warped(np.zeros((0, 4)), np.zeros((0, 4))), r"of one shape \(H, W\)"),
        (Unknown(np.zeros((4, 5))), r"whole numbers of shape \(H, W\), got float64 of shape \(4, 5\)"),
        (Unknown(np.zeros(4, int)), r"whole numbers of shape \(H, W\), got int64 of shape \(4,\)"),
        (Unknown(np.zeros((0, 4), int)), "whole numbers"),
    ],
)
def test_images_of_the_wrong_shape(change, message):
    with pytest.raises(ContentError, match=message):
        follow(begun([Thing("box", (0.0, 0.0, 3.0, 3.0))], (5, 5)), change)
