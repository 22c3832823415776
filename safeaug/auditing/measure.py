"""Measuring draws: what a pipeline leaves of every object of some samples."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from safeaug.auditing.block import Block, Failure
from safeaug.auditing.objects import objects_of
from safeaug.auditing.subject import WITH_BOXES, Subject
from safeaug.data import Sample
from safeaug.dispatch import drawer
from safeaug.draws import Drawn, Given, StepName
from safeaug.measures import RELATIVE
from safeaug.records import Step
from safeaug.splitmix import GAMMA, MASK, mixed


class Drawer(Protocol):
    """What puts samples through a pipeline: `safeaug.dispatch.drawer`."""

    names: tuple[StepName, ...]
    takes_boxes: bool

    def draw(self, samples: Sequence[Sample], given: Given, keys: NDArray[np.uint64]) -> tuple[Drawn, list[Any]]:
        """Return what draws leave of the objects of samples, and those that raised."""
        ...

    def trace(
        self,
        sample: Sample,
        key: int,
        *,
        pixels: bool,
        also: Mapping[str, Any] = ...,
        into: list[Step] | None = None,
    ) -> tuple[list[Step], NDArray[np.bool_]]:
        """Return the steps of one draw, and which objects still have a label behind them."""
        ...

    def boxes_behind(self, step: Step, count: int) -> NDArray[np.float64]:
        """Return the boxes that a step of `trace` handed on, with pixels."""
        ...

    def told_of(self, error: Exception) -> tuple[str, str]:
        """Return which step raised an error, and what."""
        ...


def drawer_of(pipeline: Any, subject: Subject) -> Drawer:
    """Return what puts the samples of an audit through its pipeline.

    Raises
    ------
    PolicyError
        Where it is no pipeline.
    """
    made: Drawer = drawer(pipeline, {}, boxes=subject in WITH_BOXES)
    return made


def key_of(seed: int, sample: str, draw: int) -> int:
    """Return the number of 64 bits that says all that is drawn, whatever the order of samples and workers.

    Parameters
    ----------
    seed : int
        Of the audit.
    sample : str
        Its id.
    draw : int
        Which draw of it.

    Examples
    --------
    >>> key_of(0, "a", 0) == key_of(0, "a", 0), key_of(0, "a", 0) == key_of(0, "a", 1)
    (True, False)
    """
    return mixed((_base(seed, sample) + draw * GAMMA) & MASK)


def _base(seed: int, sample: str) -> int:
    text = f"{seed}:{sample}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def measured(
    drawer: Drawer,
    samples: Sequence[Sample],
    *,
    subject: Subject,
    draws: int,
    seed: int,
    smallest: float | None = None,
    first: int = 0,
) -> Block:
    """Return what draws of a pipeline leave of every object of some samples.

    Parameters
    ----------
    drawer : Drawer
        Puts samples through the pipeline.
    samples : sequence of Sample
        The pictures.
    subject : Subject
        What of them is audited.
    draws : int
        Of each sample.
    seed : int
        From which, with the sample's id and the draw's number, comes all that is drawn.
    smallest : float, optional
        Objects of fewer square pixels are not counted.
    first : int, default 0
        Number of the first draw.

    Raises
    ------
    ContentError, DataError
        Where the objects of a sample cannot be read.
    """
    begun = time.perf_counter()
    objects = objects_of(samples, subject)
    numbers = range(first, first + draws)
    keys = np.array([[key_of(seed, sample.id, j) for j in numbers] for sample in samples], dtype=np.uint64)
    keys = keys.reshape(len(samples), draws)
    drawn, raised = drawer.draw(samples, objects.given, keys)
    if subject == "mask":  # a class of which no pixel is left is not labelled either
        drawn = drawn._replace(labelled=drawn.labelled & (drawn.final > 0))
    valid = np.ones(keys.shape, bool)
    failures = []
    for fault in raised:
        valid[fault.sample, fault.draw] = False
        key = int(keys[fault.sample, fault.draw])
        failures.append(Failure(samples[fault.sample].id, first + fault.draw, key, fault.step, fault.error))
    areas, counts = objects.areas, objects.given.counts
    spread = np.divide(objects.blur, areas, out=np.zeros_like(areas), where=areas > 0)
    return Block(
        samples=tuple(samples),
        starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        keys=keys,
        first=first,
        tolerance=RELATIVE + spread,  # as `safeaug.measures` has it
        counted=~objects.ignored & (areas >= (smallest or 0.0)),
        labels=objects.labels,
        areas=areas / np.repeat(objects.given.sizes.prod(axis=1), counts),
        drawn=drawn,
        names=drawer.names,
        milliseconds=1000 * (time.perf_counter() - begun),
        failures=tuple(failures),
        valid=valid,
    )
