"""What of a demonstration is of one host: its transforms, how they are called, and what is said of them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.demo.scenes import Scene
from safeaug.geometry import Size, Window

OUTPUT: Size = (224, 224)
"""Height and width of what the network would see."""

LARGE: Size = (512, 512)
"""The same where objects are small, for which larger inputs are customary."""

SCALE = (0.08, 1.0)
"""Share of the image that a window covers: what training on ImageNet uses, and the hosts' default."""

LIMIT, SMALL_LIMIT, FLOOR = 0.5, 0.7, 64
"""Share of every object that a guarded crop promises, of small ones, and their pixels."""


class Shot(NamedTuple):
    """What came of one call of a transform.

    Parameters
    ----------
    image : ndarray of shape (H, W, 3), uint8
        The output.
    window : (x0, y0, x1, y1)
        What was taken of the picture, in the image frame; of a picture that is only scaled, all of it.
    micros : float
        What the whole call took, in microseconds.
    """

    image: NDArray[np.uint8]
    window: Window
    micros: float


Calling = Callable[[Any, Scene, int], Callable[[], Shot]]
"""Takes a transform of the host, a picture and a seed; returns what makes the next draw. One seed makes the same draws
of the plain transform and of the guarded one."""


class Made(NamedTuple):
    """The transforms of one demonstration.

    Parameters
    ----------
    plain, guarded : callable
        Return the host's transform, and the guarded one.
    said : str
        The call of the plain one, and whose it is, as the sheet says it.
    hint : (str, str)
        The line to change, as it was and as it is.
    times : str
        What is to be known of the times of calls; the last lines of the table's legend, each of at most 80 characters.
    """

    plain: Callable[[], Any]
    guarded: Callable[[], Any]
    said: str
    hint: tuple[str, str]
    times: str = "µs a draw: median of the whole call."
