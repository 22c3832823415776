"""What each step of a pipeline does to one sample."""

import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.pipeline.guard import guarded, needy
from safeaug.albumentations.pipeline.passage import Mode
from safeaug.albumentations.pipeline.root import Root
from safeaug.errors import PolicyError
from safeaug.policy import Policy
from safeaug.records import Step

Rng = np.random.Generator | random.Random
Trace = Callable[[Mapping[str, Any], Rng, bool], list[Step]]
"""From a sample, a generator, and whether pixels are asked for, to the steps that were applied."""


def tracer(pipeline: Any, reading: Mapping[str, Any]) -> Trace:
    """Return a function that puts samples through a pipeline, and tells its steps.

    Parameters
    ----------
    pipeline : Compose, ... or one transform
        Guarded or not. It is copied, and left as it is.
    reading : mapping
        How objects are read: the fields of a `Reading`. A guarded pipeline reads them as it was told to.

    Raises
    ------
    PolicyError
        Where something in the pipeline is no transform; later, where pixels are needed and not to be had.
    """
    made: Any = _copied(pipeline) if isinstance(pipeline, Root) else _only_followed(pipeline, reading)

    def trace(sample: Mapping[str, Any], rng: Rng, pixels: bool) -> list[Step]:
        if not pixels and not made.guard_dries(sample):
            _refuse(made)
        with made.guard_streams.apart(_key(rng)):
            _, passage = made.guard_through((), False, dict(sample), Mode(dry=not pixels, trace=[]))
        return [] if passage is None else passage.mode.trace

    return trace


def _copied(pipeline: Any) -> Any:
    """Return a guarded pipeline again, with what is counted in it at zero."""
    return guarded(pipeline, pipeline.guard_policy, pipeline.guard_reading._asdict(), move_fixed=pipeline.guard_fixed)


def _only_followed(pipeline: Any, reading: Mapping[str, Any]) -> Any:
    """Return a copy of a plain pipeline that asks nothing of its steps."""
    return guarded(pipeline, Policy(min_retention=0.0), reading)


def _refuse(made: Any) -> None:
    names = needy(made) or [leaf.name for leaf in made.guard_steps if isinstance(leaf.inner, Guarded)]
    raise PolicyError(
        f"the pipeline cannot be followed without pixels: step {', step '.join(names)} draws from images or masks, or "
        "is nobody's that is known. Ask for pixels=True"
    )


def _key(rng: Rng) -> int:
    if isinstance(rng, random.Random):
        return rng.getrandbits(64)
    return int(rng.integers(2**64, dtype=np.uint64))
