"""The law of a random resized crop, in plain numbers.

Its area is uniform in a range, its ratio log-uniform. Sizes are drawn until one fits the image; where none of ten does,
the largest one of an allowed ratio stands in, in the middle. That is torchvision's law.
"""

import math
from collections.abc import Callable, Sequence

from safeaug.geometry import Size, Window, window_at
from safeaug.guarding.kind import SIDE

ATTEMPTS = 10
"""Sizes that are drawn before a window in the middle stands in."""

Range = Sequence[float]
"""The least and the greatest of something."""


def resized_window(scale: Range, ratio: Range, image_size: Size, uniform: Callable[[], float]) -> Window:
    """Return the window of one draw.

    Parameters
    ----------
    scale : (float, float)
        The least and the greatest area, as a share of the image's.
    ratio : (float, float)
        The least and the greatest width over height.
    image_size : (int, int)
        Height and width of the image.
    uniform : callable
        Gives numbers in [0, 1).

    Examples
    --------
    >>> import random
    >>> resized_window((0.25, 0.25), (1.0, 1.0), (4, 40), random.Random(0).random)  # a side of 6 does not fit
    (18, 0, 22, 4)
    """
    (least, most), low, high = scale, math.log(ratio[0]), math.log(ratio[1])
    for _ in range(ATTEMPTS):
        area = image_size[0] * image_size[1] * (least + (most - least) * uniform())
        size = _size_of(area, math.exp(low + (high - low) * uniform()))
        if _fits(size, image_size):
            return placed(size, image_size, uniform)
    size = _largest(ratio, image_size)
    return window_at((image_size[1] - size[1]) // 2, (image_size[0] - size[0]) // 2, size)


def placed(size: Size, image_size: Size, uniform: Callable[[], float]) -> Window:
    """Return a window of a size, anywhere in the image."""
    y = int(uniform() * (image_size[0] - size[0] + 1))
    return window_at(int(uniform() * (image_size[1] - size[1] + 1)), y, size)


def areas(scale: Range, ratio: Range, image_size: Size) -> list[Size]:
    """Return the sizes of 8 areas × 8 ratios, ends included, that fit the image: its lattice.

    Parameters
    ----------
    scale, ratio, image_size
        See `resized_window`.

    Examples
    --------
    >>> areas((0.25, 1.0), (1.0, 1.0), (4, 4))
    [(2, 2), (3, 3), (4, 4)]
    """
    low, high = math.log(ratio[0]), math.log(ratio[1])
    sizes = set()
    for i in range(SIDE):
        area = image_size[0] * image_size[1] * (scale[0] + (scale[1] - scale[0]) * i / (SIDE - 1))
        sizes |= {_size_of(area, math.exp(low + (high - low) * j / (SIDE - 1))) for j in range(SIDE)}
    return sorted(size for size in sizes if _fits(size, image_size))


def _size_of(area: float, ratio: float) -> Size:
    return round(math.sqrt(area / ratio)), round(math.sqrt(area * ratio))


def _fits(size: Size, image_size: Size) -> bool:
    return 0 < size[0] <= image_size[0] and 0 < size[1] <= image_size[1]


def _largest(ratio: Range, image_size: Size) -> Size:
    """Return the largest size in the image whose ratio is in the range."""
    height, width = image_size
    if width < min(ratio) * height:
        return round(width / min(ratio)) or 1, width
    if width > max(ratio) * height:
        return height, round(height * max(ratio)) or 1
    return image_size
