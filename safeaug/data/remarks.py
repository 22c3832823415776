"""What is met while data are read: a fault stops it, or is written down and counted; what is odd is only said."""

import reprlib
from collections import Counter
from collections.abc import Mapping
from os import PathLike
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, cast

from safeaug.errors import DataError

Kind = Literal[
    "malformed",
    "unlisted",
    "missing",
    "unreadable",
    "too large",
    "other size",
    "outside",
    "no area",
    "from zero",
    "turned",
    "deep",
    "palette",
    "passed over",
]
"""What a remark is about.

A fault: what is not as its format says (*malformed*), names a class or an image that is not listed (*unlisted*), is not
there (*missing*), is no picture (*unreadable*), is beyond the pixel limit (*too large*), has another size than its
annotation or its mask says (*other size*). It stops the reading, or what has it is left out.

What is odd: an object wholly *outside* the image, which is left out; one of *no area*; a VOC file that counts *from
zero*; a picture that EXIF says is to be *turned*, one *deep* of more than 8 bits, a *palette* of ids: loaders differ in
what they make of these. A file that is *passed over*, as it is none that the format asks for.
"""

RULES: Mapping[Kind, str] = MappingProxyType({"outside": "SA4", "no area": "SA4"})
"""The rule that a remark speaks to, where it is not SA7, which is about sources."""

MOST = 100
"""How many remarks of a kind are kept in full; all are counted."""

LONGEST = 200
"""Characters of somebody else's that a message quotes."""


class Remark(NamedTuple):
    """One thing that was met while reading.

    Parameters
    ----------
    kind : Kind
        What it is about.
    where : str
        ``file:line``, or file and record.
    text : str
        What was expected, what was given, what to do.
    """

    kind: Kind
    where: str
    text: str

    @property
    def rule(self) -> str:
        """The rule that it speaks to."""
        return RULES.get(self.kind, "SA7")


class Notes:
    """What is written down while one thing is read; it lives no longer than that.

    Parameters
    ----------
    keep_going : bool
        Whether a fault is written down instead of raised.
    """

    def __init__(self, keep_going: bool = False) -> None:
        self._keep_going = keep_going
        self._remarks: list[Remark] = []
        self._counts: Counter[Kind] = Counter()

    def fault(self, kind: Kind, where: str, text: str) -> None:
        """Raise `DataError`, or write it down."""
        if not self._keep_going:
            raise DataError(text, where, kind)
        self.remark(kind, where, text)

    def take(self, error: DataError) -> None:
        """Raise an error again, or write it down."""
        if not self._keep_going:
            raise error
        self.remark(cast("Kind", error.kind), error.where, error.message)

    def remark(self, kind: Kind, where: str, text: str) -> None:
        """Write down what is odd."""
        self._counts[kind] += 1
        if self._counts[kind] <= MOST:
            self._remarks.append(Remark(kind, where, text))

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """The first of each kind, in the order in which they were met."""
        return tuple(self._remarks)

    @property
    def counts(self) -> dict[Kind, int]:
        """How many there were of each kind."""
        return dict(self._counts)


def shown(value: Any) -> str:
    r"""Return a value from somebody else's file as text of one short line, in which nothing acts.

    Examples
    --------
    >>> print(shown("a \x1b[31mname"), shown(list(range(100))))
    'a \x1b[31mname' [0, 1, 2, 3, 4, 5, ...]
    """
    brief = reprlib.Repr()
    brief.maxlevel, brief.maxstring, brief.maxother = 2, 60, 60
    return printable(brief.repr(value))[:LONGEST]


def said(error: Exception) -> str:
    """Return what an error of somebody else's says, as text of one short line."""
    text = printable(str(error)).strip()
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def place(path: str | PathLike[str], line: int | None = None) -> str:
    r"""Return ``file:line``, in which what cannot be printed is escaped, and what nobody would read is left out.

    Examples
    --------
    >>> place("labels/ünder.txt", 3), place("a\nb.txt")
    ('labels/ünder.txt:3', 'a\\nb.txt')
    """
    text = printable(str(path))
    if len(text) > 3 * LONGEST:
        text = f"{text[:LONGEST]}...{text[-LONGEST:]}"
    return text + ("" if line is None else f":{line}")


def printable(text: str) -> str:
    """Return a text in which what cannot be printed, and bytes that are no text, are escaped."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
