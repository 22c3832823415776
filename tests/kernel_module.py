"""A program for Triton's interpreter: modules that draw by the kernel draw what they draw in plain torch."""

import torch

from safeaug.batch import RandomCrop, RandomResizedCrop
from safeaug.batch.rendering.fused import nearest_by_kernel
from safeaug.batch.rendering.nearest import nearest_by_slices, nearest_densely


def modules() -> None:
    """Images, masks and maps of one tensor and of a list."""
    draws = torch.Generator().manual_seed(0)
    images = torch.randint(0, 256, (2, 3, 30, 28), dtype=torch.uint8, generator=draws)
    masks = torch.randint(0, 2, (2, 2, 30, 28), dtype=torch.uint8, generator=draws)
    given = {"masks": masks, "valid": torch.ones(2, 2, dtype=torch.bool), "sample_ids": [3, 8]}
    made = {}
    for renderer in ("dense", "kernel"):
        crop = RandomResizedCrop(9, seed=5, flip=0.5, mean=0.5, std=0.25, protect="masks", renderer=renderer)
        made[renderer] = crop(images, maps=masks[:, 0].float(), **given)
    (dense, wanted), (drawn, outcome) = made.values()
    assert (dense - drawn).abs().max() < 1e-5
    assert torch.equal(wanted.view.window, outcome.view.window)
    assert torch.equal(wanted.masks, outcome.masks)
    assert (wanted.maps - outcome.maps).abs().max() < 1e-5

    pictures = [images[0], images[1, :, :11, :9].transpose(1, 2)]
    crops = [
        RandomCrop(8, 2, pad_if_needed=True, seed=1, dtype=torch.uint8, fill=7, renderer=renderer)(pictures)[0]
        for renderer in ("slices", "kernel")
    ]
    assert torch.equal(*crops)  # pixels are copied


def names() -> None:
    """Masks of every width of numbers, of one tensor and of a list, into places beside a fill."""
    source = torch.tensor([[2, 1, 13, 10], [0, 0, 14, 12], [5, 5, 5, 9]])
    target = torch.tensor([[0, 0, 9, 7], [3, 2, 6, 7], [0, 0, 9, 7]])
    flipped = torch.tensor([True, False, True])
    for dtype, fill in [(torch.uint8, 255), (torch.bool, 0), (torch.int16, -1), (torch.float32, 0.5), (torch.int64, 9)]:
        maps = torch.arange(3 * 2 * 12 * 14).reshape(3, 2, 12, 14).to(dtype)
        wanted = nearest_densely(maps, source, target, flipped, (7, 9), fill)
        assert torch.equal(wanted, nearest_by_kernel(maps, source, target, flipped, (7, 9), fill))
        listed = [maps[0], maps[1].transpose(1, 2).contiguous().transpose(1, 2), maps[2]]
        assert torch.equal(wanted, nearest_by_kernel(listed, source, target, flipped, (7, 9), fill))
        plain = [tuple(row) for row in source.tolist()], [tuple(row) for row in target.tolist()], flipped.tolist()
        assert torch.equal(wanted, nearest_by_slices(maps, *plain, (7, 9), fill))


if __name__ == "__main__":
    modules()
    names()
