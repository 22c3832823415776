"""The search on tensors alone: for CUDA, where reading one number back costs more than the whole search.

`elsewhere` finds the windows that `safeaug.search.elsewhere` finds, to the bit, without a branch on any value. Where
the scalar search stops at the first candidate that succeeds, this one counts the feasible positions of all candidates,
picks the first that has one, and places that one alone. Every operation on a real number is the scalar code's, in its
order; what differs is only what is looked at in vain.

task.py          one search of a batch: what it was asked
pick.py          the first that is true, the stretch that a mark falls in
sizes.py         the list of candidates: drawn, redrawn, lattice, ladder
rectangle.py     positions within a rectangle: of one object, of all, around those of some
columns.py       the feasible rows of every column, and the sweep over their ends
positions.py     the exact set of feasible positions, counted and drawn from
place.py         where candidates may stand, and one of each sample placed
meetings.py      sets of objects that one window may keep
most.py          what can be kept where not everything can
shares.py        retention in every column, and the climb to where it is greatest
greatest_sum.py  the greatest sum of retentions, where no window sees all objects
least_lost.py    what loses least where nothing can be kept
settle.py        where a draw goes that cannot keep its promise
memory.py        how much is looked at at a time
search.py        all of it

To the bit holds for plain torch on any device, and for what it compiles for a CPU. Compiled for CUDA, a product and a
sum may become one operation, rounded once, unless ``torch.compile(..., options={"emulate_precision_casts": True})``
keeps them apart; without that a window may differ from the scalar one, and is as good within the tolerance.
"""

from safeaug.batch.branchless.search import elsewhere

__all__ = ["elsewhere"]
