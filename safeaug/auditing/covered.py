"""What objects cover that are more than boxes: outlines, masks, the classes of a semantic mask."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from safeaug.auditing.subject import Subject
from safeaug.content import SINGLE, Content, content_of_shapes
from safeaug.data import Outline, Rle, Sample, mask_of, read_mask
from safeaug.geometry import Box, Size
from safeaug.objects import IGNORE_INDEX, instances
from safeaug.policy import Policy
from safeaug.shapes import Shape, boxed, map_of, polygon_of, region_of
from safeaug.traits import Traits

ASKS_NOTHING = Policy(min_retention=0.0)
"""Measuring does not judge."""


class Covered(NamedTuple):
    """The objects of one sample.

    Parameters
    ----------
    content : Content
        Where they are.
    labels : tuple of str
        The class of each; empty where none are known.
    ignored : ndarray of shape (N,), bool
        Those that nobody asks for: crowds, difficult ones, boxes without area.
    areas : ndarray of shape (N,)
        Of each its area in pixels; 0 of one outside the picture.
    rims : ndarray of shape (N,)
        By how many square pixels that is off for each pixel by which its coordinates are off.
    """

    content: Content
    labels: tuple[str, ...]
    ignored: NDArray[np.bool_]
    areas: NDArray[np.float64]
    rims: NDArray[np.float64]


def covered_of(sample: Sample, subject: Subject) -> Covered:
    """Return what the objects of a sample cover: outlines, masks, or the classes of a semantic mask.

    Raises
    ------
    ContentError, DataError
        Where they cannot be read.
    """
    if subject == "outlines":
        outlines = sample.outlines or [None] * len(sample.boxes)
        shapes = [
            _covered(outline, box.tolist(), sample.size, sample.where)
            for outline, box in zip(outlines, sample.boxes, strict=True)
        ]
        return _shapes(sample, shapes, sample.labels, sample.ignore if len(sample.ignore) else None)
    if subject == "masks":
        regions = instances(sample.masks, sample.size)
        named = len(sample.labels) == len(regions)
        flagged = named and len(sample.ignore) == len(regions)
        return _shapes(sample, list(regions), sample.labels if named else (), sample.ignore if flagged else None)
    return _classes(sample)


def _shapes(
    sample: Sample, shapes: list[Shape | Box | None], labels: tuple[str, ...], ignore: NDArray[np.bool_] | None
) -> Covered:
    traits = Traits([0.0] * len(shapes), None, None if ignore is None else ignore.tolist(), None)
    content = content_of_shapes(shapes, sample.size, ASKS_NOTHING, traits)
    slack = SINGLE * max(sample.size)
    solid = [boxed(shape, slack) if isinstance(shape, tuple) else shape for shape in shapes]
    areas = np.array([0.0 if shape is None else shape.area for shape in solid])
    rims = np.array([0.0 if shape is None else shape.rim for shape in solid])
    ignored = (np.zeros(len(shapes), bool) if ignore is None else ignore) | (areas <= 0)
    return Covered(content, labels, ignored, areas, rims)


def _covered(outline: Outline | None, box: list[float], size: Size, where: str) -> Shape | Box | None:
    """Return what an object covers."""
    if outline is None:
        x0, y0, x1, y1 = box
        return polygon_of([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], size, where)
    if isinstance(outline, Rle):
        return region_of(mask_of(outline, where), size, where)
    if len(outline) == 1:
        return polygon_of(outline[0], size, where)
    return region_of(_drawn(outline, size), size, where)


def _drawn(rings: Sequence[NDArray[np.float64]], size: Size) -> NDArray[np.bool_]:
    """Return the pixels of several rings, overlapping or not."""
    image = Image.new("1", (size[1], size[0]))
    for ring in rings:
        ImageDraw.Draw(image).polygon([(x - 0.5, y - 0.5) for x, y in ring.tolist()], fill=1)
    return np.asarray(image)


def _classes(sample: Sample) -> Covered:
    """Return each class of a semantic mask as an object: all but 0, and the one that says nothing."""
    if sample.mask is None:
        return _shapes(sample, [], (), None)
    stored = hasattr(sample.mask, "__fspath__") or isinstance(sample.mask, str)
    ids = read_mask(sample.mask, sample.where) if stored else map_of(sample.mask, sample.size)
    classes = [each for each in np.unique(ids).tolist() if each not in (0, IGNORE_INDEX)]
    shapes: list[Shape | Box | None] = [region_of(ids == each, sample.size, sample.where) for each in classes]
    return _shapes(sample, shapes, tuple(str(each) for each in classes), None)
