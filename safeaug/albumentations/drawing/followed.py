"""One draw by the host's own code, and what it leaves of each object: for what cannot be told from numbers alone."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.albumentations.drawing.maps import matrix_of_change, stretch_of
from safeaug.content import Content, content_of_rows
from safeaug.draws import UNTOLD
from safeaug.geometry import Size
from safeaug.ledger import Erased, Ledger, Mapped, Occluded, Windowed, begin, follow
from safeaug.ledger.matrices import IDENTITY, Matrix, product
from safeaug.policy import Status
from safeaug.records import Step


class Followed(NamedTuple):
    """What one draw does.

    Parameters
    ----------
    steps : list of int
        The numbers of the steps that change geometry, in order.
    begun : ndarray of shape (N,)
        Share of each object before the first of them; NaN for one outside the image.
    left : ndarray of shape (L, N)
        The same after each of them.
    area : float
        Share of the picture that is visible in the end.
    padded : float
        Share of the output that shows nothing of it.
    stretch : float
        Scale along one axis over that along the other; NaN where that differs from place to place.
    size : (int, int)
        Height and width of the output.
    status : Status
        How the draw ended.
    labelled : ndarray of shape (N,), bool
        Which objects still have a label.
    """

    steps: list[int]
    begun: NDArray[np.float64]
    left: NDArray[np.float64]
    area: float
    padded: float
    stretch: float
    size: Size
    status: Status
    labelled: NDArray[np.bool_]


def followed(
    steps: list[Step],
    numbers: Mapping[tuple[int, ...], int],
    content: Content,
    image_size: Size,
    status: Status,
    labelled: NDArray[np.bool_],
) -> Followed:
    """Return what the steps of a draw leave of the objects of a picture, and of the picture itself.

    Parameters
    ----------
    steps : list of Step
        As they were applied.
    numbers : mapping of tuple to int
        The number of each step that changes geometry, by its index path.
    content : Content
        The objects.
    image_size : (int, int)
        Height and width of the picture.
    status : Status
        How the draw ended.
    labelled : ndarray of shape (N,), bool
        Which objects still have a label.
    """
    frame = (0.0, 0.0, float(image_size[1]), float(image_size[0]))
    objects, picture = begin(content, image_size), begin(content_of_rows([frame], image_size, [0.0]), image_size)
    matrix: Matrix | None = IDENTITY
    begun, told, left, lost = objects.left, [], [], False
    for step in steps:
        if step.path not in numbers:
            continue
        lost = lost or (step.change is None and step.kind in UNTOLD)
        if step.change is not None and not lost:
            matrix = _further(matrix, step.change, objects.size)
            objects, picture = follow(objects, step.change), follow(picture, step.change)
        told.append(numbers[step.path])
        left.append(np.full(len(content.given), np.nan) if lost else objects.left)
    size = steps[-1].size if steps else image_size
    return Followed(
        told,
        begun,
        np.array(left, dtype=np.float64).reshape(len(told), len(content.given)),
        np.nan if lost else float(picture.left[0]),
        np.nan if lost else 1 - min(_shown(picture) / (size[0] * size[1]), 1.0),
        np.nan if lost or matrix is None else float(stretch_of(np.array([matrix]))[0]),
        size,
        status,
        labelled,
    )


def _shown(picture: Ledger) -> float:
    return float(picture.pixels[0])


def _further(matrix: Matrix | None, change: Any, size: Size) -> Matrix | None:
    """Return the map from the source after one more step; None where it is none."""
    if isinstance(change, Occluded | Erased):
        return matrix
    if matrix is None or not isinstance(change, Windowed | Mapped):
        return None
    step = matrix_of_change(change, size)
    return None if step is None else product(step, matrix)
