"""What an object covers, as annotations write it: rings of corners, or runs of pixels."""

from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.data.header import check_pixels
from safeaug.errors import DataError
from safeaug.geometry import Size

Rings = tuple[NDArray[np.float64], ...]
"""Rings of corners (x, y), each of shape (K, 2), in the image frame. A part of an object each."""

GROUP, MORE, SIGN, FIRST = 5, 0b100000, 0b010000, 48
"""How COCO writes a number as text: five bits to a character, a sixth for "more follow", counted from "0"."""

LONGEST = 12
"""Characters of the longest number that is any: 60 bits."""


class Rle(NamedTuple):
    """Runs of pixels, as COCO writes a mask: down the columns, first one of background.

    Parameters
    ----------
    counts : tuple of int, or str
        Lengths of the runs; or the same, compressed.
    size : (int, int)
        Height and width of the mask.
    """

    counts: tuple[int, ...] | str
    size: Size


Outline = Rings | Rle
"""What an object covers."""


def mask_of(rle: Rle, where: str = "") -> NDArray[np.bool_]:
    """Return the mask that runs of pixels describe.

    Parameters
    ----------
    rle : Rle
        Of either kind.
    where : str
        What an error says of where it was met.

    Returns
    -------
    ndarray of shape (H, W), bool

    Raises
    ------
    DataError
        Where the runs are no runs, or do not fill the mask.

    Examples
    --------
    >>> mask_of(Rle((1, 2, 3), (2, 3))).astype(int).tolist()
    [[0, 1, 0], [1, 0, 0]]
    >>> bool((mask_of(Rle("123", (2, 3))) == mask_of(Rle((1, 2, 3), (2, 3)))).all())
    True
    """
    height, width = check_pixels(rle.size, where)
    counts = _decompressed(rle.counts, where) if isinstance(rle.counts, str) else list(rle.counts)
    if any(count < 0 for count in counts) or sum(counts) != height * width:
        raise DataError(
            f"runs of a mask must be of at least 0 pixels each and fill {height} x {width} pixels, got {len(counts)} "
            f"runs of {sum(counts)} pixels in all; write the mask again",
            where,
        )
    colours = np.arange(len(counts)) % 2 == 1
    return np.repeat(colours, counts).reshape(width, height).T


def _decompressed(text: str, where: str) -> list[int]:
    """Return the runs of a compressed mask: from the fourth on, each is written as its difference to the last but one.

    Each number is written five bits to a character, lowest first, the last of them with its sign.
    """
    numbers: list[int] = []
    value = characters = 0
    for character in text:
        code = ord(character) - FIRST
        if not 0 <= code < 2 * MORE or characters == LONGEST:
            raise DataError(f"a compressed mask must be as COCO's tools write it, got {text[:40]!r}", where)
        value |= (code & (MORE - 1)) << (GROUP * characters)
        characters += 1
        if not code & MORE:
            numbers.append(value - (1 << (GROUP * characters)) if code & SIGN else value)
            value = characters = 0
    if characters:
        raise DataError(f"a compressed mask must end with a whole number, got ...{text[-20:]!r}", where)
    runs = [0] * len(numbers)
    # Odd and even runs are two sums of their own; the first run of all stands outside of them.
    runs[:1] = numbers[:1]
    runs[1::2] = accumulate(numbers[1::2])
    runs[2::2] = accumulate(numbers[2::2])
    return runs
