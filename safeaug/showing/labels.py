"""Classes as text: of an object, of a whole picture, of several at once."""

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from safeaug.showing.arrays import array_of, is_list

Names = Sequence[str] | Mapping[Any, str]
"""Of classes: by their numbers."""

MOST_CLASSES = 4
"""Classes of one picture that are told by name."""

LEAST_SHARE = 0.005
"""Of a label that is shared among classes: less reads as nothing."""


def each_of(value: Any) -> list[Any]:
    """Return the labels of objects, one by one."""
    if value is None:
        return []
    array = array_of(value)
    if array is not None:
        return array.tolist() if array.ndim == 1 else [row.tolist() for row in array] if array.ndim == 2 else []
    return list(value) if is_list(value) else []


def text_of(label: Any, names: Names | None) -> str:
    """Return a class, or several, as text.

    Parameters
    ----------
    label : Any
        A number or a name; one number for each class: 0 and 1 where it is one of them or not, or its share.
    names : sequence of str, or mapping, optional
        Of classes.

    Examples
    --------
    >>> text_of(1, ["cat", "dog"]), text_of([0, 1], ["cat", "dog"]), text_of([0.7, 0.3], None), text_of(None, None)
    ('dog', 'dog', '0: 0.7, 1: 0.3', '')
    """
    if label is None:
        return ""
    array = array_of(label)
    value = label if array is None else array.tolist()
    if isinstance(value, list):
        return _text_of_many(value, names)
    return _text_of_one(value, names)


def _text_of_one(value: Any, names: Names | None) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(names, Mapping):
        found = names.get(value, names.get(str(value)))
        return str(value if found is None else found)
    if names is not None and isinstance(value, Integral) and 0 <= int(value) < len(names):
        return str(names[int(value)])
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _text_of_many(values: list[Any], names: Names | None) -> str:
    if len(values) == 1:
        return _text_of_one(values[0], names)
    if len(values) > 1 and all(isinstance(value, Real) for value in values):
        if set(values) <= {0, 1}:
            return (
                _some([_text_of_one(i, names) for i, value in enumerate(values) if value]) or f"none of {len(values)}"
            )
        if min(values) >= 0 and abs(sum(values) - 1) < 1e-3:
            shares = sorted(((value, i) for i, value in enumerate(values) if value >= LEAST_SHARE), reverse=True)
            return _some([f"{_text_of_one(i, names)}: {value:.2g}" for value, i in shares])
    return _some([_text_of_one(value, names) for value in values])


def _some(texts: list[str]) -> str:
    more = [f"and {len(texts) - MOST_CLASSES} more"] if len(texts) > MOST_CLASSES else []
    return ", ".join([*texts[:MOST_CLASSES], *more])
