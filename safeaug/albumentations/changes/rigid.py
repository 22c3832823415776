"""Flips and quarter turns: matrices of whole numbers, in coordinates of pixel edges."""

from typing import Any

from safeaug.geometry import Size
from safeaug.guarding.way import Params
from safeaug.ledger.changes import Change, Mapped


def flipped(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``HorizontalFlip``."""
    return _element("h", image_size)


def turned_over(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``VerticalFlip``."""
    return _element("v", image_size)


def transposed(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``Transpose``."""
    return _element("t", image_size)


def turned(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``RandomRotate90``: quarter turns, counterclockwise as one sees it."""
    return _element(("e", "r90", "r180", "r270")[params["factor"] % 4], image_size)


def symmetric(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``D4`` or ``SquareSymmetry``."""
    return _element(params["group_element"], image_size)


def _element(element: str, image_size: Size) -> Change | None:
    """Return what an element of the square's group does, by the host's name for it."""
    height, width = image_size
    if element == "e":
        return None
    if element == "h":
        return Mapped(((-1, 0, width), (0, 1, 0), (0, 0, 1)), image_size)
    if element == "v":
        return Mapped(((1, 0, 0), (0, -1, height), (0, 0, 1)), image_size)
    if element == "r180":
        return Mapped(((-1, 0, width), (0, -1, height), (0, 0, 1)), image_size)
    if element == "t":
        return Mapped(((0, 1, 0), (1, 0, 0), (0, 0, 1)), (width, height))
    if element == "r90":
        return Mapped(((0, 1, 0), (-1, 0, width), (0, 0, 1)), (width, height))
    if element == "r270":
        return Mapped(((0, -1, height), (1, 0, 0), (0, 0, 1)), (width, height))
    return Mapped(((0, -1, height), (-1, 0, width), (0, 0, 1)), (width, height))  # hvt: over the other diagonal
