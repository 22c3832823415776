"""The gallery's page without a browser: its charts against loops over draws, its parts as a browser reads them."""

import base64
import hashlib
import itertools
import json
import math
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safeaug import Policy
from safeaug.auditing.assess import assess
from safeaug.auditing.bins import AREAS, ASPECTS
from safeaug.auditing.blamed import NO_STEP
from safeaug.auditing.summary import summary_of
from safeaug.auditing.terms import terms_of
from safeaug.data.remarks import printable
from safeaug.report.gallery.charts import SHADES, boxes_of, heat_of, histogram_of
from safeaug.report.gallery.render import address_of, render
from safeaug.report.gallery.spread import SHARES, bands_of, class_steps, left_of
from tests.audit_oracle import blame, draws_of
from tests.audit_worlds import block_of, blocks
from tests.browser_worlds import HOSTILE, card, record
from tests.report_worlds import EVIL
from tests.test_report import Read, contrast

LIMITS = st.sampled_from([0.0, 0.005, 0.285, 0.5, 1.0])
LABELS = st.sampled_from(["object", "image"])


def assessed(block, limit, labels):
    summary = summary_of(block, terms_of())
    return summary, assess(summary, Policy(min_retention=limit), labels=labels)


def things(block):
    return [(draw, thing) for draw in draws_of([block]) if draw.judged for thing in draw.asked]


def rung(thing) -> int:
    """Return 0 where nothing is left, else one more than the greatest of the limits that is reached."""
    return 0 if not thing.final else 1 + max(j for j in range(201) if thing.enough >= j / 200)


# What charts are drawn from.


@given(blocks(), LIMITS, LABELS)
@settings(max_examples=60, deadline=None)
def test_what_is_left_is_counted_as_a_loop_counts_it(block, limit, labels):
    left = left_of(*assessed(block, limit, labels))
    sums = Counter((thing.labelled or labels == "image", rung(thing)) for _, thing in things(block))
    assert [*left.kept] == [sums[True, i] for i in range(202)]
    assert [*left.dropped] == [sums[False, i] for i in range(202)]


@given(blocks(), LIMITS, LABELS, st.sampled_from(["aspect", "area"]))
@settings(max_examples=60, deadline=None)
def test_bands_reach_as_far_as_the_objects_of_a_stratum(block, limit, labels, by):
    strata: dict[str, list[float]] = {}
    for draw, thing in things(block):
        if thing.labelled or labels == "image":
            name = draw.aspect if by == "aspect" else thing.area
            strata.setdefault(name, []).append(max(rung(thing) - 1, 0) / 200)
    found = bands_of(*assessed(block, limit, labels), by)
    assert [band.name for band in found] == [name for name in (ASPECTS if by == "aspect" else AREAS) if name in strata]
    for band in found:
        left = sorted(strata[band.name])
        assert band.objects == len(left)
        for share, value in zip(SHARES, band.shares, strict=True):
            assert value in left
            assert sum(each <= value for each in left) >= share * len(left)
            assert sum(each < value for each in left) < share * len(left)


@given(blocks(), LIMITS, LABELS)
@settings(max_examples=60, deadline=None)
def test_steps_are_blamed_by_class_as_a_loop_blames_them(block, limit, labels):
    summary, judged = assessed(block, limit, labels)
    wanted: Counter[tuple[str, int]] = Counter()
    for (step, label, *_), count in blame(draws_of([block]), lambda label: limit, labels).items():
        wanted[label, 0 if step is None else step + 1] += count
    found = class_steps(summary, judged)
    assert {(label, step): count for label, row in zip(summary.labels, found.tolist(), strict=True)
            for step, count in enumerate(row) if count} == dict(wanted)  # fmt: skip


# Where charts stand.


@given(blocks(), LIMITS, LABELS)
@settings(max_examples=60, deadline=None)
def test_columns_are_as_tall_as_what_they_count(block, limit, labels):
    chart = histogram_of(*assessed(block, limit, labels))
    rungs = [(thing.labelled or labels == "image", rung(thing)) for _, thing in things(block)]
    if not rungs:
        assert chart is None
        return
    places = Counter((carried, 0 if not i else 21 if i == 201 else 1 + (i - 1) // 10) for carried, i in rungs)
    counts = [(places[True, k], places[False, k]) for k in range(22)]
    assert [(int(kept.replace(",", "")), int(dropped.replace(",", ""))) for _, kept, dropped in chart.rows] == counts
    floor = chart.columns[0].y + chart.columns[0].height
    scale = {(column.height + column.more) / sum(count) for column, count in zip(chart.columns, counts, strict=True)
             if sum(count) and not column.cut}  # fmt: skip
    assert scale
    assert max(scale) == pytest.approx(min(scale))
    for column, (kept, dropped) in zip(chart.columns, counts, strict=True):
        assert column.y + column.height == pytest.approx(floor)
        assert column.over + column.more == pytest.approx(column.y)
        assert column.over >= 12
        if column.cut:
            assert (kept + dropped) * max(scale) >= column.height + column.more - 1e-9
            assert column.text
    for one, other in itertools.pairwise(chart.columns):
        assert one.x + one.width <= other.x + 1e-9
    assert chart.columns[-1].x + chart.columns[-1].width <= 640


def test_the_limit_stands_between_what_is_short_and_what_is_not():
    chart = histogram_of(*assessed(block_of([0.0, 0.2, 0.33, 0.7, 1.0]), 0.5, "object"))
    short = [column.x + column.width for column in chart.columns if column.short]
    rest = [column.x for column in chart.columns if not column.short]
    assert max(short) <= chart.limit <= min(rest)
    assert len(short) == 11


def test_bands_stand_in_order_and_within_their_axis():
    summary, judged = assessed(block_of([[0.0, 0.25, 0.375, 0.75, 1.0]], areas=0.3), 0.5, "object")
    chart = boxes_of(bands_of(summary, judged, "area"), judged)
    (box,) = chart.boxes
    low, high = chart.across[0].at, chart.across[-1].at
    shares = [(each - low) / (high - low) for each in (box.low, box.first, box.middle, box.third, box.high)]
    assert shares == pytest.approx([0.0, 0.25, 0.375, 0.75, 1.0])
    assert (chart.limit - low) / (high - low) == pytest.approx(0.5)


@given(blocks(), LIMITS, LABELS)
@settings(max_examples=60, deadline=None)
def test_heat_is_the_share_of_a_class_and_darkest_where_it_is_most(block, limit, labels):
    summary, judged = assessed(block, limit, labels)
    heat = heat_of(summary, judged)
    hurt = blame(draws_of([block]), lambda label: limit, labels)
    if not hurt:
        assert heat is None
        return
    objects = Counter(thing.label for _, thing in things(block))
    shares = Counter()
    for (step, label, *_), count in hurt.items():
        shares[label, NO_STEP if step is None else str(block.names[step])] += count / objects[label]
    most = max(shares.values())
    for label, count, cells in heat.rows:
        assert int(count.replace(",", "")) == sum(n for (_, name, *_), n in hurt.items() if name == label)
        for step, cell in zip(heat.steps, cells, strict=True):
            share = shares[label, step]
            assert cell.choice == {"class": label, "step": step}
            assert (cell.shade == 0) == (share == 0)
            assert cell.shade <= SHADES
            assert math.isclose(share, most) <= (cell.shade == SHADES)
            if share:
                assert float(cell.text.rstrip(" %")) == pytest.approx(100 * share, rel=0.005)


# The page.


class Page(Read):
    """A page as a browser reads it; what stands in scripts is no text."""

    VOID = Read.VOID | {"input"}

    def __init__(self, page):
        self.scripts = []
        super().__init__(page)

    def handle_data(self, data):
        if self.open[-1:] == ["script"]:
            self.scripts.append((dict(self.tags[-1][1]), data))
        else:
            super().handle_data(data)


def page_of(label="cat", **options):
    told, judged = record(label)
    return render(told, judged, **{"inline": [{"run": "r", "first": 0, "cards": [card(1)]}], **options})


def hash_of(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize("local", [False, True], ids=["page", "folder"])
def test_nothing_is_allowed_but_the_page_itself_and_what_lies_beside_it(local):
    html = page_of(**({"inline": None, "shards": ["data-000.js"]} if local else {}))
    read = Page(html)
    (policy,) = [each["content"] for each in read.all("meta") if each.get("http-equiv") == "Content-Security-Policy"]
    told = dict(part.split(" ", 1) for part in policy.split("; "))
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1]
    (script,) = [text for attrs, text in read.scripts if attrs.get("type") == "module"]
    own = ["'self'"] if local else []
    assert told == {
        "default-src": "'none'", "img-src": " ".join([*own, "data:"]), "style-src": hash_of(style),
        "script-src": " ".join([*own, hash_of(script)]), "base-uri": "'none'", "form-action": "'none'",
        "require-trusted-types-for": "'script'", "trusted-types": "safeaug",
    }  # fmt: skip
    assert {tag for tag, _ in read.tags} & {"link", "iframe", "object", "base", "img"} == set()
    for tag, attrs in read.tags:
        assert not {name for name in attrs if name.startswith("on") or name in {"style", "src"}}, tag
        assert attrs.get("href", "#").startswith("#")
    assert "url(" not in style
    assert "@import" not in style


def test_cards_stand_in_the_page_or_are_named():
    (cards,) = [json.loads(text) for attrs, text in Page(page_of()).scripts if attrs.get("id") == "inline"]
    assert cards[0]["cards"] == [card(1)]
    read = Page(page_of(inline=None, shards=["data-000.js", "data-001.js"]))
    told = {attrs["id"]: json.loads(text) for attrs, text in read.scripts if "id" in attrs}
    assert told["about"]["shards"] == ["data-000.js", "data-001.js"]
    assert "inline" not in told


def test_what_there_is_to_say_of_the_pictures_stands_above_them():
    said = "There is no tab of plain against guarded: min_visibility=0.9 & <b>more</b>."
    html = page_of(notes=[said])
    assert said in Page(html).text
    assert "<b>" not in html
    assert html.index('id="draws"') < html.index("There is no tab") < html.index('id="gallery"')
    assert "There is no tab" not in page_of()


def test_the_pictures_of_cards_in_the_page_stand_there_once():
    pictures = ["data:image/webp;base64,AAAA", "data:image/webp;base64,BBBB"]
    told = {attrs["id"]: json.loads(text) for attrs, text in Page(page_of(pictures=pictures)).scripts if "id" in attrs}
    assert told["images"] == pictures


def test_shape_size_class_and_step_lead_to_the_cards_that_are_so():
    read = Page(page_of())
    links = {each["href"] for each in read.all("a") if "=" in each["href"]}
    _, judged = record()
    sizes = [rate.area for rate in judged.rates if rate.kind == "area"]
    assert len(sizes) > 2
    assert {address_of({"area": area}) for area in sizes} <= links
    assert {each.get("name") for each in read.all("select")} >= {"step", "class", "aspect", "area", "status", "finding"}


def test_a_page_without_cards_needs_no_script():
    for options in ({"inline": []}, {"inline": None}):
        read = Page(page_of(**options))
        assert not read.scripts
        assert not read.all("dialog")
        assert not [each for each in read.all("a") if "=" in each["href"]]
        assert "No pictures are kept" in read.text


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=40))
@settings(max_examples=15, deadline=None)
def test_any_label_is_text_on_the_page_and_leads_to_its_cards(label):
    read = Page(page_of(label))
    assert " ".join(f"class {printable(label)}".split()) in read.text
    assert address_of({"class": label}) in [each["href"] for each in read.all("a")]


@pytest.mark.parametrize("text", [*HOSTILE, EVIL])
def test_text_that_acts_changes_nothing_but_text(text):
    safe = text.encode("utf-8", "backslashreplace").decode()
    shard = {"run": safe, "first": 0, "cards": [card(1, id=safe, labels=[safe])]}
    harmless, evil = (Page(page_of(label, title=label, notes=[label])) for label in ("cat", text))
    assert Counter(tag for tag, _ in harmless.tags) == Counter(tag for tag, _ in evil.tags)
    assert all(each.isprintable() or each == "\n" for part in evil.texts for each in part)
    (cards,) = [
        json.loads(part) for attrs, part in Page(page_of(inline=[shard])).scripts if attrs.get("id") == "inline"
    ]
    assert cards == [shard]


def test_the_page_can_be_read_aloud():
    read = Page(page_of(EVIL))
    assert read.all("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag, _ in read.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert len(read.all("caption")) == len(read.all("table")) > 8
    assert all(each["scope"] in {"col", "row"} for each in read.all("th"))
    ids = [attrs["id"] for _, attrs in read.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    for _, attrs in read.tags:
        assert set(attrs.get("aria-labelledby", "").split()) <= set(ids)
    assert {each["href"][1:] for each in read.all("a") if "=" not in each["href"]} <= set(ids)
    assert all("tabindex" in each for each in read.all("div") if each.get("class") == "scroll")
    assert all(each["role"] == "img" for each in read.all("svg"))


def test_every_chart_has_its_figures():
    read = Page(page_of())
    assert len(read.all("figure")) == 6
    assert len(read.all("svg")) == 5
    for part in ("5 % have at most", "with their label", "picture area left", "1:2 to 4:5", "20 % to 50 %"):
        assert part in read.text


@pytest.mark.parametrize("which", [0, 1], ids=["light", "dark"])
def test_text_and_lines_stand_out_from_their_ground(which):
    style = re.search(r"<style>(.*?)</style>", page_of(), re.DOTALL)[1]
    pairs = re.findall(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", style)
    has = {name: colours[which] for name, *colours in pairs}
    for text, ground in (
        ("ink", "paper"), ("ink", "raised"), ("ink", "shade"), ("faint", "paper"), ("faint", "raised"),
        ("faint", "shade"), ("link", "paper"), ("link", "bad-ground"), ("bad", "bad-ground"), ("good", "good-ground"),
        ("warn", "warn-ground"), ("ink", "bad-ground"), ("paper", "ink"),
    ):  # fmt: skip
        assert contrast(has[text], has[ground]) >= 4.5, (text, ground)
    for line in ("line", "other", "edge", "good", "bad"):
        assert contrast(has[line], has["paper"]) >= 3, line
    for part in (8, 16, 24, 32, 40, 48, 56, 64):
        heat, paper = ([int(has[name][i : i + 2], 16) for i in (1, 3, 5)] for name in ("heat", "paper"))
        mixed = [round(part / 100 * one + (1 - part / 100) * other) for one, other in zip(heat, paper, strict=True)]
        assert contrast(has["ink"], "#" + "".join(f"{each:02x}" for each in mixed)) >= 4.5, part
