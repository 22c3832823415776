"""The few operations that the formulas need, for floats and for arrays.

A formula of floor 1 or 2 is written once and takes its ``ops``. On floats (the single-image driver) they are the
built-ins, twenty times cheaper than numpy on one number; on arrays they are the array library's own. torch is found by
the type of what is given and never imported here.
"""

import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Ops(NamedTuple):
    """The operations in which the formulas are written."""

    minimum: Callable[..., Any]
    maximum: Callable[..., Any]
    floor: Callable[..., Any]
    ceil: Callable[..., Any]


FLOATS = Ops(min, max, math.floor, math.ceil)
NUMPY = Ops(np.minimum, np.maximum, np.floor, np.ceil)


def ops_of(array: Any) -> Ops:
    """Return the operations for a float, a numpy array or a torch tensor.

    Parameters
    ----------
    array : float, numpy.ndarray or torch.Tensor
        Any operand of the formula.

    Returns
    -------
    Ops
        Built-ins for a Python number, the array library's functions otherwise.

    Examples
    --------
    >>> ops_of(2.5).ceil(2.5)
    3
    >>> ops_of(np.array([2.5])).ceil(np.array([2.5]))
    array([3.])
    """
    if isinstance(array, int | float):
        return FLOATS
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        return Ops(torch.minimum, torch.maximum, torch.floor, torch.ceil)
    return NUMPY
