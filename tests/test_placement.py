"""Exact positions against the oracle: every function of content.py and placement/."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from safeaug.arrays import NUMPY
from safeaug.content import content_of
from safeaug.geometry import Domain, domain_of, overlap, reach
from safeaug.measures import demand_of, kept_weight, measure, passes, required, visible
from safeaug.placement import feasible, least_lost, most_kept, rectangle
from safeaug.policy import Policy
from tests import oracle
from tests.strategies import boxes_in, image_sizes, worlds

LOOSE, TIGHT = 1 + 1e-6, 1 - 1e-6


def positions_of(found):
    return {
        (int(x), int(y))
        for x, starts_, lengths in zip(found.x, found.start, found.length, strict=True)
        for first, length in zip(starts_, lengths, strict=True)
        for y in range(first, first + length)
    }


def prepared(world, padding=0):
    image_size, boxes, policy, size = world
    content = content_of(boxes, image_size, policy)
    assume(content.boxes)
    frame = (-padding, -padding, image_size[1] + padding, image_size[0] + padding)
    return content, policy, size, frame


@given(worlds(), st.tuples(st.integers(1, 20), st.integers(1, 20)), st.integers(0, 2))
def test_feasible_is_every_window_that_the_oracle_passes(world, output, padding):
    content, policy, size, frame = prepared(world, padding)
    demand, domain = demand_of(content, policy, size, output), domain_of(frame, size)
    found = positions_of(feasible(demand, size, domain))
    limits = [policy.limit_of(None)] * len(content.boxes)
    unstretched = policy if policy.max_stretch is None else type(policy)(**{**policy.to_dict(), "max_stretch": None})
    by_ease = {}
    for ease in (LOOSE, TIGHT):
        by_ease[ease] = {
            window[:2]
            for window in oracle.windows(frame, size)
            if oracle.satisfies(content.boxes, window, limits, unstretched, world[0], output, ease)
        }
    if policy.keep == "whole":  # a looser tolerance also lets more count as gone, but kept may fall on either side
        assert by_ease[TIGHT] & by_ease[LOOSE] <= found
    else:
        assert by_ease[TIGHT] <= found
    assert found <= by_ease[LOOSE] | by_ease[TIGHT]
    judged = {window[:2] for window in oracle.windows(frame, size) if passes(demand, window)}
    assert (found ^ judged) <= (by_ease[LOOSE] ^ by_ease[TIGHT])
    bounds = rectangle(demand, size, domain)
    if bounds is None:
        assert not found
    else:
        assert all(bounds.x0 <= x <= bounds.x1 and bounds.y0 <= y <= bounds.y1 for x, y in found)


@given(worlds(), st.integers(0, 2), st.data())
def test_most_kept_is_what_enumeration_can_keep(world, padding, data):
    content, policy, size, frame = prepared(world, padding)
    weights = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=len(world[1]), max_size=len(world[1])))
    assume(any(weights))
    content = content_of(world[1], world[0], policy, weights=weights)
    demand, domain = demand_of(content, policy, size, (8, 8)), domain_of(frame, size)
    limits = [policy.limit_of(None)] * len(content.boxes)
    weight, found = most_kept(demand, size, domain)
    best = oracle.most(content.boxes, limits, content.weights, frame, size, policy, world[0], (8, 8))
    assert weight == pytest.approx(best)
    attained = {
        window[:2] for window in oracle.windows(frame, size) if kept_weight(demand, window) >= best * (1 - 1e-9)
    }
    assert positions_of(found) == attained


@given(worlds(), st.integers(0, 2))
def test_least_lost_is_worst_first_then_sum(world, padding):
    content, policy, size, frame = prepared(world, padding)
    # Sub-pixel slivers make shares so steep that ties hang on the last bit; a hundredth of a pixel does not.
    assume(all(oracle.is_point(box) or oracle.area(box) > 1e-4 for box in content.boxes))
    found = positions_of(least_lost(demand_of(content, policy, size, (8, 8)), size, domain_of(frame, size)))
    assert found == {window[:2] for window in oracle.least_lost(content.boxes, frame, size, world[0])}


@pytest.mark.parametrize(
    "boxes, size, expected",
    [
        ([(2, 2, 14, 14)], (4, 4), 81),  # larger than the window: anywhere inside
        ([(0, 0, 4, 4), (12, 12, 16, 16)], (3, 3), 8),  # cannot both be seen: inside either
        ([(2, 2, 14, 14), (4, 4, 12, 12)], (4, 4), 25),  # nested: inside both
        ([(5, 5, 5, 5)], (4, 4), 169),  # a point is always attainable: no preference
    ],
)
def test_an_unmet_draw_is_not_frozen(boxes, size, expected):
    demand = demand_of(content_of(boxes, (16, 16), Policy()), Policy(), size, size)
    found = least_lost(demand, size, Domain(0, 16 - size[1], 0, 16 - size[0]))
    assert found.size == expected


@given(worlds(), st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True))
def test_a_draw_lies_in_the_set(world, u, v):
    content, policy, size, frame = prepared(world)
    demand, domain = demand_of(content, policy, size, (8, 8)), domain_of(frame, size)
    found = feasible(demand, size, domain)
    assume(found.size)
    x, y = found.draw(u, v)
    assert (x, y) in positions_of(found)
    assert found.holds(x, y)
    assert not found.holds(domain.x1 + 1, y)
    assert not found.holds(x, domain.y1 + 1)


def test_draws_give_every_position_the_same_share():
    policy = Policy(keep="any")
    content = content_of([(2, 2, 5, 5), (8, 1, 10, 9)], (12, 12), policy)
    found = feasible(demand_of(content, policy, (5, 4), (5, 4)), (5, 4), Domain(0, 8, 0, 7))
    assert found.length.shape[1] > 1  # some columns hold more than one segment
    # A grid of uniforms: as many of the first as there are positions, so each segment gets its length of them, and of
    # the second a multiple of every length, so that each row of a segment gets the same share.
    rows = int(np.lcm.reduce(found.length[found.length > 0]))
    drawn = Counter(
        found.draw((k + 0.5) / found.size, (j + 0.5) / rows) for k in range(found.size) for j in range(rows)
    )
    assert drawn.keys() == positions_of(found)
    assert set(drawn.values()) == {rows}


@given(image_sizes(), st.data())
def test_visible_and_measure_are_the_oracles(image_size, data):
    box = data.draw(boxes_in(image_size))
    inside = oracle.clipped(box, image_size)
    window = data.draw(st.sampled_from(list(oracle.windows((0, 0, image_size[1], image_size[0]), (1, 1)))))
    policy = Policy(min_fill=0.5)
    content = content_of([box], image_size, policy)
    retention, by_fill, _ = measure(content, policy, window)
    if inside is None:
        assert not content.boxes
        assert np.isnan(retention[0])
        assert not by_fill[0]
        return
    assert content.boxes == [inside]
    expected = oracle.retention(inside, window, image_size)
    assert retention[0] == pytest.approx(expected)
    own = visible(inside, window, content.slack)
    assert own == (expected if oracle.is_point(inside) else pytest.approx(oracle.shared(inside, window)))
    filled = not oracle.is_point(inside) and oracle.shared(inside, window) >= 0.5
    assert by_fill[0] == (filled and expected < 0.5)


@given(
    st.floats(0.1, 100), st.floats(0, 1), st.floats(0, 1), st.floats(1, 400), st.none() | st.floats(0, 1),
    st.none() | st.floats(0, 50),
)  # fmt: skip
def test_tau_is_one_formula_on_floats_and_arrays(area, limit, tolerance, window, fill, pixels):
    scalar = required(area, limit, tolerance, window, fill, pixels)
    array = required(np.array([area]), np.array([limit]), tolerance, window, fill, pixels, NUMPY)
    assert array[0] == scalar
    share = limit * area if fill is None else min(limit * area, fill * window)
    assert scalar == max(share, pixels or 0.0) - tolerance


@given(st.floats(-5, 20), st.floats(0.1, 10), st.integers(1, 12), st.floats(0.01, 1))
def test_reach_bounds_exactly_the_overlaps_that_reach(lo, side, length, share):
    hi, need = lo + side, share * min(length, side)
    first, last = reach(need, lo, hi, length)
    for start in range(-20, 40):
        reaches = overlap(start, start + length, lo, hi) >= need
        if abs(overlap(start, start + length, lo, hi) - need) > 1e-9:
            assert reaches == (first <= start <= last)


def test_a_point_may_lie_outside_by_what_float32_loses():
    policy = Policy(min_retention=1.0)
    for off, kept in ((1e-6, True), (1e-5, False)):
        content = content_of([(10 + off, 8, 10 + off, 8)], (16, 16), policy)
        demand = demand_of(content, policy, (16, 6), (16, 6))
        assert passes(demand, (4, 0, 10, 16)) == kept
        assert feasible(demand, (16, 6), Domain(4, 4, 0, 0)).size == kept
        assert (rectangle(demand, (16, 6), Domain(4, 4, 0, 0)) is not None) == kept


@pytest.mark.parametrize("keep", ["all", "any"])
def test_a_window_larger_than_its_frame_has_no_position(keep):
    policy = Policy(keep=keep)
    demand = demand_of(content_of([(0, 0, 3, 3)], (8, 8), policy), policy, (9, 4), (9, 4))
    assert rectangle(demand, (9, 4), domain_of((0, 0, 8, 8), (9, 4))) is None
