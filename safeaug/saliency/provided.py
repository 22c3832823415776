"""Maps that somebody else's function provides, checked.

A provider is a callable that is handed an image and returns its map: an array of shape (h, w), of any size, finite and
not negative, in any unit. One that looks maps up by what names the image is wrapped in `ByKey`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.errors import ContentError
from safeaug.saliency.grid import on_grid
from safeaug.saliency.library import NUMPY
from safeaug.saliency.normal import normal


@dataclass(frozen=True)
class ByKey:
    """A provider that is handed not the image but what names it.

    Parameters
    ----------
    look_up : callable
        Takes the key and returns the map.

    Examples
    --------
    >>> from safeaug.saliency import map_of
    >>> shelf = {"cat.jpg": np.eye(8)}
    >>> map_of(np.zeros((60, 80), np.uint8), ByKey(shelf.get), 8, key="cat.jpg").max()
    np.uint8(255)
    """

    look_up: Callable[[Any], Any]

    def __call__(self, key: Any) -> Any:
        """Return the map of a key."""
        return self.look_up(key)


def provided(provider: Callable[..., Any], image: Any, size: int, key: Any) -> NDArray[np.float32]:
    """Return what a provider says of an image, of shape (size, size), in [0, 1]; all zero where it is flat.

    Raises
    ------
    ContentError
        Where the provider needs a key and there is none, or what it returns is no map.
    """
    if isinstance(provider, ByKey) and key is None:
        raise ContentError(f"{name_of(provider)} looks maps up by a key, and the sample has none; hand over its key")
    found = provider(key if isinstance(provider, ByKey) else image)
    return on_square(found, size, f"{name_of(provider)} for {'an image' if key is None else f'sample {key!r}'}")


def on_square(found: Any, size: int, where: str) -> NDArray[np.float32]:
    """Return a provider's map, checked, of shape (size, size), in [0, 1]."""
    result: NDArray[np.float32] = normal(on_grid(checked(found, where)[None], size, NUMPY)[0], NUMPY)
    return result


def checked(found: Any, where: str) -> NDArray[np.float32]:
    """Return a provider's map as floats; ``where`` names provider and sample.

    Raises
    ------
    ContentError
        Where it is no map.
    """
    if found is None:
        raise ContentError(f"a map must be an array of shape (h, w), got None from {where}")
    values = np.asarray(found)
    if values.ndim != 2 or 0 in values.shape or values.dtype.kind not in "buif":
        raise ContentError(
            f"a map must be numbers of shape (h, w), got {values.dtype} of shape {values.shape} from {where}"
        )
    values = values.astype(np.float32)
    if not np.isfinite(values).all():
        raise ContentError(f"a map must be finite, got NaN or infinite values from {where}")
    if values.min() < 0:
        raise ContentError(f"a map must not be negative, got {values.min():.3g} from {where}; shift it, or clip it")
    return values


def name_of(provider: Any) -> str:
    """Return what a provider is called."""
    if isinstance(provider, ByKey):
        return f"ByKey({name_of(provider.look_up)})"
    if isinstance(provider, partial):
        return name_of(provider.func)
    return str(getattr(provider, "__qualname__", None) or type(provider).__name__)
