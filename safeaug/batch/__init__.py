"""Guarded crops of tensor batches: a window of its own for every sample, and none that loses its objects in silence.

Needs torch (``pip install "safeaug[torch]"``).

crops.py      RandomResizedCrop, RandomCrop; crop.py what they have in common; checks.py their arguments
images.py     the images of a batch; ragged.py those of different sizes in one block of memory
given.py      what comes with them; padded.py objects, said.py what is said of them
identity.py   which stream each sample has; chance.py numbers at addresses; philox.py how they are made
resized.py    how a random resized crop draws; cut.py how a random crop does
draw.py       the draw of a batch: first.py the host's own, judged by judging.py on objects.py
lazy.py       what fails, sample by sample on the CPU; one.py one sample; contents.py masks, keypoints and maps
branchless/   what fails, on tensors alone
handed.py     the outputs: canvas.py where pictures stand, carried.py boxes and keypoints, renderers.py pixels
rendering/    what draws them: slice by slice, by matrices, or by one kernel
outcome.py    what became of it all; found.py how a search ended; moved.py records on another device
ops.py        the formulas' operations on tensors
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
