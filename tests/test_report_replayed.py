"""A draw as a sheet: where windows and objects are drawn, and how any kind of output is made visible."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from safeaug.errors import DataError
from safeaug.ledger import Mapped, Occluded, Warped, Windowed, at_edges
from safeaug.policy import Status
from safeaug.records import Step
from safeaug.report.pair import Before, Panel, bounds_of, pair
from safeaug.report.pixels import shown_of
from safeaug.report.replayed import matrix_through, seen, window_of
from tests.report_worlds import EVIL

# What a draw shows of the picture.


def step(change, size, kind="window"):
    return Step((0,), "Step", kind, {}, change, size, np.ones(0), Status.FIRST, None)


def onto(point, changes):
    """The obvious loop: where steps take a point, one after another."""
    x, y = point
    for change in changes:
        if isinstance(change, Windowed):
            x0, y0, x1, y1 = change.window
            x, y = (x - x0) * change.size[1] / (x1 - x0), (y - y0) * change.size[0] / (y1 - y0)
        else:
            m = np.asarray(change.matrix, dtype=float)
            a, b, c = m @ [x, y, 1.0]
            x, y = a / c, b / c
    return x, y


sides = st.integers(4, 60)
windows = st.builds(
    lambda x, y, w, h, size: Windowed((x, y, x + w, y + h), size),
    st.integers(-5, 20), st.integers(-5, 20), sides, sides, st.tuples(sides, sides),
)  # fmt: skip


def turned(angle, scale, x, y, size):
    across, along = scale * np.cos(angle), np.sin(angle)
    return Mapped(at_edges([[across, -along, x], [along, across, y], [0, 0, 1]]), size)


offsets = st.integers(-9, 9)
turns = st.builds(turned, st.floats(-3, 3), st.floats(0.5, 2), offsets, offsets, st.tuples(sides, sides))
chains = st.lists(st.one_of(windows, turns), min_size=1, max_size=4)


@given(chains)
def test_a_window_is_what_the_outputs_corners_come_from(changes):
    steps = [step(change, change.size) for change in changes]
    matrix = matrix_through(steps, (40, 50))
    size = changes[-1].size
    ring = window_of(matrix, size, (40, 50))
    corners = [(0, 0), (size[1], 0), (size[1], size[0]), (0, size[0])]
    for corner, source in zip(corners, ring, strict=True):
        assert onto(source, changes) == pytest.approx(corner, abs=1e-6)


@given(chains, st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(1, 20), st.integers(1, 20)))
def test_an_object_is_drawn_where_its_points_go_as_far_as_the_output_shows_them(changes, box):
    x, y, w, h = box
    matrix = matrix_through([step(change, change.size) for change in changes], (40, 50))
    size = changes[-1].size
    ring = [(float(x), float(y)), (float(x + w), float(y)), (float(x + w), float(y + h)), (float(x), float(y + h))]
    drawn = seen(ring, matrix, size)
    inside = [
        (a, b)
        for i in range(21)
        for j in range(21)
        for a, b in [onto((x + w * i / 20, y + h * j / 20), changes)]
        if 0 <= a <= size[1] and 0 <= b <= size[0]
    ]
    if inside:
        x0, y0, x1, y1 = bounds_of(drawn) if drawn else (np.nan,) * 4
        across, down = [a for a, _ in inside], [b for _, b in inside]
        assert x0 <= min(across) + 1e-6
        assert max(across) - 1e-6 <= x1
        assert y0 <= min(down) + 1e-6
        assert max(down) - 1e-6 <= y1
    for a, b in drawn:
        assert -1e-6 <= a <= size[1] + 1e-6
        assert -1e-6 <= b <= size[0] + 1e-6


def test_a_perspective_shows_no_more_than_the_picture():
    tilt = Mapped([[1, 0.2, 0], [0, 1.3, 0], [0, 0.005, 1]], (40, 50))
    matrix = matrix_through([step(tilt, (40, 50), "projective")], (40, 50))
    ring = window_of(matrix, (40, 50), (40, 50))
    x0, y0, x1, y1 = bounds_of(ring)
    assert x0 >= -1e-9
    assert y0 >= -1e-9
    assert x1 <= 50 + 1e-9
    assert y1 <= 40 + 1e-9


def test_where_pixels_move_one_by_one_there_is_no_window():
    grid = np.zeros((8, 8))
    assert matrix_through([step(Warped(grid, grid), (8, 8), "warping")], (8, 8)) is None
    assert matrix_through([step(None, (8, 8), "unknown")], (8, 8)) is None
    assert matrix_through([step(Windowed((3, 3, 3, 3), (8, 8)), (8, 8))], (8, 8)) is None


def test_what_moves_nothing_leaves_the_window():
    matrix = matrix_through([step(None, (8, 9), "still"), step(Occluded([[0, 0, 2, 2]]), (8, 9), "occluding")], (8, 9))
    assert window_of(matrix, (8, 9), (8, 9)) == [(0, 0), (9, 0), (9, 8), (0, 8)]


# What it looks like.


@pytest.mark.parametrize(
    "dtype, low, high",
    [
        (np.float32, 0, 1),
        (np.float32, -2.1, 2.6),
        (np.float64, 5, 5),
        (np.uint16, 0, 60000),
        (bool, 0, 1),
        (np.int32, -9, 9),
    ],
)
@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 1), (5, 7, 2), (5, 7, 3), (5, 7, 4), (5, 7, 6)])
def test_any_array_is_made_visible(dtype, low, high, shape):
    shown = shown_of(np.linspace(low, high, int(np.prod(shape))).reshape(shape).astype(dtype))
    assert shown.pixels.shape == (5, 7, 3)
    assert shown.pixels.dtype == np.uint8
    assert (shown.note == "") == (dtype in {bool} or (low, high) == (0, 1))


def test_what_is_visible_is_left_as_it_is():
    pixels = np.random.default_rng(0).integers(0, 256, (4, 6, 3), np.uint8)
    assert (shown_of(pixels).pixels == pixels).all()
    assert (shown_of(pixels.astype(np.float32) / 255).pixels == pixels).all()
    assert (shown_of(pixels[:, :, 0]).pixels == pixels[:, :, :1]).all()


def test_values_that_are_no_numbers_are_said():
    assert shown_of(np.array([[0.0, np.nan], [1.0, 2.0]])).note == "values 0 to 2, stretched, some not finite"
    assert shown_of(np.full((2, 2), np.inf)).note == "no finite value"
    assert shown_of(np.array([[0.0, np.nan]])).note == "some not finite"


def test_a_tensor_has_its_channels_first():
    torch = pytest.importorskip("torch")
    pixels = np.random.default_rng(0).integers(0, 256, (4, 6, 3), np.uint8)
    assert (shown_of(torch.from_numpy(pixels).permute(2, 0, 1)).pixels == pixels).all()


def test_what_is_no_picture_is_refused():
    with pytest.raises(DataError, match="a picture must be numbers"):
        shown_of([[1, 2], [3]])


# The sheet.


@given(
    sides=st.tuples(st.integers(1, 300), st.integers(1, 300), st.integers(1, 50), st.integers(1, 50)),
    label=st.sampled_from(["cat", EVIL, "", "x" * 500, "ü猫"]),
    lines=st.integers(0, 40),
)
@settings(max_examples=15)
def test_a_sheet_is_drawn_of_pictures_of_any_shape(sides, label, lines):
    height, width, high, wide = sides
    ring = [(0.0, 0.0), (width / 2, 0.0), (width / 2, height / 2), (0.0, height / 2)]
    leaning = [(width / 2, -9.0), (width + 9.0, height / 2), (width / 2, height + 9.0), (-9.0, height / 2)]
    panels = [
        Panel(name, np.zeros((high, wide, 3), np.uint8), window, [ring], fine, [label] * lines)
        for name, window, fine in (("plain", leaning, False), ("guarded", ring, True))
    ]
    sheet = pair(label, label, Before(np.zeros((height, width, 3), np.uint8), [ring], [label]), *panels)
    assert isinstance(sheet, Image.Image)
    assert sheet.width <= 1300


def test_both_windows_can_be_seen_where_they_are_one():
    ring = [(10.0, 10.0), (60.0, 10.0), (60.0, 50.0), (10.0, 50.0)]
    panels = [Panel(name, np.zeros((40, 50, 3), np.uint8), ring, [], True, []) for name in ("plain", "guarded")]
    sheet = np.asarray(pair("a", "b", Before(np.full((80, 90, 3), 128, np.uint8), [], []), *panels)).reshape(-1, 3)
    colours = {tuple(each) for each in np.unique(sheet, axis=0).tolist()}
    assert {(240, 172, 0), (86, 180, 233)} <= colours
