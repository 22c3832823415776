"""Crops, resizes and padding, told by the kinds of `safeaug.albumentations.windows`."""

from typing import Any

from safeaug.albumentations.windows import Kind
from safeaug.geometry import Size, size_of
from safeaug.guarding.untold import RefusedError
from safeaug.guarding.way import Params, Tell
from safeaug.ledger.changes import Change, Windowed


def telling(kind: Kind) -> Tell:
    """Return what tells the draws of a kind of window."""

    def tell(transform: Any, params: Params, image_size: Size) -> Change | None:
        return _told(kind, transform, params, image_size)

    return tell


def guarded(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of a drop-in or of `Safe`, each of which carries its kind.

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
