"""What a ledger still sees, as objects of the picture as it is now: for a step that chooses where to look."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from safeaug.content import OUTSIDE, Content, content_of_rows, content_of_shapes, counting
from safeaug.geometry import Box, Size, clip_ring, ring_area
from safeaug.ledger.dots import Dots, carried
from safeaug.ledger.field import Floats
from safeaug.ledger.ledger import Ledger, Track
from safeaug.ledger.matrices import Matrix, determinant, inverse, is_affine, moved, moved_points, product
from safeaug.ledger.patch import Patch, rings_of
from safeaug.ledger.pins import Pins
from safeaug.ledger.rings import NEAR, bounds, box_of, ring_of
from safeaug.ledger.sampling import FINEST
from safeaug.policy import Policy
from safeaug.shapes import Points, Polygon, Region, Shape
from safeaug.shapes.polygon import winding_coverage
from safeaug.traits import Traits


def visible(ledger: Ledger, policy: Policy, traits: Traits) -> Content:
    """Return what is visible as content of the picture as it is now.

    Parameters
    ----------
    ledger : Ledger
        Up to here.
    policy : Policy
        What counts. What has fallen below its limit was lost before, and does not.
    traits : Traits
        Of each object as it came in; what is left of it takes the place of its prior visibility. Those that were too
        small then are ignored: of what is left, and in pixels of now, that would be another question.

    Returns
    -------
    Content
        Its limits are shares of what is visible now, such that a window which keeps them keeps the policy's share of
        the object as it came in. That is exact where all of an object is scaled alike; where a perspective is at work,
        mass stands for area. A mask that was scaled or turned is looked at in the pixels of now: right but for a part
        of those on its outline.
    """
    left = [0.0 if share != share else share for share in ledger.shares[-1]]
    policy = policy if policy.ignore_smaller_than is None else replace(policy, ignore_smaller_than=None)
    boxes = boxes_of(ledger)
    if boxes is not None:  # by far the commonest case, and the quickest to search
        ignore = traits.ignore or [False] * len(boxes)
        gone = [ignored or box is OUTSIDE for ignored, box in zip(ignore, boxes, strict=True)]
        content = content_of_rows(boxes, ledger.size, traits.limits, traits.weights, gone)
        return counting(content, policy, left)
    objects = [_object(track, ledger.matrix, ledger.size) for track in ledger.tracks]
    return content_of_shapes(objects, ledger.size, policy, traits._replace(priors=left))


def cells_of(ledger: Ledger, grid: Size) -> NDArray[np.uint8]:
    """Return the saliency map that a ledger follows, as the picture shows it now.

    Parameters
    ----------
    ledger : Ledger
        Of a saliency map, up to here.
    grid : (int, int)
        Rows and columns into which the picture is divided.

    Returns
    -------
    ndarray of shape ``grid``, uint8
        The greatest is 255; all 0 where nothing of it is visible. Each cell is what its middle shows, or the mean of
        several looks where it holds several of the map's own.
    """
    height, width = ledger.size
    (track,) = ledger.tracks
    scale = (grid[1] / width, 0.0, 0.0, 0.0, grid[0] / height, 0.0, 0.0, 0.0, 1.0)
    seen = _object(track, product(scale, ledger.matrix), grid)
    cells = np.zeros(grid, np.uint8)
    if isinstance(seen, Region):
        down, across = seen.cover.shape
        cells[seen.top : seen.top + down, seen.left : seen.left + across] = np.floor(seen.cover * 255 + 0.5)
    return cells


def boxes_of(ledger: Ledger) -> list[Box] | None:
    """Return all objects as boxes of the picture as it is now, `OUTSIDE` for one of which nothing is visible.

    None where one of them is something else than an upright box.
    """
    a, b, _, d, e, _, g, h, _ = ledger.matrix
    if g or h or not ((b == 0 and d == 0) or (a == 0 and e == 0)):
        return None
    boxes, (height, width) = [], ledger.size
    for track in ledger.tracks:
        if track is None or not track.left:
            boxes.append(OUTSIDE)
        elif isinstance(track, Patch) and track.rings is None and track.region is None:
            (xa, ya), (xb, yb) = moved(ledger.matrix, [(track.box[0], track.box[1]), (track.box[2], track.box[3])])
            # Rounding may have put a side a hair beside the frame, or all of a sliver.
            x0, x1 = max(min(xa, xb), 0.0), min(max(xa, xb), float(width))
            y0, y1 = max(min(ya, yb), 0.0), min(max(ya, yb), float(height))
            boxes.append((x0, y0, x1, y1) if x0 < x1 and y0 < y1 else OUTSIDE)
        else:
            return None
    return boxes


def _object(track: Track | None, matrix: Matrix, size: Size) -> Shape | Box | None:
    """Return one object, in the frame of the picture; None where nothing of it is visible."""
    if track is None or not track.left:
        return None
    if isinstance(track, Pins):
        points = moved(matrix, track.points)
        (x, y), *_ = points
        return (x, y, x, y) if track.slack else Points(np.array(points))
    if isinstance(track, Dots):
        return _of_dots(track, matrix, size)
    return _of_patch(track, matrix, size)


def _of_patch(patch: Patch, matrix: Matrix, size: Size) -> Shape | Box | None:
    frame = 0.0, 0.0, float(size[1]), float(size[0])
    rings = [ring_of(patch.box)] if patch.rings is None else rings_of(patch)
    # Rounding may have put a corner a hair beside the frame, or all of a sliver.
    clipped = [clip_ring(moved(matrix, ring), frame) for ring in rings]
    seen = [ring for ring in clipped if ring_area(ring) > 0]
    if not seen:
        return None
    if len(rings) == 1 and patch.region is None and is_affine(matrix):
        (ring,) = seen
        return box_of(ring) or Polygon(ring)
    x0, y0, x1, y1 = bounds(corner for ring in seen for corner in ring)
    left, top = math.floor(x0), math.floor(y0)
    relative = [np.array(ring) - [left, top] for ring in seen]
    cover = winding_coverage(relative, (math.ceil(y1) - top, math.ceil(x1) - left))
    cover *= np.copysign(1.0, determinant(matrix))  # a mirror turns all rings around
    x, y = (np.arange(side, dtype=np.float64) + 0.5 for side in cover.shape[::-1])
    return _region(
        np.maximum(cover, 0.0) * _density(patch.region, matrix, x[None, :] + left, y[:, None] + top), left, top
    )


def _density(region: Region | None, matrix: Matrix, x: Floats, y: Floats) -> Floats:
    """Return the mass of an object for each of some pixels, given by their middles, were they inside of it.

    Of a mask that is its mean over a pixel, looked at in parts no larger than a pixel of the source, as a rule: of one
    that was made smaller, one look would see a line or miss it.
    """
    back = inverse(matrix)
    at_x, at_y, scale = moved_points(back, x, y)
    if region is None:
        return scale
    parts = []
    for next_x, next_y, _ in (moved_points(back, x + 1, y), moved_points(back, x, y + 1)):
        step = float(np.median(np.maximum(np.abs(next_x - at_x), np.abs(next_y - at_y))))
        parts.append(min(math.ceil(step - NEAR) or 1, FINEST))
    across, down = ((np.arange(count) + 0.5) / count - 0.5 for count in parts)
    looks = (_at(region, *moved_points(back, x + right, y + lower)) for right in across for lower in down)
    return sum(looks, np.zeros(scale.shape)) / (len(across) * len(down))


def _at(region: Region, x: Floats, y: Floats, scale: Floats) -> Floats:
    """Return the mass of a mask at some points of the source, for each pixel of the picture, which is scaled so."""
    column = np.clip(np.floor(x).astype(int) - region.left, 0, region.cover.shape[1] - 1)
    row = np.clip(np.floor(y).astype(int) - region.top, 0, region.cover.shape[0] - 1)
    shares = region.cover[row, column]
    mass: Floats = scale * (shares if shares.dtype.kind == "f" else shares != 0)
    return mass


def _of_dots(dots: Dots, matrix: Matrix, size: Size) -> Region | None:
    seen = carried(dots, matrix)
    column = np.clip(np.floor(seen.x).astype(int), 0, size[1] - 1)
    row = np.clip(np.floor(seen.y).astype(int), 0, size[0] - 1)
    cover = np.bincount(row * size[1] + column, weights=seen.mass, minlength=size[0] * size[1])
    return _region(cover.astype(np.float64).reshape(size))


def _region(cover: Floats, left: int = 0, top: int = 0) -> Region | None:
    """Return a spread of mass as an object, in units of its greatest."""
    most = float(cover.max())
    return Region(cover / most, left, top) if most > 0 else None
