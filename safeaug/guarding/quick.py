"""The commonest move of a step: all of some upright boxes are to be kept, and the crop stands anywhere in the picture.

What `acting` does there by way of `visible` and the search is done here on plain numbers, at a third of the cost; the
verdict on the window is the ledger's in either case.
"""

from safeaug.geometry import Size, Window, size_of, window_at
from safeaug.guarding.leaf import Leaf
from safeaug.guarding.passage import Passage
from safeaug.guarding.way import Params
from safeaug.ledger.visible import boxes_of
from safeaug.plain import Asked, place


def asked_of(passage: Passage, leaf: Leaf, drawn: Params) -> list[tuple[Asked, float]] | None:
    """Return each box that is asked for, with the area of it that must stay, and its own area; None for another kind.

    Parameters
    ----------
    passage : Passage
        The sample on its way.
    leaf : Leaf
        A step whose window breaks the promise.
    drawn : dict
        Its draw.
    """
    if not (passage.asks.plain and leaf.kind.roams) or leaf.kind.pads(drawn):
        return None
    boxes, promise, shares = boxes_of(passage.ledger), passage.promise, passage.ledger.shares[-1]
    if boxes is None:
        return None
    asked = []
    for spot in passage.asked:
        i = promise.objects[spot]
        if promise.needs[spot] <= 0.0:
            continue
        x0, y0, x1, y1 = boxes[i]
        area = (x1 - x0) * (y1 - y0)
        if not (area > 0.0 and shares[i]):
            return None
        asked.append(((x0, y0, x1, y1, promise.needs[spot] / shares[i] * area), area))
    return asked or None


def moved(asked: list[tuple[Asked, float]], leaf: Leaf, image_size: Size, first: Window) -> Window | None:
    """Return a window of the drawn size that keeps the boxes, with room for what follows where that can be."""
    size, stream = size_of(first), leaf.fork(first)
    if not (0 < size[0] <= image_size[0] and 0 < size[1] <= image_size[1]):
        return None
    if leaf.followed:
        roomy = [(a, b, c, d, (need + area) / 2) for (a, b, c, d, need), area in asked]
        position = place(roomy, size, image_size, stream)
        if position is not None:
            return window_at(*position, size)
    position = place([box for box, _ in asked], size, image_size, stream)
    return None if position is None else window_at(*position, size)
