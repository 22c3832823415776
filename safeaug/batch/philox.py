"""Philox4x32-10 on tensors of whole numbers: chance that is addressed, not consumed.

A counter of four words of 32 bits and a key of two become four random words [1]_. What a number is depends on its
address alone, so any sample of any batch, on any device, finds its own numbers without a state to hand around.

References
----------
.. [1] J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.
"""

import torch
from torch import Tensor

MASK = 0xFFFFFFFF
"""The bits of a word."""

_ROUNDS = 10
_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
_WEYL = 0x9E3779B9, 0xBB67AE85


def philox(counter: Tensor, key: Tensor) -> Tensor:
    """Return the random words at some counters.

    Parameters
    ----------
    counter : Tensor of shape (..., 4), int64
        Words of 32 bits.
    key : Tensor of shape (2,), int64
        Words of 32 bits.

    Returns
    -------
    Tensor of shape (..., 4), int64
        Words of 32 bits.

    Examples
    --------
    >>> words = philox(torch.zeros(4, dtype=torch.int64), torch.zeros(2, dtype=torch.int64))
    >>> [hex(word) for word in words.tolist()]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    forth, back = _pair(_MULTIPLIERS, key.device), _pair(_MULTIPLIERS[::-1], key.device)
    keys = key + torch.arange(_ROUNDS, device=key.device)[:, None] * _pair(_WEYL, key.device) & MASK
    # Words 0 and 2 are multiplied, 1 and 3 are not. A pair at a time halves the number of calls, and a round leaves
    # the pairs in the other order, which the next one takes as it finds it.
    even, odd = counter[..., 0::2], counter[..., 1::2]
    for i in range(_ROUNDS):
        swapped = i % 2 == 1
        product = even * (back if swapped else forth)  # wraps at 64 bits, as it should
        even = (product >> 32 & MASK) ^ odd.flip(-1) ^ (keys[i] if swapped else keys[i].flip(0))
        odd = product & MASK
    return torch.stack([even[..., 0], odd[..., 0], even[..., 1], odd[..., 1]], dim=-1)


def _pair(words: tuple[int, int], device: torch.device) -> Tensor:
    """Return two constants; filled in on the device, since a copy from the host would wait for it."""
    return torch.cat([torch.full((1,), word, dtype=torch.int64, device=device) for word in words])
