"""A pipeline that only draws: the host's own composes and samplers, and nothing that is applied.

A draw in a `Compose` takes the host most of a millisecond, of which the numbers that are drawn take a twentieth. Here
the tree is walked by the host's own code and each leaf lets its own class draw, but pictures are stood in for by their
sizes and boxes are left out: what becomes of both is found for many draws at once.
"""

import copy
from typing import Any, NamedTuple

import albumentations as A
import numpy as np
from numpy.typing import NDArray

from safeaug.albumentations.changes.known import theirs
from safeaug.albumentations.drawing.seats import Lazy, Seat
from safeaug.albumentations.drawing.told import ElsewhereError, Told, teller
from safeaug.albumentations.pipeline.guise import Guise
from safeaug.albumentations.pipeline.streams import parts_of
from safeaug.geometry import Size
from safeaug.guarding import put_on


class Walked(NamedTuple):
    """One draw.

    Parameters
    ----------
    steps : list of (int, Told)
        The steps that change geometry, in order; each with its number among those of the pipeline.
    filters : list of int
        How often the host filters boxes before the first of them, and after each.
    applied : bool
        Whether the pipeline was applied at all.
    """

    steps: list[tuple[int, Told]]
    filters: list[int]
    applied: bool


class Shaped:
    """Stands for a picture of which only the shape is asked."""

    __slots__ = ("shape",)

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


class Walk:
    """A copy of a pipeline that only draws.

    Parameters
    ----------
    pipeline : BaseCompose or BasicTransform
        The host's, not guarded. It is left as it is.
    numbers : dict of tuple to int
        The number of each step that changes geometry, by its index path.
    boxes : bool
        Whether there are boxes, whose fate is asked for.

    Raises
    ------
    ElsewhereError
        Where somebody else wrote one of its composes.
    """

    def __init__(self, pipeline: Any, numbers: dict[tuple[int, ...], int], *, boxes: bool) -> None:
        self.root = copy.deepcopy(pipeline)
        self.seats: list[Seat] = []
        self.draw_number = 0
        self.steps: list[tuple[int, Told]] = []
        self.filters = [0]
        self.applied = False
        # One for all composes of a tree. Keypoints may be filtered after each step where boxes are not.
        processors = getattr(pipeline, "check_each_transform", None) or ()
        self.each = sum(processor.default_data_name == "bboxes" for processor in processors)
        for number, part in enumerate(parts_of(self.root)):
            part.walk_seat, part.walk = Seat(number), self
            part.py_random, part.random_generator = part.walk_seat.numbers, Lazy(part.walk_seat)
        self._disguise(self.root, (), numbers, boxes)

    def _disguise(self, node: Any, path: tuple[int, ...], numbers: dict[tuple[int, ...], int], boxes: bool) -> None:
        if isinstance(node, Guise):
            return
        if isinstance(node, A.BaseCompose) and not isinstance(node, A.SelectiveChannelTransform):
            if theirs(type(node).__mro__):  # who knows in which order it calls its children
                raise ElsewhereError
            for i, child in enumerate(node.transforms):
                self._disguise(child, (*path, i), numbers, boxes)
            put_on(node, _Turned if isinstance(node, A.Compose) else _Composed)
            self.seats.append(node.walk_seat)
            return
        path = path or (0,)
        if path not in numbers:
            put_on(node, _Passed)
            return
        node.walk_number, node.walk_tell = numbers[path], teller(node, boxes=boxes)
        put_on(node, _Drawn)
        self.seats.append(node.walk_seat)

    def begin(self, keys: NDArray[np.uint64]) -> None:
        """Make ready the numbers of many draws, each of which a key says."""
        for seat in self.seats:
            seat.begin(keys)

    def draw(self, number: int, size: Size) -> Walked:
        """Return one of these draws, for a picture of a size.

        Raises
        ------
        ElsewhereError
            Where a step is drawn that only the host's own code can tell.
        """
        self.draw_number = number
        self.steps, self.filters, self.applied = [], [0], not isinstance(self.root, A.Compose)
        self.root(image=Shaped((*size, 3)))
        return Walked(self.steps, self.filters, self.applied)


class _Composed(Guise):
    """Stands before a compose: its children draw, and its filters of boxes are counted."""

    walk: Walk
    walk_seat: Seat

    def __call__(self, *args: Any, force_apply: bool = False, **data: Any) -> Any:
        self.walk_seat.sit(self.walk.draw_number)
        return super().__call__(*args, force_apply=force_apply, **data)  # type: ignore[misc]  # the host's

    def check_data_post_transform(self, data: Any) -> Any:
        self.walk.filters[-1] += self.walk.each
        return data

    def _track_transform_params(self, transform: Any, data: Any) -> None:
        pass


class _Turned(_Composed):
    """Stands before a `Compose`, which also reads what goes through, and hands it back in the user's formats."""

    def __call__(self, *args: Any, force_apply: bool = False, **data: Any) -> Any:
        host: Any = self
        self.walk_seat.sit(self.walk.draw_number)
        if not (force_apply or host.py_random.random() < host.p):
            return data
        self.walk.applied = True
        for child in host.transforms:
            data = child(**data)
            self.walk.filters[-1] += self.walk.each
        return data


class _Passed(Guise):
    """Stands before a step that moves nothing, which need not even draw."""

    def __call__(self, *args: Any, force_apply: bool = False, **data: Any) -> Any:
        return data


class _Drawn(Guise):
    """Stands before a step that moves something: it draws, and what that does is told."""

    walk: Walk
    walk_seat: Seat
    walk_number: int
    walk_tell: Any

    def __call__(self, *args: Any, force_apply: bool = False, **data: Any) -> Any:
        walk, tell = self.walk, self.walk_tell
        self.walk_seat.sit(walk.draw_number)
        if not self.should_apply(force_apply):  # type: ignore[attr-defined]  # the host's
            return data
        if tell is None:
            raise ElsewhereError
        shape = data["image"].shape
        told = tell(self, data, shape[:2])
        walk.steps.append((self.walk_number, told))
        walk.filters.append(0)
        return {**data, "image": Shaped((*told.size, *shape[2:]))}
