"""Chance of the guard's own beside torch's global generator, which is the host's.

The host's transforms draw from torch's global generator and nothing else. A guard never consumes it: what it draws
itself derives from the state in which the host's own draw has left that generator. The state is read only where a draw
fails, so a draw that passes pays nothing.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from safeaug.geometry import Window
from safeaug.guarding import Fork
from safeaug.splitmix import keyed


def fork_of(first: Window, place: int = 0) -> Fork:
    """Return a generator that derives from the host's, as it stands now.

    Parameters
    ----------
    first : (x0, y0, x1, y1)
        The window that the host drew; whole numbers.
    place : int, default 0
        Where in a pipeline the transform stands: two that draw nothing between them see the same state.

    Examples
    --------
    >>> _ = torch.manual_seed(0)
    >>> one, other = fork_of((0, 0, 4, 4)), fork_of((0, 0, 4, 4))
    >>> one.random() == other.random(), fork_of((0, 0, 4, 4), 1).random() == fork_of((0, 0, 4, 4)).random()
    (True, False)
    """
    state = torch.default_generator.get_state().numpy().tobytes()
    base = int.from_bytes(hashlib.blake2b(state, digest_size=8).digest(), "little")
    x0, y0, x1, y1 = map(int, first)
    return Fork(keyed(base, place, (x0, y0, x1, y1)))


@contextmanager
def apart(key: int) -> Iterator[None]:
    """Let torch's global generator draw from a key, and put it back where it was.

    Parameters
    ----------
    key : int
        Of 64 bits. The same key gives the same numbers.

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
    host.manual_seed(key)
    try:
        yield
    finally:
        host.set_state(before)
