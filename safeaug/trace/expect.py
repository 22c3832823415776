"""What a part of a sample must be, where the user says so."""

from dataclasses import dataclass

import numpy as np

from safeaug.errors import PolicyError
from safeaug.records import Finding
from safeaug.rules.fact import Fact


@dataclass(frozen=True, kw_only=True)
class Expect:
    """A contract for one part of a sample.

    Parameters
    ----------
    type : str, optional
        Name of its class, such as ``"Tensor"``.
    shape : tuple of int or None, optional
        Its sides; None for any length.
    dtype : str, optional
        As numpy names it, such as ``"float32"``.
    low, high : float, optional
        Between which all values must lie, where values are looked at.
    finite : bool, default False
        Whether NaN and infinities are forbidden in it whatever it is; in pictures, masks and boxes they are anyway.
    optional : bool, default False
        Whether it may be None.

    Raises
    ------
    PolicyError
        Where nothing can meet it.

    Examples
    --------
    >>> Expect(dtype="uint8", low=0, high=255, shape=(None, None, 3))
    Expect(type=None, shape=(None, None, 3), dtype='uint8', low=0, high=255, finite=False, optional=False)
    >>> Expect(dtype="uint8", high=300)
    Traceback (most recent call last):
    safeaug.errors.PolicyError: high must fit the dtype uint8, 0 to 255, got 300
    """

    type: str | None = None
    shape: tuple[int | None, ...] | None = None
    dtype: str | None = None
    low: float | None = None
    high: float | None = None
    finite: bool = False
    optional: bool = False

    def __post_init__(self) -> None:
        if self.low is not None and self.high is not None and self.low > self.high:
            raise PolicyError(f"low must not be above high, got low={self.low} and high={self.high}")
        if self.dtype is None or self.dtype == "bfloat16":
            return
        try:
            dtype = np.dtype(self.dtype)
        except TypeError:
            raise PolicyError(f'dtype must be a name such as "float32", got {self.dtype!r}') from None
        if dtype.kind not in "iu":
            return
        limits = np.iinfo(dtype)
        for name, value in (("low", self.low), ("high", self.high)):
            if value is not None and not limits.min <= value <= limits.max:
                raise PolicyError(f"{name} must fit the dtype {self.dtype}, {limits.min} to {limits.max}, got {value}")

    def broken_by(self, fact: Fact) -> list[Finding]:
        """Return a finding where a part is not as it must be; the first that is."""
        if fact.role == "none":
            return []  # whether it may be None is asked elsewhere
        told = self._kind(fact) or self._values(fact)
        return [Finding(f"{told[0]}", told[1], fact.path)] if told else []

    def _kind(self, fact: Fact) -> tuple[str, str] | None:
        if self.type is not None and fact.type.partition("(")[0] != self.type:
            return "SA2.type", f"must be of type {self.type}, and is {fact.type}"
        if self.dtype is not None and fact.dtype != self.dtype:
            return "SA2.dtype", f"must be {self.dtype}, and is {fact.dtype}"
        if self.shape is not None and not _fits(fact.shape, self.shape):
            return "SA2.shape", f"must have the shape {_sides(self.shape)}, and has {_sides(fact.shape)}"
        return None

    def _values(self, fact: Fact) -> tuple[str, str] | None:
        if self.finite and fact.finite < 1:
            return "SA3.nan" if fact.nans else "SA3.inf", f"must be finite; {fact.finite:.4%} of its values are"
        if self.low is not None and fact.low is not None and fact.low < self.low:
            return "SA3.range", f"must be {self.low} or more, and has {fact.low:.6g}"
        if self.high is not None and fact.high is not None and fact.high > self.high:
            return "SA3.range", f"must be {self.high} or less, and has {fact.high:.6g}"
        return None


def _fits(shape: tuple[int, ...] | None, wanted: tuple[int | None, ...]) -> bool:
    return (
        shape is not None
        and len(shape) == len(wanted)
        and all(want in {None, side} for side, want in zip(shape, wanted, strict=True))
    )


def _sides(shape: tuple[int | None, ...] | None) -> str:
    return "none" if shape is None else "(" + ", ".join("any" if side is None else str(side) for side in shape) + ")"
