"""What a call hands over, each value by its data key: in the order of the keys, or in a mapping."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from kornia.constants import DataKey
from torch import Tensor

from safeaug.errors import ContentError, PolicyError

Key = Literal["image", "mask", "bbox", "bbox_xyxy", "bbox_xywh", "keypoints", "label"]

NAMES: dict[str, Key] = {
    "input": "image", "image": "image", "mask": "mask", "bbox": "bbox", "bbox_xyxy": "bbox_xyxy",
    "bbox_xywh": "bbox_xywh", "keypoints": "keypoints", "class": "label", "label": "label",
}  # fmt: skip
"""The host's names of data keys, and the one of each by which it goes here."""

BOXES = "bbox", "bbox_xyxy", "bbox_xywh"


class Entry(NamedTuple):
    """A value of a call.

    Parameters
    ----------
    name : str
        What the caller calls it.
    key : str
        Its data key.
    value : object
        What was given.
    """

    name: str
    key: Key
    value: Any


def keys_of(data_keys: Any) -> tuple[Key, ...] | None:
    """Return data keys by their names, from names in any case or from `kornia.constants.DataKey`; None for None.

    Raises
    ------
    PolicyError
        On what is no data key.
    """
    if data_keys is None:
        return None
    if isinstance(data_keys, str) or not isinstance(data_keys, Iterable):
        raise PolicyError(f"data_keys must be a list such as ['input', 'bbox_xyxy'], or None, got {data_keys!r}")
    return tuple(_key(each) for each in data_keys)


def _key(given: Any) -> Key:
    name = given.name if isinstance(given, DataKey) else given
    if not isinstance(name, str) or name.lower() not in NAMES:
        raise PolicyError(f"data_keys must be of {', '.join(NAMES)}, got {given!r}")
    return NAMES[name.lower()]


def entries_of(values: Sequence[Any], keys: Sequence[Key] | None) -> list[Entry]:
    """Return what a call hands over.

    Parameters
    ----------
    values : sequence
        One value a key; or one mapping, whose keys say what each is.
    keys : sequence of str, or None
        The data keys; None where a mapping says them.

    Raises
    ------
    ContentError
        On another number of values than keys, or where keys are said twice or not at all.
    """
    if len(values) == 1 and isinstance(values[0], Mapping):
        if keys is not None:
            raise ContentError(
                f"a mapping says its data keys itself, so data_keys must be None beside it, got {list(keys)}"
            )
        return entries_in(values[0])
    if keys is None:
        raise ContentError(f"data_keys=None takes one mapping such as {{'image': images}}, got {len(values)} values")
    if len(values) != len(keys):
        raise ContentError(
            f"there must be one value for each of the data keys {list(keys)}, got {len(values)}; this module stands "
            "before a kornia AugmentationSequential, not inside of one, which hands its images over alone"
        )
    return [Entry(key, key, value) for key, value in zip(keys, values, strict=True)]


def entries_in(mapping: Mapping[str, Any]) -> list[Entry]:
    """Return the entries of a mapping; what is none of the data keys is no entry.

    A key is a data key, in any case, or begins with one and ``_`` or ``-``; the longest that fits counts.

    Examples
    --------
    >>> [(each.name, each.key) for each in entries_in({"image": 1, "bbox_xyxy_2": 2, "class-id": 3, "masks": 4})]
    [('image', 'image'), ('bbox_xyxy_2', 'bbox_xyxy'), ('class-id', 'label')]
    """
    found = []
    for name, value in mapping.items():
        begins = [
            known for known in NAMES if name.lower() == known or name.lower().startswith((f"{known}_", f"{known}-"))
        ]
        if begins:
            found.append(Entry(name, NAMES[max(begins, key=len)], value))
    return found


def handed_on(values: Sequence[Any], entries: Sequence[Entry], outputs: Sequence[Any]) -> Any:
    """Return outputs as the host does: in a mapping, in a list, or bare where there is one."""
    if len(values) == 1 and isinstance(values[0], Mapping):
        return {**values[0], **{entry.name: output for entry, output in zip(entries, outputs, strict=True)}}
    return outputs[0] if len(outputs) == 1 else list(outputs)


def image_in(entries: Sequence[Entry]) -> Tensor:
    """Return the first image of a call, as a batch.

    Raises
    ------
    ContentError
        Where there is none, or it is no batch of images.
    """
    images = [entry for entry in entries if entry.key == "image"]
    if not images:
        raise ContentError(f"there must be an image among the data keys, got {[entry.name for entry in entries]}")
    return batched(images[0].name, images[0].value)


def batched(name: str, images: Any) -> Tensor:
    """Return images of shape (B, C, H, W); one of shape (C, H, W) is a batch of one.

    Raises
    ------
    ContentError
        On anything else.
    """
    if not isinstance(images, Tensor) or images.ndim not in {3, 4}:
        got = tuple(images.shape) if isinstance(images, Tensor) else type(images).__name__
        raise ContentError(
            f"{name} must be a tensor of shape (B, C, H, W) or (C, H, W), got {got}; volumes and videos are not taken"
        )
    return images if images.ndim == 4 else images[None]
