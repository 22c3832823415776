"""What is said of each object of a batch beside where it is: its limit, what it counts for, whether it counts."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import torch
from torch import Tensor

from safeaug.batch.objects import Traits
from safeaug.batch.padded import joined
from safeaug.errors import ContentError
from safeaug.policy import OTHERS, Policy


def traits_of(
    policy: Policy,
    valid: Tensor,
    lengths: list[int] | None,
    about: dict[str, Any],
    validate: bool,
    device: torch.device,
) -> Traits:
    """Return what is said of each object.

    Parameters
    ----------
    policy : Policy
        Gives limits.
    valid : Tensor of shape (B, N), bool
        Which rows hold an object.
    lengths : list of int, or None
        How many objects each sample has; None where they came as one tensor, which does not say.
    about : dict
        ``labels``, ``weights``, ``ignore`` and ``prior_visibility``: a tensor of shape (B, N), a list of tensors, None.
    validate : bool
        Whether to look at their values too.
    device : torch.device
        Where they must be; they go where ``valid`` is.

    Raises
    ------
    ContentError
        On what does not fit the objects, or is out of range.
    """
    about = {
        name: None if rows is None else _fitted(name, rows, valid, lengths, validate, device)
        for name, rows in about.items()
    }
    labels, ignore = about["labels"], about["ignore"]
    if ignore is not None and ignore.dtype is not torch.bool:
        raise ContentError(f"ignore must be of bool, got {str(ignore.dtype).removeprefix('torch.')}")
    if labels is not None and (labels.dtype.is_floating_point or labels.dtype is torch.bool):
        raise ContentError(f"labels must be whole numbers, got {str(labels.dtype).removeprefix('torch.')}")
    weights, priors = (
        None if about[name] is None else about[name].to(torch.float64) for name in ("weights", "prior_visibility")
    )
    if validate:
        _check_range("weights", weights, valid, "at least 0 and finite", lambda each: (each >= 0) & each.isfinite())
        _check_range("prior_visibility", priors, valid, "in [0, 1]", lambda each: (each >= 0) & (each <= 1))
    asked = valid if ignore is None else valid & ~ignore
    return Traits(valid, _limits(policy, asked, labels, validate), weights, ignore, priors)


def _fitted(
    name: str, rows: Any, valid: Tensor, lengths: list[int] | None, validate: bool, device: torch.device
) -> Tensor:
    """Return one number an object; a list of tensors of different lengths is padded."""
    shape = tuple(valid.shape)
    if isinstance(rows, list) and len(rows) == len(valid) and all(isinstance(part, Tensor) for part in rows):
        given = [part.numel() for part in rows]
        _check_lengths(name, given, valid, lengths, validate)
        padded = joined([part.flatten() for part in rows])
        rows = torch.nn.functional.pad(padded, (0, max(0, shape[1] - padded.shape[1])))
    if not isinstance(rows, Tensor) or tuple(rows.shape) != shape:
        got = f"{type(rows).__name__}" if not isinstance(rows, Tensor) else f"shape {tuple(rows.shape)}"
        raise ContentError(
            f"{name} must be a tensor of shape {shape}, or a list of tensors, one number an object, got {got}"
        )
    if rows.device != device:
        raise ContentError(f"{name} must be on the images' device {device}, got {rows.device}; move them there")
    return rows.to(valid.device)


def _check_lengths(name: str, given: list[int], valid: Tensor, lengths: list[int] | None, validate: bool) -> None:
    """Raise `ContentError` where a list says something of fewer or more objects than a sample has."""
    if lengths is None:
        if not validate:
            return
        # Rows behind the last object only fill the batch up: nothing need be said of them.
        lengths = [max([n + 1 for n, there in enumerate(row) if there], default=0) for row in valid.tolist()]
        given = [min(count, length) for count, length in zip(given, lengths, strict=True)]
    for i, (count, wanted) in enumerate(zip(given, lengths, strict=True)):
        if count != wanted:
            raise ContentError(f"{name}[{i}] must be one number an object, of shape ({wanted},), got {count}")


def _limits(policy: Policy, valid: Tensor, labels: Tensor | None, validate: bool) -> Tensor:
    """Return the least retention of each object."""
    if not policy.per_label:
        return torch.full(valid.shape, policy.limit_of(None), dtype=torch.float64, device=valid.device)
    if labels is None:
        raise ContentError("min_retention is per label, so labels must be given: a tensor of shape (B, N)")
    named = {label: limit for label, limit in policy.min_retention.items() if label != OTHERS}  # type: ignore[union-attr]
    other = [label for label in named if not isinstance(label, Integral)]
    if other:
        raise ContentError(f'limits per label of a batch must be for whole numbers or "{OTHERS}", got {other}')
    rest = policy.min_retention.get(OTHERS, torch.nan)  # type: ignore[union-attr]
    limits = torch.full(valid.shape, rest, dtype=torch.float64, device=valid.device)
    labels = labels.long()  # else a limit for 300 would be one for 44, of labels in bytes
    for label, limit in named.items():
        limits = torch.where(labels == int(label), limit, limits)
    if validate and bool((limits.isnan() & valid).any()):
        i, place = (limits.isnan() & valid).nonzero()[0].tolist()
        raise ContentError(
            f"labels[{i}, {place}] must be one that min_retention names a limit for, {sorted(named)}, got "
            f'{int(labels[i, place])}; add it, or "{OTHERS}" for all others'
        )
    return limits.nan_to_num(0.0) if OTHERS not in policy.min_retention else limits  # type: ignore[operator]


def _check_range(
    name: str, values: Tensor | None, valid: Tensor, allowed: str, good: Callable[[Tensor], Tensor]
) -> None:
    if values is None:
        return
    bad = valid & ~good(values)
    if bool(bad.any()):
        i, place = bad.nonzero()[0].tolist()
        raise ContentError(f"{name}[{i}, {place}] must be {allowed}, got {float(values[i, place]):g}")
