"""CropAndPad: each side of the image is cut or padded by itself."""

from typing import Any

from safeaug.albumentations.windows.kind import Kind
from safeaug.candidates import Law
from safeaug.geometry import Size, Window, size_of
from safeaug.guarding.kind import Params


class Sides(Kind):
    """``CropAndPad``."""

    law = Law.CLAMPED
    promises = False

    def frame(self, drawn: Params, image_size: Size) -> Window:
        """Return the image and its border."""
        height, width = image_size
        top, bottom, left, right = drawn["pad_params"] or (0, 0, 0, 0)
        return -left, -top, width + right, height + bottom

    def window(self, transform: Any, drawn: Params, image_size: Size) -> Window:
        """Return what is left of the image, and its border."""
        height, width = image_size
        x0, y0, x1, y1 = drawn["crop_params"] or (0, 0, width, height)
        top, bottom, left, right = drawn["pad_params"] or (0, 0, 0, 0)
        return x0 - left, y0 - top, x1 + right, y1 + bottom

    def put(self, transform: Any, drawn: Params, window: Window, image_size: Size) -> None:
        """Write what is cut and what is padded, in the host's own form: None for nothing."""
        (x0, y0, x1, y1), (height, width) = window, image_size
        crop = [max(x0, 0), max(y0, 0), min(x1, width), min(y1, height)]
        pad = [max(-y0, 0), max(y1 - height, 0), max(-x0, 0), max(x1 - width, 0)]
        drawn["crop_params"] = None if crop == [0, 0, width, height] else crop
        drawn["pad_params"] = pad if any(pad) else None
        drawn["result_shape"] = size_of(window)

    def output(self, transform: Any, size: Size, drawn: Params, image_size: Size) -> Size:
        """Return the image's size where it is kept, else the window's."""
        return image_size if transform.keep_size else size
