"""The project's own gallery: its scripts run, each story is true, and its other pages say what their pictures show."""

import importlib
import itertools
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import typer
from PIL import Image
from typer.testing import CliRunner

pytest.importorskip("albumentations")
pytest.importorskip("skimage")
pytest.importorskip("torchvision")

import safeaug
from safeaug.demo.masked import coins
from safeaug.geometry import size_of
from tests.test_browser import AXE, CHROMIUM, RULES, needs

HOME = Path(__file__).parent.parent / "gallery"
NAMES = ["panorama", "small_objects", "chain", "masks"]
LARGEST = 150_000
DRAWS = 12

ELEMENTS = set(re.findall(r"\w+", "html meta title style main h1 h2 p code em div table tr th td img"))
"""What may stand in a page of saliency: nothing that acts, and nothing that leads elsewhere."""


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
    others = {"build", "document", "paper", "sheet", "shots", "story"}
    others |= {"heat", "look", "saliency", "faults", "film", "tripwires"}
    scripts = {file.stem for file in HOME.glob("*.py")} - others
    assert scripts == set(stories) == set(NAMES)
    text = (HOME / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}.py`" in text and f"]({name}.png)" in text for name in [*NAMES, "saliency", "tripwires"])


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


@pytest.mark.parametrize("name", [*NAMES, "saliency", "tripwires", "light", "dark", "detail"])
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


@pytest.fixture
def rocket(script, monkeypatch):
    """Let the page of saliency show one picture, the rocket: all of them take a while."""
    saliency = script("saliency")
    one = next(scene for scene in saliency.pictures() if scene.name == "rocket")
    monkeypatch.setattr(saliency, "pictures", lambda: [one])
    return one


@pytest.mark.usefixtures("rocket")
def test_the_pages_are_written_and_lead_to_each_other(script, stories, tmp_path):
    done = run(script, "--out", str(tmp_path / "pages"), "--draws", "2", "--cards", "2")
    assert done.exit_code == 0, done.output
    index = (tmp_path / "pages" / "index.html").read_text(encoding="utf-8")
    assert "<script" not in index
    links = set(re.findall(r'(?:href|src)="([^"]+)"', index))
    files = {file.name for file in (tmp_path / "pages").iterdir() if file.suffix != ".webp"}
    assert links == files - {"index.html"}
    assert all(image["alt"] for image in Read(index).all("img"))
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


# Saliency.


class Read(HTMLParser):
    """A page as a browser reads it: its elements with their attributes, and its text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag):
        return [attrs for each, attrs in self.tags if each == tag]


@pytest.fixture(scope="module")
def looks(script):
    """What saliency makes of each picture, by name; looked at when it is asked for, and once."""
    saliency, look = script("saliency"), script("look")
    scenes = {scene.name: scene for scene in saliency.pictures()}
    held = {}
    return lambda name: held.get(name) or held.setdefault(name, look.looked(scenes[name], 60))


@pytest.mark.usefixtures("rocket")
def test_the_page_of_saliency_is_inert_and_complete(script, tmp_path):
    assert run(script, "--out", str(tmp_path), "--draws", "2", "--only", "saliency").exit_code == 0
    assert {file.name for file in tmp_path.iterdir()} == {"saliency.html", "saliency.png", "saliency-rocket.webp"}
    page = (tmp_path / "saliency.html").read_text(encoding="utf-8")
    read = Read(page)
    assert {tag for tag, _ in read.tags} <= ELEMENTS
    assert all(not name.startswith("on") and name != "href" for _, attrs in read.tags for name in attrs)
    (policy,) = [each["content"] for each in read.all("meta") if each.get("http-equiv") == "Content-Security-Policy"]
    assert policy == "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'"
    (image,) = read.all("img")
    assert image["alt"].startswith("rocket: ")
    for name in (image["src"], "saliency.png"):
        with Image.open(tmp_path / name) as picture:
            picture.load()
            assert picture.width > 1000
    assert (tmp_path / "saliency.png").stat().st_size < LARGEST
    assert "safeaug saliency check" in read.texts
    look = script("look").looked(script("saliency").pictures()[0], 2)
    figures = [f"{value:.2f}" for value in look.agreements.values()]
    assert read.texts[(at := read.texts.index("rocket")) + 1 : at + 1 + len(figures)] == figures


def test_of_a_picture_without_boxes_nothing_is_compared(script, looks):
    look = looks("chelsea")
    assert (look.agreements, look.held) == ({}, None)
    assert any(cells.any() for cells in look.maps.values())
    texts = Read(script("saliency").html([look], 60)).texts
    assert texts[texts.index("chelsea") + 1] == "no box"


def test_every_picture_is_told_of_and_its_boxes_lie_in_it(script):
    saliency = script("saliency")
    scenes = {scene.name: scene for scene in saliency.pictures()}
    assert scenes.keys() == saliency.TEXTS.keys() >= set(saliency.KEPT)
    for scene in scenes.values():
        height, width = scene.size
        assert len(scene.boxes) == len(scene.labels)
        assert all(0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height for x0, y0, x1, y1 in scene.boxes)


@pytest.mark.parametrize("name", ["rocket", "astronaut", "chelsea"])
def test_windows_are_moved_and_keep_their_sizes(looks, name):
    pairs = looks(name).trial.pairs
    assert all(size_of(pair.plain.window) == size_of(pair.guarded.window) for pair in pairs)
    # A fifth of the windows will do, so four in five are moved: fewer than half of 60 has a chance below 1e-7.
    assert sum(pair.changed for pair in pairs) >= 30


def kept(look):
    """Return the share of each object in a window, in the mean over windows, plain and guarded."""
    return (np.mean([draw.retention for draw in draws], axis=0) for draws in (look.trial.plain, look.trial.guarded))


@pytest.mark.parametrize(
    "name, more, less",
    [
        ("rocket", ["rocket"], []),
        ("astronaut", ["person"], ["face", "shuttle model"]),
        ("astronaut in detail", ["patch", "name tag"], ["eye"]),
        ("garage", ["bottle", "can", "box"], ["socket", "wheel"]),
    ],
)
def test_what_is_told_of_windows_is_true(looks, name, more, less):
    look = looks(name)
    plain, guarded = kept(look)
    for label, before, after in zip(look.scene.labels, plain, guarded, strict=True):
        assert after > before or label not in more
        assert after < before or label not in less


def test_what_is_told_of_maps_is_true(looks):
    coins, rocket, garage = (looks(name).agreements for name in ("coins", "rocket", "garage"))
    assert coins["auto"] > 0.9
    assert coins["center"] < 0.65
    assert rocket["center"] == pytest.approx(rocket["auto"], abs=0.05)
    assert max(garage.values()) < 0.7


def test_the_lighter_the_more_it_stands_out(script):
    heat, scene = script("heat"), coins()._replace(image=np.full((64, 128, 3), 90, np.uint8), boxes=[], masks=None)
    ramp = np.tile(np.arange(0, 256, 4, dtype=np.uint8), (8, 1))
    light = np.asarray(heat.overlay(scene, ramp, 128).convert("L")).astype(int)
    assert light.shape == (64, 128)
    assert (np.diff(light, axis=1) >= 0).all()
    assert light[0, -1] - light[0, 0] > 100


@pytest.mark.parametrize("size", [(200, 300), (300, 300), (400, 300)])
def test_two_lines_of_maps_are_as_high_as_the_picture_beside_them(script, size):
    heat = script("heat")
    width = heat.map_width(size)
    lines = 2 * (round(size[0] * width / size[1]) + heat.LINE) + heat.GAP
    beside = heat.INNER - heat.ACROSS * (width + heat.GAP)
    assert lines == pytest.approx(beside * size[0] / size[1], abs=4)


# Tripwires.

STARTS = {
    "origin": ("SA2.none", "embedding"),
    "gamma": ("SA3.nan", "1 RandomGamma"),
    "normalize": ("SA3.scaled_twice", "1 Normalize"),
    "key": ("SA5.unknown", "input"),
    "boxes": ("SA5.unmoved", "1 RandomHorizontalFlip"),
    "mask": ("SA3.labels", "1 Resize"),
}
"""Where each planted fault starts, by its rule and its step."""


@pytest.fixture(scope="module")
def tripwires(script, tmp_path_factory):
    """The folder of the page, what stands in it, and what it tells of."""
    folder = tmp_path_factory.mktemp("tripwires")
    done = run(script, "--out", str(folder), "--draws", "3", "--only", "tripwires")
    assert done.exit_code == 0, done.output
    page = script("tripwires")
    told = [page.origin(8), *(page.told(each, 3) for each in script("faults").PLANTED)]
    return folder, Read((folder / "tripwires.html").read_text(encoding="utf-8")), {each.name: each for each in told}


def test_the_page_of_tripwires_is_inert_and_complete(tripwires):
    folder, read, told = tripwires
    assert {tag for tag, _ in read.tags} <= ELEMENTS | {"h3", "strong", "ul", "ol", "li", "a", "section", "span", "pre"}
    assert all(not name.startswith("on") for _, attrs in read.tags for name in attrs)
    (policy,) = [each["content"] for each in read.all("meta") if each.get("http-equiv") == "Content-Security-Policy"]
    assert policy == "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'"
    assert [each["href"] for each in read.all("a")] == [f"#{name}" for name in STARTS]
    assert [each["id"] for each in read.all("section")] == list(STARTS)
    levels = [int(tag[1]) for tag, _ in read.tags if tag in {"h1", "h2", "h3"}]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    for image in read.all("img"):
        assert image["alt"]
        with Image.open(folder / image["src"]) as picture:
            picture.load()
    assert len(read.all("img")) == sum(len(each.tiles) for each in told.values())
    assert (folder / "tripwires.png").stat().st_size < LARGEST
    assert {file.suffix for file in folder.iterdir()} == {".html", ".png", ".webp"}


def test_the_verdict_comes_first_and_is_counted(tripwires):
    _, read, told = tripwires
    silent = sum(each.silent for each in told.values())
    (verdict,) = [text for text in read.texts if "findings over 18 samples" in text]  # three of each
    assert f"{len(told)} faults" in verdict
    assert f"{silent} of them raise nothing at all" in verdict
    assert read.texts.index(verdict) < read.texts.index("A helper that returns None")


@pytest.mark.parametrize("theme, width", [("light", 1200), ("dark", 1200), ("light", 360), ("dark", 360)])
def test_in_a_browser_axe_finds_no_violation_and_nothing_is_wider_than_the_page(tripwires, theme, width):
    needs(CHROMIUM, "a Chromium in the path")
    needs(AXE and Path(AXE).is_file(), "AXE_CORE, the path of axe.min.js")
    with pytest.importorskip("playwright.sync_api").sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=theme)
        tab.goto((tripwires[0] / "tripwires.html").as_uri())
        tab.evaluate(Path(AXE).read_text(encoding="utf-8"))
        found = tab.evaluate(f"axe.run(document, {{ runOnly: {RULES}, resultTypes: ['violations'] }})")["violations"]
        wide = tab.evaluate("document.documentElement.scrollWidth")
        browser.close()
    assert [each["id"] for each in found] == []
    assert wide <= width


@pytest.mark.parametrize("name", STARTS)
def test_a_planted_fault_is_told_where_it_starts_and_its_picture_is_marked(tripwires, name):
    _, read, told = tripwires
    each = told[name]
    assert (each.fault.rule, each.fault.step) == STARTS[name]
    assert each.tiles[each.at].step == each.fault.step
    assert each.findings == 0
    (text,) = [text for text in read.texts if text.startswith(f"{each.fault.rule}: {each.fault.text}")]
    assert all(crumb in text for crumb in each.fault.crumbs)
    assert str(HOME.parent) not in text
    assert "safeaug-fault" not in text
    assert len([attrs for attrs in read.all("li") if attrs.get("class") == "fault"]) == len(STARTS)


def test_of_the_origin_sample_and_line_are_told_and_its_crash_is_a_real_one(tripwires, script):
    _, read, told = tripwires
    origin = told["origin"]
    line = script("faults").embedding.__code__.co_firstlineno
    assert origin.fault.sample == 5
    assert origin.fault.where.endswith(f"gallery/faults.py:{line}")
    assert origin.tiles[origin.at].image is None
    assert not origin.silent
    assert origin.without in read.texts
    assert re.match(r"(Type|Runtime)Error: .*NoneType", origin.without)


@pytest.mark.parametrize("name", [name for name in STARTS if name != "origin"])
def test_the_others_are_silent_without_watching(tripwires, name):
    assert tripwires[2][name].silent


def test_what_is_told_of_silent_wrecks_is_true(script):
    faults = script("faults")
    made = {}
    for planted in faults.PLANTED:
        given = planted.given(0)
        made[planted.name] = given, faults.called(planted.make(planted.steps()), given)
    assert 0.2 < np.isnan(made["gamma"][1]["image"]).mean() < 0.8
    assert made["normalize"][1]["image"].std() < 0.2
    given, out = made["key"]
    assert np.array_equal(out["msk"], given["msk"])
    assert not np.array_equal(out["image"], given["image"])
    given, out = made["boxes"]
    assert out["boxes"].equal(given["boxes"])
    assert set(made["mask"][1]["mask"].unique().tolist()) > {0, 10, 20, 30}


def test_pictures_of_what_is_no_number_and_of_strange_labels_stand_out(script):
    film = script("film")
    pixels = np.full((200, 200, 3), 0.5, np.float32)
    pixels[:, :100, 1] = np.nan
    seen = np.asarray(film.painted(pixels, back=False))
    assert (seen[:, :100] == film.NOTHING).all()
    assert (seen[:, 100:] == 127).all()
    labels = np.array([[0, 10], [15, 30]], np.uint8)
    assert [tuple(pixel) for pixel in np.asarray(film.coloured(labels)).reshape(-1, 3)] == [
        film.LABELS[0], film.LABELS[10], film.NOTHING, film.LABELS[30],
    ]  # fmt: skip


def test_a_fault_that_is_not_found_is_no_story(script):
    with pytest.raises(AssertionError, match="nothing was found"):
        script("faults").fault_of(lambda: None)
