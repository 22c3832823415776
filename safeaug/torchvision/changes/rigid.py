"""Flips: matrices of whole numbers, in coordinates of pixel edges."""

from typing import Any

from safeaug.geometry import Size
from safeaug.guarding.way import Params
from safeaug.ledger.changes import Change, Mapped


def flipped(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``RandomHorizontalFlip``."""
    return Mapped(((-1, 0, image_size[1]), (0, 1, 0), (0, 0, 1)), image_size)


def turned_over(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``RandomVerticalFlip``."""
    return Mapped(((1, 0, 0), (0, -1, image_size[0]), (0, 0, 1)), image_size)
