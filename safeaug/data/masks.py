"""A folder of semantic masks: a picture of class ids for each picture."""

from os import PathLike
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from safeaug.data.dataset import Data
from safeaug.data.header import check_header, header_of, opened
from safeaug.data.listing import folder_of, pictures_in
from safeaug.data.remarks import Notes, place, printable, said
from safeaug.data.sample import Sample
from safeaug.errors import DataError

MODES = ("1", "L", "P", "I;16", "I;16L", "I;16B", "I;16N", "I")
"""Pillow's names of pixels that are one whole number each."""

MASKS, IMAGES = "masks", "images"
"""The folders in which they are looked for."""


def read_masks(
    root: str | PathLike[str], *, images: str | PathLike[str] | None = None, keep_going: bool = False
) -> Data:
    """Return the samples of a folder of masks.

    Parameters
    ----------
    root : path
        With ``images``, the folder of the masks. Without, a folder with the folders ``masks`` and, unless only the
        masks are at hand, ``images``.
    images : path, optional
        The folder of the pictures. A mask has the name of its picture; the endings may differ.
    keep_going : bool, default False
        Whether a mask without a picture is left out and counted, instead of stopping.

    Returns
    -------
    Data
        In the order of their names. No pixel is read: see `read_mask`.

    Raises
    ------
    DataError
        Where there is no folder, or no mask in it, or one has no picture.

    Examples
    --------
    >>> import tempfile
    >>> from PIL import Image
    >>> with tempfile.TemporaryDirectory() as root:
    ...     Path(root, "masks").mkdir()
    ...     Image.new("L", (640, 480), 3).save(Path(root, "masks", "a.png"))
    ...     sample = read_masks(root)[0]
    ...     ids = read_mask(sample.mask)
    >>> sample.id, sample.size, np.unique(ids).tolist()
    ('a', (480, 640), [3])
    """
    notes = Notes(keep_going)
    folder = folder_of(root, "masks") if images is not None else folder_of(Path(root, MASKS), "masks")
    beside = Path(root, IMAGES) if images is None else folder_of(images, "pictures")
    masks = _by_stem(folder)
    pictures = _by_stem(beside) if images is not None or beside.is_dir() else None
    if not masks:
        raise DataError("expected masks, got a folder in which no file ends like a picture", place(folder), "missing")
    keys: list[tuple[str, Path, Path | None]] = []
    for stem, name in masks.items():
        if pictures is None:
            keys.append((stem, folder / name, None))
        elif stem in pictures:
            keys.append((stem, folder / name, beside / pictures[stem]))
        else:
            notes.fault(
                "missing", place(folder / name), f"expected a picture of this name in {place(beside)}, got none"
            )
    for stem in sorted((pictures or {}).keys() - masks.keys()):
        notes.remark("passed over", place(beside / (pictures or {})[stem]), "the picture has no mask of its name")
    return Data(f"masks:{place(root)}", keys, _sample, (), notes.remarks, notes.counts)


def read_mask(path: str | PathLike[str], where: str = "") -> NDArray[np.integer]:
    """Return the class ids of a mask, as they are stored: a palette's are its indices, never its colours.

    Parameters
    ----------
    path : path
        A picture of one whole number a pixel: a palette, grey, of 16 bits, black and white.
    where : str
        What an error says of where it was met; the path by default.

    Returns
    -------
    ndarray of shape (H, W), of whole numbers

    Raises
    ------
    DataError
        Where it cannot be read, or has colours instead of ids.
    """
    where = where or place(path)
    with opened(path, where) as image:
        _check_mode(image.mode, where)
        try:
            ids = np.asarray(image)
        except Exception as error:  # Pillow makes no promise of what its decoders raise on damaged bytes
            raise DataError(f"expected a whole mask, got: {said(error)}", where, "unreadable") from error
    return ids.astype(np.uint8) if ids.dtype == bool else ids.astype(ids.dtype.newbyteorder("="), copy=False)


def _by_stem(folder: Path) -> dict[str, str]:
    """Return the pictures of a folder by their names without endings."""
    found: dict[str, str] = {}
    for name in pictures_in(folder):
        stem = PurePosixPath(name).with_suffix("").as_posix()
        if stem in found:
            raise DataError(
                f"a name must stand for one picture, got {printable(found[stem])!r} and {printable(name)!r}; masks are "
                "found by name without ending",
                place(folder),
            )
        found[stem] = name
    return found


def _check_mode(mode: str, where: str) -> None:
    if mode not in MODES:
        raise DataError(
            f"a mask must be a picture of one whole number a pixel (Pillow's modes {', '.join(MODES)}), got {mode}; "
            "write class ids, or a palette",
            where,
        )


def _sample(key: tuple[str, Path, Path | None]) -> Sample:
    stem, path, picture = key
    where, notes = place(path), Notes()
    header = header_of(path, where)
    _check_mode(header.mode, where)
    if header.mode == "P":
        notes.remark(
            "palette",
            where,
            "the mask is a palette: its indices are the class ids, which are lost where it is converted to RGB or grey",
        )
    if header.orientation != 1:
        raise DataError(f"a mask must be stored upright, got EXIF orientation {header.orientation}", where)
    others = () if picture is None else check_header(picture, header.size, where)
    return Sample(printable(stem), header.size, picture, mask=path, where=where, remarks=notes.remarks + others)
