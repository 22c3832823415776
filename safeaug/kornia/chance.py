"""Chance of the guard's own beside the host's, which draws from torch's generators and is left alone."""

import hashlib

import torch
from torch import Tensor

from safeaug.batch.chance import Chance
from safeaug.batch.identity import seed_words

TOLD = 280
"""Bytes of the state of torch's generator that tell it from others: its seed, how far it has come, and the first of its
numbers."""


def chance_of(seed: int | None, windows: Tensor) -> Chance:
    """Return where a guard's numbers come from: each row of a batch has a stream of its own.

    Parameters
    ----------
    seed : int or None
        The caller's; without one they derive from torch's generator of the CPU as the host's draw has left it.
    windows : Tensor of shape (B, 4), int64
        What the host drew. It is part of the key, so one seed gives other numbers for every draw.

    Raises
    ------
    PolicyError
        On a seed that is no whole number.
    """
    words = torch.default_generator.get_state()[:TOLD] if seed is None else seed_words(seed)
    told = words.numpy().tobytes() + windows.contiguous().numpy().tobytes()
    key = int.from_bytes(hashlib.blake2b(told, digest_size=8).digest(), "little")
    return Chance(seed_words(key), torch.zeros((), dtype=torch.int64), torch.arange(len(windows)))
