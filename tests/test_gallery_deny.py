"""Decisions of a review: what they leave out, what is said of it, and what is no such file."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safeaug.auditing.deny import SCHEMA, Decision, Decisions, read_decisions, without_rejected
from safeaug.auditing.source import Source, source_of
from safeaug.data import Data, Sample
from safeaug.errors import DataError
from tests.data_worlds import coco, coco_image, write


def decisions(*given):
    return Decisions(SCHEMA, "", tuple(Decision(*each) for each in given))


def data_of(*ids):
    return Data("some", ids, lambda key: Sample(key, (480, 640)))


def left(data, given):
    return [sample.id for sample in without_rejected(data, given, "d.json")]


ids = st.lists(st.sampled_from("abcdef"), max_size=6, unique=True)
verdicts = st.sampled_from(["accept", "reject", None])
many = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 3), verdicts), max_size=12)


@given(ids, many)
def test_a_sample_goes_if_one_of_its_draws_is_rejected(ids, given):
    """The obvious loop."""
    data, found = data_of(*ids), decisions(*given)
    kept = [name for name in ids if not any(each[0] == name and each[2] == "reject" for each in given)]
    assert left(data, found) == kept
    told = without_rejected(data, found, "d.json")
    assert told.counts.get("passed over", 0) == len(ids) - len(kept)
    assert told.counts.get("unlisted", 0) == len({each[0] for each in given} - set(ids))
    assert len(told.remarks) == sum(told.counts.values())


def test_what_is_left_out_is_said_and_what_is_unknown_is_counted(caplog):
    found = decisions(("a", 5, "reject"), ("a", 3, "reject"), ("x", 0, "reject"), ("y", 1, None), ("y", 2, None))
    told = without_rejected(data_of("a", "b"), found, "d.json")
    assert [(each.kind, each.text) for each in told.remarks] == [
        ("passed over", "sample 'a' is left out: its draw 3 is rejected"),
        ("unlisted", "a decision is about sample 'x', which is not in the data"),
        ("unlisted", "a decision is about sample 'y', which is not in the data"),
    ]
    assert caplog.messages == ["d.json: 1 sample with a rejected draw left out; 2 ids in it of no sample of the data"]


def test_what_the_data_remarked_before_is_still_there():
    data = data_of("a")
    told = without_rejected(without_rejected(data, decisions(("x", 0, None)), "1"), decisions(("a", 0, "reject")), "2")
    assert dict(told.counts) == {"unlisted": 1, "passed over": 1}
    assert [each.where for each in told.remarks] == ["1", "2"]


def test_ids_without_their_folder_stand_for_the_sample_that_has_it():
    data = data_of("/data/a/1.jpg", "/data/b/2.jpg", "3.jpg")
    assert left(data, decisions(("a/1.jpg", 0, "reject"), ("3.jpg", 1, "reject"))) == ["/data/b/2.jpg"]
    assert left(data, decisions(("jpg", 0, "reject"), ("/1.jpg", 0, "reject"))) == list(data.keys)


def test_an_id_that_may_stand_for_several_is_refused():
    data = data_of("/data/a/1.jpg", "/data/b/1.jpg")
    with pytest.raises(DataError, match=r"^d.json: '1.jpg' may be .* full names"):
        left(data, decisions(("1.jpg", 0, "reject")))
    assert left(data, decisions(("b/1.jpg", 0, "reject"))) == ["/data/a/1.jpg"]


def test_samples_that_cannot_be_read_stay_for_the_audit_to_say_so():
    def read(key):
        if key == "a":
            raise DataError("expected a picture, got none", key, "missing")
        return Sample(key, (480, 640))

    told = without_rejected(Data("two", "ab", read), decisions(("b", 0, "reject")), "d.json")
    assert list(told.keys) == ["a"]


# Files.


def test_decisions_are_read_as_the_gallery_writes_them(tmp_path):
    says = {
        "schema": "safeaug.review/1",
        "run": "0123456789abcdef",
        "decisions": [
            {"id": "cats/1.jpg", "draw": 3, "verdict": "reject", "flag": False, "note": "ü </script>"},
            {"id": "b", "draw": 0, "verdict": None, "flag": True, "note": ""},
        ],
        "later": 1,
    }
    found = read_decisions(write(tmp_path / "d.json", json.dumps(says)))
    assert found.rejected == {"cats/1.jpg": 3}
    assert found.decisions[1] == Decision("b", 0, None, True, "")


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "expected decisions that the gallery has exported, got: "),
        ("[]", "expected decisions that the gallery has exported, got: "),
        (b"\xff\xfe", "expected decisions that the gallery has exported, got: "),
        ('{"schema": "safeaug.audit/1"}', "expected decisions of the schema 'safeaug.review/1', got 'safeaug.audit/1'"),
        ('{"schema": "safeaug.review/2", "decisions": 3}', "got 'safeaug.review/2'; export them anew"),
        (
            '{"schema": "safeaug.review/1", "decisions": [{"id": 3, "draw": 0}]}',
            r"Expected `str`, got `int` - at `\$.dec",
        ),
        ('{"schema": "safeaug.review/1", "decisions": [{"id": "a"}]}', "missing required field `draw`"),
        (
            '{"schema": "safeaug.review/1", "decisions": [{"id": "a", "draw": 0, "verdict": "maybe"}]}',
            "Invalid enum value 'maybe'",
        ),
    ],
)
def test_what_is_no_file_of_decisions_is_refused(tmp_path, text, said):
    with pytest.raises(DataError, match=said) as met:
        read_decisions(write(tmp_path / "d.json", text))
    assert str(tmp_path / "d.json") in str(met.value)


def test_a_file_that_is_not_there_or_cannot_be_read_is_refused(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(DataError, match="expected decisions that the gallery has exported"):
            read_decisions(path)


def test_a_source_leaves_them_out_and_says_so_in_its_text(tmp_path):
    write(tmp_path / "ann.json", json.dumps(coco([coco_image(id=i, file_name=f"{i}.png") for i in range(3)], [])))
    says = {"schema": SCHEMA, "decisions": [{"id": "1", "draw": 0, "verdict": "reject"}]}
    write(tmp_path / "my d.json", json.dumps(says))
    source = Source(f"coco:{tmp_path}/ann.json", deny=str(tmp_path / "my d.json"))
    assert [sample.id for sample in source.open()] == ["0", "2"]
    assert source_of(source.text) == source
    with pytest.raises(DataError, match="which are not there"):
        Source("coco:none.json", deny="none.json").open()
