"""Boxes and keypoints of the image frame in the output, with what is visible of them."""

import torch
from torch import Tensor

from safeaug.batch.canvas import Canvas


def carried_boxes(boxes: Tensor, canvas: Canvas) -> tuple[Tensor, Tensor]:
    """Return boxes in the output, and which of them show there.

    Parameters
    ----------
    boxes : Tensor of shape (B, N, 4)
        Corners in the image frame.
    canvas : Canvas
        Where pictures stand in the output.

    Returns
    -------
    boxes : Tensor of shape (B, N, 4)
        Clipped to the part of the image that is seen, in pixels of the output, x0 <= x1 and y0 <= y1; zeros for one of
        which nothing shows. Floating boxes keep their dtype, others are float32.
    shows : Tensor of shape (B, N), bool
        Whether some of it is seen; of a box without area, whether it is in sight, edges included.
    """
    x0, y0, x1, y1 = boxes.double().unbind(-1)
    left, top, right, bottom = canvas.source[:, None].double().unbind(-1)
    a, b, c, d = torch.maximum(x0, left), torch.maximum(y0, top), torch.minimum(x1, right), torch.minimum(y1, bottom)
    flat = ((x0 == x1) | (y0 == y1)) & (left < right) & (top < bottom)
    shows = ((a < c) & (b < d)) | (flat & (a <= c) & (b <= d))
    matrix = canvas.matrix[:, None]
    a, c = (x * matrix[..., 0, 0] + matrix[..., 0, 2] for x in (a, c))
    b, d = (y * matrix[..., 1, 1] + matrix[..., 1, 2] for y in (b, d))
    corners = torch.stack([torch.minimum(a, c), b, torch.maximum(a, c), d], dim=-1)
    height, width = canvas.size
    corners = torch.stack(  # rounding may leave the output by a hair
        [corners[..., i].clamp(min=0.0, max=float((width, height)[i % 2])) for i in range(4)], dim=-1
    )
    corners = torch.where(shows[..., None], corners, 0.0)
    return corners.to(boxes.dtype if boxes.is_floating_point() else torch.float32), shows


def carried_keypoints(keypoints: Tensor, canvas: Canvas) -> tuple[Tensor, Tensor]:
    """Return keypoints in the output, and which of them show there.

    Parameters
    ----------
    keypoints : Tensor of shape (B, N, K, 2) or (B, N, K, 3)
        In the image frame; a third number above 0 says that one is visible.
    canvas : Canvas
        Where pictures stand in the output.

    Returns
    -------
    keypoints : Tensor of the same shape
        In pixels of the output, wherever they come to lie; a third number is 0 for one that does not show. A mirrored
        output does not exchange left and right ones.
    shows : Tensor of shape (B, N, K), bool
        Whether one is visible and in sight; on the right or lower edge of what is seen it is not, as hosts have it.
    """
    x, y = keypoints[..., 0].double(), keypoints[..., 1].double()
    left, top, right, bottom = canvas.source[:, None, None].double().unbind(-1)
    shows = (left <= x) & (x < right) & (top <= y) & (y < bottom)
    if keypoints.shape[-1] == 3:
        shows = shows & (keypoints[..., 2] > 0)
    matrix = canvas.matrix[:, None, None]
    columns = [x * matrix[..., 0, 0] + matrix[..., 0, 2], y * matrix[..., 1, 1] + matrix[..., 1, 2]]
    if keypoints.shape[-1] == 3:
        columns.append(torch.where(shows, keypoints[..., 2].double(), 0.0))
    moved = torch.stack(columns, dim=-1)
    return moved.to(keypoints.dtype if keypoints.is_floating_point() else torch.float32), shows
