"""What a drawn batch is handed on as: rendered images, and the outcome with every target in the output's frame."""

from typing import Any

import torch
from torch import Tensor

from safeaug.batch.canvas import Canvas
from safeaug.batch.carried import carried_boxes, carried_keypoints
from safeaug.batch.draw import Drawn
from safeaug.batch.given import WHOLE, Given
from safeaug.batch.images import Images
from safeaug.batch.moved import moved
from safeaug.batch.outcome import BatchOutcome, BatchView
from safeaug.batch.renderers import nearest, smooth
from safeaug.batch.rendering import Finish, Style
from safeaug.batch.rendering.fused import unable
from safeaug.policy import GONE, Policy


def handed(
    batch: Images, given: Given, drawn: Drawn, policy: Policy, finish: Finish, style: Style
) -> tuple[Tensor, BatchOutcome]:
    """Return the outputs of a drawn batch.

    Parameters
    ----------
    batch, given, drawn
        Images, what came with them, and where their windows go. Numbers are where float64 is, and end where images are.
    policy : Policy
        Says what counts as gone.
    finish : Finish
        How pixels are handed on.
    style : Style
        How they are drawn.
    """
    canvas, found = drawn.canvas, drawn.found
    masks = None if given.masks is None else nearest(given.masks, canvas, style)
    boxes = boxes_shown = keypoints = points_shown = None
    if given.keypoints is not None:
        keypoints, points_shown = carried_keypoints(given.keypoints, canvas)
    if given.boxes is not None:
        boxes, boxes_shown = carried_boxes(given.boxes, canvas)
        if given.protects == "boxes":  # a flat one counts by its centre, wherever its edges reach
            boxes_shown = boxes_shown & ~drawn.measured.retention.isnan()
            boxes = torch.where(boxes_shown[..., None], boxes, 0.0)
    outcome = BatchOutcome(
        view=BatchView(found.window, canvas.size),
        retention=drawn.measured.retention,
        status=found.status,
        stage=found.stage,
        by_fill=drawn.measured.by_fill,
        draws=found.draws,
        visible_pixels=drawn.measured.area * canvas.scale.prod(-1, keepdim=True),
        matrix=canvas.matrix,
        flipped=canvas.flipped,
        picture=canvas.picture,
        valid=given.valid & _shown(given, drawn, policy, boxes_shown, points_shown, masks),
        boxes=boxes,
        keypoints=keypoints,
        keypoints_shown=points_shown,
    )
    maps = None if given.maps is None else _maps(given.maps, canvas, style)
    outcome = moved(outcome, batch.device)._replace(masks=masks, maps=maps)
    return smooth(batch.pictures, canvas, finish, style), outcome


def _shown(
    given: Given, drawn: Drawn, policy: Policy, boxes: Tensor | None, keypoints: Tensor | None, masks: Tensor | None
) -> Tensor:
    """Return of which rows something shows: told by boxes, where there are any, else by keypoints, else by masks."""
    if boxes is not None:
        shows = boxes
    elif keypoints is not None:
        shows = keypoints.any(-1)
    elif masks is not None:
        shows = (masks != 0).flatten(2).any(-1).to(given.valid.device)
    else:
        return torch.ones_like(given.valid)
    if policy.keep == "whole" and given.protects not in WHOLE:
        shows = shows & (drawn.measured.retention > GONE)
    return shows


def _maps(maps: Any, canvas: Canvas, style: Style) -> Tensor:
    """Return maps, resampled as images of one channel; by a triangle, since a cubic would leave what was given."""
    pictures = maps[:, None] if isinstance(maps, Tensor) else [each[None] for each in maps]
    if not pictures[0].is_floating_point() and pictures[0].dtype is not torch.uint8:
        pictures = pictures.float() if isinstance(pictures, Tensor) else [each.float() for each in pictures]
    finish = Finish(pictures[0].dtype, None, None, (0.0,))
    renderer = (
        style.renderer if style.renderer != "kernel" or unable(pictures, canvas.size, finish.dtype) is None else None
    )
    return smooth(pictures, canvas, finish, style._replace(interpolation="bilinear", renderer=renderer))[:, 0]
