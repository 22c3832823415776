"""Content: what counts, what does not, and what cannot be judged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from safeaug import ContentError, Outcome, Policy, Stage, Status
from safeaug.arrays import NUMPY
from safeaug.content import content_of
from safeaug.geometry import View, intersection, letterbox, stretch, to_xyxy
from safeaug.measures import demand_of, least_of, measure, plain_demand
from tests import oracle
from tests.strategies import boxes_in, image_sizes, worlds

SIZE = (10, 20)


@given(worlds(most_boxes=6), st.data())
def test_content_is_the_oracles(world, data):
    image_size, boxes, policy, _ = world
    ignore = data.draw(st.lists(st.booleans(), min_size=len(boxes), max_size=len(boxes)))
    content = content_of(boxes, image_size, policy, ignore=ignore)
    expected = {
        i: inside
        for i, (box, skip) in enumerate(zip(boxes, ignore, strict=True))
        if not skip and (inside := oracle.clipped(box, image_size))
    }
    assert dict(zip(content.origin, content.boxes, strict=True)) == expected
    assert content.slack == 2**-23 * max(image_size)
    assert len(content.given) == len(boxes)


@given(image_sizes(), st.data())
def test_boxes_are_not_changed(image_size, data):
    boxes = np.array(data.draw(st.lists(boxes_in(image_size), min_size=1, max_size=4)))
    before = boxes.copy()
    boxes.flags.writeable = False
    content_of(boxes, image_size, Policy())
    np.testing.assert_array_equal(boxes, before)


@pytest.mark.parametrize(
    "boxes, message",
    [
        ([[0, 0, 1, 1], [0, 0, np.nan, 1]], r"box 1 must be of finite numbers, got \[0.0, 0.0, nan, 1.0\]"),
        ([[0, 0, np.inf, 1]], "box 0 must be of finite numbers"),
        ([[-np.inf, 0, -np.inf, 1]], "box 0 must be of finite numbers"),
        ([[5, 0, 2, 1]], r"box 0 must have x0 <= x1 and y0 <= y1, got \[5.0, 0.0, 2.0, 1.0\]"),
        ([[0, 9, 2, 1]], "are the corners swapped"),
        ([[0, 0, 1]], r"shape \(N, 4\), got \(1, 3\)"),
        ([0, 0, 1, 1], r"shape \(N, 4\), got \(4,\)"),
        ([[0, 0, 1, 1], [0, 0, 1]], "boxes must be numbers of shape"),
        ([["a", "b", "c", "d"]], "boxes must be numbers of shape"),
    ],
)
def test_what_is_no_box_is_a_content_error(boxes, message):
    with pytest.raises(ContentError, match=message) as caught:
        content_of(boxes, SIZE, Policy())
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("boxes", [[], np.empty((0, 4)), ()])
def test_no_boxes_are_no_content(boxes):
    content = content_of(boxes, SIZE, Policy())
    assert content.boxes == []
    retention, by_fill, _ = measure(content, Policy(), (0, 0, 5, 5))
    assert retention.shape == by_fill.shape == (0,)


def test_points_outside_and_touching():
    boxes = [
        [4, 4, 4, 4],  # a point
        [4, 2, 4, 8],  # a line is a point at its centre
        [20, 10, 20, 10],  # on the far corner, which is closed
        [25, 5, 25, 5],  # a point outside
        [20, 0, 30, 5],  # touches the image with an edge only: outside
        [-5, -5, 2, 2],  # partly outside: the part inside
        [-50, -50, 50, 50],  # larger than the image
    ]
    content = content_of(boxes, SIZE, Policy())
    assert dict(zip(content.origin, content.boxes, strict=True)) == {
        0: (4, 4, 4, 4),
        1: (4, 5, 4, 5),
        2: (20, 10, 20, 10),
        5: (0, 0, 2, 2),
        6: (0, 0, 20, 10),
    }
    retention, _, _ = measure(content, Policy(), (0, 0, 10, 10))
    np.testing.assert_array_equal(retention, [1, 1, 0, np.nan, np.nan, 1, 0.5])


def test_a_point_ignores_fill_and_pixels():
    policy = Policy(min_visible_pixels=100, min_fill=0.9)
    demand = demand_of(content_of([[4, 4, 4, 4]], SIZE, policy), policy, (2, 2), (2, 2))
    assert demand.needs == [0.5]


@given(worlds(most_boxes=4, keeps=("all",)))
def test_a_plain_demand_is_the_demand_of_the_content(world):
    image_size, boxes, policy, size = world
    height, width = image_size
    limit = policy.limit_of(None)
    plain = plain_demand(boxes, image_size, limit)
    ordinary = all(0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height for x0, y0, x1, y1 in boxes)
    assert (plain is not None) == ordinary
    if plain is not None:
        asked = Policy(min_retention=limit)
        expected = demand_of(content_of(boxes, image_size, asked), asked, size, size)
        assert plain.needs == pytest.approx(expected.needs, rel=1e-12)
        assert plain._replace(needs=[]) == expected._replace(needs=[])
        scaled = [[x0 / width, y0 / height, x1 / width, y1 / height] for x0, y0, x1, y1 in boxes]
        again = plain_demand(scaled, image_size, limit, image_size)
        assert again is None or again.needs == pytest.approx(plain.needs, rel=1e-6, abs=1e-9)
    assert plain_demand([[0.0, 0.0, np.nan, 1.0]], image_size, limit) is None


def test_an_ignored_object_may_be_anything():
    policy = Policy(min_retention={"a": 0.5})
    boxes = [[0, 0, 4, 4], [5, 5, np.nan, 6], [9, 9, 2, 2], [1, 1, 3, 3]]
    content = content_of(boxes, SIZE, policy, labels=["a", "crowd", "a", "crowd"], ignore=[0, 1, 1, 1])
    assert list(content.origin) == [0]
    retention, _, _ = measure(content, policy, (0, 0, 10, 10))
    np.testing.assert_array_equal(retention, [1, np.nan, np.nan, 1])


def test_fill_is_measured_on_the_objects_that_count():
    policy = Policy(min_fill=0.5)
    content = content_of([[0, 0, 1, 1], [0, 0, 20, 10]], SIZE, policy, ignore=[1, 0])
    _, by_fill, _ = measure(content, policy, (0, 0, 4, 4))
    assert by_fill.tolist() == [False, True]
    ignored = content_of([[0, 0, 20, 10], [0, 0, 1, 1]], SIZE, policy, ignore=[1, 0])
    _, by_fill, _ = measure(ignored, policy, (0, 0, 4, 4))
    assert by_fill.tolist() == [False, False]


def test_gone_is_a_twentieth_and_the_tolerance():
    policy = Policy(keep="whole")
    box = (2.0, 2.0, 12.0, 8.0)
    demand = demand_of(content_of([box, [4, 4, 4, 4]], SIZE, policy), policy, (5, 5), (5, 5))
    assert demand.gone == pytest.approx([0.05 * 60 + oracle.tolerance(box, SIZE), 0.5], rel=1e-12)


def test_sub_float_areas_count_but_ask_nothing():
    content = content_of([[1, 1, 1 + 1e-12, 1 + 1e-12]], SIZE, Policy(min_retention=1))
    assert list(content.origin) == [0]
    assert demand_of(content, Policy(min_retention=1), (2, 2), (2, 2)).needs[0] <= 0


def test_limits_weights_and_ignore_go_with_their_object():
    boxes = [[0, 0, 4, 4], [30, 0, 40, 4], [5, 5, 9, 9]]
    policy = Policy(min_retention={"a": 0.2, "*": 0.7})
    content = content_of(boxes, SIZE, policy, labels=["b", "a", "a"], weights=[1, 2, 3])
    assert content.origin == [0, 2]
    assert content.limits == [0.7, 0.2]
    assert content.weights == [1, 3]
    content = content_of(boxes, SIZE, policy, labels=["b", "a", "a"], ignore=[1, 0, 0])
    assert content.origin == [2]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"policy": Policy(min_retention={"a": 0.5})}, "the objects came without labels"),
        ({"policy": Policy(min_retention={"a": 0.5}), "labels": ["a"]}, "got 1 labels and 2 objects"),
        ({"policy": Policy(min_retention={"a": 0.5}), "labels": ["a", "b"]}, "names no limit for label 'b'"),
        ({"weights": [1]}, r"weights must be one number per object, of shape \(2,\), got shape \(1,\)"),
        ({"weights": [1, -1]}, "at least 0"),
        ({"weights": [1, np.nan]}, "finite"),
        ({"weights": ["a", "b"]}, "weights must be numbers"),
        ({"ignore": [True]}, "ignore must be one number per object"),
        ({"policy": Policy(min_retention={"a": 0.5}), "labels": [["a"], ["a"]]}, "labels must be numbers or text"),
    ],
)
def test_bad_companions_are_content_errors(arguments, message):
    with pytest.raises(ContentError, match=message):
        content_of([[0, 0, 1, 1], [2, 2, 3, 3]], SIZE, **{"policy": Policy(), **arguments})


def test_k_asks_for_all_where_there_are_fewer():
    assert [least_of(Policy(keep=keep), 2) for keep in ("all", "any", "whole", 1, 2, 5)] == [2, 1, 1, 1, 2, 2]


@given(image_sizes(), image_sizes(40))
def test_letterbox_is_the_outputs_rectangle(image_size, output):
    x0, y0, x1, y1 = letterbox(image_size, output)
    height, width = image_size
    assert (x0 + x1, y0 + y1) == pytest.approx((width, height))  # centred
    assert (x1 - x0) / output[1] == pytest.approx((y1 - y0) / output[0])  # one factor for both axes
    assert max(-x0, -y0) >= 0
    assert min(abs(x0), abs(y0)) == pytest.approx(0, abs=1e-9)  # one axis fits exactly


@given(image_sizes(), image_sizes())
def test_stretch_has_no_direction(size, output):
    assert stretch(size, output) == pytest.approx(stretch(output, size))
    assert stretch(size, output) >= 1
    assert stretch(size, output) == pytest.approx(oracle.stretch_of((0, 0, size[1], size[0]), output))


@given(image_sizes(), st.data())
def test_retention_moves_and_mirrors_with_the_scene(image_size, data):
    box, window = data.draw(boxes_in(image_size)), np.array([1.0, 2.0, 7.0, 9.0])
    boxes = np.array([box])
    here = intersection(boxes, window, NUMPY)
    assert intersection(boxes + 3, window + 3, NUMPY) == pytest.approx(here, abs=1e-9)
    mirrored = np.array([[-box[2], box[1], -box[0], box[3]]])
    assert intersection(mirrored, np.array([-7.0, 2.0, -1.0, 9.0]), NUMPY) == pytest.approx(here)
    left, right = intersection(boxes, [1, 2, 4, 9], NUMPY), intersection(boxes, [4, 2, 7, 9], NUMPY)
    assert left + right == pytest.approx(here, abs=1e-9)


@given(image_sizes(), st.data(), st.sampled_from(["xywh", "cxcywh", "xyxyn", "cxcywhn"]))
def test_formats_agree(image_size, data, box_format):
    height, width = image_size
    x0, y0, x1, y1 = data.draw(boxes_in(image_size))
    row = [x0, y0, x1 - x0, y1 - y0] if "wh" in box_format else [x0, y0, x1, y1]
    if box_format.startswith("cxcywh"):
        row[:2] = [(x0 + x1) / 2, (y0 + y1) / 2]
    if box_format.endswith("n"):
        row = [value / side for value, side in zip(row, [width, height] * 2, strict=True)]
    np.testing.assert_allclose(to_xyxy([row], box_format, image_size), [[x0, y0, x1, y1]], atol=1e-5)


def test_an_outcome_is_plain_data():
    view = View(np.array([0, 0, 5, 4]), np.array([4, 5]))
    share, by_fill, pixels = np.array([0.5, np.nan]), np.array([True, False]), np.array([8.0, np.nan])
    outcome = Outcome(view, share, Status.MOVED, Stage.DRAWN, by_fill, 3, pixels)
    assert outcome.to_dict() == {
        "window": [0, 0, 5, 4],
        "size": [4, 5],
        "retention": [0.5, None],
        "status": "MOVED",
        "stage": "DRAWN",
        "by_fill": [True, False],
        "draws": 3,
        "visible_pixels": [8.0, None],
    }
