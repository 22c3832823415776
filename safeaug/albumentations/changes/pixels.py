"""Whether the parameters of a transform can be drawn without an image."""

from typing import Any

import albumentations as A

from safeaug.albumentations.changes.known import known_of, theirs
from safeaug.albumentations.guarded import Guarded
from safeaug.guarding.way import Way


def needs_pixels(transform: Any) -> bool:
    """Return whether parameters that matter cannot be drawn from the image's size, boxes and keypoints alone.

    Parameters
    ----------
    transform : BasicTransform
        A leaf of a pipeline.

    Returns
    -------
    bool
        True for those that look at masks or at other pictures, for volumes, and for those of others that look at
        anything. False for the rest; and for those that move nothing, whose parameters need not be drawn at all.

    Notes
    -----
    Where it is false, an ``image`` of the right shape must still be at hand: the host reads shape and dtype from it.
    One without memory of its own will do: ``np.broadcast_to(np.uint8(0), (height, width, 3))``.

    Examples
    --------
    >>> import albumentations as A
    >>> needs_pixels(A.RandomCrop(8, 8)), needs_pixels(A.CropNonEmptyMaskIfExists(8, 8))
    (False, True)
    """
    known = known_of(transform)
    if known.way is Way.STILL:
        return False
    if known.pixels is not None and known.pixels(transform):
        return True
    inner = transform.host if isinstance(transform, Guarded) else transform  # of `Safe`, what it guards
    draws = any("get_params_dependent_on_data" in vars(each) for each in theirs(type(inner).__mro__))
    return draws or (known.way is Way.UNKNOWN and bool(transform.targets_as_params))


LOOK = A.BBoxSafeRandomCrop, A.AtLeastOneBBoxRandomCrop, A.ConstrainedCoarseDropout, Guarded
"""Transforms whose draws depend on boxes or keypoints."""


def needs_objects(transform: Any) -> bool:
    """Return whether parameters that matter depend on boxes or keypoints, or may do so.

    Parameters
    ----------
    transform : BasicTransform
        A leaf of a pipeline.

    Examples
    --------
    >>> needs_objects(A.BBoxSafeRandomCrop()), needs_objects(A.RandomCrop(8, 8))
    (True, False)
    """
    return isinstance(transform, LOOK) or needs_pixels(transform) or bool(theirs(type(transform).__mro__))
