"""``safeaug replay`` as its users meet it: the very picture again, or the reason why not."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from safeaug.auditing.about import About
from safeaug.auditing.replaying import told_by
from safeaug.auditing.row_files import read_rows, write_rows
from safeaug.errors import DataError
from tests.cli_worlds import AUG, ann, audit, begun, painted, place_of, run
from tests.data_worlds import write
from tests.report_worlds import row as any_row

pytest.importorskip("albumentations")


@pytest.fixture
def here(tmp_path, monkeypatch):
    return begun(tmp_path, monkeypatch)


@pytest.fixture
def ran(here):
    for i in range(6):
        painted(here / "pics" / f"{i}.png", (120, 160))
    result = audit("--images", "pics", "--jsonl", "run.jsonl", "--draws", "12", pipeline="aug.py:crop")
    assert result.exit_code == 0, result.output
    return list(read_rows("run.jsonl")[1])


def pixels_of(path):
    with Image.open(path) as image:
        return np.asarray(image)


def replay(*args):
    return run("replay", "run.jsonl", "--out", "out", *args)


def test_replay_makes_the_very_picture_again(here, ran):
    """From the pixels it is told which window was cut, and so how much of the box must be left."""
    row = next(row for row in ran if row.damaged)
    result = replay("--id", row.id, "--draw", str(row.draw))
    assert result.exit_code == 0, result.output
    assert "The draw is that of the run" in result.stdout
    (path,) = Path("out").glob("*.plain.png")
    columns, rows = place_of(pixels_of(path))
    assert columns.shape == (30, 40) == row.output
    x0, y0, w, h = ann()["annotations"][int(row.id)]["bbox"]
    inside = ((columns >= x0) & (columns < x0 + w) & (rows >= y0) & (rows < y0 + h)).sum() / (w * h)
    assert row.final[0] == pytest.approx(inside, abs=1e-6)
    (guarded,) = Path("out").glob("*.guarded.png")
    columns, rows = place_of(pixels_of(guarded))
    assert ((columns >= x0) & (columns < x0 + w) & (rows >= y0) & (rows < y0 + h)).sum() >= 0.5 * w * h
    before = pixels_of(next(Path("out").glob("*.before.png")))
    assert (before == pixels_of(f"pics/{row.id}.png")).all()
    sheet = next(each for each in Path("out").glob("*.png") if each.name.count(".") == 1)
    assert pixels_of(sheet).shape[1] > 1000


def test_replay_of_a_guarded_pipeline_shows_it_without_its_guard_too(here):
    for i in range(6):
        painted(here / "pics" / f"{i}.png", (120, 160))
    write(here / "aug.py", AUG + "\nimport safeaug\nsafe = safeaug.guard(crop())\n")
    assert (
        audit("--images", "pics", "--jsonl", "run.jsonl", "--max-damaged", "10%", pipeline="aug.py:safe").exit_code == 0
    )
    row = next(row for row in read_rows("run.jsonl")[1] if row.status == "MOVED")
    result = replay("--id", row.id, "--draw", str(row.draw))
    assert result.exit_code == 0, result.output
    assert "guarded: MOVED; cat" in result.stdout
    assert "plain: FIRST; cat" in result.stdout


def test_replay_says_where_a_run_and_its_draw_differ(here, ran):
    write(here / "aug.py", AUG.replace("30, 40", "30, 50"))
    sys.modules.pop("aug", None)
    result = replay("--id", "0", "--draw", "1")
    assert result.exit_code == 2
    assert "draw 1 of sample 0 is not the one of the run" in result.stderr
    assert "has been changed since" in result.stderr
    assert not Path("out").exists()


def test_replay_says_so_where_boxes_have_changed(here, ran):
    says = ann()
    for each in says["annotations"]:
        each["bbox"][2] += 10
    write(here / "ann.json", json.dumps(says))
    row = next(row for row in ran if row.damaged)
    result = replay("--id", row.id, "--draw", str(row.draw))
    assert result.exit_code == 2
    assert "of object 0 is left, in the run" in result.stderr


@pytest.mark.parametrize(
    "args, said",
    [
        (("--id", "none", "--draw", "0"), "expected a sample 'none' in the data, which holds 6 others; there are '0'"),
        (("--id", "0", "--draw", "12"), "draw must be one of the run's, from 0 to 11, got 12"),
        (("--id", "0", "--draw", "-1"), "--draw"),
        (("--id", "0", "--pipeline", "none.py:aug"), "expected a Python file, which is not there"),
        (("--id", "0", "--data", "coco:none.json"), "none.json"),
        ((), "--id"),
    ],
)
def test_replay_refuses_what_it_cannot_do(here, ran, args, said):
    result = replay(*args)
    assert result.exit_code == 2, result.output
    assert said in " ".join(result.output.replace("│", " ").split())
    assert "Traceback" not in result.output
    assert not Path("out").exists()


@pytest.mark.parametrize("text", ["", "{}", '{"schema": "safeaug.audit/2"}', "<html>", "[]"])
def test_replay_refuses_what_is_no_run(here, text):
    write(here / "run.jsonl", text)
    result = replay("--id", "0")
    assert result.exit_code == 2
    assert "run.jsonl:1: expected the" in result.stderr


def test_replay_of_a_file_that_is_not_there(here):
    result = replay("--id", "0")
    assert result.exit_code == 2
    assert "run.jsonl" in result.output
    assert "Traceback" not in result.output


def test_replay_of_a_draw_that_raised_raises_again_and_says_where(here):
    write(here / "ann.json", json.dumps(ann(wide=True)))
    for i in range(7):
        painted(here / "pics" / f"{i}.png", (120, 160) if i < 6 else (50, 500))
    audit("--images", "pics", "--keep-going", "--jsonl", "run.jsonl", pipeline="aug.py:raising")
    result = replay("--id", "6", "--draw", "2")
    assert result.exit_code == 3, result.output
    assert "draw 2 of sample 6: step 1 Wide" in result.stderr
    assert "ValueError: too wide" in result.stderr
    line = 1 + next(i for i, text in enumerate(AUG.splitlines()) if "raise ValueError" in text)
    assert f"aug.py:{line} in get_params_dependent_on_data: raise ValueError" in result.stderr


def test_replay_needs_pictures(here):
    audit("--jsonl", "run.jsonl")
    result = replay("--id", "0")
    assert result.exit_code == 2
    assert "expected a sample with a picture; say in which folder pictures are" in result.stderr


def test_an_id_from_which_a_page_has_taken_the_folder(tmp_path):
    """A page shows no folders unless asked; what it says must find the draw all the same."""
    rows = [any_row("cat", id=name, draw=3) for name in ("/a/b/c.jpg", "/a/b/d.jpg", "e.jpg")]
    write_rows(tmp_path / "run.jsonl", About(draws=8), rows)
    for name, whole in (("b/c.jpg", "/a/b/c.jpg"), ("e.jpg", "e.jpg"), ("/a/b/d.jpg", "/a/b/d.jpg")):
        told = told_by(tmp_path / "run.jsonl", name, 3)
        assert (told.sample_id, told.row.id) == (whole, whole)
    assert told_by(tmp_path / "run.jsonl", "f.jpg", 3).row is None
    write_rows(tmp_path / "run.jsonl", About(draws=8), [*rows, any_row("cat", id="/x/c.jpg", draw=3)])
    with pytest.raises(DataError, match=r"may be .*c\.jpg"):
        told_by(tmp_path / "run.jsonl", "c.jpg", 3)
