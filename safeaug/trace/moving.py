"""Whether a target stayed where it was while the picture moved: a mark, sent through the same draw."""

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.records import Finding
from safeaug.rules import Fact, Facts
from safeaug.rules.agreement import Region, mark_of, stayed, went
from safeaug.rules.facts import as_numpy
from safeaug.rules.parts import parts_of
from safeaug.rules.pictures import laid
from safeaug.trace.states import States, put_back, taken

OFTEN, SELDOM = 8, 32
"""A step is looked at with the first samples that it could have spoilt, and then with one in so many."""

TARGETS = {"boxes", "points", "mask"}


class Look(NamedTuple):
    """Targets that a step may leave behind, and from which states it draws."""

    paths: tuple[str, ...]
    states: States


class Moving:
    """How often one step was looked at, and whether it needs to be.

    Parameters
    ----------
    parts : tuple
        What of the step has generators of its own.
    knows : bool
        Whether the step is a host's own, which moves all targets that it knows: only others are looked at.
    host : str
        Whose.
    """

    def __init__(self, parts: tuple[Any, ...], knows: bool, host: str) -> None:
        self.parts, self.knows = parts, knows
        self.asked = not (knows and host == "albumentations")
        """What such a step does not know is told of when the pipeline is called."""
        self.seen = self.looked = 0

    def due(self) -> bool:
        """Count one more sample, and return whether the step is looked at with it."""
        if not self.asked:
            return False
        number, self.seen = self.seen, self.seen + 1
        return number < OFTEN or number % SELDOM == 0

    def begin(self, before: Facts) -> Look | None:
        """Return what is to be looked at behind the step; None for nothing."""
        if not self.asked:
            return None
        paths = tuple(fact.path for fact in before if fact.role in TARGETS and not (self.knows and _is_typed(fact)))
        if not paths or not any(fact.role == "image" for fact in before):
            return None
        number, self.looked = self.looked, self.looked + 1
        return Look(paths, taken(self.parts)) if number < OFTEN or number % SELDOM == 0 else None

    def end(
        self,
        look: Look,
        before: Facts,
        after: Facts,
        call: Callable[..., Any],
        args: tuple[Any, ...],
        named: dict[str, Any],
        result: Any,
    ) -> list[Finding]:
        """Return a finding for a target that stayed, if the picture has moved."""
        was, now = ({fact.path: fact for fact in facts} for facts in (before, after))
        kept = [path for path in look.paths if path in now and _unchanged(was[path], now[path])]
        picture = next(fact for fact in before if fact.role == "image")
        shown = now.get(picture.path)
        given: Any = named if not args else args[0] if len(args) == 1 else args
        moved = part_of(result, picture.path) is not part_of(given, picture.path)
        if not kept or shown is None or picture.size is None or not moved:
            return []
        for path in kept:
            stood = _stood(was[path], picture.size)
            found = sent(picture.path, stood, look.states, self.parts, call, args, named, result)
            if found is not UNSEEN:
                findings = stayed(path, was[path].role, _scaled(stood, picture.size, shown.size), found)
                if findings:
                    return findings
        return []


UNSEEN: Any = object()
"""Stands for a mark that could not be sent."""


def sent(
    path: str,
    mark: Region,
    states: States,
    parts: tuple[Any, ...],
    call: Callable[..., Any],
    args: tuple[Any, ...],
    named: dict[str, Any],
    result: Any,
) -> Any:
    """Return where a mark in a picture goes by the same draw: a `Region`, None if it is hidden, `UNSEEN` if unknown.

    Parameters
    ----------
    path : str
        Of the picture in the sample.
    mark : Region
        Where it is put.
    states : States
        From which the draw was made.
    parts : tuple
        What has generators of its own.
    call, args, named
        The step or pipeline, and what it was called with.
    result : Any
        What it made of that.
    """
    marked = drawn(lambda given: with_mark(given, path, mark), states, parts, call, args, named)
    plain, other = picture_of(result, path), picture_of(marked, path)
    if marked is UNSEEN or plain is None or other is None or plain.shape != other.shape:
        return UNSEEN
    how = laid(plain.shape, first=not isinstance(part_of(result, path), np.ndarray))
    return UNSEEN if how is None or plain.ndim > 3 else went(plain, other, how.layout)


def drawn(
    change: Callable[[Any], Any],
    states: States,
    parts: tuple[Any, ...],
    call: Callable[..., Any],
    args: tuple[Any, ...],
    named: dict[str, Any],
) -> Any:
    """Return what a step makes of a changed sample by a draw that was made before; `UNSEEN` where it cannot be had.

    The generators are as they were, afterwards.
    """
    now = taken(parts)
    try:
        put_back(states, parts)
        if not args:
            return call(**change(named))
        return call(change(args[0])) if len(args) == 1 else call(*change(args))
    except Exception:  # a step that cannot be called twice proves nothing, and it was called already
        return UNSEEN
    finally:
        put_back(now, parts)


def with_mark(sample: Any, path: str, mark: Region) -> Any:
    """Return a sample with a mark in its picture: what is dark becomes bright, and the other way round."""
    part = part_of(sample, path)
    return replaced(sample, part, _marked(part, mark))


def replaced(sample: Any, part: Any, other: Any) -> Any:
    """Return a sample in which another part stands for one."""
    if sample is part:
        return other
    if isinstance(sample, Mapping):
        return {key: replaced(value, part, other) for key, value in sample.items()}
    if isinstance(sample, tuple) and hasattr(sample, "_fields"):
        return type(sample)(*(replaced(value, part, other) for value in sample))
    if isinstance(sample, list | tuple):
        return type(sample)(replaced(value, part, other) for value in sample)
    if is_dataclass(sample) and not isinstance(sample, type):
        return replace(sample, **{key: replaced(value, part, other) for key, value in vars(sample).items()})
    return sample


def _marked(part: Any, mark: Region) -> Any:
    """Return a picture with a mark."""

    def invert(array: NDArray[Any], layout: str) -> None:
        rows, columns = slice(mark.top, mark.bottom), slice(mark.left, mark.right)
        place = (..., rows, columns) if layout == "CHW" else (rows, columns)
        low, high = ends_of(array)
        array[place] = np.where(array[place] > (low + high) / 2, low, high).astype(array.dtype)

    return repainted(part, invert)


def repainted(part: Any, paint: Callable[[NDArray[Any], str], None]) -> Any:
    """Return a copy of a picture, in the same carrier, that was painted on."""
    if hasattr(part, "getbands"):
        array, copy = np.array(part), part.copy()
        paint(array, "HW" if array.ndim == 2 else "HWC")
        copy.frombytes(array.tobytes())
        return copy
    how = laid(tuple(part.shape), first=not isinstance(part, np.ndarray))
    assert how is not None
    copy = part.copy() if isinstance(part, np.ndarray) else part.clone()
    paint(as_numpy(copy), how.layout)
    return copy


def ends_of(array: NDArray[Any]) -> tuple[Any, Any]:
    """Return what dark and light are in a picture."""
    low, high = (0, 255) if array.dtype == np.uint8 else (array.min(), array.max())
    return low, high if high > low else low + 1


def part_of(sample: Any, path: str) -> Any:
    """Return the part of a sample that stands at a path; None where there is none."""
    return next((part for where, _, part in parts_of(sample) if where == path), None)


def picture_of(sample: Any, path: str) -> NDArray[Any] | None:
    """Return the values of the picture that stands at a path of a sample; None where there is none."""
    part = part_of(sample, path)
    if not hasattr(part, "shape") and not hasattr(part, "getbands"):
        return None
    return np.asarray(part) if hasattr(part, "getbands") else as_numpy(part)


def _stood(target: Fact, size: tuple[int, int]) -> Region:
    """Return where a mark stands for a target: at a box whose corners are known, else off the centre."""
    height, width = size
    if target.role == "boxes" and target.rows and (target.form == "xyxy" or target.form is None):
        for x0, y0, x1, y1 in target.rows:
            region = Region(round(y0), round(x0), round(y1), round(x1))
            if 0 <= region.top < region.bottom <= height and 0 <= region.left < region.right <= width:
                return region
    return mark_of(size)


def _scaled(region: Region, size: tuple[int, int], to: tuple[int, int] | None) -> Region:
    """Return a region as a resize would have it: that targets keep the size of the source proves nothing."""
    if to is None or to == size:
        return region
    down, across = to[0] / size[0], to[1] / size[1]
    return Region(
        round(region.top * down), round(region.left * across), round(region.bottom * down), round(region.right * across)
    )


def _is_typed(fact: Fact) -> bool:
    return fact.type in {"BoundingBoxes", "KeyPoints", "Mask"}


def _unchanged(was: Fact, now: Fact) -> bool:
    """Return whether a target came out as it went in."""
    kind = was.shape == now.shape and was.dtype == now.dtype
    return kind and (was.rows, was.low, was.high, was.probe) == (now.rows, now.low, now.high, now.probe)
