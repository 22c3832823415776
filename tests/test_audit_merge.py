"""Summaries add up: in whatever parts data were measured, and in whatever order these are added, to the same bytes."""

import json
import pickle

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safeaug.auditing.assess import assess
from safeaug.auditing.block import Failure
from safeaug.auditing.failed import FIRST
from safeaug.auditing.picks import Picks
from safeaug.auditing.record import About, Record
from safeaug.auditing.summary import TOGETHER, Summary, merged, nothing, summarised, summary_of
from safeaug.auditing.terms import terms_of
from safeaug.data import Remark, Sample
from safeaug.errors import ContentError, DataError
from safeaug.policy import Policy
from tests import audit_oracle as oracle
from tests.audit_worlds import AFFINE, CROP, block_of, blocks, draws_of, large_block, part_of

TERMS = terms_of(Policy(min_retention={"cat": 0.7, "*": 1 / 3}), worst=3, random=2)


@st.composite
def parts(draw, block):
    """A block in parts: samples dealt out, and the draws of each part cut once more."""
    number = draw(st.integers(1, 3))
    dealt = draw(st.lists(st.integers(0, number - 1), min_size=len(block.samples), max_size=len(block.samples)))
    some = [part_of(block, [i for i, hand in enumerate(dealt) if hand == k]) for k in range(number)]
    draws = block.valid.shape[1]
    cut = draw(st.integers(0, draws))
    some = [piece for part in some for piece in (draws_of(part, 0, cut), draws_of(part, cut, draws))]
    return draw(st.permutations(some))


@st.composite
def parted(draw):
    block = draw(blocks())
    return block._replace(first=0, failures=()), draw(parts(block._replace(first=0, failures=())))


@given(world=parted(), data=st.data())
@settings(max_examples=80)
def test_any_parts_in_any_order_are_one_pass(world, data):
    block, pieces = world
    one = summary_of(block, TERMS).to_json()
    each = [summary_of(piece, TERMS) for piece in pieces]
    assert merged(each).to_json() == one
    assert summarised(pieces, TERMS).to_json() == one
    while len(each) > 1:  # any bracketing
        a = each.pop(data.draw(st.integers(0, len(each) - 1)))
        b = each.pop(data.draw(st.integers(0, len(each) - 1)))
        each.append(a + b)
    assert each[0].to_json() == one


@given(block=blocks())
@settings(max_examples=30)
def test_nothing_adds_nothing(block):
    summary = summary_of(block, TERMS)
    assert (summary + nothing(TERMS)).to_json() == (nothing(TERMS) + summary).to_json() == summary.to_json()


def test_more_parts_than_are_held_at_once():
    every = [large_block(samples=3, draws=2, classes=5, seed=i) for i in range(2 * TOGETHER + 3)]
    one = merged([summary_of(block, TERMS) for block in every]).to_json()
    assert merged(summary_of(block, TERMS) for block in reversed(every)).to_json() == one
    assert summarised(iter(every), TERMS).to_json() == one


@given(block=blocks(), labels=st.sampled_from(["object", "image"]))
@settings(max_examples=60)
def test_the_worst_and_those_picked_at_random(block, labels):
    terms = terms_of(Policy(min_retention=0.5), labels=labels, worst=3, random=2)
    summary, draws = summary_of(block, terms), [*oracle.draws_of([block])]
    expected = oracle.worst(draws, terms.policy.limit_of, labels, 3)
    assert [(row.id, row.draw) for row in summary.worst] == expected
    assert [(row.id, row.draw) for row in summary.random] == oracle.picked(draws, 2)


def test_rows_are_made_of_no_draw_that_is_not_picked():
    first, second = (
        block_of([0.1, 0.2, 0.3]),
        block_of([0.15, 0.25, 0.35], samples=[Sample(f"z{i}", (9, 9)) for i in range(3)]),
    )
    terms = terms_of(worst=2, random=0)
    known = summary_of(first, terms)
    later = summary_of(second, terms, Picks(known.worst, known.random))
    assert [row.id for row in later.worst] == ["z0"]
    assert (known + later).to_json() == (known + summary_of(second, terms)).to_json()


def test_none_are_kept_where_none_are_asked_for():
    summary = summary_of(block_of([0.1, 0.2]), terms_of(worst=0, random=0))
    assert (summary.worst, summary.random) == ((), ())
    assert (summary + summary).worst == ()


# JSON.


@given(block=blocks())
@settings(max_examples=40)
def test_json_there_and_back(block):
    summary = summary_of(block, TERMS)
    data = summary.to_json()
    back = Summary.from_json(data)
    assert back.to_json() == data
    assert msgspec.json.encode(assess(back)) == msgspec.json.encode(assess(summary))
    assert (back + summary).to_json() == (summary + summary).to_json()
    assert pickle.loads(pickle.dumps(summary)).to_json() == data
    json.loads(data)


def test_a_large_summary_is_small():
    data = summarised((large_block(samples=64, seed=i) for i in range(4)), terms_of()).to_json()
    assert len(data) < 1_500_000
    assert Summary.from_json(data).to_json() == data


@pytest.mark.parametrize(
    "spoil, told",
    [
        (lambda it: it.update(schema="safeaug.summary/2"), "expected the schema 'safeaug.summary/1', got"),
        (lambda it: it.pop("labels"), "missing required field `labels`"),
        (lambda it: it.update(areas=["small"]), "aspects and areas of a summary"),
        (lambda it: it["tables"].pop("damage"), "tables, aspects and areas"),
        (lambda it: it["tables"]["damage"][0].pop(), "table damage: expected rows of 5 digits"),
        (lambda it: it["tables"]["damage"].append(it["tables"]["damage"][0]), "expected ascending digits"),
        (lambda it: it["tables"]["damage"][0].__setitem__(1, 99), "expected ascending digits"),
        (lambda it: it["tables"]["damage"][-1].__setitem__(0, 2), "expected ascending digits"),
        (lambda it: it["tables"]["taken"][0].__setitem__(0, 4), "expected ascending digits"),
        (lambda it: it["tables"]["damage"][0][-1].append(0), "expected ascending digits"),
        (lambda it: it["tables"]["damage"][0][-1].append(-500), "expected ascending digits"),
        (lambda it: it["tables"]["damage"][0][-1].append(1 << 70), "whole numbers of 64 bits"),
        (lambda it: it["tables"]["damage"][0].__setitem__(0, [1]), "table damage: expected rows of 5 digits"),
    ],
)
def test_what_is_no_summary_is_told(spoil, told):
    stored = json.loads(summary_of(block_of([0.2, 0.7]), terms_of()).to_json())
    spoil(stored)
    with pytest.raises(DataError, match=r"part\.json") as caught:
        Summary.from_json(json.dumps(stored).encode(), "part.json")
    assert told in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"schema": 1}', b"\xff"])
def test_what_is_no_json_is_told(data):
    with pytest.raises(DataError, match=r"a\.json: expected"):
        Summary.from_json(data, "a.json")
    with pytest.raises(DataError, match=r"a\.json: expected"):
        Record.from_json(data, "a.json")


# Summaries that do not add up.


@pytest.mark.parametrize(
    "other",
    [
        terms_of(seed=1),
        terms_of(pipeline="Compose()"),
        terms_of(Policy(min_retention=0.7)),
        terms_of(Policy(ignore_smaller_than=4)),
        terms_of(labels="image"),
        terms_of(worst=7),
    ],
)
def test_other_terms(other):
    block = block_of([0.4])
    with pytest.raises(ContentError, match="add up where they were measured alike"):
        summary_of(block, terms_of()) + summary_of(block, other)


def test_other_steps():
    one, other = block_of([0.4], names=[CROP]), block_of([0.4], names=[AFFINE])
    with pytest.raises(ContentError, match="of the steps 0 RandomResizedCrop, and one of 1 Affine"):
        summary_of(one, terms_of()) + summary_of(other, terms_of())
    empty = block_of(np.zeros((0, 1)), names=[AFFINE], samples=[])
    assert (summary_of(one, terms_of()) + summary_of(empty, terms_of())).steps == (CROP,)


def test_no_summaries():
    with pytest.raises(ContentError, match="at least one summary"):
        merged([])


# Failures.


def failure(i: int, step: str = "0 Crop") -> Failure:
    return Failure(f"s{i:05d}", 0, i, step, "ValueError: no")


def test_failures_are_counted_by_step_and_the_first_are_kept():
    samples = [Sample(f"s{i:05d}", (9, 9)) for i in range(FIRST + 5)]
    every = [failure(i, "0 Crop" if i % 2 else "") for i in range(len(samples))]
    block = block_of(np.ones(len(samples)), samples=samples, valid=False, failures=every[::-1])
    summary = summary_of(block, terms_of())
    assert summary.failures == tuple(every[:FIRST])
    assert assess(summary).failed == {"0 Crop": 502, "": 503}
    assert summary.failed.firsts == {"0 Crop": every[1], "": every[0]}
    pieces = [part_of(block, [*range(700, FIRST + 5)]), part_of(block, [*range(700)])]
    assert merged(summary_of(piece, terms_of()) for piece in pieces).to_json() == summary.to_json()


# Records.


def test_a_record_there_and_back():
    summary = summary_of(block_of([0.4, 0.9], labels=["cat", "d\ud800g"]), terms_of())
    about = About(safeaug="0.1.0", data="coco:a.json", draws=1, samples=2, policy={"min_retention": 0.5})
    record = Record(about, summary, {"turned": 3}, (Remark("turned", "a.jpg", "EXIF says to turn it"),))
    data = record.to_json()
    back = Record.from_json(data)
    assert back.to_json() == data
    assert (back.about, back.remarks, back.remarked) == (record.about, record.remarks, record.remarked)
    assert back.worst == summary.worst
    assert back.random == summary.random
    assert back.failures == ()
    assert back.summary(max_damaged=0.01).verdict == "fail"
    assert set(back.summary().fates_by["class"]) == {"cat", "d\\ud800g"}


def test_a_record_of_another_version():
    data = Record(About(), nothing(terms_of())).to_json().replace(b"safeaug.audit/1", b"safeaug.audit/9", 1)
    with pytest.raises(DataError, match=r"expected the schema 'safeaug\.audit/1', got 'safeaug\.audit/9'"):
        Record.from_json(data)
