"""Batches to be rendered, and what becomes of their pixels: compared with the float64 filter of `tests.rendering`."""

from typing import NamedTuple

import numpy as np
import torch

from safeaug.batch.rendering import STYLE, Finish, Style
from tests import rendering as oracle

BYTES, HALF, BRAIN, SINGLE, DOUBLE = torch.uint8, torch.float16, torch.bfloat16, torch.float32, torch.float64
MEAN, STD = (0.485, 0.456, 0.406, 0.5), (0.229, 0.224, 0.225, 0.25)

COMPUTED = 0.01
"""Grey levels that float32 may be off."""

WHOLE = 1.0
"""Grey levels that the kernel for bytes may be off the reference, which is rounded to whole ones as its results are. It
rounds after each axis, half a level, twice; and its weights are whole numbers, the greatest at least 2**14, each off by
up to a half. Together that is at most 1.031 of a level before the reference is rounded: less than two whole ones after.
"""

STORED = {BYTES: 0.5, HALF: 0.3 - COMPUTED, BRAIN: 255 * 2**-9, SINGLE: 0.0, DOUBLE: 0.0}
"""What writing the output adds. bfloat16 keeps 8 bits: half of the last is 2**-9 of a number, 0.5 of 255; normalised,
the number is smaller than 255 grey levels and so is what is lost of it."""


class Scene(NamedTuple):
    """A batch, and what is to become of it."""

    images: torch.Tensor
    source: list
    target: list
    flipped: list
    size: tuple
    finish: Finish
    style: Style

    @property
    def tensors(self):
        return torch.tensor(self.source), torch.tensor(self.target), torch.tensor(self.flipped)


def laid_out(images, layout):
    """The same pictures with other strides."""
    if layout == "channels_last":
        return images.contiguous(memory_format=torch.channels_last)
    if layout == "strided":  # every second row and third column of a larger batch
        batch, channels, height, width = images.shape
        larger = torch.zeros((batch, channels, 2 * height, 3 * width), dtype=images.dtype)
        larger[:, :, ::2, 1::3] = images
        return larger[:, :, ::2, 1::3]
    if layout == "transposed":
        return images.transpose(2, 3).contiguous().transpose(2, 3)
    if layout == "expanded":  # one channel for all
        return images[:, :1].expand(-1, images.shape[1], -1, -1)
    return images


def pictures(shape, dtype, seed=0):
    """Grey levels of 0 to 255, the extremes among them."""
    drawn = torch.from_numpy(np.random.default_rng(seed).integers(-40, 296, shape)).clamp(0, 255)
    return drawn.to(dtype)


def finish_of(dtype_in, dtype_out, channels, normalise, fill=(31.0,)):
    if not normalise:
        return Finish(dtype_out, None, None, fill)
    unit = 1.0 if dtype_in == BYTES else 255.0
    mean, std = [tuple(unit * (values * 4)[k] for k in range(channels)) for values in (MEAN, STD)]
    return Finish(dtype_out, mean, std, fill)


def grey_levels(output, scene):
    """An output as grey levels again."""
    levels = output.double().numpy()
    channels, finish = levels.shape[1], scene.finish
    if finish.mean is not None:
        mean, std = (np.resize(values, channels).reshape(-1, 1, 1) for values in (finish.mean, finish.std))
        levels = levels * std + mean
    return levels * 255 if scene.images.dtype == BYTES and finish.dtype != BYTES else levels


def check(output, scene, tolerance, *, whole=False):
    assert output.shape == (len(scene.images), scene.images.shape[1], *scene.size)
    assert output.dtype == scene.finish.dtype
    levels = grey_levels(output, scene)
    images = scene.images.detach().double().numpy()
    for index, picture in enumerate(images):
        expected = oracle.rendered(
            picture,
            scene.source[index],
            scene.target[index],
            scene.flipped[index],
            scene.size,
            scene.finish.fill,
            scene.style.antialias,
            scene.style.interpolation == "bicubic",
            scene.images.dtype == BYTES,
        )
        assert np.abs(levels[index] - (np.rint(expected) if whole else expected)).max() <= tolerance


def one(images, window, size, *, out=None, normalise=False, target=None, flipped=False, style=STYLE):
    """A batch of one window for all."""
    finish = finish_of(images.dtype, out or images.dtype, images.shape[1], normalise)
    batch = len(images)
    target = target or (0, 0, size[1], size[0])
    return Scene(images, [window] * batch, [target] * batch, [flipped] * batch, size, finish, style)
