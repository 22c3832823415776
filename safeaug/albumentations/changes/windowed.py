"""Crops, resizes and padding, told by the kinds of `safeaug.albumentations.windows`."""

from typing import Any

from safeaug.albumentations.windows import Kind
from safeaug.geometry import Size
from safeaug.guarding import Params, windowed
from safeaug.guarding.way import Tell
from safeaug.ledger.changes import Change


def telling(kind: Kind) -> Tell:
    """Return what tells the draws of a kind of window."""

    def tell(transform: Any, params: Params, image_size: Size) -> Change | None:
        return windowed(kind, transform, params, image_size)

    return tell


def guarded(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of a drop-in or of `Safe`, each of which carries its kind.

    A draw that is left out (``on_fail="skip"``) has no parameters, so it is not told here.
    """
    return windowed(transform.kind, transform.host, params, image_size)
