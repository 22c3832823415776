"""What became of the draws of a batch."""

from typing import NamedTuple

import torch
from torch import Tensor

from safeaug.errors import PolicyError


class BatchView(NamedTuple):
    """Which part of each image became its output: `safeaug.View`, on tensors.

    Parameters
    ----------
    window : Tensor of shape (B, 4), int64
        In the image frame; the whole image where a sample was skipped or not transformed.
    size : (int, int)
        Height and width of the outputs.
    """

    window: Tensor
    size: tuple[int, int]


class BatchOutcome(NamedTuple):
    """What became of the draws of a batch: `safeaug.Outcome`, on tensors that stand where the images do.

    Parameters
    ----------
    view : BatchView
        Windows and sizes.
    retention : Tensor of shape (B, N), float64
        Share of each protected object that is left; NaN for a row that holds none, or one outside the image.
    status, stage : Tensor of shape (B,), int8
        Numbers of `safeaug.Status` and `safeaug.Stage`.
    by_fill : Tensor of shape (B, N), bool
        Which objects pass because they fill the window.
    draws : Tensor of shape (B,), int64
        How many draws of the host were looked at.
    visible_pixels : Tensor of shape (B, N), float64
        Area of each object in the output, in pixels; NaN for what has none.
    matrix : Tensor of shape (B, 3, 3), float64
        What takes homogeneous points of the image frame to the output.
    flipped : Tensor of shape (B,), bool
        Which outputs are mirrored.
    picture : Tensor of shape (B, 4), int64
        The rectangle of the output that holds picture; the rest is filled.
    valid : Tensor of shape (B, N), bool
        Which rows hold an object of which something shows in the output; with ``keep="whole"``, those that are gone (no
        more than 5 % left) are not among them. Rows are never dropped.
    boxes : Tensor of shape (B, N, 4), or None
        In pixels of the output, clipped to the picture; zeros where nothing shows.
    masks : Tensor of shape (B, N, h, w), or None
        Nearest pixels of the masks.
    keypoints : Tensor of shape (B, N, K, 2) or (B, N, K, 3), or None
        In pixels of the output, also those out of sight.
    keypoints_shown : Tensor of shape (B, N, K), bool, or None
        Which of them are in sight.
    maps : Tensor of shape (B, h, w), or None
        The maps, resampled as the images are.
    """

    view: BatchView
    retention: Tensor
    status: Tensor
    stage: Tensor
    by_fill: Tensor
    draws: Tensor
    visible_pixels: Tensor
    matrix: Tensor
    flipped: Tensor
    picture: Tensor
    valid: Tensor
    boxes: Tensor | None = None
    masks: Tensor | None = None
    keypoints: Tensor | None = None
    keypoints_shown: Tensor | None = None
    maps: Tensor | None = None

    def padding(self) -> Tensor:
        """Return where outputs hold no picture, as models with padding masks want it.

        Returns
        -------
        Tensor of shape (B, h, w), bool
            True where there is no picture.
        """
        x0, y0, x1, y1 = self.picture[:, :, None].unbind(1)
        y, x = (torch.arange(side, device=self.picture.device) for side in self.view.size)
        rows, columns = (y >= y0) & (y < y1), (x >= x0) & (x < x1)
        return ~(rows[:, :, None] & columns[:, None])

    def confidence(self, *, chance: float, power: float = 2.0) -> Tensor:
        """Return how far each label is still to be trusted: 1 of a whole object, ``chance`` of one that is gone.

        Parameters
        ----------
        chance : float
            What is left of the label where nothing is left of the object, in [0, 1]: one over the number of classes.
        power : float, default 2.0
            How late confidence falls: above 1, it hardly does before half of the object is gone.

        Returns
        -------
        Tensor of shape (B, N), float64
            ``1 - (1 - chance) * (1 - retention) ** power`` [1]_; NaN where retention is.

        Raises
        ------
        PolicyError
            On a chance outside of [0, 1], or a power that is not above 0.

        References
        ----------
        .. [1] Y. Liu, S. Yan, L. Leal-Taixé, J. Hays, D. Ramanan, "Soft augmentation for image classification",
           CVPR 2023.

        Examples
        --------
        >>> nothing, one = torch.zeros(1), torch.ones(1, 2, dtype=torch.float64)
        >>> kept = one * torch.tensor([1.0, 0.5])
        >>> BatchOutcome(*[nothing] * 1, kept, *[nothing] * 9).confidence(chance=0.1).tolist()
        [[1.0, 0.775]]
        """
        if not (0 <= chance <= 1 and power > 0):
            raise PolicyError(f"chance must be in [0, 1] and power above 0, got {chance!r} and {power!r}")
        confidence: Tensor = 1 - (1 - chance) * (1 - self.retention) ** power
        return confidence
