"""Boxes, masks, keypoints and labels of one picture, as they are drawn on it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from safeaug.geometry import BoxFormat, Ring, Size
from safeaug.showing.arrays import array_of, is_list
from safeaug.showing.boxes import Rows, counted, outlined, valid_of
from safeaug.showing.labels import Names, each_of, text_of
from safeaug.showing.paired import Says
from safeaug.showing.told import told


class Marks(NamedTuple):
    """What is drawn on a picture.

    Parameters
    ----------
    rings : list of Ring
        Outlines of boxes, in pixels of the picture.
    labels : list of str
        Of each box, or of each mask where there are no boxes.
    masks : list of ndarray of shape (h, w), bool
        Instance masks; they need not be as large as the picture.
    classes : ndarray of shape (h, w), int64, or None
        A semantic mask.
    class_names : dict of int to str
        What its classes are called.
    points : ndarray of shape (K, 2)
        Keypoints that can be seen.
    label : str
        Of the whole picture.
    asked : bool
        Whether anything is said of objects, be it that there are none.
    notes : list of str
        What is wrong.
    """

    rings: list[Ring]
    labels: list[str]
    masks: list[NDArray[np.bool_]]
    classes: NDArray[np.int64] | None
    class_names: dict[int, str]
    points: NDArray[np.float64]
    label: str
    asked: bool
    notes: list[str]

    @property
    def objects(self) -> int:
        """How many objects there are."""
        return len(self.rings) or len(self.masks)


def marks_of(says: Says, rows: Rows, box_format: BoxFormat, size: Size, names: Names | None) -> Marks:
    """Return what is drawn on a picture.

    Parameters
    ----------
    says : dict
        What is said of it.
    rows : Rows
        Its boxes.
    box_format : BoxFormat
        Their format, where they do not say it.
    size : (int, int)
        Height and width of the picture.
    names : sequence of str, or mapping, optional
        Of classes.
    """
    notes = list(rows.notes)
    rings, odd = outlined(rows, box_format, size)
    masks, masks_notes = _masks(says)
    kept = rows.keep if rows.keep is not None else valid_of(says, len(masks))
    if len(kept) == len(masks):
        masks = [mask for mask, here in zip(masks, kept, strict=True) if here]
    notes += [f"not shown: {told(says['odd'])}"] if "odd" in says else []
    notes += [*odd, *masks_notes, *counted(sum(not mask.any() for mask in masks), "mask", "empty")]
    classes, points = _classes(says.get("mask"), notes), _points(says.get("keypoints"), notes)
    labels = rows.labels if rows.keep is not None else _labels_of_masks(says, kept)
    objects = len(rings) or len(masks)
    written = [text_of(each, names) for each in labels] if len(labels) == objects else [""] * objects
    label = ", ".join(filter(None, [says.get("view", ""), text_of(says.get("label"), names)]))
    asked = rows.keep is not None or says.get("masks") is not None
    called = {} if classes is None else {value: text_of(value, names) for value in np.unique(classes).tolist()}
    return Marks(rings, written, masks, classes, called, points, label, asked, notes)


def _labels_of_masks(says: Says, kept: NDArray[np.bool_]) -> list[Any]:
    labels = each_of(says.get("labels"))
    return [label for label, here in zip(labels, kept, strict=True) if here] if len(labels) == len(kept) else []


def _masks(says: Says) -> tuple[list[NDArray[np.bool_]], list[str]]:
    value = says.get("masks")
    array = array_of(value)
    if value is None or (array is not None and not array.size):
        return [], []
    each = list(array) if array is not None and array.ndim == 3 else [*map(array_of, value)] if is_list(value) else []
    masks = [_solid(one) for one in each if one is not None and one.ndim == 2 and one.size]
    return masks, [] if masks and len(masks) == len(each) else [f"masks are not shown: {told(value)}"]


def _solid(mask: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(mask > 0.5 if mask.dtype.kind == "f" else mask != 0)


def _classes(value: Any, notes: list[str]) -> NDArray[np.int64] | None:
    if value is None:
        return None
    array = array_of(value)
    if array is not None and array.ndim == 3 and 1 in (array.shape[0], array.shape[2]):
        array = array[0] if array.shape[0] == 1 else array[:, :, 0]
    if array is None or array.ndim != 2 or not array.size:
        notes.append(f"a mask is not shown: {told(value)}")
        return None
    if array.dtype.kind == "f" and not (np.isfinite(array).all() and (array == np.rint(array)).all()):
        return _solid(array).astype(np.int64)
    return array.astype(np.int64)


def _points(value: Any, notes: list[str]) -> NDArray[np.float64]:
    """Return keypoints that can be seen: of two numbers all that are finite, of three those whose third is above 0."""
    array = array_of(value)
    if value is None or (array is not None and not array.size):
        return np.empty((0, 2))
    if array is None or array.ndim not in {2, 3} or array.shape[-1] < 2:
        notes.append(f"keypoints are not shown: {told(value)}")
        return np.empty((0, 2))
    points = array.reshape(-1, array.shape[-1]).astype(np.float64)
    seen = np.isfinite(points[:, :2]).all(axis=1)
    if points.shape[1] == 3:
        seen &= points[:, 2] > 0
    return points[seen, :2]
