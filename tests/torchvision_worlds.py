"""Transforms of torchvision in many forms, their draws, and what their pixels show: the oracle of the changes.

A picture whose channels are the coordinates of its own pixels goes through a transform without interpolation: each
pixel of the output then says which pixel of the input it shows, and a third channel whether it shows any.
"""

import itertools
import warnings
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torchvision import tv_tensors
from torchvision.transforms import transforms as v1
from torchvision.transforms import v2
from torchvision.transforms.functional import _get_perspective_coeffs

from safeaug.ledger.changes import Change, Mapped, Occluded, Warped, Windowed

SIZES = [(37, 53), (40, 24), (31, 31), (9, 70)]

NEAREST = {"interpolation": v2.InterpolationMode.NEAREST}
EXACT = {"interpolation": v2.InterpolationMode.NEAREST_EXACT}
ANY = {"degrees": 180, "translate": (0.2, 0.3), "scale": (0.6, 1.7), "shear": (-15, 15, -20, 20)}

WINDOWS = {
    "RandomCrop": v2.RandomCrop((8, 17)),
    "RandomCrop padded": v2.RandomCrop((8, 17), padding=[1, 2, 3, 4]),
    "RandomCrop padded where needed": v2.RandomCrop((45, 30), pad_if_needed=True),
    "CenterCrop": v2.CenterCrop((9, 20)),
    "CenterCrop larger": v2.CenterCrop((50, 31)),
    "RandomResizedCrop": v2.RandomResizedCrop((24, 31), **EXACT),
    "RandomIoUCrop": v2.RandomIoUCrop(),
    "RandomZoomOut": v2.RandomZoomOut(side_range=(1.0, 2.0), p=1),
    "Pad": v2.Pad(3),
    "Pad sides": v2.Pad([1, 2, 3, 4]),
    "Pad across and down": v2.Pad([1, 2]),
    "ScaleJitter": v2.ScaleJitter((40, 44), (0.5, 1.5), **EXACT),
    "RandomResize": v2.RandomResize(12, 50, **EXACT),
    "RandomShortestSize": v2.RandomShortestSize([12, 20, 31], 60, **EXACT),
    "Resize": v2.Resize((30, 41), **EXACT),
    "Resize to a side": v2.Resize(17, **EXACT),
    "v1 RandomCrop": v1.RandomCrop((8, 17)),
    "v1 RandomCrop padded": v1.RandomCrop((8, 17), padding=[1, 2, 3, 4]),
    "v1 CenterCrop": v1.CenterCrop((9, 20)),
    "v1 RandomResizedCrop": v1.RandomResizedCrop((24, 31), **EXACT),
    "v1 Pad": v1.Pad((1, 2, 3, 4)),
    "v1 Resize": v1.Resize((30, 41), **EXACT),
}

RIGID = {
    "RandomHorizontalFlip": v2.RandomHorizontalFlip(1),
    "RandomVerticalFlip": v2.RandomVerticalFlip(1),
    "v1 RandomHorizontalFlip": v1.RandomHorizontalFlip(1),
    "v1 RandomVerticalFlip": v1.RandomVerticalFlip(1),
}

AFFINE = {
    "RandomAffine": v2.RandomAffine(20),
    "RandomAffine any": v2.RandomAffine(**ANY),
    "RandomAffine about a corner": v2.RandomAffine(**ANY, center=[3, 7.5]),
    "RandomAffine of nothing": v2.RandomAffine(0),
    "v1 RandomAffine": v1.RandomAffine(**ANY),
    "v1 RandomAffine about a corner": v1.RandomAffine(**ANY, center=[3, 7]),
}

ROTATIONS = {
    "RandomRotation": v2.RandomRotation(180),
    "RandomRotation about a corner": v2.RandomRotation(180, center=[3, 7.5]),
    "RandomRotation with room": v2.RandomRotation(180, expand=True),
    "RandomRotation with room about a corner": v2.RandomRotation(180, expand=True, center=[3, 7.5]),
    **{f"RandomRotation by {turn}": v2.RandomRotation([turn, turn]) for turn in (-90, 0, 90, 180)},
    **{f"RandomRotation by {turn} with room": v2.RandomRotation([turn, turn], expand=True) for turn in (90, 180, 270)},
    "v1 RandomRotation": v1.RandomRotation(180),
    "v1 RandomRotation with room": v1.RandomRotation(180, expand=True),
}

PERSPECTIVE = {
    "RandomPerspective": v2.RandomPerspective(p=1, **NEAREST),
    "RandomPerspective far": v2.RandomPerspective(1.0, p=1, **NEAREST),
    "RandomPerspective of nothing": v2.RandomPerspective(0, p=1, **NEAREST),
    "v1 RandomPerspective": v1.RandomPerspective(0.6, p=1, **NEAREST),
}

ERASING = {
    "RandomErasing": v2.RandomErasing(1, value=0),
    "RandomErasing of little": v2.RandomErasing(1, scale=(0.0, 0.02)),
    "RandomErasing of all": v2.RandomErasing(1, scale=(1.0, 1.0)),
    "v1 RandomErasing": v1.RandomErasing(1),
    "v1 RandomErasing of all": v1.RandomErasing(1, scale=(1.0, 1.0)),
}

WARPING = {
    "ElasticTransform": v2.ElasticTransform(**NEAREST),
    "ElasticTransform strong": v2.ElasticTransform([300.0, 100.0], [3.0, 5.0], **NEAREST),
    "v1 ElasticTransform": v1.ElasticTransform(**NEAREST),
}

MAPS = AFFINE | ROTATIONS | PERSPECTIVE
FORMS = WINDOWS | RIGID | MAPS | ERASING | WARPING


class Draw(NamedTuple):
    """One draw of a transform, and what came out of a picture of its own coordinates.

    Parameters
    ----------
    params : dict
        The draw, as changes are asked.
    shown : ndarray of shape (3, H, W)
        For each pixel of the output x and y of the pixel that it shows, and 1; or something less than 1 in the last.
    """

    params: dict[str, Any]
    shown: NDArray[np.float64]


def coordinates(size: tuple[int, int]) -> torch.Tensor:
    """Return a picture of its own coordinates."""
    rows, columns = np.mgrid[: size[0], : size[1]]
    return torch.tensor(np.stack([columns, rows, np.ones(size)]), dtype=torch.float32)


def drawn(transform: Any, size: tuple[int, int], seed: int, *, pil: bool) -> Draw:
    """Return a draw of a transform for a picture of a size, and what the host's own code makes of it."""
    picture = coordinates(size)
    channels = [Image.fromarray(each.numpy()) for each in picture] if pil else [tv_tensors.Image(picture)]
    torch.manual_seed(seed)
    if isinstance(transform, v2.Transform):
        params = transform.make_params([*channels, boxes_of(size, seed)])
        outs = [transform.transform(each, params) for each in channels]
    else:
        params = _by_name(transform, channels[0], size)
        outs = []
        for each in channels:  # of one seed they are one draw
            torch.manual_seed(seed)
            outs.append(transform(each))
    shown = np.stack([np.asarray(out) for out in outs]) if pil else outs[0].numpy()
    return Draw({"shape": size, "pil": pil, **params}, shown.astype(np.float64))


def _by_name(transform: Any, picture: Any, size: tuple[int, int]) -> dict[str, Any]:
    """Return what a transform of v1 draws from here on, by the names that v2 has for it."""
    if isinstance(transform, v1.RandomCrop):
        left, top, right, bottom = transform.padding or (0, 0, 0, 0)
        padded = v2.functional.pad(picture, [left, top, right, bottom])
        values = transform.get_params(padded, transform.size)
        given = {"needs_pad": transform.padding is not None, "padding": [left, top, right, bottom]}
        return {**dict(zip(("top", "left", "height", "width"), values, strict=True)), **given}
    if isinstance(transform, v1.RandomResizedCrop):
        values = transform.get_params(picture, transform.scale, transform.ratio)
        return dict(zip(("top", "left", "height", "width"), values, strict=True))
    if isinstance(transform, v1.RandomAffine):
        ranges = transform.degrees, transform.translate, transform.scale, transform.shear, [size[1], size[0]]
        return dict(zip(("angle", "translate", "scale", "shear"), transform.get_params(*ranges), strict=True))
    if isinstance(transform, v1.RandomRotation):
        return {"angle": transform.get_params(transform.degrees)}
    if isinstance(transform, v1.RandomPerspective):
        torch.rand(1)
        points = transform.get_params(size[1], size[0], transform.distortion_scale)
        return {"coefficients": _get_perspective_coeffs(*points)}
    if isinstance(transform, v1.RandomErasing):
        torch.rand(1)
        return dict(zip("ijhwv", transform.get_params(picture, transform.scale, transform.ratio, [0.0]), strict=True))
    if isinstance(transform, v1.ElasticTransform):
        return {"displacement": transform.get_params(transform.alpha, transform.sigma, list(size))}
    return {}


def takes_pil(transform: Any) -> bool:
    """Whether the host lets a transform have a PIL image of floats."""
    floats = not isinstance(transform, v1.RandomErasing | v1.ElasticTransform)
    return floats and not isinstance(transform, v2.ElasticTransform)


def boxes_of(size: tuple[int, int], seed: int, count: int = 4) -> tv_tensors.BoundingBoxes:
    """Return boxes of whole pixels inside a picture."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        x, y = np.sort(rng.integers(0, size[1] + 1, 2)), np.sort(rng.integers(0, size[0] + 1, 2))
        if x[0] < x[1] and y[0] < y[1]:
            found.append([x[0], y[0], x[1], y[1]])
    with warnings.catch_warnings():
        return tv_tensors.BoundingBoxes(torch.tensor(np.array(found)), format="XYXY", canvas_size=size)


def sources(change: Change | None, size: tuple[int, int]) -> NDArray[np.float64]:
    """Return where the middle of each pixel of the output comes from, as a change has it, of shape (2, H, W).

    In coordinates of pixel edges of the picture before it; NaN where a hole is.
    """
    if isinstance(change, Warped):
        return np.stack([change.map_x, change.map_y]).astype(np.float64) + 0.5
    out = change.size if isinstance(change, Windowed | Mapped) else size
    y, x = np.mgrid[: out[0], : out[1]] + 0.5
    if isinstance(change, Windowed):
        x0, y0, x1, y1 = change.window
        return np.stack([x0 + x * (x1 - x0) / out[1], y0 + y * (y1 - y0) / out[0]])
    if isinstance(change, Mapped):
        back = np.linalg.inv(np.array(change.matrix, dtype=np.float64))
        across, down, depth = back @ np.stack([x.ravel(), y.ravel(), np.ones(x.size)])
        return np.stack([across / depth, down / depth]).reshape(2, *out)
    found = np.stack([x, y])
    for x0, y0, x1, y1 in change.holes if isinstance(change, Occluded) else ():
        found[:, int(y0) : int(y1), int(x0) : int(x1)] = np.nan
    return found


def draws(names: Any, seeds: Any) -> Any:
    """Yield a name, the transform, the size, a seed and whether it is for PIL, for each that the host takes."""
    for name, size, seed, pil in itertools.product(names, SIZES, seeds, (False, True)):
        transform = FORMS[name]
        if not pil or takes_pil(transform):
            yield transform, size, seed, pil
