"""One sample on its way through a guarded pipeline: what is left of it, and how its steps ended."""

from contextvars import ContextVar
from dataclasses import replace
from typing import NamedTuple

from safeaug.content import Content, content_of_salience
from safeaug.geometry import Size, letterbox
from safeaug.guarding.leaf import Leaf
from safeaug.guarding.untold import UntoldError
from safeaug.guarding.way import Params, Way
from safeaug.ledger import (
    Ledger,
    Verdict,
    Windowed,
    asked_first,
    begin,
    follow,
    judged,
    promise_of,
    weight_of,
)
from safeaug.ledger.visible import cells_of
from safeaug.measures import ranks, salience_in
from safeaug.policy import Policy, Status
from safeaug.records import Step
from safeaug.shapes import salience_of

NOTHING_BUT = {Way.STILL, Way.VOLUME}
"""Ways that take nothing from a picture."""


class Mode(NamedTuple):
    """How a sample goes through.

    Parameters
    ----------
    dry : bool
        Without pixels: images and masks are stood in for by their sizes.
    trace : list of Step, optional
        Takes each step that is applied.
    """

    dry: bool = False
    trace: list[Step] | None = None

    def again(self, *, dry: bool) -> "Mode":
        """Return the mode of another draw of the same sample, on a record of its own."""
        return Mode(dry, None if self.trace is None else [])


PLAIN = Mode()


class Asks(NamedTuple):
    """What a policy asks of one window: it is made ready once, for all samples.

    Parameters
    ----------
    between : Policy
        Of a step behind which others come for certain: shares alone.
    at_end : Policy
        Of one that may be the last: close-ups and visible pixels too.
    between_or_out, at_end_or_out : Policy
        The same, for a search that may end without a window.
    plain : bool
        Whether all objects are asked for, of their shares alone, and any position will do that keeps them.
    """

    between: Policy
    at_end: Policy
    between_or_out: Policy
    at_end_or_out: Policy
    plain: bool


def asks_of(policy: Policy) -> Asks:
    """Return what a policy for a whole pipeline asks of one window."""
    # Where it is to raise, another draw of the whole may do, so that is for the root to say.
    on_fail = "most" if policy.on_fail == "raise" else policy.on_fail
    at_end = replace(policy, apply_rate=1.0, on_empty="plain", on_fail=on_fail)
    between = replace(at_end, min_fill=None, min_visible_pixels=None)
    others = policy.min_fill, policy.min_visible_pixels, policy.max_stretch
    plain = policy.keep == "all" and policy.sampling == "keep_scale" and all(each is None for each in others)
    return Asks(between, at_end, replace(between, on_fail="skip"), replace(at_end, on_fail="skip"), plain)


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
    asks : Asks
        What that asks of one window.
    uniform : float
        Under ``keep="one"`` picks the object.
    number : int
        Which call of the pipeline this is.
    mode : Mode
        How the sample goes through.
    """

    def __init__(
        self,
        content: Content,
        image_size: Size,
        policy: Policy,
        asks: Asks,
        uniform: float,
        number: int,
        mode: Mode = PLAIN,
    ) -> None:
        salience = salience_in(content)
        self.grid: Size | None = None
        """Where windows are ranked by a saliency map, its rows and columns. Nothing else is asked of a draw then."""
        if salience is not None and ranks(content, policy):
            height, width = salience.cells.shape
            self.grid = height, width
        self.salient = salience is not None
        """Whether what is followed is a saliency map."""
        if self.salient:
            policy = policy.of_salience()
            asks = asks_of(policy)
        self.promise = promise_of(content, policy, uniform)
        self.asked = asked_first(self.promise)
        self.ledger: Ledger = begin(content, image_size)
        self.count, self.policy, self.asks = len(content.given), policy, asks
        self.number, self.mode = number, mode
        self.status = Status.FIRST if content.boxes else Status.EMPTY
        self.steps: list[tuple[Leaf, Status]] = []
        """How each step ended. They are counted once it is known that this passage stands."""
        self.blind = False
        """Whether a step was met that nobody can follow: what is left is not known from there on."""
        self.released = False
        """Whether this draw is not guarded, only followed where somebody looks on."""
        self.varies = False
        """Whether a step was drawn that another draw of the pipeline would draw otherwise."""
        self.doomed = False
        """Whether the promise was broken where no other draw could have kept it."""
        self.weak = False
        """Whether a step was softened to nothing."""
        if content.blank:
            self.let_go()

    def let_go(self) -> None:
        """Guard nothing from here on."""
        self.released, self.status = True, max(self.status, Status.UNGUARDED)

    def lose_sight(self) -> None:
        """Follow nothing from here on."""
        self.blind, self.status = True, max(self.status, Status.UNGUARDED)

    @property
    def guards(self) -> bool:
        """Whether there is something to guard, and whether it can be."""
        return self.status is not Status.EMPTY and not self.blind and not self.released

    @property
    def broken(self) -> bool:
        """Whether the promise does not hold, or holds only because a step came to nothing."""
        return self.status is Status.UNMET or self.weak

    def note(self, leaf: Leaf, status: Status) -> None:
        """Note how a step ended: of a draw the worst counts."""
        self.steps.append((leaf, status))
        if status is Status.UNMET and self.status is not Status.UNMET:
            self.doomed = not (self.varies or leaf.chosen)
        self.status = max(self.status, status)
        self.varies = self.varies or (leaf.varies and status is not Status.NOT_APPLIED)

    def follow_only(self, leaf: Leaf, params: Params) -> None:
        """Note a step of which nothing is asked; what it does is followed where somebody looks on."""
        if self.blind:
            status = Status.UNGUARDED
        else:
            if self.mode != PLAIN and leaf.way not in NOTHING_BUT:
                self.see(leaf, params)
            status = Status.EMPTY if self.status is Status.EMPTY else Status.FIRST
        self.note(leaf, Status.UNGUARDED if self.released and leaf.way not in NOTHING_BUT else status)

    def see(self, leaf: Leaf, params: Params) -> None:
        """Follow a step of which nothing is asked, as long as somebody can tell what it does."""
        try:
            self.ledger = self.after(leaf, params, params["shape"][:2])
        except UntoldError:
            self.blind = True

    def after(self, leaf: Leaf, params: Params, size: Size) -> Ledger:
        """Return what would be left after a step with these parameters."""
        change = leaf.change(params, size)
        return self.ledger if change is None else follow(self.ledger, change)

    def shown(self) -> Content:
        """Return the saliency map as the picture shows it now, as content of the picture."""
        assert self.grid is not None
        cells = cells_of(self.ledger, self.grid)
        return content_of_salience(salience_of(cells, self.ledger.size), self.ledger.size, self.policy)

    def judge(self, after: Ledger, leaf: Leaf) -> Verdict:
        """Return whether what a step would leave keeps the promise.

        Of one that cannot be changed no pixels are asked: that the picture ends with too few says `end`.
        """
        return judged(self.promise, self.asked, after, at_end=leaf.last, floor=leaf.last and leaf.guards)

    def take(self, after: Ledger, verdict: Verdict) -> None:
        """Go on with what is left."""
        self.ledger, self.asked = after, verdict.asked

    def left_out(self, leaf: Leaf, image_size: Size, promised: Size | None) -> None:
        """Note that a step was left out; in a promised size the picture is shown whole."""
        if promised is not None and not self.blind:
            self.ledger = follow(self.ledger, Windowed(letterbox(image_size, promised), promised))
        self.note(leaf, Status.EMPTY if self.status is Status.EMPTY else Status.SKIPPED)

    def end(self, *, chosen: bool) -> None:
        """Judge the picture in which the pipeline has ended: close-ups, and pixels that are visible.

        Parameters
        ----------
        chosen : bool
            Whether chance decides which steps are applied.
        """
        policy = self.policy
        if not self.guards or (policy.min_fill is None and policy.min_visible_pixels is None):
            return  # shares have been judged after each step
        if policy.min_fill is not None and self.status in {Status.UNMET, Status.UNGUARDED}:
            self._forgive()
        verdict = judged(self.promise, self.asked, self.ledger, at_end=True)
        if not verdict.kept and self.status is not Status.UNMET:
            guarded = any(leaf.guards and status is not Status.NOT_APPLIED for leaf, status in self.steps)
            self.status = max(self.status, Status.UNMET if guarded else Status.UNGUARDED)
            self.doomed = not (self.varies or chosen)
        self.asked = verdict.asked

    def _forgive(self) -> None:
        """Take back that a step lost an object, where it fills the picture in the end: a close-up is no loss."""
        everything = judged(self.promise, asked_first(self.promise), self.ledger, at_end=True)
        if not everything.kept:
            return
        self.asked = everything.asked
        self.steps = [(leaf, _but_for_the_loss(leaf, status)) for leaf, status in self.steps]
        self.status = max([Status.FIRST, *(status for _, status in self.steps)])

    @property
    def weight(self) -> float:
        """What the objects count for of which enough is left."""
        return weight_of(self.promise, self.asked)


def _but_for_the_loss(leaf: Leaf, status: Status) -> Status:
    """Return how a step ended if what it took was not lost."""
    if status is Status.UNMET:
        return Status.MOVED if leaf.way is Way.WINDOW else Status.REDRAWN
    return Status.FIRST if status is Status.UNGUARDED else status


CURRENT: ContextVar[Passage | None] = ContextVar("safeaug_passage", default=None)
"""The sample that is on its way in this thread; None outside of a guarded pipeline."""
