"""What each kind of object covers, against loops over pixels, exact sections of polygons, and counted keypoints."""

from math import ceil, dist, floor

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from safeaug import ContentError
from safeaug.geometry import Domain, clip_ring, corners_of, ring_area
from safeaug.shapes import Boxed, Points, Polygon, Region, Spot, boxed, points_of, polygon_of, region_of
from safeaug.shapes.polygon import coverage
from tests import oracle
from tests.oracle import Thing, known
from tests.strategies import boxes_in, image_sizes, keypoints_in, masks_in, polygons_in, things_in

SMALL = 7
NEAR = 1e-9


def shape_of(thing, image_size):
    """The shape of a thing, made by the functions that the readers of objects call."""
    slack = 2**-23 * max(image_size)
    if thing.kind == "box":
        box = oracle.clipped(thing.data, image_size)
        return None if box is None else boxed(box, slack)
    if thing.kind == "polygon":
        found = polygon_of(thing.data, image_size)
        return boxed(found, slack) if isinstance(found, tuple) else found
    if thing.kind == "mask":
        return region_of(np.array(thing.data), image_size)
    seen = [row[:2] for row in thing.data if len(row) == 2 or row[2] > 0]
    return points_of(np.array(seen, dtype=float).reshape(-1, 2), image_size)


@st.composite
def pairs(draw, side=SMALL, **kinds):
    """A thing and its image."""
    image_size = draw(image_sizes(side))
    return draw(things_in(image_size, most=1, **kinds))[0], image_size


@settings(max_examples=150)
@given(pairs())
def test_every_window_of_every_size_holds_what_the_oracle_says(pair):
    thing, image_size = pair
    shape, one = shape_of(thing, image_size), known(thing, image_size)
    assert (shape is None) == (one is None)
    assume(one)
    assert shape.area == pytest.approx(one.whole)
    assert shape.solid == oracle.is_solid(one.thing)
    height, width = image_size
    frame = (-2, -3, width + 3, height + 1)  # positions reach beyond the image, as where a host pads
    for size in {(1, 1), (2, 3), (height, 1), (1, width), image_size, (height + 3, width + 2), (height, width + 5)}:
        domain = Domain(frame[0], frame[2] - size[1], frame[1], frame[3] - size[0])
        surface = shape.surface(size, domain)
        assert surface.shape == (max(domain.x1 - domain.x0 + 1, 0), max(domain.y1 - domain.y0 + 1, 0))
        for x, y, *end in oracle.windows(frame, size):
            mass = one.inside((x, y, *end))
            assert surface[x - domain.x0, y - domain.y0] == pytest.approx(mass, abs=NEAR)
            assert shape.inside((x, y, *end)) == pytest.approx(mass, abs=NEAR)


@settings(max_examples=60)
@given(pairs(side=12, kinds=("polygon", "mask", "keypoints")), st.data())
def test_any_size_up_to_twelve_pixels(pair, data):
    thing, image_size = pair
    shape, one = shape_of(thing, image_size), known(thing, image_size)
    assume(one)
    size = data.draw(st.tuples(st.integers(1, image_size[0]), st.integers(1, image_size[1])))
    domain = Domain(0, image_size[1] - size[1], 0, image_size[0] - size[0])
    surface = shape.surface(size, domain)
    for window in oracle.windows((0, 0, image_size[1], image_size[0]), size):
        assert surface[window[:2]] == pytest.approx(one.inside(window), abs=NEAR)


@settings(max_examples=150)
@given(pairs())
def test_a_strip_of_one_axis_holds_no_more_than_is_said(pair):
    thing, image_size = pair
    shape, one = shape_of(thing, image_size), known(thing, image_size)
    assume(one)
    height, width = image_size
    start = np.arange(-3, max(image_size) + 2)
    exact = not isinstance(shape, Polygon | Region)
    for length in range(1, max(image_size) + 2):
        wide, high = shape.along(0, start, length), shape.along(1, start, length)
        for i, at in enumerate(start.tolist()):
            assert wide[i] == pytest.approx(one.inside((at, -1, at + length, height + 1)), abs=NEAR)
            mass = one.inside((-1, at, width + 1, at + length))
            assert mass - NEAR <= high[i]
            assert high[i] <= mass + NEAR if exact else high[i] <= one.whole + NEAR


def test_rows_are_bounded_by_the_blocks_that_a_strip_touches():
    rng = np.random.default_rng(0)
    for height, dtype in ((1, bool), (7, bool), (8, bool), (9, bool), (40, bool), (29, float)):
        mask = (rng.random((height, 30)) < 0.3).astype(dtype)
        mask[0, 0] = 1
        region, start = region_of(mask, (height, 30)), np.arange(-12, height + 12)
        for length in (1, 5, 8, 11, 16, 60):
            bound = region.along(1, start, length)
            for at, most in zip(start.tolist(), bound.tolist(), strict=True):
                top, bottom = max(at, 0), max(at + length, 0)
                assert most >= mask[top:bottom].sum()
                # Nor more than one block further on either side.
                assert most <= mask[max(top - 7, 0) : bottom + 7].sum()
        for axis, length in ((0, 4), (0, 13)):
            sums = [mask[:, max(at, 0) : max(at + length, 0)].sum() for at in range(-5, 35)]
            assert region.along(axis, np.arange(-5, 35), length).tolist() == sums


@settings(max_examples=150)
@given(pairs())
def test_the_box_holds_all_of_it(pair):
    thing, image_size = pair
    shape, one = shape_of(thing, image_size), known(thing, image_size)
    assume(one)
    x0, y0, x1, y1 = shape.box
    assert 0 <= x0 <= x1 <= image_size[1]
    assert 0 <= y0 <= y1 <= image_size[0]
    if thing.kind == "mask":
        assert shape.box == one.bounds()
    elif thing.kind == "keypoints":
        seen = oracle.visible_points(thing.data, image_size)
        assert shape.box == (*map(min, zip(*seen, strict=True)), *map(max, zip(*seen, strict=True)))
    else:
        grown = floor(x0), floor(y0), ceil(x1), ceil(y1)
        if one.thing.kind == "polygon":  # parts of a concave ring stay joined, so that its box may be the larger
            assert one.inside(grown) == pytest.approx(one.whole)
        elif oracle.is_solid(one.thing):
            assert grown == one.bounds()


@given(image_sizes(SMALL), st.data())
def test_a_polygon_inside_the_image_keeps_its_corners(image_size, data):
    ring = data.draw(polygons_in(image_size, inside=True))
    shape = polygon_of(ring, image_size)
    assume(isinstance(shape, Polygon))
    x, y = zip(*ring, strict=True)
    assert shape.box == (min(x), min(y), max(x), max(y))
    assert shape.rim == pytest.approx(sum(dist(p, q) for p, q in zip(ring, [*ring[1:], ring[0]], strict=True)) / 2)
    assert shape.area == pytest.approx(float(oracle.polygon_in(ring, (0, 0, image_size[1], image_size[0]))))


@given(image_sizes(SMALL), st.data())
def test_either_way_round_closed_or_with_corners_twice_it_is_the_same_polygon(image_size, data):
    ring = data.draw(polygons_in(image_size))
    twice = [corner for corner in ring for _ in range(2)]
    window = (1, 0, 4, 3)
    plain = polygon_of(ring, image_size)
    for other in (ring[::-1], [*ring, ring[0]], twice, ring[2:] + ring[:2], np.array(ring)):
        again = polygon_of(other, image_size)
        assert type(again) is type(plain)
        if isinstance(plain, Polygon):
            assert again.area == pytest.approx(plain.area)
            assert again.inside(window) == pytest.approx(plain.inside(window), abs=NEAR)
            assert again.covered.cover == pytest.approx(plain.covered.cover, abs=NEAR)
        elif plain is not None:
            assert again == pytest.approx(plain)


@settings(max_examples=100)
@given(image_sizes(SMALL), st.data())
def test_each_pixel_is_covered_by_its_share_of_the_polygon(image_size, data):
    ring = data.draw(polygons_in(image_size, inside=True))
    height, width = image_size
    shares = coverage(np.array(ring), image_size)
    assert shares.shape == image_size
    assert shares.sum() == pytest.approx(float(oracle.polygon_in(ring, (0, 0, width, height))), abs=NEAR)
    for y in range(height):
        for x in range(width):
            exact = float(oracle.polygon_in(ring, (x, y, x + 1, y + 1)))
            assert shares[y, x] == pytest.approx(exact, abs=NEAR)
            assert ring_area(clip_ring(ring, (x, y, x + 1, y + 1))) == pytest.approx(exact, abs=NEAR)


@given(st.lists(st.tuples(st.floats(0, 640), st.floats(0, 480)), min_size=3, max_size=3), st.data())
def test_corners_on_a_straight_edge_change_nothing(triangle, data):
    # Rounding puts them a hair beside the edge, on either side: that is no crossing.
    plain = polygon_of(triangle, (480, 640))
    assume(isinstance(plain, Polygon) and plain.area > 1)
    ring = []
    for (xa, ya), (xb, yb) in zip(triangle, triangle[1:] + triangle[:1], strict=True):
        between = sorted(data.draw(st.lists(st.floats(0.01, 0.99), max_size=6, unique=True)))
        ring += [(xa + share * (xb - xa), ya + share * (yb - ya)) for share in [0.0, *between]]
    assert polygon_of(ring, (480, 640)).area == pytest.approx(plain.area)


def test_four_corners_in_a_row_do_not_cross():
    row = [(2.4, 2.1), (3.8, 4.800000000000001), (5.199999999999999, 7.5), (6.6, 10.200000000000001)]
    assert polygon_of([*row, (2.4, 22.1)], (480, 640)).area == pytest.approx(20 * 4.2 / 2)


HORSESHOE = [(0, 0), (6, 0), (6, 6), (4, 6), (4, 2), (2, 2), (2, 6), (0, 6)]


def test_a_horseshoe_by_hand():
    shape = polygon_of(HORSESHOE, (6, 6))
    assert shape.area == 36 - 8
    assert shape.inside((2, 2, 4, 6)) == 0  # between its legs
    assert shape.inside((1, 1, 5, 4)) == 12 - 4
    assert shape.inside((0.5, 3, 5.5, 5)) == 2 * 1.5 * 2
    legs = polygon_of([(x, y - 2) for x, y in HORSESHOE], (4, 6))  # its bend lies above the image
    assert legs.area == 16
    assert legs.surface((4, 2), Domain(0, 4, 0, 0)).tolist() == [[8], [4], [0], [4], [8]]


@given(image_sizes(SMALL), st.data())
def test_a_fractional_window_cuts_pixels_in_proportion(image_size, data):
    height, width = image_size
    axis = st.floats(-2, SMALL + 2, width=32)
    (x0, x1), (y0, y1) = (sorted((data.draw(axis), data.draw(axis))) for _ in range(2))
    window = (x0, y0, x1, y1)
    rows = data.draw(masks_in(image_size))
    region = region_of(np.array(rows), image_size)
    if region is not None:
        assert region.inside(window) == pytest.approx(oracle.mask_in(rows, window), abs=NEAR)
    ring = data.draw(polygons_in(image_size))
    polygon = polygon_of(ring, image_size)
    if isinstance(polygon, Polygon):
        image = (max(x0, 0.0), max(y0, 0.0), min(x1, width), min(y1, height))
        exact = oracle.polygon_in(ring, image) if image[0] < image[2] and image[1] < image[3] else 0
        assert polygon.inside(window) == pytest.approx(float(exact), abs=NEAR)


def test_a_mask_is_counted_in_whole_numbers():
    mask = np.random.default_rng(0).random((40, 30)) < 0.3
    region = region_of(mask, (40, 30))
    surface = region.surface((7, 5), Domain(0, 25, 0, 33))
    assert np.issubdtype(surface.dtype, np.integer)
    assert surface[3, 4] == mask[4:11, 3:8].sum()
    assert np.issubdtype(region.along(0, np.arange(4), 3).dtype, np.integer)


@pytest.mark.parametrize("value", [True, np.uint8(255), np.int64(-1), np.uint16(7)])
def test_whatever_is_not_zero_belongs_to_the_object(value):
    mask = np.zeros((5, 6), dtype=np.asarray(value).dtype)
    mask[1, 2:4] = value
    region = region_of(mask, (5, 6))
    assert region.box == (2, 1, 4, 2)
    assert region.area == 2
    assert region.inside((3, 0, 6, 2)) == 1
    assert region.inside((2.5, 0, 6, 2)) == 1.5


def test_a_mask_of_channels_is_their_union():
    mask = np.zeros((4, 4, 3), np.uint8)
    mask[0, 0, 1] = mask[3, 2, 2] = 9
    region = region_of(mask, (4, 4))
    assert region.area == 2
    assert region.box == (0, 0, 3, 4)
    soft = np.zeros((4, 4, 2), np.float32)
    soft[1, 1] = 0.25, 0.75
    assert region_of(soft, (4, 4)).area == 0.75


@pytest.mark.parametrize("empty", [np.zeros((4, 5), bool), np.zeros((4, 5), np.uint8), np.zeros((4, 5))])
def test_an_empty_mask_is_nothing(empty):
    assert region_of(empty, (4, 5)) is None


@given(image_sizes(SMALL), st.data())
def test_the_edges_of_points_and_spots(image_size, data):
    rows = data.draw(keypoints_in(image_size))
    shape = shape_of(Thing("keypoints", rows), image_size)
    if shape is not None:
        x, y = shape.xy[0].tolist()
        below, right = oracle.points_in(shape.xy.tolist(), (0, y, 99, 99)), oracle.points_in(shape.xy, (x, 0, 99, 99))
        assert shape.inside((0, y, 99, 99)) == below >= 1  # its own upper edge is inside
        assert shape.inside((x, 0, 99, 99)) == right >= 1
        alone = Points(shape.xy[:1])
        assert alone.inside((x, y, x + 1, y + 1)) == 1
        assert alone.inside((x - 1, y, x, y + 1)) == alone.inside((x, y - 1, x + 1, y)) == 0
    spot = Spot((3.0, 2.0, 3.0, 2.0), 0.0)
    assert [spot.inside(window) for window in [(3, 2, 5, 5), (0, 0, 3, 2), (0, 0, 3, 1), (4, 0, 5, 5)]] == [1, 1, 0, 0]
    loose = Spot((3.0, 2.0, 3.0, 2.0), 0.25)
    assert loose.inside((0, 0, 2.75, 9)) == loose.inside((3.25, 0, 9, 9)) == 1
    assert loose.inside((0, 0, 2.5, 9)) == loose.inside((3.5, 0, 9, 9)) == 0


@given(image_sizes(SMALL), st.data())
def test_a_box_is_a_box_or_a_spot(image_size, data):
    box = oracle.clipped(data.draw(boxes_in(image_size)), image_size)
    assume(box)
    shape = boxed(box, 0.5)
    assert isinstance(shape, Spot if oracle.is_point(box) else Boxed)
    assert shape.box == box
    assert shape.rim == pytest.approx(0 if oracle.is_point(box) else box[2] - box[0] + box[3] - box[1])


@pytest.mark.parametrize(
    "ring, expected",
    [
        ([(1, 1), (5, 1), (3, 1)], (3, 1, 3, 1)),  # a line is a point at its centre
        ([(1, 1), (5, 1), (3, 1), (1, 1)], (3, 1, 3, 1)),  # closed or not
        ([(2, 3), (2, 3), (2, 3)], (2, 3, 2, 3)),
        ([(6, 6), (6, 6), (6, 6)], (6, 6, 6, 6)),  # on the far corner, which is closed
        ([(7, 6), (7, 6), (7, 6)], None),
        ([(-4, 1), (-2, 1), (-3, 1)], None),
        ([(-4, 1), (0, 1), (0, 4), (-4, 4)], None),  # touches the image with an edge only
        ([(6, 0), (9, 0), (9, 9)], None),  # touches it at a corner
        ([(-9, -9), (20, -9), (-9, 20)], (0, 0, 6, 6)),  # the image and more
    ],
)
def test_polygons_without_area_and_outside(ring, expected):
    found = polygon_of(ring, (6, 6))
    if isinstance(found, Polygon):
        assert found.box == expected
        assert found.area == float(oracle.polygon_in(ring, (0, 0, 6, 6)))
    else:
        assert found == expected


@pytest.mark.parametrize(
    "ring, message",
    [
        ([(0, 0), (4, 4), (4, 0), (0, 4)], r"polygon must not cross itself, but its edges 0 and 2 do; order its"),
        ([(0, 0), (4, 0)], r"at least three corners of shape \(K, 2\), got shape \(2, 2\)"),
        ([0, 0, 4, 0, 4, 4], r"got shape \(6,\)"),
        ([(0, 0, 1), (4, 0, 1), (4, 4, 1)], r"got shape \(3, 3\)"),
        ([(0, 0), (4, np.nan), (4, 4)], "polygon must be of finite numbers"),
        ([(0, 0), (np.inf, 0), (4, 4)], "polygon must be of finite numbers"),
        ([(0, 0), (4,), (4, 4)], r"polygon must be numbers of shape \(K, 2\)"),
        ([("a", "b")] * 3, r"polygon must be numbers of shape \(K, 2\)"),
        (None, "at least three corners"),
    ],
)
def test_what_is_no_polygon_is_a_content_error(ring, message):
    with pytest.raises(ContentError, match=message):
        polygon_of(ring, (6, 6))


@pytest.mark.parametrize(
    "mask, message",
    [
        (np.zeros((4, 6), bool), r"mask must be of the image's height and width \(6, 6\), got shape \(4, 6\); resize"),
        (np.zeros(6, bool), r"got shape \(6,\)"),
        (np.zeros((6, 6, 2, 2), bool), r"got shape \(6, 6, 2, 2\)"),
        (np.zeros((6, 6, 0)), r"got shape \(6, 6, 0\)"),
        (np.full((6, 6), 1.5), r"mask of floats must hold shares in \[0, 1\], got 1.5 to 1.5; divide by"),
        (np.full((6, 6), -0.5), "got -0.5 to -0.5"),
        (np.full((6, 6), np.nan), "got nan to nan"),
        (np.full((6, 6), "a"), "mask must be of numbers, got <U1"),
        (np.full((6, 6), None), "mask must be of numbers, got object"),
        (np.full((6, 6), 1j), "mask must be of numbers, got complex"),
        ([[1, 2], [3]], "mask must be of numbers"),
    ],
)
def test_what_is_no_mask_is_a_content_error(mask, message):
    with pytest.raises(ContentError, match=message):
        region_of(mask, (6, 6))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_keypoints_that_are_not_finite_are_a_content_error(bad):
    with pytest.raises(ContentError, match=r"keypoints must be of finite numbers, got .*; mark the unseen"):
        points_of(np.array([[1.0, 1.0], [bad, 2.0]]), (6, 6))


@given(image_sizes(SMALL), st.data())
def test_inputs_are_not_changed(image_size, data):
    size = image_size
    mask = np.array(data.draw(masks_in(size)))
    ring = np.array(data.draw(polygons_in(size)), dtype=float)
    xy = np.array(data.draw(st.lists(st.tuples(st.floats(0, 9), st.floats(0, 9)), min_size=1)))
    before = mask.copy(), ring.copy(), xy.copy()
    for array in (mask, ring, xy):
        array.flags.writeable = False
    domain = Domain(-1, 2, -1, 2)
    for shape in (region_of(mask, size), polygon_of(ring, size), points_of(xy, size)):
        if shape is not None and not isinstance(shape, tuple):
            shape.surface((2, 2), domain)
            shape.inside((0, 0, 1.5, 2))
            shape.along(0, np.arange(3), 2)
    for array, copy in zip((mask, ring, xy), before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize(
    "box, corners",
    [
        ([4, 4, 4, 2, 0], [[2, 3], [6, 3], [6, 5], [2, 5]]),
        ([4, 4, 4, 2, 90], [[3, 6], [3, 2], [5, 2], [5, 6]]),  # its right end turns up, to smaller y
        ([4, 4, 4, 2, -90], [[5, 2], [5, 6], [3, 6], [3, 2]]),
        ([4, 4, 4, 2, 180], [[6, 5], [2, 5], [2, 3], [6, 3]]),
        ([4, 4, 4, 2, 360], [[2, 3], [6, 3], [6, 5], [2, 5]]),
        # sides 10 and 5 at the angle whose cosine is 0.8 and sine 0.6: half sides (4, -3) and (1.5, 2).
        ([10, 10, 10, 5, np.degrees(np.arcsin(0.6))], [[4.5, 11], [12.5, 5], [15.5, 9], [7.5, 15]]),
        ([1, 2, 0, 0, 33], [[1, 2]] * 4),
    ],
)
def test_corners_of_rotated_boxes_by_hand(box, corners):
    assert corners_of([box])[0] == pytest.approx(np.array(corners, dtype=float), abs=1e-12)


def test_no_rotated_boxes_have_no_corners():
    assert corners_of([]).shape == corners_of(np.empty((0, 5))).shape == (0, 4, 2)


@pytest.mark.parametrize(
    "boxes, message",
    [
        ([[1, 2, 3, 4]], r"rotated boxes must be numbers of shape \(N, 5\)"),
        (np.ones((5, 4)), r"rotated boxes must be numbers of shape \(N, 5\)"),
        ([1, 2, 3, 4, 5], r"rotated boxes must be numbers of shape \(N, 5\)"),
        ([["a"] * 5], r"rotated boxes must be numbers of shape \(N, 5\)"),
        ([[4, 4, -1, 2, 0]], "rotated boxes must have sides of at least 0"),
    ],
)
def test_what_is_no_rotated_box_is_a_content_error(boxes, message):
    with pytest.raises(ContentError, match=message):
        corners_of(boxes)


@given(st.integers(0, 360), st.floats(0.5, 6), st.floats(0.5, 6))
def test_a_rotated_box_keeps_its_area(angle, wide, high):
    ring = list(map(tuple, corners_of([[20, 20, wide, high, angle]])[0].tolist()))
    assert ring_area(ring) == pytest.approx(wide * high)
    shape = polygon_of(ring, (40, 40))
    assert shape.area == pytest.approx(wide * high)
    assert shape.covered.area == pytest.approx(wide * high)


def test_a_region_stands_where_its_mask_stands():
    mask = np.zeros((20, 30))
    mask[11:13, 12:17] = 0.5
    region = region_of(mask, (20, 30))
    assert isinstance(region, Region)
    assert (region.box, region.area, region.rim) == ((12, 11, 17, 13), 5.0, 0.0)
    moved = Region(mask, left=100, top=-7)
    assert moved.box == (112, 4, 117, 6)
    assert moved.inside((113, 5, 200, 200)) == 4 * 0.5
    assert moved.surface((1, 2), Domain(111, 113, 4, 5)).tolist() == [[0.5, 0.5], [1.0, 1.0], [1.0, 1.0]]
