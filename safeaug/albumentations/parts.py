"""Steps beside the transform's own, taken by the host's own transforms: letterbox the whole image, cut a part of it."""

from typing import Any

import albumentations as A

from safeaug.geometry import Size, size_of


def letterboxed(crop: A.DualTransform, output: Size, data: dict[str, Any]) -> dict[str, Any]:
    """Return the data scaled by one factor to fit the output, and padded to it: what stands in for a crop left out.

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
    names = "interpolation", "mask_interpolation", "area_for_downscale"
    settings = {key: getattr(crop, key) for key in names if hasattr(crop, key)}
    # A border of one colour, whatever the crop's: a mirrored one would repeat the objects, and their boxes.
    filling = {key: getattr(crop, key) for key in ("fill", "fill_mask") if hasattr(crop, key)}
    for step in (
        A.LongestMaxSize(max_size_hw=output, **settings, p=1.0),
        A.PadIfNeeded(min_height=output[0], min_width=output[1], **filling, p=1.0),
    ):
        data = _beside(crop, step)(**data)
    return data


def cut_first(
    resize: A.DualTransform, params: dict[str, Any], data: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters and the data of a resize for the part of the image that ``crop_coords`` says."""
    window = params["crop_coords"]
    part = {key: value for key, value in params.items() if key != "crop_coords"}
    part["shape"] = (*size_of(window), *params["shape"][2:])
    return part, _beside(resize, A.Crop(*window, p=1.0))(**data)


def _beside(transform: A.DualTransform, step: A.DualTransform) -> A.DualTransform:
    """Return a step that knows the targets that a transform knows."""
    step.add_targets(transform._additional_targets)
    step.set_processors(transform.processors)
    return step
