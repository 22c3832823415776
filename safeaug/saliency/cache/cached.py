"""The provider that looks into a cache first."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.saliency.cache.keys import pixels_key
from safeaug.saliency.cache.store import MapCache
from safeaug.saliency.mapping import map_of


@dataclass(frozen=True, eq=False)
class Cached:
    """A provider of the maps of arrays: from a cache where they are there; else made, and kept where that is possible.

    Pictures are known by their pixels, so what is handed over must be as it was loaded, before anything random. Where
    the folder cannot be written, maps are made again each time; this is said once.

    Parameters
    ----------
    cache : MapCache
        Where maps are.
    method : Method or callable, optional
        How those are made that are not there; by default the cache's own method.

    Examples
    --------
    >>> import tempfile
    >>> from safeaug.saliency import map_of
    >>> provider = Cached(MapCache(tempfile.mkdtemp()))
    >>> image = np.eye(100)
    >>> np.array_equal(map_of(image, provider), map_of(image)), pixels_key(image) in provider.cache
    (True, True)
    """

    cache: MapCache
    method: str | Callable[..., Any] | None = None

    def __call__(self, image: NDArray[Any]) -> NDArray[np.uint8]:
        """Return the map of an image."""
        key, terms = pixels_key(image), self.cache.terms
        found = self.cache.get(key)
        if found is None:
            found = map_of(image, terms.method if self.method is None else self.method, terms.size)
            try:
                self.cache.put([key], found)
            except OSError as error:
                self.cache.read_only = True
                why = error.strerror or error
                logging.getLogger("safeaug").warning(
                    "maps cannot be kept in %s: %s; they are made again each time", self.cache.folder, why
                )
        return found
