"""What turns a transform of albumentations 2.0.8 into a guarded one.

Only the drawing of parameters is touched. The host draws as ever, from its own generators; the search then keeps, moves
or resizes that window; the host's own code applies it to every target. Nothing of a call is kept on the transform but
the number of calls, which tells one draw's fork from the next, and what the host itself keeps.

`Guarded` is the base of the drop-ins, where it stands before the host's class, so that ``super()`` is the host; and of
`Safe`, which holds a transform of the host instead.
"""

import copy
import hashlib
import inspect
import random
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import albumentations as A
import numpy as np

from safeaug.albumentations.parts import letterboxed
from safeaug.albumentations.reading import Reading
from safeaug.albumentations.reports import REPORT, LeftOut, worse
from safeaug.albumentations.targets import Sample
from safeaug.albumentations.windows import Cut, Kind
from safeaug.content import Content
from safeaug.counts import Counts
from safeaug.errors import ContentError, PolicyError, RetentionError
from safeaug.geometry import Size, Window, letterbox, size_of, window_at
from safeaug.guarding.draw import Draw, stand_in
from safeaug.guarding.fork import Fork
from safeaug.measures import holds_all, meets, plain_demand
from safeaug.objects import content_of_masks, instances
from safeaug.plain import Asked, judge, place, redrawn
from safeaug.policy import Policy, Stage, Status, policy_of
from safeaug.records import Found
from safeaug.search import outcome_of, remainder
from safeaug.splitmix import keyed

_DEFAULTS = Policy().to_dict()
_NOT_THE_HOSTS = {*_DEFAULTS, *Reading._fields, "policy", "report_key", "self", "__class__"}


class Guarded(A.DualTransform):  # type: ignore[misc]  # the host ships no types
    """Base of all guarded transforms."""

    kind: ClassVar[Kind]
    """How its host tells its window."""

    _policy: Policy
    _reading: Reading
    _counts: Counts
    report_key: str | None

    def _construct(self, given: dict[str, Any]) -> None:
        """Build the host's transform and take over the promise; a drop-in's constructor calls it with its arguments."""
        super().__init__(**{name: value for name, value in given.items() if name not in _NOT_THE_HOSTS})
        self._promise(given)

    def _promise(self, given: dict[str, Any]) -> None:
        """Take over the policy, from its own argument or from its fields, and how objects are read."""
        policy = policy_of(given["policy"], given)
        report_key = given["report_key"]
        if report_key is not None and (not isinstance(report_key, str) or report_key in self.available_keys):
            raise PolicyError(f"report_key must be text, and not the name of a target, got {report_key!r}")
        self._policy = policy
        self._reading = Reading(*(given[name] for name in Reading._fields)).checked()
        if self._reading.protect == "saliency":
            policy.check_salient()
        quick = isinstance(self.kind, Cut) and self._reading.only_boxes
        self._plain_limit = policy.plain_limit if quick else None
        self._boxes_alone = False
        self._mask_limit = policy.plain_limit if self._reading.only_masks else None
        self._roams = self.kind.roams and policy.sampling == "keep_scale"
        self._counts = Counts(type(self).__name__)
        self.report_key = report_key

    def set_processors(self, processors: dict[str, Any]) -> None:
        """Set what reads boxes and keypoints."""
        super().set_processors(processors)
        self._look_again()

    def add_targets(self, additional_targets: dict[str, str]) -> None:
        """Add names of targets."""
        super().add_targets(additional_targets)
        self._look_again()

    def _look_again(self) -> None:
        """Note whether the boxes of ``bboxes``, read by a processor, are all boxes of a sample."""
        self._boxes_alone = "bboxes" in self.processors and "bboxes" not in self._additional_targets.values()

    @property
    def host(self) -> Any:
        """The transform that holds the host's arguments: this one."""
        return self

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
        self._fork.state = keyed(self._base, self._calls, first)
        return self._fork

    def again(self, fork: Fork) -> Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]:
        """Return the host's own sampler, drawing from a fork."""
        sampler: Callable[..., dict[str, Any]] = super().get_params_dependent_on_data.__func__
        return partial(sampler, stand_in(self, py_random=fork))

    # Drawing.

    def get_params_dependent_on_data(self, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        """Draw as the host does, then keep, move or resize the window so that it keeps the promise."""
        drawn: dict[str, Any] = super().get_params_dependent_on_data(params, data)
        self._calls += 1
        if self._additional_targets:
            self._check_companions(data, params["shape"][:2])
        rows = None if self._plain_limit is None else data.get("bboxes")
        try:
            if rows is None or not self._boxes_alone or drawn.get("pad_params") is not None or not len(rows):
                return self._guarded(drawn, params, data)
            return self._plain(rows.tolist(), drawn, params, data)
        except RetentionError:
            self._counts.add(Status.UNMET)
            raise

    def _plain(
        self, rows: list[list[float]], drawn: dict[str, Any], params: dict[str, Any], data: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the host's parameters in the commonest case, which `safeaug.plain` has a quicker way with."""
        image_size: Size = params["shape"][:2]
        first: Window = drawn["crop_coords"]
        assert self._plain_limit is not None
        asked = judge(rows, image_size, self._plain_limit, first)
        if asked is None or (asked and (not self._roams or first[0] >= first[2] or first[1] >= first[3])):
            return self._guarded(drawn, params, data)
        if not asked:
            if self.report_key is None:  # most draws of most users end here: count, and be done
                self._counts.add(Status.FIRST)
                return drawn
            return self._ended(Found(first, Status.FIRST, Stage.DRAWN, 1), drawn, params, data)
        fork, size = self.fork(first), size_of(first)
        position = place(asked, size, image_size, fork)
        if position is None:
            found = self._replaced(asked, rows, fork, drawn, params, data)
        else:
            found = Found(window_at(*position, size), Status.MOVED, Stage.DRAWN, 1)
        drawn["crop_coords"] = found.window
        return self._ended(found, drawn, params, data)

    def _replaced(
        self,
        asked: list[Asked],
        rows: list[list[float]],
        fork: Fork,
        drawn: dict[str, Any],
        params: dict[str, Any],
        data: dict[str, Any],
    ) -> Found:
        """Return the window of another size, where no position of the drawn size will do."""
        first, image_size = drawn["crop_coords"], params["shape"][:2]
        if self.kind.redraws:
            again = self.again(fork)
            redraw = lambda _: again(params, data)["crop_coords"]  # noqa: E731  # plain windows: this kind roams
            found = redrawn(asked, first, image_size, redraw, self._policy.tries, fork)
            if found is not None:
                return found
        assert self._plain_limit is not None
        demand = plain_demand(rows, image_size, self._plain_limit, image_size)
        assert demand is not None  # what is asked was read from the same rows
        draw = Draw(self, params, data, drawn, self.kind.frame(drawn, image_size), first, fork)
        read = partial(self._content, data, image_size)
        return remainder(first, draw, demand, read, self._policy, draw.stream)

    def _guarded(self, drawn: dict[str, Any], params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        """Return the host's parameters with the window that the search takes."""
        image_size: Size = params["shape"][:2]
        first = self.kind.window(self.host, drawn, image_size)
        if first is None:
            first = self.kind.mended(drawn, image_size)
            if first is None:  # the transform's own to refuse; where it does not, nothing has guarded the draw
                self._counts.add(Status.UNGUARDED)
                self._tell(drawn, data, {"status": Status.UNGUARDED.name})
                return drawn
            self.kind.put(self.host, drawn, first, image_size)
        if self._mask_limit is not None and self._is_masks(data):
            masks = instances(data["masks"], image_size)
            if holds_all(masks, self._mask_limit, first):
                return self._ended(Found(first, Status.FIRST, Stage.DRAWN, 1), drawn, params, data)
            content = content_of_masks(masks, image_size, self._policy)
        else:
            content = self._content(data, image_size)
        draw = Draw(self, params, data, drawn, self.kind.frame(drawn, image_size), first)
        found = self.kind.find(draw, content, self._policy)
        if draw.drawn is drawn and found.window != first:  # a kind that draws anew has the window in its draw
            self.kind.put(self.host, draw.drawn, found.window, image_size)
        return self._ended(found, draw.drawn, params, data, content)

    def _ended(
        self,
        found: Found,
        drawn: dict[str, Any],
        params: dict[str, Any],
        data: dict[str, Any],
        content: Content | None = None,
    ) -> dict[str, Any]:
        """Return the parameters of a draw, counted and reported."""
        self._counts.add(found.status)
        if self.report_key is None and found.status is not Status.SKIPPED:
            if found.status is Status.UNGUARDED:  # which a replay has to know
                drawn[REPORT] = {"status": Status.UNGUARDED.name}
            return drawn
        image_size: Size = params["shape"][:2]
        report = self._report(found, drawn, image_size, content or self._content(data, image_size))
        if found.status is Status.SKIPPED:
            raise LeftOut(params, report)
        self._tell(drawn, data, report)
        return drawn

    def _is_masks(self, data: dict[str, Any]) -> bool:
        """Whether the ``masks`` of a sample are all that is protected of it."""
        alone = self._reading.protect == "masks" or data.get("bboxes") is None
        return alone and data.get("masks") is not None and not self._additional_targets

    def _content(self, data: dict[str, Any], image_size: Size) -> Content:
        sample = Sample(data, self._additional_targets, self.processors, image_size)
        return self.kind.content(self.host, sample, self._policy, self._reading)

    def _check_companions(self, data: dict[str, Any], image_size: Size) -> None:
        """Raise where an additional image or mask has another size: one window cannot mean the same in both."""
        for key, target in self._additional_targets.items():
            value = data.get(key)
            if value is not None and target in {"image", "mask"} and np.shape(value)[:2] != image_size:
                raise ContentError(
                    f"{key!r} is {np.shape(value)[:2]} and the image {image_size}: images that share a window must "
                    "share a size; resize one of them, or augment it in a call of its own"
                )

    def _report(self, found: Found, drawn: dict[str, Any], image_size: Size, content: Content) -> dict[str, Any]:
        """Return the outcome of a draw as plain data; of one that is left out, that of the whole image."""
        kind, host = self.kind, self.host
        output = kind.output(host, size_of(found.window), drawn, image_size)
        if found.status is Status.SKIPPED:
            output = output if kind.promises else image_size
            window = letterbox(image_size, output)
            found = found._replace(window=window)  # type: ignore[arg-type]  # its sides are not whole pixels
        return outcome_of(found, content, self._policy, output).to_dict()

    def _tell(self, drawn: dict[str, Any], data: dict[str, Any], report: dict[str, Any]) -> None:
        """Put a report into the parameters, for replays, and into the sample; there the worst of several stays."""
        drawn[REPORT] = report
        if self.report_key is None:
            return
        processor = self.get_processor("bboxes")
        if processor is not None and self.report_key in (processor.params.label_fields or ()):
            raise ContentError(f"report_key={self.report_key!r} is one of the label_fields; choose a key of its own")
        data[self.report_key] = worse(self.report_key, data.get(self.report_key), report)

    # Applying.

    def __call__(self, *args: Any, force_apply: bool = False, **kwargs: Any) -> Any:
        """Transform as the host does; leave out a draw that is to be left out; say in the sample how the draw ended.

        Raises
        ------
        ContentError
            Where the objects cannot be judged.
        RetentionError
            Where the promise cannot be met and the policy says ``on_fail="raise"``.
        """
        if self.replay_mode and self.applied_in_replay:
            return self._replay(kwargs)
        calls = self._calls
        try:
            result = super().__call__(*args, force_apply=force_apply, **kwargs)
        except LeftOut as left_out:
            result = self._leave_out(left_out, kwargs)
        if calls == self._calls and not self.replay_mode:
            self._counts.add(Status.NOT_APPLIED)
        if self.report_key is not None and self.report_key not in result:
            result[self.report_key] = {"status": Status.NOT_APPLIED.name}
        return result

    def _leave_out(self, left_out: LeftOut, data: dict[str, Any]) -> dict[str, Any]:
        """Return the whole image, in the promised size, and keep the books that the host's call was about to keep."""
        self.params = {**left_out.params, REPORT: left_out.report}
        if self.deterministic:
            data[self.save_key][id(self)] = copy.deepcopy(self.params)
        self._tell(self.params, data, left_out.report)
        return letterboxed(self.host, tuple(left_out.report["size"]), data) if self.kind.promises else data

    def _replay(self, data: dict[str, Any]) -> dict[str, Any]:
        """Apply the recorded window to another sample, and judge it there."""
        params = {**self.params, "shape": self.update_transform_params({}, data)["shape"]}  # the new sample's shape
        recorded, image_size = params.get(REPORT, {}), params["shape"][:2]
        if recorded.get("status") == Status.SKIPPED.name:
            size: Size = tuple(recorded["size"]) if self.kind.promises else image_size
            self._counts.add(Status.SKIPPED)
            content = self._content(data, image_size)
            found = Found(letterbox(image_size, size), Status.SKIPPED, Stage.DRAWN, 0)  # type: ignore[arg-type]
            self._tell(params, data, outcome_of(found, content, self._policy, size).to_dict())
            return letterboxed(self.host, size, data) if self.kind.promises else data
        report = self._judge_again(params, data)
        if report is not None:
            self._tell(params, data, report)
        result: dict[str, Any] = self.apply_with_params(params, **data)
        return result

    def _judge_again(self, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any] | None:
        """Return the report of a replayed window: it stays where it is, and is FIRST or UNMET on this sample.

        With ``keep="one"`` any object will do, since the one that was meant is not on this sample.
        """
        image_size: Size = params["shape"][:2]
        window = self.kind.window(self.host, params, image_size)
        if window is None:
            return None
        content = self._content(data, image_size)
        output = self.kind.output(self.host, size_of(window), params, image_size)
        status = Status.FIRST if meets(content, self._policy, window, output) else Status.UNMET
        if params.get(REPORT, {}).get("status") == Status.UNGUARDED.name:
            status = Status.UNGUARDED
        if not content.boxes:
            status = Status.UNGUARDED if content.blank else Status.EMPTY
        found = Found(window, status, Stage.DRAWN, 0)
        self._counts.add(found.status)
        return outcome_of(found, content, self._policy, output).to_dict()

    # Serialisation: everything the constructor takes, as plain data.

    def get_transform_init_args(self) -> dict[str, Any]:
        """Return the host's arguments, the policy's fields and how objects are read, as plain data."""
        own = inspect.signature(type(self).__init__).parameters  # a host's class may answer for its base's arguments
        return {
            **{name: value for name, value in super().get_transform_init_args().items() if name in own},
            **self._policy.to_dict(),
            **self._reading._asdict(),
            "report_key": self.report_key,
        }

    def to_dict_private(self) -> dict[str, Any]:
        """Return the transform as plain data.

        Raises
        ------
        NotImplementedError
            Where a callable decides what is protected or kept; the host's ``to_dict`` knows this error.
        """
        reading = self._reading
        for name, value in (
            ("protect", reading.protect), ("saliency", reading.saliency), ("keep", self._policy.keep)
        ):  # fmt: skip
            if callable(value):
                raise NotImplementedError(
                    f"{name} is a callable, for which no text stands; pickle the transform instead"
                )
        state: dict[str, Any] = super().to_dict_private()
        return state
