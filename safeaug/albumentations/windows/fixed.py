"""Transforms of the host that have one window for each size of image."""

from typing import Any

from safeaug.albumentations.windows.kind import Cut, Kind
from safeaug.candidates import Law
from safeaug.geometry import Domain, Size, Window
from safeaug.guarding.draw import Draw
from safeaug.guarding.kind import Params


class FixedCut(Cut):
    """``CenterCrop`` and ``Crop``."""

    law = Law.NEAREST
    redraws = False


class Padded(Kind):
    """``Pad`` and ``PadIfNeeded``: the image and its border. Nothing is cut, so there is nothing to move."""

    law = Law.NEAREST
    redraws = False
    promises = False

    def frame(self, drawn: Params, image_size: Size) -> Window:
        """Return the image and its border."""
        height, width = image_size
        return -drawn["pad_left"], -drawn["pad_top"], width + drawn["pad_right"], height + drawn["pad_bottom"]

    def window(self, transform: Any, drawn: Params, image_size: Size) -> Window:
        """Return the frame."""
        return self.frame(drawn, image_size)

    def domain(self, draw: Draw, size: Size) -> Domain:
        """Return the one position."""
        x, y, *_ = draw.first
        return Domain(x, x, y, y)
