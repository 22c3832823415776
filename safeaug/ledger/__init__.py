"""Objects followed through the steps of a pipeline: what is left of each, against the object as it came in.

A ledger begins with the objects of an image and follows one change after another; each makes a new ledger. What is
visible of an object is known exactly, as rings in the source frame, until a step moves pixels one by one; from there it
is sampled. What a step took, no later step gives back.

changes.py   what a step does to the picture: Windowed, Mapped, Occluded, Erased, Warped, Unknown
ledger.py    Ledger, begin, follow
patch.py     Patch: an object that is followed exactly
pins.py      Pins: an object without area, keypoints
dots.py      Dots: an object that is followed by samples
sampling.py  from a patch to dots: pixels that are erased, warped, or taken by a step that nobody knows
matrices.py  maps of the plane, as nine plain numbers
rings.py     rings of corners, cut by half-planes, with an orientation
holes.py     rectangles that overlap, as rectangles that do not
verdict.py   whether what is left keeps the promise
visible.py   what is visible, as objects of the picture as it is now
many.py      many draws at once, for boxes that meet windows and matrices: the same as ledger.py, on arrays
many_patches.py, many_rings.py, many_matrices.py  patch.py, rings.py and matrices.py on arrays
"""

from safeaug.ledger.changes import Change, Erased, Mapped, Occluded, Unknown, Warped, Windowed, at_edges, index_of
from safeaug.ledger.ledger import Ledger, begin, follow
from safeaug.ledger.verdict import Promise, Verdict, asked_first, judged, promise_of, weight_of
from safeaug.ledger.visible import visible

__all__ = [
    "Change",
    "Erased",
    "Ledger",
    "Mapped",
    "Occluded",
    "Promise",
    "Unknown",
    "Verdict",
    "Warped",
    "Windowed",
    "asked_first",
    "at_edges",
    "begin",
    "follow",
    "index_of",
    "judged",
    "promise_of",
    "visible",
    "weight_of",
]
