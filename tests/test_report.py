"""What an audit found, for people: it says all that it is told, and nothing in it acts."""

import base64
import hashlib
import io
import itertools
import math
import re
from html.parser import HTMLParser

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from safeaug.auditing.curve import Point
from safeaug.data.remarks import printable
from safeaug.report.chart import HEIGHT, LEFT, TOP, WIDTH, bars_of, ceiling, curve_of
from safeaug.report.page import page_of, to_html
from safeaug.report.text import tell_all
from safeaug.report.words import breaks, percent, sure, worst_first
from tests.report_worlds import AFFINE, CROP, EVIL, assessment, blamed, rate, record

# Words.


@given(st.floats(0, 1))
def test_a_share_reads_as_what_it_is(share):
    text = percent(share)
    number = float(text.strip("<> %")) / 100
    if text.startswith("<"):
        assert 0 < share < number
    elif text.startswith(">"):
        assert number < share < 1
    else:
        assert math.isclose(number, share, rel_tol=0.005, abs_tol=0)
    assert (number == 0) == (share == 0)
    assert (text == "100 %") == (share == 1)


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["fail", "pass", "too few", "no limit"])), max_size=8))
def test_strata_that_break_a_limit_come_first_and_then_those_that_are_surely_high(given):
    rates = [rate("aspect", str(i), 10, damaged, verdict) for i, (damaged, verdict) in enumerate(given)]
    ordered = worst_first(rates)
    assert sorted(ordered, key=lambda each: int(each.name)) == rates
    for one, other in itertools.pairwise(ordered):
        assert breaks(one) or not breaks(other)
        assert breaks(one) != breaks(other) or sure(one) >= sure(other)


# Text.


def text_of(told=None, judged=None, width=80, terminal=False, encoding="utf-8"):
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding, write_through=True)
    console = Console(file=file, highlight=False, width=width, force_terminal=terminal, color_system=None)
    tell_all(console, told or record(), judged or assessment())
    return raw.getvalue().decode(encoding)


@pytest.fixture(autouse=True)
def columns(monkeypatch):
    """The width that a test asks for is the one that it gets."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize(
    "verdict, word", [("fail", "FAIL"), ("pass", "PASS"), ("too few", "TOO FEW"), ("no limit", "NO LIMIT SET")]
)
def test_the_verdict_comes_first_in_one_line_with_its_reason(verdict, word):
    judged = assessment("cat", verdict)
    assert text_of(judged=judged).splitlines()[0] == f"{word}  {judged.why}"


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
def test_text_of_somebody_elses_does_not_act_on_a_terminal_nor_as_markup(terminal, encoding):
    text = text_of(terminal=terminal, encoding=encoding)
    assert {each for each in text if not each.isprintable()} <= {"\n"}
    assert "[bold red]" in text
    assert "\\x1b[31m" in text


def test_what_is_no_terminal_gets_ascii():
    assert text_of(record("cat"), assessment("cat")).isascii()
    assert not text_of(record("cat"), assessment("cat"), terminal=True).isascii()


@given(label=st.text(st.characters(codec="utf-8"), min_size=1, max_size=30), width=st.integers(30, 200))
@settings(max_examples=60)
def test_nothing_is_cut_off_whatever_the_width(label, width):
    text = text_of(record(label), assessment(label), width)
    assert "..." not in text
    letters = re.sub(r"\s", "", text)
    for word in re.split(r"\s+", printable(label)):
        assert all(each in letters for each in word)
    assert "RandomResizedCrop" in text or width < 100


def test_all_parts_are_told():
    text = text_of(record("cat"), assessment("cat"), width=160)
    for part in (
        "20,010 samples, 30,000 objects asked for", "160,000 of 160,080 draws judged, 2 raised, 78 without objects",
        "less than 50 % of an object is left while its label stays", "62.5 %", "52.5 to 72.5 %", "aspect 4:1 and wider",
        "SLIVER", "less than the limit is left, and the label is kept", "0 RandomResizedCrop", "2.0 Affine",
        "the pipeline itself", "ValueError: cat", "KeyError: 'x'", "the box cat lies outside", "missing",
    ):  # fmt: skip
        assert part in text


def cells_of(text, begin):
    """Return the cells of the table line that begins with a word, and of the line of its headings."""
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(begin) and i > lines.index("Blame by step"))
    return [re.split(r"\s{2,}", line.strip()) for line in (lines[lines.index("Blame by step") + 1], lines[at])]


def test_who_emptied_draws_is_told_where_any_is():
    judged = assessment("cat")
    heads, cells = cells_of(text_of(record("cat"), judged, width=160), "2.0 Affine")
    assert dict(zip(heads, cells, strict=True))["draws emptied"] == str(judged.blame[1].emptied) == "50"
    nobody = tuple(msgspec.structs.replace(each, emptied=0) for each in judged.blame)
    text = text_of(record("cat"), assessment("cat", blame=nobody), width=160)
    assert "draws emptied" not in text
    assert "2.0 Affine" in text


def test_a_step_that_only_empties_is_told():
    only = msgspec.structs.replace(blamed(AFFINE, 0, "cat"), emptied=12345)
    judged = assessment("cat", blame=(only,), rates=(rate("all", "all", 100, 0, emptier=f"{AFFINE}"),))
    text = text_of(record("cat"), judged, width=160)
    heads, cells = cells_of(text, "2.0 Affine")
    assert dict(zip(heads, cells, strict=True))["draws emptied"] == "12,345"
    assert any("all draws" in line and "2.0 Affine" in line for line in text.splitlines())
    read = Read(page_of(record("cat"), judged))
    assert "draws emptied" in read.text
    assert "2.0 Affine 0 0 % 3 12,345" in read.text


def test_of_a_stratum_the_step_that_damages_goes_before_the_one_that_empties():
    one = rate("all", "all", 100, 30, step=str(CROP), emptier=str(AFFINE))
    judged = assessment("cat", rates=(one,), blame=())
    assert str(CROP) in text_of(record("cat"), judged, width=160)
    for told in (text_of(record("cat", rows=0), judged, width=160), Read(page_of(record("cat", rows=0), judged)).text):
        assert str(CROP) in told
        assert str(AFFINE) not in told


def test_what_there_is_nothing_of_has_no_table():
    told, judged = record("cat"), assessment("cat", blame=())
    told.counts.failures = ()
    told.remarks.clear()
    text = text_of(told, judged)
    for title in ("Blame by step", "Where the pipeline raised", "Met while reading"):
        assert title not in text


def test_of_many_strata_the_worst_are_told_and_how_many_are_not():
    rates = (rate("all", "all", 100, 10), *(rate("class", f"c{i}", 100, i) for i in range(40)))
    text = text_of(record("cat"), assessment("cat", rates=rates))
    assert "... and 28 more strata" in text
    assert "class c39" in text
    assert "class c27" not in text


# The page.


class Read(HTMLParser):
    """A page as a browser reads it: elements with their attributes, and text."""

    VOID = frozenset({"meta", "line", "polyline", "rect"})

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in self.VOID
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.texts.append(data)

    def all(self, tag):
        return [attrs for each, attrs in self.tags if each == tag]

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def test_the_page_is_one_file_that_loads_and_runs_nothing():
    page = page_of(record(), assessment())
    read = Read(page)
    (policy,) = [each["content"] for each in read.all("meta") if each.get("http-equiv") == "Content-Security-Policy"]
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert {tag for tag, _ in read.tags} & {"script", "img", "link", "iframe", "object", "form", "base"} == set()
    for _, attrs in read.tags:
        assert not {name for name in attrs if name.startswith("on") or name in {"style", "src"}}
        assert attrs.get("href", "#").startswith("#")
    assert "url(" not in style
    assert "@import" not in style


@given(st.text(max_size=40))
@settings(max_examples=60)
def test_any_label_is_text_on_the_page(label):
    read = Read(page_of(record(label), assessment(label)))
    assert f"Of class {printable(label)} 62.8 %".split() == re.findall(r"Of class .*? ?62\.8 %", read.text)[0].split()


def test_text_that_acts_changes_nothing_but_text():
    harmless, evil = (Read(page_of(record(label), assessment(label))) for label in ("cat", EVIL))
    kinds = [[tag for tag, _ in read.tags] for read in (harmless, evil)]
    assert kinds[0] == kinds[1]
    assert "{{7*7}}" in evil.text
    assert all(each.isprintable() or each == "\n" for text in evil.texts for each in text)


def test_the_page_can_be_read_aloud():
    read = Read(page_of(record(), assessment()))
    assert read.all("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag, _ in read.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert len(read.all("caption")) == len(read.all("table")) > 5
    assert all(each["scope"] in {"col", "row"} for each in read.all("th"))
    for svg in read.all("svg"):
        assert svg["role"] == "img"
        named = svg["aria-labelledby"].split()
        assert {each["id"] for tag in ("title", "desc") for each in read.all(tag) if "id" in each} >= set(named)
    ids = [attrs["id"] for _, attrs in read.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert {each["href"][1:] for each in read.all("a")} <= set(ids)
    assert all("tabindex" in each for each in read.all("div") if each.get("class") == "scroll")


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("which", [0, 1], ids=["light", "dark"])
def test_text_and_lines_stand_out_from_their_ground(which):
    style = re.search(r"<style>(.*?)</style>", page_of(record(), assessment()), re.DOTALL)[1]
    colours = [dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", part)) for part in style.split("@media (prefers-color")]
    has = colours[which]
    assert has.keys() == colours[0].keys()
    for text, ground in (
        ("ink", "paper"), ("faint", "paper"), ("link", "paper"), ("ink", "shade"), ("bad", "bad-ground"),
        ("good", "good-ground"), ("warn", "warn-ground"), ("ink", "bad-ground"), ("ink", "good-ground"),
        ("ink", "warn-ground"), ("bad", "paper"),
    ):  # fmt: skip
        assert contrast(has[text], has[ground]) >= 4.5, (text, ground)
    for line in ("line", "other"):
        assert contrast(has[line], has["paper"]) >= 3, line


@pytest.mark.parametrize("verdict, word", [("pass", "PASS"), ("no limit", "NO LIMIT SET")])
def test_the_page_begins_with_the_verdict(verdict, word):
    read = Read(page_of(record("cat"), assessment("cat", verdict)))
    assert read.text.startswith(f"{word}: audit of coco:cat")
    assert read.text.index(f"{word} Of class cat") < read.text.index("20,010")


def test_a_page_of_nothing_has_no_charts():
    judged = assessment("cat")
    nothing = assessment(
        "cat", "too few", counted=type(judged.counted)(**dict.fromkeys(judged.counted.__struct_fields__, 0)),
        rates=(rate("all", "all", 1, 0),), blame=(), curve=(), fates=dict.fromkeys(judged.fates, 0),
    )  # fmt: skip
    read = Read(page_of(record("cat", rows=0), nothing))
    assert not read.all("svg")
    assert "TOO FEW" in read.text


def test_a_page_goes_into_a_file_or_a_folder(tmp_path):
    assert to_html(record(), tmp_path / "a.html", assessment()) == tmp_path / "a.html"
    assert to_html(record(), tmp_path / "new" / "out", assessment()) == tmp_path / "new" / "out" / "index.html"
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "new" / "out" / "index.html").read_bytes()


# Charts.


@given(st.floats(0, 1))
def test_an_axis_ends_just_beyond_what_it_shows(share):
    top = ceiling(share)
    assert top >= share * (1 - 1e-9)
    assert top <= max(2.5 * share * (1 + 1e-9), 0.01 if share == 0 else 1e-6)
    assert top <= 1


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=30))
def test_a_curve_stands_where_its_figures_are(counts):
    points = tuple(
        Point(limit=i / (len(counts) - 1), damaged=count, emptied=count // 2, area=None)
        for i, count in enumerate(counts)
    )
    judged = assessment().counted
    whole = type(judged)(**dict.fromkeys(judged.__struct_fields__, 1000))
    chart = curve_of(assessment(curve=points, counted=whole))
    top = ceiling(max(counts) / 1000)
    for i, (pair, count) in enumerate(zip(chart.damaged.split(), counts, strict=True)):
        x, y = map(float, pair.split(","))
        assert x == pytest.approx(LEFT + (WIDTH - LEFT - 12) * i / (len(counts) - 1), abs=0.06)
        assert y == pytest.approx(TOP + (HEIGHT - TOP - 40) * (1 - count / 1000 / top), abs=0.06)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=9))
def test_bars_are_as_long_as_their_rates_and_bounded_by_theirs(counts):
    rates = [rate("aspect", str(i), 50, count) for i, count in enumerate(counts)]
    chart = bars_of(rates)
    longest = max(counts)
    for bar, count in zip(chart.bars, counts, strict=True):
        assert 0 <= bar.width <= WIDTH
        assert bar.low - 1e-6 <= 150 + bar.width
        assert bar.high <= WIDTH
        if longest:
            assert bar.width == pytest.approx(chart.bars[counts.index(longest)].width * count / longest)
