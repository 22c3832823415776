"""Any map-style data set of torch, or anything else with a length that is indexed. torch is not imported."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from safeaug.data.dataset import Data
from safeaug.data.header import check_pixels, note_turned, orientation_of
from safeaug.data.remarks import Notes, shown
from safeaug.data.sample import Sample
from safeaug.data.torch_boxes import is_a
from safeaug.data.torch_target import IMAGE, objects_of_target, said_by
from safeaug.errors import DataError
from safeaug.geometry import BoxFormat, Size

MOST_CHANNELS = 4
"""Of a picture. A side of fewer pixels is taken for channels in the wrong place."""


def read_torch(dataset: Any, *, source: str = "", box_format: BoxFormat = "xyxy", keep_going: bool = False) -> Data:
    """Return the samples of a data set.

    Parameters
    ----------
    dataset : torch.utils.data.Dataset, or anything with ``len(dataset)`` and ``dataset[i]``; or a DataLoader of one
        It yields pairs (image, target), or mappings with an ``image``. An image is one of Pillow's, a tensor (C, H, W)
        or an array (H, W, C). A target is a class, a semantic mask, ``tv_tensors.BoundingBoxes``, or a mapping of
        ``boxes``, ``labels``, ``iscrowd``, ``masks``, ``mask`` or ``label``. Items that are a `Sample` are taken as
        they are.
    source : str, optional
        What it is called; its class by default.
    box_format : str, default "xyxy"
        The format of boxes that do not say theirs.
    keep_going : bool, default False
        Whether a box that is malformed is left out and counted, instead of stopping.

    Returns
    -------
    Data
        In the order of the data set. Its own transforms have been applied: hand over a data set without them.

    Raises
    ------
    DataError
        Where it has no length, or cannot be indexed.

    Examples
    --------
    >>> item = np.zeros((480, 640, 3), np.uint8), {"boxes": [[10, 20, 40, 60]], "labels": ["cat"]}
    >>> sample = read_torch([item])[0]
    >>> sample.id, sample.size, sample.boxes.tolist(), sample.labels
    ('0', (480, 640), [[10.0, 20.0, 40.0, 60.0]], ('cat',))
    """
    given = dataset
    if is_a(dataset, "DataLoader", "torch"):  # whose data set it is about
        dataset = dataset.dataset
    name = source or f"{type(dataset).__module__}.{type(dataset).__qualname__}"
    if not hasattr(type(dataset), "__getitem__") or isinstance(dataset, Mapping | str | bytes):
        raise DataError(f"expected a data set with len(dataset) and dataset[i], got {type(dataset).__name__}", name)
    try:
        length = len(dataset)
    except Exception as error:  # a data set is somebody else's program, and may raise anything
        raise DataError(
            f"expected a data set with a length, got one whose len() raises {_raised(error)}; one that can only be "
            "iterated over cannot be audited, as samples are named by their index",
            name,
        ) from error
    return Data(name, range(length), _Reader(dataset, name, box_format, keep_going).sample, given=given)


@dataclass(frozen=True, eq=False)
class _Reader:
    """A data set, and how it is read."""

    dataset: Any
    name: str
    box_format: BoxFormat
    keep_going: bool

    def sample(self, index: int) -> Sample:
        where = f"{self.name}[{index}]"
        try:
            item = self.dataset[index]
        except Exception as error:  # as above
            raise DataError(
                f"expected a sample, but reading it raises {_raised(error)}", where, "unreadable"
            ) from error
        if isinstance(item, Sample):
            return item
        image, target = _parts(item, where)
        size, notes = _size(image, where), Notes(self.keep_going)
        if isinstance(image, Image.Image) and orientation_of(image) != 1:
            note_turned(orientation_of(image), where, notes)
        fields = objects_of_target(said_by(target, where), self.box_format, size, where, notes)
        return Sample(str(index), size, image=image, where=where, remarks=notes.remarks, **fields)


def _parts(item: Any, where: str) -> tuple[Any, Any]:
    """Return the image and the target of an item."""
    if isinstance(item, Mapping):
        for key in IMAGE:
            if key in item:
                return item[key], {name: value for name, value in item.items() if name != key}
        raise DataError(
            f"an item that is a mapping must have an image, as {' or '.join(IMAGE)}, got keys {shown(list(item))}",
            where,
        )
    if isinstance(item, tuple | list) and len(item) == 2:
        return item[0], item[1]
    length = f" of {len(item)}" if isinstance(item, tuple | list) else ""
    raise DataError(
        f"an item must be a pair (image, target), a mapping or a Sample, got {type(item).__name__}{length}; wrap the "
        "data set in one that yields these",
        where,
    )


def _size(image: Any, where: str) -> Size:
    """Return the height and width of an image of any kind."""
    if isinstance(image, Image.Image):
        return check_pixels((image.height, image.width), where)
    is_tensor = is_a(image, "Tensor", "torch")
    if not is_tensor and not isinstance(image, np.ndarray):
        raise DataError(f"an image must be one of Pillow's, a tensor or an array, got {type(image).__name__}", where)
    shape = tuple(image.shape)
    if len(shape) not in {2, 3}:
        raise DataError(f"an image must have 2 or 3 dimensions, got shape {shape}", where)
    if len(shape) == 3:
        channels, other = (shape[0], shape[2]) if is_tensor else (shape[2], shape[0])
        if channels > MOST_CHANNELS >= other:
            kind = "a tensor (C, H, W)" if is_tensor else "an array (H, W, C)"
            raise DataError(f"an image must be {kind}, got shape {shape}; move its channels", where)
    height, width = shape[-2:] if is_tensor else shape[:2]
    return check_pixels((height, width), where)


def _raised(error: Exception) -> str:
    return f"{type(error).__name__}: {shown(str(error))}"
