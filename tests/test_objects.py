"""What a caller hands over as objects, what counts of it, and the windows that `place` then finds."""

import random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from safeaug import ContentError, Policy, PolicyError, Stage, Status, place
from safeaug.content import content_of
from safeaug.geometry import size_of
from safeaug.measures import demand_of, holds_all, measure, passes
from safeaug.objects import content_from, content_of_masks, instances, semantic, visible_of
from safeaug.policy import decided
from safeaug.shapes import Boxed, Points, Polygon, Region, Spot
from tests import oracle
from tests.oracle import Thing
from tests.strategies import given_as, mixed_worlds

LOOSE, TIGHT = 1 + 1e-6, 1 - 1e-6
SIZE = (10, 12)
SQUARE = [(1, 1), (5, 1), (5, 5), (1, 5)]


def disc(value=1, dtype=np.uint8):
    mask = np.zeros(SIZE, dtype)
    mask[2:6, 3:9] = value
    return mask


# Each kind, and several at once


@settings(max_examples=150)
@given(mixed_worlds(most=5))
def test_every_object_is_there_in_its_order(world):
    image_size, things, policy, _ = world
    content = content_from(image_size, policy, **given_as(things))
    judged = [oracle.known(thing, image_size) for thing in things]
    assert list(content.origin) == [i for i, one in enumerate(judged) if one is not None]
    assert len(content.given) == len(things)
    assert content.limits == [policy.limit_of(None)] * len(content.boxes)
    kinds = {"box": (Boxed, Spot), "polygon": (Polygon, Spot), "mask": (Region,), "keypoints": (Points,)}
    assert len(content.boxes) == len(content.origin)
    if content.shapes is None:
        assert all(thing.kind == "box" for thing in things)
    else:
        assert [shape.box for shape in content.shapes] == list(content.boxes)
        for i, shape in zip(content.origin, content.shapes, strict=True):
            assert isinstance(shape, kinds[things[i].kind])
            assert shape.area == pytest.approx(judged[i].whole)


@settings(max_examples=150)
@given(mixed_worlds(most=5), st.data())
def test_what_is_left_is_measured_on_every_object(world, data):
    image_size, things, policy, size = world
    content = content_from(image_size, policy, **given_as(things))
    window = data.draw(st.sampled_from(list(oracle.windows((0, 0, image_size[1], image_size[0]), size))))
    measured = measure(content, policy, window)
    limit = policy.limit_of(None)
    for i, thing in enumerate(things):
        one = oracle.known(thing, image_size)
        if one is None:
            assert np.isnan(measured.retention[i])
            assert np.isnan(measured.area[i])
            continue
        assert measured.retention[i] == pytest.approx(one.left(window), abs=1e-6)
        if not oracle.is_solid(one.thing):
            assert np.isnan(measured.area[i])
            assert not measured.by_fill[i]
            continue
        mass = one.inside(window)
        assert measured.area[i] == pytest.approx(mass, abs=1e-9)
        missing, enough = limit * one.whole - mass, mass - (policy.min_fill or 9) * size[0] * size[1]
        if min(abs(missing), abs(enough)) > 1e-3:
            assert measured.by_fill[i] == (missing > 0 and enough > 0)


def test_boxes_alone_stay_boxes():
    content = content_from(SIZE, Policy(), boxes=[[1, 2, 3, 5]], box_format="xywh")
    assert content == content_of([[1, 2, 4, 7]], SIZE, Policy())
    assert list(content_from(SIZE, Policy()).boxes) == []
    assert list(content_from(SIZE, Policy(), boxes=[]).boxes) == []
    assert list(content_from(SIZE, Policy(), box_format="cxcywhr").boxes) == []
    assert list(content_from(SIZE, Policy(), polygons=[], masks=[], keypoints=[]).boxes) == []


def test_the_bounds_of_shapes_are_a_sequence():
    content = content_from(SIZE, Policy(), polygons=[SQUARE, [(50, 50), (60, 50), (60, 60)], SQUARE], masks=[disc()])
    assert list(content.boxes) == [(1, 1, 5, 5), (1, 1, 5, 5), (3, 2, 9, 6)]
    assert list(content.boxes[1:]) == [(1, 1, 5, 5), (3, 2, 9, 6)]
    assert content.boxes[-1] == (3, 2, 9, 6)
    assert [np.isnan(box).any() for box in content.given] == [False, True, False, False]


def test_boxes_of_any_format_stand_beside_other_kinds():
    for box_format, box in (("xywh", [2, 3, 4, 5]), ("cxcywhn", [4 / 12, 5.5 / 10, 4 / 12, 5 / 10])):
        content = content_from(SIZE, Policy(), boxes=[box, [90, 90, 2, 2]], box_format=box_format, polygons=[SQUARE])
        assert content.boxes[0] == pytest.approx((2, 3, 6, 8))
        assert content.origin == [0, 2]


def test_rotated_boxes_are_polygons():
    boxes = [[5, 5, 4, 4, 45], [5, 5, 4, 2, 0], [-9, 5, 4, 2, 30], [5, 5, 4, 0, 90]]
    content = content_from(SIZE, Policy(), boxes=boxes, box_format="cxcywhr", keypoints=[[(1, 1)]])
    assert content.origin == [0, 1, 3, 4]
    diamond, flat, line, _ = content.shapes
    assert diamond.area == pytest.approx(16)
    assert diamond.box == pytest.approx((5 - 8**0.5, 5 - 8**0.5, 5 + 8**0.5, 5 + 8**0.5))
    assert flat.box == pytest.approx((3, 4, 7, 6))
    assert line.box == pytest.approx((5, 5, 5, 5))
    assert isinstance(line, Spot)


def test_an_unseen_keypoint_does_not_count():
    seen = [(1, 1, 2), (2, 2, 1), (3, 3, 0), (np.nan, np.nan, 0)]
    assert visible_of(seen, 0).tolist() == [[1, 1], [2, 2]]
    assert visible_of([(1, 1), (2, 2)], 0).tolist() == [[1, 1], [2, 2]]
    assert visible_of([], 0).shape == (0, 2)
    content = content_from(SIZE, Policy(), keypoints=[seen, [(3, 3, 0)], [], [(4, 4), (5, 5), (40, 4)]])
    assert content.origin == [0, 3]
    assert [shape.area for shape in content.shapes] == [2, 2]


@pytest.mark.parametrize(
    "given_objects, message",
    [
        ({"polygons": [SQUARE, [(0, 0), (4, 4), (4, 0), (0, 4)]]}, "polygon 1 must not cross itself"),
        ({"boxes": [[5, 5, 4, np.nan, 0]], "box_format": "cxcywhr"}, "box 0 must be of finite numbers"),
        ({"boxes": [[5, 5, 4, 4]], "box_format": "cxcywhr"}, r"rotated boxes must be numbers of shape \(N, 5\)"),
        ({"boxes": [[5, 0, 1, 1]], "polygons": [SQUARE]}, "box 0 must have x0 <= x1"),
        ({"boxes": [[5, 0, 1, 1]], "box_format": "obb"}, "box_format must be one of"),
        ({"masks": [disc(), np.zeros((3, 3))]}, r"mask 1 must be of the image's height and width \(10, 12\)"),
        ({"masks": [disc(7.0, float)]}, r"mask 0 of floats must hold shares in \[0, 1\], got 0 to 7"),
        ({"keypoints": [[(1, 1)], [(1, 2, 3, 4)]]}, r"keypoints of instance 1 must be of shape .*, got \(1, 4\)"),
        ({"keypoints": [[1, 2]]}, r"keypoints of instance 0 must be of shape .*, got \(2,\)"),
        ({"keypoints": [[("a", "b")]]}, "keypoints of instance 0 must be numbers"),
        ({"keypoints": [[(1, 1), (1,)]]}, "keypoints of instance 0 must be numbers"),
        ({"keypoints": [[(1, np.nan)]]}, "keypoints must be of finite numbers"),
        ({"mask": disc(), "boxes": []}, "a semantic mask comes alone"),
        ({"mask": disc(), "masks": [disc()]}, "a semantic mask comes alone"),
        ({"mask": disc(), "labels": [1]}, "a semantic mask comes alone"),
        ({"mask": disc(), "weights": [1]}, "a semantic mask comes alone"),
        ({"mask": disc(), "ignore": [1]}, "a semantic mask comes alone"),
        ({"mask": disc(), "prior_visibility": [0.5]}, "a semantic mask comes alone"),
        ({"polygons": [SQUARE], "masks": [disc()], "weights": [1]}, r"of shape \(2,\), got shape \(1,\)"),
        ({"polygons": [SQUARE], "ignore": [0, 1]}, r"ignore must be one number per object, of shape \(1,\)"),
        ({"polygons": [SQUARE], "ignore": [np.nan]}, r"ignore must be true or false of each object, got \[nan\]"),
        ({"polygons": [SQUARE], "prior_visibility": []}, r"prior_visibility must be one number per object"),
        ({"polygons": [SQUARE], "prior_visibility": [1.5]}, r"prior_visibility must be in \[0, 1\], got \[1.5\]"),
        ({"boxes": [[0, 0, 1, 1]], "prior_visibility": [-0.5]}, r"prior_visibility must be in \[0, 1\]"),
        ({"boxes": [[0, 0, 1, 1]], "prior_visibility": [np.nan]}, r"prior_visibility must be in \[0, 1\]"),
        ({"boxes": [[0, 0, 1, 1]], "prior_visibility": ["a"]}, "prior_visibility must be numbers"),
    ],
)
def test_what_cannot_be_judged_is_a_content_error(given_objects, message):
    with pytest.raises(ContentError, match=message):
        content_from(SIZE, Policy(), **given_objects)


def test_labels_go_over_all_kinds():
    policy = Policy(min_retention={"a": 0.9, "b": 0.3})
    given_objects = {"boxes": [[0, 0, 2, 2], [50, 50, 60, 60]], "polygons": [SQUARE], "keypoints": [[(2, 2)]]}
    content = content_from(SIZE, policy, **given_objects, labels=iter("abba"), weights=[4, 3, 2, 1])
    assert (content.origin, content.limits, content.weights) == ([0, 2, 3], [0.9, 0.3, 0.9], [4, 2, 1])
    content = content_from(SIZE, policy, **given_objects, labels="abba", ignore=[0, 0, 1, 0])
    assert (content.origin, content.limits) == ([0, 3], [0.9, 0.9])
    with pytest.raises(ContentError, match="got 2 labels and 4 objects"):
        content_from(SIZE, policy, **given_objects, labels="ab")
    with pytest.raises(ContentError, match="came without labels"):
        content_from(SIZE, policy, **given_objects)


# Semantic masks


def classes():
    mask = np.zeros(SIZE, np.uint8)
    mask[0:2, 0:3], mask[4:8, 4:6], mask[9, 9:12], mask[0, 11] = 1, 2, 7, 255
    return mask


def areas(content):
    return [shape.area for shape in content.shapes]


def test_the_foreground_is_one_object():
    content = content_from(SIZE, Policy(), mask=classes())
    assert areas(content) == [6 + 8 + 3]
    assert list(content.boxes) == [(0, 0, 12, 10)]
    assert areas(semantic(classes(), SIZE, Policy(), foreground=[2, 7])) == [8 + 3]
    assert areas(semantic(classes(), SIZE, Policy(), foreground=[0])) == [120 - 6 - 8 - 3 - 1]
    assert areas(semantic(classes(), SIZE, Policy(), ignore_index=None)) == [6 + 8 + 3 + 1]
    assert areas(semantic(classes(), SIZE, Policy(), ignore_index=2)) == [6 + 3 + 1]
    assert areas(semantic(classes(), SIZE, Policy(), foreground=[255])) == []
    assert list(content_from(SIZE, Policy(), mask=classes(), foreground=[2], ignore_index=None).boxes) == [(4, 4, 6, 8)]
    assert list(semantic(np.zeros(SIZE, int), SIZE, Policy()).boxes) == []
    assert areas(semantic(disc(True, bool), SIZE, Policy())) == [24]


def test_with_limits_per_label_each_class_is_an_object():
    content = semantic(classes(), SIZE, Policy(min_retention={1: 0.2, "*": 0.7}))
    assert (areas(content), content.limits) == ([6, 8, 3], [0.2, 0.7, 0.7])
    content = semantic(classes(), SIZE, Policy(min_retention={7: 0.2, 2: 0.9, 99: 1.0}))
    assert (areas(content), content.limits) == ([8, 3], [0.9, 0.2])
    content = semantic(classes(), SIZE, Policy(min_retention={1: 0.2, "*": 0.7}), foreground=[0, 1])
    assert (areas(content), content.limits) == ([102, 6], [0.7, 0.2])
    assert list(semantic(classes(), SIZE, Policy(min_retention={99: 0.2})).boxes) == []


def test_a_soft_mask_is_a_foreground():
    assert areas(content_from(SIZE, Policy(), mask=disc(0.25, np.float32))) == [6]
    for more in ({"policy": Policy(min_retention={1: 0.5})}, {"policy": Policy(), "foreground": [1]}):
        with pytest.raises(ContentError, match="need a mask of whole numbers, got float32"):
            semantic(disc(0.25, np.float32), SIZE, **more)


@pytest.mark.parametrize("policy", [Policy(), Policy(min_retention={1: 0.5})])
@pytest.mark.parametrize(
    "mask, message",
    [
        (np.zeros((3, 3), np.uint8), r"must be of the image's height and width \(10, 12\), got shape \(3, 3\)"),
        (np.zeros((3, 3)), r"must be of the image's height and width \(10, 12\), got shape \(3, 3\)"),
        (np.full(SIZE, "road"), "must be of numbers, got <U4"),
        ([[1, 2], [3]], "must be of numbers"),
    ],
)
def test_what_is_no_semantic_mask_is_a_content_error(policy, mask, message):
    with pytest.raises(ContentError, match=message):
        content_from(SIZE, policy, mask=mask)


def test_limits_of_a_semantic_mask_are_for_numbers():
    with pytest.raises(ContentError, match=r"must be for its classes, whole numbers, or .*, got \['road'\]"):
        semantic(classes(), SIZE, Policy(min_retention={"road": 0.5, 1: 0.5}))


# What came truncated


def kinds_of_two():
    """Two objects, of 8 and 4 square pixels or points, as each kind."""
    one, two = np.zeros((2, *SIZE), bool)
    one[0:2, 0:4], two[6:8, 6:8] = True, True
    rings = [[(0, 0), (4, 0), (4, 2), (0, 2)], [(6, 6), (8, 6), (8, 8), (6, 8)]]
    points = [[(x + 0.5, y + 0.5) for x in range(4) for y in range(2)], [(6, 6), (7, 6), (6, 7), (7, 7)]]
    boxes = [[0, 0, 4, 2], [6, 6, 8, 8]]
    return [{"boxes": boxes}, {"polygons": rings}, {"masks": [one, two]}, {"keypoints": points}]


@pytest.mark.parametrize("given_objects", kinds_of_two(), ids=lambda each: next(iter(each)))
def test_prior_visibility_counts_from_the_whole_object(given_objects):
    policy = Policy(min_retention=0.5)
    content = content_from(SIZE, policy, **given_objects, prior_visibility=[0.8, 1.0])
    assert content.limits == pytest.approx([0.5 / 0.8, 0.5])
    window = (0, 0, 2, 8)  # half of the first
    assert measure(content, policy, window).retention == pytest.approx([0.4, 0.0])
    assert measure(content, policy, (0, 0, 3, 2)).retention == pytest.approx([0.6, 0.0])
    demand = demand_of(content.only([0]), policy, (8, 2), (8, 2))
    assert not passes(demand, window)
    assert passes(demand, (0, 0, 3, 8))
    lost = content_from(SIZE, policy, **given_objects, prior_visibility=[0.4, 1.0])
    assert lost.origin == [1]  # less than its limit was left before
    assert lost.limits == [0.5]
    assert measure(lost, policy, (0, 0, 4, 2)).retention == pytest.approx([0.4, 0.0])
    edge = content_from(SIZE, policy, **given_objects, prior_visibility=[0.5, 1.0])
    assert edge.origin == [0, 1]
    assert edge.limits == [1.0, 0.5]
    gone = content_from(SIZE, policy, **given_objects, prior_visibility=[0, 0])
    assert list(gone.boxes) == []
    assert measure(gone, policy, (0, 0, 4, 2)).retention.tolist() == [0, 0]


@pytest.mark.parametrize("given_objects", kinds_of_two(), ids=lambda each: next(iter(each)))
def test_under_whole_gone_is_counted_from_the_whole_object(given_objects):
    # Of 8, one is left: 0.125. Of an object of which 0.4 was visible that is 0.05 of the whole, which is gone.
    policy = Policy(min_retention=0.3, keep="whole")
    window = (3, 1, 12, 10)  # the second, and one of the first
    for prior, does in ((1.0, False), (0.5, False), (0.38, True)):
        content = content_from(SIZE, policy, **given_objects, prior_visibility=[prior, 1.0])
        assert passes(demand_of(content, policy, size_of(window), (8, 8)), window) == does
    # Nothing of it was there before: it is gone wherever the window stands, and asks for nothing.
    nothing = Policy(min_retention=0.0, keep="whole")
    content = content_from(SIZE, nothing, **given_objects, prior_visibility=[0.0, 1.0])
    assert content.limits == [0.0, 0.0]
    assert passes(demand_of(content, nothing, (10, 9), (8, 8)), window)


@settings(max_examples=100)
@given(mixed_worlds(), st.data())
def test_priors_scale_the_limits_of_what_counts(world, data):
    image_size, things, policy, size = world
    priors = data.draw(st.lists(st.sampled_from([0.0, 0.25, 0.6, 1.0]), min_size=len(things), max_size=len(things)))
    content = content_from(image_size, policy, **given_as(things), prior_visibility=priors)
    limit = policy.limit_of(None)
    assume(not any(prior < limit <= prior + 2.0**-23 for prior in priors))  # ties of float32 count
    judged = {i: oracle.known(thing, image_size) for i, thing in enumerate(things)}
    expected = [i for i, one in judged.items() if one is not None and limit <= priors[i]]
    assert list(content.origin) == expected
    window = (0, 0, size[1], size[0])
    seen = measure(content, policy, window).retention
    for i, one in judged.items():
        assert np.isnan(seen[i]) if one is None else seen[i] == pytest.approx(priors[i] * one.left(window), abs=1e-6)
    assume(expected)
    assert content.limits == pytest.approx([limit / priors[i] if limit else 0.0 for i in expected])
    things = [judged[i] for i in expected]
    own = [priors[i] for i in expected]
    assume(all(own))
    limits = [limit / prior for prior in own]
    unstretched = Policy(**{**policy.to_dict(), "max_stretch": None})
    loose, tight = (
        oracle.does(things, window, limits, unstretched, (8, 8), ease, own) for ease in (LOOSE, TIGHT)
    )  # fmt: skip
    assume(loose == tight)
    assert passes(demand_of(content, policy, size, (8, 8)), window) == loose


# What is too small


@pytest.mark.parametrize("given_objects", kinds_of_two(), ids=lambda each: next(iter(each)))
def test_small_objects_are_not_asked_for_but_keypoints_are(given_objects):
    def counted(least):
        return list(content_from(SIZE, Policy(ignore_smaller_than=least), **given_objects).origin)

    assert counted(4) == [0, 1]
    assert counted(8) == ([0, 1] if "keypoints" in given_objects else [0])
    assert counted(8.5) == ([0, 1] if "keypoints" in given_objects else [])
    small = content_from(SIZE, Policy(ignore_smaller_than=5), **given_objects)
    assert measure(small, Policy(), (0, 0, 12, 10)).retention.tolist() == [1, 1]  # still measured


@pytest.mark.parametrize("beside", [{}, {"keypoints": []}], ids=["boxes alone", "among other kinds"])
def test_a_point_is_smaller_than_any_area(beside):
    boxes = [[3, 3, 3, 3], [0, 0, 2, 2]]
    assert list(content_from(SIZE, Policy(ignore_smaller_than=1e-6), boxes=boxes, **beside).origin) == [1]
    assert list(content_from(SIZE, Policy(ignore_smaller_than=0), boxes=boxes, **beside).origin) == [0, 1]
    assert list(content_from(SIZE, Policy(), boxes=boxes, **beside).origin) == [0, 1]


def test_the_area_is_what_is_inside_the_image():
    policy = Policy(ignore_smaller_than=10)
    ring = [(-6, 0), (2, 0), (2, 4), (-6, 4)]  # of 32 square pixels 8 are inside
    assert list(content_from(SIZE, policy, polygons=[ring]).boxes) == []
    assert list(content_from(SIZE, policy, boxes=[[-6, 0, 2, 4]]).boxes) == []
    assert list(content_from(SIZE, policy, masks=[disc(0.5, float)]).boxes) != []
    assert list(content_from(SIZE, policy, masks=[disc(0.25, float)]).boxes) == []
    assert place(SIZE, None, (3, 3), policy, random.Random(0), polygons=[ring]).status is Status.EMPTY


# Windows


@settings(max_examples=200)
@given(mixed_worlds(side=12), st.integers(0, 2**20), st.none() | st.tuples(st.integers(1, 20), st.integers(1, 20)))
def test_place_keeps_every_kind_or_says_that_it_cannot(world, seed, output):
    image_size, things, policy, size = world
    judged = [oracle.known(thing, image_size) for thing in things]
    given_objects = given_as(things)
    boxes = given_objects.pop("boxes", None)
    outcome = place(image_size, boxes, size, policy, random.Random(seed), output_size=output, **given_objects)
    window = tuple(outcome.view.window.tolist())
    frame = (0, 0, image_size[1], image_size[0])
    for one, retention in zip(judged, outcome.retention, strict=True):
        assert np.isnan(retention) if one is None else retention == pytest.approx(one.left(window), abs=1e-6)
    known = [one for one in judged if one is not None]
    assert size_of(window) == size
    assert oracle.around([window, frame]) == frame
    if not known:
        assert outcome.status is Status.EMPTY
        return
    limits = [policy.limit_of(None)] * len(known)

    def good(ease):
        everything = oracle.windows(frame, size)
        return [each for each in everything if oracle.does(known, each, limits, policy, output or size, ease)]

    loose = good(LOOSE)
    assume(loose == good(TIGHT))
    if loose:
        assert window in loose
        assert outcome.status in {Status.FIRST, Status.MOVED}
    else:
        assert outcome.status is Status.UNMET


@pytest.mark.parametrize("given_objects", kinds_of_two(), ids=lambda each: next(iter(each)))
def test_place_moves_to_any_kind(given_objects):
    boxes = given_objects.get("boxes")
    others = {kind: data for kind, data in given_objects.items() if kind != "boxes"}
    statuses = set()
    for seed in range(40):
        outcome = place(SIZE, boxes, (9, 9), Policy(min_retention=1.0), random.Random(seed), **others)
        statuses.add(outcome.status)
        assert outcome.retention.tolist() == [1, 1]
        pixels = [np.nan, np.nan] if "keypoints" in others else [8, 4]
        np.testing.assert_allclose(outcome.visible_pixels, pixels)
    assert statuses == {Status.FIRST, Status.MOVED}


def test_place_keeps_a_rotated_box_not_the_box_around_it():
    # A thin diagonal bar: a corner of the box around it may be cut off.
    bar = [[6, 5, 8, 1, 45]]
    for seed in range(60):
        outcome = place(
            SIZE, bar, (6, 6), Policy(min_retention=0.9), random.Random(seed), box_format="cxcywhr"
        )  # fmt: skip
        window = outcome.view.window.tolist()
        half, thick = 4 * 0.5**0.5, 0.5 * 0.5**0.5
        ring = [
            (6 - half - thick, 5 + half - thick),
            (6 + half - thick, 5 - half - thick),
            (6 + half + thick, 5 - half + thick),
            (6 - half + thick, 5 + half + thick),
        ]
        share = float(oracle.polygon_in(ring, window)) / 8
        assert outcome.retention[0] == pytest.approx(share)
        assert share >= 0.9 - 1e-5
        assert outcome.status is not Status.UNMET


def test_place_keeps_the_foreground_of_a_semantic_mask():
    mask = classes()
    for seed in range(40):
        outcome = place(SIZE, None, (5, 5), Policy(min_retention=0.8), random.Random(seed), mask=mask, foreground=[2])
        x0, y0, x1, y1 = outcome.view.window.tolist()
        share = (mask[y0:y1, x0:x1] == 2).sum() / 8
        assert outcome.retention.tolist() == [share]
        assert share >= 0.8
    outcome = place(
        SIZE, None, (5, 5), Policy(min_retention={1: 1.0, "*": 0.0}), random.Random(1), mask=mask, ignore_index=None
    )  # fmt: skip
    x0, y0, x1, y1 = outcome.view.window.tolist()
    shares = [(mask[y0:y1, x0:x1] == each).sum() / (mask == each).sum() for each in (1, 2, 7, 255)]
    assert outcome.retention.tolist() == shares
    assert shares[0] == 1


def test_place_enlarges_for_any_kind():
    far = [[(0, 0)], [(11, 9)]]
    outcome = place(SIZE, None, (4, 4), Policy(on_fail="enlarge"), random.Random(0), keypoints=far)
    assert (outcome.status, outcome.stage) == (Status.RESIZED, Stage.LADDER)
    assert outcome.view.window.tolist() == [0, 0, 12, 10]
    assert outcome.retention.tolist() == [1, 1]


def test_place_changes_nothing_that_it_is_given():
    given_objects = {
        "polygons": [np.array(SQUARE, dtype=float)],
        "masks": np.stack([disc()]),
        "keypoints": [np.array([(1.0, 1.0, 1.0)])],
    }
    before = [np.array(each).copy() for each in given_objects.values()]
    for each in (*given_objects["polygons"], given_objects["masks"], *given_objects["keypoints"]):
        each.flags.writeable = False
    place(SIZE, None, (5, 5), Policy(min_retention=1.0), random.Random(0), **given_objects)
    for each, copy in zip(given_objects.values(), before, strict=True):
        np.testing.assert_array_equal(np.array(each), copy)


# A callable decides


def whole_or_gone(retention):
    """C4: every object wholly in, or wholly out."""
    return ((retention > 0.999) | (retention < 0.001)).all(-1)


@settings(max_examples=150)
@given(mixed_worlds(side=9), st.integers(0, 2**20))
def test_a_callable_decides_alone(world, seed):
    image_size, things, _, size = world
    judged = [one for one in (oracle.known(thing, image_size) for thing in things) if one is not None]
    assume(judged)
    policy = Policy(keep=whole_or_gone)
    everything = list(oracle.windows((0, 0, image_size[1], image_size[0]), size))
    shares = {window: [one.left(window) for one in judged] for window in everything}
    close = [share for row in shares.values() for share in row if 1e-6 < share < 0.002 or 0.998 < share < 1 - 1e-6]
    assume(not close)
    good = [window for window in everything if all(r > 0.999 or r < 0.001 for r in shares[window])]
    given_objects = given_as(things)
    boxes = given_objects.pop("boxes", None)
    outcome = place(image_size, boxes, size, policy, random.Random(seed), **given_objects)
    window = tuple(outcome.view.window.tolist())
    if good:
        assert window in good
        assert outcome.status in {Status.FIRST, Status.MOVED}
    else:
        assert outcome.status is Status.UNMET


def test_a_callable_sees_retention_of_the_whole_object():
    seen = []

    def at_least_half(retention):
        seen.append(retention)
        return (retention >= 0.5).all(-1)

    boxes, priors = [[0, 0, 4, 2], [6, 6, 8, 8]], [0.6, 1.0]
    policy = Policy(keep=at_least_half, min_retention=0.0)
    content = content_from(SIZE, policy, boxes=boxes, prior_visibility=priors)
    demand = demand_of(content, policy, (10, 9), (10, 9))
    assert passes(demand, (0, 0, 9, 10))
    assert seen[-1] == pytest.approx([0.6, 1.0])
    assert not passes(demand, (1, 0, 10, 10))  # 0.75 of 0.6
    assert seen[-1] == pytest.approx([0.45, 1.0])
    assert demand_of(content, policy, (10, 9), (10, 9)).all_of_them is False


@pytest.mark.parametrize(
    "keep",
    [
        lambda retention: retention >= 0.5,  # not reduced
        lambda retention: (retention >= 0.5).all(),  # reduced too far
        lambda retention: retention.min(-1),  # not a truth value
        lambda retention: (retention >= 0.5).all(-1).astype(int),
        lambda _: True,
        lambda _: None,
    ],
)
def test_a_callable_that_answers_otherwise_is_a_policy_error(keep):
    shares = np.full((3, 2, 2), 0.75)
    with pytest.raises(PolicyError, match=r"must return bool of shape \(3, 2\) for retention of shape \(3, 2, 2\)"):
        decided(keep, shares)


def test_a_wrong_callable_fails_in_place_too():
    with pytest.raises(PolicyError, match="reduce over the last axis"):
        place(SIZE, [[0, 0, 2, 2]], (4, 4), Policy(keep=lambda retention: retention), random.Random(0))


@pytest.mark.parametrize("more", [{"min_fill": 0.5}, {"min_visible_pixels": 4}])
def test_a_callable_beside_fill_or_pixels_is_a_policy_error(more):
    with pytest.raises(PolicyError, match="a callable keep sees retention and decides alone"):
        Policy(keep=whole_or_gone, **more)


def test_a_callable_policy_still_tells_of_itself():
    policy = Policy(keep=whole_or_gone)
    assert Policy(**policy.to_dict()) == policy
    assert policy.plain_limit is None
    assert Policy(keep="all").plain_limit == 0.5


@pytest.mark.parametrize(
    "more", [{"apply_rate": 0.5}, {"ignore_smaller_than": 3.0}, {"min_fill": 0.5}, {"keep": "any"}, {"max_stretch": 2}]
)
def test_a_limit_with_anything_beside_it_is_not_plain(more):
    assert Policy(**more).plain_limit is None


@pytest.mark.parametrize(
    "more, message",
    [
        ({"apply_rate": 1.5}, r"apply_rate must be in \[0, 1\], got 1.5"),
        ({"apply_rate": -0.1}, r"apply_rate must be in \[0, 1\], got -0.1"),
        ({"apply_rate": None}, "apply_rate must be a number, got None"),
        ({"ignore_smaller_than": -1}, "ignore_smaller_than must be at least 0 and finite, got -1"),
        ({"ignore_smaller_than": float("inf")}, "ignore_smaller_than must be at least 0 and finite, got inf"),
        ({"keep": [1]}, r"or a callable, got \[1\]"),
    ],
)
def test_the_new_fields_are_checked(more, message):
    with pytest.raises(PolicyError, match=message):
        Policy(**more)


def test_the_new_presets():
    assert Policy.segmentation() == Policy(min_retention=0.5)
    assert Policy.keypoints() == Policy(min_retention=1.0)
    points = [[(x, 5) for x in range(12)]]
    content = content_from(SIZE, Policy.keypoints(), keypoints=points)
    assert not passes(demand_of(content, Policy.keypoints(), (10, 11), (1, 1)), (0, 0, 11, 10))
    assert passes(demand_of(content, Policy.keypoints(), (10, 12), (1, 1)), (0, 0, 12, 10))


def test_points_and_keypoints_ignore_fill_and_pixels():
    policy = Policy(min_visible_pixels=100, min_fill=0.9)
    things = {"boxes": [[4, 4, 4, 4]], "keypoints": [[(5, 5), (6, 6)]]}
    content = content_from(SIZE, policy, **things)
    assert demand_of(content, policy, (3, 3), (3, 3)).needs == pytest.approx([0.5, 1.0], abs=1e-5)
    assert oracle.known(Thing("keypoints", things["keypoints"][0]), SIZE).whole == 2


@given(st.data())
def test_masks_are_held_as_the_general_way_says(data):
    """The short way of crops that protect masks alone comes to what content, demand and passes do."""
    size = (8, 9)
    masks = data.draw(st.lists(st.lists(st.booleans(), min_size=72, max_size=72), max_size=3))
    limit = data.draw(st.sampled_from([0.0, 0.3, 0.5, 1.0]))
    x0, y0 = data.draw(st.integers(0, 8)), data.draw(st.integers(0, 7))
    window = x0, y0, data.draw(st.integers(x0 + 1, 9)), data.draw(st.integers(y0 + 1, 8))
    regions = instances([np.reshape(mask, size) for mask in masks], size)
    policy = Policy(min_retention=limit)
    content = content_of_masks(regions, size, policy)
    demand = demand_of(content, policy, size_of(window), size)
    assert holds_all(regions, limit, window) == (bool(content.boxes) and passes(demand, window))


def test_an_object_of_just_the_area_is_not_smaller():
    """Hosts hand over float32 corners: 8 × 8 pixels, a hair less than 64, are 64."""
    policy = Policy(ignore_smaller_than=64)
    corners = np.float32([0.04, 0.04, 0.12, 0.12]).astype(float) * 100
    assert (corners[2] - corners[0]) * (corners[3] - corners[1]) < 64
    assert len(content_from((100, 100), policy, boxes=[corners]).boxes) == 1
    assert len(content_from((100, 100), policy, boxes=[corners], keypoints=[[(1, 1)]]).boxes) == 2
    assert not content_from((100, 100), policy, boxes=[[10, 10, 18, 17.99]]).boxes
