"""Every error that safeaug raises on purpose.

::

    SafeAugError
    ├── PolicyError (ValueError)                        a promise that cannot be made
    ├── ContentError (ValueError)                       boxes or labels that cannot be judged
    ├── RetentionError (RuntimeError)                   the promise cannot be met, and on_fail="raise"
    ├── DataError (ValueError)                          a data set that cannot be read: says file and line
    ├── PipelineError (RuntimeError)                    a step of a pipeline fails: which, and on which sample
    ├── OutputError (OSError)                           what was asked for cannot be written where it was asked for
    └── MissingHostError                                the library behind an adapter is not installed
        ├── MissingHostImportError (ImportError)        met by ``import safeaug.albumentations``
        └── MissingHostAttributeError (AttributeError)  met by ``safeaug.albumentations``

A message says what, what is allowed, what was given, where, and what to do. Each class also is the built-in error
that a caller would expect, so that code which knows nothing of safeaug still catches it.
"""

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
