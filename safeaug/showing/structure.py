"""Pictures and what is said of each, out of whatever structure a loader hands them over in."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from PIL import Image

from safeaug.errors import DataError
from safeaug.showing.arrays import fields_of, is_array, is_list, is_picture
from safeaug.showing.paired import Says, not_shown, says_of, shared, without
from safeaug.showing.told import told

IMAGE = ("image", "images", "img", "imgs", "pixel_values", "pixels", "inputs")
"""Where a mapping has its pictures."""

CHANNELS = frozenset({1, 3, 4})
"""How many numbers a pixel of a single picture has; an array of other first and last sides is a batch of grey ones."""

TAKEN = (
    "a tensor or an array (B, C, H, W) or (B, H, W, C); one picture, of Pillow's too; a list of pictures; a pair "
    f"(images, targets) of these; a mapping with {', '.join(IMAGE[:-1])} or {IMAGE[-1]}, and boxes, masks, labels or "
    "keypoints; or a list of such pairs or mappings"
)
"""What can be shown, in words."""

LONGEST = 600
"""Characters of what was given that an error tells."""


class Part(NamedTuple):
    """One picture as it came, and what is said of it.

    Parameters
    ----------
    picture : array_like
        Of two or three dimensions, or one of Pillow's.
    says : dict
        By the names of `safeaug.showing.paired.KEYS`.
    """

    picture: Any
    says: Says


class Parts(NamedTuple):
    """The pictures of a batch.

    Parameters
    ----------
    parts : list of Part
        Those that are looked at.
    total : int
        How many there are.
    said : list of str
        What was passed over.
    """

    parts: list[Part]
    total: int
    said: list[str]


class Pictures(NamedTuple):
    """Pictures without what is said of them.

    Parameters
    ----------
    pictures : list
        Those that are looked at.
    owners : list of int
        To which place of the batch each belongs; several views of one have the same.
    total : int
        How many pictures there are.
    places : int or None
        How many places the batch has; None for a single picture.
    views : list of str
        What is said of each picture beside its place; all empty, but where a place has several views.
    """

    pictures: list[Any]
    owners: list[int]
    total: int
    places: int | None
    views: list[str]


def parts_of(batch: Any, most: int) -> Parts:
    """Return the pictures of a batch, each with what is said of it.

    Parameters
    ----------
    batch : Any
        What a loader hands over.
    most : int
        How many pictures are looked at.

    Raises
    ------
    DataError
        Where it holds no pictures, or in a structure that is not known.

    Examples
    --------
    >>> import numpy as np
    >>> images, boxes = np.zeros((8, 3, 32, 32)), np.zeros((8, 2, 4))
    >>> found = parts_of({"image": images, "boxes": boxes, "path": ["a.jpg"] * 8}, 2)
    >>> [part.says["boxes"].shape for part in found.parts], found.total, found.said
    ([(2, 4), (2, 4)], 8, ['not shown: path'])
    """
    fields = fields_of(batch)
    if fields is not None:
        return _of_fields(fields, most, batch)
    pictures = pictures_of(batch, most)
    if pictures is not None and not (is_list(batch) and _is_masked(batch)):
        return _joined(pictures, [], batch)
    if is_list(batch) and len(batch):
        return _of_list(batch, most)
    raise unknown(batch)


def unknown(batch: Any) -> DataError:
    """Return the error of a batch that cannot be read, which says what it is."""
    hint = ""
    if is_array(batch) and len(batch.shape) == 5:
        hint = "; of five dimensions, flatten the first two: batch.flatten(0, 1), or reshape"
    if is_list(batch) and not len(batch):
        hint = "; an empty batch has nothing to show"
    return DataError(f"expected a batch of pictures, got {told(batch)[:LONGEST]}{hint}. What can be shown: {TAKEN}")


def pictures_of(value: Any, most: int) -> Pictures | None:
    """Return the pictures that a value is; None where it is none.

    Examples
    --------
    >>> import numpy as np
    >>> pictures_of(np.zeros((8, 3, 32, 32)), 64).places, pictures_of(np.zeros((32, 32, 3)), 64).places
    (8, None)
    >>> pictures_of([1, 2], 64) is None
    True
    """
    tensors = getattr(value, "tensors", None)
    if tensors is not None and is_array(tensors):  # padded batches of detectors
        value = tensors
    if is_array(value) and (len(value.shape) == 4 or _are_grey(value)):
        return _places([value[i] for i in range(min(len(value), most))], len(value)) if len(value) else None
    if is_picture(value):
        return Pictures([value], [0], 1, None, [""])
    if not is_list(value) or not len(value):
        return None
    if all(is_picture(each) for each in value):
        return _places(list(value[:most]), len(value))
    if _are_views(value):
        return _views(value, most)
    return None


def _are_grey(array: Any) -> bool:
    shape = tuple(array.shape)
    return len(shape) == 3 and shape[0] not in CHANNELS and shape[-1] not in CHANNELS


def _are_views(values: Sequence[Any]) -> bool:
    """Return whether these are batches of the same pictures, each seen in another way, and not pictures and masks."""
    if len(values) < 2 or not all(is_array(each) and len(each.shape) == 4 and len(each) for each in values):
        return False
    first = values[0]
    return _is_coloured(first[0]) and all(
        len(each) == len(first) and each.dtype == first.dtype and _share_channels(each.shape, first.shape)
        for each in values
    )


def _share_channels(one: Sequence[int], other: Sequence[int]) -> bool:
    return any(one[side] == other[side] and one[side] in CHANNELS for side in (1, 3))


def _places(pictures: list[Any], total: int) -> Pictures:
    return Pictures(pictures, list(range(len(pictures))), total, total, [""] * len(pictures))


def _views(batches: Sequence[Any], most: int) -> Pictures:
    places, turns = len(batches[0]), len(batches)
    both = [(place, view) for place in range(places) for view in range(turns)][:most]
    return Pictures(
        [batches[view][place] for place, view in both],
        [place for place, _ in both],
        places * turns,
        places,
        [f"view {view} of {place}" for place, view in both],
    )


# Mappings.


def _of_fields(fields: dict[str, Any], most: int, batch: Any) -> Parts:
    name = next((name for name in IMAGE if pictures_of(fields.get(name), most) is not None), None)
    pictures = None if name is None else pictures_of(fields[name], most)
    if name is None or pictures is None:
        raise unknown(batch)
    return _joined(pictures, [without(batch, name)], batch)


def _has_picture(value: Any) -> bool:
    """Return whether a value is a mapping of one picture."""
    fields = fields_of(value)
    return fields is not None and any(is_picture(fields.get(name)) for name in IMAGE)


# Lists and tuples.


def _of_list(batch: Sequence[Any], most: int) -> Parts:
    if all(_has_picture(each) for each in batch):
        return _gathered([parts_of(each, most) for each in batch[:most]], len(batch))
    if _are_pairs(batch):
        return _gathered([_of_pair(each, most) for each in batch[:most]], len(batch))
    return _of_pair(batch, most)


def _are_pairs(batch: Sequence[Any]) -> bool:
    """Return whether this is a list of pairs (picture, target), and not a pair of pictures and targets."""
    if not all(is_list(each) and len(each) > 1 and is_picture(each[0]) for each in batch):
        return False
    return not all(is_picture(each) for each in batch[0]) or _is_masked(batch[0])


def _is_masked(pair: Sequence[Any]) -> bool:
    """Return whether two pictures are one and its mask, or its boxes: the second has no colours, the first has."""
    if len(pair) != 2 or not all(is_picture(each) for each in pair):
        return False
    first, second = pair
    return _is_coloured(first) and not _is_coloured(second)


def _is_coloured(picture: Any) -> bool:
    if isinstance(picture, Image.Image):
        return picture.mode not in {"1", "L", "P", "I", "I;16", "F"}
    shape = tuple(picture.shape)
    return len(shape) == 3 and 1 not in (shape[0], shape[-1])


def _of_pair(batch: Sequence[Any], most: int) -> Parts:
    """Return the pictures of (images, target, target...), of a whole batch or of a single picture."""
    first, rest = batch[0], batch[1:]
    fields = fields_of(first)
    if fields is not None:
        found = _of_fields(fields, most, first)
        targets = shared(rest, list(range(len(found.parts))), found.total)
        both = zip(found.parts, targets.says, strict=True)
        parts = [Part(part.picture, {**more, **part.says}) for part, more in both]
        return Parts(parts, found.total, [*found.said, *targets.said])
    views = next((n for n in range(len(batch), 1, -1) if _are_views(batch[:n])), 0)
    pictures = pictures_of(batch[:views] if views else first, most)
    if pictures is None:
        raise unknown(batch if len(batch) > 1 else first)
    return _joined(pictures, batch[views:] if views else rest, batch)


def _joined(pictures: Pictures, targets: Sequence[Any], batch: Any) -> Parts:
    """Return pictures, each with what targets say of its place."""
    if pictures.places is None:
        found = [says_of(target) for target in targets]
        merged: Says = {}
        for each in found:
            merged = {**each, **merged}
        return Parts([Part(pictures.pictures[0], merged)], 1, not_shown(targets))
    told_of = shared(targets, pictures.owners, pictures.places)
    parts = [
        Part(picture, {**says, "view": view} if view else says)
        for picture, says, view in zip(pictures.pictures, told_of.says, pictures.views, strict=True)
    ]
    return Parts(parts, pictures.total, told_of.said)


def _gathered(found: list[Parts], total: int) -> Parts:
    said = dict.fromkeys(text for each in found for text in each.said)
    return Parts([part for each in found for part in each.parts], total, list(said))
