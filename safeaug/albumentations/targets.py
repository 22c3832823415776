"""The objects of a sample, as a leaf of the host sees them."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from safeaug import objects
from safeaug.albumentations.reading import BY_DEFAULT, KEYS, Reading, Target
from safeaug.albumentations.table import Table
from safeaug.content import Content, content_of_rows, content_of_shapes, counting
from safeaug.errors import ContentError
from safeaug.geometry import Size
from safeaug.guarding.salient import content_of_pictures
from safeaug.policy import Policy
from safeaug.shapes import points_of
from safeaug.traits import Traits, checked_ignore, checked_priors, checked_weights, label_limits


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
    if protect == "saliency" and sample.data.get("image") is None and len(sample.data.get("images", ())):
        return content_of_pictures(list(sample.data["images"]), sample.image_size, policy, reading.saliency)
    for target in BY_DEFAULT if protect is None else (protect,):
        if sample.keys(KEYS[target]):
            return _READERS[target](sample, policy, reading)
    if protect is None:
        return content_of_rows([], sample.image_size, [])
    raise ContentError(f"protect={protect!r} needs {KEYS[protect]!r} in the sample, which has {sorted(sample.data)}")


def carries(sample: Sample, reading: Reading) -> bool:
    """Return whether a sample carries what is to be read of it, be it without objects."""
    protect = reading.protect
    if callable(protect) or protect == "saliency":
        return True
    return any(sample.keys(KEYS[target]) for target in (BY_DEFAULT if protect is None else (protect,)))


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


def _saliency(sample: Sample, policy: Policy, reading: Reading) -> Content:
    """Return what stands out in the image."""
    return content_of_pictures([np.asarray(sample.data["image"])], sample.image_size, policy, reading.saliency)


_READERS: Mapping[Target, Callable[[Sample, Policy, Reading], Content]] = {
    "boxes": _boxes,
    "masks": _masks,
    "mask": _mask,
    "keypoints": _keypoints,
    "saliency": _saliency,
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
