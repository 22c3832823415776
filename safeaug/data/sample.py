"""One sample of a data set: all that judging its draws needs, without a pixel of it."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.data.outline import Outline
from safeaug.data.remarks import Remark
from safeaug.geometry import Size


def _constant(shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
    array: NDArray[Any] = np.empty(shape, dtype)
    array.flags.writeable = False
    return array


NO_BOXES: NDArray[np.float64] = _constant((0, 4), np.float64)
NO_FLAGS: NDArray[np.bool_] = _constant((0,), np.bool_)


class Sample(NamedTuple):
    """A picture and what is in it. All in the image frame of the upright picture, as EXIF says it is to be shown.

    Parameters
    ----------
    id : str
        Names it within its data set, whatever the order of reading: draws are seeded by it.
    size : (int, int)
        Height and width, from the annotation or the file's header.
    path : path, optional
        The picture; None where only annotations are at hand, or `image` holds it.
    boxes : ndarray of shape (N, 4), float64
        Corners (x0, y0, x1, y1) of the objects, as annotated: they may reach beyond the image.
    labels : tuple of str
        Of each object its class; empty where none are known. Somebody else's text: to be escaped where it is shown.
    ignore : ndarray of shape (N,), bool
        Objects (crowds, difficult ones) that are never asked for.
    outlines : sequence of N Outline or None, optional
        What each object covers where more than its box is known; of COCO read when it is asked for.
    masks : array_like of shape (N, H, W), optional
        Instance masks, of a data set that hands them over.
    mask : path or array_like of shape (H, W), optional
        A semantic mask: see `safeaug.data.read_mask`.
    image : optional
        The picture itself, where the data set hands it over: see `safeaug.data.picture_of`.
    group : str
        The class of the whole picture, by which it is counted; empty where it has none.
    where : str
        Where it stands: file, or file and record.
    remarks : tuple of Remark
        What was met while it was read.

    Examples
    --------
    >>> from safeaug import Policy
    >>> from safeaug.objects import content_from
    >>> boxes, ignore = np.array([[10.0, 10, 60, 60]]), np.array([False])
    >>> sample = Sample("0", (480, 640), boxes=boxes, labels=("cat",), ignore=ignore)
    >>> policy = Policy(min_retention={"cat": 0.7})
    >>> content = content_from(sample.size, policy, boxes=sample.boxes, labels=sample.labels, ignore=sample.ignore)
    >>> content.boxes, content.limits
    ([(10.0, 10.0, 60.0, 60.0)], [0.7])
    """

    id: str
    size: Size
    path: str | PathLike[str] | None = None
    boxes: NDArray[np.float64] = NO_BOXES
    labels: tuple[str, ...] = ()
    ignore: NDArray[np.bool_] = NO_FLAGS
    outlines: Sequence[Outline | None] | None = None
    masks: Any = None
    mask: Any = None
    image: Any = None
    group: str = ""
    where: str = ""
    remarks: tuple[Remark, ...] = ()
