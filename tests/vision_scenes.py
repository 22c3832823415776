"""Nothing itself: images that hold their own coordinates in all carriers of torchvision, and objects of all kinds.

`shown` reads the applied window off the pixels; `left` says what a window holds of an object by counting fine points of
it, and so shares nothing with the package.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import PIL.Image
import torch
from torchvision import tv_tensors

HEIGHT, WIDTH = 60, 80
SIZE = (HEIGHT, WIDTH)
LOST = 255
"""What pixels hold that were not in the image, in the third channel; those of the image hold 7."""


def coordinates(size=SIZE, dtype=torch.uint8) -> torch.Tensor:
    """(3, H, W): the column, the row, and 7."""
    y, x = torch.meshgrid(torch.arange(size[0]), torch.arange(size[1]), indexing="ij")
    return torch.stack([x, y, torch.full_like(x, 7)]).to(dtype)


def pil(size=SIZE):
    return PIL.Image.fromarray(coordinates(size).permute(1, 2, 0).numpy())


CARRIERS: dict[str, Callable[..., Any]] = {
    "PIL": pil,
    "uint8": coordinates,
    "float32": lambda size=SIZE: coordinates(size, torch.float32),
    "Image": lambda size=SIZE: tv_tensors.Image(coordinates(size)),
    "float64 Image": lambda size=SIZE: tv_tensors.Image(coordinates(size, torch.float64)),
    "Video": lambda size=SIZE: tv_tensors.Video(coordinates(size).expand(4, -1, -1, -1).clone()),
    "batch": lambda size=SIZE: tv_tensors.Image(coordinates(size).expand(2, 2, -1, -1, -1).clone()),
}


def pixels(image) -> np.ndarray:
    """(3, H, W) of the first picture of any carrier, in float64."""
    if isinstance(image, PIL.Image.Image):
        return np.asarray(image).transpose(2, 0, 1).astype(np.float64)
    return image.as_subclass(torch.Tensor).reshape(-1, *image.shape[-3:])[0].double().numpy()


def shown(image) -> tuple[int, int, int, int]:
    """The window that a crop has cut, from its pixels."""
    x, y, seven = pixels(image)
    inside = seven == 7
    row, column = np.argwhere(inside)[0]
    x0, y0 = int(x[row, column]) - column, int(y[row, column]) - row
    height, width = x.shape
    columns, rows = np.meshgrid(np.arange(x0, x0 + width), np.arange(y0, y0 + height))
    np.testing.assert_array_equal(x[inside], columns[inside])
    np.testing.assert_array_equal(y[inside], rows[inside])
    return int(x0), int(y0), int(x0 + width), int(y0 + height)


def zoomed(image) -> tuple[int, int, int, int]:
    """The window that a resized crop shows, from the slope of its pixels: bilinear, without antialiasing."""
    edges = []
    for channel, axis in ((0, 1), (1, 0)):
        line = pixels(image)[channel].mean(axis=1 - axis)
        count = len(line)
        low, high = count // 3, 2 * count // 3  # border pixels are held at the border, not on the line
        slope = (line[high] - line[low]) / (high - low)
        start = line[low] - slope * (low + 0.5) + 0.5
        edges.append((start, start + slope * count))
    (x0, x1), (y0, y1) = edges
    whole = [round(edge) for edge in (x0, y0, x1, y1)]  # a point may lie on an edge
    np.testing.assert_allclose([x0, y0, x1, y1], whole, atol=1e-3)
    return whole[0], whole[1], whole[2], whole[3]


class Thing(NamedTuple):
    """Objects as torchvision has them, and fine points of each: (N, K, 2), x and y."""

    leaf: Any
    points: np.ndarray
    protect: str | None = None


def cells(box, fine=64):
    """Fine points of an upright box."""
    x0, y0, x1, y1 = box
    at = (np.arange(fine) + 0.5) / fine
    x, y = np.meshgrid(x0 + (x1 - x0) * at, y0 + (y1 - y0) * at)
    return np.stack([x.ravel(), y.ravel()], axis=-1)


BOXES = [[3.0, 4.0, 15.0, 20.0], [50.0, 30.0, 62.0, 47.0]]
UPRIGHT = np.array([cells(box) for box in BOXES])


def boxes(to="XYXY", dtype=torch.float32, given=BOXES, size=SIZE) -> Any:
    rows = torch.tensor(given, dtype=torch.float64).reshape(-1, 4)
    if to != "XYXY":
        rows[:, 2:] -= rows[:, :2]
    if to == "CXCYWH":
        rows[:, :2] += rows[:, 2:] / 2
    return tv_tensors.BoundingBoxes(rows.to(dtype), format=to, canvas_size=size)


def turned(to) -> Thing:
    """Two rotated boxes, told by their corners: top left, top right, bottom right, bottom left of the unrotated."""
    corners, points = [], []
    for cx, cy, wide, high, degrees in ((14.0, 16.0, 18.0, 9.0, 30.0), (56.0, 40.0, 8.0, 16.0, -20.0)):
        turn = math.radians(degrees)  # counterclockwise as one sees it; y runs down
        along = np.array([math.cos(turn), -math.sin(turn)])
        across = np.array([math.sin(turn), math.cos(turn)])
        ring = [
            np.array([cx, cy]) + a * wide / 2 * along + b * high / 2 * across
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        corners.append((ring, (cx, cy, wide, high, degrees)))
        at = cells((-0.5, -0.5, 0.5, 0.5))
        points.append(np.array([cx, cy]) + at[:, :1] * wide * along + at[:, 1:] * high * across)
    rows = {
        "XYXYXYXY": [np.concatenate(ring).tolist() for ring, _ in corners],
        "CXCYWHR": [list(each) for _, each in corners],
        "XYWHR": [[*ring[0].tolist(), *each[2:]] for ring, each in corners],
    }[to]
    return Thing(tv_tensors.BoundingBoxes(torch.tensor(rows), format=to, canvas_size=SIZE), np.array(points))


def discs(dtype=torch.uint8):
    """Two instances."""
    y, x = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    return torch.from_numpy(np.stack([(x - 12) ** 2 + (y - 14) ** 2 < 81, (x - 58) ** 2 + (y - 40) ** 2 < 64])).to(
        dtype
    )


def of_mask(mask):
    """Each pixel's centre, as one point."""
    return [np.argwhere(each.numpy())[:, ::-1] + 0.5 for each in mask]


JOINTS = [[[5.0, 6.0], [12.0, 7.0], [10.0, 20.0]], [[52.0, 33.0], [60.0, 44.0], [55.0, 38.0]]]

THINGS: dict[str, Callable[[], Thing]] = {
    "XYXY": lambda: Thing(boxes(), UPRIGHT),
    "XYXY int64": lambda: Thing(boxes(dtype=torch.int64), UPRIGHT),
    "XYWH": lambda: Thing(boxes("XYWH"), UPRIGHT),
    "XYWH float16": lambda: Thing(boxes("XYWH", torch.float16), UPRIGHT),
    "CXCYWH": lambda: Thing(boxes("CXCYWH", torch.float64), UPRIGHT),
    "masks": lambda: Thing(tv_tensors.Mask(discs()), of_mask(discs())),
    "masks bool": lambda: Thing(tv_tensors.Mask(discs(torch.bool)), of_mask(discs())),
    "semantic": lambda: Thing(tv_tensors.Mask(discs(torch.int64)[0] * 3), of_mask(discs()[:1]), "mask"),
}
if hasattr(tv_tensors, "KeyPoints"):  # from torchvision 0.23 on
    THINGS |= {
        "XYWHR": lambda: turned("XYWHR"),
        "CXCYWHR": lambda: turned("CXCYWHR"),
        "XYXYXYXY": lambda: turned("XYXYXYXY"),
        "keypoints": lambda: Thing(tv_tensors.KeyPoints(torch.tensor(JOINTS), canvas_size=SIZE), np.array(JOINTS)),
    }


def left(points, window) -> float:
    """Share of fine points inside a window."""
    x, y = points[:, 0], points[:, 1]
    return float(((window[0] <= x) & (x < window[2]) & (window[1] <= y) & (y < window[3])).mean())
