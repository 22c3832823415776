"""Whether a step that nobody knows has moved the picture."""

from typing import Any

import numpy as np
import PIL.Image
import torch
from numpy.typing import NDArray
from torch.utils._pytree import tree_leaves
from torchvision import tv_tensors


def stays(before: Any, after: Any) -> bool:
    """Return whether a step has certainly left every pixel in its place: conversions of type, mode and range do so.

    Parameters
    ----------
    before, after : any pytree
        What went in and what came out; the first picture of each is compared.

    Returns
    -------
    bool
        Whether both show the same grey levels at the same size, to within rounding. False where that is not certain, as
        after a change of colours.

    Examples
    --------
    >>> picture = PIL.Image.linear_gradient("L")
    >>> stays(picture, picture.convert("RGB")), stays(picture, picture.transpose(PIL.Image.Transpose.ROTATE_90))
    (True, False)
    """
    one, other = _grey(before), _grey(after)
    if one is None or other is None or one.shape != other.shape:
        return False
    return bool(np.abs(one - other).max(initial=0.0) <= 1.5 / 255)


def _grey(sample: Any) -> NDArray[np.float64] | None:
    """Return the first picture of a sample in grey levels from 0 to 1; None where there is none that can be told."""
    for leaf in tree_leaves(sample):
        if isinstance(leaf, PIL.Image.Image):
            shown: NDArray[np.float64] = np.asarray(leaf.convert("RGB"), np.float64).mean(axis=2)
            return shown / 255
        if isinstance(leaf, torch.Tensor) and not isinstance(leaf, tv_tensors.BoundingBoxes | tv_tensors.Mask):
            if leaf.ndim != 3 or leaf.shape[0] not in {1, 3, 4}:
                continue
            scale = 1.0 if leaf.is_floating_point() else float(torch.iinfo(leaf.dtype).max)
            grey: NDArray[np.float64] = leaf[:3].detach().cpu().to(torch.float64).mean(dim=0).numpy()
            return grey / scale
    return None
