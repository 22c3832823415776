"""What a step drew, as short texts: the same ones whenever the draw is made again."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from safeaug.data.remarks import printable
from safeaug.report.gallery.card import ADDRESS

HIDDEN = frozenset({"shape", "shapes", "cols", "rows"})
"""What the host puts beside what is drawn: the picture's own size."""

MOST, LONGEST, FEW = 24, 160, 16
"""How many parameters are told, in how many characters each, and up to how many numbers an array is written out."""


def told(params: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return what a step drew, as pairs of text.

    Examples
    --------
    >>> told({"shape": (480, 640, 3), "crop_coords": (0, 1, 2, 3), "scale": np.float64(0.1) * 3})
    (('crop_coords', '(0, 1, 2, 3)'), ('scale', '0.3'))
    >>> told({"map_x": np.zeros((224, 224), np.float32), "of": np.eye(2)})
    (('map_x', 'float32, 224 x 224'), ('of', '((1, 0), (0, 1))'))
    """
    names = [name for name in params if name not in HIDDEN]
    return tuple((printable(str(name))[:LONGEST], text_of(params[name])) for name in names[:MOST])


def text_of(value: Any) -> str:
    """Return a value as a short text, in which nothing acts and no address in memory stands."""
    text = printable(ADDRESS.sub("", _text(value)))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _text(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, float | np.floating):
        return f"{float(value):.6g}"
    if isinstance(value, np.integer):
        return str(int(value))
    if isinstance(value, str):
        return value[: LONGEST + 1]
    if isinstance(value, np.ndarray):
        return _text(value.tolist()) if value.size <= FEW else f"{value.dtype}, {' x '.join(map(str, value.shape))}"
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_text, value[:FEW]))}{', ...' if len(value) > FEW else ''})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_text(each)}' for key, each in list(value.items())[:FEW])}}}"
    try:
        return repr(value)
    except Exception as error:  # it is somebody else's object, whose repr may raise anything
        return f"{type(value).__name__}, which cannot be shown: {type(error).__name__}"
