"""The same draw, scaled toward the one that changes nothing."""

from typing import Any

from safeaug.errors import PolicyError
from safeaug.geometry import Size
from safeaug.guarding.way import Params
from safeaug.torchvision.changes.known import known_of


def softens(transform: Any) -> bool:
    """Return whether draws of a transform can be scaled toward the one that changes nothing.

    Examples
    --------
    >>> from torchvision.transforms import v2
    >>> softens(v2.RandomErasing()), softens(v2.RandomHorizontalFlip())
    (True, False)
    """
    return known_of(transform).soften is not None


def eases(transform: Any) -> bool:
    """Return whether a weaker draw of a transform never takes more from any object than a stronger one.

    Examples
    --------
    >>> from torchvision.transforms import v2
    >>> eases(v2.RandomErasing()), eases(v2.RandomAffine(10))
    (True, False)
    """
    return known_of(transform).eases


def softened(transform: Any, params: Params, image_size: Size, strength: float) -> Params | None:
    """Return the parameters of the same draw, scaled toward the one that changes nothing.

    Parameters
    ----------
    transform : callable
        A leaf of a pipeline.
    params : dict
        All parameters of the draw, as `change_of` takes them. They are not changed.
    image_size : (int, int)
        Height and width of the picture before the draw.
    strength : float
        From 0, which changes nothing, to 1, the draw as it is, number for number.

    Returns
    -------
    dict or None
        Parameters by the same names, for the host to apply to every target; None where this transform has none.

    Raises
    ------
    PolicyError
        Where the strength is out of range.

    Notes
    -----
    Turns, shears and ways shrink in proportion, scales as their logarithm. Of a perspective, the corners of the image
    go part of their way. A hole shrinks about its centre to about ``strength`` times its area, by whole pixels, and
    what fills it is cut to fit; near 0 none is left. A smaller hole never takes more from any object than the greater
    one, inside of which it lies. A map may: a smaller turn can move out a corner that the greater one kept.

    Examples
    --------
    >>> from torchvision.transforms import v2
    >>> drawn = {"angle": 30.0, "translate": (8, 0), "scale": 4.0, "shear": (0.0, 0.0), "shape": (64, 64)}
    >>> weaker = softened(v2.RandomAffine(30), drawn, (64, 64), 0.5)
    >>> weaker["angle"], weaker["translate"], weaker["scale"]
    (15.0, (4.0, 0.0), 2.0)
    """
    if not 0 <= strength <= 1:
        raise PolicyError(f"strength must be in [0, 1], got {strength!r}")
    soften = known_of(transform).soften
    if soften is None:
        return None
    return dict(params) if strength == 1 else soften(transform, params, image_size, strength)
