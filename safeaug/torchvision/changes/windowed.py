"""Crops, resizes and padding, told by the kinds of `safeaug.torchvision.windows`."""

from typing import Any

from safeaug.geometry import Size, size_of
from safeaug.guarding.kind import Kind
from safeaug.guarding.untold import RefusedError, UntoldError
from safeaug.guarding.way import Params
from safeaug.ledger.changes import Change, Windowed
from safeaug.torchvision.windows import kind_of


def cut(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of a crop, a resize or padding, whose kind is looked up."""
    kind = kind_of(transform)
    if kind is None:
        raise UntoldError(f"nobody can tell which window {type(transform).__name__} cuts")
    return _told(kind, transform, params, image_size)


def guarded(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of `Safe`, which carries its kind.

    A draw that is left out (``on_fail="skip"``) has no parameters, so it is not told here.
    """
    return _told(transform.kind, transform.host, params, image_size)


def _told(kind: Kind, transform: Any, params: Params, image_size: Size) -> Change | None:
    window = kind.window(transform, params, image_size)
    if window is None:
        raise RefusedError(f"{type(transform).__name__} will refuse this window")
    size = kind.output(transform, size_of(window), params, image_size)
    if size == image_size and window == (0, 0, size[1], size[0]):
        return None
    return Windowed(window, size)
