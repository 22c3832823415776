"""How much of the picture draws show, how much of the output is padding, how far it is stretched; by shape of image."""

from typing import NamedTuple

import msgspec
import numpy as np

from safeaug.auditing.bins import (
    ASPECTS,
    LIMITS,
    ONE,
    STEPS,
    STRETCHES,
    UNKNOWN,
    Ints,
    millionths,
    share_bin,
    stretch_bin,
)
from safeaug.auditing.block import Block
from safeaug.auditing.findings import PADDED as MUCH
from safeaug.auditing.findings import STRETCHED
from safeaug.auditing.seen import Seen
from safeaug.auditing.table import Layout, Table, counted, digits_of, pack, summed

AREA, PADDED, STRETCH = range(3)

LAYOUT = Layout(("aspect", "measure", "bin"), (3, UNKNOWN + 1))
"""Keys of all draws that were measured. The shape of the image is counted from 1."""

SUMS = Layout(("aspect", "measure"), (3,))


class Pictures(NamedTuple):
    """What draws show.

    Parameters
    ----------
    bins : Table
        Draws by `LAYOUT`.
    amounts : Table
        Sums of area and of padding, in millionths, by `SUMS`; what is not known counts 0.
    """

    bins: Table
    amounts: Table


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """What draws of images of one shape show.

    Parameters
    ----------
    aspect : str or None
        The shape of the images; None for all of them.
    draws : int
        Draws that were measured, those without objects included.
    area : float or None
        The mean share of the picture that is visible; None where nobody can tell of any draw.
    median, low : float or None
        At least this share is visible in half of the draws, and in 19 of 20; a multiple of 0.005.
    padding : float or None
        The mean share of the output that shows nothing of the picture.
    padded, blank, stretched : int
        Draws in which that is half and more, or all; and those stretched to double and more along one axis.
    """

    aspect: str | None
    draws: int
    area: float | None
    median: float | None
    low: float | None
    padding: float | None
    padded: int
    blank: int
    stretched: int


def pictures_of(block: Block, seen: Seen) -> Pictures:
    """Return what the draws of a block show, those without objects included."""
    valid, drawn = block.valid, block.drawn
    aspect = np.broadcast_to(seen.aspects[:, None], valid.shape)[valid]
    area, padded, stretch = (each[valid].astype(np.float64) for each in (drawn.area, drawn.padded, drawn.stretch))
    bins = (share_bin(area), share_bin(padded), stretch_bin(stretch))
    amounts = {AREA: millionths(area), PADDED: millionths(padded)}
    return Pictures(
        counted(np.concatenate([pack(LAYOUT, aspect, measure, bin_) for measure, bin_ in enumerate(bins)])),
        summed(
            np.concatenate([pack(SUMS, aspect, measure) for measure in amounts]), np.concatenate([*amounts.values()])
        ),
    )


def picture_list(pictures: Table, shown: Table) -> tuple[Picture, ...]:
    """Return what draws show: of all images first, then by shape."""
    bins = np.zeros((len(ASPECTS) + 1, 3, UNKNOWN + 1), np.int64)
    bins[digits_of(LAYOUT, pictures.keys)] = pictures.counts
    sums = np.zeros((len(ASPECTS) + 1, 3), np.int64)
    sums[digits_of(SUMS, shown.keys)] = shown.counts
    bins[0], sums[0] = bins.sum(axis=0), sums.sum(axis=0)
    names = (None, *ASPECTS)
    return tuple(_picture(names[i], bins[i], sums[i]) for i in range(len(names)) if bins[i].any())


def _picture(aspect: str | None, bins: Ints, sums: Ints) -> Picture:
    known = bins[:, :UNKNOWN].sum(axis=1).tolist()
    double = STRETCHES.index(STRETCHED)
    return Picture(
        aspect=aspect,
        draws=int(bins[AREA].sum()),
        area=int(sums[AREA]) / known[AREA] / ONE if known[AREA] else None,
        median=_reached(bins[AREA, :UNKNOWN], 0.5),
        low=_reached(bins[AREA, :UNKNOWN], 0.95),
        padding=int(sums[PADDED]) / known[PADDED] / ONE if known[PADDED] else None,
        padded=int(bins[PADDED, round(MUCH * STEPS) : UNKNOWN].sum()),
        blank=int(bins[PADDED, STEPS]),
        stretched=int(bins[STRETCH, double:UNKNOWN].sum()),
    )


def _reached(bins: Ints, share: float) -> float | None:
    """Return the greatest limit that at least such a share of the draws reaches."""
    beyond = np.cumsum(bins[::-1])[::-1]
    return float(LIMITS[np.flatnonzero(beyond >= share * beyond[0])[-1]]) if beyond[0] else None
