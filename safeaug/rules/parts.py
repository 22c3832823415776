"""The parts of a nested sample, and where each stands in it."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from safeaug.rules.roles import is_array, is_pillow

MANY = 64
"""Of a longer list only as many entries are looked at: what a loader makes of a batch is an array."""

DEEP = 8
"""Levels. What is nested deeper, or in itself, is one part."""

Part = tuple[str, str, Any]
"""Path, the name it goes by (the last key on the way; empty if there is none), and the thing itself."""


def parts_of(sample: Any, path: str = "", name: str = "", level: int = 0) -> Iterator[Part]:
    """Yield the parts of a sample, in order: what is no mapping, tuple, dataclass or list of arrays.

    Examples
    --------
    >>> [path for path, *_ in parts_of({"image": 1, "target": {"boxes": [[0, 0, 1, 1]], "labels": [3]}})]
    ['image', 'target.boxes', 'target.labels']
    >>> [path for path, *_ in parts_of((1, ({"a": 2}, None)))]
    ['[0]', '[1][0].a', '[1][1]']
    """
    inside = None if level >= DEEP else _inside(sample)
    if inside is None:
        yield path, name, sample
        return
    for key, value in inside:
        if level == 0 and path == "" and isinstance(key, str) and _is_leaf(value):
            yield key, key, value  # what most samples are: a mapping of arrays
        elif isinstance(key, str):
            yield from parts_of(value, f"{path}.{key}" if path else key, key, level + 1)
        else:
            yield from parts_of(value, f"{path}[{key}]", name, level + 1)


def _inside(sample: Any) -> list[tuple[str | int, Any]] | None:
    """Return what stands in a container, by key or place; None where it is none."""
    if _is_leaf(sample):
        return None
    if isinstance(sample, Mapping):
        return [(str(key), value) for key, value in sample.items()]
    if isinstance(sample, tuple) and hasattr(sample, "_fields"):
        return list(zip(sample._fields, sample, strict=True))
    if isinstance(sample, tuple) or (isinstance(sample, list) and _holds_parts(sample)):
        return list(enumerate(sample[:MANY]))
    if is_dataclass(sample) and not isinstance(sample, type):
        return [(field.name, getattr(sample, field.name)) for field in fields(sample)]
    return None


def _is_leaf(part: Any) -> bool:
    """Return whether it is what most parts are, in which nothing else stands."""
    return part is None or is_array(part) or isinstance(part, (str, int, float)) or is_pillow(part)


def _holds_parts(listed: list[Any]) -> bool:
    """Return whether a list is of things with parts; a list of numbers, of texts or of rows is one part itself."""
    first = next((each for each in listed[:MANY] if each is not None), None)
    if first is None or isinstance(first, str | bytes | int | float):
        return any(each is None for each in listed[:MANY])
    if isinstance(first, list | tuple):
        return not all(isinstance(each, str | int | float) for each in first)
    return getattr(first, "ndim", None) != 0
