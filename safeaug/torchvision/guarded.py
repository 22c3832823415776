"""What turns a transform of torchvision.transforms.v2 into a guarded one.

Only the drawing of parameters is touched. The host draws as ever, from torch's global generator; the search then keeps,
moves or resizes that window; the host's own code applies it to every leaf. Nothing of a call is kept on the transform.

`Guarded` is the base of the drop-ins, where it stands before the host's class, so that ``super()`` is the host; and of
`Safe`, which holds a transform instead.
"""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, ClassVar

import torch
from torchvision import tv_tensors
from torchvision.transforms import v2

from safeaug.content import Content
from safeaug.counts import Counts
from safeaug.errors import PolicyError, RetentionError
from safeaug.geometry import Size, Window, size_of, window_at
from safeaug.guarding import CURRENT, Draw, Params, Stream
from safeaug.handing import refuse_unguarded
from safeaug.measures import demand_of, held, plain_demand, salience_in
from safeaug.plain import Asked, judge, place, redrawn
from safeaug.policy import Policy, Status, policy_of
from safeaug.records import Found
from safeaug.search import remainder
from safeaug.torchvision.chance import apart, fork_of
from safeaug.torchvision.leaving import LeftOut, stood_in_for
from safeaug.torchvision.lending import Lender
from safeaug.torchvision.reading import Reading, fields_of
from safeaug.torchvision.targets import carries, content_of, image_size_of, refuse_loose_boxes, rows_of
from safeaug.torchvision.windows import Cut, Kind

PIXELS = (1, 1)
"""Unit of boxes, which stand in pixels."""

_DEFAULTS = Policy().to_dict()
_NOT_THE_HOSTS = {*_DEFAULTS, *Reading._fields, "policy", "generator", "self", "__class__"}


@dataclass
class _Call:
    """What one call hands to its draw, beside the leaves; and whether there was a draw."""

    named: dict[str, list[Any]] | None
    drew: bool = False


_CALL: ContextVar[_Call | None] = ContextVar("safeaug_torchvision_call", default=None)


class Guarded(v2.Transform):  # type: ignore[misc]  # the host ships no types
    """Base of all guarded transforms."""

    kind: ClassVar[Kind]
    """How its host tells its window."""

    _policy: Policy
    _reading: Reading
    _counts: Counts
    _lender: Lender | None

    def _construct(self, given: dict[str, Any]) -> None:
        """Build the host's transform and take over the promise; a drop-in's constructor calls it with its arguments."""
        super().__init__(**{name: value for name, value in given.items() if name not in _NOT_THE_HOSTS})
        self._promise(given)

    def _promise(self, given: dict[str, Any]) -> None:
        """Take over the policy, from its own argument or from its fields, and how objects are read."""
        policy = policy_of(given["policy"], given)
        reading = Reading(*(given[name] for name in Reading._fields)).checked()
        if reading.protect == "saliency":
            policy.check_salient()
        self._policy, self._reading = policy, reading
        self._lender = None if given["generator"] is None else Lender(given["generator"])
        quick = isinstance(self.kind, Cut) and self.kind.roams and reading.only_boxes
        self._plain_limit = policy.plain_limit if quick else None
        self._alone = policy.on_fail != "skip" and not reading.names and not hasattr(self.host, "p")
        self._moves = policy.sampling == "keep_scale"
        self._counts = Counts(type(self).__name__)

    @property
    def host(self) -> Any:
        """The transform that holds the host's arguments: this one."""
        return self

    def report(self) -> dict[str, int]:
        """Return how many draws ended in which status, those of loader workers included."""
        return self._counts.report()

    # Drawing.

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        """Draw as the host does, then keep, move or resize the window so that it keeps the promise."""
        if torch.compiler.is_compiling():
            drawn: Params = _uncompiled(self._lent if self._lender else self._made)(flat_inputs)
            return drawn
        return self._made(flat_inputs) if self._lender is None else self._lent(flat_inputs)

    def _lent(self, leaves: list[Any]) -> Params:
        """Draw from a generator of one's own."""
        assert self._lender is not None
        with self._lender.lent():
            return self._made(leaves)

    def _made(self, leaves: list[Any]) -> Params:
        call = _CALL.get()
        if call is not None:
            call.drew = True
        try:
            drawn = self._draw(leaves)
        except (TypeError, ValueError):  # of images without a size, or of several sizes, more can be said
            image_size_of(leaves)
            raise
        try:
            rows = None if self._plain_limit is None or self.kind.pads(drawn) else _only_boxes(leaves)
            if rows:
                return self._plain(rows, drawn, leaves)
            return self._guarded(drawn, leaves, call)
        except RetentionError:
            self._counts.add(Status.UNMET)
            raise

    def _draw(self, leaves: Sequence[Any], *, anew: bool = False) -> Params:
        """Return a draw of the host's own."""
        drawn: Params = super().make_params(leaves)
        return drawn

    def fork(self, first: Window) -> Stream:
        """Return the guard's generator: it derives from the host's as its draw has left it, and from that draw."""
        return fork_of(first)

    def again(self, fork: Stream) -> Callable[[Params, Params], Params]:
        """Return the host's own sampler, drawing from a fork."""

        def draw(params: Params, data: Params) -> Params:
            drawn = self.kind.drawn_by(self.host, params["shape"], fork.random)
            if drawn is not None:
                return drawn
            with apart(fork.getrandbits(64)):
                return self._draw(data["leaves"], anew=True)

        return draw

    def _plain(self, rows: list[list[float]], drawn: Params, leaves: list[Any]) -> Params:
        """Return the host's parameters in the commonest case, which `safeaug.plain` has a quicker way with."""
        assert self._plain_limit is not None
        left, top = drawn["left"], drawn["top"]
        first: Window = left, top, left + drawn["width"], top + drawn["height"]
        boxes = next(leaf for leaf in leaves if type(leaf) is tv_tensors.BoundingBoxes)
        image_size: Size = boxes.canvas_size  # the host has seen that all leaves share it
        asked = judge(rows, image_size, self._plain_limit, first, PIXELS)
        if asked is None or (asked and not self._moves):
            return self._guarded(drawn, leaves, _CALL.get())
        if not asked:  # most draws of most users end here: count, and be done
            self._counts.add(Status.FIRST)
            return drawn
        fork, size = self.fork(first), size_of(first)
        position = place(asked, size, image_size, fork)
        if position is None:
            window, status = self._replaced(asked, rows, fork, first, drawn, leaves, image_size)
        else:
            window, status = window_at(*position, size), Status.MOVED
        if status is Status.SKIPPED:
            raise self._left_out(first, drawn, image_size)
        left, top, right, bottom = window  # of a draw that is not padded: counted from the image's corner
        drawn["left"], drawn["top"], drawn["width"], drawn["height"] = left, top, right - left, bottom - top
        self._counts.add(status)
        return drawn

    def _replaced(
        self,
        asked: list[Asked],
        rows: list[list[float]],
        fork: Stream,
        first: Window,
        drawn: Params,
        leaves: list[Any],
        image_size: Size,
    ) -> tuple[Window, Status]:
        """Return the window of another size, where no position of the drawn size will do."""
        kind, params, data = self.kind, {"shape": image_size}, {"leaves": leaves}
        if kind.redraws:
            again = self.again(fork)

            def redraw(_number: int) -> Window:
                other = again(params, data)
                left, top = other["left"], other["top"]
                return left, top, left + other["width"], top + other["height"]

            found = redrawn(asked, first, image_size, redraw, self._policy.tries, fork)
            if found is not None:
                return found.window, found.status
        assert self._plain_limit is not None
        demand = plain_demand(rows, image_size, self._plain_limit)
        assert demand is not None  # what is asked was read from the same rows
        draw = Draw(self, params, data, drawn, kind.frame(drawn, image_size), first, fork)
        read = partial(content_of, leaves, None, self._policy, self._reading)
        found = remainder(first, draw, demand, read, self._policy, draw.stream)
        return found.window, found.status

    def _guarded(self, drawn: Params, leaves: list[Any], call: _Call | None) -> Params:
        """Return the host's parameters with the window that the search takes."""
        kind, image_size = self.kind, image_size_of(leaves)
        first = kind.window(self.host, drawn, image_size)
        if first is None:  # the transform's own to refuse; where it does not, nothing has guarded the draw
            self._counts.add(Status.UNGUARDED)
            return drawn
        content = content_of(leaves, None if call is None else call.named, self._policy, self._reading)
        if not (content.boxes or carries(leaves, self._reading) or CURRENT.get()):
            refuse_unguarded(type(self).__name__)
        params, data = {"shape": image_size}, {"leaves": leaves}
        draw = Draw(self, params, data, drawn, kind.frame(drawn, image_size), first)
        found = kind.find(draw, content, self._policy)
        if draw.drawn is drawn and found.window != first:  # a kind that draws anew has the window in its draw
            kind.put(self.host, drawn, found.window, image_size)
        if found.status is Status.SKIPPED:
            raise self._left_out(first, drawn, image_size)
        if kind.labels and found.status is not Status.UNGUARDED:
            output = kind.output(self.host, size_of(found.window), draw.drawn, image_size)
            kind.settle_labels(draw.drawn, leaves, _kept(content, self._policy, found, output))
        self._counts.add(found.status)
        return draw.drawn

    def _left_out(self, first: Window, drawn: Params, image_size: Size) -> LeftOut:
        """Return what leaves a draw out."""
        self._counts.add(Status.SKIPPED)
        promised = self.kind.output(self.host, size_of(first), drawn, image_size) if self.kind.promises else None
        return LeftOut(image_size, promised)

    # The call. Parameters are not all that there is to it where fields of the sample are named, which make_params does
    # not see; where a draw is left out, for which no parameters stand; and where the host may not draw at all.

    def check_inputs(self, flat_inputs: list[Any]) -> None:
        """Refuse what the host refuses, and boxes that it would not move.

        Raises
        ------
        ContentError
            Where a plain tensor of boxes stands beside the image: only here are leaves seen that the host leaves alone.
        """
        super().check_inputs(flat_inputs)
        for leaf in flat_inputs:
            if type(leaf) is tv_tensors.BoundingBoxes:
                return  # as in most calls: what carries boxes hides none
        if torch.compiler.is_compiling():
            _uncompiled(refuse_loose_boxes)(flat_inputs, self._reading)
        else:
            refuse_loose_boxes(flat_inputs, self._reading)

    def forward(self, *inputs: Any) -> Any:
        """Transform as the host does; leave out a draw that is to be left out.

        Raises
        ------
        ContentError
            Where the objects cannot be judged.
        RetentionError
            Where the promise cannot be met and the policy says ``on_fail="raise"``.
        """
        if self._alone:
            return super().forward(*inputs)
        if torch.compiler.is_compiling():
            return _uncompiled(self._called)(*inputs)
        return self._called(*inputs)

    def _called(self, *inputs: Any) -> Any:
        call = _Call(fields_of(inputs, self._reading))
        token = _CALL.set(call)
        try:
            if self._lender is None:
                return super().forward(*inputs)
            with self._lender.lent():  # the host's p is drawn outside of make_params
                return super().forward(*inputs)
        except LeftOut as left_out:
            return stood_in_for(left_out, self.host, inputs)
        finally:
            _CALL.reset(token)
            if not call.drew:
                self._counts.add(Status.NOT_APPLIED)

    # What is printed, and what cannot be.

    def extra_repr(self) -> str:
        """Return the host's arguments, and of the promise what is not default."""
        return ", ".join(part for part in (super().extra_repr(), self._said()) if part)

    def _said(self) -> str:
        policy = [
            f"{field.name}={getattr(self._policy, field.name)!r}"
            for field in fields(self._policy)
            if getattr(self._policy, field.name) != _DEFAULTS[field.name]
        ]
        defaults = Reading._field_defaults
        reading = [f"{name}={value!r}" for name, value in self._reading._asdict().items() if value != defaults[name]]
        own = [] if self._lender is None else ["generator=torch.Generator"]
        return ", ".join([*policy, *reading, *own])

    def __prepare_scriptable__(self) -> Any:
        """Refuse: what torch.jit would script is the host's transform of v1, without the guard.

        Raises
        ------
        PolicyError
            Always.
        """
        raise PolicyError(
            f"{type(self).__name__} cannot be scripted: torch.jit would take the host's transform without its guard. "
            f"Script torchvision.transforms.{type(self).__name__}, or compile with torch.compile"
        )


def _only_boxes(leaves: Sequence[Any]) -> list[list[float]] | None:
    """Return the corners of upright boxes where one leaf holds all boxes of a sample; else None."""
    boxes = None
    for leaf in leaves:
        if isinstance(leaf, tv_tensors.BoundingBoxes):
            if boxes is not None:
                return None
            boxes = leaf
    return None if type(boxes) is not tv_tensors.BoundingBoxes else rows_of(boxes)


def _kept(content: Content, policy: Policy, found: Found, output: Size) -> list[int]:
    """Return which of the given objects a window holds as much of as is asked of them, where anything is."""
    if salience_in(content) is not None:
        return []
    demand = demand_of(content, policy, size_of(found.window), output)
    return [
        origin
        for i, origin in enumerate(content.origin)
        if content.limits[i] > 0 and held(demand, i, found.window) >= demand.needs[i]
    ]


def _uncompiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that torch.compile leaves alone."""
    left: Callable[..., Any] = torch.compiler.disable(function)
    return left
