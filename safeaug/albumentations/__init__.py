"""Drop-ins for albumentations: the host's transform, and every draw keeps its objects or says that it could not.

Needs albumentations 2.0.8 (``pip install "safeaug[albumentations]"``).
"""

from safeaug.errors import MissingHostImportError

try:
    import albumentations as _host
except ImportError as error:
    raise MissingHostImportError(
        f"safeaug.albumentations needs albumentations, which cannot be imported ({error}): "
        'pip install "safeaug[albumentations]", in an environment without AlbumentationsX (it writes the same package)'
    ) from error

if hasattr(_host.BasicTransform, "sample_parameters"):
    raise MissingHostImportError(
        f"safeaug.albumentations speaks to albumentations 2.0.8; this environment holds AlbumentationsX "
        f"{_host.__version__}, another generation under the same import name, which is not supported yet"
    )

from safeaug.albumentations.crops import RandomCrop, RandomCropFromBorders, RandomResizedCrop, RandomSizedCrop
from safeaug.albumentations.fixed import CenterCrop, Crop, PadIfNeeded
from safeaug.albumentations.own import (
    AtLeastOneBBoxRandomCrop,
    BBoxSafeRandomCrop,
    CropNonEmptyMaskIfExists,
    RandomCropNearBBox,
    RandomSizedBBoxSafeCrop,
)
from safeaug.albumentations.pipeline import guarded as _guarded  # noqa: F401  # saved pipelines are loaded by name
from safeaug.albumentations.reading import Reading
from safeaug.albumentations.resizes import LongestMaxSize, RandomScale, Resize, SmallestMaxSize
from safeaug.albumentations.safe import Safe
from safeaug.albumentations.sides import CropAndPad

__all__ = [
    "AtLeastOneBBoxRandomCrop",
    "BBoxSafeRandomCrop",
    "CenterCrop",
    "Crop",
    "CropAndPad",
    "CropNonEmptyMaskIfExists",
    "LongestMaxSize",
    "PadIfNeeded",
    "RandomCrop",
    "RandomCropFromBorders",
    "RandomCropNearBBox",
    "RandomResizedCrop",
    "RandomScale",
    "RandomSizedBBoxSafeCrop",
    "RandomSizedCrop",
    "Reading",
    "Resize",
    "Safe",
    "SmallestMaxSize",
]
