"""The operations of `safeaug.arrays`, on tensors, so that the formulas of floors 1 and 2 run on them too."""

from typing import Any

import torch
from torch import Tensor

from safeaug.arrays import Ops


def _minimum(a: Any, b: Any) -> Tensor:
    return _bounded(a, b, torch.minimum, "max")


def _maximum(a: Any, b: Any) -> Tensor:
    return _bounded(a, b, torch.maximum, "min")


def _bounded(a: Any, b: Any, both: Any, bound: str) -> Tensor:
    """Return ``both`` of two tensors; a number beside a tensor is a bound, and makes no tensor on the device."""
    if not isinstance(a, Tensor):
        a, b = b, a
    result: Tensor = both(a, b) if isinstance(b, Tensor) else torch.clamp(a, **{bound: b})
    return result


TORCH = Ops(_minimum, _maximum, torch.floor, torch.ceil)
