"""Watched loaders of torch."""

from collections.abc import Iterator
from typing import Any

from safeaug.guarding import Guise, dressed
from safeaug.trace.collating import Collate
from safeaug.trace.sets import Watched, is_dropped
from safeaug.trace.watcher import Watcher


class WatchedLoader(Guise):
    """What stands before the class of a watched loader."""

    watcher: Watcher

    def __iter__(self) -> Iterator[Any]:
        """Yield the batches, without those of which every sample was dropped."""
        batches: Iterator[Any] = super().__iter__()  # type: ignore[misc]  # the host's
        return (batch for batch in batches if not is_dropped(batch))

    def report(self) -> dict[str, Any]:
        """Return what was recorded: see `safeaug.watch`."""
        return self.watcher.report()


def watched_loader(loader: Any, watcher: Watcher, dataset: Watched) -> Any:
    """Return a loader like another, of the same class, whose data set and collate function are watched.

    Parameters
    ----------
    loader : DataLoader
        It is left as it is. The other shares its sampler and its generator.
    watcher : Watcher
        Of it.
    dataset : Watched
        Its data set, watched.
    """
    made = dressed(loader, WatchedLoader)
    collate = Watcher(getattr(loader.collate_fn, "__name__", "collate_fn"), watcher.settings, watcher.book)
    # The class forbids to set some of them, since its samplers were made for what was there; these are like it.
    vars(made).update(dataset=dataset, collate_fn=Collate(loader.collate_fn, collate), _iterator=None, watcher=watcher)
    return made
