"""How values become grey levels: as told, or by a guess that is said."""

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.errors import PolicyError
from safeaug.showing.pixels import Pixels

Numbers = float | Sequence[float]
"""One for all channels, or one for each."""

IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
KNOWN: Mapping[str, tuple[Numbers, Numbers]] = MappingProxyType(
    {
        "mean and std of ImageNet": IMAGENET,
        "mean and std of CLIP": ((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)),
        "mean and std of 0.5": (0.5, 0.5),
    }
)
"""Mean and standard deviation that pictures are often normalised by."""

ROUNDED = 0.004
"""By how much a share may pass 0 and 1 where it was rounded: one grey level of 256."""

PASSED = 0.1
"""By how much one may where pixels were resampled or their colours changed, which swings over."""

DIM = 8
"""The greatest value below which numbers between 0 and 255 would be black throughout."""

TWICE = 1.01 / 255
"""The greatest value of pictures that were divided by 255 twice."""

SPIKE = 4.0
"""How many times as wide as what the middle of all values takes their whole range is, where a few stand far off."""

MIDDLE = (0.1, 99.9)
"""In percent, what counts as the middle."""

SAMPLED = 500_000
"""Values, of all pictures, of which the middle is sought."""


class Scale(NamedTuple):
    """A linear map of values to shares of white, and what is said of it.

    Parameters
    ----------
    factor, offset : ndarray of shape (C,) or (1,), float64
        ``values * factor + offset`` is 0 for black and 1 for white.
    said : str
        What it is, and how it was come by.
    guess : bool
        Whether nobody told.
    """

    factor: NDArray[np.float64]
    offset: NDArray[np.float64]
    said: str
    guess: bool = False


def numbers_of(name: str, value: Numbers | None) -> NDArray[np.float64] | None:
    """Return one number, or one for each channel, or raise `PolicyError`."""
    if value is None:
        return None
    try:
        found = [float(value)] if isinstance(value, Real) else [float(each) for each in value]  # type: ignore[union-attr]
    except (TypeError, ValueError):
        raise PolicyError(f"{name} must be a number, or one for each channel, got {value!r}") from None
    if not found or not all(map(math.isfinite, found)) or (name == "std" and min(found) <= 0):
        above = ", std above 0" if name == "std" else ""
        raise PolicyError(f"{name} must be of finite numbers{above}, got {value!r}")
    return np.array(found)


def scale_of(pictures: Sequence[Pixels], mean: NDArray[np.float64] | None, std: NDArray[np.float64] | None) -> Scale:
    """Return how the values of pictures that hold one kind of numbers are shown.

    Parameters
    ----------
    pictures : sequence of Pixels
        At least one.
    mean, std : ndarray of shape (C,) or (1,), or None
        What was subtracted, and then divided by. Where one is above 1, both are of pixels between 0 and 255.

    Raises
    ------
    PolicyError
        Where they are not as many as the channels.

    Notes
    -----
    Not told, bytes are as they are; numbers between 0 and 1, and else between 0 and 255, too. Else it is one of the
    pairs in `KNOWN` if that brings all values between 0 and 1, and of several that which fills this most. Else the
    values are stretched; where a few stand far off, their middle is.
    """
    low, high = _range(pictures)
    if math.isnan(low):
        return _plain(1.0, "no value is finite")
    if mean is not None or std is not None:
        return _undone(pictures, mean, std)
    if pictures[0].values.dtype.kind != "f":
        return _of_whole(pictures, low, high)
    if low >= -PASSED and high <= 1 + PASSED:
        return _of_shares(low, high)
    known = _known(pictures)
    if known is not None:
        return known
    if low >= -PASSED * 255 and DIM < high <= (1 + PASSED) * 255:
        return _plain(1 / 255, "shown as they are, from 0 to 255", guess=True)
    return _stretched(pictures, low, high)


def _range(pictures: Sequence[Pixels]) -> tuple[float, float]:
    known = [each for each in pictures if not math.isnan(each.low)]
    if not known:
        return math.nan, math.nan
    return min(each.low for each in known), max(each.high for each in known)


def _plain(factor: float, said: str, *, offset: float = 0.0, guess: bool = False) -> Scale:
    return Scale(np.array([factor]), np.array([offset]), said, guess)


def _undone(pictures: Sequence[Pixels], mean: NDArray[np.float64] | None, std: NDArray[np.float64] | None) -> Scale:
    if pictures[0].values.dtype == np.uint8:
        return _plain(1 / 255, "bytes, shown as they are: mean and std are not undone")
    middle = np.zeros(1) if mean is None else mean
    spread = np.ones(1) if std is None else std
    for name, numbers in (("mean", middle), ("std", spread)):
        channels = {each.values.shape[2] for each in pictures}
        if len(numbers) > 1 and channels != {len(numbers)}:
            have = " or ".join(map(str, sorted(channels)))
            raise PolicyError(f"{name} must be one number or one for each of {have} channels, got {numbers.tolist()}")
    white = 255.0 if max(middle.max(), spread.max()) > 1 else 1.0
    said = f"mean {_text(middle)} and std {_text(spread)} undone"
    return Scale(spread / white, middle / white, said)


def _text(numbers: NDArray[np.float64]) -> str:
    return ", ".join(f"{number:.4g}" for number in numbers)


def _of_whole(pictures: Sequence[Pixels], low: float, high: float) -> Scale:
    """Return how whole numbers, and true or false, are shown."""
    dtype = pictures[0].values.dtype
    if dtype.kind == "b":
        return _plain(1.0, "true is white")
    if dtype == np.uint8:
        return _plain(1 / 255, "")
    if low >= 0 and DIM < high <= 255:
        return _plain(1 / 255, "shown as they are, from 0 to 255", guess=True)
    if dtype == np.uint16:
        return _plain(1 / 65535, "shown as they are, from 0 to 65535", guess=True)
    return _stretched(pictures, low, high)


def _of_shares(low: float, high: float) -> Scale:
    over = "; what passes 0 and 1 is cut" if low < -ROUNDED or high > 1 + ROUNDED else ""
    return _plain(1.0, f"shown as they are, from 0 to 1{over}", guess=True)


def _known(pictures: Sequence[Pixels]) -> Scale | None:
    ends = _channel_ends(pictures)
    best, most = None, 0.0
    for name, (mean, std) in KNOWN.items():
        middle, spread = np.atleast_1d(mean), np.atleast_1d(std)
        if len(middle) > 1 and ends.shape[1] != len(middle):
            continue
        shares = ends * spread + middle
        fills = float(np.mean(shares[1] - shares[0]))
        if shares.min() >= -ROUNDED and shares.max() <= 1 + ROUNDED and fills > most:
            said = f"normalisation undone by a guess: {name}, which bring all values between 0 and 1"
            best, most = Scale(spread, middle, said, guess=True), fills
    return best


def _channel_ends(pictures: Sequence[Pixels]) -> NDArray[np.float64]:
    """Return the least and the greatest finite value of each channel; of all, where pictures differ in channels."""
    if len({each.values.shape[2] for each in pictures}) > 1:
        low, high = _range(pictures)
        return np.array([[low], [high]])
    channels = pictures[0].values.shape[2]
    lows, highs = np.full(channels, np.inf), np.full(channels, -np.inf)
    for each in pictures:
        below = above = each.values
        if each.bad is not None:
            finite = np.isfinite(each.values)
            below, above = np.where(finite, below, np.inf), np.where(finite, above, -np.inf)
        lows, highs = np.minimum(lows, below.min(axis=(0, 1))), np.maximum(highs, above.max(axis=(0, 1)))
    return np.stack([lows, highs]).astype(np.float64)


def _stretched(pictures: Sequence[Pixels], low: float, high: float) -> Scale:
    middle = np.concatenate([_some(each, SAMPLED // len(pictures)) for each in pictures])
    near, far = (float(each) for each in np.percentile(middle, MIDDLE))
    if far > near and high - low > SPIKE * (far - near):
        low, high, far_off = (
            near,
            far,
            ", the middle of the values, is stretched from black to white; a few stand far off",
        )
    else:
        far_off = " is stretched from black to white"
    factor = 1 / ((high - low) or 1.0)
    said = f"no mean and std were given, so {low:.3g} to {high:.3g}{far_off}"
    return _plain(factor, said, offset=-low * factor, guess=True)


def _some(pixels: Pixels, most: int) -> NDArray[np.float64]:
    step = max(math.isqrt(pixels.values.size // most), 1)
    values = pixels.values[::step, ::step].astype(np.float64)
    return np.asarray(values[np.isfinite(values)])


def is_dim(pixels: Pixels, scale: Scale) -> bool:
    """Return whether a picture is all but black, as those are that were divided by 255 twice.

    Examples
    --------
    >>> from safeaug.showing.pixels import pixels_of
    >>> pixels = pixels_of(np.array([[0.0, 1 / 255]]), None, "")
    >>> is_dim(pixels, scale_of([pixels], None, None))
    True
    """
    return 0 < pixels.high * float(scale.factor.max()) + float(scale.offset.max()) <= TWICE and pixels.low >= 0


class Levels(NamedTuple):
    """A picture in grey levels.

    Parameters
    ----------
    pixels : ndarray of shape (H, W, 3), uint8
        Black where a value is not finite.
    outside : float
        Share of the finite values that were below black or above white, by more than rounding.
    """

    pixels: NDArray[np.uint8]
    outside: float


def levels_of(pixels: Pixels, scale: Scale) -> Levels:
    """Return a picture as it is shown; of two channels, or of more than four, the first, or the first three.

    Examples
    --------
    >>> from safeaug.showing.pixels import pixels_of
    >>> pixels = pixels_of(np.array([[-1.0, 0.0, 1.0]]), None, "")
    >>> levels_of(pixels, scale_of([pixels], np.array([0.5]), np.array([0.5]))).pixels[0, :, 0].tolist()
    [0, 128, 255]
    """
    values = pixels.values
    chosen = slice(0, 3 if values.shape[2] > 2 else 1)
    factor, offset = (each[chosen] if len(each) > 1 else each for each in (scale.factor, scale.offset))
    if values.dtype == np.uint8:
        shown, outside = values[:, :, chosen], 0.0
    else:
        real = values.dtype if values.dtype.kind == "f" else np.dtype(np.float64)
        shares = values[:, :, chosen] * factor.astype(real) + offset.astype(real)
        if pixels.bad is not None:
            shares[~np.isfinite(shares)] = 0.0
        outside = float(np.mean((shares < -ROUNDED) | (shares > 1 + ROUNDED)))
        shown = np.rint(255 * np.clip(shares, 0, 1)).astype(np.uint8)
    wide = np.repeat(shown, 3, axis=2) if shown.shape[2] == 1 else shown
    return Levels(np.ascontiguousarray(wide), outside)
