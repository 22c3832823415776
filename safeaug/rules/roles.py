"""What a part of a sample is: by its type, where that says it, else by the name it goes by."""

from functools import lru_cache
from typing import Any

from safeaug.rules.fact import Role

NAMES: dict[str, Role] = {
    **dict.fromkeys(("image", "images", "img", "imgs", "pixel_values", "picture"), "image"),
    **dict.fromkeys(("mask", "masks", "seg", "segmentation", "semseg", "label_map", "gt_semantic_seg"), "mask"),
    **dict.fromkeys(("boxes", "bboxes", "box", "bbox", "gt_bboxes"), "boxes"),
    **dict.fromkeys(("keypoints", "kps"), "points"),
}
"""Names by which samples call their parts, in lower case."""

TYPES: dict[str, Role] = {
    "Image": "image",
    "Video": "image",
    "Mask": "mask",
    "BoundingBoxes": "boxes",
    "KeyPoints": "points",
}
"""Classes of torchvision's ``tv_tensors``."""


def role_of(part: Any, name: str) -> Role:
    """Return what a part is, as far as it alone can tell.

    A name that says mask goes before a type that says picture: ids in a picture's type are what some rules are about.

    Examples
    --------
    >>> role_of([[0, 0, 1, 1]], "bboxes"), role_of(3, "label"), role_of(None, "image")
    ('boxes', 'other', 'none')
    """
    kind: Any = type(part)
    return "none" if part is None else role_of_type(kind, name)


@lru_cache(maxsize=4096)
def role_of_type(kind: Any, name: str) -> Role:
    """Return what a part of a type is, by the name that it goes by."""
    name = name.lower()
    named: Role = "mask" if name.endswith("mask") else NAMES.get(name, "other")
    typed = _typed(kind)
    return named if typed == "other" or (named == "mask" and typed == "image") else typed


def _typed(kind: Any) -> Role:
    """Return what a class says that its instances are."""
    for base in kind.__mro__:
        if base.__name__ in TYPES and ".tv_tensors" in base.__module__:
            return TYPES[base.__name__]
    return "image" if _is_pillow(kind) else "other"


def is_pillow(part: Any) -> bool:
    """Return whether a part is a picture of Pillow."""
    kind: Any = type(part)
    return _is_pillow(kind)


@lru_cache(maxsize=256)
def _is_pillow(kind: Any) -> bool:
    return any(base.__module__ == "PIL.Image" for base in kind.__mro__)


def is_array(part: Any) -> bool:
    """Return whether a part is an array of numpy or a tensor of torch."""
    kind: Any = type(part)
    return _is_array(kind)


@lru_cache(maxsize=1024)
def _is_array(kind: Any) -> bool:
    return hasattr(kind, "shape") and hasattr(kind, "dtype") and hasattr(kind, "ndim")
