"""What the rooms of all hosts share: one guarded draw of a transform, and one sample's way through a guarded pipeline.

kind.py     Kind: what a guarded draw asks of a transform whose draws are windows
resized.py  resized_window: the law of a random resized crop, in plain numbers
draw.py     Draw: one draw of it, as the search sees it
fork.py     Stream, Fork: chance of the guard's own

way.py      Way: in which way a transform changes the picture; Known: what is known of a class of transforms
untold.py   UntoldError: a draw of which nobody can tell what it does; RefusedError: one that the host refuses

guise.py    Guise: what stands before a host's class in a guarded pipeline, whose instances stay the host's
windows.py  windowed: what a draw whose parameters say a window does to the picture
leaf.py     Leaf: what is known of one step of a pipeline
behind.py   Behind: which guarded steps come behind it
passage.py  Passage: one sample on its way, what is left of it, and how its steps ended
acting.py   what a step does where its draw breaks the promise; quick.py: the commonest of it, in plain numbers
"""

from safeaug.guarding.acting import acted, can_act
from safeaug.guarding.behind import GEOMETRIC, Behind
from safeaug.guarding.draw import Draw, Guard, stand_in
from safeaug.guarding.fork import Fork, Stream, state_of
from safeaug.guarding.guise import Guise, dressed, put_on, take_off
from safeaug.guarding.kind import LATTICE, SIDE, Kind, ranged
from safeaug.guarding.leaf import Leaf
from safeaug.guarding.passage import CURRENT, PLAIN, Asks, Mode, Passage, asks_of
from safeaug.guarding.resized import areas, placed, resized_window
from safeaug.guarding.untold import RefusedError, UntoldError
from safeaug.guarding.way import Known, Params, Way
from safeaug.guarding.windows import windowed

__all__ = [
    "CURRENT",
    "GEOMETRIC",
    "LATTICE",
    "PLAIN",
    "SIDE",
    "Asks",
    "Behind",
    "Draw",
    "Fork",
    "Guard",
    "Guise",
    "Kind",
    "Known",
    "Leaf",
    "Mode",
    "Params",
    "Passage",
    "RefusedError",
    "Stream",
    "UntoldError",
    "Way",
    "acted",
    "areas",
    "asks_of",
    "can_act",
    "dressed",
    "placed",
    "put_on",
    "ranged",
    "resized_window",
    "stand_in",
    "state_of",
    "take_off",
    "windowed",
]
