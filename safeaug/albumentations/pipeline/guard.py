"""Guarding a whole pipeline."""

import copy
import logging
from collections.abc import Mapping
from typing import Any

import albumentations as A

from safeaug.albumentations.changes import Way, needs_objects, needs_pixels
from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.pipeline.leaf import Leaf
from safeaug.albumentations.pipeline.root import Root
from safeaug.albumentations.pipeline.step import Opaque, Step, Still
from safeaug.albumentations.pipeline.streams import Streams
from safeaug.albumentations.pipeline.tree import look_before, look_behind
from safeaug.albumentations.reading import Reading
from safeaug.counts import Counts
from safeaug.errors import PolicyError
from safeaug.guarding import Behind, put_on, take_off
from safeaug.guarding.passage import asks_of
from safeaug.policy import Policy

UNTOLD = {Way.UNKNOWN, Way.VOLUME}
"""Ways that cannot be followed without pixels."""


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
    pipeline : Compose, ReplayCompose, OneOf, SomeOf, Sequential, ... or one transform
        What is guarded.
    policy : Policy
        What must be left of the objects, as they came in, at the end.
    reading : mapping
        How objects are read: the fields of a `Reading`.
    move_fixed : bool
        Whether windows that the host does not draw are moved too.
    repair_randomness : bool
        Whether steps that a seed has given the same numbers each get their own.
    report_key : str, optional
        Where each sample will say how its draw ended.

    Raises
    ------
    PolicyError
        Where the pipeline's own filter of labels contradicts the policy, or something in it is no transform.
    """
    read = Reading(**reading).checked()
    if read.protect == "saliency":
        policy.check_salient()
    else:
        _check_filters(pipeline, policy)
    if report_key is not None and (not isinstance(report_key, str) or report_key in pipeline.available_keys):
        raise PolicyError(f"report_key must be text, and not the name of a target, got {report_key!r}")
    made = copy.deepcopy(pipeline)
    leaves: dict[int, Leaf] = {}
    _guard(made, (), leaves, move_fixed)
    look_behind(made, leaves, Behind())
    put_on(made, Root)
    steps = [leaf for leaf in leaves.values() if leaf.way is not Way.STILL or isinstance(leaf.inner, A.DualTransform)]
    made.guard_policy, made.guard_reading = policy, read
    made.guard_asks = asks_of(policy)
    made.guard_steps, made.guard_fixed, made.guard_repairs = steps, move_fixed, repair_randomness
    made.guard_key = report_key
    made.guard_chooses = look_before(made, leaves)
    made.guard_looks = any(leaf.opaque or needs_objects(leaf.inner) for leaf in steps)
    made.guard_dry = not needy(made)
    made.guard_masks = any(isinstance(leaf.inner, Guarded) and leaf.inner._reading.protect is None for leaf in steps)
    made.guard_streams = Streams(made, steps)
    made.guard_counts = Counts(type(pipeline).__name__)
    if repair_randomness:
        # One stream for all: with `seed=` the host gives each its own of the same numbers.
        made.set_random_state(made.random_generator, made.py_random)
    else:
        made.guard_rebase()
    _say_what_is_unknown(steps)
    return made


def needy(made: Any) -> list[str]:
    """Return the names of those steps of a guarded pipeline of which pixels are needed to draw, or to tell, all."""
    # Morphological moves nothing, but the sides of boxes.
    return [
        leaf.name
        for leaf in made.guard_steps
        if leaf.way in UNTOLD
        or needs_pixels(leaf.inner)
        or (made.guard_looks and isinstance(leaf.inner, A.Morphological))
    ]


def _guard(node: Any, path: tuple[int, ...], leaves: dict[int, Leaf], move_fixed: bool) -> None:
    """Make steps of the transforms of a tree. One that stands in it twice is one step."""
    if id(node) in leaves:
        return
    if not isinstance(node, A.BaseCompose | A.BasicTransform):
        raise PolicyError(f"step {path} must be a transform of albumentations, got {type(node).__name__}")
    take_off(node)  # it may be guarded already; the outermost guard has the say
    if isinstance(node, A.BaseCompose) and not isinstance(node, A.SelectiveChannelTransform):
        for i, child in enumerate(node.transforms):
            _guard(child, (*path, i), leaves, move_fixed)
        return
    leaf = leaves[id(node)] = Leaf(node, path or (0,), move_fixed)
    put_on(node, Still if leaf.way is Way.STILL else Opaque if leaf.opaque else Step)
    node.guard_leaf = leaf


def _check_filters(pipeline: Any, policy: Policy) -> None:
    """Raise `PolicyError` where the pipeline drops labels of objects of which enough is left."""
    processor = getattr(pipeline, "processors", {}).get("bboxes")
    if processor is None:
        return
    limits: Any = policy.min_retention
    least = min(limits.values()) if isinstance(limits, dict) else limits
    drops = processor.params.min_visibility
    if 0 < least < drops:
        raise PolicyError(
            f"the pipeline drops labels below min_visibility={drops}, and the policy keeps objects from "
            f"min_retention={least} on: they would stay in the picture without a label. Lower min_visibility"
        )


def _say_what_is_unknown(steps: list[Leaf]) -> None:
    """Say once which steps are somebody else's, so that nobody takes them for guarded."""
    unknown = [leaf.name for leaf in steps if leaf.way is Way.UNKNOWN]
    if unknown:
        logging.getLogger("safeaug").warning(
            "guard knows nothing of %s: what it takes from objects is measured by masks that go through it, and is not "
            "guarded (UNGUARDED). Safe(...) guards a crop of your own",
            ", ".join(unknown),
        )
