"""Nothing itself: data sets and helpers that tripwire tests watch, in a module that spawned workers can import."""

import albumentations as A
import numpy as np
import torch

import safeaug


@safeaug.watch  # noqa: RET503  # the missing branch is the story
def embedding(subset):
    """Return what the model conditions on: the origin's helper, whose one branch is missing."""
    if subset["kind"] == "text":
        return np.ones(4, np.float32)
    if subset["kind"] == "image" and subset["well_formed"]:
        return np.zeros(4, np.float32)


class Conditional(torch.utils.data.Dataset):
    """Pictures with an embedding, of which one in eight is malformed."""

    def __len__(self):
        return 32

    def __getitem__(self, i):
        subset = {"kind": ("text", "image")[i % 2], "well_formed": i % 8 != 5}
        return {"image": np.full((8, 8, 3), i, np.uint8), "embedding": embedding(subset)}


class Spoilt(torch.utils.data.Dataset):
    """Zero-centred floats through a gamma that makes NaN of them, for some draws."""

    def __init__(self):
        self.transform = A.Compose([A.HorizontalFlip(p=0.5), A.RandomGamma(p=0.3)])

    def __len__(self):
        return 32

    def __getitem__(self, i):
        image = np.random.default_rng(i).random((16, 16, 3), np.float32) - (0.5 if i >= 10 else 0)
        with np.errstate(invalid="ignore"):
            return self.transform(image=image)["image"], i


class Raising(torch.utils.data.Dataset):
    """Its sample 5 cannot be read."""

    def __len__(self):
        return 8

    def __getitem__(self, i):
        if i == 5:
            raise ValueError("truncated file")
        return torch.full((3, 8, 8), float(i)), i


class Stream(torch.utils.data.IterableDataset):
    """An endless stream, whose fourth sample is None."""

    def __iter__(self):
        number = 0
        while True:
            yield None if number == 3 else np.full((8, 8, 3), number % 200, np.uint8)
            number += 1
