"""The commonest search, in plain numbers: boxes inside the image, one share asked of each, and nothing else.

Most draws of most users are of this kind. What `measures.plain_demand`, `measures.passes` and the first half of
`search.elsewhere` do there is done here once more, on the same random numbers in the same order, so it comes to the
same windows; ``tests/test_plain.py`` holds the two together. What is not of this kind is left to the general path.

It is written for the pipeline in which it runs. Between two draws the picture passes through the caches and empties
them, so the cost is less in what is computed than in how much code and how many objects are touched. Hence boxes are
rows of five floats, and the loops over them call nothing: each writes out one formula of the general path, which it
names, and where that is explained. The types are as narrow as mypyc needs them, which compiles this module as it is
where a wheel is built so (``pyproject.toml``).
"""

import math
from collections.abc import Callable, Sequence

from safeaug.content import SINGLE
from safeaug.geometry import Domain, Size, Window
from safeaug.measures import RELATIVE
from safeaug.placement import feasible
from safeaug.placement.bounds import ROUNDING
from safeaug.policy import Stage, Status
from safeaug.records import Demand, Found
from safeaug.search import QUICK_TRIES
from safeaug.splitmix import Stream, uniform

Asked = tuple[float, float, float, float, float]
"""``(x0, y0, x1, y1, need)``: a box in the image frame, and the area of it that a window must hold, above 0."""

Bounds = tuple[int, int, int, int]
"""First and last x, first and last y of some positions, ends included."""

FEW = 500
"""Columns times boxes up to which a plain loop counts positions; arrays count more. With three boxes these are quicker
from about 200 where the loop is interpreted, and from about 2000 where it is compiled."""


def judge(
    rows: list[list[float]],
    image_size: Size,
    limit: float,
    window: Sequence[float],
    unit: tuple[float, float] | None = None,
) -> list[Asked] | None:
    """Return what another window must hold: nothing where this one holds enough of every box.

    Parameters
    ----------
    rows : list of [x0, y0, x1, y1, ...]
        N boxes: corners, in units of ``unit``; what stands behind them is passed over.
    image_size : (int, int)
        Height and width of the image.
    limit : float
        Share of every box that must be kept; see `Policy.plain_limit`.
    window : (x0, y0, x1, y1)
        In pixels of the image; numbers of any type, as hosts hand them out.
    unit : (float, float), optional
        Height and width of the unit of the rows in pixels; the image's, where it is left out.

    Returns
    -------
    list of Asked, or None
        An empty list where the window will do, else every box of which some area must be kept. None where a row is no
        box, or does not lie inside the image: what it asks, `content_of_rows` and `demand_of` know.

    Examples
    --------
    >>> judge([[0.25, 0.25, 0.75, 0.75]], (8, 8), 0.5, (0, 0, 4, 6))
    []
    >>> [(*box, need)] = judge([[0.25, 0.25, 0.75, 0.75]], (8, 8), 0.5, (0, 0, 4, 4))
    >>> box, round(need, 3)
    ([2.0, 2.0, 6.0, 6.0], 8.0)
    """
    height, width = image_size
    down, across = image_size if unit is None else unit
    x0, y0, x1, y1 = window
    slack = SINGLE * (height if height > width else width)
    asked: list[Asked] = []
    kept = True
    for row in rows:
        a, b, c, d = row[0] * across, row[1] * down, row[2] * across, row[3] * down
        if not (0.0 <= a < c <= width and 0.0 <= b < d <= height):
            return None
        wide, high = c - a, d - b
        area = wide * high
        need = limit * area - (RELATIVE * area + slack * (wide + high))  # tau: `measures.required`
        if need <= 0.0:
            continue
        asked.append((a, b, c, d, need))
        if kept:  # so far, and with this box: `measures.passes`
            wide = (x1 if x1 < c else c) - (x0 if x0 > a else a)
            high = (y1 if y1 < d else d) - (y0 if y0 > b else b)
            kept = wide > 0.0 and high > 0.0 and wide * high >= need
    return [] if kept else asked


def place(asked: list[Asked], size: Size, image_size: Size, stream: Stream) -> tuple[int, int] | None:
    """Draw uniformly from the feasible positions of a size, all over the image; None where there is none.

    Parameters
    ----------
    asked : list of Asked
        What the window must hold: at least one box; see `judge`.
    size, image_size : (int, int)
        Height and width of the window and of the image.
    stream : Stream
        Gives uniform numbers. One that is seen to have no position takes none.

    Returns
    -------
    (int, int) or None
        x and y of the window's top left corner, in whole pixels of the image.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> place([(2.0, 2.0, 6.0, 6.0, 8.0)], (4, 4), (8, 8), SimpleNamespace(state=0))
    (4, 2)
    >>> place([(2.0, 2.0, 6.0, 6.0, 8.0)], (2, 2), (8, 8), SimpleNamespace(state=0))
    """
    bounds = _bounds(asked, size, image_size)
    if bounds is None:
        return None
    x0, x1, y0, y1 = bounds
    height, width = size
    rows = y1 - y0 + 1
    count = rows * (x1 - x0 + 1)
    for _ in range(QUICK_TRIES):
        mark = int(uniform(stream) * count)
        x, y = x0 + mark // rows, y0 + mark % rows
        if _holds(asked, x, y, x + width, y + height):
            return x, y
    return _counted(asked, size, bounds, stream)


def redrawn(
    asked: list[Asked], first: Window, image_size: Size, redraw: Callable[[int], Window], tries: int, stream: Stream
) -> Found | None:
    """Draw further sizes as the host does, until one has a feasible position; None where none of them has.

    Parameters
    ----------
    asked, image_size, stream
        As in `place`.
    first : (x0, y0, x1, y1)
        The host's draw, whose size has no feasible position.
    redraw : callable
        Gives a further complete draw of the host's by its number, which counts from 1.
    tries : int
        How many there are.

    Returns
    -------
    Found or None
        The first that succeeds.
    """
    least_height, least_width = _least_size(asked)
    drawn_height, drawn_width = first[3] - first[1], first[2] - first[0]
    for number in range(1, tries + 1):
        x0, y0, x1, y1 = redraw(number)
        height, width = y1 - y0, x1 - x0
        if height < least_height or width < least_width or (height == drawn_height and width == drawn_width):
            continue
        position = place(asked, (height, width), image_size, stream)
        if position is not None:
            x, y = position
            return Found((x, y, x + width, y + height), Status.RESIZED, Stage.REDRAW, number + 1)
    return None


def _bounds(asked: list[Asked], size: Size, image_size: Size) -> Bounds | None:
    """Return a rectangle that holds every feasible position, or None where there certainly is none.

    What `placement.rectangle` does of boxes, all of which must be kept.
    """
    height, width = float(size[0]), float(size[1])
    x0 = y0 = 0.0
    x1, y1 = image_size[1] - width, image_size[0] - height
    for a, b, c, d, need in asked:
        wide, high = c - a, d - b
        if width < wide:
            wide = width
        if height < high:
            high = height
        if wide * high < need:
            return None
        across, down = need / high, need / wide
        if a - width + across > x0:
            x0 = a - width + across
        if c - across < x1:
            x1 = c - across
        if b - height + down > y0:
            y0 = b - height + down
        if d - down < y1:
            y1 = d - down
        if x0 > x1 or y0 > y1:
            return None
    first_x, last_x, first_y, last_y = math.ceil(x0), math.floor(x1), math.ceil(y0), math.floor(y1)
    return (first_x, last_x, first_y, last_y) if first_x <= last_x and first_y <= last_y else None


def _least_size(asked: list[Asked]) -> tuple[float, float]:
    """Return a height and a width below which no window holds what is asked: `placement.least_size`."""
    left = top = math.inf
    right = bottom = -math.inf
    for a, b, c, d, need in asked:
        across, down = need / (d - b), need / (c - a)
        if c - across < left:
            left = c - across
        if a + across > right:
            right = a + across
        if d - down < top:
            top = d - down
        if b + down > bottom:
            bottom = b + down
    return bottom - top - ROUNDING, right - left - ROUNDING


def _holds(asked: list[Asked], x0: float, y0: float, x1: float, y1: float) -> bool:
    """Return whether a window holds what is asked: `measures.passes`."""
    for a, b, c, d, need in asked:
        wide = (x1 if x1 < c else c) - (x0 if x0 > a else a)
        high = (y1 if y1 < d else d) - (y0 if y0 > b else b)
        if wide <= 0.0 or high <= 0.0 or wide * high < need:
            return False
    return True


def _counted(asked: list[Asked], size: Size, bounds: Bounds, stream: Stream) -> tuple[int, int] | None:
    """Draw uniformly from all feasible positions, counted column by column, as `placement.Feasible` does."""
    x0, x1, y0, y1 = bounds
    if (x1 - x0 + 1) * len(asked) > FEW:
        positions = feasible(_demand(asked), size, Domain(x0, x1, y0, y1))
        return positions.draw(uniform(stream), uniform(stream)) if positions.size else None
    columns = [_column(asked, size, x, y0, y1) for x in range(x0, x1 + 1)]
    total = sum([length for _, length in columns])
    if not total:
        return None
    mark, column = int(uniform(stream) * total), 0
    while mark >= columns[column][1]:
        mark -= columns[column][1]
        column += 1
    start, length = columns[column]
    return x0 + column, start + int(uniform(stream) * length)


def _column(asked: list[Asked], size: Size, x: int, y0: int, y1: int) -> tuple[int, int]:
    """Return the first feasible row of a column, and how many there are, from y0 to y1: `placement.columns`."""
    height, width = float(size[0]), float(size[1])
    left = float(x)
    right = left + width
    first, last = float(y0), float(y1)
    for a, b, c, d, need in asked:
        wide = (right if right < c else c) - (left if left > a else a)
        if wide <= 0.0:
            return 0, 0
        depth = need / wide  # rows that must be shared
        if depth > height or depth > d - b:
            return 0, 0
        if b - height + depth > first:
            first = b - height + depth
        if d - depth < last:
            last = d - depth
    start = math.ceil(first)
    return start, max(math.floor(last) - start + 1, 0)


def _demand(asked: list[Asked]) -> Demand:
    """Return the same as the general path says it."""
    boxes = [(a, b, c, d) for a, b, c, d, _ in asked]
    return Demand(boxes, [need for *_, need in asked], None, len(asked), [1.0] * len(asked), 0.0)
