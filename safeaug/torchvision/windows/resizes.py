"""Resizes of the host. Nothing is cut, but an object may become too small to be seen, or be stretched.

Another size is drawn then, as the host draws it, among those that keep the promise.
"""

from collections.abc import Sequence
from typing import Any

from safeaug.candidates import LADDER, Law
from safeaug.content import Content
from safeaug.errors import RetentionError
from safeaug.geometry import Size, Window
from safeaug.guarding import Draw, Params
from safeaug.measures import demand_of, kept_weight, meets
from safeaug.policy import Policy, Stage, Status
from safeaug.records import Found
from safeaug.scales import TIE, Scaling, search_scale
from safeaug.search import opening, outcome_of
from safeaug.task import CHOOSE
from safeaug.torchvision.windows.kind import Kind


class ToSize(Kind):
    """``Resize``: one size for each image."""

    law = Law.NEAREST
    redraws = False

    def window(self, transform: Any, drawn: Params, image_size: Size) -> Window | None:
        """Return the whole image; None where nothing would be left of it, which the host refuses."""
        if min(self.output(transform, image_size, drawn, image_size)) < 1:
            return None
        return 0, 0, image_size[1], image_size[0]

    def output(self, transform: Any, size: Size, drawn: Params, image_size: Size) -> Size:
        """Return the size to which the host resizes the image."""
        return resized(image_size, self.asked(transform, drawn), getattr(transform, "max_size", None))

    def asked(self, transform: Any, drawn: Params) -> Any:
        """Return what a draw asks for: height and width, or the shorter side alone, or None."""
        return transform.size

    def choices(self, transform: Any, image_size: Size) -> Sequence[Any]:
        """Return what the host can draw, each equally likely; it is written to ``size`` of its parameters."""
        return ()

    def larger(self, transform: Any, image_size: Size) -> Sequence[Any]:
        """Return what ``on_fail="enlarge"`` tries beyond the host's range, in this order."""
        return ()

    def put_size(self, drawn: Params, choice: Any) -> None:
        """Write another choice."""
        drawn["size"] = choice

    def find(self, draw: Draw, content: Content, policy: Policy) -> Found:
        """Keep the host's choice, else draw another among those that keep the promise."""
        opened = opening(draw.first, content, policy, draw.stream)
        if isinstance(opened, Found):
            return opened
        host, image_size = draw.transform, draw.image_size
        whole = draw.first

        def output(choice: Any) -> Size:
            return self.output(host, image_size, {"size": choice}, image_size)

        def does(size: Size) -> bool:
            return min(size) > 0 and meets(opened, policy, whole, size)

        def kept(size: Size) -> float:
            return kept_weight(demand_of(opened, policy, image_size, size), whole) if min(size) > 0 else -1.0

        def pick(some: Sequence[Any]) -> Any:
            return some[int(draw.stream(CHOOSE)() * len(some))]

        drawn = self.output(host, image_size, draw.drawn, image_size)
        if does(drawn):
            return Found(whole, Status.FIRST, Stage.DRAWN, 1)
        choices = self.choices(host, image_size)
        good = [choice for choice in choices if does(output(choice))]
        if good:
            self.put_size(draw.drawn, pick(good))
            return Found(whole, Status.RESIZED, Stage.REDRAW, 1)
        for choice in self.larger(host, image_size) if policy.on_fail == "enlarge" else ():
            if does(output(choice)):
                self.put_size(draw.drawn, choice)
                return Found(whole, Status.RESIZED, Stage.LADDER, 1)
        if policy.on_fail == "skip":
            return Found(whole, Status.SKIPPED, Stage.DRAWN, 1)
        most = max((kept(output(choice)) for choice in choices), default=0.0)
        if kept(drawn) < most * TIE:
            best = pick([choice for choice in choices if kept(output(choice)) >= most * TIE])
            self.put_size(draw.drawn, best)
            drawn = output(best)
        unmet = Found(whole, Status.UNMET, Stage.DRAWN, 1)
        if policy.on_fail == "raise":
            raise RetentionError(
                f"the promise cannot be met: with min_visible_pixels={policy.min_visible_pixels} and "
                f"max_stretch={policy.max_stretch} no size that {type(host).__name__} draws shows the "
                f"{len(opened.boxes)} object(s) of this {image_size} image. Lower the floor, ignore small objects "
                '(ignore_smaller_than), draw larger sizes, or use on_fail="most"',
                outcome_of(unmet, opened, policy, drawn),
            )
        return unmet


class ToAnySize(ToSize):
    """``RandomResize``: a whole number for the shorter side."""

    promises = False

    def output(self, transform: Any, size: Size, drawn: Params, image_size: Size) -> Size:
        """Return the size to which the host resizes the image."""
        return resized(image_size, drawn["size"], None)

    def choices(self, transform: Any, image_size: Size) -> Sequence[Any]:
        """Return all whole numbers of the range, whose end the host does not draw."""
        return [[side] for side in range(transform.min_size, transform.max_size)]

    def larger(self, transform: Any, image_size: Size) -> Sequence[Any]:
        """Return steps up to the image's own resolution."""
        return [[side] for side in _steps(transform.max_size - 1, min(image_size))]


class Shortest(ToSize):
    """``RandomShortestSize``: one of some numbers for the shorter side, with a greatest longer one."""

    promises = False

    def output(self, transform: Any, size: Size, drawn: Params, image_size: Size) -> Size:
        """Return the drawn size."""
        height, width = drawn["size"]
        return int(height), int(width)

    def choices(self, transform: Any, image_size: Size) -> Sequence[Any]:
        """Return the size that each of the numbers makes of the image."""
        return [self._scaled(transform, image_size, number) for number in transform.min_size]

    def larger(self, transform: Any, image_size: Size) -> Sequence[Any]:
        """Return steps up to the image's own resolution; ``max_size`` holds for them too."""
        return [
            self._scaled(transform, image_size, number) for number in _steps(max(transform.min_size), min(image_size))
        ]

    @staticmethod
    def _scaled(transform: Any, image_size: Size, shortest: int) -> Size:
        scale = shortest / min(image_size)
        if transform.max_size is not None:
            scale = min(scale, transform.max_size / max(image_size))
        return int(image_size[0] * scale), int(image_size[1] * scale)


class Jittered(ToSize):
    """``ScaleJitter``: a scale, drawn uniformly, of the image as it fits the target size."""

    promises = False

    def output(self, transform: Any, size: Size, drawn: Params, image_size: Size) -> Size:
        """Return the drawn size."""
        height, width = drawn["size"]
        return int(height), int(width)

    def find(self, draw: Draw, content: Content, policy: Policy) -> Found:
        """Keep the host's scale, else draw another uniformly among those that keep the promise."""
        (low, high), (height, width) = draw.transform.scale_range, draw.image_size
        target = draw.transform.target_size
        fitting = min(target[1] / height, target[0] / width)  # as the host has it: width first
        drawn: Size = self.output(draw.transform, draw.image_size, draw.drawn, draw.image_size)
        scale = min(max(drawn[0] / height, drawn[1] / width) / fitting, high)

        def output(other: float) -> Size:
            if other == scale:  # of the host's own only the rounded size is known
                return drawn
            return max(1, int(height * (fitting * other))), max(1, int(width * (fitting * other)))

        # The scale in which the image has its own resolution is 1 to the search, so that it knows how far to enlarge.
        scaling = Scaling(draw.image_size, low * fitting, high * fitting, lambda factor: output(factor / fitting))
        taken, found = search_scale(scale * fitting, scaling, content, policy, draw.stream)
        if found.status is not Status.FIRST and taken != scale * fitting:
            draw.drawn["size"] = scaling.output(taken)
        return found


def resized(image_size: Size, asked: Any, max_size: int | None) -> Size:
    """Return the size to which the host resizes an image.

    Parameters
    ----------
    image_size : (int, int)
        Height and width of the image.
    asked : int, sequence of one or two int, or None
        The shorter side; or height and width; or nothing but ``max_size``.
    max_size : int or None
        The greatest longer side.

    Examples
    --------
    >>> resized((100, 200), [50], None), resized((100, 200), [50], 60), resized((100, 200), [7, 9], None)
    ((50, 100), (30, 60), (7, 9))
    """
    if asked is not None and not isinstance(asked, int) and len(asked) == 2:
        height, width = asked
        return int(height), int(width)
    short, long = sorted(image_size)
    if asked is None:
        assert max_size is not None
        new_short, new_long = int(max_size * short / long), max_size
    else:
        side = asked if isinstance(asked, int) else asked[0]
        new_short, new_long = side, int(side * long / short)
        if max_size is not None and new_long > max_size:
            new_short, new_long = int(max_size * new_short / new_long), max_size
    return (new_short, new_long) if image_size[0] <= image_size[1] else (new_long, new_short)


def _steps(last: int, most: int) -> list[int]:
    """Return whole numbers beyond one, evenly in steps up to another."""
    return [last + round((most - last) * step / LADDER) for step in range(1, LADDER + 1)] if most > last else []
