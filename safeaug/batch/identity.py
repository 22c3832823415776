"""Which stream of numbers each sample of a batch has: by the ids that the caller gives, or by a count of its own."""

import os
import threading
from contextlib import nullcontext
from numbers import Integral
from typing import Any

import torch
from torch import Tensor

from safeaug.batch.moved import sent
from safeaug.batch.philox import MASK
from safeaug.errors import ContentError, PolicyError
from safeaug.splitmix import GAMMA, mixed
from safeaug.splitmix import MASK as LONG


def seed_words(seed: int | None) -> Tensor:
    """Return the key of a seed, of shape (2,): its low 64 bits. Without one it is drawn from torch's global generator.

    Raises
    ------
    PolicyError
        On a seed that is no whole number.
    """
    if seed is None:
        return torch.randint(MASK + 1, (2,))
    if isinstance(seed, bool) or not isinstance(seed, Integral):
        raise PolicyError(f"seed must be a whole number or None, got {seed!r}")
    number = int(seed)
    return torch.tensor([number & MASK, number >> 32 & MASK])


class Turn:
    """A lock that a module may hold: threads that share one count in turn. Copies, and forked processes, begin anew."""

    def __init__(self) -> None:
        self._lock, self._process = threading.Lock(), os.getpid()

    def __enter__(self) -> None:
        if self._process != os.getpid():  # it may have been held by a thread that does not live here
            self._lock, self._process = threading.Lock(), os.getpid()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[Any, ...]:
        return Turn, ()


def identities(sample_ids: Any, count: int, counter: Tensor, turn: Turn | None = None) -> Tensor:
    """Return the id of each sample of a batch, of shape (B,), int64.

    Parameters
    ----------
    sample_ids : Tensor of shape (B,), sequence of int, or None
        What the caller says. Without it the samples are counted, apart for each rank and each loader's worker, in a
        range that ids of less than 2³² never meet.
    count : int
        Samples of the batch.
    counter : Tensor of shape (), int64
        Samples counted so far; it is moved on.
    turn : Turn, optional
        What threads that share the counter wait for.

    Raises
    ------
    ContentError
        On anything but one whole number a sample.
    """
    if sample_ids is None:
        with nullcontext() if turn is None or torch.compiler.is_compiling() else turn:
            first = counter.clone()
            counter += count
        counted: Tensor = first + torch.arange(count, device=counter.device) + (_place() << 32)
        return counted
    ids = sample_ids if isinstance(sample_ids, Tensor) else _tensor(sample_ids)
    if ids.shape != (count,) or ids.is_floating_point() or ids.is_complex() or ids.dtype is torch.bool:
        raise ContentError(
            f"sample_ids must be whole numbers of shape ({count},), one an image, got "
            f"{str(ids.dtype).removeprefix('torch.')} of shape {tuple(ids.shape)}; a dataset's index will do"
        )
    return sent(ids.long(), counter.device)


def _tensor(ids: Any) -> Tensor:
    try:
        return torch.as_tensor(ids)
    except (TypeError, ValueError, RuntimeError):
        raise ContentError(f"sample_ids must be whole numbers, one an image, got {ids!r}") from None


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _place() -> int:
    """Return a number from 1 to 2³¹ - 1 for this rank and, in a loader's worker, this worker in this epoch."""
    worker = torch.utils.data.get_worker_info()
    distributed = torch.distributed
    rank = distributed.get_rank() if distributed.is_available() and distributed.is_initialized() else 0
    if worker is None:
        return 1 + rank
    # A worker begins each epoch with the counter of the process that made it, and with another seed.
    return 1 << 30 | mixed((worker.seed + rank * GAMMA) & LONG) >> 34
