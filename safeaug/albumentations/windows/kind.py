"""What a guarded draw asks of a transform of this host, and the answer of those that cut by ``crop_coords``."""

from typing import Any

from safeaug import guarding
from safeaug.albumentations.reading import Reading
from safeaug.albumentations.targets import Sample, content_from
from safeaug.content import Content
from safeaug.geometry import Size, Window, size_of, window_at
from safeaug.guarding import Params
from safeaug.policy import Policy


class Kind(guarding.Kind):
    """Base of the kinds: one window, the whole image, at its own size."""

    def content(self, transform: Any, sample: Sample, policy: Policy, reading: Reading) -> Content:
        """Return what must survive of a sample."""
        return content_from(sample, policy, reading)


class Cut(Kind):
    """Transforms that cut ``crop_coords``, counted from the corner of the image and its padding ``pad_params``."""

    def frame(self, drawn: Params, image_size: Size) -> Window:
        """Return the image and its padding."""
        pad = drawn.get("pad_params")
        height, width = image_size
        if not pad:
            return 0, 0, width, height
        return -pad["pad_left"], -pad["pad_top"], width + pad["pad_right"], height + pad["pad_bottom"]

    def window(self, transform: Any, drawn: Params, image_size: Size) -> Window | None:
        """Return ``crop_coords`` in the image frame."""
        left, top, right, bottom = self.frame(drawn, image_size)
        x0, y0, x1, y1 = drawn["crop_coords"]
        window = window_at(int(x0) + left, int(y0) + top, (int(y1) - int(y0), int(x1) - int(x0)))
        if (x0, y0, x1, y1) != (int(x0), int(y0), int(x1), int(y1)) or x0 >= x1 or y0 >= y1:
            return None
        inside = left <= window[0] and top <= window[1] and window[2] <= right and window[3] <= bottom
        return window if inside else None

    def pads(self, drawn: Params) -> bool:
        """Return whether the image is padded before it is cut."""
        return bool(drawn.get("pad_params"))

    def put(self, transform: Any, drawn: Params, window: Window, image_size: Size) -> None:
        """Write ``crop_coords``."""
        left, top, *_ = self.frame(drawn, image_size)
        drawn["crop_coords"] = window_at(window[0] - left, window[1] - top, size_of(window))
