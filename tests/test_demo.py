"""The demonstration: what it shows is so, and can be seen."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("albumentations")
pytest.importorskip("skimage")

import albumentations as A

import safeaug
from safeaug.demo.caption import fewest_pixels, least_left, least_there, worst_off
from safeaug.demo.cell import close_up, moved, seen
from safeaug.demo.column import AREA, MICROS, Column, below, broken, fewest, lost, none_left, percent, slivers, under
from safeaug.demo.draw import Draw, Pair
from safeaug.demo.hosts.albumentations import SETTINGS
from safeaug.demo.made import FLOOR, LIMIT, SMALL_LIMIT
from safeaug.demo.masked import coins, horse, masked
from safeaug.demo.scenes import Scene, panorama, scenes
from safeaug.demo.sheet import INNER, MARGIN, NARROW, WIDE, chosen, sheet
from safeaug.demo.small import FIELD, deep_field, shrinking, small
from safeaug.demo.trial import trial

BOXES, MASKS, SMALL, RESIZE = (SETTINGS[name] for name in ("boxes", "masks", "small", "resize"))

DRAWS, FEW = 300, 100


@pytest.fixture(scope="module")
def pictures():
    return {scene.name: scene for scene in scenes()}


@pytest.fixture(scope="module")
def strip(pictures):
    """Trial of the panorama."""
    return trial(pictures["panorama"], BOXES, DRAWS, seed=0, shown=WIDE)


@pytest.fixture(scope="module")
def portrait(pictures):
    """Trial of the picture with the most objects."""
    return trial(pictures["astronaut"], BOXES, DRAWS, seed=0, shown=WIDE)


@pytest.fixture(scope="module")
def trials():
    """Of each content that is not boxes, a few draws on all of its pictures."""
    return {
        name: [trial(scene, setting, FEW, seed=0, shown=WIDE) for scene in setting.scenes()]
        for name, setting in SETTINGS.items()
        if name != "boxes"
    }


OTHERS = pytest.mark.parametrize("name", ["masks", "small", "resize"])


def draw(window=(0, 0, 10, 10), retention=(1.0,), kept=True, micros=1.0, pixels=(100.0,), size=(10, 10), area=0.5):
    return Draw(window, size, area, np.array(retention), np.array(pixels), kept, micros, None)


def painted(scene):
    """Return each object as a canvas on which it is painted."""
    if scene.masks is not None:
        return [mask != 0 for mask in scene.masks.pixels]
    canvases = []
    for x0, y0, x1, y1 in np.rint(scene.boxes).astype(int).tolist():
        canvases.append(np.zeros(scene.size, dtype=bool))
        canvases[-1][y0:y1, x0:x1] = True
    return canvases


def shares_by_hand(scene, window):
    """Return what is left of each object, by painting it."""
    x0, y0, x1, y1 = window
    return [canvas[y0:y1, x0:x1].sum() / canvas.sum() for canvas in painted(scene)]


def pixels_by_hand(scene, one):
    """Return the pixels of the output that each object covers, by painting it and counting."""
    x0, y0, x1, y1 = one.window
    scale = one.size[0] * one.size[1] / ((x1 - x0) * (y1 - y0))
    return [canvas[y0:y1, x0:x1].sum() * scale for canvas in painted(scene)]


def promised(name, left, pixels):
    """Return whether a draw keeps what its content promises, from what was counted by hand."""
    left, pixels = np.array(left), np.array(pixels)
    if name == "masks":
        return ((left >= 0.5 - 1e-6) | (left <= 0.05 + 1e-6)).all() and (left >= 0.5 - 1e-6).any()
    if name == "small":
        return (left >= 0.7 - 1e-4).all() and (pixels >= 64 - 1e-2).all()
    return (pixels >= 64 - 1e-2).all()


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
    losses = Column("", lost, percent)
    assert losses.value(strip.plain) > 0.9
    assert losses.value(strip.guarded) == 0
    assert not any(map(broken, strip.guarded))
    assert min(pair.guarded.retention.min() for pair in strip.pairs) >= LIMIT - 1e-5


def test_windows_keep_their_size_in_the_panorama(strip):
    """No size is needed but the drawn one, so the guard must not buy its promise with larger windows."""
    assert set(strip.statuses) <= {"FIRST", "MOVED"}
    assert AREA.value(strip.plain) == AREA.value(strip.guarded)


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
    again = trial(pictures["panorama"], BOXES, 20, seed=0)
    other = trial(pictures["panorama"], BOXES, 20, seed=1)
    windows = [[(pair.plain.window, pair.guarded.window) for pair in each.pairs[:20]] for each in (strip, again, other)]
    assert windows[0] == windows[1] != windows[2]


def test_only_the_crops_to_show_are_held(portrait):
    for changed in (False, True):
        held = [pair.plain.crop is not None for pair in portrait.pairs if pair.changed == changed]
        assert held == [True] * WIDE + [False] * (len(held) - WIDE)


def test_progress_is_told_once_a_pair(pictures):
    calls = []
    trial(pictures["rocket"], BOXES, 7, seed=0, advance=lambda: calls.append(1))
    assert len(calls) == 7


def test_a_promise_that_cannot_be_met_is_told(pictures):
    """Objects at both ends of the panorama fit into no window."""
    ends = [(20.0, 60.0, 120.0, 190.0), (1880.0, 60.0, 1980.0, 190.0)]
    outcome = trial(pictures["panorama"]._replace(boxes=ends, labels=["left", "right"]), BOXES, 40, seed=0)
    assert outcome.statuses == {"UNMET": 40}
    assert all(map(broken, outcome.guarded))


# Other contents.


def test_the_coins_are_24_patches_that_hang_together_without_holes():
    scene = coins()
    assert scene.labels == ["coin"] * 24
    assert scene.masks.pixels.sum(axis=0).max() == 1  # no two share a pixel
    for whole in scene.masks.pixels:
        inside = np.argwhere(whole)
        (y0, x0), (y1, x1) = inside.min(axis=0), inside.max(axis=0) + 1
        mask, inside = whole[y0:y1, x0:x1], inside - (y0, x0)
        assert flooded(mask != 0, tuple(inside[0])).sum() == len(inside)
        ground = np.pad(mask == 0, 1, constant_values=True)
        assert flooded(ground, (0, 0), corners=True).sum() == ground.sum()
        assert 0.7 < len(inside) / (np.pi / 4 * np.prod(np.ptp(inside, axis=0) + 1)) < 1.1  # an ellipse, as coins are


def flooded(free, start, corners=False):
    """Return what can be reached from a pixel over the edges of pixels, and over their corners."""
    steps = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if corners or 0 in (y, x)]
    reached = np.zeros_like(free)
    ends = [start]
    while ends:
        y, x = ends.pop()
        if 0 <= y < free.shape[0] and 0 <= x < free.shape[1] and free[y, x] and not reached[y, x]:
            reached[y, x] = True
            ends += [(y + down, x + right) for down, right in steps]
    return reached


def test_the_horse_is_what_is_black_and_far_from_its_box():
    scene = horse()
    (mask,) = scene.masks.pixels
    assert np.array_equal(mask == 1, scene.image[:, :, 0] == 0)
    ((x0, y0, x1, y1),) = scene.boxes
    assert mask.sum() < 0.4 * (x1 - x0) * (y1 - y0)


@pytest.mark.parametrize("make", [coins, horse])
def test_boxes_bound_masks_and_rings_enclose_them(make):
    scene = make()
    for mask, (x0, y0, x1, y1), rings in zip(scene.masks.pixels, scene.boxes, scene.masks.rings, strict=True):
        y, x = np.nonzero(mask)
        assert (x.min(), y.min(), x.max() + 1, y.max() + 1) == (x0, y0, x1, y1)
        points = np.concatenate(rings)
        assert points.min(axis=0) == pytest.approx((x0, y0))
        assert points.max(axis=0) == pytest.approx((x1, y1))
        # The shoelace formula; lines between pixels cut off their corners, and turn the other way around holes.
        area = abs(sum(np.cross(ring[:-1], ring[1:]).sum() / 2 for ring in map(flat, rings)))
        assert area == pytest.approx(mask.sum(), rel=0.02)


def flat(ring):
    return np.pad(np.array(ring), ((0, 0), (0, 1)))


def test_the_sources_are_bright_and_lie_in_the_field():
    scene = deep_field()
    assert len(scene.boxes) == 8
    bright = scene.image.max(axis=2)
    for x0, y0, x1, y1 in scene.boxes:
        assert FIELD[0] <= x0 < x1 <= FIELD[2]
        assert FIELD[1] <= y0 < y1 <= FIELD[3]
        x, y = slice(int(x0), int(x1)), slice(int(y0), int(y1))
        assert bright[y, x].mean() > 80 > np.median(bright) + 50
        assert (x1 - x0) * (y1 - y0) < 1000  # of 872000 pixels


def test_small_objects_are_small_and_drawn_in_their_pictures():
    for scene in small():
        height, width = scene.size
        for x0, y0, x1, y1 in scene.boxes:
            assert 0 <= x0 < x1 <= width
            assert 0 <= y0 < y1 <= height
            assert (x1 - x0) * (y1 - y0) < 0.025 * height * width


def test_every_scene_is_rgb_and_says_what_was_not_drawn_by_hand():
    for scene in [*masked(), *shrinking()]:
        assert scene.image.shape == (*scene.size, 3)
        assert scene.image.dtype == np.uint8
        assert bool(scene.note) == (scene.name != "astronaut")


@OTHERS
def test_what_is_measured_is_what_painted_objects_show(trials, name):
    for each in trials[name]:
        for pair in each.pairs[:20]:
            for one in pair:
                assert one.retention == pytest.approx(shares_by_hand(each.scene, one.window))
                assert one.pixels == pytest.approx(pixels_by_hand(each.scene, one))
                assert one.scale**2 * np.prod([one.window[2] - one.window[0], one.window[3] - one.window[1]]) == (
                    pytest.approx(one.size[0] * one.size[1])
                )


@OTHERS
def test_guarded_breaks_its_promise_only_where_it_says_so(trials, name):
    for each in trials[name]:
        bad = [
            not promised(name, shares_by_hand(each.scene, one.window), pixels_by_hand(each.scene, one))
            for one in each.guarded
        ]
        assert sum(bad) == each.statuses.get("UNMET", 0) == 0  # each of these promises can be met
        assert bad == list(map(broken, each.guarded))


@OTHERS
def test_plain_breaks_it_often_and_the_guard_changes_just_those(trials, name):
    for each in trials[name]:
        for pair in each.pairs:
            one = pair.plain
            kept = promised(name, shares_by_hand(each.scene, one.window), pixels_by_hand(each.scene, one))
            assert one.kept == kept
            assert pair.changed == (not kept)
        assert each.statuses["FIRST"] == sum(one.kept for one in each.plain) < 0.95 * FEW


@OTHERS
def test_statuses_of_other_contents_count_every_draw(trials, name):
    allowed = {"resize": {"FIRST", "RESIZED"}}.get(name, {"FIRST", "MOVED", "RESIZED"})
    for each in trials[name]:
        assert sum(each.statuses.values()) == FEW
        assert set(each.statuses) <= allowed


def test_moved_coins_keep_the_size_of_their_windows(trials):
    """Each coin whole or gone needs no other size, so the guard must not buy it with larger windows."""
    assert trials["masks"][0].statuses.get("RESIZED", 0) == 0
    assert AREA.value(trials["masks"][0].plain) == AREA.value(trials["masks"][0].guarded)


def test_a_resize_cuts_nothing(trials):
    for each in trials["resize"]:
        for pair in each.pairs:
            for one in pair:
                assert one.window == (0, 0, each.scene.size[1], each.scene.size[0])
                assert (one.retention == 1).all()
                assert 0.1 - 0.01 < one.scale <= 1


def test_the_guard_returns_the_masks_of_the_window_it_says():
    """The pipeline of the demonstration, called by hand: its masks are the windows of those that went in."""
    scene = coins()
    pipeline = A.Compose([MASKS.guarded()], seed=3, save_applied_params=True)
    sample = pipeline(image=scene.image, masks=scene.masks.pixels)
    x0, y0, x1, y1 = sample["applied_transforms"][0][1]["crop_coords"]
    scale = 224 * 224 / ((x1 - x0) * (y1 - y0))
    came = [(mask != 0).sum() / scale for mask in sample["masks"]]
    expected = [mask[y0:y1, x0:x1].sum() for mask in scene.masks.pixels]
    assert came == pytest.approx(expected, rel=0.05, abs=30)


@pytest.mark.parametrize("name", SETTINGS)
def test_hints_are_the_lines_that_were_run(name):
    setting = SETTINGS[name]
    for line, made in zip(setting.words.hint, (setting.plain, setting.guarded), strict=True):
        written = eval(line, {"A": A, "safeaug": safeaug})
        assert written.to_dict() == made().to_dict()


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_judges_by_the_policy_that_its_guard_holds_to(name):
    setting = SETTINGS[name]
    given = setting.guarded().to_dict()["transform"]
    assert {field: given[field] for field in setting.policy.to_dict()} == setting.policy.to_dict()


@pytest.mark.parametrize("name", SETTINGS)
def test_words_fit_the_terminal_and_the_sheet(name):
    from safeaug.report import ink

    words = SETTINGS[name].words
    assert max(map(len, words.legend.splitlines())) <= 80
    assert max(ink.font(16).getlength(line.format(seed=12345)) for line in words.lines) <= INNER
    assert len(SETTINGS[name].columns) >= 3


# Columns.


KNOWN = [
    draw((0, 0, 10, 10), (1.0, 0.0), False, 1.0, (90.0, 0.0), area=0.1),
    draw((0, 0, 20, 10), (0.4, 0.9), False, 9.0, (70.0, 50.0), area=0.2),
    draw((0, 0, 10, 30), (0.5, 1.0), True, 2.0, (64.0, 64.0), area=0.3),
    draw((0, 0, 10, 10), (0.0, 0.3), True, 3.0, (80.0, 99.0), area=0.1),
    draw((0, 0, 10, 10), (0.6, 0.04), True, 3.0, (80.0, 99.0), area=0.1),
]


@pytest.mark.parametrize(
    "question, answers",
    [
        (lost, [1, 0, 0, 1, 0]),
        (broken, [1, 1, 0, 0, 0]),
        (below(LIMIT), [1, 1, 0, 1, 1]),
        (none_left(LIMIT), [0, 0, 0, 1, 0]),
        (none_left(0.6), [0, 0, 0, 1, 0]),
        (slivers(LIMIT), [0, 1, 0, 1, 0]),
        (under(FLOOR), [1, 1, 0, 0, 0]),
        (fewest, [0, 50, 64, 80, 80]),
    ],
)
def test_questions_of_known_draws(question, answers):
    assert [question(each) for each in KNOWN] == answers


def test_columns_of_known_draws():
    assert Column("", lost, percent).text(KNOWN) == "40.0 %"
    assert AREA.text(KNOWN) == "16.0 %"
    assert MICROS.text(KNOWN) == "3"
    assert Column("", fewest, "{:.1f}".format, min).text(KNOWN) == "0.0"


def test_what_the_guard_lets_pass_for_rounding_is_not_told_as_a_breach():
    assert not below(SMALL_LIMIT)(draw(retention=(0.7 - 1e-6,)))
    assert not under(FLOOR)(draw(pixels=(64 - 1e-4,)))
    assert below(SMALL_LIMIT)(draw(retention=(0.699,)))
    assert under(FLOOR)(draw(pixels=(63.9,)))


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
    sheet([strip, portrait], BOXES, seed=0).save(path)
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
    one, two = sheet([strip], BOXES, seed=0), sheet([strip, portrait], BOXES, seed=0)
    assert two.height > one.height + 400
    above = one.height - MARGIN
    assert np.array_equal(np.asarray(one)[:above], np.asarray(two)[:above])


def test_sheet_frames_a_loss_and_a_kept_crop_in_different_colours(strip):
    from safeaug.report import ink

    pixels = np.asarray(sheet([strip], BOXES, seed=0)).reshape(-1, 3)
    lost, kept = ((pixels == colour).all(axis=1).sum() for colour in (ink.BAD, ink.GOOD))
    assert lost > 10_000
    assert kept > 10_000


@pytest.mark.parametrize("windows", [1, 2])
def test_sheet_of_fewer_draws_than_columns(pictures, windows):
    image = sheet([trial(scene, BOXES, windows, seed=0, shown=WIDE) for scene in pictures.values()], BOXES, seed=0)
    assert image.width == INNER + 2 * MARGIN


@OTHERS
def test_sheets_of_other_contents_show_both_outcomes_and_stay_in_their_margins(trials, name):
    from safeaug.report import ink

    image = sheet(trials[name], SETTINGS[name], seed=0)
    pixels = np.asarray(image)
    assert pixels.shape[:2] == (image.height, INNER + 2 * MARGIN)
    edge = np.ones(pixels.shape[:2], dtype=bool)
    edge[MARGIN:-MARGIN, MARGIN:-MARGIN] = False
    assert (pixels[edge] == 255).all()
    for colour in (ink.BAD, ink.GOOD):
        assert (pixels == colour).all(axis=2).sum() > 5_000


@pytest.mark.parametrize("name", ["masks", "resize"])
def test_sheets_of_one_draw(name):
    setting = SETTINGS[name]
    image = sheet([trial(scene, setting, 1, seed=0, shown=WIDE) for scene in setting.scenes()], setting, seed=0)
    assert image.width == INNER + 2 * MARGIN


def test_a_mask_is_outlined_along_its_edge_and_not_along_its_box():
    from safeaug.demo.picture import picture

    scene = horse()
    grey = scene._replace(image=np.full_like(scene.image, 128))
    drawn = np.asarray(picture(grey, [], scene.size[1]))
    (mask,) = scene.masks.pixels
    inner = mask.astype(bool)
    edge = np.zeros_like(inner)
    edge[1:] |= inner[1:] != inner[:-1]
    edge[:, 1:] |= inner[:, 1:] != inner[:, :-1]
    white = (drawn == 255).all(axis=2)
    white[:60, :90] = False  # its name
    away = [np.hypot(*(np.argwhere(edge) - at).T).min() for at in np.argwhere(white)]
    assert len(away) > 1000
    assert max(away) < 3


def test_only_windows_are_outlined_that_cut(trials):
    from safeaug.report import ink

    for name, count in (("small", 1), ("resize", 0)):
        setting = SETTINGS[name]
        pixels = np.asarray(sheet(trials[name][:1], setting, seed=0))[200:, MARGIN : MARGIN + 360]
        assert ((pixels == ink.GUARDED).all(axis=2).sum() > 500) == bool(count)


@pytest.mark.parametrize("scale", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("box", [(0, 0, 11, 10), (569, 402, 593, 410), (960, 800, 1000, 872), (0, 0, 1000, 872)])
def test_a_close_up_is_a_square_of_whole_pixels_in_the_output_that_holds_the_middle_of_its_object(scale, box):
    scene = Scene("any", np.zeros((872, 1000, 3), np.uint8), [(0, 0, 999, 871), box], ["a", "b"])
    size = int(872 * scale), int(1000 * scale)
    one = draw((0, 0, 1000, 872), (1.0, 1.0), pixels=(1e6, 2.0), size=size)
    x0, y0, x1, y1 = close_up(scene, one)
    assert all(isinstance(each, int) for each in (x0, y0, x1, y1))
    assert 0 <= x0 < x1 <= size[1]
    assert 0 <= y0 < y1 <= size[0]
    assert x1 - x0 == y1 - y0
    middle = [(box[0] + box[2]) / 2 * size[1] / 1000, (box[1] + box[3]) / 2 * size[0] / 872]
    assert x0 <= middle[0] <= x1
    assert y0 <= middle[1] <= y1


@pytest.mark.parametrize(
    "alone, changed, expected", [(9, 9, (2, 2)), (99, 1, (3, 1)), (1, 99, (1, 3)), (9, 0, (4, 0)), (0, 9, (0, 4))]
)
def test_shown_draws_stand_for_all(alone, changed, expected):
    pairs = [Pair(draw(), draw())] * alone + [Pair(draw(), draw((5, 5, 15, 15)))] * changed
    shown = chosen(pairs, NARROW)
    assert (sum(not pair.changed for pair in shown), sum(pair.changed for pair in shown)) == expected


def test_seen_part_of_a_box():
    assert seen((0, 20, 30, 40), (10, 0, 110, 100), (50, 50)) == (0, 10, 10, 20)
    x0, _, x1, _ = seen((0, 20, 5, 40), (10, 0, 110, 100), (50, 50))
    assert x0 > x1
    assert moved([(10, 0), (110, 100)], (10, 0, 110, 100), (50, 25)) == [(0, 0), (25, 50)]


@pytest.mark.parametrize(
    "share, text", [(0.0, "0 %"), (0.004, "< 1 %"), (0.499, "49 %"), (0.4999999, "50 %"), (1.0, "100 %")]
)
def test_what_is_left_is_rounded_down(share, text):
    assert least_left(TWO, draw(retention=(1.0, share))) == ("dog" if share < 1 else "cat", f"{text} kept")


TWO = Scene("any", np.zeros((10, 10, 3), np.uint8), [(0, 0, 1, 1), (1, 1, 2, 2)], ["cat", "dog"])
COINS = TWO._replace(labels=["coin", "coin"])


@pytest.mark.parametrize(
    "shares, expected",
    [
        ((1.0, 0.0), ("1 of 2 coins", "100 % kept")),
        ((1.0, 0.05), ("1 of 2 coins", "100 % kept")),
        ((1.0, 0.3), ("2 of 2 coins", "30 % kept")),
        ((0.0, 0.04), ("0 of 2 coins", "4 % kept")),
        ((0.0, 0.0), ("0 of 2 coins", "0 % kept")),
    ],
)
def test_of_whole_or_gone_the_worst_that_is_there_is_told(shares, expected):
    assert least_there(COINS, draw(retention=shares)) == expected
    assert least_there(TWO._replace(labels=["cat"]), draw(retention=shares[:1])).label == "cat"


@pytest.mark.parametrize(
    "shares, pixels, expected",
    [
        ((1.0, 1.0), (500.0, 63.5), ("dog", "63 px")),
        ((0.0, 1.0), (0.0, 63.5), ("cat", "0 % kept")),
        ((0.3, 1.0), (500.0, 63.5), ("cat", "30 % kept")),
        ((0.8, 1.0), (500.0, 900.0), ("cat", "80 % kept")),
        ((1.0, 1.0), (65.0, 64 - 1e-4), ("dog", "64 px")),
    ],
)
def test_of_small_objects_the_one_that_is_worst_off_is_told(shares, pixels, expected):
    assert worst_off(SMALL_LIMIT, FLOOR)(TWO, draw(retention=shares, pixels=pixels)) == expected


@pytest.mark.parametrize("pixels, text", [(0.0, "0 px"), (0.4, "< 1 px"), (63.9, "63 px"), (64 - 1e-4, "64 px")])
def test_of_shrunk_objects_the_smallest_is_told(pixels, text):
    assert fewest_pixels(TWO, draw(pixels=(900.0, pixels))) == ("dog", text)


# The room.


def test_missing_pictures_are_named_with_what_installs_them():
    code = """
import sys
sys.modules["skimage"] = None
from safeaug.errors import MissingHostError
try:
    import safeaug.demo.scenes
except MissingHostError as error:
    print(error)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "needs scikit-image" in result.stdout
    assert 'pip install "safeaug[demo]"' in result.stdout


def test_scenes_travel_with_the_package():
    import safeaug.demo

    assert all((Path(safeaug.demo.__file__).parent / name).is_file() for name in ("scenes.json", "details.json"))


def test_every_picture_is_shipped_in_the_wheel_of_scikit_image():
    """So that a demonstration needs no network."""
    files = {Path(str(file)).stem for file in importlib.metadata.files("scikit-image") or ()}
    assert {"astronaut", "camera", "coffee", "rocket", "coins", "horse", "hubble_deep_field"} <= files
