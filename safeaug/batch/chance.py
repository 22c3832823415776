"""The chance of a batch: for every sample a stream of its own, at fixed addresses for each purpose.

The counter of Philox is ``(address, epoch, low word of the id, high word of the id)``, its key is the seed. So a sample
of some id meets the same numbers in any batch, order, worker, rank and on any device, and others in every epoch.

An address is a stream and a block of four words in it. Streams have the numbers of `safeaug.task`: candidate ``n`` of a
search has stream ``n``, what is decided once a draw has a negative one. Of a candidate's stream the first half places
the window, the second half draws it as the host does.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.batch.philox import MASK, philox

BLOCKS = 8
"""Blocks of four words that a stream has."""

WORDS = 4 * BLOCKS

HOST = WORDS // 2
"""Where, in a candidate's stream, the words begin from which the host's own draw is made."""

FLIP, APPLIED = -5, -6
"""Streams beside those of `safeaug.task`: whether the sample is mirrored; whether the host applies itself at all."""

_BELOW_ZERO = 8
"""Streams of negative numbers."""


class Chance(NamedTuple):
    """Where the numbers of a batch come from.

    Parameters
    ----------
    key : Tensor of shape (2,), int64
        The seed, as two words of 32 bits.
    epoch : Tensor of shape (), int64
        How often the data has been seen; its low 32 bits count.
    ids : Tensor of shape (B,), int64
        Which sample each is.
    """

    key: Tensor
    epoch: Tensor
    ids: Tensor

    def words(self, streams: Tensor, first: int = 0, count: int = WORDS) -> Tensor:
        """Return random words.

        Parameters
        ----------
        streams : Tensor of shape (B, K) or (1, K), int64
            Numbers of streams.
        first, count : int
            Which words of each stream; multiples of four.

        Returns
        -------
        Tensor of shape (B, K, count), int64
            Words of 32 bits.
        """
        blocks = torch.arange(first // 4, (first + count) // 4, device=self.ids.device)
        address = ((streams + _BELOW_ZERO) * BLOCKS)[..., None] + blocks
        ids = self.ids[:, None, None].expand(-1, streams.shape[1], len(blocks))
        counter = [address.expand_as(ids), (self.epoch & MASK).expand_as(ids), ids & MASK, ids >> 32 & MASK]
        return philox(torch.stack(counter, dim=-1), self.key).flatten(-2)

    def of(self, rows: Tensor) -> "Chance":
        """Return the chance of some samples, given by their place in the batch."""
        return self._replace(ids=self.ids[rows])

    def once(self, stream: int) -> Tensor:
        """Return the first uniform number, of shape (B,), of one stream."""
        return uniform(self.words(torch.full((1, 1), stream, device=self.ids.device), count=4)[:, 0, 0])


def uniform(words: Tensor) -> Tensor:
    """Return words as float64 in [0, 1): exact, so ``floor(u * n)`` is the same in plain numbers and in tensors."""
    return words.to(torch.float64) * 2.0**-32


def reader(words: list[int]) -> Callable[[], float]:
    """Return what reads the words of one stream as uniform numbers, one after the other.

    Examples
    --------
    >>> uniform = reader([1 << 31, 3 << 30])
    >>> uniform(), uniform()
    (0.5, 0.75)
    """
    following = iter(words)
    return lambda: next(following) * 2.0**-32
