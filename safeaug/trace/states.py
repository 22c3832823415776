"""The generators from which draws are made: their states taken, compared, and put back.

The global ones of Python, numpy and torch, and those that albumentations gives its transforms. A library that is not
loaded has drawn nothing.
"""

import hashlib
import random
import sys
from typing import Any, NamedTuple

import numpy as np


class States(NamedTuple):
    """Of all global generators, and of a pipeline's own."""

    python: Any
    numpy: Any
    torch: Any
    own: tuple[Any, ...] = ()


def taken(parts: tuple[Any, ...] = ()) -> States:
    """Return the states that generators are in now.

    Parameters
    ----------
    parts : tuple
        What has generators of its own: transforms of albumentations.
    """
    torch = sys.modules.get("torch")
    return States(
        random.getstate(),
        np.random.get_state(),  # noqa: NPY002  # the legacy generator is what pipelines draw from
        None if torch is None else torch.get_rng_state(),
        own_states(parts),
    )


def own_states(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the states of the generators that parts of a pipeline have."""
    return tuple((part.py_random.getstate(), part.random_generator.bit_generator.state) for part in parts)


def put_back(states: States, parts: tuple[Any, ...] = ()) -> None:
    """Let generators draw again what they drew from some states on."""
    random.setstate(states.python)
    np.random.set_state(states.numpy)  # noqa: NPY002  # as above
    if states.torch is not None:
        sys.modules["torch"].set_rng_state(states.torch)
    for part, (python, numpy) in zip(parts, states.own, strict=False):
        part.py_random.setstate(python)
        part.random_generator.bit_generator.state = numpy


def drawn_from(before: States, after: States) -> int | None:
    """Return a number that tells the states of those generators that have been drawn from; None where none has."""
    changed = [
        repr(was).encode() if not hasattr(was, "numpy") else was.numpy().tobytes()
        for was, now in zip(_flat(before), _flat(after), strict=False)
        if not _alike(was, now)
    ]
    if not changed:
        return None
    return int.from_bytes(hashlib.blake2b(b"|".join(changed), digest_size=8).digest(), "little")


def own_generators(pipeline: Any) -> tuple[Any, ...]:
    """Return all parts of a pipeline that have generators of their own, each once."""
    found: dict[int, Any] = {}
    waiting = [pipeline]
    while waiting:
        part = waiting.pop()
        if id(part) not in found and hasattr(part, "py_random") and hasattr(part, "random_generator"):
            found[id(part)] = part
            waiting += reversed(list(getattr(part, "transforms", ())))
    return tuple(found.values())


def _flat(states: States) -> list[Any]:
    numpy = states.numpy
    own = [each for pair in states.own for each in pair]
    return [states.python, (numpy[1].tobytes(), *numpy[2:]), states.torch, *own]


def _alike(one: Any, other: Any) -> bool:
    if hasattr(one, "numpy") and hasattr(other, "numpy"):
        return bool((one == other).all())
    return bool(one == other)
