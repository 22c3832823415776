"""The root of a guarded pipeline: the host's own, which begins and ends the passage of each sample."""

import hashlib
import random
from typing import Any

import numpy as np

from safeaug.albumentations.fork import Fork
from safeaug.albumentations.pipeline.guise import Guise
from safeaug.albumentations.pipeline.passage import CURRENT, Passage
from safeaug.albumentations.pipeline.step import Leaf
from safeaug.albumentations.reading import Reading
from safeaug.albumentations.targets import Sample, content_from
from safeaug.content import content_of_rows
from safeaug.counts import Counts
from safeaug.errors import ContentError, RetentionError
from safeaug.geometry import Size
from safeaug.policy import Policy, Status
from safeaug.splitmix import GAMMA, MASK, mixed


class Root(Guise):
    """What stands before the host's class in a guarded pipeline."""

    guard_policy: Policy
    guard_reading: Reading
    guard_steps: list[Leaf]
    guard_counts: Counts
    guard_repairs: bool
    guard_calls: int
    guard_base: int

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

    def preprocess(self, data: Any) -> None:
        """Prepare a sample as the host does, and begin its passage."""
        super().preprocess(data)  # type: ignore[misc]  # the host's
        if CURRENT.get() is None:
            self._begin(data)

    def _begin(self, data: Any) -> None:
        size = _size_of(data)
        if size is None:  # a volume, which nobody follows
            passage = Passage(content_of_rows([], (1, 1), []), (1, 1), self.guard_policy, 0.0)
            passage.let_go()
            CURRENT.set(passage)
            return
        sample = Sample(data, self._additional_targets, self.processors, size)  # type: ignore[attr-defined]
        content = content_from(sample, self.guard_policy, self.guard_reading)
        if not content.boxes and self.guard_policy.on_empty == "raise":
            raise ContentError('there is nothing to protect, and on_empty is "raise"')
        fork = Fork(mixed((self.guard_base + self.guard_calls * GAMMA) & MASK))
        passage = Passage(content, size, self.guard_policy, fork.random())
        if content.boxes and fork.random() >= self.guard_policy.apply_rate:
            passage.let_go()
        CURRENT.set(passage)

    def __call__(self, *args: Any, force_apply: bool = False, **data: Any) -> Any:
        """Transform a sample as the host does, with the promise kept to the end.

        Raises
        ------
        RetentionError
            Where the promise cannot be met and the policy says ``on_fail="raise"``.
        """
        if CURRENT.get() is not None:  # a guarded pipeline inside of another, which has the say
            return super().__call__(*args, force_apply=force_apply, **data)  # type: ignore[misc]
        self.guard_calls += 1
        result, passage = self._pass(args, force_apply, data)
        if passage is not None and passage.status is Status.UNMET:
            result, passage = self._repeated(args, data, result, passage)
        self.guard_counts.add(Status.NOT_APPLIED if passage is None else passage.status)
        if passage is not None:
            for leaf, status in passage.steps:
                leaf.counts.add(status)
            if passage.status is Status.UNMET and self.guard_policy.on_fail == "raise":
                left = ", ".join(f"{share:.3f}" for share in passage.ledger.shares[-1])
                raise RetentionError(
                    f"the promise cannot be met: of the objects {left} is left, in the best of "
                    f"{self.guard_policy.tries + 1} draws of the pipeline. Ask for less, or use "
                    'on_fail="most"'
                )
        return result

    def _pass(self, args: Any, force_apply: bool, data: dict[str, Any]) -> tuple[Any, Passage | None]:
        token = CURRENT.set(None)
        try:
            if not hasattr(super(), "preprocess"):
                self._begin(data)
            result = super().__call__(*args, force_apply=force_apply, **data)  # type: ignore[misc]
            return result, CURRENT.get()
        finally:
            CURRENT.reset(token)

    def _repeated(self, args: Any, data: dict[str, Any], result: Any, passage: Passage) -> tuple[Any, Passage]:
        """Draw the whole anew, up to ``tries`` times, from generators of its own; the best stands."""
        generators = {id(each): each for each in self._generators()}.values()
        before = [_state(each) for each in generators]
        fork = Fork(mixed((self.guard_base ^ self.guard_calls * GAMMA) & MASK))
        fork.random()
        try:
            for _ in range(self.guard_policy.tries):
                for each in generators:
                    _reseed(each, fork.getrandbits(64))
                other, further = self._pass(args, True, data)  # that it is applied has been drawn
                assert further is not None
                if further.status is not Status.UNMET or further.weight > passage.weight:
                    result, passage = other, further
                if passage.status is not Status.UNMET:
                    break
            if passage.status is not Status.UNMET:  # whatever its steps say, it is not what the host drew
                passage.status = max(passage.status, Status.REDRAWN)
        finally:
            for each, state in zip(generators, before, strict=True):
                _restore(each, state)
        return result, passage

    def _generators(self) -> list[Any]:
        nodes, found = [self], []
        while nodes:
            node: Any = nodes.pop()
            found += [node.py_random, node.random_generator]
            nodes += [each for each in getattr(node, "transforms", ()) if hasattr(each, "py_random")]
        return found

    def guard_rebase(self) -> None:
        """Set what the guard's own draws derive from: hashed from the host's generators, never drawn from them."""
        state = repr(self.py_random.getstate()).encode()  # type: ignore[attr-defined]
        self.guard_base = int.from_bytes(hashlib.blake2b(state, digest_size=8).digest(), "little")
        self.guard_calls = 0
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


def _size_of(data: dict[str, Any]) -> Size | None:
    """Return height and width of a sample's picture, or of its first; None where it has none."""
    if data.get("image") is not None:
        height, width = np.shape(data["image"])[:2]
        return height, width
    if data.get("images") is not None and len(data["images"]):
        height, width = np.shape(data["images"][0])[:2]
        return height, width
    return None


def _state(generator: Any) -> Any:
    return generator.bit_generator.state if isinstance(generator, np.random.Generator) else generator.getstate()


def _restore(generator: Any, state: Any) -> None:
    if isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    else:
        generator.setstate(state)


def _reseed(generator: Any, seed: int) -> None:
    if isinstance(generator, np.random.Generator):
        generator.bit_generator.state = type(generator.bit_generator)(seed).state
    else:
        generator.seed(seed)
