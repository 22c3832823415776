"""What is left of objects through windows, matrices and holes: exact laws, and points pushed through step by step."""

from fractions import Fraction
from math import cos, pi, sin

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from safeaug.content import content_of
from safeaug.ledger import Ledger, Mapped, Occluded, Windowed, at_edges, begin, follow, index_of
from safeaug.ledger.holes import apart
from safeaug.ledger.matrices import determinant, inverse, matrix_of, product, pulled_back
from safeaug.ledger.rings import box_of, cut, ring_of, signed_area, winding
from safeaug.objects import content_from
from safeaug.policy import Policy
from tests import oracle
from tests.oracle import Thing
from tests.strategies import boxes_in, given_as, hull_of, keypoints_in

ANYTHING = Policy()
SIDE = 48


def begun(things, image_size) -> Ledger:
    return begin(content_from(image_size, ANYTHING, **given_as(things)), image_size)


def through(ledger, *changes) -> Ledger:
    for change in changes:
        ledger = follow(ledger, change)
    return ledger


def turned(degrees, size, output=None, scale=1.0, shear=0.0, shift=(0.0, 0.0)) -> Mapped:
    """A turn about the middle of a picture, onto the middle of an output."""
    output, turn = output or size, degrees * pi / 180
    matrix = scale * np.array([[cos(turn), -sin(turn)], [sin(turn), cos(turn)]]) @ [[1, shear], [0, 1]]
    moved = np.array([output[1], output[0]]) / 2 + shift - matrix @ [size[1] / 2, size[0] / 2]
    return Mapped(np.block([[matrix, moved[:, None]], [np.zeros((1, 2)), np.ones((1, 1))]]), output)


def perspective(corners, size, output) -> Mapped:
    """The map of a picture's corners to four others, from the eight equations that say so."""
    rows, values = [], []
    for (x, y), (u, v) in zip(ring_of((0, 0, size[1], size[0])), corners, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    return Mapped(np.append(np.linalg.solve(rows, values), 1).reshape(3, 3), output)


FLIPS = {
    "across": lambda h, w: Mapped([[-1, 0, w], [0, 1, 0], [0, 0, 1]], (h, w)),
    "down": lambda h, w: Mapped([[1, 0, 0], [0, -1, h], [0, 0, 1]], (h, w)),
    "quarter": lambda h, w: Mapped([[0, 1, 0], [-1, 0, w], [0, 0, 1]], (w, h)),
    "half": lambda h, w: Mapped([[-1, 0, w], [0, -1, h], [0, 0, 1]], (h, w)),
    "other quarter": lambda h, w: Mapped([[0, -1, h], [1, 0, 0], [0, 0, 1]], (w, h)),
    "transpose": lambda h, w: Mapped([[0, 1, 0], [1, 0, 0], [0, 0, 1]], (w, h)),
}


@st.composite
def windows_in(draw, size, *, whole=False, resized=True):
    """A window of a frame, or beyond it, and its output."""
    ends = [st.integers(-side // 4, side + side // 4) for side in size]
    (y0, y1), (x0, x1) = (sorted((draw(end), draw(end))) for end in ends)
    x1, y1 = max(x1, x0 + 3), max(y1, y0 + 3)
    if not whole and draw(st.booleans()):
        x0, y0 = x0 + draw(st.floats(0, 1)), y0 + draw(st.floats(0, 1))
    output = st.integers(12, SIDE)
    size = draw(st.tuples(output, output)) if resized else (y1 - y0, x1 - x0)
    return Windowed((x0, y0, x1, y1), size)


@st.composite
def matrices_on(draw, size):
    """A flip or quarter turn, an affine map, or a perspective one."""
    kind = draw(st.sampled_from([*FLIPS, "affine", "affine", "perspective", "perspective"]))
    if kind in FLIPS:
        return FLIPS[kind](*size)
    output = draw(st.sampled_from([size, (SIDE, SIDE), (30, SIDE)]))
    unit = st.floats(-1, 1)
    if kind == "affine":
        shift = output[1] * draw(unit) / 4, output[0] * draw(unit) / 4
        scale = draw(st.floats(0.7, 1.6))
        return turned(180 * draw(unit), size, output, scale, draw(unit) / 2, shift)
    away = draw(st.floats(0, 0.35))  # up to where the horizon comes near, or a corner behind it
    corners = [
        (x + draw(unit) * away * output[1], y + draw(unit) * away * output[0])
        for x, y in ring_of((0, 0, output[1], output[0]))
    ]
    step = perspective(corners, size, output)
    return step._replace(matrix=step.matrix * draw(st.sampled_from([1.0, -1.0, 1e-3, 7.0])))


@st.composite
def holes_in(draw, size):
    """Up to four holes of a picture, that may overlap or reach beyond it."""
    holes = []
    for _ in range(draw(st.integers(0, 4))):
        (x0, x1), (y0, y1) = (
            sorted((draw(st.integers(-2, side + 2)), draw(st.integers(-2, side + 2)))) for side in size[::-1]
        )
        holes.append((x0, y0, x1, y1))
    return Occluded(np.array(holes).reshape(-1, 4))


@st.composite
def chains(draw, image_size, most=3):
    """Some steps, one after the other."""
    changes, size = [], image_size
    for _ in range(draw(st.integers(1, most))):
        kind = draw(st.sampled_from([windows_in, matrices_on, matrices_on, holes_in]))
        changes.append(draw(kind(size)))
        size = oracle.size_after(changes[-1], size)
    return changes


@st.composite
def solids_in(draw, image_size):
    """A box, a polygon or a mask of at least eight pixels a side, so that a sixteenth of a pixel is little of it."""
    height, width = image_size
    wide, high = draw(st.integers(8, width)), draw(st.integers(8, height))
    x, y = draw(st.integers(0, width - wide)), draw(st.integers(0, height - high))
    kind = draw(st.sampled_from(["box", "box", "convex", "star", "mask"]))
    if kind == "box":
        return Thing("box", (float(x), float(y), float(x + wide), float(y + high)))
    if kind == "mask":
        rows, columns = np.mgrid[:height, :width]
        inside = (columns >= x) & (columns < x + wide) & (rows >= y) & (rows < y + high)
        bent = ((columns - x - wide / 2) / wide) ** 2 + ((rows - y - high / 2) / high) ** 2 < draw(st.floats(0.1, 1))
        mask = inside & bent
        return Thing("mask", (np.where(mask, 0.5, 0.0) if draw(st.booleans()) else mask).tolist())
    corners = draw(st.integers(5, 9))
    turns = [(k + draw(st.floats(0, 0.8))) * 2 * pi / corners for k in range(corners)]
    radii = [0.5 if kind == "convex" else draw(st.floats(0.15, 0.5)) for _ in turns]
    ring = [
        (x + wide * (0.5 + r * cos(turn)), y + high * (0.5 + r * sin(turn)))
        for r, turn in zip(radii, turns, strict=True)
    ]
    ring = hull_of(ring) if kind == "convex" else ring
    assume(len(ring) > 2 and abs(signed_area(ring)) > 40)
    return Thing("polygon", ring[::-1] if draw(st.booleans()) else ring)


SIZES = st.tuples(st.integers(16, SIDE), st.integers(16, SIDE))


# Against points and pixels


@settings(max_examples=250, deadline=None)
@given(SIZES, st.data())
def test_what_is_left_is_what_points_say(image_size, data):
    thing, changes = data.draw(solids_in(image_size)), data.draw(chains(image_size))
    ledger = through(begun([thing], image_size), *changes)
    assert ledger.after[:, 0] == pytest.approx(oracle.left_after(thing, image_size, changes), abs=0.01)
    assert ledger.size == (oracle.size_after(changes[-1], None) or ledger.size)


@settings(max_examples=80, deadline=None)
@given(SIZES, st.data())
def test_visible_pixels_are_what_the_last_picture_shows(image_size, data):
    thing, changes = data.draw(solids_in(image_size)), data.draw(chains(image_size))
    ledger = through(begun([thing], image_size), *changes)
    shown = oracle.pixels_after(thing, image_size, changes)
    # Of the output's pixels those on the outline are counted in parts; of a mask scaled up by perspective, in wholes.
    assert ledger.pixels[0] == pytest.approx(shown, rel=0.02, abs=6)


@settings(max_examples=60, deadline=None)
@given(SIZES, st.data())
def test_objects_do_not_see_each_other(image_size, data):
    order = ["box", "polygon", "mask"]
    things = sorted((data.draw(solids_in(image_size)) for _ in range(3)), key=lambda thing: order.index(thing.kind))
    changes = data.draw(chains(image_size))
    together = through(begun(things, image_size), *changes)
    for i, thing in enumerate(things):
        alone = through(begun([thing], image_size), *changes)
        assert together.after[:, i].tolist() == alone.after[:, 0].tolist()
        assert together.pixels[i] == alone.pixels[0]


@settings(max_examples=60, deadline=None)
@given(SIZES, st.data())
def test_what_is_left_never_grows_and_nothing_is_changed(image_size, data):
    thing, changes = data.draw(solids_in(image_size)), data.draw(chains(image_size, most=5))
    ledger = begun([thing], image_size)
    assert ledger.left.tolist() == [1.0]
    assert ledger.after.shape == (0, 1)
    for change in changes:
        before = ledger
        kept = repr(before)
        ledger = follow(before, change)
        assert repr(before) == kept
        assert 0 <= ledger.left[0] <= before.left[0]
        assert 0 <= ledger.pixels[0] <= ledger.size[0] * ledger.size[1] * (1 + 1e-9)
        assert follow(before, change).shares == ledger.shares


# Exact laws


@given(SIZES, st.data())
def test_whole_windows_of_whole_boxes_are_exact(image_size, data):
    """Chains of crops, pads and resizes of a box, all in rationals."""
    height, width = image_size
    x0, x1 = sorted(data.draw(st.tuples(st.integers(0, width), st.integers(0, width))))
    y0, y1 = sorted(data.draw(st.tuples(st.integers(0, height), st.integers(0, height))))
    assume(x0 < x1 and y0 < y1)
    ledger = begun([Thing("box", (x0, y0, x1, y1))], image_size)
    left, top, across, down = Fraction(0), Fraction(0), Fraction(1), Fraction(1)  # of the frame in the source
    a, b, c, d = map(Fraction, (x0, y0, x1, y1))
    size = image_size
    for _ in range(data.draw(st.integers(1, 4))):
        change = data.draw(windows_in(size, whole=True, resized=data.draw(st.booleans())))
        ledger, size = follow(ledger, change), change.size
        p, q, r, s = change.window
        a, c = max(a, left + p * across), min(c, left + r * across)
        b, d = max(b, top + q * down), min(d, top + s * down)
        left, top = left + p * across, top + q * down
        across, down = across * Fraction(r - p, size[1]), down * Fraction(s - q, size[0])
        area = max(c - a, 0) * max(d - b, 0)
        assert ledger.left[0] == pytest.approx(float(area / ((x1 - x0) * (y1 - y0))), rel=1e-12, abs=1e-12)
        assert ledger.pixels[0] == pytest.approx(float(area / (across * down)), rel=1e-11, abs=1e-9)


def test_two_crops_multiply_and_a_pad_between_gives_nothing_back():
    box = Thing("box", (10.0, 10.0, 50.0, 50.0))
    ledger = begun([box], (100, 100))
    crop = Windowed((30, 0, 100, 100), (100, 70))
    pad = Windowed((-30, 0, 70, 100), (100, 100))
    other = Windowed((0, 30, 100, 100), (70, 100))
    assert through(ledger, crop, pad, other).after[:, 0].tolist() == [0.5, 0.5, 0.25]
    assert through(ledger, pad, crop).after[:, 0].tolist() == [1.0, 1.0]
    assert through(ledger, other, Windowed((30, 0, 100, 70), (70, 70))).left.tolist() == [0.25]
    assert through(ledger, Windowed((0, 0, 5, 5), (5, 5)), Windowed((-50, -50, 90, 90), (9, 9))).left.tolist() == [0.0]


@pytest.mark.parametrize("names", [(name,) for name in FLIPS] + [("quarter", "across"), ("transpose", "half", "down")])
@given(st.tuples(st.integers(1, 20), st.integers(1, 20)), st.data())
def test_flips_and_quarter_turns_lose_nothing(names, image_size, data):
    height, width = image_size
    boxes = data.draw(st.lists(boxes_in(image_size), max_size=3))
    mask = np.arange(height * width).reshape(image_size) % 2
    points = data.draw(keypoints_in(image_size))
    content = content_from(
        image_size, ANYTHING, boxes=boxes, masks=[mask], keypoints=[points], polygons=[ring_of((0, 0, width, height))]
    )
    ledger = begin(content, image_size)
    for name in names:
        ledger = follow(ledger, FLIPS[name](*ledger.size))
    assert [left == 1 or np.isnan(left) for left in ledger.left] == [True] * len(ledger.left)
    assert np.isnan(ledger.left).tolist() == [shape is None for shape in content.given_shapes]


@settings(max_examples=60)
@given(SIZES, st.data())
def test_a_similarity_before_a_window_and_undone_behind_it_changes_nothing(image_size, data):
    """The picture is turned, scaled and moved onto a canvas on which all of it has room; then the window follows."""
    thing = data.draw(solids_in(image_size))
    assume(thing.kind != "mask" or image_size[0] * image_size[1] < 900)
    large = (4 * SIDE, 4 * SIDE)
    there = turned(data.draw(st.floats(-180, 180)), image_size, large, data.draw(st.floats(0.5, 1.6)))
    back = Mapped(np.linalg.inv(there.matrix), image_size)
    window = data.draw(windows_in(image_size))
    ledger = begun([thing], image_size)
    moved = through(ledger, there, back, window)
    assert moved.after[:2, 0] == pytest.approx([1, 1], abs=1e-12)
    assert moved.left == pytest.approx(follow(ledger, window).left, abs=1e-9)
    assert moved.pixels == pytest.approx(follow(ledger, window).pixels, rel=1e-9, abs=1e-6)


@settings(max_examples=60)
@given(st.data())
def test_a_picture_a_million_pixels_off_is_the_same(data):
    image_size, far = (SIDE, SIDE), 10**6
    thing = data.draw(solids_in(image_size).filter(lambda thing: thing.kind in {"box", "polygon"}))
    change = data.draw(windows_in(image_size) | matrices_on(image_size))
    away = (far + SIDE, far + SIDE)
    ring = thing.data if thing.kind == "polygon" else ring_of(thing.data)
    moved = [(x + far, y + far) for x, y in ring]
    # Sums of a million and a fraction are rounded: what was rounded is the object on both sides.
    near = [(x - far, y - far) for x, y in moved]
    if thing.kind == "box":
        pair = [Thing("box", (*each[0], *each[2])) for each in (near, moved)]
    else:
        pair = [Thing("polygon", each) for each in (near, moved)]
    crop = Windowed((far, far, far + SIDE, far + SIDE), image_size)
    one, other = begun(pair[:1], image_size), follow(begun(pair[1:], away), crop)
    assert other.left[0] == pytest.approx(1, abs=1e-9)
    assert follow(other, change).left[0] == pytest.approx(follow(one, change).left[0], abs=1e-9)


@given(SIZES, st.data())
def test_holes_that_overlap_are_taken_once(image_size, data):
    """Inclusion and exclusion: all sets of holes, in whole numbers."""
    height, width = image_size
    box = (2, 1, width - 1, height - 3)
    steps = [data.draw(holes_in(image_size)) for _ in range(2)]
    ledger = through(begun([Thing("box", box)], image_size), *steps)
    holes = [tuple(hole) for step in steps for hole in step.holes.tolist()]
    taken = 0
    for chosen in range(1, 2 ** len(holes)):
        members = [box, *(hole for i, hole in enumerate(holes) if chosen >> i & 1)]
        x0, y0, x1, y1 = (f(each[k] for each in members) for k, f in enumerate((max, max, min, min)))
        taken += (-1) ** (len(members) % 2) * max(x1 - x0, 0) * max(y1 - y0, 0)
    area = (box[2] - box[0]) * (box[3] - box[1])
    assert ledger.left[0] == pytest.approx(float(1 - Fraction(taken, area)), abs=1e-12)
    assert ledger.pixels[0] == pytest.approx(area - taken, abs=1e-8)


@given(SIZES, st.data())
def test_rectangles_come_apart(size, data):
    holes = data.draw(holes_in(size)).holes
    pieces = apart(holes, size)
    counts = np.zeros(size, dtype=int)
    for x0, y0, x1, y1 in pieces:
        counts[int(y0) : int(y1), int(x0) : int(x1)] += 1
    covered = np.zeros(size, dtype=int)
    for x0, y0, x1, y1 in np.maximum(holes, 0):
        covered[y0:y1, x0:x1] = 1
    assert counts.tolist() == covered.tolist()


def test_holes_that_do_not_touch_stay_as_they_are():
    holes = [(0, 0, 2, 2), (4, 1, 6, 3), (1, 4, 5, 5), (0, 6, 9, 7)]
    assert sorted(apart(holes, (9, 9))) == sorted(map(tuple, np.array(holes, dtype=float).tolist()))
    nothing = [(1, 1, 1, 4), (3, 3, 2, 4), (np.nan, 0, 3, 3), (0, 0, 3, np.nan), (20, 0, 30, 9)]
    assert apart(nothing, (9, 9)) == []
    assert apart([(-np.inf, 2, np.inf, 3)], (9, 9)) == [(0, 2, 9, 3)]
    assert apart([], (9, 9)) == []


def test_holes_in_a_turned_picture_and_steps_behind_them():
    ledger = begun([Thing("box", (0.0, 0.0, 10.0, 10.0)), Thing("box", (10.0, 10.0, 20.0, 20.0))], (20, 20))
    half = turned(90, (20, 20))  # the first box to the top right
    ledger = through(ledger, half, Occluded([(10, 0, 20, 5), (12, 3, 13, 6)]))
    assert ledger.left == pytest.approx([0.49, 1])
    assert ledger.pixels == pytest.approx([49, 100])
    # A crop that cuts hole and object, a hole that takes the rest, and more steps on what is gone.
    ledger = through(ledger, Windowed((10, 4, 20, 20), (16, 10)))
    assert ledger.left == pytest.approx([0.49, 0])
    ledger = through(ledger, Occluded([(0, 0, 10, 6)]), half, Occluded([(0, 0, 1, 1)]))
    assert ledger.left.tolist() == [0, 0]
    assert ledger.pixels.tolist() == [0, 0]


# Points


@settings(max_examples=150)
@given(st.tuples(st.integers(1, 20), st.integers(1, 20)), st.data())
def test_points_are_in_or_out(image_size, data):
    """Keypoints belong to the pixels right of and below them; a box without area is closed on all sides."""
    height, width = image_size
    half = st.integers(0, 2 * 20).map(lambda each: each / 2)
    xy = data.draw(st.lists(st.tuples(half, half), min_size=1, max_size=5))
    seen = oracle.visible_points(xy, image_size)
    spots = [(x, y, x, y) for x, y in xy if x <= width and y <= height]
    ledger = begin(content_from(image_size, ANYTHING, boxes=spots, keypoints=[xy]), image_size)
    x0, y0 = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    x1, y1 = data.draw(st.integers(x0 + 1, width)), data.draw(st.integers(y0 + 1, height))
    after = follow(ledger, Windowed((x0, y0, x1, y1), (3 * (y1 - y0), 7)))
    closed = [float(x0 <= x <= x1 and y0 <= y <= y1) for x, y, *_ in spots]
    inside = oracle.points_in(seen, (x0, y0, x1, y1)) / len(seen) if seen else np.nan
    np.testing.assert_array_equal(after.left, [*closed, inside])
    assert np.isnan(after.pixels).all()
    holed = follow(ledger, Occluded([(x0, y0, x1, y1), (30, 30, 40, 40)]))
    deep = [float(not (x0 < x < x1 and y0 < y < y1)) for x, y, *_ in spots]
    np.testing.assert_allclose(holed.left, [*deep, 1 - inside], atol=1e-12)


def test_points_turn_with_the_picture():
    ledger = begun([Thing("box", (5.0, 5.0, 5.0, 5.0)), Thing("keypoints", [(5, 5), (15, 5), (19, 19)])], (20, 20))
    ledger = follow(ledger, turned(45, (20, 20)))
    assert ledger.left == pytest.approx([1, 2 / 3])
    ledger = follow(ledger, Windowed((10, 0, 20, 20), (20, 10)))
    assert ledger.left == pytest.approx([1, 1 / 3])  # the first comes to lie on the border between left and right
    ledger = follow(ledger, Windowed((2, 0, 10, 20), (20, 10)))
    assert ledger.left[0] == 0


# What comes in


def test_the_order_is_that_of_the_objects_and_one_outside_has_no_share():
    boxes = [[0, 0, 10, 10], [30, 30, 40, 40], [5, 0, 15, 10], [-5, 0, 5, 10], [3, 3, 3, 3]]
    content = content_of(boxes, (20, 20), ANYTHING, ignore=[True, False, False, False, False])
    ledger = follow(begin(content, (20, 20)), Windowed((5, 0, 15, 10), (10, 10)))
    np.testing.assert_array_equal(ledger.left, [0.5, np.nan, 1, 0, 0])
    np.testing.assert_array_equal(ledger.pixels, [50, np.nan, 100, 0, np.nan])
    assert begin(content_of([], (20, 20), ANYTHING), (20, 20)).left.shape == (0,)
    assert follow(begin(content_of([], (20, 20), ANYTHING), (20, 20)), Occluded([])).after.shape == (1, 0)


def test_prior_visibility_counts_from_the_whole_object():
    content = content_of([[0, 0, 10, 10], [0, 0, 10, 10]], (20, 20), ANYTHING, prior_visibility=[0.8, 0.25])
    ledger = begin(content, (20, 20))
    assert ledger.left.tolist() == [0.8, 0.25]
    ledger = follow(ledger, Windowed((5, 0, 20, 20), (20, 15)))
    assert ledger.left.tolist() == [0.4, 0.125]
    assert ledger.pixels.tolist() == [50, 50]


def test_a_box_whose_area_is_too_small_for_a_number_is_a_point():
    content = content_of([[1, 1, 1 + 1e-13, 1 + 1e-13], [0, 0, 1e-200, 1e-200]], (4, 4), ANYTHING)
    ledger = follow(begin(content, (4, 4)), Windowed((0, 0, 2, 2), (2, 2)))
    assert ledger.left.tolist() == [1, 1]
    assert follow(ledger, turned(30, (2, 2), (8, 8))).left.tolist() == [1, 1]
    assert follow(ledger, Windowed((1.5, 0, 2, 2), (2, 2))).left.tolist() == [0, 0]


# Degenerate steps

DEGENERATE = [
    np.zeros((3, 3)),
    [[1, 2, 3], [2, 4, 6], [0, 0, 1]],
    [[1, 0, 0], [0, 0, 5], [0, 0, 1]],
    [[np.nan, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[np.inf, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[1e200, 0, 0], [0, 1e200, 0], [0, 0, 1]],
    [[1, 0, 0], [0, 1, 0], [0, 0, 1e-320]],
    [[1, 1, 1], [1, 1, 1], [1, 1, 1]],
]


@pytest.mark.parametrize("matrix", DEGENERATE)
def test_of_a_degenerate_matrix_nothing_is_left(matrix):
    things = [Thing("box", (0.0, 0.0, 10.0, 10.0)), Thing("box", (3.0, 3.0, 3.0, 3.0)), Thing("keypoints", [(3, 3)])]
    ledger = through(begun(things, (20, 20)), turned(20, (20, 20)), Mapped(matrix, (20, 30)))
    assert ledger.left.tolist() == [0, 0, 0]
    assert ledger.size == (20, 30)
    ledger = through(ledger, Windowed((0, 0, 5, 5), (5, 5)), Mapped(np.eye(3), (5, 5)), Occluded([(0, 0, 3, 3)]))
    np.testing.assert_array_equal(ledger.pixels, [0, np.nan, np.nan])


@pytest.mark.parametrize(
    "window", [(3, 3, 3, 9), (5, 0, 2, 9), (np.nan, 0, 2, 9), (-np.inf, 0, np.inf, 9), (0, 0, 1e-320, 9)]
)
def test_of_a_degenerate_window_nothing_is_left(window):
    ledger = follow(begun([Thing("box", (0.0, 0.0, 10.0, 10.0))], (20, 20)), Windowed(window, (7, 8)))
    assert ledger.left.tolist() == [0]
    assert ledger.size == (7, 8)


def test_a_canvas_of_one_pixel_and_of_one_that_shows_all():
    box = Thing("box", (0.0, 0.0, 20.0, 20.0))
    ledger = begun([box], (20, 20))
    assert follow(ledger, Windowed((0, 0, 20, 20), (1, 1))).left.tolist() == [1]
    assert follow(ledger, Windowed((0, 0, 20, 20), (1, 1))).pixels == pytest.approx([1])
    assert follow(ledger, Mapped(np.eye(3), (1, 1))).left.tolist() == [1 / 400]
    assert follow(ledger, turned(30, (20, 20), (1, 1))).left == pytest.approx([1 / 400])
    one = begun([Thing("box", (0.0, 0.0, 1.0, 1.0))], (1, 1))
    assert follow(one, turned(45, (1, 1), (3, 3))).left.tolist() == [1]
    assert follow(one, turned(45, (1, 1))).left == pytest.approx([2 * (2**0.5 - 1)])


def test_behind_the_horizon_nothing_is_seen():
    """Depth falls from left to right and is 0 at three quarters of the picture."""
    step = Mapped([[1, 0, 0], [0, 1, 0], [-1 / 15, 0, 1]], (1000, 1000))
    things = [
        Thing("box", (0.0, 0.0, 10.0, 10.0)),
        Thing("box", (16.0, 0.0, 20.0, 4.0)),
        Thing("box", (10.0, 0.0, 20.0, 10.0)),
    ]
    ledger = begun(things, (20, 20))
    for multiple in (1.0, -2.0):
        after = follow(ledger, step._replace(matrix=np.array(step.matrix) * multiple))
        assert after.left[:2].tolist() == [1, 0]
        # x / (1 - x / 15) <= 1000 up to x = 14.778; there y reaches 10 / (1 - x / 15) = 676.
        assert after.left[2] == pytest.approx((1000 / (1 + 1000 / 15) - 10) / 10)
        assert after.pixels[2] <= 10**6
        # A hole in the far part; and one where nothing is.
        holed = follow(after, Occluded([(500, 0, 1000, 1000)]))
        assert holed.left[2] == pytest.approx((500 / (1 + 500 / 15) - 10) / 10)
        assert follow(after, Occluded([(0, 900, 20, 1000)])).left.tolist() == after.left.tolist()
    # The middle of the picture on the horizon itself: the matrix is taken as it is.
    odd = follow(ledger, Mapped([[1, 0, 0], [0, 1, 0], [-0.1, 0, 1]], (1000, 1000)))
    assert odd.left[1] == 0
    assert odd.left[0] == pytest.approx(1000 / 101 / 10, abs=1e-6)


# The parts


def test_centres_to_edges():
    matrix = np.array([[0.3, -0.8, 5.0], [0.7, 0.4, -2.0], [1e-3, 2e-3, 1.0]])
    at = np.array([3.0, 4.0])
    moved = matrix @ [*at, 1]
    edged = at_edges(matrix) @ [*(at + 0.5), 1]
    assert edged[:2] / edged[2] == pytest.approx(moved[:2] / moved[2] + 0.5)
    assert at_edges(np.eye(3)).tolist() == np.eye(3).tolist()
    # A flip, as hosts make it of pixels: the last to the first.
    assert at_edges([[-1, 0, 9], [0, 1, 0], [0, 0, 1]]).tolist() == [[-1, 0, 10], [0, 1, 0], [0, 0, 1]]


def test_an_index_image_counts_pixels():
    assert index_of((3, 4)).tolist() == np.arange(12).reshape(3, 4).tolist()


@given(st.lists(st.floats(-9, 9), min_size=18, max_size=18))
def test_matrices_are_those_of_numpy(numbers):
    one, other = np.array(numbers[:9]).reshape(3, 3), np.array(numbers[9:]).reshape(3, 3)
    m, n = tuple(numbers[:9]), tuple(numbers[9:])
    assert product(m, n) == pytest.approx((one @ other).ravel(), abs=1e-12)
    affine = np.vstack([one[:2], [0, 0, 1]]), np.vstack([other[:2], [0, 0, 1]])
    flat = [tuple(each.ravel().tolist()) for each in affine]
    assert product(*flat) == pytest.approx((affine[0] @ affine[1]).ravel(), abs=1e-12)
    assert determinant(m) == pytest.approx(np.linalg.det(one), abs=1e-9)
    if abs(determinant(m)) > 1e-3:
        assert product(inverse(m), m) == pytest.approx(np.eye(3).ravel(), abs=1e-6)


def test_rectangles_are_pulled_back_only_upright():
    rect = (1.0, 2.0, 5.0, 10.0)
    assert pulled_back((2, 0, 1, 0, 4, 2, 0, 0, 1.0), rect) == (0, 0, 2, 2)
    assert pulled_back((-2, 0, 1, 0, -4, 2, 0, 0, 1.0), rect) == (-2, -2, 0, 0)
    assert pulled_back((0, 2, 1, 4, 0, 2, 0, 0, 1.0), rect) == (0, 0, 2, 2)
    assert pulled_back((1, 0.1, 0, 0, 1, 0, 0, 0, 1.0), rect) is None
    assert pulled_back((1, 0, 0, 0, 1, 0, 0.1, 0, 1.0), rect) is None
    assert matrix_of(2 * np.eye(3), (4, 4)) == (1, 0, 0, 0, 1, 0, 0, 0, 1)


def test_rings():
    square = ring_of((0.0, 0.0, 4.0, 4.0))
    assert box_of(square) == box_of(square[1:] + square[:1]) == box_of(square[::-1]) == (0, 0, 4, 4)
    assert box_of([(0, 0), (4, 0), (4, 4), (0, 5)]) is box_of(square[:3]) is None
    assert cut([], (1, 0, 0)) == cut(square, (1, 0, -5)) == []
    assert signed_area(square) == -signed_area(square[::-1]) == 16
    x, y = np.array([1.0, 3.0, 5.0]), np.array([1.0, 3.0, 1.0])
    assert winding([square, ring_of((2.0, 2.0, 4.0, 4.0))[::-1]], x, y).tolist() == [1, 0, 0]
