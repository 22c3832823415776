"""What options are written like, and where their defaults come from."""

import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safeaug.auditing.source import Source, source_of
from safeaug.cli.defaults import defaults_of
from safeaug.cli.reach import reach
from safeaug.cli.replay import stem_of
from safeaug.cli.shares import limit_of, limits_of, share_of
from safeaug.errors import DataError, PolicyError, SafeAugError

# Shares.


@given(st.integers(0, 10_000))
def test_a_share_is_the_same_in_percent(n):
    assert share_of(f"{n / 100}%", "x") == pytest.approx(share_of(f"{n / 10_000}", "x"))
    assert share_of(f" {n / 100} % ", "x") == share_of(f"{n / 100}%", "x")


@pytest.mark.parametrize(
    "text, hint",
    [
        ("60", r"\(write 60% or 0\.6\)"),
        ("1.5", r"\(write 1\.5% or 0\.015\)"),
        ("150%", "between 0 and 100%"),
        ("101", "between 0 and 100%"),
        ("-1%", "between 0 and 100%"),
        ("-0.1", "between 0 and 100%"),
        ("nan", "between 0 and 100%"),
        ("nan%", "between 0 and 100%"),
        ("inf", "between 0 and 100%"),
        ("0,5", r"\(write 0\.5\)"),
        ("0,5%", r"\(write 0\.5%\)"),
        ("half", "a percentage such as 1%, or a share such as 0.01, got 'half'"),
        ("", "got ''"),
        ("%", "got '%'"),
        ("1%%", "got '1%%'"),
        ("\x1b[31m", r"got '\\x1b\[31m'"),
    ],
)
def test_what_is_no_share_is_refused_with_what_to_write(text, hint):
    with pytest.raises(PolicyError, match=hint):
        share_of(text, "max-damaged")


def test_a_bare_one_may_be_a_retention_and_is_no_limit():
    assert share_of("1", "min-retention") == 1
    assert limit_of("100%", "max-damaged") == 1
    for text in ("1", "1.0", "1e0"):
        with pytest.raises(PolicyError, match="may mean either; write 1% or 100%"):
            limit_of(text, "max-damaged")


def test_limits_by_label():
    assert limits_of(["face=90%", "a=b=0.2", "*=0.5"], "min-retention") == {"face": 0.9, "a=b": 0.2, "*": 0.5}
    for texts, said in (
        (["0.5", "face=0.9"], "as label=share, got '0.5'"),
        (["face=0.9", "face=0.8"], "got 'face' twice"),
        (["face=9"], r"min-retention of 'face' must be .* \(write 9% or 0\.09\)"),
    ):
        with pytest.raises(PolicyError, match=said):
            limits_of(texts, "min-retention")


# Defaults.

OPTIONS = ["draws", "max_damaged", "min_retention", "keep_going"]


def written(tmp_path, text):
    path = tmp_path / "pyproject.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_defaults_are_as_one_would_write_them_and_the_commands_own_go_first(tmp_path):
    path = written(
        tmp_path,
        """
        [tool.other]
        draws = 5
        [tool.safeaug]
        draws = 4
        max-damaged = 0.01
        keep_going = true
        [tool.safeaug.audit]
        draws = 2
        min-retention = {face = 0.9, "*" = "50%"}
        """,
    )
    assert defaults_of(path, "audit", OPTIONS, must=True) == {
        "draws": "2", "max_damaged": "0.01", "keep_going": "True", "min_retention": ["face=0.9", "*=50%"],
    }  # fmt: skip
    assert defaults_of(tmp_path / "none.toml", "audit", OPTIONS, must=False) == {}


@pytest.mark.parametrize("text", ["", "[tool]", "[project]\nname='x'", "tool = 3"])
def test_a_file_that_says_nothing_gives_no_defaults(tmp_path, text):
    assert defaults_of(written(tmp_path, text), "audit", OPTIONS, must=True) == {}


@pytest.mark.parametrize(
    "text, said",
    [
        ("[tool.safeaug]\ndrws = 3", r"\[tool.safeaug\] must hold only draws, keep-going, max-damaged, .* got 'drws'"),
        ("[tool.safeaug.audit]\ndrws = 3", r"\[tool.safeaug.audit\] must hold only"),
        ("[tool.safeaug.replay]\ndraws = 3", "got 'replay'"),
        ("[tool]\nsafeaug = 3", r"\[tool.safeaug\] must be a table"),
        ("[tool.safeaug]\naudit = 3", r"\[tool.safeaug.audit\] must be a table"),
        ("[tool.safeaug]\ndraws = 2026-01-01", "draws of .* must be a text, a number, true or false, or a list"),
        ("[tool.safeaug]\ndraws = [[1]]", "must be a text, a number"),
        ("[tool.safeaug]\ndraws = {a = {b = 1}}", "must be a text, a number"),
        ("[tool.safeaug", "expected TOML: "),
        (b"\xff", "expected TOML: "),
    ],
)
def test_a_file_that_says_something_else_is_refused(tmp_path, text, said):
    with pytest.raises(DataError, match=said):
        defaults_of(written(tmp_path, text), "audit", OPTIONS, must=True)


def test_a_file_that_is_asked_for_must_be_there(tmp_path):
    with pytest.raises(DataError, match="which is not there; check the path"):
        defaults_of(tmp_path / "none.toml", "audit", OPTIONS, must=True)
    with pytest.raises(DataError, match="which cannot be read"):
        defaults_of(tmp_path, "audit", OPTIONS, must=True)


# Data sets, as a run writes them down.

texts = st.one_of(st.none(), st.text(min_size=1, max_size=20))
sources = st.builds(
    Source,
    st.text(min_size=1, max_size=20),
    images=texts,
    split=texts,
    one_based=st.sampled_from([None, True, False]),
    protect=st.sampled_from([None, "boxes", "outlines", "masks", "mask", "picture"]),
    keep_going=st.booleans(),
)


@given(sources)
def test_a_data_set_is_read_again_as_it_was_written_down(source):
    assert source_of(source.text) == source


@pytest.mark.parametrize("text", ["coco:a --images", "coco:a b", "coco:a --drwas 3", "coco:'a", "a --protect faces"])
def test_what_is_no_data_set_is_refused(text):
    with pytest.raises(SafeAugError, match=r"as safeaug audit writes it down|protect must be one of"):
        source_of(text)


# Modules, and names of files.


def test_modules_are_found_where_one_stands_and_beside_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["elsewhere"])
    reach("coco:ann.json", os.path.join("src", "train.py:aug"), "pkg.mod:attr")
    assert sys.path == [str(tmp_path), str(tmp_path / "src"), "elsewhere"]
    reach("src/train.py:aug")
    assert len(sys.path) == 3


@given(st.text(max_size=200), st.integers(0, 99))
def test_the_name_of_a_file_is_one_that_any_file_system_takes(sample_id, draw):
    stem = stem_of(sample_id, draw, "0123456789abcdef")
    assert set(stem) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
    assert stem[0] not in ".-"
    assert len(stem) < 80
