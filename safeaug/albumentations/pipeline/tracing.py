"""What each step of a pipeline does to one sample."""

import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.pipeline.guard import guarded, needy
from safeaug.albumentations.pipeline.root import Passed, Root
from safeaug.errors import PolicyError
from safeaug.guarding.passage import Mode
from safeaug.policy import Policy
from safeaug.records import Step
from safeaug.splitmix import MASK, mixed

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
    made = traced(pipeline, reading)

    def trace(sample: Mapping[str, Any], rng: Rng, pixels: bool) -> list[Step]:
        _, passage = through(made, sample, _key(rng), pixels=pixels)
        return [] if passage is None else passage.mode.trace or []

    return trace


def traced(pipeline: Any, reading: Mapping[str, Any]) -> Any:
    """Return a copy of a pipeline whose steps can be looked at: see `tracer`."""
    return _copied(pipeline) if isinstance(pipeline, Root) else _only_followed(pipeline, reading)


def through(made: Any, sample: Mapping[str, Any], key: int, *, pixels: bool, trace: list[Step] | None = None) -> Passed:
    """Let a sample go through a copy of a pipeline; a key says all that is drawn.

    Parameters
    ----------
    made : Root
        The copy.
    sample : mapping
        What the pipeline is called with.
    key : int
        Of 64 bits.
    pixels : bool
        Whether images and masks go through too.
    trace : list of Step, optional
        Takes each step when it is applied.

    Returns
    -------
    result, passage
        What the pipeline makes of the sample; and its passage, None where the pipeline's own p did not apply it.

    Raises
    ------
    PolicyError
        Where pixels are needed, and not asked for.
    """
    if not pixels and not made.guard_dries(sample):
        _refuse(made)
    with made.guard_streams.apart(key):
        made.guard_base, made.guard_calls = mixed(key ^ MASK), 0
        went: Passed = made.guard_through(
            (), False, dict(sample), Mode(dry=not pixels, trace=[] if trace is None else trace)
        )
        return went


def _copied(pipeline: Any) -> Any:
    """Return a guarded pipeline again, with what is counted in it at zero."""
    return guarded(pipeline, pipeline.guard_policy, pipeline.guard_reading._asdict(), move_fixed=pipeline.guard_fixed)


def _only_followed(pipeline: Any, reading: Mapping[str, Any]) -> Any:
    """Return a copy of a plain pipeline that asks nothing of its steps."""
    return guarded(pipeline, Policy(min_retention=0.0, min_rank=0.0), reading)


def _refuse(made: Any) -> None:
    if made.guard_reading.protect == "saliency":
        raise PolicyError(
            "a saliency map is made of pixels, so the pipeline cannot be followed without. Ask for pixels=True"
        )
    names = needy(made) or [leaf.name for leaf in made.guard_steps if isinstance(leaf.inner, Guarded)]
    raise PolicyError(
        f"the pipeline cannot be followed without pixels: step {', step '.join(names)} draws from images or masks, or "
        "is nobody's that is known. Ask for pixels=True"
    )


def _key(rng: Rng) -> int:
    if isinstance(rng, random.Random):
        return rng.getrandbits(64)
    return int(rng.integers(2**64, dtype=np.uint64))
