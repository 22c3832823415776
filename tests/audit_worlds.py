"""Measured blocks that nobody measured: small ones for hypothesis, large ones, and single draws by hand."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from safeaug import Status
from safeaug.auditing.block import Block, Failure
from safeaug.data import Sample
from safeaug.draws import Drawn, StepName

CROP = StepName((0,), "RandomResizedCrop", "window")
AFFINE = StepName((1,), "Affine", "projective")
DROPOUT = StepName((2, 0), "CoarseDropout", "occluding")
NAMES = (CROP, AFFINE, DROPOUT)

SHARES = (0.0, 0.0, 0.004, 0.005, 0.1, 0.25, 0.285, 0.4999, 0.5, 0.7, 0.995, 1.0, 1.0, float("nan"))
"""What is left of an object: limits themselves, their neighbours, nothing, everything, and nobody can tell."""

LABELS = ("cat", "dog", "", "café \ud800")
SIZES = ((480, 640), (200, 2000), (2000, 200), (512, 512), (400, 800), (1, 1))
AREAS = (0.0, 0.0005, 0.001, 0.02, 0.3, 1.0)


def block_of(
    left: Any,
    *,
    labelled: Any = True,
    labels: str | Sequence[str] = "cat",
    owner: Sequence[int] | None = None,
    samples: Sequence[Sample] | None = None,
    steps: Any = 0,
    names: Sequence[StepName] = NAMES,
    counted: Any = True,
    tolerance: Any = 0.0,
    areas: Any = 0.1,
    keys: Any = None,
    first: int = 0,
    valid: Any = True,
    failures: Sequence[Failure] = (),
    area: Any = 0.5,
    padded: Any = 0.0,
    stretch: Any = 1.0,
    size: Any = (224, 224),
    status: Any = Status.FIRST,
) -> Block:
    """Return a block of which only what matters is told.

    Parameters
    ----------
    left : array_like of shape (O, n, L), (O, n) or (O,)
        What is left of each object: after each step, after the only step, in the only draw.
    labels : str or sequence of O str
        Of all objects, or of each.
    owner : sequence of O int, optional
        The sample of each object; of each another by default.
    samples : sequence of Sample, optional
        By default pictures of 640 × 480 with ids "0", "1", ...
    steps : array_like that broadcasts to (S, n, L)
        By default the first of `names` in every column.

    Other Parameters
    ----------------
    The rest broadcasts to the shape that `Block` says.
    """
    left = np.asarray(left, np.float32)
    left = left.reshape(*left.shape, *[1] * (3 - left.ndim))
    objects, draws, columns = left.shape
    owner = np.arange(objects) if owner is None else np.asarray(owner, np.int64)
    number = len(samples) if samples is not None else int(owner.max(initial=-1)) + 1
    samples = tuple(samples) if samples is not None else tuple(Sample(str(i), (480, 640)) for i in range(number))
    shape = (number, draws)
    if keys is None:
        keys = first + np.arange(draws) + 1000 * np.arange(number)[:, None]

    def spread(value: Any, to: tuple[int, ...], dtype: Any) -> Any:
        return np.ascontiguousarray(np.broadcast_to(np.asarray(value, dtype), to))

    drawn = Drawn(
        steps=spread(steps, (*shape, columns), np.int16),
        left=left,
        labelled=spread(labelled, (objects, draws), np.bool_),
        area=spread(area, shape, np.float32),
        padded=spread(padded, shape, np.float32),
        stretch=spread(stretch, shape, np.float32),
        size=spread(size, (*shape, 2), np.int32),
        status=spread(status, shape, np.int8),
    )
    return Block(
        samples=samples,
        starts=np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=number)))).astype(np.int64),
        keys=spread(keys, shape, np.uint64),
        first=first,
        tolerance=spread(tolerance, (objects,), np.float64),
        counted=spread(counted, (objects,), np.bool_),
        labels=(labels,) * objects if isinstance(labels, str) else tuple(labels),
        areas=spread(areas, (objects,), np.float64),
        drawn=drawn,
        names=tuple(names),
        milliseconds=1.0,
        failures=tuple(failures),
        valid=spread(valid, shape, np.bool_),
    )


@st.composite
def blocks(draw, *, most_samples: int = 4, most_objects: int = 3, most_draws: int = 3, most_steps: int = 3) -> Block:
    """A block in which anything may be: no samples, no objects, no draws, ties, unknown objects, draws that raised."""
    number = draw(st.integers(0, most_samples))
    draws, columns = draw(st.integers(0, most_draws)), draw(st.integers(0, most_steps))
    counts = draw(st.lists(st.integers(0, most_objects), min_size=number, max_size=number))
    objects = sum(counts)
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    shares = SHARES if draw(st.booleans()) else SHARES[:-1]

    def pick(values: Sequence[Any], *shape: int) -> np.ndarray:
        return np.array(values)[random.integers(0, len(values), shape)]

    owner, width = np.repeat(np.arange(number), counts), max(columns, 1)
    length = random.integers(0, columns + 1, (number, draws, 1))  # of each draw, in steps
    steps = np.where(np.arange(columns) < length, random.integers(0, 3, (number, draws, columns)), -1)
    left = np.where(np.arange(width) < length[owner], pick(shares, objects, draws, width), 1.0)
    # What a step took, no later one gives back; and from where nobody can tell, nobody can.
    left = np.minimum.accumulate(left.astype(np.float32), axis=2)
    valid = random.random((number, draws)) < draw(st.sampled_from([1.0, 0.8]))
    samples = [Sample(f"s{i}", SIZES[random.integers(len(SIZES))], group=f"g{i % 2}") for i in range(number)]
    first = draw(st.sampled_from([0, 5]))
    failures = [
        Failure(samples[i].id, first + j, int(i), draw(st.sampled_from(["0 Crop", ""])), "ValueError: no")
        for i, j in np.argwhere(~valid)
    ]
    block = block_of(
        left,
        labelled=random.random((objects, draws)) < 0.7,
        labels=[LABELS[i] for i in random.integers(0, len(LABELS), objects)],
        owner=owner,
        samples=samples,
        counted=random.random(objects) < 0.8,
        tolerance=pick((0.0, 1e-6, 0.006), objects),
        areas=pick(AREAS, objects),
        keys=random.integers(0, 2**64, (number, draws), np.uint64),
        first=first,
        valid=valid,
        failures=failures,
        area=pick((0.0, 0.31, 1.0, np.nan), number, draws),
        padded=pick((0.0, 0.5, 1.0), number, draws),
        stretch=pick((1.0, 1.3, 2.0, 5.0, np.nan), number, draws),
        status=pick([*map(int, Status)], number, draws),
    )
    return block._replace(drawn=block.drawn._replace(steps=steps.astype(np.int16)))


def part_of(block: Block, which: Sequence[int]) -> Block:
    """Return the block of some of the samples of a block, in this order."""
    at = [i for k in which for i in range(block.starts[k], block.starts[k + 1])]
    rows, drawn = np.array(which, np.int64), block.drawn
    ids = {block.samples[k].id for k in which}
    return block._replace(
        samples=tuple(block.samples[k] for k in which),
        starts=np.concatenate(([0], np.cumsum(np.diff(block.starts)[rows]))).astype(np.int64),
        keys=block.keys[rows],
        tolerance=block.tolerance[at],
        counted=block.counted[at],
        labels=tuple(block.labels[i] for i in at),
        areas=block.areas[at],
        drawn=Drawn(*(_some(name, value, at, rows) for name, value in drawn._asdict().items())),
        failures=tuple(each for each in block.failures if each.sample in ids),
        valid=block.valid[rows],
    )


def _some(name: str, value: np.ndarray, objects: list[int], samples: np.ndarray) -> np.ndarray:
    return value[objects] if name in {"left", "labelled"} else value[samples]


def draws_of(block: Block, start: int, stop: int) -> Block:
    """Return the block of some of the draws of a block."""
    drawn = Drawn(*(value[:, start:stop] for value in block.drawn))
    numbers = range(block.first + start, block.first + stop)
    return block._replace(
        keys=block.keys[:, start:stop],
        first=block.first + start,
        drawn=drawn,
        failures=tuple(each for each in block.failures if each.draw in numbers),
        valid=block.valid[:, start:stop],
    )


def large_block(samples: int = 256, draws: int = 8, columns: int = 3, classes: int = 80, seed: int = 0) -> Block:
    """Return a block as a detection data set makes them: 7.3 objects a sample, most of them small."""
    random = np.random.default_rng(seed)
    counts = np.maximum(random.poisson(7.3, samples), 1)
    objects = int(counts.sum())
    took = np.where(random.random((objects, draws, columns)) < 0.4, random.random((objects, draws, columns)), 1.0)
    left = np.cumprod(np.where(took < 0.15, 0.0, took), axis=2)
    sides = random.integers(300, 640, (samples, 2))
    names = [f"class {i}" for i in range(classes)]
    return block_of(
        left,
        labelled=left[:, :, -1] > 0.01,
        labels=[names[i] for i in np.minimum(random.geometric(0.05, objects) - 1, classes - 1)],
        owner=np.repeat(np.arange(samples), counts),
        samples=[Sample(f"{seed:06d}-{i:06d}", (int(h), int(w))) for i, (h, w) in enumerate(sides)],
        steps=np.arange(columns),
        tolerance=1e-6,
        areas=random.beta(0.5, 6, objects),
        keys=random.integers(0, 2**64, (samples, draws), np.uint64),
        area=random.random((samples, draws)),
        padded=random.random((samples, draws)) ** 4,
        stretch=1 + random.random((samples, draws)),
    )
