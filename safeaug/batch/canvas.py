"""Where pictures stand in their outputs: of each sample a rectangle of the image, and what rectangle it becomes."""

from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.geometry import Size


class Canvas(NamedTuple):
    """Where the pictures of a batch stand in outputs of one size.

    Parameters
    ----------
    source : Tensor of shape (B, 4), int64
        The part of each image that is seen, in the image frame; of no area where none is.
    target : Tensor of shape (B, 4), int64
        The part of the output that it fills before anything is mirrored.
    flipped : Tensor of shape (B,), bool
        Whether the output is mirrored, left to right, afterwards.
    size : (int, int)
        Height and width of the outputs.
    """

    source: Tensor
    target: Tensor
    flipped: Tensor
    size: Size

    @property
    def scale(self) -> Tensor:
        """Pixels of the output over pixels of the image along x and y, of shape (B, 2), float64; 1 of an empty part."""
        inside, outside = (each[:, 2:] - each[:, :2] for each in (self.source, self.target))
        return torch.where(inside > 0, outside.double() / inside.clamp(min=1), 1.0)

    @property
    def matrix(self) -> Tensor:
        """What takes homogeneous points of the image frame to the output, of shape (B, 3, 3), float64."""
        scale = self.scale
        shift = self.target[:, :2] - self.source[:, :2] * scale
        across = torch.where(self.flipped, -scale[:, 0], scale[:, 0])
        begin = torch.where(self.flipped, self.size[1] - shift[:, 0], shift[:, 0])
        nothing, one = torch.zeros_like(across), torch.ones_like(across)
        rows = [across, nothing, begin, nothing, scale[:, 1], shift[:, 1], nothing, nothing, one]
        return torch.stack(rows, dim=-1).reshape(-1, 3, 3)

    @property
    def picture(self) -> Tensor:
        """The part of the output, mirrored where it is, that holds picture; of shape (B, 4), int64."""
        x0, y0, x1, y1 = self.target.unbind(-1)
        width = self.size[1]
        mirrored = torch.stack([width - x1, y0, width - x0, y1], dim=-1)
        return torch.where(self.flipped[:, None], mirrored, self.target)


def canvas_of(window: Tensor, sizes: Tensor, size: Size, flipped: Tensor, *, resized: bool) -> Canvas:
    """Return where windows stand in their outputs.

    Parameters
    ----------
    window : Tensor of shape (B, 4), int64
        In the image frame; it may reach over the image, where nothing is seen.
    sizes : Tensor of shape (B, 2), int64
        Height and width of each image.
    size : (int, int)
        Height and width of the outputs.
    flipped : Tensor of shape (B,), bool
        Which are mirrored.
    resized : bool
        Whether windows, which then lie inside the image, are resized to the output, or have its size.
    """
    ends = torch.stack([sizes[:, 1], sizes[:, 0]] * 2, dim=-1)
    source = torch.minimum(window.clamp(min=0), ends)
    if not resized:
        corner = window[:, :2]
        return Canvas(source, source - torch.cat([corner, corner], -1), flipped, size)
    full = [torch.zeros_like(window[:, 0])] * 2 + [torch.full_like(window[:, 0], side) for side in size[::-1]]
    return Canvas(source, torch.stack(full, dim=-1), flipped, size)


def letterboxed(sizes: Tensor, size: Size, flipped: Tensor, *, enlarged: bool) -> Canvas:
    """Return where whole images stand in outputs that they do not fill: scaled by one factor, and centred.

    Parameters
    ----------
    sizes, size, flipped
        As in `canvas_of`.
    enlarged : bool
        Whether an image that is smaller than the output is scaled up.
    """
    scale = torch.minimum(size[0] / sizes[:, 0].double(), size[1] / sizes[:, 1].double())
    if not enlarged:
        scale = scale.clamp(max=1.0)
    high = (sizes[:, 0] * scale).round().long().clamp(min=1, max=size[0])
    wide = (sizes[:, 1] * scale).round().long().clamp(min=1, max=size[1])
    x, y = (size[1] - wide) // 2, (size[0] - high) // 2
    nothing = torch.zeros_like(wide)
    source = torch.stack([nothing, nothing, sizes[:, 1], sizes[:, 0]], dim=-1)
    return Canvas(source, torch.stack([x, y, x + wide, y + high], dim=-1), flipped, size)
