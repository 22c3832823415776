"""The facts of a nested sample: each part is looked at once."""

import importlib
import math
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from safeaug.rules.fact import Fact, Facts, Row
from safeaug.rules.labels import labels_of
from safeaug.rules.parts import parts_of
from safeaug.rules.pictures import Laid, laid, places, probe_of
from safeaug.rules.roles import is_array, is_pillow, role_of, role_of_type

EXIF_ORIENTATION = 0x0112
"""The tag of a picture that says how it is turned."""


Look = Literal["none", "finite", "probe", "all"]
"""How closely values are looked at: not at all; whether all are finite; that, and the range of a few; that of all."""


def facts_of(sample: Any, *, look: Look = "all", handed: bool = False) -> Facts:
    """Return the facts of all parts of a sample.

    Parameters
    ----------
    sample : Any
        Arrays, tensors, pictures of Pillow, numbers and texts, in mappings, tuples, lists and dataclasses.
    look : {"none", "finite", "probe", "all"}, default "all"
        How closely to look at values: all takes time in proportion to them. With a probe, ranges are those of a few
        pixels, and labels of masks are not looked at; whether all values are finite is told of all of them.
    handed : bool, default False
        Whether it is handed to a pipeline: what is so all by itself is a picture, however small it is.

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
    return tuple(with_guesses(found, handed=handed))


def fact_of(part: Any, path: str = "", name: str = "", *, look: Look = "all") -> Fact:
    """Return the facts of one part; the arguments are those of `facts_of`."""
    fact = bare_fact(part, path, name)
    return fact if look == "none" else with_values(fact, part, look)


def bare_fact(part: Any, path: str = "", name: str = "") -> Fact:
    """Return what is known of a part without a look at its values; for parts that are alike, one and the same fact."""
    kind: Any = type(part)
    if is_array(part):
        fact = _bare_array(kind, part.dtype, tuple(part.shape), path, name)
        return fact if fact.role != "boxes" else _with_canvas(fact, part)
    if is_pillow(part):
        return _bare_pillow(kind, part.mode, part.size, path, name)
    if isinstance(part, list):
        role = role_of(part, name)
        return Fact(path, role, "list", (len(part),), rows=rows_of(part) if role == "boxes" else None)
    if isinstance(part, float) and part != part:
        return Fact(path, role_of(part, name), "float", finite=0.0, nans=1)
    return Fact(path, role_of(part, name), type(part).__name__)


def upright(fact: Fact, part: Any) -> Fact:
    """Return the fact of a picture with how it says that it is turned, which pictures of Pillow alone can say."""
    turn = _orientation(part) if fact.type.startswith("Image(") else 1
    return fact if turn == 1 else fact._replace(orientation=turn)


def with_probe(fact: Fact, part: Any) -> Fact:
    """Return the fact of an array that is known to be finite, with its range by a few pixels."""
    if fact.layout is None or not fact.floats or fact.probe or fact.finite < 1:
        return fact
    probe = probe_of(as_numpy(part), Laid(fact.size or (0, 0), fact.channels or 1, fact.layout))
    return fact._replace(probe=probe, low=min(probe, default=None), high=max(probe, default=None))


def with_values_of(fact: Fact, was: Fact) -> Fact:
    """Return the fact of a part that has the values of another."""
    if was.finite == 1 and was.low is None and was.rows is None:
        return fact
    return fact._replace(
        low=was.low, high=was.high, finite=was.finite, nans=was.nans, probe=was.probe, labels=was.labels, rows=was.rows
    )


def with_values(fact: Fact, part: Any, look: Look) -> Fact:
    """Return the fact of a part with what its values say."""
    if fact.dtype is None or 0 in (fact.shape or ()):
        return fact
    return _seen_pillow(fact, part, look) if is_pillow(part) else _seen_array(fact, part, look)


def with_guesses(facts: list[Fact], *, handed: bool = False) -> list[Fact]:
    """Return facts in which parts without a name have the role that they play beside a picture.

    What is handed to a pipeline all by itself is a picture, however small it is.


    The first picture-like array of a nameless sample is the picture; whole numbers of its height and width beside it
    are a mask; rows of four that all are boxes inside it are boxes.
    """
    for fact in facts:
        if fact.role == "other" and fact.shape:
            break
    else:
        return facts
    picture = next((fact for fact in facts if fact.role == "image"), None)
    if picture is None:
        at = next((i for i, fact in enumerate(facts) if _could_be_picture(fact, handed and len(facts) == 1)), None)
        if at is None:
            return facts
        facts = [*facts[:at], facts[at]._replace(role="image"), *facts[at + 1 :]]
        picture = facts[at]
    return [_guessed(fact, picture) if fact.role == "other" and fact.shape else fact for fact in facts]


def _could_be_picture(fact: Fact, alone: bool) -> bool:
    if fact.role != "other" or fact.size is None or fact.shape is None:
        return False
    if min(fact.size) < GUESSED_SIDE and not (alone and len(fact.shape) > 2):
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


@lru_cache(maxsize=4096)
def _bare_array(kind: Any, dtype: Any, shape: tuple[int, ...], path: str, name: str) -> Fact:
    role, (named, _) = role_of_type(kind, name), named_type(dtype)
    fact = Fact(path, role, kind.__name__, shape, named, rows=() if role == "boxes" and 0 in shape else None)
    how = None if role in {"boxes", "points"} else laid(shape, first=not issubclass(kind, np.ndarray))
    return fact if how is None else fact._replace(size=how.size, channels=how.channels, layout=how.layout)


def _with_canvas(fact: Fact, part: Any) -> Fact:
    """Return the fact of boxes with what torchvision's type says of them."""
    canvas = getattr(part, "canvas_size", None)
    if canvas is None:
        return fact
    form = part.format
    return fact._replace(form=str(getattr(form, "value", form)).lower(), size=tuple(canvas))


def _seen_array(fact: Fact, part: Any, look: Look) -> Fact:
    name, numeric = named_type(part.dtype)
    if not numeric:
        return fact
    array, shape, told = as_numpy(part), fact.shape or (), dict[str, Any]()
    if look == "finite" and array.size > SMALL and ("float" not in name or _all_finite(array)):
        return fact
    if fact.role == "boxes" and len(shape) == 2 and look != "all":
        rows = _rows(array)
        if rows is not None and math.isfinite(sum(map(sum, rows))):
            return fact._replace(rows=rows)
    probe = () if fact.layout is None else probe_of(array, Laid(fact.size or (0, 0), fact.channels or 1, fact.layout))
    if look == "all" or not probe or array.size <= SMALL or ("float" in name and not _all_finite(array)):
        told = _range_of(array)
    else:
        told = {"low": min(probe), "high": max(probe)}
    if fact.role == "mask" and look == "all":
        told["labels"] = labels_of(array)
    if len(shape) == 2 and (fact.role == "boxes" or (fact.role == "other" and shape[1] == 4)):
        told["rows"] = _rows(array)
    return fact._replace(probe=probe, **told)


SMALL = 256
"""An array of no more values is looked at whole."""


def all_finite(part: Any) -> bool:
    """Return whether an array holds numbers only, at the price of one pass; what is no array of floats does."""
    if not is_array(part) or not named_type(part.dtype)[0].startswith(("float", "bfloat")):
        return True
    return _all_finite(as_numpy(part))


def _all_finite(array: NDArray[Any]) -> bool:
    """Return whether all values are numbers.

    Where the sum of their squares is one, all of them are. It may be infinite for large ones, which are then looked at.
    """
    flat = array.ravel(order="K")  # a view of all that lies in one piece, in which numpy is quickest
    return math.isfinite(np.dot(flat, flat)) or bool(np.isfinite(flat).all())


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


def _rows(array: NDArray[Any]) -> tuple[Row, ...] | None:
    """Return boxes; None where there are too many of them, or too few numbers in each."""
    if array.shape[0] > MANY_BOXES or array.shape[1] < 4:
        return None
    return tuple(map(tuple, array[:, :4].tolist()))


MANY_BOXES = 4096
"""Rows beyond which an array is not taken for boxes."""


def marks_of(part: Any) -> bytes:
    """Return values of 64 pixels or more of an array or tensor, in a grid, as bytes.

    Two looks at one array tell by it whether somebody has written into it in between.
    """
    array = as_numpy(part)
    place: tuple[Any, ...] = (..., *(slice(None, None, max(side // 8, 1)) for side in array.shape[-3:]))
    return bytes(array[place].tobytes())


def as_numpy(part: Any) -> NDArray[Any]:
    """Return the values of an array or a tensor, without a copy where they lie in the processor's memory."""
    if isinstance(part, np.ndarray):
        return part
    array: NDArray[Any]
    try:
        array = part.numpy()
    except (RuntimeError, TypeError):  # it needs gradients, lies elsewhere, or numpy has no numbers of its type
        array = (part.float() if named_type(part.dtype)[0] == "bfloat16" else part).numpy(force=True)
    return array


def rows_of(part: list[Any]) -> tuple[Row, ...] | None:
    """Return boxes that are given as a list of rows; None where they are no rows of four numbers."""
    try:
        return tuple(tuple(map(float, row[:4])) for row in part[:MANY_BOXES])
    except (TypeError, ValueError):
        return None


# Pictures of Pillow.

DTYPES = {"1": "bool", "F": "float32", "I": "int32"}
"""Numbers of the modes of Pillow that are neither bytes nor 16 bits."""


@lru_cache(maxsize=4096)
def _bare_pillow(kind: Any, mode: str, size: tuple[int, int], path: str, name: str) -> Fact:
    width, height = size
    bands = _bands_of(mode)
    dtype = "uint16" if mode.startswith("I;16") else DTYPES.get(mode, "uint8")
    fact = Fact(path, role_of_type(kind, name), f"Image({mode})", (height, width), dtype)
    return fact._replace(size=(height, width), channels=bands, layout="HW" if bands == 1 else "HWC")


def _bands_of(mode: str) -> int:
    library = importlib.import_module("PIL.ImageMode")  # there is a picture of it
    return len(library.getmode(mode).bands)


def _seen_pillow(fact: Fact, part: Any, look: Look) -> Fact:
    told: dict[str, Any] = {"orientation": _orientation(part), "probe": _pixels(part)}
    if look == "all" or fact.dtype != "uint8":
        array = np.asarray(part)
        told.update(_range_of(array))
        told["labels"] = labels_of(array) if look == "all" and fact.role == "mask" and fact.channels == 1 else None
    return fact._replace(**told)


def _orientation(part: Any) -> int:
    """Return how a picture says that it is turned; a made one says nothing."""
    if "exif" not in part.info and not hasattr(part, "filename"):
        return int(part._exif.get(EXIF_ORIENTATION, 1)) if getattr(part, "_exif", None) else 1
    return int(part.getexif().get(EXIF_ORIENTATION, 1))


def _pixels(part: Any) -> Row:
    """Return a probe of a picture of bytes, which is not made into an array for it."""
    width, height = part.size
    pixels = part.load()
    found = [pixels[x, y] for y in places(height) for x in places(width)]
    return tuple(float(value) for each in found for value in (each if isinstance(each, tuple) else (each,)))
