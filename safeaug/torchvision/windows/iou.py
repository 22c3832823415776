"""RandomIoUCrop. Its sampler runs until a window suits it, which may be never; here it is bounded."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torchvision import tv_tensors
from torchvision.transforms.v2 import functional as F

from safeaug.candidates import Law
from safeaug.content import Content
from safeaug.geometry import Domain, Size, Window
from safeaug.guarding import SIDE, Draw, Params, ranged, stand_in
from safeaug.measures import demand_of
from safeaug.policy import Policy
from safeaug.records import Found
from safeaug.search import opening, remainder
from safeaug.torchvision.windows.kind import Cut

ROUNDS = 100
"""Options that the host's sampler may draw, each with its own ``trials``, before it counts as one that never ends. With
the host's default options one in a million draws needs more."""

ROUNDS_ANEW = 20
"""The same of a further draw, which only stands in where another failed."""


class DrawnIoU(dict[str, Any]):
    """A draw of `torchvision.transforms.v2.RandomIoUCrop`, and what the host does not tell of it.

    An empty one means to the host that the picture is left as it is; so this is said beside the parameters.

    Parameters
    ----------
    drawn : dict
        The host's parameters.
    option : float
        The overlap that the host last asked for.
    gave_up : bool
        Whether the host's sampler was stopped.
    anew : bool
        Whether it only stands in where another draw failed; one that was stopped then stands for none.
    """

    def __init__(self, drawn: Params, option: float, *, gave_up: bool, anew: bool) -> None:
        super().__init__(drawn)
        self.option, self.gave_up, self.anew = option, gave_up, anew


class AroundBox(Cut):
    """``RandomIoUCrop``: the window holds the centre of some box, and of one such box overlaps by the drawn option."""

    law = Law.OWN
    promises = False
    labels = True

    def sample(self, transform: Any, leaves: Sequence[Any], *, anew: bool = False) -> DrawnIoU:
        """Return a draw of the host's own sampler, or that it gave up.

        Where the host ends within so many rounds, these are its own numbers, to the bit.
        """
        options = _Options(transform.options, ROUNDS_ANEW if anew else ROUNDS)
        boxes = next(leaf for leaf in leaves if isinstance(leaf, tv_tensors.BoundingBoxes))
        if not boxes.numel() and all(option < 1.0 for option in transform.options):  # it would never end
            return DrawnIoU({}, min(transform.options), gave_up=True, anew=anew)
        twin = stand_in(transform, options=options)
        theirs: Any = next(each for each in type(transform).__mro__ if not each.__module__.startswith("safeaug."))
        try:
            drawn = theirs.make_params(twin, list(leaves))
        except (_GaveUpError, ZeroDivisionError):  # the latter where the host rounds a side down to nothing
            return DrawnIoU({}, options.last, gave_up=True, anew=anew)
        return DrawnIoU(drawn, options.last, gave_up=False, anew=anew)

    def window(self, transform: Any, drawn: Params, image_size: Size) -> Window | None:
        """Return the rectangle; the whole image for a draw that leaves it as it is; None for a stopped one, anew."""
        if isinstance(drawn, DrawnIoU) and drawn.gave_up and drawn.anew:
            return None
        if "height" not in drawn:
            return 0, 0, image_size[1], image_size[0]
        return super().window(transform, drawn, image_size)

    def put(self, transform: Any, drawn: Params, window: Window, image_size: Size) -> None:
        """Write another rectangle; which boxes keep their labels is told by `settle_labels`."""
        super().put(transform, drawn, window, image_size)
        drawn["is_within_crop_area"] = None

    def settle_labels(self, drawn: Params, leaves: Sequence[Any], kept: Sequence[int]) -> None:
        """Write which boxes keep their labels: those whose centre is inside, as the host has it, and those kept."""
        if not drawn:
            return
        boxes = _boxes(leaves)
        within = drawn.get("is_within_crop_area")
        if within is None:
            x, y = (boxes[..., 0] + boxes[..., 2]) / 2, (boxes[..., 1] + boxes[..., 3]) / 2
            left, top = drawn["left"], drawn["top"]
            within = (left < x) & (x < left + drawn["width"]) & (top < y) & (y < top + drawn["height"])
        flat = within.reshape(-1).clone()
        more = [i for i in kept if i < len(flat) and not flat[i]]
        if more:
            flat[more] = True
        drawn["is_within_crop_area"] = flat.reshape(within.shape)

    def domain(self, draw: Draw, size: Size) -> Domain:
        """Return the positions that the host can draw: it never reaches the last column and the last row."""
        x, y = draw.image_size[1] - size[1], draw.image_size[0] - size[0]
        return Domain(0, max(x - 1, 0), 0, max(y - 1, 0))

    def within(self, draw: Draw, size: Size) -> NDArray[np.bool_]:
        """Return the positions at which some box has its centre inside, and one of these overlaps enough."""
        option = getattr(draw.drawn, "option", min(draw.transform.options))
        domain, (height, width) = self.domain(draw, size), size
        x, y = np.arange(domain.x0, domain.x1 + 1), np.arange(domain.y0, domain.y1 + 1)
        boxes = _boxes(draw.data["leaves"]).double().cpu().numpy().reshape(-1, 4)
        boxes = boxes[_overlap_at_best(boxes, size) >= option]
        centre_x, centre_y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
        columns = (x[:, None] < centre_x) & (centre_x < x[:, None] + width)
        rows = (y[:, None] < centre_y) & (centre_y < y[:, None] + height)
        if option <= 0:  # how many centres each position holds: their number fits float32
            held: NDArray[np.bool_] = columns.astype(np.float32) @ rows.T.astype(np.float32) > 0
            return held
        allowed = np.zeros((len(x), len(y)), dtype=bool)
        for i, (x0, y0, x1, y1) in enumerate(boxes.tolist()):
            wide = np.clip(np.minimum(x + width, x1) - np.maximum(x, x0), 0, None)
            high = np.clip(np.minimum(y + height, y1) - np.maximum(y, y0), 0, None)
            shared = wide[:, None] * high
            overlap = shared / ((x1 - x0) * (y1 - y0) + width * height - shared)
            allowed |= (overlap >= option) & columns[:, i, None] & rows[:, i]
        return allowed

    def lattice(self, draw: Draw) -> Iterable[Size]:
        """Return 8 heights × 8 widths, from the least to the greatest of the host's, of the ratios that it allows."""
        crop, (height, width) = draw.transform, draw.image_size
        heights = ranged(int(height * crop.min_scale), int(height * crop.max_scale), SIDE)
        widths = ranged(int(width * crop.min_scale), int(width * crop.max_scale), SIDE)
        sizes = {(high, wide) for high in heights for wide in widths if high > 0 and wide > 0}
        return sorted(size for size in sizes if crop.min_aspect_ratio <= size[1] / size[0] <= crop.max_aspect_ratio)

    def find(self, draw: Draw, content: Content, policy: Policy) -> Found:
        """Return the window that the guarded draw takes; where the host gave up, one of the lattice's sizes."""
        if not getattr(draw.drawn, "gave_up", False):
            return super().find(draw, content, policy)
        opened = opening(draw.first, content, policy, draw.stream)
        if isinstance(opened, Found):
            return opened
        demand = demand_of(opened, policy, draw.image_size, draw.image_size)
        draw.hopeless = True  # to draw the host anew would take as long
        return remainder(draw.first, draw, demand, lambda: opened, policy, draw.stream)


class _GaveUpError(Exception):
    """The host's sampler has had its rounds."""


class _Options(Sequence[float]):
    """The host's options. They can be asked for so many times."""

    def __init__(self, options: Sequence[float], rounds: int) -> None:
        self._options, self._left, self.last = options, rounds, min(options)

    def __len__(self) -> int:
        return len(self._options)

    def __getitem__(self, place: Any) -> Any:
        if not self._left:
            raise _GaveUpError
        self._left -= 1
        self.last = self._options[place]
        return self.last


def _boxes(leaves: Sequence[Any]) -> torch.Tensor:
    """Return the corners of the boxes that the host reads: those of the first leaf that holds boxes."""
    boxes = next(leaf for leaf in leaves if isinstance(leaf, tv_tensors.BoundingBoxes))
    to = tv_tensors.BoundingBoxFormat.XYXY
    corners: torch.Tensor = F.convert_bounding_box_format(boxes.as_subclass(torch.Tensor), boxes.format, to)
    return corners


def _overlap_at_best(boxes: NDArray[np.float64], size: Size) -> NDArray[np.float64]:
    """Return the greatest overlap, as intersection over union, that a window of a size can have with each box."""
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    shared = np.minimum(wide, size[1]) * np.minimum(high, size[0])
    best: NDArray[np.float64] = shared / (wide * high + size[0] * size[1] - shared)
    return best
