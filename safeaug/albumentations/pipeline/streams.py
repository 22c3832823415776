"""Chance of its own for every part of a pipeline, for as long as a draw takes.

A key and a part's place among the parts say all its numbers. So a draw can be made without pixels first, passing over
the steps that only need these, and then be made again with them: what one step draws shifts no other's numbers.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from safeaug.albumentations.fork import Fork
from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.pipeline.leaf import Leaf
from safeaug.splitmix import GAMMA, MASK, mixed

OF_A_GUARDED = "_base", "_calls", "_fork"
"""What a drop-in's own draws derive from."""


def parts_of(root: Any) -> list[Any]:
    """Return a pipeline and all its parts that draw, each once, what `Safe` holds among them."""
    found: dict[int, Any] = {}
    waiting = [root]
    while waiting:
        part = waiting.pop()
        if id(part) not in found and hasattr(part, "py_random"):
            found[id(part)] = part
            waiting += reversed([*getattr(part, "transforms", ()), getattr(part, "inner", None)])
    return list(found.values())


@contextmanager
def apart(parts: list[Any], leaves: list[Leaf], key: int) -> Iterator[None]:
    """Let each part draw numbers of its own within; afterwards all is as before.

    Parameters
    ----------
    parts : list
        All that draw, in a fixed order.
    leaves : list of Leaf
        The guarded steps among them.
    key : int
        Says all numbers, together with the order.
    """
    before = [{name: vars(part)[name] for name in _names(part)} for part in parts]
    bases = [(leaf.base, leaf.calls) for leaf in leaves]
    try:
        for number, part in enumerate(parts):
            own = mixed((key + number * GAMMA) & MASK)
            part.__dict__.update(random_generator=_generator(own), py_random=Fork(mixed(own ^ MASK)))
            if isinstance(part, Guarded):
                part.__dict__.update(_base=own, _calls=0, _fork=Fork())
        for number, leaf in enumerate(leaves, start=1):
            leaf.rebase(mixed((key ^ number * GAMMA) & MASK))
        yield
    finally:
        for part, state in zip(parts, before, strict=True):
            part.__dict__.update(state)
        for leaf, (base, calls) in zip(leaves, bases, strict=True):
            leaf.base, leaf.calls = base, calls


def _names(part: Any) -> list[str]:
    return ["random_generator", "py_random", *(OF_A_GUARDED if isinstance(part, Guarded) else ())]


def _generator(key: int) -> np.random.Generator:
    """Return a generator that begins at a key. Setting a state takes a tenth of the time of seeding."""
    bits = np.random.PCG64(0)
    state: Any = {"state": mixed(key) << 64 | mixed(key ^ GAMMA), "inc": mixed(key + 1 & MASK) << 1 | 1}
    bits.state = {"bit_generator": "PCG64", "state": state, "has_uint32": 0, "uinteger": 0}
    return np.random.Generator(bits)
