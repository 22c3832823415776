"""YOLO: a text file for each picture, a line for each object, coordinates divided by the picture's sides."""

import math
import os
from functools import partial
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from safeaug.data.dataset import Data
from safeaug.data.entry import Entry, objects_of
from safeaug.data.header import header_of, note_header
from safeaug.data.listing import pictures_in
from safeaug.data.remarks import Notes, place, printable, said, shown
from safeaug.data.sample import Sample
from safeaug.data.yolo_config import yolo_config
from safeaug.errors import DataError
from safeaug.geometry import Size

IMAGES, LABELS = "images", "labels"
"""The folder in the path of a picture that is another in the path of its labels."""

BOX = 5
"""Numbers of a row that is a class and a box."""

RING = 7
"""The fewest of one that is a class and a ring of corners."""

BEYOND = 0.01
"""By how much of a side coordinates may reach beyond the picture: rounding, and strokes drawn over the edge."""


class _Rows(NamedTuple):
    """How rows are read."""

    root: str
    classes: tuple[str, ...]
    keypoints: int
    keep_going: bool


def read_yolo(path: str | PathLike[str], *, split: str = "train", keep_going: bool = False) -> Data:
    """Return the samples of a YOLO data set.

    Parameters
    ----------
    path : path
        Its ``data.yaml``. Needs PyYAML (``pip install "safeaug[yolo]"``).
    split : str, default "train"
        Which of the lists of pictures in it.
    keep_going : bool, default False
        Whether a row that is malformed is left out and counted, instead of stopping.

    Returns
    -------
    Data
        In the order of the pictures' names, each read when it is asked for. A row is a class and a box (5 numbers), or
        a class and the corners of a ring (7, 9, ...; of a rotated box 9); with ``kpt_shape``, a class, a box and
        keypoints, which are passed over. A picture without a file of labels has no objects.

    Raises
    ------
    DataError
        Where ``data.yaml`` cannot be read, or there is no picture, or none has labels.

    Examples
    --------
    >>> import tempfile
    >>> from PIL import Image
    >>> with tempfile.TemporaryDirectory() as root:
    ...     for folder in ("images", "labels"):
    ...         Path(root, folder).mkdir()
    ...     Image.new("RGB", (640, 480)).save(Path(root, "images", "a.png"))
    ...     _ = Path(root, "labels", "a.txt").write_text("0 0.5 0.5 0.25 0.5")
    ...     _ = Path(root, "data.yaml").write_text("{train: images, names: [cat]}")
    ...     sample = read_yolo(Path(root, "data.yaml"))[0]
    >>> sample.id, sample.size, sample.boxes.tolist(), sample.labels
    ('images/a.png', (480, 640), [[240.0, 120.0, 400.0, 360.0]], ('cat',))
    """
    path = Path(path)
    config = yolo_config(path, split)
    pictures = [picture for source in config.sources for picture in _pictures(source, config.root)]
    if not pictures:
        raise DataError(
            f"expected pictures in {split}, got {', '.join(map(place, config.sources))} without any",
            place(path),
            "missing",
        )
    if not any(os.path.isfile(labels_of(picture)) for picture in pictures):
        raise DataError(
            f"expected a file of labels for a picture that has objects, got none for {len(pictures)} pictures; that of "
            f"{place(pictures[0])} would be {place(labels_of(pictures[0]))}",
            place(path),
            "missing",
        )
    rows = _Rows(os.path.normpath(config.root), config.classes, config.keypoints, keep_going)
    return Data(f"yolo:{place(path)}", pictures, partial(_sample, rows), config.classes)


def labels_of(picture: str) -> str:
    """Return where the labels of a picture stand.

    Examples
    --------
    >>> labels_of("coco/images/val/a.jpg"), labels_of("pictures/a.jpg"), labels_of("a.jpg")
    ('coco/labels/val/a.txt', 'pictures/a.txt', 'a.txt')
    """
    folders = os.path.dirname(picture).split(os.sep)
    if IMAGES in folders:
        folders[len(folders) - 1 - folders[::-1].index(IMAGES)] = LABELS
    return os.path.join(os.sep.join(folders), os.path.splitext(os.path.basename(picture))[0] + ".txt")


def _pictures(source: Path, root: Path) -> list[str]:
    """Return the pictures of a folder or a list, whose paths are relative to it where they begin with "./"."""
    if source.is_dir():
        return [str(source / name) for name in pictures_in(source)]
    lines = _lines(source)
    found: list[str] = []
    for number, line in enumerate(lines, 1):
        name = line.strip()
        if not name:
            continue
        if "\0" in name or not Path(name).name:
            raise DataError(f"expected the path of a picture, got {shown(name)}", place(source, number))
        found.append(str((source.parent if name.startswith("./") else root) / name))
    return found


def _lines(path: str | PathLike[str]) -> list[str]:
    try:
        # Not splitlines: it knows ends of lines that editors do not count.
        return Path(path).read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise DataError(f"expected text in UTF-8: {error.reason} at byte {error.start}", place(path)) from None
    except OSError as error:
        raise DataError(
            f"expected a text file, which cannot be read: {said(error)}", place(path), "unreadable"
        ) from error


def _sample(rows: _Rows, picture: str) -> Sample:
    notes, where, labels = Notes(rows.keep_going), place(picture), labels_of(picture)
    header = header_of(picture, where)
    note_header(header, where, notes)
    entries: list[Entry] = []
    for number, line in enumerate(_lines(labels) if os.path.isfile(labels) else (), 1):
        try:
            if line.strip():
                entries.append(_entry(line.split(), rows, header.size, labels, number))
        except DataError as error:
            notes.take(error)
    objects = objects_of(entries, header.size, labels, notes)
    return Sample(_id(picture, rows.root), header.size, picture, where=where, remarks=notes.remarks, **objects)


def _id(picture: str, root: str) -> str:
    """Return the path of a picture from the root, if it stands there, so that it is the same on every machine."""
    path = os.path.normpath(picture)
    base = os.path.join(root, "")
    return printable(path.removeprefix(base).replace(os.sep, "/"))


def _entry(words: list[str], rows: _Rows, size: Size, labels: str, line: int) -> Entry:
    where = place(labels, line)
    kind, *numbers = (_number(word, where) for word in words)
    if not (kind == int(kind) and 0 <= kind < len(rows.classes)):
        raise DataError(
            f"a class must be one of the {len(rows.classes)} that data.yaml names, counted from 0, got {words[0][:40]}",
            where,
            "unlisted",
        )
    expected = BOX + rows.keypoints
    is_box = len(words) == expected
    if not is_box and (rows.keypoints or len(words) < RING or len(words) % 2 == 0):
        allowed = f"{expected} numbers, with keypoints" if rows.keypoints else "5 numbers, or 7, 9, 11, ... of a ring"
        raise DataError(
            f"a row must be a class and a box of {allowed}, got {len(words)}: {shown(' '.join(words))}", where
        )
    given = numbers[: BOX - 1] if is_box else numbers
    if not all(-BEYOND <= each <= 1 + BEYOND for each in given):
        raise DataError(
            f"coordinates must be in [0, 1], as they are divided by width and height, got {shown(given)}; are they in "
            "pixels?",
            where,
        )
    height, width = size
    label = rows.classes[int(kind)]
    if is_box:
        x, y, across, down = given
        return Entry(
            line,
            ((x - across / 2) * width, (y - down / 2) * height, (x + across / 2) * width, (y + down / 2) * height),
            label,
        )
    ring = np.array(given).reshape(-1, 2) * [width, height]
    (x0, y0), (x1, y1) = ring.min(axis=0).tolist(), ring.max(axis=0).tolist()
    return Entry(line, (x0, y0, x1, y1), label, rings=(ring,))


def _number(word: str, where: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError(f"a row must be of numbers, written with a decimal point, got {shown(word)}", where)
    return value
