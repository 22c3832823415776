"""Data sets with content that are data sets of torch, so that its samplers, splits and loaders know them."""

from typing import Any

from torch.utils.data import Dataset, IterableDataset

from safeaug.handing.sets import Mapped, Streamed


class TorchMapped(Mapped, Dataset[Any]):
    """A map-style data set of torch, each of whose samples has content."""


class TorchStreamed(Streamed, IterableDataset[Any]):
    """A stream of torch, each of whose samples has content."""
