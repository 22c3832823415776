"""The whole image in the promised size: what stands in for a crop that is left out."""

from typing import Any

import albumentations as A

from safeaug.geometry import Size


def letterboxed(crop: A.DualTransform, output: Size, data: dict[str, Any]) -> dict[str, Any]:
    """Return the data scaled by one factor to fit the output, and padded to it, by the host's own transforms.

    Parameters
    ----------
    crop : DualTransform
        The crop that is left out; its interpolation, fill and additional targets are used.
    output : (int, int)
        Height and width that the crop promises.
    data : dict
        What the host hands to a leaf.

    Returns
    -------
    dict
        Every target in the new size.
    """
    settings = {key: getattr(crop, key) for key in ("interpolation", "mask_interpolation") if hasattr(crop, key)}
    # A border of one colour, whatever the crop's: a mirrored one would repeat the objects, and their boxes.
    filling = {key: getattr(crop, key) for key in ("fill", "fill_mask") if hasattr(crop, key)}
    for step in (
        A.LongestMaxSize(max_size_hw=output, **settings, p=1.0),
        A.PadIfNeeded(min_height=output[0], min_width=output[1], **filling, p=1.0),
    ):
        step.add_targets(crop._additional_targets)
        step.set_processors(crop.processors)
        data = step(**data)
    return data
