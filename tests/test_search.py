"""The search against the oracle: which candidate wins, when a draw is UNMET, and what it then keeps."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from safeaug import ContentError, Policy, PolicyError, RetentionError, Stage, Status, place
from safeaug.candidates import candidates, ladder
from safeaug.content import content_of, single
from safeaug.geometry import size_of, stretch
from safeaug.measures import demand_of
from safeaug.search import elsewhere, outcome_of, remainder, search
from tests import oracle
from tests.hosts import ToyHost
from tests.strategies import image_sizes, worlds

SOME_POLICY = worlds(on_fail=("most", "enlarge", "skip", "raise"))


@st.composite
def toys(draw, world):
    image_size = world[0]
    sizes = draw(
        st.lists(
            st.tuples(st.integers(1, image_size[0]), st.integers(1, image_size[1])), min_size=1, max_size=4, unique=True
        )
    )
    output = draw(st.none() | st.tuples(st.integers(1, 20), st.integers(1, 20)))
    return ToyHost(image_size, tuple(sizes), (1.0,) * len(sizes), output, draw(st.booleans()), draw(st.booleans()))


def run(toy, content, policy, seed):
    """One search, and the drawn window and candidate list that it saw, drawn again from the same seeds."""
    first = toy.draw(random.Random(seed))
    try:
        found = search(first, toy.host(random.Random(seed + 1)), content, policy, lambda k: random.Random(k).random)
    except RetentionError as error:
        found = error
    return first, found, list(candidates(first, toy.host(random.Random(seed + 1)), policy))


@given(st.data(), SOME_POLICY, st.integers(0, 2**20))
def test_the_list_decides(data, world, seed):
    image_size, boxes, policy, _ = world
    toy = data.draw(toys(world))
    content = content_of(boxes, image_size, policy)
    assume(content.boxes)
    asked = [policy.limit_of(None)] * len(content.boxes)

    def passing(size, ease):
        output = toy.output or size
        return [
            window
            for window in oracle.windows(toy.frame, size)
            if oracle.satisfies(content.boxes, window, asked, policy, image_size, output, ease)
        ]

    first, found, listed = run(toy, content, policy, seed)
    if any(passing(c.size, 1 + 1e-6) != passing(c.size, 1 - 1e-6) for c in listed):
        return  # a tie that floating point cannot decide
    size = size_of(first)
    good = {candidate.size: set(passing(candidate.size, 1.0)) for candidate in listed}
    if first in good[size]:
        assert found == (first, Status.FIRST, Stage.DRAWN, 1)
        return
    winners = [candidate for candidate in listed if good[candidate.size]]
    if winners:
        assert found.window in good[size_of(found.window)]
        assert found.status is (Status.MOVED if size_of(found.window) == size else Status.RESIZED)
        if policy.sampling == "keep_scale":
            assert size_of(found.window) == winners[0].size
            assert found.stage is winners[0].stage
        else:
            assert found.stage <= winners[-1].stage
            if found.stage > Stage.REDRAW:
                assert all(not good[c.size] for c in listed if c.stage <= Stage.REDRAW)
        return
    if policy.on_fail == "raise":
        assert isinstance(found, RetentionError)
        assert found.outcome.status is Status.UNMET
        assert "cannot be met" in str(found)
        return
    if policy.on_fail == "skip":
        assert found.status is Status.SKIPPED
        return
    assert found.status is Status.UNMET
    assert size_of(found.window) == size
    output = toy.output or size

    def kept(window):
        return sum(
            oracle.keeps(box, window, limit, policy, image_size, output)
            for box, limit in zip(content.boxes, asked, strict=True)
        )

    best = max(map(kept, oracle.windows(toy.frame, size)))
    assert kept(found.window) == best
    if best and kept(first) == best:
        assert found.window == first
    if not best and all(oracle.is_point(box) or oracle.area(box) > 1e-4 for box in content.boxes):
        assert found.window in oracle.least_lost(content.boxes, toy.frame, size, image_size)


@given(st.data(), worlds(), st.integers(0, 2**20))
def test_the_list_is_finite_ordered_and_within_the_host(data, world, seed):
    toy, policy = data.draw(toys(world)), world[2]
    first, _, listed = run(toy, content_of([], world[0], policy), policy, seed)
    size = size_of(first)
    assert listed[0] == (0, Stage.DRAWN, size)
    assert [c.number for c in listed] == list(range(len(listed)))
    assert [c.stage for c in listed] == sorted(c.stage for c in listed)
    redrawn = [c.size for c in listed if c.stage is Stage.REDRAW]
    rng = random.Random(seed + 1)
    assert redrawn == [size_of(toy.draw(rng)) for _ in range(policy.tries if toy.redraws else 0)]
    assert sorted(c.size for c in listed if c.stage is Stage.LATTICE) == sorted(toy.sizes)
    lattice = [c.size for c in listed if c.stage is Stage.LATTICE]
    away = [oracle.hypot(oracle.log(s[0] / size[0]), oracle.log(s[1] / size[1])) for s in lattice]
    assert all(near <= far + 2**-20 for near, far in itertools.pairwise(away))  # nearer than that is equally near


@given(image_sizes(), st.data(), st.none() | st.floats(0, 10))
def test_the_ladder_ends_at_the_whole_image(image_size, data, pixels):
    toy = ToyHost(image_size, ((1, 1),), (1.0,))
    size = data.draw(st.tuples(st.integers(1, image_size[0]), st.integers(1, image_size[1])))
    rungs = ladder(size, toy.host(random.Random(0)), Policy(on_fail="enlarge", min_visible_pixels=pixels))
    assert image_size in rungs
    assert len(rungs) == (16 if pixels is None else 32)
    assert ((1, 1) in rungs) >= (pixels is not None)
    up = rungs[:16]
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in itertools.pairwise(up))
    assert all(1 <= h <= image_size[0] and 1 <= w <= image_size[1] for h, w in rungs)
    assert not ladder(size, toy.host(random.Random(0)), Policy(on_fail="most"))
    assert not ladder(size, toy._replace(enlarges=False).host(random.Random(0)), Policy(on_fail="enlarge"))


def test_a_pixel_floor_is_met_by_zooming_in_where_that_is_allowed():
    # A 4 × 4 object is 16 pixels of a 16 × 16 output from the whole image, and 64 from an 8 × 8 window.
    toy = ToyHost((16, 16), ((16, 16),), (1.0,), output=(16, 16))
    content = content_of([(6, 6, 10, 10)], (16, 16), Policy())
    tight = Policy(min_visible_pixels=64)
    _, found, _ = run(toy, content, tight, 0)
    assert found.status is Status.UNMET
    _, found, _ = run(toy, content, Policy(min_visible_pixels=64, on_fail="enlarge"), 0)
    assert found.status is Status.RESIZED
    assert found.stage is Stage.LADDER
    height, width = size_of(found.window)
    assert oracle.shared((6, 6, 10, 10), found.window) * 256 / (height * width) >= 64 - 1e-3


@pytest.mark.parametrize("sampling", ["keep_scale", "joint"])
def test_the_smallest_size_that_can_succeed_is_not_passed_over(sampling):
    policy = Policy(min_retention=1.0, sampling=sampling)
    content = content_of([(5, 6, 9, 10)], (16, 16), policy)
    toy = ToyHost((16, 16), ((4, 4),), (1.0,))
    for seed in range(20):
        rng = random.Random(seed)
        found = search((0, 0, 3, 3), toy.host(rng), content, policy, lambda _, r=rng: r.random)
        assert found[:3] == ((5, 6, 9, 10), Status.RESIZED, Stage.REDRAW)


@pytest.mark.parametrize("enlarges", [True, False])
def test_the_remainder_is_the_search_behind_its_redraws(enlarges):
    policy = Policy(min_retention=1.0, tries=0)
    content = content_of([(2, 2, 9, 10)], (16, 16), policy)
    toy = ToyHost((16, 16), ((4, 4), (12, 12)) if enlarges else ((4, 4),), (1.0, 1.0)[: 1 + enlarges], enlarges=False)
    first = 0, 0, 4, 4
    demand = demand_of(content, policy, (4, 4), (4, 4))
    given_ = first, toy.host(random.Random(0)), demand, lambda: content, policy, lambda k: random.Random(k).random
    assert remainder(*given_) == elsewhere(*given_)
    assert remainder(*given_).status is (Status.RESIZED if enlarges else Status.UNMET)


def test_fill_keeps_a_close_up_and_says_so():
    # C18: the object fills 80 % of the image. A pure share rule calls a window inside of it a loss.
    box = (0.0, 0.0, 80.0, 100.0)
    share, close_up = Policy(), Policy.classification()
    window = (0, 0, 40, 50)
    toy = ToyHost((100, 100), ((50, 40),), (1.0,), redraws=False, enlarges=False)
    for policy, status in ((share, Status.UNMET), (close_up, Status.FIRST)):
        content = content_of([box], (100, 100), policy)
        found = search(window, toy.host(random.Random(0)), content, policy, lambda k: random.Random(k).random)
        assert found.status is status
    outcome = outcome_of(found, content, close_up, (50, 40))
    assert outcome.by_fill.tolist() == [True]
    assert outcome.retention[0] == pytest.approx(0.25)


def test_stretch_bounds_every_window_that_is_not_unmet():
    toy = ToyHost((16, 16), ((4, 16), (16, 4), (8, 8)), (1.0, 1.0, 1.0), output=(8, 8))
    policy = Policy(max_stretch=1.5)
    content = content_of([(0, 0, 4, 4)], (16, 16), policy)
    statuses = set()
    for seed in range(200):
        _, found, _ = run(toy, content, policy, seed)
        statuses.add(found.status)
        assert stretch(size_of(found.window), (8, 8)) <= 1.5
    assert statuses == {Status.FIRST, Status.MOVED, Status.RESIZED}


@given(worlds(), st.integers(0, 2**20))
def test_nothing_to_protect_leaves_the_draw_alone(world, seed):
    toy = ToyHost(world[0], (world[3],), (1.0,))
    first, found, _ = run(toy, content_of([], world[0], world[2]), world[2], seed)
    assert found == (first, Status.EMPTY, Stage.DRAWN, 1)


def test_nothing_to_protect_can_be_an_error():
    with pytest.raises(ContentError, match="nothing to protect"):
        place((10, 10), [], (5, 5), Policy(on_empty="raise"), random.Random(0))


@given(image_sizes(), st.integers(0, 2**20))
def test_limit_zero_keeps_every_draw(image_size, seed):
    rng = random.Random(seed)
    toy = ToyHost(image_size, ((1, 1), image_size), (1.0, 1.0))
    boxes = [(0, 0, image_size[1] * rng.random(), image_size[0] * rng.random()) for _ in range(3)]
    for keep in ("all", "any", "one", "whole", 2):
        policy = Policy(min_retention=0, keep=keep)
        first, found, _ = run(toy, content_of(boxes, image_size, policy), policy, seed)
        assert found[:2] == (first, Status.FIRST)


def test_one_picks_by_weight_and_keeps_what_it_picked():
    boxes = [(0, 0, 4, 4), (12, 12, 16, 16), (6, 6, 8, 8)]
    policy = Policy(min_retention=1.0, keep="one")
    content = content_of(boxes, (16, 16), policy, weights=[1.0, 3.0, 0.0])
    picks = [single(content, (k + 0.5) / 400).origin[0] for k in range(400)]
    assert [picks.count(i) for i in range(3)] == [100, 300, 0]
    toy = ToyHost((16, 16), ((6, 6),), (1.0,))
    for seed in range(100):
        first = toy.draw(random.Random(seed))
        found = search(
            first, toy.host(random.Random(1)), content, policy, lambda k, s=seed: random.Random(k + s).random
        )
        picked = single(content, random.Random(seed - 1).random())
        assert oracle.retention(picked.boxes[0], found.window, (16, 16)) == 1.0
    nothing = content_of(boxes[:1], (16, 16), policy)._replace(weights=[0.0])
    assert list(single(nothing, 0.0).origin) == [0]


def test_place_keeps_its_object_at_the_limit_for_any_framework():
    rng = np.random.default_rng(0)
    for _ in range(300):
        outcome = place((48, 64), [[2, 3, 12, 13]], (24, 24), Policy(min_retention=0.9), rng)
        x0, y0, x1, y1 = outcome.view.window
        assert (x1 - x0, y1 - y0) == (24, 24)
        assert 0 <= x0 <= x1 <= 64
        assert 0 <= y0 <= y1 <= 48
        assert outcome.retention[0] >= 0.9 - 1e-6
        assert outcome.status in {Status.FIRST, Status.MOVED}


def test_place_is_a_pure_function_of_its_arguments():
    boxes = np.array([[2.0, 3.0, 12.0, 13.0]])
    before = boxes.copy()
    one = place((48, 64), boxes, (24, 24), Policy(), np.random.default_rng(3))
    two = place((48, 64), boxes, (24, 24), Policy(), np.random.default_rng(3))
    assert one.view.window.tolist() == two.view.window.tolist()
    assert (boxes == before).all()


@pytest.mark.parametrize(
    "box_format, box",
    [
        ("xyxy", [8, 16, 24, 40]),
        ("xywh", [8, 16, 16, 24]),
        ("cxcywh", [16, 28, 16, 24]),
        ("xyxyn", [0.125, 1 / 3, 0.375, 5 / 6]),
        ("cxcywhn", [0.25, 7 / 12, 0.25, 0.5]),
    ],
)
def test_place_reads_every_format_alike(box_format, box):
    outcome = place((48, 64), [box], (30, 30), Policy(min_retention=1), random.Random(5), box_format=box_format)
    plain = place((48, 64), [[8, 16, 24, 40]], (30, 30), Policy(min_retention=1), random.Random(5))
    assert outcome.view.window.tolist() == plain.view.window.tolist()


def test_place_skips_enlarges_or_raises_as_asked():
    far_apart = [[0, 0, 8, 8], [56, 40, 64, 48]]
    skipped = place((48, 64), far_apart, (24, 24), Policy(on_fail="skip"), random.Random(0))
    assert skipped.status is Status.SKIPPED
    assert skipped.view.window.tolist() == [0, 0, 64, 48]
    assert skipped.view.size.tolist() == [48, 64]
    assert skipped.retention.tolist() == [1, 1]
    larger = place((48, 64), far_apart, (24, 24), Policy(on_fail="enlarge"), random.Random(0), output_size=(24, 24))
    assert larger.status is Status.RESIZED
    assert larger.stage is Stage.LADDER
    assert (larger.retention >= 0.5).all()
    assert larger.view.size.tolist() == [24, 24]
    with pytest.raises(RetentionError, match=r"cannot be met: .* keeps its 2 object\(s\)") as caught:
        place((48, 64), far_apart, (24, 24), Policy(on_fail="raise"), random.Random(0))
    assert caught.value.outcome.status is Status.UNMET
    assert caught.value.outcome.retention.min() == 0
    assert caught.value.outcome.retention.max() >= 0.5  # one of the two is still kept


def test_place_takes_labels_weights_and_ignore():
    boxes = [[0, 0, 8, 8], [56, 40, 64, 48]]
    policy = Policy(min_retention={"a": 1.0, "*": 0.0})
    outcome = place((48, 64), boxes, (24, 24), policy, random.Random(0), labels=["a", "b"])
    assert outcome.retention[0] == 1
    outcome = place((48, 64), boxes, (24, 24), Policy(), random.Random(0), ignore=[True, False])
    assert outcome.retention[1] >= 0.5
    assert outcome.status is not Status.UNMET
    for seed in range(20):
        outcome = place((48, 64), boxes, (24, 24), Policy(), random.Random(seed), weights=[1, 2])
        assert outcome.retention[1] >= 0.5
        assert outcome.status is Status.UNMET


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"window_size": (49, 10)}, ContentError, "must fit into image_size"),
        ({"window_size": (0, 10)}, ContentError, "at least 1"),
        ({"window_size": (2.5, 10)}, ContentError, "whole pixels"),
        ({"window_size": 10}, ContentError, r"must be \(height, width\), got 10"),
        ({"window_size": (float("inf"), 10)}, ContentError, r"must be \(height, width\)"),
        ({"boxes": [[0, 0, float("nan"), 1]]}, ContentError, "finite"),
        ({"boxes": [[5, 0, 1, 1]]}, ContentError, "box 0 must have x0 <= x1"),
        ({"boxes": [0, 0, 5, 5]}, ContentError, r"shape \(N, 4\)"),
        ({"box_format": "coco"}, ContentError, "must be one of xyxy"),
        ({"rng": None}, PolicyError, "needs rng"),
        ({"policy": 0.5}, PolicyError, "policy must be a safeaug.Policy, got 0.5"),
        ({"boxes": [["a"] * 4]}, ContentError, "boxes must be numbers"),
    ],
)
def test_place_refuses_bad_input(change, error, message):
    usual = {"boxes": [[0, 0, 5, 5]], "window_size": (10, 10), "policy": Policy(), "rng": random.Random(0)}
    arguments = {**usual, **change}
    with pytest.raises(error, match=message):
        place((48, 64), **arguments)


def test_of_points_no_pixels_are_told():
    policy = Policy(min_retention=1.0, min_visible_pixels=9, on_fail="raise")
    with pytest.raises(RetentionError, match=r"min_visible_pixels=9 no window") as caught:
        place((40, 40), None, (8, 8), policy, random.Random(0), keypoints=[[[1, 1, 1], [39, 39, 1]]])
    assert "of the output" not in str(caught.value)
