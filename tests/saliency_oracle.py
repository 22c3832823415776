"""The maps by their definitions, in float64, by scipy, scikit-image and plain loops: nothing of safeaug is used."""

import heapq
from itertools import pairwise

import numpy as np
from scipy import fft, ndimage
from skimage.color import rgb2lab


def grid(image, size):
    """Each cell's mean, from the area that it shares with each pixel."""
    pixels = np.asarray(image, float)
    pixels = pixels / 255 if image.dtype == np.uint8 else pixels
    pixels = pixels[..., None] if pixels.ndim == 2 else pixels
    for axis in (0, 1):
        length = pixels.shape[axis]
        ends = np.linspace(0, length, size + 1)
        parts = []
        for start, stop in pairwise(ends):
            weights = [max(0.0, min(stop, i + 1) - max(start, i)) for i in range(length)]
            parts.append(np.average(pixels, axis=axis, weights=weights))
        pixels = np.stack(parts, axis)
    return pixels


def channels(cells):
    """L*a*b*, of an image with other than three channels the L* of each."""
    if cells.shape[2] == 3:
        return rgb2lab(cells)
    return np.concatenate([rgb2lab(np.repeat(cells[..., i : i + 1], 3, 2))[..., :1] for i in range(cells.shape[2])], 2)


def scaled(raw):
    return (raw - raw.min()) / (raw.max() - raw.min())


def blurred(raw):
    return ndimage.gaussian_filter(raw, 0.045 * len(raw), mode="mirror", truncate=12)


def signature(image, size, fade=True):
    """The definition has the sign itself, without a fade."""
    raw = np.zeros((size, size))
    for channel in np.moveaxis(channels(grid(image, size)), 2, 0):
        waves = fft.dctn(channel - channel.mean(), norm="ortho")
        signs = np.sign(waves) * (np.clip((abs(waves) - 0.01) / 0.1, 0, 1) if fade else 1)
        raw += fft.idctn(signs, norm="ortho") ** 2
    return scaled(blurred(raw))


def gradient(image, size):
    squares = 0
    for channel in np.moveaxis(channels(grid(image, size)), 2, 0):
        squares = squares + sum(ndimage.sobel(channel, axis, mode="nearest") ** 2 for axis in (0, 1))
    return scaled(blurred(np.sqrt(squares)))


def spectral_residual(image, size):
    cells = grid(image, size) * 255
    luma = cells @ [0.299, 0.587, 0.114] if cells.shape[2] == 3 else cells[..., 0]
    waves = np.fft.fft2(luma)
    log = np.log1p(abs(waves))
    residual = np.exp(log - ndimage.uniform_filter(log, 3, mode="wrap"))
    phase = waves / np.maximum(abs(waves), 0.05)
    bell = np.exp(-0.5 * (np.arange(-2, 3) / 8) ** 2)
    kernel = np.outer(bell, bell) / bell.sum() ** 2
    return scaled(ndimage.convolve(abs(np.fft.ifft2(residual * phase)), kernel, mode="mirror") ** 2)


def swept_barrier(values):
    """Cell by cell: paths go down, up, right, left; each cell takes the better of its own and its neighbour's."""
    height, width = values.shape
    path = {}
    for y in range(height):
        for x in range(width):
            inner = 0 < y < height - 1 and 0 < x < width - 1
            path[y, x] = (np.inf, -np.inf) if inner else (values[y, x], values[y, x])
    ranges = [
        [((y - 1, x), (y, x)) for y in range(1, height) for x in range(width)],
        [((y + 1, x), (y, x)) for y in range(height - 2, -1, -1) for x in range(width)],
        [((y, x - 1), (y, x)) for x in range(1, width) for y in range(height)],
        [((y, x + 1), (y, x)) for x in range(width - 2, -1, -1) for y in range(height)],
    ]
    for steps in ranges:
        for before, here in steps:
            high, low = max(path[before][0], values[here]), min(path[before][1], values[here])
            if high - low < path[here][0] - path[here][1] or np.isinf(path[here][0]):
                path[here] = high, low
    return np.array([[path[y, x][0] - path[y, x][1] for x in range(width)] for y in range(height)])


def exact_barrier(values):
    """The minimum barrier distance itself: for each lowest value a path may have, the least highest one (Dijkstra)."""
    height, width = values.shape
    best = np.full(values.shape, np.inf)
    for lowest in np.unique(values):
        highest = np.full(values.shape, np.inf)
        heap = [
            (values[y, x], y, x)
            for y in range(height)
            for x in range(width)
            if (y in (0, height - 1) or x in (0, width - 1)) and values[y, x] >= lowest
        ]
        heapq.heapify(heap)
        while heap:
            high, y, x = heapq.heappop(heap)
            if high >= highest[y, x]:
                continue
            highest[y, x] = high
            for j, i in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                if 0 <= j < height and 0 <= i < width and values[j, i] >= lowest:
                    heapq.heappush(heap, (max(high, values[j, i]), j, i))
        best = np.minimum(best, highest - lowest)
    return best


def mbd(image, size):
    return scaled(sum(swept_barrier(channel) for channel in np.moveaxis(channels(grid(image, size)), 2, 0)))


def center(image, size):
    away = np.arange(size) - (size - 1) / 2
    bell = np.exp(-0.5 * (away / (size / 4)) ** 2)
    return scaled(np.outer(bell, bell))


def auto(image, size):
    return scaled(signature(image, size) + mbd(image, size))
