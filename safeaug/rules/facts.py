"""The facts of a nested sample: each part is looked at once."""

import math
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from safeaug.rules.fact import Fact, Facts, Role, Row
from safeaug.rules.labels import labels_of
from safeaug.rules.parts import parts_of
from safeaug.rules.pictures import Laid, laid, places, probe_of
from safeaug.rules.roles import is_array, is_pillow, role_of

EXIF_ORIENTATION = 0x0112
"""The tag of a picture that says how it is turned."""


Look = Literal["none", "probe", "all"]
"""How closely values are looked at: not at all; those of a few pixels; all of them."""


def facts_of(sample: Any, *, look: Look = "all") -> Facts:
    """Return the facts of all parts of a sample.

    Parameters
    ----------
    sample : Any
        Arrays, tensors, pictures of Pillow, numbers and texts, in mappings, tuples, lists and dataclasses.
    look : {"none", "probe", "all"}, default "all"
        How closely to look at values: all takes time in proportion to them. Of a probe, ranges and shares are those of
        the probe.

    Examples
    --------
    >>> image = np.zeros((4, 6, 3), np.float32)
    >>> image[0, 0, 0] = np.nan
    >>> for fact in facts_of({"image": image, "label": None}):
    ...     print(fact, fact.role, fact.nans)
    image: ndarray float32 4x6x3 0..0 finite 0.9861 image 1
    label: NoneType none 0
    """
    found = [fact_of(part, path, name, look=look) for path, name, part in parts_of(sample)]
    return tuple(with_guesses(found))


def fact_of(part: Any, path: str = "", name: str = "", *, look: Look = "all") -> Fact:
    """Return the facts of one part; the arguments are those of `facts_of`."""
    role = role_of(part, name)
    if is_array(part):
        return _of_array(part, path, role, look)
    if is_pillow(part):
        return _of_pillow(part, path, role, look)
    if isinstance(part, list):
        rows = rows_of(part) if role == "boxes" else None
        return Fact(path, role, "list", (len(part),), rows=rows)
    if isinstance(part, float) and part != part:
        return Fact(path, role, "float", finite=0.0, nans=1)
    return Fact(path, role, type(part).__name__)


def with_guesses(facts: list[Fact]) -> list[Fact]:
    """Return facts in which parts without a name have the role that they play beside a picture.

    The first picture-like array of a nameless sample is the picture; whole numbers of its height and width beside it
    are a mask; rows of four that all are boxes inside it are boxes.
    """
    if all(fact.role != "other" or not fact.shape for fact in facts):
        return facts
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


def _of_array(part: Any, path: str, role: Role, look: Look) -> Fact:
    shape, (dtype, numeric) = tuple(part.shape), named_type(part.dtype)
    told: dict[str, Any] = {}
    how = laid(shape, first=not isinstance(part, np.ndarray)) if role not in {"boxes", "points"} else None
    if how is not None:
        told.update(size=how.size, channels=how.channels, layout=how.layout)
    if look != "none" and numeric and 0 not in shape:
        array = as_numpy(part)
        if how is not None:
            told["probe"] = probe_of(array, how)
        probe = told.get("probe")
        told.update(_range_of(array) if look == "all" or not probe or array.size <= SMALL else _range_of_probe(probe))
        if role == "mask" and look == "all":
            told["labels"] = labels_of(array)
        if len(shape) == 2 and (role == "boxes" or (role == "other" and shape[1] == 4)):
            told["rows"] = _rows(array)
    elif role == "boxes" and 0 in shape:
        told["rows"] = ()
    canvas = getattr(part, "canvas_size", None) if role == "boxes" else None
    if canvas is not None:
        form = part.format
        told.update(form=str(getattr(form, "value", form)).lower(), size=tuple(canvas))
    return Fact(path, role, type(part).__name__, shape, dtype, **told)


SMALL = 256
"""An array of no more values is looked at whole."""


def all_finite(part: Any) -> bool:
    """Return whether an array holds numbers only, at the price of one pass; what is no array of floats does.

    Where the sum of squares is a number, all of them are. It may be infinite for large ones, which are then looked at.
    """
    if not is_array(part) or not named_type(part.dtype)[0].startswith(("float", "bfloat")):
        return True
    flat = as_numpy(part).ravel(order="K")
    return bool(np.isfinite(np.dot(flat, flat))) or bool(np.isfinite(flat).all())


@lru_cache(maxsize=64)
def named_type(dtype: Any) -> tuple[str, bool]:
    """Return the name of a type of numbers, numpy's or torch's, and whether it is one of real numbers."""
    name = str(dtype).rpartition(".")[2]
    return name, name == "bool" or any(name.startswith(word) for word in ("int", "uint", "float", "bfloat"))


def _range_of(array: NDArray[Any]) -> dict[str, Any]:
    """Return the range of values, and the share of them that is finite, where not all are."""
    flat = array.ravel(order="K")  # a view of all that lies in one piece, in which numpy is quickest
    low, high = float(np.minimum.reduce(flat)), float(np.maximum.reduce(flat))  # NaN, where a value is
    if math.isfinite(low) and math.isfinite(high):
        return {"low": low, "high": high}
    fine = np.isfinite(flat)
    kept = flat[fine]
    ends = (float(kept.min()), float(kept.max())) if kept.size else (None, None)
    return {"low": ends[0], "high": ends[1], "finite": float(fine.mean()), "nans": int(np.isnan(flat).sum())}


def _range_of_probe(probe: Row) -> dict[str, Any]:
    """Return the range of a probe, and the share of it that is finite, where not all is."""
    fine = [value for value in probe if math.isfinite(value)]
    if len(fine) == len(probe):
        return {"low": min(probe), "high": max(probe)}
    ends = (min(fine), max(fine)) if fine else (None, None)
    nans = sum(value != value for value in probe)
    return {"low": ends[0], "high": ends[1], "finite": len(fine) / len(probe), "nans": nans}


def _rows(array: NDArray[Any]) -> tuple[Row, ...] | None:
    """Return boxes; None where there are too many of them, or too few numbers in each."""
    if array.shape[0] > MANY_BOXES or array.shape[1] < 4:
        return None
    return tuple(map(tuple, array[:, :4].tolist()))


MANY_BOXES = 4096
"""Rows beyond which an array is not taken for boxes."""


def probe_part(part: Any) -> Row:
    """Return a probe of an array or a tensor, whatever it is."""
    how = laid(tuple(part.shape), first=not isinstance(part, np.ndarray))
    return () if how is None else probe_of(as_numpy(part), how)


def as_numpy(part: Any) -> NDArray[Any]:
    """Return the values of an array or a tensor, without a copy where they lie in the processor's memory."""
    if isinstance(part, np.ndarray):
        return part
    tensor = part.detach() if part.requires_grad else part
    if tensor.device.type != "cpu":
        tensor = tensor.cpu()
    if named_type(tensor.dtype)[0] == "bfloat16":
        tensor = tensor.float()
    array: NDArray[Any] = tensor.numpy()
    return array


def rows_of(part: list[Any]) -> tuple[Row, ...] | None:
    """Return boxes that are given as a list of rows; None where they are no rows of four numbers."""
    try:
        return tuple(tuple(map(float, row[:4])) for row in part[:MANY_BOXES])
    except (TypeError, ValueError):
        return None


# Pictures of Pillow.


def _of_pillow(part: Any, path: str, role: Role, look: Look) -> Fact:
    width, height = part.size
    bands, mode = len(part.getbands()), part.mode
    dtype = {"1": "bool", "F": "float32", "I": "int32"}.get(mode, "uint16" if mode.startswith("I;16") else "uint8")
    how = Laid((height, width), bands, "HW" if bands == 1 else "HWC")
    fact = Fact(path, role, f"Image({mode})", (height, width), dtype, how.size, bands, how.layout)
    if look == "none" or 0 in part.size:
        return fact
    told: dict[str, Any] = {"orientation": _orientation(part), "probe": _pixels(part, how)}
    if look == "all" or dtype != "uint8":
        array = np.asarray(part)
        told.update(_range_of(array))
        told["labels"] = labels_of(array) if role == "mask" and bands == 1 else None
    return fact._replace(**told)


def _orientation(part: Any) -> int:
    """Return how a picture says that it is turned; a made one says nothing."""
    if "exif" not in part.info and not hasattr(part, "filename"):
        return int(part._exif.get(EXIF_ORIENTATION, 1)) if getattr(part, "_exif", None) else 1
    return int(part.getexif().get(EXIF_ORIENTATION, 1))


def _pixels(part: Any, how: Laid) -> Row:
    """Return a probe of a picture of bytes, which is not made into an array for it."""
    height, width = how.size
    pixels = part.load()
    found = [pixels[x, y] for y in places(height) for x in places(width)]
    return tuple(float(value) for each in found for value in (each if isinstance(each, tuple) else (each,)))
