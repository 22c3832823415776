"""What a gallery is written into: one page or a folder, whole or not at all, with nothing in it that acts or tells."""

import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import albumentations as A
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import safeaug
from safeaug.data import read_folder
from safeaug.errors import OutputError
from safeaug.report.gallery import book as books
from safeaug.report.gallery import writing
from safeaug.report.gallery.book import Book, script_of
from safeaug.report.gallery.card import Card, Frame, Guarded, Look, Shard, run_id
from safeaug.report.gallery.folder import MARKER, PARTIAL, staged
from safeaug.report.gallery.names import PATH, common_folder, shortener
from safeaug.report.gallery.writing import Told, write_gallery
from tests.gallery_worlds import cards_of, opened, pipeline, sample, shard_of, stub, stub_of
from tests.report_worlds import EVIL

TRAIN = pipeline(A.RandomCrop(40, 60), A.HorizontalFlip(p=0.5))


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """The template is another's to show."""
    monkeypatch.setattr(writing, "page_with", stub)


def record_of(data, draws=4, train=TRAIN, **more):
    return safeaug.audit(train, data, draws=draws, **more)


def written(path, data, draws=4, train=TRAIN, force=False, names="short", record=None, **more):
    record = record or record_of(data, draws, train, **more)
    return write_gallery(record, record.summary(), Told(train, data, names=names), Path(path), force=force)


def small(monkeypatch, page=20_000, cards=None, files=None):
    """Let pages, shards and folders be small."""
    monkeypatch.setattr(books.Book.__init__, "__kwdefaults__", {"page": page})
    monkeypatch.setattr(books, "CARDS", cards or books.CARDS)
    monkeypatch.setattr(books, "FILES", files or books.FILES)


# One page, or a folder.


def test_a_gallery_that_fits_is_one_page(tmp_path):
    told = written(tmp_path / "out", [sample()])
    assert told == (tmp_path / "out" / "index.html", 4, 0, True)
    assert sorted(os.listdir(tmp_path / "out")) == [MARKER, "index.html"]
    cards = cards_of(told.page)
    assert len(cards) == 4
    for card in cards:
        assert opened(card["before"]["src"]).shape == (*card["before"]["size"], 3)
        assert opened(card["after"]["src"]).shape == (40, 60, 3)
        assert card["film"][0]["step"] == "0 RandomCrop"


def test_a_page_may_be_a_file(tmp_path):
    told = written(tmp_path / "new" / "a.html", [sample()])
    assert told.page == tmp_path / "new" / "a.html"
    assert os.listdir(tmp_path / "new") == ["a.html"]
    assert len(cards_of(told.page)) == 4


def test_a_gallery_that_does_not_fit_is_a_folder_whose_parts_are_small(tmp_path, monkeypatch):
    one = cards_of(written(tmp_path / "one", [sample(str(i)) for i in range(9)], 15, worst=110, random=0).page)
    small(monkeypatch, cards=40, files=50)
    told = written(tmp_path / "out", [sample(str(i)) for i in range(9)], 15, worst=110, random=0)
    assert not told.single
    assert told.cards == 110
    cards = cards_of(told.page, 40)
    names = os.listdir(tmp_path / "out")
    assert sorted(name for name in names if name.startswith("data")) == ["data-000.js", "data-001.js", "data-002.js"]
    folders = [name for name in names if name.startswith("thumbs")]
    assert len(folders) > 4
    assert all(len(os.listdir(tmp_path / "out" / name)) <= 50 for name in folders)
    for there, here in zip(one, cards, strict=True):
        for look in ("before", "after", "guarded"):
            if here[look] is not None:
                file = (tmp_path / "out" / here[look].pop("src")).read_bytes()
                assert books.in_page(file) == there[look].pop("src")
        for frame, other in zip(here["film"], there["film"], strict=True):
            assert books.in_page((tmp_path / "out" / frame.pop("src")).read_bytes()) == other.pop("src")
        assert here == there
    assert len({card["n"] for card in cards}) == 110


def test_the_same_picture_is_one_file(tmp_path, monkeypatch):
    small(monkeypatch, page=0)
    cards = cards_of(written(tmp_path / "out", [sample()], 20).page)
    assert len(cards) == 20
    assert len({card["before"]["src"] for card in cards}) == 1


def test_the_same_picture_stands_in_the_page_once(tmp_path):
    page = written(tmp_path / "a.html", [sample(), sample("b", (60, 300), [(5, 5, 50, 50)])], 20).page
    pictures, cards = stub_of(page)["pictures"], cards_of(page)
    assert len(pictures) == len(set(pictures))
    assert {card["before"]["src"] for card in cards} <= set(pictures)
    assert len({card["before"]["src"] for card in cards}) == 2
    assert all(page.read_text(encoding="utf-8").count(each) == 1 for each in pictures)


def test_what_does_not_fit_into_a_file_is_refused_and_nothing_is_written(tmp_path, monkeypatch):
    small(monkeypatch)
    with pytest.raises(OutputError, match=r"at most 25 MB, and \d+ cards are more; give a folder"):
        written(tmp_path / "a.html", [sample()], 50)
    assert os.listdir(tmp_path) == []


def test_the_rest_of_a_page_counts_too(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "PAGE", 300_000)
    monkeypatch.setattr(writing, "page_with", lambda *args: stub(*args) + " " * (299_000 if args[2] is not None else 0))
    told = written(tmp_path / "out", [sample()], 6)
    assert not told.single
    assert len(cards_of(told.page)) == 6


@settings(max_examples=30)
@given(sizes=st.lists(st.integers(0, 400), max_size=30), page=st.integers(0, 6000))
def test_cards_stay_in_order_however_they_are_parted(tmp_path_factory, sizes, page):
    stage = tmp_path_factory.mktemp("stage")
    made = Book("run", stage, page=page)
    for n, size in enumerate(sizes):
        look = Look(src=bytes([n]) * size, size=(1, 1))
        made.add(Card(n=n, id=str(n), draw=0, key="0", tabs=(), status="FIRST", before=look))
    inline = made.inline()
    shards = [shard_of((stage / name).read_text()) for name in made.shards] if inline is None else inline
    assert [card["n"] for shard in shards for card in shard["cards"]] == list(range(len(sizes)))
    assert all(shard["run"] == "run" for shard in shards)


def test_the_same_record_makes_the_same_bytes(tmp_path, monkeypatch):
    data = [sample(), sample("b", (60, 300), [(5, 5, 50, 50)])]
    record = record_of(data, 6)
    for folder in ("one", "two", "three"):
        if folder == "three":
            monkeypatch.chdir(tmp_path / "two")
        written(tmp_path / folder, data, record=safeaug.auditing.record.Record.from_json(record.to_json()))
    assert contents(tmp_path / "one") == contents(tmp_path / "two") == contents(tmp_path / "three")
    small(monkeypatch, page=0)
    for folder in ("four", "five"):
        written(tmp_path / folder, data, record=record)
    assert contents(tmp_path / "four") == contents(tmp_path / "five")


def contents(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def made():
    """Return a pipeline that prints where in memory its function lies."""

    def as_it_is(image, **params):
        return image

    return pipeline(A.RandomCrop(40, 60), A.Lambda(image=as_it_is, name="as it is"))


def test_a_review_survives_the_same_audit_on_another_day(tmp_path):
    record, again = (record_of([sample()], train=made()) for _ in range(2))
    assert record.about.pipeline != again.about.pipeline  # it lies elsewhere
    told = written(tmp_path / "out", [sample()], record=record)
    assert {shard["run"] for shard in stub_of(told.page)["inline"]} == {run_id(record)}
    for changed in ({}, {"started": "2099-01-01T00:00:00+00:00", "seconds": 7.5}, {"safeaug": "9", "numpy": "9"}):
        later = replace(again, about=msgspec.structs.replace(again.about, **changed))
        assert run_id(later) == run_id(record)
    assert run_id(record_of([sample()], train=made(), processes=2)) == run_id(record)
    assert run_id(record_of([sample()], train=made(), worst=1, random=0)) == run_id(record)


def test_another_audit_has_a_review_of_its_own():
    audits = [
        record_of([sample()]),
        record_of([sample()], seed=1),
        record_of([sample()], draws=5),
        record_of([sample()], labels="image"),
        record_of([sample(), sample("b")]),
        record_of([sample()], train=pipeline(A.RandomCrop(40, 61), A.HorizontalFlip(p=0.5))),
        record_of([sample()], named=("train.py:train", "coco:a.json")),
        record_of([sample()], named=("train.py:train", "coco:b.json")),
        record_of([sample()], named=("train.py:other", "coco:b.json")),
        record_of([sample()], train=made(), named=("train.py:other", "coco:b.json")),  # the file has been changed
    ]
    first = audits[0]
    audits += [
        replace(first, about=msgspec.structs.replace(first.about, **changed))
        for changed in ({"schema": "safeaug.audit/2"}, {"host": "albumentations 9"})
    ]
    assert len({run_id(each) for each in audits}) == len(audits)


def test_how_far_it_is_can_be_seen(tmp_path):
    record, seen = record_of([sample()]), []
    write_gallery(
        record, record.summary(), Told(TRAIN, [sample()]), tmp_path / "a.html", progress=lambda *a: seen.append(a)
    )
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


# What is there already.


def test_an_empty_folder_will_do(tmp_path):
    assert written(tmp_path, [sample()]).page == tmp_path / "index.html"


def test_a_folder_that_is_not_ours_is_refused_before_anything_is_done(tmp_path):
    (tmp_path / "index.html").write_text("mine")
    with pytest.raises(OutputError, match=r"is no gallery of safeaug's: it holds 'index.html'; give another"):
        writing.check_place(tmp_path, force=False)
    with pytest.raises(OutputError):
        written(tmp_path, [sample()])
    assert contents(tmp_path) == {"index.html": b"mine"}


@pytest.mark.parametrize("marker", ["", "{}", '{"schema": "another/1"}', "\xff"])
def test_a_marker_that_is_not_ours_does_not_make_it_ours(tmp_path, marker):
    (tmp_path / MARKER).write_text(marker, encoding="latin1")
    with pytest.raises(OutputError):
        writing.check_place(tmp_path, force=False)


def test_with_force_what_is_not_ours_stays(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "data-000.js").write_text("mine")
    told = written(tmp_path, [sample()], force=True)
    assert len(cards_of(told.page)) == 4
    assert (tmp_path / "thesis.tex").read_text() == (tmp_path / "data" / "data-000.js").read_text() == "mine"


def test_a_gallery_of_ours_is_replaced_and_what_was_put_beside_it_stays(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        small(patch, page=0, cards=2, files=5)
        written(tmp_path / "out", [sample()], 9)
    assert (tmp_path / "out" / "data-004.js").exists()
    (tmp_path / "out" / "decisions.json").write_text("mine")
    (tmp_path / "out" / f"{PARTIAL}left").mkdir()
    told = written(tmp_path / "out", [sample("b")])
    assert {card["id"] for card in cards_of(told.page)} == {"b"}
    assert sorted(os.listdir(tmp_path / "out")) == [MARKER, "decisions.json", "index.html"]


def test_what_is_of_another_kind_is_refused(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OutputError, match="expected a folder to write to, got the file"):
        written(tmp_path / "file", [sample()], force=True)
    (tmp_path / "a.html").mkdir()
    with pytest.raises(OutputError, match="expected a file to write to, got the folder"):
        written(tmp_path / "a.html", [sample()], force=True)


# A full disk.


@pytest.mark.parametrize("last", [0, 1, 5, 12])
@pytest.mark.parametrize("where", ["one", "many", "a.html"])
def test_a_full_disk_leaves_no_half_page(tmp_path, monkeypatch, where, last):
    """Writing fails from some file on, at the border to the system; what was there before is there still."""
    before = {}
    if last == 5:  # there is one already
        written(tmp_path / where, [sample("old")])
        before = contents(tmp_path)
    if where == "many":
        small(monkeypatch, page=0, cards=3)
    record, count = record_of([sample()], 9), iter(range(1000))
    real, wanted = Path.write_bytes, {"one": 2, "many": 17, "a.html": 1}[where]

    def full(path, data):
        if next(count) >= min(last, wanted - 1):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OutputError, match="No space left on device; free some space, or give another place"):
        written(tmp_path / where, [sample()], record=record)
    assert contents(tmp_path) == before


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OutputError, match="cannot be made: Not a directory"):
        written(tmp_path / "file" / "out", [sample()])
    with pytest.raises(OutputError, match="cannot be written: "):
        written(tmp_path / "file" / "a.html", [sample()])


def test_what_is_put_in_place_comes_whole_or_not_at_all(tmp_path, monkeypatch):
    """The page is taken away first and put there last, so that none ever leads to cards that are not there."""
    written(tmp_path / "out", [sample("old")])
    order, real = [], Path.rename

    def rename(path, target):
        order.append(("new" if path.parent.name.startswith(PARTIAL) else "old", path.name))
        return real(path, target)

    monkeypatch.setattr(Path, "rename", rename)
    small(monkeypatch, page=0)
    written(tmp_path / "out", [sample()])
    assert order[0] == ("old", "index.html")
    assert order[-1] == ("new", "index.html")
    assert ("new", "data-000.js") in order


@pytest.mark.parametrize("turn", range(8))
def test_what_cannot_be_put_in_place_leaves_what_was_there(tmp_path, monkeypatch, turn):
    small(monkeypatch, page=0)
    written(tmp_path / "out", [sample("old")])
    (tmp_path / "out" / "mine.txt").write_text("mine")
    before, count, real = contents(tmp_path), iter(range(1000)), Path.rename

    def rename(path, target):
        if next(count) == turn:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(OutputError, match="cannot be written to: Permission denied"):
        written(tmp_path / "out", [sample()])
    assert contents(tmp_path) == before
    assert len(os.listdir(tmp_path / "out")) == 5


def test_what_fails_on_the_way_leaves_nothing(tmp_path):
    def half():
        with staged(tmp_path / "out") as stage:
            (stage / "index.html").write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        half()
    assert os.listdir(tmp_path) == []


# Text that acts, and text that tells.

MARKS = "\u202eevil\u2066\u200f" + EVIL.replace("\ud800", "")


@pytest.mark.parametrize(
    "text", [EVIL, "</script><!--", "x" * 10_000, MARKS, "\u2028\u2029", "'\"`\\", "café/ü 猫.jpg"]
)
def test_no_text_ends_a_script_and_all_of_it_is_there(tmp_path, text, monkeypatch):
    small(monkeypatch, page=0)
    name = safeaug.auditing.text.as_text(text)
    data = [sample(text, labels=(text,), group=text)]
    told = written(tmp_path / "out", data)
    script = (tmp_path / "out" / "data-000.js").read_bytes()
    assert not {b"<", b">", b"&", "\u2028".encode(), "\u2029".encode()} & {
        script[i : i + 1] for i in range(len(script))
    }
    assert "\u2028".encode() not in script
    for card in cards_of(told.page):
        assert (card["id"], card["labels"], card["group"]) == (name, [name], name)


@given(text=st.text(max_size=60))
def test_any_text_comes_back(text):
    text = safeaug.auditing.text.as_text(text)
    frame = Frame(step=text, params=((text, text),), left=(), src=None)
    guarded = Guarded(status=text, left=(), src=text, size=(1, 1), window=None)
    card = Card(
        n=0, id=text, draw=0, key="0", tabs=(), status="", labels=(text,), film=(frame,), guarded=guarded, missing=text
    )
    script = script_of(Shard(run=text, first=0, cards=(card,))).decode()
    told = shard_of(script)["cards"][0]
    assert {told["id"], told["missing"], *told["labels"], told["film"][0]["step"], told["guarded"]["src"]} == {text}
    assert not set("<>&\u2028\u2029") & set(script)


def test_nothing_of_a_files_tags_comes_with_its_picture(tmp_path):
    exif = Image.Exif()
    exif[0x010E] = "secret description"
    exif.get_ifd(0x8825)[1] = "N"
    exif[0x0112] = 6
    for i in range(2):
        path = tmp_path / "root" / "cat" / f"{i}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (160, 90), (200, 30 * i, 9)).save(path, exif=exif, comment=b"secret comment")
    data = read_folder(tmp_path / "root")
    train = A.Compose([A.RandomCrop(40, 60)])
    told = written(tmp_path / "a.html", data, train=train)
    page = told.page.read_bytes()
    for card in cards_of(told.page):
        assert card["before"]["size"] == [160, 90]  # upright
        for src in (card["before"]["src"], card["after"]["src"], card["film"][0]["src"]):
            file = books.base64.b64decode(src.partition(",")[2])
            assert b"Exif" not in file
            assert b"secret" not in file
    assert b"secret" not in page


def test_no_absolute_path_is_told_unless_asked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    root = tmp_path / "my pictures"
    for name in ("cat/0.png", "dog/1.png"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (160, 90)).save(root / name)

    class Reads(A.ImageOnlyTransform):
        def apply(self, img, **params):
            raise ValueError(f"cannot read {tmp_path}/model.onnx nor /opt/secret/other.onnx")

    data = [
        sample(str(root / name), (90, 160), [(5, 5, 60, 60)], image=None, path=root / name, where=str(root / name))
        for name in ("cat/0.png", "dog/1.png")
    ]
    (root / "dog" / "1.png").write_bytes(b"no picture")
    train = pipeline(A.RandomCrop(40, 60), Reads(p=1.0))
    record = record_of(data, 2, train, keep_going=True, named=(f"{tmp_path}/train.py:aug", f"yolo:{root}/data.yaml"))
    told = written(tmp_path / "short.html", data, train=train, record=record)
    page = told.page.read_text()
    assert str(tmp_path) not in page
    assert "/opt/secret" not in page
    assert stub_of(told.page)["about"][:2] == ["train.py:aug", "yolo:data.yaml"]
    cards = cards_of(told.page)
    assert {card["id"] for card in cards} == {"cat/0.png", "dog/1.png"}
    assert {sent for card in cards if "cat" in card["id"] for sent in [card["missing"]]} == {
        "step 1 Reads raised ValueError: cannot read model.onnx nor .../other.onnx"
    }
    assert any("dog/1.png" in card["missing"] for card in cards)
    full = written(tmp_path / "full.html", data, train=train, record=record, names="full")
    assert {card["id"] for card in cards_of(full.page)} == {str(root / name) for name in ("cat/0.png", "dog/1.png")}


names = st.lists(st.text("abc ", min_size=1, max_size=3).filter(str.strip), min_size=1, max_size=4).map("/".join)


@settings(max_examples=100)
@given(folder=names, files=st.lists(names, min_size=1, max_size=4, unique=True))
def test_ids_are_told_apart_when_their_folder_is_taken_off(folder, files):
    ids = [f"/{folder}/{name}" for name in files]
    short = shortener("short", "", ids).id
    assert len({short(each) for each in ids}) == len(ids)
    for each in ids:
        assert not short(each).startswith("/")
        assert each == f"{common_folder(ids).rstrip('/')}/{short(each)}"


@pytest.mark.parametrize(
    "text",
    ["cats/1.jpg", "50 %/50 %", "https://example.org/a/b.html", "and/or", "s3://bucket/a/b", "a//b/c", "1/2", "~/a/b"],
)
def test_what_is_no_absolute_path_is_left_as_it_is(text):
    assert shortener("short", "", []).text(text) == text


@pytest.mark.parametrize("text", ["/a/b/c.py:3", "C:\\Users\\ann\\c.py:3", "('/a/b/c.py:3')", "coco:/a/b/c.py:3"])
def test_an_absolute_path_is_cut_to_its_end(text):
    short = shortener("short", "", []).text(text)
    assert "c.py:3" in short
    assert not PATH.search(short)
    for folder in ("/a/", "ann"):
        assert folder not in short


def test_a_marker_says_what_it_is(tmp_path):
    told = written(tmp_path / "out", [sample()])
    says = json.loads((told.page.parent / MARKER).read_text())
    assert says["schema"] == "safeaug.gallery/1"
