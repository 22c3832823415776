"""Random small worlds for hypothesis: images up to 16², every kind of box, every kind of policy."""

from hypothesis import strategies as st

from safeaug.policy import Policy

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
