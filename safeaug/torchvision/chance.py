"""Chance of the guard's own beside the host's, which is torch's global generator.

The host's transforms draw from torch's global generator; the older ones, and timm's, from Python's as well. A guard
consumes neither: what it draws itself derives from the state in which the host's own draw has left them. That state is
read only where a draw fails, so a draw that passes pays nothing.
"""

import ctypes
import hashlib
import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

from safeaug.geometry import Window
from safeaug.guarding import Stream
from safeaug.splitmix import keyed

TOLD = 280
"""Bytes of the state of torch's generator that tell it from others: its seed, how far it has come, and the first of its
numbers. All 5056 take twice as long."""


def fork_of(first: Window, place: int = 0, *, python: bool = False) -> Stream:
    """Return a generator that derives from the host's, as it stands now.

    Parameters
    ----------
    first : (x0, y0, x1, y1)
        The window that the host drew; whole numbers.
    place : int, default 0
        Where in a pipeline the transform stands: two that draw nothing between them see the same state.
    python : bool, default False
        Whether the host draws from Python's generator too.

    Examples
    --------
    >>> _ = torch.manual_seed(0)
    >>> one, other = fork_of((0, 0, 4, 4)), fork_of((0, 0, 4, 4))
    >>> one.random() == other.random(), fork_of((0, 0, 4, 4), 1).random() == fork_of((0, 0, 4, 4)).random()
    (True, False)
    """
    words = torch.default_generator.get_state()
    state = ctypes.string_at(words.data_ptr(), TOLD)  # an array of numpy would take longer than all the rest
    if python:
        state += repr(random.getstate()).encode()
    base = int.from_bytes(hashlib.blake2b(state, digest_size=8).digest(), "little")
    x0, y0, x1, y1 = map(int, first)
    return Stream(keyed(base, place, (x0, y0, x1, y1)))


@contextmanager
def apart(key: int, *, python: bool = False) -> Iterator[None]:
    """Let torch's global generator draw from a key, and put it back where it was.

    Threads that draw at the same time draw from the key too, and may draw the same numbers again afterwards: in one
    process seeds say nothing where several threads draw.

    Parameters
    ----------
    key : int
        Of 64 bits. The same key gives the same numbers.
    python : bool, default False
        Whether the global generators of Python and of numpy do so too.

    Examples
    --------
    >>> _ = torch.manual_seed(0)
    >>> with apart(7):
    ...     aside = torch.rand(1)
    >>> first = torch.rand(1)
    >>> _ = torch.manual_seed(0)
    >>> bool(torch.rand(1) == first), bool(aside == first)
    (True, False)
    """
    host = torch.default_generator
    before = host.get_state()
    others = (random.getstate(), np.random.get_state()) if python else None  # noqa: NPY002  # others draw from it
    host.manual_seed(key)
    if python:
        random.seed(key)
        np.random.seed(key % 2**32)  # noqa: NPY002  # as above
    try:
        yield
    finally:
        host.set_state(before)
        if others is not None:
            random.setstate(others[0])
            np.random.set_state(others[1])  # noqa: NPY002  # as above
