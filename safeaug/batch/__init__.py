"""Guarded crops of tensor batches: a window of its own for every sample, and none that loses its objects in silence.

Needs torch (``pip install "safeaug[torch]"``).
"""

from safeaug.errors import MissingHostImportError

try:
    import torch as _host
except ImportError as error:
    raise MissingHostImportError(
        f'safeaug.batch needs torch, which cannot be imported ({error}): pip install "safeaug[torch]"'
    ) from error

from safeaug.batch.crops import RandomCrop, RandomResizedCrop
from safeaug.batch.outcome import BatchOutcome, BatchView
from safeaug.batch.ragged import Ragged, collate

__all__ = ["BatchOutcome", "BatchView", "Ragged", "RandomCrop", "RandomResizedCrop", "collate"]

del _host
