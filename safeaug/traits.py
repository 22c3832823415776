"""What is said of each object beside its shape: its limit, what it counts for, whether it counts at all."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from safeaug.errors import ContentError, PolicyError
from safeaug.policy import Policy


class Traits(NamedTuple):
    """What is said of each object beside its shape; None for a property of which nothing is said."""

    limits: list[float]
    weights: list[float] | None
    ignore: list[bool] | None
    priors: list[float] | None


def traits_of(
    policy: Policy,
    count: int,
    labels: Sequence[Hashable] | None = None,
    weights: ArrayLike | None = None,
    ignore: ArrayLike | None = None,
    prior_visibility: ArrayLike | None = None,
) -> Traits:
    """Return the properties of so many objects, checked. Parameters and errors as in `content_of`."""
    passed_over = None if ignore is None else checked_ignore(_numbers("ignore", ignore, count))
    return Traits(
        _limits(policy, labels, count, passed_over),
        None if weights is None else checked_weights(_numbers("weights", weights, count)),
        passed_over,
        None if prior_visibility is None else checked_priors(_numbers("prior_visibility", prior_visibility, count)),
    )


def label_limits(policy: Policy, labels: Sequence[Hashable], ignore: Sequence[bool] | None = None) -> list[float]:
    """Return the limit of each label that counts, or raise `ContentError` where the policy names none."""
    try:
        return [0.0 if ignore is not None and ignore[i] else policy.limit_of(label) for i, label in enumerate(labels)]
    except PolicyError as error:
        raise ContentError(str(error)) from None
    except TypeError:
        raise ContentError(f"labels must be numbers or text, got {list(labels)}") from None


def checked_weights(weights: NDArray[np.float64]) -> list[float]:
    """Return the weights as plain numbers, or raise `ContentError` where they are none."""
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ContentError(f"weights must be finite and at least 0, got {weights.tolist()}")
    values: list[float] = weights.tolist()
    return values


def checked_ignore(ignore: NDArray[np.float64]) -> list[bool]:
    """Return which objects are ignored, or raise `ContentError` where it is not said of each."""
    if not np.isfinite(ignore).all():
        raise ContentError(f"ignore must be true or false of each object, got {ignore.tolist()}")
    passed_over: list[bool] = (ignore != 0).tolist()
    return passed_over


def checked_priors(priors: NDArray[np.float64]) -> list[float]:
    """Return the prior visibilities as plain numbers, or raise `ContentError` where they are none."""
    if not ((priors >= 0).all() and (priors <= 1).all()):
        raise ContentError(f"prior_visibility must be in [0, 1], got {priors.tolist()}")
    values: list[float] = priors.tolist()
    return values


def _limits(
    policy: Policy, labels: Sequence[Hashable] | None, count: int, ignore: Sequence[bool] | None
) -> list[float]:
    if not policy.per_label:
        return [policy.limit_of(None)] * count
    if labels is None:
        raise ContentError("min_retention is per label, but the objects came without labels; name their label field")
    if len(labels) != count:
        raise ContentError(f"labels must be as many as objects, got {len(labels)} labels and {count} objects")
    return label_limits(policy, labels, ignore)


def _numbers(name: str, values: ArrayLike, count: int) -> NDArray[np.float64]:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ContentError(f"{name} must be numbers, got {values!r}") from None
    if array.shape != (count,):
        raise ContentError(f"{name} must be one number per object, of shape ({count},), got shape {array.shape}")
    return array
