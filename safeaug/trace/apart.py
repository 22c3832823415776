"""Whether a picture and its mask, put through a pipeline by two calls, went through one draw."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.records import Finding
from safeaug.rules import Fact
from safeaug.rules.agreement import drawn_apart, pattern_of, signs_of
from safeaug.rules.labels import labels_of
from safeaug.rules.pictures import laid
from safeaug.trace.making import Making
from safeaug.trace.moving import UNSEEN, drawn, ends_of, part_of, picture_of, repainted, replaced
from safeaug.trace.place import INPUT
from safeaug.trace.states import States
from safeaug.trace.trail import Trail

CLASSES = 64
"""A picture of more values is no mask of ids."""


class Called(NamedTuple):
    """One call of a pipeline, for one sample."""

    pipeline: Any
    picture: Fact
    states: States
    args: tuple[Any, ...]
    named: dict[str, Any]
    result: Any


def look_apart(
    making: Making,
    trail: Trail,
    pipeline: Any,
    states: States,
    call: Callable[..., Any],
    args: tuple[Any, ...],
    named: dict[str, Any],
    result: Any,
) -> None:
    """Tell of a mask that went through another draw of the pipeline than the picture of its sample.

    Two views of one picture may be drawn apart, and so may two pictures: only ids beside colours must not.
    """
    facts = trail.crumbs[0].facts or ()
    picture = next((fact for fact in facts if fact.role in {"image", "mask", "other"} and fact.size is not None), None)
    if picture is None or len(args) > 1:
        return
    for other in making.calls:
        if other.pipeline is pipeline and _belong(other.picture, picture) and _has_ids(args, named, picture):
            findings = _compared(other, picture, states, pipeline.parts, call)
            if findings:
                trail.told(findings, INPUT)
                return
    making.calls.append(Called(pipeline, picture, states, args, named, result))


def _belong(picture: Fact, mask: Fact) -> bool:
    return picture.size == mask.size and picture.channels == 3 and mask.channels == 1


def _has_ids(args: tuple[Any, ...], named: dict[str, Any], fact: Fact) -> bool:
    array = picture_of(args[0] if args else named, fact.path)
    labels = None if array is None else labels_of(array)
    return labels is not None and len(labels) <= CLASSES


def _compared(
    other: Called, picture: Fact, states: States, parts: tuple[Any, ...], call: Callable[..., Any]
) -> list[Finding]:
    """Return a finding where a pattern goes elsewhere by the second draw than by the first."""
    first, second = (_signs(other, each, parts, call) for each in (other.states, states))
    return [] if first is None or second is None else drawn_apart(picture.path, first, second)


def _signs(other: Called, states: States, parts: tuple[Any, ...], call: Callable[..., Any]) -> Any:
    """Return where a pattern goes that stands in the place of a picture; None where that cannot be had."""
    path, size = other.picture.path, other.picture.size
    assert size is not None
    pattern, found = pattern_of(size), []
    for light in (pattern, ~pattern):

        def put(given: Any, light: Any = light) -> Any:
            part = part_of(given, path)
            return replaced(given, part, repainted(part, lambda array, layout: _paint(array, layout, light)))

        result = drawn(put, states, parts, call, other.args, other.named)
        found.append(None if result is UNSEEN else picture_of(result, path))
    if found[0] is None or found[1] is None or found[0].shape != found[1].shape or found[0].ndim > 3:
        return None
    how = laid(found[0].shape, first=not isinstance(part_of(other.result, path), np.ndarray))
    return None if how is None else signs_of(found[0], found[1], how.layout)


def _paint(array: NDArray[Any], layout: str, light: Any) -> None:
    """Paint a pattern over a picture."""
    low, high = ends_of(array)
    painted = np.where(light if layout != "HWC" else light[..., None], high, low)
    array[...] = painted.astype(array.dtype)
