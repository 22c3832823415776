"""The facts of a nested sample: each part is looked at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.rules.fact import Fact, Facts, Role, Row
from safeaug.rules.labels import labels_of
from safeaug.rules.parts import parts_of
from safeaug.rules.pictures import Laid, laid, places, probe_of
from safeaug.rules.roles import is_array, is_pillow, role_of

EXIF_ORIENTATION = 0x0112
"""The tag of a picture that says how it is turned."""


def facts_of(sample: Any, *, values: bool = True) -> Facts:
    """Return the facts of all parts of a sample.

    Parameters
    ----------
    sample : Any
        Arrays, tensors, pictures of Pillow, numbers and texts, in mappings, tuples, lists and dataclasses.
    values : bool, default True
        Whether to look at values, which takes time in proportion to them. Types, shapes and None are free.

    Examples
    --------
    >>> image = np.zeros((4, 6, 3), np.float32)
    >>> image[0, 0, 0] = np.nan
    >>> for fact in facts_of({"image": image, "label": None}):
    ...     print(fact, fact.role, fact.nans)
    image: ndarray float32 4x6x3 0..0 finite 0.9861 image 1
    label: NoneType none 0
    """
    found = [fact_of(part, path, name, values=values) for path, name, part in parts_of(sample)]
    return tuple(with_guesses(found))


def fact_of(part: Any, path: str = "", name: str = "", *, values: bool = True) -> Fact:
    """Return the facts of one part."""
    role = role_of(part, name)
    if is_pillow(part):
        return _of_pillow(part, path, role, values)
    if is_array(part):
        return _of_array(part, path, role, values)
    if isinstance(part, list):
        rows = rows_of(part) if role == "boxes" else None
        return Fact(path, role, "list", (len(part),), rows=rows)
    if isinstance(part, float) and values and part != part:
        return Fact(path, role, "float", finite=0.0, nans=1)
    return Fact(path, role, type(part).__name__)


def with_guesses(facts: list[Fact]) -> list[Fact]:
    """Return facts in which parts without a name have the role that they play beside a picture.

    The first picture-like array of a nameless sample is the picture; whole numbers of its height and width beside it
    are a mask; rows of four that all are boxes inside it are boxes.
    """
    picture = next((fact for fact in facts if fact.role == "image"), None)
    if picture is None:
        at = next((i for i, fact in enumerate(facts) if _could_be_picture(fact)), None)
        if at is None:
            return facts
        facts = [*facts[:at], facts[at]._replace(role="image"), *facts[at + 1 :]]
        picture = facts[at]
    return [_guessed(fact, picture) if fact.role == "other" and fact.shape else fact for fact in facts]


def _could_be_picture(fact: Fact) -> bool:
    if fact.role != "other" or fact.size is None or fact.shape is None or min(fact.size) < GUESSED_SIDE:
        return False
    return fact.channels == 3 or (fact.channels == 1 and (fact.dtype == "uint8" or fact.floats))


GUESSED_SIDE = 8
"""Smaller arrays are taken for no picture, unless their type or name says so."""


def _guessed(fact: Fact, picture: Fact) -> Fact:
    whole = fact.dtype is not None and ("int" in fact.dtype or fact.dtype == "bool")
    if fact.size is not None and fact.size == picture.size and fact.channels == 1 and whole:
        return fact._replace(role="mask")
    if fact.rows and picture.size is not None and _are_boxes(fact.rows, picture.size):
        return fact._replace(role="boxes", size=None, channels=None, layout=None)
    return fact


def _are_boxes(rows: tuple[Row, ...], size: tuple[int, int]) -> bool:
    """Return whether rows of four can hardly be anything but corners of boxes, in pixels of a picture."""
    height, width = size
    inside = all(0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height for x0, y0, x1, y1 in rows)
    return inside and max(max(row) for row in rows) > 2


# Arrays and tensors.


def _of_array(part: Any, path: str, role: Role, values: bool) -> Fact:
    shape, dtype = tuple(part.shape), str(part.dtype).rpartition(".")[2]
    name = type(part).__name__
    how = laid(shape, first=not isinstance(part, np.ndarray)) if role not in {"boxes", "points"} else None
    fact = Fact(path, role, name, shape, dtype)
    if how is not None:
        fact = fact._replace(size=how.size, channels=how.channels, layout=how.layout)
    if not values or 0 in shape or not _is_number(dtype):
        return fact._replace(rows=()) if values and role == "boxes" and 0 in shape else fact
    array = as_numpy(part)
    low, high = array.min(), array.max()  # either is NaN where a value is
    told: dict[str, Any] = {"low": float(low), "high": float(high)}
    if fact.floats and not (np.isfinite(low) and np.isfinite(high)):
        told = _of_broken(array)
    if how is not None and role in {"image", "mask", "other"}:
        told["probe"] = probe_of(array, how)
    if role == "mask" and how is not None:
        told["labels"] = labels_of(array)
    if len(shape) == 2 and shape[1] >= 4 and role in {"boxes", "other"} and shape[0] <= MANY_BOXES:
        told["rows"] = tuple(map(tuple, array[:, :4].tolist())) if role == "boxes" or shape[1] == 4 else None
    form = getattr(part, "format", None)
    canvas = getattr(part, "canvas_size", None)
    if role == "boxes" and canvas is not None:
        told.update(form=str(getattr(form, "value", form)).lower(), size=tuple(canvas))
    return fact._replace(**told)


MANY_BOXES = 4096
"""Rows beyond which an array is not taken for boxes."""


def _of_broken(array: NDArray[Any]) -> dict[str, Any]:
    """Return range and share of what is finite, where not all is."""
    fine = np.isfinite(array)
    kept = array[fine]
    ends = (float(kept.min()), float(kept.max())) if kept.size else (None, None)
    return {
        "low": ends[0],
        "high": ends[1],
        "finite": float(fine.mean()),
        "nans": int(np.isnan(array).sum()),
    }


def as_numpy(part: Any) -> NDArray[Any]:
    """Return the values of an array or a tensor, without a copy where they lie in the processor's memory."""
    if isinstance(part, np.ndarray):
        return part
    tensor = part.detach()
    if "bfloat16" in str(tensor.dtype):
        tensor = tensor.float()
    if tensor.device.type != "cpu":
        tensor = tensor.cpu()
    array: NDArray[Any] = np.asarray(tensor)
    return array


def _is_number(dtype: str) -> bool:
    return dtype == "bool" or any(word in dtype for word in ("int", "float"))


def rows_of(part: list[Any]) -> tuple[Row, ...] | None:
    """Return boxes that are given as a list of rows; None where they are no rows of four numbers."""
    try:
        return tuple(tuple(map(float, row[:4])) for row in part[:MANY_BOXES])
    except (TypeError, ValueError):
        return None


# Pictures of Pillow.


def _of_pillow(part: Any, path: str, role: Role, values: bool) -> Fact:
    width, height = part.size
    bands, mode = len(part.getbands()), part.mode
    dtype = {"1": "bool", "F": "float32", "I": "int32"}.get(mode, "uint16" if mode.startswith("I;16") else "uint8")
    how = Laid((height, width), bands, "HW" if bands == 1 else "HWC")
    fact = Fact(path, role, f"Image({mode})", (height, width), dtype, how.size, bands, how.layout)
    if not values or 0 in part.size:
        return fact
    told: dict[str, Any] = {"orientation": int(part.getexif().get(EXIF_ORIENTATION, 1))}
    if role == "mask" or dtype != "uint8":
        array = np.asarray(part)
        told.update(low=float(array.min()), high=float(array.max()), probe=probe_of(array, how))
        told["labels"] = labels_of(array) if role == "mask" and bands == 1 else None
    else:
        told["probe"] = _pixels(part, how)
    return fact._replace(**told)


def _pixels(part: Any, how: Laid) -> Row:
    """Return a probe of a picture of bytes, which is not made into an array for it."""
    height, width = how.size
    found = [part.getpixel((x, y)) for y in places(height) for x in places(width)]
    return tuple(float(value) for each in found for value in (each if isinstance(each, tuple) else (each,)))
