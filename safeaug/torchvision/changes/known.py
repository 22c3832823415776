"""Which class of the host is of which way.

A class is looked up along its bases, the nearest first, so that somebody else's subclass is what its base is: unless it
says in its own way how inputs are transformed, for then nobody knows.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

import torch
from torchvision.transforms import autoaugment, v2
from torchvision.transforms import transforms as v1

from safeaug.geometry import Size
from safeaug.guarding.untold import UntoldError
from safeaug.guarding.way import Known, Params, Way
from safeaug.ledger.changes import Change
from safeaug.torchvision.changes import affine, elastic, erasing, perspective, rigid, windowed
from safeaug.torchvision.safe import Safe
from safeaug.torchvision.windows.known import is_timms

OURS = "torchvision.", "torch.", "safeaug."
"""Modules whose classes may say in their own way how inputs are transformed: they are known."""

APPLYING = {"forward", "transform", "__call__", "_call_kernel"}
"""Methods by which a class of the host's transforms its inputs."""


def _nothing(transform: Any, params: Params, image_size: Size) -> Change | None:
    return None


def _untold(transform: Any, params: Params, image_size: Size) -> Change | None:
    raise UntoldError(f"nobody can tell what a draw of {type(transform).__name__} does to the picture")


STILL = Known(Way.STILL, _nothing)
UNKNOWN = Known(Way.UNKNOWN, _untold)
MIXING = Known(Way.MIXING, _untold)
WINDOW = Known(Way.WINDOW, windowed.cut)
AFFINE = Known(Way.PROJECTIVE, affine.affine, affine.weaker, eases=False)
ROTATION = Known(Way.PROJECTIVE, affine.rotation, affine.less_turned, eases=False)
PERSPECTIVE = Known(Way.PROJECTIVE, perspective.perspective, perspective.weaker, eases=False)
ERASING = Known(Way.OCCLUDING, erasing.erased, erasing.smaller)


def _named(*names: str) -> list[type]:
    """Return the host's classes of some names: those of v2, and those of v1. What a version lacks is passed over."""
    rooms = v1, autoaugment, v2
    return [getattr(room, name) for room in rooms for name in names if hasattr(room, name)]


KNOWN: dict[type, Known] = {
    # Nothing moves: colour, noise, blur, type, and what touches boxes and keypoints alone.
    **dict.fromkeys(
        _named("ColorJitter", "GaussianBlur", "GaussianNoise", "Grayscale", "JPEG", "Normalize", "RGB"), STILL
    ),
    **dict.fromkeys(_named("RandomAdjustSharpness", "RandomAutocontrast", "RandomChannelPermutation"), STILL),
    **dict.fromkeys(_named("RandomEqualize", "RandomGrayscale", "RandomInvert", "RandomPhotometricDistort"), STILL),
    **dict.fromkeys(_named("RandomPosterize", "RandomSolarize", "UniformTemporalSubsample", "Identity"), STILL),
    **dict.fromkeys(_named("ConvertImageDtype", "PILToTensor", "ToDtype", "ToImage", "ToPILImage"), STILL),
    **dict.fromkeys(_named("ToPureTensor", "ToTensor"), STILL),
    **dict.fromkeys(_named("ClampBoundingBoxes", "ClampKeyPoints", "ConvertBoundingBoxFormat"), STILL),
    **dict.fromkeys(_named("SanitizeBoundingBoxes", "SanitizeKeyPoints", "SetClampingMode"), STILL),
    torch.nn.Identity: STILL,
    **dict.fromkeys(_named("CenterCrop", "RandomCrop", "RandomResizedCrop", "RandomIoUCrop"), WINDOW),
    **dict.fromkeys(_named("Pad", "RandomZoomOut"), WINDOW),
    **dict.fromkeys(_named("Resize", "RandomResize", "RandomShortestSize", "ScaleJitter"), WINDOW),
    Safe: Known(Way.WINDOW, windowed.guarded),
    **dict.fromkeys(_named("RandomHorizontalFlip"), Known(Way.RIGID, rigid.flipped)),
    **dict.fromkeys(_named("RandomVerticalFlip"), Known(Way.RIGID, rigid.turned_over)),
    **dict.fromkeys(_named("RandomAffine"), AFFINE),
    **dict.fromkeys(_named("RandomRotation"), ROTATION),
    **dict.fromkeys(_named("RandomPerspective"), PERSPECTIVE),
    **dict.fromkeys(_named("RandomErasing"), ERASING),
    **dict.fromkeys(_named("ElasticTransform"), Known(Way.WARPING, elastic.displaced)),
    # Batches of samples.
    **dict.fromkeys(_named("CutMix", "MixUp"), MIXING),
    # What they draw is not seen; several pictures come of one; or somebody has given a function, or a matrix of pixels.
    **dict.fromkeys(_named("AugMix", "AutoAugment", "RandAugment", "TrivialAugmentWide"), UNKNOWN),
    **dict.fromkeys(_named("FiveCrop", "TenCrop", "Lambda", "LinearTransformation"), UNKNOWN),
}
"""The host's transforms. Its containers have none of their own to tell."""


def known_of(transform: Any) -> Known:
    """Return what is known of the class of a transform."""
    given: Any = type(transform)
    return _looked_up(given)


@cache  # every draw asks
def _looked_up(given: Any) -> Known:
    for at, base in enumerate(given.__mro__):
        if base in KNOWN:
            return UNKNOWN if any(APPLYING & vars(each).keys() for each in theirs(given.__mro__[:at])) else KNOWN[base]
    return WINDOW if is_timms(given) else UNKNOWN


def theirs(classes: Iterable[type]) -> list[type]:
    """Return those of some classes that somebody else wrote, on top of the host and of this library."""
    return [each for each in classes if each is not object and not each.__module__.startswith(OURS)]
