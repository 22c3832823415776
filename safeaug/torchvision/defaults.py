"""Defaults of the host that differ between its versions."""

import inspect
from typing import Any

from torchvision.transforms import v2


def default_of(host: Any, name: str) -> Any:
    """Return the default of an argument of a transform of the host.

    Examples
    --------
    >>> default_of(v2.RandomResizedCrop, "scale")
    (0.08, 1.0)
    """
    return inspect.signature(host).parameters[name].default


NEAREST = default_of(v2.RandomAffine, "interpolation")
"""The host's name of nearest-neighbour interpolation: text in newer versions, an `InterpolationMode` in older ones."""

BILINEAR = default_of(v2.RandomResizedCrop, "interpolation")
"""The same of bilinear interpolation."""
