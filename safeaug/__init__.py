"""Image augmentation in which every draw keeps its object, or says that it could not.

The map of the package is ``safeaug/README.md``. Nothing here imports a host library; ``safeaug.albumentations``,
``safeaug.torchvision``, ``safeaug.kornia`` and ``safeaug.batch`` (torch) are loaded when they are first asked for.
"""

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from safeaug.version import __version__

if TYPE_CHECKING:
    from safeaug import albumentations as albumentations
    from safeaug import batch as batch
    from safeaug import kornia as kornia
    from safeaug import report as report
    from safeaug import saliency as saliency
    from safeaug import torchvision as torchvision
    from safeaug import trace as trace
    from safeaug.auditing.overall import audit
    from safeaug.by_hand import place
    from safeaug.dispatch import guard, steps
    from safeaug.errors import (
        ContentError,
        DataError,
        Fault,
        PipelineError,
        PolicyError,
        RetentionError,
        SafeAugError,
    )
    from safeaug.handing.wrapping import with_content
    from safeaug.policy import Policy, Stage, Status
    from safeaug.records import Outcome, Step
    from safeaug.showing.overall import show
    from safeaug.trace.overall import watch

_HOMES = {
    "ContentError": "errors",
    "DataError": "errors",
    "Fault": "errors",
    "PipelineError": "errors",
    "PolicyError": "errors",
    "RetentionError": "errors",
    "SafeAugError": "errors",
    "Policy": "policy",
    "Stage": "policy",
    "Status": "policy",
    "Outcome": "records",
    "Step": "records",
    "audit": "auditing.overall",
    "guard": "dispatch",
    "place": "by_hand",
    "show": "showing.overall",
    "steps": "dispatch",
    "watch": "trace.overall",
    "with_content": "handing.wrapping",
}
_HOSTS = {
    "albumentations": "albumentations",
    "batch": "torch",
    "kornia": "kornia",
    "report": "jinja2",
    "saliency": "numpy",
    "torchvision": "torchvision",
    "trace": "numpy",
}
"""Rooms that need a library, and which."""


__all__ = [
    "ContentError",
    "DataError",
    "Fault",
    "Outcome",
    "PipelineError",
    "Policy",
    "PolicyError",
    "RetentionError",
    "SafeAugError",
    "Stage",
    "Status",
    "Step",
    "__version__",
    "audit",
    "guard",
    "place",
    "show",
    "steps",
    "watch",
    "with_content",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"safeaug.{_HOMES[name]}"), name)
    if name in _HOSTS:
        from safeaug.errors import MissingHostAttributeError, MissingHostImportError

        try:
            return importlib.import_module(f"safeaug.{name}")
        except MissingHostImportError as error:
            raise MissingHostAttributeError(str(error)) from error
    raise AttributeError(f"module 'safeaug' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *(room for room, host in _HOSTS.items() if importlib.util.find_spec(host))])
