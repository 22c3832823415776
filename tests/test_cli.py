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
    from safeaug.demo import scenes

    panorama = scenes.scenes()[0]
    ends = [(20.0, 60.0, 120.0, 190.0), (1880.0, 60.0, 1980.0, 190.0)]
    monkeypatch.setattr(
        scenes, "scenes", lambda: [panorama._replace(boxes=ends, labels=["rocket", "mast"]), *[panorama] * 2]
    )
    result = run("demo", "--windows", "120", "--out", str(tmp_path / "a.png"))
    text = " ".join(result.output.split())
    assert result.exit_code == 0, result.output
    assert "…" not in result.output
    guarded = next(line for line in result.output.splitlines() if line.split()[:2] == ["guarded", "100.0"])
    assert guarded.rstrip().endswith("100 %")
    assert "UNMET: no window that the crop can draw keeps half of every object" in text
    assert "Warning: panorama: RandomResizedCrop: the promise could not be met in 100 of the first 100 draws." in text


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


@pytest.mark.parametrize("module, package", [("albumentations", "albumentations"), ("skimage", "scikit-image")])
def test_demo_without_a_host_exits_2_with_the_line_that_installs_it(module, package, tmp_path):
    code = f"""
import os, sys
os.chdir({str(tmp_path)!r})
sys.modules[{module!r}] = None
from safeaug.cli import main
sys.argv = ["safeaug", "demo"]
main()
"""
    result = python(code)
    assert result.returncode == 2
    assert result.stdout == ""
    (line,) = result.stderr.strip().splitlines()
    assert f"needs {package}" in line
    assert 'pip install "safeaug[demo]"' in line
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
