"""The demonstration with torchvision: what it shows is so, and what it cannot show it says."""

import math
import sys

import numpy as np
import pytest
from PIL import Image

from tests.cli_worlds import run

pytest.importorskip("skimage")
pytest.importorskip("torch")
pytest.importorskip("torchvision")

import torch
from torchvision.transforms import v2

import safeaug
from safeaug.demo.column import AREA, broken, lost
from safeaug.demo.hosts import HOSTS, settings_of
from safeaug.demo.hosts.torchvision import SETTINGS
from safeaug.demo.made import FLOOR, LARGE, OUTPUT
from safeaug.demo.sheet import INNER, WIDE, sheet
from safeaug.demo.trial import trial
from safeaug.errors import MissingHostError

BOXES = SETTINGS["boxes"]
CONTENTS = "boxes", "masks", "small", "resize"
DRAWS, FEW, SIGMAS = 1000, 40, 4.5
"""Of so many draws a share lies within so many of its standard deviations, but for 7 in a million samples."""


@pytest.fixture(scope="module")
def panorama():
    return BOXES.scenes()[0]


@pytest.fixture(scope="module")
def strip(panorama):
    """Trial of the panorama."""
    return trial(panorama, BOXES, DRAWS, seed=0, shown=WIDE)


@pytest.fixture(scope="module")
def trials():
    """Of each content, a few draws on all of its pictures."""
    return {
        name: [trial(scene, setting, FEW, seed=0, shown=WIDE) for scene in setting.scenes()]
        for name, setting in SETTINGS.items()
    }


def lost_in_law(image_size, box, draws, seed):
    """Return in which share of draws a resized crop shows nothing of a box: the host's law, written down again."""
    rng, (height, width), (x0, y0, x1, y1) = np.random.default_rng(seed), image_size, box
    count = 0
    for _ in range(draws):
        for _ in range(10):
            area, ratio = height * width * rng.uniform(0.08, 1), math.exp(rng.uniform(math.log(3 / 4), math.log(4 / 3)))
            wide, high = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if 0 < wide <= width and 0 < high <= height:
                left, top = rng.integers(0, width - wide + 1), rng.integers(0, height - high + 1)
                break
        else:  # the widest window that the ratio allows, in the middle of a strip
            wide, high = round(height * 4 / 3), height
            left, top = (width - wide) // 2, 0
        count += not (left < x1 and x0 < left + wide and top < y1 and y0 < top + high)
    return count / draws


def bound(share, draws):
    return SIGMAS * math.sqrt(share * (1 - share) / draws)


# What is shown.


def test_plain_loses_the_rocket_as_often_as_the_law_says_and_guarded_never(strip):
    share = lost_in_law(strip.scene.size, strip.scene.boxes[0], 40_000, seed=1)
    assert 0.97 < share < 0.995
    assert abs(np.mean([lost(draw) for draw in strip.plain]) - share) < bound(share, DRAWS) + bound(share, 40_000)
    assert not any(map(lost, strip.guarded))
    assert not any(map(broken, strip.guarded))


def test_the_story_as_it_is_told(panorama):
    """An object at x 20 to 120 of a 200 × 2000 picture: lost in 98 % of plain draws, in none of the guarded."""
    scene = panorama._replace(boxes=[(20.0, 50.0, 120.0, 150.0)])
    told = trial(scene, BOXES, DRAWS, seed=2)
    share = lost_in_law(scene.size, scene.boxes[0], 40_000, seed=3)
    assert abs(share - 0.98) < 0.01
    assert abs(np.mean([lost(draw) for draw in told.plain]) - share) < bound(share, DRAWS) + bound(share, 40_000)
    assert not any(map(broken, told.guarded))


def test_windows_keep_their_size_in_the_panorama(strip):
    assert set(strip.statuses) <= {"FIRST", "MOVED"}
    assert AREA.value(strip.plain) == AREA.value(strip.guarded)


def test_shots_are_what_their_windows_hold(strip):
    """Of each crop that is held, the window is cut again by hand and resized as the host resizes."""
    for pair in strip.pairs:
        for one in pair:
            if one.crop is None:
                continue
            x0, y0, x1, y1 = one.window
            part = torch.from_numpy(strip.scene.image[y0:y1, x0:x1].copy()).permute(2, 0, 1)
            again = v2.functional.resize(part, list(OUTPUT), antialias=True).permute(1, 2, 0).numpy()
            assert np.array_equal(again, one.crop)


@pytest.mark.parametrize("name", CONTENTS)
def test_the_guard_changes_just_what_plain_spoils_and_spoils_nothing(trials, name):
    for each in trials[name]:
        assert sum(each.statuses.values()) == FEW
        assert "UNMET" not in each.statuses
        for pair in each.pairs:
            assert pair.guarded.kept
            assert pair.changed == (not pair.plain.kept)
    assert any(not pair.plain.kept for each in trials[name] for pair in each.pairs)


def test_a_scale_cuts_nothing_and_stays_in_the_hosts_range(trials):
    for each in trials["resize"]:
        height, width = each.scene.size
        fit = min(LARGE[0] / height, LARGE[1] / width)
        for pair in each.pairs:
            for one in pair:
                assert one.window == (0, 0, width, height)
                assert 0.1 * fit - 0.01 < one.scale < 2 * fit + 0.01
        assert min(pair.guarded.pixels.min() for pair in each.pairs) >= FLOOR * (1 - 1e-4)


def test_same_seed_same_draws_and_another_seed_others(panorama, strip):
    again, other = (trial(panorama, BOXES, 20, seed=seed) for seed in (0, 1))
    windows = [[(pair.plain.window, pair.guarded.window) for pair in each.pairs[:20]] for each in (strip, again, other)]
    assert windows[0] == windows[1] != windows[2]


def test_a_trial_leaves_torchs_generator_and_threads_as_they_were(panorama):
    torch.manual_seed(5)
    threads, expected = torch.get_num_threads(), torch.rand(3)
    torch.manual_seed(5)
    trial(panorama, BOXES, 5, seed=0)
    assert torch.equal(torch.rand(3), expected)
    assert torch.get_num_threads() == threads


# What is said.


def test_both_hosts_show_the_same_things():
    pytest.importorskip("albumentations")
    assert [list(settings_of(host)) for host in HOSTS] == [list(CONTENTS)] * 2


@pytest.mark.parametrize("name", CONTENTS)
def test_hints_are_the_lines_that_were_run(name):
    setting = SETTINGS[name]
    for line, made in zip(setting.words.hint, (setting.plain, setting.guarded), strict=True):
        written = eval(line, {"v2": v2, "safeaug": safeaug})
        assert repr(written).replace("'", "") == repr(made()).replace("'", "")
        assert type(written) is type(made())


@pytest.mark.parametrize("name", CONTENTS)
def test_words_fit_the_terminal_and_the_sheet(name):
    from safeaug.report import ink

    words = SETTINGS[name].words
    assert max(map(len, words.legend.splitlines())) <= 80
    assert max(ink.font(16).getlength(line.format(seed=12345)) for line in words.lines) <= INNER
    assert "of torchvision" in words.lines[0]


@pytest.mark.parametrize("name", CONTENTS)
def test_sheets_show_both_outcomes(trials, name):
    from safeaug.report import ink

    pixels = np.asarray(sheet(trials[name], SETTINGS[name], seed=0))
    for colour in (ink.BAD, ink.GOOD):
        assert (pixels == colour).all(axis=2).sum() > 5_000


# The command.


def test_the_command_writes_table_and_sheet(tmp_path):
    result = run("demo", "--host", "torchvision", "--windows", "40", "--out", str(tmp_path / "a.png"))
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    assert text.startswith("On a 2000 × 200 panorama, plain lost the rocket in ")
    assert "; guarded in 0 of 40." in text
    *_, before, after = result.output.splitlines()
    assert before == "  - v2.RandomResizedCrop(224)"
    assert after == "  + safeaug.torchvision.RandomResizedCrop(224, min_retention=0.5)"
    with Image.open(tmp_path / "a.png") as image:
        assert image.format == "PNG"
        assert image.height > 2500


def test_the_audit_is_refused_before_anything_is_drawn(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("demo", "--host", "torchvision", "--audit")
    assert result.exit_code == 2
    assert "--audit goes with --host albumentations, got torchvision" in " ".join(
        result.output.replace("│", "").split()
    )
    assert not list(tmp_path.iterdir())


def test_torchvision_is_shown_where_albumentations_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "albumentations", None)
    assert settings_of(None) is SETTINGS
    with pytest.raises(MissingHostError, match="--host albumentations needs albumentations"):
        settings_of("albumentations")


def test_albumentations_is_shown_by_default():
    pytest.importorskip("albumentations")
    from safeaug.demo.hosts import albumentations

    assert settings_of(None) is albumentations.SETTINGS
