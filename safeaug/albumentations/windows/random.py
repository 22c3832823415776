"""Random crops of the host whose positions are uniform given the size."""

from collections.abc import Iterable
from typing import Any

from safeaug.albumentations.windows.between import Between, Ends
from safeaug.albumentations.windows.kind import Cut
from safeaug.geometry import Size, Window
from safeaug.guarding.draw import Draw
from safeaug.guarding.kind import LATTICE, Params, ranged
from safeaug.guarding.resized import areas


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
        return areas(draw.transform.scale, draw.transform.ratio, draw.image_size)


class FromBorders(Between):
    """``RandomCropFromBorders``: each side loses up to a share of the image."""

    promises = False

    def ends(self, draw: Draw) -> tuple[Ends, Ends]:
        """Return how far each side may come in."""
        crop, (height, width) = draw.transform, draw.image_size
        return (
            Ends(0, int(crop.crop_left * width), int((1 - crop.crop_right) * width), width),
            Ends(0, int(crop.crop_top * height), int((1 - crop.crop_bottom) * height), height),
        )
