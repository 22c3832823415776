"""``safeaug gallery`` and pages of ``safeaug audit``, as their users meet them; and the same in one call."""

import errno
import json
import os
import sys
from pathlib import Path

import pytest

import safeaug
from safeaug import report
from safeaug.auditing.record import Record
from safeaug.data import read_folder
from safeaug.errors import DataError, OutputError
from safeaug.report.gallery import writing
from safeaug.report.page import to_html
from tests.cli_worlds import AUG, ann, audit, begun, painted, run
from tests.data_worlds import save, write
from tests.gallery_worlds import cards_of, stub, stub_of

pytest.importorskip("albumentations")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working directory with pictures; the template is another's to show."""
    monkeypatch.setattr(writing, "page_with", stub)
    folder = begun(tmp_path, monkeypatch)
    for i in range(6):
        painted(folder / "pics" / f"{i}.png", (120, 160))
    return folder


def gallery(*args, data="coco:ann.json", pipeline="aug.py:crop", out="out", **env):
    said = ("--data", data, "--pipeline", pipeline, "--images", "pics", "--draws", "4")
    return run("gallery", *said, "--out", out, *args, **env)


def draws(cards):
    return {(card["id"], card["draw"]) for card in cards}


# An audit and its gallery in one go.


def test_a_gallery_is_written_in_one_go(here):
    result = gallery()
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("NO LIMIT SET  ")
    page = Path("out/index.html")
    assert f"Gallery: {page} shows 24 draws\n" in result.stderr
    cards = cards_of(page)
    assert draws(cards) == {(str(i), j) for i in range(6) for j in range(4)}
    assert all(card["before"] and card["after"] and card["film"] and not card["missing"] for card in cards)
    assert any(card["guarded"] for card in cards)


def test_limits_decide_how_it_ends_as_in_an_audit(here):
    assert gallery("--max-damaged", "1%").exit_code == 1
    assert gallery("--max-damaged", "20%", pipeline="aug.py:flip").exit_code == 0
    assert gallery("--max-damaged", "0.1%", pipeline="aug.py:flip").exit_code == 4
    write(here / "ann.json", json.dumps(ann(wide=True)))
    painted(here / "pics" / "6.png", (50, 500))
    assert gallery(pipeline="aug.py:raising").exit_code == 3
    result = gallery("--keep-going", pipeline="aug.py:raising")
    assert result.exit_code == 3
    assert "4 of them without pictures" in result.stderr
    raised = [card for card in cards_of(Path("out/index.html")) if card["missing"]]
    assert {card["missing"] for card in raised} == {"step 1 Wide raised ValueError: too wide [red]for me"}


def test_options_of_an_audit_are_handed_on(here):
    result = gallery("--draws", "3", "--worst", "2", "--random", "4", "--seed", "7", "--min-retention", "cat=0.9")
    assert result.exit_code == 0, result.output
    cards = cards_of(Path("out/index.html"))
    assert sum("worst" in card["tabs"] for card in cards) == 2
    assert sum("random" in card["tabs"] for card in cards) == 4
    assert audit("--draws", "3", "--seed", "7", "--json", "r.json").exit_code == 0
    record = Record.from_json(Path("r.json").read_bytes())
    keys = {(row.id, row.draw): row.key for row in (*record.worst, *record.random)}
    assert all(keys[card["id"], card["draw"]] == card["key"] for card in cards)


def test_a_file_may_be_asked_for(here):
    assert gallery(out="a.html").exit_code == 0
    assert len(cards_of(Path("a.html"))) == 24


@pytest.mark.parametrize(
    "args, said",
    [
        (("--out", "x"), "a gallery takes --pipeline and --data, or --record, or --loader; --data is missing"),
        (("--out", "x", "--data", "coco:ann.json"), "--pipeline is missing"),
        ((), "--out"),
        (("--out", "x", "--record", "none.json"), "none.json"),
        (("--out", "x", "--loader", "none.py:x", "--data", "coco:a"), "--data says nothing beside a loader"),
        (("--out", "x", "--names", "some"), "--names"),
    ],
)
def test_what_is_not_enough_or_too_much_is_refused(here, args, said):
    result = run("gallery", *args)
    assert result.exit_code == 2, result.output
    assert said in " ".join(result.output.replace("│", " ").split())
    assert "Traceback" not in result.output
    assert not Path("x").exists()


# From a record.


@pytest.fixture
def ran(here):
    assert audit("--images", "pics", "--json", "run.json").exit_code == 0
    return Record.from_json(Path("run.json").read_bytes())


def test_a_record_is_shown_by_the_names_in_it(here, ran):
    result = run("gallery", "--record", "run.json", "--out", "out")
    assert result.exit_code == 0, result.output
    assert draws(cards_of(Path("out/index.html"))) == {(row.id, row.draw) for row in (*ran.worst, *ran.random)}


def test_a_record_is_shown_by_other_names_where_these_are_given(here, ran):
    (here / "pics").rename(here / "moved")
    write(here / "other.py", AUG)
    (here / "aug.py").unlink()
    sys.modules.pop("aug", None)
    said = ("--record", "run.json", "--pipeline", "other.py:crop", "--images", "moved", "--worst", "3", "--random", "0")
    result = run("gallery", *said, "--out", "out")
    assert result.exit_code == 0, result.output
    assert [bool(card["after"]) for card in cards_of(Path("out/index.html"))] == [True] * 3
    result = run("gallery", *said, "--data", "coco:ann.json", "--out", "again")
    assert result.exit_code == 0, result.output
    assert Path("again/index.html").read_bytes() == Path("out/index.html").read_bytes()


def test_what_says_how_to_audit_is_refused_beside_a_record(here, ran):
    for option in (("--draws", "3"), ("--seed", "1"), ("--keep-going",), ("--deny", "d.json")):
        result = run("gallery", "--record", "run.json", "--out", "out", *option)
        assert result.exit_code == 2
        assert f"{option[0]} says nothing beside a record; leave it out" in result.stderr
    assert not Path("out").exists()


def test_a_record_of_another_version_is_refused(here, ran):
    write(here / "run.json", Path("run.json").read_text().replace('"safeaug.audit/1"', '"safeaug.audit/9"', 1))
    result = run("gallery", "--record", "run.json", "--out", "out")
    assert result.exit_code == 2
    assert "run.json: expected the schema 'safeaug.audit/1', got 'safeaug.audit/9'; audit again" in result.stderr


def test_pictures_that_are_gone_are_placeholders(here, ran):
    for i in range(0, 6, 2):
        (here / "pics" / f"{i}.png").unlink()
    result = run("gallery", "--record", "run.json", "--out", "out")
    assert result.exit_code == 0, result.output
    assert "24 of them without pictures" in result.stderr
    for card in cards_of(Path("out/index.html")):
        assert (card["after"] is None) == bool(card["missing"]) == (card["id"] in "024")
        assert card["left"]
    assert str(here) not in Path("out/index.html").read_text()


def test_a_record_of_objects_needs_their_names(here):
    from tests.gallery_worlds import pipeline, sample

    record = safeaug.audit(pipeline(safeaug.albumentations.RandomCrop(40, 40)), [sample()], draws=2)
    write(here / "run.json", record.to_json())
    result = run("gallery", "--record", "run.json", "--out", "out")
    assert result.exit_code == 2
    assert "say what they are: --pipeline and --data" in result.stderr


# Folders, and a full disk.


@pytest.mark.parametrize("command", ["gallery", "audit"])
def test_a_folder_that_is_not_ours_is_refused_before_anything_is_done(here, command):
    write(here / "out" / "mine.txt", "mine")
    write(here / "aug.py", "raise SystemExit('nothing is to be imported')")
    result = gallery() if command == "gallery" else audit("--html", "out")
    assert result.exit_code == 2
    assert "is no gallery of safeaug's: it holds 'mine.txt'" in result.stderr
    assert "nothing is to be imported" not in result.output
    assert os.listdir("out") == ["mine.txt"]


@pytest.mark.parametrize("command", ["gallery", "audit"])
def test_with_force_it_is_written_beside_what_is_there_and_replaced_after(here, command):
    write(here / "out" / "mine.txt", "mine")
    for force in (["--force"], []):
        few = ("--draws", "2", *force)
        result = gallery(*few) if command == "gallery" else audit("--images", "pics", "--html", "out", *few)
        assert result.exit_code == 0, result.output
        assert sorted(os.listdir("out")) == [".safeaug-gallery", "index.html", "mine.txt"]


def test_a_full_disk_is_told_and_leaves_nothing(here, monkeypatch):
    real = Path.write_bytes

    def full(path, data):
        if path.name == "index.html":
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    result = gallery()
    assert result.exit_code == 2
    assert "No space left on device; free some space, or give another place" in result.stderr
    assert "Traceback" not in result.output
    assert not Path("out").exists()


# Pages of an audit.


def test_the_page_of_an_audit_shows_its_draws(here):
    result = audit("--images", "pics", "--html", "a.html", "--jsonl", "my run.jsonl", "--worst", "5")
    assert result.exit_code == 0, result.output
    cards = cards_of(Path("a.html"))
    assert sum("worst" in card["tabs"] for card in cards) == 5
    assert all(card["after"] for card in cards)
    assert stub_of(Path("a.html"))["replay"] == "safeaug replay 'my run.jsonl'"


def test_without_pictures_the_cards_say_so(here):
    result = audit("--html", "a.html")
    assert result.exit_code == 0, result.output
    for card in cards_of(Path("a.html")):
        assert card["missing"].endswith("expected a sample with a picture; say in which folder pictures are")
        assert (card["before"], card["after"], card["film"]) == (None, None, None)


def test_paths_are_shown_in_full_where_that_is_asked(here):
    for names in ("short", "full"):
        args = ("--images", str(here / "pics"), "--html", f"{names}.html", "--names", names, "--draws", "2")
        assert audit(*args, data=f"coco:{here}/ann.json").exit_code == 0
        assert (str(here) in Path(f"{names}.html").read_text()) == (names == "full")


def test_decisions_leave_samples_out_of_an_audit_and_it_says_so(here):
    says = {
        "schema": "safeaug.review/1",
        "run": "x",
        "decisions": [
            {"id": "1", "draw": 3, "verdict": "reject", "flag": False, "note": ""},
            {"id": "2", "draw": 3, "verdict": "accept", "flag": False, "note": ""},
            {"id": "strange", "draw": 0, "verdict": "reject", "flag": False, "note": ""},
        ],
    }
    write(here / "d.json", json.dumps(says))
    result = audit("--deny", "d.json", "--json", "r.json")
    assert result.exit_code == 0, result.output
    assert "1 sample with a rejected draw left out; 1 id in it of no sample of the data" in result.output
    assert "coco:ann.json --deny d.json: 5 samples" in result.stdout
    record = Record.from_json(Path("r.json").read_bytes())
    assert record.about.samples == 5
    assert "1" not in {row.id for row in record.worst}
    assert record.remarks == {"passed over": 1, "unlisted": 1}
    again = run("gallery", "--record", "r.json", "--images", "pics", "--out", "out")
    assert again.exit_code == 0, again.output


@pytest.mark.parametrize("text", [None, "{}", '{"schema": "safeaug.audit/1"}', "<html>"])
def test_decisions_that_are_none_are_refused(here, text):
    if text is not None:
        write(here / "d.json", text)
    result = audit("--deny", "d.json")
    assert result.exit_code == 2, result.output
    assert "d.json: expected decisions" in result.stderr
    assert "Traceback" not in result.output


def test_all_samples_rejected_is_too_few_to_say(here):
    says = {
        "schema": "safeaug.review/1",
        "decisions": [{"id": str(i), "draw": 0, "verdict": "reject"} for i in range(6)],
    }
    write(here / "d.json", json.dumps(says))
    result = audit("--deny", "d.json", "--max-damaged", "1%", "--protect", "boxes")
    assert result.exit_code == 4, result.output


def test_defaults_of_one_command_do_not_stop_the_other(here):
    both, audits, galleries = 'draws = 2\njson = "r.json"', 'html = "a.html"', "worst = 3"
    text = f"[tool.safeaug]\n{both}\n[tool.safeaug.audit]\n{audits}\n[tool.safeaug.gallery]\n{galleries}\n"
    write(here / "pyproject.toml", text)
    result = gallery("--random", "0")
    assert result.exit_code == 0, result.output
    assert len(cards_of(Path("out/index.html"))) == 3
    result = audit("--images", "pics")
    assert result.exit_code == 0, result.output
    assert len(cards_of(Path("a.html"))) == 12
    assert Path("r.json").exists()
    write(here / "pyproject.toml", "[tool.safeaug.gallery]\njson = 'r.json'\n")
    assert gallery().exit_code == 2


def test_a_terminal_shows_how_far_the_pictures_are(here):
    result = gallery(FORCE_COLOR="1", NO_COLOR="", TERM="xterm", TTY_INTERACTIVE="1")
    assert result.exit_code == 0, result.output
    assert "pictures" in result.stderr
    assert "24/24" in result.stderr


def test_a_loader_is_shown(here):
    pytest.importorskip("torch")
    write(here / "load.py", "import numpy as np\nloader = [np.zeros((2, 8, 8, 3), np.uint8)]\n")
    result = run("gallery", "--loader", "load.py:loader", "--out", "sheet.png")
    assert result.exit_code == 0, result.output
    assert Path("sheet.png").exists()


# In one call.


def test_to_html_shows_pictures_where_it_is_given_what_was_audited(here):
    save(here / "root" / "cat" / "a.png", (90, 160))
    data, train = read_folder(here / "root"), safeaug.albumentations.RandomCrop(40, 60)
    record = safeaug.audit(train, data, draws=3)
    assert report.to_html is to_html
    page = report.to_html(record, here / "out", pipeline=train, data=data)
    assert page == here / "out" / "index.html"
    assert len(cards_of(page)) == 3
    plain = report.to_html(record, here / "plain")
    assert "<!doctype html>" in plain.read_text().lower()
    assert "inline" not in plain.read_text()
    with pytest.raises(DataError, match="pictures take the pipeline and the data, got data alone; give pipeline too"):
        to_html(record, here / "x", data=data)


def test_to_html_opens_what_a_record_names_when_it_is_handed_the_names(here, ran):
    page = to_html(ran, here / "out", pipeline=ran.about.pipeline, data=ran.about.data, worst=2, random=0)
    assert [bool(card["after"]) for card in cards_of(page)] == [True, True]


def test_a_page_without_pictures_is_refused_where_one_with_pictures_is(here):
    save(here / "root" / "cat" / "a.png", (90, 160))
    record = safeaug.audit(safeaug.albumentations.RandomCrop(40, 60), read_folder(here / "root"), draws=1)
    with pytest.raises(OutputError, match="is no gallery of safeaug's"):
        to_html(record, here)
    assert to_html(record, here, force=True) == here / "index.html"
    assert to_html(record, here) == here / "index.html"
