"""What one draw of any transform of the host does to the picture, and the same draw, weaker.

known.py        which class of the host is of which way, those of v1 beside those of v2
told.py         change_of, way_of: ask a transform
softening.py    softened, softens, eases: the same draw, scaled toward the one that changes nothing

windowed.py     crops, resizes, padding
rigid.py        flips
affine.py       affine maps and rotations, and weaker ones
perspective.py  perspective maps, and weaker ones
erasing.py      erased rectangles, and smaller ones
elastic.py      elastic distortions

Parameters are the host's own, as ``make_params`` draws them, with ``"shape"`` beside them: height and width of the
picture. ``"pil"``, true where the picture is a PIL image and left out elsewhere, is asked for by one transform alone:
a rotation that expands, whose output is at times a pixel larger or smaller there.
"""

from safeaug.torchvision.changes.known import known_of, theirs
from safeaug.torchvision.changes.softening import eases, softened, softens
from safeaug.torchvision.changes.told import change_of, way_of

__all__ = ["change_of", "eases", "known_of", "softened", "softens", "theirs", "way_of"]
