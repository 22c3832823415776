"""The methods by name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, cast, get_args

from safeaug.errors import PolicyError
from safeaug.saliency import formulas
from safeaug.saliency.colour import lab, luma
from safeaug.saliency.library import Library
from safeaug.saliency.normal import normal

Method = Literal["auto", "signature", "mbd", "gradient", "spectral_residual", "center"]
"""How a map is made. ``auto`` is the sum of ``signature`` and ``mbd``, each scaled to [0, 1]; ``center`` does not look
at the picture, and is what every other must be better than."""

VERSION = 1
"""Version of the formulas: one more where the map of any picture changes, so that no cache holds old ones."""

SIZE = 48
"""Cells along each side of a map. More tell little more, and cost more."""

SIZES = range(8, 257)
"""What may be asked for."""

LEAST = 1e-3
"""The range of every channel of a picture that says nothing: rounding may have made it."""

Formula = Callable[[Any, Library], Any]
"""From channels on a grid, of shape (..., C, n, n), to raw maps (..., n, n)."""

FORMULAS: Mapping[str, tuple[Formula, Formula]] = MappingProxyType(
    {
        "signature": (lab, formulas.signature),
        "mbd": (lab, formulas.minimum_barrier),
        "gradient": (lab, formulas.gradient),
        "spectral_residual": (luma, formulas.spectral_residual),
        "center": (luma, formulas.center),
    }
)
"""Of each method the channels that it looks at, and its formula."""


def maps_on(grid: Any, method: Method, library: Library) -> Any:
    """Return the maps of pictures on a grid, in [0, 1]; all zero where there is no evidence.

    Parameters
    ----------
    grid : array of shape (..., C, n, n), float32
        In [0, 1].
    method : Method
        How.
    library : Library
        Whose arrays they are.

    Returns
    -------
    array of shape (..., n, n), float32
    """
    parts = ("signature", "mbd") if method == "auto" else (method,)
    channels = FORMULAS[parts[0]][0](grid, library)
    maps = [normal(FORMULAS[part][1](channels, library), library) for part in parts]
    found = maps[0] if len(maps) == 1 else normal(sum(maps), library)
    return found if method == "center" else found * _says(channels, library)[..., None, None]


def _says(channels: Any, library: Library) -> Any:
    """Return of each picture whether it is more than one colour: of shape (...), float32."""
    spans = library.xp.amax(channels, (-2, -1)) - library.xp.amin(channels, (-2, -1))
    return library.floats(library.xp.amax(spans, -1) > LEAST)


def checked_method(method: object) -> Method:
    """Return the name of a method.

    Raises
    ------
    PolicyError
        Where it is none.
    """
    if method not in get_args(Method):
        raise PolicyError(f"method must be one of {', '.join(get_args(Method))}, or a callable, got {method!r}")
    return cast("Method", method)


def checked_size(size: object) -> int:
    """Return how many cells a side has.

    Raises
    ------
    PolicyError
        Where it is no whole number, or out of bounds.
    """
    if isinstance(size, bool) or not isinstance(size, int) or size not in SIZES:
        raise PolicyError(f"size must be a whole number from {SIZES[0]} to {SIZES[-1]}, cells a side, got {size!r}")
    return size
