"""Guarded crops for kornia: parameters for its own transforms, and modules that take its data keys.

Needs kornia 0.8 or later (``pip install "safeaug[kornia]"``).

params.py     guarded_params(): a host's own draw, with the windows moved that lose their objects
hosts.py      the host's crops: how they draw, where a window stands in their parameters; chance.py the guard's numbers
crops.py      RandomResizedCrop, RandomCrop: modules on top of safeaug.batch; keyed.py what they have in common
entries.py    values by their data keys; read.py all of a call: boxes.py, points.py, masks.py how each is read
protected.py  which of them must survive; shared.py one window for all images of a batch
carrying.py   all of them in the output
"""

from safeaug.errors import MissingHostImportError

try:
    import kornia.augmentation as _host
except ImportError as error:
    raise MissingHostImportError(
        f'safeaug.kornia needs kornia 0.8 or later, which cannot be imported ({error}): pip install "safeaug[kornia]"'
    ) from error

from safeaug.kornia.crops import RandomCrop, RandomResizedCrop
from safeaug.kornia.params import Outcome, guarded_params

__all__ = ["Outcome", "RandomCrop", "RandomResizedCrop", "guarded_params"]

del _host
