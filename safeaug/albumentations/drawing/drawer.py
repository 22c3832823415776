"""Draws of a pipeline over many samples, without a pixel wherever that can be."""

import contextlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.albumentations.changes import Way
from safeaug.albumentations.drawing.columns import Begun, columns_of
from safeaug.albumentations.drawing.feeding import Feed, feed_of
from safeaug.albumentations.drawing.followed import Followed, followed
from safeaug.albumentations.drawing.moves import Boxes, Filter
from safeaug.albumentations.drawing.told import ElsewhereError
from safeaug.albumentations.drawing.walk import Walk, Walked
from safeaug.albumentations.pipeline.dry import blank
from safeaug.albumentations.pipeline.guard import needy
from safeaug.albumentations.pipeline.root import Root
from safeaug.albumentations.pipeline.tracing import through, traced
from safeaug.content import Content
from safeaug.data import Sample, picture_of
from safeaug.draws import Drawn, Given, StepName, clipped
from safeaug.errors import DataError, PipelineError
from safeaug.policy import Status
from safeaug.records import Step
from safeaug.splitmix import MASK

NOTE = "safeaug: raised by step "
"""How a note of the host's own errors begins, before the step's name: see `pipeline.located`."""

NOTHING: Mapping[str, Any] = MappingProxyType({})

PIXEL = np.zeros((1, 1, 3), np.uint8)
"""Of this a stand-in for a picture is made: it has the shape, and no memory of its own."""


class Raised(NamedTuple):
    """A draw that the pipeline did not survive.

    Parameters
    ----------
    sample, draw : int
        Places among the samples and the draws of each.
    step : str
        Which step raised; empty where that is not known.
    error : str
        Its kind and what it says.
    """

    sample: int
    draw: int
    step: str
    error: str


class Drawer:
    """A copy of a pipeline that samples are put through: `safeaug.dispatch.drawer`.

    Parameters
    ----------
    pipeline : BaseCompose or BasicTransform
        Guarded or not. It is left as it is, its generators too.
    reading : mapping
        How a pipeline that is not guarded reads objects: the fields of a `Reading`.
    boxes : bool
        Whether the samples have boxes that it is to be given.
    """

    def __init__(self, pipeline: Any, reading: Mapping[str, Any], *, boxes: bool = True) -> None:
        self._made, self._guarded = traced(pipeline, reading), isinstance(pipeline, Root)
        # Boxes go through without pixels too, wherever that can be: what becomes of their labels is asked.
        self._made.guard_looks = True
        self._made.guard_dry = not needy(self._made)
        moving = [leaf for leaf in self._made.guard_steps if leaf.way is not Way.STILL]
        self.names = tuple(StepName(leaf.path, leaf.called, leaf.way.name.lower()) for leaf in moving)
        self._numbers = {leaf.path: number for number, leaf in enumerate(moving)}
        self.takes_boxes = _takes_boxes(self._made)
        self._feed: Feed = feed_of(self._made, boxes=boxes and self.takes_boxes)
        self._walk: Walk | None = None
        if not self._guarded and _is_told(self._feed):
            with contextlib.suppress(ElsewhereError):
                self._walk = Walk(pipeline, self._numbers, boxes=self._feed.boxes is not None)

    def draw(self, samples: Sequence[Sample], given: Given, keys: NDArray[np.uint64]) -> tuple[Drawn, list[Raised]]:
        """Return what draws leave of the objects of samples.

        Parameters
        ----------
        samples : sequence of S Sample
            The pictures.
        given : Given
            Their objects.
        keys : ndarray of shape (S, n), uint64
            Say all that is drawn.

        Returns
        -------
        drawn, raised
            Columns for all draws, and those that raised: theirs say nothing.

        Raises
        ------
        DataError
            Where a step needs pixels, and there are none.
        """
        walks: dict[tuple[int, int], Walked] = {}
        others: dict[tuple[int, int], Followed] = {}
        raised: list[Raised] = []

        def ask(place: tuple[int, int]) -> None:
            i, j = place
            try:
                others[place] = self._followed(samples[i], given.content(i), int(keys[place]))
            except DataError:  # no fault of the pipeline's
                raise
            except Exception as error:  # it is the user's pipeline, which may raise anything
                raised.append(Raised(i, j, *self.told_of(error)))

        begun, told = self._begun(given)
        if self._walk is not None:
            self._walk.begin(keys.ravel())
        for i, sample in enumerate(samples):
            for j in range(keys.shape[1]):
                walked = self._walked(i * keys.shape[1] + j, sample) if told[i] else None
                if walked is not None:
                    walks[i, j] = walked
                else:
                    ask((i, j))
        drawn, refused = columns_of(given, begun, walks, others, keys.shape)
        if refused:  # the host raises for a box, and says so best itself
            for place in refused:
                del walks[place]
                ask(place)
            drawn, _ = columns_of(given, begun, walks, others, keys.shape)
        return drawn, sorted(raised)

    def told_of(self, error: Exception) -> tuple[str, str]:
        """Return which step raised an error, and what: see `Raised`."""
        text = f"{type(error).__name__}: {error}"
        if isinstance(error, PipelineError):
            return error.step or "", text
        for note in getattr(error, "__notes__", ()):
            if note.startswith(NOTE):
                return note[len(NOTE) :].partition(",")[0], text
        return "", text

    def trace(
        self,
        sample: Sample,
        key: int,
        *,
        pixels: bool,
        also: Mapping[str, Any] = NOTHING,
        into: list[Step] | None = None,
    ) -> tuple[list[Step], NDArray[np.bool_]]:
        """Return the steps of one draw, and which objects still have a label behind them.

        Parameters
        ----------
        sample : Sample
            The picture.
        key : int
            Says all that is drawn.
        pixels : bool
            Whether the picture itself goes through.
        also : mapping
            Further targets that are handed to the pipeline, by its own names.
        into : list of Step, optional
            Takes each step when it is applied: before a later one may write into what it has handed on.
        """
        steps, _, labelled = self._through(sample, key, pixels=pixels, also=also, into=into)
        return steps, labelled

    def boxes_behind(self, step: Step, count: int) -> NDArray[np.float64]:
        """Return the boxes that a step of `trace` handed on, with pixels.

        Parameters
        ----------
        step : Step
            One of those of a sample.
        count : int
            How many objects the sample has.

        Returns
        -------
        ndarray of shape (count, 4)
            Corners, as shares of the sides of the picture behind the step; NaN of an object whose box it dropped.
        """
        return self._feed.behind(step.sample or {}, count)

    def _walked(self, number: int, sample: Sample) -> Walked | None:
        """Return a draw in numbers; None where only the host's own code can tell it."""
        assert self._walk is not None
        try:
            return self._walk.draw(number, sample.size)
        except Exception:  # `ElsewhereError`; or the host's, which will say so itself, and where
            return None

    def _begun(self, given: Given) -> tuple[Begun | None, list[bool]]:
        """Return the boxes as the host keeps them, and of which samples all can be told in numbers."""
        able = self._walk is not None and given.plain
        if not able or self._feed.boxes is None:
            return None, [able] * len(given.counts)
        sides, there, sure = self._feed.sides(given.boxes, np.repeat(given.sizes, given.counts, axis=0))
        unsure = np.bincount(np.repeat(np.arange(len(given.counts)), given.counts)[~sure], minlength=len(given.counts))
        params = self._feed.boxes.params
        filter_ = Filter(params.min_area, params.min_visibility, params.min_width, params.min_height)
        return Begun(Boxes(sides, there, np.ones(len(there), bool)), filter_), (unsure == 0).tolist()

    def _followed(self, sample: Sample, content: Content, key: int) -> Followed:
        steps, status, labelled = self._through(sample, key, pixels=False)
        if self._feed.boxes is None:  # nothing drops the label of a mask
            labelled = np.ones(len(content.given), bool)
        return followed(steps, self._numbers, content, sample.size, status, labelled)

    def _through(
        self,
        sample: Sample,
        key: int,
        *,
        pixels: bool,
        also: Mapping[str, Any] = NOTHING,
        into: list[Step] | None = None,
    ) -> tuple[list[Step], Status, NDArray[np.bool_]]:
        boxes = clipped(sample.boxes, np.array([sample.size]))
        image = picture_of(sample) if pixels else blank(PIXEL, sample.size, several=False)
        fed = {**also, **self._feed.sample(sample, boxes, image)}
        if not pixels and not self._made.guard_dries(fed):
            fed["image"], pixels = picture_of(sample), True
        result, passage = through(self._made, fed, key & MASK, pixels=pixels, trace=into)
        labelled = self._feed.labelled(result, len(boxes))
        if passage is None:
            return [], Status.NOT_APPLIED, labelled
        return passage.mode.trace or [], passage.status if self._guarded else Status.FIRST, labelled


def _takes_boxes(made: Any) -> bool:
    return "bboxes" in getattr(made, "processors", {})


def _is_told(feed: Feed) -> bool:
    """Return whether the filter of boxes is the plain one."""
    return feed.boxes is None or feed.boxes.params.max_accept_ratio is None
