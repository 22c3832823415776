"""Window transforms that the host does not ship: told by the parameters that they draw."""

from typing import Any

import torch
from torchvision import tv_tensors

from safeaug.content import Content
from safeaug.errors import PolicyError, RetentionError
from safeaug.geometry import Size, Window, size_of, window_at
from safeaug.guarding import Draw, Params
from safeaug.measures import allows, demand_of, kept_weight, passes
from safeaug.policy import Policy, Stage, Status
from safeaug.records import Found
from safeaug.search import opening, outcome_of, search
from safeaug.torchvision.windows.kind import ASKED, Cut

RECTANGLE = "top", "left", "height", "width"
"""What a draw must tell."""


class Told(Cut):
    """Any transform that draws ``top``, ``left``, ``height`` and ``width``, and cuts that rectangle.

    Where it draws nothing else it is searched like a random crop of the host, with all positions inside the image as
    its domain. Any other can only be drawn anew: what it draws beside them may hang on the window.
    """

    promises = False

    def window(self, transform: Any, drawn: Params, image_size: Size) -> Window | None:
        """Return the rectangle; None for an empty one, which is the transform's own to refuse."""
        missing = [name for name in RECTANGLE if name not in drawn]
        if missing:
            raise PolicyError(
                f"Safe guards window transforms: crops, resizes, pads. Of one that is not the host's, make_params must "
                f"return {', '.join(RECTANGLE)} in pixels of the image; that of {type(transform).__name__} returns "
                f"{', '.join(map(str, drawn)) or 'nothing'}. Name them so, or leave it unguarded"
            )
        size = int(drawn["height"]), int(drawn["width"])
        return window_at(int(drawn["left"]), int(drawn["top"]), size) if min(size) > 0 else None

    def output(self, transform: Any, size: Size, drawn: Params, image_size: Size) -> Size:
        """Return the size of what the transform makes of an empty mask when it cuts a window of this size."""
        mask = tv_tensors.Mask(torch.zeros((), dtype=torch.uint8).expand(1, *image_size))
        own = {name: value for name, value in drawn.items() if name not in ASKED}
        given = {**own, "height": size[0], "width": size[1]}
        if size != (drawn["height"], drawn["width"]):
            given.update(top=0, left=0)
        height, width = transform.transform(mask, given).shape[-2:]
        return int(height), int(width)

    def find(self, draw: Draw, content: Content, policy: Policy) -> Found:
        """Search like a crop where the window can be replaced; else draw anew, up to ``tries`` times."""
        x0, y0, x1, y1 = draw.first
        inside = x0 >= 0 and y0 >= 0 and x1 <= draw.image_size[1] and y1 <= draw.image_size[0]
        if inside and set(draw.drawn) == set(RECTANGLE):
            return search(draw.first, draw, content, policy, draw.stream)
        return self._drawn_anew(draw, content, policy)

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
            output = self.output(draw.transform, size_of(window), drawn, draw.image_size)
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
            output = self.output(draw.transform, size_of(most), best, draw.image_size)
            raise RetentionError(
                f"the promise cannot be met: none of {policy.tries + 1} draws of {type(draw.transform).__name__} keeps "
                'its object(s). Lower the limit, keep fewer, raise tries, or use on_fail="most"',
                outcome_of(found, opened, policy, output),
            )
        return found
