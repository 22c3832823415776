"""The plain search against the general one, number for number, and against the oracle; and the numbers themselves."""

import itertools
import random
from collections import Counter
from math import floor, inf, nan
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from safeaug import Policy, Stage, Status, plain
from safeaug.content import content_of_rows
from safeaug.geometry import domain_of, size_of, window_at
from safeaug.guarding.fork import Fork
from safeaug.measures import passes, plain_demand
from safeaug.search import _place, _redrawn, elsewhere
from safeaug.splitmix import GAMMA, MASK, keyed, mixed, uniform
from safeaug.task import Task
from tests import oracle
from tests.hosts import ToyHost
from tests.strategies import boxes_in, image_sizes, limits

seeds = st.integers(0, MASK)


def rows_of(boxes, image_size):
    height, width = image_size
    return [[x0 / width, y0 / height, x1 / width, y1 / height, "label"] for x0, y0, x1, y1 in boxes]


def boxes_of(rows, image_size):
    """The boxes that rows stand for, as floating point has them."""
    height, width = image_size
    return [(x0 * width, y0 * height, x1 * width, y1 * height) for x0, y0, x1, y1, _ in rows]


@st.composite
def sizes_within(draw, image_size):
    return draw(st.integers(1, image_size[0])), draw(st.integers(1, image_size[1]))


@st.composite
def windows_in(draw, image_size):
    height, width = draw(sizes_within(image_size))
    x, y = draw(st.integers(0, image_size[1] - width)), draw(st.integers(0, image_size[0] - height))
    return x, y, x + width, y + height


@st.composite
def scenes(draw, inside: bool = True):
    """An image size, rows of boxes, a limit and a window."""
    image_size = draw(image_sizes())
    boxes = draw(st.lists(boxes_in(image_size, inside=inside), min_size=1, max_size=4))
    return image_size, rows_of(boxes, image_size), draw(limits()), draw(windows_in(image_size))


def asked_of(rows, image_size, limit):
    """What is asked where no window would do."""
    return plain.judge(rows, image_size, limit, (0, 0, 0, 0))


def kept_at(rows, image_size, limit, size, ease=1.0):
    """The oracle: all positions at which a window of a size keeps every box."""
    boxes = boxes_of(rows, image_size)
    frame = 0, 0, image_size[1], image_size[0]
    return [
        window[:2]
        for window in oracle.windows(frame, size)
        if oracle.satisfies(boxes, window, [limit] * len(boxes), Policy(), image_size, size, ease)
    ]


def certain(rows, image_size, limit, size):
    """The same; what floating point cannot decide is not taken."""
    positions = kept_at(rows, image_size, limit, size)
    assume(positions == kept_at(rows, image_size, limit, size, 1 + 1e-6))
    assume(positions == kept_at(rows, image_size, limit, size, 1 - 1e-6))
    return positions


# Judging.


@given(scenes(inside=False) | scenes())
def test_a_window_is_judged_as_the_general_path_judges_it(scene):
    image_size, rows, limit, window = scene
    demand, asked = plain_demand(rows, image_size, limit, image_size), plain.judge(rows, image_size, limit, window)
    assert (asked is None) == (demand is None)
    if demand is not None:
        wanted = [(*box, need) for box, need in zip(demand.boxes, demand.needs, strict=True) if need > 0]
        assert asked == ([] if passes(demand, window) else wanted)


@given(scenes())
def test_a_window_will_do_where_the_oracle_says_so(scene):
    image_size, rows, limit, window = scene
    asked, boxes = plain.judge(rows, image_size, limit, window), boxes_of(rows, image_size)
    assume(asked is not None)
    strict, lax = (
        oracle.satisfies(boxes, window, [limit] * len(boxes), Policy(), image_size, (1, 1), ease)
        for ease in (1 - 1e-6, 1 + 1e-6)
    )
    assert strict <= (asked == []) <= lax


@pytest.mark.parametrize(
    "row",
    [
        (0.5, 0.5, 0.5, 0.75),  # a point
        (0.5, 0.75, 0.75, 0.75),
        (0.75, 0.5, 0.5, 0.75),  # swapped corners
        (-0.25, 0.5, 0.5, 0.75),  # partly outside
        (0.5, 0.5, 1.25, 0.75),
        (0.5, 0.5, 0.75, 1.25),
        (nan, 0.5, 0.75, 0.75),
        (0.5, 0.5, 0.75, nan),
        (0.5, -inf, 0.75, 0.75),
    ],
)
@pytest.mark.parametrize("before", [0, 2])
def test_what_is_no_box_inside_the_image_is_left_to_the_general_path(row, before):
    rows = [[0.25, 0.25, 0.75, 0.75]] * before + [list(row)]
    assert plain.judge(rows, (8, 8), 0.5, (0, 0, 8, 8)) is None
    assert plain_demand(rows, (8, 8), 0.5, (8, 8)) is None


@pytest.mark.parametrize("number", [int, float, np.int64, np.float32])
def test_a_host_may_hand_out_numbers_of_any_type(number):
    window, other = (tuple(map(number, each)) for each in ((0, 0, 4, 6), (0, 0, 4, 4)))
    row = [0.25, 0.25, 0.75, 0.75]
    assert plain.judge([row], (8, 8), 0.5, window) == []
    assert plain.judge([row], (8, 8), 0.5, other) == plain.judge([row], (8, 8), 0.5, (0, 0, 4, 4)) != []


# Placing.


@given(scenes(), st.data(), seeds)
def test_the_same_numbers_come_to_the_same_position(scene, data, seed):
    image_size, rows, limit, _ = scene
    asked, size = asked_of(rows, image_size, limit), data.draw(sizes_within(image_size))
    assume(asked)
    one, other = Fork(seed), Fork(seed)
    demand = plain_demand(rows, image_size, limit, image_size)
    domain = domain_of((0, 0, image_size[1], image_size[0]), size)
    assert plain.place(asked, size, image_size, one) == _place(demand, size, domain, other.random)
    assert one.state == other.state


@given(scenes(), st.data(), seeds)
def test_a_position_is_found_where_there_is_one(scene, data, seed):
    image_size, rows, limit, _ = scene
    asked, size = asked_of(rows, image_size, limit), data.draw(sizes_within(image_size))
    assume(asked)
    positions = certain(rows, image_size, limit, size)
    assert plain.place(asked, size, image_size, Fork(seed)) in (positions or [None])


def test_a_window_larger_than_the_image_has_no_position():
    asked = asked_of([[0.25, 0.25, 0.75, 0.75]], (8, 8), 0.5)
    assert plain.place(asked, (8, 9), (8, 8), Fork(0)) is None
    assert plain.place(asked, (9, 8), (8, 8), Fork(0)) is None


# Counting. A stream of chosen numbers shows the law without statistics: each position once.


class Chosen:
    """A stream that gives chosen numbers: its states are what mixes to them."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    @property
    def state(self):
        return unmixed(int(self.numbers.pop(0) * 2**53) << 11) - GAMMA & MASK

    @state.setter
    def state(self, _):
        pass


def unmixed(number):
    """What `mixed` makes a number of, from the inverse of each of its steps."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        straight = number
        for _ in range(3):
            straight = number ^ straight >> shift
        number = straight * pow(factor, -1, 2**64) & MASK
    return number


@given(st.floats(0, 1, exclude_max=True))
def test_chosen_numbers_are_given(number):
    assert uniform(Chosen(number)) == int(number * 2**53) / 2**53


def each_once(positions):
    """For each of some positions, in order, the two numbers that should pick it."""
    columns = [[y for _, y in column] for _, column in itertools.groupby(positions, key=lambda position: position[0])]
    row = [((j + 0.5) / len(column)) for column in columns for j in range(len(column))]
    return [((m + 0.5) / len(positions), v) for m, v in enumerate(row)]


@given(scenes(), st.data())
def test_counting_reaches_each_feasible_position_once(scene, data):
    image_size, rows, limit, _ = scene
    asked, size = asked_of(rows, image_size, limit), data.draw(sizes_within(image_size))
    assume(asked)
    positions = certain(rows, image_size, limit, size)
    everywhere = tuple(domain_of((0, 0, image_size[1], image_size[0]), size))
    if not positions:
        assert plain._counted(asked, size, everywhere, Chosen()) is None
    drawn = [plain._counted(asked, size, everywhere, Chosen(u, v)) for u, v in each_once(positions)]
    assert drawn == positions


def test_what_no_try_finds_is_counted():
    # The first position of the bounds is a corner of what each side allows alone: it shows a quarter, half is asked.
    rows, image_size, size = rows_of([(4, 4, 12, 12)], (16, 16)), (16, 16), (8, 8)
    asked, positions = asked_of(rows, image_size, 0.5), kept_at(rows, image_size, 0.5, size)
    drawn = [plain.place(asked, size, image_size, Chosen(0, 0, 0, 0, u, v)) for u, v in each_once(positions)]
    assert (0, 0) not in positions
    assert drawn == positions


@st.composite
def wide_scenes(draw):
    """Boxes and a size whose columns are just as many as a loop counts, or a few more."""
    count = draw(st.integers(1, 4))
    height, size = draw(st.integers(2, 6)), (draw(st.integers(1, 6)), draw(st.integers(1, 400)))
    columns = plain.FEW // count + draw(st.sampled_from([0, 1]))
    image_size = max(height, size[0]), columns + size[1] - 1
    middle = st.floats(0.3, 0.7)
    boxes = [
        (draw(middle) * image_size[1] * 0.9, 0.0, image_size[1] * draw(st.floats(0.7, 1)), draw(st.floats(1, height)))
        for _ in range(count)
    ]
    return image_size, rows_of(boxes, image_size), draw(limits()), size, columns


@settings(max_examples=40)
@given(wide_scenes(), seeds)
def test_counting_is_the_same_on_both_sides_of_the_threshold(scene, seed):
    image_size, rows, limit, size, columns = scene
    asked = asked_of(rows, image_size, limit)
    assume(asked)
    positions = certain(rows, image_size, limit, size)
    bounds = 0, columns - 1, 0, image_size[0] - size[0]
    if not positions:
        assert plain._counted(asked, size, bounds, Chosen()) is None
    picks = each_once(positions)
    some = random.Random(seed).sample(range(len(positions)), min(len(positions), 50))
    assert [plain._counted(asked, size, bounds, Chosen(*picks[m])) for m in some] == [positions[m] for m in some]


@given(scenes(), st.data(), seeds)
def test_loop_and_arrays_draw_the_same(scene, data, seed):
    image_size, rows, limit, _ = scene
    asked, size = asked_of(rows, image_size, limit), data.draw(sizes_within(image_size))
    assume(asked)
    everywhere = tuple(domain_of((0, 0, image_size[1], image_size[0]), size))
    drawn = []
    for few in (0, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(plain, "FEW", few)
            fork = Fork(seed)
            drawn.append((plain._counted(asked, size, everywhere, fork), fork.state))
    assert drawn[0] == drawn[1]


# Redrawing.


@st.composite
def redraws(draw):
    """A scene, what it asks, a toy host, its first window, and how often it may be asked again."""
    image_size, rows, limit, _ = draw(scenes())
    asked = asked_of(rows, image_size, limit)
    assume(asked)
    sizes = draw(st.lists(sizes_within(image_size), min_size=1, max_size=4, unique=True))
    toy = ToyHost(image_size, tuple(sizes), (1.0,) * len(sizes))
    return rows, asked, Policy(min_retention=limit, tries=draw(st.integers(0, 5))), toy, draw(windows_in(image_size))


def task_of(rows, policy, toy, first, seed, fork):
    image_size, limit = toy.image_size, policy.plain_limit
    content = content_of_rows(rows, image_size, [limit] * len(rows), unit=image_size)
    demand = plain_demand(rows, image_size, limit, image_size)
    host = toy.host(random.Random(seed))
    return Task(first, size_of(first), host, lambda: content, policy, lambda _: fork.random, demand)


@given(redraws(), seeds)
def test_the_same_draws_of_the_host_come_to_the_same_size(redraw, seed):
    rows, asked, policy, toy, first = redraw
    one, other = Fork(seed), Fork(seed)
    again = toy.host(random.Random(seed)).redraw
    found = plain.redrawn(asked, first, toy.image_size, again, policy.tries, one)
    assert found == _redrawn(task_of(rows, policy, toy, first, seed, other))
    assert one.state == other.state


@given(redraws(), seeds)
def test_one_after_the_other_they_are_the_search_up_to_its_lattice(redraw, seed):
    rows, asked, policy, toy, first = redraw
    fork, size = Fork(seed), size_of(first)
    position = plain.place(asked, size, toy.image_size, fork)
    if position is not None:
        found = (window_at(*position, size), Status.MOVED, Stage.DRAWN, 1)
    else:
        again = toy.host(random.Random(seed)).redraw
        found = plain.redrawn(asked, first, toy.image_size, again, policy.tries, fork)
    task = task_of(rows, policy, toy, first, seed, Fork(seed))
    whole = elsewhere(first, task.host, task.drawn, task.content, policy, task.streams)
    assert found == (whole if whole.status < Status.UNMET and whole.stage <= Stage.REDRAW else None)


# The numbers.


def numbers(seed, count):
    stream = SimpleNamespace(state=seed)
    return [uniform(stream) for _ in range(count)]


def test_the_numbers_are_those_that_others_publish():
    # https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64
    states = [1234567 + i * GAMMA & MASK for i in range(1, 6)]
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert [mixed(state) for state in states] == published
    assert numbers(1234567, 5) == [(number >> 11) / 2**53 for number in published]
    fifths = Counter(floor(number * 5) for number in numbers(987654321, 100_000))
    assert fifths == {0: 20027, 1: 19892, 2: 20073, 3: 19978, 4: 20030}


@given(seeds)
def test_a_fork_gives_the_same_numbers(seed):
    fork, copy = Fork(seed), Fork(seed)
    assert [fork.random() for _ in range(5)] == numbers(seed, 5) == [uniform(copy) for _ in range(5)]
    assert fork.state == copy.state


@given(st.tuples(seeds, st.integers(0, 2**40), *[st.integers(-(2**15), 2**15)] * 4), st.data())
def test_a_draw_has_a_stream_of_its_own(key, data):
    place = data.draw(st.integers(0, 5))
    other = (*key[:place], key[place] + 1, *key[place + 1 :])
    states = [keyed(base, call, tuple(window)) for base, call, *window in (key, other)]
    assert states[0] != states[1]
    assert all(0 <= state <= MASK for state in states)
