"""The values of a call in the output's frame, each in the form in which it was given."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from safeaug.batch.canvas import Canvas
from safeaug.batch.carried import carried_boxes, carried_keypoints
from safeaug.batch.rendering import Style
from safeaug.kornia.boxes import boxes_like
from safeaug.kornia.entries import Entry
from safeaug.kornia.masks import masks_like
from safeaug.kornia.points import CENTRE, points_like
from safeaug.kornia.read import Values


def carried(
    entries: Sequence[Entry], values: Values, canvas: Canvas, kept: Mapping[str, Tensor], style: Style
) -> list[Any]:
    """Return what each value but an image becomes; an image is as it was.

    Parameters
    ----------
    entries : sequence of Entry
        What a call hands over.
    values : Values
        The same, read.
    canvas : Canvas
        Where pictures stand in their outputs.
    kept : mapping of str to Tensor of shape (B, N), bool
        Under "boxes" or "keypoints", where these are protected: which rows to hand on, of all their data keys in order.
        Other rows say themselves whether they hold anything.
    style : Style
        How masks are drawn.
    """
    outputs, home = [entry.value for entry in entries], canvas.source.device
    boxes = {place: edges.there for place, edges in values.boxes.items()}
    for place, there in _said(boxes, kept.get("boxes")).items():
        rows, shows = carried_boxes(values.boxes[place].rows.to(home), canvas)
        outputs[place] = boxes_like(entries[place], rows, shows & there.to(home), canvas.size)
    points = {place: points.there for place, points in values.points.items()}
    for place, there in _said(points, kept.get("keypoints")).items():
        moved, _ = carried_keypoints(values.points[place].rows.to(home)[:, None], canvas)
        moved = torch.where(there.to(home)[..., None], moved[:, 0], CENTRE)  # rows that hold none stay zeros
        outputs[place] = points_like(entries[place], moved)
    for place, masks in values.masks.items():
        outputs[place] = masks_like(masks, canvas, style)
    return outputs


def _said(there: dict[int, Tensor], kept: Tensor | None) -> dict[int, Tensor]:
    """Return which rows of each value hold something: what was found of all of them, where anything was."""
    if kept is None:
        return there
    return dict(zip(there, kept.split([rows.shape[1] for rows in there.values()], dim=1), strict=True))
