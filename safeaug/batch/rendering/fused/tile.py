"""How much of an output one program of the kernel draws."""

from typing import NamedTuple


class Tile(NamedTuple):
    """How much of an output one program of the kernel draws; powers of two, of at least 16.

    Parameters
    ----------
    rows, columns : int
        Pixels of the output.
    depth : int
        Source rows that are filtered at a time.
    warps : int
        How many times 32 threads share it.
    """

    rows: int = 16
    columns: int = 64
    depth: int = 16
    warps: int = 4


TILE = Tile()
"""Few registers and little shared memory, so that many programs hide each other's waiting; and little drawn in vain."""
