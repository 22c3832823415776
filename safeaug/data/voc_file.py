"""An annotation in the XML of Pascal VOC, with the line on which each value stands."""

import math
import os
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from safeaug.data.remarks import place, said, shown
from safeaug.errors import DataError

DEPTH = 4
"""How deep what is read stands: annotation, object, bndbox, xmin."""


class Value(NamedTuple):
    """The text of an element, and the line on which it ends."""

    text: str
    line: int


class VocObject(NamedTuple):
    """An object: the line on which it begins, and its values by their path in it."""

    line: int
    values: dict[str, Value]


class VocFile(NamedTuple):
    """An annotation: its values by their path, such as ``size/width``, and its objects."""

    path: Path
    values: dict[str, Value]
    objects: list[VocObject]


def voc_file(path: Path) -> VocFile:
    """Return what an annotation says.

    Parameters
    ----------
    path : Path
        The XML file. One that declares a document type is refused: entities can make a few bytes into gigabytes, or
        name other files, and VOC has no use for them.

    Raises
    ------
    DataError
        Where it is no XML, or not an ``annotation``.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise DataError(
            f"expected an annotation, which cannot be read: {said(error)}", place(path), "unreadable"
        ) from error
    builder = _Builder(path)
    try:
        builder.parser.Parse(text, True)
    except expat.ExpatError as error:
        raise DataError(f"expected XML, got {expat.ErrorString(error.code)}", place(path, error.lineno)) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"expected XML in UTF-8, or another encoding that Python knows: {said(error)}", place(path)
        ) from None
    return VocFile(path, builder.values, builder.objects)


def number(path: Path, values: dict[str, Value], name: str, line: int | None) -> float:
    """Return a value that must be a finite number, or raise `DataError`."""
    value = values.get(name)
    if value is None:
        raise DataError(f"expected <{os.path.basename(name)}> in {name!r}, which is missing", place(path, line))
    try:
        result = float(value.text)
    except ValueError:
        result = math.nan
    if not math.isfinite(result):
        raise DataError(f"{name} must be a number, got {shown(value.text)}", place(path, value.line))
    return result


class _Builder:
    """What expat calls: it keeps the values that an annotation is made of, and no more."""

    def __init__(self, path: Path) -> None:
        self.values: dict[str, Value] = {}
        self.objects: list[VocObject] = []
        self._path = path
        self._open: list[str] = []
        self._text: list[str] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text.append

    def _refuse(self, *_: object) -> None:
        raise DataError(
            "an annotation must declare no document type (<!DOCTYPE ...>), whose entities can make a few bytes into "
            "gigabytes; take the declaration out",
            place(self._path, self.parser.CurrentLineNumber),
        )

    def _start(self, name: str, _: dict[str, str]) -> None:
        if not self._open and name != "annotation":
            raise DataError(
                f"expected <annotation> of Pascal VOC, got {shown(name)}",
                place(self._path, self.parser.CurrentLineNumber),
            )
        self._open.append(name)
        self._text.clear()
        if self._open == ["annotation", "object"]:
            self.objects.append(VocObject(self.parser.CurrentLineNumber, {}))

    def _end(self, _: str) -> None:
        if 2 <= len(self._open) <= DEPTH:
            value = Value("".join(self._text).strip(), self.parser.CurrentLineNumber)
            _, first, *rest = self._open
            if first == "object":
                self.objects[-1].values.setdefault("/".join(rest), value)
            else:
                self.values.setdefault("/".join([first, *rest]), value)
        self._open.pop()
        self._text.clear()
