"""One window for all images of a batch, which keeps the objects of all of them as if they were one image's."""

import torch
from torch import Tensor

from safeaug.batch.canvas import Canvas
from safeaug.batch.draw import Drawn
from safeaug.batch.found import Found
from safeaug.batch.given import Given
from safeaug.batch.images import Images
from safeaug.batch.judging import Measured
from safeaug.batch.objects import Traits


def one_of(batch: Images) -> Images:
    """Return the first image of a batch, which stands for all, since they are of one size."""
    known = None if batch.known is None else batch.known[:1]
    return Images(batch.pictures[:1], batch.sizes[:1], known)


def united(given: Given) -> Given:
    """Return the objects of all images as those of one."""
    traits = Traits(*(None if each is None else _rows(each) for each in given.traits))  # type: ignore[arg-type]
    return given._replace(
        boxes=None if given.boxes is None else _rows(given.boxes),
        masks=None if given.masks is None else [torch.cat(list(given.masks))],
        keypoints=None if given.keypoints is None else _rows(given.keypoints),
        valid=_rows(given.valid),
        traits=traits,
    )


def spread(drawn: Drawn, count: int) -> Drawn:
    """Return one draw for objects of all images as the same draw of each image, with its own objects."""
    found = Found(*(_each(rows, count) for rows in drawn.found))
    held = Measured(*(rows.reshape(count, rows.shape[1] // count) for rows in drawn.measured))
    source, target, flipped = (_each(rows, count) for rows in drawn.canvas[:3])
    return Drawn(found, held, Canvas(source, target, flipped, drawn.canvas.size))


def _rows(rows: Tensor) -> Tensor:
    """Return rows of (B, N, ...) as those of one image: (1, B * N, ...)."""
    return rows.flatten(0, 1)[None]


def _each(rows: Tensor, count: int) -> Tensor:
    """Return a row as often as there are images."""
    return rows.expand(count, *rows.shape[1:])
