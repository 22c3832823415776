"""The draw of a batch: where each window goes, and what it holds. The functional core of the modules."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from safeaug.batch import lazy
from safeaug.batch.branchless import elsewhere
from safeaug.batch.canvas import Canvas, canvas_of, letterboxed
from safeaug.batch.chance import APPLIED, FLIP, Chance
from safeaug.batch.contents import contents_of
from safeaug.batch.first import Host, drawn, judged
from safeaug.batch.found import Found
from safeaug.batch.given import Given
from safeaug.batch.judging import Measured, measured
from safeaug.batch.objects import Objects, objects_of
from safeaug.content import Content
from safeaug.errors import ContentError
from safeaug.geometry import Size
from safeaug.measures import measure
from safeaug.policy import Policy, Stage, Status


class Rule(NamedTuple):
    """How a batch is drawn.

    Parameters
    ----------
    host : Host
        How windows are drawn where nothing guards them.
    policy : Policy
        What must be kept.
    table : tuple of int
        What the host draws from.
    p, flip : float
        Share of the samples that are transformed at all; share that is mirrored.
    """

    host: Host
    policy: Policy
    table: tuple[int, ...]
    p: float
    flip: float


class Frames(NamedTuple):
    """The frames of the images of a batch.

    Parameters
    ----------
    sizes : Tensor of shape (B, 2), int64
        Height and width of each.
    known : list of (int, int), or None
        The same in plain numbers, where windows are searched for on the CPU.
    extent : int
        A side that none passes.
    """

    sizes: Tensor
    known: list[Size] | None
    extent: int


class Told(NamedTuple):
    """What another library has drawn for a batch.

    Parameters
    ----------
    first : Tensor of shape (B, 4), int64
        Its windows, in the image frame.
    applied : Tensor of shape (B,), bool
        Which of them it applies; the other images it leaves whole.
    """

    first: Tensor
    applied: Tensor


class Drawn(NamedTuple):
    """Where the windows of a batch go, and what they hold."""

    found: Found
    measured: Measured
    canvas: Canvas


def draw(
    rule: Rule,
    table: Tensor,
    frames: Frames,
    given: Given,
    chance: Chance,
    *,
    guarded: bool,
    told: Told | None = None,
) -> Drawn:
    """Return where the windows of a batch go.

    Parameters
    ----------
    rule : Rule
        How they are drawn.
    table : Tensor of shape (T,), int64
        ``rule.table`` where windows are searched for.
    frames : Frames
        The images' sizes; where they are known in plain numbers the search is lazy, else branchless.
    given : Given
        What must survive.
    chance : Chance
        Where numbers come from.
    guarded : bool
        Whether a window that loses its objects is moved.
    told : Told, optional
        What another library has drawn; left out, the host draws here.
    """
    policy, sizes = rule.policy, frames.sizes
    first, applied = _firsts(rule, table, sizes, chance) if told is None else told
    if given.protects in {None, "boxes"} and not callable(policy.keep):
        boxes = torch.zeros((len(sizes), 0, 4), device=sizes.device) if given.boxes is None else given.boxes
        objects = objects_of(boxes, sizes, given.traits, policy)
        found = _of_boxes(rule, table, frames, objects, first, applied, chance) if guarded else _untouched(first)
        found = _as_applied(rule, found, applied, sizes, told is not None)
        held = measured(objects, policy, found.window)
    else:
        assert frames.known is not None
        contents = contents_of(given, frames.known, policy)
        found = _untouched(first)
        if guarded:
            found = lazy.search(first, applied, rule.host, rule.table, contents, policy, frames.known, chance)
        found = _as_applied(rule, found, applied, sizes, told is not None)
        held = _measured_one_by_one(contents, policy, found.window)
    flipped = chance.once(FLIP) < rule.flip if rule.flip > 0 else torch.zeros_like(applied)
    return Drawn(found, held, _canvas(rule, found, sizes, flipped))


def _firsts(rule: Rule, table: Tensor, sizes: Tensor, chance: Chance) -> Told:
    """Return the host's own draws."""
    first = drawn(rule.host, table, sizes, chance)
    applied = torch.ones_like(first[:, 0], dtype=torch.bool)
    return Told(first, chance.once(APPLIED) < rule.p if rule.p < 1 else applied)


def _untouched(first: Tensor) -> Found:
    """Return the host's own draws as those of a mode that is only measured."""
    status = torch.full_like(first[:, 0], int(Status.UNGUARDED), dtype=torch.int8)
    return Found(first, status, torch.full_like(status, int(Stage.DRAWN)), torch.ones_like(first[:, 0]))


def _of_boxes(
    rule: Rule, table: Tensor, frames: Frames, objects: Objects, first: Tensor, applied: Tensor, chance: Chance
) -> Found:
    """Return where the windows go of which boxes must survive."""
    opened = judged(first, rule.host, objects, rule.policy, chance)
    opened = opened._replace(fails=opened.fails & applied)
    if frames.known is not None:
        if rule.policy.on_empty == "raise":
            _refuse_empty(opened.found.status, applied)
        return lazy.elsewhere(opened, rule.host, rule.table, rule.policy, frames.known, chance)
    if not objects.counts.shape[1]:
        return opened.found
    moved = elsewhere(opened, rule.host, table, rule.policy, frames.sizes, chance, rule.host.positions(frames.extent))
    return opened.found.where(opened.fails, moved)


def _refuse_empty(status: Tensor, applied: Tensor) -> None:
    empty = (applied & (status == int(Status.EMPTY))).nonzero()[:, 0].tolist()
    if empty:
        raise ContentError(
            f'sample {empty[0]} of the batch: there is nothing to protect, and on_empty is "raise"; leave such images '
            'out, or use on_empty="plain"'
        )


def _as_applied(rule: Rule, found: Found, applied: Tensor, sizes: Tensor, told: bool) -> Found:
    """Return what became of the draws, with the windows of samples that are not transformed or were left out."""
    height, width = sizes.unbind(-1)
    nothing = torch.zeros_like(width)
    whole = torch.stack([nothing, nothing, width, height], dim=-1)
    if rule.policy.on_fail == "skip":
        skipped = found.status == int(Status.SKIPPED)
        found = found._replace(window=torch.where(skipped[:, None], whole, found.window))
    if rule.p >= 1 and not told:
        return found
    if not (rule.host.enlarges or told):  # the middle of the image, at the size that is promised
        tall, wide = rule.host.size
        x, y = (width - wide) // 2, (height - tall) // 2
        whole = torch.stack([x, y, x + wide, y + tall], dim=-1)
    left = Found(whole, torch.full_like(found.status, int(Status.NOT_APPLIED)), found.stage, torch.ones_like(nothing))
    return found.where(~applied, left._replace(stage=torch.full_like(found.stage, int(Stage.DRAWN))))


def _measured_one_by_one(contents: Sequence[Content], policy: Policy, window: Tensor) -> Measured:
    rows = [measure(content, policy, one) for content, one in zip(contents, window.tolist(), strict=True)]
    retention, by_fill, area = (torch.from_numpy(np.stack(each)) for each in zip(*rows, strict=True))
    return Measured(retention, by_fill, area)


def _canvas(rule: Rule, found: Found, sizes: Tensor, flipped: Tensor) -> Canvas:
    canvas = canvas_of(found.window, sizes, rule.host.size, flipped, resized=rule.host.enlarges)
    if rule.policy.on_fail != "skip":
        return canvas
    boxed = letterboxed(sizes, rule.host.size, flipped, enlarged=rule.host.enlarges)
    skipped = (found.status == int(Status.SKIPPED))[:, None]
    return canvas._replace(
        source=torch.where(skipped, boxed.source, canvas.source),
        target=torch.where(skipped, boxed.target, canvas.target),
    )
