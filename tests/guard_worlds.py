"""Scenes and pipelines for guarded pipelines, and an oracle that looks at nothing but the pixels that come out.

The image that goes in holds, in its channels, the coordinates of its own pixels, and ones. What comes out says where
each pixel was taken from. For the pipelines here that is one projective map, which is fitted to the pixels; then points
of each object, spread evenly, go through it, and those are counted that fall into the picture and on no pixel that was
painted over. Neither parameters nor the ledger are asked.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import albumentations as A
import numpy as np

import safeaug as sa
from safeaug.policy import Status
from tests.changes_worlds import sample_of

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
        sa.albumentations.RandomResizedCrop((224, 224), scale=(0.3, 1.0), min_retention=0.6),
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


def left_in(image: np.ndarray, boxes: np.ndarray, rim: int = 0) -> np.ndarray:
    """Return the share of each box that an image shows which the image of coordinates became.

    Whoever resizes repeats or drops what lies beyond the image, so near its rim pixels say less exactly where they are
    from: so many along it are not asked.
    """
    height, width = image.shape[:2]
    to_output = _fitted(image, rim)
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


def _fitted(image: np.ndarray, rim: int) -> np.ndarray:
    """Return the projective map from the source to an output whose pixels say where they come from."""
    height, width = image.shape[:2]
    rows, columns = np.nonzero(image[rim : height - rim, rim : width - rim, 2] > 0.9999)
    rows, columns = rows + rim, columns + rim
    some = np.linspace(0, len(rows) - 1, 600).astype(int)
    rows, columns = rows[some], columns[some]
    x, y = columns + 0.5, rows + 0.5
    u, v = image[rows, columns, 0].astype(np.float64), image[rows, columns, 1].astype(np.float64)
    # Direct linear transformation, from (u, v) to (x, y); in units of the sides, for the sake of its condition.
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


# Calls.


def guard(pipeline: Any, *, move_fixed: bool = False, repair_randomness: bool = True, **given: Any) -> Any:
    return sa.guard(pipeline, move_fixed=move_fixed, repair_randomness=repair_randomness, **given)


def compose(transforms: list[Any], seed: int | None = 1, kind: Any = A.Compose, **more: Any) -> Any:
    params = {"bbox_params": A.BboxParams("pascal_voc", label_fields=["labels"]), **more}
    made = kind(transforms, **params)
    if seed is not None:
        made.set_random_seed(seed)
    return made


def sample(boxes: Any, image: Any = RAMPS) -> dict[str, Any]:
    return {"image": image, "bboxes": np.array(boxes, dtype=np.float64).reshape(-1, 4), "labels": [*range(len(boxes))]}


def ended(pipeline: Any, **data: Any) -> tuple[dict[str, Any], Status]:
    """Return what a call makes of a sample, and how it ended; it is one draw of the pipeline."""
    before = Counter(pipeline.report()["pipeline"])
    result = pipeline(**data)
    (status,) = (Counter(pipeline.report()["pipeline"]) - before).elements()
    return result, Status[status]


def assert_same(one: Any, other: Any) -> None:
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, list | tuple):
        assert type(one) is type(other)
        assert len(one) == len(other)
        for each, its_other in zip(one, other, strict=True):
            assert_same(each, its_other)
    elif isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype
    else:
        assert one == other


def states(node: Any) -> list[Any]:
    """Return the states of all generators of a tree."""
    children = node.transforms if isinstance(node, A.BaseCompose) else []
    own = [node.py_random.getstate(), node.random_generator.bit_generator.state]
    return own + [each for child in children for each in states(child)]


def full_sample(size: tuple[int, int], seed: int, transform: Any = None) -> dict[str, Any]:
    """Return a sample with everything that a transform takes, all of it if none is given."""
    data = sample_of(size, seed)
    data["masks"] = np.stack([data["mask"], np.ascontiguousarray(data["mask"][::-1, ::-1])])
    data.update(bboxes=data["bboxes"][:, :4].astype(np.float64), labels=["cat", "dog"])
    data.update(keypoints=data["keypoints"][:, :2].astype(np.float64), person=[1, 2])
    data["mosaic_metadata"] = [
        {**each, "bboxes": np.empty((0, 4)), "labels": [], "keypoints": np.empty((0, 2)), "person": []}
        for each in data["mosaic_metadata"]
    ]
    if transform is not None:
        takes = transform.available_keys
        asked = {*transform.targets_as_params, "cropping_bbox"}
        keys = {"image", "mask", "masks", "bboxes", "keypoints"} & takes | asked & data.keys()
        keys -= {"bboxes", "keypoints"} if isinstance(transform, A.OverlayElements) else set()  # which it refuses
        keys |= {"labels"} if "bboxes" in keys else set()
        keys |= {"person"} if "keypoints" in keys else set()
        data = {key: value for key, value in data.items() if key in keys}
    return data


def full_compose(transforms: list[Any], data: dict[str, Any], seed: int = 3, **more: Any) -> Any:
    params: dict[str, Any] = dict(more)
    if "bboxes" in data:
        params["bbox_params"] = A.BboxParams("albumentations", label_fields=["labels"])
    if "keypoints" in data:
        params["keypoint_params"] = A.KeypointParams("xy", label_fields=["person"])
    return A.Compose(transforms, seed=seed, **params)
