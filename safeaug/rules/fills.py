"""With what a step fills masks."""

from typing import Any

FILLED = "fill", "fill_mask", "_fill", "mask_fill_value", "padding_value"
"""Attributes of all hosts' transforms that say with what holes and borders are filled."""


def fills_of(node: Any) -> frozenset[int]:
    """Return the whole numbers with which a step fills holes and borders.

    Examples
    --------
    >>> class Pad:
    ...     fill, fill_mask = (0.5, 3.0), {"mask": 7}
    >>> sorted(fills_of(Pad()))
    [3, 7]
    """
    return frozenset(value for name in FILLED for value in _wholes(getattr(node, name, None)))


def _wholes(fill: Any) -> list[int]:
    if isinstance(fill, dict):
        return [each for value in fill.values() for each in _wholes(value)]
    if isinstance(fill, list | tuple):
        return [each for value in fill for each in _wholes(value)]
    return [int(fill)] if isinstance(fill, int | float) and fill == int(fill) else []
