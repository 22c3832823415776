"""Public bug reports as the smallest inputs that show them: name, input, pipeline, what the guard must do.

Each row is run plain and guarded. `lost` is the share of plain draws that the report complains of, as measured on the
host today: the row would show nothing if the host did not have the fault. Findings of audit and tripwires for the same
reports join this table with the rooms that make them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import albumentations as A

import safeaug as sa

S = sa.albumentations


class Case(NamedTuple):
    """One report: an image size, boxes, and the two transforms that are drawn."""

    name: str
    report: str
    image_size: tuple[int, int]
    boxes: list[list[float]]
    plain: Callable[[], Any]
    guarded: Callable[[], Any]
    limit: float
    lost: tuple[float, float]
    """Between which shares of plain draws leave some object below the limit."""
    statuses: frozenset[str]
    """How guarded draws may end."""


def case(name, report, image_size, boxes, plain, guarded, *, limit=0.5, lost, statuses=("FIRST", "MOVED", "RESIZED")):
    return Case(name, report, image_size, boxes, plain, guarded, limit, lost, frozenset(statuses))


CASES = [
    case(
        "C1 panorama",
        "an odd aspect ratio and an object near one end: RandomResizedCrop falls back to the centre",
        (200, 2000),
        [[20, 50, 120, 150]],
        lambda: A.RandomResizedCrop((224, 224)),
        lambda: S.RandomResizedCrop((224, 224), report_key="safeaug"),
        lost=(0.95, 1.0),
    ),
    case(
        "C2 vanishing boxes",
        "albumentations#383: boxes disappear after RandomCrop",
        (512, 512),
        [[0, 0, 40, 40]],
        lambda: A.RandomCrop(64, 64),
        lambda: S.RandomCrop(64, 64, report_key="safeaug"),
        lost=(0.97, 1.0),
        statuses=("FIRST", "MOVED"),
    ),
    case(
        "C8 one pixel wide",
        "ultralytics#1960: a box of one pixel is filtered in silence",
        (256, 256),
        [[100, 20, 101, 220]],
        lambda: A.RandomResizedCrop((224, 224)),
        lambda: S.RandomResizedCrop((224, 224), min_retention=1.0, report_key="safeaug"),
        limit=1.0,
        lost=(0.5, 0.9),
    ),
    case(
        "C16 fractional boxes",
        "BBoxSafeRandomCrop(erosion 0) truncates after it has computed its range",
        (97, 103),
        [[10.5, 20.25, 55.75, 60.3]],
        lambda: A.BBoxSafeRandomCrop(),
        lambda: S.RandomResizedCrop((64, 64), min_retention=1.0, report_key="safeaug"),
        limit=1.0,
        lost=(0.01, 0.2),
    ),
    case(
        "C17 area means area",
        "AtLeastOneBBoxRandomCrop(erosion e) keeps (1 - e)² of the area, not 1 - e",
        (512, 512),
        [[200, 200, 300, 300]],
        lambda: A.AtLeastOneBBoxRandomCrop(128, 128, erosion_factor=0.5),
        lambda: S.RandomCrop(128, 128, min_retention=0.5, report_key="safeaug"),
        lost=(0.02, 0.6),
        statuses=("FIRST", "MOVED"),
    ),
    case(
        "C19 several small boxes",
        "RFBNet#134: an IoU between window and several small boxes is never reached; retention is",
        (300, 300),
        [[20, 20, 40, 40], [60, 60, 85, 80], [90, 20, 110, 44]],
        lambda: A.RandomResizedCrop((300, 300)),
        lambda: S.RandomResizedCrop((300, 300), report_key="safeaug"),
        lost=(0.5, 0.95),
    ),
    case(
        "A2 a box on the edge of the union",
        "albumentations#2513: BBoxSafeRandomCrop(erosion 0.1) erodes the union of the boxes, and with it a flat box",
        (1000, 1000),
        [[400, 0, 600, 20], [100, 500, 900, 990]],
        lambda: A.BBoxSafeRandomCrop(erosion_rate=0.1),
        lambda: S.BBoxSafeRandomCrop(erosion_rate=0.1, report_key="safeaug"),
        lost=(0.7, 0.9),
    ),
    case(
        "A3 small objects of a large image",
        "albumentations#1271: a safe crop of a fixed size is wanted; AtLeastOneBBoxRandomCrop loses the other objects",
        (1000, 1000),
        [[400, 410, 412, 422], [500, 440, 515, 450], [450, 560, 458, 572]],
        lambda: A.AtLeastOneBBoxRandomCrop(256, 256),
        lambda: S.AtLeastOneBBoxRandomCrop(256, 256, min_retention=0.9, report_key="safeaug"),
        limit=0.9,
        lost=(0.3, 0.9),
    ),
    case(
        "A4 a resized crop that is safe",
        "AlbumentationsX#322: scale and ratio of RandomResizedCrop, with the promise of RandomSizedBBoxSafeCrop",
        (600, 800),
        [[100, 100, 180, 190], [300, 220, 360, 300]],
        lambda: A.RandomResizedCrop((224, 224), scale=(0.2, 0.8)),
        lambda: S.RandomResizedCrop((224, 224), scale=(0.2, 0.8), min_retention=1.0, report_key="safeaug"),
        limit=1.0,
        lost=(0.5, 1.0),
    ),
    case(
        "A33 near a box",
        "albumentations#1007: RandomCropNearBBox knows the box of its extra key alone, and cuts that one too",
        (200, 200),
        [[60, 60, 120, 110], [112, 80, 130, 100]],
        lambda: A.RandomCropNearBBox((0.3, 0.3)),
        lambda: S.RandomCropNearBBox((0.3, 0.3), min_retention=0.8, report_key="safeaug"),
        limit=0.8,
        lost=(0.5, 1.0),
    ),
]
