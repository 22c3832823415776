"""Crops that draw each end of a side by itself, within bounds."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import NamedTuple

from safeaug.albumentations.windows.kind import Cut
from safeaug.geometry import Domain, Size
from safeaug.guarding.draw import Draw
from safeaug.guarding.kind import SIDE, ranged


class Ends(NamedTuple):
    """Along one axis, a window that begins in ``[start, inner]`` and ends in ``[outer, stop]``, each end by itself."""

    start: int
    inner: int
    outer: int
    stop: int


class Between(Cut):
    """Crops whose ends lie within bounds."""

    @abstractmethod
    def ends(self, draw: Draw) -> tuple[Ends, Ends] | None:
        """Return the bounds along x and y; None where this draw has none, and the window is anywhere."""

    def domain(self, draw: Draw, size: Size) -> Domain:
        """Return the positions of a window of some size whose ends lie within bounds."""
        ends, (height, width) = self.ends(draw), size
        if ends is None:
            return super().domain(draw, size)
        x, y = ends
        return Domain(
            max(x.start, x.outer - width),
            min(x.inner, x.stop - width),
            max(y.start, y.outer - height),
            min(y.inner, y.stop - height),
        )

    def lattice(self, draw: Draw) -> Iterable[Size]:
        """Return 8 heights × 8 widths, from the least to the greatest that such ends can have."""
        ends = self.ends(draw)
        if ends is None:
            return ()
        x, y = ends
        heights = ranged(max(1, y.outer - y.inner), y.stop - y.start, SIDE)
        widths = ranged(max(1, x.outer - x.inner), x.stop - x.start, SIDE)
        return sorted({(height, width) for height in heights for width in widths})
