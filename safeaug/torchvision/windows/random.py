"""Random crops of the host whose positions are uniform given the size."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from torchvision.transforms import v2

from safeaug.geometry import Size, Window
from safeaug.guarding import Draw, Params, areas, resized_window
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


class Resized(Cut):
    """``RandomResizedCrop``: an area and a ratio within bounds, resized."""

    enlarges = True
    roams = True

    def drawn_by(self, transform: Any, image_size: Size, uniform: Uniform) -> Params | None:
        """Return a further draw of the host's law. Its own sampler takes ten times as long, for numbers of torch's."""
        given: Any = type(transform)
        if not _draws_as_the_host(given):
            return None
        left, top, right, bottom = resized_window(transform.scale, transform.ratio, image_size, uniform)
        return {"top": top, "left": left, "height": bottom - top, "width": right - left}

    def output(self, transform: Any, size: Size, drawn: Params, image_size: Size) -> Size:
        """Return the size to which every window is resized."""
        height, width = transform.size
        return height, width

    def lattice(self, draw: Draw) -> Iterable[Size]:
        """Return the sizes of 8 areas × 8 ratios, ends included, that fit the image."""
        return areas(draw.transform.scale, draw.transform.ratio, draw.image_size)


@cache
def _draws_as_the_host(given: Any) -> bool:
    """Return whether a class draws by the host's sampler, and not by one that somebody else has put before it."""
    sampler = "make_params" if issubclass(given, v2.Transform) else "get_params"
    theirs = [each for each in given.__mro__ if not each.__module__.startswith("safeaug.")]
    first = next(each for each in theirs if sampler in vars(each))
    module: str = first.__module__
    return module.startswith(("torchvision.", "timm."))
