"""The rank of windows by a map, and the share of it that they hold: the obvious loops, in whole numbers."""

import itertools
import math
import operator
from collections import Counter
from fractions import Fraction


def rounded(value: Fraction) -> int:
    """The nearest whole number, a half upward."""
    return math.floor(value + Fraction(1, 2))


def cell_of(start, side, length, cells, span):
    """The cell at which a window begins: evenly over the map inside the image, in proportion outside of it."""
    room, steps = side - length, cells - span
    low, high = min(room, 0), max(room, 0)
    if start < low:
        return min(steps, 0) - rounded(Fraction((low - start) * cells, side))
    if start > high:
        return max(steps, 0) + rounded(Fraction((start - high) * cells, side))
    return min(steps, 0) + (rounded(Fraction((start - low) * abs(steps), high - low)) if high > low else 0)


def masses_of(salience, size, domain):
    """What the window at each position holds of a map that goes on as its least cell outside of the image."""
    (height, width), (down, across) = salience.image_size, salience.cells.shape
    high = max(1, rounded(Fraction(size[0] * down, height)))
    wide = max(1, rounded(Fraction(size[1] * across, width)))
    least, cells = int(salience.cells.min()), salience.cells.tolist()
    left = {x: cell_of(x, width, size[1], across, wide) for x in range(domain.x0, domain.x1 + 1)}
    top = {y: cell_of(y, height, size[0], down, high) for y in range(domain.y0, domain.y1 + 1)}
    held = {
        (first, above): sum(
            cells[row][column] if 0 <= row < down and 0 <= column < across else least
            for row in range(above, above + high)
            for column in range(first, first + wide)
        )
        for first, above in itertools.product(set(left.values()), set(top.values()))
    }
    return {(x, y): held[left[x], top[y]] for x, y in itertools.product(left, top)}


def least_of_rank(masses, rank):
    """The rule as it is written: the smallest v with share{mass >= v} <= 1 - rank, else the largest."""
    counts, upto = Counter(masses), 0
    found = max(counts)
    for value in sorted(counts, reverse=True):
        upto += counts[value]
        if upto / counts.total() > 1 - rank + 1e-9:
            break
        found = value
    return found


def share_of(salience, window):
    """Of a map the share in a window, exactly: a pixel counts as many parts as a side has cells, a cell as pixels."""
    (height, width), (down, across) = salience.image_size, salience.cells.shape

    def parts(side, cells, start, stop):
        low, high = (int(each) if each == int(each) else Fraction(each) for each in (start * cells, stop * cells))
        return [max(min((cell + 1) * side, high) - max(cell * side, low), 0) for cell in range(cells)]

    wide, high = parts(width, across, window[0], window[2]), parts(height, down, window[1], window[3])
    held = sum(
        part * sum(map(operator.mul, row, wide))
        for part, row in zip(high, salience.cells.tolist(), strict=True)
        if part
    )
    return Fraction(held, width * height * int(salience.cells.sum()))
