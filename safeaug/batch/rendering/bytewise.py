"""Pictures of bytes on the CPU: torch's own kernel, fed what it likes.

That kernel resizes whole grey levels, four channels at a time, on the calling thread alone. It wants the channels of a
pixel side by side; from the planes of a crop it first brings them there byte by byte, which takes longer than the
resizing. As one 32-bit number a pixel they get there in a third of the time.

NumPy does the rest: unlike torch it starts no threads, so that several of these can run side by side, and it lets go of
the interpreter meanwhile. What is left to torch goes in pieces too small for its threads.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from safeaug.batch.rendering.filtering import filtered
from safeaug.batch.rendering.finish import Line
from safeaug.batch.rendering.style import Style
from safeaug.geometry import Size

LANES = 4
"""Channels that the kernel takes at a time; for more it leaves the quick way."""

GRAIN = 32768
"""Elements from which torch shares an operation among its threads (its ``at::internal::GRAIN_SIZE``)."""


def draw(crop: NDArray[np.uint8], place: Tensor, flipped: bool, line: Line | None, style: Style) -> None:
    """Resize a crop, finish it and put it into its place in the output.

    Parameters
    ----------
    crop : ndarray of shape (C, H, W), uint8
        Of any strides; not changed.
    place : Tensor of shape (C, h, w)
        Where it goes: on the CPU, of any dtype and strides.
    flipped : bool
        Whether it is mirrored.
    line : Line or None
        What finishing does to a pixel.
    style : Style
        By which filter.
    """
    size = (place.shape[1], place.shape[2])
    for first in range(0, crop.shape[0], LANES):
        lanes = slice(first, first + LANES)
        pixels = crop[lanes] if crop.shape[1:] == size else resized(crop[lanes], size, style)
        if flipped:
            pixels = pixels[..., ::-1]
        if line is None:
            np.copyto(place[lanes].numpy(), pixels)
        else:
            finished(pixels, place[lanes], Line(line.slope[lanes], line.offset[lanes]))


def resized(crop: NDArray[np.uint8], size: Size, style: Style) -> NDArray[np.uint8]:
    """Return a crop of up to four channels in another size: (C, h, w), of whatever strides."""
    pixels = torch.from_numpy(interleaved(crop)).permute(0, 3, 1, 2)
    array: NDArray[np.uint8] = filtered(pixels, size, style.interpolation, style.antialias)[0, : crop.shape[0]].numpy()
    return array


def interleaved(crop: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a crop with the channels of each pixel side by side: (1, H, W, 3 or 4), of which the last may be none.

    Examples
    --------
    >>> interleaved(np.arange(4, dtype=np.uint8).reshape(2, 1, 2)).tolist()
    [[[[0, 2, 0, 0], [1, 3, 0, 0]]]]
    """
    channels, height, width = crop.shape
    if crop.strides[0] == 1 and channels >= 3:  # as they already stand
        return np.ascontiguousarray(crop.transpose(1, 2, 0)).reshape(1, height, width, channels)
    # The first channel in the lowest byte, which comes first in memory.
    packed: NDArray[np.uint32] = crop[-1].astype("<u4", order="C")
    for plane in crop[-2::-1]:
        packed <<= 8
        packed |= plane
    return packed.view(np.uint8).reshape(1, height, width, LANES)


def finished(pixels: NDArray[np.uint8], place: Tensor, line: Line) -> None:
    """Write pixels as a floating dtype, along a line. NumPy has no bfloat16 and is slow with float16: torch rounds."""
    direct = place.dtype in (torch.float32, torch.float64)
    work = place if direct else torch.empty(place.shape, dtype=torch.float32)
    array = work.numpy()
    np.copyto(array, pixels)
    for values, step in ((line.slope, np.multiply), (line.offset, np.add)):
        step(array, np.array(values, dtype=array.dtype).reshape(-1, 1, 1), out=array)
    if not direct:
        for target, source in zip(bands(place), bands(work), strict=True):
            target.copy_(source)


def bands(picture: Tensor) -> tuple[Tensor, ...]:
    """Return a picture in bands of rows, each too small for torch to share it among threads."""
    rows = max(1, (GRAIN - 1) // (picture.shape[0] * picture.shape[2]))
    return tuple(picture[:, top : top + rows] for top in range(0, picture.shape[1], rows))
