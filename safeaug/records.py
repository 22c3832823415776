"""What functions hand on: plain records without behaviour of their own."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import Box, Size, View, Window
from safeaug.policy import Stage, Status
from safeaug.shapes import Ranked, Shape


class Demand(NamedTuple):
    """What a window of one size must reach, for each object that counts.

    Parameters
    ----------
    boxes : sequence of (x0, y0, x1, y1)
        The objects, clipped to the image. A point is a box without area.
    needs : list of float
        Area of the object that must lie in the window, tolerance already taken off. For a point 0.5, which its
        indicator (1 inside, 0 outside) reaches, or a negative number where anything will do.
    gone : list of float or None
        Under ``keep="whole"``: an object of which less than this lies in the window counts as gone.
    least : int
        How many objects must reach their need.
    weights : list of float
        What each object counts for where not all can be kept.
    slack : float
        Tolerance of coordinates, in pixels, by which a point may lie outside.
    shapes : list of Shape, optional
        What each object covers; None where all are boxes, as they mostly are, which is judged much quicker.
    keep : callable, optional
        Decides alone: of retention of shape (..., N), which positions will do.
    """

    boxes: Sequence[Box]
    needs: list[float]
    gone: list[float] | None
    least: int
    weights: list[float]
    slack: float
    shapes: list[Shape] | None = None
    keep: Callable[[NDArray[np.float64]], Any] | None = None

    @property
    def all_of_them(self) -> bool:
        """Whether every object must reach its need, which makes the feasible positions of a column one interval."""
        return self.gone is None and self.least == len(self.boxes) and self.keep is None

    @property
    def ranked(self) -> Ranked | None:
        """What windows of the one size hold of a map, where they are ranked by it; else None."""
        one = self.shapes[0] if self.shapes else None
        return one if isinstance(one, Ranked) else None

    def only(self, i: int) -> "Demand":
        """Return the demand that one object be kept."""
        shapes = None if self.shapes is None else [self.shapes[i]]
        return Demand([self.boxes[i]], [self.needs[i]], None, 1, [self.weights[i]], self.slack, shapes)


class Found(NamedTuple):
    """How a search ended: the window, and how it was come by."""

    window: Window
    status: Status
    stage: Stage
    draws: int


class Outcome(NamedTuple):
    """One guarded draw, for whoever wants to know what became of it.

    Parameters
    ----------
    view : View
        ``window (4,)`` in the image frame and output ``size (2,)``.
    retention : ndarray of shape (N,), float64
        Share of each object inside the window, in the order in which the objects were given; of an object that came
        truncated, times its prior visibility. NaN for an object that lies outside the image altogether. Of a point:
        1 inside, 0 outside; of keypoints: the share of the visible ones.
    status : Status
        How the draw ended.
    stage : Stage
        Where its size came from.
    by_fill : ndarray of shape (N,), bool
        Which objects pass because they fill the window, not because enough of them is left.
    draws : int
        How many draws of the host's sampler were looked at, its own included.
    visible_pixels : ndarray of shape (N,), float64
        Area of each object inside the window, in pixels of the output. NaN for what has no area.
    """

    view: View
    retention: NDArray[np.float64]
    status: Status
    stage: Stage
    by_fill: NDArray[np.bool_]
    draws: int
    visible_pixels: NDArray[np.float64]

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain data for JSON: status and stage by name, NaN as None.

        Examples
        --------
        >>> view, no = View(np.array([0, 0, 10, 10]), np.array([10, 10])), np.array([False, False])
        >>> share, pixels = np.array([1.0, np.nan]), np.array([25.0, np.nan])
        >>> out = Outcome(view, share, Status.FIRST, Stage.DRAWN, no, 1, pixels)
        >>> out.to_dict()["status"], out.to_dict()["retention"]
        ('FIRST', [1.0, None])
        """
        return {
            "window": self.view.window.tolist(),
            "size": self.view.size.tolist(),
            "retention": _numbers(self.retention),
            "status": self.status.name,
            "stage": self.stage.name,
            "by_fill": self.by_fill.tolist(),
            "draws": self.draws,
            "visible_pixels": _numbers(self.visible_pixels),
        }


class Step(NamedTuple):
    """One step of a pipeline, as it was applied to one sample.

    Parameters
    ----------
    path : tuple of int
        Where the step stands in the pipeline: places among children, from the root down.
    name : str
        Of its class.
    kind : str
        In which way it changes the picture: ``"still"`` (colour, blur, noise), ``"window"``, ``"rigid"``,
        ``"projective"``, ``"occluding"``, ``"erasing"``, ``"warping"``, ``"mixing"``, ``"volume"`` or ``"unknown"``.
    params : dict
        All parameters of the draw, by the host's own keys.
    change : Change or None
        What that did to the picture, as `safeaug.ledger` has it; None for nothing.
    size : (int, int)
        Height and width of the picture after the step.
    left : ndarray of shape (N,), float64
        Share of each object, as it came in, that is visible after the step; NaN for one outside the image, and for all
        from a step on of which nobody can tell what it does.
    status : Status
        How a guarded step ended. Of a step that is not guarded, `Status.FIRST`.
    sample : dict or None
        What the step handed on, by the host's own keys and in its own formats; None where no pixels were asked for.
    """

    path: tuple[int, ...]
    name: str
    kind: str
    params: dict[str, Any]
    change: Any
    size: Size
    left: NDArray[np.float64]
    status: Status
    sample: dict[str, Any] | None


class Finding(NamedTuple):
    """One rule that one sample breaks, at one step.

    Parameters
    ----------
    code : str
        Rule and kind, such as ``"SA3.nan"``; it stays the same.
    text : str
        What is wrong, with the numbers that show it.
    path : str
        Of which part of the sample: ``"image"``, ``"[1].boxes"``. Empty for the whole.
    suspect : bool
        Whether one sample cannot prove it. What is suspect is shown, and never raised.
    """

    code: str
    text: str
    path: str = ""
    suspect: bool = False

    def __str__(self) -> str:
        return f"{self.code}: {self.path or 'the sample'} {self.text}"


def _numbers(values: NDArray[np.float64]) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]
