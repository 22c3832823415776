"""torch's own filter, but for the one shape that it gets wrong."""

from torch import Tensor
from torch.nn import functional

from safeaug.batch.rendering.style import Interpolation
from safeaug.geometry import Size


def filtered(pixels: Tensor, size: Size, interpolation: Interpolation, antialias: bool) -> Tensor:
    """Return pixels of shape (1, C, H, W) in another size: (1, C, h, w), of whatever strides.

    Up to torch 2.14 at least, the antialiased filter for floating numbers on the CPU, and that for bytes where there is
    no AVX2, gives every row of an output of one column the weights of the first. A single row comes out right.

    Examples
    --------
    >>> import torch
    >>> filtered(torch.tensor([0.0, 0.0, 18.0]).reshape(1, 1, 3, 1), (2, 1), "bilinear", True).flatten().tolist()
    [0.0, 11.25]
    """
    if size[1] == 1 and size[0] > 1:
        return filtered(pixels.transpose(2, 3), (1, size[0]), interpolation, antialias).transpose(2, 3)
    return functional.interpolate(pixels, size=size, mode=interpolation, antialias=antialias)
