"""Draws made again with pixels, one at a time: before and after, and every step between."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.auditing.about import About
from safeaug.auditing.measure import Drawer, drawer_of, measured
from safeaug.auditing.objects import objects_of
from safeaug.auditing.replaying import difference
from safeaug.auditing.row import Row
from safeaug.auditing.rows import rows_of
from safeaug.auditing.subject import WITH_BOXES, Subject
from safeaug.auditing.text import as_text
from safeaug.data import Sample, picture_of
from safeaug.data.frames import raised
from safeaug.data.remarks import printable
from safeaug.dispatch import guard
from safeaug.errors import DataError, PipelineError, PolicyError, SafeAugError
from safeaug.geometry import Size
from safeaug.ledger.matrices import determinant
from safeaug.policy import Policy, Status
from safeaug.records import Step
from safeaug.report.gallery.card import Corners, Frame, Guarded, Look, Point, shares
from safeaug.report.gallery.params import told
from safeaug.report.gallery.picks import Pick
from safeaug.report.gallery.thumbs import frame_of, thumb_of
from safeaug.report.replayed import matrix_through, window_of

PLACE = 4
"""Decimals of a place on a picture."""

LONGEST = 2000
"""Characters of a reason why there are no pictures."""


class Pair(NamedTuple):
    """What is shown of a draw: fields of a card."""

    before: Look | None = None
    after: Look | None = None
    window: tuple[Point, ...] | None = None
    boxes: tuple[Corners, ...] = ()
    boxes_after: tuple[Corners | None, ...] = ()
    film: tuple[Frame, ...] | None = None
    guarded: Guarded | None = None
    missing: str = ""


class Studio:
    """Where draws are made again: a pipeline as it was audited and, where it has no guard, the same with one.

    Parameters
    ----------
    pipeline : Any
        What was audited.
    about : About
        The audit: its seed, and the policy that a guard keeps.
    subject : Subject
        What of the data was followed.

    Attributes
    ----------
    unguarded : str
        Why there is no guarded side; while there is one, why the first of those draws has none that should; or empty.

    Raises
    ------
    PolicyError
        Where it is no pipeline.
    """

    def __init__(self, pipeline: Any, about: About, subject: Subject) -> None:
        self.about, self.subject, self.policy = about, subject, Policy(**about.policy)
        self._plain = drawer_of(pipeline, subject)
        self._guarded, self.unguarded = _guarded(pipeline, self.policy, subject)

    def pair(self, pick: Pick, sample: Sample) -> Pair:
        """Return what is shown of a draw. What cannot be had is left out, and the pair says why.

        Parameters
        ----------
        pick : Pick
            The draw.
        sample : Sample
            Its sample. The picture is read here and not kept.
        """
        try:
            picture = picture_of(sample)
        except DataError as error:
            return Pair(missing=_reason(str(error)))
        sample = sample._replace(image=picture)
        try:
            boxes = self._boxes(sample)
            before = _look(picture)
        except SafeAugError as error:
            return Pair(missing=_reason(str(error)))
        try:
            steps, labelled = self._plain.trace(sample, pick.key, pixels=True)
            change = self._changed(pick.row, sample)
        except Exception as error:  # it is the user's pipeline, which may raise anything
            return Pair(before, boxes=boxes, missing=_reason(self._blamed(error)))
        if change:
            return Pair(missing=_reason(f"the draw is not the one of the record: {change}; has anything been changed?"))
        try:
            after, film = _look(_image_of(steps, picture)), tuple(self._film(steps, pick.row))
        except SafeAugError as error:
            return Pair(before, boxes=boxes, missing=_reason(str(error)))
        return Pair(
            before,
            after,
            _window(steps, sample.size),
            boxes,
            self._boxes_after(steps, labelled, boxes),
            film,
            self._guarded_side(pick, sample),
        )

    def row(self, sample: Sample, draw: int) -> Row | None:
        """Return what comes of a draw; None where that cannot be told."""
        try:
            return self._row(self._plain, sample, draw)
        except SafeAugError:
            return None

    def _blamed(self, error: Exception) -> str:
        """Return which step raised, and what."""
        step, _ = self._plain.told_of(error)
        cause = error.__cause__ if isinstance(error, PipelineError) and error.__cause__ is not None else error
        return f"{f'step {step}' if step else 'the pipeline'} raised {raised(cause)}"

    def _changed(self, row: Row | None, sample: Sample) -> str:
        """Return what is different from what the record tells; empty where nothing is."""
        now = None if row is None else self._row(self._plain, sample, row.draw)
        return "" if row is None or now is None else difference(row, now)

    def _row(self, made: Any, sample: Sample, draw: int) -> Row | None:
        """Return what comes of a draw, measured as in the audit; None where the pipeline raises."""
        block = measured(
            made,
            [sample],
            subject=self.subject,
            draws=1,
            seed=self.about.seed,
            smallest=self.policy.ignore_smaller_than,
            first=draw,
        )
        return next(rows_of(block, self.policy, labels=self.about.labels), None)

    def _boxes(self, sample: Sample) -> tuple[Corners, ...]:
        """Return the objects as they are drawn on the picture, as far as they lie on it."""
        if self.subject == "picture":
            return ()
        height, width = sample.size
        given = sample.boxes if self.subject in WITH_BOXES else objects_of([sample], self.subject).given.boxes
        return _corners(np.clip(np.nan_to_num(given) / [width, height, width, height], 0, 1))

    def _boxes_after(
        self, steps: Sequence[Step], labelled: NDArray[np.bool_], boxes: Sequence[Corners]
    ) -> tuple[Corners | None, ...]:
        """Return the objects as the pipeline handed them on; None of one that it did not."""
        if self.subject not in WITH_BOXES:
            return (None,) * len(boxes)
        if not steps:
            return tuple(box if there else None for box, there in zip(boxes, labelled.tolist(), strict=True))
        found = self._plain.boxes_behind(steps[-1], len(boxes))
        there = labelled & np.isfinite(found).all(axis=1)
        corners = _corners(np.clip(np.nan_to_num(found), 0, 1))
        return tuple(box if so else None for box, so in zip(corners, there.tolist(), strict=True))

    def _film(self, steps: Sequence[Step], row: Row | None) -> Iterator[Frame]:
        """Yield a frame for every step that was applied. What is left is known of those that move something."""
        moves = [] if row is None else list(zip(row.steps, row.left, strict=True))
        left: tuple[float | None, ...] = () if row is None else (1.0,) * len(row.labels)
        for step in steps:
            if moves and moves[0][0].path == step.path:
                left = shares(moves.pop(0)[1])
            image = (step.sample or {}).get("image")
            name = f"{'.'.join(map(str, step.path))} {step.name}"
            yield Frame(
                step=as_text(name), params=told(step.params), left=left, src=None if image is None else frame_of(image)
            )

    def _guarded_side(self, pick: Pick, sample: Sample) -> Guarded | None:
        """Return the same draw, guarded; None where there is nothing that a guard could do otherwise."""
        if self._guarded is None or pick.row is None or not loses(pick.row):
            return None
        try:
            steps, _ = self._guarded.trace(sample, pick.key, pixels=True)
            row = self._row(self._guarded, sample, pick.draw)
            thumb = thumb_of(_image_of(steps, picture_of(sample)))
        except Exception as error:  # it is the user's pipeline; the plain side is shown all the same
            self._lacks(pick, f"the pipeline, guarded, raised {raised(error)}")
            return None
        if row is None or row.status == Status.EMPTY.name:
            self._lacks(pick, f"the guard sees none of the {self.subject}: the pipeline is not given any")
            return None
        return Guarded(
            status=row.status,
            left=shares(row.final),
            src=thumb.file,
            size=thumb.size,
            window=_window(steps, sample.size),
        )

    def _lacks(self, pick: Pick, why: str) -> None:
        """Keep why a draw has no guarded side, if it is the first."""
        self.unguarded = self.unguarded or _reason(f"{pick.id}, draw {pick.draw}: {why}")


def _guarded(pipeline: Any, policy: Policy, subject: Subject) -> tuple[Drawer | None, str]:
    """Return a pipeline with a guard, or why there is none."""
    if hasattr(pipeline, "guard_policy"):
        return None, "the pipeline is guarded already"
    if subject == "picture":
        return None, "no objects are known that a guard could keep"
    try:
        if subject in WITH_BOXES:
            made = guard(pipeline, policy)
        else:
            made = guard(pipeline, policy, protect="masks" if subject == "masks" else "mask")
        return drawer_of(made, subject), ""
    except PolicyError as error:  # it contradicts the policy
        return None, _reason(f"the guard refuses it: {error}")


def loses(row: Row) -> bool:
    """Return whether a draw keeps less than all that is asked for, so that a guard would have drawn otherwise."""
    return any(fate not in {None, "KEPT"} for fate in row.fates)


def _look(image: Any) -> Look:
    thumb = thumb_of(image)
    return Look(src=thumb.file, size=thumb.size, note=thumb.note)


def _image_of(steps: Sequence[Step], picture: NDArray[Any]) -> Any:
    """Return what a pipeline handed on as the picture."""
    shown = [step.sample["image"] for step in steps if step.sample is not None and "image" in step.sample]
    return shown[-1] if shown else picture


def _window(steps: Sequence[Step], size: Size) -> tuple[Point, ...] | None:
    """Return what of the picture is shown in the end: the output's corners, pulled back through all steps."""
    matrix = matrix_through(steps, size)
    if matrix is None or not determinant(matrix):
        return None
    ring = window_of(matrix, steps[-1].size if steps else size, size)
    if ring is None or not np.isfinite(ring).all():
        return None
    return tuple((round(x / size[1], PLACE), round(y / size[0], PLACE)) for x, y in ring)


def _corners(boxes: NDArray[np.float64]) -> tuple[Corners, ...]:
    return tuple((x0, y0, x1, y1) for x0, y0, x1, y1 in boxes.round(PLACE).tolist())


def _reason(text: str) -> str:
    text = printable(as_text(text))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
