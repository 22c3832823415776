"""Where a window of one size may stand: exact, over all integer positions of a domain.

For a fixed column x the feasible rows of one object are one interval, in closed form. So positions are counted exactly
in O(N · W) and drawn without rejection, whatever the rule: intersect the intervals (all), or sweep their ends (any, k,
whole, most).

bounds.py   the rectangle around the feasible positions, in plain floats
columns.py  the intervals of every column, and the sweep over their ends
feasible.py what can be reached: the exact set, and drawing from it
most.py     what can be kept where not everything can
"""

from safeaug.placement.bounds import least_size, rectangle
from safeaug.placement.feasible import Feasible, feasible
from safeaug.placement.most import least_lost, most_kept

__all__ = ["Feasible", "feasible", "least_lost", "least_size", "most_kept", "rectangle"]
