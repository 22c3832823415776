"""Which class of the host is of which way.

A class is looked up along its bases, the nearest first, so that somebody else's subclass is what its base is: unless it
overrides any ``apply...`` of the host's, for then nobody knows.
"""

from collections.abc import Iterable
from typing import Any

import albumentations as A
from albumentations.augmentations.dropout.transforms import BaseDropout
from albumentations.augmentations.geometric.distortion import BaseDistortion

from safeaug.albumentations.changes import affine, erasing, mixing, occluding, perspective, projective, rigid, warping
from safeaug.albumentations.changes.probed import probed
from safeaug.albumentations.changes.windowed import guarded, telling
from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.windows.known import KINDS
from safeaug.geometry import Size
from safeaug.guarding.untold import UntoldError
from safeaug.guarding.way import Known, Params, Way
from safeaug.ledger.changes import Change

OURS = "albumentations.", "safeaug."
"""Modules whose classes may override what the host applies: they are known."""


def _nothing(transform: Any, params: Params, image_size: Size) -> Change | None:
    return None


def _volume(transform: Any, params: Params, image_size: Size) -> Change | None:
    raise UntoldError(f"{type(transform).__name__} changes volumes; only pictures are followed")


def _always(transform: Any) -> bool:
    return True


def _protects_masks(transform: Any) -> bool:
    """Whether a guarded transform keeps masks, or what stands out, or what a callable reads, or its host looks at."""
    protect = transform._reading.protect
    if callable(protect) or protect in ("masks", "mask", "saliency"):
        return True
    known = next(KNOWN[base] for base in type(transform.host).__mro__ if base in KNOWN and base is not Guarded)
    return known.pixels is not None and known.pixels(transform.host)


def _has_mask_indices(transform: Any) -> bool:
    return transform.mask_indices is not None


STILL = Known(Way.STILL, _nothing)
UNKNOWN = Known(Way.UNKNOWN, probed)
VOLUME = Known(Way.VOLUME, _volume, pixels=_always)
AFFINE = Known(Way.PROJECTIVE, projective.affine, affine.weaker, eases=False)
HOLES = Known(Way.OCCLUDING, occluding.holes, occluding.smaller)
STRIPES = Known(Way.OCCLUDING, occluding.holes, occluding.narrower)
REMAPPED = Known(Way.WARPING, warping.remapped)

WINDOWS = {host: Known(Way.WINDOW, telling(kind)) for host, kind in KINDS}

KNOWN: dict[type, Known] = {
    # Nothing moves. Morphological grows or shrinks the rims of what is bright, in images and masks, by a few pixels.
    A.NoOp: STILL,
    A.Morphological: STILL,
    **WINDOWS,
    A.PadIfNeeded: WINDOWS[A.Pad],
    A.CropNonEmptyMaskIfExists: WINDOWS[A.CropNonEmptyMaskIfExists]._replace(pixels=_always),
    Guarded: Known(Way.WINDOW, guarded, pixels=_protects_masks),
    A.HorizontalFlip: Known(Way.RIGID, rigid.flipped),
    A.TimeReverse: Known(Way.RIGID, rigid.flipped),
    A.VerticalFlip: Known(Way.RIGID, rigid.turned_over),
    A.Transpose: Known(Way.RIGID, rigid.transposed),
    A.RandomRotate90: Known(Way.RIGID, rigid.turned),
    A.D4: Known(Way.RIGID, rigid.symmetric),
    A.SquareSymmetry: Known(Way.RIGID, rigid.symmetric),
    A.Affine: AFFINE,
    A.ShiftScaleRotate: AFFINE,
    A.SafeRotate: AFFINE._replace(soften=None),  # it makes room for all corners, so there is nothing to soften
    A.Rotate: Known(Way.PROJECTIVE, projective.rotation, affine.less_turned, eases=False),
    A.Perspective: Known(Way.PROJECTIVE, projective.perspective, perspective.weaker),
    BaseDropout: HOLES,
    A.CoarseDropout: HOLES,
    A.Erasing: HOLES,
    A.GridDropout: HOLES,
    A.ConstrainedCoarseDropout: HOLES._replace(pixels=_has_mask_indices),
    A.XYMasking: STRIPES,
    A.TimeMasking: STRIPES,
    A.FrequencyMasking: STRIPES,
    A.MaskDropout: Known(Way.ERASING, erasing.masked, pixels=_always),
    A.PixelDropout: Known(Way.ERASING, erasing.dropped),
    BaseDistortion: REMAPPED,
    A.ElasticTransform: REMAPPED,
    A.GridDistortion: REMAPPED,
    A.OpticalDistortion: REMAPPED,
    A.PiecewiseAffine: REMAPPED,
    A.ThinPlateSpline: REMAPPED,
    A.GridElasticDeform: Known(Way.WARPING, warping.meshed),
    A.RandomGridShuffle: Known(Way.MIXING, mixing.shuffled),
    A.Mosaic: Known(Way.MIXING, mixing.mosaic, pixels=_always),
    A.OverlayElements: Known(Way.MIXING, erasing.overlaid, pixels=_always),
    A.RandomCrop3D: VOLUME,
    A.CenterCrop3D: VOLUME,
    A.Pad3D: VOLUME,
    A.PadIfNeeded3D: VOLUME,
    A.CoarseDropout3D: VOLUME,
    A.CubicSymmetry: VOLUME,
    A.Transform3D: VOLUME,
    A.Lambda: UNKNOWN,
    A.DualTransform: UNKNOWN,
}
"""The host's classes, and the bases of those that others derive from them."""


def known_of(transform: Any) -> Known:
    """Return what is known of the class of a transform."""
    given = type(transform)
    found = _FOUND.get(given)
    if found is None:
        found = _FOUND[given] = _looked_up(given)
    return found


_FOUND: dict[type, Known] = {}
"""What was looked up before: every draw asks."""


def _looked_up(given: type) -> Known:
    if issubclass(given, A.ImageOnlyTransform):  # whoever wrote it: it hands labels through untouched
        return STILL
    for at, base in enumerate(given.__mro__):
        if base in KNOWN:
            return UNKNOWN if any(map(_applies, theirs(given.__mro__[:at]))) else KNOWN[base]
    if issubclass(given, A.BasicTransform) and not theirs(given.__mro__):  # ToTensorV2 and the like
        return STILL
    return UNKNOWN


def theirs(classes: Iterable[type]) -> list[type]:
    """Return those of some classes that somebody else wrote, on top of the host and of this library."""
    return [each for each in classes if each is not object and not each.__module__.startswith(OURS)]


def _applies(given: type) -> bool:
    """Return whether a class itself says how something is applied."""
    return any(name.startswith("apply") for name in vars(given))
