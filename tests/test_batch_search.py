"""The search of a batch on the CPU: sample by sample what the single-image search finds, from the same numbers."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from safeaug import Policy, Status  # noqa: E402
from safeaug.batch.cut import Cut  # noqa: E402
from safeaug.batch.objects import Traits, objects_of  # noqa: E402
from safeaug.batch.resized import Resized  # noqa: E402
from safeaug.content import content_of  # noqa: E402
from safeaug.measures import measure  # noqa: E402
from tests.batch_one import EPOCH, KEY, SCENES, drawn, naive_words, searched  # noqa: E402
from tests.scenes import scene  # noqa: E402
from tests.strategies import boxes_in, image_sizes, limits  # noqa: E402


def assert_as_single(host, policy, samples, ids):
    """Every sample's window, status, stage and draws are the single-image search's; so is what is left."""
    batch = drawn(host, policy, samples, ids)
    statuses = Counter()
    for i, ((size, boxes, about), sample_id) in enumerate(zip(samples, ids, strict=True)):
        one = searched(host, size, boxes, policy, (KEY, EPOCH, sample_id), **about)
        window = tuple(batch.found.window[i].tolist())
        ended = Status(int(batch.found.status[i]))
        expected = (0, 0, size[1], size[0]) if one.status is Status.SKIPPED else one.window
        assert (window, ended, int(batch.found.stage[i]), int(batch.found.draws[i])) == (expected, *one[1:])
        content = content_of(boxes, size, policy, **about)
        left = measure(content, policy, window)
        count = len(boxes)
        np.testing.assert_array_equal(batch.measured.retention[i, :count].numpy(), left.retention)
        np.testing.assert_array_equal(batch.measured.area[i, :count].numpy(), left.area)
        np.testing.assert_array_equal(batch.measured.by_fill[i, :count].numpy(), left.by_fill)
        assert batch.measured.retention[i, count:].isnan().all()
        statuses[ended] += 1
    return statuses


hosts = st.one_of(
    st.builds(
        Resized,
        st.sampled_from([(4, 4), (8, 5)]),
        st.sampled_from([(0.1, 1.0), (0.02, 0.3)]),
        st.sampled_from([(3 / 4, 4 / 3), (1.0, 1.0), (0.3, 4.0)]),
    ),
    st.builds(Cut, st.tuples(st.integers(1, 12), st.integers(1, 12)), st.tuples(*[st.integers(0, 3)] * 4)),
)


@st.composite
def policies(draw):
    return Policy(
        min_retention=draw(limits()),
        keep=draw(st.sampled_from(["all", "any", "one", "whole", 1, 2])),
        min_fill=draw(st.none() | st.floats(0.1, 1)),
        min_visible_pixels=draw(st.none() | st.floats(0, 40)),
        max_stretch=draw(st.none() | st.floats(1, 4)),
        sampling=draw(st.sampled_from(["keep_scale", "joint"])),
        tries=draw(st.integers(0, 3)),
        on_fail=draw(st.sampled_from(["most", "enlarge", "skip"])),
        apply_rate=draw(st.sampled_from([1.0, 1.0, 0.5])),
        ignore_smaller_than=draw(st.none() | st.floats(0, 20)),
    )


@st.composite
def samples_of(draw):
    size = draw(image_sizes())
    boxes = draw(st.lists(boxes_in(size), max_size=3))
    about = {}
    if draw(st.booleans()):
        about["weights"] = draw(
            st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=len(boxes), max_size=len(boxes))
        )
        about["ignore"] = draw(st.lists(st.booleans(), min_size=len(boxes), max_size=len(boxes)))
    if draw(st.booleans()):
        shares = st.sampled_from([0.0, 0.04, 0.5, 0.75, 1.0])
        about["prior_visibility"] = draw(st.lists(shares, min_size=len(boxes), max_size=len(boxes)))
    return size, boxes, about


@given(hosts, policies(), st.lists(samples_of(), min_size=1, max_size=4), st.integers(0, 2**40))
@settings(deadline=None, max_examples=300)
def test_a_batch_is_searched_as_its_samples_are_one_by_one(host, policy, samples, first):
    # `content_of` has no prior visibility or all: a batch gives it for every sample or none.
    if any("prior_visibility" in about for *_, about in samples):
        for _, boxes, about in samples:
            about.setdefault("prior_visibility", [1.0] * len(boxes))
    assert_as_single(host, policy, samples, [first + i for i in range(len(samples))])


@pytest.mark.parametrize(
    "host, policy",
    [
        (Resized((224, 224), (0.08, 1.0), (3 / 4, 4 / 3)), Policy()),
        (Resized((224, 224), (0.08, 1.0), (3 / 4, 4 / 3)), Policy.detection()),
        (Resized((32, 32), (0.3, 1.0), (3 / 4, 4 / 3)), Policy(keep=2, min_visible_pixels=20, on_fail="enlarge")),
        (Cut((96, 128)), Policy(min_retention=0.9)),
    ],
    ids=["all", "whole", "two", "cut"],
)
def test_large_scenes_are_searched_as_one_by_one(host, policy):
    rng = random.Random(0)
    statuses = Counter()
    for round_ in range(max(SCENES // 64, 12)):
        samples = [(*scene(rng, most=4, largest=700), {}) for _ in range(16)]
        statuses += assert_as_single(host, policy, samples, [round_ * 16 + i for i in range(16)])
    assert len(statuses) >= 3


def test_labels_with_limits_of_their_own_are_heard():
    policy = Policy(min_retention={1: 1.0, "*": 0.0})
    samples = [((16, 16), [(2, 2, 6, 6), (9, 9, 14, 14)], {"labels": [1, 2]})] * 40
    statuses = assert_as_single(Resized((4, 4), (0.1, 0.6), (3 / 4, 4 / 3)), policy, samples, range(40))
    assert statuses[Status.FIRST] < 40


@given(samples_of(), limits())
@settings(deadline=None)
def test_objects_are_the_contents_of_the_image(sample, limit):
    size, boxes, _ = sample
    content = content_of(boxes, size, Policy(min_retention=limit))
    count = max(len(boxes), 1)
    rows = torch.full((1, count, 4), torch.nan)
    rows = rows.double()
    if boxes:
        rows[0] = torch.tensor(boxes, dtype=torch.float64)
    valid = (torch.arange(count) < len(boxes))[None]
    traits = Traits(valid, torch.full((1, count), limit, dtype=torch.float64))
    objects = objects_of(rows, torch.tensor([size]), traits, Policy(min_retention=limit))
    assert objects.counts[0].nonzero()[:, 0].tolist() == list(content.origin)
    assert [tuple(box) for box in objects.boxes[0][objects.counts[0]].tolist()] == [tuple(box) for box in content.boxes]
    assert float(objects.slack[0]) == content.slack


def test_a_sample_that_is_not_applied_shows_its_middle_or_all():
    samples = [((10, 14), [(1, 1, 3, 3)], {})] * 200
    for host, window in ((Cut((4, 6)), (4, 3, 10, 7)), (Resized((4, 4), (0.1, 0.5), (1.0, 1.0)), (0, 0, 14, 10))):
        batch = drawn(host, Policy(), samples, range(200), p=0.5)
        left = batch.found.status == int(Status.NOT_APPLIED)
        assert 60 < int(left.sum()) < 140
        assert batch.found.window[left].tolist() == [list(window)] * int(left.sum())
        kept = batch.found.status <= int(Status.RESIZED)
        assert (batch.measured.retention[kept & ~left] >= 0.49).all()


def test_the_flip_is_a_number_of_its_own():
    samples = [((10, 14), [(1, 1, 3, 3)], {})] * 100
    batch = drawn(Cut((4, 6)), Policy(), samples, range(100), flip=0.3)
    expected = [next(naive_words(KEY, EPOCH, i, -5)) * 2.0**-32 < 0.3 for i in range(100)]
    assert batch.canvas.flipped.tolist() == expected
    assert torch.equal(batch.found.window, drawn(Cut((4, 6)), Policy(), samples, range(100)).found.window)
