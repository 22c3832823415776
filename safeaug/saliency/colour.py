"""Colours as eyes tell them apart: CIE 1976 L*a*b* of sRGB, white D65 (IEC 61966-2-1, ISO/CIE 11664-4)."""

from typing import Any

from safeaug.saliency.library import Library

XYZ = (0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041)
"""Rows: X, Y and Z of linear red, green and blue. White is the sum of each row, so grey has neither a* nor b*."""

LUMA = 0.299, 0.587, 0.114
"""Shares of red, green and blue in the luma of ITU-R BT.601."""

KNEE, BEND = 0.04045, (6 / 29) ** 3
"""Where the straight parts of the curves of sRGB and of L* end."""


def lab(rgb: Any, library: Library) -> Any:
    """Return the channels in which saliency is looked for.

    Parameters
    ----------
    rgb : array of shape (..., C, h, w), float32
        In [0, 1]. Three channels are sRGB; any others are each taken for a grey picture.
    library : Library
        Whose arrays they are.

    Returns
    -------
    array of shape (..., C, h, w), float32
        L*, a*, b* of sRGB, and L* of each grey channel. L* is in [0, 100].

    Examples
    --------
    >>> import numpy as np
    >>> from safeaug.saliency.library import NUMPY
    >>> lab(np.array([1.0, 0, 0], np.float32).reshape(3, 1, 1), NUMPY).ravel().round().tolist()
    [53.0, 80.0, 67.0]
    """
    xp = library.xp
    linear = _power((xp.clip(rgb, KNEE, None) + 0.055) / 1.055, 2.4, xp) + (xp.clip(rgb, None, KNEE) - KNEE) / 12.92
    if rgb.shape[-3] != 3:
        return 116 * _cube_root(linear, xp) - 16
    red, green, blue = (linear[..., i, :, :] for i in range(3))
    x, y, z = (_cube_root((r * red + g * green + b * blue) / (r + g + b), xp) for r, g, b in XYZ)
    return xp.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], -3)


def luma(rgb: Any, library: Library) -> Any:
    """Return brightness in [0, 255], of shape (..., C, h, w): of sRGB one channel, any others as they are."""
    if rgb.shape[-3] != 3:
        return 255 * rgb
    weights = (255 * share * rgb[..., i : i + 1, :, :] for i, share in enumerate(LUMA))
    return sum(weights)


def _cube_root(value: Any, xp: Any) -> Any:
    """Return the cube root, with the straight line near zero that the standard asks for."""
    return _power(xp.clip(value, BEND, None), 1 / 3, xp) + (xp.clip(value, None, BEND) - BEND) / (3 * (6 / 29) ** 2)


def _power(value: Any, exponent: float, xp: Any) -> Any:
    """Return a power of positive values: several times quicker than the libraries' own, to a few units of float32."""
    return xp.exp(exponent * xp.log(value))
