"""How the searches of a batch ended."""

from typing import NamedTuple

import torch
from torch import Tensor


class Found(NamedTuple):
    """Of each sample the window, and how it was come by: `safeaug.records.Found` on tensors.

    Parameters
    ----------
    window : Tensor of shape (B, 4), int64
        In the image frame.
    status, stage : Tensor of shape (B,), int8
        Numbers of `safeaug.Status` and `safeaug.Stage`.
    draws : Tensor of shape (B,), int64
        How many draws of the host were looked at.
    """

    window: Tensor
    status: Tensor
    stage: Tensor
    draws: Tensor

    def where(self, rows: Tensor, other: "Found") -> "Found":
        """Return these, and others in some rows, given by a bool of shape (B,)."""
        return Found(
            torch.where(rows[:, None], other.window, self.window),
            torch.where(rows, other.status, self.status),
            torch.where(rows, other.stage, self.stage),
            torch.where(rows, other.draws, self.draws),
        )
