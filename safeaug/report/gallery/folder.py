"""Folders of ours: written aside and put in place whole; what is somebody else's in them is left alone."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from safeaug.data.remarks import place, shown
from safeaug.errors import OutputError

INDEX, MARKER = "index.html", ".safeaug-gallery"
"""The page, and the file by which a folder is known to be ours."""

PARTIAL = ".safeaug-partial-"
"""How a folder or a file begins that is not yet whole."""

SCHEMA = "safeaug.gallery/1"

OURS = re.compile(rf"{re.escape(INDEX)}|data-\d+\.js|thumbs-\d+|{re.escape(MARKER)}")
"""What a gallery is made of: no other name is ever touched."""


class _Marker(msgspec.Struct, frozen=True):
    schema: str
    run: str = ""


def marker(run: str) -> bytes:
    """Return what a folder's marker says."""
    return msgspec.json.encode(_Marker(SCHEMA, run)) + b"\n"


def check_folder(folder: Path, *, force: bool) -> None:
    """Refuse a folder that is there and not ours.

    Parameters
    ----------
    folder : Path
        Where a gallery is to be.
    force : bool
        Whether one that is somebody else's will do. What is in it stays, but for files of a gallery's names.

    Raises
    ------
    OutputError
        Where it is refused, or is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"expected a folder to write to, got the file {shown(str(folder))}; give another place")
    if force or not folder.is_dir() or _is_ours(folder):
        return
    with told("looked into", folder):
        strange = [name for name in sorted(os.listdir(folder)) if not name.startswith(PARTIAL)]
    if strange:
        raise OutputError(
            f"the folder {shown(str(folder))} is there, and is no gallery of safeaug's: it holds {shown(strange[0])}; "
            "give another, or write into it all the same (force=True, --force)"
        )


def _is_ours(folder: Path) -> bool:
    try:
        return msgspec.json.decode((folder / MARKER).read_bytes(), type=_Marker).schema.startswith("safeaug.gallery/")
    except (OSError, msgspec.DecodeError):
        return False


@contextmanager
def staged(folder: Path, *, force: bool = False) -> Iterator[Path]:
    """Give a folder to write a gallery into; in the end it is put in place, or nothing is.

    Parameters
    ----------
    folder : Path
        Where the gallery is to be. It is made, with those above it.
    force : bool
        As `check_folder`.

    Raises
    ------
    OutputError
        Where the folder is refused, or cannot be written to.
    """
    check_folder(folder, force=force)
    made = not folder.exists()
    with told("made", folder):
        folder.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=PARTIAL, dir=folder))
    try:
        yield stage
        with told("written to", folder):
            _settle(stage, folder)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
        if made:
            with suppress(OSError):  # not empty: it has become a gallery
                folder.rmdir()


def _settle(stage: Path, folder: Path) -> None:
    """Put what was written in the place of what was there. All are renames, for which a full disk has room."""
    new, old = sorted(os.listdir(stage)), stage / "old"
    old.mkdir()
    gone = [name for name in os.listdir(folder) if OURS.fullmatch(name) or _is_left_over(name, stage)]
    # The page goes first and comes last: at no time does one lead to what is not there.
    moves = [(folder / name, old / name) for name in sorted(gone, key=lambda name: (name != INDEX, name))]
    moves += [(stage / name, folder / name) for name in sorted(new, key=lambda name: (name == INDEX, name))]
    done: list[tuple[Path, Path]] = []
    try:
        for here, there in moves:
            here.rename(there)
            done.append((here, there))
    except OSError:
        for here, there in reversed(done):
            there.rename(here)
        raise


def _is_left_over(name: str, stage: Path) -> bool:
    """Return whether a name is of a folder that a run which was killed has left behind."""
    return name.startswith(PARTIAL) and name != stage.name


@contextmanager
def told(what: str, path: Path) -> Iterator[None]:
    """Turn an error of the file system into one that says what cannot be done."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise OutputError(f"{place(path)} cannot be {what}: {why}; free some space, or give another place") from error


def write(path: Path, data: bytes) -> None:
    """Write a file.

    Raises
    ------
    OutputError
        Where it cannot be written.
    """
    with told("written", path):
        path.write_bytes(data)


def write_file(path: Path, data: bytes) -> None:
    """Write a file aside, and put it in place whole.

    Raises
    ------
    OutputError
        Where it cannot be written; what was there before is there still.
    """
    with told("written", path):
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f"{PARTIAL}{os.getpid()}-{path.name}")
        try:
            aside.write_bytes(data)
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
