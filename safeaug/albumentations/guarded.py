"""What turns a crop of albumentations 2.0.8 into a guarded one: a mixin between the drop-in and the host's class.

Only the drawing of parameters is touched. The host draws as ever, from its own generators; the search then keeps, moves
or resizes that window; the host's own code applies it to every target. Nothing of a call is kept on the transform but
the number of calls, which tells one draw's fork from the next.
"""

import hashlib
import random
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import fields as fields_of
from typing import Any

import albumentations as A
import numpy as np

from safeaug.albumentations.letterboxed import letterboxed
from safeaug.albumentations.targets import Fields, content_from
from safeaug.content import Content, meets
from safeaug.counts import Counts
from safeaug.errors import ContentError, PolicyError
from safeaug.geometry import Domain, Size, Window, domain_of, letterbox, size_of, window_at
from safeaug.policy import Policy, Stage, Status
from safeaug.records import Found, Outcome
from safeaug.search import Host, outcome_of, search

REPORT = "safeaug"
"""Key of the host's parameters under which a draw's outcome travels to the sample and into replays."""

_POLICY_FIELDS = tuple(field.name for field in fields_of(Policy))
_DEFAULTS = Policy().to_dict()


class Guarded(A.DualTransform):  # type: ignore[misc]  # the host ships no types
    """Base of the drop-ins. Stands before the host's class among a drop-in's bases, so that ``super()`` is the host."""

    _policy: Policy
    _fields: Fields
    _counts: Counts
    report_key: str | None

    @abstractmethod
    def _lattice(self, image_size: Size) -> Iterable[Size]:
        """Return the sizes inside the host's own range, which are tried when redraws do not help."""

    @abstractmethod
    def _output(self, size: Size) -> Size:
        """Return the output size of a window of this size."""

    _resizes = True
    """Whether windows of any size can be applied; False where the window is the output."""

    def _promise(self, policy: Policy | None, given: dict[str, Any], fields: Fields, report_key: str | None) -> None:
        """Take over the policy, from its own argument or from its fields. Called once, by a drop-in's constructor."""
        if policy is None:
            policy = Policy(**given)
        else:
            if not isinstance(policy, Policy):
                raise PolicyError(f"policy must be a safeaug.Policy, got {policy!r}")
            twice = [name for name, value in given.items() if value != _DEFAULTS[name]]
            if twice:
                raise PolicyError(f"give either policy or its fields, got policy and {', '.join(twice)}")
        self._policy = policy
        self._fields = fields
        self._counts = Counts(type(self).__name__)
        self.report_key = report_key

    def report(self) -> dict[str, int]:
        """Return how many draws ended in which status, those of loader workers included."""
        return self._counts.report()

    # Randomness: the fork's base is hashed from the host's generators whenever these are set, never consumed from them.

    def set_random_seed(self, seed: int | None) -> None:
        """Set the host's generators, and with them what the guard's own draws derive from."""
        super().set_random_seed(seed)
        self._rebase()

    def set_random_state(self, random_generator: np.random.Generator, py_random: random.Random) -> None:
        """Set the host's generators, and with them what the guard's own draws derive from."""
        super().set_random_state(random_generator, py_random)
        self._rebase()

    def _rebase(self) -> None:
        state = repr(self.py_random.getstate()).encode()
        self._base = int.from_bytes(hashlib.blake2b(state, digest_size=8).digest(), "big")
        self._calls = 0

    # Drawing.

    def should_apply(self, force_apply: bool = False) -> bool:
        """Decide as the host does, and count where the transform is left out."""
        apply: bool = super().should_apply(force_apply)
        if not apply:
            self._counts.add(Status.NOT_APPLIED)
        return apply

    def get_params_dependent_on_data(self, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        """Draw as the host does, then keep, move or resize the window so that it keeps the promise."""
        drawn = super().get_params_dependent_on_data(params, data)
        image_size: Size = params["shape"][:2]
        if self._additional_targets:
            self._check_companions(data, image_size)
        self._calls += 1
        content = self._content(data, image_size)
        # Windows of the host count from the corner of the padded image; the search works in the image frame.
        frame = _frame(image_size, drawn.get("pad_params"))
        first = _shift(drawn["crop_coords"], frame[0], frame[1])
        fork = _Fork(self, first)
        host = self._host(params, data, image_size, frame, fork)
        found = search(first, host, content, self._policy, fork.stream)
        self._counts.add(found.status)
        if found.window is not first:
            drawn["crop_coords"] = _shift(found.window, -frame[0], -frame[1])
        if found.status is Status.SKIPPED:
            drawn[REPORT] = self._outcome(found, content, image_size).to_dict()
        elif self.report_key is not None:
            drawn[REPORT] = outcome_of(found, content, self._policy, self._output(size_of(found.window))).to_dict()
        result: dict[str, Any] = drawn
        return result

    def _content(self, data: dict[str, Any], image_size: Size) -> Content:
        return content_from(data, image_size, self._policy, self._fields, self.get_processor("bboxes"))

    def _host(
        self, params: dict[str, Any], data: dict[str, Any], image_size: Size, frame: Window, fork: "_Fork"
    ) -> Host:
        def domain(size: Size) -> Domain:
            return domain_of(frame, size)

        if not self._resizes:
            return Host(domain, self._output, None, tuple, None)
        draw = super().get_params_dependent_on_data.__func__

        def redraw(_: int) -> Window:
            window: Window = draw(fork, params, data)["crop_coords"]
            return window

        return Host(domain, self._output, redraw, lambda: self._lattice(image_size), image_size)

    def _check_companions(self, data: dict[str, Any], image_size: Size) -> None:
        """Raise where an additional image or mask has another size: one window cannot mean the same in both."""
        for key, target in self._additional_targets.items():
            value = data.get(key)
            if value is not None and target in {"image", "mask"} and value.shape[:2] != image_size:
                raise ContentError(
                    f"{key!r} is {value.shape[:2]} and the image {image_size}: images that share a window must share "
                    "a size; resize one of them, or augment it in a call of its own"
                )

    def _outcome(self, found: Found, content: Content, image_size: Size) -> Outcome:
        """Return the outcome of a draw that is left out: the whole image, letterboxed into the promised size."""
        window = letterbox(image_size, self._output(size_of(found.window)))
        return outcome_of(
            found._replace(window=window),  # type: ignore[arg-type]  # its sides are not whole pixels
            content,
            self._policy,
            self._output(size_of(found.window)),
        )

    # Applying.

    def apply_with_params(self, params: dict[str, Any], *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Apply as the host does; letterbox a draw that is left out; judge a replayed window on its new sample."""
        report = params.get(REPORT)
        skipped = report is not None and report["status"] == Status.SKIPPED.name
        if self.replay_mode and not skipped:
            params = self.update_transform_params(dict(params), kwargs)  # the new sample's shape, not the recorded one
            report = self._judge_again(params, kwargs)
        result: dict[str, Any] = (
            letterboxed(self, tuple(report["size"]), kwargs)
            if report is not None and skipped
            else super().apply_with_params(params, *args, **kwargs)
        )
        if report is not None and self.report_key is not None:
            result[self.report_key] = _worse(result.get(self.report_key), report)
        return result

    def __call__(self, *args: Any, force_apply: bool = False, **kwargs: Any) -> Any:
        """Transform as the host does; where its ``p`` leaves the transform out, the report says so."""
        result = super().__call__(*args, force_apply=force_apply, **kwargs)
        if self.report_key is not None and self.report_key not in result:
            result[self.report_key] = {"status": Status.NOT_APPLIED.name}
        return result

    def _judge_again(self, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        """Return the report of a replayed window: it stays where it is, and is FIRST or UNMET on this sample."""
        image_size: Size = params["shape"][:2]
        content = self._content(data, image_size)
        frame = _frame(image_size, params.get("pad_params"))
        window = _shift(params["crop_coords"], frame[0], frame[1])
        output = self._output(size_of(window))
        status = Status.FIRST if meets(content, self._policy, window, output) else Status.UNMET
        found = Found(window, status if content.boxes else Status.EMPTY, Stage.DRAWN, 0)
        self._counts.add(found.status)
        return outcome_of(found, content, self._policy, output).to_dict()

    # Serialisation: everything the constructor takes, as plain data.

    def get_transform_init_args(self) -> dict[str, Any]:
        """Return the host's arguments, the policy's fields and the field names, as plain data."""
        return {
            **super().get_transform_init_args(),
            **self._policy.to_dict(),
            **self._fields._asdict(),
            "report_key": self.report_key,
        }


class _Fork:
    """The transform with a generator of its own, for one draw: what the guard and further host draws run on.

    Its seed is the base key, the number of the call, and the drawn window (leaves may share the host's generators), set
    side by side: all bits of a whole number seed a `random.Random`. It is made when it is first needed.
    """

    def __init__(self, transform: Guarded, drawn: Window) -> None:
        self._transform = transform
        self._drawn = drawn

    def __getattr__(self, name: str) -> Any:
        if name != "py_random":
            return getattr(self._transform, name)
        seed = self._transform._base << 32 | self._transform._calls & 0xFFFFFFFF
        for part in self._drawn:
            seed = seed << 20 | part & 0xFFFFF
        self.py_random = random.Random(seed)
        return self.py_random

    def stream(self, _purpose: int) -> Callable[[], float]:
        """Return the fork's numbers. They are asked for in a fixed order, so one sequence serves all purposes."""
        numbers: Callable[[], float] = self.py_random.random
        return numbers


def _frame(image_size: Size, pad: dict[str, int] | None) -> Window:
    """Return the rectangle, in the image frame, inside which the host places windows: the image and its padding."""
    height, width = image_size
    if pad is None:
        return 0, 0, width, height
    return -pad["pad_left"], -pad["pad_top"], width + pad["pad_right"], height + pad["pad_bottom"]


def _shift(window: Window, x: int, y: int) -> Window:
    return window_at(window[0] + x, window[1] + y, size_of(window)) if x or y else window


def _worse(one: dict[str, Any] | None, other: dict[str, Any]) -> dict[str, Any]:
    """Return the report with the greater status: that of a pipeline is its worst step's."""
    return other if one is None or Status[one["status"]] <= Status[other["status"]] else one
