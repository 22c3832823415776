"""The root of a guarded pipeline: the host's own, which begins and ends the passage of each sample."""

import copy
import hashlib
import os
import random
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

import numpy as np

from safeaug.albumentations.pipeline.dry import MOVED
from safeaug.albumentations.pipeline.guise import Guise
from safeaug.albumentations.pipeline.leaf import Leaf
from safeaug.albumentations.pipeline.streams import Streams
from safeaug.albumentations.pipeline.workers import worker_key
from safeaug.albumentations.reading import Reading
from safeaug.albumentations.targets import Sample, carries, content_from
from safeaug.content import Content, content_of_rows
from safeaug.counts import Counts
from safeaug.errors import ContentError, RetentionError
from safeaug.geometry import Size
from safeaug.guarding import take_off
from safeaug.guarding.fork import Fork
from safeaug.guarding.passage import CURRENT, PLAIN, Asks, Mode, Passage
from safeaug.handing import content_of_handed, handed
from safeaug.policy import Policy, Status
from safeaug.splitmix import GAMMA, MASK, mixed

MODE: ContextVar[Mode] = ContextVar("safeaug_mode", default=PLAIN)
"""How samples go through, in this thread."""

STORED = "safeaug.guard"
"""By which name the host saves a guarded pipeline."""

Passed = tuple[Any, Passage | None]
"""What a pipeline makes of a sample, and its passage; None where the pipeline's own p did not apply it."""


class Root(Guise):
    """What stands before the host's class in a guarded pipeline."""

    guard_policy: Policy
    guard_asks: Asks
    guard_reading: Reading
    guard_fixed: bool
    """Whether windows that the host does not draw are moved too."""
    guard_steps: list[Leaf]
    guard_streams: Streams
    guard_counts: Counts
    guard_repairs: bool
    guard_key: str | None
    """Where the sample says how its draw ended."""
    guard_chooses: bool
    """Whether chance decides which steps are applied."""
    guard_dry: bool
    """Whether all that matters can be drawn without pixels."""
    guard_masks: bool
    """Whether a step protects masks, where a sample has no boxes."""
    guard_looks: bool
    """Whether a draw depends on boxes or keypoints."""
    guard_calls: int
    guard_base: int
    guard_process: int

    def report(self) -> dict[str, dict[str, int]]:
        """Return how draws ended, of the whole and of each step, those of loader workers included.

        Returns
        -------
        dict
            ``"pipeline"`` and, for each step, its index path and name, such as ``"0.1 Affine"``; each with the number
            of draws by status.
        """
        steps = {leaf.name: leaf.counts.report() for leaf in self.guard_steps}
        return {"pipeline": self.guard_counts.report(), **steps}

    # One sample.

    def preprocess(self, data: Any) -> None:
        """Prepare a sample as the host does, and begin its passage."""
        super().preprocess(data)  # type: ignore[misc]  # the host's
        if CURRENT.get() is None:
            self._begin(data)
            if MODE.get().dry and not self.guard_looks:
                _empty(data, self._additional_targets)  # type: ignore[attr-defined]  # the host's

    def _begin(self, data: Any) -> None:
        policy, size = self.guard_policy, _size_of(data)
        volume = size is None
        if size is None:  # a volume, which nobody follows
            content, size = content_of_rows([], (1, 1), []), (1, 1)
        else:
            sample = Sample(data, self._additional_targets, self.processors, size)  # type: ignore[attr-defined]
            content = self._protected(sample)
            if not content.boxes and policy.on_empty == "raise":
                raise ContentError('there is nothing to protect, and on_empty is "raise"')
        fork = Fork(mixed((self.guard_base + self.guard_calls * GAMMA) & MASK))
        passage = Passage(content, size, policy, self.guard_asks, fork.random(), self.guard_calls, MODE.get())
        if policy.apply_rate < 1 and content.boxes and fork.random() >= policy.apply_rate:
            passage.let_go()
        if volume:
            passage.lose_sight()
        CURRENT.set(passage)

    def _protected(self, sample: Sample) -> Content:
        """Return the objects of a sample: its own; else those handed over by `safeaug.with_content`."""
        record, reading = handed(), self.guard_reading
        salient = reading.protect == "saliency" and record is not None and record.has_map
        if record is None or (carries(sample, reading) and not salient):
            return content_from(sample, self.guard_policy, reading)
        return content_of_handed(
            record,
            sample.image_size,
            self.guard_policy,
            foreground=reading.foreground,
            ignore_index=reading.ignore_index,
            salient=salient,
        )

    def __call__(self, *args: Any, force_apply: bool = False, **data: Any) -> Any:
        """Transform a sample as the host does, with the promise kept to the end.

        Raises
        ------
        RetentionError
            Where the promise cannot be met and the policy says ``on_fail="raise"``.
        PipelineError
            Where a step of somebody else's raises, or needs what the sample lacks.
        """
        if CURRENT.get() is not None:  # a guarded pipeline inside of another, which has the say
            return super().__call__(*args, force_apply=force_apply, **data)  # type: ignore[misc]
        if self.guard_repairs and self.guard_process != os.getpid():
            self._settle_in()
        result, passage = self.guard_through(args, force_apply, data, PLAIN)
        self._count(passage)
        if self.guard_key is not None:
            if self.guard_key in data:
                raise ContentError(f"{self.guard_key!r} of the sample must be free for the report; choose another key")
            result[self.guard_key] = _told(passage)
        return result

    def guard_through(self, args: Any, force_apply: bool, data: dict[str, Any], mode: Mode) -> Passed:
        """Let a sample go through, more than once where that can help; count nothing."""
        self.guard_calls += 1
        result, passage = self._pass(args, force_apply, data, mode)
        if passage is not None and passage.broken and not passage.doomed:
            return self._repeated(args, data, result, passage)
        return result, passage

    def _pass(self, args: Any, force_apply: bool, data: dict[str, Any], mode: Mode) -> Passed:
        """Let a sample go through once."""
        current, before = CURRENT.set(None), MODE.set(mode)
        try:
            if not hasattr(super(), "preprocess"):
                self._begin(data)
            result = super().__call__(*args, force_apply=force_apply, **data)  # type: ignore[misc]
            passage = CURRENT.get()
            if passage is not None:
                passage.end(chosen=self.guard_chooses)
            return result, passage
        finally:
            MODE.reset(before)
            CURRENT.reset(current)

    def _repeated(self, args: Any, data: dict[str, Any], result: Any, passage: Passage) -> Passed:
        """Draw the whole anew, up to ``tries`` times, each part from numbers of its own; the best stands.

        Without pixels where that can be, and then once more with them.
        """
        mode, dry = passage.mode, passage.mode.dry or self.guard_dries(data)
        first = result, passage
        fork, best = Fork(mixed((self.guard_base ^ self.guard_calls * GAMMA) & MASK)), None
        for _ in range(self.guard_policy.tries):
            key = fork.getrandbits(64)
            drawn = self._drawn_anew(args, data, key, mode.again(dry=dry))
            if drawn is None:
                continue
            other, further = drawn
            if _rank(further) > _rank(passage):
                result, passage, best = other, further, key
            if not passage.broken:
                break
        if best is None:
            return result, passage
        if passage.mode.dry and not mode.dry:
            drawn = self._drawn_anew(args, data, best, mode.again(dry=False))
            if drawn is None or _rank(drawn[1]) <= _rank(first[1]):
                return first
            result, passage = drawn
        if passage.status is not Status.UNMET:  # whatever its steps say, it is not what the host drew
            passage.status = max(passage.status, Status.REDRAWN)
        return result, passage

    def _drawn_anew(self, args: Any, data: dict[str, Any], key: int, mode: Mode) -> tuple[Any, Passage] | None:
        """Draw once more, all from a key; None where the draw fails, which is no reason to lose the first.

        Whether the pipeline applies has been drawn before.
        """
        try:
            with self.guard_streams.apart(key):
                result, passage = self._pass(args, True, data, mode)
        except Exception:  # whatever the host, or somebody else's step, raises of a draw that it does not like
            return None
        assert passage is not None
        return result, passage

    def guard_dries(self, data: Mapping[str, Any]) -> bool:
        """Return whether all that matters can be drawn without the pixels of a sample."""
        if self.guard_reading.protect == "saliency":
            return False
        if not self.guard_dry or not self.guard_masks:
            return self.guard_dry
        targets = getattr(self, "_additional_targets", {})
        given = {targets.get(key, key) for key, value in data.items() if value is not None}
        return "bboxes" in given or not given & {"masks", "mask"}

    def _count(self, passage: Passage | None) -> None:
        """Count how a draw ended, and raise where it broke the promise and the policy says so."""
        self.guard_counts.add(Status.NOT_APPLIED if passage is None else passage.status)
        if passage is None:
            return
        for leaf, status in passage.steps:
            leaf.counts.add(status)
        if passage.status is Status.UNMET and self.guard_policy.on_fail == "raise":
            left = ", ".join(f"{share:.3f}" for share in passage.ledger.shares[-1])
            raise RetentionError(
                f"the promise cannot be met: of the objects {left} is left, in the best of up to "
                f'{self.guard_policy.tries + 1} draws of the pipeline. Ask for less, or use on_fail="most"'
            )

    # As plain data.

    def to_dict_private(self) -> dict[str, Any]:
        """Return the guarded pipeline as plain data: the plain one, the policy, and how objects are read.

        Raises
        ------
        NotImplementedError
            Where a callable decides what is protected or kept; the host's ``to_dict`` knows this error.
        """
        reading = self.guard_reading
        for name, value in (
            ("protect", reading.protect), ("saliency", reading.saliency), ("keep", self.guard_policy.keep)
        ):  # fmt: skip
            if callable(value):
                raise NotImplementedError(
                    f"{name} is a callable, for which no text stands; pickle the pipeline instead"
                )
        return {
            "__class_fullname__": STORED,
            "transforms": [super().to_dict_private()],
            "p": 1.0,
            **self.guard_policy.to_dict(),
            **self.guard_reading._asdict(),
            "move_fixed": self.guard_fixed,
            "repair_randomness": self.guard_repairs,
            "report_key": self.guard_key,
        }

    def get_dict_with_id(self) -> dict[str, Any]:
        """Return the plain transform as plain data, as replays record it."""
        if hasattr(self, "transforms"):
            return super().get_dict_with_id()
        return {**super().to_dict_private(), "id": id(self)}

    def indented_repr(self, indent: int = 2) -> str:
        """Return what the plain pipeline prints."""
        plain = copy.copy(self)
        take_off(plain)
        printed: str = plain.indented_repr(indent)
        return printed

    # Chance.

    def guard_rebase(self) -> None:
        """Set what the guard's own draws derive from: hashed from the host's generators, never drawn from them."""
        state = repr(self.py_random.getstate()).encode()  # type: ignore[attr-defined]
        self.guard_base = int.from_bytes(hashlib.blake2b(state, digest_size=8).digest(), "little")
        self.guard_calls, self.guard_process = 0, os.getpid()
        for number, leaf in enumerate(self.guard_steps, start=1):
            leaf.rebase(mixed((self.guard_base + number * GAMMA) & MASK))

    def set_random_seed(self, seed: int | None) -> None:
        """Set the host's generators, and with them what the guard's own draws derive from."""
        super().set_random_seed(seed)  # type: ignore[misc]
        if self.guard_repairs:
            self.set_random_state(np.random.default_rng(seed), random.Random(seed))
        self.guard_rebase()

    def set_random_state(self, random_generator: Any, py_random: Any) -> None:
        """Set the host's generators, and with them what the guard's own draws derive from."""
        super().set_random_state(random_generator, py_random)  # type: ignore[misc]
        self.guard_rebase()

    def _settle_in(self) -> None:
        """Draw other numbers than the process in which this pipeline was made, and than its other copies."""
        key = worker_key()
        if key is None:
            self.guard_process = os.getpid()
            return
        key = mixed((self.guard_base ^ key * GAMMA) & MASK)
        self.set_random_state(np.random.default_rng(key), random.Random(key))


def _empty(data: dict[str, Any], additional: dict[str, str]) -> None:
    """Leave out what no step will look at: what becomes of boxes takes the host most of a draw's time."""
    for key, value in data.items():
        if additional.get(key, key) in MOVED and value is not None:
            data[key] = value[:0]


def _told(passage: Passage | None) -> dict[str, Any]:
    """Return how a draw ended, and what it left of each object, as plain data; None where that is not known."""
    if passage is None:
        return {"status": Status.NOT_APPLIED.name}
    shares = [None if passage.blind or share != share else share for share in passage.ledger.shares[-1]]
    return {"status": passage.status.name, "retention": shares}


def _rank(passage: Passage) -> tuple[bool, bool, float]:
    """Return what makes one draw better than another."""
    return passage.status is not Status.UNMET, not passage.weak, passage.weight


def _size_of(data: dict[str, Any]) -> Size | None:
    """Return height and width of a sample's picture, or of its first; None where it has none."""
    if data.get("image") is not None:
        height, width = np.shape(data["image"])[:2]
        return height, width
    if data.get("images") is not None and len(data["images"]):
        height, width = np.shape(data["images"][0])[:2]
        return height, width
    return None
