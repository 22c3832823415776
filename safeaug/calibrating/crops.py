"""The windows on which maps are tried: those of a random resized crop, by which most people train."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from safeaug.candidates import Law
from safeaug.errors import PolicyError
from safeaug.geometry import Domain, Size, Window
from safeaug.guarding.resized import areas, resized_window


@dataclass(frozen=True)
class Crops:
    """Which windows are drawn.

    Parameters
    ----------
    scale : (float, float), default (0.08, 1.0)
        The least and the greatest area, as a share of the picture's; all between are as likely.
    ratio : (float, float), default (3/4, 4/3)
        The least and the greatest width over height; their logarithms are as likely.

    Raises
    ------
    PolicyError
        Where these are no ranges.

    Examples
    --------
    >>> Crops(scale=(0.5, 0.08))
    Traceback (most recent call last):
    safeaug.errors.PolicyError: scale must be two numbers above 0, the least first, got (0.5, 0.08)
    """

    scale: tuple[float, float] = (0.08, 1.0)
    ratio: tuple[float, float] = (3 / 4, 4 / 3)

    def __post_init__(self) -> None:
        for field in fields(self):
            given = getattr(self, field.name)
            try:
                low, high = map(float, given)
            except (TypeError, ValueError):
                low, high = math.nan, math.nan
            if not 0 < low <= high < math.inf:
                raise PolicyError(f"{field.name} must be two numbers above 0, the least first, got {given!r}")
            object.__setattr__(self, field.name, (low, high))
        if self.scale[1] > 1:
            raise PolicyError(f"scale is a share of the picture, at most 1, got {self.scale!r}")

    def window(self, image_size: Size, uniform: Callable[[], float]) -> Window:
        """Return the window of one draw.

        Parameters
        ----------
        image_size : (int, int)
            Height and width of the picture.
        uniform : callable
            Gives numbers in [0, 1).
        """
        return resized_window(self.scale, self.ratio, image_size, uniform)


class Source(NamedTuple):
    """Where the windows of one draw come from: a `safeaug.candidates.Host`.

    Parameters
    ----------
    crops : Crops
        Which they are.
    image_size : (int, int)
        Height and width of the picture.
    uniform : callable
        Gives numbers in [0, 1), for further draws.
    """

    crops: Crops
    image_size: Size
    uniform: Callable[[], float]
    law: Law = Law.UNIFORM
    redraws: bool = True

    @property
    def whole(self) -> Size:
        """The size of the picture, up to which windows may grow."""
        return self.image_size

    def domain(self, size: Size) -> Domain:
        """Return all positions inside the picture."""
        return Domain(0, self.image_size[1] - size[1], 0, self.image_size[0] - size[0])

    def within(self, size: Size) -> Any:
        """Return no restriction: it has no promise of its own."""

    def output(self, size: Size) -> Size:
        """Return the size itself: nothing here is asked of the output."""
        return size

    def redraw(self, number: int) -> Window:
        """Return a further draw."""
        return self.crops.window(self.image_size, self.uniform)

    def lattice(self) -> Iterable[Size]:
        """Return the sizes of the lattice that fit the picture."""
        return areas(self.crops.scale, self.crops.ratio, self.image_size)
