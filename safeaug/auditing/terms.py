"""On what terms draws are measured: what must agree between summaries that are to be added."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

import msgspec

from safeaug.auditing.text import as_text
from safeaug.errors import PolicyError
from safeaug.policy import Policy

Labels = Literal["object", "image"]
"""What a label stands for: an object, which the pipeline may drop with it, or the whole image, which stays labelled."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What must agree between summaries that are to be added.

    Parameters
    ----------
    retention : float or dict of str to float, default 0.5
        The policy's ``min_retention``: damage is counted exactly at these limits, whatever they are; and besides at
        every limit that is a multiple of 0.005.
    smallest : float, optional
        The policy's ``ignore_smaller_than``, by which objects were counted or not.
    labels : {"object", "image"}, default "object"
        What a label stands for.
    seed : int, default 0
        From which every draw's key is made.
    pipeline : str
        The pipeline, as it prints.
    worst, random : int
        How many rows of the worst draws, and of draws picked at random, are kept.
    """

    retention: float | dict[str, float] = 0.5
    smallest: float | None = None
    labels: Labels = "object"
    seed: int = 0
    pipeline: str = ""
    worst: int = 200
    random: int = 100

    @property
    def policy(self) -> Policy:
        """The policy, as far as measuring goes by it."""
        return Policy(min_retention=self.retention, ignore_smaller_than=self.smallest)


def terms_of(
    policy: Policy | None = None,
    *,
    labels: Labels = "object",
    seed: int = 0,
    pipeline: str = "",
    worst: int = 200,
    random: int = 100,
) -> Terms:
    """Return the terms on which draws are measured for a policy.

    Of the policy, ``min_retention`` and ``ignore_smaller_than`` matter here. What else it says is about guarding:
    which objects a draw must save first, and how. An audit asks what became of each.

    Raises
    ------
    PolicyError
        Where `labels` is something else, or a number of rows is negative.

    Examples
    --------
    >>> terms_of(Policy(min_retention={"cat": 0.7, "*": 0.5})).retention
    {'*': 0.5, 'cat': 0.7}
    """
    checked_labels(labels)
    for name, number in (("worst", worst), ("random", random)):
        if number < 0:
            raise PolicyError(f"{name} must be at least 0, got {number}; it is a number of rows to keep")
    policy = policy or Policy()
    retention = policy.min_retention
    return Terms(
        retention=named(retention) if isinstance(retention, dict) else retention,  # type: ignore[arg-type]  # a number
        smallest=policy.ignore_smaller_than,
        labels=labels,
        seed=seed,
        pipeline=as_text(pipeline),
        worst=worst,
        random=random,
    )


def checked_labels(labels: Any) -> Labels:
    """Return what a label stands for.

    Raises
    ------
    PolicyError
        Where it is something else.
    """
    if labels not in get_args(Labels):
        raise PolicyError(
            f'labels must be "object" or "image", got {labels!r}; it says whether a label goes with its object or '
            "stands for the whole image"
        )
    return labels  # type: ignore[no-any-return]  # one of the two


def named(limits: Mapping[Any, float]) -> dict[str, float]:
    """Return limits by label, in order, with labels as the text that summaries name them by."""
    return dict(sorted((as_text(str(label)), limit) for label, limit in limits.items()))
