"""What is promised (Policy), and how a draw ended (Status, Stage)."""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from enum import IntEnum
from numbers import Integral, Real
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from safeaug.errors import PolicyError

Quantifier = Literal["all", "any", "one", "whole"]
Keep = Quantifier | int | Callable[[Any], Any]
Sampling = Literal["keep_scale", "joint"]
OnFail = Literal["most", "enlarge", "skip", "raise"]
OnEmpty = Literal["plain", "raise"]
Limits = float | Mapping[Any, float] | Iterable[tuple[Any, float]]

OTHERS = "*"
"""The key of a per-label limit that stands for every label which is not named."""

GONE = 0.05
"""Under ``keep="whole"`` an object of which no more than this share is left counts as gone."""


class Status(IntEnum):
    """How a draw ended, from the least to the most remarkable: a pipeline reports its greatest."""

    NOT_APPLIED = 0
    """The host's own ``p`` did not apply the transform."""
    EMPTY = 1
    """There was nothing to protect; the host's draw is untouched."""
    FIRST = 2
    """The host's own draw kept the promise and is untouched."""
    MOVED = 3
    """The drawn size is kept, the position is drawn anew."""
    RESIZED = 4
    """No position of the drawn size keeps the promise; another size does."""
    REDRAWN = 5
    """Other parameters were drawn, for transforms that are not windows."""
    SOFTENED = 6
    """The parameters were scaled toward the identity."""
    SKIPPED = 7
    """The promise cannot be met here and the policy says ``on_fail="skip"``."""
    UNGUARDED = 8
    """A kind or mode that is measured only."""
    UNMET = 9
    """The promise cannot be met here; the draw keeps as much as can be kept."""


class Stage(IntEnum):
    """Which part of the candidate list the size of a draw came from."""

    DRAWN = 0
    """The size that the host drew."""
    REDRAW = 1
    """A further draw of the host's own sampler."""
    LATTICE = 2
    """The fixed lattice of sizes inside the host's own scale and ratio."""
    LADDER = 3
    """The steps beyond the host's range that ``on_fail="enlarge"`` allows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """What every draw must keep, and what happens where it cannot.

    Parameters
    ----------
    min_retention : float, mapping or pairs, default 0.5
        Share of an object's area, in [0, 1], that must stay inside the window. A mapping (or its pairs) gives one
        limit per label; the key ``"*"`` stands for all labels that are not named.
    keep : {"all", "any", "one", "whole"}, int or callable, default "all"
        Which objects must reach their limit: all; at least one; one that is picked for each draw in proportion to its
        weight; every object either at its limit or gone (no more than 5 % left) with at least one kept; or at least
        so many (all, where there are fewer). A callable gets an array of shape (..., N), the retention of the N
        objects that count at many positions at once, and returns which positions will do, of shape (...); it decides
        alone, so the limit only says which objects an UNMET draw saves first.
    min_fill : float, optional
        In (0, 1]. An object also passes when it fills this share of the window: a close-up is not a loss.
    min_visible_pixels : float, optional
        An object must also keep this many pixels of the output. Points (zero-area boxes, keypoints) are exempt.
    max_stretch : float, optional
        At least 1. The greatest allowed x-scale over y-scale from window to output, or its inverse.
    sampling : {"keep_scale", "joint"}, default "keep_scale"
        ``keep_scale`` keeps the drawn size wherever it can and draws the position uniformly from all that keep the
        promise. ``joint`` is the host's law conditioned on success, which favours large windows.
    tries : int, default 10
        How many further sizes are drawn from the host where the drawn one cannot succeed.
    on_fail : {"most", "enlarge", "skip", "raise"}, default "most"
        Where no candidate succeeds: keep as many objects as can be kept; first try sizes beyond the host's range; leave
        the transform out; raise `RetentionError`.
    on_empty : {"plain", "raise"}, default "plain"
        Where there is nothing to protect: the host's draw, or `ContentError`.
    apply_rate : float, default 1.0
        Share of the draws that are guarded, in [0, 1]. The others are the host's own, ``UNGUARDED``, so that a model
        still meets truncated objects.
    ignore_smaller_than : float, optional
        Objects of a smaller area, in source pixels, are never asked for. Keypoints have no area and always count.
    min_rank : float, default 0.5
        Of saliency only (``protect="saliency"``), in which this and the next field take the place of ``min_retention``,
        ``keep`` and whatever else speaks of objects. In [0, 1]: no more than ``1 - min_rank`` of the windows of a size
        will do, those that hold the most of the map; equals are never parted, and where already the best are more, all
        of these do. So some window always does, of a flat map every one, and 0 leaves every draw alone.
    min_mass : float, optional
        Of saliency only, in [0, 1], in place of ``min_rank``: the share of the map that a window must hold. That
        favours large windows, and what no window holds is UNMET.

    Raises
    ------
    PolicyError
        Where a value is out of its range.

    Examples
    --------
    >>> Policy(min_retention={"face": 0.9, "*": 0.5}).limit_of("face")
    0.9
    >>> Policy.classification().min_fill
    0.5
    >>> Policy(min_retention=60)
    Traceback (most recent call last):
    safeaug.errors.PolicyError: min_retention must be in [0, 1], got 60 (write 0.6, not 60)
    """

    min_retention: Limits = 0.5
    keep: Keep = "all"
    min_fill: float | None = None
    min_visible_pixels: float | None = None
    max_stretch: float | None = None
    sampling: Sampling = "keep_scale"
    tries: int = 10
    on_fail: OnFail = "most"
    on_empty: OnEmpty = "plain"
    apply_rate: float = 1.0
    ignore_smaller_than: float | None = None
    min_rank: float = 0.5
    min_mass: float | None = None

    def __post_init__(self) -> None:
        # Fields are kept as plain Python numbers: numpy's would be compared, printed and serialised in other ways.
        checked: dict[str, Any] = {"min_retention": _limits(self.min_retention), "keep": _checked_keep(self.keep)}
        checked["apply_rate"] = _check_number("apply_rate", self.apply_rate, 0, 1)
        checked["min_rank"] = _check_number("min_rank", self.min_rank, 0, 1)
        if self.min_mass is not None:
            checked["min_mass"] = _check_number("min_mass", self.min_mass, 0, 1)
        if self.ignore_smaller_than is not None:
            checked["ignore_smaller_than"] = _check_number("ignore_smaller_than", self.ignore_smaller_than, 0, math.inf)
        if self.min_fill is not None:
            checked["min_fill"] = _check_number("min_fill", self.min_fill, 0, 1, open_low=True)
        if self.min_visible_pixels is not None:
            checked["min_visible_pixels"] = _check_number("min_visible_pixels", self.min_visible_pixels, 0, math.inf)
        if self.max_stretch is not None:
            checked["max_stretch"] = _check_number("max_stretch", self.max_stretch, 1, math.inf)
        if not _is_int(self.tries) or self.tries < 0:
            raise PolicyError(f"tries must be a whole number of at least 0, got {self.tries!r}")
        checked["tries"] = int(self.tries)
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        _check_choice("sampling", self.sampling, get_args(Sampling))
        _check_choice("on_fail", self.on_fail, get_args(OnFail))
        _check_choice("on_empty", self.on_empty, get_args(OnEmpty))
        if callable(self.keep) and (self.min_fill is not None or self.min_visible_pixels is not None):
            raise PolicyError(
                "a callable keep sees retention and decides alone, got min_fill or min_visible_pixels beside it; "
                'leave them out, or use keep="all", "any", "whole" or a number'
            )

    @classmethod
    def classification(cls) -> "Policy":
        """Keep what one label for the image is about: half of the object, or a window that is half object."""
        return cls(min_retention=0.5, min_fill=0.5)

    @classmethod
    def detection(cls) -> "Policy":
        """Give every object its label or none: whole (at least half) or gone, never a sliver."""
        return cls(min_retention=0.5, keep="whole")

    @classmethod
    def small_objects(cls) -> "Policy":
        """Keep objects of few pixels: 0.7 of each, and 8 × 8 pixels of the output."""
        return cls(min_retention=0.7, min_visible_pixels=64)

    @classmethod
    def segmentation(cls) -> "Policy":
        """Keep half of every instance mask, or of the foreground."""
        return cls(min_retention=0.5)

    @classmethod
    def keypoints(cls) -> "Policy":
        """Keep every visible keypoint of every instance."""
        return cls(min_retention=1.0)

    @classmethod
    def strict(cls) -> "Policy":
        """Keep nine tenths of every object."""
        return cls(min_retention=0.9)

    def limit_of(self, label: Hashable) -> float:
        """Return the retention that an object of this label must keep.

        Raises
        ------
        PolicyError
            Where the limits are per label, the label is not named, and there is no ``"*"``.
        """
        if not isinstance(self.min_retention, dict):
            return self.min_retention  # type: ignore[return-value]  # a number, once _limits has run
        if label in self.min_retention:
            return float(self.min_retention[label])
        if OTHERS in self.min_retention:
            return float(self.min_retention[OTHERS])
        named = ", ".join(map(repr, self.min_retention))
        raise PolicyError(
            f'min_retention names no limit for label {label!r}, only for {named}; add it, or "*" for all others'
        )

    def check_salient(self) -> None:
        """Raise `PolicyError` where a callable is to decide, which sees objects, over a saliency map."""
        if callable(self.keep):
            raise PolicyError(
                "a callable keep sees the retention of objects, and a saliency map is none: it is asked for by "
                "min_rank or min_mass; leave keep out"
            )

    def of_salience(self) -> "Policy":
        """Return what is asked of a saliency map that is followed as an object: ``min_mass`` of it, no more."""
        self.check_salient()
        return replace(
            self,
            min_retention=self.min_mass or 0.0,
            keep="all",
            min_fill=None,
            min_visible_pixels=None,
            ignore_smaller_than=None,
        )

    @property
    def per_label(self) -> bool:
        """Whether limits differ by label, so that objects must come with labels."""
        return isinstance(self.min_retention, dict)

    @property
    def plain_limit(self) -> float | None:
        """The share that is asked of every object, where nothing else is asked; else None."""
        others = self.min_fill, self.min_visible_pixels, self.max_stretch, self.ignore_smaller_than
        if self.per_label or self.keep != "all" or self.apply_rate < 1 or any(each is not None for each in others):
            return None
        return self.limit_of(None)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data that JSON and YAML carry unchanged (limits per label as pairs).

        A callable ``keep`` is returned as it is; no text stands for it.
        """
        out = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.per_label:
            out["min_retention"] = [list(pair) for pair in self.min_retention.items()]  # type: ignore[union-attr]
        return out


def decided(keep: Callable[[Any], Any], retention: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which positions a callable ``keep`` accepts.

    Parameters
    ----------
    keep : callable
        The policy's.
    retention : ndarray of shape (..., N)
        Of the N objects that count, at each position.

    Raises
    ------
    PolicyError
        Where it returns anything else than one truth value per position.

    Examples
    --------
    >>> decided(lambda r: ((r > 0.99) | (r < 0.01)).all(-1), np.array([[1.0, 0.0], [1.0, 0.5]])).tolist()
    [True, False]
    """
    answer = np.asarray(keep(retention))
    if answer.shape != retention.shape[:-1] or answer.dtype != bool:
        raise PolicyError(
            f"a callable keep must return bool of shape {retention.shape[:-1]} for retention of shape "
            f"{retention.shape}, got {answer.dtype} of shape {answer.shape}; reduce over the last axis, as in "
            "(retention >= 0.5).all(-1)"
        )
    return answer


def _limits(value: Any) -> float | dict[Any, float]:
    """Return one limit, or a plain dict of limits by label, each checked."""
    if isinstance(value, Real | str) or not isinstance(value, Iterable):
        return _check_number("min_retention", value, 0, 1)
    try:
        limits = dict(value)
    except (TypeError, ValueError):
        raise PolicyError(f"min_retention must be a number or map labels to numbers, got {value!r}") from None
    if not limits:
        raise PolicyError('min_retention maps no label; name at least one, or "*" for all')
    return {
        label.item() if isinstance(label, np.generic) else label: _check_number(
            f"min_retention[{label!r}]", limit, 0, 1
        )
        for label, limit in limits.items()
    }


def _check_number(name: str, value: Any, low: float, high: float, *, open_low: bool = False) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise PolicyError(f"{name} must be a number, got {value!r}")
    number = float(value)
    if not (low < number if open_low else low <= number) or not number <= high or math.isinf(number):
        allowed = f"{'(' if open_low else '['}{low}, {high}]" if high < math.inf else f"at least {low} and finite"
        hint = f" (write {number / 100:g}, not {number:g})" if high == 1 and 1 < number <= 100 else ""
        raise PolicyError(f"{name} must be {'in ' if high < math.inf else ''}{allowed}, got {value}{hint}")
    return number


def _checked_keep(keep: Any) -> Keep:
    if isinstance(keep, str) and keep in get_args(Quantifier):
        return keep  # type: ignore[return-value]  # one of the four
    if _is_int(keep) and keep >= 1:
        return int(keep)
    if callable(keep):
        return keep  # type: ignore[no-any-return]  # what it takes and gives shows when it is called
    raise PolicyError(
        f'keep must be "all", "any", "one", "whole", a whole number of at least 1 or a callable, got {keep!r}'
    )


def _check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise PolicyError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")


def _is_int(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


_DEFAULTS: dict[str, Any] = Policy().to_dict()


def policy_of(policy: Policy | None, given: Mapping[str, Any]) -> Policy:
    """Return the policy of a transform that takes one whole, or by its fields.

    Parameters
    ----------
    policy : Policy or None
        The whole.
    given : mapping
        Arguments, the fields among them; those that are left at their defaults do not count as given.

    Raises
    ------
    PolicyError
        Where both are given, or the whole is something else.

    Examples
    --------
    >>> policy_of(None, {**Policy().to_dict(), "tries": 3, "size": 224}).tries
    3
    """
    fields = {name: given[name] for name in _DEFAULTS}
    if policy is None:
        return Policy(**fields)
    if not isinstance(policy, Policy):
        raise PolicyError(f"policy must be a safeaug.Policy, got {policy!r}")
    twice = [name for name, value in fields.items() if value != _DEFAULTS[name]]
    if twice:
        raise PolicyError(f"give either policy or its fields, got policy and {', '.join(twice)}")
    return policy
