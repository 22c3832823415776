"""Crops of the host that keep a promise of their own. The guard stays within it."""

import math
from typing import Any

import numpy as np
from albumentations.core.bbox_utils import denormalize_bboxes, union_of_bboxes
from numpy.typing import NDArray

from safeaug.albumentations.reading import Reading
from safeaug.albumentations.targets import Sample
from safeaug.albumentations.windows.between import Between, Ends
from safeaug.albumentations.windows.kind import Cut
from safeaug.candidates import Law
from safeaug.content import Content
from safeaug.errors import ContentError
from safeaug.geometry import Size, Window, size_of
from safeaug.guarding.draw import Draw
from safeaug.guarding.kind import Params
from safeaug.measures import demand_of, passes
from safeaug.objects import semantic
from safeaug.placement import rectangle
from safeaug.policy import Policy
from safeaug.records import Found
from safeaug.shapes import region_of


class AroundBoxes(Between):
    """``BBoxSafeRandomCrop``: the window holds the union of all boxes, shrunk by the erosion rate."""

    law = Law.OWN
    promises = False

    def mended(self, drawn: Params, image_size: Size) -> Window:
        """Return a window of one pixel where the host, which rounds both sides down, drew one without width or height.

        It is in the host's range, and only a thin object leads there: a draw that the host would die of.
        """
        x0, y0, x1, y1 = drawn["crop_coords"]
        x0, y0 = min(x0, image_size[1] - 1), min(y0, image_size[0] - 1)
        return x0, y0, max(x1, x0 + 1), max(y1, y0 + 1)

    def ends(self, draw: Draw) -> tuple[Ends, Ends] | None:
        """Return the bounds of windows that hold the shrunk union, as the host rounds them; None where it has none."""
        boxes, (height, width) = draw.data["bboxes"], draw.image_size
        union = union_of_bboxes(bboxes=boxes, erosion_rate=draw.transform.erosion_rate) if len(boxes) else None
        if union is None:
            return None
        # Numbers of the boxes' own precision throughout, as the host has it: a product may round to the next pixel.
        x0, y0 = (np.clip(side, 0, 1) for side in union[:2])
        x1, y1 = np.clip(union[2], x0, 1), np.clip(union[3], y0, 1)
        across = Ends(0, int(x0 * width), max(int(x1 * width), 1), width)
        down = Ends(0, int(y0 * height), max(int(y1 * height), 1), height)
        return across, down


class ResizedBox(AroundBoxes):
    """``RandomSizedBBoxSafeCrop``: the same, resized."""

    enlarges = True
    promises = True

    def output(self, transform: Any, size: Size, drawn: Params, image_size: Size) -> Size:
        """Return the size to which every window is resized."""
        return transform.height, transform.width


class OneSize(Cut):
    """Crops of one size. Where none of its positions will do, the host, which may be slow, is not drawn anew."""

    law = Law.OWN

    def find(self, draw: Draw, content: Content, policy: Policy) -> Found:
        """Return the window that the guarded draw takes."""
        size = size_of(draw.first)
        demand = demand_of(content, policy, size, draw.output(size))
        if content.boxes and not passes(demand, draw.first):
            draw.hopeless = rectangle(demand, size, draw.domain(size)) is None
        return super().find(draw, content, policy)


class AroundOne(OneSize):
    """``AtLeastOneBBoxRandomCrop``: the window holds one of the boxes, shrunk by the erosion factor."""

    def within(self, draw: Draw, size: Size) -> NDArray[np.bool_] | None:
        """Return the positions at which the window holds a shrunk box, as far as it fits."""
        boxes = draw.data.get("bboxes", ())
        if not len(boxes):
            return None
        erosion = draw.transform.erosion_factor
        height, width = draw.image_size
        box = denormalize_bboxes(np.asarray(boxes)[:, :4], (height, width))  # in their own precision, as the host's
        x, y = np.arange(width - size[1] + 1), np.arange(height - size[0] + 1)
        columns = _holds(x, box[:, 0], box[:, 2], size[1], erosion, width)
        rows = _holds(y, box[:, 1], box[:, 3], size[0], erosion, height)
        # How many boxes allow each position: their number fits float32, and a product needs no (N, X, Y) in between.
        allowed: NDArray[np.bool_] = columns.T.astype(np.float32) @ rows.astype(np.float32) > 0
        return allowed


def _holds(
    start: NDArray[np.int64], low: NDArray[Any], high: NDArray[Any], length: int, erosion: float, side: int
) -> NDArray[np.bool_]:
    """Return, for each box and each start of a window, whether the host can draw it for that box; one axis."""
    shrunk = (high - low) * (1 - erosion)
    first = np.floor(np.clip(low + shrunk - length, 0, side - length))
    last = np.floor(np.clip(high - shrunk, 0, side - length))
    first, last = np.minimum(first, last), np.maximum(first, last)  # a box larger than the window: the host's own way
    allowed: NDArray[np.bool_] = (first[:, None] <= start) & (start <= last[:, None])
    return allowed


class AroundMask(OneSize):
    """``CropNonEmptyMaskIfExists``: the window holds some pixel of the mask."""

    def within(self, draw: Draw, size: Size) -> NDArray[np.bool_] | None:
        """Return the positions at which the window holds such a pixel; None for an empty mask."""
        region = region_of(self.mask(draw.transform, draw.data), draw.image_size)
        if region is None:
            return None
        allowed: NDArray[np.bool_] = region.surface(size, self.domain(draw, size)) > 0
        return allowed

    def content(self, transform: Any, sample: Sample, policy: Policy, reading: Reading) -> Content:
        """Return what must survive; where nothing is said and there are no boxes nor masks, what the host looks at."""
        if reading.protect is not None or sample.keys("bboxes") or sample.keys("masks"):
            return super().content(transform, sample, policy, reading)
        if policy.per_label:
            raise ContentError('limits per label need classes: say protect="mask" to have them read from the mask')
        return semantic(self.mask(transform, sample.data), sample.image_size, policy, None, None)

    @staticmethod
    def mask(transform: Any, data: Params) -> NDArray[np.bool_]:
        """Return the pixels that the host counts, as it reads them: of ``mask``, else of any of ``masks``."""
        masks = [data["mask"]] if "mask" in data else data["masks"]
        counted = [transform._preprocess_mask(np.asarray(mask)) != 0 for mask in masks]
        merged: NDArray[np.bool_] = np.any(counted, axis=0)
        return merged


class NearBox(Between):
    """``RandomCropNearBBox``: each side of a given box, shifted by up to a share of its length."""

    law = Law.OWN
    promises = False

    def ends(self, draw: Draw) -> tuple[Ends, Ends]:
        """Return how far each side may be shifted."""
        crop, (height, width) = draw.transform, draw.image_size
        box = crop._clip_bbox(draw.data[crop.cropping_bbox_key], draw.image_size)
        x0, y0, x1, y1 = (math.floor(side) for side in box)
        down, across = round((y1 - y0) * crop.max_part_shift[0]), round((x1 - x0) * crop.max_part_shift[1])
        return _shifted(x0, x1, across, width), _shifted(y0, y1, down, height)


def _shifted(low: int, high: int, shift: int, side: int) -> Ends:
    inner = min(low + shift, side - 1)
    return Ends(max(low - shift, 0), inner, max(high - shift, 1), min(high + shift, side))
