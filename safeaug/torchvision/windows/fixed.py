"""Transforms of the host that have one window for each size of image, or that cut nothing."""

from typing import Any

from torchvision.transforms.v2 import functional as F

from safeaug.candidates import Law
from safeaug.geometry import Domain, Size, Window, window_at
from safeaug.guarding import Draw, Params
from safeaug.torchvision.windows.kind import Cut, Kind


class FixedCut(Cut):
    """``CenterCrop``. The host draws nothing; another window is put as that of a random crop of the image.

    Such a window is cut by `torchvision.transforms.v2.functional.crop`, which pads with zeros what lies outside of the
    image, as the host's own does.
    """

    law = Law.NEAREST
    redraws = False

    def window(self, transform: Any, drawn: Params, image_size: Size) -> Window | None:
        """Return the window in the middle, as the host rounds it; or the one that was put."""
        if "top" in drawn:
            return window_at(drawn["left"], drawn["top"], (drawn["height"], drawn["width"]))
        height, width = transform.size
        if height < 1 or width < 1:
            return None
        return window_at(_start(image_size[1], width), _start(image_size[0], height), (height, width))

    def put(self, transform: Any, drawn: Params, window: Window, image_size: Size) -> None:
        """Write another window, counted from the corner of the image."""
        drawn["left"], drawn["top"] = window[0], window[1]
        drawn["height"], drawn["width"] = window[3] - window[1], window[2] - window[0]

    def apply(self, transform: Any, leaf: Any, drawn: Params) -> Any:
        """Return what is cut of a leaf: by the host's own where the window was left where it was."""
        if "top" not in drawn:
            return super().apply(transform, leaf, drawn)
        return self.cut(transform, leaf, drawn)

    @staticmethod
    def cut(transform: Any, leaf: Any, drawn: Params) -> Any:
        """Return the window of a draw, of a leaf of any kind."""
        rectangle = {name: drawn[name] for name in ("top", "left", "height", "width")}
        return transform._call_kernel(F.crop, leaf, **rectangle)

    def domain(self, draw: Draw, size: Size) -> Domain:
        """Return all positions inside the image; where it is smaller than the window, the host's one."""
        x, y = _range(draw.image_size[1], size[1]), _range(draw.image_size[0], size[0])
        return Domain(*x, *y)


def _start(side: int, length: int) -> int:
    """Return where the middle window begins, along one axis, as the host rounds it."""
    return -((length - side) // 2) if length > side else round((side - length) / 2)


def _range(side: int, length: int) -> tuple[int, int]:
    """Return the first and the last place where a window may begin, along one axis."""
    return (_start(side, length),) * 2 if length > side else (0, side - length)


class Padded(Kind):
    """``Pad``: the image and its border. Nothing is cut, so there is nothing to move."""

    law = Law.NEAREST
    redraws = False
    promises = False

    def frame(self, drawn: Params, image_size: Size) -> Window:
        """Return the image: what is around it is the same in every draw, so nothing is placed in it."""
        return 0, 0, image_size[1], image_size[0]

    def border(self, transform: Any, drawn: Params) -> tuple[int, int, int, int]:
        """Return how much is added on the left, top, right and bottom."""
        padding = transform.padding
        if isinstance(padding, int):
            return (padding,) * 4
        sides = [int(side) for side in padding]
        left, top, right, bottom = sides * 4 if len(sides) == 1 else sides * 2 if len(sides) == 2 else sides
        return left, top, right, bottom

    def window(self, transform: Any, drawn: Params, image_size: Size) -> Window | None:
        """Return the image with its border; None where negative borders leave nothing of it."""
        left, top, right, bottom = self.border(transform, drawn)
        x0, y0, x1, y1 = -left, -top, image_size[1] + right, image_size[0] + bottom
        return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None

    def domain(self, draw: Draw, size: Size) -> Domain:
        """Return the one position."""
        x, y, *_ = draw.first
        return Domain(x, x, y, y)


class ZoomedOut(Padded):
    """``RandomZoomOut``: a border that is drawn."""

    def border(self, transform: Any, drawn: Params) -> tuple[int, int, int, int]:
        """Return how much is added on the left, top, right and bottom."""
        left, top, right, bottom = map(int, drawn["padding"])
        return left, top, right, bottom
