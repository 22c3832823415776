"""Watched data sets of torch, so that its samplers, splits and loaders know them."""

from typing import Any

from torch.utils.data import Dataset, IterableDataset

from safeaug.trace.hugging import HuggingMap, HuggingStream
from safeaug.trace.sets import WatchedMap, WatchedStream


class TorchWatchedMap(WatchedMap, Dataset[Any]):
    """A watched map-style data set of torch."""


class TorchWatchedStream(WatchedStream, IterableDataset[Any]):
    """A watched stream of torch."""


class TorchHuggingMap(HuggingMap, Dataset[Any]):
    """A watched ``datasets.Dataset``, where torch is loaded."""


class TorchHuggingStream(HuggingStream, IterableDataset[Any]):
    """A watched ``datasets.IterableDataset``, where torch is loaded."""
