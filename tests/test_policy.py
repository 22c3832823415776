"""Policies are checked once, at construction, and say what is wrong."""

import json
import math
import pickle

import numpy as np
import pytest

from safeaug import Policy, PolicyError, Stage, Status
from safeaug.policy import policy_of


@pytest.mark.parametrize(
    "fields, message",
    [
        ({"min_retention": 60}, r"min_retention must be in \[0, 1\], got 60 \(write 0.6, not 60\)"),
        ({"min_retention": -0.1}, r"in \[0, 1\], got -0.1$"),
        ({"min_retention": 1000}, r"in \[0, 1\], got 1000$"),
        ({"min_retention": math.nan}, r"in \[0, 1\], got nan"),
        ({"min_retention": True}, "must be a number, got True"),
        ({"min_retention": "0.5"}, "must be a number, got '0.5'"),
        ({"min_retention": None}, "must be a number, got None"),
        ({"min_retention": [0.5]}, "number or map labels to numbers"),
        ({"min_retention": {}}, "maps no label"),
        ({"min_retention": {"cat": 2}}, r"min_retention\['cat'\] must be in \[0, 1\], got 2"),
        ({"keep": "most"}, 'keep must be "all", "any", "one", "whole", a whole number of at least 1 or a callable'),
        ({"keep": 0}, "got 0"),
        ({"keep": True}, "got True"),
        ({"keep": 1.5}, "got 1.5"),
        ({"keep": None}, "got None"),
        ({"min_fill": 0}, r"min_fill must be in \(0, 1\], got 0"),
        ({"min_fill": 1.1}, r"min_fill must be in \(0, 1\], got 1.1"),
        ({"min_visible_pixels": -1}, "min_visible_pixels must be at least 0 and finite, got -1"),
        ({"min_visible_pixels": math.inf}, "finite, got inf"),
        ({"max_stretch": 0.5}, "max_stretch must be at least 1 and finite, got 0.5"),
        ({"tries": -1}, "tries must be a whole number of at least 0, got -1"),
        ({"tries": 2.0}, "got 2.0"),
        ({"sampling": "uniform"}, "sampling must be one of 'keep_scale', 'joint', got 'uniform'"),
        ({"on_fail": "ignore"}, "on_fail must be one of 'most', 'enlarge', 'skip', 'raise', got 'ignore'"),
        ({"on_empty": "skip"}, "on_empty must be one of 'plain', 'raise', got 'skip'"),
    ],
)
def test_out_of_range_is_a_policy_error_that_is_a_value_error(fields, message):
    with pytest.raises(PolicyError, match=message) as caught:
        Policy(**fields)
    assert isinstance(caught.value, ValueError)


def test_positional_arguments_and_changes_are_refused():
    with pytest.raises(TypeError):
        Policy(0.5)
    with pytest.raises(AttributeError):
        Policy().tries = 3


def test_limits_per_label():
    policy = Policy(min_retention={"face": 0.9, 3: 0.2, "*": 0.5})
    assert [policy.limit_of(label) for label in ("face", 3, 3.0, np.int64(3), "dog")] == [0.9, 0.2, 0.2, 0.2, 0.5]
    assert policy.per_label
    assert not Policy().per_label
    with pytest.raises(PolicyError, match="names no limit for label 'dog', only for 'face'; add it"):
        Policy(min_retention={"face": 0.9}).limit_of("dog")


@pytest.mark.parametrize(
    "policy",
    [
        Policy(),
        Policy(min_retention={"a": 0.25, 7: 1}),
        Policy(min_retention=np.float32(0.5), keep=np.int64(2)),
        Policy.classification(),
        Policy.detection(),
        Policy.small_objects(),
        Policy.strict(),
    ],
)
def test_round_trips(policy):
    assert Policy(**policy.to_dict()) == policy
    assert pickle.loads(pickle.dumps(policy)) == policy
    if policy != Policy(min_retention={"a": 0.25, 7: 1}):
        assert Policy(**json.loads(json.dumps(policy.to_dict()))) == policy


def test_json_keeps_whole_number_labels():
    policy = Policy(min_retention={1: 0.25, "*": 0.5})
    assert Policy(**json.loads(json.dumps(policy.to_dict()))).limit_of(1) == 0.25


def test_numpy_numbers_become_plain_ones():
    half = np.float32(0.5)
    policy = Policy(min_retention={np.int64(3): half}, keep=np.int64(2), tries=np.int8(4), min_fill=half)
    values = policy.keep, policy.tries, policy.min_fill, *policy.min_retention
    assert [type(value) for value in values] == [int, int, float, int]
    assert json.loads(json.dumps(policy.to_dict()))["keep"] == 2


def test_a_policy_or_its_fields():
    fields = Policy().to_dict()
    assert policy_of(Policy.strict(), fields) == Policy.strict()
    assert policy_of(None, {**fields, "tries": 3}) == Policy(tries=3)
    with pytest.raises(PolicyError, match="give either policy or its fields, got policy and tries"):
        policy_of(Policy(), {**fields, "tries": 3})
    with pytest.raises(PolicyError, match=r"policy must be a safeaug\.Policy, got 0\.6"):
        policy_of(0.6, fields)


def test_presets_are_the_published_thresholds():
    assert (Policy.classification().min_retention, Policy.classification().min_fill) == (0.5, 0.5)
    assert Policy.detection().keep == "whole"
    assert (Policy.small_objects().min_retention, Policy.small_objects().min_visible_pixels) == (0.7, 64)
    assert Policy.strict().min_retention == 0.9


def test_statuses_are_ordered_so_that_the_greatest_is_the_worst():
    assert max(Status) is Status.UNMET
    assert Status.EMPTY < Status.FIRST < Status.MOVED < Status.RESIZED < Status.SKIPPED < Status.UNMET
    assert list(Stage) == sorted(Stage)
