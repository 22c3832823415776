"""The project's own gallery: its scripts run, and each story is true, of the plain pipeline and of the guarded one."""

import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest
import typer
from PIL import Image
from typer.testing import CliRunner

pytest.importorskip("albumentations")
pytest.importorskip("skimage")

import safeaug
from safeaug.demo.masked import coins

HOME = Path(__file__).parent.parent / "gallery"
NAMES = ["panorama", "small_objects", "chain", "masks"]
LARGEST = 150_000
DRAWS = 12


@pytest.fixture(scope="module")
def script():
    """Import a script of the gallery as Python does when it is run: its folder comes first on the path."""
    sys.path.insert(0, str(HOME))
    yield importlib.import_module
    sys.path.remove(str(HOME))
    for file in HOME.glob("*.py"):
        sys.modules.pop(file.stem, None)  # names such as ``story`` are not left to other tests


@pytest.fixture(scope="module")
def stories(script):
    return {story.name: story for story in script("build").STORIES}


def test_every_script_is_a_story_that_is_built_and_told(stories):
    scripts = {file.stem for file in HOME.glob("*.py")} - {"build", "sheet", "shots", "story"}
    assert scripts == set(stories) == set(NAMES)
    text = (HOME / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}.py`" in text and f"]({name}.png)" in text for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_story_is_true(stories, name):
    """The plain pipeline passes a limit, and guarded as a whole it passes none."""
    story = stories[name]
    for variant, make in story.pipelines.items():
        record = safeaug.audit(
            make(), story.samples(), draws=DRAWS, policy=story.policy, protect=story.protect, pixels=False
        )
        found = record.summary(max_damaged=story.max_damaged, max_emptied=story.max_emptied)
        assert (found.verdict == "fail") == (variant != "guarded"), f"{name}, {variant}: {found.why}"


def test_of_the_panorama_nothing_is_left(stories):
    """As the story says: of the strip no draw shows the rocket, and of the others nearly all show something."""
    story = stories["panorama"]
    rates = safeaug.audit(story.pipelines["plain"](), story.samples(), draws=DRAWS, pixels=False).summary().rates
    emptied = {rate.name: rate.emptied.rate for rate in rates if rate.kind == "aspect"}
    assert emptied.pop("4:1 and wider") > 0.9
    assert max(emptied.values()) < 0.2


@pytest.mark.parametrize("name", [*NAMES, "light", "dark", "detail"])
def test_pictures_that_are_kept_are_small(name):
    file = HOME / f"{name}.png"
    assert file.stat().st_size < LARGEST
    with Image.open(file) as image:
        assert image.format == "PNG"
        assert not image.info.keys() - {"transparency", "dpi"}
        assert image.width <= 1600


@pytest.mark.parametrize("name", NAMES)
def test_a_sheet_shows_the_same_draws_without_the_guard_and_with_it(script, stories, name):
    story, sheet = stories[name], script("sheet")
    sample = next(each for each in story.samples() if each.id == story.shown)
    plain, guarded = story.pipelines["plain"](), story.pipelines["guarded"]()
    pairs = list(sheet.pairs_of(plain, guarded, sample))
    limit = story.policy.min_retention
    changed = [not np.array_equal(one.left, other.left) for one, other in pairs]
    assert sum(changed) == sheet.CHANGED
    assert len(changed) - sum(changed) <= sheet.ALONE
    for (one, other), different in zip(pairs, changed, strict=True):
        assert np.asarray(other.left).min() >= limit - 1e-3
        # Small objects are moved for their pixels, too.
        assert different == (np.asarray(one.left).min() < limit - 1e-3) or name == "small_objects"


def test_boxes_are_shown_as_the_host_hands_them_on(script):
    rows = [[0.5, -0.2, 1.4, 0.5, 3], [1.1, 0, 1.2, 0.5, 4], [0.2, 0.2, 0.3, 0.3, 5]]
    assert script("sheet").handed_on(rows).tolist() == [[0.5, 0, 1, 0.5, 3], [0.2, 0.2, 0.3, 0.3, 5]]
    assert script("sheet").handed_on([]).shape[0] == 0


def test_parts_hold_all_coins_and_none_twice(script):
    parts = script("masks").pictures()[:-2]
    assert sum(len(scene.boxes) for scene in parts) == len(coins().boxes)
    for scene in [*parts, *script("masks").pictures()[-2:]]:
        assert len(scene.boxes) == len(scene.labels) == len(scene.masks.pixels)
        for (x0, y0, x1, y1), mask in zip(np.array(scene.boxes).astype(int), scene.masks.pixels, strict=True):
            rows, columns = np.nonzero(mask)
            assert (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1) == (x0, y0, x1, y1)


def run(script, *arguments):
    app = typer.Typer()
    app.command()(script("build").main)
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"})


def test_the_pages_are_written_and_lead_to_each_other(script, stories, tmp_path):
    done = run(script, "--out", str(tmp_path / "pages"), "--draws", "2", "--cards", "2")
    assert done.exit_code == 0, done.output
    index = (tmp_path / "pages" / "index.html").read_text(encoding="utf-8")
    assert "<script" not in index
    links = set(re.findall(r'(?:href|src)="([^"]+)"', index))
    assert links == {file.name for file in (tmp_path / "pages").iterdir()} - {"index.html"}
    for story in stories.values():
        assert (tmp_path / "pages" / f"{story.name}.png").stat().st_size < LARGEST
        for variant in story.pipelines:
            page = tmp_path / "pages" / f"{story.name}-{variant.replace(' ', '-')}.html"
            text = page.read_text(encoding="utf-8")
            assert f"gallery/{story.name}.py:samples" in text
            assert "Content-Security-Policy" in text
            assert str(tmp_path) not in text
            assert "data:image/webp;base64," in text


def test_one_story_alone(script, tmp_path):
    assert run(script, "--out", str(tmp_path), "--draws", "2", "--cards", "2", "--only", "masks").exit_code == 0
    assert {file.name for file in tmp_path.iterdir()} == {"masks.png", "masks-plain.html", "masks-guarded.html"}
    strange = run(script, "--out", str(tmp_path / "no"), "--only", "horses")
    assert strange.exit_code == 2
    assert "panorama" in strange.output
    assert not (tmp_path / "no").exists()
