"""What one draw of any transform of the host does to the picture, and the same draw, weaker.

known.py        which class of the host is of which way
told.py         change_of, way_of: ask a transform
pixels.py       needs_pixels, needs_objects: whether its parameters can be drawn without an image, without labels
softening.py    softened, softens, eases: the same draw, scaled toward the one that changes nothing

The words in which this is said, `Way`, `Known` and what is raised of a draw that nobody can tell, stand in
`safeaug.guarding`.

windowed.py     crops, resizes, padding, and guarded transforms
rigid.py        flips and quarter turns
projective.py   affine and perspective maps; softened in affine.py and perspective.py
occluding.py    holes, and weaker holes
erasing.py      pixels that are erased one by one
warping.py      distortions
mixing.py       what shows several pictures, or one in pieces
probed.py       what only an image that goes through can tell
"""

from safeaug.albumentations.changes.pixels import needs_objects, needs_pixels
from safeaug.albumentations.changes.softening import eases, softened, softens
from safeaug.albumentations.changes.told import change_of, way_of
from safeaug.guarding.untold import RefusedError, UntoldError
from safeaug.guarding.way import Params, Way

__all__ = [
    "Params",
    "RefusedError",
    "UntoldError",
    "Way",
    "change_of",
    "eases",
    "needs_objects",
    "needs_pixels",
    "softened",
    "softens",
    "way_of",
]
