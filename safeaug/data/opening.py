"""A data set by its name: ``coco:ann.json``, ``folder:pictures``, ``pkg.mod:attr``."""

from collections.abc import Callable, Mapping
from os import PathLike
from types import MappingProxyType
from typing import Any, NamedTuple

from safeaug.data.coco import read_coco
from safeaug.data.dataset import Data
from safeaug.data.folder import read_folder
from safeaug.data.masks import read_masks
from safeaug.data.named import named
from safeaug.data.remarks import printable, shown
from safeaug.data.torch_dataset import read_torch
from safeaug.data.voc import read_voc
from safeaug.data.yolo import read_yolo
from safeaug.errors import DataError


class Reader(NamedTuple):
    """What reads a format: a function, what stands behind its name, and what else it takes."""

    read: Callable[..., Data]
    place: str
    takes: frozenset[str]


READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "coco": Reader(read_coco, "FILE", frozenset({"images", "keep_going"})),
        "yolo": Reader(read_yolo, "data.yaml", frozenset({"split", "keep_going"})),
        "voc": Reader(read_voc, "DIR", frozenset({"images", "one_based", "keep_going"})),
        "folder": Reader(read_folder, "DIR", frozenset()),
        "masks": Reader(read_masks, "DIR", frozenset({"images", "keep_going"})),
    }
)
"""The formats that are read, by the name that leads them."""

LATER = frozenset({"wds", "hf", "globox"})
"""Names that are kept for formats to come, so that no module is looked for under them."""


def open_data(
    spec: str,
    *,
    images: str | PathLike[str] | None = None,
    split: str | None = None,
    one_based: bool | None = None,
    keep_going: bool = False,
) -> Data:
    """Return the samples of the data set that a text names.

    Parameters
    ----------
    spec : str
        ``coco:FILE``, ``yolo:data.yaml``, ``voc:DIR``, ``folder:DIR``, ``masks:DIR``; or ``pkg.mod:attr`` or
        ``file.py:attr``, a data set of torch, a sequence of `Sample`, or a function without arguments that returns one.
        This one runs the module; nothing is ever unpickled.
    images : path, optional
        The folder of the pictures, where the format does not say it: see `read_coco`, `read_voc`, `read_masks`.
    split : str, optional
        See `read_yolo`.
    one_based : bool, optional
        See `read_voc`.
    keep_going : bool, default False
        Whether what is malformed is left out and counted, instead of stopping. What makes a whole sample unreadable is
        raised when it is asked for all the same: see `readings`.

    Returns
    -------
    Data

    Raises
    ------
    DataError
        Where there is no such format, or the data cannot be read.

    Examples
    --------
    >>> open_data("cooc:ann.json")
    Traceback (most recent call last):
    ...
    safeaug.errors.DataError: ...
    """
    scheme, _, rest = spec.partition(":")
    given: dict[str, Any] = {"images": images, "split": split, "one_based": one_based}
    given = {name: value for name, value in given.items() if value is not None}
    if scheme in LATER:
        raise DataError(f"data must be one of {_allowed()}, got {shown(spec)}; {scheme}: is not read yet")
    if scheme in READERS and rest:
        reader = READERS[scheme]
        _check_options(given, reader.takes, f"{scheme}:")
        if "keep_going" in reader.takes:
            given["keep_going"] = keep_going
        return reader.read(rest, **given)
    if scheme in READERS or not rest:
        raise DataError(f"data must be one of {_allowed()}, got {shown(spec)}")
    _check_options(given, frozenset(), "a data set of Python")
    try:
        dataset = named(spec)
    except DataError as error:
        text = f"{error.message}; data must be one of {_allowed()}"
        raise DataError(text, error.where, error.kind) from error.__cause__ or error
    return _dataset(dataset, spec, keep_going)


def _dataset(dataset: Any, spec: str, keep_going: bool) -> Data:
    if callable(dataset) and not hasattr(type(dataset), "__getitem__"):
        try:
            dataset = dataset()
        except (Exception, SystemExit) as error:  # it is somebody else's program, and may raise anything
            text = f"calling it raises {type(error).__name__}: {shown(str(error))}"
            raise DataError(text, printable(spec)) from error
    if isinstance(dataset, Data):
        return dataset
    return read_torch(dataset, source=printable(spec), keep_going=keep_going)


def _allowed() -> str:
    return ", ".join([*(f"{name}:{reader.place}" for name, reader in READERS.items()), "pkg.mod:attr", "file.py:attr"])


def _check_options(given: Mapping[str, Any], takes: frozenset[str], what: str) -> None:
    for name in given.keys() - takes:
        whose = ", ".join(f"{scheme}:" for scheme, reader in READERS.items() if name in reader.takes)
        raise DataError(f"{name} belongs to {whose}, got it for {what}; leave it out")
