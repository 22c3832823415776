"""Images of different sizes in one block of memory: what a loader's worker collates and one copy moves to a device."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from safeaug.errors import ContentError
from safeaug.geometry import Size


class Ragged(NamedTuple):
    """Images of different sizes in one block of memory.

    A `torch.utils.data.DataLoader` with ``pin_memory=True`` pins it, by `pin_memory`; then one copy of the whole block
    moves it to a device while that still works on the batch before.

    Parameters
    ----------
    data : Tensor of shape (P,)
        The pixels of all images, one image after the other, each in the order (C, H, W).
    sizes : list of (int, int)
        Height and width of each.
    channels : int
        Of each.
    """

    data: Tensor
    sizes: list[Size]
    channels: int

    def pictures(self) -> list[Tensor]:
        """Return the images, of shape (C, Hi, Wi): views, nothing is copied."""
        counts = [self.channels * height * width for height, width in self.sizes]
        return [
            part.view(self.channels, height, width)
            for part, (height, width) in zip(self.data.split(counts), self.sizes, strict=True)
        ]

    def pin_memory(self, *_: Any) -> "Ragged":
        """Return the same in page-locked memory."""
        return self._replace(data=self.data.pin_memory())

    def to(self, device: Any, *, non_blocking: bool = False) -> "Ragged":
        """Return the same on another device, by one copy."""
        return self._replace(data=self.data.to(device, non_blocking=non_blocking))


def collate(images: Sequence[Tensor]) -> Ragged:
    """Return images of different sizes in one block of memory, for a loader's ``collate_fn``.

    In a loader's worker the block is in shared memory, so that the loader does not copy it once more.

    Parameters
    ----------
    images : sequence of Tensor of shape (C, Hi, Wi)
        Of one dtype, as a rule uint8, and as many channels each; at least one.

    Returns
    -------
    Ragged
        What `safeaug.batch.RandomResizedCrop` takes as images.

    Raises
    ------
    ContentError
        On no image, or images that do not go together.

    Examples
    --------
    >>> batch = collate([torch.zeros(3, 4, 6, dtype=torch.uint8), torch.ones(3, 5, 2, dtype=torch.uint8)])
    >>> batch.data.shape, batch.sizes, batch.pictures()[1].shape
    (torch.Size([102]), [(4, 6), (5, 2)], torch.Size([3, 5, 2]))
    """
    if not images:
        raise ContentError("images must hold at least one image, got none; leave empty batches out")
    first = images[0]
    for i, image in enumerate(images):
        if image.ndim != 3 or 0 in image.shape or len(image) != len(first) or image.dtype != first.dtype:
            raise ContentError(
                f"images[{i}] must be of shape (C, H, W) and have the dtype and channels of images[0], "
                f"{first.dtype} and {len(first) if first.ndim else 0}, got {image.dtype} of shape {tuple(image.shape)}"
            )
    sizes = [(image.shape[1], image.shape[2]) for image in images]
    data = torch.empty(sum(image.numel() for image in images), dtype=first.dtype)
    if torch.utils.data.get_worker_info() is not None:
        data.share_memory_()
    ragged = Ragged(data, sizes, len(first))
    for target, image in zip(ragged.pictures(), images, strict=True):
        target.copy_(image)
    return ragged
