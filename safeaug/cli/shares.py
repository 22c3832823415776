"""Shares as they are written on a command line: ``1%`` or ``0.01``."""

import math

from safeaug.errors import PolicyError

WAYS = "a percentage such as 1%, or a share such as 0.01"


def share_of(text: str, name: str) -> float:
    """Return a share in [0, 1].

    Parameters
    ----------
    text : str
        A number, or one and a percent sign.
    name : str
        What it is, for the error.

    Raises
    ------
    PolicyError
        Where it is neither, or lies outside.

    Examples
    --------
    >>> share_of("1%", "max-damaged"), share_of("0.5", "min-retention")
    (0.01, 0.5)
    >>> share_of("60", "min-retention")
    Traceback (most recent call last):
    safeaug.errors.PolicyError: min-retention must be a percentage ..., got '60' (write 60% or 0.6)
    """
    number, percent = text.strip(), False
    if number.endswith("%"):
        number, percent = number[:-1].rstrip(), True
    try:
        value = float(number) / (100 if percent else 1)
    except ValueError:
        point = f" (write {text.strip().replace(',', '.')})" if _is_number(number.replace(",", ".")) else ""
        raise PolicyError(f"{name} must be {WAYS}, got {text!r}{point}") from None
    if not 0 <= value <= 1:
        hint = f" (write {value:g}% or {value / 100:g})" if 1 < value <= 100 and not percent else ""
        raise PolicyError(f"{name} must be {WAYS}, between 0 and 100%, got {text!r}{hint}")
    return value


def limit_of(text: str | None, name: str) -> float | None:
    """Return the most that a rate may be; a bare 1, which people write for both, is refused.

    Examples
    --------
    >>> limit_of("0.1%", "max-emptied"), limit_of(None, "max-emptied")
    (0.001, None)
    >>> limit_of("1", "max-damaged")
    Traceback (most recent call last):
    safeaug.errors.PolicyError: max-damaged must be ..., got '1', which may mean either; write 1% or 100%
    """
    if text is None:
        return None
    value = share_of(text, name)
    if value == 1 and "%" not in text:
        raise PolicyError(f"{name} must be {WAYS}, got {text!r}, which may mean either; write 1% or 100%")
    return value


def limits_of(texts: list[str], name: str) -> float | dict[str, float]:
    """Return one share for all, or one for each label.

    Parameters
    ----------
    texts : list of str
        One share; or any number of ``label=share``, of which the label ``*`` stands for all others.
    name : str
        What they are, for the error.

    Examples
    --------
    >>> limits_of(["0.5"], "min-retention"), limits_of(["face=90%", "*=0.5"], "min-retention")
    (0.5, {'face': 0.9, '*': 0.5})
    """
    if len(texts) == 1 and "=" not in texts[0]:
        return share_of(texts[0], name)
    limits: dict[str, float] = {}
    for text in texts:
        label, equals, share = text.rpartition("=")
        if not equals:
            raise PolicyError(f"{name} must be given once, or for each label as label=share, got {text!r}")
        if label in limits:
            raise PolicyError(f"{name} must be given once for a label, got {label!r} twice")
        limits[label] = share_of(share, f"{name} of {label!r}")
    return limits


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
