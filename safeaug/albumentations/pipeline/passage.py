"""One sample on its way through a guarded pipeline: what is left of it, and how its steps ended."""

from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from safeaug.albumentations.changes import UntoldError, Way, change_of, softened, softens
from safeaug.albumentations.draw import Draw
from safeaug.content import Content
from safeaug.geometry import Size, letterbox
from safeaug.ledger import Change, Ledger, Promise, Windowed, begin, follow, kept, promise_of, visible, weight_kept
from safeaug.policy import Policy, Status
from safeaug.traits import Traits

Params = dict[str, Any]

STRENGTHS = 16
"""Steps from the drawn strength down to none in which a draw is softened."""

NOTHING_BUT = {Way.STILL, Way.VOLUME}
"""Ways that take nothing from a picture."""


class Passage:
    """One sample on its way through a guarded pipeline.

    Parameters
    ----------
    content : Content
        The objects as they come in.
    image_size : (int, int)
        Height and width of the image as it comes in.
    policy : Policy
        What must be left of them at the end.
    uniform : float
        Under ``keep="one"`` picks the object.
    """

    def __init__(self, content: Content, image_size: Size, policy: Policy, uniform: float) -> None:
        self.promise = promise_of(content, policy, uniform)
        self.ledger: Ledger = begin(content, image_size)
        self.traits = _traits_of(content, self.promise)
        # What is asked of one step: shares only. Fill, pixels and stretch may be made good by a later step.
        self.policy = replace(
            policy, min_fill=None, min_visible_pixels=None, max_stretch=None, apply_rate=1.0, on_empty="plain",
            on_fail="enlarge" if policy.on_fail == "enlarge" else "most",
        )  # fmt: skip
        self.status = Status.FIRST if content.boxes else Status.EMPTY
        self.blind = False
        """Whether a step was met that nobody can follow: what is left is not known from there on."""
        self.steps: list[tuple[Any, Status]] = []
        """How each step ended. They are counted once it is known that this passage stands."""

    def let_go(self) -> None:
        """Follow nothing from here on."""
        self.blind, self.status = True, Status.UNGUARDED

    def note(self, leaf: Any, status: Status) -> None:
        """Note how a step ended: of a draw the worst counts."""
        self.steps.append((leaf, status))
        self.status = max(self.status, status)

    def left_out(self, leaf: Any, image_size: Size, promised: Size | None) -> None:
        """Note that a step with a promise of its own was left out; in a promised size the picture is shown whole."""
        if promised is not None:
            self.ledger = follow(self.ledger, Windowed(letterbox(image_size, promised), promised))
        self.note(leaf, Status.EMPTY if self.status is Status.EMPTY else Status.SKIPPED)

    def step(self, leaf: Any, params: Params, data: Params, drawn: Params) -> Params:
        """Return the parameters with which a step is applied, and note how its draw ended.

        Parameters
        ----------
        leaf : Leaf
            The guarded step.
        params, data : dict
            What it was asked to draw for.
        drawn : dict
            The host's draw.
        """
        drawn, status = self._step(leaf, params, data, drawn)
        self.note(leaf, status)
        return drawn

    def _step(self, leaf: Any, params: Params, data: Params, drawn: Params) -> tuple[Params, Status]:
        way, size = leaf.way, params["shape"][:2]
        if self.status is Status.EMPTY:
            return drawn, Status.EMPTY
        if self.blind:
            return drawn, Status.UNGUARDED
        if way in NOTHING_BUT:
            return drawn, Status.FIRST
        try:
            after = self._after(leaf.inner, {**params, **drawn}, size)
        except UntoldError:
            self.blind = True
            return drawn, Status.UNGUARDED
        if self._keeps(after):
            self.ledger = after
            return drawn, Status.FIRST
        if way is Way.WINDOW and not leaf.fixed:
            return self._moved(leaf, params, data, drawn, after)
        if way is Way.PROJECTIVE or (way is Way.OCCLUDING and softens(leaf.inner)):
            return self._redrawn(leaf, params, data, drawn)
        self.ledger = after
        return drawn, Status.UNGUARDED

    def _after(self, transform: Any, params: Params, size: Size) -> Ledger:
        change: Change | None = change_of(transform, params, size)
        return self.ledger if change is None else follow(self.ledger, change)

    def _keeps(self, after: Ledger) -> bool:
        return kept(self.promise, self.ledger.shares[-1], after.shares[-1])

    def _moved(self, leaf: Any, params: Params, data: Params, drawn: Params, after: Ledger) -> tuple[Params, Status]:
        """Search for another window, as a guarded crop does, among what is visible now."""
        size = params["shape"][:2]
        first = leaf.kind.window(leaf.inner, drawn, size)
        if first is None:
            self.ledger = after
            return drawn, Status.UNGUARDED
        draw = Draw(leaf, params, data, drawn, leaf.kind.frame(drawn, size), first)
        content = visible(self.ledger, self.policy, self.traits)
        found = leaf.kind.find(draw, content, self.policy)
        if draw.drawn is drawn and found.window != first:
            leaf.kind.put(leaf.inner, draw.drawn, found.window, size)
        after = self._after(leaf.inner, {**params, **draw.drawn}, size)
        status = found.status
        if not self._keeps(after):
            status = Status.UNMET
        self.ledger = after
        return draw.drawn, status

    def _redrawn(self, leaf: Any, params: Params, data: Params, drawn: Params) -> tuple[Params, Status]:
        """Draw anew; then the drawn one weaker and weaker; then not at all."""
        size = params["shape"][:2]
        again = leaf.again(leaf.fork((0, 0, size[1], size[0])))
        for _ in range(self.policy.tries):
            other = again(params, data)
            after = self._after(leaf.inner, {**params, **other}, size)
            if self._keeps(after):
                self.ledger = after
                return other, Status.REDRAWN
        for number in range(STRENGTHS - 1, -1, -1):
            weaker = softened(leaf.inner, {**params, **drawn}, size, number / STRENGTHS)
            if weaker is None:
                continue
            after = self._after(leaf.inner, weaker, size)
            if self._keeps(after):
                self.ledger = after
                return weaker, Status.SOFTENED
        self.ledger = self._after(leaf.inner, {**params, **drawn}, size)
        return drawn, Status.UNMET

    @property
    def weight(self) -> float:
        """What the objects count for of which enough is left."""
        return weight_kept(self.promise, self.ledger.shares[-1])


CURRENT: ContextVar[Passage | None] = ContextVar("safeaug_passage", default=None)
"""The sample that is on its way in this thread; None outside of a guarded pipeline."""


def _traits_of(content: Content, promise: Promise) -> Traits:
    """Return what is said of each given object, for a search among what is left of those that are promised."""
    count = len(content.given)
    limits, weights, ignore = [0.0] * count, [1.0] * count, [True] * count
    for i, need, weight in zip(promise.objects, promise.needs, promise.weights, strict=True):
        # With the tolerance off, so that what one step kept by a hair is not lost to the next.
        limits[i], weights[i], ignore[i] = max(need, 0.0), weight, False
    return Traits(limits, weights, ignore, None)
