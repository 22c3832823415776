"""What many draws on one scene come to."""

import math
from statistics import fmean, median
from typing import NamedTuple

from safeaug.demo.trial import Draw
from safeaug.geometry import Size, size_of


class Tally(NamedTuple):
    """Shares and means over draws.

    Parameters
    ----------
    lost : float
        Share of the draws in which nothing at all is left of some object.
    below : float
        Share of the draws in which less than the limit is left of some object.
    area : float
        Mean area of the window, as a share of the image.
    micros : float
        Median time of a draw, in microseconds.
    """

    lost: float
    below: float
    area: float
    micros: float


def tally(draws: list[Draw], image_size: Size) -> Tally:
    """Return what the draws come to; at least one must be given."""
    return Tally(
        lost=fmean(bool((draw.retention == 0).any()) for draw in draws),
        below=fmean(not draw.kept for draw in draws),
        area=fmean(math.prod(size_of(draw.window)) for draw in draws) / math.prod(image_size),
        micros=median(draw.micros for draw in draws),
    )


def percent(share: float, digits: int = 1) -> str:
    """Return a share in percent, such that only none at all reads as 0 and only all of them as 100.

    Examples
    --------
    >>> percent(0.0), percent(0.0001), percent(0.983), percent(0.9999), percent(1.0)
    ('0.0 %', '< 0.1 %', '98.3 %', '> 99.9 %', '100.0 %')
    >>> percent(0.983, digits=0), percent(0.005, digits=0)
    ('98 %', '< 1 %')
    """
    step = 10.0**-digits
    text = f"{100 * share:.{digits}f}"
    if float(text) == 0 < share:
        return f"< {step:.{digits}f} %"
    if float(text) == 100 and share < 1:
        return f"> {100 - step:.{digits}f} %"
    return f"{text} %"
