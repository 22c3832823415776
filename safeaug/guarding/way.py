"""In which way a transform changes the picture, and what is known of a class of transforms."""

from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple

from safeaug.geometry import Size
from safeaug.ledger.changes import Change

Params = dict[str, Any]
"""All parameters of one draw, by the host's own keys, as they reach ``apply_with_params``."""

Tell = Callable[[Any, Params, Size], Change | None]
"""From a transform, the parameters of a draw and the image's size to what the draw does; None for nothing."""

Soften = Callable[[Any, Params, Size, float], Params | None]
"""From these and a strength inside (0, 1), or 0, to parameters of the weaker draw; None where there is none."""


class Way(Enum):
    """In which way a transform changes the picture."""

    STILL = "nothing moves and nothing is hidden: colour, blur, noise"
    WINDOW = "a rectangle becomes the whole picture: crops, resizes, padding"
    RIGID = "flips and quarter turns"
    PROJECTIVE = "all pixels move by one matrix: affine and perspective maps"
    OCCLUDING = "rectangles are hidden: dropout of holes"
    ERASING = "pixels are hidden one by one: dropout of pixels or of a mask"
    WARPING = "pixels move one by one: elastic, grid and lens distortions"
    MIXING = "several pictures are shown, or one in pieces: mosaic, overlays, shuffled tiles"
    VOLUME = "not a picture but a volume is changed"
    UNKNOWN = "somebody else's, or a function that was given"


class Known(NamedTuple):
    """What is known of a class of transforms.

    Parameters
    ----------
    way : Way
        In which way its draws change the picture.
    tell : callable
        What one draw does.
    soften : callable, optional
        The same draw, weaker; None where there is no such thing.
    pixels : callable, optional
        Whether a transform of the class draws its parameters from pixels; None where none does.
    eases : bool
        Whether a weaker draw never takes more from any object than a stronger one.
    """

    way: Way
    tell: Tell
    soften: Soften | None = None
    pixels: Callable[[Any], bool] | None = None
    eases: bool = True
