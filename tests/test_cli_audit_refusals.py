"""``safeaug audit`` where it cannot do what it is asked: what raises, what is wrong, and the file of defaults."""

import json
from pathlib import Path

import pytest

from safeaug.auditing.record import Record
from safeaug.auditing.row_files import read_rows
from tests.cli_worlds import ann, audit, begun, painted, run
from tests.data_worlds import write

pytest.importorskip("albumentations")


@pytest.fixture
def here(tmp_path, monkeypatch):
    return begun(tmp_path, monkeypatch)


# The pipeline raises.


RAISING = {
    "host": ("aug.py:tall", "0 RandomCrop", "CropSizeError: "),
    "own": ("aug.py:raising", "1 Wide", "ValueError: too wide [red]for me"),
}
"""A crop that is larger than the panorama; and a step of the user's own, for which pixels are needed."""


@pytest.fixture(params=RAISING)
def raising(request, here):
    write(here / "ann.json", json.dumps(ann(wide=True)))
    for i in range(7):
        painted(here / "pics" / f"{i}.png", (120, 160) if i < 6 else (50, 500))
    return RAISING[request.param]


def test_exit_3_where_the_pipeline_raises_and_sample_and_step_are_named(raising):
    pipeline, step, error = raising
    result = audit("--images", "pics", pipeline=pipeline)
    assert result.exit_code == 3
    assert "Traceback" not in result.output
    assert "sample 6" in result.stderr
    assert f"step {step}" in result.stderr
    assert error in result.stderr


def test_the_rest_is_audited_where_one_says_so_and_it_still_exits_3(raising):
    pipeline, step, error = raising
    result = audit("--images", "pics", "--keep-going", "--max-damaged", "10%", "--json", "r.json", pipeline=pipeline)
    assert result.exit_code == 3, result.output
    assert " of 56 draws judged, 8 raised" in result.stdout
    assert "Where the pipeline raised" in result.stdout
    record = Record.from_json(Path("r.json").read_bytes())
    assert {(failure.sample, failure.step) for failure in record.failures} == {("6", step)}
    assert all(error in failure.error for failure in record.failures)


def test_what_was_drawn_before_can_be_read(here):
    write(here / "ann.json", json.dumps(ann(600, wide=True)))
    result = audit("--draws", "1", "--jsonl", "r.jsonl", pipeline="aug.py:tall")
    assert result.exit_code == 3, result.output
    about, rows = read_rows("r.jsonl")
    ids = [row.id for row in rows]
    assert 0 < len(ids) < 601
    assert ids == [str(i) for i in range(len(ids))]
    assert (about.data, about.seconds) == ("coco:ann.json", 0)


# What cannot be done.


@pytest.mark.parametrize(
    "args, said",
    [
        (("--max-damaged", "60"), "max-damaged must be a percentage such as 1%, or a share such as 0.01, between"),
        (("--max-damaged", "150%"), "between 0 and 100%, got '150%'"),
        (("--max-emptied", "1"), "which may mean either; write 1% or 100%"),
        (("--max-emptied", "few"), "max-emptied must be a percentage"),
        (("--min-retention", "60"), "(write 60% or 0.6)"),
        (("--min-retention", "0.5", "--min-retention", "cat=0.2"), "as label=share, got '0.5'"),
        (("--min-retention", "dog=0.5"), "names no limit for label"),
        (("--draws", "0"), "--draws"),
        (("--draws", "many"), "--draws"),
        (("--seed", "-1"), "--seed"),
        (("--labels", "pixel"), "--labels"),
        (("--protect", "faces"), "--protect"),
        (("--processes", "0"), "--processes"),
        (("--split", "val"), "split belongs to yolo:, got it for coco:; leave it out"),
        (("--json", "no/where.json"), "the folder 'no' does not exist; make it, or write elsewhere"),
        (("--json", "."), "--json"),
        (("--json", "a.json", "--jsonl", "./a.json"), "must be files of their own, got"),
        (("--config", "none.toml"), "which is not there; check the path"),
        (("--sed", "3"), "--sed"),
    ],
)
def test_exit_2_where_an_option_is_wrong(here, args, said):
    result = audit(*args)
    assert result.exit_code == 2, result.output
    assert said in " ".join(result.output.replace("│", " ").split())
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "data, pipeline, said",
    [
        ("coco:none.json", "aug.py:crop", "none.json"),
        ("coco:aug.py", "aug.py:crop", "aug.py"),
        ("cooc:ann.json", "aug.py:crop", "data must be one of coco:FILE"),
        ("folder:.", "aug.py:crop", "expected pictures"),
        ("none.py:data", "aug.py:crop", "expected a Python file, which is not there"),
        ("coco:ann.json", "none.py:crop", "expected a Python file, which is not there; check the path"),
        ("coco:ann.json", "aug.py:nothing", "there is no 'nothing'"),
        ("coco:ann.json", "nomodule:aug", "importing it raises ModuleNotFoundError"),
        ("coco:ann.json", "aug", "expected pkg.mod:attr or file.py:attr"),
        ("coco:ann.json", "ann.json", "what albumentations.save writes"),
        ("coco:ann.json", "aug.py:EVIL", "aug.py"),
    ],
)
def test_exit_2_where_there_is_no_such_thing(here, data, pipeline, said):
    result = audit(data=data, pipeline=pipeline)
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_exit_2_where_a_module_raises_and_the_line_is_told(here):
    write(here / "broken.py", "import albumentations as A\n\naug = A.Compose(1 / 0)\n")
    result = audit(pipeline="broken.py:aug")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "Error: broken.py: importing it raises ZeroDivisionError: division by zero",
        "  broken.py:3 in <module>: aug = A.Compose(1 / 0)",
    ]


def test_exit_2_where_the_data_are_malformed_unless_told_to_keep_going(here):
    says = ann()
    says["annotations"][2]["bbox"] = [1, 2, "x", 4]
    write(here / "ann.json", json.dumps(says))
    stopped, kept = audit(), audit("--keep-going")
    assert stopped.exit_code == 2
    assert "ann.json" in stopped.stderr
    assert kept.exit_code in {0, 2}  # a reader may say that the file as a whole is none
    for result in (stopped, kept):
        assert "Traceback" not in result.output


def test_what_the_readers_met_is_told(here):
    says = ann()
    says["annotations"][2]["bbox"] = [170, 10, 20, 20]
    write(here / "ann.json", json.dumps(says))
    result = audit()
    assert result.exit_code == 0, result.output
    assert "Met while reading" in result.stdout
    assert "outside" in result.stdout


# Defaults.


def test_options_have_defaults_in_a_file_and_the_command_line_goes_first(here):
    write(
        here / "pyproject.toml",
        """
        [tool.safeaug]
        data = "coco:ann.json"
        pipeline = "aug.py:crop"
        max-damaged = "1%"
        draws = 3
        [tool.safeaug.audit]
        min-retention = {cat = 0.25}
        keep-going = true
        """,
    )
    result = run("audit", "--draws", "2", "--json", "r.json")
    assert result.exit_code in {1, 4}, result.output
    about = Record.from_json(Path("r.json").read_bytes()).about
    assert (about.draws, about.pipeline, about.data) == (2, "aug.py:crop", "coco:ann.json --keep-going")
    assert about.policy["min_retention"] == [["cat", 0.25]]
    assert run("audit", "--max-damaged", "100%").exit_code == 0


@pytest.mark.parametrize(
    "text, said",
    [
        ("[tool.safeaug]\nmax-damagd = 0.01\n", "must hold only config, data, deny, draws"),
        ("[tool.safeaug]\ndraws = 2.5\n", "--draws"),
        ("[tool.safeaug]\nlabels = 'pixel'\n", "--labels"),
        ("[tool.safeaug]\nkeep-going = 'perhaps'\n", "keep-going"),
        ("[tool.safeaug]\nmax-damaged = 1\n", "write 1% or 100%"),
        ("[tool.safeaug\n", "expected TOML"),
    ],
)
def test_exit_2_where_the_file_is_wrong(here, text, said):
    write(here / "pyproject.toml", text)
    result = audit()
    assert result.exit_code == 2, result.output
    assert said.removeprefix("must hold only config, ") in " ".join(result.output.replace("│", " ").split())


def test_another_file_may_be_named(here):
    write(here / "pyproject.toml", "[tool.safeaug]\nnonsense = 1\n")
    write(here / "other.toml", "[tool.safeaug]\ndraws = 1\n")
    result = audit("--config", "other.toml")
    assert result.exit_code == 0, result.output
    assert "6 of 6 draws" in result.stdout
