"""The command line: what it prints, what it refuses, what it leaves unloaded."""

import json
import logging
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from safeaug.cli import app
from safeaug.cli.notes import notes
from safeaug.version import __version__

PICTURES = ("panorama", "astronaut", "camera", "coffee", "rocket")


def run(*args, columns=80):
    return CliRunner().invoke(app, list(args), env={"COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "dumb"})


def python(code, **env):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **env},
        check=False,
    )


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The result of a short demonstration, and its sheet."""
    pytest.importorskip("albumentations")
    pytest.importorskip("skimage")
    path = tmp_path_factory.mktemp("demo") / "sheet.png"
    return run("demo", "--windows", "20", "--seed", "5", "--out", str(path)), path


# The root.


def test_version():
    result = run("--version")
    assert (result.exit_code, result.output.strip()) == (0, f"safeaug {__version__}")


def test_python_dash_m_is_the_same_command():
    result = subprocess.run([sys.executable, "-m", "safeaug", "--version"], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == f"safeaug {__version__}"


def test_no_arguments_shows_what_there_is():
    result = run()
    assert "demo" in result.output
    assert result.exit_code == 2


def test_an_unknown_command_exits_2():
    assert run("demonstrate").exit_code == 2


def test_help_loads_no_host_and_no_room():
    code = """
import sys
from safeaug.cli import main
sys.argv = ["safeaug", "--help"]
try:
    main()
except SystemExit as stop:
    assert not stop.code
import json
print("LOADED", json.dumps(sorted(sys.modules)))
"""
    result = python(code)
    assert result.returncode == 0, result.stderr
    loaded = set(json.loads(result.stdout.split("LOADED ")[1]))
    assert not loaded & {
        "albumentations",
        "cv2",
        "skimage",
        "torch",
        "PIL",
        "numpy",
        "safeaug.demo",
        "safeaug.albumentations",
    }


# The demonstration.


def test_demo_says_what_happened_to_the_panorama_before_all_else(shown):
    result, _ = shown
    assert result.exit_code == 0, result.output
    first = " ".join(result.output.split())
    assert first.startswith("On a 2000 × 200 panorama, plain lost the rocket in ")
    assert "of 20 windows; guarded in 0 of 20." in first


def test_demo_has_two_whole_rows_a_picture_at_80_columns(shown):
    lines = [line.split() for line in shown[0].output.splitlines()]
    assert "…" not in shown[0].output
    for name in PICTURES:
        at = next(i for i, line in enumerate(lines) if line[:2] == [name, "plain"])
        assert lines[at + 1][0] == "guarded"
        assert lines[at].count("%") == 3  # lost, below half, mean area
        assert lines[at + 1].count("%") >= 3 + 2  # and FIRST, MOVED, ...
        assert lines[at + 1][1:5] == ["0.0", "%", "0.0", "%"]


def test_demo_tells_times_that_are_times(shown):
    rows = [line.split() for line in shown[0].output.splitlines() if line.split()[:2] and "plain" in line.split()[:2]]
    micros = [float(row[-1]) for row in rows if row[0] in PICTURES]
    assert len(micros) == len(PICTURES)
    assert all(1 < each < 1e6 for each in micros)


def test_demo_writes_the_sheet_and_says_where(shown):
    result, path = shown
    assert str(path) in result.output
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("L"))
    assert pixels.shape[1] == 1254
    assert pixels.shape[0] > 2500
    assert pixels.std() > 30


def test_demo_ends_with_the_line_to_change(shown):
    assert (
        "+ safeaug.albumentations.RandomResizedCrop((224, 224), min_retention=0.5)" in shown[0].output.splitlines()[-1]
    )


def test_demo_explains_unmet_only_where_it_occurs(shown):
    assert "UNMET" not in shown[0].output


def test_demo_shows_and_explains_unmet(tmp_path, monkeypatch):
    """A picture whose objects no window can hold: the figure is in the table, the word explained, the warning told."""
    pytest.importorskip("albumentations")
    pytest.importorskip("skimage")
    from safeaug.demo.hosts.albumentations import SETTINGS

    panorama = SETTINGS["boxes"].scenes()[0]
    ends = [(20.0, 60.0, 120.0, 190.0), (1880.0, 60.0, 1980.0, 190.0)]
    shown = [panorama._replace(boxes=ends, labels=["rocket", "mast"]), *[panorama] * 2]
    monkeypatch.setitem(SETTINGS, "boxes", SETTINGS["boxes"]._replace(scenes=lambda: shown))
    result = run("demo", "--windows", "120", "--out", str(tmp_path / "a.png"))
    text = " ".join(result.output.split())
    assert result.exit_code == 0, result.output
    assert "…" not in result.output
    guarded = next(line for line in result.output.splitlines() if line.split()[:2] == ["guarded", "100.0"])
    assert guarded.rstrip().endswith("100 %")
    assert "UNMET: no window that the crop can draw keeps half of every object" in text
    assert "Warning: panorama: RandomResizedCrop: the promise could not be met in 100 of the first 100 draws." in text


CONTENTS = {
    "masks": (("coins", "horse"), 3, "On 24 coin masks, plain left a piece of a coin, or no coin at all, in "),
    "small": (("hubble", "astronaut"), 3, "With 8 small objects in a 1000 × 872 picture, plain left one with less "),
    "resize": (("hubble", "astronaut", "coins"), 1, "Of 8 objects in a 1000 × 872 picture, plain showed one in "),
}


@pytest.fixture(scope="module", params=CONTENTS)
def other(request, tmp_path_factory):
    """The name of a content, the result of a short demonstration of it, and its sheet."""
    pytest.importorskip("albumentations")
    pytest.importorskip("skimage")
    path = tmp_path_factory.mktemp(request.param) / "sheet.png"
    return request.param, run("demo", "--content", request.param, "--windows", "20", "--out", str(path)), path


def test_the_demonstrations_are_those_that_there_are():
    pytest.importorskip("albumentations")
    pytest.importorskip("skimage")
    from safeaug.cli.demo import Kind
    from safeaug.demo.hosts.albumentations import SETTINGS

    assert [kind.value for kind in Kind] == list(SETTINGS) == ["boxes", *CONTENTS]


def test_other_contents_say_first_what_happened_and_last_what_to_change(other):
    name, result, _ = other
    assert result.exit_code == 0, result.output
    assert " ".join(result.output.split()).startswith(CONTENTS[name][2])
    assert "; guarded in 0 of 20." in " ".join(result.output.split())
    *_, before, after = result.output.splitlines()
    assert before.startswith("  - A.Random")
    assert after.startswith("  + safeaug.albumentations.Random")


def test_other_contents_have_two_whole_rows_a_picture_at_80_columns(other):
    name, result, _ = other
    pictures, shares, _ = CONTENTS[name]
    table = result.output.split("draw")[0] + result.output.split("draw", 1)[1].split("\n\n")[0]
    assert max(map(len, table.splitlines())) <= 80
    assert "…" not in result.output
    lines = [line.split() for line in result.output.splitlines()]
    for picture in pictures:
        at = next(i for i, line in enumerate(lines) if line[:2] == [picture, "plain"])
        assert lines[at].count("%") == shares
        assert lines[at + 1][:3] == ["guarded", "0.0", "%"]
        assert lines[at + 1].count("%") >= shares + 2
        assert 1 < float(lines[at][-1]) < 1e6


def test_other_contents_explain_every_column_and_no_status_that_did_not_occur(other):
    name, result, _ = other
    for word in {"masks": ("none kept", "a piece left"), "small": ("below 0.7", "under 64 px")}.get(
        name, ("under 64 px", "median px", "least px")
    ):
        assert word in result.output
    assert "UNMET" not in result.output


def test_other_contents_write_their_sheet(other):
    _, result, path = other
    assert str(path) in result.output
    with Image.open(path) as image:
        assert image.width == 1254
        assert image.height > 1000


@pytest.mark.parametrize("name", CONTENTS)
def test_other_contents_explain_unmet_where_it_occurs(name, tmp_path, monkeypatch):
    """The promise cannot be met: objects at both ends of a panorama, a mask all over it, an object of 5 × 5 pixels."""
    pytest.importorskip("albumentations")
    pytest.importorskip("skimage")
    from safeaug.demo.hosts.albumentations import SETTINGS
    from safeaug.demo.masked import scene_of

    strip = SETTINGS["boxes"].scenes()[0]
    far = [(20.0, 60.0, 120.0, 190.0), (1880.0, 60.0, 1980.0, 190.0)]
    scene = {
        "small": strip._replace(boxes=far, labels=["rocket", "mast"]),
        "masks": scene_of("panorama", strip.image, np.ones((1, *strip.size), np.uint8), "sky", ""),
        "resize": strip._replace(boxes=[(50.0, 50.0, 55.0, 55.0)]),
    }[name]
    monkeypatch.setitem(SETTINGS, name, SETTINGS[name]._replace(scenes=lambda: [scene]))
    result = run("demo", "--content", name, "--windows", "120", "--out", str(tmp_path / "a.png"))
    assert result.exit_code == 0, result.output
    assert "…" not in result.output
    guarded = next(line for line in result.output.splitlines() if line.split()[:1] == ["guarded"])
    assert guarded.rstrip().endswith("100 %")
    text = " ".join(result.output.split())
    assert " ".join(SETTINGS[name].words.unmet.split()) in text
    assert "; guarded in 120 of 120." in text
    assert "the promise could not be met in 100 of the first 100 draws." in text


def test_help_names_the_contents():
    text = run("demo", "--help", columns=200).output
    assert "boxes|masks|small|resize" in text


def test_demo_writes_into_the_current_directory_by_default(tmp_path, monkeypatch):
    pytest.importorskip("albumentations")
    pytest.importorskip("skimage")
    monkeypatch.chdir(tmp_path)
    assert run("demo", "--windows", "1").exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["safeaug_demo.png"]


@pytest.mark.parametrize(
    "args, said",
    [
        (("--colour", "red"), "--colour"),
        (("--content", "points"), "'points' is not one of"),
        (("--content",), "--content"),
        (("--host", "kornia"), "'kornia' is not one of"),
        (("--windows", "0"), "--windows"),
        (("--windows", "many"), "--windows"),
        (("--seed", "-1"), "--seed"),
        (("--out", "sheet.jpg"), ".png"),
        (("--out", "nowhere/sheet.png"), "does not exist"),
    ],
)
def test_demo_refuses_what_it_cannot_do(args, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("demo", *args)
    assert result.exit_code == 2
    assert said in result.output
    assert not list(tmp_path.iterdir())


def test_demo_says_when_the_sheet_cannot_be_written(tmp_path, monkeypatch):
    pytest.importorskip("albumentations")
    pytest.importorskip("skimage")

    def full(*_args, **_kwargs):
        raise OSError("no space left on device")

    monkeypatch.setattr(Image.Image, "save", full)
    result = run("demo", "--windows", "1", "--out", str(tmp_path / "a.png"))
    assert result.exit_code == 2
    assert "cannot write the contact sheet: no space left on device; choose another place with --out" in result.output


MISSING = [
    (["albumentations", "torchvision"], "needs albumentations", 'pip install "safeaug[demo]"'),
    (["skimage"], "needs scikit-image", 'pip install "safeaug[demo]"'),
    (["albumentations"], "--host albumentations needs albumentations", 'pip install "safeaug[demo]"'),
    (["torchvision"], "--host torchvision needs torchvision", 'pip install "safeaug[torchvision,skimage]"'),
]


@pytest.mark.parametrize("missing, said, installs", MISSING, ids=lambda each: str(each)[:40])
def test_demo_without_a_host_exits_2_with_the_line_that_installs_it(missing, said, installs, tmp_path):
    asked = ["--host", missing[0]] if "--host" in said else []
    result = python(
        f"""
import os, sys
os.chdir({str(tmp_path)!r})
sys.modules.update(dict.fromkeys({missing!r}))
from safeaug.cli import main
sys.argv = ["safeaug", "demo", *{asked!r}]
main()
"""
    )
    assert result.returncode == 2
    assert result.stdout == ""
    (line,) = result.stderr.strip().splitlines()
    assert said in line
    assert installs in line
    assert not list(tmp_path.iterdir())


# Notes.


def test_notes_gather_what_safeaug_logs_and_nothing_after():
    logger = logging.getLogger("safeaug")
    before = list(logger.handlers)
    with notes() as told:
        logger.warning("%d of %d", 6, 100)
    assert told == ["6 of 100"]
    assert logger.handlers == before


def test_notes_let_go_when_the_block_fails():
    logger = logging.getLogger("safeaug")
    before = list(logger.handlers)
    with pytest.raises(ValueError, match="stop"), notes():
        raise ValueError("stop")
    assert logger.handlers == before
