"""Scenes and pipelines for guarded pipelines, and an oracle that looks at nothing but the pixels that come out.

The image that goes in holds, in its channels, the coordinates of its own pixels, and ones. What comes out says where
each pixel was taken from. For the pipelines here that is one projective map, which is fitted to the pixels; then points
of each object, spread evenly, go through it, and those are counted that fall into the picture and on no pixel that was
painted over. Neither parameters nor the ledger are asked.
"""

from collections.abc import Callable
from typing import Any

import albumentations as A
import numpy as np

import safeaug

SIDE = 512

FAR = {"rotate": (-45, 45), "scale": (0.8, 1.6), "translate_percent": (-0.2, 0.2)}

SINGLE: dict[str, Callable[[], Any]] = {
    "RandomResizedCrop": lambda: A.RandomResizedCrop((224, 224), scale=(0.3, 1.0)),
    "RandomCrop": lambda: A.RandomCrop(384, 384),
    "Affine": lambda: A.Affine(**FAR, p=1.0),
    "Perspective": lambda: A.Perspective((0.1, 0.2), p=1.0),
    "CoarseDropout": lambda: A.CoarseDropout((8, 8), (0.2, 0.3), (0.2, 0.3), p=1.0),
    "Rotate": lambda: A.Rotate((-45, 45), crop_border=True, p=1.0),
}

PIPELINES: dict[str, Callable[[], list[Any]]] = {
    **{name: lambda make=make: [make()] for name, make in SINGLE.items()},
    "two crops": lambda: [A.RandomCrop(448, 448), A.RandomCrop(384, 384)],
    "two resized crops": lambda: [
        A.RandomResizedCrop((300, 300), scale=(0.5, 1.0)),
        A.RandomResizedCrop((128, 128), scale=(0.3, 1.0)),
    ],
    "crop, Perspective": lambda: [SINGLE["RandomResizedCrop"](), SINGLE["Perspective"]()],
    "flips, crop": lambda: [A.HorizontalFlip(p=0.5), A.D4(p=1.0), SINGLE["RandomResizedCrop"]()],
    "crop, pad, crop": lambda: [A.RandomCrop(448, 448), A.PadIfNeeded(512, 512), A.RandomCrop(384, 384)],
    "guarded crop, Perspective": lambda: [
        safeaug.albumentations.RandomResizedCrop((224, 224), scale=(0.3, 1.0), min_retention=0.6),
        SINGLE["Perspective"](),
    ],
    "Affine, crop": lambda: [SINGLE["Affine"](), SINGLE["RandomResizedCrop"]()],
    "one of all": lambda: [A.OneOf([make() for make in SINGLE.values()], p=1.0)],
}

IDENTITY_KEEPS = set(PIPELINES) - {"RandomCrop", "two crops", "crop, pad, crop", "one of all"}
"""Pipelines among whose draws there is one that keeps everything, or nearly so; a crop of 384 of 512 is not."""


def scene(rng: np.random.Generator) -> np.ndarray:
    """Return one to eight boxes, their sides log-uniform from 24 to 256 pixels."""
    sides = np.exp(rng.uniform(np.log(24), np.log(256), (rng.integers(1, 9), 2)))
    corner = rng.uniform(0, 1, sides.shape) * (SIDE - sides)
    return np.concatenate([corner, corner + sides], axis=1)


def ramps(side: int = SIDE) -> np.ndarray:
    """Return the image of coordinates, of pixel centres with edges counted from 0, over the side; and ones."""
    along = (np.arange(side, dtype=np.float32) + 0.5) / side
    return np.stack([*np.broadcast_arrays(along[None], along[:, None]), np.ones((side, side), np.float32)], axis=2)


RAMPS = ramps()

_GRID = (np.arange(48) + 0.5) / 48
SPREAD = np.stack(np.meshgrid(_GRID, _GRID), axis=-1).reshape(-1, 2)
"""Points of an object, in shares of its sides: 48², so that one more or less along a side is 2 %."""


def left_in(image: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Return the share of each box that an image shows which the image of coordinates became."""
    height, width = image.shape[:2]
    to_output = _fitted(image)
    shares = []
    for x0, y0, x1, y1 in np.asarray(boxes, dtype=np.float64):
        points = SPREAD * [x1 - x0, y1 - y0] + [x0, y0]
        x, y, ahead = _through(to_output, points)
        there = ahead & (x >= 0) & (x < width) & (y >= 0) & (y < height)
        column, row = (np.where(there, each, 0).astype(int) for each in (x, y))
        painted = image[row, column, 2] < 0.5
        if painted.any():  # or at the rim of the source, where a pixel's middle may lie outside
            back_x, back_y, _ = _through(np.linalg.inv(to_output), np.stack([column, row], axis=1) + 0.5)
            painted &= (back_x > 1) & (back_x < SIDE - 1) & (back_y > 1) & (back_y < SIDE - 1)
        shares.append(float((there & ~painted).mean()))
    return np.array(shares)


def _fitted(image: np.ndarray) -> np.ndarray:
    """Return the projective map from the source to an output whose pixels say where they come from."""
    rows, columns = np.nonzero(image[:, :, 2] > 0.9999)
    some = np.linspace(0, len(rows) - 1, 600).astype(int)
    rows, columns = rows[some], columns[some]
    x, y = columns + 0.5, rows + 0.5
    u, v = image[rows, columns, 0].astype(np.float64), image[rows, columns, 1].astype(np.float64)
    # Direct linear transformation, from (u, v) to (x, y); in units of the sides, for the sake of its condition.
    height, width = image.shape[:2]
    x, y, none, one = x / width, y / height, np.zeros(len(u)), np.ones(len(u))
    equations = np.concatenate(
        [
            np.stack([u, v, one, none, none, none, -x * u, -x * v, -x], axis=1),
            np.stack([none, none, none, u, v, one, -y * u, -y * v, -y], axis=1),
        ]
    )
    fitted = np.linalg.svd(equations, full_matrices=False)[2][-1].reshape(3, 3) if len(u) > 8 else np.eye(3)
    fitted = np.diag([width, height, 1.0]) @ fitted @ np.diag([1 / SIDE, 1 / SIDE, 1.0])
    fitted *= np.sign((fitted[2] @ [u.mean() * SIDE, v.mean() * SIDE, 1.0]) or 1.0)
    at_x, at_y, ahead = _through(fitted, np.stack([u, v], axis=1) * SIDE)
    off = np.hypot(at_x - columns - 0.5, at_y - rows - 0.5)
    assert ahead.all()
    assert off.max() < 0.12, f"no projective map: {off.max():.3f} pixels off"
    return fitted


def _through(matrix: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x, y, depth = matrix @ np.concatenate([points, np.ones((len(points), 1))], axis=1).T
    ahead = depth > 1e-12
    depth = np.where(ahead, depth, 1.0)
    return x / depth, y / depth, ahead
