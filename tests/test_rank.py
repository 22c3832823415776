"""Saliency in the core: the rank of windows, and the share of a map they hold, against loops over all positions."""

import itertools
import math
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import safeaug as sa
from safeaug import ContentError, Policy, PolicyError, RetentionError, Stage, Status
from safeaug.candidates import Law
from safeaug.content import content_of_salience
from safeaug.geometry import Domain, domain_of, size_of, window_at
from safeaug.ledger import Mapped, Occluded, Windowed, begin, follow
from safeaug.ledger.visible import cells_of
from safeaug.measures import demand_of, measure, meets, passes, ranked_demands
from safeaug.objects import content_from
from safeaug.placement import feasible, rectangle
from safeaug.records import Demand
from safeaug.search import search
from safeaug.shapes import Salience, ranked_of, salience_of, threshold_within, thresholds_of
from tests.hosts import ToyHost
from tests.rank_oracle import least_of_rank, masses_of, share_of
from tests.statistics import assert_law

RANKS = (0.0, 0.1, 0.25, 0.5, 2 / 3, 0.9, 1.0)
FEWER = settings(max_examples=100)
FEW = settings(max_examples=40)


@st.composite
def maps(draw, least=1, most=12):
    """Small maps of every sort: flat, sparse, of many ties, of any values; finer than the image's pixels too."""
    shape = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    flat = st.just(draw(st.integers(1, 255)))
    values = draw(st.sampled_from([st.integers(0, 255), st.integers(0, 2), st.sampled_from([0] * 9 + [200]), flat]))
    cells = np.array([[draw(values) for _ in range(shape[1])] for _ in range(shape[0])], np.uint8)
    if not cells.any():
        cells[draw(st.integers(0, shape[0] - 1)), draw(st.integers(0, shape[1] - 1))] = 1
    return Salience(cells, (draw(st.integers(least, most)), draw(st.integers(least, most))))


@st.composite
def worlds(draw):
    """A map, a size and the positions of a host: inside the image, in a padded one, or some of these."""
    salience = draw(maps())
    (height, width), pad = salience.image_size, draw(st.sampled_from([0, 0, 1, 5]))
    size = draw(st.integers(1, height + 2 * pad)), draw(st.integers(1, width + 2 * pad))
    domain = domain_of((-pad, -pad, width + pad, height + pad), size)
    if draw(st.booleans()):
        x0, x1 = sorted(draw(st.integers(domain.x0, domain.x1)) for _ in range(2))
        domain = domain._replace(x0=x0, x1=x1)
    return salience, size, domain


def asked(salience, size, domain, rank=0.5):
    """What a window must hold, as the search asks it."""
    content = content_of_salience(salience, salience.image_size, Policy(min_rank=rank))
    return ranked_demands([content], Policy(min_rank=rank), [size], [domain])[0]


# The rule.


@given(worlds(), st.data())
@settings(max_examples=200)
def test_windows_hold_what_loops_find_and_rank_as_the_rule_says(world, data):
    salience, size, domain = world
    masses = masses_of(salience, size, domain)
    (ranked,) = ranked_of([salience], [size], [domain])
    surface = ranked.surface(size, domain)
    assert np.issubdtype(surface.dtype, np.integer)
    assert {(x, y): surface[x - domain.x0, y - domain.y0] for x, y in masses} == masses
    assert all(ranked.inside(window_at(x, y, size)) == mass for (x, y), mass in masses.items())
    for rank in RANKS:
        least = least_of_rank(masses.values(), rank)
        assert thresholds_of([ranked], rank) == [least]
        demand = asked(salience, size, domain, rank)
        assert [passes(demand, window_at(x, y, size)) for x, y in masses] == [each >= least for each in masses.values()]
    within = np.array(data.draw(st.lists(st.booleans(), min_size=len(masses), max_size=len(masses))))
    some = [mass for mass, kept in zip(masses.values(), within, strict=True) if kept]
    found = threshold_within(ranked, 0.5, within.reshape(surface.shape))
    assert found == (least_of_rank(some, 0.5) if some else 0.0)


@given(st.lists(worlds(), min_size=1, max_size=6), st.sampled_from(RANKS))
@FEW
def test_many_maps_at_once_are_as_one_by_one(many, rank):
    together = ranked_of(*zip(*many, strict=True))
    alone = [ranked_of([salience], [size], [domain])[0] for salience, size, domain in many]
    for one, other in zip(together, alone, strict=True):
        assert one.masses.tolist() == other.masses.tolist()
        assert one.columns.tolist() == other.columns.tolist()
        assert one.rows.tolist() == other.rows.tolist()
    assert thresholds_of(together, rank) == [thresholds_of([each], rank)[0] for each in alone]


@pytest.mark.parametrize("length, count", [(300_000, 40), (9_000_000, 1)])
def test_masses_are_exact_where_narrow_numbers_run_over(length, count):
    """All maps together hold more than 32 bits do, and in the second case so does one window."""
    maps = [Salience(np.array([[255, 254 - i]], np.uint8), (1, 2)) for i in range(count)]
    domain = Domain(-length // 2, -length // 2, 0, 0)
    ranked = ranked_of(maps, [(1, length)] * count, [domain] * count)
    held = [255 + (254 - i) * (length - 1) for i in range(count)]  # the map, and its least cell around it
    assert sum(held) > 2**31
    assert [each.masses.tolist() for each in ranked] == [[[mass]] for mass in held]
    assert thresholds_of(ranked, 0.5) == held


@given(worlds(), st.sampled_from(RANKS), st.integers(-3, 15), st.integers(-3, 15))
@FEWER
def test_positions_are_those_that_pass(world, rank, at_x, at_y):
    salience, size, domain = world
    masses, demand = masses_of(salience, size, domain), asked(salience, size, domain, rank)
    good = {at for at, mass in masses.items() if mass >= demand.needs[0]}
    bounds = rectangle(demand, size, domain)
    assert bounds is not None, "some window always does"
    assert all(bounds.x0 <= x <= bounds.x1 and bounds.y0 <= y <= bounds.y1 for x, y in good)
    found = feasible(demand, size, bounds)
    assert found.size == len(good)
    around = itertools.product(range(domain.x0 - 1, domain.x1 + 2), range(domain.y0 - 1, domain.y1 + 2))
    assert {at for at in around if found.holds(*at)} == good
    nearest = min(good, key=lambda at: ((at[0] - at_x) ** 2 + (at[1] - at_y) ** 2, at[1] - at_y, at[0] - at_x))
    assert found.nearest(at_x, at_y) == nearest
    # Columns by their count, rows evenly: numbers that are spread evenly meet each position as often.
    counts, heights = Counter(), Counter(x for x, _ in good)
    for u in ((place + 0.5) / len(good) for place in range(len(good))):
        high = heights[found.draw(u, 0.0)[0]]
        counts.update(found.draw(u, (row + 0.5) / high) for row in range(high))
    assert counts == {(x, y): heights[x] for x, y in good}


def test_a_small_blob_on_nothing_does_not_let_every_window_pass():
    cells = np.zeros((16, 16), np.uint8)
    cells[2:4, 12:14] = 200
    salience, size, domain = Salience(cells, (40, 40)), (12, 12), Domain(0, 28, 0, 28)
    masses = np.array(list(masses_of(salience, size, domain).values()))
    assert (masses == 0).mean() > 0.5
    demand = asked(salience, size, domain, 0.5)
    assert demand.needs[0] == masses[masses > 0].min()
    assert feasible(demand, size, domain).size == (masses > 0).sum()


def test_equals_are_never_parted_and_the_best_always_do():
    """A third of the windows hold 2, half 1, the rest 0, of a strip whose windows are single cells."""
    strip = Salience(np.array([[0, 2, 1, 1, 2, 1]], np.uint8), (4, 6))
    domain = Domain(0, 5, 0, 0)
    needs = {rank: asked(strip, (4, 1), domain, rank).needs[0] for rank in (0.0, 0.1, 1 / 6, 0.5, 2 / 3, 0.7, 1.0)}
    assert needs == {0.0: 0, 0.1: 1, 1 / 6: 1, 0.5: 2, 2 / 3: 2, 0.7: 2, 1.0: 2}


def no_chance(purpose):
    """Streams of a draw that keeps the host's window."""
    raise AssertionError(f"stream {purpose} was asked for")


@pytest.mark.parametrize("pad", [0, 6])
@pytest.mark.parametrize("rank", RANKS)
def test_a_flat_map_leaves_every_draw_alone(rank, pad):
    content = content_of_salience(Salience(np.full((5, 7), 9, np.uint8), (20, 30)), (20, 30), Policy(min_rank=rank))
    frame, size = (-pad, -pad, 30 + pad, 20 + pad), (8, 11)
    host = ToyHost((20, 30), (size,), (1.0,)).host(random.Random(0))
    wide = Padded(host, frame)
    domain = domain_of(frame, size)
    for x, y in itertools.product(range(domain.x0, domain.x1 + 1), range(domain.y0, domain.y1 + 1)):
        first = window_at(x, y, size)
        assert search(first, wide, content, Policy(min_rank=rank), no_chance) == (first, Status.FIRST, Stage.DRAWN, 1)


class Padded:
    """A toy host that places windows in a frame of its own."""

    def __init__(self, host, frame):
        self.host, self.frame = host, frame

    def __getattr__(self, name):
        return getattr(self.host, name)

    def domain(self, size):
        return domain_of(self.frame, size)


BLOBS = np.zeros((8, 8), np.uint8)
BLOBS[1:3, 5:7], BLOBS[6, 1], BLOBS[4:, 4:] = 9, 40, 1


@pytest.mark.parametrize("rank", [0.3, 0.5, 0.95])
def test_draws_are_uniform_on_the_windows_of_rank(rank):
    """The host is uniform, a draw that ranks stands, all others are uniform on those that do: so all are."""
    salience, size, policy = Salience(BLOBS, (18, 22)), (7, 6), Policy(min_rank=rank)
    content, toy = content_of_salience(salience, (18, 22), policy), ToyHost((18, 22), (size,), (1.0,))
    domain = domain_of(toy.frame, size)
    masses = masses_of(salience, size, domain)
    good = [at for at, mass in masses.items() if mass >= least_of_rank(masses.values(), rank)]
    assert 1 < len(good) < len(masses)
    rng, counts, ends = random.Random(1), Counter(), Counter()
    demand = asked(salience, size, domain, rank)
    for _ in range(20_000):
        host = toy.host(rng)
        found = search(toy.draw(rng), host, content, policy, lambda _: rng.random, demand)
        counts[found.window[:2]] += 1
        ends[found.status] += 1
    assert_law(counts, dict.fromkeys(good, 1 / len(good)))
    assert set(ends) == {Status.FIRST, Status.MOVED}


def test_where_blind_tries_fail_the_exact_set_is_drawn_from_and_as_uniformly():
    """One position in 130 does: all but a twentieth of the draws end in the count."""
    cells = np.zeros((16, 16), np.uint8)
    cells[3, 12] = 90
    salience, size, policy = Salience(cells, (60, 60)), (4, 4), Policy(min_rank=0.5)
    content, toy = content_of_salience(salience, (60, 60), policy), ToyHost((60, 60), (size,), (1.0,))
    domain = domain_of(toy.frame, size)
    good = [at for at, mass in masses_of(salience, size, domain).items() if mass]
    assert len(good) < domain.size / 130
    rng, counts, demand = random.Random(2), Counter(), asked(salience, size, domain)
    for _ in range(8_000):
        found = search(toy.draw(rng), toy.host(rng), content, policy, lambda _: rng.random, demand)
        counts[found.window[:2]] += 1
    assert_law(counts, dict.fromkeys(good, 1 / len(good)))


def test_no_window_falls_below_its_rank_in_many_draws():
    rng, numbers, drawn = random.Random(3), np.random.default_rng(3), 0
    ends = Counter()
    for _ in range(20):
        size = rng.randint(3, 20), rng.randint(3, 20)
        cells = numbers.integers(0, 255, (rng.randint(2, 12), rng.randint(2, 12)), np.uint8)
        cells[numbers.random(cells.shape) < rng.random()] = 0
        cells[0, 0] += not cells.any()
        policy = Policy(min_rank=rng.choice([0.2, 0.5, 0.8, 0.97]))
        salience, toy = Salience(cells, (20, 24)), ToyHost((20, 24), (size,), (1.0,))
        content, domain = content_of_salience(salience, (20, 24), policy), domain_of(toy.frame, size)
        masses = masses_of(salience, size, domain)
        least = least_of_rank(masses.values(), policy.min_rank)
        demand = asked(salience, size, domain, policy.min_rank)
        for _ in range(5_000):
            found = search(toy.draw(rng), toy.host(rng), content, policy, lambda _: rng.random, demand)
            ends[found.status] += 1
            drawn += 1
            assert masses[found.window[:2]] >= least
    assert drawn == 100_000
    assert set(ends) == {Status.FIRST, Status.MOVED}


# Hosts of other laws, and what else a policy says.


@given(worlds(), st.sampled_from(RANKS), st.data())
@FEWER
def test_a_fixed_window_goes_to_the_nearest_of_rank(world, rank, data):
    salience, size, _ = world
    size = min(size[0], salience.image_size[0]), min(size[1], salience.image_size[1])
    policy = Policy(min_rank=rank)
    content = content_of_salience(salience, salience.image_size, policy)
    toy = ToyHost(salience.image_size, (size,), (1.0,), law=Law.NEAREST, redraws=False)
    domain = domain_of(toy.frame, size)
    masses = masses_of(salience, size, domain)
    x, y = data.draw(st.integers(domain.x0, domain.x1)), data.draw(st.integers(domain.y0, domain.y1))
    found = search(window_at(x, y, size), toy.host(random.Random(0)), content, policy, no_chance)
    good = [at for at, mass in masses.items() if mass >= least_of_rank(masses.values(), rank)]
    nearest = min(good, key=lambda at: ((at[0] - x) ** 2 + (at[1] - y) ** 2, at[1] - y, at[0] - x))
    assert found.window[:2] == nearest
    assert found.status is (Status.FIRST if nearest == (x, y) else Status.MOVED)


def test_a_host_with_a_promise_of_its_own_is_ranked_within_it():
    """Windows of rank among those that the host allows, not among all, of which none may be allowed."""
    rising = np.add.outer(np.arange(8), np.arange(8)).astype(np.uint8)
    salience, size, policy = Salience(rising, (18, 22)), (7, 6), Policy(min_rank=0.5, tries=2)
    content = content_of_salience(salience, (18, 22), policy)
    domain = domain_of((0, 0, 22, 18), size)
    allowed = np.zeros((domain.x1 + 1, domain.y1 + 1), bool)
    allowed[:6, :5] = True
    toy = ToyHost((18, 22), (size,), (1.0,), law=Law.OWN, allowed=lambda _: allowed)
    masses = {at: mass for at, mass in masses_of(salience, size, domain).items() if allowed[at]}
    good = [at for at, mass in masses.items() if mass >= least_of_rank(masses.values(), 0.5)]
    everywhere = masses_of(salience, size, domain)
    assert max(masses.values()) < least_of_rank(everywhere.values(), 0.5)
    rng, counts = random.Random(4), Counter()
    for _ in range(1_000):
        found = search(toy.draw(rng), toy.host(rng), content, policy, lambda _: rng.random)
        assert found.status in {Status.FIRST, Status.MOVED}
        counts[found.window[:2]] += 1
    assert set(counts) == set(good)


def test_a_host_that_allows_no_position_keeps_its_draw():
    policy = Policy(min_rank=0.5)
    content = content_of_salience(Salience(BLOBS, (18, 22)), (18, 22), policy)
    toy = ToyHost((18, 22), ((7, 6),), (1.0,), law=Law.OWN, allowed=lambda _: np.zeros((17, 12), bool))
    first = window_at(0, 0, (7, 6))
    assert search(first, toy.host(random.Random(0)), content, policy, no_chance).status is Status.FIRST


@pytest.mark.parametrize("sampling", ["keep_scale", "joint"])
def test_each_size_has_a_rank_of_its_own(sampling):
    """Jointly draws are redrawn until one ranks; else the drawn size stands. Either way each ranks among its own."""
    policy, sizes = Policy(min_rank=0.5, sampling=sampling, tries=3), ((7, 6), (14, 14), (18, 22))
    salience = Salience(BLOBS, (18, 22))
    content = content_of_salience(salience, (18, 22), policy)
    toy = ToyHost((18, 22), sizes, (0.4, 0.4, 0.2))
    masses = {size: masses_of(salience, size, domain_of(toy.frame, size)) for size in sizes}
    least = {size: least_of_rank(each.values(), 0.5) for size, each in masses.items()}
    rng, ends, drawn = random.Random(5), Counter(), Counter()
    for _ in range(1_500):
        first = toy.draw(rng)
        found = search(first, toy.host(rng), content, policy, lambda _: rng.random)
        size = size_of(found.window)
        assert masses[size][found.window[:2]] >= least[size]
        ends[found.status] += 1
        drawn[size == size_of(first)] += 1
    if sampling == "keep_scale":
        assert drawn[False] == 0
        assert set(ends) == {Status.FIRST, Status.MOVED}
    else:
        assert {Status.FIRST, Status.MOVED, Status.RESIZED} == set(ends)


def test_only_a_size_that_is_stretched_too_much_is_left():
    salience = Salience(BLOBS, (18, 22))
    content = content_of_salience(salience, (18, 22), Policy())
    square = ToyHost((18, 22), ((4, 16), (8, 8)), (0.5, 0.5), output=(8, 8), enlarges=False)
    first, chance, policy = window_at(0, 0, (4, 16)), random.Random(0), Policy(max_stretch=1.5)
    found = search(first, square.host(chance), content, policy, lambda _: chance.random)
    assert (found.status, size_of(found.window)) == (Status.RESIZED, (8, 8))
    flat = square._replace(sizes=((4, 16),), shares=(1.0,))
    unmet = search(first, flat.host(chance), content, policy, lambda _: chance.random)
    assert unmet.status is Status.UNMET
    assert meets(content, Policy(), unmet.window, (4, 16)), "of the size that is left it is one of rank still"
    with pytest.raises(RetentionError, match=r"with min_rank=0\.5, max_stretch=1\.5 no window"):
        search(first, flat.host(chance), content, replace(policy, on_fail="raise"), lambda _: chance.random)


def test_rules_for_objects_do_not_speak_of_a_map():
    """A preset for objects is as good as none; what is asked is the rank."""
    salience, size = Salience(BLOBS, (18, 22)), (7, 6)
    for policy in (
        Policy.classification(),
        Policy.detection(),
        Policy.small_objects(),
        Policy(min_retention={"cat": 1.0}),
    ):
        content = content_of_salience(salience, (18, 22), policy)
        demand = demand_of(content, policy, size, size)
        assert demand.needs == asked(salience, size, domain_of((0, 0, 22, 18), size)).needs
    with pytest.raises(PolicyError, match="a callable keep sees the retention of objects"):
        content_of_salience(salience, (18, 22), Policy(keep=lambda retention: retention.all(-1)))


def test_a_map_that_is_followed_is_asked_for_its_share_alone():
    asks = {"min_mass": 0.3, "tries": 3, "apply_rate": 0.5, "max_stretch": 2.0, "on_fail": "skip"}
    objects = {"min_retention": {"cat": 1.0}, "keep": "whole", "min_fill": 0.5, "min_visible_pixels": 9}
    policy = Policy(**asks, **objects, ignore_smaller_than=4)
    assert policy.of_salience() == Policy(**asks, min_retention=0.3)
    assert Policy().of_salience() == Policy(min_retention=0.0)
    with pytest.raises(PolicyError, match="a callable keep"):
        Policy(keep=lambda retention: retention.all(-1)).of_salience()


def test_windows_between_pixels_and_without_a_place_are_ranked_too():
    """A traced window need not lie on pixels; a replayed one need not fit its image."""
    salience, policy = Salience(BLOBS, (18, 22)), Policy()
    content = content_of_salience(salience, (18, 22), policy)
    assert meets(content, policy, (12.4, 1.2, 18.6, 7.9), (8, 8))
    assert not meets(content, policy, (0.4, 0.2, 6.6, 6.9), (8, 8))
    assert meets(content, policy, (-4, -5, 30, 25), (8, 8))
    empty = ranked_demands([content], policy, [(20, 30)], [Domain(3, 1, 0, 0)])[0]
    assert rectangle(empty, (20, 30), Domain(3, 1, 0, 0)) is None


# The share.


@given(worlds(), st.data())
@FEWER
def test_a_window_holds_its_exact_share(world, data):
    salience, size, domain = world
    surface = salience.surface(size, domain) / salience.area
    along = [
        salience.along(0, np.arange(domain.x0, domain.x1 + 1), size[1]) / salience.area,
        salience.along(1, np.arange(domain.y0, domain.y1 + 1), size[0]) / salience.area,
    ]
    at = data.draw(st.integers(domain.x0, domain.x1)), data.draw(st.integers(domain.y0, domain.y1))
    share = float(share_of(salience, window_at(*at, size)))
    place = at[0] - domain.x0, at[1] - domain.y0
    assert salience.inside(window_at(*at, size)) / salience.area == pytest.approx(share, abs=1e-12)
    assert surface[place] == pytest.approx(share, abs=1e-12)
    assert min(along[0][place[0]], along[1][place[1]]) >= share - 1e-12
    height, width = salience.image_size
    assert salience.inside((0, 0, width, height)) == salience.area
    assert salience.inside(salience.box) == pytest.approx(salience.area)


@given(worlds(), st.sampled_from([0.0, 0.3, 0.7, 1.0]), st.integers(0, 99))
@FEWER
def test_a_share_is_asked_for_as_of_any_object(world, mass, seed):
    salience, size, _ = world
    size = min(size[0], salience.image_size[0]), min(size[1], salience.image_size[1])
    policy = Policy(min_mass=mass, keep="whole", min_fill=0.1, min_visible_pixels=999)
    content = content_of_salience(salience, salience.image_size, policy)
    toy, rng = ToyHost(salience.image_size, (size,), (1.0,), redraws=False), random.Random(seed)
    toy = toy._replace(enlarges=False)
    first = toy.draw(rng)
    found = search(first, toy.host(rng), content, policy, lambda _: rng.random)
    domain = domain_of(toy.frame, size)
    shares = {
        at: share_of(salience, window_at(*at, size))
        for at in itertools.product(range(domain.x0, domain.x1 + 1), range(domain.y0, domain.y1 + 1))
    }
    share, most = shares[found.window[:2]], max(shares.values())
    if found.status is Status.UNMET:
        assert most < mass
        assert share == pytest.approx(float(most), abs=1e-9)
    else:
        assert share >= mass - 2e-6
        assert (found.status is Status.FIRST) == (shares[first[:2]] >= mass - 1e-6)
    retention = measure(content, policy, found.window).retention
    assert retention.tolist() == [pytest.approx(float(share), abs=1e-9)]


def test_what_cannot_be_met_says_which_share():
    policy, chance = Policy(min_mass=0.9, on_fail="raise"), random.Random(0)
    content = content_of_salience(Salience(BLOBS, (18, 22)), (18, 22), policy)
    toy = ToyHost((18, 22), ((3, 3),), (1.0,), enlarges=False)
    with pytest.raises(RetentionError, match=r"with min_mass=0\.9 no window"):
        search((0, 0, 3, 3), toy.host(chance), content, policy, lambda _: chance.random)


# What is handed over.


def test_bytes_are_kept_and_all_else_is_scaled():
    cells = np.array([[0, 3], [7, 1]], np.uint8)
    assert salience_of(cells, (9, 9)).cells.tolist() == cells.tolist()
    assert salience_of(cells * 0.5, (9, 9)).cells.tolist() == [[0, 109], [255, 36]]
    assert salience_of(cells.astype(np.int64) * 10**12, (9, 9)).cells.tolist() == [[0, 109], [255, 36]]
    assert salience_of([[True, False]], (9, 9)).cells.tolist() == [[255, 0]]
    assert salience_of([[5e-324, 0.0]], (9, 9)).cells.tolist() == [[255, 0]]
    assert salience_of(np.zeros((3, 3), bool), (9, 9)) is None


@pytest.mark.parametrize("shape", [(64, 128), (100, 30), (65, 65)])
def test_a_large_map_is_averaged_down(shape):
    given_map = np.random.default_rng(0).random(shape)
    cells = salience_of(given_map, shape).cells
    assert cells.shape == tuple(min(side, 64) for side in shape)
    fine = given_map.repeat(cells.shape[0], axis=0).repeat(cells.shape[1], axis=1)  # a grid that both divide
    means = fine.reshape(cells.shape[0], shape[0], cells.shape[1], shape[1]).mean(axis=(1, 3))
    assert np.abs(cells - means / means.max() * 255).max() <= 0.5 + 1e-6
    assert (salience_of(np.full(shape, 7), shape).cells == 255).all(), "a flat map stays flat"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([[0.5, -0.1]], r"saliency must be of finite numbers of at least 0, got -0\.1 to 0\.5; where nothing is known"),
        ([[0.5, math.nan]], "saliency must be of finite numbers of at least 0, got nan"),
        ([[0.5, math.inf]], "of finite numbers"),
        (np.zeros((4, 4, 3)), r"saliency must be a map of shape \(h, w\).* got shape \(4, 4, 3\)"),
        (np.zeros((0, 4)), r"got shape \(0, 4\)"),
        ([["much", "little"]], "saliency must be a map of numbers, got list of <U6"),
        (None, "saliency must be a map of numbers, got NoneType of object"),
        ([[1, 2], [3]], "got rows of different lengths"),
    ],
)
def test_what_is_no_map_is_refused(bad, message):
    with pytest.raises(ContentError, match=message):
        salience_of(bad, (9, 9))


def test_a_map_comes_alone():
    for other in ({"boxes": [[0, 0, 2, 2]]}, {"mask": np.ones((9, 9), int)}, {"labels": ["cat"]}):
        with pytest.raises(ContentError, match="a saliency map comes alone"):
            content_from((9, 9), Policy(), saliency=BLOBS, **other)


def test_a_map_of_nothing_is_unguarded():
    content = content_from((18, 22), Policy(), saliency=np.zeros((4, 4)))
    assert content.blank
    first, host = (1, 2, 8, 9), ToyHost((18, 22), ((7, 7),), (1.0,)).host(random.Random(0))
    assert search(first, host, content, Policy(), no_chance).status is Status.UNGUARDED
    assert np.isnan(measure(content, Policy(), first).retention).tolist() == [True]
    with pytest.raises(ContentError, match="there is nothing to protect"):
        search(first, host, content, Policy(on_empty="raise"), no_chance)


@pytest.mark.parametrize("name", ["min_rank", "min_mass"])
def test_the_fields_are_checked(name):
    for value in (-0.1, 1.1, math.nan, "half", True):
        with pytest.raises(PolicyError, match=f"{name} must be"):
            Policy(**{name: value})
    with pytest.raises(PolicyError, match=r"got 60 \(write 0\.6, not 60\)"):
        Policy(**{name: 60})
    policy = Policy(**{name: np.float32(0.5)})
    assert type(getattr(policy, name)) is float
    assert Policy(**policy.to_dict()) == policy


def test_place_takes_a_map():
    rng, cells = np.random.default_rng(0), np.zeros((48, 48))
    cells[10:14, 40:44] = 0.3
    outcomes = [sa.place((480, 640), None, (200, 200), Policy(min_rank=0.8), rng, saliency=cells) for _ in range(300)]
    assert {each.status for each in outcomes} == {Status.FIRST, Status.MOVED}
    assert min(each.retention[0] for each in outcomes) > 0
    held = [sa.place((480, 640), None, (200, 200), Policy(min_mass=0.9), rng, saliency=cells) for _ in range(50)]
    assert min(each.retention[0] for each in held) >= 0.9 - 1e-6


# Through the steps of a pipeline.


@given(maps(2, 30))
@FEWER
def test_a_ledger_follows_a_map_in_cells(salience):
    content = content_of_salience(salience, salience.image_size, Policy())
    ledger, (height, width) = begin(content, salience.image_size), salience.image_size
    assert ledger.left.tolist() == [1.0]
    top = int(salience.cells.max())
    assert np.abs(cells_of(ledger, salience.cells.shape).astype(int) - salience.cells * (255 / top)).max() <= 0.5 + 1e-6
    window = 0, 0, max(width // 2, 1), height
    half = follow(ledger, Windowed(window, (40, 50)))
    assert half.left[0] == pytest.approx(float(share_of(salience, window)))
    flipped = follow(ledger, Mapped(((-1, 0, width), (0, 1, 0), (0, 0, 1)), (height, width)))
    mirrored = cells_of(flipped, salience.cells.shape)
    assert mirrored.tolist() == cells_of(ledger, salience.cells.shape)[:, ::-1].tolist()


def test_what_hides_the_map_leaves_it_dark():
    salience = Salience(BLOBS, (80, 80))
    ledger = begin(content_of_salience(salience, (80, 80), Policy()), (80, 80))
    hidden = follow(ledger, Occluded([(40, 0, 80, 80)]))
    cells = cells_of(hidden, (8, 8))
    assert not cells[:, 4:].any()
    assert cells[6, 1] == 255
    assert hidden.left[0] == pytest.approx(40 / BLOBS.sum())
    nothing = follow(ledger, Windowed((0, 0, 10, 10), (8, 8)))
    assert nothing.left.tolist() == [0.0]
    assert not cells_of(nothing, (8, 8)).any()


def test_a_demand_says_whether_it_ranks():
    salience = Salience(BLOBS, (18, 22))
    ranked = asked(salience, (7, 6), domain_of((0, 0, 22, 18), (7, 6))).ranked
    assert (ranked.box, ranked.area) == (salience.box, salience.area)
    assert (ranked.rim, ranked.solid) == (0.0, False), "no coordinates to be off, no area to fill a window"
    beside = masses_of(salience, (7, 6), Domain(-4, -4, 20, 20))  # what no position of the domain is
    assert ranked.inside(window_at(-4, 20, (7, 6))) == beside[-4, 20]
    assert Demand([(0, 0, 1, 1)], [0.5], None, 1, [1.0], 0.0).ranked is None
