"""Steps of a guarded pipeline: transforms of v2, whose draws are looked at before they are applied."""

from collections.abc import Callable
from typing import Any

import numpy as np
import PIL.Image
from torchvision.transforms import v2

from safeaug.geometry import Size
from safeaug.guarding import CURRENT, Guise, Params, Passage, UntoldError, Way, acted
from safeaug.policy import Status
from safeaug.records import Step as Record
from safeaug.torchvision.leaf import Leaf
from safeaug.torchvision.leaving import LeftOut, stood_in_for
from safeaug.torchvision.pipeline.dry import blank
from safeaug.torchvision.pipeline.located import located
from safeaug.torchvision.pipeline.moved import greys, stays
from safeaug.torchvision.targets import carried
from safeaug.torchvision.windows import FixedCut


class Step(Guise):
    """What stands before the host's class in a step whose draws are looked at.

    Outside of a passage it is the plain transform.
    """

    guard_leaf: Leaf

    def forward(self, *inputs: Any) -> Any:
        """Transform as the host does, with the parameters that the guard has settled on."""
        call: Callable[..., Any] = super().forward  # type: ignore[misc]  # the host's
        passage = CURRENT.get()
        return call(*inputs) if passage is None else stepped(self, call, inputs, passage)

    def make_params(self, flat_inputs: list[Any]) -> Params:
        """Draw as the host does, and let the guard look at it."""
        passage, leaf = CURRENT.get(), self.guard_leaf
        if passage is None:
            return super().make_params(flat_inputs)  # type: ignore[misc, no-any-return]  # the host's
        drawn: Params
        if leaf.kind is not None and leaf.kind.labels:  # RandomIoUCrop, which may draw for ever
            drawn = leaf.kind.sample(self, flat_inputs)
        else:
            drawn = super().make_params(flat_inputs)  # type: ignore[misc]  # the host's
        return settled(passage, leaf, {"leaves": flat_inputs}, drawn)

    def transform(self, inpt: Any, params: Params) -> Any:
        """Transform as the host does; where a window was moved that the host does not draw, cut that.

        Pictures without pixels are not transformed, but made anew in their new size.
        """
        passage = CURRENT.get()
        if passage is not None and passage.mode.dry and getattr(inpt, "is_meta", False):
            return blank(inpt, passage.ledger.size)
        if "top" in params and isinstance(self, v2.CenterCrop):
            return FixedCut.cut(self, inpt, params)
        return super().transform(inpt, params)  # type: ignore[misc]  # the host's


class Still(Guise):
    """What stands before the host's class in a step that moves nothing.

    Without pixels there is nothing for it to do, but to draw what it draws.
    """

    guard_leaf: Leaf

    def forward(self, *inputs: Any) -> Any:
        """Transform as the host does; say where an error comes from."""
        call: Callable[..., Any] = super().forward  # type: ignore[misc]  # the host's
        passage = CURRENT.get()
        return call(*inputs) if passage is None else still(self.guard_leaf, call, inputs, passage)

    def transform(self, inpt: Any, params: Params) -> Any:
        """Transform as the host does; without pixels, not at all."""
        passage = CURRENT.get()
        if passage is not None and passage.mode.dry:
            return inpt
        return super().transform(inpt, params)  # type: ignore[misc]  # the host's


class Opaque(Guise):
    """What stands before the class of a step of which nobody can tell what it does."""

    guard_leaf: Leaf

    def __call__(self, *inputs: Any) -> Any:
        """Call it, and lose sight of what is left, unless the picture has certainly stayed as it was."""
        call: Callable[..., Any] = super().__call__  # type: ignore[misc]  # the host's
        passage = CURRENT.get()
        return call(*inputs) if passage is None else opaque(self.guard_leaf, call, inputs, passage)


def settled(passage: Passage, leaf: Leaf, data: Params, drawn: Params) -> Params:
    """Return the parameters with which a step is applied, noted and on record.

    Parameters
    ----------
    passage : Passage
        The sample on its way.
    leaf : Leaf
        The step.
    data : dict
        What its sampler was called with; ``"leaves"`` are those of the sample that it transforms.
    drawn : dict
        The host's draw.

    Raises
    ------
    LeftOut
        Where the step is to be left out.
    """
    size = passage.ledger.size
    if passage.guards and seen_size(data["leaves"]) not in {None, size}:
        passage.lose_sight()  # a step before did something else than it said
    params = {"shape": size, "pil": any(isinstance(each, PIL.Image.Image) for each in data["leaves"])}
    taken = acted(passage, leaf, params, data, drawn)
    if leaf.kind is not None and leaf.kind.labels:
        leaf.kind.settle_labels(taken, data["leaves"], _kept(passage, data["leaves"]))
    if passage.mode.trace is not None:
        record(passage, leaf, {**params, **taken})
    return taken


def _kept(passage: Passage, leaves: list[Any]) -> list[int]:
    """Return which objects are kept so far, of those of which anything is asked: their boxes keep their labels.

    None, where a step before has dropped boxes: then nobody knows any more which is whose.
    """
    promise = passage.promise
    boxes = sum(each.shape[:-1].numel() for each in carried(leaves, "boxes"))
    if not passage.guards or passage.salient or boxes != passage.count:
        return []
    return [promise.objects[place] for place in passage.asked if promise.needs[place] > 0]


def stepped(step: Any, call: Callable[..., Any], inputs: tuple[Any, ...], passage: Passage) -> Any:
    """Let a sample go through a step, and note how that ended."""
    leaf: Leaf = step.guard_leaf
    ended = len(passage.steps)
    try:
        result = call(*inputs)
    except LeftOut as left_out:
        passage.left_out(leaf, left_out.size, left_out.promised)
        if passage.mode.trace is not None:
            record(passage, leaf, {"shape": left_out.size}, unknown=True)
        result = stood_in_for(left_out, step, inputs)
    except Exception as error:
        raise located(error, leaf, passage)  # noqa: B904  # it has its cause
    if ended == len(passage.steps):
        passage.note(leaf, Status.NOT_APPLIED)
    else:
        hand_on(passage, result)
    return result


def still(leaf: Leaf, call: Callable[..., Any], inputs: tuple[Any, ...], passage: Passage) -> Any:
    """Let a sample go through a step that moves nothing."""
    try:
        result = call(*inputs)
    except Exception as error:
        raise located(error, leaf, passage)  # noqa: B904  # it has its cause
    given = inputs if len(inputs) > 1 else inputs[0]
    if passage.mode.trace is not None and not passage.mode.dry and result is not given:
        record(passage, leaf, {"shape": passage.ledger.size}, Status.FIRST)
        hand_on(passage, result)
    return result


def opaque(leaf: Leaf, call: Callable[..., Any], inputs: tuple[Any, ...], passage: Passage) -> Any:
    """Let a sample go through a step of which nobody can tell what it does."""
    before = greys(inputs) if passage.guards else []
    try:
        result = call(*inputs)
    except Exception as error:
        raise located(error, leaf, passage)  # noqa: B904  # it has its cause
    status = Status.UNGUARDED
    if passage.status is Status.EMPTY:
        passage.blind, status = True, Status.EMPTY
    elif before and stays(before, greys(result)):
        status = Status.FIRST
    elif not passage.blind:
        passage.lose_sight()
    passage.note(leaf, status)
    if passage.mode.trace is not None:
        record(passage, leaf, {"shape": passage.ledger.size}, status, unknown=True)
        hand_on(passage, result)
    return result


def record(
    passage: Passage, leaf: Leaf, params: Params, status: Status | None = None, *, unknown: bool = False
) -> None:
    """Put a step that is applied on record.

    Parameters
    ----------
    passage, leaf
        The sample on its way, and the step.
    params : dict
        All parameters of the draw, and the shape of the picture before it.
    status : Status, optional
        How the step ended; None: as was noted last.
    unknown : bool, default False
        Whether nobody can tell what it did.
    """
    assert passage.mode.trace is not None
    change = None
    if not (unknown or passage.blind or leaf.way is Way.STILL):
        try:
            change = leaf.change(params, params["shape"])
        except UntoldError:
            change = None
    ended = passage.steps[-1][1] if status is None else status
    left = np.full(passage.count, np.nan) if passage.blind else passage.ledger.left
    kind = leaf.way.name.lower()
    passage.mode.trace.append(
        Record(leaf.path, leaf.called, kind, params, change, passage.ledger.size, left, ended, None)
    )


def hand_on(passage: Passage, result: Any) -> None:
    """Put on record what the last step handed on."""
    trace = passage.mode.trace
    if trace and not passage.mode.dry:
        trace[-1] = trace[-1]._replace(sample=result)


def seen_size(leaves: list[Any]) -> Size | None:
    """Return height and width of the first picture among the leaves of a sample; None where there is none."""
    for leaf in leaves:
        if isinstance(leaf, PIL.Image.Image):
            return leaf.height, leaf.width
        if hasattr(leaf, "canvas_size"):
            height, width = leaf.canvas_size
            return height, width
        if getattr(leaf, "ndim", 0) >= 2:
            height, width = leaf.shape[-2:]
            return height, width
    return None
