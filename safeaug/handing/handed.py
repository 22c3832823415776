"""The objects of the sample that is being made, for the guarded pipeline that makes it."""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from safeaug.content import Content
from safeaug.data.torch_boxes import boxes_of, is_a
from safeaug.errors import ContentError, DataError
from safeaug.geometry import Size
from safeaug.handing.given import Given
from safeaug.objects import IGNORE_INDEX, content_from
from safeaug.policy import Policy


@dataclass(frozen=True, eq=False)
class Handed:
    """What is handed to guarded transforms while one sample is made.

    Parameters
    ----------
    given : Given
        Where its objects come from.
    index : object
        The sample's index; of a stream its running number.
    source : str
        What the data set is called in errors.
    """

    given: Given
    index: Any
    source: str

    @cached_property
    def objects(self) -> Mapping[str, Any]:
        """The entries of the sample. Read when they are first asked for: the end of a stream is no sample."""
        return self.given.of(self.index, self.where)

    @property
    def has_map(self) -> bool:
        """Whether maps are what was given for the data set."""
        return "maps" in self.given.entries

    @property
    def taken(self) -> bool:
        """Whether anybody has asked for the objects."""
        return "objects" in vars(self)

    @property
    def where(self) -> str:
        """Which sample it is, for errors."""
        return f"sample {self.index!r} of {self.source}"


HANDED: ContextVar[Handed | None] = ContextVar("safeaug_handed", default=None)
"""What is handed now, in this thread."""


def handed() -> Handed | None:
    """Return what is handed to the sample that is being made; None outside of `with_content`.

    Examples
    --------
    >>> handed() is None
    True
    """
    return HANDED.get()


def content_of_handed(
    record: Handed,
    image_size: Size,
    policy: Policy,
    *,
    foreground: Sequence[int] | None = None,
    ignore_index: int | None = IGNORE_INDEX,
    salient: bool = False,
) -> Content:
    """Return handed objects as the content of an image.

    Parameters
    ----------
    record : Handed
        What is handed.
    image_size : (int, int)
        Height and width of the image as the data set loaded it.
    policy : Policy
        What counts, and what is asked of it.
    foreground, ignore_index
        What of a semantic mask counts.
    salient : bool, default False
        Whether a map is saliency, of which the policy asks ``min_rank`` or ``min_mass``: see `Handed.has_map`.

    Raises
    ------
    ContentError
        On what cannot be judged; it says of which sample. Also where all boxes and polygons lie outside the image:
        they are of another picture, or of this one before it was made smaller.
    """
    objects = {name: _array(value) for name, value in record.objects.items()}
    try:
        if salient and objects["maps"] is not None:
            return content_from(image_size, policy, saliency=objects["maps"])
        if "maps" in objects:
            return _content_of_map(objects["maps"], image_size, policy)
        objects = _plain(objects, record.given, image_size)
        content = content_from(image_size, policy, **objects, foreground=foreground, ignore_index=ignore_index)
        _check_inside(content, objects, image_size)
    except (TypeError, ValueError, DataError) as error:  # whatever an entry that is no such thing makes others raise
        raise ContentError(f"{record.where}: {error}") from error
    return content


def refuse_unguarded(name: str) -> None:
    """Raise where content is handed, for a transform that by itself cannot know that the image is as it was loaded.

    Parameters
    ----------
    name : str
        What the transform is called.

    Raises
    ------
    ContentError
        Inside of `with_content`.
    """
    record = HANDED.get()
    if record is not None:
        raise ContentError(
            f"{name} finds no objects in {record.where}, and does not take those that with_content hands over: they "
            "are in pixels of the image as it was loaded, and only the root of a guarded pipeline sees that. Write "
            "safeaug.guard(pipeline), of the whole of what is the data set's transform"
        )


def _array(value: Any) -> Any:
    """Return a tensor as an array; boxes that know their format, and all else, as they are."""
    if is_a(value, "Tensor", "torch") and not is_a(value, "BoundingBoxes", "torchvision"):
        return value.detach().cpu().numpy()
    return value


def _plain(objects: Mapping[str, Any], given: Given, image_size: Size) -> dict[str, Any]:
    """Return entries as keywords of `safeaug.objects.content_from`."""
    plain = dict(objects)
    count = sum(len(_listed(plain.get(name))) for name in ("boxes", "polygons", "masks", "keypoints"))
    for name in ("labels", "weights", "ignore", "prior_visibility"):
        value = plain.get(name)
        if value is None:
            continue
        if isinstance(value, str | bytes) or not hasattr(value, "__len__"):
            raise ContentError(f"{name} must be a list, with one for each object, got {value!r}")
        if len(value) != count:  # of labels nobody else may ask
            raise ContentError(f"{name} must be one for each object, got {len(value)} for {count}")
    boxes = plain.get("boxes")
    if is_a(boxes, "BoundingBoxes", "torchvision"):
        corners, rings = boxes_of(boxes, given.box_format, image_size, "")
        if rings is None:
            return {**plain, "boxes": corners}
        polygons = [ring for rings_of_one in rings for ring in rings_of_one]
        return {**plain, "boxes": None, "polygons": [*polygons, *_listed(plain.get("polygons"))]}
    return {**plain, "box_format": given.box_format} if boxes is not None else plain


def _content_of_map(given: Any, image_size: Size, policy: Policy) -> Content:
    """Return the content of a saliency map: one object, that covers of each pixel the share which the map says."""
    if given is None:
        return content_from(image_size, policy)
    if policy.per_label:
        raise ContentError("limits per label need labels, and a map has none; use one limit, or mask= with classes")
    array = np.asarray(given)
    if array.dtype.kind not in "bf":
        raise ContentError(
            f"maps must hold shares in [0, 1] as floats, or bool, got {array.dtype}; divide by the greatest value, or "
            "hand over classes as mask="
        )
    if array.shape[:2] != image_size:
        raise ContentError(
            f"maps must be of the image's height and width {image_size}, got shape {array.shape}; enlarge a map of low "
            "resolution first"
        )
    return content_from(image_size, policy, mask=array)


def _check_inside(content: Content, objects: Mapping[str, Any], image_size: Size) -> None:
    """Raise where all boxes and polygons lie outside the image, as those of another picture do.

    Some may: there are annotations that reach beyond a picture's border. They are clipped, as everywhere.
    """
    count = sum(len(_listed(objects.get(name))) for name in ("boxes", "polygons"))
    ignored = objects.get("ignore")
    asked = [content.given[i] for i in range(count) if ignored is None or not ignored[i]]
    if asked and all(box[0] != box[0] for box in asked):
        raise ContentError(
            f"all {len(asked)} boxes and polygons lie outside the image, whose height and width are {image_size}. They "
            "must be in pixels of the image as the data set loads it; are they of another sample, or was it resized?"
        )


def _listed(value: Any) -> Any:
    return () if value is None else value
