"""Whether what is left after a step keeps the promise, against the objects as they came in."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from safeaug.content import Content, single
from safeaug.measures import RELATIVE, least_of
from safeaug.policy import GONE, Policy, decided
from safeaug.shapes import boxed


class Promise(NamedTuple):
    """What must be left of the objects of an image, whatever steps it goes through.

    Parameters
    ----------
    policy : Policy
        How many of them must be kept.
    objects : tuple of int
        Which of the given objects count.
    needs : tuple of float
        Of each of these, the share that must be left, tolerance taken off.
    weights : tuple of float
        What each of these counts for.
    gone : tuple of float
        Of each of these, the share below which it counts as gone, tolerance put on.
    """

    policy: Policy
    objects: tuple[int, ...]
    needs: tuple[float, ...]
    weights: tuple[float, ...]
    gone: tuple[float, ...]


def promise_of(content: Content, policy: Policy, uniform: float) -> Promise:
    """Return what a policy promises of the objects of an image.

    Parameters
    ----------
    content : Content
        Of the image as it comes in.
    policy : Policy
        What must be kept of them.
    uniform : float
        Under ``keep="one"`` picks the object, in [0, 1).
    """
    if policy.keep == "one" and len(content.boxes):
        content = single(content, uniform)
    shapes = [boxed(box, content.slack) for box in content.boxes] if content.shapes is None else content.shapes
    needs, gone = [], []
    for i, shape, limit in zip(content.origin, shapes, content.limits, strict=True):
        # As `safeaug.measures` has it, in shares of what came in.
        tolerance = RELATIVE + (content.slack * shape.rim / shape.area if shape.area else 0.0)
        prior = 1.0 if content.priors is None else content.priors[i]
        needs.append((limit - tolerance) * prior)
        gone.append(GONE + tolerance * prior)
    return Promise(policy, tuple(content.origin), tuple(needs), tuple(content.weights), tuple(gone))


def kept(promise: Promise, before: Sequence[float], after: Sequence[float]) -> bool:
    """Return whether a step keeps the promise.

    Parameters
    ----------
    promise : Promise
        What must be left.
    before, after : sequence of float
        What is left of each given object before and after the step. One of which too little was left before was lost
        there, and is not asked for again.

    Examples
    --------
    >>> both = Promise(Policy(), (0, 1), (0.5, 0.5), (1.0, 1.0), (0.05, 0.05))
    >>> kept(both, (1.0, 0.2), (0.6, 0.1)), kept(both, (1.0, 0.9), (0.6, 0.1))
    (True, False)
    """
    policy = promise.policy
    if callable(policy.keep):
        return bool(decided(policy.keep, np.array([after[i] for i in promise.objects]))) if promise.objects else True
    found = zip(promise.objects, promise.needs, promise.gone, strict=True)
    there = [(after[i], need, gone) for i, need, gone in found if before[i] >= need]
    if not there:
        return True
    held = sum(left >= need for left, need, _ in there)
    if policy.keep == "whole":
        return held > 0 and all(left >= need or left < gone for left, need, gone in there)
    least = len(there) if policy.keep in {"all", "one"} else least_of(policy, len(there))
    return held >= least


def weight_kept(promise: Promise, after: Sequence[float]) -> float:
    """Return the weight of the objects of which enough is left."""
    found = zip(promise.objects, promise.needs, promise.weights, strict=True)
    return sum(weight for i, need, weight in found if after[i] >= need)
