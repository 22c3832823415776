"""Random scenes for the promise: what people's data holds, and what it should not."""

import random
import struct

SIZES = [(1, 1), (1, 40), (3, 2), (64, 64), (200, 2000), (4000, 200), (480, 640), (512, 512), (1080, 1920), (37, 301)]


def scene(
    rng: random.Random, most: int = 8, largest: int = 5000
) -> tuple[tuple[int, int], list[tuple[float, float, float, float]]]:
    """An image size and 1–8 boxes: sub-pixel to image-filling, on the border, fractional, whole, or in float32."""
    image_size = rng.choice(SIZES) if rng.random() < 0.5 else (rng.randint(1, 700), rng.randint(1, 700))
    if max(image_size) > largest:
        image_size = tuple(max(1, side * largest // max(image_size)) for side in image_size)
    return image_size, [box(rng, image_size) for _ in range(rng.randint(1, most))]


def box(rng: random.Random, image_size: tuple[int, int]) -> tuple[float, float, float, float]:
    height, width = image_size
    (x0, x1), (y0, y1) = side(rng, width), side(rng, height)
    kind = rng.random()
    if kind < 0.3:
        x0, y0, x1, y1 = (float(round(value)) for value in (x0, y0, x1, y1))
        x0, y0 = min(x0, width - 1.0), min(y0, height - 1.0)
        x1, y1 = max(x1, x0 + 1), max(y1, y0 + 1)
    elif kind < 0.6:
        x0, y0, x1, y1 = (as_float32(value) for value in (x0, y0, x1, y1))
    return x0, y0, x1, y1


def side(rng: random.Random, length: int) -> tuple[float, float]:
    extent = min(length * 2 ** -rng.uniform(0, 10), length)
    kind = rng.random()
    start = 0.0 if kind < 0.1 else length - extent if kind < 0.2 else rng.uniform(0, length - extent)
    return start, start + extent


def as_float32(value: float) -> float:
    return struct.unpack("f", struct.pack("f", value))[0]
