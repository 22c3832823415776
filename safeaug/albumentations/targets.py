"""The objects of a sample, as a leaf of the host sees them."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from numbers import Real
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from safeaug import objects
from safeaug.content import (
    Content,
    Traits,
    checked_ignore,
    checked_priors,
    checked_weights,
    content_of_rows,
    content_of_shapes,
    counting,
    label_limits,
)
from safeaug.errors import ContentError, PolicyError
from safeaug.geometry import Size
from safeaug.policy import OTHERS, Policy
from safeaug.shapes import points_of

FAR_OUTSIDE = 2.0
"""A coordinate beyond this is not a normalised box that leaves the image a little: it is in pixels."""

Target = Literal["boxes", "masks", "mask", "keypoints"]
Protect = Target | Callable[[dict[str, Any]], Mapping[str, Any]]

EXACT_IN_SINGLE = 2**24
"""Whole numbers from here on are not all different in float32."""

KEYS: dict[Target, str] = {"boxes": "bboxes", "masks": "masks", "mask": "mask", "keypoints": "keypoints"}
"""Where the host's samples hold each kind of object."""

BY_DEFAULT: tuple[Target, ...] = "boxes", "masks", "keypoints"
"""What is protected where nothing is said: the first of these that a sample carries."""


class Reading(NamedTuple):
    """How the objects of a sample are read.

    Parameters
    ----------
    protect : {"boxes", "masks", "mask", "keypoints"}, callable or None
        What must survive. None: the first of boxes, masks and keypoints that the sample carries. A callable gets the
        sample as the transform sees it and returns keywords of `safeaug.objects.content_from`, in pixels of the image
        at this step. Keys of your own are not moved by the steps before, and boxes are normalised here
        (``"box_format": "xyxyn"``).
    labels, weights, ignore, prior_visibility : str or None
        Names of label fields.
    instances : str or None
        Name of a label field of keypoints that says to which instance each belongs; ``"*"``: all are one.
    visible : str or None
        Name of a label field of keypoints: above 0 for one that is visible.
    foreground : tuple of int or None
        Classes of the semantic mask that count; None: all but 0.
    ignore_index : int or None
        Class of the semantic mask that never counts.
    """

    protect: Protect | None = None
    labels: str | None = None
    weights: str | None = None
    ignore: str | None = None
    prior_visibility: str | None = None
    instances: str | None = None
    visible: str | None = None
    foreground: Sequence[int] | None = None
    ignore_index: int | None = objects.IGNORE_INDEX

    @property
    def only_boxes(self) -> bool:
        """Whether boxes, where there are any, are all that is read of them."""
        fields = self.weights, self.ignore, self.prior_visibility
        return self.protect in (None, "boxes") and not any(fields)

    @property
    def only_masks(self) -> bool:
        """Whether masks, where they are protected, are all that is read of a sample."""
        fields = self.weights, self.ignore, self.prior_visibility
        return self.protect in (None, "masks") and not any(fields)

    def checked(self) -> "Reading":
        """Return it with plain values, or raise `PolicyError` where ``protect`` is none of its kinds."""
        if not (self.protect is None or callable(self.protect) or self.protect in get_args(Target)):
            allowed = ", ".join(map(repr, get_args(Target)))
            raise PolicyError(f"protect must be one of {allowed}, a callable or None, got {self.protect!r}")
        return self if self.foreground is None else self._replace(foreground=[int(each) for each in self.foreground])


class Sample(NamedTuple):
    """A sample, as a leaf of the host sees it.

    Parameters
    ----------
    data : dict
        Its targets and whatever else was passed.
    additional : dict
        Kinds of additional targets, by their names.
    processors : dict
        The host's, which know the label fields and how they were encoded. Empty outside of a Compose.
    image_size : (int, int)
        Height and width of the image.
    """

    data: dict[str, Any]
    additional: dict[str, str]
    processors: dict[str, Any]
    image_size: Size

    def keys(self, target: str) -> list[str]:
        """Return the names of a target, and of additional ones of its kind, that the sample carries."""
        if not self.additional:
            return [target] if self.data.get(target) is not None else []
        named = [target, *(key for key, kind in self.additional.items() if kind == target)]
        return [key for key in named if self.data.get(key) is not None]

    def tables(self, target: str) -> "list[Table]":
        """Return the rows of boxes or keypoints under each of their names."""
        rows = ((key, np.asarray(self.data[key])) for key in self.keys(target))
        return [Table(array, key, self.processors.get(target)) for key, array in rows if len(array)]


def content_from(sample: Sample, policy: Policy, reading: Reading) -> Content:
    """Return the content of a sample.

    Raises
    ------
    ContentError
        Where it cannot be read: boxes in pixels although nothing converts them, a field that is not among the label
        fields, a label without a limit, a mask of another size, keypoints without instances.
    """
    protect = reading.protect
    if callable(protect):
        return _from_callable(protect, sample, policy)
    for target in BY_DEFAULT if protect is None else (protect,):
        if sample.keys(KEYS[target]):
            return _READERS[target](sample, policy, reading)
    if protect is None:
        return content_of_rows([], sample.image_size, [])
    raise ContentError(f"protect={protect!r} needs {KEYS[protect]!r} in the sample, which has {sorted(sample.data)}")


def _from_callable(protect: Callable[[dict[str, Any]], Any], sample: Sample, policy: Policy) -> Content:
    given = protect(sample.data)
    if not isinstance(given, Mapping):
        raise ContentError(
            f"a callable protect must return a dict such as {{'boxes': ...}}, got {type(given).__name__}"
        )
    try:
        return objects.content_from(sample.image_size, policy, **given)
    except TypeError as error:
        raise ContentError(
            f"a callable protect must return keywords of safeaug.place, got {list(given)}: {error}"
        ) from None


def _boxes(sample: Sample, policy: Policy, reading: Reading) -> Content:
    """Return the boxes of all targets, numbered in the order of their names."""
    corners: list[list[float]] = []
    said = _Said(policy, reading)
    for table in sample.tables("bboxes"):
        corners += table.corners()
        said.add(table)
    traits = said.traits()
    size = sample.image_size
    content = content_of_rows(corners, size, traits.limits, traits.weights, traits.ignore, unit=size)
    return counting(content, policy, traits.priors)


def _masks(sample: Sample, policy: Policy, reading: Reading) -> Content:
    """Return the instance masks. What is said of them stands in the label fields of as many boxes."""
    masks = [mask for key in sample.keys("masks") for mask in sample.data[key]]
    said = _Said(policy, reading)
    if said.needed:
        tables = sample.tables("bboxes")
        for table in tables:
            said.add(table)
        boxes = sum(len(table.rows) for table in tables)
        if boxes != len(masks):
            raise ContentError(
                f"what label fields say of masks needs a box for each mask, got {len(masks)} masks and {boxes} boxes; "
                "a step before may have dropped boxes, as min_visibility does, but not their masks"
            )
        return content_of_shapes(objects.instances(masks, sample.image_size), sample.image_size, policy, said.traits())
    return objects.content_of_masks(objects.instances(masks, sample.image_size), sample.image_size, policy)


def _mask(sample: Sample, policy: Policy, reading: Reading) -> Content:
    """Return the foreground of the semantic mask."""
    mask = sample.data[sample.keys("mask")[0]]
    return objects.semantic(mask, sample.image_size, policy, reading.foreground, reading.ignore_index)


def _keypoints(sample: Sample, policy: Policy, reading: Reading) -> Content:
    """Return the instances that keypoints belong to; what is said of each is said of its first keypoint."""
    points = []
    said = _Said(policy, reading)
    tables = [] if reading.instances is None and policy.plain_limit == 0 else sample.tables("keypoints")
    for table in tables:  # of a limit of 0 nothing is asked, so nobody need say whose keypoints they are
        xy = table.rows[:, :2].astype(np.float64)
        seen = np.ones(len(xy), bool) if reading.visible is None else table.numbers("visible", reading.visible) > 0
        groups = table.groups(reading.instances)
        points += [points_of(xy[rows][seen[rows]], sample.image_size) for rows in groups]
        said.add(table.at([int(rows[0]) for rows in groups]))
    return content_of_shapes(points, sample.image_size, policy, said.traits())


_READERS: Mapping[Target, Callable[[Sample, Policy, Reading], Content]] = {
    "boxes": _boxes,
    "masks": _masks,
    "mask": _mask,
    "keypoints": _keypoints,
}


class _Said:
    """What the label fields say of the objects, table after table."""

    def __init__(self, policy: Policy, reading: Reading) -> None:
        self.policy, self.reading = policy, reading
        self.limits: list[float] = []
        self.weights: list[float] = []
        self.ignore: list[bool] = []
        self.priors: list[float] = []

    @property
    def needed(self) -> bool:
        """Whether anything is asked of the label fields."""
        reading = self.reading
        return self.policy.per_label or any((reading.weights, reading.ignore, reading.prior_visibility))

    def add(self, table: "Table") -> None:
        reading, count = self.reading, len(table.rows)
        passed_over = [False] * count
        if reading.ignore is not None:
            passed_over = checked_ignore(table.numbers("ignore", reading.ignore))
        if reading.weights is not None:
            self.weights += checked_weights(table.numbers("weights", reading.weights))
        if reading.prior_visibility is not None:
            self.priors += checked_priors(table.numbers("prior_visibility", reading.prior_visibility))
        if self.policy.per_label:
            self.limits += label_limits(self.policy, table.labels(reading.labels, self.policy), passed_over)
        else:
            self.limits += [self.policy.limit_of(None)] * count
        self.ignore += passed_over

    def traits(self) -> Traits:
        reading = self.reading
        return Traits(
            self.limits,
            None if reading.weights is None else self.weights,
            None if reading.ignore is None else self.ignore,
            None if reading.prior_visibility is None else self.priors,
        )


class Table(NamedTuple):
    """Boxes or keypoints of one target: coordinates, what the user wrote behind them, a column for each label field."""

    rows: NDArray[Any]
    key: str
    processor: Any

    def at(self, places: list[int]) -> "Table":
        """Return some of the rows."""
        return self._replace(rows=self.rows[places])

    def corners(self) -> list[list[float]]:
        """Return the corners of boxes; raise where they are in pixels although nothing has converted them."""
        corners: list[list[float]] = self.rows[:, :4].tolist()
        if self.processor is None:
            for row in corners:
                if any(abs(value) > FAR_OUTSIDE for value in row):
                    raise ContentError(
                        f"boxes must be corners divided by width and height, got {row}; give A.Compose bbox_params, "
                        "or normalise the boxes where the transform is called by itself"
                    )
        return corners

    def groups(self, instances: str | None) -> list[NDArray[np.int64]]:
        """Return the places of the keypoints of each instance, in the order in which the instances appear."""
        if instances is None:
            raise ContentError(
                "keypoints are protected by instance: name the label field of A.KeypointParams that says to which each "
                'belongs (instances="person_id"), or say that all of a sample are one (instances="*")'
            )
        if instances == OTHERS:
            return [np.arange(len(self.rows))]
        ids = self.column("instances", instances)
        if self.names(instances) is None and len(ids) and np.abs(ids).max() >= EXACT_IN_SINGLE:
            raise ContentError(
                f"instances={instances!r} must name ids below {EXACT_IN_SINGLE}, which albumentations keeps apart in "
                f"float32, got {np.abs(ids).max():.0f}; give them as text"
            )
        _, first, which = np.unique(ids, return_index=True, return_inverse=True)
        return [np.flatnonzero(which == each) for each in np.argsort(first)]

    @property
    def fields(self) -> list[str]:
        """The label fields, in the order of their columns."""
        return [] if self.processor is None else list(self.processor.params.label_fields or [])

    def column(self, role: str, field: str) -> NDArray[Any]:
        """Return the encoded column of a label field. These columns stand at the end of a row."""
        if field not in self.fields:
            known = ", ".join(map(repr, self.fields)) or "there are none"
            params = "A.KeypointParams" if self.key == "keypoints" else "A.BboxParams"
            raise ContentError(f"{role}={field!r} must name one of the label_fields of {params}: {known}")
        column: NDArray[Any] = self.rows[:, self.rows.shape[1] - len(self.fields) + self.fields.index(field)]
        return column

    def names(self, field: str) -> Mapping[int, Any] | None:
        """Return what the codes of a label field stand for; None where they are the numbers themselves."""
        metadata = self.processor.label_manager.metadata[self.key].get(field)
        if metadata is None or metadata.is_numerical or metadata.encoder.is_numerical:
            return None
        names: Mapping[int, Any] = metadata.encoder.inverse_classes_
        return names

    def numbers(self, role: str, field: str) -> NDArray[np.float64]:
        """Return a label field of numbers."""
        column, names = self.column(role, field), self.names(field)
        if names is None:
            return column.astype(np.float64)
        try:
            return np.array([names[int(code)] for code in column], dtype=np.float64)
        except (TypeError, ValueError):
            given = sorted(map(str, names.values()))
            raise ContentError(f"{role}={field!r} must be a field of numbers, got {given}") from None

    def labels(self, field: str | None, policy: Policy) -> list[Hashable]:
        """Return the labels as the policy writes them; the host keeps numbers in float32, where 0.1 is another."""
        if field is None and not self.fields:
            if self.rows.shape[1] == 4:
                raise ContentError("min_retention is per label, but the boxes have no labels: name label_fields")
            column, names = self.rows[:, 4], None  # labels that the user wrote behind the corners
        else:
            field = self.fields[0] if field is None else field
            column, names = self.column("labels", field), self.names(field)
        if names is not None:
            return [names[int(code)] for code in column]
        written = _in_single(policy)
        return [written.get(value, int(value) if value.is_integer() else value) for value in map(float, column)]


def _in_single(policy: Policy) -> dict[float, Any]:
    """Return the numeric labels of a policy by what is left of them in float32."""
    limits = policy.min_retention
    numbers = [label for label in limits if isinstance(label, Real)] if isinstance(limits, Mapping) else []
    written: dict[float, Any] = {float(np.float32(label)): label for label in numbers}
    if len(written) < len(numbers):
        raise ContentError(f"labels {numbers} must differ in float32, in which albumentations keeps them")
    return written
