"""What the target of a torch data set says of its image."""

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from safeaug.data.boxes import usable
from safeaug.data.outline import Rings
from safeaug.data.remarks import Notes, shown
from safeaug.data.torch_boxes import array_of, boxes_of, is_a
from safeaug.errors import DataError
from safeaug.geometry import BoxFormat, Size

IMAGE = ("image", "img")
"""Where a mapping has its image."""

KEYS: dict[str, tuple[str, ...]] = {
    "boxes": ("boxes", "bboxes"),
    "labels": ("labels", "class_labels"),
    "ignore": ("ignore", "iscrowd", "difficult"),
    "masks": ("masks",),
    "mask": ("mask",),
    "label": ("label", "class"),
}
"""What else a mapping may say, and under which names."""


def said_by(target: Any, where: str) -> dict[str, Any]:
    """Return what a target says, by the names of `KEYS`."""
    if target is None:
        return {}
    if isinstance(target, Mapping):
        said = {name: target[key] for name, keys in KEYS.items() for key in keys if target.get(key) is not None}
        if target and not said:
            names = [key for keys in KEYS.values() for key in keys]
            raise DataError(f"a target must have some of {', '.join(names)}, got keys {shown(list(target))}", where)
        return said
    if is_a(target, "BoundingBoxes", "torchvision"):
        return {"boxes": target}
    if isinstance(target, str | Integral):
        return {"label": target}
    if isinstance(target, Image.Image):
        return {"mask": array_of(target, "a mask", where)}
    if isinstance(target, np.ndarray | np.generic | float) or is_a(target, "Tensor", "torch"):
        return _said_by_array(target, where)
    raise DataError(
        f"a target must be a class, a mask, boxes or a mapping, got {type(target).__name__}; of CocoDetection and its "
        "like, torchvision.datasets.wrap_dataset_for_transforms_v2 makes mappings",
        where,
    )


def _said_by_array(target: Any, where: str) -> dict[str, Any]:
    array = array_of(target, "a target", where)
    if array.ndim == 0 and array.dtype.kind in "bui":
        return {"label": array.item()}
    if array.ndim <= 1:  # a number to be learned, or one for each of several classes: nothing that has a place
        return {}
    return {"masks" if array.ndim == 3 and array.shape[0] != 1 else "mask": array}


def objects_of_target(
    said: Mapping[str, Any], box_format: BoxFormat, size: Size, where: str, notes: Notes
) -> dict[str, Any]:
    """Return what a `Sample` says of its objects, its mask and its class."""
    masks = _masks(said["masks"], size, where) if "masks" in said else None
    rings: tuple[Rings, ...] | None = None
    if "boxes" in said:
        boxes, rings = boxes_of(said["boxes"], box_format, size, where)
    else:
        boxes = bounds_of(np.empty((0, *size), np.bool_) if masks is None else masks)
    count = len(boxes)
    if masks is not None and len(masks) != count:
        raise DataError(f"masks must be as many as boxes, got {len(masks)} masks and {count} boxes", where)
    labels = _labels(said.get("labels"), count, where)
    ignore = _ignore(said.get("ignore"), count, where)
    keep = usable(boxes, size, lambda i: f"{where} object {i}", notes)
    used = np.flatnonzero(keep).tolist()
    return {
        "boxes": boxes[keep],
        "labels": tuple(labels[i] for i in used) if labels else (),
        "ignore": ignore[keep],
        "outlines": None if rings is None else tuple(rings[i] for i in used),
        "masks": None if masks is None else masks[keep],
        "mask": _mask(said["mask"], size, where) if "mask" in said else None,
        "group": _group(said.get("label"), where),
    }


def bounds_of(masks: NDArray[Any]) -> NDArray[np.float64]:
    """Return what bounds each mask; of an empty one, a box outside of every image.

    Examples
    --------
    >>> masks = np.zeros((2, 4, 6), bool)
    >>> masks[0, 1:3, 2:5] = True
    >>> bounds_of(masks).tolist()
    [[2.0, 1.0, 5.0, 3.0], [-1.0, -1.0, -1.0, -1.0]]
    """
    boxes = np.full((len(masks), 4), -1.0)
    for box, mask in zip(boxes, masks, strict=True):
        x, y = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
        if len(x):
            box[:] = x[0], y[0], x[-1] + 1, y[-1] + 1
    return boxes


def _masks(value: Any, size: Size, where: str) -> NDArray[Any]:
    masks = array_of(value, "masks", where)
    if masks.size == 0:
        return np.empty((0, *size), np.bool_)
    if masks.ndim != 3 or masks.shape[1:] != size or masks.dtype.kind not in "buif":
        raise DataError(
            f"masks must be numbers of shape (N, {size[0]}, {size[1]}), one for each object and as large as the image, "
            f"got {masks.dtype} of shape {masks.shape}",
            where,
        )
    return masks


def _mask(value: Any, size: Size, where: str) -> NDArray[Any]:
    mask = array_of(value, "a mask", where)
    mask = mask[0] if mask.ndim == 3 and mask.shape[0] == 1 else mask
    if mask.shape != size or mask.dtype.kind not in "buif":
        raise DataError(
            f"a mask must be numbers of shape ({size[0]}, {size[1]}), as large as the image, got {mask.dtype} of shape "
            f"{mask.shape}; boxes are to be handed over in a mapping, or as tv_tensors.BoundingBoxes",
            where,
        )
    return mask


def _labels(value: Any, count: int, where: str) -> tuple[str, ...]:
    if value is None:
        return ()
    labels = value if isinstance(value, list | tuple) else array_of(value, "labels", where).tolist()
    names = [_name(each, where) for each in labels] if isinstance(labels, list | tuple) else []
    if len(names) != count or None in names:
        raise DataError(f"labels must be a number or a name for each of {count} objects, got {shown(labels)}", where)
    return tuple(name for name in names if name is not None)


def _name(label: Any, where: str) -> str | None:
    """Return a label as text; None where it is neither a number nor a name."""
    if is_a(label, "Tensor", "torch"):
        array = array_of(label, "a label", where)
        label = array.item() if array.ndim == 0 else None
    return label if isinstance(label, str) else str(int(label)) if isinstance(label, Integral) else None


def _ignore(value: Any, count: int, where: str) -> NDArray[np.bool_]:
    if value is None:
        return np.zeros(count, np.bool_)
    flags = array_of(value, "iscrowd", where)
    if flags.shape != (count,) or flags.dtype.kind not in "buif":
        raise DataError(
            f"iscrowd must be true or false for each of {count} objects, got {shown(flags.tolist())}", where
        )
    return np.asarray(flags != 0)


def _group(value: Any, where: str) -> str:
    """Return the class of the whole picture."""
    if value is None:
        return ""
    name = _name(value, where)
    if name is None:
        raise DataError(f"the class of a picture must be a number or a name, got {shown(value)}", where)
    return name
