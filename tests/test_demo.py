"""The demonstration: what it shows is so, and can be seen."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("albumentations")
pytest.importorskip("skimage")

from safeaug.demo.cell import least_left, seen
from safeaug.demo.scenes import Scene, panorama, scenes
from safeaug.demo.sheet import INNER, MARGIN, NARROW, WIDE, chosen, sheet
from safeaug.demo.tally import percent, tally
from safeaug.demo.trial import LIMIT, Draw, Pair, trial

DRAWS = 300


@pytest.fixture(scope="module")
def pictures():
    return {scene.name: scene for scene in scenes()}


@pytest.fixture(scope="module")
def strip(pictures):
    """Trial of the panorama."""
    return trial(pictures["panorama"], DRAWS, seed=0, shown=WIDE)


@pytest.fixture(scope="module")
def portrait(pictures):
    """Trial of the picture with the most objects."""
    return trial(pictures["astronaut"], DRAWS, seed=0, shown=WIDE)


def draw(window=(0, 0, 10, 10), retention=(1.0,), kept=True, micros=1.0):
    return Draw(window, np.array(retention), kept, micros, None)


def shares_by_hand(scene, window):
    """Return what is left of each object, by painting it."""
    left = []
    for x0, y0, x1, y1 in np.rint(scene.boxes).astype(int).tolist():
        canvas = np.zeros(scene.size, dtype=bool)
        canvas[y0:y1, x0:x1] = True
        left.append(canvas[window[1] : window[3], window[0] : window[2]].sum() / canvas.sum())
    return left


# Scenes.


def test_panorama_comes_first_and_no_picture_without_a_licence_is_among_them(pictures):
    assert list(pictures) == ["panorama", "astronaut", "camera", "coffee", "rocket"]


def test_every_picture_is_rgb_and_every_box_lies_in_it(pictures):
    for scene in pictures.values():
        height, width = scene.size
        assert scene.image.shape == (height, width, 3)
        assert scene.image.dtype == np.uint8
        assert len(scene.boxes) == len(scene.labels) > 0
        for x0, y0, x1, y1 in scene.boxes:
            assert 0 <= x0 < x1 <= width
            assert 0 <= y0 < y1 <= height


def test_panorama_is_wide_and_its_one_object_stands_at_its_left(pictures):
    scene = pictures["panorama"]
    assert scene.size == (200, 2000)
    assert scene.labels == ["rocket"]
    ((x0, _, x1, _),) = scene.boxes
    assert 20 <= x0 < x1 <= 120


def test_panorama_shows_the_rocket_in_its_box_and_nowhere_else(pictures):
    """The rocket is the one bright thing in the sky."""
    scene = pictures["panorama"]
    ((x0, y0, x1, _),) = scene.boxes
    rows = slice(int(y0) + 20, 150)  # its body; the lights on the ground lie below
    bright = np.flatnonzero((scene.image[rows].min(axis=2) > 120).mean(axis=0) > 0.3)
    assert len(bright)
    assert x0 - 1 <= bright.min()
    assert bright.max() <= x1 + 1


def test_panorama_has_no_seams(pictures):
    """Neighbouring columns differ nowhere more than in the picture that the strip is made of."""
    step = np.abs(np.diff(pictures["panorama"].image.astype(int), axis=1)).mean(axis=(0, 2))
    assert step[104:].max() <= step[:104].max()


def test_panorama_scales_boxes_with_the_picture():
    image = np.zeros((400, 600, 3), np.uint8)
    image[100:300, 200:300] = 255
    scene = panorama(Scene("rocket", image, [(200.0, 100.0, 300.0, 300.0)], ["block"]))
    ((x0, y0, x1, y1),) = scene.boxes
    assert (x0, y0, x1, y1) == (30, 50, 80, 150)
    assert scene.image[52:148, 32:78].min() > 250
    assert scene.image[:, 84:].max() < 5


# Trials.


def test_plain_loses_the_rocket_in_most_draws_and_guarded_in_none(strip):
    plain, guarded = tally(strip.plain, strip.scene.size), tally(strip.guarded, strip.scene.size)
    assert plain.lost > 0.9
    assert guarded.lost == 0
    assert guarded.below == 0
    assert min(pair.guarded.retention.min() for pair in strip.pairs) >= LIMIT - 1e-5


def test_windows_keep_their_size_in_the_panorama(strip):
    """No size is needed but the drawn one, so the guard must not buy its promise with larger windows."""
    assert set(strip.statuses) <= {"FIRST", "MOVED"}
    plain, guarded = tally(strip.plain, strip.scene.size), tally(strip.guarded, strip.scene.size)
    assert plain.area == guarded.area


def test_statuses_count_every_guarded_draw_and_first_is_what_the_guard_left_alone(portrait):
    assert sum(portrait.statuses.values()) == DRAWS
    assert portrait.statuses["FIRST"] == sum(not pair.changed for pair in portrait.pairs)
    assert 0 < portrait.statuses["FIRST"] < DRAWS


def test_guard_changes_just_the_draws_that_plain_spoils(portrait):
    assert "UNMET" not in portrait.statuses
    for pair in portrait.pairs:
        assert pair.guarded.kept
        assert pair.changed == (not pair.plain.kept)


def test_retention_is_what_a_painted_object_shows(portrait):
    for pair in portrait.pairs[:40]:
        for one in pair:
            assert one.retention == pytest.approx(shares_by_hand(portrait.scene, one.window))


def test_crops_are_what_the_windows_hold(portrait):
    one = next(pair.plain for pair in portrait.pairs if pair.plain.crop is not None)
    x0, y0, x1, y1 = one.window
    part = Image.fromarray(portrait.scene.image[y0:y1, x0:x1])
    again = np.asarray(part.resize((224, 224), Image.Resampling.BILINEAR), dtype=float)
    assert one.crop.shape == (224, 224, 3)
    assert np.abs(again - one.crop).mean() < 8


def test_same_seed_same_draws_and_another_seed_others(pictures, strip):
    again = trial(pictures["panorama"], 20, seed=0)
    other = trial(pictures["panorama"], 20, seed=1)
    windows = [[(pair.plain.window, pair.guarded.window) for pair in each.pairs[:20]] for each in (strip, again, other)]
    assert windows[0] == windows[1] != windows[2]


def test_only_the_crops_to_show_are_held(portrait):
    for changed in (False, True):
        held = [pair.plain.crop is not None for pair in portrait.pairs if pair.changed == changed]
        assert held == [True] * WIDE + [False] * (len(held) - WIDE)


def test_progress_is_told_once_a_pair(pictures):
    calls = []
    trial(pictures["rocket"], 7, seed=0, advance=lambda: calls.append(1))
    assert len(calls) == 7


def test_a_promise_that_cannot_be_met_is_told(pictures):
    """Objects at both ends of the panorama fit into no window."""
    ends = [(20.0, 60.0, 120.0, 190.0), (1880.0, 60.0, 1980.0, 190.0)]
    outcome = trial(pictures["panorama"]._replace(boxes=ends, labels=["left", "right"]), 40, seed=0)
    assert outcome.statuses == {"UNMET": 40}
    assert tally(outcome.guarded, outcome.scene.size).below == 1


# Tallies.


def test_tally_of_known_draws():
    draws = [
        draw((0, 0, 10, 10), (1.0, 0.0), False, 1.0),
        draw((0, 0, 20, 10), (0.4, 0.9), False, 9.0),
        draw((0, 0, 10, 30), (0.5, 1.0), True, 2.0),
        draw((0, 0, 10, 10), (0.6, 0.7), True, 3.0),
    ]
    assert tally(draws, (100, 10)) == (0.25, 0.5, pytest.approx(0.175), 2.5)


@pytest.mark.parametrize(
    "share, digits, text",
    [
        (0.0, 1, "0.0 %"),
        (0.0004, 1, "< 0.1 %"),
        (0.0006, 1, "0.1 %"),
        (0.983, 1, "98.3 %"),
        (0.9997, 1, "> 99.9 %"),
        (1.0, 1, "100.0 %"),
        (0.005, 0, "< 1 %"),
        (0.999, 0, "> 99 %"),
        (1.0, 0, "100 %"),
    ],
)
def test_percent_never_rounds_some_to_none_nor_most_to_all(share, digits, text):
    assert percent(share, digits) == text


# The sheet.


def test_sheet_is_a_readable_picture_with_something_on_it(tmp_path, strip, portrait):
    path = tmp_path / "sheet.png"
    sheet([strip, portrait], seed=0).save(path)
    with Image.open(path) as image:
        assert image.format == "PNG"
        assert image.width == INNER + 2 * MARGIN
        pixels = np.asarray(image.convert("RGB"))
    assert 1200 < pixels.shape[0] < 1600
    edge = np.ones(pixels.shape[:2], dtype=bool)
    edge[MARGIN:-MARGIN, MARGIN:-MARGIN] = False
    assert (pixels[edge] == 255).all()  # nothing runs into the margins
    assert len(np.unique(pixels[::5, ::5].reshape(-1, 3), axis=0)) > 5_000


def test_sheet_grows_by_a_row_a_picture(strip, portrait):
    one, two = sheet([strip], seed=0), sheet([strip, portrait], seed=0)
    assert two.height > one.height + 400
    above = one.height - MARGIN
    assert np.array_equal(np.asarray(one)[:above], np.asarray(two)[:above])


def test_sheet_frames_a_loss_and_a_kept_crop_in_different_colours(strip):
    from safeaug.demo import ink

    pixels = np.asarray(sheet([strip], seed=0)).reshape(-1, 3)
    lost, kept = ((pixels == colour).all(axis=1).sum() for colour in (ink.BAD, ink.GOOD))
    assert lost > 10_000
    assert kept > 10_000


@pytest.mark.parametrize("windows", [1, 2])
def test_sheet_of_fewer_draws_than_columns(pictures, windows):
    image = sheet([trial(scene, windows, seed=0, shown=WIDE) for scene in pictures.values()], seed=0)
    assert image.width == INNER + 2 * MARGIN


@pytest.mark.parametrize(
    "alone, changed, expected", [(9, 9, (2, 2)), (99, 1, (3, 1)), (1, 99, (1, 3)), (9, 0, (4, 0)), (0, 9, (0, 4))]
)
def test_shown_draws_stand_for_all(alone, changed, expected):
    pairs = [Pair(draw(), draw())] * alone + [Pair(draw(), draw((5, 5, 15, 15)))] * changed
    shown = chosen(pairs, NARROW)
    assert (sum(not pair.changed for pair in shown), sum(pair.changed for pair in shown)) == expected


def test_seen_part_of_a_box():
    assert seen((0, 20, 30, 40), (10, 0, 110, 100), (50, 50)) == (0, 10, 10, 20)


@pytest.mark.parametrize(
    "share, text", [(0.0, "0 %"), (0.004, "< 1 %"), (0.499, "49 %"), (0.4999999, "50 %"), (1.0, "100 %")]
)
def test_what_is_left_is_rounded_down(share, text):
    scene = Scene("any", np.zeros((10, 10, 3), np.uint8), [(0, 0, 1, 1), (1, 1, 2, 2)], ["cat", "dog"])
    assert least_left(scene, draw(retention=(1.0, share))) == ("dog" if share < 1 else "cat", text)


# The room.


@pytest.mark.parametrize("module, package", [("albumentations", "albumentations"), ("skimage", "scikit-image")])
def test_a_missing_host_is_named_with_what_installs_it(module, package):
    code = f"""
import sys
sys.modules[{module!r}] = None
from safeaug.errors import MissingHostError
try:
    import safeaug.demo.scenes
except MissingHostError as error:
    print(error)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"needs {package}" in result.stdout
    assert 'pip install "safeaug[demo]"' in result.stdout


def test_scenes_travel_with_the_package():
    import safeaug.demo

    assert (Path(safeaug.demo.__file__).parent / "scenes.json").is_file()
