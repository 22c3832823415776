"""A random scale of the whole image, against a fine grid of all scales."""

import random
from collections import Counter
from math import inf, nextafter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from safeaug import ContentError, Policy, RetentionError, Stage, Status
from safeaug.content import content_of, single
from safeaug.geometry import stretch
from safeaug.objects import content_from
from safeaug.scales import Scaling, search_scale
from tests import oracle
from tests.oracle import Thing
from tests.statistics import assert_law
from tests.strategies import given_as, image_sizes, things_in

LOOSE, TIGHT = 1 + 1e-6, 1 - 1e-6


def no_chance(purpose):
    """Streams of a draw that needs none."""
    raise AssertionError(f"stream {purpose} was asked for")


def rounded(image_size):
    """The output sizes of a host that rounds each side."""
    return lambda scale: (max(1, round(image_size[0] * scale)), max(1, round(image_size[1] * scale)))


def host_of(image_size, least=0.2, most=0.9):
    return Scaling(image_size, least, most, rounded(image_size))


def pixels(box, scale, image_size):
    """The pixels of the output that show a box."""
    height, width = rounded(image_size)(scale)
    return oracle.area(box) * height * width / (image_size[0] * image_size[1])


def least_scale(boxes, floor_, host, keep="all", steps=100_000):
    """The least scale of a fine grid at which as many boxes as are asked show the floor."""
    for scale in np.linspace(host.least, host.most, steps + 1).tolist():
        shown = [pixels(box, scale, host.image_size) >= floor_ * (1 - 1e-6) for box in boxes]
        if {"all": all(shown), "any": any(shown)}.get(keep, sum(shown) >= (keep if isinstance(keep, int) else 0)):
            return scale
    return None


@given(image_sizes(12), st.data(), st.floats(0.2, 0.9), st.floats(0, 1, exclude_max=True))
def test_the_scale_that_is_taken_keeps_the_promise_or_none_does(image_size, data, drawn, uniform):
    host = host_of(image_size)
    things = data.draw(things_in(image_size))
    policy = Policy(
        min_retention=data.draw(st.sampled_from([0.0, 0.5, 1.0])),
        keep=data.draw(st.sampled_from(["all", "any", "whole", 1, 2])),
        min_visible_pixels=data.draw(st.floats(0, 40)),
        on_fail=data.draw(st.sampled_from(["most", "enlarge", "skip", "raise"])),
    )
    content = content_from(image_size, policy, **given_as(things))
    judged = [one for one in (oracle.known(thing, image_size) for thing in things) if one]
    assume(judged)

    def does(scale, ease=1.0):
        limits = [policy.limit_of(None)] * len(judged)
        return oracle.does(judged, host.window, limits, policy, host.output(scale), ease)

    grid = [*np.linspace(host.least, 1.0, 60).tolist(), drawn, host.most]
    assume(all(does(scale, LOOSE) == does(scale, TIGHT) for scale in grid))
    if policy.on_fail == "raise" and not does(drawn) and not does(host.most):
        with pytest.raises(RetentionError, match="the promise cannot be met") as caught:
            search_scale(drawn, host, content, policy, lambda _: lambda: uniform)
        assert caught.value.outcome.status is Status.UNMET
        return
    scale, found = search_scale(drawn, host, content, policy, lambda _: lambda: uniform)
    assert found.window == host.window
    if does(drawn):
        assert (scale, found.status, found.stage) == (drawn, Status.FIRST, Stage.DRAWN)
    elif does(host.most):
        assert (found.status, found.stage) == (Status.RESIZED, Stage.REDRAW)
        assert drawn < scale <= host.most
        assert does(scale, LOOSE)
        below = [each for each in grid if each <= host.most and does(each)]
        if uniform == 0:
            assert scale <= min(below)
    elif policy.on_fail == "enlarge" and does(1.0):
        assert (found.status, found.stage) == (Status.RESIZED, Stage.LADDER)
        assert host.most < scale <= 1.0
        assert does(scale, LOOSE)
        steps = [host.most + (1.0 - host.most) * step / 16 for step in range(1, 17)]
        assert scale == pytest.approx(next(step for step in steps if does(step, LOOSE)))
    elif policy.on_fail == "skip":
        assert (scale, found.status) == (drawn, Status.SKIPPED)
    else:
        assert found.status is Status.UNMET
        assert policy.on_fail in {"most", "enlarge"}

        def kept(at):
            limits = [policy.limit_of(None)] * len(judged)
            return oracle.weight_kept(judged, host.window, limits, content.weights, policy, host.output(at))

        assert kept(scale) == kept(host.most)
        if kept(drawn) == kept(host.most):
            assert scale == drawn


BOXES = [(0, 0, 20, 10), (30, 20, 70, 70)]
"""Of 200 and 2000 square pixels, in an image of 80 × 100."""


@pytest.mark.parametrize(
    "keep, floor", [("all", 50), ("any", 700), (1, 700), (2, 50), ("whole", 50)], ids=["all", "any", "1", "2", "whole"]
)
def test_it_is_uniform_on_the_scales_that_do(keep, floor):
    host = host_of((80, 100))
    policy = Policy(keep=keep, min_visible_pixels=floor)
    content = content_of(BOXES, (80, 100), policy)
    least = least_scale(BOXES, floor, host, {"whole": "all"}.get(keep, keep), steps=20_000)
    assert 0.35 < least < 0.75
    rng, bins = random.Random(0), Counter()
    count = 9_000
    for _ in range(count):
        drawn = host.least + rng.random() * (least - host.least) * 0.999
        scale, found = search_scale(drawn, host, content, policy, lambda _: rng.random)
        assert found.status is Status.RESIZED
        bins[int((scale - least) / (host.most - least) * 20 + 1e-3)] += 1
    assert_law(bins, dict.fromkeys(range(20), 1 / 20))


def test_the_law_is_the_hosts_conditioned_on_success():
    host, policy = host_of((80, 100)), Policy(min_visible_pixels=50)
    content = content_of(BOXES[:1], (80, 100), policy)
    least = least_scale(BOXES[:1], 50, host, steps=20_000)
    rng, statuses = random.Random(3), Counter()
    for _ in range(6_000):
        drawn = host.least + rng.random() * (host.most - host.least)
        scale, found = search_scale(drawn, host, content, policy, lambda _: rng.random)
        statuses[found.status] += 1
        assert (found.status is Status.FIRST) == (scale == drawn)
        assert scale >= least - 1e-4
    first = (host.most - least) / (host.most - host.least)
    assert_law(statuses, {Status.FIRST: first, Status.RESIZED: 1 - first})


@pytest.mark.parametrize("floor", [10, 30, 50, 90, 120])
def test_the_end_of_the_interval_is_exact(floor):
    host, policy = host_of((80, 100)), Policy(min_visible_pixels=floor)
    content = content_of(BOXES[:1], (80, 100), policy)
    scale, found = search_scale(0.2, host, content, policy, lambda _: lambda: 0.0)
    assert found.status is Status.RESIZED
    on_grid = least_scale(BOXES[:1], floor, host)
    assert on_grid - 0.7 / 100_000 <= scale <= on_grid
    assert pixels(BOXES[0], scale, (80, 100)) >= floor * (1 - 1e-6)
    assert pixels(BOXES[0], nextafter(scale, -inf), (80, 100)) < floor
    top, _ = search_scale(0.2, host, content, policy, lambda _: lambda: nextafter(1.0, 0.0))
    assert scale < top <= host.most


def test_it_is_enlarged_to_the_images_own_resolution_at_most():
    host = host_of((80, 100), 0.1, 0.3)
    content = content_of(BOXES[:1], (80, 100), Policy())
    modest = Policy(min_visible_pixels=50, on_fail="enlarge")  # 200 square pixels at a scale of one half
    scale, found = search_scale(0.2, host, content, modest, no_chance)
    assert (found.status, found.stage) == (Status.RESIZED, Stage.LADDER)
    steps = [0.3 + 0.7 * step / 16 for step in range(17)]
    assert scale == pytest.approx(next(step for step in steps if pixels(BOXES[0], step, (80, 100)) >= 50))
    whole = Policy(min_visible_pixels=200, on_fail="enlarge")
    assert search_scale(0.2, host, content, whole, no_chance).scale == pytest.approx(1.0)
    greedy = Policy(min_visible_pixels=201, on_fail="enlarge")
    scale, found = search_scale(0.2, host, content, greedy, no_chance)
    assert (scale, found.status) == (0.2, Status.UNMET)
    larger = host_of((80, 100), 0.1, 1.5)  # a host that goes beyond by itself may do so
    assert search_scale(0.2, larger, content, greedy, lambda _: lambda: 0.5).found.status is Status.RESIZED
    hopeless = Policy(min_visible_pixels=600, on_fail="enlarge")
    assert search_scale(0.2, larger, content, hopeless, no_chance).found.status is Status.UNMET


def test_unmet_it_is_uniform_on_the_scales_that_keep_most():
    # The larger box shows 500 pixels from about one half on; the smaller one never does.
    host, policy = host_of((80, 100)), Policy(min_visible_pixels=500)
    content = content_of(BOXES, (80, 100), policy)
    least = least_scale(BOXES, 500, host, "any", steps=20_000)
    rng, bins = random.Random(8), Counter()
    for _ in range(9_000):
        scale, found = search_scale(0.25, host, content, policy, lambda _: rng.random)
        assert found.status is Status.UNMET
        bins[int((scale - least) / (host.most - least) * 20 + 1e-3)] += 1
    assert_law(bins, dict.fromkeys(range(20), 1 / 20))
    assert search_scale(0.8, host, content, policy, no_chance).scale == 0.8


def test_where_nothing_can_be_kept_the_draw_stays():
    host, content = host_of((80, 100)), content_of(BOXES, (80, 100), Policy())
    scale, found = search_scale(0.25, host, content, Policy(min_visible_pixels=9_000), no_chance)
    assert (scale, found.status, found.stage, found.draws) == (0.25, Status.UNMET, Stage.DRAWN, 1)


def test_skip_and_raise():
    host, content = host_of((80, 100)), content_of(BOXES, (80, 100), Policy())
    skip, fail = (Policy(min_visible_pixels=9_000, on_fail=on_fail) for on_fail in ("skip", "raise"))
    assert search_scale(0.25, host, content, skip, no_chance).found.status is Status.SKIPPED
    with pytest.raises(RetentionError, match=r"no scale in \[0.2, 0.9\] shows the 2 object\(s\)") as caught:
        search_scale(0.25, host, content, fail, no_chance)
    outcome = caught.value.outcome
    assert outcome.status is Status.UNMET
    assert outcome.view.size.tolist() == [20, 25]
    assert outcome.retention.tolist() == [1, 1]
    assert outcome.visible_pixels.tolist() == pytest.approx([200 / 16, 2000 / 16])


def test_one_keeps_the_object_that_it_picks():
    host, policy = host_of((80, 100)), Policy(keep="one", min_visible_pixels=100)
    content = content_of(BOXES, (80, 100), policy)
    statuses = {}
    for uniform in (0.25, 0.75):
        picked = single(content, uniform).boxes
        scale, found = search_scale(0.3, host, content, policy, lambda _, u=uniform: lambda: u)
        statuses[picked[0]] = found.status
        assert pixels(picked[0], scale, (80, 100)) >= 100 * (1 - 1e-6)
    assert statuses == {BOXES[0]: Status.RESIZED, BOXES[1]: Status.FIRST}


def test_a_stretch_is_never_taken():
    # This host rounds up to multiples of 8, so that some scales stretch an image of 20 × 30.
    host = Scaling((20, 30), 0.2, 1.6, lambda scale: tuple(-(-round(side * scale) // 8) * 8 for side in (20, 30)))
    policy = Policy(max_stretch=1.05)
    content = content_of([(0, 0, 9, 9)], (20, 30), policy)
    assert stretch((20, 30), host.output(1.6)) <= 1.05
    rng, statuses = random.Random(0), Counter()
    for _ in range(300):
        drawn = host.least + rng.random() * (host.most - host.least)
        scale, found = search_scale(drawn, host, content, policy, lambda _: rng.random)
        statuses[found.status] += 1
        assert stretch((20, 30), host.output(scale)) <= 1.05
    assert set(statuses) == {Status.FIRST, Status.RESIZED}


def test_nothing_to_protect_leaves_the_draw_alone():
    host = host_of((80, 100))
    scale, found = search_scale(0.4, host, content_of([], (80, 100), Policy()), Policy(), no_chance)
    assert (scale, found) == (0.4, (host.window, Status.EMPTY, Stage.DRAWN, 1))
    with pytest.raises(ContentError, match="nothing to protect"):
        search_scale(0.4, host, content_of([], (80, 100), Policy()), Policy(on_empty="raise"), no_chance)
    rare = Policy(min_visible_pixels=50, apply_rate=0.0)
    scale, found = search_scale(0.2, host, content_of(BOXES, (80, 100), rare), rare, lambda _: lambda: 0.0)
    assert (scale, found.status) == (0.2, Status.UNGUARDED)


@given(image_sizes(12), st.data())
def test_without_a_floor_every_scale_does(image_size, data):
    thing = Thing("box", data.draw(st.tuples(*[st.just(0.0)] * 2, *[st.floats(1, 12)] * 2)))
    policy = Policy(min_retention=1.0)
    content = content_from(image_size, policy, **given_as([thing]))
    drawn = data.draw(st.floats(0.2, 0.9))
    scale, found = search_scale(drawn, host_of(image_size), content, policy, no_chance)
    assert (scale, found.status) == (drawn, Status.FIRST)
