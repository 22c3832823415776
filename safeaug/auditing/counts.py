"""Everything that is counted of the draws of a block, as tables that add up."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from safeaug.auditing import blame, curve, emptiers, fate_counts, pictures, strata, totals
from safeaug.auditing.bins import Ints
from safeaug.auditing.block import Block
from safeaug.auditing.seen import Seen
from safeaug.auditing.table import Layout, Table, renumbered, total
from safeaug.auditing.turns import Turns


class Counts(NamedTuple):
    """Tables of counts. `LAYOUTS` says how their keys are made.

    Parameters
    ----------
    totals, statuses : Table
        Samples, objects and draws; draws by how they ended.
    damage, emptied : Table
        Judged draws by stratum and by the limits that damage, or empty, them.
    emptiers : Table
        Draws that some limit empties by the step to blame.
    objects : Table
        Objects of judged draws by stratum and by what is left of them.
    blame, cases : Table
        Damaged objects by the step to blame.
    taken, amounts, applied : Table
        What each step took when it was drawn, the sum of that, and in how many draws it was.
    areas : Table
        Sums of the picture area left, by the limits that damage the draw.
    pictures, shown : Table
        Area, padding and stretch of draws by shape of image, and sums of the first two.
    """

    totals: Table
    statuses: Table
    damage: Table
    emptied: Table
    emptiers: Table
    objects: Table
    blame: Table
    cases: Table
    taken: Table
    amounts: Table
    applied: Table
    areas: Table
    pictures: Table
    shown: Table


LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "totals": totals.LAYOUT,
        "statuses": totals.STATUSES,
        "damage": strata.LAYOUT,
        "emptied": strata.LAYOUT,
        "emptiers": emptiers.LAYOUT,
        "objects": fate_counts.LAYOUT,
        "blame": blame.LAYOUT,
        "cases": blame.CASES,
        "taken": blame.TAKEN,
        "amounts": blame.STEP,
        "applied": blame.STEP,
        "areas": curve.LAYOUT,
        "pictures": pictures.LAYOUT,
        "shown": pictures.SUMS,
    }
)
"""Of each table of `Counts`, how its keys are made."""


def counts_of(block: Block, seen: Seen, turns: Turns) -> Counts:
    """Return all counts of a block."""
    by_step, shown = blame.blame_of(seen), pictures.pictures_of(block, seen)
    return Counts(
        totals=totals.totals_of(block, seen),
        statuses=totals.statuses_of(block),
        damage=strata.damage_of(seen, turns),
        emptied=strata.emptied_of(seen, turns),
        emptiers=emptiers.emptiers_of(seen, turns),
        objects=fate_counts.objects_of(seen),
        blame=by_step.objects,
        cases=by_step.cases,
        taken=by_step.taken,
        amounts=by_step.amounts,
        applied=by_step.applied,
        areas=curve.areas_of(seen, turns, block.drawn.area),
        pictures=shown.bins,
        shown=shown.amounts,
    )


def all_counts(parts: Sequence[Counts]) -> Counts:
    """Return the sums of tables whose labels are numbered alike."""
    return Counts(*(total(tables) for tables in zip(*parts, strict=True)))


def relabelled(counts: Counts, numbers: Ints) -> Counts:
    """Return counts in which label i has become ``numbers[i]``; 0 stays 0."""
    if np.array_equal(numbers, np.arange(len(numbers))):
        return counts
    return Counts(
        *(
            renumbered(layout, table, numbers) if layout.names[0] == "label" else table
            for layout, table in zip(LAYOUTS.values(), counts, strict=True)
        )
    )
