"""What one draw of a transform does to the picture."""

from typing import Any

from safeaug.geometry import Size
from safeaug.guarding.way import Params, Way
from safeaug.ledger.changes import Change
from safeaug.torchvision.changes.known import known_of


def way_of(transform: Any) -> Way:
    """Return in which way a transform changes the picture.

    Parameters
    ----------
    transform : callable
        A leaf of a pipeline: the host's, of v2 or v1, a guarded one, or somebody else's.

    Examples
    --------
    >>> from torchvision.transforms import v2
    >>> way_of(v2.RandomHorizontalFlip())
    <Way.RIGID: 'flips and quarter turns'>
    """
    return known_of(transform).way


def change_of(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Return what one draw of a transform does to the picture, in coordinates of pixel edges.

    Parameters
    ----------
    transform : callable
        A leaf of a pipeline: the host's, of v2 or v1, a guarded one, or somebody else's.
    params : dict
        The parameters of the draw by the names of v2, and ``"shape"``; for a PIL image ``"pil"`` too.
    image_size : (int, int)
        Height and width of the picture before the draw.

    Returns
    -------
    Change or None
        None for nothing.

    Raises
    ------
    UntoldError
        Where nobody can tell: several pictures, policies of chance, functions, and transforms of others.
    RefusedError
        Where the host itself will refuse to apply the draw.

    Notes
    -----
    It is pixels of the image that are told. Where the host moves boxes, masks or keypoints otherwise, or not at all, it
    is not followed.

    Examples
    --------
    >>> from torchvision.transforms import v2
    >>> change_of(v2.RandomHorizontalFlip(), {"shape": (4, 6)}, (4, 6))
    Mapped(matrix=((-1, 0, 6), (0, 1, 0), (0, 0, 1)), size=(4, 6))
    """
    return known_of(transform).tell(transform, params, image_size)
