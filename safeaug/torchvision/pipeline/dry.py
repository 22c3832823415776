"""A sample without pixels: what the host draws for it, and where its objects go, is the same, at little cost.

Pictures are stood in for by tensors of their shape and type that hold nothing (torch's "meta" device). Boxes and
keypoints stay, since later steps may look at them.
"""

from typing import Any

import PIL.Image
import torch
from torch.utils._pytree import tree_map
from torchvision import tv_tensors

from safeaug.geometry import Size

PIXELS = tv_tensors.Image, tv_tensors.Video, tv_tensors.Mask


def without_pixels(inputs: Any) -> Any:
    """Return a sample whose pictures hold nothing.

    Parameters
    ----------
    inputs : any pytree
        What a pipeline of v2 is called with.

    Examples
    --------
    >>> image, label = without_pixels((PIL.Image.new("RGB", (30, 20)), torch.tensor(3)))
    >>> image.shape, image.device.type, label
    (torch.Size([3, 20, 30]), 'meta', tensor(3))
    """
    return tree_map(_blank, inputs)


def _blank(leaf: Any) -> Any:
    if isinstance(leaf, PIL.Image.Image):
        return tv_tensors.Image(
            torch.empty((len(leaf.getbands()), leaf.height, leaf.width), dtype=torch.uint8, device="meta")
        )
    if isinstance(leaf, PIXELS) or (type(leaf) is torch.Tensor and leaf.ndim >= 3):
        height, width = leaf.shape[-2:]
        return blank(leaf, (height, width))
    return leaf


def blank(picture: torch.Tensor, size: Size) -> torch.Tensor:
    """Return a picture of another size that holds nothing.

    Parameters
    ----------
    picture : torch.Tensor of shape (..., H, W)
        Whose kind and other dimensions it has.
    size : (int, int)
        Its height and width.

    Examples
    --------
    >>> mask = blank(tv_tensors.Mask(torch.zeros(2, 5, 6)), (3, 4))
    >>> type(mask).__name__, mask.shape, mask.device.type
    ('Mask', torch.Size([2, 3, 4]), 'meta')
    """
    made = torch.empty((*picture.shape[:-2], *size), dtype=picture.dtype, device="meta")
    return tv_tensors.wrap(made, like=picture) if isinstance(picture, tv_tensors.TVTensor) else made
