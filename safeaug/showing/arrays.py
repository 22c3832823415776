"""Numbers of any library as an array. No library is imported to ask: tensors are known by what they can do."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

KINDS = "buif"
"""Kinds of numbers that can be looked at: true or false, whole, and not whole."""


def is_array(value: Any) -> bool:
    """Return whether a value is an array or a tensor of any library.

    Examples
    --------
    >>> is_array(np.zeros(3)), is_array([1, 2]), is_array("text")
    (True, False, False)
    """
    return hasattr(value, "shape") and hasattr(value, "dtype") and not isinstance(value, np.generic)


def is_tensor(value: Any) -> bool:
    """Return whether an array is a tensor as torch has them, whose channels come first."""
    return is_array(value) and hasattr(value, "detach")


def is_picture(value: Any) -> bool:
    """Return whether a value may be one picture: of Pillow's, or an array of two or three dimensions."""
    return isinstance(value, Image.Image) or (is_array(value) and len(value.shape) in {2, 3})


def is_list(value: Any) -> bool:
    """Return whether a value is a list or a tuple whose places have no names."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes) and not is_named(value)


def is_named(value: Any) -> bool:
    """Return whether a value is a tuple whose places have names."""
    return isinstance(value, tuple) and hasattr(value, "_asdict")


def fields_of(value: Any) -> dict[str, Any] | None:
    """Return what a value says under names, of a mapping or a tuple with names; None of anything else.

    Examples
    --------
    >>> fields_of({"image": 1}), fields_of([1])
    ({'image': 1}, None)
    """
    if is_named(value):
        return dict(value._asdict())
    if isinstance(value, Mapping):
        return {str(name): value[name] for name in value}
    return None


def array_of(value: Any) -> NDArray[Any] | None:
    """Return numbers as an array; None where they are none.

    Parameters
    ----------
    value : array_like, tensor, or picture of Pillow's
        Tensors are brought from their device. Pictures with a palette, or in colours of print, become RGB.

    Examples
    --------
    >>> array_of([[1, 2], [3, 4]]).shape, array_of(["a"])
    ((2, 2), None)
    """
    try:
        found = _array_of(value)
    except Exception:  # somebody else's objects may raise anything, and are then no numbers
        return None
    if found.dtype.kind == "V":  # what numpy has no kind for, as jax's bfloat16
        found = _widened(found)
    return found if found.dtype.kind in KINDS else None


def _array_of(value: Any) -> NDArray[Any]:
    if isinstance(value, Image.Image):
        return np.asarray(value.convert("RGB") if value.mode in {"P", "PA", "CMYK", "YCbCr", "LAB", "HSV"} else value)
    if not is_tensor(value):
        if isinstance(value, list | tuple) and any(is_tensor(each) for each in value):
            return np.stack([_array_of(each) for each in value])
        return np.asarray(value)
    plain = value.detach().cpu()
    try:
        return np.asarray(plain.numpy())
    except TypeError:  # numpy has no bfloat16
        return np.asarray(plain.float().numpy())


def _widened(array: NDArray[Any]) -> NDArray[Any]:
    try:
        return array.astype(np.float32)
    except (TypeError, ValueError):
        return array
