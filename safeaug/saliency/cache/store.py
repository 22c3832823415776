"""A folder of maps."""

import logging
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from safeaug.errors import ContentError, DataError
from safeaug.saliency.cache.keys import file_key
from safeaug.saliency.cache.shard import SUFFIX, Shard, Terms, TornError, read_map, read_shard, write_shard
from safeaug.saliency.methods import SIZE, VERSION, checked_size

FEWEST, MOST = 8, 256
"""Maps that are written together: at first few, then as many as were written before, at most so many. So a process that
is ended, as a loader's worker is, loses about half of its maps at most, and there are few files."""


class MapCache:
    """Maps on disk, found by the content of their pictures.

    Many processes may have the same folder open and write into it: each writes files of its own, and sees those of the
    others. A cache crosses into other processes without what waits to be written.

    Parameters
    ----------
    folder : path
        Made when the first map is written.
    method : str, default "auto"
        How the maps are made: the name of a method, or any name of one's own, which must change when the maps do.
    size : int, default 48
        Cells along each side.
    read_only : bool, default False
        Whether nothing is written: what is put is not kept.
    fewest : int, default 8
        Maps that are written together at first.

    Raises
    ------
    DataError
        Where the folder holds maps of another method, size or version.
    PolicyError
        Where the size is none.

    Examples
    --------
    >>> import tempfile
    >>> from safeaug.saliency.cache import pixels_key
    >>> image = np.zeros((4, 6, 3), np.uint8)
    >>> with MapCache(tempfile.mkdtemp(), size=8) as cache:
    ...     cache.put([pixels_key(image)], np.eye(8, dtype=np.uint8))
    >>> MapCache(cache.folder, size=8).get(pixels_key(image)).sum()
    np.uint64(8)
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        method: str = "auto",
        size: int = SIZE,
        *,
        read_only: bool = False,
        fewest: int = FEWEST,
    ) -> None:
        self.folder, self.terms, self.read_only = Path(folder), Terms(method, checked_size(size), VERSION), read_only
        self.torn: set[Path] = set()
        self._places: dict[bytes, tuple[Shard, int]] = {}
        self._opened: set[Path] = set()
        self._changed = 0
        self._waiting: list[tuple[Sequence[bytes], NDArray[np.uint8]]] = []
        self._fresh: dict[bytes, NDArray[np.uint8]] = {}
        self._together = fewest
        self.refresh()

    def refresh(self) -> None:
        """Look for maps that others have written since. `get` does so where it finds none.

        Raises
        ------
        DataError
            Where some are of another method, size or version.
        """
        try:
            changed = self.folder.stat().st_mtime_ns
        except FileNotFoundError:
            return
        if changed == self._changed:
            return
        self._changed = changed
        for path in sorted(set(self.folder.glob(f"*{SUFFIX}")) - self._opened):
            self._open(path)

    def _open(self, path: Path) -> None:
        self._opened.add(path)
        try:
            shard = read_shard(path, self.terms)
        except (TornError, FileNotFoundError) as error:
            self._lost(path, error)
        else:
            self._places.update((key, (shard, number)) for key, number in shard.keys)

    def _lost(self, path: Path, error: Exception) -> None:
        """Say of a file that it is damaged; one that is deleted is not."""
        if isinstance(error, TornError) and path not in self.torn:
            self.torn.add(path)
            logging.getLogger("safeaug").warning(
                "%s is damaged: %s; its maps are made again where they are wanted, and it can be deleted", path, error
            )

    def __contains__(self, key: bytes) -> bool:
        return key in self._fresh or key in self._places

    def get(self, key: bytes) -> NDArray[np.uint8] | None:
        """Return the map of a key: of shape (size, size), read-only; None where there is none, or it is damaged."""
        if key not in self:
            self.refresh()
        if key in self._fresh:
            return self._fresh[key]
        if key not in self._places:
            return None
        shard, number = self._places[key]
        try:
            return read_map(shard, number, self.terms.size)
        except (TornError, FileNotFoundError) as error:
            del self._places[key]
            self._lost(shard.path, error)
            return None

    def of_file(self, path: str | PathLike[str]) -> NDArray[np.uint8]:
        """Return the map of a picture's file; ``ByKey(cache.of_file)`` is the provider whose keys are paths.

        Raises
        ------
        DataError
            Where the cache has none.
        """
        found = self.get(file_key(Path(path).read_bytes()))
        if found is None:
            raise DataError(
                f"expected a map of this file in the cache {str(self.folder)!r}; has it changed since? Build the cache "
                "again: safeaug saliency build",
                str(path),
                "missing",
            )
        return found

    def put(self, keys: Sequence[bytes], values: NDArray[np.uint8]) -> None:
        """Keep a map under its keys; it is written with others, at the latest by `flush`.

        Raises
        ------
        ContentError
            Where it is no map of this cache.
        OSError
            As `flush` does.
        """
        size = self.terms.size
        if values.shape != (size, size) or values.dtype != np.uint8:
            raise ContentError(
                f"a map of this cache must be of uint8 and shape ({size}, {size}), got {values.dtype}, {values.shape}"
            )
        if self.read_only:
            return
        kept = values.copy()
        kept.flags.writeable = False
        self._fresh.update((key, kept) for key in keys)
        self._waiting.append((keys, kept))
        if len(self._waiting) >= self._together:
            self.flush()

    def flush(self) -> None:
        """Write the maps that wait.

        Raises
        ------
        OSError
            Where they cannot be written; they are lost then.
        """
        waiting, self._waiting, self._fresh = self._waiting, [], {}
        if waiting:
            keys = [(key, number) for number, (names, _) in enumerate(waiting) for key in names]
            self._open(write_shard(self.folder, self.terms, np.stack([values for _, values in waiting]), keys))
            self._together = max(self._together, min(2 * self._together, MOST))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.flush()

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.folder, self.terms, self.read_only)


def _again(folder: Path, terms: Terms, read_only: bool) -> MapCache:
    """Open a cache in another process."""
    return MapCache(folder, terms.method, terms.size, read_only=read_only)
