"""The maps of a whole data set, made by local processes into a cache."""

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from safeaug.errors import ContentError, DataError, SafeAugError
from safeaug.saliency.cache import MapCache, file_key, pixels_key
from safeaug.saliency.mapping import map_of
from safeaug.saliency.methods import SIZE, Method, checked_method

PART = 128
"""Pictures that a process takes at a time. Their maps are written together, so a run that is ended loses no more."""


@dataclass(frozen=True)
class Building:
    """Whose maps are made, and how.

    Parameters
    ----------
    pictures : sequence
        Read one by one: each is whatever the two functions take. Reading one may raise `DataError`.
    file : callable
        Returns the path of a picture, or None where it has no file.
    pixels : callable
        Returns the pixels of a picture, as `map_of` takes them; may raise `DataError`.
    folder : path
        The cache.
    method : Method, default "auto"
        How maps are made.
    size : int, default 48
        Cells along each side.
    keep_going : bool, default False
        Whether pictures that cannot be read are passed over.
    """

    pictures: Sequence[Any]
    file: Callable[[Any], str | PathLike[str] | None]
    pixels: Callable[[Any], NDArray[Any]]
    folder: str | PathLike[str]
    method: Method = "auto"
    size: int = SIZE
    keep_going: bool = False


class Built(NamedTuple):
    """How many pictures there were.

    Parameters
    ----------
    made, there : int
        Whose map was made, and whose was there already.
    without : int
        Of those that were made: whose map is no evidence.
    passed_over : tuple of str
        What could not be read, and why.
    """

    made: int = 0
    there: int = 0
    without: int = 0
    passed_over: tuple[str, ...] = ()

    @property
    def pictures(self) -> int:
        """All of them."""
        return self.made + self.there + len(self.passed_over)


def build(task: Building, processes: int = 1, progress: Callable[[Built], None] | None = None) -> Built:
    """Make the maps that a cache lacks, and return how many these are.

    A run that was interrupted is resumed by another of the same task. Pictures whose file is known are not decoded.

    Parameters
    ----------
    task : Building
        Whose maps, and how.
    processes : int, default 1
        How many work on it. One works in this process. Where the system does not fork, the task must allow pickling.
    progress : callable, optional
        Is handed what was done of each part.

    Raises
    ------
    DataError
        Where a picture cannot be read, and the task does not keep going; or the cache is of another method or version.
    OSError
        Where the cache cannot be written.
    SafeAugError
        Where a process ends on its own.
    """
    checked_method(task.method)
    _opened(task)  # which says so now if it cannot be used
    count = len(task.pictures)
    parts = [range(start, min(start + PART, count)) for start in range(0, count, PART)]
    done = Built()
    for part in _parts(task, parts, processes):
        done = Built(*(a + b for a, b in zip(done, part, strict=True)))  # type: ignore[operator]  # numbers, and tuples
        if progress is not None:
            progress(part)
    return done


def _opened(task: Building) -> MapCache:
    return MapCache(task.folder, task.method, task.size, fewest=PART)


def _parts(task: Building, parts: Sequence[range], processes: int) -> Iterator[Built]:
    if processes == 1 or len(parts) < 2:
        cache = _opened(task)
        yield from (_part(task, cache, part) for part in parts)
        return
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    with _pool(task, min(processes, len(parts)), method) as pool:
        try:
            yield from pool.map(_work, parts)
        except BrokenProcessPool as error:
            raise SafeAugError(
                "a process that makes maps has ended on its own, as one does that is out of memory; take fewer "
                "processes. What was made is kept"
            ) from error


@contextmanager
def _pool(task: Building, processes: int, method: str | None) -> Iterator[ProcessPoolExecutor]:
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context(method), _begin, (task,))
    try:
        yield pool
    except BaseException:  # an interrupt, too: what is written stays, and nobody waits for the rest
        for process in list(pool._processes.values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_WORKER: ContextVar[tuple[Building, MapCache]] = ContextVar("safeaug_saliency_worker")
"""What a process of the pool works with: it is set once, when the process begins."""


def _begin(task: Building) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _WORKER.set((task, _opened(task)))


def _end_with_parent() -> None:
    """End when the process does that began this one: nobody waits for its maps."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(places: range) -> Built:
    return _part(*_WORKER.get(), places)


def _part(task: Building, cache: MapCache, places: range) -> Built:
    """Make the maps of the pictures at these places, and write them."""
    made = there = without = 0
    passed_over = []
    with cache:
        for place in places:
            try:
                found = _made(task, cache, place)
            except DataError as error:
                if not task.keep_going:
                    raise
                passed_over.append(str(error))
                continue
            made, there = made + (found is not None), there + (found is None)
            without += found is not None and not found.any()
    return Built(made, there, without, tuple(passed_over))


def _made(task: Building, cache: MapCache, place: int) -> NDArray[Any] | None:
    """Return the map of a picture, which is kept; None where there was one already."""
    picture = task.pictures[place]
    path = task.file(picture)
    keys = [] if path is None else [file_key(_content(Path(path)))]
    if keys and cache.get(keys[0]) is not None:
        return None
    pixels = task.pixels(picture)
    by_pixels = pixels_key(pixels)
    known = cache.get(by_pixels)
    if known is None:
        keys.append(by_pixels)
    try:
        found = map_of(pixels, task.method, task.size) if known is None else known
    except ContentError as error:
        raise DataError(str(error), f"picture {place}" if path is None else str(path)) from error
    if keys:
        cache.put(keys, found)
    return found if known is None else None


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"expected a picture, which cannot be read: {error.strerror}", str(path), "missing") from error
