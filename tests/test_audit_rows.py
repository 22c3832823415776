"""Rows: what a draw was, in full; as JSON, as a file, under a schema."""

import json
import math
import re

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safeaug import PolicyError, Status
from safeaug.auditing.about import SCHEMA, About, policy_fields
from safeaug.auditing.findings import CODES, findings_of
from safeaug.auditing.picks import rank_of
from safeaug.auditing.row import Row, RowStep, row_schema
from safeaug.auditing.row_files import header_line, read_rows, row_line, write_rows
from safeaug.auditing.rows import rows_of
from safeaug.data import Sample
from safeaug.errors import DataError
from safeaug.policy import Policy
from tests import audit_oracle as oracle
from tests.audit_worlds import AFFINE, CROP, NAMES, block_of, blocks

POLICY = Policy(min_retention={"cat": 0.7, "*": 1 / 3}, max_stretch=1.5)
BOTH = pytest.mark.parametrize("labels", ["object", "image"])


@BOTH
@given(block=blocks())
@settings(max_examples=60)
def test_rows_are_what_the_loops_say(labels, block):
    rows = [*rows_of(block, POLICY, labels=labels)]
    draws = [draw for draw in oracle.draws_of([block]) if draw.valid]
    assert [(row.id, row.draw, int(row.key, 16)) for row in rows] == [(d.id, d.number, d.key) for d in draws]
    for row, draw in zip(rows, draws, strict=True):
        check_objects(row, draw, labels)
        check_ends(row, draw, labels)


def check_objects(row, draw, labels):
    limit = POLICY.limit_of
    assert row.labels == tuple(thing.label for thing in draw.things)
    assert row.counted == tuple(thing.counted for thing in draw.things)
    assert row.labelled == tuple(thing.labelled for thing in draw.things)
    assert row.steps == tuple(RowStep(*NAMES[step]) for step in draw.steps)
    assert len(row.left) == len(draw.steps)
    for i, thing in enumerate(draw.things):
        expected = [None if math.isnan(share) else share for share in thing.left[: len(draw.steps)]]
        assert [after[i] for after in row.left] == expected
        assert row.final[i] == (expected[-1] if expected else 1.0)
        if not thing.counted or math.isnan(thing.final):
            assert (row.fates[i], row.blamed[i]) == (None, None)
            continue
        assert row.fates[i] == thing.fate(limit, labels)
        emptied = draw.judged and draw.emptied(limit, labels)
        named = oracle.hurt(row.fates[i]) or (row.fates[i] == oracle.GONE and emptied)
        step = draw.blamed(thing)[0] if named else None
        assert (None if row.blamed[i] is None else draw.steps[row.blamed[i]]) == step


def check_ends(row, draw, labels):
    limit = POLICY.limit_of
    assert row.unknown == draw.unknown
    assert row.damaged == (draw.judged and draw.damaged(limit, labels))
    assert row.emptied == (draw.judged and draw.emptied(limit, labels))
    assert (row.least is None) == (not draw.judged)
    if draw.judged:
        hurt = [thing.enough for thing in draw.asked if oracle.hurt(thing.fate(limit, labels))]
        assert row.least == min(hurt or [thing.enough for thing in draw.asked])
    fates = {thing.fate(limit, labels) for thing in draw.asked} if draw.judged else set()
    expected = {f"SA1.{fate.lower()}" for fate in fates if oracle.hurt(fate)}
    expected |= {"SA1.emptied"} if row.emptied else set()
    expected |= {"SA1.padded"} if draw.padded >= 0.5 else set()
    expected |= {"SA1.stretched"} if draw.stretch > 1.5 else set()
    assert row.findings == tuple(code for code in CODES if code in expected)
    assert row.stretch == (None if math.isnan(draw.stretch) else draw.stretch)
    assert row.area == (None if math.isnan(draw.area) else draw.area)
    assert row.padded == draw.padded
    assert row.status == draw.status
    assert row.output == (224, 224)


def test_some_draws_of_a_block():
    block = block_of(np.linspace(0, 1, 12).reshape(4, 3), labels=["cat"] * 4)
    every = {(row.id, row.draw): row for row in rows_of(block, Policy())}
    picks = [(3, 0), (0, 2), (3, 0)]
    assert [*rows_of(block, Policy(), picks=picks)] == [every[str(i), d] for i, d in picks]
    assert [*rows_of(block, Policy(), picks=[])] == []


def test_more_draws_than_are_looked_at_together(monkeypatch):
    block = block_of(np.linspace(0, 1, 60).reshape(20, 3), owner=np.repeat(np.arange(10), 2))
    every = [*rows_of(block, Policy())]
    monkeypatch.setattr("safeaug.auditing.rows.MANY", 7)
    assert [*rows_of(block, Policy())] == every


def test_one_row_by_hand():
    block = block_of(
        [[[0.9, 0.4]], [[0.5, 0.5]], [[1.0, 0.0]]],
        labelled=[[True], [False], [True]],
        labels=["cat", "dog", "crowd"],
        counted=[True, True, False],
        owner=[0, 0, 0],
        samples=[Sample("a.jpg", (480, 640), group="pets")],
        steps=[0, 1],
        names=[CROP, AFFINE],
        keys=255,
        padded=0.75,
        status=Status.MOVED,
    )
    (row,) = rows_of(block, Policy(min_retention=0.5))
    assert json.loads(row_line(row)) == {
        "id": "a.jpg",
        "draw": 0,
        "key": "00000000000000ff",
        "group": "pets",
        "size": [480, 640],
        "output": [224, 224],
        "status": "MOVED",
        "steps": [[[0], "RandomResizedCrop", "window"], [[1], "Affine", "projective"]],
        "labels": ["cat", "dog", "crowd"],
        "counted": [True, True, False],
        "left": [[pytest.approx(0.9), 0.5, 1.0], [pytest.approx(0.4), 0.5, 0.0]],
        "labelled": [True, False, True],
        "fates": ["SLIVER", "ORPHAN", None],
        "blamed": [1, 0, None],
        "area": 0.5,
        "padded": 0.75,
        "stretch": 1.0,
        "unknown": False,
        "damaged": True,
        "emptied": True,
        "least": pytest.approx(0.4),
        "findings": ["SA1.sliver", "SA1.orphan", "SA1.emptied", "SA1.padded"],
    }
    assert rank_of(row)[0] == 0


def test_what_is_gone_has_a_step_to_blame_in_an_emptied_draw_only():
    """The crop takes all of one object, the affine more of the other; then a third is kept, or unknown, or ignored."""
    objects = [[[0.0, 0.0]], [[0.75, 0.0]]]
    for third, fate, blamed in (
        ([[1.0, 1.0]], "KEPT", (None, None, None)),
        ([[np.nan, np.nan]], None, (None, None, None)),
        ([[0.2, 0.2]], "SLIVER", (0, 1, 0)),
    ):
        block = block_of(
            [*objects, third],
            labelled=[[False], [False], [True]],
            owner=[0, 0, 0],
            steps=[0, 1],
        )
        (row,) = rows_of(block, Policy())
        assert row.fates == ("GONE", "GONE", fate)
        assert row.blamed == blamed
        assert row.emptied == (blamed[0] is not None)
        (row,) = rows_of(block._replace(counted=np.array([True, True, False])), Policy())
        assert (row.fates, row.blamed, row.emptied) == (("GONE", "GONE", None), (0, 1, None), True)


def test_a_pipeline_without_steps():
    block = block_of([[1.0], [1.0]], labelled=[[True], [False]], steps=-1)
    kept, orphan = rows_of(block, Policy())
    assert (kept.steps, kept.left, kept.final, kept.fates) == ((), (), (1.0,), ("KEPT",))
    assert (orphan.fates, orphan.blamed) == (("ORPHAN",), (None,))
    bare = block._replace(
        drawn=block.drawn._replace(left=np.ones((2, 1, 0), np.float32), steps=np.zeros((2, 1, 0), np.int16))
    )
    assert [*rows_of(bare, Policy())] == [kept, orphan]


def test_a_label_without_a_limit():
    policy = Policy(min_retention={"cat": 0.5})
    with pytest.raises(PolicyError, match="no limit for label 'dog'"):
        [*rows_of(block_of([1.0], labels="dog"), policy)]
    assert [row.fates for row in rows_of(block_of([1.0], labels="dog", counted=False), policy)] == [(None,)]


def test_text_of_somebody_elses():
    evil = 'cat"\x1b[31m\u2028</script>\ud800'
    block = block_of([1.0], labels=evil, samples=[Sample(evil, (9, 9), group=evil)])
    (row,) = rows_of(block, Policy())
    assert msgspec.json.decode(row_line(row), type=Row) == row
    assert row.id == row.group == row.labels[0] == evil.replace("\ud800", "\\ud800")


# Findings.


@pytest.mark.parametrize(
    "padded, stretch, most, codes",
    [
        (0.49, 2.0, None, ()),
        (0.5, 1.0, None, ("SA1.padded",)),
        (0.0, 2.1, None, ("SA1.stretched",)),
        (None, None, None, ()),
        (0.0, 1.6, 1.5, ("SA1.stretched",)),
        (0.0, 2.1, 3.0, ()),
    ],
)
def test_findings_of_the_picture(padded, stretch, most, codes):
    assert findings_of([], False, padded, stretch, most) == codes


# Files.


@given(block=blocks())
@settings(max_examples=30)
def test_a_file_there_and_back(block, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "run.jsonl"
    about, rows = About(data="coco:a.json", seed=3), [*rows_of(block, POLICY)]
    assert write_rows(path, about, rows) == len(rows)
    found, lines = read_rows(path)
    assert found == about
    assert [*lines] == rows


def test_the_first_line_is_the_header():
    assert json.loads(header_line(About(seed=3)))["schema"] == SCHEMA == "safeaug.audit/1"
    assert json.loads(header_line(About(seed=3)))["about"]["seed"] == 3


@pytest.mark.parametrize(
    "first, told",
    [
        (b"", "run.jsonl:1: expected the header of a file of audited draws"),
        (b"[]\n", "run.jsonl:1: expected the header"),
        (b'{"schema":"safeaug.audit/2","other":1}\n', "expected the schema 'safeaug.audit/1', got 'safeaug.audit/2'"),
        (b'{"schema":"safeaug.audit/1","about":{"seed":"x"}}\n', "Expected `int`, got `str`"),
        (b"\xff\n", "run.jsonl:1: expected the header"),
    ],
)
def test_what_is_no_such_file_is_told(tmp_path, first, told):
    path = tmp_path / "run.jsonl"
    path.write_bytes(first)
    with pytest.raises(DataError, match=re.escape(told)):
        read_rows(path)


def test_a_line_that_is_no_row_is_told(tmp_path):
    path = tmp_path / "run.jsonl"
    (row,) = rows_of(block_of([1.0]), Policy())
    path.write_bytes(header_line(About()) + row_line(row) + b'{"id": 3}\n')
    _, rows = read_rows(path)
    assert next(rows) == row
    with pytest.raises(DataError, match=r"run\.jsonl:3: expected a row of an audit, got: "):
        next(rows)


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_rows(tmp_path / "none.jsonl")


def test_policies_as_json():
    fields = policy_fields(Policy(min_retention={"cat": 0.7, 3: 0.5}, keep=lambda retention: retention[..., 0] > 0.5))
    assert fields["min_retention"] == [["3", 0.5], ["cat", 0.7]]
    assert "lambda" in fields["keep"]
    json.dumps(fields)


# The schema.


KEYWORDS = {
    *("$ref", "anyOf", "oneOf", "type", "enum", "minimum", "title", "description", "default", "$schema", "$defs"),
    *("properties", "required", "additionalProperties", "items", "prefixItems", "minItems", "maxItems"),
}


def obeys(value, schema, parts):
    """Whether a value obeys a schema, of the keywords that ours uses: an obvious validator."""
    assert set(schema) <= KEYWORDS, set(schema) - KEYWORDS
    if "$ref" in schema:
        return obeys(value, parts[schema["$ref"].removeprefix("#/$defs/")], parts)
    for keyword, enough in (("anyOf", lambda n: n > 0), ("oneOf", lambda n: n == 1)):
        if keyword in schema and not enough(sum(obeys(value, each, parts) for each in schema[keyword])):
            return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
             "null": type(None)}  # fmt: skip
    if "type" in schema and (not isinstance(value, kinds[schema["type"]]) or
                             (isinstance(value, bool) and schema["type"] in {"integer", "number"})):  # fmt: skip
        return False
    if isinstance(value, dict):
        fields = schema.get("properties", {})
        other = schema.get("additionalProperties", True)
        return set(schema.get("required", ())) <= set(value) and all(
            obeys(each, fields[name], parts) if name in fields else other is True or obeys(each, other, parts)
            for name, each in value.items()
        )
    if isinstance(value, list):
        heads = schema.get("prefixItems", [])
        rest = schema.get("items", True)
        return schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", math.inf) and all(
            obeys(each, heads[i], parts) if i < len(heads) else rest is True or (rest and obeys(each, rest, parts))
            for i, each in enumerate(value)
        )
    return "minimum" not in schema or value >= schema["minimum"]


@given(block=blocks())
@settings(max_examples=30)
def test_lines_obey_the_schema(block):
    schema = json.loads(json.dumps(row_schema()))
    for line in (header_line(About(policy=dict(policy_fields(POLICY)))), *map(row_line, rows_of(block, POLICY))):
        assert obeys(json.loads(line), schema, schema["$defs"])


@given(name=st.sampled_from(Row.__struct_fields__))
def test_the_schema_sees_what_is_missing_or_wrong(name):
    schema = row_schema()
    (row,) = rows_of(block_of([1.0]), Policy())
    good = json.loads(row_line(row))
    assert obeys(good, schema, schema["$defs"])
    assert not obeys({key: value for key, value in good.items() if key != name}, schema, schema["$defs"])
    assert not obeys({**good, name: {}}, schema, schema["$defs"])


def test_every_field_is_documented():
    parts = row_schema()["$defs"]
    for name in ("Row", "About", "Header"):
        assert [key for key, field in parts[name]["properties"].items() if not field.get("description")] == []
    assert row_schema()["title"] == SCHEMA
