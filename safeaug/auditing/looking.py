"""Looking at the pixels of a draw, for what its geometry does not tell: an output that shows nothing."""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from safeaug.auditing.block import Failure
from safeaug.auditing.row import Row
from safeaug.data import Sample, picture_of
from safeaug.errors import DataError
from safeaug.records import Step

FLAT = 0.02
"""Share of the picture's contrast below which an output is flat."""


def looked_at(row: Row, sample: Sample, drawer: Any) -> Row | Failure | None:
    """Return a row with what its pixels add to its findings; None where there are no pixels to be had.

    With pixels those steps run too that move nothing, and were passed over before: where one raises, that is returned.

    Parameters
    ----------
    row : Row
        One draw.
    sample : Sample
        Its sample.
    drawer : Drawer
        Makes it again.
    """
    try:
        picture = picture_of(sample)
    except DataError:
        return None
    try:
        steps, _ = drawer.trace(sample, int(row.key, 16), pixels=True)
    except Exception as error:  # it is the user's pipeline, which may raise anything
        return Failure(row.id, row.draw, int(row.key, 16), *drawer.told_of(error))
    return msgspec.structs.replace(row, findings=(*row.findings, *findings_of(picture, steps)))


def findings_of(picture: NDArray[Any], steps: Sequence[Step]) -> tuple[str, ...]:
    """Return what is to be said of the pixels of a draw: ``SA1.blank``, ``SA1.flat``.

    Parameters
    ----------
    picture : ndarray of shape (H, W, C) or (H, W)
        Before the first step. Of one that is flat itself, nothing is said.
    steps : sequence of Step
        With pixels.

    Notes
    -----
    Contrast is the standard deviation of the values. It is compared behind the last step that hands on values of the
    picture's own kind: those that are normalised have another scale.

    Examples
    --------
    >>> from safeaug import Status
    >>> picture = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    >>> black = {"image": np.zeros((2, 2, 3), np.uint8)}
    >>> step = Step((0,), "Crop", "window", {}, None, (2, 2), np.ones(0), Status.FIRST, black)
    >>> findings_of(picture, [step]), findings_of(picture, [])
    (('SA1.blank',), ())
    """
    shown = [step.sample["image"] for step in steps if step.sample is not None and "image" in step.sample]
    alike = [image for image in shown if isinstance(image, np.ndarray) and image.dtype == picture.dtype and image.size]
    before = float(picture.std())
    if not alike or before == 0:
        return ()
    after = float(alike[-1].std())
    if after == 0:
        return ("SA1.blank",)
    return ("SA1.flat",) if after < FLAT * before else ()
