"""Steps of a guarded pipeline: transforms of the host, whose draws are looked at before they are applied."""

from typing import Any

import numpy as np

from safeaug.albumentations.changes import Params, UntoldError, Way, change_of
from safeaug.albumentations.parts import letterboxed
from safeaug.albumentations.pipeline.dry import without_pixels
from safeaug.albumentations.pipeline.guise import Guise
from safeaug.albumentations.pipeline.leaf import Leaf
from safeaug.albumentations.pipeline.located import located
from safeaug.albumentations.reports import LeftOut
from safeaug.guarding.acting import acted
from safeaug.guarding.passage import CURRENT, Passage
from safeaug.policy import Status
from safeaug.records import Step as Record


class Still(Guise):
    """What stands before the host's class in a step that moves nothing; outside of a passage it is the plain transform.

    Without pixels there is nothing for it to do, so it is passed over.
    """

    guard_leaf: Leaf

    def __call__(self, *args: Any, force_apply: bool = False, **data: Any) -> Any:
        """Transform as the host does; say where an error comes from."""
        passage = CURRENT.get()
        if passage is None:
            return super().__call__(*args, force_apply=force_apply, **data)  # type: ignore[misc]  # the host's
        if passage.mode.dry:
            return data
        try:
            result = super().__call__(*args, force_apply=force_apply, **data)  # type: ignore[misc]  # the host's
        except Exception as error:
            raise located(error, self.guard_leaf, passage, data)  # noqa: B904  # it has its cause
        if passage.mode.trace is not None and getattr(self, "params", result.get("image") is not data.get("image")):
            _record(self, passage, Status.FIRST, result)
        return result


class Opaque(Guise):
    """What stands before the host's class in a step of which nobody can tell what it does."""

    guard_leaf: Leaf

    def __call__(self, *args: Any, force_apply: bool = False, **data: Any) -> Any:
        """Transform as the host does, and lose sight of what is left."""
        passage = CURRENT.get()
        if passage is None:
            return super().__call__(*args, force_apply=force_apply, **data)  # type: ignore[misc]  # the host's
        try:
            result = super().__call__(*args, force_apply=force_apply, **data)  # type: ignore[misc]  # the host's
        except Exception as error:
            raise located(error, self.guard_leaf, passage, data)  # noqa: B904  # it has its cause
        passage.lose_sight()
        passage.note(self.guard_leaf, Status.UNGUARDED)
        if passage.mode.trace is not None:
            _record(self, passage, Status.UNGUARDED, result)
        return result


class Step(Guise):
    """What stands before the host's class in a step whose draws are looked at."""

    guard_leaf: Leaf

    def __call__(self, *args: Any, force_apply: bool = False, **data: Any) -> Any:
        """Transform as the host does, with the parameters that the guard has settled on."""
        passage, leaf = CURRENT.get(), self.guard_leaf
        if passage is None:
            return super().__call__(*args, force_apply=force_apply, **data)  # type: ignore[misc]  # the host's
        ended = len(passage.steps)
        try:
            result = super().__call__(*args, force_apply=force_apply, **data)  # type: ignore[misc]  # the host's
        except LeftOut as left_out:  # this guard's: that of a drop-in ends in its own call
            promised = leaf.promised(left_out)
            passage.left_out(leaf, left_out.params["shape"][:2], promised)
            result = data if promised is None else letterboxed(self, promised, data)
        except Exception as error:
            raise located(error, leaf, passage, data)  # noqa: B904  # it has its cause
        if ended == len(passage.steps):
            passage.note(leaf, Status.NOT_APPLIED)
        elif passage.mode.trace is not None:
            _record(self, passage, passage.steps[-1][1], result)
        return result

    def get_params_dependent_on_data(self, params: Params, data: Params) -> Params:
        """Draw as the host does, and let the guard look at it."""
        leaf, passage = self.guard_leaf, CURRENT.get()
        leaf.calls += 1
        try:
            drawn: Params = super().get_params_dependent_on_data(params, data)  # type: ignore[misc]  # the host's
        except LeftOut as left_out:  # a drop-in's
            if passage is not None:
                passage.left_out(leaf, params["shape"][:2], leaf.promised(left_out))
            raise
        return drawn if passage is None else acted(passage, leaf, params, data, drawn)

    def apply_with_params(self, params: Params, *args: Any, **data: Any) -> Any:
        """Apply as the host does; without pixels, to boxes and keypoints only."""
        passage, apply = CURRENT.get(), super().apply_with_params  # type: ignore[misc]  # the host's
        if passage is None or not passage.mode.dry:
            return apply(params, *args, **data)
        return without_pixels(self, apply, params, data, passage.ledger.size)


def _record(step: Any, passage: Passage, status: Status, result: Params) -> None:
    """Put a step that was applied on record."""
    leaf, ledger = step.guard_leaf, passage.ledger
    params = dict(getattr(step, "params", {}))
    left = np.full(passage.count, np.nan) if passage.blind else ledger.left
    change = None
    if leaf.way is not Way.STILL and not passage.blind:
        try:
            change = change_of(leaf.inner, params, params["shape"][:2])
        except UntoldError:
            change = None
    sample = None if passage.mode.dry else dict(result)
    assert passage.mode.trace is not None
    passage.mode.trace.append(
        Record(leaf.path, leaf.called, leaf.way.name.lower(), params, change, ledger.size, left, status, sample)
    )
