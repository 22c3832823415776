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

from safeaug.albumentations.crops import RandomCrop, RandomResizedCrop, RandomSizedCrop

__all__ = ["RandomCrop", "RandomResizedCrop", "RandomSizedCrop"]
