"""Maps in files of somebody else's making: one file a picture, found by the picture's key."""

from functools import partial
from os import PathLike
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from safeaug.errors import DataError
from safeaug.saliency.provided import ByKey

SUFFIXES = ".npy", ".png"
"""What a map's file ends in; the first that is there is read."""

GREY = frozenset({"1", "L", "I", "F", "I;16", "I;16B", "I;16L"})
"""Pillow's modes whose numbers are masses; those of a palette are names of colours."""


def map_files(folder: str | PathLike[str]) -> ByKey:
    """Return the provider that reads maps from the files of a folder.

    Parameters
    ----------
    folder : path
        Holds ``KEY.npy`` or ``KEY.png`` for each key, or these with the key's own suffix left out: the map of
        ``train/cat.jpg`` is ``train/cat.jpg.npy``, ``train/cat.npy`` or the same as ``.png``, in this order. A map is
        an array of shape (h, w), or a grey picture, of masses that are not negative.

    Returns
    -------
    ByKey
        For `map_of`, whose ``key`` is handed to it.

    Raises
    ------
    DataError
        When it is called: where the map of a key is missing or cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from safeaug.saliency import map_of
    >>> folder = tempfile.mkdtemp()
    >>> np.save(f"{folder}/cat.npy", np.eye(8))
    >>> map_of(np.zeros((60, 80), np.uint8), map_files(folder), 8, key="cat.jpg").max()
    np.uint8(255)
    """
    return ByKey(partial(_read, Path(folder)))


def _read(folder: Path, key: Any) -> NDArray[Any]:
    """Return the map of a key."""
    name = PurePath(str(key))
    if name.is_absolute() or ".." in name.parts or not name.name:
        raise DataError(f"the key of a map must be a path within its folder, got {str(key)!r}", str(folder), "missing")
    stems = folder / name, (folder / name).with_suffix("")
    tried = dict.fromkeys(stem.with_name(stem.name + suffix) for stem in stems for suffix in SUFFIXES)
    for path in tried:
        if path.is_file():
            return _array(path)
    names = ", ".join(str(path.relative_to(folder)) for path in tried)
    raise DataError(f"expected a map for key {str(key)!r}: one of {names}; make it", str(folder), "missing")


def _array(path: Path) -> NDArray[Any]:
    from PIL import Image

    try:
        if path.suffix == ".npy":
            with path.open("rb") as file:
                return np.asarray(np.lib.format.read_array(file, allow_pickle=False))
        with Image.open(path, formats=("PNG",)) as image:
            if image.mode not in GREY:
                raise DataError(f"expected a grey picture, got one of mode {image.mode}", str(path))
            return np.asarray(image)
    except DataError:
        raise
    except Exception as error:  # Pillow makes no promise of what its decoders raise on damaged bytes
        raise DataError(f"expected a whole map, got: {error}; make it again", str(path), "unreadable") from error
