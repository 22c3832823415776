"""The few operations that the formulas need, for floats and for arrays.

A formula of floor 1 or 2 is written once and takes its ``ops``. On floats (the single-image driver) they are the
built-ins, twenty times cheaper than numpy on one number; on arrays they are the array library's own. Tensors have
theirs in `safeaug.batch.ops`, since torch is never imported here.
"""

import math
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
