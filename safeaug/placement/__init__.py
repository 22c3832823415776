"""Where a window of one size may stand: exact, over all integer positions of a domain.

Of boxes, for a fixed column x the feasible rows of one object are one interval, in closed form. So positions are
counted exactly in O(N · W) and drawn without rejection, whatever the rule: intersect the intervals (all), or sweep
their ends (any, k, whole, most). Other shapes, and rules that a callable decides, are counted position by position.

bounds.py   the rectangle around the feasible positions
columns.py  the intervals of every column, and the sweep over their ends
feasible.py what can be reached: the exact set, and drawing from it
most.py     what can be kept where not everything can
marked.py   a set of positions, marked one by one
blocks.py   a set of positions in blocks: of windows that are ranked by a map
surface.py  the exact count over the masses of all windows of a size
"""

from safeaug.placement.blocks import Blocks
from safeaug.placement.bounds import least_size, rectangle
from safeaug.placement.feasible import Feasible, Positions, feasible
from safeaug.placement.marked import Marked
from safeaug.placement.most import least_lost, most_kept
from safeaug.placement.surface import feasible_on_surface, least_lost_on_surface, most_kept_on_surface

__all__ = [
    "Blocks",
    "Feasible",
    "Marked",
    "Positions",
    "feasible",
    "feasible_on_surface",
    "least_lost",
    "least_lost_on_surface",
    "least_size",
    "most_kept",
    "most_kept_on_surface",
    "rectangle",
]
