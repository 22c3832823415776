"""What a caller may hand over as what must survive: boxes, polygons, masks, a semantic mask, keypoints, saliency."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from safeaug.content import Content, content_of, content_of_rows, content_of_salience, content_of_shapes
from safeaug.errors import ContentError
from safeaug.geometry import Box, BoxFormat, Size, corners_of, to_xyxy
from safeaug.policy import OTHERS, Policy
from safeaug.shapes import Region, Shape, map_of, points_of, polygon_of, region_of, salience_of
from safeaug.traits import Traits, traits_of

IGNORE_INDEX = 255
"""The value of a semantic mask that says nothing, as is the custom."""

Object = Shape | Box | None

Saliency = str | Callable[[Any], Any]
"""Where a saliency map comes from: the name of a method of `safeaug.saliency`, or a function from image to map."""


def content_from(
    image_size: Size,
    policy: Policy,
    *,
    boxes: Any = None,
    box_format: BoxFormat = "xyxy",
    polygons: Iterable[ArrayLike] | None = None,
    masks: Any = None,
    mask: Any = None,
    foreground: Sequence[int] | None = None,
    ignore_index: int | None = IGNORE_INDEX,
    keypoints: Iterable[ArrayLike] | None = None,
    saliency: Any = None,
    labels: Iterable[Hashable] | None = None,
    weights: Any = None,
    ignore: Any = None,
    prior_visibility: Any = None,
) -> Content:
    """Return the content of an image from objects of any kind, in the image frame.

    Parameters
    ----------
    image_size : (int, int)
        Height and width of the image.
    policy : Policy
        What counts, and what is asked of it.
    boxes : array_like of shape (N, 4), or (N, 5) for rotated boxes
        Boxes in ``box_format``.
    box_format : {"xyxy", "xywh", "cxcywh", "xyxyn", "cxcywhn", "cxcywhr"}, default "xyxy"
        Their format.
    polygons : sequence of array_like of shape (K, 2)
        Rings of corners, convex or not.
    masks : array_like of shape (N, H, W)
        Instance masks; see `safeaug.shapes.region_of`.
    mask : array_like of shape (H, W)
        A semantic mask; see `semantic`. It comes alone.
    foreground, ignore_index
        What of it counts.
    keypoints : sequence of array_like of shape (K, 2) or (K, 3)
        Of each instance its keypoints; a third number above 0 says that one is visible, as in COCO.
    saliency : array_like of shape (h, w)
        A map of what matters; see `safeaug.shapes.salience_of`. It comes alone, and is asked for by the policy's
        ``min_rank`` or ``min_mass``.
    labels, weights, ignore, prior_visibility : sequence of length N
        Of each object, in the order boxes, polygons, masks, keypoints.

    Raises
    ------
    ContentError
        On what cannot be judged; it says which object and why.
    """
    names = None if labels is None else list(labels)
    others = boxes, polygons, masks, keypoints, names, weights, ignore, prior_visibility
    if saliency is not None:
        if mask is not None or any(each is not None for each in others):
            raise ContentError("a saliency map comes alone: it says of the whole image what matters, not of objects")
        return content_of_salience(salience_of(saliency, image_size), image_size, policy)
    if mask is not None:
        if any(each is not None for each in others):
            raise ContentError("a semantic mask comes alone: its classes are its objects and their labels")
        return semantic(mask, image_size, policy, foreground, ignore_index)
    if all(each is None for each in (polygons, masks, keypoints)) and box_format != "cxcywhr":
        return content_of(
            to_xyxy([] if boxes is None else boxes, box_format, image_size),
            image_size,
            policy,
            labels=names,
            weights=weights,
            ignore=ignore,
            prior_visibility=prior_visibility,
        )
    objects: list[Object] = []
    if boxes is not None and box_format == "cxcywhr":
        objects += [polygon_of(ring, image_size, f"box {i}") for i, ring in enumerate(corners_of(boxes))]
    elif boxes is not None:
        rows = to_xyxy(boxes, box_format, image_size).tolist()
        inside = content_of_rows(rows, image_size, [0.0] * len(rows)).given
        objects += [None if box[0] != box[0] else box for box in inside]
    objects += [polygon_of(ring, image_size, f"polygon {i}") for i, ring in enumerate(polygons or ())]
    objects += instances(masks, image_size)
    objects += [points_of(visible_of(rows, i), image_size) for i, rows in enumerate(keypoints or ())]
    traits = traits_of(policy, len(objects), names, weights, ignore, prior_visibility)
    return content_of_shapes(objects, image_size, policy, traits)


def instances(masks: Any, image_size: Size) -> list[Region | None]:
    """Return instance masks as regions; None for one that covers nothing."""
    return [] if masks is None else [region_of(mask, image_size, f"mask {i}") for i, mask in enumerate(masks)]


def content_of_masks(masks: Sequence[Region | None], image_size: Size, policy: Policy) -> Content:
    """Return the content of instance masks of which nothing else is said, and that have one limit."""
    traits = Traits([policy.limit_of(None)] * len(masks), None, None, None)
    return content_of_shapes(masks, image_size, policy, traits)


def semantic(
    mask: Any,
    image_size: Size,
    policy: Policy,
    foreground: Sequence[int] | None = None,
    ignore_index: int | None = IGNORE_INDEX,
) -> Content:
    """Return the foreground of a semantic mask as content.

    Parameters
    ----------
    mask : array_like of shape (H, W) or (H, W, C)
        Classes in whole numbers; or a soft foreground in [0, 1].
    image_size : (int, int)
        Height and width of the image.
    policy : Policy
        With one limit, the foreground is one object. With limits per label, each class that has one is an object.
    foreground : sequence of int, optional
        The classes that count; by default all but 0.
    ignore_index : int or None, default 255
        The class that says nothing; it never counts.

    Raises
    ------
    ContentError
        On a mask of another size than the image, or a foreground of a mask that has no classes.
    """
    array = map_of(mask, image_size)
    if array.dtype.kind == "f":
        if foreground is not None or policy.per_label:
            raise ContentError(f"foreground and limits per label need a mask of whole numbers, got {array.dtype}")
        objects: list[Object] = [region_of(array, image_size)]
        return content_of_shapes(objects, image_size, policy, traits_of(policy, 1))
    chosen = np.isin(array, list(foreground)) if foreground is not None else array != 0
    if ignore_index is not None:
        chosen &= array != ignore_index
    if not policy.per_label:
        return content_of_shapes([region_of(chosen, image_size)], image_size, policy, traits_of(policy, 1))
    classes = _classes(array[chosen], policy)
    objects = [region_of(chosen & (array == each), image_size) for each in classes]
    return content_of_shapes(objects, image_size, policy, traits_of(policy, len(objects), classes))


def _classes(values: NDArray[Any], policy: Policy) -> list[int]:
    """Return the classes of a mask that the policy gives a limit."""
    limits = policy.min_retention
    assert isinstance(limits, Mapping)
    other = [label for label in limits if label != OTHERS and not isinstance(label, Integral)]
    if other:
        raise ContentError(
            f'limits per label of a semantic mask must be for its classes, whole numbers, or "{OTHERS}", got {other}'
        )
    return [each for each in np.unique(values).tolist() if each in limits or OTHERS in limits]


def visible_of(rows: ArrayLike, i: int) -> NDArray[np.float64]:
    """Return the visible keypoints of an instance, of shape (K, 2)."""
    try:
        array = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise ContentError(
            f"keypoints of instance {i} must be numbers of shape (K, 2) or (K, 3), got {rows!r}"
        ) from None
    if not array.size:
        return np.empty((0, 2))
    if array.ndim != 2 or array.shape[1] not in {2, 3}:
        raise ContentError(f"keypoints of instance {i} must be of shape (K, 2) or (K, 3), got {array.shape}")
    return array[:, :2] if array.shape[1] == 2 else array[array[:, 2] > 0, :2]
