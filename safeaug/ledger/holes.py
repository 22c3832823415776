"""Rectangles that overlap, as rectangles that do not."""

import numpy as np
from numpy.typing import ArrayLike

from safeaug.geometry import Box, Size

Span = tuple[float, float]


def apart(holes: ArrayLike, size: Size) -> list[Box]:
    """Return rectangles without overlap that cover what some rectangles cover of a picture.

    A line sweeps from left to right. At each of its stops the rectangles that it meets are merged into spans of y, and
    a span that stays the same from stop to stop is one rectangle. So holes that do not touch each other come back as
    they are.

    Parameters
    ----------
    holes : array_like of shape (N, 4)
        Those without area, or of a number that is none, cover nothing.
    size : (int, int)
        Height and width of the picture.

    Examples
    --------
    >>> apart([(0, 0, 2, 2), (5, 5, 7, 99), (1, 0, 3, 2)], (9, 9))
    [(0.0, 0.0, 3.0, 2.0), (5.0, 5.0, 7.0, 9.0)]
    """
    height, width = size
    rows = np.asarray(holes, dtype=np.float64).reshape(-1, 4).tolist()
    inside = [(max(x0, 0.0), max(y0, 0.0), min(x1, float(width)), min(y1, float(height))) for x0, y0, x1, y1 in rows]
    waiting = sorted((hole for hole in inside if hole[0] < hole[2] and hole[1] < hole[3]), reverse=True)
    if len(waiting) < 2:
        return waiting
    found: list[Box] = []
    met: list[Box] = []
    since: dict[Span, float] = {}
    for stop in sorted({x for x0, _, x1, _ in waiting for x in (x0, x1)}):
        met = [hole for hole in met if hole[2] > stop]
        while waiting and waiting[-1][0] == stop:
            met.append(waiting.pop())
        spans = _merged([(y0, y1) for _, y0, _, y1 in met])
        found += [(start, y0, stop, y1) for (y0, y1), start in since.items() if (y0, y1) not in spans]
        since = {span: since.get(span, stop) for span in spans}
    return found


def _merged(spans: list[Span]) -> list[Span]:
    """Return spans without overlap that cover what some spans cover."""
    merged: list[Span] = []
    for low, high in sorted(spans):
        if merged and low <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], high)
        else:
            merged.append((low, high))
    return merged
