"""Pixels: the source rectangle of every picture becomes the target rectangle of its output.

Three renderers of one meaning. `slices` walks over the pictures and resizes what lies in each window: the quickest on a
CPU. `fused` is one kernel for CUDA. `dense` is plain torch on whole batches, without a look at any value: for
`torch.compile` on a CPU and for devices that have no kernel of their own. `nearest` holds the first and the last for
maps, whose values are names and cannot be mixed.

What they draw: the source, a rectangle of whole pixels inside the picture, is resized by a triangle filter that widens
where the picture shrinks (what Pillow and torch call antialiased bilinear), with half-pixel centres and its support
clipped to the source; or by a cubic one, and then bytes are kept from 0 to 255 along each axis. It fills the target, a
rectangle inside the output; the rest is fill. Where both are of one size, pixels are copied. A flipped output is
mirrored as a whole. A source without area draws nothing.
"""

from safeaug.batch.rendering.dense import densely
from safeaug.batch.rendering.finish import Finish
from safeaug.batch.rendering.nearest import nearest_by_slices, nearest_densely
from safeaug.batch.rendering.slices import by_slices
from safeaug.batch.rendering.style import STYLE, Interpolation, Renderer, Style

__all__ = [
    "STYLE",
    "Finish",
    "Interpolation",
    "Renderer",
    "Style",
    "by_slices",
    "densely",
    "nearest_by_slices",
    "nearest_densely",
]
