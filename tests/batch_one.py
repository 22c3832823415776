"""One sample of a batch, searched for as a single image: in plain numbers, with Philox as the paper writes it."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from safeaug.batch.chance import BLOCKS, HOST, Chance
from safeaug.batch.draw import Frames, Rule, draw
from safeaug.batch.given import Given
from safeaug.batch.objects import Traits
from safeaug.batch.philox import MASK
from safeaug.candidates import Law
from safeaug.content import content_of
from safeaug.geometry import Domain
from safeaug.search import search

KEY, EPOCH = (3, 4), 5

SCENES = int(os.environ.get("SAFEAUG_SCENES", "0"))
"""How many large scenes are searched; the suite is content with a few thousand."""


def naive_philox(counter, key):
    """Philox4x32-10 in plain numbers, as the paper writes it."""
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(10):
        left, right = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (right >> 32) ^ c1 ^ k0, right & MASK, (left >> 32) ^ c3 ^ k1, left & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return [c0, c1, c2, c3]


def naive_words(key, epoch, sample_id, stream):
    """Yield the words of a stream."""
    for block in range(BLOCKS):
        counter = [(stream + 8) * BLOCKS + block, epoch & MASK, sample_id & MASK, sample_id >> 32 & MASK]
        yield from naive_philox(counter, key)


@cache
def table_of(host):
    """What a host draws from, made once."""
    return host.table()


@dataclass
class PlainHost:
    """The host of one sample: a `safeaug.candidates.Host` that knows nothing of tensors."""

    host: Any
    image_size: tuple[int, int]
    words: Callable[[int], list[int]]
    """Gives the words of a stream."""

    law = Law.UNIFORM

    @property
    def redraws(self):
        return self.host.redraws

    @property
    def whole(self):
        return self.image_size if self.host.enlarges else None

    def domain(self, size):
        return Domain(*self.host.domain(self.image_size, size))

    def within(self, size):
        return None

    def output(self, size):
        return self.host.output(size)

    def redraw(self, number):
        return self.host.window(self.words(number)[HOST:], self.image_size, table_of(self.host))

    def lattice(self):
        return self.host.lattice(self.image_size)

    def stream(self, purpose):
        words = iter(self.words(purpose))
        return lambda: next(words) * 2.0**-32


def searched(host, image_size, boxes, policy, address, **about):
    """What the single-image search finds for one sample, its own draw included."""
    one = PlainHost(host, image_size, lambda stream: list(naive_words(*address, stream)))
    content = content_of(boxes, image_size, policy, **about)
    return search(one.redraw(0), one, content, policy, one.stream)


def padded(rows, width, fill):
    """Rows of different lengths as a tensor, filled up."""
    count = max(map(len, rows), default=0)
    return torch.tensor([[*row, *[fill] * (count - len(row))] for row in rows], dtype=torch.float64).reshape(
        len(rows), count, *([width] if width else [])
    )


def drawn(host, policy, samples, ids, *, p=1.0, flip=0.0):
    """The draw of a batch: samples are ``(image_size, boxes, about)``, about as `content_of` takes it."""
    rule = Rule(host, policy, tuple(host.table()), p, flip)
    boxes = padded([boxes for _, boxes, _ in samples], 4, [float("nan")] * 4)
    shape = boxes.shape[:2]
    valid = torch.arange(shape[1]) < torch.tensor([len(boxes) for _, boxes, _ in samples])[:, None]

    def told(name, default):
        rows = [about.get(name, [default] * len(boxes)) for _, boxes, about in samples]
        return padded(rows, 0, default)

    limits_of = [[policy.limit_of(label) for label in about.get("labels", [0] * len(b))] for _, b, about in samples]
    traits = Traits(
        valid,
        padded(limits_of, 0, 0.0),
        told("weights", 1.0),
        told("ignore", 0.0) > 0,
        told("prior_visibility", 1.0) if any("prior_visibility" in about for *_, about in samples) else None,
    )
    given_ = Given(boxes, None, None, None, valid, traits, "boxes")
    known = [size for size, *_ in samples]
    frames = Frames(torch.tensor(known), known, max(map(max, known)))
    chance = Chance(torch.tensor(KEY), torch.tensor(EPOCH), torch.tensor(ids))
    return draw(rule, torch.tensor(rule.table), frames, given_, chance, guarded=True)
