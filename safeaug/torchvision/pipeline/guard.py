"""Guarding a whole pipeline."""

import copy
import logging
from collections.abc import Mapping
from typing import Any

import torch
from torchvision.transforms import v2

from safeaug.errors import PolicyError
from safeaug.guarding import Behind, Guise, Way, asks_of, put_on, take_off
from safeaug.policy import Policy
from safeaug.torchvision.changes import way_of
from safeaug.torchvision.guarded import Guarded
from safeaug.torchvision.leaf import Leaf, made, plain_of
from safeaug.torchvision.pipeline.called import Called
from safeaug.torchvision.pipeline.older import Older, StillOlder, sampled
from safeaug.torchvision.pipeline.root import ModuleRoot, PlainRoot, State
from safeaug.torchvision.pipeline.step import Opaque, Step, Still
from safeaug.torchvision.pipeline.tree import PARTS, children_of, exchange, look_before, look_behind
from safeaug.torchvision.reading import Reading
from safeaug.torchvision.safe import Safe

NOT_HERE = "instances", "visible"
"""Names of fields that samples of another host need."""


def guarded(
    pipeline: Any,
    policy: Policy,
    reading: Mapping[str, Any],
    *,
    move_fixed: bool = False,
    repair_randomness: bool = True,
    report_key: str | None = None,
) -> Any:
    """Return a pipeline that keeps its objects to the end; the given one is left as it is.

    Parameters
    ----------
    pipeline : Compose, RandomApply, RandomChoice, RandomOrder of v2 or v1, torch.nn.Sequential, or one transform
        What is guarded. Drop-ins in it are taken for the host's: the policy of the whole has the say.
    policy : Policy
        What must be left of the objects, as they came in, at the end.
    reading : mapping
        How objects are read: the fields of a `Reading`.
    move_fixed : bool
        Whether windows that the host does not draw are moved too; of v2 only.
    repair_randomness : bool
        Without meaning here: torch seeds each worker by itself, and all steps draw from one stream.
    report_key : str, optional
        Where each sample, which must then be a dict, will say how its draw ended.

    Raises
    ------
    PolicyError
        Where something in it cannot be called.
    """
    if report_key is not None and not isinstance(report_key, str):
        raise PolicyError(f"report_key must be text, got {report_key!r}")
    read = reading_of(reading)
    if read.protect == "saliency":
        policy.check_salient()
    leaves: dict[int, Leaf] = {}
    made_ = _guarded(copy.deepcopy(pipeline), (), leaves, move_fixed)
    look_behind(made_, leaves, Behind())
    put_on(made_, ModuleRoot if isinstance(made_, torch.nn.Module) else PlainRoot)
    steps = [leaf for leaf in leaves.values() if leaf.way is not Way.STILL]
    made_.guard_state = State(
        type(pipeline).__name__,
        policy,
        asks_of(policy),
        read,
        steps,
        move_fixed=move_fixed,
        key=report_key,
        chooses=look_before(made_, leaves),
        dries=read.protect != "saliency" and all(_dries(leaf) for leaf in leaves.values()),
        writes=any(leaf.opaque or getattr(leaf.inner, "inplace", False) for leaf in leaves.values()),
        python=_may_draw_by_python(pipeline),
    )
    _say_what_is_unknown(steps)
    return made_


def _dries(leaf: Leaf) -> bool:
    """Return whether a step draws the same without pixels."""
    late = getattr(v2, "GaussianNoise", ())  # it draws where it is applied, not among its parameters
    return isinstance(leaf.inner, v2.Transform) and not leaf.opaque and not isinstance(leaf.inner, late)


def _may_draw_by_python(node: Any) -> bool:
    """Return whether a part may draw from Python's generator: all but those of v2 may."""
    if isinstance(node, Safe):
        return _may_draw_by_python(node.inner)
    theirs = next(each for each in type(node).__mro__ if not each.__module__.startswith("safeaug."))
    known = theirs.__module__.startswith(("torchvision.transforms.v2.", "torch.nn."))
    return not known or isinstance(node, v2.Lambda) or any(_may_draw_by_python(child) for child in children_of(node))


def reading_of(given: Mapping[str, Any]) -> Reading:
    """Return how objects are read, checked.

    Raises
    ------
    PolicyError
        Where a field is named that samples of this host do not need.
    """
    named = [name for name in NOT_HERE if given.get(name) is not None]
    if named:
        raise PolicyError(
            f"{' and '.join(named)} are for keypoints of albumentations, got them for a pipeline of torchvision: here "
            "each instance is a row of a tv_tensors.KeyPoints of shape (N, K, 2)"
        )
    return Reading(**{name: value for name, value in given.items() if name not in NOT_HERE}).checked()


def _guarded(node: Any, path: tuple[int, ...], leaves: dict[int, Leaf], move_fixed: bool) -> Any:
    """Return a part of a pipeline with its transforms as steps. One that stands in it twice is one step."""
    if id(node) in leaves:
        return node
    take_off(node)  # it may be guarded already; the outermost guard has the say
    if isinstance(node, PARTS):
        exchange(node, lambda child, i: _guarded(child, (*path, i), leaves, move_fixed))
        return node
    if isinstance(node, Guarded):
        _say_what_is_dropped(node, path)
    if isinstance(node, Safe) and way_of(node.inner) is not Way.UNKNOWN:
        return _guarded(node.inner, path, leaves, move_fixed)
    if not callable(node):
        raise PolicyError(f"step {path} must be a transform, or anything that can be called, got {type(node).__name__}")
    if isinstance(node, Guarded) and not isinstance(
        node, Safe
    ):  # of somebody else's, only what it holds itself can move it
        node = plain_of(node)
    return _stepped(node, path or (0,), leaves, move_fixed)


def _stepped(node: Any, path: tuple[int, ...], leaves: dict[int, Leaf], move_fixed: bool) -> Any:
    """Return a transform as a step."""
    older = not isinstance(node, v2.Transform)
    leaf = Leaf(node, path, move_fixed and not older, sampled if older else made)
    before: type[Guise] = Older if older else Step
    if leaf.opaque:
        before = Opaque
    elif leaf.way is Way.STILL:
        before = StillOlder if older else Still
    try:
        put_on(node, before)
        node.guard_leaf = leaf
    except (TypeError, AttributeError):  # a function, something frozen: nothing can stand before its class
        leaf = Leaf(Called(node), path, move_fixed=False)
        leaf.called, leaf.theirs = leaf.inner.name, True
        leaf.name = f"{'.'.join(map(str, path))} {leaf.called}"
        node = leaf.inner
        put_on(node, Opaque)
        node.guard_leaf = leaf
    leaves[id(node)] = leaf
    return node


def _say_what_is_dropped(drop_in: Guarded, path: tuple[int, ...]) -> None:
    """Say that a generator of a drop-in's own is not drawn from: the pipeline draws from torch's alone."""
    if drop_in._lender is not None:
        logging.getLogger("safeaug").warning(
            "step %s %s has generator=, which a guarded pipeline does not draw from: all its steps draw from torch's "
            "global generator. Seed that one",
            ".".join(map(str, path)) or "0",
            type(drop_in).__name__,
        )


def _say_what_is_unknown(steps: list[Leaf]) -> None:
    """Say once which steps cannot be followed, so that nobody takes what comes behind them for guarded."""
    unknown = [leaf.name for leaf in steps if leaf.opaque]
    if unknown:
        logging.getLogger("safeaug").warning(
            "guard cannot follow step %s: where it changes the picture, nothing is known of the objects from there on, "
            "and what comes behind it is not guarded (UNGUARDED). Put it at the end, if it can stand there",
            ", step ".join(unknown),
        )
