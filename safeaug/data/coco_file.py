"""A COCO file as it is written: typed, so that hundreds of megabytes are read in seconds."""

import mmap
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from safeaug.data.remarks import Notes, place, said
from safeaug.errors import DataError

Id = int | str
Record = TypeVar("Record")

EXPECTED = "expected a COCO file of images, annotations and categories"


class CocoImage(msgspec.Struct, gc=False):
    """An image."""

    id: Id
    width: int
    height: int
    file_name: str = ""


class CocoCategory(msgspec.Struct, gc=False):
    """A class."""

    id: Id
    name: str


class CocoAnnotation(msgspec.Struct, gc=False):
    """An object. Its outline is most of the file, and is left for when it is asked for."""

    image_id: Id
    category_id: Id
    bbox: tuple[float, float, float, float]
    iscrowd: int | bool = 0


class _File(msgspec.Struct):
    images: list[CocoImage]
    annotations: list[CocoAnnotation]
    categories: list[CocoCategory]


class _Records(msgspec.Struct):
    """The same, each record left as it is written."""

    images: list[msgspec.Raw]
    annotations: list[msgspec.Raw]
    categories: list[msgspec.Raw]


class CocoFile(NamedTuple):
    """The records of a file that can be read, and the place of each in its list.

    Parameters
    ----------
    images, annotations, categories : list
        The records.
    image_places, annotation_places : sequence of int
        Their places.
    total : int
        How many annotations the file has.
    """

    images: list[CocoImage]
    annotations: list[CocoAnnotation]
    categories: list[CocoCategory]
    image_places: Sequence[int]
    annotation_places: Sequence[int]
    total: int


def coco_file(path: Path, notes: Notes, keep_going: bool) -> CocoFile:
    """Return the records of a COCO file.

    Parameters
    ----------
    path : Path
        The file.
    notes : Notes
        Takes records that are not as COCO writes them.
    keep_going : bool
        Whether to read on after such a record.

    Raises
    ------
    DataError
        Where the file is missing or no JSON, or a record cannot be read.
    """
    buffer = _buffer(path)
    try:
        whole = _decoded(buffer, _File, path)
    except DataError:
        if not keep_going:
            raise
    else:
        places = range(len(whole.images)), range(len(whole.annotations))
        return CocoFile(whole.images, whole.annotations, whole.categories, *places, len(whole.annotations))
    records = _decoded(buffer, _Records, path)
    images, image_places = _each(records.images, CocoImage, "images", path, notes)
    annotations, annotation_places = _each(records.annotations, CocoAnnotation, "annotations", path, notes)
    categories, _ = _each(records.categories, CocoCategory, "categories", path, notes)
    return CocoFile(images, annotations, categories, image_places, annotation_places, len(records.annotations))


def coco_part(path: Path, expected: type[Record]) -> Record:
    """Return what a type picks of a COCO file."""
    return _decoded(_buffer(path), expected, path)


def _buffer(path: Path) -> memoryview:
    """Return the bytes of a file, which stay on the disk: what is read of them need not be held.

    They are let go with the last record that is left as it is written.
    """
    try:
        with path.open("rb") as file:
            pages = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except FileNotFoundError:
        raise DataError(f"{EXPECTED}, which is not there; check the path", place(path), "missing") from None
    except (OSError, ValueError) as error:  # a folder, no rights; a file of no bytes cannot be mapped
        raise DataError(f"{EXPECTED}, which cannot be read: {said(error)}", place(path), "unreadable") from error
    return pages[3:] if bytes(pages[:3]) == b"\xef\xbb\xbf" else pages  # the byte order mark of Windows' tools


def _decoded(buffer: memoryview, expected: type[Record], path: Path) -> Record:
    try:
        return msgspec.json.decode(buffer, type=expected)
    except msgspec.ValidationError as error:
        text, _, record = str(error).partition(" - at ")
        name = record.strip("`").removeprefix("$.") or "the whole"
        raise DataError(f"{EXPECTED}; {_lower(text)}", f"{place(path)}: {name}") from None
    except msgspec.DecodeError as error:
        raise DataError(f"{EXPECTED}, in JSON; got: {said(error)}", place(path, _line(buffer, str(error)))) from None
    except RecursionError:
        raise DataError(f"{EXPECTED}, got lists in lists without end", place(path)) from None


def _each(
    records: list[msgspec.Raw], expected: type[Record], name: str, path: Path, notes: Notes
) -> tuple[list[Record], list[int]]:
    """Return the records that can be read, and their places in the list."""
    decoder = msgspec.json.Decoder(expected)
    read: list[Record] = []
    places: list[int] = []
    for i, record in enumerate(records):
        try:
            read.append(decoder.decode(record))
        except msgspec.DecodeError as error:
            text, _, inner = str(error).partition(" - at ")
            where = f"{place(path)}: {name}[{i}]{inner.strip('`').removeprefix('$')}"
            notes.fault("malformed", where, f"{EXPECTED}; {_lower(text)}")
        else:
            places.append(i)
    return read, places


def _line(buffer: memoryview, message: str) -> int | None:
    """Return the line of the byte that a message names, or of the last one, where it says that the file is cut off."""
    found = re.search(r"\(byte (\d+)\)", message)
    if not found and "truncated" not in message:
        return None
    return bytes(buffer[: int(found[1]) if found else len(buffer)]).count(b"\n") + 1


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
