"""Batches whose every object is painted into its image, so that the pixels of an output can be asked where it went."""

import math
import random

import torch

from safeaug import batch
from tests import oracle

FORMS = "dense", "padded", "list", "ragged"
"""How a batch is handed over."""

BRIGHT = 255


def sizes_of(form, count, seed=0, low=24, high=60):
    """Heights and widths of the images of a batch: one for all where it is dense."""
    rng = random.Random(seed)
    sizes = [(rng.randint(low, high), rng.randint(low, high)) for _ in range(count)]
    return [(40, 52)] * count if form == "dense" else sizes


def whole_box(rng, size, least=3):
    """A box of whole pixels inside an image."""
    (y0, y1), (x0, x1) = (span(rng, side, least) for side in size)
    return x0, y0, x1, y1


def span(rng, side, least):
    extent = rng.randint(least, max(least, side // 2))
    start = rng.randint(0, side - extent)
    return start, start + extent


def painted(size, box, channels=1):
    """A dark image with one bright rectangle."""
    picture = torch.zeros((channels, *size), dtype=torch.uint8)
    x0, y0, x1, y1 = box
    picture[:, y0:y1, x0:x1] = BRIGHT
    return picture


def handed_over(form, pictures):
    """Images as the arguments of a call. What fills up a padded batch is bright, so that one sees where it is read."""
    if form == "dense":
        return {"images": torch.stack(pictures)}
    if form == "list":
        return {"images": pictures}
    if form == "ragged":
        return {"images": batch.collate(pictures)}
    sizes = [tuple(picture.shape[1:]) for picture in pictures]
    high, wide = (max(side) + 3 for side in zip(*sizes, strict=True))
    images = torch.full((len(pictures), len(pictures[0]), high, wide), BRIGHT, dtype=pictures[0].dtype)
    for image, picture in zip(images, pictures, strict=True):
        image[:, : picture.shape[1], : picture.shape[2]] = picture
    return {"images": images, "sizes": torch.tensor(sizes)}


def bright_box(picture, level=128):
    """The smallest box (x0, y0, x1, y1) around the bright pixels of a picture (H, W); None where there are none."""
    rows, columns = (picture >= level).nonzero(as_tuple=True)
    if not len(rows):
        return None
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def inside(box, rectangle):
    """What of a box lies in a rectangle; None where nothing does."""
    a, b = max(box[0], rectangle[0]), max(box[1], rectangle[1])
    c, d = min(box[2], rectangle[2]), min(box[3], rectangle[3])
    return (a, b, c, d) if a < c and b < d else None


def scattered(rng, size, count):
    """Boxes of fractional corners, some of which reach over the image or lie outside of it, or have no area."""
    height, width = size
    boxes = []
    for _ in range(count):
        x, y = rng.uniform(-0.3, 1.0) * width, rng.uniform(-0.3, 1.0) * height
        wide, high = (side * 2 ** -rng.uniform(0.5, 5) for side in (width, height))
        flat = rng.random()
        boxes.append((x, y, x + (0 if flat < 0.06 else wide), y + (0 if flat > 0.94 else high)))
    return boxes


def padded_rows(rows, filler=math.nan):
    """Lists of rows as one tensor, filled up with what must never count, and which rows hold an object."""
    count, length = max(map(len, rows)), len(next(row for each in rows for row in each))
    tensor = torch.full((len(rows), count, length), filler, dtype=torch.float64)
    valid = torch.zeros((len(rows), count), dtype=torch.bool)
    for i, each in enumerate(rows):
        if each:
            tensor[i, : len(each)], valid[i, : len(each)] = torch.tensor(each, dtype=torch.float64), True
    return tensor, valid


def blank(size, channels=1):
    """An image of which only the size matters; it takes no memory."""
    return torch.zeros((channels, 1, 1), dtype=torch.uint8).expand(-1, *size)


def known_boxes(boxes, size):
    """Boxes as the oracle judges them, without those outside of the image."""
    return [box for box in (oracle.clipped(tuple(box), size) for box in boxes) if box is not None]
