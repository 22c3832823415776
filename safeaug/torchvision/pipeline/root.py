"""The root of a guarded pipeline: the host's own, which begins and ends the passage of each sample."""

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils._pytree import tree_flatten, tree_map
from torchvision.transforms import v2

from safeaug import handing
from safeaug.content import Content, content_of_rows
from safeaug.counts import Counts
from safeaug.errors import ContentError, RetentionError
from safeaug.geometry import Size
from safeaug.guarding import CURRENT, PLAIN, Asks, Guise, Mode, Passage
from safeaug.policy import Policy, Status
from safeaug.torchvision.chance import apart, fork_of
from safeaug.torchvision.leaf import Leaf
from safeaug.torchvision.pipeline.dry import without_pixels
from safeaug.torchvision.reading import Reading, fields_of
from safeaug.torchvision.targets import carries, content_of, image_size_of, refuse_loose_boxes, salient_content

_ANY = v2.Identity()
"""Any transform of the host: all choose alike which leaves of a sample they change."""

Call = Callable[..., Any]
Passed = tuple[Any, Passage]
"""What a pipeline makes of a sample, and its passage."""


class State:
    """What the root of a guarded pipeline knows.

    Parameters
    ----------
    name : str
        What the pipeline is called.
    policy : Policy
        What must be left at the end.
    asks : Asks
        What that asks of one window.
    reading : Reading
        How objects are read.
    steps : list of Leaf
        Its steps.
    move_fixed : bool
        Whether windows that the host does not draw are moved too.
    key : str or None
        Where a sample will say how its draw ended.
    chooses : bool
        Whether chance decides which steps are applied.
    dries : bool
        Whether all that matters can be drawn without pixels.
    writes : bool
        Whether a step may work in place, on what the pipeline is called with.
    python : bool
        Whether a step may draw from Python's generator too.
    """

    def __init__(
        self,
        name: str,
        policy: Policy,
        asks: Asks,
        reading: Reading,
        steps: list[Leaf],
        *,
        move_fixed: bool,
        key: str | None,
        chooses: bool,
        dries: bool,
        writes: bool,
        python: bool,
    ) -> None:
        self.policy, self.asks, self.reading, self.steps = policy, asks, reading, steps
        self.move_fixed, self.key, self.chooses, self.dries = move_fixed, key, chooses, dries
        self.writes, self.python = writes, python
        self.counts, self.calls = Counts(name), 0

    def report(self) -> dict[str, dict[str, int]]:
        """Return how draws ended, of the whole and of each step."""
        return {"pipeline": self.counts.report(), **{leaf.name: leaf.counts.report() for leaf in self.steps}}


class Root(Guise):
    """What stands before the host's class in a guarded pipeline."""

    guard_state: State

    def report(self) -> dict[str, dict[str, int]]:
        """Return how draws ended, of the whole and of each step, those of loader workers included.

        Returns
        -------
        dict
            ``"pipeline"`` and, for each step, its index path and name, such as ``"0.1 RandomAffine"``; each with the
            number of draws by status.
        """
        return self.guard_state.report()

    def guard_plain(self) -> Call:
        """Return the host's own way through the pipeline."""
        raise NotImplementedError

    def guard_called(self, inputs: tuple[Any, ...]) -> Any:
        """Transform a sample as the host does, with the promise kept to the end.

        Raises
        ------
        ContentError
            Where the objects cannot be judged.
        RetentionError
            Where the promise cannot be met and the policy says ``on_fail="raise"``.
        PipelineError
            Where a step of somebody else's raises.
        """
        call = self.guard_plain()
        if CURRENT.get() is not None:  # a guarded pipeline inside of another, which has the say
            return call(*inputs)
        if torch.compiler.is_compiling():  # which would trace the search, to no end
            return torch.compiler.disable(_called)(self.guard_state, call, inputs)
        return _called(self.guard_state, call, inputs)


class ModuleRoot(Root):
    """The root of a pipeline that is a module of torch."""

    def forward(self, *inputs: Any) -> Any:
        """Transform a sample: see `Root.guard_called`."""
        return self.guard_called(inputs)

    def guard_plain(self) -> Call:
        """Return the host's own way through the pipeline."""
        call: Call = super().forward  # type: ignore[misc]  # the host's
        return call


class PlainRoot(Root):
    """The root of a pipeline that is none: the Compose of v1, and timm's crop."""

    def __call__(self, *inputs: Any) -> Any:
        """Transform a sample: see `Root.guard_called`."""
        return self.guard_called(inputs)

    def guard_plain(self) -> Call:
        """Return the host's own way through the pipeline."""
        call: Call = super().__call__  # type: ignore[misc]  # the host's
        return call


def _called(state: State, call: Call, inputs: tuple[Any, ...]) -> Any:
    result, passage = through(state, call, inputs, PLAIN, begun(state, inputs))
    _count(state, passage)
    return result if state.key is None else _told(state.key, result, passage)


class Beginning(NamedTuple):
    """How the passage of a sample begins, as often as it is drawn.

    Parameters
    ----------
    content : Content
        The objects.
    size : (int, int)
        Height and width of the picture.
    uniform : float
        Under ``keep="one"`` picks the object.
    released : bool
        Whether this sample goes unguarded, by the policy's ``apply_rate``.
    """

    content: Content
    size: Size
    uniform: float
    released: bool


def begun(state: State, inputs: tuple[Any, ...]) -> Beginning:
    """Read a sample, once.

    Raises
    ------
    ContentError
        Where its objects cannot be judged.
    """
    policy = state.policy
    content, size = _content(state, inputs)
    if not content.boxes and policy.on_empty == "raise":
        raise ContentError('there is nothing to protect, and on_empty is "raise"')
    if policy.keep != "one" and policy.apply_rate == 1:  # else a number is needed, which takes longer than all here
        return Beginning(content, size, 0.0, released=False)
    fork = fork_of((0, 0, 0, 0), -1, python=state.python)
    uniform, share = fork.random(), fork.random()
    return Beginning(content, size, uniform, released=bool(content.boxes) and share >= policy.apply_rate)


def through(state: State, call: Call, inputs: tuple[Any, ...], mode: Mode, beginning: Beginning) -> Passed:
    """Let a sample go through, more than once where that can help; count nothing.

    Parameters
    ----------
    state : State
        Of the guarded pipeline.
    call : callable
        The host's own way through it.
    inputs : tuple
        What it is called with.
    mode : Mode
        How the sample goes through.
    beginning : Beginning
        What was read of the sample.
    """
    state.calls += 1
    kept = copied(inputs) if state.writes else inputs  # what works in place leaves nothing to draw from again
    result, passage = _pass(state, call, inputs, mode, beginning)
    if passage.broken and not passage.doomed:
        return _repeated(state, call, kept, result, passage, beginning)
    return result, passage


def copied(inputs: Any) -> Any:
    """Return a sample whose tensors and arrays are others than those of a sample."""
    return tree_map(lambda leaf: copy.deepcopy(leaf) if isinstance(leaf, torch.Tensor | np.ndarray) else leaf, inputs)


def _pass(state: State, call: Call, inputs: tuple[Any, ...], mode: Mode, beginning: Beginning) -> Passed:
    """Let a sample go through once."""
    content, size, uniform, released = beginning
    passage = Passage(content, size, state.policy, state.asks, uniform, state.calls, mode)
    if released:
        passage.let_go()
    current = CURRENT.set(passage)
    try:
        result = call(*inputs)
    finally:
        CURRENT.reset(current)
    passage.end(chosen=state.chooses)
    return result, passage


def _content(state: State, inputs: tuple[Any, ...]) -> tuple[Content, Size]:
    """Return the objects of a sample, its own or those that are handed beside it, and the size of its picture."""
    everything, _ = tree_flatten(inputs)
    needed = _ANY._needs_transform_list(everything)
    leaves = [leaf for leaf, needs in zip(everything, needed, strict=True) if needs]
    reading, record = state.reading, handing.handed()
    array = None if leaves else next((each for each in everything if _is_picture(each)), None)
    size: Size = image_size_of(leaves) if array is None else array.shape[:2]
    salient = reading.protect == "saliency" and record is not None and record.has_map
    if record is not None and (salient or not carries(leaves, reading)):
        handed = handing.content_of_handed(
            record,
            size,
            state.policy,
            foreground=reading.foreground,
            ignore_index=reading.ignore_index,
            salient=salient,
        )
        return handed, size
    if array is not None:  # as cv2 has it; the first step makes an image of it
        if reading.protect == "saliency":
            return salient_content([array], size, state.policy, reading), size
        return content_of_rows([], size, []), size
    refuse_loose_boxes(everything, reading)
    return content_of(leaves, fields_of(inputs, reading), state.policy, reading), size


def _is_picture(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray) and leaf.ndim in {2, 3}


def _repeated(
    state: State, call: Call, inputs: tuple[Any, ...], result: Any, passage: Passage, beginning: Beginning
) -> Passed:
    """Draw the whole anew, up to ``tries`` times, from numbers of its own; the best stands.

    Without pixels where that can be, and then once more with them.
    """
    mode, first = passage.mode, (result, passage)
    dry = state.dries and not mode.dry
    fork, best = fork_of((0, 0, 0, 0), -2, python=state.python), None
    for _ in range(state.policy.tries):
        key = fork.getrandbits(64)
        drawn = _drawn_anew(state, call, inputs, key, mode.again(dry=dry or mode.dry), beginning)
        if drawn is None:
            continue
        if _rank(drawn[1]) > _rank(passage):
            (result, passage), best = drawn, key
        if not passage.broken:
            break
    if best is None:
        return first
    if dry:
        drawn = _drawn_anew(state, call, inputs, best, mode.again(dry=False), beginning)
        if drawn is None or _rank(drawn[1]) <= _rank(first[1]):
            return first
        result, passage = drawn
    if passage.status is not Status.UNMET:  # whatever its steps say, it is not what the host drew
        passage.status = max(passage.status, Status.REDRAWN)
    return result, passage


def _drawn_anew(
    state: State, call: Call, inputs: tuple[Any, ...], key: int, mode: Mode, beginning: Beginning
) -> Passed | None:
    """Draw once more, all from a key; None where the draw fails, which is no reason to lose the first."""
    try:
        with apart(key, python=True):
            given = without_pixels(inputs) if mode.dry else copied(inputs) if state.writes else inputs
            return _pass(state, call, given, mode, beginning)
    except Exception:  # whatever the host, or somebody else's step, raises of a draw that it does not like
        return None


def _count(state: State, passage: Passage) -> None:
    """Count how a draw ended, and raise where it broke the promise and the policy says so."""
    state.counts.add(passage.status)
    for leaf, status in passage.steps:
        leaf.counts.add(status)
    if passage.status is Status.UNMET and state.policy.on_fail == "raise":
        left = ", ".join(f"{share:.3f}" for share in passage.ledger.shares[-1])
        raise RetentionError(
            f"the promise cannot be met: of the objects {left} is left, in the best of up to {state.policy.tries + 1} "
            'draws of the pipeline. Ask for less, or use on_fail="most"'
        )


def _told(key: str, result: Any, passage: Passage) -> Any:
    """Return what the pipeline has made of a sample, with how the draw ended under a key."""
    if not isinstance(result, dict):
        raise ContentError(
            f"report_key={key!r} needs a sample that is a dict, got {type(result).__name__}; hand over a dict, or read "
            "report() of the guarded pipeline"
        )
    if key in result:
        raise ContentError(f"{key!r} of the sample must be free for the report; choose another key")
    shares = [None if passage.blind or share != share else share for share in passage.ledger.shares[-1]]
    return {**result, key: {"status": passage.status.name, "retention": shares}}


def _rank(passage: Passage) -> tuple[bool, bool, float]:
    """Return what makes one draw better than another."""
    return passage.status is not Status.UNMET, not passage.weak, passage.weight
