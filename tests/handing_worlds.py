"""Nothing themselves: pictures that say where their pixels come from, and data sets whose transform sees only them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset, IterableDataset, get_worker_info

from safeaug.handing import handed

WIDE = (200, 2000)
"""Height and width of the panorama of the origin."""

BOX = (20.0, 50.0, 120.0, 150.0)
"""Its object."""


def painted(height: int, width: int) -> np.ndarray:
    """Return a picture of its own coordinates: red grows to the right and green downward, blue is 255."""
    x, y = (np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height
    planes = np.broadcast_to(x, (height, width)), np.broadcast_to(y[:, None], (height, width)), np.ones((height, width))
    return np.stack(planes, axis=2) * 255


def bytes_of(picture: np.ndarray) -> np.ndarray:
    return picture.round().astype(np.uint8)


def window_shown(image: Any, size: tuple[int, int]) -> tuple[float, float, float, float]:
    """Return which part of a painted picture an image shows, mirrored or not: by straight lines through its colours.

    Parameters
    ----------
    image : array of shape (h, w, 3), or tensor of shape (3, h, w)
        Of colours from 0 to 255. What is not blue was padded.
    size : (int, int)
        Height and width of the painted picture.
    """
    array = np.moveaxis(image.numpy(), 0, -1) if isinstance(image, torch.Tensor) else np.asarray(image)
    blue = array[..., 2] > 250
    there = np.ix_(np.flatnonzero(blue.any(axis=1)), np.flatnonzero(blue.any(axis=0)))
    ends = []
    for axis, length, plane in ((1, size[1], array[..., 0][there]), (0, size[0], array[..., 1][there])):
        colours = plane.mean(axis=1 - axis, dtype=np.float64) / 255 * length
        places = np.arange(len(colours)) + 0.5
        inner = slice(4, -4)  # at its rims, a resize has fewer pixels to weigh
        slope, start = np.polyfit(places[inner], colours[inner], 1)
        ends.append(sorted((start, start + slope * len(colours))))
    return ends[0][0], ends[1][0], ends[0][1], ends[1][1]


def share_of(box: Any, window: Any) -> float:
    """Return the share of a box inside a window."""
    wide = min(box[2], window[2]) - max(box[0], window[0])
    high = min(box[3], window[3]) - max(box[1], window[1])
    return max(wide, 0.0) * max(high, 0.0) / ((box[2] - box[0]) * (box[3] - box[1]))


def folder_of(root: Path, pictures: list[np.ndarray]) -> str:
    """Write pictures as PNG, into two classes by turns; ``ImageFolder`` reads them by class, then by name."""
    for i, picture in enumerate(pictures):
        place = root / ("cat", "dog")[i % 2]
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray(bytes_of(picture)).save(place / f"{i:03}.png")
    return str(root)


class Told(Dataset):
    """Samples that say which index they were asked by, and what is handed to them."""

    def __init__(self, count: int) -> None:
        self.count, self.transform = count, None

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        record = handed()
        return index, None if record is None else dict(record.objects)

    def double(self) -> int:
        return 2 * self.count


class Numbers(Dataset):
    """Samples of numbers, which a loader can put into a batch: the index, and the left edge of the box handed over."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[int, float]:
        return index, _left()


class AtOnce(Numbers):
    """The same, of which torch would read a whole batch at once."""

    def __getitems__(self, indices: list[int]) -> Any:
        raise AssertionError("nobody could know which sample is made")


class Stream(IterableDataset):
    """A stream of the numbers from start to end; workers take turns."""

    def __init__(self, start: int, end: int, turns: bool = True) -> None:
        self.start, self.end, self.turns = start, end, turns

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info() if self.turns else None
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        for number in range(self.start + first, self.end, step):
            yield number, _left()


def _left() -> float:
    record = handed()
    return -1.0 if record is None else float(record.objects["boxes"][0][0])


def hundredfold(index: int) -> list[list[float]]:
    """Return a box that tells the index it is of."""
    return [[100.0 * index, 0, 100.0 * index + 10, 10]]


def whole_number(number: int) -> list[list[float]]:
    """Return a box that tells a stream's sample, from its number in a worker."""
    info = get_worker_info()
    return hundredfold(number if info is None else number * info.num_workers + info.id)


class Painted(Dataset):
    """Pictures of their own coordinates, of many sizes, and a transform that sees nothing else."""

    SIZES = ((120, 600), (600, 120), (200, 300), (150, 151), (90, 400))

    def __init__(self, transform: Callable[..., Any], count: int = 40) -> None:
        self.transform, self.count = transform, count

    def __len__(self) -> int:
        return self.count

    @classmethod
    def size(cls, index: int) -> tuple[int, int]:
        return cls.SIZES[index % len(cls.SIZES)]

    @classmethod
    def boxes(cls, index: int) -> np.ndarray:
        """Return the box of a sample: one near a corner or an edge, another for each index."""
        height, width = cls.size(index)
        rng = np.random.default_rng(index)
        x, y = rng.choice([2.0, width - 34.0]), rng.uniform(0, height - 32.0)
        return np.array([[x, y, x + 30, y + 30]])

    def __getitem__(self, index: int) -> Any:
        return self.transform(image=painted(*self.size(index)).astype(np.float32))["image"]


class Shown(Dataset):
    """The same, of which each sample says how much of its object is left."""

    def __init__(self, pipeline: Callable[..., Any], count: int = 40) -> None:
        self.painted = Painted(pipeline, count)

    def __len__(self) -> int:
        return len(self.painted)

    def __getitem__(self, index: int) -> float:
        index = range(len(self))[index]
        window = window_shown(self.painted[index], Painted.size(index))
        return share_of(Painted.boxes(index)[0], window)
