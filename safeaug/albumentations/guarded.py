"""What turns a crop of albumentations 2.0.8 into a guarded one: a mixin between the drop-in and the host's class.

Only the drawing of parameters is touched. The host draws as ever, from its own generators; the search then keeps, moves
or resizes that window; the host's own code applies it to every target. Nothing of a call is kept on the transform but
the number of calls, which tells one draw's fork from the next, and what the host itself keeps.
"""

import copy
import hashlib
import random
from abc import abstractmethod
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import albumentations as A
import numpy as np

from safeaug.albumentations.draw import Draw
from safeaug.albumentations.fork import GAMMA, MASK, Fork, mixed
from safeaug.albumentations.letterboxed import letterboxed
from safeaug.albumentations.targets import Fields, content_from
from safeaug.content import Content
from safeaug.counts import Counts
from safeaug.errors import ContentError, PolicyError, RetentionError
from safeaug.geometry import Size, Window, letterbox, size_of, window_at
from safeaug.measures import meets, passes, plain_demand
from safeaug.policy import Policy, Stage, Status
from safeaug.records import Demand, Found
from safeaug.search import elsewhere, outcome_of, search

REPORT = "safeaug"
"""Key of the host's parameters under which a draw's outcome travels to the sample and into replays."""

_DEFAULTS = Policy().to_dict()


class Guarded(A.DualTransform):  # type: ignore[misc]  # the host ships no types
    """Base of the drop-ins. Stands before the host's class among a drop-in's bases, so that ``super()`` is the host."""

    _policy: Policy
    _fields: Fields
    _counts: Counts
    report_key: str | None

    redraws = True
    """Whether the host draws sizes, and resizes what it cuts; False where the window is the output."""

    @abstractmethod
    def lattice(self, image_size: Size) -> Iterable[Size]:
        """Return the sizes inside the host's own range, which are tried when redraws do not help."""

    @abstractmethod
    def output(self, size: Size) -> Size:
        """Return the output size of a window of this size."""

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
        if report_key is not None and (not isinstance(report_key, str) or report_key in self.available_keys):
            raise PolicyError(f"report_key must be text, and not the name of a target, got {report_key!r}")
        self._policy = policy
        self._fields = fields
        self._plain_limit = None if fields.weights or fields.ignore else policy.plain_limit
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
        self._base = int.from_bytes(hashlib.blake2b(state, digest_size=8).digest(), "little")
        self._calls = 0
        self._fork = Fork()

    def fork(self, first: Window) -> Fork:
        """Return the guard's generator, set for this call and for the window that the host drew in it.

        Leaves may share the host's generators, and then share base key and number of the call; not the window.
        """
        x0, y0, x1, y1 = first
        drawn = x0 << 48 ^ y0 << 32 ^ x1 << 16 ^ y1
        self._fork.state = mixed(mixed(self._base + self._calls * GAMMA & MASK) ^ drawn & MASK)
        return self._fork

    @property
    def sampler(self) -> Callable[..., dict[str, Any]]:
        """The host's own sampler, unbound: it runs on this transform or on a stand-in for it."""
        sampler: Callable[..., dict[str, Any]] = super().get_params_dependent_on_data.__func__
        return sampler

    # Drawing.

    def get_params_dependent_on_data(self, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        """Draw as the host does, then keep, move or resize the window so that it keeps the promise."""
        drawn: dict[str, Any] = super().get_params_dependent_on_data(params, data)
        self._calls += 1
        if self._additional_targets:
            self._check_companions(data, params["shape"][:2])
        plain = not drawn.get("pad_params") and "bboxes" not in self._additional_targets.values()
        demand = self._plain_demand(params, data) if plain else None
        if demand is None or not passes(demand, drawn["crop_coords"]):
            return self._guarded(drawn, demand, params, data)
        self._counts.add(Status.FIRST)
        if self.report_key is not None:
            found = Found(drawn["crop_coords"], Status.FIRST, Stage.DRAWN, 1)
            image_size: Size = params["shape"][:2]
            drawn[REPORT] = self._report(found, image_size, self._content(data, image_size))
            self._tell(data, drawn[REPORT])
        return drawn

    def _guarded(
        self, drawn: dict[str, Any], demand: Demand | None, params: dict[str, Any], data: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the host's parameters with the window that the search takes."""
        image_size: Size = params["shape"][:2]
        first, pad = drawn["crop_coords"], drawn.get("pad_params")
        if first[0] >= first[2] or first[1] >= first[3]:
            return drawn  # an empty window, which the host itself refuses
        frame = 0, 0, image_size[1], image_size[0]
        if pad:
            # Windows of the host count from the corner of the padded image; the search works in the image frame.
            frame = _padded(frame, pad)
            first = _shift(first, frame[0], frame[1])
        draw, read = Draw(self, params, data, frame, first), partial(self._content, data, image_size)
        try:
            if demand is None:
                content = read()
                found = search(first, draw, content, self._policy, draw.stream)
            else:  # it holds all that the search needs; the content is read where a report tells of it
                content = None
                found = elsewhere(first, draw, demand, read, self._policy, draw.stream)
        except RetentionError:
            self._counts.add(Status.UNMET)
            raise
        self._counts.add(found.status)
        if found.window is not first:
            drawn["crop_coords"] = _shift(found.window, -frame[0], -frame[1]) if pad else found.window
        if found.status is Status.SKIPPED:
            raise _LeftOut(params, self._report(found, image_size, content or read()))
        if self.report_key is not None:
            drawn[REPORT] = self._report(found, image_size, content or read())
            self._tell(data, drawn[REPORT])
        return drawn

    def _plain_demand(self, params: dict[str, Any], data: dict[str, Any]) -> Demand | None:
        """Return what the boxes ask of every window in the commonest case, None in all others."""
        rows = data.get("bboxes")
        if self._plain_limit is None or rows is None or not len(rows) or "bboxes" not in self.processors:
            return None
        image_size: Size = params["shape"][:2]
        return plain_demand(rows.tolist(), image_size, self._plain_limit, image_size)

    def _content(self, data: dict[str, Any], image_size: Size) -> Content:
        more = [key for key, target in self._additional_targets.items() if target == "bboxes"]
        processor = self.get_processor("bboxes")
        return content_from(data, ["bboxes", *more], image_size, self._policy, self._fields, processor)

    def _check_companions(self, data: dict[str, Any], image_size: Size) -> None:
        """Raise where an additional image or mask has another size: one window cannot mean the same in both."""
        for key, target in self._additional_targets.items():
            value = data.get(key)
            if value is not None and target in {"image", "mask"} and np.shape(value)[:2] != image_size:
                raise ContentError(
                    f"{key!r} is {np.shape(value)[:2]} and the image {image_size}: images that share a window must "
                    "share a size; resize one of them, or augment it in a call of its own"
                )

    def _report(self, found: Found, image_size: Size, content: Content) -> dict[str, Any]:
        """Return the outcome of a draw as plain data; of one that is left out, that of the letterboxed image."""
        output = self.output(size_of(found.window))
        if found.status is Status.SKIPPED:
            window = letterbox(image_size, output)
            found = found._replace(window=window)  # type: ignore[arg-type]  # its sides are not whole pixels
        return outcome_of(found, content, self._policy, output).to_dict()

    def _tell(self, data: dict[str, Any], report: dict[str, Any]) -> None:
        """Put a report into the sample; of several crops that share a key the worst stays."""
        if self.report_key is None:
            return
        processor = self.get_processor("bboxes")
        if processor is not None and self.report_key in (processor.params.label_fields or ()):
            raise ContentError(f"report_key={self.report_key!r} is one of the label_fields; choose a key of its own")
        data[self.report_key] = _worse(data.get(self.report_key), report)

    # Applying.

    def __call__(self, *args: Any, force_apply: bool = False, **kwargs: Any) -> Any:
        """Transform as the host does; letterbox a draw that is left out; say in the sample how the draw ended.

        Raises
        ------
        ContentError
            Where the boxes cannot be judged.
        RetentionError
            Where the promise cannot be met and the policy says ``on_fail="raise"``.
        """
        if self.replay_mode and self.applied_in_replay:
            return self._replay(kwargs)
        try:
            result = super().__call__(*args, force_apply=force_apply, **kwargs)
        except _LeftOut as left_out:
            result = self._leave_out(left_out, kwargs)
        if self.report_key is not None and self.report_key not in result:
            result[self.report_key] = {"status": Status.NOT_APPLIED.name}
        return result

    def should_apply(self, force_apply: bool = False) -> bool:
        """Decide as the host does, and count where the transform is left out."""
        apply: bool = super().should_apply(force_apply)
        if not apply:
            self._counts.add(Status.NOT_APPLIED)
        return apply

    def _leave_out(self, left_out: "_LeftOut", data: dict[str, Any]) -> dict[str, Any]:
        """Return the whole image in the promised size, and keep the books that the host's call was about to keep."""
        self.params = {**left_out.params, REPORT: left_out.report}
        if self.deterministic:
            data[self.save_key][id(self)] = copy.deepcopy(self.params)
        self._tell(data, left_out.report)
        return letterboxed(self, tuple(left_out.report["size"]), data)

    def _replay(self, data: dict[str, Any]) -> dict[str, Any]:
        """Apply the recorded window to another sample, and judge it there."""
        params = self.update_transform_params(dict(self.params), data)  # the new sample's shape, not the recorded one
        recorded = params.get(REPORT, {})
        if recorded.get("status") == Status.SKIPPED.name:
            size: Size = tuple(recorded["size"])
            image_size: Size = params["shape"][:2]
            found = Found((0, 0, size[1], size[0]), Status.SKIPPED, Stage.DRAWN, 0)
            self._counts.add(found.status)
            self._tell(data, self._report(found, image_size, self._content(data, image_size)))
            return letterboxed(self, size, data)
        self._tell(data, self._judge_again(params, data))
        result: dict[str, Any] = self.apply_with_params(params, **data)
        return result

    def _judge_again(self, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        """Return the report of a replayed window: it stays where it is, and is FIRST or UNMET on this sample."""
        image_size: Size = params["shape"][:2]
        content = self._content(data, image_size)
        window, pad = params["crop_coords"], params.get("pad_params")
        if pad:
            window = _shift(window, -pad["pad_left"], -pad["pad_top"])
        output = self.output(size_of(window))
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


class _LeftOut(Exception):  # noqa: N818  # not an error: a way out of the host's call
    """A draw that ``on_fail="skip"`` leaves out."""

    def __init__(self, params: dict[str, Any], report: dict[str, Any]) -> None:
        super().__init__()
        self.params = params
        self.report = report


def _padded(window: Window, pad: dict[str, int]) -> Window:
    """Return the rectangle, in the image frame, inside which the host places windows: the image and its padding."""
    x0, y0, x1, y1 = window
    return x0 - pad["pad_left"], y0 - pad["pad_top"], x1 + pad["pad_right"], y1 + pad["pad_bottom"]


def _shift(window: Window, x: int, y: int) -> Window:
    return window_at(window[0] + x, window[1] + y, size_of(window))


def _worse(one: dict[str, Any] | None, other: dict[str, Any]) -> dict[str, Any]:
    """Return the report with the greater status: that of a pipeline is its worst step's."""
    return other if one is None or Status[one["status"]] <= Status[other["status"]] else one
