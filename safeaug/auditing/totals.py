"""How many samples, objects and draws there were, and what came of the draws."""

import msgspec
import numpy as np

from safeaug.auditing.block import Block
from safeaug.auditing.seen import Seen
from safeaug.auditing.table import Layout, Table, summed
from safeaug.auditing.table import counted as tallied
from safeaug.policy import Status

LAYOUT = Layout(("total",), ())
"""Keys of the totals: the fields of `Counted`, in order."""

STATUSES = Layout(("status",), ())
"""Keys of the draws that were measured: the numbers of `Status`."""


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """How many there were.

    Parameters
    ----------
    samples, objects, counted : int
        Samples, their objects, and those of them that count.
    draws : int
        All draws, which are of four sorts.
    failed, unknown, empty, judged : int
        Draws in which the pipeline raised; of which nobody can tell what is left of an object; of samples without an
        object that counts; and those that are judged, of which all rates are made.
    """

    samples: int = 0
    objects: int = 0
    counted: int = 0
    draws: int = 0
    failed: int = 0
    unknown: int = 0
    empty: int = 0
    judged: int = 0


def totals_of(block: Block, seen: Seen) -> Table:
    """Return how many there are in a block. Samples and their objects count where their first draw is."""
    here = 1 if block.first == 0 and block.valid.shape[1] else 0
    amounts = [
        here * len(block.samples),
        here * len(block.labels),
        here * len(seen.owner),
        block.valid.size,
        block.valid.size - int(block.valid.sum()),
        int(seen.unknown.sum()),
        int(seen.empty.sum()),
        int(seen.judged.sum()),
    ]
    return summed(np.arange(len(amounts)), np.array(amounts, np.int64))


def totals_in(table: Table) -> Counted:
    """Return totals by name."""
    amounts = dict(zip(table.keys.tolist(), table.counts.tolist(), strict=True))
    return Counted(**{name: amounts.get(i, 0) for i, name in enumerate(Counted.__struct_fields__)})


def statuses_of(block: Block) -> Table:
    """Return how many draws of a block ended how."""
    return tallied(block.drawn.status[block.valid].astype(np.int64))


def statuses_in(table: Table) -> dict[str, int]:
    """Return the number of draws by the name of their status, those that occurred only."""
    return {Status(key).name: count for key, count in zip(table.keys.tolist(), table.counts.tolist(), strict=True)}
