"""The obvious loops of rendering, in float64: what the renderers of `safeaug.batch` are compared with.

Nothing here is taken from the package, and nothing calls a resize: the weights are written from the definition.
"""

import numpy as np


def weights(taken: int, drawn: int, antialias: bool = True, cubic: bool = False) -> np.ndarray:
    """How much each of `taken` source pixels counts in each of `drawn` output pixels: (drawn, taken), rows sum to 1.

    A triangle around the centre of the output pixel, as wide as two source pixels or, where the picture shrinks and is
    antialiased, as two output pixels. Without antialiasing that is plain bilinear: the two nearest pixels, or at the
    border the one that there is. Or Keys' cubic with a = -1/2, which reaches twice as far.
    """
    scale = taken / drawn
    support = max(scale, 1.0) if antialias else 1.0
    table = np.zeros((drawn, taken))
    for i in range(drawn):
        centre = (i + 0.5) * scale
        distance = np.abs(np.arange(taken) + 0.5 - centre)
        shape = [_cubic(x) if cubic else max(0.0, 1.0 - x) for x in distance / support]
        table[i] = np.array(shape) / sum(shape)
    return table


def _cubic(x: float) -> float:
    """Keys' convolution kernel at a distance, in the form of his paper: with a = -1/2."""
    a = -0.5
    if x < 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0.0


def rendered(
    picture, source, target, flipped, size, fill, antialias: bool = True, cubic: bool = False, whole: bool = False
) -> np.ndarray:
    """One picture (C, H, W) as its output (C, h, w), in its own units: neither rounded nor normalised.

    Of bytes, whole, what a cubic makes of each axis is kept from 0 to 255.
    """
    picture = np.asarray(picture, dtype=np.float64)
    output = np.empty((len(picture), *size))
    (x0, y0, x1, y1), (left, top, right, bottom) = source, target
    drawn = x0 < x1 and y0 < y1 and left < right and top < bottom
    for channel, pixels in enumerate(picture):
        output[channel] = fill[channel % len(fill)]
        if drawn:
            down = weights(y1 - y0, bottom - top, antialias, cubic)
            across = weights(x1 - x0, right - left, antialias, cubic)
            rows = pixels[y0:y1, x0:x1] @ across.T
            rows = down @ (rows.clip(0, 255) if cubic and whole else rows)
            output[channel, top:bottom, left:right] = rows.clip(0, 255) if cubic and whole else rows
    return output[..., ::-1] if flipped else output


def bilinear(pixels, row: float, column: float) -> float:
    """A picture (H, W) at a point between the centres of its pixels, clamped to them: plain bilinear, by points."""
    height, width = pixels.shape
    row, column = min(max(row - 0.5, 0.0), height - 1.0), min(max(column - 0.5, 0.0), width - 1.0)
    y, x = min(int(row), max(height - 2, 0)), min(int(column), max(width - 2, 0))
    below, right = min(y + 1, height - 1), min(x + 1, width - 1)
    v, u = row - y, column - x
    above_mean = (1 - u) * pixels[y, x] + u * pixels[y, right]
    below_mean = (1 - u) * pixels[below, x] + u * pixels[below, right]
    return (1 - v) * above_mean + v * below_mean


def nearest(maps, source, target, flipped, size, fill) -> np.ndarray:
    """Maps (N, H, W) as their output (N, h, w): every pixel asks which source pixel lies under its centre."""
    output = np.full((len(maps), *size), fill, dtype=maps.dtype)
    (x0, y0, x1, y1), (left, top, right, bottom) = source, target
    for row in range(size[0]):
        for column in range(size[1]):
            seen = size[1] - 1 - column if flipped else column
            if not (top <= row < bottom and left <= seen < right and x0 < x1 and y0 < y1):
                continue
            y = y0 + (2 * (row - top) + 1) * (y1 - y0) // (2 * (bottom - top))
            x = x0 + (2 * (seen - left) + 1) * (x1 - x0) // (2 * (right - left))
            output[:, row, column] = maps[:, y, x]
    return output
