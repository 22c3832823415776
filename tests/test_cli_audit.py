"""``safeaug audit`` as its users meet it: what it prints and writes, and every exit code."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from safeaug.auditing.record import Record
from safeaug.auditing.row_files import read_rows
from tests.cli_worlds import AUG, EVIL, ann, audit, begun, run
from tests.data_worlds import Thing, coco, coco_annotation, coco_image, save, voc, write

pytest.importorskip("albumentations")


@pytest.fixture
def here(tmp_path, monkeypatch):
    return begun(tmp_path, monkeypatch)


# Verdicts.


def test_exit_0_where_a_limit_holds(here):
    result = audit("--max-damaged", "10%", "--max-emptied", "10%", pipeline="aug.py:flip")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("PASS  All draws: 0 of 48 draws are damaged")


def test_exit_0_where_none_is_set(here):
    result = audit()
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("NO LIMIT SET  ")


def test_exit_1_where_a_limit_fails_and_the_step_is_named(here):
    result = audit("--max-damaged", "1%")
    assert result.exit_code == 1, result.output
    first = result.stdout.splitlines()[0]
    assert first.startswith("FAIL  ")
    assert first.endswith("beyond the limit of 1 %; the step to blame is 0 RandomCrop.")


def test_the_step_that_empties_images_is_named(here):
    result = audit("--max-emptied", "1%", "--html", "a.html")
    assert result.exit_code == 1, result.output
    first, *others = result.stdout.splitlines()
    assert "are emptied" in first
    assert first.endswith("beyond the limit of 1 %; the step to blame is 0 RandomCrop.")
    assert first.removeprefix("FAIL  ") in Path("a.html").read_text(encoding="utf-8")
    assert any("draws emptied" in line for line in others)


def test_exit_4_where_there_are_too_few_draws(here):
    result = audit("--max-damaged", "0.1%", pipeline="aug.py:flip")
    assert result.exit_code == 4, result.output
    assert result.stdout.startswith("TOO FEW  Too few draws to say: 0 of 48 are damaged")
    assert "2995 draws would do" in result.stdout


@pytest.mark.parametrize("options", [(), ("--max-damaged", "1%")])
@pytest.mark.parametrize(
    "says", [coco([], []), coco([coco_image()], []), coco([coco_image()], [coco_annotation(iscrowd=1)])]
)
def test_exit_4_where_there_is_nothing_to_audit(here, says, options):
    write(here / "ann.json", json.dumps(says))
    write(here / "aug.py", AUG)
    result = audit(*options, "--protect", "boxes")
    assert result.exit_code == 4, result.output
    assert "0 objects asked for" in result.stdout


def test_the_verdict_is_that_of_a_pipeline_in_plain_arithmetic(here):
    """The rate is what the rows of all draws add up to."""
    assert audit("--draws", "40", "--jsonl", "run.jsonl", "--json", "run.json").exit_code == 0
    about, rows = read_rows("run.jsonl")
    rows = list(rows)
    pairs = [list(zip(row.final, row.labelled, strict=True)) for row in rows]
    damaged = sum(any(left < 0.5 - 1e-5 if there else left > 0 for left, there in draw) for draw in pairs)
    record = Record.from_json(Path("run.json").read_bytes())
    assert record.summary().whole.damaged.count == damaged == sum(row.damaged for row in rows) > 0
    assert (len(rows), about.draws, about.samples) == (240, 40, 6)


# What is asked.


def test_limits_by_label_are_judged(here):
    result = audit("--min-retention", "cat=0", "--min-retention", "*=1", "--max-damaged", "10%")
    assert result.exit_code == 0, result.output
    assert "less than cat 0 %, others 100 % of an object" in result.stdout


def test_a_label_may_stand_for_the_whole_image(here):
    kept, image = audit("--max-damaged", "1%"), audit("--max-damaged", "1%", "--labels", "image")
    assert "the image's label stands for it" in image.stdout
    assert int(image.stdout.split(" of 48 draws")[0].split()[-1]) >= int(
        kept.stdout.split(" of 48 draws")[0].split()[-1]
    )


def test_pictures_without_boxes_are_judged_as_a_whole(here):
    for i in range(3):
        save(here / "root" / "cat" / f"{i}.png", (480, 640))
    result = audit("--max-damaged", "50%", data="folder:root", pipeline="aug.py:picture")
    assert result.exit_code == 1, result.output
    assert "What draws show of the picture" in result.stdout
    assert "0.391 %" in result.stdout  # 30 * 40 of 480 * 640


def test_options_of_the_format_are_handed_on(here):
    write(here / "voc" / "Annotations" / "a.xml", voc([Thing((10, 20, 300, 200), "cat")], offset=0))
    save(here / "voc" / "JPEGImages" / "a.png")
    result = audit("--zero-based", data="voc:voc")
    assert result.exit_code == 0, result.output
    assert "voc:voc --zero-based: 1 samples, 1 objects asked for" in result.stdout


def test_processes_and_their_number_change_nothing(here):
    write(here / "ann.json", json.dumps(ann(600)))
    for processes in ("1", "2"):
        result = audit("--draws", "2", "--processes", processes, "--jsonl", f"{processes}.jsonl")
        assert result.exit_code == 0, result.output
    one, two = (Path(f"{n}.jsonl").read_bytes().partition(b"\n")[2] for n in (1, 2))
    assert one == two
    assert one.count(b"\n") == 1200


# What is written.


def test_files_hold_the_record_every_draw_and_a_page(here):
    result = audit(
        "--max-damaged", "1%", "--worst", "5", "--json", "r.json", "--jsonl", "r.jsonl", "--html", "out/page.html"
    )
    assert result.exit_code == 2
    assert "the folder 'out' does not exist" in result.output
    result = audit("--max-damaged", "1%", "--worst", "5", "--json", "r.json", "--jsonl", "r.jsonl", "--html", "out")
    assert result.exit_code == 1, result.output
    record = Record.from_json(Path("r.json").read_bytes())
    assert (record.about.pipeline, record.about.data, len(record.worst)) == ("aug.py:crop", "coco:ann.json", 5)
    says = json.loads(Path("r.json").read_bytes())
    assert says["schema"] == "safeaug.audit/1"
    assert says["assessment"]["verdict"] == "fail"
    assert says["assessment"]["why"] in result.stdout
    assert says["assessment"]["counted"]["judged"] == 48
    about, rows = read_rows("r.jsonl")
    assert about == record.about
    assert [(row.id, row.draw) for row in rows] == [(str(i), j) for i in range(6) for j in range(8)]
    page = Path("out/index.html").read_text(encoding="utf-8")
    assert "FAIL" in page
    assert "safeaug audit --data coco:ann.json --pipeline aug.py:crop --draws 8" in page
    for name in ("r.json", "r.jsonl", os.path.join("out", "index.html")):
        assert name in result.stderr
    worst = record.worst[0]
    assert f"safeaug replay r.jsonl --id {worst.id} --draw {worst.draw}" in result.stderr


def test_the_page_says_how_to_repeat_what_it_shows(here):
    audit(
        "--max-damaged", "1%", "--max-emptied", "20%", "--min-retention", "cat=0.7", "--seed", "3", "--html", "a.html"
    )
    page = Path("a.html").read_text(encoding="utf-8")
    line = next(line for line in page.splitlines() if "safeaug audit" in line).replace("<pre>", "")
    words = line.replace("&#39;", "'").split()
    assert words[:2] == ["safeaug", "audit"]
    again = run(*words[1:], "--html", "b.html")
    assert again.exit_code == 1, again.output

    def shown(text):
        text = re.sub(r'"run":"[0-9a-f]{16}"', "", text)
        return [each for each in text.splitlines() if "started" not in each]

    assert shown(Path("b.html").read_text(encoding="utf-8")) == shown(page)


def test_text_of_somebody_elses_is_inert_everywhere(here):
    """Labels, names of files and of folders: on the terminal, in the page, in the lines (L6)."""
    name = 'a "b" <i>ü</i> \u202e.png'
    save(here / "pics" / name, (480, 640))
    says = coco([coco_image(file_name=name)], [coco_annotation(bbox=[10, 20, 300, 200])], [{"id": 3, "name": EVIL}])
    write(here / "ann.json", json.dumps(says))
    result = audit("--images", "pics", "--html", "a.html", "--jsonl", "r.jsonl", "--draws", "30")
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
    assert "[red]\\x1b[31m" in result.output
    page = Path("a.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert page.count("<script") == page.count("</script>") == 4  # the record, pictures, cards, and the page's own
    assert "&lt;script&gt;alert(1)&lt;/script&gt;[red]\\x1b[31m" in page
    assert {row.labels for row in read_rows("r.jsonl")[1]} == {(EVIL,)}


# A terminal, and a process of its own.


def test_a_terminal_shows_how_far_it_is(here):
    result = audit("--draws", "20", FORCE_COLOR="1", NO_COLOR="", TERM="xterm", TTY_INTERACTIVE="1")
    assert result.exit_code == 0, result.output
    assert "damaged" in result.stderr
    assert "6/6" in result.stderr


def test_no_terminal_gets_no_bar(here):
    assert audit().stderr == ""


def test_a_process_of_its_own_finds_modules_where_it_stands(here):
    write(here / "pkg" / "__init__.py", "")
    write(here / "pkg" / "augment.py", AUG)
    script = Path(sys.executable).with_name("safeaug")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "safeaug"]
    done = subprocess.run(
        [*command, "audit", "--data", "coco:ann.json", "--pipeline", "pkg.augment:crop", "--max-damaged", "1%"],
        capture_output=True, text=True, check=False, encoding="utf-8", env={**os.environ, "PYTHONPATH": ""},
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("FAIL  ")
    assert done.stdout.isascii()
    assert done.stderr == ""
