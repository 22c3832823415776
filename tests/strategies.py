"""Random small worlds for hypothesis: images up to 16², every kind of object, every kind of policy."""

from math import cos, pi, sin

import numpy as np
from hypothesis import strategies as st

from safeaug.policy import Policy
from tests.oracle import Thing

SIDE = 16


def image_sizes(most: int = SIDE):
    return st.tuples(st.integers(1, most), st.integers(1, most))


@st.composite
def boxes_in(draw, image_size, *, inside: bool = False):
    """A box: whole or fractional pixels, sometimes a point, sometimes partly or wholly outside."""
    height, width = image_size
    beyond = 0 if inside else 3
    whole = draw(st.booleans())

    def pair(side):
        low, high = -beyond, side + beyond
        ends = st.integers(low, high).map(float) if whole else st.floats(low, high, width=32)
        return sorted((draw(ends), draw(ends)))

    (x0, x1), (y0, y1) = pair(width), pair(height)
    return x0, y0, x1, y1


def limits():
    return st.sampled_from([0.0, 0.05, 0.3, 0.5, 0.7, 0.9, 1.0]) | st.floats(0, 1)


@st.composite
def policies(draw, *, keeps=("all", "any", "whole", 1, 2, 3), on_fail=("most",)):
    return Policy(
        min_retention=draw(limits()),
        keep=draw(st.sampled_from(keeps)),
        min_fill=draw(st.none() | st.floats(0.1, 1)),
        min_visible_pixels=draw(st.none() | st.floats(0, 40)),
        max_stretch=draw(st.none() | st.floats(1, 4)),
        sampling=draw(st.sampled_from(["keep_scale", "joint"])),
        tries=draw(st.integers(0, 4)),
        on_fail=draw(st.sampled_from(on_fail)),
    )


@st.composite
def worlds(draw, *, most_boxes: int = 4, side: int = SIDE, **policy):
    """An image size, boxes, a policy and a window size that fits."""
    image_size = draw(image_sizes(side))
    boxes = draw(st.lists(boxes_in(image_size), min_size=0, max_size=most_boxes))
    size = draw(st.tuples(st.integers(1, image_size[0]), st.integers(1, image_size[1])))
    return image_size, boxes, draw(policies(**policy)), size


@st.composite
def masks_in(draw, image_size):
    """The rows of a mask: bool, whole numbers or shares; noise, or a few rectangles; sometimes empty."""
    height, width = image_size
    values = draw(
        st.sampled_from(
            [
                st.booleans(),
                st.integers(0, 255),
                st.sampled_from([0, 0, 0, 7]),
                st.integers(0, 16).map(lambda k: k / 16),
            ]
        )
    )
    zero = type(draw(values))(0)
    if draw(st.booleans()):
        return [[draw(values) for _ in range(width)] for _ in range(height)]
    rows = [[zero] * width for _ in range(height)]
    for _ in range(draw(st.integers(0, 3))):
        x0, x1 = sorted((draw(st.integers(0, width)), draw(st.integers(0, width))))
        y0, y1 = sorted((draw(st.integers(0, height)), draw(st.integers(0, height))))
        value = draw(values)
        for y in range(y0, y1):
            rows[y][x0:x1] = [value] * (x1 - x0)
    return rows


@st.composite
def polygons_in(draw, image_size, *, inside: bool = False):
    """The corners of a simple polygon: a triangle, a convex one, or a star that may be concave; either way round."""
    height, width = image_size
    beyond = 0 if inside else 3
    kind = draw(st.sampled_from(["triangle", "convex", "star", "rectangle"]))
    if kind == "star":
        corners = draw(st.integers(4, 8))
        x, y = width * draw(st.floats(0.2, 0.8)), height * draw(st.floats(0.2, 0.8))
        room = min(x, y, width - x, height - y) if inside else max(height, width)
        turns = [(k + draw(st.floats(0.05, 0.95))) * 2 * pi / corners for k in range(corners)]
        radii = [draw(st.floats(0.1, 1)) * room for _ in turns]
        ring = [(x + r * cos(turn), y + r * sin(turn)) for turn, r in zip(turns, radii, strict=True)]
        ring = [(round(x * 1024) / 1024, round(y * 1024) / 1024) for x, y in ring]  # short fractions, for the oracle
    else:
        steps = draw(st.sampled_from([1, 2, 8]))  # corners on whole pixels, halves or eighths
        along = st.integers(-beyond * steps, (width + beyond) * steps).map(lambda each: each / steps)
        down = st.integers(-beyond * steps, (height + beyond) * steps).map(lambda each: each / steps)
        if kind == "rectangle":
            (x0, x1), (y0, y1) = (sorted((draw(axis), draw(axis))) for axis in (along, down))
            ring = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
        else:
            ring = draw(st.lists(st.tuples(along, down), min_size=3, max_size=3 if kind == "triangle" else 8))
            ring = hull_of(ring) if kind == "convex" else ring
    if len(ring) < 3:  # a hull that is a line
        ring = [*ring, *ring, *ring][:3]
    return ring[::-1] if draw(st.booleans()) else ring


def hull_of(points):
    """The convex hull of points, counterclockwise where y runs up (the monotone chain)."""

    def chain(ordered):
        kept = []
        for x, y in ordered:
            while len(kept) > 1:
                (xa, ya), (xb, yb) = kept[-2:]
                if (xb - xa) * (y - ya) - (yb - ya) * (x - xa) > 0:
                    break
                kept.pop()
            kept.append((x, y))
        return kept[:-1]

    ordered = sorted(set(points))
    return chain(ordered) + chain(ordered[::-1]) or ordered


@st.composite
def keypoints_in(draw, image_size):
    """The keypoints of an instance: on whole and half pixels and between, some unseen, some outside, maybe none."""
    height, width = image_size

    def axis(side):
        halves = st.integers(-2, 2 * side + 4).map(lambda each: each / 2)
        return halves | st.floats(-1, side + 1, width=32).map(float)

    marked = draw(st.booleans())
    one = st.tuples(axis(width), axis(height), *([st.sampled_from([0, 1, 2])] if marked else []))
    return draw(st.lists(one, max_size=5))


@st.composite
def things_in(draw, image_size, *, most: int = 3, kinds=("box", "polygon", "mask", "keypoints")):
    """Objects of several kinds, in the order in which `content_from` takes them."""
    of = {"box": boxes_in, "polygon": polygons_in, "mask": masks_in, "keypoints": keypoints_in}
    found = []
    for _ in range(draw(st.integers(1, most))):
        kind = draw(st.sampled_from(kinds))
        found.append(Thing(kind, draw(of[kind](image_size))))
    order = ("box", "polygon", "mask", "keypoints")
    return sorted(found, key=lambda thing: order.index(thing.kind))


def given_as(things):
    """Objects as the keywords of `content_from` and `place`."""
    by_kind = {"box": "boxes", "polygon": "polygons", "mask": "masks", "keypoints": "keypoints"}
    given = {}
    for thing in things:
        data = np.array(thing.data) if thing.kind == "mask" else thing.data
        given.setdefault(by_kind[thing.kind], []).append(data)
    return given


@st.composite
def mixed_worlds(draw, *, side: int = 10, most: int = 3, kinds=("box", "polygon", "mask", "keypoints"), **policy):
    """An image size, objects of several kinds, a policy and a window size that fits."""
    image_size = draw(image_sizes(side))
    things = draw(things_in(image_size, most=most, kinds=kinds))
    size = draw(st.tuples(st.integers(1, image_size[0]), st.integers(1, image_size[1])))
    return image_size, things, draw(policies(**policy)), size
