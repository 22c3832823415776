"""Maps of batches of tensors: the same formulas by torch. Needs torch."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from safeaug.errors import ContentError
from safeaug.saliency.grid import on_grid
from safeaug.saliency.library import Library
from safeaug.saliency.mapping import MARGIN
from safeaug.saliency.methods import SIZE, Method, checked_method, checked_size, maps_on
from safeaug.saliency.normal import bytes_of, normal
from safeaug.saliency.provided import ByKey, name_of, on_square

FEW, MANY = 4, 64
"""How many images a CPU shrinks together, and how many small maps it makes together: as many as its caches hold."""


def saliency_maps(
    images: Tensor | Sequence[Tensor],
    method: Method | Callable[..., Any] = "auto",
    *,
    size: int = SIZE,
    validate: bool = True,
    keys: Sequence[Any] | None = None,
) -> Tensor:
    """Return where in each image of a batch something is that stands out: see `safeaug.saliency.saliency_map`.

    Parameters
    ----------
    images : Tensor of shape (B, C, H, W), or sequence of Tensor of shape (C, Hi, Wi)
        uint8, or floats in [0, 1]. Images of different sizes have maps of one size.
    method : Method or callable, default "auto"
        A name, or what is handed the images as they are and returns maps: of shape (B, h, w), or a sequence of B maps.
    size : int, default 48
        Cells along each side.
    validate : bool, default True
        Whether to look at values and raise where they are out of range, which on a device waits for it. If not, an
        image that is out of range is no evidence, and so is a provided map that is not finite.
    keys : sequence, optional
        What names each image, for providers that look maps up: see `ByKey`.

    Returns
    -------
    Tensor of shape (B, size, size), float32
        On the device of the images, each in [0, 1]; all zero where there is no evidence.

    Raises
    ------
    ContentError
        Where images or provided maps are none.
    PolicyError
        Where method or size is none.

    Examples
    --------
    >>> images = torch.full((2, 3, 120, 200), 90, dtype=torch.uint8)
    >>> images[0, 0, 30:50, 140:170] = 200
    >>> [bool(each.any()) for each in saliency_maps(images)]
    [True, False]
    """
    size = checked_size(size)
    pictures = _pictures(images)
    device = pictures[0].device
    library = _library(device)
    with torch.no_grad(), torch.autocast(device.type, enabled=False):
        if callable(method):
            if isinstance(method, ByKey):
                return _looked_up(method, keys, len(pictures), size, device)
            return _provided(method, images, len(pictures), size, library, validate)
        method = checked_method(method)
        grids = _grids(pictures, size, library, validate)
        many = MANY if device.type == "cpu" else len(pictures)
        return torch.cat([maps_on(part, method, library) for part in grids.split(many)])


def maps_of(
    images: Tensor | Sequence[Tensor],
    method: str | Callable[..., Any] = "auto",
    size: int = SIZE,
    *,
    validate: bool = True,
    keys: Sequence[Any] | None = None,
) -> Tensor:
    """Return the maps of a batch as bytes, as the rank of windows is found from them: see `saliency_maps`.

    Returns
    -------
    Tensor of shape (B, size, size), uint8
        The least value of each is 0 and the greatest 255; all zero where there is no evidence.
    """
    how: Any = method  # a name is checked there
    maps = saliency_maps(images, how, size=size, validate=validate, keys=keys)
    found: Tensor = bytes_of(maps, _library(maps.device))
    return found


def _library(device: torch.device) -> Library:
    return Library(torch, torch.Tensor.contiguous, torch.Tensor.to, _better, device)


def _better(gain: Tensor, *pairs: tuple[Tensor, Tensor]) -> list[Tensor]:
    # Several times quicker than torch.where, and as exact: at weights 0 and 1 lerp returns its ends.
    is_better = torch.sign(torch.relu(gain))
    return [torch.lerp(own, other, is_better) for other, own in pairs]


def _pictures(images: Any) -> Tensor | list[Tensor]:
    """Return the images of a batch, their types and shapes checked."""
    pictures = images if isinstance(images, Tensor) else list(images)
    if not len(pictures):
        raise ContentError("images must hold at least one image, got none; leave empty batches out")
    for i, image in enumerate([pictures[0]] if isinstance(images, Tensor) else pictures):
        if not isinstance(image, Tensor) or image.ndim != 3 or 0 in image.shape:
            what = f"shape {tuple(image.shape)}" if isinstance(image, Tensor) else type(image).__name__
            raise ContentError(f"images[{i}] must be a tensor of shape (C, H, W), no side 0, got {what}")
        if image.dtype != torch.uint8 and not image.is_floating_point():
            raise ContentError(f"images[{i}] must be of uint8, or of floats in [0, 1], got {image.dtype}")
        if len(image) != len(pictures[0]) or image.device != pictures[0].device:
            raise ContentError(
                f"images of a batch must share channels and device, got images[0] with {len(pictures[0])} on "
                f"{pictures[0].device} and images[{i}] with {len(image)} on {image.device}"
            )
    return pictures


def _grids(pictures: Tensor | list[Tensor], size: int, library: Library, validate: bool) -> Tensor:
    """Return images on a grid, in [0, 1]; all zero where one holds what is not finite, or is out of range."""
    stacks = [pictures] if isinstance(pictures, Tensor) else [each[None] for each in pictures]
    few = FEW if library.device.type == "cpu" else len(pictures)
    grids = [on_grid(stack, size, library, few) / (255 if stack.dtype == torch.uint8 else 1) for stack in stacks]
    grid = torch.cat(grids)
    lowest, highest = grid.flatten(1).amin(1), grid.flatten(1).amax(1)
    inside = (lowest >= -MARGIN) & (highest <= 1 + MARGIN)
    # What is not finite is not inside either, but no fault.
    if validate and bool((outside := ~inside & lowest.isfinite() & highest.isfinite()).any()):
        which = int(outside.nonzero()[0])
        raise ContentError(
            f"images of floats must be in [0, 1], got means of {size} x {size} parts from {float(lowest[which]):.3g} "
            f"to {float(highest[which]):.3g} in images[{which}]; divide by 255, or look at them before they are "
            "normalised"
        )
    return torch.where(inside[:, None, None, None], grid.clip(0, 1), 0.0)


def _looked_up(provider: ByKey, keys: Sequence[Any] | None, count: int, size: int, device: torch.device) -> Tensor:
    """Return the maps that are found by the images' keys."""
    who = name_of(provider)
    if keys is None or len(keys) != count:
        got = "none" if keys is None else str(len(keys))
        raise ContentError(f"{who} looks maps up by keys: keys must hold {count}, one an image, got {got}")
    maps = [on_square(provider(key), size, f"{who} for sample {key!r}") for key in keys]
    return torch.from_numpy(np.stack(maps)).to(device)


def _provided(
    provider: Callable[..., Any], images: Any, count: int, size: int, library: Library, validate: bool
) -> Tensor:
    """Return what a provider says of a batch, in [0, 1]; all zero where a map is flat."""
    found, who = provider(images), name_of(provider)
    stacks = [found] if isinstance(found, Tensor) else _singles(found, who)
    if sum(map(len, stacks)) != count or any(stack.ndim != 3 or 0 in stack.shape for stack in stacks):
        got = f"shape {tuple(found.shape)}" if isinstance(found, Tensor) else f"{len(stacks)} maps"
        raise ContentError(f"maps must be a tensor of shape ({count}, h, w), one an image, got {got} from {who}")
    if validate:
        _check_values(stacks, who)
    grids = [on_grid(stack.to(library.device), size, library, len(stack)) for stack in stacks]
    maps: Tensor = normal(torch.cat(grids), library)
    return maps


def _singles(found: Any, who: str) -> list[Tensor]:
    """Return a sequence of maps as stacks of one map each."""
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise ContentError(f"maps must be a tensor of shape (B, h, w), got {type(found).__name__} from {who}")
    for i, each in enumerate(found):
        if not isinstance(each, Tensor) or each.ndim != 2:
            got = f"shape {tuple(each.shape)}" if isinstance(each, Tensor) else type(each).__name__
            raise ContentError(f"a map must be a tensor of shape (h, w), got {got} from {who} for images[{i}]")
    return [each[None] for each in found]


def _check_values(stacks: Sequence[Tensor], who: str) -> None:
    first = 0
    for stack in stacks:
        for fault, wanted in ((~stack.isfinite(), "finite"), (stack < 0, "not negative")):
            if bool(fault.any()):
                which = first + int(fault.flatten(1).any(1).nonzero()[0])
                raise ContentError(f"a map must be {wanted}, got other values from {who} for images[{which}]")
        first += len(stack)
