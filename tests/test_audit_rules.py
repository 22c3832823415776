"""Rules SA2 to SA7 in an audit: which is broken at which step, in how many samples; parts add up to one pass."""

import json
from pathlib import Path

import albumentations as A
import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import safeaug
from safeaug.auditing.record import Record
from safeaug.auditing.ruled import UNRULED, Looked, Ruled, Told, all_ruled, broken_of
from safeaug.data import Sample, read_folder
from safeaug.errors import ContentError, PipelineError, PolicyError
from safeaug.report import to_html
from safeaug.report.gallery import writing
from tests.cli_worlds import EVIL, audit
from tests.data_worlds import write
from tests.gallery_worlds import cards_of, stub

AUG = """
import albumentations as A
import numpy as np

class Spoil(A.ImageOnlyTransform):
    def apply(self, img, **params):
        img[2, 2] = np.nan  # in its place: what the step before has handed on is changed with it
        return img

sound = A.Compose([A.SmallestMaxSize(48), A.HorizontalFlip(), A.Normalize()])
twice = A.Compose([A.SmallestMaxSize(48), A.ToFloat(p=1.0), A.Normalize()])
spoilt = A.Compose([A.ToFloat(p=1.0), A.HorizontalFlip(p=1.0), Spoil(p=1.0), A.SmallestMaxSize(48)])
blended = A.Compose([A.HorizontalFlip(p=1.0), A.Resize(23, 23, mask_interpolation=1)])
"""
DATA = """
import numpy as np
from torch.utils.data import DataLoader, Dataset
import aug

class Named(Dataset):
    def __init__(self, name):
        self.name = name
    def __len__(self):
        return 5
    def __getitem__(self, i):
        image = np.random.default_rng(i).integers(0, 256, (60, 70, 3), dtype=np.uint8)
        target = {self.name: (image[..., 0] > 128).astype(np.uint8), "label": 3}
        return {"image": image, **target}

class Drawn(Dataset):
    def __init__(self):
        self.transform = aug.drawing()
    def __len__(self):
        return 16
    def __getitem__(self, i):
        return self.transform(image=np.full((60, 70, 3), i, np.uint8))["image"], 0

misspelt, known = Named("msk"), Named("mask")
loader, alone = (DataLoader(Drawn(), batch_size=2, num_workers=number) for number in (2, 0))
"""
DRAWING = """
def drawing():
    return A.Compose([A.HorizontalFlip(), A.RandomBrightnessContrast(), A.RandomCrop(30, 30)])
"""


def noise(size=(60, 70, 3), seed=0):
    return np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working directory with a folder of sound pictures, and pipelines."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("aug", "sets"):
        monkeypatch.delitem(__import__("sys").modules, name, raising=False)
    write(tmp_path / "aug.py", AUG + DRAWING)
    write(tmp_path / "sets.py", DATA)
    (tmp_path / "root" / "cat").mkdir(parents=True)
    for i in range(6):
        Image.fromarray(noise(seed=i)).save(tmp_path / "root" / "cat" / f"{i}.png")
    return tmp_path


def found(record):
    return [(each.code, each.step, each.samples) for each in record.summary().rules.broken]


def ruled(*args, data="folder:root", pipeline="aug.py:sound", rules="all"):
    """Return the exit code of an audit, and which rules are broken where, in how many samples."""
    result = audit("--rules", rules, "--json", "run.json", *args, data=data, pipeline=pipeline)
    assert "Traceback" not in result.output, result.output
    return result.exit_code, found(Record.from_json(Path("run.json").read_bytes())), result


def turn(path):
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(noise()).save(path, exif=exif)


# As users meet it.


def test_nothing_is_found_where_all_is_well(here):
    code, broken, result = ruled()
    assert (code, broken) == (0, [])
    assert "SA2, SA3, SA4, SA5, SA6, SA7: 6 of 6 samples looked at; none is broken." in result.stdout


@pytest.mark.parametrize(
    "pipeline, expected",
    [
        ("twice", ("SA3.scaled_twice", "2 Normalize", 6)),
        ("spoilt", ("SA3.nan", "2 Spoil", 6)),
    ],
)
def test_a_fault_of_a_step_is_found_there_and_nothing_else(here, pipeline, expected):
    code, broken, result = ruled(pipeline=f"aug.py:{pipeline}")
    assert (code, broken) == (1, [expected])
    first = result.stdout.splitlines()[0]
    assert first.startswith(f"FAIL  Rule {expected[0]} (")
    assert first.endswith(f"is broken at step {expected[1]}, in 6 of 6 samples.")


def test_files_that_loaders_differ_in_and_that_cannot_be_read(here):
    turn(here / "root" / "cat" / "turned.jpg")
    data = (here / "root" / "cat" / "0.png").read_bytes()
    (here / "root" / "cat" / "cut.png").write_bytes(data[: len(data) // 2])
    (here / "root" / "cat" / "text.png").write_bytes(b"no picture")
    code, broken, result = ruled()
    assert (code, broken) == (1, [("SA7.corrupt", "source", 2), ("SA7.orientation", "source", 1)])
    assert "9 of 9 samples" in result.stdout
    rules = Record.from_json(Path("run.json").read_bytes()).summary().rules
    assert any(name in rules.broken[0].text for name in ("cut.png", "text.png"))
    # One who does not ask for files is told as before: what cannot be read stops the audit.
    refused = audit("--rules", "SA3", data="folder:root", pipeline="aug.py:sound")
    assert refused.exit_code == 2
    assert "text.png" in refused.output
    code, broken, _ = ruled("--keep-going", rules="SA3")
    assert (code, broken) == (0, [])


def test_a_misspelt_key_of_a_data_set(here):
    code, broken, result = ruled(data="sets.py:misspelt")
    assert (code, broken) == (1, [("SA5.unknown", "source", 5)])
    assert "msk is no target of the pipeline" in result.stdout
    assert ruled(data="sets.py:known")[:2] == (0, [])
    assert ruled(data="sets.py:misspelt", rules="SA2,SA3,SA4,SA6,SA7")[:2] == (0, [])


def test_a_mask_goes_through_too_and_its_labels_are_looked_at(here):
    for name in ("masks", "images"):
        (here / "seg" / name).mkdir(parents=True)
    for i in range(3):
        Image.fromarray(noise(seed=i)).save(here / "seg" / "images" / f"{i}.png")
        Image.fromarray(np.kron([[0, 200], [90, 3]], np.ones((30, 35))).astype(np.uint8)).save(
            here / "seg" / "masks" / f"{i}.png"
        )
    code, broken, _ = ruled(data="masks:seg", pipeline="aug.py:blended")
    assert (code, broken) == (1, [("SA3.labels", "1 Resize", 3)])
    assert ruled(data="masks:seg")[:2] == (0, [])


@pytest.mark.filterwarnings("ignore:This DataLoader will create")
@pytest.mark.parametrize("name, code", [("loader", 1), ("alone", 0)])
def test_a_loader_whose_workers_draw_the_same(here, name, code):
    ends, broken, _ = ruled(data=f"sets.py:{name}", rules="SA6")
    assert ends == code
    assert [(each, step) for each, step, _ in broken] == (
        [("SA6.epochs", "loader"), ("SA6.repeated", "loader")] if code else []
    )


@pytest.mark.parametrize(
    "options, says",
    [
        (("--rules", "SA9"), "rules must be all, or of SA2, SA3"),
        (("--rules", "all", "--rules-samples", "some"), "--rules-samples must be a whole number of at least 1, or all"),
        (("--rules", "all", "--rules-samples", "0"), "--rules-samples must be"),
    ],
)
def test_what_is_no_rule_is_refused(here, options, says):
    result = audit(*options, data="folder:root", pipeline="aug.py:sound")
    assert result.exit_code == 2
    assert says in result.output


def test_so_many_samples_are_looked_at_as_were_asked_for(here):
    _, broken, result = ruled("--rules-samples", "4", pipeline="aug.py:twice")
    assert broken == [("SA3.scaled_twice", "2 Normalize", 4)]
    assert "4 of 6 samples, one draw each." in result.stdout
    assert ruled("--rules-samples", "all", pipeline="aug.py:twice")[1] == [("SA3.scaled_twice", "2 Normalize", 6)]


def test_without_rules_all_is_as_before(here):
    result = audit("--json", "run.json", data="folder:root", pipeline="aug.py:twice")
    assert result.exit_code == 0
    assert "Rules" not in result.stdout
    says = json.loads(Path("run.json").read_bytes())
    assert "ruled" not in says["counts"]
    assert says["assessment"]["rules"] is None
    assert Record.from_json(Path("run.json").read_bytes()).counts.ruled == UNRULED


def test_the_page_tells_rules_and_shows_their_draws(here, monkeypatch):
    turn(here / "root" / "cat" / "turned.jpg")
    assert ruled("--html", "page.html", "--worst", "1", pipeline="aug.py:twice")[0] == 1
    page = Path("page.html").read_text(encoding="utf-8")
    assert '<h2 id="rules"' in page
    assert "#tab=all&amp;finding=SA3.scaled_twice" in page
    assert "--rules SA2,SA3,SA4,SA5,SA6,SA7 --rules-samples 200" in page
    monkeypatch.setattr(writing, "page_with", stub)
    record = Record.from_json(Path("run.json").read_bytes())
    to_html(record, "out", pipeline=record.about.pipeline, data=record.about.data, worst=0, random=0)
    cards = cards_of(Path("out/index.html"))
    assert {card["id"] for card in cards} == {*(f"cat/{i}.png" for i in range(6)), "cat/turned.jpg"}
    for card in cards:
        assert "findings" in card["tabs"]
        assert None not in (card["before"], card["after"], card["film"])
        assert card["status"] == "FIRST"
        assert "SA3.scaled_twice" in card["findings"]
        name, text = card["told"][-1]
        assert name == "SA3.scaled_twice at 2 Normalize"
        assert "divided by 255 twice" in text
    (turned,) = (card for card in cards if card["id"] == "cat/turned.jpg")
    assert [name for name, _ in turned["told"]] == ["SA7.orientation at source", "SA3.scaled_twice at 2 Normalize"]


def test_a_file_that_cannot_be_read_has_a_card_that_says_so(here, monkeypatch):
    (here / "root" / "cat" / "text.png").write_bytes(b"no picture")
    assert ruled("--html", "page.html", data=f"folder:{here / 'root'}")[0] == 1
    page = Path("page.html").read_text(encoding="utf-8")
    assert "text.png: image cannot be read" in page
    assert str(here) not in page
    monkeypatch.setattr(writing, "page_with", stub)
    record = Record.from_json(Path("run.json").read_bytes())
    to_html(record, "out", pipeline=record.about.pipeline, data=record.about.data, worst=0, random=0)
    (card,) = cards_of(Path("out/index.html"))
    assert (card["findings"], card["status"], card["before"]) == (["SA7.corrupt"], "", None)
    assert "text.png" in card["missing"]


def test_text_of_somebody_else_does_not_act(tmp_path):
    samples = [Sample(EVIL, (60, 70), image=noise().astype(np.float32) / 255, where=EVIL)]
    record = safeaug.audit(A.Compose([A.Normalize()]), samples, draws=1, rules="all")
    assert found(record) == [("SA3.scaled_twice", "0 Normalize", 1)]
    page = to_html(record, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "SA3.scaled_twice" in page
    assert "<script>alert" not in page
    assert "\x1b" not in page


# What adds up.


def folder(here):
    return read_folder(here / "root")


def test_parts_of_the_data_add_up_to_one_pass(here):
    turn(here / "root" / "cat" / "turned.jpg")
    import aug

    data = folder(here)
    for most in (3, None):

        def record(some, most=most):
            return safeaug.audit(aug.twice, some, draws=2, rules="all", rules_samples=most).counts

        whole, parts = record(data), [record(data[:2]), record(data[2:3]), record(data[3:])]
        assert ((parts[2] + parts[0]) + parts[1]).to_json() == whole.to_json()
        assert (
            safeaug.audit(aug.twice, data, draws=2, rules="all", rules_samples=most, processes=2).counts.to_json()
            == whole.to_json()
        )
        assert len(whole.ruled.samples) == (most or 7)


def test_only_what_was_asked_alike_adds_up(here):
    import aug

    data = folder(here)
    one, other, bare = (
        safeaug.audit(aug.sound, data, draws=1, **how).counts for how in ({"rules": "SA3"}, {"rules": "all"}, {})
    )
    for each in (other, bare):
        with pytest.raises(ContentError, match="same rules"):
            one + each
    assert (bare + bare).ruled == UNRULED


TOLD = st.builds(
    Told,
    code=st.sampled_from(["SA3.nan", "SA4.crop"]),
    step=st.sampled_from(["source", "0 Crop"]),
    path=st.just("image"),
    text=st.sampled_from(["a", "b"]),
    suspect=st.booleans(),
)
SAMPLES = st.lists(
    st.builds(
        Looked,
        lot=st.integers(0, 9),
        id=st.sampled_from("abc"),
        key=st.just("0"),
        told=st.lists(TOLD, max_size=3).map(tuple),
        boxes=st.sampled_from([(0, 0), (3, 3), (4, 2)]),
        unseen=st.booleans(),
    ),
    max_size=8,
)


@given(
    samples=SAMPLES,
    cuts=st.lists(st.integers(0, 3), min_size=8, max_size=8),
    most=st.sampled_from([None, 1, 3]),
    data=st.data(),
)
@settings(max_examples=100)
def test_samples_in_any_parts_and_any_order(samples, cuts, most, data):
    def part(some):
        return all_ruled([Ruled(("SA3",), most, tuple(some))])

    whole = part(samples)
    parts = [part([each for each, cut in zip(samples, cuts, strict=False) if cut == k]) for k in range(4)]
    while len(parts) > 1:
        one = parts.pop(data.draw(st.integers(0, len(parts) - 1)))
        other = parts.pop(data.draw(st.integers(0, len(parts) - 1)))
        parts.append(all_ruled([one, UNRULED, other]))
    assert msgspec.json.encode(parts[0]) == msgspec.json.encode(whole)
    # What is counted is what a loop over samples counts.
    kept = sorted(samples, key=lambda each: each.lot)[:most]
    if len({each.lot for each in samples}) == len(samples):
        for broken in broken_of(whole):
            key = broken.code, broken.step, broken.suspect
            having = [each for each in kept if key in {(told.code, told.step, told.suspect) for told in each.told}]
            assert broken.samples == len(having)
            assert broken.id == having[0].id


# Boxes, guarded pipelines, pictures that are not there.


def boxed(size, *boxes, name="a", **more):
    rows = np.array(boxes, np.float64).reshape(-1, 4)
    return Sample(name, size, boxes=rows, labels=("x",) * len(rows), image=noise((*size, 3)), **more)


def piped(*steps, **how):
    return A.Compose([*steps], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"], **how))


def judged(steps, samples, **how):
    return safeaug.audit(piped(*steps), samples, draws=1, rules="all", **how)


@pytest.mark.parametrize("angle", [3, 20, 45, 70, 90])
def test_one_turn_puts_a_box_around_it_and_two_put_one_around_that(angle):
    sample = boxed((200, 200), [90, 60, 110, 140])
    once = A.Rotate((angle, angle), p=1.0)
    assert found(judged([once], [sample])) == []
    twice = found(judged([once, A.HorizontalFlip(p=1.0), A.Rotate((angle, angle), p=1.0), A.Blur(p=1.0)], [sample]))
    (cos, sin), (width, height) = (abs(f(np.radians(angle))) for f in (np.cos, np.sin)), (20, 80)
    one = width * cos + height * sin, width * sin + height * cos
    two = (one[0] * cos + one[1] * sin) * (one[0] * sin + one[1] * cos)
    # A flip between them turns the second turn back: what is needed is the box as it came in.
    assert twice == ([("SA4.inflated", "2 Rotate", 1)] if two > 2 * (width + 2) * (height + 2) else [])


def test_a_crop_behind_a_turn_inflates_nothing():
    sample = boxed((200, 200), [20, 20, 160, 40], [100, 90, 190, 110])
    for i in range(8):
        steps = [A.Rotate((45, 45), p=1.0), A.RandomCrop(60, 60), A.Resize(90, 90)]
        assert found(judged(steps, [sample._replace(id=str(i))])) == []


def test_boxes_of_the_source():
    outside = boxed((100, 200), [150, 20, 260, 60])
    assert found(judged([A.HorizontalFlip()], [outside])) == [("SA4.outside", "source", 1)]
    assert found(judged([A.HorizontalFlip()], [boxed((100, 200), [150, 20, 200.5, 60])])) == []


def test_d10_corner_and_sides_given_as_corners_are_suspect_and_shown(tmp_path, monkeypatch):
    """A box (10, 10, 60, 60) may be either; a hundred of them, none of which lies on the right or below, is odd."""
    monkeypatch.setattr(writing, "page_with", stub)
    data = [boxed((160, 200), [10, 10, 60, 60], name=str(i)) for i in range(9)]
    record = judged([A.HorizontalFlip()], data)
    assert found(record) == [("SA4.format", "source", 9)]
    assert record.summary().rules.proved == ()
    assert record.summary().verdict == "no limit"
    page = to_html(record, tmp_path, pipeline=piped(A.HorizontalFlip()), data=data)
    assert all("SA4.format" in card["findings"] for card in cards_of(page))
    # One box proves nothing, nor do nine of which one lies elsewhere.
    assert found(judged([A.HorizontalFlip()], data[:1])) == []
    assert found(judged([A.HorizontalFlip()], [*data, boxed((160, 200), [100, 90, 190, 150], name="z")])) == []


def test_where_there_is_no_picture_nothing_is_said_of_it():
    record = safeaug.audit(
        piped(A.HorizontalFlip()), [boxed((50, 50), [1, 1, 20, 20])._replace(image=None)], rules="all"
    )
    rules = record.summary().rules
    assert (rules.looked, rules.unseen, rules.broken) == (0, 1, ())


def test_a_guarded_pipeline_is_judged_by_the_very_draw():
    data = [boxed((200, 300), [5, 5, 40, 40], name=str(i)) for i in range(4)]
    record = safeaug.audit(
        safeaug.guard(piped(A.RandomCrop(50, 50), A.ToFloat(), A.Normalize())), data, draws=1, rules="SA3"
    )
    assert found(record) == [("SA3.scaled_twice", "2 Normalize", 4)]
    assert record.summary().whole.damaged.count == 0


class Failing(A.ImageOnlyTransform):
    """Raises on pixels, which the audit of geometry passes over."""

    def apply(self, img, **params):
        raise ValueError("no")


def test_a_step_that_raises_on_pixels():
    data = [boxed((50, 60), [5, 5, 40, 40])]
    with pytest.raises(PipelineError, match="1 Failing"):
        judged([A.HorizontalFlip(p=1.0), Failing(p=1.0)], data, worst=0)
    record = judged([A.HorizontalFlip(p=1.0), Failing(p=1.0)], data, worst=0, keep_going=True)
    assert record.summary().rules.raised == {"1 Failing": 1}


def test_what_is_asked_is_checked():
    with pytest.raises(PolicyError, match="rules must be all, or of SA2"):
        safeaug.audit(piped(A.HorizontalFlip()), [boxed((9, 9), [1, 1, 4, 4])], rules=["SA3", "nan"])
    with pytest.raises(PolicyError, match="rules_samples must be a whole number"):
        safeaug.audit(piped(A.HorizontalFlip()), [boxed((9, 9), [1, 1, 4, 4])], rules="all", rules_samples=-1)
