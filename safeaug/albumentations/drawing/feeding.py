"""A sample of a data set as a pipeline is called with it, and which of its objects still have a label in the end."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.albumentations.guarded import Guarded
from safeaug.albumentations.pipeline.root import Root
from safeaug.data import Sample, read_mask
from safeaug.data.torch_boxes import array_of
from safeaug.geometry import Size

Floats = NDArray[np.float64]

ROLES = "labels", "weights", "ignore", "prior_visibility"
"""What a label field may say of an object."""

AT = 4
"""Behind the four numbers of a box stands the number of its object: the host hands such columns on."""


class Feed(NamedTuple):
    """How samples are handed to a pipeline.

    Parameters
    ----------
    boxes : BboxProcessor or None
        The host's, which knows the format of boxes and their label fields; None where it is not asked for boxes.
    none : tuple of DataProcessor
        The host's for what it asks for and is handed none of: keypoints, and boxes where there are none to follow.
    said : mapping of str to str
        Of a guarded pipeline, what it reads in which label field: ``{"class": "labels"}``. All other fields are fed
        the object's number.
    masks : frozenset of str
        Which masks are looked at: "masks", those of objects; "mask", that of classes.
    """

    boxes: Any
    none: tuple[Any, ...]
    said: Mapping[str, str]
    masks: frozenset[str] = frozenset()

    def sample(self, sample: Sample, boxes: Floats, image: Any) -> dict[str, Any]:
        """Return what the pipeline is called with.

        Parameters
        ----------
        sample : Sample
            What is known of the picture.
        boxes : ndarray of shape (N, 4)
            Its objects, clipped to the picture; those without area, or outside of it, are not handed over.
        image : array_like of shape (H, W, C)
            The picture, or what stands for it.
        """
        fed: dict[str, Any] = {"image": image}
        for processor in self.none:
            name = processor.default_data_name
            columns = len(processor.params.format) if name == "keypoints" else AT
            fed[name] = np.zeros((0, columns), np.float32)
            fed.update({field: [] for field in processor.params.label_fields or ()})
        if self.boxes is not None:
            rows = self.rows(boxes, sample.size)
            places = rows[:, AT].astype(int).tolist()
            fed["bboxes"] = rows
            fed.update({field: self._field(field, sample, places) for field in self.boxes.params.label_fields or ()})
        if "masks" in self.masks and sample.masks is not None:
            fed["masks"] = array_of(sample.masks, "masks", sample.where)
        if "mask" in self.masks and sample.mask is not None:
            fed["mask"] = classes_of(sample)
        return fed

    def _field(self, field: str, sample: Sample, places: list[int]) -> list[Any]:
        said = self.said.get(field)
        if said == "labels":
            return [sample.labels[place] if sample.labels else sample.group for place in places]
        if said == "ignore":
            return [int(sample.ignore[place]) if len(sample.ignore) else 0 for place in places]
        return places if said is None else [1.0] * len(places)

    def rows(self, boxes: Floats, size: Size) -> NDArray[np.float32]:
        """Return those boxes that are handed over, in the pipeline's format, each with its number behind it."""
        places = np.flatnonzero(has_area(boxes))
        rows = written(boxes[places], np.array([size] * len(places)).reshape(-1, 2), self.boxes.params.format)
        return np.concatenate([rows, places[:, None].astype(np.float32)], axis=1)

    def sides(self, boxes: Floats, sizes: NDArray[Any]) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
        """Return boxes as the host keeps them, as shares of their pictures' sides.

        Parameters
        ----------
        boxes : ndarray of shape (O, 4)
            Of many pictures, clipped to them; NaN for one outside.
        sizes : ndarray of shape (O, 2)
            Height and width of the picture of each.

        Returns
        -------
        sides, there, told : ndarrays of shape (O, 4), (O,) and (O,)
            Which of them the host is handed; and which it takes for sure, so that its own code need not be asked.
        """
        there = has_area(boxes)
        sides = read_back(written(np.nan_to_num(boxes), sizes, self.boxes.params.format), sizes, self.boxes.params)
        whole = (sides[:, :2] < sides[:, 2:]).all(axis=1) & (sides >= 0).all(axis=1) & (sides <= 1).all(axis=1)
        return sides, there, (whole | ~there) & (not self.boxes.params.filter_invalid_bboxes)

    def labelled(self, result: Mapping[str, Any], count: int) -> NDArray[np.bool_]:
        """Return which of the objects still have a label in what the pipeline has handed on."""
        if self.boxes is None:
            return np.ones(count, bool)
        there = np.zeros(count, bool)
        rows = np.asarray(result["bboxes"], dtype=np.float64)
        if rows.size:
            there[rows[:, AT].astype(int)] = True
        return there

    def behind(self, sample: Mapping[str, Any], count: int) -> Floats:
        """Return the boxes of what a step hands on, as shares of its picture's sides; NaN for objects without one.

        Parameters
        ----------
        sample : mapping
            As a step of the pipeline hands it to the next: boxes are shares there, whatever the format outside.
        count : int
            How many objects the sample came with.
        """
        found = np.full((count, 4), np.nan)
        rows = np.asarray(sample.get("bboxes", ()), dtype=np.float64)
        if self.boxes is not None and rows.size:
            found[rows[:, AT].astype(int)] = rows[:, :AT]
        return found


def feed_of(pipeline: Any, *, boxes: bool) -> Feed:
    """Return how samples are handed to a pipeline.

    Parameters
    ----------
    pipeline : BaseCompose or BasicTransform
        Guarded or not.
    boxes : bool
        Whether the samples have any.
    """
    processors = getattr(pipeline, "processors", {})
    taken = processors.get("bboxes") if boxes else None
    fields = [] if taken is None else list(taken.params.label_fields or ())
    none = tuple(processor for processor in processors.values() if processor is not taken)
    return Feed(taken, none, _said(pipeline, fields), _masks(pipeline, processors))


def _masks(pipeline: Any, processors: Mapping[str, Any]) -> frozenset[str]:
    """Return which masks a pipeline protects as a whole, or a step of it."""
    if not isinstance(pipeline, Root):
        return frozenset()
    inner = [leaf.inner for leaf in pipeline.guard_steps]
    asked = {pipeline.guard_reading.protect, *(each._reading.protect for each in inner if isinstance(each, Guarded))}
    if None in asked and "bboxes" not in processors:  # where there are no boxes, masks are what is protected
        asked.add("masks")
    return frozenset(kind for kind in ("masks", "mask") if kind in asked)


def classes_of(sample: Sample) -> NDArray[Any]:
    """Return the semantic mask of a sample."""
    if isinstance(sample.mask, str | PathLike):
        return read_mask(sample.mask, sample.where)
    return array_of(sample.mask, "a mask", sample.where)


def _said(pipeline: Any, fields: list[str]) -> dict[str, str]:
    """Return what a guarded pipeline reads in which label field; limits per label are read in the first."""
    if not isinstance(pipeline, Root):
        return {}
    reading = pipeline.guard_reading._asdict()
    said = {reading[role]: role for role in ROLES if reading[role] is not None}
    if pipeline.guard_policy.per_label and reading["labels"] is None:
        said.update(dict.fromkeys(fields[:1], "labels"))
    return said


def has_area(boxes: Floats) -> NDArray[np.bool_]:
    """Return which boxes have an area; those outside of their picture, which are NaN, have none."""
    with np.errstate(invalid="ignore"):
        found: NDArray[np.bool_] = (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
    return found


def written(boxes: Floats, sizes: NDArray[Any], kind: str) -> NDArray[np.float32]:
    """Return boxes in a format of the host's, in float32, as it keeps them.

    Parameters
    ----------
    boxes : ndarray of shape (O, 4)
        Corners, inside of their pictures.
    sizes : ndarray of shape (O, 2)
        Height and width of the picture of each.
    kind : {"pascal_voc", "coco", "yolo", "albumentations"}
        The format.
    """
    if kind == "coco":
        boxes = np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1)
    if kind in {"pascal_voc", "coco"}:
        return boxes.astype(np.float32)
    shares: Floats = boxes / sizes[:, [1, 0, 1, 0]]
    if kind == "albumentations":
        return shares.astype(np.float32)
    centre = ((shares[:, :2] + shares[:, 2:]) / 2).astype(np.float32)
    side = (shares[:, 2:] - shares[:, :2]).astype(np.float32)
    # In float32 a flush box may stick out of the picture by the last bit, which the host refuses.
    side = np.minimum(side, np.minimum(2 * centre, 2 * (1 - centre)))
    return np.concatenate([centre, side], axis=1)


def read_back(rows: NDArray[np.float32], sizes: NDArray[Any], params: Any) -> Floats:
    """Return what the host makes of boxes in its format before the first step, in its own arithmetic."""
    if params.format == "yolo":
        half = rows[:, 2:] / 2
        sides = np.concatenate([rows[:, :2] - half, rows[:, :2] + half], axis=1)
    elif params.format == "albumentations":
        sides = rows
    else:
        corners = np.concatenate([rows[:, :2], rows[:, :2] + rows[:, 2:]], axis=1) if params.format == "coco" else rows
        sides = (corners.astype(np.float64) / sizes[:, [1, 0, 1, 0]]).astype(np.float32)
    return (np.clip(sides, 0, 1) if params.clip else sides).astype(np.float64)
