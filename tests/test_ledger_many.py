"""Many draws at once: what is left of boxes is what the ledger says of each draw by itself."""

from fractions import Fraction
from itertools import combinations
from itertools import product as product_of

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safeaug.content import content_of
from safeaug.ledger import Mapped, Windowed, begin, follow
from safeaug.ledger.many import Chains, follow_many
from safeaug.ledger.many_matrices import determinants, planes_of_each, products, pulled_back_each, scaled
from safeaug.ledger.many_rings import Rings, bounds_each, cut_each, cut_some, moved_each, signed_areas
from safeaug.ledger.matrices import IDENTITY, determinant, matrix_of, moved, planes_of, product, pulled_back
from safeaug.ledger.rings import bounds, cut, signed_area
from safeaug.policy import Policy
from tests.test_ledger import DEGENERATE, FLIPS, SIZES, matrices_on, perspective, turned, windows_in

ANYTHING = Policy()
NOTHING_LEFT = np.full(9, np.nan)


def numbers_of(change):
    """The matrix of a step, row by row."""
    if isinstance(change, Mapped):
        return np.ravel(change.matrix)
    x0, y0, x1, y1 = change.window
    if not (x0 < x1 and y0 < y1):
        return NOTHING_LEFT
    across, down = change.size[1] / (x1 - x0), change.size[0] / (y1 - y0)
    return np.array([across, 0, -x0 * across, 0, down, -y0 * down, 0, 0, 1])


def chains_of(draws, room=0):
    """Draws, each an image's size and some changes, in columns; what stands behind the last change is nonsense."""
    most = max((len(changes) for _, changes in draws), default=0) + room
    chains = Chains(
        counts=np.array([len(changes) for _, changes in draws], dtype=np.int64),
        matrices=np.full((len(draws), most, 9), np.nan),
        sizes=np.full((len(draws), most, 2), -7),
        first=np.array([size for size, _ in draws], dtype=np.int64).reshape(-1, 2),
    )
    for i, (_, changes) in enumerate(draws):
        for k, change in enumerate(changes):
            chains.matrices[i, k], chains.sizes[i, k] = numbers_of(change), change.size
    return chains


def assert_the_same(draws, boxes, room=0):
    """Each draw with boxes of its own, through the one ledger and the other."""
    contents = [content_of(own, size, ANYTHING) for (size, _), own in zip(draws, boxes, strict=True)]
    given = np.array([box for content in contents for box in content.given]).reshape(-1, 4)
    owner = np.repeat(np.arange(len(draws)), [len(own) for own in boxes])
    chains = chains_of(draws, room)
    kept = [array.copy() for array in (given, owner, *chains)]
    followed = follow_many(given, owner, chains)
    for array, copy in zip((given, owner, *chains), kept, strict=True):
        np.testing.assert_array_equal(array, copy)
    assert followed.left.shape == (len(given), chains.sizes.shape[1])
    assert followed.pixels.shape == (len(given),)
    assert followed.matrices.shape == (len(draws), 9)
    for i, ((size, changes), content) in enumerate(zip(draws, contents, strict=True)):
        ledger = begin(content, size)
        for change in changes:
            ledger = follow(ledger, change)
        left, pixels = followed.left[owner == i], followed.pixels[owner == i]
        last = len(changes)
        np.testing.assert_allclose(left[:, :last], ledger.after.T, rtol=0, atol=1e-9)
        assert not left[:, :last][ledger.after.T == 0].any()
        assert not (np.diff(left, axis=1) > 0).any()
        stays = left[:, last - 1] if last else ledger.left
        np.testing.assert_array_equal(left[:, last:], np.repeat(stays[:, None], left.shape[1] - last, axis=1))
        np.testing.assert_allclose(pixels, ledger.pixels, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(followed.matrices[i], ledger.matrix, rtol=1e-9, atol=1e-9)
    return followed


@st.composite
def boxes_near(draw, image_size):
    """A box of at least a sixteenth of a pixel a side, or without area; the image itself; one outside of it."""
    height, width = image_size
    kind = draw(st.sampled_from(["box", "box", "whole pixels", "point", "line", "image", "outside"]))
    if kind == "image":
        return 0.0, 0.0, float(width), float(height)
    if kind == "outside":
        return width + 1.0, 0.0, width + 3.0, 5.0
    spans = []
    for side in (width, height):
        start = draw(st.floats(-2, side - 1) if kind == "box" else st.integers(-2, side - 1))
        spans.append((start, start + draw(st.floats(1 / 16, side) if kind == "box" else st.integers(1, side))))
    (x0, x1), (y0, y1) = spans
    if kind in {"point", "line"}:
        x0 = x1 = max(x0, 0)
    if kind == "point":
        y0 = y1 = max(y0, 0)
    return float(x0), float(y0), float(x1), float(y1)


@st.composite
def steps_on(draw, size):
    """A window, a matrix, or, now and then, a step of which nothing is left."""
    kind = draw(st.sampled_from(["window", "whole window", "matrix", "matrix"] * 5 + ["singular", "empty"]))
    if kind == "matrix":
        return draw(matrices_on(size))
    if kind == "singular":
        return Mapped(draw(st.sampled_from(DEGENERATE)), size)
    if kind == "empty":
        return Windowed(draw(st.sampled_from([(3, 3, 3, 9), (np.nan, 0, 2, 9), (0, 0, 1e-320, 9)])), size)
    return draw(windows_in(size, whole=kind == "whole window"))


@st.composite
def draws_in(draw, most=5):
    """The size of an image, and what is done to it."""
    image_size, changes = draw(SIZES), []
    size = image_size
    for _ in range(draw(st.integers(0, most))):
        changes.append(draw(steps_on(size)))
        size = changes[-1].size
    return image_size, changes


# Against the ledger of one draw


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_what_is_left_is_what_the_ledger_says(data):
    draws = data.draw(st.lists(draws_in(), min_size=1, max_size=3))
    boxes = [data.draw(st.lists(boxes_near(size), max_size=4)) for size, _ in draws]
    assert_the_same(draws, boxes, room=data.draw(st.integers(0, 1)))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_hundreds_of_draws_are_those_that_they_are_alone(seed):
    """As a pipeline makes them: a crop, a flip, a turn or a perspective; boxes of all sizes."""
    rng = np.random.default_rng(seed)
    draws, boxes = [], []
    for _ in range(100):
        height, width = image_size = tuple(rng.integers(50, 900, 2).tolist())
        inner = rng.integers(20, [height, width])
        top, left = rng.integers(0, [height, width] - inner + 1)
        changes = [Windowed((left, top, left + inner[1], top + inner[0]), (224, 160))]
        if rng.random() < 0.5:
            changes.append(FLIPS["across"](224, 160))
        if rng.random() < 0.6:
            shear, shift = rng.uniform(-0.3, 0.3), rng.uniform(-40, 40, 2)
            changes.append(turned(rng.uniform(-180, 180), (224, 160), None, rng.uniform(0.6, 1.5), shear, shift))
        if rng.random() < 0.4:
            corners = np.array([(0, 0), (160, 0), (160, 224), (0, 224)]) + rng.uniform(-40, 40, (4, 2))
            changes.append(perspective(corners, (224, 160), (224, 160)))
        draws.append((image_size, changes))
        sides = np.exp(rng.uniform(0, np.log([width, height]), (6, 2)))
        start = rng.uniform(0, 1, (6, 2)) * ([width, height] - sides)
        boxes.append([[0, 0, width, height], *np.concatenate([start, start + sides], axis=1).tolist()])
    assert_the_same(draws, boxes)


# Exact laws


@settings(max_examples=150, deadline=None)
@given(SIZES, st.data())
def test_a_box_that_only_touches_a_window_is_lost(image_size, data):
    """Chains of windows in rationals, and boxes whose sides are on their borders: rounding leaves no sliver."""
    changes, size = [], image_size
    start, scale = [Fraction(0), Fraction(0)], [Fraction(1), Fraction(1)]  # of the frame in the source: x, y
    low, high = [Fraction(0), Fraction(0)], [Fraction(image_size[1]), Fraction(image_size[0])]
    borders = [{0, image_size[1]}, {0, image_size[0]}]
    shown = []
    for _ in range(data.draw(st.integers(1, 5))):
        changes.append(data.draw(windows_in(size, whole=True, resized=data.draw(st.booleans()))))
        window, size = changes[-1].window, changes[-1].size
        for axis in (0, 1):
            ends = [start[axis] + scale[axis] * window[axis + far] for far in (0, 2)]
            low[axis], high[axis] = max(low[axis], ends[0]), min(high[axis], ends[1])
            borders[axis] |= {int(end) for end in ends if end.denominator == 1 and 0 < end < image_size[1 - axis]}
            start[axis], scale[axis] = ends[0], scale[axis] * (window[axis + 2] - window[axis]) / size[1 - axis]
        shown.append((*low, *high))
    pairs = [list(combinations(sorted(each), 2)) for each in borders]
    boxes = [(x0, y0, x1, y1) for (x0, x1), (y0, y1) in product_of(*pairs)][:60]
    left, _, _ = follow_many(
        np.array(boxes, dtype=float), np.zeros(len(boxes), int), chains_of([(image_size, changes)])
    )
    for k, (a, b, c, d) in enumerate(shown):
        for row, (x0, y0, x1, y1) in zip(left[:, k], boxes, strict=True):
            area = max(min(x1, c) - max(x0, a), 0) * max(min(y1, d) - max(y0, b), 0)
            assert row == pytest.approx(float(area / ((x1 - x0) * (y1 - y0))), abs=1e-12)
            assert (row == 0) == (area == 0)


@pytest.mark.parametrize("name", FLIPS)
def test_flips_and_quarter_turns_lose_nothing(name):
    draws = [((20, 30), [FLIPS[name](20, 30)]), ((30, 20), [turned(90, (30, 20), (20, 30)), FLIPS[name](20, 30)])]
    boxes = [[(0.0, 0.0, 30.0, 20.0), (1.5, 2.0, 7.0, 8.25)], [(0.0, 0.0, 20.0, 30.0), (0.0, 0.0, 0.0, 0.0)]]
    followed = assert_the_same(draws, boxes)
    assert followed.left.tolist() == [[1, 1], [1, 1], [1, 1], [1, 1]]
    np.testing.assert_allclose(followed.pixels, [600, 5.5 * 6.25, 600, np.nan])


def test_the_picture_itself_says_how_much_of_the_output_is_padding():
    turn = turned(45, (100, 100), (200, 200))
    left, pixels, _ = follow_many(np.array([[0.0, 0, 100, 100]]), np.array([0]), chains_of([((100, 100), [turn])]))
    assert left.tolist() == [[1]]
    assert 1 - pixels[0] / 200**2 == pytest.approx(0.75)


def test_what_one_draw_loses_no_other_one_does():
    """Draws of no step, of a last step that leaves nothing, of more steps behind such a one; and boxes in any order."""
    lost = Mapped(np.zeros((3, 3)), (8, 9))
    draws = [
        ((10, 10), []),
        ((10, 10), [turned(30, (10, 10), (20, 20)), lost]),
        ((10, 10), [lost, turned(30, (8, 9)), Windowed((0, 0, 4, 4), (5, 5))]),
        ((10, 10), [Windowed((0, 0, 5, 10), (10, 5))]),
    ]
    own = [(0.0, 0.0, 10.0, 10.0), (2.0, 2.0, 2.0, 2.0), (50.0, 0.0, 60.0, 10.0)]
    followed = assert_the_same(draws, [own] * 4, room=1)
    thing, point, outside = followed.left[0::3], followed.left[1::3], followed.left[2::3]
    assert thing.tolist() == [[1, 1, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0], [0.5, 0.5, 0.5, 0.5]]
    assert point.tolist() == [[1, 1, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]]
    assert np.isnan(outside).all()
    order = np.random.default_rng(0).permutation(12)
    boxes = np.array([*own[:2], [np.nan] * 4] * 4)
    mixed = follow_many(boxes[order], np.repeat(np.arange(4), 3)[order], chains_of(draws, 1))
    np.testing.assert_array_equal(mixed.left, followed.left[order])
    np.testing.assert_array_equal(mixed.pixels, followed.pixels[order])


def test_either_side_of_a_slanted_border_leave_nothing_together():
    left_side, right_side = Windowed((-10, 0, 0, 20), (20, 10)), Windowed((10, 0, 20, 20), (20, 10))
    draws = [((20, 20), [turned(degrees, (20, 20)), right_side, left_side]) for degrees in (45, 30, -7, 1)]
    followed = assert_the_same(draws, [[(4.0, 4.0, 16.0, 16.0), (8.0, 6.0, 12.0, 14.0)]] * 4)
    np.testing.assert_allclose(followed.left[:, 1], 0.5, atol=1e-12)
    assert not followed.left[:, 2].any()


def test_what_became_a_ring_stays_one():
    """A shear, a window, and back: upright again, but for what the window cut off."""
    shear, back = (Mapped([[1, by, 0], [0, 1, 0], [0, 0, 1]], (20, 20)) for by in (0.5, -0.5))
    draws = [((20, 20), [shear, back, Windowed((0, 0, 20, 10), (10, 20))])]
    followed = assert_the_same(draws, [[(0.0, 0.0, 20.0, 20.0), (0.0, 0.0, 20.0, 10.0), (0.0, 8.0, 4.0, 12.0)]])
    # Of each row at height y what lies beyond 20 - y / 2 is gone.
    np.testing.assert_allclose(followed.left.T, [[0.75, 0.875, 1], [0.75, 0.875, 1], [0.4375, 0.875, 0.5]])


def test_behind_the_horizon_nothing_is_seen():
    """Depth falls from left to right and is 0 at three quarters of the picture; the same matrix, times anything."""
    step = Mapped([[1, 0, 0], [0, 1, 0], [-1 / 15, 0, 1]], (1000, 1000))
    draws = [((20, 20), [step._replace(matrix=np.array(step.matrix) * by)]) for by in (1.0, -2.0)]
    draws += [((20, 20), [Mapped([[1, 0, 0], [0, 1, 0], [-0.1, 0, 1]], (1000, 1000))])]  # its middle on the horizon
    boxes = [(0.0, 0.0, 10.0, 10.0), (16.0, 0.0, 20.0, 4.0), (10.0, 0.0, 20.0, 10.0), (12.0, 1.0, 12.0, 1.0)]
    assert_the_same(draws, [boxes] * 3)


@pytest.mark.parametrize("count, draws", [(0, []), (0, [((4, 4), [])]), (2, [((4, 4), [])])])
def test_of_nothing_there_is_nothing(count, draws):
    boxes = np.tile([0.0, 0.0, 2.0, 2.0], (count, 1))
    followed = follow_many(boxes, np.zeros(count, dtype=int), chains_of(draws))
    assert followed.left.shape == (count, 0)
    assert followed.pixels.tolist() == [4.0] * count
    assert followed.matrices.tolist() == np.eye(3).reshape(1, 9).tolist() * len(draws)


# The parts

MATRICES = st.lists(
    st.lists(st.sampled_from([0.0, 0.0, 1.0]) | st.floats(-9, 9, width=16), min_size=9, max_size=9),
    min_size=1,
    max_size=4,
)


@settings(max_examples=60)
@given(MATRICES, st.data())
def test_matrices_are_those_of_one_draw(matrices, data):
    for numbers in matrices:
        numbers[6:] = [0.0, 0.0, 1.0] if data.draw(st.booleans()) else numbers[6:]
    matrices = [numbers if determinant(numbers) else list(IDENTITY) for numbers in matrices]
    m, size = np.array(matrices).T, (12, 30)
    sizes = np.tile([[12], [30]], (1, m.shape[1]))
    dets, rects, planes = determinants(m), pulled_back_each(m, sizes), planes_of_each(m, sizes)
    twice, unit = products(m, m[:, ::-1]), scaled(m, sizes)
    for k, numbers in enumerate(map(tuple, matrices)):
        assert dets[k] == pytest.approx(determinant(numbers), abs=1e-12)
        np.testing.assert_allclose(twice[:, k], product(numbers, tuple(matrices[-1 - k])), rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(planes[:, :, k], planes_of(numbers, (0, 0, 30, 12)))
        rect = pulled_back(numbers, (0, 0, 30, 12))
        np.testing.assert_array_equal(rects[:, k], [np.nan] * 4 if rect is None else rect)
        np.testing.assert_array_equal(unit[:, k], matrix_of(np.reshape(numbers, (3, 3)), size))


@st.composite
def rings_in(draw):
    """Rings of any form, and a half-plane for each."""
    point = st.tuples(st.integers(-4, 4), st.integers(-4, 4)) | st.tuples(st.floats(-4, 4), st.floats(-4, 4))
    rings = draw(st.lists(st.lists(point, min_size=0, max_size=7), min_size=1, max_size=4))
    number = st.integers(-3, 3).map(float)
    return rings, draw(st.lists(st.tuples(number, number, number), min_size=len(rings), max_size=len(rings)))


def rings_of(rings) -> Rings:
    width = max(1, *map(len, rings))
    rows = [[complex(*corner) for corner in ring] for ring in rings]
    rows = [row + (row[-1:] or [0j]) * (width - len(row)) for row in rows]
    return Rings(np.array(rows), np.array(list(map(len, rings))))


@settings(max_examples=60)
@given(rings_in(), st.data())
def test_rings_are_cut_one_by_one(world, data):
    rings, planes = world
    chosen = np.array([data.draw(st.booleans()) for _ in rings])
    columns = np.array(planes).T
    every, some = cut_each(rings_of(rings), columns), cut_some(rings_of(rings), columns, chosen)
    for k, (ring, plane) in enumerate(zip(rings, planes, strict=True)):
        kept = cut(ring, plane)
        assert_ring(every, k, kept)
        assert_ring(some, k, kept if chosen[k] else ring)


def assert_ring(rings, k, ring):
    """Its corners, the last of them repeated, and what is told of them."""
    corners, count = rings.corners[k], rings.counts[k]
    assert count == len(ring)
    assert (corners[count:] == corners[max(count - 1, 0)]).all()
    if ring:
        assert_close(corners[:count], ring, 1e-12)
        assert signed_areas(rings)[k] == pytest.approx(signed_area(ring), abs=1e-9)
        assert bounds_each(rings)[:, k] == pytest.approx(bounds(ring), abs=1e-9)
        matrix = (2.0, -1.0, 3.0, 0.5, 2.0, -1.0, 0.05, -0.02, 1.0)
        there = moved_each(rings, np.tile(np.array(matrix)[:, None], (1, len(rings.counts))))
        assert_close(there.corners[k, :count], moved(matrix, ring), 1e-9)


def assert_close(corners, ring, away):
    np.testing.assert_allclose(np.stack([corners.real, corners.imag], axis=1), ring, rtol=0, atol=away)
