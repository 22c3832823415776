"""What a draw whose parameters say a window does to the picture."""

from typing import Any

from safeaug.geometry import Size, size_of
from safeaug.guarding.kind import Kind
from safeaug.guarding.untold import RefusedError
from safeaug.guarding.way import Params
from safeaug.ledger.changes import Change, Windowed


def windowed(kind: Kind, transform: Any, params: Params, image_size: Size) -> Change | None:
    """Return the change that a draw makes; None where it shows the whole image as it is.

    Parameters
    ----------
    kind : Kind
        Of the transform.
    transform : object
        Of the host.
    params : dict
        All parameters of the draw.
    image_size : (int, int)
        Height and width of the picture before the draw.

    Raises
    ------
    RefusedError
        Where the host itself will refuse the window.
    """
    window = kind.window(transform, params, image_size)
    if window is None:
        raise RefusedError(f"{type(transform).__name__} will refuse this window")
    size = kind.output(transform, size_of(window), params, image_size)
    if size == image_size and window == (0, 0, size[1], size[0]):
        return None
    return Windowed(window, size)
