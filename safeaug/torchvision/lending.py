"""A generator of one's own in the place of torch's global one, which is all that the host draws from."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch.utils.data import get_worker_info

from safeaug.errors import PolicyError

_LENT: ContextVar[tuple[torch.Generator, ...]] = ContextVar("safeaug_lent", default=())
"""The generators that stand in the global one's place now."""


class Lender:
    """A generator that stands in for torch's global one where a transform draws.

    In a worker of a loader it begins anew, from where it stood and from the worker's seed, so that workers and epochs
    differ as they do with the global one. A pickle or a copy holds a generator of its own, which stands where this one
    stood: transforms that share one share it no longer in a spawned worker.

    Parameters
    ----------
    generator : torch.Generator
        Of the CPU.

    Raises
    ------
    PolicyError
        Where it is something else.
    """

    def __init__(self, generator: Any) -> None:
        if not isinstance(generator, torch.Generator) or generator.device.type != "cpu":
            got = f"one on {generator.device}" if isinstance(generator, torch.Generator) else repr(generator)
            raise PolicyError(
                f"generator must be a torch.Generator of the CPU, on which the host draws its parameters, got {got}"
            )
        self.generator = generator
        self._worker: int | None = None

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Let the host draw from this generator; the global one is left as it was."""
        if any(each is self.generator for each in _LENT.get()):
            yield
            return
        self._begin_in_worker()
        host = torch.default_generator
        before, token = host.get_state(), _LENT.set((*_LENT.get(), self.generator))
        host.set_state(self.generator.get_state())
        try:
            yield
        finally:
            self.generator.set_state(host.get_state())
            host.set_state(before)
            _LENT.reset(token)

    def __reduce__(self) -> tuple[Any, ...]:
        # As bytes: a generator's own pickle holds a tensor, which torch cannot hand to a spawned worker.
        return _standing_at, (self.generator.get_state().numpy().tobytes(), self._worker)

    def _begin_in_worker(self) -> None:
        info: Any = get_worker_info()
        if info is None or info.seed == self._worker:
            return
        self._worker = info.seed
        # From where it stands: another transform that shares the generator may have begun, and drawn, before.
        state = self.generator.get_state().numpy().tobytes() + info.seed.to_bytes(8, "little")
        self.generator.manual_seed(int.from_bytes(hashlib.blake2b(state, digest_size=8).digest(), "little"))


def _standing_at(state: bytes, worker: int | None) -> Lender:
    generator = torch.Generator()
    generator.set_state(torch.frombuffer(bytearray(state), dtype=torch.uint8))
    lender = Lender(generator)
    lender._worker = worker
    return lender
