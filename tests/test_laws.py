"""Hosts that do not draw positions uniformly: what a draw that fails does instead, against enumeration."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from safeaug import Policy, RetentionError, Stage, Status
from safeaug.candidates import Law
from safeaug.content import content_of
from safeaug.geometry import size_of, window_at
from safeaug.objects import content_from
from safeaug.search import search
from tests import oracle
from tests.hosts import ToyHost
from tests.oracle import Thing
from tests.statistics import assert_law
from tests.strategies import given_as, mixed_worlds

LOOSE, TIGHT = 1 + 1e-6, 1 - 1e-6
FEWER = settings(max_examples=150)
FAILS = ("most", "skip", "raise")


def no_chance(purpose):
    """Streams of a law that draws nothing."""
    raise AssertionError(f"stream {purpose} was asked for")


def streams_of(seed):
    rng = random.Random(seed)
    return lambda _: rng.random


def prepared(world):
    """Content, and what the oracle knows of the same things, without those outside the image."""
    image_size, things, policy, size = world
    content = content_from(image_size, policy, **given_as(things))
    assume(content.boxes)
    judged = [oracle.known(thing, image_size) for thing in things]
    return content, [judged[i] for i in content.origin], policy, size


def passing(things, windows, policy, output_of):
    """The windows that do, by the oracle; an example with a tie that floating point cannot decide is passed over."""
    limits = [policy.limit_of(None)] * len(things)

    def those(ease):
        return [
            window
            for window in windows
            if oracle.does(things, window, limits, policy, output_of(size_of(window)), ease)
        ]

    loose = those(LOOSE)
    if loose != those(TIGHT):
        reject()
    return loose


def keeping_most(things, windows, policy, output):
    """The windows that keep the most objects; where none keeps any, those that lose least."""
    limits, weights = [policy.limit_of(None)] * len(things), [1.0] * len(things)
    for window in windows:
        loose = oracle.weight_kept(things, window, limits, weights, policy, output, LOOSE)
        assume(loose == oracle.weight_kept(things, window, limits, weights, policy, output, TIGHT))
    best, most = oracle.heaviest(things, windows, limits, weights, policy, output)
    if best > 0:
        return most
    assume(oracle.ties_are_clear(things, windows))
    return oracle.lost_least(things, windows)


def run(first, toy, content, policy, streams, seed=0):
    try:
        return search(first, toy.host(random.Random(seed)), content, policy, streams)
    except RetentionError as error:
        return error


def unmet(found, policy, first):
    """The window of a draw that is UNMET; None where ``on_fail`` leaves the transform out."""
    if policy.on_fail == "skip":
        assert found[:2] == (first, Status.SKIPPED)
        return None
    if policy.on_fail == "raise":
        assert isinstance(found, RetentionError)
        assert found.outcome.status is Status.UNMET
        return tuple(found.outcome.view.window.tolist())
    assert found.status is Status.UNMET
    return found.window


# One fixed window


@FEWER
@given(mixed_worlds(on_fail=FAILS), st.none() | st.tuples(st.integers(1, 20), st.integers(1, 20)), st.data())
def test_a_fixed_window_moves_by_the_least_distance(world, output, data):
    content, things, policy, size = prepared(world)
    toy = ToyHost(world[0], (size,), (1.0,), output, enlarges=False, redraws=False, law=Law.NEAREST)
    everything = list(oracle.windows(toy.frame, size))
    first = data.draw(st.sampled_from(everything))
    good = passing(things, everything, policy, lambda _: output or size)
    found = run(first, toy, content, policy, no_chance)
    if first in good:
        assert found == (first, Status.FIRST, Stage.DRAWN, 1)
    elif good:
        at = oracle.nearest(first[:2], [window[:2] for window in good])
        assert found == (window_at(*at, size), Status.MOVED, Stage.DRAWN, 1)
    else:
        window = unmet(found, policy, first)
        if window is not None:
            most = keeping_most(things, everything, policy, output or size)
            assert window[:2] == oracle.nearest(first[:2], [each[:2] for each in most])


@pytest.mark.parametrize(
    "boxes, at",
    [
        ([(0, 0, 3, 10), (7, 0, 10, 10)], (2, 4)),  # left before right, two pixels away
        ([(0, 0, 10, 3), (0, 7, 10, 10)], (4, 2)),  # up before down
        ([(0, 0, 3, 10), (0, 7, 10, 10)], (2, 4)),  # left before down
        ([(7, 0, 10, 10), (0, 0, 10, 3)], (4, 2)),  # up before right
        ([(3, 0, 4, 3), (6, 0, 7, 3), (3, 7, 4, 10), (6, 7, 7, 10)], (3, 2)),  # diagonally: up, then left
    ],
)
def test_ties_go_up_then_left(boxes, at):
    policy = Policy(min_retention=0.05, keep="any")
    content = content_of(boxes, (10, 10), policy)
    toy = ToyHost((10, 10), ((2, 2),), (1.0,), enlarges=False, law=Law.NEAREST)
    things = [oracle.known(Thing("box", box), (10, 10)) for box in boxes]
    good = passing(things, list(oracle.windows(toy.frame, (2, 2))), policy, lambda size: size)
    first = (4, 4, 6, 6)
    distances = Counter((w[0] - 4) ** 2 + (w[1] - 4) ** 2 for w in good)
    assert first not in good
    assert distances[min(distances)] > 1  # a tie, or this would show nothing
    assert run(first, toy, content, policy, no_chance).window[:2] == at


# Parts of a resize


def parts(whole, things, everything_needed, policy, output):
    """The sizes from the whole image down to the tightest around all objects, then around each alone."""
    ends = [oracle.around([one.bounds() for one in things])]
    if not everything_needed:
        alone = sorted(things, key=lambda one: -box_area(one))
        ends += [one.bounds() for one in alone[:8]]
    for end in ends:
        height, width = (max(side, 1) for side in size_of(end))
        for step in range(1, 17):
            size = (
                round(whole[0] + (height - whole[0]) * step / 16),
                round(whole[1] + (width - whole[1]) * step / 16),
            )
            yield size if policy.max_stretch is None else legal(size, whole, output, policy.max_stretch)


def box_area(one):
    if one.thing.kind == "keypoints":
        seen = oracle.visible_points(one.thing.data, one.image_size)
        x, y = zip(*seen, strict=True)
        return (int(max(x)) + 1 - min(x)) * (int(max(y)) + 1 - min(y))
    x0, y0, x1, y1 = one.bounds() if one.thing.kind == "mask" else oracle.clipped(one.thing.data, one.image_size)
    return (x1 - x0) * (y1 - y0)


def legal(size, whole, output, most):
    """The size with its too short side grown, inside the image, and then its long side cut, until it is legal."""
    height, width = size

    def too_high():
        return (output[1] / width) / (output[0] / height) > most * (1 + 1e-12)

    def too_wide():
        return (output[0] / height) / (output[1] / width) > most * (1 + 1e-12)

    if too_high():
        while too_high() and width < whole[1]:
            width += 1
        while too_high() and height > 1:
            height -= 1
    else:
        while too_wide() and height < whole[0]:
            height += 1
        while too_wide() and width > 1:
            width -= 1
    return height, width


@FEWER
@given(
    mixed_worlds(side=16, kinds=("box", "mask", "keypoints"), on_fail=("most", "enlarge", "raise", "skip")),
    st.tuples(st.integers(1, 16), st.integers(1, 16)),
)
def test_a_resize_takes_the_largest_part_of_its_list_that_does(world, output):
    content, things, policy, _ = prepared(world)
    whole = world[0]
    assume(all(one.whole > 1e-4 for one in things))
    toy = ToyHost(whole, (whole,), (1.0,), output, enlarges=True, redraws=False, law=Law.NEAREST)
    first = toy.frame
    found = run(first, toy, content, policy, no_chance)
    needs_all = policy.keep == "all" or (isinstance(policy.keep, int) and policy.keep >= len(things))
    sizes = [whole]
    if policy.on_fail == "enlarge" or policy.min_visible_pixels is not None:
        sizes += parts(whole, things, needs_all, policy, output)
    for size in sizes:
        good = passing(things, list(oracle.windows(toy.frame, size)), policy, lambda _: output)
        if good:
            centre = (whole[1] - size[1]) // 2, (whole[0] - size[0]) // 2
            if size != whole:  # none is cut that need not be
                x0, y0, x1, y1 = oracle.around([one.bounds() for one in things])
                uncut = [w for w in good if w[0] <= x0 and w[1] <= y0 and x1 <= w[2] and y1 <= w[3]]
                good = uncut or good
            window = window_at(*oracle.nearest(centre, [each[:2] for each in good]), size)
            stage = Stage.DRAWN if size == whole else Stage.LADDER
            status = Status.FIRST if size == whole else Status.RESIZED
            assert found == (window, status, stage, 1)
            return
    window = unmet(found, policy, first)
    assert window in {None, first}


def test_a_stretched_resize_takes_a_part_that_is_legal():
    toy = ToyHost((40, 10), ((40, 10),), (1.0,), (8, 8), redraws=False, law=Law.NEAREST)
    content = content_of([(2, 30, 8, 36)], (40, 10), Policy())
    whole = (0, 0, 10, 40)
    assert run(whole, toy, content, Policy(max_stretch=1.2), no_chance).status is Status.UNMET
    assert run(whole, toy, content, Policy(max_stretch=4.0), no_chance).status is Status.FIRST
    policy = Policy(max_stretch=1.2, on_fail="enlarge")
    found = run(whole, toy, content, policy, no_chance)
    assert found.status is Status.RESIZED
    assert size_of(found.window) == (12, 10)  # all that a width of 10 allows
    assert oracle.shared((2, 30, 8, 36), found.window) >= 18
    # A flat object, (2, 8): the part around it grows to a legal height.
    flat = content_of([(1, 30, 9, 32)], (40, 10), Policy())
    found = run(whole, toy, flat, policy, no_chance)
    assert found.status is Status.RESIZED
    assert size_of(found.window) == (12, 10)
    # A tall one, that no legal part holds whole: a third of it is asked for, and twelve rows hold that.
    tall = content_of([(2, 5, 8, 35)], (40, 10), Policy(min_retention=0.3))
    found = run(whole, toy, tall, Policy(min_retention=0.3, max_stretch=1.2, on_fail="enlarge"), no_chance)
    assert found.status is Status.RESIZED


def test_a_picture_too_thin_for_any_legal_part():
    # One pixel wide, and eight to be made of it: whatever its height, that is stretched by eight at least.
    toy = ToyHost((40, 1), ((40, 1),), (1.0,), (1, 8), redraws=False, law=Law.NEAREST)
    content = content_of([(0, 10, 1, 20)], (40, 1), Policy())
    policy = Policy(max_stretch=1.2, on_fail="enlarge")
    assert run((0, 0, 1, 40), toy, content, policy, no_chance).status is Status.UNMET


def test_where_one_object_suffices_it_is_shown_alone():
    # Two far objects of 16 pixels each: a part with both shows too few pixels of either, so one is shown alone.
    boxes = [(0, 0, 4, 4), (60, 60, 64, 65)]
    toy = ToyHost((64, 64), ((64, 64),), (1.0,), (16, 16), redraws=False, law=Law.NEAREST)
    whole = (0, 0, 64, 64)
    for keep, status in (("all", Status.UNMET), (2, Status.UNMET), ("any", Status.RESIZED), (1, Status.RESIZED)):
        policy = Policy(keep=keep, min_visible_pixels=60)
        found = run(whole, toy, content_of(boxes, (64, 64), policy), policy, no_chance)
        assert found.status is status
        if status is Status.RESIZED:
            height, width = size_of(found.window)
            assert max(oracle.shared(box, found.window) for box in boxes) * 256 / (height * width) >= 60 - 1e-3


def test_a_keypoint_on_an_edge_is_held_by_the_tightest_part():
    # The window [2, 5) does not hold x = 5: the tightest part around 2 ... 5 is four pixels wide.
    policy = Policy(min_retention=1.0, min_visible_pixels=3)
    given_objects = {"keypoints": [[(2, 2), (5, 5)]], "boxes": [[3, 3, 4, 4]]}
    content = content_from((8, 8), policy, **given_objects)
    toy = ToyHost((8, 8), ((8, 8),), (1.0,), (7, 7), redraws=False, law=Law.NEAREST)
    found = run((0, 0, 8, 8), toy, content, policy, no_chance)
    assert found[:3] == ((2, 2, 6, 6), Status.RESIZED, Stage.LADDER)  # 49 / 16 > 3, and 49 / 25 < 3


# A promise of the host's own


class Promise:
    """Windows that hold a given pixel: what a toy host promises by itself."""

    def __init__(self, image_size, pixel):
        self.image_size, self.pixel = image_size, pixel

    def __call__(self, size):
        x, y = np.arange(self.image_size[1] - size[1] + 1), np.arange(self.image_size[0] - size[0] + 1)
        wide = (x <= self.pixel[0]) & (self.pixel[0] < x + size[1])
        high = (y <= self.pixel[1]) & (self.pixel[1] < y + size[0])
        return wide[:, None] & high

    def holds(self, window):
        x, y = self.pixel
        return window[0] <= x < window[2] and window[1] <= y < window[3]


@FEWER
@given(mixed_worlds(on_fail=("most", "enlarge", "skip", "raise")), st.data(), st.integers(0, 2**20))
def test_a_host_with_a_promise_of_its_own_keeps_both(world, data, seed):
    content, things, policy, size = prepared(world)
    image_size = world[0]
    other = data.draw(st.tuples(st.integers(1, image_size[0]), st.integers(1, image_size[1])))
    pixel = data.draw(st.tuples(st.integers(0, image_size[1] - 1), st.integers(0, image_size[0] - 1)))
    promise = Promise(image_size, pixel)
    enlarges, redraws = data.draw(st.booleans()), data.draw(st.booleans())
    sizes = tuple({size, other})
    toy = ToyHost(image_size, sizes, (1.0,) * len(sizes), None, enlarges, redraws, Law.OWN, promise)
    first = toy.draw(random.Random(seed))
    size = size_of(first)
    own = {each: [w for w in oracle.windows(toy.frame, each) if promise.holds(w)] for each in sizes}
    good = {each: passing(things, own[each], policy, lambda s: s) for each in sizes}
    found = run(first, toy, content, policy, streams_of(seed), seed)
    if first in good[size]:
        assert found == (first, Status.FIRST, Stage.DRAWN, 1)
        return
    rng = random.Random(seed)
    redrawn = [toy.draw(rng) for _ in range(policy.tries if redraws else 0)]
    passed = [(number, window) for number, window in enumerate(redrawn, start=1) if window in good[size_of(window)]]
    if passed:
        number, window = passed[0]
        status = Status.MOVED if size_of(window) == size else Status.RESIZED
        assert found == (window, status, Stage.REDRAW, number + 1)
    elif any(good[size_of(window)] for window in [first, *redrawn]):
        assert found.window in good[size_of(found.window)]
        assert found.draws == len(redrawn) + 1
        assert found.stage <= Stage.REDRAW
    elif any(good.values()):  # a size of the lattice
        assert found.window in good[size_of(found.window)]
        assert found.stage is Stage.LATTICE
    elif getattr(found, "stage", None) is Stage.LADDER:
        assert policy.on_fail == "enlarge"
        assert promise.holds(found.window)
        assert found.window in passing(things, [found.window], policy, lambda s: s)
    else:
        policy_of = policy if policy.on_fail != "enlarge" else Policy(**{**policy.to_dict(), "on_fail": "most"})
        window = unmet(found, policy_of, first)
        if window is not None:
            most = keeping_most(things, own[size], policy, size)
            assert window in most
            assert first not in most or window == first


@pytest.mark.parametrize("tries", [0, 3])
def test_it_is_uniform_on_what_both_allow(tries):
    promise, policy = Promise((9, 9), (4, 4)), Policy(min_retention=0.5, tries=tries)
    boxes, size = [(1, 2, 4, 6)], (4, 4)
    toy = ToyHost((9, 9), (size,), (1.0,), law=Law.OWN, allowed=promise)
    content = content_of(boxes, (9, 9), policy)
    things = [oracle.known(Thing("box", box), (9, 9)) for box in boxes]
    own = [window for window in oracle.windows(toy.frame, size) if promise.holds(window)]
    good = passing(things, own, policy, lambda s: s)
    assert 5 < len(good) < len(own)
    first = next(window for window in own if window not in good)
    rng = random.Random(tries)
    host, stages = toy.host(rng), Counter()
    counts = Counter()
    for _ in range(12_000):
        found = search(first, host, content, policy, lambda _: rng.random)
        counts[found.window] += 1
        stages[found.stage] += 1
    assert_law(counts, dict.fromkeys(good, 1 / len(good)))
    assert (stages[Stage.REDRAW] > 0) == (tries > 0)
    assert stages[Stage.DRAWN] > 0


def test_unmet_it_is_uniform_on_the_windows_of_its_promise_that_keep_most():
    promise, policy = Promise((12, 12), (6, 6)), Policy(min_retention=1.0, tries=1)
    boxes, size = [(0, 0, 3, 3), (6, 7, 8, 8), (8, 6, 9, 7)], (5, 5)
    toy = ToyHost((12, 12), (size,), (1.0,), law=Law.OWN, allowed=promise)
    content = content_of(boxes, (12, 12), policy)
    things = [oracle.known(Thing("box", box), (12, 12)) for box in boxes]
    own = [window for window in oracle.windows(toy.frame, size) if promise.holds(window)]
    best, most = oracle.heaviest(things, own, [1.0] * 3, [1.0] * 3, policy, size)
    assert best == 2
    assert 3 < len(most) < len(own)
    first = next(window for window in own if window not in most)
    rng = random.Random(5)
    counts = Counter()
    for _ in range(12_000):
        found = search(first, toy.host(rng), content, policy, lambda _: rng.random)
        assert found.status is Status.UNMET
        counts[found.window] += 1
    assert_law(counts, dict.fromkeys(most, 1 / len(most)))
    assert search(most[0], toy.host(rng), content, policy, no_chance).window == most[0]


# Sides that are drawn one by one


@FEWER
@given(mixed_worlds(kinds=("box", "mask", "keypoints"), on_fail=FAILS), st.data(), st.integers(0, 2**20))
def test_sides_are_drawn_anew_then_moved_out(world, data, seed):
    content, things, policy, size = prepared(world)
    image_size = world[0]
    other = data.draw(st.tuples(st.integers(1, image_size[0]), st.integers(1, image_size[1])))
    redraws = data.draw(st.booleans())
    sizes = tuple({size, other})
    output = data.draw(st.none() | st.just((6, 9)))
    toy = ToyHost(image_size, sizes, (1.0,) * len(sizes), output, True, redraws, law=Law.CLAMPED)
    first = toy.draw(random.Random(seed))
    rng = random.Random(seed)
    redrawn = [toy.draw(rng) for _ in range(policy.tries if redraws else 0)]
    out = oracle.around([first, *(one.bounds() for one in things)])
    assert oracle.around([out, toy.frame]) == toy.frame  # never beyond the image
    good = passing(things, [first, *redrawn, out], policy, lambda s: output or s)
    found = run(first, toy, content, policy, no_chance, seed)
    for number, window in enumerate([first, *redrawn, out]):
        if window in good:
            status = Status.MOVED if size_of(window) == size_of(first) else Status.RESIZED
            stage = Stage.REDRAW if number <= len(redrawn) else Stage.LADDER
            if number == 0:
                status, stage = Status.FIRST, Stage.DRAWN
            assert found == (window, status, stage, min(number, len(redrawn)) + 1)
            return
    window = unmet(found, policy, first)
    if window is not None:
        limits = [policy.limit_of(None)] * len(things)
        kept = {}
        for each in (first, out):
            asked = things, each, limits, [1.0] * len(things), policy, output or size_of(each)
            kept[each] = oracle.weight_kept(*asked)
            assume(oracle.weight_kept(*asked, LOOSE) == oracle.weight_kept(*asked, TIGHT))
        assert window == (out if kept[out] > kept[first] else first)


@pytest.mark.parametrize(
    "given_objects, first, expected",
    [
        ({"boxes": [[8, 4, 8, 4]]}, (0, 0, 3, 3), (0, 0, 8, 4)),  # a point on the image's edge
        ({"keypoints": [[(5, 5)]]}, (0, 0, 5, 5), (0, 0, 6, 6)),  # a keypoint on the window's edge is outside
        ({"boxes": [[2.5, 1, 6.5, 3]]}, (3, 3, 5, 5), (2, 1, 7, 5)),
        ({"polygons": [[(1, 1), (7, 2), (3, 6.5)]]}, (3, 3, 5, 8), (1, 1, 7, 8)),
    ],
)
def test_sides_are_moved_out_no_further_than_to_the_objects(given_objects, first, expected):
    policy = Policy(min_retention=1.0)
    content = content_from((8, 8), policy, **given_objects)
    toy = ToyHost((8, 8), (size_of(first),), (1.0,), redraws=False, law=Law.CLAMPED)
    assert run(first, toy, content, policy, no_chance)[:3] == (expected, Status.RESIZED, Stage.LADDER)


# Some draws are not guarded


def test_a_share_of_the_draws_is_guarded():
    policy = Policy(min_retention=1.0, apply_rate=0.3)
    content = content_of([(0, 0, 4, 4)], (9, 9), policy)
    toy = ToyHost((9, 9), ((4, 4),), (1.0,))
    rng, counts = random.Random(1), Counter()
    for _ in range(6_000):
        found = search((3, 3, 7, 7), toy.host(rng), content, policy, lambda _: rng.random)
        counts[found.status] += 1
        assert found.window == ((3, 3, 7, 7) if found.status is Status.UNGUARDED else (0, 0, 4, 4))
    assert_law(counts, {Status.UNGUARDED: 0.7, Status.MOVED: 0.3})


@pytest.mark.parametrize("law", Law)
@pytest.mark.parametrize("keep", ["all", "one"])
def test_a_rate_of_zero_guards_nothing_and_of_one_everything(law, keep):
    boxes = [(0, 0, 4, 4)]
    toy = ToyHost((9, 9), ((4, 4),), (1.0,), law=law)
    for seed, first in itertools.product(range(5), [(3, 3, 7, 7), (5, 1, 9, 5)]):
        never = Policy(min_retention=1.0, apply_rate=0.0, keep=keep)
        found = run(first, toy, content_of(boxes, (9, 9), never), never, streams_of(seed), seed)
        assert found == (first, Status.UNGUARDED, Stage.DRAWN, 1)
        always = Policy(min_retention=1.0, apply_rate=1.0, keep=keep)
        found = run(first, toy, content_of(boxes, (9, 9), always), always, streams_of(seed), seed)
        assert found.status in {Status.MOVED, Status.RESIZED}


@pytest.mark.parametrize("uniform, status", [(0.29999, Status.MOVED), (0.3, Status.UNGUARDED), (0.0, Status.MOVED)])
def test_the_rate_is_the_share_below_it(uniform, status):
    policy = Policy(min_retention=1.0, apply_rate=0.3)
    content = content_of([(0, 0, 4, 4)], (9, 9), policy)
    toy = ToyHost((9, 9), ((4, 4),), (1.0,))
    assert run((3, 3, 7, 7), toy, content, policy, lambda _: lambda: uniform).status is status
    empty = run((3, 3, 7, 7), toy, content_of([], (9, 9), policy), policy, no_chance)
    assert empty.status is Status.EMPTY


def test_a_promise_that_allows_no_position_leaves_the_hosts_draw():
    """As a host may have it whose own rounding puts its draw beside what it promises."""
    size, first = (4, 4), (3, 3, 7, 7)
    nowhere = lambda size: np.zeros((9 - size[1] + 1, 9 - size[0] + 1), bool)  # noqa: E731
    toy = ToyHost((9, 9), (size,), (1.0,), law=Law.OWN, allowed=nowhere, redraws=False)
    content = content_of([(0, 0, 2, 2)], (9, 9), Policy())
    found = run(first, toy, content, Policy(), lambda _: random.Random(0).random)
    assert found.window == first
    assert found.status is Status.UNMET
