"""What each step of a pipeline does to one sample."""

import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from safeaug.errors import PolicyError
from safeaug.guarding import Guise, Mode
from safeaug.policy import Policy
from safeaug.records import Step
from safeaug.torchvision.chance import apart
from safeaug.torchvision.pipeline.dry import without_pixels
from safeaug.torchvision.pipeline.guard import guarded
from safeaug.torchvision.pipeline.root import Root, begun, through

Rng = np.random.Generator | random.Random
Trace = Callable[[Any, Rng, bool], list[Step]]
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
        Later, where pixels are needed and not asked for.
    """
    made = (
        _copied(pipeline)
        if isinstance(pipeline, Root)
        else guarded(pipeline, Policy(min_retention=0.0, min_rank=0.0), reading)
    )
    state, plain = made.guard_state, made.guard_plain()

    def trace(sample: Any, rng: Rng, pixels: bool) -> list[Step]:
        if not pixels and state.reading.protect == "saliency":
            raise PolicyError(
                "a saliency map is made of pixels, so the pipeline cannot be followed without. Ask for pixels=True"
            )
        if not pixels and not state.dries:
            names = [leaf.name for leaf in state.steps if leaf.opaque] or ["of v1"]
            raise PolicyError(
                f"the pipeline cannot be followed without pixels: step {', step '.join(names)} needs them. Ask for "
                "pixels=True"
            )
        with apart(_key(rng), python=True):
            given = sample if pixels else without_pixels(sample)
            _, passage = through(state, plain, (given,), Mode(dry=not pixels, trace=[]), begun(state, (sample,)))
        return passage.mode.trace or []

    return trace


def _copied(pipeline: Guise) -> Any:
    """Return a guarded pipeline again, with what is counted in it at zero."""
    state: Any = pipeline.guard_state  # type: ignore[attr-defined]  # of a Root
    return guarded(pipeline, state.policy, state.reading._asdict(), move_fixed=state.move_fixed)


def _key(rng: Rng) -> int:
    if isinstance(rng, random.Random):
        return rng.getrandbits(64)
    return int(rng.integers(2**64, dtype=np.uint64))
