"""How each window transform of the host tells its window, and how it takes another.

A kind has no state; it is asked about a transform of the host, which may be a drop-in or one that `Safe` wraps. Frames
are those of the image: a window may reach beyond it where the host pads.

kind.py     Kind: what is asked; Cut: of transforms that cut by ``top``, ``left``, ``height`` and ``width``
random.py   RandomCrop, RandomResizedCrop
fixed.py    CenterCrop; RandomZoomOut and Pad, which cut nothing
iou.py      RandomIoUCrop, whose sampler is bounded here
resizes.py  Resize, RandomResize, RandomShortestSize, ScaleJitter
told.py     transforms of others that draw ``top``, ``left``, ``height`` and ``width``
known.py    which kind a transform is of
"""

from safeaug.torchvision.windows.fixed import FixedCut, Padded, ZoomedOut
from safeaug.torchvision.windows.iou import AroundBox
from safeaug.torchvision.windows.kind import Cut, Kind
from safeaug.torchvision.windows.known import kind_of
from safeaug.torchvision.windows.random import RandomCut, Resized
from safeaug.torchvision.windows.resizes import Jittered, Shortest, ToAnySize, ToSize
from safeaug.torchvision.windows.told import Told

__all__ = [
    "AroundBox",
    "Cut",
    "FixedCut",
    "Jittered",
    "Kind",
    "Padded",
    "RandomCut",
    "Resized",
    "Shortest",
    "ToAnySize",
    "ToSize",
    "Told",
    "ZoomedOut",
    "kind_of",
]
