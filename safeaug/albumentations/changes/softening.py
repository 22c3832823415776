"""The same draw, scaled toward the one that changes nothing."""

from typing import Any

from safeaug.albumentations.changes.known import known_of
from safeaug.errors import PolicyError
from safeaug.geometry import Size
from safeaug.guarding.way import Params


def softens(transform: Any) -> bool:
    """Return whether draws of a transform can be scaled toward the one that changes nothing.

    Examples
    --------
    >>> import albumentations as A
    >>> softens(A.Perspective()), softens(A.HorizontalFlip())
    (True, False)
    """
    return known_of(transform).soften is not None


def eases(transform: Any) -> bool:
    """Return whether a weaker draw of a transform never takes more from any object than a stronger one.

    Examples
    --------
    >>> import albumentations as A
    >>> eases(A.Perspective()), eases(A.Affine())
    (True, False)
    """
    return known_of(transform).eases


def softened(transform: Any, params: Params, image_size: Size, strength: float) -> Params | None:
    """Return the parameters of the same draw, scaled toward the one that changes nothing.

    Parameters
    ----------
    transform : BasicTransform
        A leaf of a pipeline.
    params : dict
        All parameters of the draw, as they reach ``apply_with_params``. They are not changed.
    image_size : (int, int)
        Height and width of the picture before the draw.
    strength : float
        From 0, which changes nothing, to 1, the draw as it is, number for number.

    Returns
    -------
    dict or None
        Parameters that every target of the host agrees on; None where this draw, or this transform, has none.

    Raises
    ------
    PolicyError
        Where the strength is out of range.

    Notes
    -----
    Turns, scales and shears shrink as angle, logarithm and stretch; the image's centre goes part of its way. Of a
    perspective, the corners of what is shown go part of their way to those of the image. Holes shrink about their
    centres, to about ``strength`` times their area and by whole pixels, stripes across their length; in a share of
    strengths near 0 none is left. As the strength falls, holes shrink, and what a perspective shows grows, so neither
    takes more from any object. An affine map may: a smaller turn can move out a corner that the greater one kept.

    Examples
    --------
    >>> import albumentations as A, numpy as np
    >>> drawn = {"holes": np.array([[10, 10, 30, 30]]), "seed": 0, "shape": (64, 64, 3)}
    >>> softened(A.CoarseDropout(), drawn, (64, 64), 0.25)["holes"].tolist()
    [[15, 15, 25, 25]]
    """
    if not 0 <= strength <= 1:
        raise PolicyError(f"strength must be in [0, 1], got {strength!r}")
    soften = known_of(transform).soften
    if soften is None:
        return None
    return dict(params) if strength == 1 else soften(transform, params, image_size, strength)
