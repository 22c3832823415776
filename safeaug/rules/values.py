"""SA3: NaN and infinities, range against dtype, scaled twice or not at all, clipped, wrapped around.

A rule about what a step did to values says so only where the numbers leave no other reading: which range pixels
*should* have nobody but the user knows, and a dark picture is a picture.
"""

import math

from safeaug.records import Finding
from safeaug.rules.fact import Fact, Row

BYTE = 255.0
SCALED = 2.0
"""A picture of floats with a greater value is not in 0..1."""

VARIED = 0.05
"""Pictures in 0..1 whose values span less are near to flat, and prove nothing."""

AMPLIFIED = 2.0
"""By how much normalising stretches pictures in 0..255, at least, if mean and deviation are meant for 0..1."""


def not_finite(before: Fact | None, after: Fact) -> list[Finding]:
    """Return a finding where values are NaN or infinite that were not before; or where a cast has hidden that.

    Examples
    --------
    >>> one = Fact("image", "image", "ndarray", (2, 2), "float32", low=0.0, high=1.0)
    >>> [str(each) for each in not_finite(one, one._replace(finite=0.75, nans=1))]
    ['SA3.nan: image has 1 NaN of 4 values']
    """
    if before is not None and before.finite < 1:
        if after.floats or after.shape is None or after.low is None:
            return []
        return [Finding("SA3.hidden", f"is {after.dtype}; before it had NaN or infinities, now numbers", after.path)]
    if after.finite == 1:
        return []
    count = math.prod(after.shape or ())
    if after.nans:
        return [Finding("SA3.nan", f"has {after.nans} NaN of {count} values", after.path)]
    return [Finding("SA3.inf", f"has {round((1 - after.finite) * count)} infinite values of {count}", after.path)]


def rescaled(before: Fact, after: Fact) -> list[Finding]:
    """Return findings about what a step did to the range of a picture; one at most, and what follows from it."""
    if after.role != "image" or not after.probe or after.finite < 1 or before.finite < 1:
        return []
    for rule in (_wrapped, _truncated, _clipped, _unscaled, _scaled_twice):
        found = rule(before, after)
        if found:
            return found
    return []


def _wrapped(before: Fact, after: Fact) -> list[Finding]:
    """Tell numbers that do not fit a byte, and come out modulo 256: each pixel of the probe says so."""
    if after.dtype != "uint8" or before.dtype == "uint8" or not _same_pixels(before, after):
        return []
    for factor in (1, BYTE):
        whole = [math.trunc(value * factor) for value in before.probe]
        over = sum(not 0 <= value <= BYTE for value in whole)
        if over and all(value % 256 == seen for value, seen in zip(whole, after.probe, strict=True)):
            text = f"wraps around: {_range(before)} does not fit uint8" + (", times 255" if factor > 1 else "")
            return [Finding("SA3.wrapped", text, after.path)]
    return []


def _truncated(before: Fact, after: Fact) -> list[Finding]:
    """Tell a picture in 0..1 that was made into whole numbers without a factor: two values are left."""
    if not before.floats or before.low is None or before.high is None or not _same_pixels(before, after):
        return []
    varied = before.low >= 0 and before.high <= 1 and before.high - before.low >= VARIED
    between = any(0 < value < 1 for value in before.probe)
    if "int" in (after.dtype or "") and varied and between and set(after.probe) <= {0.0, 1.0}:
        text = f"is {after.dtype} with 0 and 1 only; it was {_range(before)}, and had to be multiplied by 255"
        return [Finding("SA3.truncated", text, after.path)]
    return []


def _clipped(before: Fact, after: Fact) -> list[Finding]:
    """Tell a step that takes floats for 0..1, and clips those in 0..255 to 1."""
    if not (before.floats and after.floats) or before.high is None or before.high <= SCALED or after.high != 1:
        return []
    if after.low is None or after.low < 0:
        return []
    ones, tops = _share(after.probe, 1.0), _share(before.probe, before.high)
    if ones < 0.5 or tops >= 0.5:
        return []
    text = f"is clipped to 1: it was {_range(before)}, and the step takes floats in 0..1. Divide by 255 before it"
    found = [Finding("SA3.clipped", text, after.path)]
    if ones > 0.9:
        found.append(Finding("SA1.flat", "shows nothing any more: nearly all of it has one value", after.path))
    return found


def _unscaled(before: Fact, after: Fact) -> list[Finding]:
    """Tell a mean and a deviation meant for 0..1 that were applied to 0..255."""
    if not after.floats or before.low is None or before.high is None or after.low is None or after.high is None:
        return []
    bytes_ = before.floats and before.low >= 0 and SCALED < before.high <= BYTE + 1
    wide, now = before.high - before.low, after.high - after.low
    if bytes_ and wide > SCALED and now >= AMPLIFIED * wide and after.high > BYTE + 1:
        text = f"is {_range(after)} after normalising {_range(before)}, which was never divided by 255"
        return [Finding("SA3.range", text, after.path)]
    return []


def _scaled_twice(before: Fact, after: Fact) -> list[Finding]:
    """Tell a picture in 0..1 that was divided by 255 once more, and perhaps normalised then."""
    if not (before.floats and after.floats) or before.low is None or before.high is None:
        return []
    if after.low is None or after.high is None or before.low < 0 or before.high > 1 + 1e-3:
        return []
    if before.high - before.low < VARIED or not _same_pixels(before, after):
        return []
    plain = all(
        math.isclose(a / BYTE, b, rel_tol=1e-3, abs_tol=1e-9) for a, b in zip(before.probe, after.probe, strict=True)
    )
    if not plain and not (after.high < 0 and _shrunk(before, after)):
        return []
    text = f"is {_range(after)} and was {_range(before)}: it is divided by 255 twice"
    return [Finding("SA3.scaled_twice", text, after.path)]


def faint(fact: Fact) -> list[Finding]:
    """Return a suspicion where a picture of floats is as dark as one that is divided by 255 twice."""
    if fact.role != "image" or not fact.floats or fact.low is None or fact.high is None:
        return []
    if fact.low < 0 or not 0 < fact.high <= 1.001 / BYTE:
        return []
    return [Finding("SA3.scaled_twice", f"is {_range(fact)}: divided by 255 twice?", fact.path, suspect=True)]


def _same_pixels(before: Fact, after: Fact) -> bool:
    """Return whether two probes show the same places of a picture."""
    return before.size == after.size and len(before.probe) == len(after.probe) > 0


def _shrunk(before: Fact, after: Fact) -> bool:
    """Return whether every channel that varies spans a small part of what it did, and one does vary.

    A deviation of 0.1 or more makes it a 25th of that at most, where the picture was divided by 255 once too often.
    """
    step = after.channels or 1
    spans = [(_span(before.probe[i::step]), _span(after.probe[i::step])) for i in range(step)]
    varied = [(was, now) for was, now in spans if was >= VARIED]
    return bool(varied) and all(now <= was / 20 for was, now in varied)


def _span(values: Row) -> float:
    return max(values) - min(values) if values else 0.0


def _share(probe: Row, value: float) -> float:
    return sum(each == value for each in probe) / len(probe) if probe else 0.0


def _range(fact: Fact) -> str:
    return f"{fact.low:.4g}..{fact.high:.4g}" if fact.low is not None else str(fact.dtype)
