"""The gallery in a real browser, opened from disk: everything that its users do, by mouse and by keyboard alone.

Needs playwright and a Chromium: without them all of it is skipped, unless ``SAFEAUG_BROWSER=1``, which makes that a
failure. ``AXE_CORE`` is the path of axe-core's ``axe.min.js``.
"""

import io
import itertools
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from safeaug.report.gallery.render import address_of
from tests.browser_worlds import HOSTILE, RUN, card, jpeg, page, sharded, uri, without_pictures

MUST = os.environ.get("SAFEAUG_BROWSER") == "1"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = os.environ.get("AXE_CORE", "")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
ALLOWED = ("file:", "data:", "blob:")
ALL_THERE = """() => {
  const told = document.getElementById("shown").textContent.replaceAll(",", "").match(/[0-9]+/g).map(Number);
  const [total, page = 1] = told;
  return document.querySelectorAll(".card").length === Math.min(200, total - 200 * (page - 1));
}"""
"""Whether as many cards stand there as the page says: all but the first come a moment later."""
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 400, "height": 800}


def needs(there: Any, what: str) -> None:
    """Skip where something is not installed, or fail where it must be."""
    if not there:
        (pytest.fail if MUST else pytest.skip)(f"needs {what}")


@pytest.fixture(scope="module")
def browser():
    needs(CHROMIUM, "a Chromium in the path")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        needs(False, "playwright")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def open_page(browser):
    """Open a page in a profile of its own; in the end it must have asked for nothing, and complained of nothing."""
    contexts, wrong = [], []

    def opened(path: Path, address: str = "", *, script: str = "", complains: bool = False, **options: Any):
        context = browser.new_context(**{"viewport": WIDE, "reduced_motion": "reduce", **options})
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(10_000)
        if not complains:
            tab.on("request", lambda request: request.url.startswith(ALLOWED) or wrong.append(request.url))
            tab.on("console", lambda said: said.type in {"error", "warning"} and wrong.append(said.text))
            tab.on("pageerror", lambda error: wrong.append(str(error)))
        if script:
            tab.add_init_script(script)
        tab.goto(path.as_uri() + address)
        tab.wait_for_selector(".card")
        tab.wait_for_selector("#shown:not(:has-text('coming'))")
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture(scope="module")
def cards():
    return [*(card(n) for n in range(30)), without_pictures(30, "ann.json: expected a picture, got none")]


@pytest.fixture(scope="module")
def index(cards, tmp_path_factory):
    return page(tmp_path_factory.mktemp("single"), cards)


def numbers(tab) -> list[int]:
    """Return the numbers of the cards that are shown, in order, when all of them are."""
    tab.wait_for_timeout(60)
    tab.wait_for_function(ALL_THERE)
    return tab.eval_on_selector_all(".card .open", "links => links.map((link) => Number(link.dataset.n))")


def choose(tab, name: str, value: str) -> None:
    tab.locator(f"#filters [name={name}]").select_option(value)


def said(tab) -> str:
    return tab.locator("main > .said").text_content()


def focused(tab) -> int | None:
    found = tab.evaluate("document.activeElement.dataset.n")
    return None if found is None else int(found)


def start(tab, n: int = 0) -> None:
    """Put the focus on a card."""
    tab.locator(".card .open").nth(n).focus()


def kept(tab) -> dict[str, Any]:
    """Return the decisions that the browser keeps, by id and draw."""
    text = tab.evaluate(f"localStorage.getItem('safeaug.review {RUN}')")
    return {each["id"]: each for each in json.loads(text)["decisions"]} if text else {}


# What is shown.


def by_least(cards):
    return [each["n"] for each in sorted(cards, key=lambda each: (each["least"], each["n"]))]


def test_the_worst_draws_come_first_and_each_tab_holds_its_own(open_page, index, cards):
    tab = open_page(index)
    assert numbers(tab) == by_least([each for each in cards if "worst" in each["tabs"]])
    for name in ("random", "findings", "guarded"):
        tab.click(f"#tabs a[href='#tab={name}']")
        assert numbers(tab) == by_least([each for each in cards if name in each["tabs"]])
        assert tab.locator("#tabs a[aria-current=true]").get_attribute("href") == f"#tab={name}"
    tab.click("#tabs a[href='#tab=all']")
    assert numbers(tab) == by_least(cards)


def test_a_tab_is_there_when_its_data_are(open_page, tmp_path):
    tab = open_page(page(tmp_path, [card(1, tabs=["random"]), card(2, tabs=["random"])]))
    assert tab.locator("#tabs a").evaluate_all("all => all.map((link) => link.hash)") == ["#tab=random", "#tab=all"]
    assert tab.locator("#saliency").is_hidden()


def test_a_map_of_saliency_is_a_layer_where_there_is_one(open_page, tmp_path):
    tab = open_page(page(tmp_path, [card(1, tabs=["worst"], heat={"src": card(2)["before"]["src"]}), card(3)]))
    assert tab.locator("img.heat").count() == 1
    assert tab.locator("img.heat").is_visible()
    tab.locator("[data-layer=heat]").uncheck()
    assert tab.locator("img.heat").is_hidden()


SORTS = {
    "left": lambda each: each["least"],
    "aspect": lambda each: each["size"][1] / each["size"][0],
    "class": lambda each: next(
        (
            label
            for label, fate in zip(each["labels"], each["fates"], strict=True)
            if fate == "SLIVER" or (fate == "GONE" and each["emptied"])
        ),
        each["labels"][0],
    ),
    "step": lambda each: each["step"],
    "id": lambda each: each["id"],
}


@pytest.mark.parametrize("key", SORTS)
def test_cards_are_sorted_both_ways_and_what_has_no_key_stands_last(open_page, index, cards, key):
    tab = open_page(index, "#tab=all")
    choose(tab, "sort", key)
    lack = [each for each in cards if SORTS[key](each) == ""]
    have = [each for each in cards if each not in lack]
    assert numbers(tab) == [each["n"] for each in [*sorted(have, key=SORTS[key]), *lack]]
    tab.click("#down")
    assert numbers(tab) == [each["n"] for each in [*sorted(have, key=SORTS[key], reverse=True), *lack]]


def test_filters_narrow_what_is_shown_and_are_taken_off(open_page, index, cards):
    tab = open_page(index, "#tab=all")
    for name, value, holds in (
        ("class", "Hund & Katze", lambda each: "Hund & Katze" in each["labels"]),
        ("aspect", "4:1 and wider", lambda each: each["aspect"] == "4:1 and wider"),
        ("area", "5 % to 20 %", lambda each: "5 % to 20 %" in each["areas"]),
        ("step", "1 Affine", lambda each: each["step"] == "1 Affine"),
        ("finding", "SA1.emptied", lambda each: "SA1.emptied" in each["findings"]),
        ("status", "FIRST", lambda each: each["status"] == "FIRST"),
    ):
        choose(tab, name, value)
        some = [each for each in cards if holds(each)]
        assert numbers(tab) == by_least(some)
        assert tab.locator("#shown").text_content() == f"{len(some)} draws"
        option = tab.locator(f"#filters [name={name}] option:checked").text_content()
        assert option.endswith(f"({len(some)})")
        tab.click("#clear")
    tab.fill("[name=q]", "0001")
    assert numbers(tab) == by_least([each for each in cards if "0001" in each["id"]])
    choose(tab, "class", "cat")
    assert numbers(tab) == by_least([each for each in cards if "0001" in each["id"] and "cat" in each["labels"]])
    tab.fill("[name=q]", "nothing is called this")
    assert tab.locator(".nothing").is_visible()
    tab.click("#clear")
    assert numbers(tab) == by_least(cards)


def test_a_click_on_a_stratum_or_a_step_shows_its_cards(open_page, index, cards):
    tab = open_page(index)
    tab.click("table:has(caption:text('By the step')) a:text('1 Affine')")
    assert numbers(tab) == by_least([each for each in cards if each["step"] == "1 Affine"])
    tab.click("#rates ~ details summary")
    tab.click(f"a[href='{address_of({'area': '1 % to 5 %'})}']")
    assert numbers(tab) == by_least([each for each in cards if "1 % to 5 %" in each["areas"]])
    tab.click("a:text('class dog')")
    assert numbers(tab) == by_least([each for each in cards if "dog" in each["labels"]])
    tab.locator(".heat tr:has-text('lamp post') a").first.click()
    some = [each for each in cards if "lamp post" in each["labels"] and each["step"] == "0 RandomResizedCrop"]
    assert numbers(tab) == by_least(some)


def test_a_draw_without_pictures_has_a_place_and_says_why(open_page, index):
    tab = open_page(index, "#tab=all&q=00030")
    assert tab.locator(".card .missing").first.text_content() == "No picture. ann.json: expected a picture, got none"
    tab.click(".card .open")
    assert tab.locator("#detail .missing").first.is_visible()
    assert tab.locator(".wipe").is_hidden()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return sharded(tmp_path_factory.mktemp("folder"), 450, each=100, pictures=12)


def test_a_folder_shows_two_hundred_at_a_time(open_page, folder):
    tab = open_page(folder, "#tab=all&sort=id")
    assert numbers(tab) == [*range(200)]
    assert tab.locator("#shown").text_content() == "450 draws, page 1 of 3"
    tab.locator(".turn[data-letter='>']").first.click()
    assert numbers(tab) == [*range(200, 400)]
    start(tab, 199)
    tab.keyboard.press("j")
    assert focused(tab) == 400
    assert numbers(tab) == [*range(400, 450)]
    assert tab.locator(".turn[data-letter='>']").first.is_disabled()
    tab.keyboard.press("k")
    assert focused(tab) == 399
    loaded = tab.evaluate("document.querySelector('.view img').naturalWidth")
    assert loaded > 1


def test_a_shard_that_is_missing_is_said_and_the_rest_is_shown(open_page, tmp_path):
    index = sharded(tmp_path, 30, each=10, pictures=5)
    (tmp_path / "data-001.js").unlink()
    tab = open_page(index, "#tab=all&sort=id", complains=True)
    assert numbers(tab) == [*range(10), *range(20, 30)]
    assert said(tab) == "data-001.js is missing beside this page."


# Windows, boxes, and one draw.


def plain(colour, height, width):
    return jpeg(Image.new("RGB", (width, height), colour))


def two_colours(**changes):
    """Return a black picture of which the right half of the lower half was cut out, and came out white."""
    return card(
        0,
        tabs=["worst"], size=[100, 200], labels=["cat"], counted=[True], fates=["KEPT"], left=[1.0], damaged=False,
        emptied=False, guarded=None, boxes=[[0.1, 0.2, 0.3, 0.6]], boxes_after=[None],
        before={"src": uri(plain("black", 80, 160)), "size": [80, 160]},
        after={"src": uri(plain("white", 160, 160)), "size": [160, 160]},
        window=[[0.5, 0.5], [1, 0.5], [1, 1], [0.5, 1]], **changes,
    )  # fmt: skip


def pixel(tab, x, y):
    data = tab.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1})
    return np.asarray(Image.open(io.BytesIO(data)).convert("L"))[0, 0]


def placed(tab, selector):
    """Return where an element is, as shares of the picture that it is drawn over, which is twice as wide as high."""
    view = tab.locator("#figures .view").first.bounding_box()
    width = min(view["width"], 2 * view["height"])
    left, top = view["x"] + (view["width"] - width) / 2, view["y"] + (view["height"] - width / 2) / 2
    box = tab.locator(f"#figures {selector}").first.evaluate(
        "path => (({ left, top, right, bottom }) => [left, top, right, bottom])(path.getBoundingClientRect())"
    )
    return [(box[0] - left) / width, (box[1] - top) * 2 / width, (box[2] - left) / width, (box[3] - top) * 2 / width]


def test_windows_and_boxes_stand_where_they_are_told_and_can_be_taken_off(open_page, tmp_path):
    tab = open_page(page(tmp_path, [two_colours()]), "#card=0")
    for selector, wanted in ((".window.light", (0.5, 0.5, 1, 1)), (".box.light", (0.1, 0.2, 0.3, 0.6))):
        assert placed(tab, selector) == pytest.approx(wanted, abs=0.02)
    tab.keyboard.press("Escape")
    for layer in ("window", "box"):
        assert tab.locator(f".card path.{layer}.light").first.is_visible()
        tab.locator(f"[data-layer={layer}]").uncheck()
        assert tab.locator(f".card path.{layer}.light").first.is_hidden()


def test_names_of_objects_that_begin_together_do_not_lie_on_each_other(open_page, tmp_path):
    boxes = [[0.1, 0.1, 0.5, 0.9], [0.1, 0.1, 0.9, 0.5], [0.15, 0.12, 0.4, 0.4], [0.1, 0.6, 0.3, 0.9]]
    many = {"labels": ["shuttle model", "person", "face", "helmet"], "counted": [True] * 4, "fates": ["KEPT"] * 4}
    tab = open_page(
        page(tmp_path, [card(0, tabs=["worst"], boxes=boxes, boxes_after=[None, *boxes[1:]], **many)]), "#card=0"
    )
    for view in (0, 1):
        texts = tab.locator("#figures .view").nth(view).locator("text.box")
        assert texts.all_text_contents() == many["labels"][view:]
        rows = texts.evaluate_all(
            "all => all.map((text) => text.getBoundingClientRect()).map((box) => [box.top, box.bottom])"
        )
        middles = sorted((top + bottom) / 2 for top, bottom in rows)
        height = min(bottom - top for top, bottom in rows)
        assert min(after - before for before, after in itertools.pairwise(middles)) > 0.6 * height


@pytest.mark.parametrize("flipped", [False, True])
def test_the_slider_lays_the_result_where_it_came_from(open_page, tmp_path, flipped):
    window = [[1, 0.5], [0.5, 0.5], [0.5, 1], [1, 1]] if flipped else [[0.5, 0.5], [1, 0.5], [1, 1], [0.5, 1]]
    tab = open_page(page(tmp_path, [{**two_colours(), "window": window}]), "#card=0")
    view = tab.locator("#figures .view").first.bounding_box()
    width = min(view["width"], 2 * view["height"])
    middle = view["y"] + view["height"] / 2

    def at(x, y):
        left = view["x"] + (view["width"] - width) / 2
        return pixel(tab, left + x * width, middle + (y - 0.5) * width / 2)

    slider = tab.locator("#wipe")
    assert at(0.7, 0.8) < 60
    slider.fill("100")
    assert at(0.7, 0.8) > 200
    assert at(0.9, 0.8) > 200
    assert at(0.7, 0.3) < 60
    slider.fill("80")
    assert at(0.7, 0.8) > 200
    assert at(0.9, 0.8) < 60
    slider.focus()
    tab.keyboard.press("Home")
    assert at(0.7, 0.8) < 60
    assert tab.locator("#place").text_content() == "1 of 1"


def test_one_draw_tells_its_steps_what_is_left_and_how_to_make_it_again(open_page, index, cards):
    shown = next(each for each in cards if len(each["labels"]) == 3 and each["damaged"])
    tab = open_page(index, f"#tab=all&card={shown['n']}")
    frames = tab.locator("#film > li")
    assert frames.count() == len(shown["film"])
    assert "crop_coords" in frames.nth(0).text_content()
    assert shown["film"][0]["params"][0][1] in frames.nth(0).text_content()
    rows = tab.locator("#objects tbody tr")
    for i, (label, left, fate) in enumerate(zip(shown["labels"], shown["left"], shown["fates"], strict=True)):
        cells = rows.nth(i).locator("th, td").all_text_contents()
        assert [cells[0], cells[-1]] == [label, fate]
        assert float(cells[1].rstrip(" %")) == pytest.approx(100 * left, rel=0.006, abs=0.001)
    assert tab.locator("#again").text_content() == (
        f"safeaug replay run.jsonl --id {shown['id']} --draw {shown['draw']} --out again"
    )
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.click("#copy")
    tab.wait_for_selector("dialog .said:not(:empty)")
    assert tab.locator("dialog .said").text_content() == "Copied."
    assert tab.evaluate("navigator.clipboard.readText()") == tab.locator("#again").text_content()


# Review.


def test_a_review_by_keyboard_alone_from_the_first_tab_to_the_end(open_page, index, cards):
    tab = open_page(index)
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the pictures"
    tab.keyboard.press("Enter")
    for _ in range(40):
        tab.keyboard.press("Tab")
        if focused(tab) is not None:
            break
    order = by_least([each for each in cards if "worst" in each["tabs"]])
    assert focused(tab) == order[0]
    assert tab.evaluate("getComputedStyle(document.activeElement.closest('.card')).outlineStyle") == "solid"
    for key in ("a", "r", "j", "ArrowRight", "k", "f"):
        tab.keyboard.press(key)
    assert focused(tab) == order[3]
    tab.keyboard.press("Enter")
    assert tab.locator("#place").text_content() == f"4 of {len(order)}"
    assert tab.locator("[data-mark=flag]").get_attribute("aria-pressed") == "true"
    tab.keyboard.press("n")
    tab.keyboard.type("ajar, rejoin?")
    tab.keyboard.press("Escape")
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#place").text_content() == f"5 of {len(order)}"
    tab.keyboard.press("r")
    tab.keyboard.press("u")
    tab.keyboard.press("Escape")
    tab.wait_for_selector(f".open[data-n='{order[4]}']:focus")
    assert tab.locator("dialog").is_hidden()
    ids = [cards[n]["id"] for n in order]
    assert {name: (each["verdict"], each["flag"], each["note"]) for name, each in kept(tab).items()} == {
        ids[0]: ("accept", False, ""), ids[1]: ("reject", False, ""), ids[3]: (None, True, "ajar, rejoin?"),
    }  # fmt: skip
    assert tab.locator("#counts").text_content() == "1 accepted, 1 rejected, 1 flagged, 1 with a note; of 31 draws"
    assert tab.locator(".card").nth(0).locator(".marks").text_content() == "✓ accepted"


def test_arrows_go_down_and_up_by_rows(open_page, index):
    tab = open_page(index)
    order, columns = (
        numbers(tab),
        tab.evaluate("getComputedStyle(document.getElementById('cards')).gridTemplateColumns.split(' ').length"),
    )
    start(tab)
    tab.keyboard.press("ArrowDown")
    assert focused(tab) == order[columns]
    tab.keyboard.press("ArrowUp")
    assert focused(tab) == order[0]


def test_undo_takes_back_one_act_at_a_time_and_a_note_at_once(open_page, index, cards):
    tab = open_page(index)
    first = cards[numbers(tab)[0]]
    start(tab)
    for key in ("f", "n", "o", "h", "Escape", "a"):
        tab.keyboard.press(key)
    tab.keyboard.press("u")
    assert kept(tab)[first["id"]] == {
        "id": first["id"],
        "draw": first["draw"],
        "verdict": None,
        "flag": True,
        "note": "oh",
    }
    tab.keyboard.press("u")
    assert kept(tab)[first["id"]]["note"] == ""
    tab.keyboard.press("u")
    assert kept(tab) == {}
    assert tab.locator("dialog [data-letter=u]").is_disabled()


def test_single_letters_can_be_switched_off_and_stay_so(open_page, index):
    tab = open_page(index)
    tab.click("#help summary")
    tab.locator("#keys").uncheck()
    tab.reload()
    tab.wait_for_selector(".card")
    start(tab)
    for key in ("a", "r", "f", "n", "j"):
        tab.keyboard.press(key)
    assert kept(tab) == {}
    assert tab.locator("dialog").is_hidden()
    tab.keyboard.press("ArrowRight")
    assert focused(tab) == numbers(tab)[1]


def test_letters_that_are_typed_are_only_letters(open_page, index):
    tab = open_page(index)
    tab.focus("[name=q]")
    tab.keyboard.type("jarfnu")
    assert tab.input_value("[name=q]") == "jarfnu"
    assert kept(tab) == {}


def test_decisions_outlive_a_visit_and_go_out_and_in_as_json(open_page, index, cards, tmp_path):
    tab = open_page(index)
    start(tab)
    for key in ("a", "r", "f", "n", "x", "Escape"):
        tab.keyboard.press(key)
    tab.keyboard.press("Escape")
    tab.wait_for_url(lambda address: "card" not in address)
    tab.reload()
    tab.wait_for_selector(".card")
    assert tab.locator("#counts").text_content().startswith("1 accepted, 1 rejected, 1 flagged, 1 with a note")
    with tab.expect_download() as download:
        tab.click("#export")
    path = tmp_path / "decisions.json"
    download.value.save_as(path)
    assert download.value.suggested_filename == f"review-{RUN}.json"
    given = json.loads(path.read_text(encoding="utf-8"))
    assert {key: given[key] for key in ("schema", "run")} == {"schema": "safeaug.review/1", "run": RUN}
    order = by_least([each for each in cards if "worst" in each["tabs"]])
    assert given["decisions"] == [
        {"id": cards[n]["id"], "draw": cards[n]["draw"], **told}
        for n, told in zip(order, (
            {"verdict": "accept", "flag": False, "note": ""}, {"verdict": "reject", "flag": False, "note": ""},
            {"verdict": None, "flag": True, "note": "x"},
        ), strict=False)
    ]  # fmt: skip
    other = open_page(index)
    other.set_input_files("#file", path)
    other.wait_for_selector("main > .said:not(:empty)")
    assert said(other) == "Imported 3 decisions; 0 of draws not here; 0 could not be read."
    assert kept(other) == kept(tab)
    choose(other, "mark", "reject")
    assert numbers(other) == [order[1]]
    other.click("#review [data-letter=u]")
    assert kept(other) == {}


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("no json", "Nothing was imported: "),
        ('{"schema": "safeaug.review/2", "decisions": []}', "Nothing was imported: "),
        ('{"schema": "safeaug.review/1", "decisions": 7}', "Nothing was imported: "),
        (
            json.dumps({
                "schema": "safeaug.review/1", "run": "another",
                "decisions": [
                    {"id": "elsewhere", "draw": 1, "verdict": "reject", "flag": False, "note": HOSTILE[0]},
                    {"id": "__proto__", "draw": 0, "verdict": "accept"}, None, 7, {"id": 3, "draw": 0, "verdict": None},
                    {"id": "a", "draw": "0", "verdict": None}, {"id": "a", "draw": 0, "verdict": "maybe"},
                ],
            }),
            "Imported 2 decisions, of another run; 2 of draws not here; 5 could not be read.",
        ),
    ],
)  # fmt: skip
def test_what_is_imported_is_looked_at_first(open_page, index, tmp_path, text, wanted):
    tab = open_page(index)
    path = tmp_path / "given.json"
    path.write_text(text, encoding="utf-8")
    tab.set_input_files("#file", path)
    tab.wait_for_selector("main > .said:not(:empty)")
    assert said(tab).startswith(wanted)
    assert tab.evaluate("window.acted") is None


def test_where_the_browser_keeps_nothing_all_else_works(open_page, index):
    forbids = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no'); } });"
    tab = open_page(index, script=forbids)
    start(tab)
    tab.keyboard.press("a")
    assert tab.locator("#counts").text_content().startswith("1 accepted")
    assert tab.locator("#kept").is_visible()
    tab.click("#theme")
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    with tab.expect_download() as download:
        tab.click("#export")
    assert len(json.loads(Path(download.value.path()).read_text(encoding="utf-8"))["decisions"]) == 1


# The address.


def test_a_link_restores_the_view_with_the_open_card(open_page, index, cards):
    some = sorted((each for each in cards if "dog" in each["labels"] and "findings" in each["tabs"]), key=SORTS["id"])
    tab = open_page(index, f"#tab=findings&class=dog&sort=id&down=1&card={some[0]['n']}")
    assert numbers(tab) == [each["n"] for each in some[::-1]]
    assert tab.locator("#place").text_content() == f"{len(some)} of {len(some)}"
    assert tab.input_value("[name=class]") == "dog"
    assert tab.locator("#down").get_attribute("aria-pressed") == "true"
    tab.keyboard.press("Escape")
    tab.wait_for_selector(f".open[data-n='{some[0]['n']}']:focus")
    assert "card" not in tab.evaluate("location.hash")


def test_back_and_forward_go_through_what_was_shown(open_page, index):
    tab = open_page(index)
    first = numbers(tab)
    choose(tab, "class", "dog")
    second = numbers(tab)
    assert second != first
    tab.locator(".card .open").nth(1).click()
    tab.keyboard.press("j")
    assert tab.locator("dialog").is_visible()
    tab.go_back()
    assert tab.locator("dialog").is_hidden()
    assert numbers(tab) == second
    tab.wait_for_selector(f".open[data-n='{second[2]}']:focus")
    tab.go_back()
    assert numbers(tab) == first
    assert tab.input_value("[name=class]") == ""
    tab.go_forward()
    assert numbers(tab) == second
    tab.go_forward()
    assert tab.locator("#place").text_content() == f"3 of {len(second)}"
    tab.click("#close")
    tab.wait_for_url(lambda address: "card" not in address)
    assert numbers(tab) == second


@pytest.mark.parametrize(
    "address", ["#card=999", "#sort=constructor&page=-3&card=__proto__", "#tab=toString", "#%ff%", "#rates"]
)
def test_an_address_of_nothing_does_no_harm(open_page, index, address):
    tab = open_page(index, "#q=")
    tab.goto(index.as_uri() + address)
    assert tab.locator("dialog").is_hidden()
    assert tab.locator("#gallery").is_visible()


def test_places_on_the_page_are_gone_to_and_the_view_stays(open_page, index):
    tab = open_page(index, "#class=dog")
    shown = numbers(tab)
    tab.click("nav >> text=Rates")
    assert tab.evaluate("document.activeElement.id") == "rates"
    assert tab.evaluate("location.hash") == "#class=dog"
    assert numbers(tab) == shown


# Looks.


def ground(tab):
    return tab.evaluate("getComputedStyle(document.body).backgroundColor")


def test_both_themes_follow_the_system_until_one_is_chosen(open_page, index):
    tab = open_page(index, color_scheme="dark")
    dark = ground(tab)
    tab.click("#theme")
    light = ground(tab)
    assert sum(map(int, light[4:-1].split(","))) > sum(map(int, dark[4:-1].split(","))) + 400
    tab.reload()
    assert ground(tab) == light
    assert ground(open_page(index, color_scheme="light")) == light


def test_nothing_moves_where_that_is_not_wanted(open_page, index):
    for motion, wanted in (("reduce", "auto"), ("no-preference", "smooth")):
        tab = open_page(index, reduced_motion=motion)
        assert tab.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == wanted


def test_paper_gets_the_findings_and_the_pictures_and_no_controls(open_page, index):
    tab = open_page(index, color_scheme="dark")
    tab.emulate_media(media="print")
    assert ground(tab) == "rgb(255, 255, 255)"
    for selector in ("#filters", "#review", "body > header", "main > .line"):
        assert tab.locator(selector).first.is_hidden() or not tab.locator(selector).count()
    for selector in (".verdict", "#rates", ".charts svg", ".card img"):
        assert tab.locator(selector).first.is_visible()


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_nothing_is_wider_than_the_page(open_page, index, viewport):
    tab = open_page(index, viewport=viewport)
    wide = "document.documentElement.scrollWidth > innerWidth"
    assert not tab.evaluate(wide)
    tab.click("#tabs a[href='#tab=guarded']")
    assert not tab.evaluate(wide)
    assert tab.eval_on_selector_all(
        ".card", "all => all.every((card) => card.getBoundingClientRect().right <= innerWidth)"
    )
    tab.locator(".card .open").first.click()
    assert not tab.evaluate(wide)
    assert not tab.evaluate(
        "document.getElementById('scroll').scrollWidth > document.getElementById('scroll').clientWidth"
    )


def test_what_can_be_pressed_is_large_enough(open_page, index):
    tab = open_page(index)
    tab.click("#help summary")
    small = tab.evaluate(
        "[...document.querySelectorAll('button, select, input, summary, nav a')]"
        ".filter((each) => each.checkVisibility())"
        ".map((each) => [each.outerHTML.slice(0, 60), (each.closest('label') || each).getBoundingClientRect()])"
        ".filter(([, { width, height }]) => Math.min(width, height) < 24)"
    )
    assert small == []


@pytest.mark.parametrize(
    "theme, viewport", [("light", WIDE), ("dark", NARROW)], ids=["light and wide", "dark and narrow"]
)
def test_axe_finds_no_violation_in_any_state(open_page, index, theme, viewport):
    needs(AXE and Path(AXE).is_file(), "AXE_CORE, the path of axe.min.js")
    tab = open_page(index, "#tab=guarded", color_scheme=theme, viewport=viewport)
    tab.evaluate(Path(AXE).read_text(encoding="utf-8"))

    def violations():
        found = tab.evaluate(f"axe.run(document, {{ runOnly: {RULES}, resultTypes: ['violations'] }})")["violations"]
        return [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found]

    start(tab)
    for key in ("a", "r", "f", "u"):
        tab.keyboard.press(key)
    assert violations() == []
    tab.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert violations() == []
    tab.locator(".card .open").first.click()
    tab.keyboard.press("f")
    assert violations() == []


# Somebody else's text.


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    told = [
        card(
            n, id=text, labels=[text, "cat"], counted=[True, True], fates=["SLIVER", "KEPT"], left=[0.1, 1.0],
            step=text, damaged=True, emptied=False, boxes=[[0.1, 0.1, 0.4, 0.4]] * 2, boxes_after=[[0, 0, 1, 1]] * 2,
            group=text,
            findings=[text], aspect=text, areas=[text], status=text, tabs=["worst"], guarded=None, key=text,
            film=[{"step": text, "params": [[text, text]], "left": [0.1, 1.0], "src": None}],
        )
        for n, text in enumerate(HOSTILE)
    ]  # fmt: skip
    told.append(without_pictures(len(HOSTILE), HOSTILE[0] + HOSTILE[2]))
    return page(
        tmp_path_factory.mktemp("hostile"), told, label=HOSTILE[0] + HOSTILE[2], title=HOSTILE[1], notes=HOSTILE
    )


def test_text_that_acts_does_nothing_and_can_be_read(open_page, hostile):
    tab = open_page(hostile)
    for n, text in enumerate(HOSTILE):
        tab.goto(f"{hostile.as_uri()}#card={n}")
        tab.locator("dialog details").evaluate_all("all => all.forEach((each) => { each.open = true; })")
        written = "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text)
        assert written in tab.locator("#detail-id").text_content()
        assert written in tab.locator("#facts").text_content()
        assert written in tab.locator("#film").text_content()
        assert written in tab.locator("#objects").text_content()
        tab.keyboard.press("n")
        tab.locator("#note").fill(text.replace("\x00", ""))
        tab.keyboard.press("Escape")
        tab.keyboard.press("Escape")
    assert tab.evaluate("window.acted") is None
    assert tab.locator("main script, dialog script, main [onerror], dialog [onerror]").count() == 0
    tab.reload()
    tab.wait_for_selector(".card")
    assert tab.locator("#counts").text_content().startswith("0 accepted, 0 rejected, 0 flagged, 4 with a note")
    assert tab.evaluate("window.acted") is None
    assert "\u202e" not in tab.locator("main").text_content() + tab.title()
    for name in ("step", "class", "aspect", "area", "status", "finding"):
        choose(tab, name, HOSTILE[1])
        assert numbers(tab) == [1]
        tab.click("#clear")


def test_a_direction_does_not_leak_out_of_a_text(open_page, tmp_path):
    tab = open_page(
        page(tmp_path, [card(0, id="\u05d0\u05d1\u05d2/1", tabs=["worst"], labels=["\u05d3\u05d4"], fates=["SLIVER"])])
    )
    assert tab.evaluate("getComputedStyle(document.querySelector('.card bdi')).unicodeBidi") == "isolate"
    name, draw = (
        tab.locator(f".card .name {part}, .card .open {part}").first.bounding_box() for part in ("bdi", ".faint")
    )
    assert name["x"] + name["width"] <= draw["x"] + 1


@pytest.mark.parametrize(
    "text", ["a b", "it's", 'say "$HOME" `id`', HOSTILE[1], "\u202e\u05d0 \x1b[31m\n\\n'", "\U000e0041tag"]
)
def test_the_command_that_makes_a_draw_again_means_its_id(open_page, tmp_path, text):
    tab = open_page(page(tmp_path, [card(0, id=text, tabs=["worst"])]), "#card=0")
    line = tab.locator("#again").text_content()
    assert line.isprintable()
    words = line.replace("safeaug replay run.jsonl", "printf '%s\\0'", 1)
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash, to read the command as a shell does")
    out = subprocess.run([bash, "-c", words], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}).stdout
    assert out.decode().split("\0") == ["--id", text, "--draw", "0", "--out", "again", ""]


def test_the_policy_of_the_page_is_in_force(open_page, index):
    tab = open_page(index, complains=True)
    asked, answered = [], []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("response", lambda response: answered.append(response.url))
    tab.on("requestfailed", lambda request: asked.remove(request.url))
    refused = tab.evaluate(
        """async () => {
          await new Promise((done) => setTimeout(done)); // from here on, it is no longer the debugger that acts
          const refused = [];
          addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
          const inline = document.createElement("script");
          const attempt = (act) => { try { act(); } catch (error) { refused.push(error.name); } };
          attempt(() => { inline.textContent = "window.acted = 1"; });
          inline.append("window.acted = 2");
          document.body.append(inline);
          attempt(() => { document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.acted = 3'>"); });
          attempt(() => eval("window.acted = 4"));
          const styled = document.createElement("p");
          styled.setAttribute("style", "color: red");
          document.body.append(styled);
          document.body.append(Object.assign(document.createElement("img"), { src: "https://example.org/a.png" }));
          await fetch("https://example.org/").catch((error) => refused.push(error.name));
          await new Promise((done) => setTimeout(done, 200));
          return refused;
        }"""
    )
    assert tab.evaluate("window.acted") is None
    assert not [each for each in asked + answered if not each.startswith(ALLOWED)]
    assert {"TypeError", "EvalError", "style-src-attr", "img-src", "connect-src"} <= set(refused)
    assert {"script-src-elem", "require-trusted-types-for"} & set(refused)


# What is kept small.


def test_the_script_is_small_plain_and_makes_no_html():
    script = (Path(__file__).parent.parent / "safeaug/report/gallery/app.js").read_text(encoding="utf-8")
    assert len(script.encode()) <= 25_000
    assert max(map(len, script.splitlines())) <= 150
    for acting in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "fetch(",
        "import(",
        "http:",
        "://",
    ):
        assert acting not in script.replace("http://www.w3.org/2000/svg", "")
