"""Chance of its own for every part of a pipeline, for as long as a draw takes.

A key and a part's place among the parts say all its numbers. So a draw can be made without pixels first, passing over
the steps that only need these, and then be made again with them: what one step draws shifts no other's numbers.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.pipeline.leaf import Leaf
from safeaug.guarding.fork import Fork, state_of
from safeaug.splitmix import GAMMA, MASK, mixed

OF_A_GUARDED = "_base", "_calls", "_fork"
"""What a drop-in's own draws derive from."""


class Streams:
    """All parts of a pipeline that draw, and spare generators for them.

    Parameters
    ----------
    root : BaseCompose or BasicTransform
        The pipeline, what `Safe` holds among its parts.
    leaves : list of Leaf
        Its guarded steps.
    """

    def __init__(self, root: Any, leaves: list[Leaf]) -> None:
        self.parts, self.leaves = parts_of(root), leaves
        # Making one takes ten times as long as setting its state.
        self.spares = [(np.random.Generator(np.random.PCG64(0)), Fork()) for _ in self.parts]
        self._lock, self._process = threading.RLock(), os.getpid()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None, "_process": None}

    @contextmanager
    def apart(self, key: int) -> Iterator[None]:
        """Let each part draw numbers of its own within, all of which a key says; afterwards all is as before.

        Threads that share a pipeline take turns: else one might take the other's numbers for what was before. Within, a
        draw may be made anew.
        """
        if self._process != os.getpid():  # the parent's may have been held by a thread that does not live here
            self._lock, self._process = threading.RLock(), os.getpid()
        with self._lock, self._apart(key):
            yield

    @contextmanager
    def _apart(self, key: int) -> Iterator[None]:
        before = [{name: vars(part)[name] for name in _names(part)} for part in self.parts]
        bases = [(leaf.base, leaf.calls) for leaf in self.leaves]
        try:
            for number, (part, (generator, fork)) in enumerate(zip(self.parts, self.spares, strict=True)):
                own = mixed((key + number * GAMMA) & MASK)
                generator.bit_generator.state = state_of(own)
                fork.seed(mixed(own ^ MASK))
                part.__dict__.update(random_generator=generator, py_random=fork)
                if isinstance(part, Guarded):
                    part.__dict__.update(_base=own, _calls=0, _fork=Fork())
            for number, leaf in enumerate(self.leaves, start=1):
                leaf.rebase(mixed((key ^ number * GAMMA) & MASK))
            yield
        finally:
            for part, state in zip(self.parts, before, strict=True):
                part.__dict__.update(state)
            for leaf, (base, calls) in zip(self.leaves, bases, strict=True):
                leaf.base, leaf.calls = base, calls


def parts_of(root: Any) -> list[Any]:
    """Return a pipeline and all its parts that draw, each once, in a fixed order."""
    found: dict[int, Any] = {}
    waiting = [root]
    while waiting:
        part = waiting.pop()
        if id(part) not in found and hasattr(part, "py_random"):
            found[id(part)] = part
            waiting += reversed([*getattr(part, "transforms", ()), getattr(part, "inner", None)])
    return list(found.values())


def _names(part: Any) -> list[str]:
    return ["random_generator", "py_random", *(OF_A_GUARDED if isinstance(part, Guarded) else ())]
