"""SplitMix64 in plain functions: a sequence is one whole number, and beginning another costs nothing.

The state counts up by a fixed odd step; the next number is the state with its bits mixed [1]_.

References
----------
.. [1] G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from typing import Final, Protocol

MASK: Final = (1 << 64) - 1
"""The bits of a state."""

GAMMA: Final = 0x9E3779B97F4A7C15
"""The odd number nearest to 2⁶⁴ over the golden ratio: the step of the counter."""


class Stream(Protocol):
    """Whatever holds the state of a sequence, which each number that is taken from it moves on."""

    state: int


def mixed(number: int) -> int:
    """Return a number of 64 bits, all of whose bits depend on all bits of the given one.

    Examples
    --------
    >>> hex(mixed(GAMMA))
    '0xe220a8397b1dcdaf'
    """
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & MASK
    return number ^ number >> 31


def uniform(stream: Stream) -> float:
    """Return the next number of a stream, of 53 bits in [0, 1).

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> stream = SimpleNamespace(state=0)
    >>> uniform(stream), hex(stream.state)
    (0.8833108082136426, '0x9e3779b97f4a7c15')
    """
    stream.state = state = stream.state + GAMMA & MASK
    return (mixed(state) >> 11) * 2.0**-53


def keyed(base: int, call: int, window: tuple[int, int, int, int]) -> int:
    """Return the state in which the stream of one draw begins.

    Parameters
    ----------
    base : int
        Key of the generators that the host draws from.
    call : int
        Number of the draw.
    window : (x0, y0, x1, y1)
        What the host drew, in whole pixels. Transforms that share their generators share base and number, and differ
        in this.

    Returns
    -------
    int
        Of 64 bits.
    """
    x0, y0, x1, y1 = window
    drawn = x0 << 48 ^ y0 << 32 ^ x1 << 16 ^ y1
    return mixed((base + call * GAMMA ^ drawn) & MASK)
