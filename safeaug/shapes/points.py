"""The keypoints of one instance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from safeaug.errors import ContentError
from safeaug.geometry import Box, Domain, Size
from safeaug.shapes.shape import Floats, Ints, columns, rows


@dataclass(frozen=True, eq=False)
class Points:
    """The visible keypoints of one instance. One on a window's right or lower edge is outside, as hosts have it.

    Parameters
    ----------
    xy : ndarray of shape (K, 2), float64
        Where they are; at least one, all inside the image.
    """

    xy: NDArray[np.float64]

    rim: ClassVar[float] = 0.0
    solid: ClassVar[bool] = False

    @property
    def box(self) -> Box:
        """What bounds them."""
        (x0, y0), (x1, y1) = self.xy.min(axis=0).tolist(), self.xy.max(axis=0).tolist()
        return x0, y0, x1, y1

    @property
    def area(self) -> float:
        """Their number."""
        return float(len(self.xy))

    def inside(self, window: Sequence[float]) -> float:
        """Return how many are in a window."""
        x, y = self.xy.T
        return float(((window[0] <= x) & (x < window[2]) & (window[1] <= y) & (y < window[3])).sum())

    def along(self, axis: int, start: Ints, length: int) -> Floats:
        """Return how many are between ``start`` and ``start + length`` on one axis."""
        at = np.sort(self.xy[:, axis])
        return (np.searchsorted(at, start + length) - np.searchsorted(at, start)).astype(np.float64)

    def surface(self, size: Size, domain: Domain) -> Floats:
        """Return how many are in each window of a size."""
        x, y = columns(domain)[:, None], rows(domain)[:, None]
        wide = (x <= self.xy[:, 0]) & (self.xy[:, 0] < x + size[1])
        high = (y <= self.xy[:, 1]) & (self.xy[:, 1] < y + size[0])
        counts: Floats = wide.astype(np.float64) @ high.T.astype(np.float64)
        return counts


def points_of(xy: NDArray[np.float64], image_size: Size) -> Points | None:
    """Return the keypoints of an instance that lie in the image; None where none does.

    Parameters
    ----------
    xy : ndarray of shape (K, 2)
        The visible keypoints.
    image_size : (int, int)
        Height and width of the image.

    Raises
    ------
    ContentError
        On coordinates that are not finite.

    Examples
    --------
    >>> points_of(np.array([[1.0, 2.0], [30.0, 2.0]]), (20, 20)).area
    1.0
    """
    if not np.isfinite(xy).all():
        raise ContentError(f"keypoints must be of finite numbers, got {xy.tolist()}; mark the unseen as invisible")
    seen = xy[(xy >= 0).all(axis=1) & (xy < np.array(image_size[::-1])).all(axis=1)]
    return Points(seen) if len(seen) else None
