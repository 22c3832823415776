"""Where an UNMET draw goes, against enumeration: the most objects, uniformly, by rectangles or by the exact count."""

import random
from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from safeaug import Policy
from safeaug.content import content_of
from safeaug.geometry import Domain, domain_of, size_of
from safeaug.measures import demand_of, kept_weight
from safeaug.placement import feasible, least_size, most_kept
from safeaug.records import Demand
from safeaug.settle import meetings, settle
from tests import oracle
from tests.statistics import assert_law
from tests.strategies import worlds


def prepared(world, weights=None):
    image_size, boxes, policy, size = world
    content = content_of(boxes, image_size, policy, weights=weights)
    assume(content.boxes)
    frame = (0, 0, image_size[1], image_size[0])
    return content, demand_of(content, policy, size, (8, 8)), frame


@given(worlds(most_boxes=6), st.integers(0, 2**20), st.data())
def test_it_keeps_what_enumeration_can_keep(world, seed, data):
    image_size, boxes, policy, size = world
    weights = data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=len(boxes), max_size=len(boxes)))
    assume(any(weights))
    content, demand, frame = prepared(world, weights)
    everything = list(oracle.windows(frame, size))
    rng = random.Random(seed)
    first = rng.choice(everything)
    window = settle(demand, size, domain_of(frame, size), first, lambda: rng.random)
    best = max(kept_weight(demand, each) for each in everything)
    limits = [policy.limit_of(None)] * len(content.boxes)
    assert best == pytest.approx(
        oracle.most(content.boxes, limits, content.weights, frame, size, policy, image_size, (8, 8))
    )
    assert size_of(window) == size
    assert kept_weight(demand, window) == pytest.approx(best)
    if best and kept_weight(demand, first) == pytest.approx(best):
        assert window == first


@given(worlds(most_boxes=5))
def test_the_best_meeting_bounds_what_a_window_can_keep(world):
    _, demand, frame = prepared(world)
    size = world[3]
    found = meetings(demand, size, domain_of(frame, size))
    best = max(kept_weight(demand, window) for window in oracle.windows(frame, size))
    assert max(group.weight for group in found) >= best - 1e-9
    for group in found:
        assert group.weight == pytest.approx(sum(demand.weights[i] for i in group.members))


SCENES = {
    # Three corners, of which two fit into a window: two pairs are the best sets, of different areas.
    "two pairs": ([(0, 0, 4, 4), (8, 0, 11, 3), (0, 9, 5, 12)], 0.5, (10, 9)),
    # Rectangles of which hyperbolas cut the corners: some tries are refused.
    "corners cut": ([(1, 1, 9, 9), (12, 12, 16, 16)], 0.35, (5, 5)),
    # The rectangles of both meet, but no window keeps both: the bound is not attained and the exact count decides.
    "a bound that is not attained": ([(0, 0, 8, 8), (6, 6, 14, 14)], 0.5, (8, 8)),
    # Nothing can be kept: inside either of two objects that are larger than the window.
    "nothing": ([(0, 0, 6, 6), (10, 10, 16, 16)], 0.9, (3, 3)),
}


@pytest.mark.parametrize("scene", SCENES)
def test_it_is_uniform_on_the_windows_that_keep_the_most(scene):
    boxes, limit, size = SCENES[scene]
    policy, frame = Policy(min_retention=limit), (0, 0, 16, 16)
    demand = demand_of(content_of(boxes, (16, 16), policy), policy, size, size)
    everything = list(oracle.windows(frame, size))
    kept = {window: kept_weight(demand, window) for window in everything}
    best = [window for window in everything if kept[window] == max(kept.values())]
    if not max(kept.values()):
        best = oracle.least_lost(demand.boxes, frame, size, (16, 16))
    first = next(window for window in everything if window not in best)
    rng = random.Random(0)
    domain = domain_of(frame, size)
    counts = Counter(settle(demand, size, domain, first, lambda: rng.random) for _ in range(12_000))
    assert_law(counts, dict.fromkeys(best, 1 / len(best)))
    assert settle(demand, size, domain, best[0], lambda: rng.random) == best[0]


def test_a_little_more_weight_is_more():
    boxes, policy = [(0, 0, 4, 4), (12, 12, 16, 16)], Policy(min_retention=1.0)
    content = content_of(boxes, (16, 16), policy, weights=[0.95, 1.0])
    demand = demand_of(content, policy, (6, 6), (6, 6))
    rng = random.Random(0)
    for _ in range(50):
        window = settle(demand, (6, 6), Domain(0, 10, 0, 10), (0, 0, 6, 6), lambda: rng.random)
        assert kept_weight(demand, window) == 1.0


def test_a_bound_that_is_not_attained_is_one():
    boxes, limit, size = SCENES["a bound that is not attained"]
    policy = Policy(min_retention=limit)
    demand = demand_of(content_of(boxes, (16, 16), policy), policy, size, size)
    assert max(group.weight for group in meetings(demand, size, Domain(0, 8, 0, 8))) == 2
    assert not feasible(demand, size, Domain(0, 8, 0, 8)).size


def test_many_objects_are_counted_exactly():
    rng = random.Random(1)
    corners = [(rng.uniform(0, 50), rng.uniform(0, 50)) for _ in range(60)]
    boxes = [(x, y, x + rng.uniform(2, 14), y + rng.uniform(2, 14)) for x, y in corners]
    policy, frame = Policy(min_retention=0.6), (0, 0, 64, 64)
    demand = demand_of(content_of(boxes, (64, 64), policy), policy, (30, 30), (30, 30))
    domain = domain_of(frame, (30, 30))
    assert meetings(demand, (30, 30), domain) == []
    best = max(kept_weight(demand, window) for window in oracle.windows(frame, (30, 30)))
    for _ in range(20):
        window = settle(demand, (30, 30), domain, (0, 0, 30, 30), lambda: rng.random)
        assert kept_weight(demand, window) == best


@given(worlds(keeps=("all",)))
def test_no_window_below_the_least_size_reaches_a_demand(world):
    _, demand, frame = prepared(world)
    size = world[3]
    height, width = least_size(demand)
    if feasible(demand, size, domain_of(frame, size)).size:
        assert size[0] >= height
        assert size[1] >= width
    assert least_size(demand._replace(least=0)) == (0, 0)


@given(st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.7]), min_size=2, max_size=6), st.integers(1, 5))
def test_weights_that_do_not_add_up_exactly_keep_nothing_where_nothing_can_be_kept(weights, side):
    """Sums of such weights, taken in and out again, leave a residue that is no weight."""
    boxes = [(0.0, 0.0, 8.0, 8.0), (4.0, 2.0, 12.0, 9.0)] * 3
    count = len(weights)
    demand = Demand(boxes[:count], [50.0] * count, None, count, weights, 0.0)
    weight, _ = most_kept(demand, (side, side), Domain(0, 12 - side, 0, 12 - side))
    assert weight == 0.0
