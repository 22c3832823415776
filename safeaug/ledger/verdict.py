"""Whether what is left after a step keeps the promise, against the objects as they came in."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from safeaug.content import Content, single
from safeaug.ledger.ledger import Ledger
from safeaug.measures import RELATIVE, least_of
from safeaug.policy import GONE, Policy, decided


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
    tolerances : tuple of float
        Of each of these, the share of it that may be missing without anybody asking.
    """

    policy: Policy
    objects: tuple[int, ...]
    needs: tuple[float, ...]
    weights: tuple[float, ...]
    gone: tuple[float, ...]
    tolerances: tuple[float, ...]


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
    needs, gone, tolerances = [], [], []
    for place, (i, limit) in enumerate(zip(content.origin, content.limits, strict=True)):
        tolerance = RELATIVE + content.slack * _rim_over_area(content, place)  # as `safeaug.measures` has it
        prior = 1.0 if content.priors is None else content.priors[i]
        needs.append((limit - tolerance) * prior)
        gone.append(GONE + tolerance * prior)
        tolerances.append(tolerance * prior)
    weights = tuple(content.weights)
    return Promise(policy, tuple(content.origin), tuple(needs), weights, tuple(gone), tuple(tolerances))


def _rim_over_area(content: Content, place: int) -> float:
    """Return by how much the area of an object may be off where its coordinates are, as a share; 0 for a point."""
    if content.shapes is None:
        x0, y0, x1, y1 = content.boxes[place]
        wide, high = x1 - x0, y1 - y0
        area = wide * high
        return (wide + high) / area if area else 0.0
    shape = content.shapes[place]
    return shape.rim / shape.area if shape.area else 0.0


class Verdict(NamedTuple):
    """Whether a picture keeps a promise, and of which objects more can be asked.

    Parameters
    ----------
    kept : bool
        Whether as many objects are there as must be.
    asked : tuple of int
        The places, among the objects of the promise, of those of which enough is left. The others are lost, and a
        later step is not asked for them. A callable ``keep`` that was content goes on to be asked with all.
    """

    kept: bool
    asked: tuple[int, ...]


def asked_first(promise: Promise) -> tuple[int, ...]:
    """Return the places of all objects of a promise: what the first step is asked for."""
    return tuple(range(len(promise.objects)))


def judged(
    promise: Promise, asked: Sequence[int], ledger: Ledger, *, at_end: bool, floor: bool | None = None
) -> Verdict:
    """Return whether what a ledger says is left keeps the promise.

    Parameters
    ----------
    promise : Promise
        What must be left.
    asked : sequence of int
        The places of those of its objects that have not been lost before.
    ledger : Ledger
        After the step.
    at_end : bool
        Whether this is the picture in which the pipeline ends. There a close-up passes by ``min_fill``, and
        ``min_visible_pixels`` is asked for; what a step between does to either, a later one may undo.
    floor : bool, optional
        Whether visible pixels are asked for; as ``at_end`` by default.

    Examples
    --------
    >>> from safeaug.content import content_of
    >>> from safeaug.ledger import Windowed, begin, follow
    >>> policy = Policy(min_visible_pixels=64)
    >>> content = content_of([[0, 0, 40, 40], [20, 0, 60, 40]], (100, 100), policy)
    >>> promise = promise_of(content, policy, 0.0)
    >>> half = follow(begin(content, (100, 100)), Windowed((20, 0, 100, 100), (16, 16)))
    >>> judged(promise, (0, 1), half, at_end=False)
    Verdict(kept=True, asked=(0, 1))
    >>> judged(promise, (0, 1), half, at_end=True)
    Verdict(kept=False, asked=())
    """
    after, policy = ledger.shares[-1], promise.policy
    enough = [after[i] >= need for i, need in zip(promise.objects, promise.needs, strict=True)]
    fill = policy.min_fill if at_end else None
    pixels = policy.min_visible_pixels if (at_end if floor is None else floor) else None
    if fill is not None or pixels is not None:
        _look_at_pixels(promise, ledger, enough, fill, pixels)
    verdict = _decided(promise, asked, enough, after)
    if verdict and callable(policy.keep):  # it has seen them all, and may have counted on those that are lost
        return Verdict(True, tuple(asked))
    return Verdict(verdict, tuple([place for place in asked if enough[place]]))


def _look_at_pixels(
    promise: Promise, ledger: Ledger, enough: list[bool], least_fill: float | None, least_pixels: float | None
) -> None:
    """Let what fills the picture pass, and not what shows too few pixels. Points have none, and are not asked for."""
    shares, pixels = ledger.shares[-1], ledger.pixels.tolist()
    fill = math.inf if least_fill is None else least_fill * ledger.size[0] * ledger.size[1]
    floor = least_pixels or 0.0
    for place, (i, tolerance) in enumerate(zip(promise.objects, promise.tolerances, strict=True)):
        if pixels[i] == pixels[i]:
            # The tolerance is a share of the whole object: as many pixels as that would be here.
            shown = pixels[i] * (1 + tolerance / shares[i]) if shares[i] else 0.0
            enough[place] = (enough[place] or shown >= fill) and shown >= floor


def _decided(promise: Promise, asked: Sequence[int], enough: Sequence[bool], after: Sequence[float]) -> bool:
    """Return whether as many of the asked objects are there as must be."""
    policy = promise.policy
    if not asked:
        return True
    if callable(policy.keep):
        return bool(decided(policy.keep, np.array([after[promise.objects[place]] for place in asked])))
    held = sum(enough[place] for place in asked)
    if policy.keep == "whole":
        gone = (after[promise.objects[place]] < promise.gone[place] for place in asked if not enough[place])
        return held > 0 and all(gone)
    least = len(asked) if policy.keep in {"all", "one"} else least_of(policy, len(asked))
    return held >= least


def weight_of(promise: Promise, asked: Sequence[int]) -> float:
    """Return what some of the promise's objects count for."""
    return sum(promise.weights[place] for place in asked)
