"""Batches of images, random ones, and what the scalar search makes of each: the oracle of the search on tensors."""

import random
from typing import NamedTuple

import torch

from safeaug.batch.chance import Chance
from safeaug.batch.cut import Cut
from safeaug.batch.first import Opened, drawn, judged
from safeaug.batch.objects import Traits, objects_of
from safeaug.batch.resized import Resized
from safeaug.content import content_of
from safeaug.geometry import Domain
from safeaug.policy import Policy
from safeaug.search import search
from tests.batch_one import PlainHost
from tests.scenes import scene

NEGATIVE = 6
"""Streams below 0 that a search may read."""


class Sample(NamedTuple):
    """One image and its objects, as `content_of` takes them."""

    image_size: tuple[int, int]
    boxes: list
    labels: list | None = None
    weights: list | None = None
    ignore: list | None = None
    priors: list | None = None


class Batch(NamedTuple):
    """Samples as tensors, padded to the greatest number of objects."""

    samples: list
    host: Resized | Cut
    policy: Policy
    sizes: torch.Tensor
    table: torch.Tensor
    chance: Chance
    opened: Opened
    extent: int

    @property
    def arguments(self):
        """What `elsewhere` is called with."""
        return self.opened, self.host, self.table, self.policy, self.sizes, self.chance, self.extent


def batch_of(samples, host, policy, *, seed=0, pad=0, ids=None):
    """Draw for some samples as a batch does, and judge the draws."""
    most = max(len(sample.boxes) for sample in samples) + pad

    def padded(values, fill):
        return [[*row, *[fill] * (most - len(row))] for row in values]

    def trait(name, neutral, fill, dtype):
        if all(getattr(sample, name) is None for sample in samples):
            return None
        rows = [getattr(sample, name) or [neutral] * len(sample.boxes) for sample in samples]
        return torch.tensor(padded(rows, fill), dtype=dtype).reshape(len(samples), most)

    boxes = torch.tensor(padded([sample.boxes for sample in samples], (3.0, 1.0, 9.0, 8.0)), dtype=torch.float64)
    limits = [[policy.limit_of(label) for label in sample.labels or [None] * len(sample.boxes)] for sample in samples]
    valid = [[True] * len(sample.boxes) for sample in samples]
    traits = Traits(
        torch.tensor(padded(valid, False), dtype=torch.bool).reshape(len(samples), most),
        torch.tensor(padded(limits, 0.7), dtype=torch.float64).reshape(len(samples), most),
        trait("weights", 1.0, 2.0, torch.float64),
        trait("ignore", False, False, torch.bool),
        trait("priors", 1.0, 0.4, torch.float64),
    )
    sizes = torch.tensor([sample.image_size for sample in samples])
    objects = objects_of(boxes.reshape(len(samples), most, 4), sizes, traits, policy)
    table = torch.tensor(host.table(), dtype=torch.int64)
    ids = torch.arange(len(samples)) if ids is None else ids
    chance = Chance(torch.tensor([seed & 0xFFFFFFFF, seed >> 32]), torch.tensor(seed % 3), ids)
    opened = judged(drawn(host, table, sizes, chance), host, objects, policy, chance)
    return Batch(samples, host, policy, sizes, table, chance, opened, extent_of(samples, host))


def extent_of(samples, host):
    """The greatest number of positions along an axis that a host has in any of some images."""
    if isinstance(host, Resized):
        return max(max(sample.image_size) for sample in samples)
    domains = [Domain(*host.domain(sample.image_size, host.size)) for sample in samples]
    return max(max(domain.x1 - domain.x0, domain.y1 - domain.y0) + 1 for domain in domains)


def content(batch, sample):
    """What must survive in a sample, as the scalar search has it."""
    return content_of(
        sample.boxes,
        sample.image_size,
        batch.policy,
        labels=sample.labels,
        weights=sample.weights,
        ignore=sample.ignore,
        prior_visibility=sample.priors,
    )


def ones(batch):
    """The host of each sample."""
    words = batch.chance.words(torch.arange(-NEGATIVE, batch.policy.tries + 100)[None]).tolist()
    return [
        PlainHost(batch.host, sample.image_size, lambda stream, row=row: row[NEGATIVE + stream])
        for sample, row in zip(batch.samples, words, strict=True)
    ]


def searched(batch):
    """What the scalar search finds for each sample."""
    firsts = drawn(batch.host, batch.table, batch.sizes, batch.chance).tolist()
    each = zip(batch.samples, ones(batch), firsts, strict=True)
    found = [search(tuple(first), one, content(batch, sample), batch.policy, one.stream) for sample, one, first in each]
    return [tuple(one) for one in found]


def listed(found):
    """A batch's `Found` in the form of the scalar records."""
    rows = zip(*(each.tolist() for each in found), strict=True)
    return [(tuple(window), status, stage, draws) for window, status, stage, draws in rows]


def policy_of(rng: random.Random, per_label: bool) -> Policy:
    """A random policy that the search on tensors takes."""
    limit = rng.choice([0.05, 0.3, 0.5, 0.7, 0.9, 1.0, 1.0])
    return Policy(
        min_retention={"a": rng.choice([0.0, 0.5, 0.9]), "*": limit} if per_label else limit,
        keep=rng.choice(["all", "all", "any", "one", "whole", 1, 2, 3]),
        min_fill=rng.choice([None, None, None, 0.3, 0.6]),
        min_visible_pixels=rng.choice([None, None, None, 16, 200]),
        max_stretch=rng.choice([None, None, None, 1.5, 3]),
        sampling=rng.choice(["keep_scale", "keep_scale", "joint"]),
        tries=rng.choice([0, 1, 3, 10]),
        on_fail=rng.choice(["most", "most", "enlarge", "skip"]),
        apply_rate=rng.choice([1.0, 1.0, 1.0, 0.5]),
        ignore_smaller_than=rng.choice([None, None, None, 30.0]),
    )


def host_of(rng: random.Random, largest: int) -> Resized | Cut:
    """A random host for images up to a size."""
    if rng.random() < 0.6:
        low = rng.choice([0.02, 0.08, 0.2, 0.5, 1.0])
        high = rng.choice([share for share in (0.1, 0.3, 0.6, 1.0) if share >= low])
        ratio = rng.choice([(3 / 4, 4 / 3), (1.0, 1.0), (0.5, 2.0), (0.2, 0.4), (2.0, 5.0)])
        return Resized((rng.choice([16, 64, 224]), rng.choice([16, 64, 224])), (low, high), ratio)
    padding = tuple(rng.choice([0, 0, rng.randint(0, 30)]) for _ in range(4))
    return Cut((rng.randint(1, largest), rng.randint(1, largest)), padding)


def batch_from(rng: random.Random, rows: int) -> Batch:
    """A random batch of large scenes. Weights are fractions that floating point adds up exactly, in any order."""
    largest, most = rng.choice([16, 40, 100, 200, 400, 700]), rng.choice([1, 2, 3, 4, 8])
    per_label, weighed, ignoring, truncated, pointed = (rng.random() < share for share in (0.3, 0.5, 0.3, 0.3, 0.2))
    policy, host = policy_of(rng, per_label), host_of(rng, largest)
    samples = []
    for _ in range(rows):
        image_size, boxes = scene(rng, most, largest)
        if pointed:
            boxes = [(x0, y0, x0, y0) if rng.random() < 0.3 else (x0, y0, x1, y1) for x0, y0, x1, y1 in boxes]
        samples.append(
            Sample(
                image_size,
                boxes,
                labels=[rng.choice("ab") for _ in boxes] if per_label else None,
                weights=[rng.choice([0, 0.25, 0.5, 1, 2]) for _ in boxes] if weighed else None,
                ignore=[rng.random() < 0.2 for _ in boxes] if ignoring else None,
                priors=[rng.choice([0.0, 0.3, 0.5, rng.random(), 1.0]) for _ in boxes] if truncated else None,
            )
        )
    return batch_of(samples, host, policy, seed=rng.getrandbits(60), pad=rng.choice([0, 1]))
