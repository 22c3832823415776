"""What one draw of a transform does to the picture."""

from typing import Any

from safeaug.albumentations.changes.known import known_of
from safeaug.geometry import Size
from safeaug.guarding.way import Params, Way
from safeaug.ledger.changes import Change


def way_of(transform: Any) -> Way:
    """Return in which way a transform changes the picture.

    Parameters
    ----------
    transform : BasicTransform
        A leaf of a pipeline: the host's, a guarded one, or somebody else's.

    Examples
    --------
    >>> import albumentations as A
    >>> way_of(A.HorizontalFlip())
    <Way.RIGID: 'flips and quarter turns'>
    """
    return known_of(transform).way


def change_of(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Return what one draw of a transform does to the picture, in coordinates of pixel edges.

    Parameters
    ----------
    transform : BasicTransform
        A leaf of a pipeline: the host's, a guarded one, or somebody else's.
    params : dict
        All parameters of the draw, as they reach ``apply_with_params``.
    image_size : (int, int)
        Height and width of the picture before the draw.

    Returns
    -------
    Change or None
        None for nothing.

    Raises
    ------
    UntoldError
        Where nobody can tell: volumes, and transforms of others that do strange things to masks.
    RefusedError
        Where the host itself will refuse to apply the draw.

    Notes
    -----
    It is pixels of the image that are told. Where the host moves boxes, masks or keypoints otherwise, it is not
    followed.

    Examples
    --------
    >>> import albumentations as A
    >>> change_of(A.HorizontalFlip(), {"shape": (4, 6, 3)}, (4, 6))
    Mapped(matrix=((-1, 0, 6), (0, 1, 0), (0, 0, 1)), size=(4, 6))
    """
    return known_of(transform).tell(transform, params, image_size)
