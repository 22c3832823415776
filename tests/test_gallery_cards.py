"""Cards of draws: what they say is told from the pixels that they show."""

import albumentations as A
import numpy as np
import pytest

import safeaug
from safeaug.albumentations.drawing import Drawer
from safeaug.data import Data
from safeaug.errors import DataError
from safeaug.ledger import Windowed
from safeaug.policy import Policy
from safeaug.report.gallery import pairs, writing
from safeaug.report.gallery.names import AS_THEY_ARE
from safeaug.report.gallery.pairs import Studio
from safeaug.report.gallery.params import told
from safeaug.report.gallery.picks import picks_of
from safeaug.report.gallery.places import places_of
from safeaug.report.gallery.thumbs import thumb_of
from tests.gallery_worlds import blue_box, opened, painted, pipeline, place_of, sample

CROP = A.RandomResizedCrop((90, 120), scale=(0.2, 0.7))


def cards(train, data, draws=4, subject=None, **more):
    """Return the cards of an audit, and its record."""
    record = safeaug.audit(train, data, draws=draws, protect=subject, **more)
    return made_again(record, writing.Told(train, data, subject)), record


def made_again(record, told):
    """Return the cards of a record."""
    return list(writing._cards(writing._studio_of(record, told), told, picks_of(record), AS_THEY_ARE))


def bilinear(window, at):
    """Return where a place on the output comes from, between the corners of a window."""
    (x, y), corners = at, np.array(window)
    top, bottom = corners[0] + x * (corners[1] - corners[0]), corners[3] + x * (corners[2] - corners[3])
    return top + y * (bottom - top)


WAYS = {
    "a crop": [CROP],
    "a crop, mirrored": [CROP, A.HorizontalFlip(p=1.0), A.VerticalFlip(p=0.5)],
    "turned and padded": [A.Affine(rotate=(-40, 40), scale=(0.7, 1.2), translate_percent=(-0.1, 0.1), p=1.0), CROP],
    "a quarter turn": [A.RandomRotate90(p=1.0), A.RandomCrop(60, 60)],
    "letterboxed": [A.LongestMaxSize(64), A.PadIfNeeded(80, 80), A.Normalize((0, 0, 0), (1, 1, 1))],
    "nothing": [A.HorizontalFlip(p=0.0)],
    "colours": [A.Blur(3, p=1.0), A.HorizontalFlip(p=0.0)],
}


@pytest.mark.parametrize("name", WAYS)
def test_the_window_is_where_the_pixels_of_the_output_come_from(name):
    """The picture says by its colours where a pixel is: what the output shows must lie where the window says."""
    found, _ = cards(pipeline(*WAYS[name]), [sample(boxes=[])], 6, subject="picture")
    assert found
    for card in found:
        pixels = opened(card.after.src)
        height, width = pixels.shape[:2]
        assert card.after.size == (height, width)
        seen = 0
        for y, x in [(i, j) for i in (0.2, 0.5, 0.8) for j in (0.2, 0.5, 0.8)]:
            row, column = int(y * height), int(x * width)
            pixel = pixels[row - 2 : row + 3, column - 2 : column + 3].mean(axis=(0, 1))  # one alone is stored roughly
            place = bilinear(card.window, ((int(x * width) + 0.5) / width, (int(y * height) + 0.5) / height))
            if place.min() < 0.05 or place.max() > 0.95:
                continue  # padding, or beside it
            assert place_of(pixel) == pytest.approx(tuple(place), abs=0.03)
            seen += 1
        assert seen >= 2


def test_a_window_that_is_no_polygon_is_none():
    found, _ = cards(pipeline(CROP, A.ElasticTransform(p=1.0)), [sample()])
    assert {card.window for card in found} == {None}
    assert all(card.after is not None for card in found)


def test_a_window_that_shows_nothing_is_none():
    steps, _ = Studio(pipeline(CROP), _about(), "boxes")._plain.trace(sample(), 1, pixels=True)
    flat = steps[0]._replace(change=Windowed((3.0, 3.0, 3.0, 9.0), (90, 120)))
    assert pairs._window([flat], (120, 160)) is None


def _about():
    return safeaug.audit(pipeline(CROP), [sample()], draws=1).about


@pytest.mark.parametrize("fmt", ["pascal_voc", "coco", "yolo", "albumentations"])
def test_boxes_are_where_the_object_is_painted_before_and_after(fmt):
    train = A.Compose([CROP, A.HorizontalFlip(p=0.5)], bbox_params=A.BboxParams(fmt, label_fields=["labels"]))
    found, _ = cards(train, [sample()], 12)
    assert {card.boxes_after[0] is None for card in found} <= {False, True}
    shown = 0
    for card in found:
        before = opened(card.before.src)
        assert blue_box(before) == pytest.approx(card.boxes[0], abs=1.5 / before.shape[1])
        if card.boxes_after[0] is not None:
            after = opened(card.after.src)
            assert blue_box(after) == pytest.approx(card.boxes_after[0], abs=0.04)
            shown += 1
    assert shown > 5


def test_a_box_whose_label_is_dropped_is_none_behind():
    size, boxes = (100, 400), [(0, 20, 60, 80), (340, 20, 400, 80)]
    found, record = cards(pipeline(A.RandomCrop(100, 100)), [sample("a", size, boxes, ("left", "right"))], 30)
    rows = {(row.id, row.draw): row for row in (*record.worst, *record.random)}
    assert {box is None for card in found for box in card.boxes_after} == {True, False}
    for card in found:
        assert tuple(box is not None for box in card.boxes_after) == rows[card.id, card.draw].labelled
        assert card.labels == ("left", "right")


def test_boxes_beyond_the_picture_are_drawn_as_far_as_they_lie_on_it():
    data = [sample(boxes=[(20, 30, 100, 90)])._replace(boxes=np.array([[-20.0, 30, 100, 400]]))]
    found, _ = cards(pipeline(CROP), data)
    assert {card.boxes for card in found} == {((0.0, 0.25, 0.625, 1.0),)}


def test_the_film_shows_every_step_that_was_applied():
    found, record = cards(pipeline(CROP, A.Blur(3, p=1.0), A.VerticalFlip(p=1.0), A.Normalize()), [sample()], 3)
    rows = {(row.id, row.draw): row for row in record.worst}
    for card in found:
        assert [frame.step for frame in card.film] == [
            "0 RandomResizedCrop",
            "1 Blur",
            "2 VerticalFlip",
            "3 Normalize",
        ]
        row = rows[card.id, card.draw]
        crop, flip = ([round(each, 6) for each in left] for left in row.left)
        assert [list(frame.left) for frame in card.film] == [crop, crop, flip, flip]
        assert dict(card.film[0].params)["crop_coords"].startswith("(")
        cropped, blurred, mirrored, _ = (opened(frame.src) for frame in card.film)
        assert np.abs(blurred - cropped).mean() < 6
        assert np.abs(mirrored[::-1] - blurred).mean() < 6
        assert np.abs(mirrored - blurred).mean() > 6
        assert max(cropped.shape) == 72


def as_masks(kind):
    """Return a sample whose painted object is told by a mask alone: its own, or one of classes."""
    mask = np.zeros((120, 160), np.uint8)
    mask[60:110, 100:150] = 1
    told = {"masks": {"masks": mask[None], "labels": ("cat",)}, "mask": {"mask": mask, "labels": ()}}[kind]
    whole = sample(boxes=[(100, 60, 150, 110)])
    return whole._replace(boxes=np.zeros((0, 4)), ignore=np.zeros(0, bool), **told)


@pytest.mark.parametrize("kind", ["boxes", "outlines", "masks", "mask"])
def test_the_guarded_side_is_the_same_draw_with_more_left(kind):
    """What it shows is told from its pixels: the object, of which at least the limit is on it."""
    steps = [CROP, A.HorizontalFlip(p=0.5)]
    if kind in {"masks", "mask"}:
        found, _ = cards(A.Compose(steps), [as_masks(kind)], 20, subject=kind)
    else:
        found, _ = cards(pipeline(*steps), [sample(boxes=[(100, 60, 150, 110)])], 20, subject=kind)
    sides = [card for card in found if card.guarded is not None]
    assert sides
    for card in found:
        assert (card.guarded is not None) == ("guarded" in card.tabs) == (card.fates != ("KEPT",))
    for card in sides:
        pixels = opened(card.guarded.src)
        assert card.guarded.status in {"MOVED", "RESIZED"}
        assert card.guarded.left[0] >= 0.5 - 1e-6 > card.left[0]
        x0, y0, x1, y1 = blue_box(pixels)
        low, high = bilinear(card.guarded.window, (x0, y0)), bilinear(card.guarded.window, (x1, y1))
        seen = abs(high - low).prod() * 120 * 160 / 2500
        assert seen == pytest.approx(card.guarded.left[0], abs=0.12)


def test_a_guarded_pipeline_has_no_guarded_side():
    train = safeaug.guard(pipeline(A.RandomCrop(40, 40)), min_retention=0.5)
    found, _ = cards(train, [sample()], policy=Policy(min_retention=1.0))
    assert any(card.damaged for card in found)
    assert {card.guarded for card in found} == {None}
    assert notes(train, [sample()]) == ["There is no tab of plain against guarded: the pipeline is guarded already."]


def notes(train, data, **more):
    """Return what the page says of the guarded side."""
    record = safeaug.audit(train, data, draws=20, **more)
    told = writing.Told(train, data)
    studio = writing._studio_of(record, told)
    found = list(writing._cards(studio, told, picks_of(record), AS_THEY_ARE))
    return writing._notes(studio, sum(card.guarded is not None for card in found), AS_THEY_ARE)


def test_a_pipeline_that_contradicts_the_guard_is_shown_without_it_and_the_page_says_why():
    params = A.BboxParams("pascal_voc", label_fields=["labels"], min_visibility=0.9)
    train, policy = A.Compose([CROP], bbox_params=params), Policy(min_retention=0.5)
    found, _ = cards(train, [sample()], policy=policy)
    assert {card.guarded for card in found} == {None}
    assert all(card.after is not None and not card.missing for card in found)
    (said,) = notes(train, [sample()], policy=policy)
    assert said.startswith("There is no tab of plain against guarded: the guard refuses it: the pipeline drops")
    assert said.endswith("Lower min_visibility.")


def test_where_every_draw_has_its_guarded_side_the_page_says_nothing():
    assert notes(pipeline(CROP), [sample(boxes=[(100, 60, 150, 110)])]) == []


def test_where_no_objects_are_known_the_page_says_that_nothing_can_be_guarded():
    (said,) = notes(A.Compose([CROP]), [sample(boxes=[])])
    assert said == "There is no tab of plain against guarded: no objects are known that a guard could keep."


def test_where_the_pipeline_is_given_no_objects_the_page_says_so():
    (said,) = notes(A.Compose([CROP]), [sample(boxes=[(100, 60, 150, 110)])])
    assert said.startswith("There is no tab of plain against guarded: a, draw ")
    assert said.endswith(": the guard sees none of the boxes: the pipeline is not given any.")


def test_where_the_pipeline_raises_once_it_is_guarded_the_page_says_so():
    """A guard cannot tell which mask is a cat's, as an audit can."""
    policy = Policy(min_retention={"cat": 0.9, "*": 0.5})
    (said,) = notes(A.Compose([CROP]), [as_masks("masks")], policy=policy)
    assert said.startswith("There is no tab of plain against guarded: a, draw ")
    assert ": the pipeline, guarded, raised ContentError: what label fields say of masks needs a box" in said


def test_where_some_draws_alone_lack_their_guarded_side_the_page_says_of_which(monkeypatch):
    trace = Drawer.trace

    def seldom(self, sample, key, *, pixels):
        if self._guarded and sample.id == "b":
            raise ValueError("not this one")
        return trace(self, sample, key, pixels=pixels)

    monkeypatch.setattr(Drawer, "trace", seldom)
    boxes = [(100, 60, 150, 110)]
    (said,) = notes(pipeline(CROP), [sample(boxes=boxes), sample("b", boxes=boxes)])
    assert said.startswith("Some draws have no guarded side: b, draw ")
    assert said.endswith(": the pipeline, guarded, raised ValueError: not this one.")


def test_a_card_says_how_large_its_objects_are_as_the_audit_counts_them():
    """By hand: 40 x 40, 4 x 4 and 100 x 100 of 120 x 160, and one that nobody asks for."""
    boxes = [(20, 30, 60, 70), (0, 0, 4, 4), (50, 10, 150, 110), (5, 5, 15, 15)]
    data = [sample(boxes=boxes)._replace(ignore=np.array([False, False, False, True]))]
    found, record = cards(pipeline(CROP), data, 3)
    assert {card.areas for card in found} == {("5 % to 20 %", "under 0.1 %", "50 % and more", "")}
    strata = {rate.area for rate in record.summary().rates if rate.kind == "area"}
    assert strata == {each for card in found for each in card.areas} - {""}


def test_what_cards_say_of_a_draw_is_what_its_row_says():
    found, record = cards(pipeline(CROP), [sample(), sample("b", (60, 300), [(5, 5, 50, 50)])], 8)
    rows = {(row.id, row.draw): row for row in (*record.worst, *record.random)}
    assert len(found) == len(rows) == 16
    for card in found:
        row = rows[card.id, card.draw]
        assert (card.status, card.damaged, card.emptied, card.labels) == ("FIRST", row.damaged, row.emptied, ("cat",))
        assert (card.key, card.fates, card.findings) == (row.key, row.fates, row.findings)
        assert card.left == pytest.approx(row.final, abs=1e-6)
        assert card.aspect == {"a": "5:4 to 2:1", "b": "4:1 and wider"}[card.id]
        assert card.step == ("0 RandomResizedCrop" if row.damaged or row.emptied else "")
        assert ("findings" in card.tabs) == bool(row.findings)
        assert card.size == ((120, 160) if card.id == "a" else (60, 300))


def test_the_step_to_blame_is_that_of_the_object_that_is_worst():
    two = pipeline(A.Crop(0, 0, 200, 100), A.Resize(50, 100), A.Crop(0, 0, 100, 20))
    boxes = [(190, 0, 230, 40), (0, 40, 40, 80)]  # the first is cut at once, the second at last, and is gone
    found, _ = cards(two, [sample("a", (100, 400), boxes)], 1)
    assert found[0].left == (pytest.approx(0.25), pytest.approx(0.0))
    assert found[0].step == "0 Crop"


# What cannot be had.


def test_a_draw_in_which_the_pipeline_raises_has_the_picture_and_the_reason():
    class Wide(A.ImageOnlyTransform):
        def apply(self, img, **params):
            if img.shape[1] > 200:
                raise ValueError("too <b>wide</b>")
            return img

    data = [sample(), sample("w", (60, 300), [(5, 5, 50, 50)])]
    found, _ = cards(pipeline(A.HorizontalFlip(p=0.5), Wide(p=1.0)), data, 3, keep_going=True)
    raised = [card for card in found if card.missing]
    assert {card.id for card in raised} == {"w"}
    for card in raised:
        assert card.missing == "step 1 Wide raised ValueError: too <b>wide</b>"
        assert "findings" in card.tabs
        assert card.before.size == (32, 160)
        assert (card.after, card.film, card.window, card.guarded) == (None, None, None, None)
        assert card.boxes
    assert all(card.after is not None for card in found if card.id == "a")


def test_a_draw_that_raises_without_pixels_too_says_what_the_audit_said():
    class Never(A.DualTransform):
        def get_params_dependent_on_data(self, params, data):
            raise KeyError("nothing")

        def apply(self, img, **params):
            return img

        def apply_to_bboxes(self, bboxes, **params):
            return bboxes

    found, record = cards(pipeline(Never(p=1.0)), [sample()], 2, keep_going=True)
    assert not record.worst
    assert [(card.status, card.step, card.draw) for card in found] == [
        ("RAISED", "0 Never", 0),
        ("RAISED", "0 Never", 1),
    ]
    assert {card.missing for card in found} == {"step 0 Never raised KeyError: 'nothing'"}
    assert {(card.labels, card.fates, card.left) for card in found} == {(("cat",), (None,), (None,))}


def test_of_many_draws_that_raised_the_first_of_each_step_are_among_those_shown():
    record = safeaug.audit(pipeline(CROP), [sample()], draws=1)
    failure = safeaug.auditing.block.Failure
    many = [failure("a", i, i, "0 Often", "E: x") for i in range(500)] + [failure("b", 9, 9, "7 Seldom", "E: y")]
    counts = record.counts.failed._replace(failures=tuple(many))
    object.__setattr__(record.counts, "failed", counts)
    picks = [pick for pick in picks_of(record) if pick.failure is not None]
    assert len(picks) == 100
    assert picks[0].failure == many[0]
    assert picks[-1].failure == many[-1]


def test_a_picture_that_cannot_be_read_is_a_placeholder_and_the_rest_is_shown(tmp_path):
    good, bad = sample(), sample("gone", image=None, path=tmp_path / "gone.png")
    found, _ = cards(pipeline(CROP), [good, bad])
    for card in found:
        assert (card.before is None) == (card.after is None) == (card.id == "gone")
        if card.id == "gone":
            assert "expected a picture at" in card.missing
            assert (card.film, card.guarded, card.window) == (None, None, None)
            assert card.left != ()


def test_a_sample_that_is_no_longer_there_is_a_placeholder():
    record = safeaug.audit(pipeline(CROP), [sample(), sample("b")], draws=2)
    rest = [sample()]
    found = made_again(record, writing.Told(pipeline(CROP), rest))
    assert {card.id for card in found if card.missing} == {"b"}
    assert {card.missing for card in found} == {
        "", "expected the sample in the data, which hold none of this id that can be read"
    }  # fmt: skip


def test_data_with_none_of_the_samples_are_refused():
    record = safeaug.audit(pipeline(CROP), [sample()], draws=2)
    with pytest.raises(DataError, match="expected the data that the record is of, with a sample 'a'"):
        made_again(record, writing.Told(pipeline(CROP), [sample("b")]))


def test_a_picture_or_a_pipeline_that_has_been_changed_since_is_not_passed_off_as_the_draw():
    record = safeaug.audit(pipeline(CROP), [sample()], draws=2)
    for train, data, said in (
        (pipeline(A.RandomCrop(90, 120)), [sample()], "its steps are RandomCrop"),
        (pipeline(CROP), [sample(boxes=[(20, 30, 100, 60)])], "of object 0 is left"),
        (pipeline(CROP), [sample(size=(90, 120))], "its picture is 90 x 120"),
    ):
        for card in made_again(record, writing.Told(train, data)):
            assert card.missing.startswith("the draw is not the one of the record: ")
            assert said in card.missing
            assert (card.before, card.after) == (None, None)


# Every kind of data and of output.


@pytest.mark.parametrize(
    "last",
    [
        [A.Normalize()],
        [A.ToFloat(max_value=255)],
        [A.FromFloat(dtype="uint16", max_value=255)],
        [A.ToGray(num_output_channels=1, p=1.0)],
    ],
    ids=["normalised", "float", "deep", "grey"],
)
def test_any_output_is_shown(last):
    found, _ = cards(pipeline(CROP, *last), [sample()], 3)
    for card in found:
        pixels = opened(card.after.src)
        assert pixels.shape == (90, 120, 3)
        assert pixels[..., 0].std() > 3
        assert not card.missing
    assert {bool(card.after.note) for card in found} == {not isinstance(last[0], A.ToFloat | A.ToGray)}


def test_a_tensor_is_shown_as_the_picture_that_it_is():
    pytest.importorskip("torch")
    from albumentations.pytorch import ToTensorV2

    plain, _ = cards(pipeline(A.Crop(10, 10, 90, 70)), [sample()], 1)
    tensor, _ = cards(pipeline(A.Crop(10, 10, 90, 70), ToTensorV2()), [sample()], 1)
    assert (opened(plain[0].after.src) == opened(tensor[0].after.src)).all()


@pytest.mark.parametrize("size", [(3000, 40), (40, 3000), (1, 1), (2, 900)])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_pictures_of_any_shape_have_a_small_one(size, dtype):
    thumb = thumb_of(painted(size).astype(dtype))
    assert max(thumb.size) == min(160, max(size))
    pixels = opened(thumb.file)
    assert pixels.shape[:2] == thumb.size
    assert pixels[0, -1, 0] >= pixels[0, 0, 0]


def test_masks_are_drawn_by_what_bounds_them():
    masks = np.zeros((1, 120, 160), np.uint8)
    masks[0, 30:90, 20:100] = 1
    found, _ = cards(
        pipeline(CROP),
        [
            sample(boxes=[(20, 30, 100, 90)])._replace(
                boxes=np.zeros((0, 4)), labels=(), ignore=np.zeros(0, bool), masks=masks
            )
        ],
        4,
    )
    for card in found:
        assert card.boxes == ((0.125, 0.25, 0.625, 0.75),)
        assert card.boxes_after == (None,)
        assert card.after is not None


def test_pictures_without_objects_have_no_boxes():
    found, _ = cards(A.Compose([CROP]), [sample(boxes=[], group="cat")], 4)
    for card in found:
        assert (card.boxes, card.boxes_after, card.group) == ((), (), "cat")
        assert card.window is not None


# Parts.


def test_samples_are_found_by_their_readers_names_or_by_looking_through_all():
    asked = []

    def read(key):
        asked.append(key)
        return sample(f"s{key}" if key < 3 else str(key), image=None)

    data = Data("five", range(5), read)
    assert places_of(data, {"4"}) == {"4": 4}
    assert asked == [4]
    assert places_of(data, {"s1", "4", "9"}) == {"s1": 1, "4": 4}


def test_a_sample_that_cannot_be_read_is_found_by_what_its_reader_calls_it():
    def read(key):
        raise DataError("expected a picture, got none", key, "missing")

    data = Data("two", ("root/cats/a.xml", "b.xml"), read)
    assert places_of(data, {"cats/a", "b", "c"}) == {"cats/a": 0, "b": 1}


class Loud:
    def __repr__(self):
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "value, text",
    [
        (np.float32(0.1), "0.1"),
        (1e-9, "1e-09"),
        (True, "True"),
        (np.int64(3), "3"),
        ([1, [2.0, None]], "(1, (2, None))"),
        ({"x": 0.30000000000000004}, "{x: 0.3}"),
        (np.zeros((3, 224, 224)), "float64, 3 x 224 x 224"),
        (list(range(100)), "(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, ...)"),
        ("a\nb\x1b[31m", "a\\nb\\x1b[31m"),
        ("x" * 10_000, "x" * 160 + "..."),
        (Loud(), "Loud, which cannot be shown: RuntimeError"),
    ],
)
def test_what_a_step_drew_is_told_in_short(value, text):
    assert told({"it": value, "shape": (1, 2, 3)}) == (("it", text),)


def test_no_address_in_memory_is_told():
    (pair,) = told({"by": lambda: 0})
    assert "0x" not in pair[1]
    assert "lambda" in pair[1]
