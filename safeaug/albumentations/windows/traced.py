"""Window transforms that the host does not ship: found by ``crop_coords``, or by tracing points through them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.albumentations.windows.kind import Cut, Kind
from safeaug.content import Content
from safeaug.errors import PolicyError, RetentionError
from safeaug.geometry import Size, Window, size_of, window_at
from safeaug.guarding.draw import Draw
from safeaug.guarding.kind import Params
from safeaug.measures import allows, demand_of, kept_weight, passes
from safeaug.policy import Policy, Stage, Status
from safeaug.records import Found
from safeaug.search import opening, outcome_of, search

EXACT = 1e-3
"""Pixels by which a traced point may lie off the straight line: hosts keep points in float32."""

OF_NO_DRAW = {"shape", "interpolation", "fill", "fill_mask", "crop_coords", "pad_params"}
"""Parameters beside which a window can be replaced: none of them was derived from it."""


class Traced(Kind):
    """Any transform whose output is a rectangle of its input, upright and not mirrored.

    Where it tells its window as ``crop_coords``, and nothing else depends on the draw, it is searched like a random
    crop of the host, with all positions inside the image as its domain. Any other can only be drawn anew.
    """

    promises = False
    enlarges = False

    def window(self, transform: Any, drawn: Params, image_size: Size) -> Window | None:
        """Return the window that the points tell; an empty ``crop_coords`` is the transform's own to refuse."""
        coords = drawn.get("crop_coords")
        if coords is not None and (coords[0] >= coords[2] or coords[1] >= coords[3]):
            return None
        return traced_window(transform, drawn, image_size)

    def put(self, transform: Any, drawn: Params, window: Window, image_size: Size) -> None:
        """Write ``crop_coords``."""
        CUT.put(transform, drawn, window, image_size)

    def output(self, transform: Any, size: Size, drawn: Params, image_size: Size) -> Size:
        """Return the size of what the transform makes of an empty mask; of another window, in the same way."""
        window = self.window(transform, drawn, image_size)
        moves = "crop_coords" in drawn and CUT.window(transform, drawn, image_size) == window
        if window is not None and moves and size != size_of(window):  # how it would render a window of this size
            drawn = {**drawn, "crop_coords": window_at(0, 0, size)}
        return traced_output(transform, drawn, image_size)

    def find(self, draw: Draw, content: Content, policy: Policy) -> Found:
        """Search like a crop where the window can be replaced; else draw anew, up to ``tries`` times."""
        if self._can_move(draw):
            return search(draw.first, draw, content, policy, draw.stream)
        return self._drawn_anew(draw, content, policy)

    def _can_move(self, draw: Draw) -> bool:
        return draw.drawn.keys() <= OF_NO_DRAW and CUT.window(draw.transform, draw.drawn, draw.image_size) == draw.first

    def _drawn_anew(self, draw: Draw, content: Content, policy: Policy) -> Found:
        opened = opening(draw.first, content, policy, draw.stream)
        if isinstance(opened, Found):
            return opened
        best, most, weight = draw.drawn, draw.first, -1.0
        for number in range(policy.tries + 1):
            drawn = draw.redrawn() if number else draw.drawn
            window = self.window(draw.transform, drawn, draw.image_size)
            if window is None:
                continue
            output = traced_output(draw.transform, drawn, draw.image_size)
            demand = demand_of(opened, policy, size_of(window), output)
            if allows(policy, size_of(window), output) and passes(demand, window):
                draw.drawn = drawn
                stage = Stage.REDRAW if number else Stage.DRAWN
                return Found(window, Status.REDRAWN if number else Status.FIRST, stage, number + 1)
            if kept_weight(demand, window) > weight:
                best, most, weight = drawn, window, kept_weight(demand, window)
        if policy.on_fail == "skip":
            return Found(draw.first, Status.SKIPPED, Stage.DRAWN, policy.tries + 1)
        draw.drawn = best
        found = Found(most, Status.UNMET, Stage.DRAWN, policy.tries + 1)
        if policy.on_fail == "raise":
            outcome = outcome_of(found, opened, policy, traced_output(draw.transform, best, draw.image_size))
            raise RetentionError(
                f"the promise cannot be met: none of {policy.tries + 1} draws of {type(draw.transform).__name__} keeps "
                'its object(s). Lower the limit, keep fewer, raise tries, or use on_fail="most"',
                outcome,
            )
        return found


CUT = Cut()


def traced_window(transform: Any, drawn: Params, image_size: Size) -> Window:
    """Return the source rectangle of an output, by sending points through the transform.

    Raises
    ------
    PolicyError
        Where the points do not keep their order along both axes, or not on straight lines: it is no window.
    """
    height, width = image_size
    at = np.array([[0.0, 0.0], [width, height], [width / 2, height / 4], [width / 4, height / 2]])
    to, size = _points(transform, drawn, image_size, at), traced_output(transform, drawn, image_size)
    scale = (to[1] - to[0]) / (at[1] - at[0])
    if not (scale > 0).all() or np.abs(to[0] + scale * at - to).max() > EXACT * max(1.0, scale.max()):
        raise PolicyError(
            f"Safe guards window transforms: crops, resizes, pads; {type(transform).__name__} moves points otherwise "
            f"(the corners of a {image_size} image go to {to[0].tolist()} and {to[1].tolist()}). Leave it unguarded"
        )
    start = -to[0] / scale
    stop = start + np.array(size[::-1]) / scale
    edges = [*start.tolist(), *stop.tolist()]
    x0, y0, x1, y1 = (round(edge) if abs(edge - round(edge)) < EXACT else edge for edge in edges)
    return x0, y0, x1, y1  # whole pixels, unless the transform cuts between them


def traced_output(transform: Any, drawn: Params, image_size: Size) -> Size:
    """Return the size of what a transform makes of an image: of an empty mask, which is the cheapest."""
    made = transform.apply_to_mask(np.zeros(image_size, np.uint8), **drawn)
    height, width = made.shape[:2]
    return height, width


def _points(transform: Any, drawn: Params, image_size: Size, at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where points go: as keypoints, or where the transform has none, as corners of boxes."""
    try:
        rows = np.concatenate([at, np.zeros((len(at), 3))], axis=1)
        moved: NDArray[np.float64] = np.asarray(transform.apply_to_keypoints(rows, **drawn), dtype=np.float64)[:, :2]
    except NotImplementedError:
        sides = np.array(image_size[::-1], dtype=np.float64)
        boxes = np.concatenate([at / sides, at / sides + 1], axis=1)
        size = np.array(traced_output(transform, drawn, image_size)[::-1])
        try:
            moved = np.asarray(transform.apply_to_bboxes(boxes, **drawn), dtype=np.float64)[:, :2] * size
        except NotImplementedError:
            raise PolicyError(
                f"Safe guards window transforms, told by the points that go through them; {type(transform).__name__} "
                "moves neither keypoints nor boxes. Leave it unguarded"
            ) from None
    return moved
