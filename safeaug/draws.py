"""Draws of a pipeline in columns: what each step left of every object, for many samples at once."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

UNTOLD = frozenset({"unknown", "volume"})
"""Kinds of steps of which nobody may be able to tell what they do."""


class StepName(NamedTuple):
    """One step of a pipeline, by which draws are told apart.

    Parameters
    ----------
    path : tuple of int
        Where it stands in the pipeline: places among children, from the root down.
    name : str
        Of its class.
    kind : str
        In which way it changes the picture, as `safeaug.Step` has it.
    """

    path: tuple[int, ...]
    name: str
    kind: str

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.path))} {self.name}"


class Given(NamedTuple):
    """The objects of S samples, O in all, one sample's behind another's.

    Parameters
    ----------
    sizes : ndarray of shape (S, 2), int64
        Height and width of each picture.
    counts : ndarray of shape (S,), int64
        How many objects each has.
    boxes : ndarray of shape (O, 4), float64
        What bounds each, clipped to its picture; NaN for one outside of it.
    plain : bool
        Whether all are boxes.
    content : callable
        Returns the `Content` of a sample, given its place: for what goes through the pipeline by itself.
    """

    sizes: NDArray[np.int64]
    counts: NDArray[np.int64]
    boxes: NDArray[np.float64]
    plain: bool
    content: Callable[[int], Any]


def clipped(boxes: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return boxes clipped to their pictures; NaN for those outside.

    Parameters
    ----------
    boxes : ndarray of shape (O, 4)
        Corners.
    sizes : ndarray of shape (O, 2) or (1, 2)
        Height and width of the picture of each, or of all.

    Examples
    --------
    >>> clipped(np.array([[-5.0, 2, 8, 30], [30, 0, 40, 5]]), np.array([[10, 20]])).tolist()
    [[0.0, 2.0, 8.0, 10.0], [nan, nan, nan, nan]]
    """
    ends = sizes[:, ::-1]
    outside = np.any((boxes[:, 2:] < 0) | (boxes[:, :2] > ends), axis=1, keepdims=True)
    return np.where(outside, np.nan, np.clip(boxes, 0, np.concatenate([ends, ends], axis=1)))


class Drawn(NamedTuple):
    """The same number of draws of each of some samples.

    S samples, n draws of each, O objects of all samples one behind another, and L columns for the steps that changed
    the picture's geometry: as many as the longest draw has.

    Parameters
    ----------
    steps : ndarray of shape (S, n, L), int16
        Which step of the pipeline each was, in order of application; -1 behind the last.
    left : ndarray of shape (O, n, L), float32
        Share of each object, as it came in, that is visible after each step; after the last of a draw it stays as it
        is. NaN for an object outside of the image, and from a step on of which nobody can tell what it does.
    labelled : ndarray of shape (O, n), bool
        Whether the pipeline hands on the object's label.
    area : ndarray of shape (S, n), float32
        Share of the picture, as it came in, that is visible in the end.
    padded : ndarray of shape (S, n), float32
        Share of the output that shows nothing of the picture: borders, corners, holes.
    stretch : ndarray of shape (S, n), float32
        Scale along one axis over that along the other, at least 1; NaN where that differs from place to place.
    size : ndarray of shape (S, n, 2), int32
        Height and width of the output.
    status : ndarray of shape (S, n), int8
        How each draw ended, as `safeaug.Status` numbers it. Of a pipeline that is not guarded `Status.FIRST`.
    """

    steps: NDArray[np.int16]
    left: NDArray[np.float32]
    labelled: NDArray[np.bool_]
    area: NDArray[np.float32]
    padded: NDArray[np.float32]
    stretch: NDArray[np.float32]
    size: NDArray[np.int32]
    status: NDArray[np.int8]

    @property
    def final(self) -> NDArray[np.float32]:
        """Share of each object that is visible in the end, of shape (O, n)."""
        return self.left[:, :, -1]
