"""Random crops of the host whose positions are uniform given the size."""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from torchvision.transforms import v2

from safeaug.geometry import Size, Window
from safeaug.guarding import Draw, Params, areas
from safeaug.torchvision.windows.kind import Cut, Uniform


class RandomCut(Cut):
    """``RandomCrop``: the window is the output, so there is one size, anywhere in the padded image.

    ``needs_crop`` of a draw stays right for every other position: it is False only where there is no other.
    """

    redraws = False
    roams = True

    def frame(self, drawn: Params, image_size: Size) -> Window:
        """Return the image and its padding."""
        left, top, right, bottom = drawn.get("padding") or (0, 0, 0, 0)
        return -left, -top, image_size[1] + right, image_size[0] + bottom

    def pads(self, drawn: Params) -> bool:
        """Return whether the image is padded before it is cut."""
        return bool(drawn.get("needs_pad"))


TRIES = 10
"""Sizes that ``RandomResizedCrop`` draws before it takes a window in the middle."""


class Resized(Cut):
    """``RandomResizedCrop``: an area and a ratio within bounds, resized."""

    enlarges = True
    roams = True

    def drawn_by(self, transform: Any, image_size: Size, uniform: Uniform) -> Params | None:
        """Return a further draw of the host's law. Its own sampler takes ten times as long, for numbers of torch's."""
        given: Any = type(transform)
        if not _draws_as_the_host(given):
            return None
        height, width = _size_by(transform, image_size, uniform)
        if height > 0:
            top, left = int(uniform() * (image_size[0] - height + 1)), int(uniform() * (image_size[1] - width + 1))
        else:
            height, width = _fallback(transform.ratio, image_size)
            top, left = (image_size[0] - height) // 2, (image_size[1] - width) // 2
        return {"top": top, "left": left, "height": height, "width": width}

    def output(self, transform: Any, size: Size, drawn: Params, image_size: Size) -> Size:
        """Return the size to which every window is resized."""
        height, width = transform.size
        return height, width

    def lattice(self, draw: Draw) -> Iterable[Size]:
        """Return the sizes of 8 areas × 8 ratios, ends included, that fit the image."""
        return areas(draw.transform.scale, draw.transform.ratio, draw.image_size)


def _size_by(crop: Any, image_size: Size, uniform: Uniform) -> Size:
    """Return a size: its area uniform in a range, its ratio log-uniform; zeros where none of ten fits the image."""
    height, width = image_size
    least, most = crop.scale
    low, high = math.log(crop.ratio[0]), math.log(crop.ratio[1])
    for _ in range(TRIES):
        area = height * width * (least + (most - least) * uniform())
        ratio = math.exp(low + (high - low) * uniform())
        high_side, wide_side = round(math.sqrt(area / ratio)), round(math.sqrt(area * ratio))
        if 0 < high_side <= height and 0 < wide_side <= width:
            return high_side, wide_side
    return 0, 0


def _fallback(ratio: Sequence[float], image_size: Size) -> Size:
    """Return the largest size in the image whose ratio is in the range."""
    height, width = image_size
    if width < min(ratio) * height:
        return round(width / min(ratio)), width
    if width > max(ratio) * height:
        return height, round(height * max(ratio))
    return image_size


@cache
def _draws_as_the_host(given: Any) -> bool:
    """Return whether a class draws by the host's sampler, and not by one that somebody else has put before it."""
    sampler = "make_params" if issubclass(given, v2.Transform) else "get_params"
    theirs = [each for each in given.__mro__ if not each.__module__.startswith("safeaug.")]
    first = next(each for each in theirs if sampler in vars(each))
    module: str = first.__module__
    return module.startswith(("torchvision.", "timm."))
