"""Which kind a transform is of."""

from typing import Any

import albumentations as A

from safeaug.albumentations.windows.fixed import FixedCut, Padded
from safeaug.albumentations.windows.kind import Kind
from safeaug.albumentations.windows.own import AroundBoxes, AroundMask, AroundOne, NearBox, ResizedBox
from safeaug.albumentations.windows.random import FromBorders, RandomCut, Resized, Sized
from safeaug.albumentations.windows.resizes import MaxSize, Scale, ToSize
from safeaug.albumentations.windows.sides import Sides
from safeaug.albumentations.windows.traced import Traced
from safeaug.errors import PolicyError

KINDS: tuple[tuple[type, Kind], ...] = (
    (A.RandomCrop, RandomCut()),
    (A.RandomResizedCrop, Resized()),
    (A.RandomSizedCrop, Sized()),
    (A.RandomCropFromBorders, FromBorders()),
    (A.CenterCrop, FixedCut()),
    (A.Crop, FixedCut()),
    (A.RandomSizedBBoxSafeCrop, ResizedBox()),  # before the class that it derives from
    (A.BBoxSafeRandomCrop, AroundBoxes()),
    (A.AtLeastOneBBoxRandomCrop, AroundOne()),
    (A.CropNonEmptyMaskIfExists, AroundMask()),
    (A.RandomCropNearBBox, NearBox()),
    (A.CropAndPad, Sides()),
    (A.Resize, ToSize()),
    (A.LongestMaxSize, MaxSize()),
    (A.SmallestMaxSize, MaxSize()),
    (A.RandomScale, Scale()),
    (A.Pad, Padded()),  # and PadIfNeeded, which derives from it
)
"""The host's window transforms."""


def kind_of(transform: Any) -> Kind:
    """Return the kind of a transform.

    Raises
    ------
    PolicyError
        Where it is no transform of images and labels, or one of the host's that is not a window.
    """
    name = type(transform).__name__
    for host, kind in KINDS:
        if isinstance(transform, host):
            return Traced() if _renders_otherwise(type(transform), host) else kind
    if not isinstance(transform, A.DualTransform):
        raise PolicyError(f"Safe guards one transform of images and labels, got {name}; guard the crops inside of it")
    if type(transform).__module__.startswith("albumentations."):
        raise PolicyError(f"Safe guards window transforms: crops, resizes, pads; {name} is none. Leave it unguarded")
    return Traced()


def _renders_otherwise(given: type, host: type) -> bool:
    """Return whether somebody else's class, derived from one of the host's, makes something else of a window."""
    derived = given.__mro__[: given.__mro__.index(host)]
    theirs = [each for each in derived if not each.__module__.startswith("albumentations.")]
    return any(name.startswith("apply") for each in theirs for name in vars(each))
