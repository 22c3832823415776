"""Crops, resizes and padding, told by the kinds of `safeaug.torchvision.windows`."""

from typing import Any

from safeaug.geometry import Size
from safeaug.guarding import Params, UntoldError, windowed
from safeaug.ledger.changes import Change
from safeaug.torchvision.windows import kind_of


def cut(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of a crop, a resize or padding, whose kind is looked up."""
    kind = kind_of(transform)
    if kind is None:
        raise UntoldError(f"nobody can tell which window {type(transform).__name__} cuts")
    return windowed(kind, transform, params, image_size)


def guarded(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of `Safe`, which carries its kind.

    A draw that is left out (``on_fail="skip"``) has no parameters, so it is not told here.
    """
    return windowed(transform.kind, transform.host, params, image_size)
