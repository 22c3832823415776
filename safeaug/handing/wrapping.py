"""``with_content``: a data set that hands the content of its samples to guarded transforms."""

import importlib
import sys
from typing import Any, TypeVar, get_args

from safeaug.data.torch_boxes import is_a
from safeaug.errors import ContentError
from safeaug.geometry import BoxFormat
from safeaug.handing.given import Entries, Given, checked
from safeaug.handing.sets import Handing, Mapped, Streamed

D = TypeVar("D")


def with_content(
    dataset: D,
    *,
    boxes: Entries | None = None,
    box_format: BoxFormat = "xyxy",
    polygons: Entries | None = None,
    masks: Entries | None = None,
    mask: Entries | None = None,
    maps: Entries | None = None,
    keypoints: Entries | None = None,
    labels: Entries | None = None,
    weights: Entries | None = None,
    ignore: Entries | None = None,
    prior_visibility: Entries | None = None,
) -> D:
    """Return a data set whose samples are made with their objects at hand, for transforms that see only an image.

    The transform of ``ImageFolder`` and the like is called with a picture and nothing else. While ``dataset[i]`` is
    made, the root of a guarded pipeline (`safeaug.guard`) whose sample carries no objects of its own takes those that
    are given here for ``i``. What the data set returns is what it always returned.

    Parameters
    ----------
    dataset : data set
        Anything with ``len(dataset)`` and ``dataset[i]``; or a stream: an ``IterableDataset`` of torch, or anything
        with ``iter(dataset)`` alone.
    boxes, polygons, masks, mask, keypoints : callable or sequence, optional
        A function of the index, or one entry per sample. An entry is what `safeaug.place` takes under this name, of one
        image; boxes may be ``tv_tensors.BoundingBoxes``. It is in pixels of the image **as the data set loads it**,
        before any transform. None, as an entry, is no object: the draw ends ``EMPTY``, as the host's own.
    box_format : {"xyxy", "xywh", "cxcywh", "xyxyn", "cxcywhn", "cxcywhr"}, default "xyxy"
        Format of boxes; one that ends in n is divided by the image's sides, and needs no pixels.
    maps : callable or sequence, optional
        Of each image a saliency map or soft mask of shape (H, W): shares in [0, 1] as floats, or bool. It comes alone.
        A pipeline guarded with ``protect="saliency"`` takes it for its map, of any size and in any unit; any other
        asks for ``min_retention`` of it.
    labels, weights, ignore, prior_visibility : callable or sequence, optional
        Entries have one value per object, in the order boxes, polygons, masks, keypoints: see `safeaug.place`.

    Returns
    -------
    data set
        It passes all attributes through to the wrapped one, which is its ``dataset``; setting them too. Where torch is
        loaded it is a ``torch.utils.data.Dataset``, or an ``IterableDataset``.

    Raises
    ------
    ContentError
        Where no object is given, lengths differ, or it is no data set. Of a sample, when it is made: where its entry
        cannot be judged, or where all its boxes lie outside the image.

    Notes
    -----
    **Which index.** A function gets the index into the data set that is wrapped, as a whole number from 0 (so 9 for -1
    of ten). ``with_content(Subset(data, indices))`` counts within the subset, ``Subset(with_content(data), indices)``
    within ``data``; of ``ConcatDataset([with_content(a), with_content(b)])`` each counts its own. An index that is no
    number (a key, a tuple) is passed to functions as it is.

    **One picture a sample.** A data set that makes one sample of several pictures, such as a pair, has each of them go
    through the pipeline, and hands the same objects to all: wrap the data set that it takes them from instead.

    **Streams** have no index: a function gets the running number of the sample, from 0 in each iteration, in each
    worker. Where the workers share a stream in turns, sample ``n`` of a worker is number
    ``n * info.num_workers + info.id`` of the whole, with ``info = torch.utils.data.get_worker_info()``. One ``next``
    must make one sample: a stream that transforms a buffer of them at once cannot be served. If the stream itself knows
    the objects, hand them to the pipeline with the image instead.

    **Wrap last.** Methods are the wrapped data set's own, and so is what they return (``select``, ``map`` of Hugging
    Face). One of these data sets around another: the inner one has the say while it makes its samples.

    **Batches at once** (``__getitems__``) are not offered, for each sample has content of its own; torch then asks for
    one after the other.

    For loaders that spawn their workers, functions must be picklable: give sequences, or functions that have a name.

    Examples
    --------
    >>> import albumentations as A, numpy as np, safeaug
    >>> class Folder:
    ...     def __init__(self, transform):
    ...         self.transform = transform
    ...     def __len__(self):
    ...         return 1
    ...     def __getitem__(self, i):
    ...         return self.transform(image=np.zeros((200, 2000, 3), np.uint8))["image"], "cat"
    >>> train = safeaug.guard(A.Compose([A.RandomResizedCrop((224, 224))]), min_retention=0.5)
    >>> data = with_content(Folder(train), boxes=lambda i: [[20, 50, 120, 150]])
    >>> image, label = data[0]
    >>> image.shape, label, set(train.report()["pipeline"]) <= {"FIRST", "MOVED", "RESIZED"}
    ((224, 224, 3), 'cat', True)
    """
    entries = dict(locals())
    del entries["dataset"], entries["box_format"]
    if box_format not in get_args(BoxFormat):
        raise ContentError(f"box_format must be one of {', '.join(get_args(BoxFormat))}, got {box_format!r}")
    stream = _is_stream(dataset)
    given = Given(checked(entries, None if stream else len(dataset)), box_format)  # type: ignore[arg-type]  # checked
    if "torch" not in sys.modules:
        wrapped: Any = (Streamed if stream else Mapped)(dataset, given)
    else:
        sets = importlib.import_module("safeaug.handing.torch_sets")
        wrapped = (sets.TorchStreamed if stream else sets.TorchMapped)(dataset, given)
    return wrapped  # type: ignore[no-any-return]  # to its users it is what it wraps


def _is_stream(dataset: Any) -> bool:
    """Return whether a data set has no index, or raise `ContentError` where it is none."""
    if isinstance(dataset, Handing):
        raise ContentError("the data set has content already; give all of it in one call of with_content")
    if is_a(dataset, "DataLoader", "torch"):
        raise ContentError("with_content wraps the data set, not its loader: DataLoader(with_content(dataset, ...))")
    if is_a(dataset, "IterableDataset", "torch"):
        return True
    if hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__"):
        return False
    if hasattr(dataset, "__iter__") and not hasattr(dataset, "__getitem__"):
        return True
    raise ContentError(
        "with_content needs a data set: something with len(dataset) and dataset[i], or with iter(dataset) alone, got "
        f"{type(dataset).__name__}"
    )
