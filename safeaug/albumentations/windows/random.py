"""Random crops of the host whose positions are uniform given the size."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from safeaug.albumentations.draw import Draw
from safeaug.albumentations.windows.kind import Cut, Params, ranged
from safeaug.geometry import Domain, Size, Window

LATTICE = 64
"""Sizes of the fixed lattice; where two numbers make a size, 8 of each."""

SIDE = round(math.sqrt(LATTICE))


class RandomCut(Cut):
    """``RandomCrop``: the window is the output, so there is one size."""

    redraws = False
    roams = True


class Sized(Cut):
    """``RandomSizedCrop``: a height within bounds, resized."""

    enlarges = True
    roams = True

    def window(self, transform: Any, drawn: Params, image_size: Size) -> Window | None:
        """Return ``crop_coords``, which here are plain whole numbers, inside the image, and seldom empty."""
        window: Window = drawn["crop_coords"]
        return window if window[0] < window[2] and window[1] < window[3] else None

    def output(self, transform: Any, size: Size, drawn: Params, image_size: Size) -> Size:
        """Return the size to which every window is resized."""
        height, width = transform.size
        return height, width

    def lattice(self, draw: Draw) -> Iterable[Size]:
        """Return the sizes of 64 heights, ends included, cut to the image as the host cuts them."""
        crop, (height, width) = draw.transform, draw.image_size
        low, high = crop.min_max_height
        heights = set(ranged(low, high, LATTICE))
        sizes = {(min(each, height), min(int(each * crop.w2h_ratio), width)) for each in heights}
        return sorted(size for size in sizes if size[1] > 0)


class Resized(Sized):
    """``RandomResizedCrop``: an area and a ratio within bounds, resized."""

    def lattice(self, draw: Draw) -> Iterable[Size]:
        """Return the sizes of 8 areas × 8 ratios, ends included, that fit the image."""
        crop, (height, width) = draw.transform, draw.image_size
        low, high = math.log(crop.ratio[0]), math.log(crop.ratio[1])
        sizes = set()
        for i in range(SIDE):
            area = height * width * (crop.scale[0] + (crop.scale[1] - crop.scale[0]) * i / (SIDE - 1))
            for j in range(SIDE):
                ratio = math.exp(low + (high - low) * j / (SIDE - 1))
                size = round(math.sqrt(area / ratio)), round(math.sqrt(area * ratio))
                if 0 < size[0] <= height and 0 < size[1] <= width:
                    sizes.add(size)
        return sorted(sizes)


class Ends(NamedTuple):
    """Along one axis, a window that begins in ``[start, inner]`` and ends in ``[outer, stop]``, each end by itself."""

    start: int
    inner: int
    outer: int
    stop: int


def domain_between(x: Ends, y: Ends, size: Size) -> Domain:
    """Return the positions of a window of some size whose ends lie within bounds."""
    height, width = size
    return Domain(
        max(x.start, x.outer - width),
        min(x.inner, x.stop - width),
        max(y.start, y.outer - height),
        min(y.inner, y.stop - height),
    )


def sizes_between(x: Ends, y: Ends) -> list[Size]:
    """Return 8 heights × 8 widths, from the least to the greatest that ends within bounds can have."""
    heights = ranged(max(1, y.outer - y.inner), y.stop - y.start, SIDE)
    widths = ranged(max(1, x.outer - x.inner), x.stop - x.start, SIDE)
    return sorted({(height, width) for height in heights for width in widths})


class FromBorders(Cut):
    """``RandomCropFromBorders``: each side loses up to a share of the image."""

    promises = False

    def domain(self, draw: Draw, size: Size) -> Domain:
        """Return the positions at which no side loses more than its share."""
        return domain_between(*self._ends(draw), size)

    def lattice(self, draw: Draw) -> Iterable[Size]:
        """Return 8 heights × 8 widths of the host's range."""
        return sizes_between(*self._ends(draw))

    def _ends(self, draw: Draw) -> tuple[Ends, Ends]:
        crop, (height, width) = draw.transform, draw.image_size
        return (
            Ends(0, int(crop.crop_left * width), int((1 - crop.crop_right) * width), width),
            Ends(0, int(crop.crop_top * height), int((1 - crop.crop_bottom) * height), height),
        )
