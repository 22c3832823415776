"""Drop-ins for torchvision's v2: the host's transform, and every draw keeps its objects or says that it could not.

Needs torchvision 0.21 or later (``pip install "safeaug[torchvision]"``).
"""

from safeaug.errors import MissingHostImportError

try:
    from torchvision.transforms.v2 import Transform as _Transform
except ImportError as error:
    raise MissingHostImportError(
        f"safeaug.torchvision needs torchvision 0.21 or later, which cannot be imported ({error}): "
        'pip install "safeaug[torchvision]"'
    ) from error

if not hasattr(_Transform, "make_params"):
    raise MissingHostImportError(
        "safeaug.torchvision needs torchvision 0.21 or later, whose transforms draw in make_params; this one is older: "
        'pip install -U "safeaug[torchvision]"'
    )

from safeaug.torchvision.crops import CenterCrop, RandomCrop, RandomIoUCrop, RandomResizedCrop
from safeaug.torchvision.maps import RandomAffine, RandomErasing, RandomPerspective, RandomRotation
from safeaug.torchvision.reading import Reading
from safeaug.torchvision.resizes import RandomResize, RandomShortestSize, RandomZoomOut, ScaleJitter
from safeaug.torchvision.safe import Safe

__all__ = [
    "CenterCrop",
    "RandomAffine",
    "RandomCrop",
    "RandomErasing",
    "RandomIoUCrop",
    "RandomPerspective",
    "RandomResize",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomShortestSize",
    "RandomZoomOut",
    "Reading",
    "Safe",
    "ScaleJitter",
]
