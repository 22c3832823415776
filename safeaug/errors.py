"""Every error that safeaug raises on purpose.

::

    SafeAugError
    ├── PolicyError (ValueError)                        a promise that cannot be made
    ├── ContentError (ValueError)                       boxes or labels that cannot be judged
    ├── RetentionError (RuntimeError)                   the promise cannot be met, and on_fail="raise"
    ├── DataError (ValueError)                          a data set that cannot be read: says file and line
    ├── PipelineError (RuntimeError)                    a step of a pipeline fails: which, and on which sample
    ├── Fault (RuntimeError)                            a watched sample breaks a rule: which, where; and its replay
    ├── OutputError (OSError)                           what was asked for cannot be written where it was asked for
    └── MissingHostError                                the library behind an adapter is not installed
        ├── MissingHostImportError (ImportError)        met by ``import safeaug.albumentations``
        └── MissingHostAttributeError (AttributeError)  met by ``safeaug.albumentations``

A message says what, what is allowed, what was given, where, and what to do. Each class also is the built-in error
that a caller would expect, so that code which knows nothing of safeaug still catches it.
"""

import json
import re
from typing import Any


class SafeAugError(Exception):
    """Base of all errors that safeaug raises on purpose."""


class PolicyError(SafeAugError, ValueError):
    """A policy is out of range, or its parts contradict each other."""


class ContentError(SafeAugError, ValueError):
    """What is to be protected cannot be read: NaN, swapped or unlabelled boxes, another frame than expected."""


class RetentionError(SafeAugError, RuntimeError):
    """The promise cannot be met on this sample, and the policy says ``on_fail="raise"``.

    Parameters
    ----------
    message : str
        What could not be kept.
    outcome : Outcome or None
        The best that can be had: its window, and what is left of each object. The message alone is a valid
        argument, since a loader worker's error is made again in the parent from its message.
    """

    def __init__(self, message: str, outcome: Any = None) -> None:
        super().__init__(message)
        self.outcome = outcome


class PipelineError(SafeAugError, RuntimeError):
    """A step of a pipeline fails on a sample: somebody else's code raised, or the sample lacks what it needs.

    Parameters
    ----------
    message : str
        What happened, where. Alone it is a valid argument, as in `RetentionError`.
    sample : object, optional
        Which sample: the number of the call, from 1, or its id where it has one.
    step : str, optional
        Index path and name of the step.
    """

    def __init__(self, message: str, sample: Any = None, step: str | None = None) -> None:
        super().__init__(message)
        self.sample = sample
        self.step = step


class Fault(SafeAugError, RuntimeError):  # noqa: N818  # what is at fault is the data, and the word is the field's
    """A watched sample breaks a rule: told at the step where that starts.

    Parameters
    ----------
    message : str
        For people; its last line is the fault as JSON, by the names below. So it comes whole out of a loader's worker:
        the loader makes an error again from one text, to which it has added its own.

    Attributes
    ----------
    rule : str
        Code of the rule, such as ``"SA3.nan"``.
    text : str
        What is wrong.
    sample : object
        Index of the sample; without a watched data set the number of the call, from 1.
    step : str
        Index path and name of the step that broke it; ``"input"`` where the sample came so.
    where : str
        ``file:line`` of that step, where it is somebody's own code; else empty.
    crumbs : list of str
        The sample behind each step, up to this one.
    params : dict
        Of the step's draw, as text.
    seed : int or None
        Of the loader's worker, or torch's initial one.
    replay : str
        One line for a shell that makes the sample again; empty where no data set is watched.
    """

    _MARK = "safeaug-fault: "

    def __init__(self, message: str) -> None:
        super().__init__(message)
        lines = re.findall(rf"^\s*{self._MARK}(.*)$", message, flags=re.MULTILINE)
        fields: dict[str, Any] = json.loads(lines[-1]) if lines else {}
        self.rule: str = fields.get("rule", "")
        self.text: str = fields.get("text", message)
        self.sample: Any = fields.get("sample")
        self.step: str = fields.get("step", "")
        self.where: str = fields.get("where", "")
        self.crumbs: list[str] = fields.get("crumbs", [])
        self.params: dict[str, str] = fields.get("params", {})
        self.seed: int | None = fields.get("seed")
        self.replay: str = fields.get("replay", "")

    @classmethod
    def told(cls, text: str, fields: dict[str, Any]) -> "Fault":
        """Return a fault that says a text, and carries fields."""
        return cls(f"{text}\n{cls._MARK}{json.dumps(fields, default=str)}")


class DataError(SafeAugError, ValueError):
    """A data set, or a sample of it, cannot be read as its format says.

    Parameters
    ----------
    message : str
        What was expected, what was given, what to do.
    where : str
        ``file:line``, or file and record. It leads the text of the error. The whole text alone is a valid argument,
        since a worker's error is made again in the parent from it.
    kind : str
        One of `safeaug.data.Kind`, by which what cannot be read is counted.
    """

    def __init__(self, message: str, where: str = "", kind: str = "malformed") -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.message, self.where, self.kind = message, where, kind


class OutputError(SafeAugError, OSError):
    """What was asked for cannot be written there: a full disk, a folder that is somebody else's, a page too large."""


class MissingHostError(SafeAugError):
    """The library that an adapter speaks to is not installed.

    CPython allows no class that is both an ``ImportError`` and an ``AttributeError``, so each way of meeting the error
    has its own, and this is what they have in common.
    """


class MissingHostImportError(MissingHostError, ImportError):
    """Raised by importing an adapter whose host is not installed."""


class MissingHostAttributeError(MissingHostError, AttributeError):
    """Raised by reaching for such an adapter, so that ``hasattr(safeaug, "albumentations")`` is False."""
