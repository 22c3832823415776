"""Which kind a transform is of."""

from typing import Any

from torchvision.transforms import transforms as v1
from torchvision.transforms import v2

from safeaug.errors import PolicyError
from safeaug.torchvision.windows.fixed import FixedCut, Padded, ZoomedOut
from safeaug.torchvision.windows.iou import AroundBox
from safeaug.torchvision.windows.kind import Kind
from safeaug.torchvision.windows.random import RandomCut, Resized
from safeaug.torchvision.windows.resizes import Jittered, Shortest, ToAnySize, ToSize
from safeaug.torchvision.windows.told import Told

KINDS: tuple[tuple[Any, Kind], ...] = (
    ((v2.RandomCrop, v1.RandomCrop), RandomCut()),
    ((v2.CenterCrop, v1.CenterCrop), FixedCut()),
    ((v2.RandomResizedCrop, v1.RandomResizedCrop), Resized()),
    (v2.RandomIoUCrop, AroundBox()),
    (v2.RandomZoomOut, ZoomedOut()),
    ((v2.Pad, v1.Pad), Padded()),
    (v2.ScaleJitter, Jittered()),
    (v2.RandomResize, ToAnySize()),
    (v2.RandomShortestSize, Shortest()),
    ((v2.Resize, v1.Resize), ToSize()),
)
"""The host's window transforms. Those of v1 draw by ``get_params``; their kinds are asked with the names of v2."""

TIMMS = "timm.data.transforms", "RandomResizedCropAndInterpolation"
"""Module and name of timm's crop, which is v1's but for its interpolation and draws from Python's generator. It is told
by its name, so that timm is not imported."""

NOT_THEIRS = "torchvision.", "safeaug."
"""Modules whose classes are not somebody else's."""


def kind_of(transform: Any) -> Kind:
    """Return the kind of a transform.

    Raises
    ------
    PolicyError
        Where it is no transform of v2 (nor a crop of v1), or one of the host's that is not a window.
    """
    name = type(transform).__name__
    for hosts, kind in KINDS:
        if isinstance(transform, hosts):
            return Told() if _renders_otherwise(type(transform)) else kind
    if is_timms(type(transform)):
        return Resized()
    if isinstance(transform, v2.FiveCrop | v2.TenCrop):
        raise PolicyError(f"{name} cuts several windows, of which no promise can be kept for one. Leave it unguarded")
    if not isinstance(transform, v2.Transform) or isinstance(transform, _CONTAINERS):
        raise PolicyError(
            f"Safe guards one window transform of torchvision.transforms.v2, got {name}; of a pipeline guard the crops "
            "inside of it, or the whole: safeaug.guard"
        )
    if type(transform).__module__.startswith("torchvision."):
        raise PolicyError(
            f"Safe guards window transforms: crops, resizes, pads; {name} is none. Leave it unguarded, or guard the "
            "pipeline that it is part of: safeaug.guard"
        )
    if type(transform).forward not in {v2.Transform.forward, v2.RandomErasing.forward}:
        raise PolicyError(
            f"Safe guards transforms that draw in make_params and apply in transform; {name} has a forward of its own. "
            "Move what it does into these two, or leave it unguarded"
        )
    return Told()


_CONTAINERS = v2.Compose, v2.RandomApply, v2.RandomChoice, v2.RandomOrder


def _renders_otherwise(given: type) -> bool:
    """Return whether somebody else's class, derived from one of the host's, makes something else of a window."""
    theirs = [each for each in given.__mro__ if not each.__module__.startswith(NOT_THEIRS)]
    return any("transform" in vars(each) for each in theirs)


def is_timms(given: type) -> bool:
    """Return whether a class is timm's crop, or derived from it."""
    return any((each.__module__, each.__qualname__) == TIMMS for each in given.__mro__)
