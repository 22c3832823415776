"""Images of their own coordinates, in which one reads what was cut out; crops of the host; boxes in its forms."""

import random

import kornia.augmentation as K
import torch

from safeaug.policy import Status

SIZE = 30, 41
"""Height and width of most images here."""

CROPS = {
    "crop": lambda **more: K.RandomCrop((16, 20), **more),
    "crop, resample": lambda **more: K.RandomCrop((16, 20), cropping_mode="resample", **more),
    "crop, padded": lambda **more: K.RandomCrop((16, 20), padding=(1, 2, 3, 4), **more),
    "crop, padded, resample": lambda **more: K.RandomCrop((16, 20), padding=5, cropping_mode="resample", **more),
    "crop, pad if needed": lambda **more: K.RandomCrop((36, 20), padding=2, pad_if_needed=True, **more),
    "resized": lambda **more: K.RandomResizedCrop((18, 22), **more),
    "resized, resample": lambda **more: K.RandomResizedCrop((18, 22), cropping_mode="resample", **more),
    "resized, half pixels": lambda **more: K.RandomResizedCrop((18, 22), align_corners=False, **more),
    "resized, nearest": lambda **more: K.RandomResizedCrop((18, 22), resample="nearest", **more),
}
"""The host's random crops, whose windows may be moved in either cropping mode."""

CENTRED = {"centre, resample": lambda **more: K.CenterCrop((16, 20), cropping_mode="resample", **more)}


def places(count, size=SIZE, dtype=torch.float32):
    """Images in which every pixel holds its column and its row, both counted from 1, so that padding is 0."""
    height, width = size
    x = torch.arange(1, width + 1).expand(height, width)
    y = torch.arange(1, height + 1)[:, None].expand(height, width)
    return torch.stack([x, y]).to(dtype).expand(count, 2, height, width).clone()


def window_in(picture):
    """The window of an image of places that a picture shows, as edges; None where it is resized and interpolated."""
    inside = (picture > 0.5).all(0)
    rows, columns = inside.any(1).nonzero()[:, 0], inside.any(0).nonzero()[:, 0]
    top, bottom, left, right = (int(each) for each in (rows[0], rows[-1], columns[0], columns[-1]))
    (x0, y0), (x1, y1) = picture[:, top, left].tolist(), picture[:, bottom, right].tolist()
    return round(x0) - 1, round(y0) - 1, round(x1), round(y1)


def clipped(window, size=SIZE):
    """The part of a window that lies in the image."""
    return max(window[0], 0), max(window[1], 0), min(window[2], size[1]), min(window[3], size[0])


def scene(rng: random.Random, size=SIZE, most=3):
    """Boxes of whole pixels, as edges."""
    height, width = size
    boxes = []
    for _ in range(rng.randint(0, most)):
        wide, high = rng.randint(1, width // 3), rng.randint(1, height // 3)
        x, y = rng.randint(0, width - wide), rng.randint(0, height - high)
        if (x, y, wide, high) != (0, 0, 1, 1):
            boxes.append((x, y, x + wide, y + high))
    return boxes


def share(box, window):
    """How much of a box lies in a window; the obvious way."""
    wide = min(box[2], window[2]) - max(box[0], window[0])
    high = min(box[3], window[3]) - max(box[1], window[1])
    return max(wide, 0) * max(high, 0) / ((box[2] - box[0]) * (box[3] - box[1]))


def form_of(key, box):
    """A box of edges under a data key of the host."""
    x0, y0, x1, y1 = box
    if key == "bbox_xywh":
        return [x0, y0, x1 - x0, y1 - y0]
    x1, y1 = x1 - 1, y1 - 1
    return [x0, y0, x1, y1] if key == "bbox_xyxy" else [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


def edges_of(key, row):
    """The other way round."""
    if key == "bbox_xywh":
        return row[0], row[1], row[0] + row[2], row[1] + row[3]
    return (*row[:2], row[2] + 1, row[3] + 1) if key == "bbox_xyxy" else (*row[0], row[2][0] + 1, row[2][1] + 1)


def listed(key, scenes, dtype=torch.float32):
    """Boxes of each image, as the host takes lists."""
    end = (4, 2) if key == "bbox" else (4,)
    return [torch.tensor([form_of(key, box) for box in boxes], dtype=dtype).reshape(-1, *end) for boxes in scenes]


def padded(key, scenes, dtype=torch.float32):
    """The same as one tensor, filled up as the host does: with the pixel in the corner (0, 0)."""
    most = max(map(len, scenes))
    rows = [[form_of(key, box) for box in [*boxes, *[(0, 0, 1, 1)] * (most - len(boxes))]] for boxes in scenes]
    end = (4, 2) if key == "bbox" else (4,)
    return torch.tensor(rows, dtype=dtype).reshape(len(scenes), most, *end)


def statuses(outcome):
    return [Status(number) for number in outcome.status.tolist()]
