"""The array library that the formulas run on: numpy for one image, torch for a batch. Each is written once for both."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Library(NamedTuple):
    """An array library, and where its arrays are.

    Parameters
    ----------
    xp : module
        numpy or torch. The formulas call only what both have under one name, with the same meaning.
    packed : callable
        Returns an array in one piece of memory, last axis fastest.
    cast : callable
        ``cast(array, dtype)``.
    better : callable
        ``better(gain, *pairs)`` makes one array of each pair: its first where the gain is positive, else its second.
    device : str or torch.device
        Where constants are made, so that none is copied there.
    """

    xp: Any
    packed: Callable[[Any], Any]
    cast: Callable[[Any, Any], Any]
    better: Callable[..., list[Any]]
    device: Any = "cpu"

    def count(self, length: int) -> Any:
        """Return the whole numbers from 0 to ``length - 1``."""
        return self.xp.arange(length, dtype=self.xp.int64, device=self.device)

    def floats(self, array: Any) -> Any:
        """Return an array as one of float32."""
        return self.cast(array, self.xp.float32)


def _better(gain: Any, *pairs: tuple[Any, Any]) -> list[Any]:
    is_better = gain > 0
    return [np.where(is_better, other, own) for other, own in pairs]


NUMPY = Library(np, np.ascontiguousarray, np.asarray, _better)
