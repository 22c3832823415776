"""How each window transform of the host tells its window, and how it takes another.

A kind has no state; it is asked about a transform of the host, which may be a drop-in or one that `Safe` wraps.

kind.py     Kind: what is asked, and how objects are read; Cut: of transforms that cut by ``crop_coords``
between.py  Between: of crops that draw each end of a side by itself
random.py   RandomCrop, RandomSizedCrop, RandomResizedCrop, RandomCropFromBorders
fixed.py    CenterCrop, Crop, Pad, PadIfNeeded
own.py      crops that keep a promise of their own
sides.py    CropAndPad
resizes.py  Resize, LongestMaxSize, SmallestMaxSize, RandomScale
traced.py   transforms of others, by ``crop_coords`` or by tracing points
known.py    which kind a transform is of
"""

from safeaug.albumentations.windows.fixed import FixedCut, Padded
from safeaug.albumentations.windows.kind import Cut, Kind
from safeaug.albumentations.windows.known import kind_of
from safeaug.albumentations.windows.own import AroundBoxes, AroundMask, AroundOne, NearBox, ResizedBox
from safeaug.albumentations.windows.random import FromBorders, RandomCut, Resized, Sized
from safeaug.albumentations.windows.resizes import MaxSize, Scale, ToSize
from safeaug.albumentations.windows.sides import Sides
from safeaug.albumentations.windows.traced import Traced

__all__ = [
    "AroundBoxes",
    "AroundMask",
    "AroundOne",
    "Cut",
    "FixedCut",
    "FromBorders",
    "Kind",
    "MaxSize",
    "NearBox",
    "Padded",
    "RandomCut",
    "Resized",
    "ResizedBox",
    "Scale",
    "Sides",
    "Sized",
    "ToSize",
    "Traced",
    "kind_of",
]
