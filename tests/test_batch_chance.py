"""The numbers of a batch: Philox against its published vectors, addresses that never meet, and the hosts' laws."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from safeaug.batch.chance import FLIP, HOST, WORDS, Chance, reader, uniform  # noqa: E402
from safeaug.batch.cut import Cut  # noqa: E402
from safeaug.batch.identity import identities, seed_words  # noqa: E402
from safeaug.batch.philox import MASK, philox  # noqa: E402
from safeaug.batch.resized import ATTEMPTS, Resized  # noqa: E402
from safeaug.errors import ContentError, PolicyError  # noqa: E402
from safeaug.geometry import size_of  # noqa: E402
from tests.batch_one import naive_philox  # noqa: E402
from tests.statistics import assert_law  # noqa: E402

words = st.integers(0, MASK)

PUBLISHED = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([MASK] * 4, [MASK] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]
"""Known answers of Philox4x32-10 as Random123 publishes them: counter, key, result."""


@pytest.mark.parametrize("counter, key, result", PUBLISHED)
def test_philox_gives_the_published_words(counter, key, result):
    assert philox(torch.tensor(counter), torch.tensor(key)).tolist() == result
    assert naive_philox(counter, key) == result


@given(st.lists(st.tuples(words, words, words, words), min_size=1, max_size=5), st.tuples(words, words))
@settings(deadline=None)
def test_philox_is_the_same_in_plain_numbers(counters, key):
    found = philox(torch.tensor(counters), torch.tensor(key)).tolist()
    assert found == [naive_philox(counter, key) for counter in counters]


def chance(ids, key=(1, 2), epoch=0):
    return Chance(torch.tensor(key), torch.tensor(epoch), torch.tensor(ids))


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=4), st.integers(-8, 2**20), st.integers(0, MASK))
@settings(deadline=None)
def test_a_word_stands_at_its_address(ids, stream, epoch):
    found = chance(ids, epoch=epoch).words(torch.tensor([[stream, 5]]))
    assert found.shape == (len(ids), 2, WORDS)
    for i, number in product(range(len(ids)), (0, 3, HOST, WORDS - 1)):
        address = (stream + 8) * (WORDS // 4) + number // 4
        counter = [address, epoch, ids[i] & MASK, ids[i] >> 32 & MASK]
        assert found[i, 0, number] == naive_philox(counter, (1, 2))[number % 4]


def test_part_of_a_stream_is_part_of_it():
    numbers = chance([3, 9])
    streams = torch.tensor([[0, 7]])
    assert torch.equal(numbers.words(streams, HOST, 8), numbers.words(streams)[..., HOST : HOST + 8])
    assert torch.equal(numbers.once(FLIP), uniform(numbers.words(torch.tensor([[FLIP]]))[:, 0, 0]))


def test_streams_epochs_seeds_and_ids_share_no_word():
    streams = torch.arange(-8, 100)[None]
    ids = [0, 1, 2**32, -1]
    seen = [chance(ids, key, epoch).words(streams) for key in ((0, 0), (0, 1), (1, 0)) for epoch in (0, 1)]
    blocks = torch.stack(seen).reshape(-1, 4)
    assert len(torch.unique(blocks, dim=0)) == len(blocks)


def test_uniform_numbers_are_exact_and_below_one():
    found = uniform(torch.tensor([0, 1, MASK]))
    assert found.tolist() == [0.0, 2.0**-32, 1 - 2.0**-32]
    one = reader([0, MASK])
    assert (one(), one()) == (0.0, 1 - 2.0**-32)


@given(words, st.integers(1, 2**20))
def test_an_integer_of_a_word_is_that_of_its_uniform_number(word, count):
    assert word * count >> 32 == int(uniform(torch.tensor(word)).item() * count) == int(reader([word])() * count)


sides = st.integers(1, 40) | st.integers(1, 3000)
scales = st.tuples(st.floats(0.001, 1), st.floats(0.001, 1)).map(lambda ends: tuple(sorted(ends)))
ratios = st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)).map(lambda ends: tuple(sorted(ends)))


@given(
    scales, ratios, st.lists(st.tuples(sides, sides), min_size=1, max_size=4), st.lists(words, min_size=24, max_size=24)
)
@settings(deadline=None)
def test_tensors_draw_the_windows_of_plain_numbers(scale, ratio, sizes, numbers):
    host = Resized((7, 9), scale, ratio)
    table = host.table()
    drawn = torch.tensor(numbers).reshape(1, 2, 12).expand(len(sizes), -1, -1)
    found = host.windows(drawn, torch.tensor(sizes), torch.tensor(table))
    for i, (height, width) in enumerate(sizes):
        for k in range(2):
            window = host.window(numbers[12 * k : 12 * k + 12], (height, width), table)
            assert tuple(found[i, k].tolist()) == window
            assert 0 <= window[0] < window[2] <= width
            assert 0 <= window[1] < window[3] <= height


@given(
    st.tuples(sides, sides),
    st.tuples(*[st.integers(0, 5)] * 4),
    st.lists(st.tuples(sides, sides), min_size=1, max_size=4),
    st.lists(words, min_size=2, max_size=2),
)
@settings(deadline=None)
def test_tensors_cut_the_windows_of_plain_numbers(size, padding, sizes, numbers):
    host = Cut(size, padding)
    found = host.windows(torch.tensor(numbers).expand(len(sizes), 1, 2), torch.tensor(sizes), torch.tensor([]))
    for i, image_size in enumerate(sizes):
        window = host.window(numbers, image_size, [])
        assert tuple(found[i, 0].tolist()) == window
        assert size_of(window) == size
        x0, x1, y0, y1 = host.domain(image_size, size)
        assert x0 <= window[0] <= x1
        assert y0 <= window[1] <= y1
        assert max(x1 - x0, y1 - y0) + 1 <= host.positions(max(image_size))
        left, top, right, bottom = -padding[0], -padding[1], image_size[1] + padding[2], image_size[0] + padding[3]
        inside = left <= window[0] and window[2] <= right
        around = window[0] <= left and right <= window[2]
        assert inside or around
        assert (top <= window[1] and window[3] <= bottom) or (window[1] <= top and bottom <= window[3])


def test_the_table_of_ratios_is_even_in_its_logarithm_to_a_millionth():
    host = Resized((1, 1), (0.5, 0.5), (3 / 4, 4 / 3))
    table = host.table()
    low, high = math.log(3 / 4), math.log(4 / 3)
    for fine in range(0, 1 << 16, 97):
        cell, part = fine >> 8, fine & 0xFF
        ratio = (table[cell] + ((table[cell + 1] - table[cell]) * part >> 8)) / 2**32
        assert ratio == pytest.approx(math.exp(low + (high - low) * fine / (1 << 16)), rel=1e-6)


def law_of_sizes(host, image_size, steps=800):
    """Shares of each size, of attempts over a fine grid of area and ratio, where one of ten fits; share of the rest."""
    height, width = image_size
    (low, high), (narrow, flat) = host.scale, (math.log(end) for end in host.ratio)
    shares = Counter()
    grid = (np.arange(steps) + 0.5) / steps
    area = height * width * (low + (high - low) * grid)[:, None]
    ratio = np.exp(narrow + (flat - narrow) * grid)[None]
    tall, wide = np.rint(np.sqrt(area / ratio)).astype(int), np.rint(np.sqrt(area * ratio)).astype(int)
    fits = (tall > 0) & (tall <= height) & (wide > 0) & (wide <= width)
    for size, count in Counter(zip(tall[fits].tolist(), wide[fits].tolist(), strict=True)).items():
        shares[size] = count / steps**2
    fit = sum(shares.values())
    some = 1 - (1 - fit) ** ATTEMPTS
    law = {size: share / fit * some for size, share in shares.items()}
    return law, 1 - some


@pytest.mark.parametrize("image_size, scale", [((12, 12), (0.2, 1.0)), ((6, 30), (0.5, 1.0))])
def test_a_resized_crop_has_torchvisions_law(image_size, scale):
    host = Resized((4, 4), scale, (3 / 4, 4 / 3))
    law, fallback = law_of_sizes(host, image_size)
    count = 400_000
    drawn = chance(range(count), key=(7, 7)).words(torch.zeros((1, 1), dtype=torch.int64), HOST, 16)
    sizes = torch.tensor([image_size]).expand(count, -1)
    windows = host.windows(drawn, sizes, torch.tensor(host.table()))[:, 0].tolist()
    seen = Counter(size_of(tuple(window)) for window in windows)
    expected = Counter(law)
    centre = (min(image_size), min(round(min(image_size) * 4 / 3), image_size[1]))
    if fallback > 1e-9:
        expected[centre] += fallback
    assert_law(seen, expected)
    size, _ = seen.most_common(1)[0]
    if fallback < 1e-9:  # else that size is the fallback's, in the middle
        rows, columns = image_size[0] - size[0] + 1, image_size[1] - size[1] + 1
        places = Counter(tuple(window[:2]) for window in windows if size_of(tuple(window)) == size)
        assert_law(places, {(x, y): 1 / (rows * columns) for x in range(columns) for y in range(rows)})


def test_torchvision_draws_the_same_sizes():
    v2 = pytest.importorskip("torchvision.transforms.v2")
    image_size, scale, ratio = (12, 12), (0.2, 1.0), (3 / 4, 4 / 3)
    law, _ = law_of_sizes(Resized((4, 4), scale, ratio), image_size)
    transform = v2.RandomResizedCrop((4, 4), scale, ratio)
    torch.manual_seed(0)
    image = torch.zeros(1, *image_size)
    seen = Counter()
    for _ in range(20_000):
        drawn = transform.make_params([image])
        seen[drawn["height"], drawn["width"]] += 1
    assert_law(seen, law)


def test_ids_are_the_callers_or_counted():
    counter = torch.zeros((), dtype=torch.int64)
    assert identities([5, 7], 2, counter).tolist() == [5, 7]
    assert identities(torch.tensor([5, 7], dtype=torch.int32), 2, counter).tolist() == [5, 7]
    assert int(counter) == 0
    first, second = identities(None, 3, counter), identities(None, 2, counter)
    assert int(counter) == 5
    assert len({*first.tolist(), *second.tolist()}) == 5
    assert min(*first.tolist(), *second.tolist()) >= 2**32


@pytest.mark.parametrize("ids", [[1], [1, 2, 3], [0.5, 1.5], torch.zeros(2, 1, dtype=torch.int64), [True, False], "ab"])
def test_ids_that_are_none_are_refused(ids):
    with pytest.raises(ContentError, match="sample_ids must be whole numbers"):
        identities(ids, 2, torch.zeros((), dtype=torch.int64))


def test_a_seed_is_two_words():
    assert seed_words(2**32 + 5).tolist() == [5, 1]
    assert seed_words(-1).tolist() == [MASK, MASK]
    torch.manual_seed(3)
    first = seed_words(None)
    torch.manual_seed(3)
    assert torch.equal(first, seed_words(None))
    assert not torch.equal(first, seed_words(None))
    with pytest.raises(PolicyError, match=r"seed must be a whole number or None, got 0\.5"):
        seed_words(0.5)
