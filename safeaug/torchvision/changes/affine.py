"""Affine maps and rotations, and weaker ones.

The host looks from each pixel of the output back to where its colour is taken from, and does so from the middle of the
pixel: in coordinates of pixel edges. So its matrices are at edges as they are, whether the picture is a tensor or a PIL
image, and the image's centre is at half its width and height.
"""

import math
from typing import Any

from torchvision.transforms.v2.functional._geometry import _compute_affine_output_size

from safeaug.geometry import Size
from safeaug.guarding.way import Params
from safeaug.ledger.changes import Change, Mapped

NEAR = 0.01
"""Pixels: of a picture of 100 000 pixels' side single precision is off by less."""


def affine(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``RandomAffine``: sheared along x, then along y, scaled, turned clockwise, and moved."""
    angle, (dx, dy), scale = params["angle"], params["translate"], params["scale"]
    across, down = params["shear"]
    if (angle, dx, dy, scale, across, down) == (0, 0, 0, 1, 0, 0):
        return None
    turn, slant_x, slant_y = math.radians(angle), math.tan(math.radians(across)), math.tan(math.radians(down))
    # A turn by another angle, stretched by 1 / cos(down), is a shear along y and then a turn, in the first column.
    cos, sin = math.cos(turn), math.sin(turn)
    a, c = cos + sin * slant_y, sin - cos * slant_y
    b, d = -(a * slant_x + sin), cos - c * slant_x
    x, y = _centre(transform, image_size)
    a, b, c, d = a * scale, b * scale, c * scale, d * scale
    return Mapped(((a, b, x + dx - a * x - b * y), (c, d, y + dy - c * x - d * y), (0.0, 0.0, 1.0)), image_size)


def rotation(transform: Any, params: Params, image_size: Size) -> Change | None:
    """Tell a draw of ``RandomRotation``: turned counterclockwise, as one sees it."""
    angle = params["angle"] % 360
    if angle == 0 and transform.center is None:
        return None
    turn, (x, y), (height, width) = math.radians(angle), _centre(transform, image_size), image_size
    cos, sin = math.cos(turn), math.sin(turn)
    size = image_size
    if transform.expand:
        size = _seen(transform, angle, image_size, pil=params.get("pil", False))
    # Where the host makes room, it adds as much on the left as on the right, wherever it turns about.
    right, below = (size[1] - width) / 2, (size[0] - height) / 2
    rows = (cos, sin, x - cos * x - sin * y + right), (-sin, cos, y + sin * x - cos * y + below), (0.0, 0.0, 1.0)
    return Mapped(rows, size)


def weaker(transform: Any, params: Params, image_size: Size, strength: float) -> Params | None:
    """Return a weaker draw of ``RandomAffine``."""
    (dx, dy), (across, down) = params["translate"], params["shear"]
    return {
        **params,
        "angle": math.remainder(params["angle"], 360.0) * strength,
        "translate": (dx * strength, dy * strength),
        "scale": params["scale"] ** strength,
        "shear": (across * strength, down * strength),
    }


def less_turned(transform: Any, params: Params, image_size: Size, strength: float) -> Params | None:
    """Return a draw of ``RandomRotation`` by a smaller angle."""
    return {**params, "angle": math.remainder(params["angle"], 360.0) * strength}


def _centre(transform: Any, image_size: Size) -> tuple[float, float]:
    """Return the point that a transform turns about."""
    if transform.center is None:
        return image_size[1] / 2, image_size[0] / 2
    x, y = transform.center
    return float(x), float(y)


def _seen(transform: Any, angle: float, image_size: Size, *, pil: bool) -> Size:
    """Return the size into which a picture is turned: whole pixels around its corners.

    Of corners that lie close to an edge of pixels the roundings decide, which differ between PIL and tensors.
    """
    height, width = image_size
    if transform.center is None and angle in (90, 180, 270):
        return image_size if angle == 180 else (width, height)
    turn, (x, y) = -math.radians(angle), _centre(transform, image_size)
    cos, sin = round(math.cos(turn), 15), round(math.sin(turn), 15)
    # As the host's library has it: by the way back, with the same roundings.
    right, below = cos * -x + sin * -y + x, -sin * -x + cos * -y + y
    corners = (0, 0), (width, 0), (width, height), (0, height)
    xs = [cos * left + sin * top + right for left, top in corners]
    ys = [-sin * left + cos * top + below for left, top in corners]
    if pil or all(abs(each - round(each)) > NEAR for each in xs + ys):
        return math.ceil(max(ys)) - math.floor(min(ys)), math.ceil(max(xs)) - math.floor(min(xs))
    x, y = x - width / 2, y - height / 2  # it counts from the middle of the image
    back = [cos, sin, x - cos * x - sin * y, -sin, cos, y + sin * x - cos * y]
    wide, high = _compute_affine_output_size(back, width, height)
    return high, wide
