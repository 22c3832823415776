"""The files of a folder; and names from somebody else's file, which must stay inside it."""

import os
from collections.abc import Callable
from pathlib import Path

from safeaug.data.remarks import place, shown
from safeaug.errors import DataError

SUFFIXES = frozenset(
    {".jpg", ".jpeg", ".png", ".bmp", ".gif", ".ppm", ".pgm", ".pbm", ".tif", ".tiff", ".webp", ".mpo"}
)
"""Endings of pictures, in small letters."""


def files_in(root: str | os.PathLike[str]) -> list[str]:
    """Return the files below a folder, in order, each as its path from there; hidden ones are passed over.

    Links to folders are followed, once.
    """
    found: list[str] = []
    seen: set[tuple[int, int]] = set()
    for folder, below, names in os.walk(root, followlinks=True):
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in seen:  # a link back to where one came from
            below.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        below[:] = [name for name in below if not name.startswith(".")]
        inner = Path(folder).relative_to(root)
        found += ((inner / name).as_posix() for name in names if not name.startswith("."))
    return sorted(found)


def is_picture(name: str) -> bool:
    """Return whether a file is a picture by its ending.

    Examples
    --------
    >>> is_picture("a/b.JPG"), is_picture("a/b.txt")
    (True, False)
    """
    return os.path.splitext(name)[1].lower() in SUFFIXES


def pictures_in(root: str | os.PathLike[str]) -> list[str]:
    """Return the pictures below a folder, in order, each as its path from there."""
    return [name for name in files_in(root) if is_picture(name)]


def presence() -> Callable[[Path], bool]:
    """Return what says whether a file is there, by listing each folder once."""
    listed: dict[Path, set[str]] = {}

    def is_there(path: Path) -> bool:
        if path.parent not in listed:
            listed[path.parent] = set(os.listdir(path.parent)) if path.parent.is_dir() else set()
        return path.name in listed[path.parent] or path.is_file()  # asked itself: capitals may not matter here

    return is_there


def folder_of(path: str | os.PathLike[str], what: str) -> Path:
    """Return a path that is a folder, or raise `DataError`."""
    if not os.path.isdir(path):
        raise DataError(f"expected a folder of {what}, which is not there; check the path", place(path), "missing")
    return Path(path)


def inside(root: Path, name: str, where: str) -> Path:
    """Return the path of a file that somebody else's file names, or raise `DataError` where it leads out of its folder.

    Examples
    --------
    >>> inside(Path("images"), "val/a.jpg", "ann.json").as_posix()
    'images/val/a.jpg'
    """
    path = Path(name)
    if not path.name or "\0" in name or path.is_absolute() or path.drive or ".." in path.parts:
        raise DataError(f"a file name must stay inside {place(root)}, got {shown(name)}; name it from there", where)
    return root / path
