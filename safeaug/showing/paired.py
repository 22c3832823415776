"""What is said of a batch, shared out among its pictures, by names that are the same whatever it came under."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from PIL import Image

from safeaug.showing.arrays import array_of, fields_of, is_array, is_list, is_named
from safeaug.showing.told import told

Says = dict[str, Any]
"""What is said of one picture, by the names of `KEYS`; ``format``, of boxes that can be in one only; ``view``, which of
several it is; and ``odd``, what nobody knows how to show."""

KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "boxes": ("boxes", "bboxes", "bbox"),
        "masks": ("masks", "instance_masks"),
        "mask": ("mask", "segmentation_mask", "semantic_mask"),
        "keypoints": ("keypoints",),
        "valid": ("valid",),
        "labels": ("labels", "class_labels", "category_ids", "category_id", "classes"),
        "label": ("label", "class", "cls", "y"),
    }
)
"""What may be said of a picture, and under which names."""

NESTED = frozenset({"target", "targets", "annotations", "objects"})
"""Names under which all of that may stand together."""

MOST_NAMES = 6
"""Of what is not shown, how many names are told."""


class Shared(NamedTuple):
    """What is said of each picture, and what could not be shared out."""

    says: list[Says]
    said: list[str]


def without(fields: Any, name: str) -> Any:
    """Return a mapping, or a tuple with names, without one of them."""
    rest = {key: value for key, value in (fields_of(fields) or {}).items() if key != name}
    return _Quiet(rest) if is_named(fields) else rest


class _Quiet(dict[str, Any]):
    """What came as a tuple with names: it tells of much else, on purpose, and nobody misses that."""


def shared(targets: Sequence[Any], owners: Sequence[int], count: int) -> Shared:
    """Return what targets say of each picture.

    Parameters
    ----------
    targets : sequence
        Each says something of all pictures: a mapping of what can be shared out, a list with one element a picture, an
        array whose first side is the batch.
    owners : sequence of int
        The place in the batch of each picture.
    count : int
        How many places there are.

    Examples
    --------
    >>> import numpy as np
    >>> shared([np.array([3, 5])], [0, 1], 2).says
    [{'label': array(3)}, {'label': array(5)}]
    >>> shared([np.zeros(3)], [0, 1], 2).said
    ['a target is not shown: ndarray float64 (3,) is not one for each of 2 pictures']
    """
    says: list[Says] = [{} for _ in owners]
    said = not_shown(targets)
    for target in targets:
        for name, value in _named(target):
            parts = _parts(value, owners, count)
            if parts is None:
                said.append(f"{name or 'a target'} is not shown: {told(value)} is not one for each of {count} pictures")
                continue
            for place, part in enumerate(parts):
                says[place] = _with(says[place], name, part)
    return Shared(says, said)


def _named(target: Any) -> list[tuple[str, Any]]:
    """Return what can be shared out by itself: each field of a mapping, and all that is no mapping without a name."""
    fields = fields_of(target)
    if fields is None:
        return [] if target is None else [("", target)]
    found: list[tuple[str, Any]] = []
    for name, value in fields.items():
        if name in NESTED and fields_of(value) is not None:
            found += _named(value)
        elif name in NESTED:
            found.append(("", value))
        elif _key_of(name) and value is not None:
            found.append((_key_of(name), value))
    return sorted(found, key=lambda each: _ORDER.index(each[0]))


_ORDER = (*KEYS, "")


def _key_of(name: str) -> str:
    return next((key for key, names in KEYS.items() if name in names), "")


def _parts(value: Any, owners: Sequence[int], count: int) -> list[Any] | None:
    sized = is_list(value) or (is_array(value) and len(value.shape) > 0)
    return [value[place] for place in owners] if sized and len(value) == count else None


def says_of(target: Any) -> Says:
    """Return what is said of one picture.

    Parameters
    ----------
    target : Any
        A mapping; a class by number or name, or one number for each class; boxes, as an array of shape (N, 4); a mask,
        as an array of shape (H, W); masks, of shape (N, H, W); or annotations as COCO has them, each a mapping.

    Examples
    --------
    >>> says_of({"bboxes": [[1, 2, 3, 4]], "class_labels": ["cat"], "path": "a.jpg"})
    {'boxes': [[1, 2, 3, 4]], 'labels': ['cat']}
    >>> says_of([{"bbox": [1, 2, 3, 4], "category_id": 7}])
    {'boxes': [[1, 2, 3, 4]], 'labels': [7], 'format': 'xywh'}
    """
    says: Says = {}
    for name, value in _named(target):
        says = _with(says, name, value)
    return says


def _with(says: Says, name: str, value: Any) -> Says:
    """Return what is said, and one thing more; what was said before goes first."""
    if name in {"boxes", "masks", "keypoints", "valid"}:
        more = {name: value}
    elif name == "labels" and fields_of(value) is None and ("boxes" in says or "masks" in says):
        more = {"labels": value}
    else:
        more = _of_one(value, name)
    for of_all, of_each, sides in (("label", "labels", 1), ("mask", "masks", 3)):
        if of_all in more and of_all != name and _is_one_each(more[of_all], sides, says):
            more = {of_each: more[of_all]}
    return {**says, **{key: each for key, each in more.items() if key not in says}}


def _is_one_each(value: Any, sides: int, says: Says) -> bool:
    """Return whether what looks like the labels or the mask of a picture are those of its objects, one each."""
    objects = next((says[name] for name in ("boxes", "masks") if name in says), None)
    array = array_of(value) if is_array(value) or is_list(value) else None
    return objects is not None and array is not None and array.ndim == sides and len(array) == len(objects)


def _of_one(value: Any, name: str) -> Says:
    """Return what a value without a name, or under one that says little, says of a picture."""
    if value is None:
        return {}
    if fields_of(value) is not None:
        return says_of(value)
    if isinstance(value, Image.Image):
        return {"mask": value}
    if is_list(value) and len(value) and all(fields_of(each) is not None for each in value):
        return _of_annotations([fields_of(each) or {} for each in value])
    if isinstance(value, str) or (is_list(value) and all(isinstance(each, str) for each in value)):
        return {"label": value}
    array = array_of(value)
    if array is None:
        return {"odd": value}
    if array.ndim <= 1:
        return {"label": value if is_list(value) else array}
    if array.ndim == 2 and array.shape[1] in {4, 5} and name != "mask":
        return {"boxes": value}
    if array.ndim == 2 or (array.ndim == 3 and 1 in (array.shape[0], array.shape[2])):
        return {"mask": value}
    return {"masks": value} if array.ndim == 3 else {"odd": value}


def _of_annotations(each: list[dict[str, Any]]) -> Says:
    """Return objects that are told one by one, as COCO tells them: boxes by corner and size."""
    if not all("bbox" in one for one in each):
        return {"odd": each}
    says: Says = {"boxes": [one["bbox"] for one in each]}
    if all("category_id" in one for one in each):
        says["labels"] = [one["category_id"] for one in each]
    return {**says, "format": "xywh"}


def not_shown(targets: Sequence[Any]) -> list[str]:
    """Return, in words, the names in mappings of which nothing is shown."""
    names: list[str] = []
    for target in targets:
        fields = {} if isinstance(target, _Quiet) or is_named(target) else fields_of(target) or {}
        names += [name for name in fields if name not in NESTED and not _key_of(name)]
    if not names:
        return []
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return [f"not shown: {', '.join(names[:MOST_NAMES])}{more}"]
