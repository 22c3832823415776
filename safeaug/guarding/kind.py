"""What a guarded draw asks of its transform."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.candidates import Law
from safeaug.content import Content
from safeaug.geometry import Domain, Size, Window
from safeaug.guarding.draw import Draw
from safeaug.policy import Policy
from safeaug.records import Found
from safeaug.search import search

LATTICE = 64
"""Sizes of the fixed lattice; where two numbers make a size, 8 of each."""

SIDE = round(math.sqrt(LATTICE))

Params = dict[str, Any]
"""Parameters of one draw, by the host's own keys."""


class Kind:
    """Base of the kinds: one window, the whole image, at its own size."""

    law = Law.UNIFORM
    """How the host comes to its windows."""

    redraws = True
    """Whether another draw of the host may do where one does not."""

    enlarges = False
    """Whether the host renders windows of any size, so that ``on_fail="enlarge"`` has something to enlarge."""

    cuts_first = False
    """Whether a window is cut by ``crop_coords`` before the host's own code, which knows nothing of them, runs."""

    roams = False
    """Whether all positions inside the image are the domain, uniformly, of every draw without padding."""

    promises = True
    """Whether the host promises an output size, which a draw that is left out keeps too."""

    def frame(self, drawn: Params, image_size: Size) -> Window:
        """Return the rectangle, in the image frame, inside which the host places windows."""
        return 0, 0, image_size[1], image_size[0]

    def window(self, transform: Any, drawn: Params, image_size: Size) -> Window | None:
        """Return the window of a draw, in the image frame; None for one that the host itself refuses."""
        return 0, 0, image_size[1], image_size[0]

    def mended(self, drawn: Params, image_size: Size) -> Window | None:
        """Return a window that stands for one that the host itself refuses; None where that is the host's to say."""
        return None

    def put(self, transform: Any, drawn: Params, window: Window, image_size: Size) -> None:
        """Write another window into the parameters of a draw. A kind of one window is never asked to."""
        raise NotImplementedError

    def output(self, transform: Any, size: Size, drawn: Params, image_size: Size) -> Size:
        """Return the output size of a window of this size."""
        return size

    def pads(self, drawn: Params) -> bool:
        """Return whether a draw places its window in more than the image."""
        return False

    def domain(self, draw: Draw, size: Size) -> Domain:
        """Return the positions that the host can draw for a window of this size: all inside the frame."""
        x0, y0, x1, y1 = draw.frame
        return Domain(x0, x1 - size[1], y0, y1 - size[0])

    def within(self, draw: Draw, size: Size) -> NDArray[np.bool_] | None:
        """Return which positions of the domain the host's own promise allows, of shape (X, Y); None for all."""
        return None

    def lattice(self, draw: Draw) -> Iterable[Size]:
        """Return sizes inside the host's own range, which are tried when redraws do not help."""
        return ()

    def find(self, draw: Draw, content: Content, policy: Policy) -> Found:
        """Return the window that the guarded draw takes."""
        return search(draw.first, draw, content, policy, draw.stream)


def ranged(low: int, high: int, steps: int) -> list[int]:
    """Return whole numbers from low to high, ends included, evenly in so many steps."""
    return [low + round((high - low) * i / (steps - 1)) for i in range(steps)]
