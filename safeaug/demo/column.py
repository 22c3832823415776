"""A column of the table: what is asked of each draw, and what many draws come to."""

from collections.abc import Callable, Sequence
from statistics import fmean, median
from typing import NamedTuple

from safeaug.demo.draw import Draw
from safeaug.policy import GONE

SLACK = 1e-4
"""Share of a limit that may be missing without being told: the guard lets pass what the rounding of floats costs."""


class Column(NamedTuple):
    """A figure of many draws.

    Parameters
    ----------
    heading : str
        What stands above it, a line break where the table has one.
    of : callable
        Gives the figure of one draw; of a question, True or False.
    show : callable
        Writes the figure of all of them.
    gather : callable
        Makes it of the figures of each.
    says : str
        What a draw did for which the answer is yes, where that is damage; empty for a figure that is none.
    """

    heading: str
    of: Callable[[Draw], float]
    show: Callable[[float], str]
    gather: Callable[[Sequence[float]], float] = fmean
    says: str = ""

    def value(self, draws: Sequence[Draw]) -> float:
        """Return the figure of all draws; at least one must be given."""
        return self.gather([self.of(draw) for draw in draws])

    def text(self, draws: Sequence[Draw]) -> str:
        """Return it as it is shown."""
        return self.show(self.value(draws))


def lost(draw: Draw) -> bool:
    """Return whether nothing at all is left of some object."""
    return bool((draw.retention == 0).any())


def broken(draw: Draw) -> bool:
    """Return whether the draw does not keep what the policy asks."""
    return not draw.kept


def none_left(limit: float) -> Callable[[Draw], bool]:
    """Return the question whether no object keeps its limit."""
    return lambda draw: not (draw.retention >= limit * (1 - SLACK)).any()


def slivers(limit: float) -> Callable[[Draw], bool]:
    """Return the question whether a piece of some object is left, neither its limit nor as good as nothing."""
    return lambda draw: bool(((draw.retention > GONE) & (draw.retention < limit * (1 - SLACK))).any())


def below(limit: float) -> Callable[[Draw], bool]:
    """Return the question whether less than a limit is left of some object."""
    return lambda draw: bool((draw.retention < limit * (1 - SLACK)).any())


def under(floor: float) -> Callable[[Draw], bool]:
    """Return the question whether some object covers fewer pixels than a floor."""
    return lambda draw: bool((draw.pixels < floor * (1 - SLACK)).any())


def fewest(draw: Draw) -> float:
    """Return the pixels of the object that covers the fewest."""
    return float(draw.pixels.min())


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


AREA = Column("mean\narea", lambda draw: draw.area, percent)
MICROS = Column("µs a\ndraw", lambda draw: draw.micros, "{:.0f}".format, median)
