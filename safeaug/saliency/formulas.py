"""The maps. Each formula takes pictures on a grid, of shape (..., C, n, n) in [0, 1], and returns raw maps (..., n, n).

They are written from the definitions in the papers that they name, once for numpy and torch.
"""

from typing import Any

from safeaug.saliency.barrier import barrier
from safeaug.saliency.library import Library
from safeaug.saliency.waves import cosines, smoothed

BLUR = 0.045
"""Standard deviation of the smoothing, in sides of the map: what the image signature's authors found best."""

NOTHING, FAINT = 0.01, 0.1
"""A coefficient of L*a*b* that has no sign, and the range over which it gains one. Rounding in float32 leaves less than
the first where there is nothing; rounding pixels to bytes leaves about as much as the second."""

FAINT_PHASE = 0.05
"""The same for the phase of a coefficient of brightness in [0, 255]."""

WIDE, REACH = 8.0, 2
"""Standard deviation and reach, in cells, of the smoothing of a spectral residual: nearly the mean of 5 x 5."""

LOW = 1e-3
"""A barrier, in units of L*a*b*, that is none: rounding may have made it."""

CENTRE = 0.25
"""Standard deviation of the centre prior, in sides of the map."""


def signature(channels: Any, library: Library) -> Any:
    """Return the image signature: what is left of a picture of which only the signs of its cosine transform are kept.

    Hou, Harel and Koch, "Image signature: highlighting sparse salient regions", PAMI 2012. The mean is taken out
    before, and a sign fades to zero with a small coefficient, so that rounding says nothing.
    """
    clip = library.xp.clip
    channels = channels - channels.mean((-2, -1))[..., None, None]
    matrix = cosines(channels.shape[-1], library)
    waves = matrix @ channels @ matrix.T
    signs = clip((waves - clip(waves, -NOTHING, NOTHING)) / FAINT, -1, 1)
    drawn = (matrix.T @ signs @ matrix) ** 2
    return smoothed(drawn.sum(-3), BLUR * channels.shape[-1], library)


def minimum_barrier(channels: Any, library: Library) -> Any:
    """Return how hard each cell is to reach from the border: see `safeaug.saliency.barrier`."""
    return library.xp.clip(barrier(channels, library) - LOW, 0, None)


def gradient(channels: Any, library: Library) -> Any:
    """Return the length of the gradient over all channels of L*a*b*, by Sobel's differences, smoothed."""
    xp = library.xp
    padded = xp.concatenate([channels[..., :1, :], channels, channels[..., -1:, :]], -2)
    padded = xp.concatenate([padded[..., :1], padded, padded[..., -1:]], -1)
    rows = padded[..., :-2, :] + 2 * padded[..., 1:-1, :] + padded[..., 2:, :]
    columns = padded[..., :-2] + 2 * padded[..., 1:-1] + padded[..., 2:]
    across, down = rows[..., 2:] - rows[..., :-2], columns[..., 2:, :] - columns[..., :-2, :]
    length = xp.sqrt((across**2 + down**2).sum(-3)) / 8
    return smoothed(length, BLUR * channels.shape[-1], library)


def spectral_residual(channels: Any, library: Library) -> Any:
    """Return the spectral residual: what a log spectrum has beyond its own local mean, as a picture.

    Hou and Zhang, "Saliency detection: a spectral residual approach", CVPR 2007. The logarithm is of one more than the
    amplitude, of brightness in [0, 255], and a phase fades to zero with its coefficient. Amplitudes are smoothed and
    then squared, as in OpenCV, which comes out nearly the same (at 64 cells, of pictures that have as many pixels).
    """
    xp = library.xp
    waves = xp.fft.fft2(channels)
    amplitude = xp.abs(waves)
    spectrum = xp.log1p(amplitude)
    residual = xp.exp(spectrum - _box(_box(spectrum, -1, xp), -2, xp))
    drawn = xp.fft.ifft2(waves * (residual / xp.clip(amplitude, FAINT_PHASE, None)))
    return (smoothed(xp.abs(drawn), WIDE, library, REACH) ** 2).sum(-3)


def _box(values: Any, axis: int, xp: Any) -> Any:
    """Return the mean of each value and its two neighbours along an axis of a spectrum, which has no border."""
    return (values + xp.roll(values, 1, axis) + xp.roll(values, -1, axis)) / 3


def center(channels: Any, library: Library) -> Any:
    """Return the centre prior, the same for every picture: what every map must be better than."""
    size = channels.shape[-1]
    places = library.floats(library.count(size)) - (size - 1) / 2
    along = library.xp.exp(-0.5 * (places / (CENTRE * size)) ** 2)
    return library.xp.broadcast_to(along[:, None] * along[None], (*channels.shape[:-3], size, size))
