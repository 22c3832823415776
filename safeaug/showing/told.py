"""Types and shapes of what was given, in words, for errors."""

from typing import Any

import numpy as np
from PIL import Image

from safeaug.data.remarks import printable
from safeaug.showing.arrays import fields_of, is_array, is_list

DEEPEST, MOST, LONGEST = 4, 8, 60
"""Levels that are told, names of a mapping, and characters of a name or a value."""


def told(value: Any, depth: int = DEEPEST) -> str:
    """Return what a value is: its type, of arrays their numbers and shape, of what holds others these too.

    Examples
    --------
    >>> told((np.zeros((8, 3, 32, 32), np.float32), [{"boxes": np.zeros((2, 4)), "name": "cat"}] * 8))
    'tuple of 2: (ndarray float32 (8, 3, 32, 32), list of 8: [dict {boxes: ndarray float64 (2, 4), name: str}, ...])'
    >>> told([]), told(None), told(3)
    ('list of 0', 'None', 'int 3')
    """
    fields = fields_of(value)
    if fields is not None:
        return _told_fields(value, fields, depth)
    if is_array(value):
        dtype = str(value.dtype).removeprefix("torch.")
        return f"{_name(value)} {dtype} {tuple(value.shape)}"
    if isinstance(value, Image.Image):
        return f"{_name(value)} {value.mode} {value.width} x {value.height}"
    if is_list(value):
        return _told_list(value, depth)
    if isinstance(value, bool | int | float | np.generic):
        return f"{_name(value)} {value}"
    return "None" if value is None else _name(value)


def _told_fields(value: Any, fields: dict[str, Any], depth: int) -> str:
    if not depth:
        return _name(value)
    parts = [f"{_short(name)}: {told(each, depth - 1)}" for name, each in list(fields.items())[:MOST]]
    more = [f"and {len(fields) - MOST} more"] if len(fields) > MOST else []
    return f"{_name(value)} {{{', '.join([*parts, *more])}}}"


def _told_list(value: Any, depth: int) -> str:
    kind = f"{_name(value)} of {len(value)}"
    if not depth or not len(value):
        return kind
    first, *others = (told(each, depth - 1) for each in value[:MOST])
    opening, closing = "()" if isinstance(value, tuple) else "[]"
    if any(other != first for other in others) and len(value) <= MOST:
        return f"{kind}: {opening}{', '.join([first, *others])}{closing}"
    return f"{kind}: {opening}{first}{', ...' if len(value) > 1 else ''}{closing}"


def _name(value: Any) -> str:
    return _short(type(value).__name__)


def _short(text: str) -> str:
    return printable(text[:LONGEST])
