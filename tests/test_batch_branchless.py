"""The search on tensors alone against the scalar search: the same windows, to the bit."""

import random
from collections import Counter

import pytest

torch = pytest.importorskip("torch")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.utils._pytree import tree_map_only  # noqa: E402

from safeaug.batch.branchless import elsewhere, memory  # noqa: E402
from safeaug.batch.branchless.least_lost import least_lost  # noqa: E402
from safeaug.batch.branchless.meetings import meetings  # noqa: E402
from safeaug.batch.branchless.most import most_kept  # noqa: E402
from safeaug.batch.branchless.sizes import candidates  # noqa: E402
from safeaug.batch.branchless.task import task_of  # noqa: E402
from safeaug.batch.cut import Cut  # noqa: E402
from safeaug.batch.first import drawn  # noqa: E402
from safeaug.batch.resized import Resized  # noqa: E402
from safeaug.candidates import beyond  # noqa: E402
from safeaug.content import single  # noqa: E402
from safeaug.geometry import size_of  # noqa: E402
from safeaug.measures import demand_of  # noqa: E402
from safeaug.placement import least_lost as least_lost_of_one  # noqa: E402
from safeaug.placement import most_kept as most_kept_of_one  # noqa: E402
from safeaug.policy import Policy, Stage, Status  # noqa: E402
from safeaug.task import PICK  # noqa: E402
from tests import batch_worlds as worlds  # noqa: E402
from tests.batch_one import SCENES  # noqa: E402
from tests.batch_worlds import Sample, batch_of, listed, searched  # noqa: E402
from tests.strategies import boxes_in, image_sizes, limits  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def _small_pieces_on_one_thread():
    """Pieces that fit a cache, on one thread: for small tensors on a CPU that is many times quicker."""
    threads, elements = torch.get_num_threads(), memory.ELEMENTS
    torch.set_num_threads(1)
    memory.ELEMENTS = 1 << 18
    yield
    torch.set_num_threads(threads)
    memory.ELEMENTS = elements


def hosts():
    sides = st.tuples(st.integers(1, 20), st.integers(1, 20))
    scales = st.sampled_from([(0.08, 1.0), (0.3, 0.3), (0.5, 1.0), (1.0, 1.0), (0.01, 0.1)])
    ratios = st.sampled_from([(3 / 4, 4 / 3), (1.0, 1.0), (0.2, 5.0), (2.0, 3.0)])
    padding = st.tuples(*[st.integers(0, 4)] * 4)
    return st.builds(Resized, sides, scales, ratios) | st.builds(Cut, sides, padding)


@st.composite
def batches(draw):
    """Samples of different sizes, several draws of each, under one policy."""
    policy = Policy(
        min_retention={"a": draw(limits()), "*": draw(limits())},
        keep=draw(st.sampled_from(["all", "any", "one", "whole", 1, 2, 3])),
        min_fill=draw(st.none() | st.floats(0.1, 1)),
        min_visible_pixels=draw(st.none() | st.floats(0, 40)),
        max_stretch=draw(st.none() | st.floats(1, 4)),
        sampling=draw(st.sampled_from(["keep_scale", "joint"])),
        tries=draw(st.integers(0, 4)),
        on_fail=draw(st.sampled_from(["most", "enlarge", "skip"])),
        apply_rate=draw(st.sampled_from([1.0, 1.0, 0.7])),
        ignore_smaller_than=draw(st.none() | st.floats(0, 20)),
    )
    samples = []
    for _ in range(draw(st.integers(1, 3))):
        image_size = draw(image_sizes())
        boxes = draw(st.lists(boxes_in(image_size), min_size=1, max_size=4))

        def each(values, boxes=boxes):
            return draw(st.none() | st.lists(values, min_size=len(boxes), max_size=len(boxes)))

        labels = draw(st.lists(st.sampled_from("ab"), min_size=len(boxes), max_size=len(boxes)))
        weights = each(st.sampled_from([0.0, 0.25, 1.0, 2.0]))  # which floating point adds up exactly
        priors = each(st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1))
        samples.append(Sample(image_size, boxes, labels, weights, each(st.booleans()), priors))
    return batch_of(samples * 6, draw(hosts()), policy, seed=draw(st.integers(0, 2**60)), pad=draw(st.integers(0, 2)))


def found(batch):
    """How the draws of a batch end."""
    return listed(batch.opened.found.where(batch.opened.fails, elsewhere(*batch.arguments)))


@given(batches())
def test_small_worlds_end_as_in_the_scalar_search(batch):
    assert found(batch) == searched(batch)


def test_large_scenes_end_as_in_the_scalar_search():
    rng, ends = random.Random(4), Counter()
    for _ in range(max(SCENES // 32, 130)):
        batch = worlds.batch_from(rng, 32)
        expected = searched(batch)
        assert found(batch) == expected
        ends.update((status, stage) for _, status, stage, _ in expected)
    for end in [
        (Status.MOVED, Stage.DRAWN),
        (Status.MOVED, Stage.REDRAW),
        (Status.RESIZED, Stage.REDRAW),
        (Status.RESIZED, Stage.LATTICE),
        (Status.RESIZED, Stage.LADDER),
        (Status.SKIPPED, Stage.DRAWN),
        (Status.UNMET, Stage.DRAWN),
    ]:
        assert ends[end] >= 20, (end, ends)


def test_more_sets_meet_than_the_scalar_search_looks_at():
    rng, samples = random.Random(5), []
    for _ in range(64):
        middle = [(rng.uniform(30, 40), rng.uniform(30, 40)) for _ in range(rng.randint(4, 9))]
        near = [(x, y, x + rng.uniform(2, 16), y + rng.uniform(2, 16)) for x, y in middle]
        samples.append(Sample((64, 64), [(0.0, 0.0, 9.0, 9.0), *near]))  # and one that no window keeps with them
    for limit in (0.8, 1.0):
        batch = batch_of(samples, Cut((24, 24)), Policy(min_retention=limit), seed=5)
        _, too_many = meetings(task(batch))
        assert 10 < too_many.sum() < 54
        assert found(batch) == searched(batch)


def scalar(batch):
    """Of each sample with objects that count: its place, host, first window and demand."""
    firsts = drawn(batch.host, batch.table, batch.sizes, batch.chance).tolist()
    for i, (sample, one, first) in enumerate(zip(batch.samples, worlds.ones(batch), firsts, strict=True)):
        content = worlds.content(batch, sample)
        if content.boxes:
            if batch.policy.keep == "one":
                content = single(content, one.stream(PICK)())
            size = size_of(first)
            yield i, one, tuple(first), demand_of(content, batch.policy, size, one.output(size))


def task(batch):
    opened, host, table, policy, sizes, chance, extent = batch.arguments
    return task_of(opened.found.window, opened.objects, host, table, policy, sizes, chance, extent)


@given(batches())
def test_the_list_is_the_scalar_one(batch):
    searches = task(batch)
    listing = candidates(searches, searches.redrawn())
    for i, one, first, demand in scalar(batch):
        same = batch.policy.min_fill is None and batch.policy.min_visible_pixels is None
        expected = [tuple(each) for each in beyond(size_of(first), one, batch.policy, demand if same else None)]
        rows = [each[i, searches.redraws + 1 :].tolist() for each in listing]
        got = [(number, stage, (h, w)) for h, w, taken, number, stage in zip(*rows, strict=True) if taken]
        assert got == expected


def members(x, start, length):
    """The positions of a set, as pairs."""
    return {
        (column, row + step)
        for column, rows, counts in zip(x, start, length, strict=True)
        for row, count in zip(rows, counts, strict=True)
        for step in range(count)
    }


def members_of(positions, i):
    """The positions of one sample, each counted once."""
    group = positions.group
    of = list(range(positions.x.shape[-1])) if group is None else group[i, 0].tolist()
    start, length = positions.start[i, 0], positions.length[i, 0]
    out = members(positions.x[i, 0].tolist(), start[of].tolist(), length[of].tolist())
    assert len(out) == positions.size[i, 0]
    return out


@given(batches())
def test_what_can_be_kept_and_what_loses_least(batch):
    some, most = most_kept(task(batch))
    least = least_lost(task(batch))
    for i, one, first, demand in scalar(batch):
        size = size_of(first)
        weight, positions = most_kept_of_one(demand, size, one.domain(size))
        assert some[i, 0] == (weight > 0)
        if weight > 0:
            assert members_of(most, i) == members(*positions)
        expected = members(*least_lost_of_one(demand, size, one.domain(size)))
        assert members_of(least.far if least.apart[i, 0] else least.near, i) == expected


def test_it_does_not_matter_how_much_is_looked_at_at_a_time(monkeypatch):
    rng = random.Random(6)
    for keep in ("all", "any", "whole"):
        samples = [Sample(*worlds.scene(rng, 3, 60)) for _ in range(7)]
        host, policy = Resized((32, 32), (0.1, 0.5), (0.5, 2.0)), Policy(min_retention=0.9, keep=keep)
        batch, ends = batch_of(samples, host, policy), []
        for elements in (1, 1 << 13, 1 << 30):
            monkeypatch.setattr(memory, "ELEMENTS", elements)
            ends.append(found(batch))
        assert ends[0] == ends[1] == ends[2]


def test_a_batch_without_objects_is_left_as_it_is():
    batch = batch_of([Sample((8, 9), []), Sample((5, 3), [])], Resized((4, 4), (0.1, 1.0), (1.0, 1.0)), Policy())
    assert batch.opened.objects.boxes.shape == (2, 0, 4)
    assert found(batch) == searched(batch)
    assert {status for _, status, _, _ in found(batch)} == {Status.EMPTY}


@pytest.mark.parametrize("keep", ["all", "whole", 2])
@pytest.mark.parametrize("sampling", ["keep_scale", "joint"])
def test_nothing_is_read_back_from_a_device(keep, sampling):
    """Tensors without values, of a device that need not be there: whoever reads one, or mixes devices, raises."""
    rng = random.Random(8)
    samples = [Sample(*worlds.scene(rng, 3, 60)) for _ in range(5)]
    host = Resized((32, 32), (0.1, 0.5), (0.5, 2.0))
    policy = Policy(keep=keep, sampling=sampling, on_fail="enlarge", min_visible_pixels=3, max_stretch=2, tries=3)
    batch = batch_of(samples, host, policy)
    with FakeTensorMode() as mode:
        away = tree_map_only(torch.Tensor, lambda each: mode.from_tensor(each).to("cuda"), batch.arguments)
        ends = elsewhere(*away)
    assert {each.device.type for each in ends} == {"cuda"}
    assert [each.shape for each in ends] == [each.shape for each in batch.opened.found]
    assert [each.dtype for each in ends] == [each.dtype for each in batch.opened.found]


@pytest.mark.filterwarnings("ignore")  # what the compiler has to say of its own parts
def test_compiled_it_finds_the_same():
    rng = random.Random(7)
    samples = [Sample(*worlds.scene(rng, 2, 9)) for _ in range(12)]
    host, policy = Resized((6, 6), (0.08, 0.4), (3 / 4, 4 / 3)), Policy(min_retention=0.9, tries=2)
    compiled = torch.compile(elsewhere, fullgraph=True)
    ends = Counter()
    for seed in range(20):
        batch = batch_of(samples, host, policy, seed=seed, pad=0)
        assert listed(compiled(*batch.arguments)) == listed(elsewhere(*batch.arguments))
        ends.update(status for _, status, _, _ in found(batch))
    assert min(ends[status] for status in (Status.MOVED, Status.RESIZED, Status.UNMET)) > 0
