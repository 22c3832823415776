"""Parameters of the host's own crops, guarded: it draws, what passes is kept, and it applies what comes back."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from safeaug.batch.draw import Drawn, Frames, Rule, Told, draw
from safeaug.batch.given import Given
from safeaug.batch.images import images_of
from safeaug.batch.moved import moved
from safeaug.batch.outcome import BatchView
from safeaug.candidates import Law
from safeaug.errors import ContentError, PolicyError
from safeaug.kornia.chance import chance_of
from safeaug.kornia.entries import batched, entries_in
from safeaug.kornia.hosts import Params, applied_in, told_by, windows_in, with_windows
from safeaug.kornia.protected import Protect, protected_in, reading_of
from safeaug.kornia.read import values_of
from safeaug.kornia.shared import spread, united
from safeaug.objects import IGNORE_INDEX
from safeaug.policy import Policy

CPU = torch.device("cpu")


class Outcome(NamedTuple):
    """What became of the host's draws for a batch: `safeaug.Outcome`, on tensors that stand where the images do.

    Parameters
    ----------
    view : BatchView
        Windows, in the image frame, and the size of the outputs; whole images where the host's ``p`` left them alone.
    retention : Tensor of shape (B, N), float64
        Share of each protected object inside its window; NaN for a row that holds none, or one outside the image.
    status, stage : Tensor of shape (B,), int8
        Numbers of `safeaug.Status` and `safeaug.Stage`. One draw for all images has one status.
    by_fill : Tensor of shape (B, N), bool
        Which objects pass because they fill the window.
    draws : Tensor of shape (B,), int64
        How many draws were looked at.
    """

    view: BatchView
    retention: Tensor
    status: Tensor
    stage: Tensor
    by_fill: Tensor
    draws: Tensor


def guarded_params(
    aug: Any,
    images: Tensor,
    content: Mapping[str, Any] | None = None,
    policy: Policy | None = None,
    *,
    protect: Protect | None = None,
    foreground: Sequence[int] | None = None,
    ignore_index: int | None = IGNORE_INDEX,
    valid: Tensor | None = None,
    labels: Any = None,
    weights: Any = None,
    ignore: Any = None,
    prior_visibility: Any = None,
    params: Params | None = None,
    seed: int | None = None,
) -> tuple[Params, Outcome]:
    """Return parameters for a crop of kornia that keep the objects of a batch, and what became of its draw.

    The host draws its own parameters, as it would unguarded, from torch's generators, which nothing else touches. A
    window that keeps the promise stays as it is; others are moved, or resized where the host resizes. What comes back
    is for the host to apply: ``aug(images, params=params)``, or in a `ParamItem` of an ``AugmentationSequential``.

    Parameters
    ----------
    aug : kornia.augmentation.RandomCrop, RandomResizedCrop or CenterCrop
        Of either ``cropping_mode``; a CenterCrop of "resample" only. Its window moves by as little as will do, and that
        is for training: here labels pick it.
    images : Tensor of shape (B, C, H, W) or (C, H, W)
        Only their size is looked at.
    content : mapping, optional
        The objects, by the names of kornia's data keys, which may go on behind a ``_``: "bbox" (B, N, 4, 2),
        "bbox_xyxy" and "bbox_xywh" (B, N, 4), or lists of these without B; "keypoints" (B, N, 2); "mask" (B, C, H, W).
        They count pixels as kornia does: corners under "bbox" and "bbox_xyxy" are the last pixels inside, keypoints the
        centres of pixels. A row of zeros in a tensor holds no object. Other keys are passed over, so a whole sample
        will do.
    policy : Policy, optional
        What must be kept; ``Policy()`` by default. It cannot leave images out (``on_fail="skip"``).
    protect, foreground, ignore_index, valid, labels, weights, ignore, prior_visibility
        As in `safeaug.kornia.RandomResizedCrop` and its call.
    params : dict, optional
        What the host has drawn already, by its ``forward_parameters``; it is left as it is.
    seed : int, optional
        Where the guard's own numbers come from, together with the host's windows; left out, torch's generator of the
        CPU, read and not moved on.

    Returns
    -------
    params : dict
        The host's parameters. Where no window had to move, all tensors are those that the host drew.
    outcome : Outcome
        Windows, statuses, and what is left of each object.

    Raises
    ------
    PolicyError
        On another transform, or a policy that it cannot keep.
    ContentError
        On content that does not fit, or images that are smaller than the crop, which kornia would scale up in silence.
    RetentionError
        Where the policy's ``on_fail`` is "raise" and a promise cannot be met.

    Notes
    -----
    Positions are uniform on all that keep the promise, given the size, as the host's are on all that there are. With
    ``same_on_batch=True`` there is one window, and the objects of all images are one set, of which the policy speaks:
    "all" asks for each of them, "any" for one in the batch; all images have the status of that one draw. Windows are
    searched for on the CPU, so a device is waited for; `safeaug.kornia.RandomResizedCrop` does not wait.

    Examples
    --------
    >>> import torch, kornia.augmentation as K, safeaug
    >>> aug = K.RandomCrop((64, 64))
    >>> images, boxes = torch.zeros(2, 3, 96, 128), torch.tensor([[[2.0, 2, 21, 31]], [[100.0, 60, 119, 89]]])
    >>> params, outcome = safeaug.kornia.guarded_params(aug, images, {"bbox_xyxy": boxes})
    >>> aug(images, params=params).shape, bool((outcome.retention >= 0.5).all())
    (torch.Size([2, 3, 64, 64]), True)
    """
    policy = _checked(policy)
    images = batched("images", images)
    batch = images_of(images, None, validate=True)
    height, width = images.shape[-2:]
    host = told_by(aug, (height, width))
    reading = reading_of(protect, foreground, ignore_index)
    about = {"labels": labels, "weights": weights, "ignore": ignore, "prior_visibility": prior_visibility}
    entries = [entry for entry in entries_in({} if content is None else content) if entry.key not in {"image", "label"}]
    given = protected_in(entries, values_of(entries, batch), reading, batch, policy, True, CPU, valid, about)
    if params is None:
        params = aug.forward_parameters(images.shape)
    applied = _applied(params, aug, len(images))
    told = Told(windows_in(params, host, applied), applied)
    rule = Rule(host.law, policy, tuple(host.law.table()), 1.0, 0.0)
    shared = aug.same_on_batch and host.law.law is not Law.NEAREST  # which the host calls the same, since it is
    drawn = _drawn(rule, batch.sizes.cpu(), moved(given, CPU), told, seed, shared=shared)
    rows = (drawn.found.window != told.first).any(-1) & told.applied
    if bool(rows.any()):
        params = with_windows(params, drawn.found.window, rows, host, applied)
    window, status, stage, draws = drawn.found
    view = BatchView(window, host.law.size if bool(told.applied.any()) else (height, width))
    outcome = Outcome(view, drawn.measured.retention, status, stage, drawn.measured.by_fill, draws)
    return params, moved(outcome, batch.device)


def _checked(policy: Policy | None) -> Policy:
    """Return a policy that parameters can keep."""
    policy = Policy() if policy is None else policy
    if not isinstance(policy, Policy):
        raise PolicyError(f"policy must be a safeaug.Policy, got {policy!r}")
    if policy.on_fail == "skip":
        raise PolicyError(
            'on_fail must be "most", "enlarge" or "raise" for parameters of kornia, got "skip": its batches are of one '
            "size, so that no image can be left out of a crop; safeaug.kornia.RandomResizedCrop puts it whole into one"
        )
    return policy


def _applied(params: Any, aug: Any, count: int) -> Tensor:
    """Return to which images parameters apply, or raise `ContentError` where they were not drawn for these images."""
    named = isinstance(params, Mapping) and isinstance(params.get("src"), Tensor) and "batch_prob" in params
    applied = applied_in(params, aug, count) if named and params["batch_prob"].numel() in {1, count} else None
    if applied is None or params["src"].shape not in {(count, 4, 2), (int(applied.sum()), 4, 2)}:
        got = tuple(params["src"].shape) if named else repr(params)
        raise ContentError(
            f"params must be what aug.forward_parameters draws for {count} images, with src of shape ({count}, 4, 2), "
            f"got {got}"
        )
    return applied


def _drawn(rule: Rule, sizes: Tensor, given: Given, told: Told, seed: int | None, *, shared: bool) -> Drawn:
    """Return where the windows go of which the host has told."""
    count, table = len(sizes), torch.tensor(rule.table, dtype=torch.int64)
    if shared:
        sizes, given, told = sizes[:1], united(given), Told(*(each[:1] for each in told))
    known = [(height, width) for height, width in sizes.tolist()]
    frames = Frames(sizes, known, int(sizes.max()))
    drawn = draw(rule, table, frames, given, chance_of(seed, told.first), guarded=True, told=told)
    return spread(drawn, count) if shared else drawn
