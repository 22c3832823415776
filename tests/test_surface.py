"""Exact positions of objects that are more than boxes, against enumeration with the oracle."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from safeaug import Policy
from safeaug.content import content_of
from safeaug.geometry import Domain, domain_of, window_at
from safeaug.measures import demand_of, held, kept_weight, meets, passes
from safeaug.objects import content_from
from safeaug.placement import (
    Feasible,
    Marked,
    feasible,
    feasible_on_surface,
    least_lost,
    least_lost_on_surface,
    most_kept,
    most_kept_on_surface,
    rectangle,
    surface,
)
from safeaug.settle import attainable
from safeaug.shapes import boxed
from tests import oracle
from tests.strategies import given_as, mixed_worlds, worlds

LOOSE, TIGHT = 1 + 1e-6, 1 - 1e-6
FEWER = settings(max_examples=150)


def positions_of(found):
    if isinstance(found, Marked):
        x, y = np.nonzero(found.marks)
        return set(zip((x + found.domain.x0).tolist(), (y + found.domain.y0).tolist(), strict=True))
    return {
        (int(x), int(y))
        for x, starts, lengths in zip(found.x, found.start, found.length, strict=True)
        for first, length in zip(starts, lengths, strict=True)
        for y in range(first, first + length)
    }


def prepared(world, padding=0, **more):
    """Content, and what the oracle knows of the same things, without those outside the image."""
    image_size, things, policy, size = world
    content = content_from(image_size, policy, **given_as(things), **more)
    assume(content.boxes)
    judged = [oracle.known(thing, image_size) for thing in things]
    frame = (-padding, -padding, image_size[1] + padding, image_size[0] + padding)
    return content, [judged[i] for i in content.origin], policy, size, frame


def as_shapes(demand):
    """The same demand on boxes, its boxes as shapes."""
    shapes = [boxed(box, demand.slack) for box in demand.boxes]
    return demand._replace(shapes=shapes)


def masked(domain, data):
    marks = data.draw(st.integers(1, 2**30))
    shape = domain.x1 - domain.x0 + 1, domain.y1 - domain.y0 + 1
    within = np.random.default_rng(marks).random(shape) < data.draw(st.sampled_from([0.2, 0.6, 1.0]))
    assume(within.any())
    return within


def allowed(within, domain, positions):
    return {(x, y) for x, y in positions if within[x - domain.x0, y - domain.y0]}


@FEWER
@given(mixed_worlds(), st.tuples(st.integers(1, 20), st.integers(1, 20)), st.integers(0, 2))
def test_feasible_is_every_window_that_the_oracle_passes(world, output, padding):
    content, things, policy, size, frame = prepared(world, padding)
    demand, domain = demand_of(content, policy, size, output), domain_of(frame, size)
    limits = [policy.limit_of(None)] * len(things)
    unstretched = Policy(**{**policy.to_dict(), "max_stretch": None})
    good = {
        ease: {
            window[:2]
            for window in oracle.windows(frame, size)
            if oracle.does(things, window, limits, unstretched, output, ease)
        }
        for ease in (LOOSE, TIGHT)
    }
    found = positions_of(feasible(demand, size, domain))
    assert good[TIGHT] <= found <= good[LOOSE]
    judged = {window[:2] for window in oracle.windows(frame, size) if passes(demand, window)}
    assert good[TIGHT] <= judged <= good[LOOSE]
    window = (*domain[::2], domain.x0 + size[1], domain.y0 + size[0])
    legal = policy.max_stretch is None or oracle.stretch_of(window, output) <= policy.max_stretch * (1 + 1e-9)
    assert meets(content, policy, window, output) == (legal and window[:2] in judged)
    # What one axis alone rules out holds no feasible position: the bound loses nothing.
    bounds = rectangle(demand, size, domain)
    if bounds is None:
        assert not found
    else:
        assert all(bounds.x0 <= x <= bounds.x1 and bounds.y0 <= y <= bounds.y1 for x, y in found)
        assert positions_of(feasible(demand, size, bounds)) == found


@FEWER
@given(mixed_worlds(), st.integers(0, 2), st.data())
def test_most_kept_is_what_enumeration_can_keep(world, padding, data):
    weights = data.draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(world[1]), max_size=len(world[1])))
    content, things, policy, size, frame = prepared(world, padding, weights=weights)
    demand, domain = demand_of(content, policy, size, (8, 8)), domain_of(frame, size)
    limits = [policy.limit_of(None)] * len(things)
    everything = list(oracle.windows(frame, size))
    kept = {
        ease: [oracle.weight_kept(things, each, limits, content.weights, policy, (8, 8), ease) for each in everything]
        for ease in (LOOSE, TIGHT)
    }
    assume(kept[LOOSE] == kept[TIGHT])
    best, windows = oracle.heaviest(things, everything, limits, content.weights, policy, (8, 8))
    weight, found = most_kept(demand, size, domain)
    assert weight == pytest.approx(best)
    assert positions_of(found) == {window[:2] for window in windows}
    for window, one in zip(everything, kept[LOOSE], strict=True):
        assert kept_weight(demand, window) == pytest.approx(one)


@FEWER
@given(mixed_worlds(), st.integers(0, 2))
def test_least_lost_is_worst_first_then_sum(world, padding):
    content, things, policy, size, frame = prepared(world, padding)
    assume(oracle.ties_are_clear(things, list(oracle.windows(frame, size))))
    demand, domain = demand_of(content, policy, size, (8, 8)), domain_of(frame, size)
    assume(demand.shapes is not None)
    found = positions_of(least_lost(demand, size, domain))
    assert found == {window[:2] for window in oracle.lost_least(things, list(oracle.windows(frame, size)))}


@given(worlds(), st.integers(0, 2))
def test_boxes_as_shapes_are_boxes(world, padding):
    image_size, boxes, policy, size = world
    content = content_of(boxes, image_size, policy)
    assume(content.boxes)
    frame = (-padding, -padding, image_size[1] + padding, image_size[0] + padding)
    demand, domain = demand_of(content, policy, size, (9, 8)), domain_of(frame, size)
    shaped = as_shapes(demand)
    everything = list(oracle.windows(frame, size))
    # A box that holds its need but for the last bit may fall on either side of the two computations.
    assume(all(abs(held(demand, i, w) - n) > 1e-9 for w in everything for i, n in enumerate(demand.needs)))
    if demand.gone is not None:
        assume(all(abs(held(demand, i, w) - n) > 1e-9 for w in everything for i, n in enumerate(demand.gone)))
    assert positions_of(feasible(demand, size, domain)) == positions_of(feasible_on_surface(shaped, size, domain))
    assert positions_of(feasible(shaped, size, domain)) == positions_of(feasible_on_surface(demand, size, domain))
    for window in everything:
        assert passes(demand, window) == passes(shaped, window)
    weight, most = most_kept(demand, size, domain)
    shaped_weight, shaped_most = most_kept_on_surface(shaped, size, domain)
    assert weight == pytest.approx(shaped_weight)
    assert positions_of(most) == positions_of(shaped_most)
    things = [oracle.known(oracle.Thing("box", box), image_size) for box in content.boxes]
    if all(oracle.is_solid(one.thing) for one in things) and oracle.ties_are_clear(things, everything):
        assert positions_of(least_lost(demand, size, domain)) == positions_of(
            least_lost_on_surface(shaped, size, domain)
        )


@FEWER
@given(mixed_worlds(), st.data())
def test_within_restricts(world, data):
    content, things, policy, size, frame = prepared(world)
    demand, domain = demand_of(content, policy, size, (8, 8)), domain_of(frame, size)
    within = masked(domain, data)
    everywhere = positions_of(feasible_on_surface(demand, size, domain))
    assert positions_of(feasible_on_surface(demand, size, domain, within)) == allowed(within, domain, everywhere)
    inside = [w for w in oracle.windows(frame, size) if within[w[0] - domain.x0, w[1] - domain.y0]]
    kept = {window[:2]: kept_weight(demand, window) for window in inside}
    weight, found = most_kept_on_surface(demand, size, domain, within)
    best = max(kept.values())
    assert weight == pytest.approx(best)
    assert positions_of(found) == {at for at, each in kept.items() if each >= best - 1e-9}
    attained = attainable(demand, size, domain, within)
    if best > 0:
        assert positions_of(attained) == positions_of(found)
        return
    assert positions_of(attained) == positions_of(least_lost_on_surface(demand, size, domain, within))
    assume(oracle.ties_are_clear(things, inside))
    assert positions_of(attained) == {window[:2] for window in oracle.lost_least(things, inside)}


@FEWER
@given(mixed_worlds(), st.integers(0, 2), st.integers(1, 40), st.data())
def test_blocks_change_nothing(world, padding, cells, data):
    content, _, policy, size, frame = prepared(world, padding)
    demand, domain = demand_of(content, policy, size, (8, 8)), domain_of(frame, size)
    within = masked(domain, data)

    def everything():
        weight, most = most_kept_on_surface(demand, size, domain, within)
        sets = feasible_on_surface(demand, size, domain), most, least_lost_on_surface(demand, size, domain, within)
        return weight, [positions_of(each) for each in sets]

    whole = everything()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(surface, "CELLS", cells)
        assert len(list(surface._blocks(domain))) > 1 or domain.size <= cells or domain.x0 == domain.x1
        assert everything() == whole


def both(x0, y0, marks):
    """The same set of positions as marks and as segments of columns."""
    columns, rows = marks.shape
    merged = [join([(y, 1) for y in np.flatnonzero(column).tolist()]) for column in marks]
    most = max(map(len, merged))
    padded = [column + [(0, 0)] * (most - len(column)) for column in merged]
    start, length = np.array(padded, dtype=np.int64).reshape(columns, most, 2).transpose(2, 0, 1)
    domain = Domain(x0, x0 + columns - 1, y0, y0 + rows - 1)
    return Marked(domain, marks), Feasible(np.arange(x0, x0 + columns), start + y0, length)


@st.composite
def sets(draw):
    columns, rows = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    marks = np.array(draw(st.lists(st.booleans(), min_size=columns * rows, max_size=columns * rows)))
    assume(marks.any())
    return both(draw(st.integers(-3, 3)), draw(st.integers(-3, 3)), marks.reshape(columns, rows))


def join(segments):
    joined = []
    for start, length in segments:
        if joined and joined[-1][0] + joined[-1][1] == start:
            joined[-1] = joined[-1][0], joined[-1][1] + length
        else:
            joined.append((start, length))
    return joined


@given(sets(), st.integers(-8, 12), st.integers(-8, 12))
def test_nearest_is_nearest_and_ties_go_up_then_left(pair, x, y):
    for found in pair:
        assert found.nearest(x, y) == oracle.nearest((x, y), positions_of(found))


def test_of_four_that_are_equally_near_the_upper_wins_then_the_left():
    marks = np.ones((5, 5), dtype=bool)
    for taken, next_nearest in [((2, 2), (2, 1)), ((2, 1), (1, 2)), ((1, 2), (3, 2)), ((3, 2), (2, 3))]:
        marks[taken] = False
        for found in both(0, 0, marks):
            assert found.nearest(2, 2) == next_nearest
    marks[2, 3] = False
    for taken, next_nearest in [((0, 0), (1, 1)), ((1, 1), (3, 1)), ((3, 1), (1, 3)), ((1, 3), (3, 3))]:
        marks[taken] = False  # the four on the diagonals
        for found in both(0, 0, marks):
            assert found.nearest(2, 2) == next_nearest


@given(sets(), st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True))
def test_a_draw_lies_in_the_set(pair, u, v):
    for found in pair:
        positions = positions_of(found)
        assert found.size == len(positions)
        assert found.draw(u, v) in positions
        domain = pair[0].domain
        for x in range(domain.x0 - 1, domain.x1 + 2):
            for y in range(domain.y0 - 1, domain.y1 + 2):
                assert found.holds(x, y) == ((x, y) in positions)


@settings(max_examples=50)
@given(sets())
def test_draws_give_every_position_the_same_share(pair):
    for found in pair:
        rows = int(np.lcm.reduce([1, 2, 3, 4, 5, 6]))
        drawn = Counter(
            found.draw((k + 0.5) / found.size, (j + 0.5) / rows) for k in range(found.size) for j in range(rows)
        )
        assert drawn.keys() == positions_of(found)
        assert set(drawn.values()) == {rows}


def C4(retention):  # noqa: N802  # the contract of that name
    """Every object wholly in, or wholly out."""
    return ((retention > 0.99) | (retention < 0.01)).all(-1)


@FEWER
@given(mixed_worlds(side=8))
def test_a_callable_sees_the_retention_of_every_position(world):
    image_size, things, _, size = world
    policy = Policy(keep=C4)
    content, judged, _, _, frame = prepared((image_size, things, policy, size))
    everything = list(oracle.windows(frame, size))
    shares = np.array([[one.left(window) for one in judged] for window in everything])
    assume((np.abs(shares - 0.99) > 1e-6).all())
    assume((np.abs(shares - 0.01) > 1e-6).all())
    demand = demand_of(content, policy, size, size)
    expected = {
        window[:2] for window, row in zip(everything, shares, strict=True) if all(r > 0.99 or r < 0.01 for r in row)
    }
    assert positions_of(feasible(demand, size, domain_of(frame, size))) == expected
    assert {window[:2] for window in everything if passes(demand, window)} == expected


@pytest.mark.parametrize("keep", ["all", "any", "whole", 1, C4])
@pytest.mark.parametrize("limit", [0.0, 0.5])
def test_a_window_larger_than_its_frame_has_no_position(keep, limit):
    policy = Policy(keep=keep, min_retention=limit)
    for given_objects in ({"boxes": [[0, 0, 3, 3]]}, {"polygons": [[(0, 0), (3, 0), (0, 3)]]}):
        content = content_from((8, 8), policy, **given_objects)
        for size in ((9, 4), (4, 9)):
            demand = demand_of(content, policy, size, size)
            assert rectangle(demand, size, domain_of((0, 0, 8, 8), size)) is None


def test_a_bound_of_one_axis_is_no_answer():
    # An L of which each axis alone holds enough, but no window both: only the exact count says no.
    mask = np.zeros((8, 8), bool)
    mask[0, :] = mask[:, 0] = True
    policy = Policy(min_retention=0.6)
    content = content_from((8, 8), policy, masks=[mask])
    demand = demand_of(content, policy, (5, 5), (5, 5))
    domain = domain_of((0, 0, 8, 8), (5, 5))
    assert content.shapes[0].inside((0, 0, 5, 5)) == 9  # of 15, just 0.6
    assert positions_of(feasible(demand, (5, 5), domain)) == {(0, 0)}
    lower = demand._replace(needs=[10.0])
    assert rectangle(lower, (5, 5), domain) is not None
    assert not feasible(lower, (5, 5), domain).size
    assert passes(demand, window_at(0, 0, (5, 5)))


@pytest.mark.parametrize("share", [0.002, 0.05, 0.5])
def test_the_bound_loses_nothing_of_a_larger_mask(share):
    # Taller than the blocks of rows that bound it, and nowhere near the image's edges.
    rng = np.random.default_rng(int(share * 1000))
    for _ in range(15):
        mask = np.zeros((60, 45), bool)
        y, x = rng.integers(5, 30, 2)
        mask[y : y + 25, x : x + 12] = rng.random((25, min(12, 45 - x))) < share
        mask[y, x] = True
        policy = Policy(min_retention=float(rng.choice([0.3, 0.7, 1.0])))
        content = content_from((60, 45), policy, masks=[mask])
        size = tuple(rng.integers(6, 30, 2).tolist())
        demand, domain = demand_of(content, policy, size, size), domain_of((0, 0, 45, 60), size)
        total = mask.sum()
        expected = {
            (x, y)
            for x, y, x1, y1 in oracle.windows((0, 0, 45, 60), size)
            if mask[y:y1, x:x1].sum() >= (policy.limit_of(None) - 1e-6) * total
        }
        bounds = rectangle(demand, size, domain)
        found = positions_of(feasible(demand, size, bounds)) if bounds else set()
        assert found == expected
        assert positions_of(feasible(demand, size, domain)) == expected
